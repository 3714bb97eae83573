#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpmdigest --repo: repositories made by Debian's createrepo_c, whole and then broken in each way.
. "$TOP/tests/lib.sh"

command -v createrepo_c >/dev/null || skip "no createrepo_c"
DIGEST=$BUILD/tools/rpmdigest

# -- a repository -------------------------------------------------------------------------------

mkdir -p packages/Packages/h packages/'odd names'
for i in $(seq 20); do
    printf 'name pkg%s\nfile /a content=%s\n' "$i" "$i" | make_pkg "packages/Packages/pkg$i.rpm"
done
printf 'name h\nfile /a content=h\n' | make_pkg packages/Packages/h/h-1:2.rpm
printf 'name o\nfile /a content=o\n' | make_pkg packages/'odd names'/$'a b%41&+#\xc3\xa9<.rpm'
if [ -d "$REAL_RPMS" ]; then
    cp "$REAL_RPMS"/*.rpm packages
else
    skip_part "real packages: none in $REAL_RPMS"
fi
# createrepo_c leaves out what it cannot read.
createrepo_c -q packages 2>/dev/null || fail "createrepo_c"
count=$(zcat packages/repodata/*-primary.xml.gz | grep -c '<package ')
[ "$count" -ge 22 ] || fail "createrepo_c has listed $count packages"

# fresh: a copy in ./repo.
fresh() { rm -rf repo && cp -a packages repo; }

# repo STATUS SUMMARY [OPTIONS]: what is said about ./repo, without what is right, is in ./bad.
repo() {
    local name=$1 wanted=$2 summary=$3
    shift 3
    run timeout 120 "$DIGEST" --repo repo "$@"
    grep -v ': OK$' out >bad
    if crashed; then
        fail "$name: crashed, status $status"
        head -n 30 err
    fi
    is "$name: exit status" "$status" "$wanted"
    is "$name: stderr" "$(cat err)" "${summary:+rpmdigest: repo: $summary}"
}

fresh
repo "whole" 0 "$count packages: $count right"
is "whole: packages" "$(grep -c 'rpm: OK$' out)" "$count"
is "whole: metadata" "$(grep -c '^repo/repodata/.*: OK$' out)" \
    "$(grep -c '<data ' repo/repodata/repomd.xml)"
repo "--quiet" 0 "$count packages: $count right" --quiet
is "--quiet" "$(cat out)" ""
repo "--status" 0 "" --status
is "--status" "$(cat out)" ""
run "$DIGEST" --repo -j 1 repo
mv out one
run "$DIGEST" --repo -j 3 repo
same "order" out one
run "$DIGEST" --repo repo -v
holds "-v" err "^rpmdigest: [0-9]+ files, [0-9]+ bytes in [0-9.]+ s, [0-9]+ bytes/s$"
run "$DIGEST" --repo --json repo
python3 -c 'import json, sys; assert all(json.loads(l)["status"] == "ok" for l in open("out"))' 2>err ||
    fail "--json: $(cat err)"
(cd repo && "$DIGEST" --repo .) >out 2>err
is "." "$(grep -c OK out) $(cat err)" "$(wc -l <one) rpmdigest: .: $count packages: $count right"
run "$DIGEST" --repo repo/ repo
is "two repositories" "$status $(wc -l <err)" "0 2"

# -- each compression, each digest --------------------------------------------------------------

for type in gz bz2 xz; do
    fresh
    rm -rf repo/repodata
    createrepo_c -q --general-compress-type $type repo 2>/dev/null || fail "createrepo_c $type"
    is "$type is what was made" "$(find repo/repodata -name "*primary.xml.$type" | wc -l)" 1
    repo "$type" 0 "$count packages: $count right"
done
for type in md5 sha1 sha224 sha256 sha384 sha512 sha; do
    fresh
    rm -rf repo/repodata
    # Not each version of createrepo_c makes each.
    createrepo_c -q --no-database -s $type repo >/dev/null 2>&1 || continue
    repo "$type" 0 "$count packages: $count right"
done
fresh
rm -rf repo/repodata
createrepo_c -q --simple-md-filenames --no-database repo 2>/dev/null
repo "simple names" 0 "$count packages: $count right"

# remake SED COMPRESSOR SUFFIX [OPEN-SIZE]: the primary metadata of packages, edited by sed,
# compressed, and a repomd.xml that lists them alone.
zcat packages/repodata/*-primary.xml.gz >primary
remake() {
    local file=repodata/primary.xml$3 open
    fresh
    rm -rf repo/repodata
    mkdir repo/repodata
    sed -E "$1" primary >edited
    open=${4:-$(stat -c %s edited)}
    $2 <edited >"repo/$file"
    repomd "$file" "$open"
}

# repomd FILE OPEN-SIZE
repomd() {
    cat >repo/repodata/repomd.xml <<EOF
<?xml version="1.0" encoding="UTF-8"?>
<repomd xmlns="http://linux.duke.edu/metadata/repo">
  <data type="primary">
    <checksum type="sha256">$(sha256sum <"repo/$1" | cut -c1-64)</checksum>
    <location href="$1"/>
    <size>$(stat -c %s "repo/$1")</size>
    <open-size>$2</open-size>
  </data>
</repomd>
EOF
}

remake "" "zstd -q" .zst
repo "zstd" 0 "$count packages: $count right"
remake "" "xz" .xz
repo "xz" 0 "$count packages: $count right"
remake "" "cat" ""
repo "not compressed" 0 "$count packages: $count right"
# The name says nothing: it is the content that counts.
remake "" "zstd -q" .gz
repo "zstd by the name of gzip" 0 "$count packages: $count right"

# -- packages that are not as listed ------------------------------------------------------------

fresh
rm repo/Packages/pkg3.rpm
repo "missing" 1 "$count packages: $((count - 1)) right, 1 missing"
is "missing" "$(cat bad)" "repo/Packages/pkg3.rpm: MISSING"
repo "--ignore-missing" 0 "$((count - 1)) packages: $((count - 1)) right" --ignore-missing

fresh
cp repo/Packages/pkg3.rpm repo/Packages/more.rpm
cp repo/Packages/pkg3.rpm repo/Packages/h/'.hidden.rpm'
echo text >repo/Packages/README
repo "extra" 1 "$count packages: $count right, 2 extra"
is "extra" "$(cat bad)" "repo/Packages/h/.hidden.rpm: EXTRA
repo/Packages/more.rpm: EXTRA"
repo "--ignore-extra" 0 "$count packages: $count right" --ignore-extra

fresh
size=$(stat -c %s repo/Packages/pkg3.rpm)
truncate -s 0 repo/Packages/pkg1.rpm
truncate -s $((size / 2)) repo/Packages/pkg3.rpm
truncate -s -1 repo/Packages/pkg4.rpm
echo >>repo/Packages/pkg5.rpm
repo "sizes" 1 "$count packages: $((count - 4)) right, 3 short, 1 long"
is "sizes" "$(sort bad)" "$(cd packages/Packages && stat -c '%n %s' pkg1.rpm pkg3.rpm pkg4.rpm pkg5.rpm | awk '
    { has = $1 == "pkg1.rpm" ? 0 : $1 == "pkg3.rpm" ? int($2 / 2) : $1 == "pkg4.rpm" ? $2 - 1 : $2 + 1
      printf "repo/Packages/%s: FAILED: %s: %d of %d bytes\n", $1, has < $2 ? "short" : "long", has, $2 }')"

# One bit, anywhere: the first byte, the last, one between.
for offset in 0 $((size / 2)) $((size - 1)); do
    fresh
    other_byte repo/Packages/pkg3.rpm $offset
    repo "byte $offset" 1 "$count packages: $((count - 1)) right, 1 wrong"
    is "byte $offset" "$(cat bad)" "repo/Packages/pkg3.rpm: FAILED"
done
repo "wrong --status" 1 "" --status

fresh
rm repo/Packages/pkg[67].rpm
mkdir repo/Packages/pkg6.rpm
mkfifo repo/Packages/pkg7.rpm
run timeout 60 "$DIGEST" --repo repo
is "no files: exit status" "$status" 2
is "no files" "$(grep -v OK out | sort)" "repo/Packages/pkg6.rpm: FAILED open or read
repo/Packages/pkg7.rpm: FAILED open or read"
holds "no files: a directory" err '^rpmdigest: repo/Packages/pkg6.rpm: .*Is a directory$'
holds "no files: a FIFO" err '^rpmdigest: repo/Packages/pkg7.rpm: is a FIFO$'

# A package that is a link is a package.
fresh
mv repo/Packages/pkg3.rpm elsewhere
ln -s ../../elsewhere repo/Packages/pkg3.rpm
repo "a link" 0 "$count packages: $count right"

# traced ARGS...: runs it; what it opens is in ./trace. Leaks cannot be looked for under strace.
traced() {
    run env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" timeout 60 \
        strace -f -qq -e trace=openat,open,socket,connect -o trace "$DIGEST" "$@"
}

# -- locations ----------------------------------------------------------------------------------

cp packages/Packages/pkg3.rpm outside.rpm
n=0
while IFS='|' read -r href reason; do
    n=$((n + 1))
    remake "s|href=\"Packages/pkg3.rpm\"|href=\"$href\"|" "gzip -n" .gz
    traced --repo repo --ignore-extra
    is "location $href: exit status" "$status" 2
    is "location $href" "$(grep -v OK out)" "$href: REFUSED: $reason"
    is "location $href: summary" "$(cat err)" \
        "rpmdigest: repo: $count packages: $((count - 1)) right, 1 refused"
    is "location $href is not opened" "$(grep -cE 'outside.rpm|passwd' trace)" 0
    is "control: others are in the trace" "$(grep -c 'pkg4.rpm' trace)" 1
done <<'EOF'
../outside.rpm|location leads out of the repository
Packages/../../outside.rpm|location leads out of the repository
Packages/..|location leads out of the repository
/etc/passwd|location is absolute
file:///etc/passwd|location is a URL
http://127.0.0.1:9/a.rpm|location is a URL
EOF
is "locations tried" "$n" 6
remake 's|href="Packages/pkg3.rpm"|href=""|' "gzip -n" .gz
repo "no name" 2 "$count packages: $((count - 1)) right, 1 refused" --ignore-extra
remake 's|href="Packages/pkg3.rpm"|href="Packages/pkg%33.rpm"|' "gzip -n" .gz
repo "a decoded name" 0 "$count packages: $count right"
remake 's|href="Packages/pkg3.rpm"|href="%2e%2e/outside.rpm"|' "gzip -n" .gz
repo "a decoded name that leads out" 1 "$count packages: $((count - 1)) right, 1 missing" --ignore-extra
remake 's|href="Packages/pkg3.rpm"|href=".//Packages/./pkg3.rpm"|' "gzip -n" .gz
repo "a roundabout name" 0 "$count packages: $count right"
remake 's|href="Packages/pkg3.rpm"|xml:base="http://127.0.0.1:9/" &|' "gzip -n" .gz
repo "xml:base" 2 "$count packages: $((count - 1)) right, 1 refused" --ignore-extra
is "xml:base" "$(cat bad)" "Packages/pkg3.rpm: REFUSED: location has an xml:base"
fresh
rm -rf repo/repodata
createrepo_c -q --baseurl http://127.0.0.1:9/ repo 2>/dev/null
run "$DIGEST" --repo repo
is "createrepo_c --baseurl" "$status $(grep -c REFUSED out)" "2 $count"
remake 's|href="Packages/pkg3.rpm"|href="a\&#10;b.rpm"|' "gzip -n" .gz
repo "a newline" 1 "$count packages: $((count - 1)) right, 1 missing" --ignore-extra
is "a newline" "$(cat bad)" '\repo/a\nb.rpm: MISSING'

# -- other entries that say nothing -------------------------------------------------------------

remake 's|<checksum type="sha256"|<checksum type="sha3"|' "gzip -n" .gz
repo "an unknown digest" 2 "$count packages: 0 right, $count refused" --ignore-extra
is "an unknown digest" "$(sort -u bad | grep -c ': REFUSED: checksum is of an unknown type$')" "$count"
remake 's|<checksum type="sha256"|<checksum type="sha512"|' "gzip -n" .gz
repo "another digest" 2 "$count packages: 0 right, $count refused" --ignore-extra
remake '/<checksum/d' "gzip -n" .gz
repo "no digest" 2 "$count packages: 0 right, $count refused" --ignore-extra
remake 's|<size package="[0-9]+"|<size package="x"|' "gzip -n" .gz
repo "no size" 2 "$count packages: 0 right, $count refused" --ignore-extra
remake 's|<size package="[0-9]+"|<size|' "gzip -n" .gz
repo "no size attribute" 0 "$count packages: $count right"
remake '/<location/d' "gzip -n" .gz
run "$DIGEST" --repo repo --ignore-extra
is "no location" "$status $(grep -c 'primary.xml.gz: entry [0-9]* has no location$' err)" "2 $count"
remake 's|packages="[0-9]+"|packages="7"|' "gzip -n" .gz
run "$DIGEST" --repo repo
is "another number" "$status $(head -n 1 err)" \
    "2 rpmdigest: repo/repodata/primary.xml.gz: declares 7 packages and lists $count"

# -- metadata that are damaged ------------------------------------------------------------------

fresh
rm -rf repo/repodata
run "$DIGEST" --repo repo
is "no repodata" "$status $(cat err)" \
    "2 rpmdigest: repo/repodata/repomd.xml: No such file or directory"
run "$DIGEST" --repo none
is "no directory" "$status $(cat err)" \
    "2 rpmdigest: none/repodata/repomd.xml: No such file or directory"
for damage in 'truncate -s 0' 'truncate -s 100' 'truncate -s -10' 'cp /bin/true' 'sed -i s/<repomd/<omd/'; do
    fresh
    $damage repo/repodata/repomd.xml
    run "$DIGEST" --repo repo
    # What had been listed before the damage may be checked.
    is "repomd.xml: $damage" "$status $(wc -l <err) $(grep -c 'rpm:' out)" "2 1 0"
    holds "repomd.xml: $damage" err '^rpmdigest: repo/repodata/repomd.xml: .'
done
fresh
sed -i '/<data type="primary">/,/<\/data>/d' repo/repodata/repomd.xml
run "$DIGEST" --repo repo
is "no primary" "$status $(cat err)" \
    "2 rpmdigest: repo/repodata/repomd.xml: lists no primary metadata"
fresh
sed -i 's|href="repodata/|href="../packages/repodata/|' repo/repodata/repomd.xml
run "$DIGEST" --repo repo
is "metadata elsewhere" "$status $(grep -c ': REFUSED: location leads out' out)" \
    "2 $(grep -c '<data ' repo/repodata/repomd.xml)"

fresh
other_byte repo/repodata/*-primary.xml.gz 100
run "$DIGEST" --repo repo
is "primary is wrong" "$status $(cat err)" \
    "1 rpmdigest: repo: no package checked: the primary metadata are not right"
holds "primary is wrong" out '^repo/repodata/.*-primary.xml.gz: FAILED$'
is "primary is wrong: no package" "$(grep -c 'rpm:' out)" 0
fresh
truncate -s -1 "$(echo repo/repodata/*-primary.xml.gz)"
run "$DIGEST" --repo repo
is "primary is short" "$status $(grep -c 'primary.*: FAILED: short: ' out)" "1 1"
fresh
rm repo/repodata/*-primary.xml.gz
run "$DIGEST" --repo repo
is "primary is missing" "$status $(grep -c 'primary.*: MISSING' out)" "1 1"
run "$DIGEST" --repo --ignore-missing repo
is "primary is missing, --ignore-missing" "$status $(grep -c . err)" "1 1"
fresh
other_byte repo/repodata/*-other.xml.gz 50
repo "other metadata are wrong" 1 "$count packages: $count right"
holds "other metadata are wrong" bad '^repo/repodata/.*-other.xml.gz: FAILED$'

# Damage that the digest does not tell: repomd.xml lists the damaged file.
for type in gzip xz bzip2 "zstd -q" cat; do
    remake "" "$type" .x
    full=$(stat -c %s repo/repodata/primary.xml.x)
    for cut in 1 7 $((full / 2)) $((full - 20)) $((full - 3)); do
        head -c "$cut" <repo/repodata/primary.xml.x >part
        mv part repo/repodata/primary.xml.x
        repomd repodata/primary.xml.x "$(stat -c %s edited)"
        run "$DIGEST" --repo --quiet repo
        if crashed; then fail "$type cut at $cut: crashed"; head -n 20 err; fi
        # A stream is complete for some decompressors before its trailer.
        if [ "$status" = 0 ] && [ "$cut" -ge $((full - 20)) ]; then
            is "$type cut at $cut: all were found" "$(cat err)" \
                "rpmdigest: repo: $count packages: $count right"
        else
            is "$type cut at $cut" "$status" 2
            holds "$type cut at $cut" err '^rpmdigest: repo/repodata/primary.xml.x: .'
        fi
        remake "" "$type" .x
    done
    python3 - repo/repodata/primary.xml.x <<'EOF'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
for i in range(len(b) // 2, len(b) // 2 + 20): b[i] ^= 0x55
open(sys.argv[1], "wb").write(b)
EOF
    repomd repodata/primary.xml.x "$(stat -c %s edited)"
    run "$DIGEST" --repo --quiet repo
    if crashed || [ "$status" = 0 ]; then fail "$type damaged: status $status"; else ok; fi
done

# -- hostile metadata ---------------------------------------------------------------------------

# xml NAME PATTERN: the primary metadata are what is on stdin; they are refused at once.
xml() {
    cat >primary.xml
    fresh
    rm -rf repo/repodata
    mkdir repo/repodata
    gzip -n <primary.xml >repo/repodata/primary.xml.gz
    repomd repodata/primary.xml.gz "$(stat -c %s primary.xml)"
    traced --repo repo
    is "$1: exit status" "$status" 2
    holds "$1" err "^rpmdigest: repo/repodata/primary.xml.gz: $2"
    is "$1: nothing else opened" "$(grep -cE 'passwd|dtd|socket|connect' trace)" 0
}
xml "a document type" "declares or uses entities: refused" <<'EOF'
<?xml version="1.0"?><!DOCTYPE metadata SYSTEM "http://127.0.0.1:9/m.dtd"><metadata packages="0"/>
EOF
xml "an external entity" "." <<'EOF'
<?xml version="1.0"?><!DOCTYPE m [<!ENTITY e SYSTEM "file:///etc/passwd">]><metadata>&e;</metadata>
EOF
xml "a parameter entity" "." <<'EOF'
<?xml version="1.0"?><!DOCTYPE m [<!ENTITY % e SYSTEM "file:///etc/passwd"> %e;]><metadata/>
EOF
{
    echo '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "aaaaaaaaaa">'
    previous=a
    for name in b c d e f g h i j k l m; do
        echo "<!ENTITY $name \"$(for _ in 1 2 3 4 5 6 7 8 9 0; do printf '&%s;' $previous; done)\">"
        previous=$name
    done
    echo "]><metadata packages=\"&m;\"><package>&m;</package></metadata>"
} | xml "an entity bomb" "."
{
    printf '<?xml version="1.0"?><metadata>'
    head -c 3000000 /dev/zero | sed 's/\x0/<p>/g'
} | xml "depth" "."
{
    printf '<?xml version="1.0"?><metadata><package><checksum type="'
    head -c 20000000 /dev/zero | tr '\0' a
    printf '"/></package></metadata>'
} | xml "a long attribute" "."
head -c 100000 /dev/urandom | xml "no XML" "."
printf '<?xml version="1.0"?><metadata><package>' | xml "no end" "."

# More than is declared: given up at that.
fresh
rm -rf repo/repodata
mkdir repo/repodata
{ printf '<metadata>'; head -c 200000000 /dev/zero | tr '\0' ' '; printf '</metadata>'; } | gzip -1 \
    >repo/repodata/primary.xml.gz
repomd repodata/primary.xml.gz 1000000
run timeout 60 "$DIGEST" --repo repo
is "a bomb" "$status $(head -n 1 err)" \
    "2 rpmdigest: repo/repodata/primary.xml.gz: is larger, uncompressed, than it may be"

# Twenty thousand packages that are not there.
{
    printf '<metadata packages="20000">'
    for i in $(seq 20000); do
        printf '<package><checksum type="md5">%032d</checksum><location href="Packages/%d/%d.rpm"/></package>\n' \
            "$i" "$((i % 7))" "$i"
    done
    printf '</metadata>'
} >primary.xml
gzip -1 <primary.xml >repo/repodata/primary.xml.gz
repomd repodata/primary.xml.gz "$(stat -c %s primary.xml)"
repo "many" 1 "20000 packages: 0 right, 20000 missing" --ignore-extra
is "many" "$(grep -c MISSING bad)" 20000

finish
