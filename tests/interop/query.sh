#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpm -q -p: every tag, every query option and many formats, the same as stock's on every package.
. "$TOP/tests/lib.sh"
need_stock

cat >rich.spec <<'EOF'
Name: rich
Epoch: 3
Version: 1.0~rc1
Release: 2.fc40
Summary: Something of everything
License: GPLv2+ and MIT
Group: Development/Tools
URL: https://example.org/rich
BugURL: https://bugs.example.org/
Vendor: A Vendor
Packager: Some One <one@example.org>
Prefix: /opt
Provides: rich-thing = 3, other
Requires: alpha >= 1.2, beta < 2:3-4, gamma = 5
Requires(pre): pre-thing
Requires(post): /bin/sh
Conflicts: enemy < 3
Obsoletes: old-rich < 1
Recommends: nice
Suggests: nicer
Supplements: some > 1
Enhances: others
%description
A description
of two lines.
%install
mkdir -p %{buildroot}/opt/rich/dir %{buildroot}/etc
for f in bin doc readme license artifact; do echo $f >%{buildroot}/opt/rich/$f; done
ln -s bin %{buildroot}/opt/rich/link
ln %{buildroot}/opt/rich/bin %{buildroot}/opt/rich/hard
echo conf >%{buildroot}/etc/rich.conf
echo g >%{buildroot}/opt/rich/ghost
%pretrans -p <lua>
print("pretrans")
%pre
echo pre
%post
echo post $1
%preun -p /bin/sh
echo preun
%postun -p /sbin/ldconfig
%posttrans
echo posttrans
%verifyscript
echo verify
%triggerin -- alpha > 1
echo triggerin
%triggerun -- beta, gamma
echo triggerun
%filetriggerin -- /usr/lib /usr/share
echo filetrigger
%transfiletriggerpostun -- /opt
echo transfiletrigger
%files
%dir /opt/rich
%dir %attr(0700,daemon,daemon) /opt/rich/dir
%attr(4711,root,root) %caps(cap_net_raw=p) /opt/rich/bin
/opt/rich/link
/opt/rich/hard
%doc /opt/rich/doc
%readme /opt/rich/readme
%license /opt/rich/license
%artifact /opt/rich/artifact
%ghost /opt/rich/ghost
%config(noreplace) /etc/rich.conf
%dev(c,1,3) /opt/rich/null
%changelog
* Tue Jan 02 2024 Some One <one@example.org> - 1.0-2
- second
- change
* Mon Jan 01 2024 Some One <one@example.org> - 1.0-1
- first
EOF
cat >bare.spec <<'EOF'
Name: bare
Version: 0
Release: 0
Summary: nothing
License: none
BuildArch: noarch
%description
%files
EOF
packages=()
packages+=("$(build_rpm rich.spec)") || exit 1
packages+=("$(build_rpm bare.spec)") || exit 1
if [ -d "$REAL_RPMS" ]; then
    packages+=("$REAL_RPMS"/*.rpm)
else
    skip_part "real packages: $REAL_RPMS is not there"
fi

# both NAME ARGS...: stdout and exit status; what stock says on stderr of keys is its own.
both() {
    local name=$1 theirs=0 ours=0
    shift
    stock "$@" >theirs.out 2>theirs.err || theirs=$?
    "$RPM" "$@" >out 2>err || ours=$?
    same "$name" out theirs.out
    is "$name: exit status" "$ours" "$theirs"
}

# Tags of the database that a package file cannot have, and what each rpm says of itself.
stock --querytags >theirs.tags
"$RPM" --querytags >tags
same "--querytags" tags theirs.tags
both "--querytags -v" -v --querytags

format=
while read -r tag; do
    format="$format$tag=[%{$tag}|]\n"
done <theirs.tags
for p in "${packages[@]}"; do
    both "all tags of $(basename "$p")" -q -p --qf "$format" "$p"
done

options=("" -l -i -lv --dump -c -d -L -A "-l --state" "-lv --state" "--dump --state" "-l --noghost"
    "-l --noconfig" "-l --noartifact" --info --scripts --triggers --triggerscripts --filetriggers
    --provides -P --requires -R --conflicts --obsoletes --recommends --suggests --supplements
    --enhances "-v --requires" "-v --provides" "--provides --requires" "-i -l" "-l --provides"
    --changelog --changes --filesbypkg --fileclass --filecolor --fileprovide --filerequire
    --filecaps --quiet "--qf %{name}|%{arch}\\n -l" --xml)
for option in "${options[@]}"; do
    # shellcheck disable=SC2086  # the words of an option
    both "option $option" -q -p $option "${packages[@]}"
done

formats=('%{name}-%{version}\n' '%-30{name}|%10{version}|\n' '[%{filenames} %{filemodes:perms}\n]'
    '[%{filenames} %{filemodes:octal} %{filesizes:hex}\n]' '[%{=name} %{basenames}\n]'
    '%{buildtime:date} %{buildtime:day}\n'
    '[%{requirename} %{requireflags:depflags} %{requireversion}\n]'
    '[%{requireflags:deptype}\n]' '%{filenames:arraysize}\n' '%{size:humansi} %{size:humaniec}\n'
    '[%{fileflags:fflags} %{fileverifyflags:vflags} %{fileverifyflags:fstatus}\n]'
    '%{summary:shescape}\n' '%{name:tagname} %{name:tagnum}\n' '%{sigmd5:base64}\n'
    '%|epoch?{%{epoch}}:{none}|\n' '%{dsaheader:pgpsig}\n' '%{rsaheader:pgpsig}\n' '%%{name}\t\x\n'
    '[%{filenames} %{filestates:fstate}\n]' '%{nevra} %{nvra} %{nevr} %{nvr} %{evr}\n' '%{license'
    '%{nosuchtag}\n' '[%{filenames}' '%{name:nosuchformat}\n' '%{description:expand}')
for format in "${formats[@]}"; do
    stock -q -p --qf "$format" "${packages[@]}" >theirs.out 2>/dev/null
    "$RPM" -q -p --qf "$format" "${packages[@]}" >out 2>err
    same "format $format" out theirs.out
done

# Several packages, and some that are none.
echo 'no package' >none.rpm
: >empty.rpm
both "several" -q -p "${packages[@]}"
both "absent" -q -p absent.rpm
both "one of two absent" -q -p "${packages[0]}" absent.rpm
both "directory" -q -p .
run "$RPM" -q -p none.rpm empty.rpm
is "no packages: exit status" "$status" 2
holds "no package" err '^error: none.rpm: not an rpm package'
run "$RPM" -q -p --qf '%{nosuchtag}' "${packages[0]}"
is "bad format: exit status" "$status" 1
holds "bad format" err '^error: incorrect format: unknown tag'
finish
