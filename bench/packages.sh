# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The packages of the benchmarks, kept in the build tree once they are made: each call prints
# their files. $build is the build tree.
# shellcheck disable=SC2154

# package NAME: of the manifest on standard input.
package() {
    mkdir -p "$(dirname "$build/bench-packages/$1.rpm")"
    [ -e "$build/bench-packages/$1.rpm" ] || "$build/tests/mkpkg" -o "$build/bench-packages/$1.rpm"
    echo "$build/bench-packages/$1.rpm"
}

# small_package COMPRESSOR: 4,000 files of 0.5 to 12.5 KB in 40 directories.
small_package() {
    local i
    { printf '%s\n' "name small-$1" "compressor $1"
      for ((i = 1; i <= 40; i++)); do echo "dir /opt/small/$i"; done
      for ((i = 1; i <= 4000; i++)); do
          echo "file /opt/small/$((i % 40 + 1))/$i size=$((i * 7919 % 12000 + 500)) fill=text"
      done
    } | package "small-$1"
}

# few_package: 260 files of 5 KB in 10 directories.
few_package() {
    local i
    { printf '%s\n' 'name few' 'compressor zstd'
      for ((i = 1; i <= 10; i++)); do echo "dir /opt/few/$i"; done
      for ((i = 1; i <= 260; i++)); do
          echo "file /opt/few/$((i % 10 + 1))/$i size=5000 fill=text"
      done
    } | package few
}

# large_package: three files of 80 MB.
large_package() {
    { printf '%s\n' 'name large-zstd' 'compressor zstd' 'dir /opt/large'
      printf 'file /opt/large/%s size=80000000 fill=text\n' 1 2 3
    } | package large-zstd
}

# many_packages: 500 of 20 files, each file of 0.5 to 4.5 KB.
many_packages() {
    local n i
    for ((n = 1; n <= 500; n++)); do
        { printf '%s\n' "name many$n" 'compressor gzip' "dir /opt/many/$n"
          for ((i = 1; i <= 20; i++)); do
              echo "file /opt/many/$n/$i size=$(((n * 20 + i) * 7919 % 4000 + 500)) fill=text"
          done
        } | package "many/$n"
    done
}
