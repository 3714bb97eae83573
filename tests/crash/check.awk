# SPDX-License-Identifier: LGPL-2.1-or-later
# Judges what is found after a power cut.
#   awk -v phase=during|after|again -f check.awk is=old OLD is=new NEW is=owners OWNERS \
#       is=oldOwners OLD-OWNERS is=scripted SCRIPTED is=oldDb OLD-DB is=newDb NEW-DB \
#       is=found FOUND is=foundDb FOUND-DB
# OLD, NEW, FOUND: lists of a tree (treelist). OWNERS: "PATH NAME VERSION" of the new packages, and
# of the old. SCRIPTED: expressions of paths that scripts write: of those no more is asked than
# that they are as they should be after the exit.
# The databases: "NAME VERSION" a line; FOUND-DB reads "unreadable" when it could not be read.
# Prints one line of NAME=COUNT:
#   a  paths that are no complete old or new file: empty, torn, missing, with wrong attrs, or of
#      a name that nobody knows (alien)
#   b  ahead: files that are not there as the rpmdb says; stale: files that are still there though
#      it has forgotten the one who owned them; lost: packages of which it has neither version;
#      unreadable
#   c  after the exit, and when the command was run again: names and records that are not as they
#      must be in the end
#   left  temporary names
# A path that is new, that goes away, or that is a directory in one state only may be absent until
# the exit. Each attribute of a directory that stays is old or new; one that is new has any.

function rest() { return substr($0, length($1) + 2) }

function isDir(line) { return substr(line, 1, 1) == "d" }

# Links are counted in the end only: before it, a temporary name may be one of them.
function plain(line) { sub(/ links=[^ ]*/, "", line); return line }

# Of a directory: its type and mode, its owner, its extended attributes.
function mode(line,   w) { split(line, w, " "); return w[1] }
function owner(line,   w) { split(line, w, " "); return w[2] }
function extended(line) { sub(/^[^ ]* [^ ]* [^ ]*/, "", line); return line }

# A regular file's digest.
function content(line) {
    return match(line, / sha256=[0-9a-f]*/) ? substr(line, RSTART, RLENGTH) : ""
}

function same(x, y) {
    if (isDir(x) && isDir(y))
        return mode(x) == mode(y) && owner(x) == owner(y) && extended(x) == extended(y)
    return plain(x) == plain(y)
}

function mixture(x, y, z) {
    return isDir(x) && isDir(y) && isDir(z) && (mode(x) == mode(y) || mode(x) == mode(z)) &&
        (owner(x) == owner(y) || owner(x) == owner(z)) &&
        (extended(x) == extended(y) || extended(x) == extended(z))
}

# In the end everything counts but a directory's time.
function done(path) {
    if (!(path in found))
        return 0
    return isDir(new[path]) ? same(found[path], new[path]) : found[path] == new[path]
}

function bad(kind, path) {
    count[kind]++
    if (!(kind in example))
        example[kind] = path
}

function fault(path, cur) {
    if (cur ~ / size=0 /)
        bad("empty", path)
    else if (content(cur) != "" && content(cur) != content(old[path]) &&
             content(cur) != content(new[path]))
        bad("torn", path)
    else
        bad("attrs", path)
}

function byScript(path) { return scripted != "" && path ~ ("^(" scripted ")$") }

function judge(path,   was, will, cur) {
    was = path in old; will = path in new
    if (byScript(path))
        return
    if (!(path in found)) {
        if (was && will && isDir(old[path]) == isDir(new[path]))
            bad("missing", path)
        return
    }
    cur = found[path]
    if ((was && same(cur, old[path])) || (will && same(cur, new[path])))
        return
    if (isDir(cur) && will && isDir(new[path]) && !(was && isDir(old[path])))
        return
    if (was && will && mixture(cur, old[path], new[path]))
        return
    fault(path, cur)
}

is == "old" { old[$1] = rest(); next }
is == "new" { new[$1] = rest(); next }
is == "found" { found[$1] = rest(); next }
is == "owners" { owned[$1] = $2 " " $3; next }
is == "oldOwners" { oldOwned[$1] = $2 " " $3; next }
is == "scripted" { scripted = scripted (scripted == "" ? "" : "|") $0; next }
is == "oldDb" { oldDb[$1]; next }
is == "newDb" { newDb[$0]; newName[$1]; next }
$1 == "unreadable" { bad("unreadable", "rpmdb"); next }
{ foundDb[$0]; foundName[$1] }

END {
    for (path in old)
        judge(path)
    for (path in new)
        if (!(path in old))
            judge(path)
    for (path in found)
        if (!(path in old) && !(path in new) && !byScript(path))
            bad(path ~ /;[0-9a-f]+$|(^|\/)\.rpmtmp-[^\/]*$/ ? "left" : "alien", path)

    for (path in owned)
        if (owned[path] in foundDb && path in new &&
            !(path in found && same(found[path], new[path])))
            bad("ahead", path)
    for (path in oldOwned)
        if (!(oldOwned[path] in foundDb) && !count["unreadable"] && path in found && !(path in new))
            bad("stale", path)
    for (name in oldDb)
        if (name in newName && !(name in foundName) && !count["unreadable"])
            bad("lost", name)

    if (phase != "during") {
        for (path in new)
            if (!done(path) && !(phase == "again" && byScript(path)))
                bad("c", path)
        for (path in found)
            if (!(path in new))
                bad("c", path)
        for (record in newDb)
            if (!(record in foundDb))
                bad("c", "rpmdb: " record)
        for (record in foundDb)
            if (!(record in newDb))
                bad("c", "rpmdb: " record)
    }
    count["a"] = count["empty"] + count["torn"] + count["missing"] + count["attrs"] + count["alien"]
    count["b"] = count["ahead"] + count["stale"] + count["lost"] + count["unreadable"]
    n = split("a b c empty torn missing attrs alien ahead stale lost unreadable left", keys)
    for (i = 1; i <= n; i++)
        printf "%s=%d ", keys[i], count[keys[i]]
    for (i = 1; i <= n; i++)
        if (keys[i] in example && keys[i] != "left")
            printf "%s:%s ", keys[i], example[keys[i]]
    print ""
}
