#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Transactions against stock rpm: each is run by both into equal roots. Trees, exit status, what is
# said on stderr and every tag of the database must be equal after each; and each must find with
# -Va in the other's root what it finds in its own.
#
# Where the two are meant to differ:
# * a file that cannot be removed is named by its path, not by its last component alone;
# * why a package cannot be unpacked, the line says that has its name: stock says it in two, and
#   leaves what it had unpacked until then, where nothing is left of ours;
# * a file that several packages of one transaction share is written once, stock writes it for the
#   first, the third and so on (packages here have one time for all files, so it does not show).
# Scriptlets and dependencies have tests of their own.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"
need_stock
need_root
export SOURCE_DATE_EPOCH=1600000000
export LC_ALL=C
transactions=0 title=

# pkg NAME VERSION: NAME-VERSION.rpm of the manifest on standard input.
pkg() {
    { printf 'name %s\nversion %s\nrelease 1\narch noarch\nprovide %s = %s\n' \
        "$1" "$2" "$1" "${epoch:-}$2-1"; cat; } |
        make_pkg "$1-$2.rpm" || fail "$1-$2: mkpkg"
}

stock_run() { stock --nosignature --root "$PWD/stock" "$@"; }
ours_run() { "$RPM" --dbpath /.rpmdb --root "$PWD/ours" "$@"; }

# begin TITLE: two fresh roots.
begin() {
    title=$1
    empty_root stock
    empty_root ours
}

# change COMMANDS: the same done by hand in both roots.
change() {
    local who
    for who in stock ours; do
        (cd $who && eval "$1") || fail "$title: $1"
    done
}

normal() {
    sed -e '/: install failed$/d' -e 's,^\(warning: [a-z]* \)/.*/\([^/]*: remove failed\),\1\2,' \
        -e 's,^\(error: \)[^ ]*: \(unpacking of archive failed\).*,\1\2,' \
        -e 's,^\(error: unpacking of archive failed\).*,\1,' "$1"
}

database() { stock --root "$PWD/$1" -qa --xml; }

# both ARGS...: one transaction.
both() {
    local what="$title: $*" theirs who
    transactions=$((transactions + 1))
    run stock_run "$@"
    theirs=$status
    mv out stock.out && mv err stock.err
    run ours_run "$@"
    if crashed && [ "$theirs" -lt 99 ]; then
        fail "$what: crashed: $(head -n 20 err)"
        return
    fi
    is "$what: exit status" "$status" "$theirs"
    normal stock.err >stock.said
    normal err >ours.said
    same "$what: said" ours.said stock.said
    for who in stock ours; do
        manifest $who "${since:-}" >$who.list
        database $who >$who.db
    done
    same "$what: tree" ours.list stock.list
    same "$what: database" ours.db stock.db
    cross "$what"
}

# Each verifies both roots.
cross() {
    stock --nosignature --root "$PWD/ours" -Va >checked 2>&1
    stock --nosignature --root "$PWD/stock" -Va >wanted 2>&1
    same "$1: stock verifies ours" checked wanted
    "$RPM" --dbpath /.rpmdb --root "$PWD/stock" -Va >checked 2>&1
    same "$1: ours verifies stock's" checked wanted
}

since=$(date +%s)

# -- installing, upgrading, erasing ------------------------------------------------------------

pkg p 1 <<'END'
dir /d
file /d/same content=same
file /d/changed content=one
file /d/gone content=gone
dir /d/sub
file /d/sub/gone content=x
dir /d/kept
file /d/kept/gone content=x
symlink /d/link same
symlink /d/otherlink same
file /d/mode content=x mode=0600
file /d/h1 content=hard link=h
file /d/h2 content=hard link=h
file /d/tofile content=x
END
pkg p 2 <<'END'
dir /d
file /d/same content=same
file /d/changed content=two
file /d/new content=new
dir /d/kept
symlink /d/link changed
symlink /d/otherlink same
file /d/mode content=x mode=0755
file /d/h1 content=harder link=h
file /d/h3 content=harder link=h
symlink /d/tofile new
END
pkg p 1.0~rc1 <<'END'
file /d/rc content=x
END
pkg q 1 <<'END'
dir /d
file /d/same content=same
file /d/q content=q
END
epoch=2: pkg epoch 1 <<'END'
tag main 1003 int32 2
file /e content=2
END
pkg epoch 3 <<'END'
file /e content=3
END

begin "one package"
both -i --test p-1.rpm
both -i p-1.rpm
both -i p-1.rpm
both -i --replacepkgs p-1.rpm
both -U p-1.rpm
both -U --test p-2.rpm
both -e --test p
change 'echo mine >d/kept/mine; rm d/gone'
both -U p-2.rpm
both -U p-1.rpm
both -U --oldpackage p-1.rpm
both -U --force p-2.rpm
both -U --force p-2.rpm
both --reinstall p-2.rpm
both -F p-2.rpm
both -e p
both -e p
both -F p-1.rpm
both -U p-1.rpm
both -F p-2.rpm
both -e p
both -i p-1.0~rc1.rpm
both -U p-1.rpm
both -U --oldpackage p-1.0~rc1.rpm
both -e p-1.0~rc1-1

begin "two versions beside each other"
both -i p-1.rpm
both -i p-2.rpm
both -i --force p-2.rpm
both -e p
both -e p-1-1
both -i --force p-1.rpm
both -e --allmatches p

begin "epochs"
both -i epoch-1.rpm
both -U epoch-3.rpm
both -U --oldpackage epoch-3.rpm
both -U epoch-1.rpm
both -e epoch

begin "the database alone"
both -i --justdb p-1.rpm q-1.rpm
both -e --justdb q
change 'mkdir d; echo other >d/changed'
both -U --justdb p-2.rpm
both -e p

begin "several packages"
both -U p-1.rpm q-1.rpm epoch-1.rpm
both -U p-2.rpm q-1.rpm
both -U p-2.rpm q-1.rpm epoch-3.rpm
both -U --oldpackage p-1.rpm epoch-3.rpm
both -i p-1.rpm p-2.rpm
both -e p epoch
both -e q
both -U p-1.rpm p-2.rpm
both -Uv p-1.rpm p-2.rpm p-1.0~rc1.rpm
both -e p

begin "what is not there"
both -i p-1.rpm
change 'rm -r d/sub d/h1 d/link; mkdir d/link; touch d/link/x'
both -e p

# -- files of several packages -----------------------------------------------------------------

pkg r 1 <<'END'
dir /d
file /d/same content=same
file /d/r content=r
END
pkg r 2 <<'END'
dir /d
file /d/same content=other
file /d/r content=r
END
pkg s 1 <<'END'
dir /d
file /d/same content=other
END

begin "shared files"
both -i q-1.rpm r-1.rpm
both -e q
both -i q-1.rpm
both -e q r
both -i q-1.rpm
both -i r-1.rpm
both -U r-2.rpm
both -U --replacefiles r-2.rpm
both -e q
both -e r
both -i q-1.rpm s-1.rpm
both -i --replacefiles q-1.rpm s-1.rpm
both -e s
both -e q
both -i q-1.rpm
both -i s-1.rpm
both -i --force s-1.rpm
both -e q
both -e s

# -- directories, symlinks and files -----------------------------------------------------------

pkg t 1 <<'END'
dir /t
dir /t/todir
file /t/todir/x content=x
dir /t/real
symlink /t/tolink real
file /t/file content=x
END
pkg t 2 <<'END'
dir /t
symlink /t/todir real
dir /t/real
symlink /t/tolink real
file /t/file content=x
END
pkg t 3 <<'END'
dir /t
dir /t/todir
file /t/todir/x content=x
dir /t/real
dir /t/tolink
file /t/file content=x
END
pkg t 4 <<'END'
dir /t
dir /t/todir
file /t/todir/x content=x
dir /t/real
symlink /t/tolink real
dir /t/file
file /t/file/in content=x
END
pkg u 1 <<'END'
file /t/tolink/in content=x
END

begin "types of files"
both -i t-1.rpm
both -U t-2.rpm
both -U t-3.rpm
both -U t-4.rpm
both -e t
both -i t-2.rpm
both -U t-1.rpm
change 'rm -r t/todir; ln -s real t/todir'
both -U --force t-2.rpm
both -e t
both -i t-1.rpm
change 'rm t/tolink; mkdir t/tolink'
both -U t-3.rpm
both -i u-1.rpm
both -e t
both -e u
change 'rm -r t'
both -i --noorder t-1.rpm u-1.rpm
both -e u
change 'rm -r t/real'
both -i --replacepkgs t-1.rpm
both -e t

# -- configuration files -----------------------------------------------------------------------

# Each kind of old and new package, and in them each of the contents that the old one had, the new
# one has, and the disk has.
kinds="plain config noreplace missingok ghost"
flags_of() {
    case $1 in
    plain) ;;
    config) echo flags=config ;;
    noreplace) echo flags=config,noreplace ;;
    missingok) echo flags=config,missingok ;;
    ghost) echo flags=config,ghost ;;
    esac
}
config_files() { # KIND VERSION
    local n d flags
    flags=$(flags_of "$1")
    echo "dir /c"
    for n in same changed; do
        for d in missing same new mine link; do
            if [ "$2" = 2 ] && [ $n = changed ]; then
                echo "file /c/$n-$d content=new $flags"
                echo "symlink /c/l-$n-$d new $flags"
            else
                echo "file /c/$n-$d content=old $flags"
                echo "symlink /c/l-$n-$d old $flags"
            fi
        done
    done
}
# shellcheck disable=SC2016  # expanded in each root
by_hand='for n in same changed; do
    rm -f c/$n-missing c/l-$n-missing
    printf new >c/$n-new; printf mine >c/$n-mine
    rm -f c/$n-link; ln -s there c/$n-link
    ln -sfn new c/l-$n-new; ln -sfn mine c/l-$n-mine
    rm -f c/l-$n-link; echo x >c/l-$n-link
done'
for kind in $kinds; do
    config_files "$kind" 1 | pkg "$kind" 1
    for new in $kinds; do
        config_files "$new" 2 | pkg "$kind" "2.$new"
    done
done
for kind in $kinds; do
    begin "configuration files, none to $kind"
    change "mkdir c; $by_hand"
    both -i "$kind-1.rpm"
    both -e "$kind"
    begin "configuration files, $kind erased"
    both -i "$kind-1.rpm"
    change "$by_hand"
    both -e "$kind"
    for new in $kinds; do
        begin "configuration files, $kind to $new"
        both -i "$kind-1.rpm"
        change "mkdir -p c; $by_hand"
        both -U "$kind-2.$new.rpm"
    done
done
begin "configuration files that may be missing, all of them"
both -i missingok-1.rpm
change "$by_hand"
both -U --allfiles missingok-2.missingok.rpm
begin "a directory in the place of a configuration file"
both -i config-1.rpm
change "rm c/changed-same; mkdir c/changed-same; touch c/changed-same/x"
both -U config-2.config.rpm
both -e config
begin "configuration files in the database alone"
both -i config-1.rpm
change "$by_hand"
both -U --justdb config-2.config.rpm
both -U --replacepkgs config-2.config.rpm

pkg shareda 1 <<'END'
file /c content=x flags=config
file /n content=x flags=config,noreplace
END
pkg sharedb 1 <<'END'
file /c content=x flags=config
file /n content=x flags=config,noreplace
END
begin "shared configuration files"
change 'echo mine >c; echo mine >n'
both -i shareda-1.rpm sharedb-1.rpm
change 'echo mine >c; echo mine >n'
both -e shareda
both -i shareda-1.rpm
both -e shareda sharedb

# -- what is left out, and touched ---------------------------------------------------------------

pkg docs 1 <<'END'
dir /doc
file /doc/a content=a flags=doc
file /b content=b
file /c content=c flags=config
file /l content=l lang=de
END
pkg docs 2 <<'END'
dir /doc
file /doc/a content=a flags=doc mtime=1500000000
file /b content=b mode=0755 mtime=1500000000
symlink /s x
file /c content=c flags=config mtime=1500000000
file /l content=l lang=de
END
begin "files left out"
both -i --excludedocs docs-1.rpm
both -U --excludedocs docs-2.rpm
both -U --replacepkgs docs-2.rpm
both -e docs
both -i --noconfigs --define '_install_langs fr' docs-1.rpm
both -U docs-2.rpm
both -e docs
both -i --define '_netsharedpath /doc' docs-1.rpm
both -e docs
both -i docs-1.rpm
both -e --define '_netsharedpath /doc' docs

begin "as few writes as possible"
both -i --define '_minimize_writes 1' docs-1.rpm
both -U --define '_minimize_writes 1' docs-2.rpm
change 'ls -li b doc/a c s | sed "s/ .*//" >/dev/null; chmod 600 doc/a; echo changed >b'
both -U --define '_minimize_writes 1' --replacepkgs docs-2.rpm
both -e docs
touched() { # the inode of a file before and after
    ours_run -U --replacepkgs --define "_minimize_writes $1" docs-2.rpm
    stat -c %i ours/doc/a
}
ours_run -i docs-2.rpm
before=$(stat -c %i ours/doc/a)
is "the same file" "$(touched 1)" "$before"
is "control: another file" "$([ "$(touched 0)" = "$before" ] && echo same)" ""

# -- by another name -----------------------------------------------------------------------------

pkg usr 1 <<'END'
file /bin/x content=x
END
pkg usr 2 <<'END'
file /usr/bin/x content=y
END
pkg other 1 <<'END'
file /usr/bin/x content=z
END
begin "paths through symlinks"
change 'mkdir -p usr/bin; ln -s usr/bin bin'
both -i usr-1.rpm
both -i other-1.rpm
both -U usr-2.rpm
both -i --force other-1.rpm
both -e usr
both -e other

# -- colors --------------------------------------------------------------------------------------

pkg color32 1 <<'END'
file /lib/x content=32 color=1
file /lib/y content=32 color=1
END
pkg color64 1 <<'END'
file /lib/x content=64 color=2
END
begin "ELF classes"
both -i color32-1.rpm color64-1.rpm
both -e color32
both -e color64
both -i color64-1.rpm
both -i color32-1.rpm
both -e color64
both -e color32
both -i color32-1.rpm
both -i color64-1.rpm
both -e color64

# -- failures --------------------------------------------------------------------------------------

pkg bad 1 <<'END'
file /bad/a content=a
file /bad/b content=b sum=0000000000000000000000000000000000000000000000000000000000000000
END
pkg good 1 <<'END'
file /good content=a
END
pkg bad 0 <<'END'
file /bad/a content=a
END
begin "a package that fails"
both -i bad-0.rpm
both -U bad-1.rpm good-1.rpm
both -e bad good
both -e nowhere

is "at least 60 transactions: $transactions" "$((transactions >= 60))" 1

# -- durability, and what tests leave -------------------------------------------------------------

begin "tests"
ours_run -i --test p-1.rpm
is "a test creates nothing" "$(find ours)" ours
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    calls=fsync,fdatasync,sync,syncfs,sync_file_range,msync
    syncs() {
        ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=$calls "$RPM" --dbpath /.rpmdb \
            --root "$PWD/ours" "$@" >/dev/null 2>err || fail "strace $*: $(cat err)"
        grep -cE '(sync|sync_file_range)\(' trace
    }
    for options in "-i p-1.rpm" "-U p-2.rpm" "-e p"; do
        # shellcheck disable=SC2086  # the words of an option
        is "none: $options" "$(syncs $options --define '_flush_io none')" 0
    done
    # shellcheck disable=SC2086
    for options in "-i p-1.rpm" "-U p-2.rpm" "-e p"; do
        n=$(syncs $options --define '_flush_io 0')
        is "0: $options: $n syncs" "$((n >= 2 && n <= 12))" 1
        is "0: $options: one of the root's filesystem" "$(grep -c 'syncfs(' trace)" 1
    done
else
    skip_part "no strace: sync calls"
fi
finish
