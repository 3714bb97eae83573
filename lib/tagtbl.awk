# SPDX-License-Identifier: LGPL-2.1-or-later
# Make the table of tag names and types from the comments of rpm/rpmtag.h; the header says how.

BEGIN {
    type["c"] = "CHAR"; type["h"] = "INT16"; type["i"] = "INT32"; type["l"] = "INT64"
    type["s"] = "STRING"; type["x"] = "BIN"; type["s[]"] = "STRING_ARRAY"; type["s{}"] = "I18NSTRING"
}

# "RPMTAG_NAME = 1000,  /**< s */" and "#define RPMTAG_N RPMTAG_NAME  /**< s */"
/^ +RPMTAG_[A-Z0-9]+ = .*\/\*\*</ || /^#define RPMTAG_[A-Z]+[0-9]*[A-Z]* RPMTAG_.*\/\*\*</ {
    comment = substr($0, index($0, "/**<") + 5)
    if (comment ~ /internal|reserved/)
        next
    full = $1 == "#define" ? $2 : $1
    split(comment, words, /[ ,]+/)
    letter = words[1]
    if (letter in type)
        name = type[letter]
    else if (substr(letter, 2) == "[]" && substr(letter, 1, 1) in type)
        name = type[substr(letter, 1, 1)]
    else
        name = "NULL"
    if (name == "NULL")
        count = "ANY"
    else
        count = substr(letter, 2) == "[]" ? "ARRAY" : "SCALAR"
    short = substr(full, 8, 1) tolower(substr(full, 9))
    printf "    { \"%s\", \"%s\", %s, RPM_%s_TYPE, RPM_%s_RETURN_TYPE },\n", \
        full, short, full, name, count
}
