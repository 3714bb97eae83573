#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# demo.sh [PACKAGE.rpm ...]: builds rpm, checks the packages (without any: one that is made here),
# installs them under a temporary root, verifies them, and says what that cost and where it all is.
# As root it installs first what the build needs (Debian). Exit status 0 if all went well.
set -u

failed=0
demo=$(cd "$(dirname "$0")" && pwd)/build/demo
packages=()
for package in "$@"; do
    packages+=("$(realpath -e -- "$package")") || { echo "demo.sh: no package $package" >&2; exit 2; }
done
cd "$(dirname "$0")" || exit 1

say() { printf '\n== %s\n' "$*"; }

# show COMMAND...: the command and the first of what it says; a failure is remembered, and told.
show() {
    local rc=0 words=${*//"$PWD/build/release/tools/rpm"/rpm}
    printf '   $ %s\n' "${words//"$PWD/"/}"
    "$@" 2>&1 | awk '{ if (NR <= 20) print "   " $0; else more++ } END { if (more) print "   ... " more " lines more" }'
    rc=${PIPESTATUS[0]}
    [ "$rc" = 0 ] && return 0
    echo "   (exit status $rc)"
    failed=1
    return 1
}

./deps.sh build || exit 1
say "building, in build/release"
mkdir -p build
if ! { cmake --preset release && cmake --build --preset release --target rpm-tool mkpkg; } >build/demo.log 2>&1; then
    tail -n 30 build/demo.log
    echo "demo.sh: the build failed; all of its output is in build/demo.log" >&2
    exit 1
fi
rpm=$PWD/build/release/tools/rpm
export RPMIO_POLICY_MACROS=$PWD/macros.in
"$rpm" --version | sed 's/^/   /'

rm -rf "$demo"
mkdir -p "$demo/root" || exit 1

if [ ${#packages[@]} = 0 ]; then
    say "making a package"
    packages=("$demo/demo-1.0-1.noarch.rpm")
    build/release/tests/mkpkg -o "${packages[0]}" <<'END' || exit 1
name demo
compressor zstd
dir /opt/demo
dir /opt/demo/many
file /opt/demo/README content=A\spackage\smade\sfor\sdemo.sh.\n flags=doc
file /opt/demo/demo.conf content=colour=blue\n flags=config,noreplace
file /opt/demo/large size=50000000 fill=text
file /opt/demo/suid content=#!/bin/sh\n mode=4755
file /opt/demo/link1 size=100000 fill=random link=set
file /opt/demo/link2 size=100000 fill=random link=set
symlink /opt/demo/latest large
fifo /opt/demo/fifo
END
    echo "   ${packages[0]#"$PWD"/}"
fi

for package in "${packages[@]}"; do
    say "$(basename "$package")"
    show "$rpm" -K -v "$package" || continue
    show "$rpm" -qlv -p "$package"
    # The root is empty: nothing that the package depends on is there, no shell for its scripts.
    show "$rpm" -ivh --stats --nodeps --noscripts --notriggers --root "$demo/root" --dbpath /var/lib/rpm "$package" || continue
    show "$rpm" -V --nodeps --root "$demo/root" --dbpath /var/lib/rpm -p "$package" && echo "   (no difference)"
done

say "where it is"
echo "   the command      build/release/tools/rpm (needs RPMIO_POLICY_MACROS=$RPMIO_POLICY_MACROS here)"
echo "   what it installed ${demo#"$PWD"/}/root: $(find "$demo/root" -type f | wc -l) files, $(du -sh "$demo/root" | cut -f1)"
echo "   build output     build/demo.log"
[ $failed = 0 ] || echo "demo.sh: something above failed" >&2
exit $failed
