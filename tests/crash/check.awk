# SPDX-License-Identifier: LGPL-2.1-or-later
# Judges what is found after a power cut.
#   awk -v phase=during|after -f check.awk is=old OLD is=new NEW is=owners OWNERS \
#       is=oldDb OLD-DB is=newDb NEW-DB is=found FOUND is=foundDb FOUND-DB
# OLD, NEW, FOUND: lists of a tree (treelist). OWNERS: "PATH NAME VERSION" of the new packages.
# The databases: "NAME VERSION" a line; FOUND-DB reads "unreadable" when it could not be read.
# Prints one line of NAME=COUNT:
#   a  paths that are no complete old or new file: empty, torn, missing, with wrong attrs, or of
#      a name that nobody knows (alien)
#   b  ahead: files that are not there as the rpmdb says; lost: packages of which it has neither
#      version; unreadable
#   c  after the exit: names and records that are not as they must be in the end
#   left  temporary names
# A path that is new or that goes away may be absent until the exit.

function rest() { return substr($0, length($1) + 2) }

function isDir(line) { return substr(line, 1, 1) == "d" }

# Links are counted in the end only: before it, a temporary name may be one of them.
function plain(line) { sub(/ links=[^ ]*/, "", line); return line }

# Of a directory: its mode and owner.
function dirPlain(line,   w) { split(line, w, " "); return w[1] " " w[2] }

# A regular file's digest.
function content(line) {
    return match(line, / sha256=[0-9a-f]*/) ? substr(line, RSTART, RLENGTH) : ""
}

function same(x, y) {
    return isDir(x) && isDir(y) ? dirPlain(x) == dirPlain(y) : plain(x) == plain(y)
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

function judge(path,   was, will, cur) {
    was = path in old; will = path in new
    if (!(path in found)) {
        if (was && will && isDir(old[path]) == isDir(new[path]))
            bad("missing", path)
        return
    }
    cur = found[path]
    if ((was && same(cur, old[path])) || (will && same(cur, new[path])))
        return
    if (isDir(cur) && will && !was && isDir(new[path]))
        return
    fault(path, cur)
}

is == "old" { old[$1] = rest(); next }
is == "new" { new[$1] = rest(); next }
is == "found" { found[$1] = rest(); next }
is == "owners" { owned[$1] = $2 " " $3; next }
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
        if (!(path in old) && !(path in new))
            bad(path ~ /;[0-9a-f]+$|(^|\/)\.rpmtmp-[^\/]*$/ ? "left" : "alien", path)

    for (path in owned)
        if (owned[path] in foundDb && path in new && !isDir(new[path]) &&
            !(path in found && same(found[path], new[path])))
            bad("ahead", path)
    for (name in oldDb)
        if (name in newName && !(name in foundName) && !count["unreadable"])
            bad("lost", name)

    if (phase == "after") {
        for (path in new)
            if (!done(path))
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
    count["b"] = count["ahead"] + count["lost"] + count["unreadable"]
    n = split("a b c empty torn missing attrs alien ahead lost unreadable left", keys)
    for (i = 1; i <= n; i++)
        printf "%s=%d ", keys[i], count[keys[i]]
    for (i = 1; i <= n; i++)
        if (keys[i] in example && keys[i] != "left")
            printf "%s:%s ", keys[i], example[keys[i]]
    print ""
}
