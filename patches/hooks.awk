# SPDX-License-Identifier: LGPL-2.1-or-later
# Puts the edits of a hook file into an unpacked source tree.
#
#     awk -v top=OURS -v tree=THEIRS -v release=NAME -f hooks.awk HOOKFILE
#     awk -v list=1 -v release=NAME -f hooks.awk HOOKFILE         prints what is copied, and where to
#
# Up to the line `--`, but for a first one with its licence, a hook file is the message of the patch.
# Behind it:
#
#     for RELEASE...     what follows, up to the next `for`, is for these releases only; a name may
#                        be shortened (rpm-4), and `for all` is for all
#     copy FILE PLACE    a file of ours, or several (rpmio/rpmflush*.c); PLACE is a path or, ending
#                        in a slash, a directory of theirs
#     file PATH...       the first of these that the tree has is edited
#     in FUNCTION        places are looked for in this function; `in -`: in the whole file
#     after TEXT         new lines go behind the line that reads TEXT, white space around it aside
#     before TEXT        in front of it
#     instead TEXT       in its place; each further `and TEXT` takes the line that follows, too
#     +LINE              a new line
#     each FILES LINE    a new line for each of our FILES, its name for %s
#
# A place must be there once, or nothing is written and the error says file and function.

function fail(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    failed = 1
    exit 1
}

function trimmed(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }

function rest(s) { sub(/^[a-z]+[ \t]*/, "", s); return s }

function isFor(names,    i, n, name) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (name[i] == "all" || index(release, name[i]) == 1)
            return 1
    return 0
}

# The edited files stay in memory until all of the hooks have found their places.
function load(paths,    i, n, name, line, rc) {
    n = split(paths, name, " ")
    for (i = 1; i <= n; i++) {
        path = name[i]
        if (path in count)
            break
        nlines = 0
        while ((rc = (getline line < (tree "/" path))) > 0)
            text[path, ++nlines] = line
        close(tree "/" path)
        if (rc == 0) {
            count[path] = nlines
            break
        }
    }
    if (i > n)
        fail("the tree has no " paths)
    scope("-")
}

function save(    file, i) {
    for (file in count) {
        printf "" > (tree "/" file)
        for (i = 1; i <= count[file]; i++)
            print text[file, i] > (tree "/" file)
        close(tree "/" file)
    }
}

# Does the definition of a function begin here? Its name is then in column 0 or behind a type.
function begins(line, f) {
    return line ~ /^[A-Za-z_]/ && line !~ /;[ \t]*$/ && line ~ ("(^|[^A-Za-z0-9_])" f "\\(")
}

# From the line that begins the definition to the brace in column 0 that ends it.
function scope(f,    i) {
    where = path ": " (f == "-" ? "" : f ": ")
    first = 1
    last = count[path]
    at = 0
    if (f == "-")
        return
    for (i = 1; i <= last && !begins(text[path, i], f); i++)
        ;
    if (i > last)
        fail(path ": there is no function " f)
    for (first = i; i <= last && text[path, i] !~ /^}/; i++)
        ;
    if (i > last)
        fail(where "it does not end")
    last = i
}

function place(line,    i, found, n) {
    line = trimmed(line)
    for (i = first; i <= last; i++)
        if (trimmed(text[path, i]) == line) {
            found = i
            n++
        }
    if (n != 1)
        fail(where (n ? n " places" : "no place") " for: " line)
    return found
}

function insert(line,    i) {
    if (at == 0)
        fail(where "no place for new lines")
    for (i = count[path]++; i >= at; i--)
        text[path, i + 1] = text[path, i]
    text[path, at++] = line
    last++
}

function drop(i) {
    count[path]--
    last--
    for (; i <= count[path]; i++)
        text[path, i] = text[path, i + 1]
}

function each(words,    files, line, ls, name) {
    files = words
    sub(/[ \t].*/, "", files)
    line = substr(words, length(files) + 2)
    ls = "cd '" top "' && LC_ALL=C ls -d " files
    while ((ls | getline name) > 0) {
        sub(/.*\//, "", name)
        insert(substr(line, 1, index(line, "%s") - 1) name substr(line, index(line, "%s") + 2))
    }
    close(ls)
}

/^--$/ && !begun { begun = wanted = 1; next }
!begun || /^#/ || /^[ \t]*$/ { next }
/^for / { wanted = isFor(rest($0)); next }
!wanted { next }
/^copy / { if (list) print $2, $3; next }
list { next }
/^file / { load(rest($0)); next }
path == "" { fail("no file to edit: " $0) }
/^in / { scope($2); next }
/^after / { at = place(rest($0)) + 1; next }
/^before / { at = place(rest($0)); next }
/^instead / { at = place(rest($0)); drop(at); next }
/^and / {
    if (trimmed(text[path, at]) != trimmed(rest($0)))
        fail(where "the next line is not: " rest($0))
    drop(at)
    next
}
/^each / { each(rest($0)); next }
/^\+/ { insert(substr($0, 2)); next }
{ fail("not a hook: " $0) }

END {
    if (!failed && !begun) {
        print FILENAME ": no message that ends with --" > "/dev/stderr"
        failed = 1
    }
    if (!failed && !list)
        save()
    exit failed
}
