/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns for the values of tags. */

#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtd.h>

#include "rpmdb_sql.h"

struct rpmdbPattern_s {
    rpmTagVal tag;
    rpmMireMode mode;
    char *text;
    bool inverted;
    regex_t regex; /* with RPMMIRE_REGEX */
};

/* A shell-like pattern as a regular expression for the whole value: `*` is anything, brackets and
 * backslashes are as in an expression, other characters that mean something there stand for
 * themselves, except that ?, {, |, ( and ) keep their meaning. */
static char *toRegex(const char *pattern)
{
    char *regex = rmalloc(2 * strlen(pattern) + sizeof("^$"));
    char *t = regex;
    const char *s = pattern;
    bool brackets = false;
    char last = '\0';

    if (*s != '^')
        *t++ = '^';
    for (; *s != '\0'; s++) {
        if (*s == '\\' && s[1] != '\0')
            *t++ = *s++;
        else if (*s == '[')
            brackets = true;
        else if (*s == ']' && last != '[')
            brackets = false;
        else if (!brackets && (*s == '.' || *s == '+' || *s == '^'))
            *t++ = '\\';
        else if (!brackets && *s == '*')
            *t++ = '.';
        last = *t++ = *s;
    }
    if (last != '\0' && last != '$')
        *t++ = '$';
    *t = '\0';
    return regex;
}

static int compile(struct rpmdbPattern_s *pat)
{
    char msg[256];
    int rc = regcomp(&pat->regex, pat->text, REG_EXTENDED | REG_NOSUB);

    if (rc != 0) {
        regerror(rc, &pat->regex, msg, sizeof(msg));
        rpmlog(RPMLOG_ERR, "%s: regcomp failed: %s\n", pat->text, msg);
    }
    return rc;
}

struct rpmdbPattern_s *rpmdbPatternNew(rpmTagVal tag, rpmMireMode mode, const char *pattern)
{
    struct rpmdbPattern_s *pat = rcalloc(1, sizeof(*pat));

    pat->tag = tag;
    pat->mode = mode;
    pat->inverted = *pattern == '!';
    pattern += pat->inverted;
    if (mode == RPMMIRE_DEFAULT) {
        bool isFile = tag == RPMTAG_DIRNAMES || tag == RPMTAG_BASENAMES;
        pat->mode = isFile ? RPMMIRE_GLOB : RPMMIRE_REGEX;
        pat->text = isFile ? rstrdup(pattern) : toRegex(pattern);
    } else {
        pat->text = rstrdup(pattern);
    }
    if (pat->mode == RPMMIRE_REGEX && compile(pat) != 0) {
        rfree(pat->text);
        pat = rfree(pat);
    }
    return pat;
}

struct rpmdbPattern_s *rpmdbPatternFree(struct rpmdbPattern_s *pat)
{
    if (pat->mode == RPMMIRE_REGEX)
        regfree(&pat->regex);
    rfree(pat->text);
    return rfree(pat);
}

static bool matchesText(const struct rpmdbPattern_s *pat, const char *text)
{
    bool match = false;

    switch (pat->mode) {
    case RPMMIRE_REGEX:
        match = regexec(&pat->regex, text, 0, NULL, 0) == 0;
        break;
    case RPMMIRE_GLOB:
        match = fnmatch(pat->text, text, FNM_PATHNAME | FNM_PERIOD) == 0;
        break;
    default:
        match = rstreq(pat->text, text);
        break;
    }
    return match != pat->inverted;
}

static bool matchesAny(const struct rpmdbPattern_s *pat, rpmtd td)
{
    bool match = false;

    rpmtdInit(td);
    while (!match && rpmtdNext(td) >= 0) {
        char *text = rpmtdFormat(td, RPMTD_FORMAT_STRING, NULL);
        match = text != NULL && matchesText(pat, text);
        rfree(text);
    }
    return match;
}

/* All patterns for the tag of pattern number ix: one must match. */
static bool tagMatches(struct rpmdbPattern_s *const *pats, int npats, int ix, Header h)
{
    rpmTagVal tag = pats[ix]->tag;
    uint32_t noEpoch = 0;
    struct rpmtd_s td;
    bool match = false;

    if (!headerGet(h, tag, &td, HEADERGET_MINMEM)) {
        if (tag != RPMTAG_EPOCH)
            return false;
        rpmtdFromUint32(&td, tag, &noEpoch, 1);
    }
    for (int i = ix; i < npats && !match; i++)
        match = pats[i]->tag == tag && matchesAny(pats[i], &td);
    rpmtdFreeData(&td);
    return match;
}

static bool isFirstOfTag(struct rpmdbPattern_s *const *pats, int ix)
{
    for (int i = 0; i < ix; i++) {
        if (pats[i]->tag == pats[ix]->tag)
            return false;
    }
    return true;
}

bool rpmdbPatternsMatch(struct rpmdbPattern_s *const *pats, int npats, Header h)
{
    for (int i = 0; i < npats; i++) {
        if (isFirstOfTag(pats, i) && !tagMatches(pats, npats, i, h))
            return false;
    }
    return true;
}
