#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpm -i, ours and stock, of the same packages into equal roots: the trees are identical.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root

packages=0

# Both roots start with what seed() puts there.
seed_nothing() { :; }

# identical NAME PACKAGE [SEED [OPTIONS...]]: but for the lines that match $but.
but='^$'
identical() {
    local name=$1 package=$2 seed=${3:-seed_nothing} since who
    shift 2
    [ $# = 0 ] || shift
    packages=$((packages + 1))
    since=$(($(date +%s) - 5))
    for who in stock ours; do
        empty_root $who
        $seed $who
        run install_by $who --nodeps --noscripts --notriggers "$@" --root "$PWD/$who" "$package"
        if [ "$status" != 0 ]; then
            fail "$name: $who: exit status $status: $(head -n 3 err)"
            return
        fi
        manifest $who $since | grep -Ev "$but" >$who.list
    done
    same "$name" ours.list stock.list
}

install_by() {
    local who=$1
    shift
    if [ "$who" = stock ]; then stock -i --nosignature "$@"; else "$RPM" --dbpath /.rpmdb -i "$@"; fi
}

# spec NAME: makes NAME.spec of the %install and %files on standard input, with the tags in $tags.
tags=
spec() {
    {
        printf '%s\n' "Name: $1" 'Version: 1.0' 'Release: 1' 'Summary: A package for tests' \
            'License: LGPL-2.1-or-later' 'BuildArch: noarch' 'AutoReqProv: no' "$tags" \
            '%description' 'For tests.' '%install' "mkdir -p %{buildroot}; cd %{buildroot}"
        cat
    } >"$1.spec"
}

# built NAME [rpmbuild options]: the package of the spec on standard input, as $package.
built() {
    local name=$1
    shift
    spec "$name"
    package=$(build_rpm "$name.spec" "$@") || { fail "$name: rpmbuild"; package=/nonexistent; }
}

# -- packages of other hands ----------------------------------------------------------------------

if [ -d "$REAL_RPMS" ]; then
    for package in "$REAL_RPMS"/*.rpm; do
        case $package in
        *.src.rpm | *-corrupted.rpm) ;;
        *) identical "$(basename "$package")" "$package" ;;
        esac
    done
    for package in "$REAL_RPMS"/*-corrupted.rpm; do
        for who in stock ours; do
            empty_root $who
            run install_by $who --nodeps --root "$PWD/$who" "$package"
            [ "$status" != 0 ] && ! crashed && ok || fail "$package: $who: exit status $status"
            rm -rf $who/.rpmdb
            nothing_left "$package: $who" $who
        done
    done
else
    skip_part "no real packages in $REAL_RPMS"
fi

# -- compressions and digests ---------------------------------------------------------------------

some_files() {
    cat <<'END'
mkdir -p opt/t/empty opt/t/sub/deeper
echo hello >opt/t/hello
: >opt/t/none
for n in 1 4095 4096 4097 262143 262145; do seq 1 100000 | head -c $n >opt/t/sub/$n; done
seq 1 400000 >opt/t/sub/deeper/2M
ln -s hello opt/t/link
ln -s /etc/passwd opt/t/absolute
ln -s nowhere opt/t/dangling
ln -s sub opt/t/tosub
ln -s . opt/t/dot
touch -h -d '2001-02-03 04:05:06' opt/t/hello opt/t/link opt/t/sub opt/t/empty
chmod 700 opt/t/sub
chmod 400 opt/t/none
chmod 1777 opt/t/empty
%files
/opt/t
END
}

for payload in w9.gzdio w1.gzdio w2.xzdio w2.lzdio w9.bzdio w3.zstdio w19.zstdio w.ufdio; do
    built "compress-$payload" --define "_binary_payload $payload" < <(some_files)
    identical "$payload" "$package"
done
for algo in 1 2 8 9 10 11; do
    built "digest-$algo" --define "_binary_filedigest_algorithm $algo" < <(some_files)
    identical "file digest $algo" "$package"
done

# -- kinds of files ----------------------------------------------------------------------------------

built hardlinks <<'END'
mkdir -p opt/h/a opt/h/b etc usr/share/doc/h
echo one >opt/h/a/1; ln opt/h/a/1 opt/h/b/1; ln opt/h/a/1 opt/h/1
seq 1 50000 >opt/h/b/2; ln opt/h/b/2 opt/h/a/2; ln opt/h/b/2 etc/h2
: >opt/h/empty1; ln opt/h/empty1 opt/h/empty2
echo doc >usr/share/doc/h/d1; ln usr/share/doc/h/d1 opt/h/d2; ln usr/share/doc/h/d1 usr/share/doc/h/d0
for i in $(seq 1 100); do ln opt/h/a/1 opt/h/many$i; done
%files
/opt/h
/etc/h2
%doc /usr/share/doc/h
END
identical "hard links" "$package"
# Stock makes the directories of links that it skips, and leaves them empty.
but='^usr'
identical "hard links, a part of the set skipped" "$package" seed_nothing --excludedocs

built hardlinked-docs <<'END'
mkdir -p opt/z usr/share/doc/z
echo doc >usr/share/doc/z/last; ln usr/share/doc/z/last opt/z/first; ln opt/z/first opt/z/second
%files
/opt/z
%doc /usr/share/doc/z
END
identical "hard links, the last of the set skipped" "$package" seed_nothing --excludedocs
but='^$'

built capabilities <<'END'
mkdir -p usr/bin
for f in a b c; do echo $f >usr/bin/$f; chmod 755 usr/bin/$f; done
%files
%caps(cap_net_raw=p) /usr/bin/a
%caps(cap_net_admin,cap_sys_chroot=ep) %attr(4755, root, bin) /usr/bin/b
/usr/bin/c
END
identical "capabilities" "$package"

built modes <<'END'
mkdir -p usr/bin var/t srv/d
for m in 0000 0111 0400 0444 0600 0644 0755 1644 2755 4755 6755 7777; do
    echo $m >usr/bin/m$m; chmod $m usr/bin/m$m; mkdir srv/d/$m; chmod $m srv/d/$m; done
%files
/usr/bin/m*
%attr(2775, root, mail) %dir /var/t
%attr(-, daemon, -) /srv/d
END
identical "modes: suid, sgid, sticky, none" "$package"

seed_users() {
    mkdir -p "$1/etc"
    printf 'root:x:0:0::/:/bin/sh\ntester:x:1234:77::/:/bin/sh\n' >"$1/etc/passwd"
    printf 'root:x:0:\ntesters:x:4321:\n' >"$1/etc/group"
}
built owners <<'END'
mkdir -p opt/o
for f in a b c d; do echo $f >opt/o/$f; done
ln -s a opt/o/link
mkdir opt/o/dir
%files
%attr(4755, tester, testers) /opt/o/a
%attr(-, tester, root) /opt/o/b
%attr(2711, nosuchuser, testers) /opt/o/c
%attr(6711, tester, nosuchgroup) /opt/o/d
%attr(-, tester, testers) /opt/o/link
%attr(-, tester, testers) %dir /opt/o/dir
END
identical "owners by the names of the root's own users" "$package" seed_users
identical "owners that the root does not know" "$package"

built devices <<'END'
mkdir -p dev
%files
%dev(c, 1, 3) %attr(666, root, root) /dev/null
%dev(b, 7, 0) %attr(660, root, disk) /dev/loop0
END
identical "devices" "$package"

built names <<'END'
mkdir -p "opt/n/a b" opt/n/-rf
cd opt/n
for f in 'sp ace' 'semi;colon' "quo'te" 'dou"ble' 'dollar$x' 'star*' 'quest?' 'br[ack]et' '#hash' '~tilde' \
    '-dash' '.hidden' '..more' 'a;5f3c9d21' $(printf '\303\244\342\202\254') 'perc%%ent' 'back\slash' 'TRAILER!!!'; do echo "$f" >"$f"; done
echo x >'a b/c d'
echo x >-rf/-rf
%files
/opt/n
END
identical "odd names" "$package"

built long-names <<'END'
mkdir -p opt/l
cd opt/l
n=$(printf 'x%.0s' $(seq 1 240))
echo x >$n
echo x >y$n
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do mkdir z$n; cd z$n; done
echo deep >deep
ln deep deeper
%files
/opt/l
END
identical "long names" "$package"

built empty <<'END'
%files
END
identical "an empty package" "$package"

built many <<'END'
mkdir -p opt/m
for d in $(seq 0 99); do mkdir opt/m/$d; for f in $(seq 0 99); do echo $d/$f >opt/m/$d/$f; done; done
%files
/opt/m
END
identical "10,000 files" "$package"

built kinds <<'END'
mkdir -p etc/k usr/share/doc/k usr/share/licenses/k usr/share/man/man1 var/log
for f in etc/k/config etc/k/noreplace etc/k/missingok usr/share/doc/k/README usr/share/licenses/k/LICENSE \
    usr/share/man/man1/k.1 var/log/ghost; do echo $f >$f; done
mkdir var/log/ghostdir
%files
%config /etc/k/config
%config(noreplace) /etc/k/noreplace
%config(missingok) /etc/k/missingok
%doc /usr/share/doc/k
%license /usr/share/licenses/k
%doc /usr/share/man/man1/k.1
%ghost /var/log/ghost
%ghost %dir /var/log/ghostdir
END
identical "config, doc, license, ghost" "$package"
identical "config, doc, license, ghost, without docs" "$package" seed_nothing --excludedocs

# -- roots that are not empty ----------------------------------------------------------------------

seed_old_files() {
    mkdir -p "$1/etc/k" "$1/usr/share/doc/k" "$1/var/log"
    echo mine >"$1/etc/k/config"
    echo mine >"$1/etc/k/noreplace"
    echo mine >"$1/usr/share/doc/k/README"
    ln "$1/usr/share/doc/k/README" "$1/usr/share/doc/k/other-name"
    echo mine >"$1/var/log/ghost"
    chmod 700 "$1/usr/share/doc"
    find "$1" -exec touch -h -d '2010-01-01 00:00:00' {} +
}
identical "old files, of nobody" "$package" seed_old_files

seed_same_config() {
    mkdir -p "$1/etc/k"
    echo etc/k/config >"$1/etc/k/config"
    echo etc/k/noreplace >"$1/etc/k/noreplace"
    touch -d '2010-01-01 00:00:00' "$1/etc/k"/*
}
identical "config files that are the same already" "$package" seed_same_config

built merged <<'END'
mkdir -p lib/m bin
echo x >lib/m/x; echo y >bin/y; ln lib/m/x bin/x
%files
/lib/m
/bin/x
/bin/y
END
seed_usrmerge() {
    mkdir -p "$1/usr/lib" "$1/usr/bin"
    ln -s usr/lib "$1/lib"
    ln -s usr/bin "$1/bin"
}
identical "through symlinks that root made" "$package" seed_usrmerge

built shapes <<'END'
mkdir -p opt/s/dir opt/s/into
echo new >opt/s/file
echo new >opt/s/waslink
ln -s file opt/s/link
echo x >opt/s/into/x
%files
/opt/s
END
seed_shapes() {
    mkdir -p "$1/opt/s/elsewhere"
    echo old >"$1/opt/s/elsewhere/old"
    ln -s elsewhere/old "$1/opt/s/waslink"
    ln -s elsewhere "$1/opt/s/into"
    echo old >"$1/opt/s/link"
    echo old >"$1/opt/s/dir"
    chmod 711 "$1/opt/s"
}
identical "files and symlinks where others come, and where a directory does" "$package" seed_shapes

# -- packages of mkpkg -----------------------------------------------------------------------------

make_pkg large.rpm <<'END'
large
compressor zstd
dir /opt/g
file /opt/g/a content=a
file /opt/g/l1 link=1 size=70000 fill=random
file /opt/g/l2 link=1 size=70000 fill=random
symlink /opt/g/s a
END
identical "the stripped form, small" "$PWD/large.rpm"

make_pkg md5.rpm <<'END'
digest md5
file /opt/m/a content=a mode=4711 user=daemon
file /opt/m/b content=b caps=cap_chown=p
file /opt/m/lat\xe4in content=latin
char /opt/m/zero 1 5
END
identical "MD5 file digests" "$PWD/md5.rpm"

# As much as 4 GiB + 5 bytes twice, hence only where there is room.
if [ "$(df --output=avail -k . | tail -n 1)" -gt 10000000 ]; then
    huge=$CACHE/install/huge.rpm
    if ! [ -e "$huge" ]; then
        mkdir -p "${huge%/*}"
        printf '%s\n' large 'compressor zstd' 'file /opt/huge size=4294967301 fill=zero' \
            'file /opt/after content=after' | make_pkg "$huge.new" &&
            mv "$huge.new" "$huge"
    fi
    identical "a file of more than 4 GiB" "$huge"
    rm -rf ours stock
else
    skip_part "less than 10 GB free: no file of more than 4 GiB"
fi

printf '%d packages compared\n' $packages
finish
