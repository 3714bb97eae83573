#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpm -V -p: the same lines and exit status as stock's, for every kind of damage.
. "$TOP/tests/lib.sh"
need_stock
need_root

cat >damage.spec <<'EOF'
Name: damage
Version: 1.0
Release: 1
Summary: One file of each kind
License: none
BuildArch: noarch
%description
One file of each kind.
%install
for d in opt/d/sub opt/d/docs opt/d/real etc; do mkdir -p %{buildroot}/$d; done
for f in plain exact suid caps doc config readme license ghost artifact noverify empty; do
    echo "content of $f" >%{buildroot}/opt/d/$f
done
: >%{buildroot}/opt/d/empty
echo one >%{buildroot}/opt/d/link1
ln %{buildroot}/opt/d/link1 %{buildroot}/opt/d/link2
ln -s plain %{buildroot}/opt/d/symlink
ln -s /nowhere %{buildroot}/opt/d/dangling
echo missing >%{buildroot}/etc/missingok
echo kept >%{buildroot}/etc/noreplace
%files
%dir /
%dir /opt/d
%dir /opt/d/sub
%dir %attr(0750,daemon,daemon) /opt/d/docs
%dir /opt/d/real
/opt/d/plain
/opt/d/exact
/opt/d/empty
/opt/d/link1
/opt/d/link2
/opt/d/symlink
/opt/d/dangling
%attr(4755,daemon,daemon) /opt/d/suid
%caps(cap_net_raw=ep) /opt/d/caps
%doc /opt/d/doc
%license /opt/d/license
%readme /opt/d/readme
%artifact /opt/d/artifact
%config /opt/d/config
%config(noreplace) /etc/noreplace
%config(missingok) /etc/missingok
%ghost %attr(0644,root,root) /opt/d/ghost
%verify(not filedigest size mtime) /opt/d/noverify
%dev(c,1,3) %attr(0666,root,root) /opt/d/null
%dev(b,7,0) %attr(0660,root,daemon) /opt/d/loop
EOF
package=$(build_rpm damage.spec) || exit 1

empty_root pristine
mkdir pristine/etc pristine/outside
grep -E '^(root|daemon|nobody):' /etc/passwd >pristine/etc/passwd
grep -E '^(root|daemon|nogroup):' /etc/group >pristine/etc/group
stock -i --root "$PWD/pristine" --nodeps "$package" || fail "stock -i"
echo ghost >pristine/opt/d/ghost

# Stock enters the root before it opens the package.
cp "$package" pristine/package.rpm

# compare NAME [rpm options]: both on ./root.
compare() {
    local name=$1 theirs=0 ours=0
    shift
    stock -V -p --root "$PWD/root" "$@" /package.rpm >theirs.out 2>theirs.err || theirs=$?
    "$RPM" -V -p --root "$PWD/root" "$@" "$package" >out 2>err || ours=$?
    same "$name" out theirs.out
    same "$name: errors" err theirs.err
    is "$name: exit status" "$ours" "$theirs"
}

# damage NAME COMMAND...: run in a fresh copy of the installed tree.
damages=0
damage() {
    local name=$1
    shift
    rm -rf root
    cp -a pristine root
    (cd root && "$@") || fail "$name: cannot do the damage"
    damages=$((damages + 1))
    compare "$name" --nodeps
    compare "$name, verbose" --nodeps -v
    [ -s theirs.out ] || fail "$name: stock says nothing, so nothing was compared"
}

append() { echo more >>"$1"; }
same_size() { printf X | dd of="$1" bs=1 conv=notrunc status=none && touch -d @"$2" "$1"; }
mtime_of() { stat -c %Y "pristine/$1"; }
replace_by_link() { rm -rf "$1" && ln -s "$2" "$1"; }
move_and_link() { mv "$1" "$2" && ln -s "$3" "$1"; }
linked_by_nobody() { move_and_link "$@" && chown -h 65534:65534 "$1"; }
swap() { rm -rf "$1" && "${@:2}" "$1"; }

damage "nothing" true
damage "larger" append opt/d/plain
damage "another content, same size and time" same_size opt/d/exact "$(mtime_of opt/d/exact)"
damage "empty file with content" append opt/d/empty
damage "removed" rm opt/d/plain
damage "removed: doc, config, licence, readme, artifact" \
    rm opt/d/doc opt/d/config opt/d/license opt/d/readme opt/d/artifact
damage "removed: ghost and missingok" rm opt/d/ghost etc/missingok
damage "removed: all" rm -rf opt etc/missingok etc/noreplace
damage "changed: doc, config, licence, readme, artifact" \
    sh -c 'for f in doc config license readme artifact; do echo x >>opt/d/$f; done'
damage "changed: ghost, missingok, noreplace" \
    sh -c 'for f in opt/d/ghost etc/missingok etc/noreplace; do echo x >>$f; done'
damage "mode" chmod 600 opt/d/plain
damage "suid lost" chmod 0755 opt/d/suid
damage "mode of a directory" chmod 777 opt/d/docs
damage "mode of a ghost" chmod 600 opt/d/ghost
damage "ghost is a directory" swap opt/d/ghost mkdir
damage "owner" chown 65534 opt/d/plain
damage "group" chgrp 65534 opt/d/plain
damage "owner of a symlink" chown -h 65534 opt/d/symlink
damage "owner of a directory" chown 0:0 opt/d/docs
damage "time" touch -d @1000000000 opt/d/plain
damage "time of a directory" touch -d @1000000000 opt/d/sub
damage "time of a symlink" touch -h -d @1000000000 opt/d/symlink
damage "symlink elsewhere" replace_by_link opt/d/symlink exact
damage "symlink for a file" replace_by_link opt/d/plain exact
damage "file for a symlink" swap opt/d/symlink touch
damage "directory for a file" swap opt/d/plain mkdir
damage "file for a directory" swap opt/d/sub touch
damage "FIFO for a file" swap opt/d/plain mkfifo
damage "directory behind root's symlink" move_and_link opt/d/real opt/d/moved moved
damage "directory behind a stranger's symlink" linked_by_nobody opt/d/real opt/d/moved moved
damage "parent behind root's symlink" move_and_link opt/d outside/d ../outside/d
damage "parent behind a stranger's symlink" linked_by_nobody opt/d outside/d ../outside/d
damage "parent is a file" sh -c 'rm -rf opt/d && echo x >opt/d'
damage "parent is a loop of symlinks" sh -c 'rm -rf opt/d && ln -s d opt/d'
damage "symlink for a directory, to a file" replace_by_link opt/d/sub plain
damage "symlink for a directory, dangling" replace_by_link opt/d/sub nothing
damage "capabilities lost" setcap -r opt/d/caps
damage "capabilities changed" setcap cap_chown=ep opt/d/caps
damage "capabilities gained" setcap cap_chown=ep opt/d/plain
damage "content not to be verified" append opt/d/noverify
damage "device number" sh -c 'rm opt/d/null && mknod -m 666 opt/d/null c 1 5'
damage "kind of device" sh -c 'rm opt/d/loop && mknod -m 660 opt/d/loop c 7 0 && chgrp 1 opt/d/loop'
damage "file for a device" swap opt/d/null touch
damage "hard link broken" sh -c 'cp -p opt/d/link1 x && mv x opt/d/link1 && echo y >>opt/d/link2'
damage "users unknown to the root" \
    sh -c 'echo root:x:0:0::/: >etc/passwd; echo root:x:0: >etc/group'
is "kinds of damage" "$([ "$damages" -ge 20 ] && echo enough)" enough

# Options, on a tree where everything is wrong.
rm -rf root
cp -a pristine root
for f in root/opt/d/{plain,doc,config,ghost,artifact,suid}; do
    echo x >>"$f"
    chmod 600 "$f"
    chown 65534:65534 "$f"
done
replace_by_link root/opt/d/symlink elsewhere
setcap -r root/opt/d/caps
rm root/opt/d/null
for option in --nofiledigest --nomd5 --nosize --nomode --nomtime --nolinkto --nouser --nogroup \
    --nordev --nocaps --nofiles --noscripts --noscript -c -d -L -A --noghost --noconfig \
    --noartifact --configfiles --docfiles --licensefiles --artifactfiles; do
    compare "$option" --nodeps "$option"
done
compare "all that can be left out" --nodeps --nofiledigest --nosize --nomode --nomtime \
    --nolinkto --nouser --nogroup --nordev --nocaps
compare "quiet" --nodeps --quiet

# What cannot be read, or not even be seen, by an ordinary user: of a package whose files are all
# in a directory of this test, as stock cannot enter a root without privilege.
seen=$WORK/seen
cat >seen.spec <<EOF
Name: seen
Version: 1.0
Release: 1
Summary: Files that not everybody may see
License: none
BuildArch: noarch
%description
Files that not everybody may see.
%install
mkdir -p %{buildroot}$seen/hidden %{buildroot}$seen/open
for f in hidden/file hidden/ghost hidden/config open/unreadable open/caps open/readable; do
    echo "\$f" >%{buildroot}$seen/\$f
done
%files
$seen/hidden/file
%ghost $seen/hidden/ghost
%config $seen/hidden/config
%attr(0000,root,root) $seen/open/unreadable
%attr(0000,root,root) %caps(cap_net_raw=ep) $seen/open/caps
$seen/open/readable
EOF
seen_rpm=$(CACHE=$WORK/cache build_rpm seen.spec) || exit 1
chmod -R a+rX "$WORK/cache"
stock -i --nodeps "$seen_rpm" || fail "stock -i of files in $seen"
chmod 700 "$seen/hidden"
compare_as_nobody() {
    local theirs=0 ours=0
    as_nobody "$STOCK" --force-debian --dbpath "$WORK/nodb" -V -p --nodeps "$seen_rpm" \
        >theirs.out 2>/dev/null || theirs=$?
    as_nobody "$RPM" -V -p --nodeps "$seen_rpm" >out 2>err || ours=$?
    same "$1" out theirs.out
    is "$1: exit status" "$ours" "$theirs"
}
if as_nobody test -x "$RPM"; then
    compare_as_nobody "hidden and unreadable files"
    holds "hidden file" out "^missing     $seen/hidden/file \\(Permission denied\\)\$"
    holds "unreadable file" out "^\\.\\.\\?\\.{6}    $seen/open/unreadable\$"
    setcap -r "$seen/open/caps"
    compare_as_nobody "unreadable file without its capabilities"
else
    skip_part "unreadable files: the build tree is not open to others"
fi

# Dependencies, on the empty database of an empty root.
empty_root root
compare_real() {
    local theirs=0 ours=0
    cp "$1" root/package.rpm
    stock -V -p --root "$PWD/root" /package.rpm 2>/dev/null >theirs.out || theirs=$?
    "$RPM" -V -p --root "$PWD/root" "$1" >out 2>err || ours=$?
    same "$1" out theirs.out
    is "$1: exit status" "$ours" "$theirs"
}
if [ -d "$REAL_RPMS" ]; then
    # With a root, stock looks for the files of source packages below the root of the root.
    for rpm in "$REAL_RPMS"/*.rpm; do
        case $rpm in
        *.src.rpm) ;;
        *) compare_real "$rpm" ;;
        esac
    done
    for rpm in "$REAL_RPMS"/*.src.rpm; do
        stock -V -p "$rpm" >theirs.out 2>/dev/null
        "$RPM" -V -p "$rpm" >out
        same "$rpm" out theirs.out
    done
else
    skip_part "real packages: $REAL_RPMS is not there"
fi

# A root that is none, and one that is not there.
echo file >plain
refuses "root is a file" "Not a directory" "$RPM" -V -p --nodeps --root "$PWD/plain" "$package"
refuses "no root" "No such file" "$RPM" -V -p --nodeps --root "$PWD/absent" "$package"
finish
