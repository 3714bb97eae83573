#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Scriptlets against stock rpm: both run the same packages below roots of their own, and what the
# scriptlets say, what rpm says of them, its exit status and the trees must be equal.
#
# Different on purpose, and checked to be so below: scriptlets ignore SIGHUP here, so that a
# terminal that goes away stops no package; with -vv the script file is removed.
. "$TOP/tests/lib.sh"
need_stock
need_root
need_busybox

# -- packages ---------------------------------------------------------------------------------

# spec NAME VERSION [PREAMBLE] <SCRIPTLETS: prints the path of the package.
spec() {
    { cat <<END
Name: $1
Version: $2
Release: 1
Summary: scriptlets
License: none
BuildArch: noarch
AutoReqProv: no
$(printf '%b' "${3-}")
%description
%install
mkdir -p %{buildroot}/opt
echo %{name} %{version} > %{buildroot}/opt/%{name}
echo %{version} > %{buildroot}/opt/%{name}-%{version}
END
        cat
        echo '%files'
        echo '/opt/*'
    } >"$1-$2.spec"
    build_rpm "$1-$2.spec" || exit 1
}

# said KIND...: scriptlets that say that they ran, with what arguments, and which files are there.
said() {
    local kind
    for kind; do
        printf '%%%s\necho "%s %%{version}: $# $*:" $(cd /opt; echo *)\n' "$kind" "$kind"
    done
}
all_kinds="pretrans pre post preun postun posttrans"

# -- running both -----------------------------------------------------------------------------

fresh() {
    for root in stock ours; do
        busybox_root "$root"
        mkdir "$root/opt"
    done
}

clean() { sed -E 's/rpm-tmp\.[A-Za-z0-9]{6}/rpm-tmp.XXXXXX/; s/pipe:\[[0-9]*\]/pipe/'; }

run_one() { # ROOT COMMAND...
    local root=$1
    shift
    status=0
    (
        ulimit -n 512
        env -i HOME="$HOME" LC_ALL=C TZ=UTC PATH="$PATH" KEPT="as it is" PATHOLOGICAL=1 \
            RPMIO_POLICY_MACROS="$RPMIO_POLICY_MACROS" ASAN_OPTIONS="$ASAN_OPTIONS" \
            "$@" >"$root.out" 2>"$root.err" </dev/null
    ) || status=$?
    clean <"$root.out" >"$root.said"
    clean <"$root.err" >>"$root.said"
    echo "status $status" >>"$root.said"
    [ -e "$root/proc/self" ] || manifest "$root" 1 >"$root.tree"
}

# both NAME ARGS...: the same by both.
both() {
    local name=$1
    shift
    run_one stock "$STOCK" --force-debian --root "$PWD/stock" --dbpath /.rpmdb --nodeps "$@"
    run_one ours "$RPM" --root "$PWD/ours" --dbpath /.rpmdb --nodeps "$@"
    same "$name" ours.said stock.said
    same "$name: the tree" ours.tree stock.tree
}

# control NAME PATTERN: what both said shows that the case is what it means to be.
control() { holds "$1 (control)" stock.said "$2"; }

# -- what a scriptlet gets --------------------------------------------------------------------

probe=$(spec probe 1 <<'END'
%pre
echo "$0 $#: $*"
echo "to stderr" >&2
env | sort
pwd
umask
id
cat
echo "$?"
ls /
ulimit -n
ulimit -c
ls -l /var/tmp | sed 's/ [A-Z][a-z][a-z] .*:.. / /'
%post
echo "$0 $#: $*"
%posttrans
echo "$0 $#: $*"
%pretrans
echo "$0 $#: $*"
END
)
fresh
for root in stock ours; do ln -s busybox "$root/bin/sed"; done
both "what a scriptlet gets" -i "$probe"
control "what a scriptlet gets" '^KEPT=as it is$'
both "the same with -v" -iv --replacepkgs "$probe"
both "without scriptlets" -i --replacepkgs --noscripts "$probe"
for kind in pre post pretrans posttrans; do
    both "--no$kind" -i --replacepkgs "--no$kind" "$probe"
done

# Its descriptors and signals: the program is run without a shell, which might change them.
fresh
state=$(spec state 1 <<'END'
%pre -p "/bin/ls -l /proc/self/fd"
%post -p "/bin/grep -E ^(Sig|Uid|Gid|Groups|Umask|NoNewPrivs) /proc/self/status"
END
)
if mkdir stock/proc ours/proc && mount -t proc proc stock/proc && mount -t proc proc ours/proc; then
    both_state() {
        run_one stock "$STOCK" --force-debian --root "$PWD/stock" --dbpath /.rpmdb --nodeps -i \
            "$state"
        run_one ours "$RPM" --root "$PWD/ours" --dbpath /.rpmdb --nodeps -i "$state"
    }
    exec 7</dev/null # nothing of this may get through
    both_state
    exec 7<&-
    is "SIGHUP is ignored here" "$(grep SigIgn ours.said)" "$(printf 'SigIgn:\t%016d' 1)"
    is "and not there" "$(grep SigIgn stock.said)" "$(printf 'SigIgn:\t%016d' 0)"
    for root in stock ours; do
        sed -i -E -e '/SigIgn|SigQ/d' -e "s/$root\\./ROOT./" -e 's/[A-Z][a-z]{2} .*:[0-9]{2} //' \
            "$root.said"
    done
    same "descriptors and signals" ours.said stock.said
    control "descriptors and signals" '^SigBlk:.*6$'
    umount stock/proc ours/proc
else
    skip_part "no proc below a root"
fi

# -- interpreters -----------------------------------------------------------------------------

fresh
both "a program without a text" -i "$(spec noscript 1 <<'END'
%pre -p /bin/pwd
%post -p "/bin/echo one two"
END
)"
fresh
for root in stock ours; do ln -s busybox "$root/bin/echo"; done
both "an interpreter with arguments" -i "$(spec interp 1 <<'END'
%pre -p "/bin/echo one  two"
text
%post -p "/bin/sh -x"
echo "$0"
END
)"
fresh
both "a missing interpreter of %post" -i "$(spec missing 1 <<'END'
%post -p /no/such
text
END
)"
control "a missing interpreter" 'failed to exec scriptlet interpreter /no/such: No such file'
fresh
both "a missing interpreter of %pre" -i "$(spec missing 2 <<'END'
%pre -p /no/such
END
)"
fresh
echo text >stock/bin/text
echo text >ours/bin/text
both "an interpreter that is none" -i "$(spec missing 3 <<'END'
%pre -p /bin/text
END
)"
fresh
both "a shell that is not there" -i "$(spec missing 4 <<'END'
%pre -p /bin/bash
true
END
)"

fresh
both "macros and query formats in scriptlets" -i --define 'told later' "$(spec expand 1 <<'END'
%pre -e
echo "%%{told}"
%post -q
echo "%%{name}"
%posttrans -e -q
echo "%%{told} %%%%{name}"
END
)"
control "macros and query formats" '^later$'

fresh
both "prefixes" -i "$(spec prefixes 1 'Prefix: /opt\nPrefix: /usr\n' <<'END'
%pre
env | grep RPM | sort
END
)"
control "prefixes" '^RPM_INSTALL_PREFIX1=/usr$'

# An ordinary user changes the root in a user namespace, where that is allowed.
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs"
if $nobody unshare -Ur true 2>/dev/null; then
    user=$(spec user 1 <<<$'%pre\nid\npwd\necho /*')
    for root in stock ours; do
        busybox_root "$root"
        mkdir -p "$root/opt" "$root/var/tmp" "$root/var/lib/rpm"
        chown -R 65534:65534 "$root"
    done
    run_one stock $nobody "$STOCK" --force-debian --root "$PWD/stock" --dbpath /.rpmdb \
        --nodeps -i "$user"
    run_one ours $nobody "$RPM" --root "$PWD/ours" --dbpath /.rpmdb --nodeps -i "$user"
    for said in "uid=0 gid=0" / "/bin /opt /var"; do
        is "an ordinary user: $said" "$(grep -cFx "$said" ours.said)" 1
        is "an ordinary user of stock: $said" "$(grep -cFx "$said" stock.said)" 1
    done
else
    skip_part "no user namespaces for ordinary users"
fi

# -- failures ---------------------------------------------------------------------------------

ok_package=$(spec fine 1 <<<"$(said pre post posttrans)")
for kind in pretrans pre post posttrans; do
    for how in 'exit 3' 'kill -9 $$' 'exit 127'; do
        fresh
        both "%$kind: $how" -i "$(spec "fail-$kind" 1 < <(
            for other in pretrans pre post posttrans; do
                [ "$other" = "$kind" ] || said "$other"
            done
            printf '%%%s\n%s\n' "$kind" "$how"
        ))" "$ok_package"
        control "%$kind: $how" 'scriptlet failed, (exit status|signal)'
    done
done

# -- verification -----------------------------------------------------------------------------

checked=$(spec checked 1 <<'END'
%verifyscript
echo "verify $#: $*"
echo "complaint" >&2
[ ! -e /opt/bad ]
END
)
fresh
for root in stock ours; do # stock looks for it below the root
    mkdir "$root/dev"
    mknod "$root/dev/null" c 1 3
done
both "a scriptlet to verify" -i "$checked"
both "%verifyscript" -V checked
both "%verifyscript with -v" -Vv checked
both "--noscripts" -V --noscripts checked
touch stock/opt/bad ours/opt/bad
both "a %verifyscript that fails" -V checked
control "a %verifyscript that fails" 'scriptlet failed, exit status 1'

# -- the order of all -------------------------------------------------------------------------

every() { # NAME VERSION: a package that says everything
    spec "$1" "$2" <<<"$(for kind in $all_kinds; do
        printf '%%%s\necho "%s %%{name}-%%{version}: $# $*:" $(cd /opt; echo *)\n' "$kind" "$kind"
    done)"
}
a1=$(every a 1) a2=$(every a 2) a3=$(every a 3) b1=$(every b 1) b2=$(every b 2)

fresh
both "install two" -i "$a1" "$b1"
both "upgrade one" -U "$a2"
both "upgrade two, one of them again" -Uv --oldpackage --replacepkgs "$a1" "$b2"
both "beside what is there, in conflict" -i "$a2" "$a3"
both "beside what is there" -i --replacefiles "$a2"
both "upgrade both" -U "$a3"
control "upgrade both" '^postun a-1: 1 1:.* a-3'
both "reinstall" -U --replacepkgs "$a3"
both "--reinstall" --reinstall "$a3"
both "freshen" -F "$a3" "$b2"
both "downgrade" -U --oldpackage "$a1"
both "erase one" -ev a
both "erase the other" -e b
both "two versions at once" -i --replacefiles "$a1" "$a2"
both "erase both versions" -e --allmatches a
control "erase both versions" '^postun a-[12]: 1 0:'

for option in --noscripts --nopre --nopost --nopreun --nopostun --nopretrans --noposttrans \
    --notriggers --justdb; do
    fresh
    both "$option: install" -i "$option" "$a1" "$b1"
    both "$option: upgrade" -U "$option" "$a2" "$b2"
    both "$option: erase" -e "$option" a b
done

# -- failures with packages to go -------------------------------------------------------------

for kind in $all_kinds; do
    old=$(spec broken 1 <<<"$(for other in $all_kinds; do
        printf '%%%s\necho %s-1 $*\n' "$other" "$other"
        [ "$other" != "$kind" ] || echo 'exit 1'
    done)")
    new=$(spec broken 2 <<<"$(for other in $all_kinds; do
        printf '%%%s\necho %s-2 $*\n' "$other" "$other"
    done)")
    worse=$(spec broken 3 <<<"$(for other in $all_kinds; do
        printf '%%%s\necho %s-3 $*\n' "$other" "$other"
        [ "$other" != "$kind" ] || echo 'exit 1'
    done)")
    fresh
    both "%$kind fails: install" -i "$old" "$b1"
    both "%$kind of the old version fails: upgrade" -U "$new" "$b2"
    both "%$kind of the new version fails: upgrade" -U "$worse" "$a1"
    both "%$kind fails: erase" -e broken a
    both "%$kind fails: erase what is left" -e --allmatches --noscripts broken
done

finish
