#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# deps.sh [build|check]: installs the Debian packages that building (demo.sh) or testing
# (check.sh) needs. Says nothing when they are all there. On another distribution it leaves
# everything to the configure step, which names what is missing.
set -u

build=(gcc libc6-dev cmake ninja-build pkg-config libssl-dev zlib1g-dev libpopt-dev
    libarchive-dev libcap-dev libsqlite3-dev libxml2-dev libcmocka-dev)
# rpm is stock rpm and rpmbuild: the referee of the interop tests, and the maker of packages.
check=(g++ clang llvm libclang-rt-14-dev rpm librpm-dev strace time xfsprogs btrfs-progs e2fsprogs
    libfuse3-dev fuse3 zstd xz-utils bzip2 libcap2-bin attr binutils util-linux shellcheck codespell
    busybox-static sqlite3 python3-rpm createrepo-c
    librepo0 dnf)

packages=("${build[@]}")
case ${1:-check} in
build) ;;
check) packages+=("${check[@]}") ;;
*) echo "usage: deps.sh [build|check]" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || exit 0

missing=()
for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
        missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
    echo "deps.sh: not root; install these first: apt-get install ${missing[*]}" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# A mirror that is slow or away for a moment is no reason to give up.
retried() {
    local try
    for try in 1 2 3 4; do
        "$@" >"$log" 2>&1 && return 0
        [ "$try" = 4 ] || sleep $((try * 5))
    done
    tail -n 20 "$log" >&2
    echo "deps.sh: failed: $*" >&2
    return 1
}

echo "installing ${missing[*]}"
retried apt-get -q -o Acquire::Retries=3 update || exit 1
retried apt-get -q -o Acquire::Retries=3 install -y --no-install-recommends "${missing[@]}"
