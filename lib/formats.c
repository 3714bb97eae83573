/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways to show the elements of tags. */

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include <rpm/argv.h>
#include <rpm/rpmds.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>
#include <rpm/rpmtd.h>

#include "header_internal.h"
#include "misc.h"
#include "pgpsig.h"

#define ANY_CLASS 255

/* A way to show elements of one class. What cannot be shown gives a text in parentheses too. */
struct headerFmt_s {
    rpmtdFormats fmt;
    const char *name;
    int class;
    char *(*func)(rpmtd td);
};

static char *stringFormat(rpmtd td)
{
    const char *str;
    char *val = NULL;

    switch (rpmtdClass(td)) {
    case RPM_NUMERIC_CLASS:
        rasprintf(&val, "%" PRIu64, rpmtdGetNumber(td));
        return val;
    case RPM_STRING_CLASS:
        str = rpmtdGetString(td);
        return rstrdup(str != NULL ? str : "");
    case RPM_BINARY_CLASS:
        return rpmhex(td->data, td->count);
    default:
        return rstrdup("(unknown type)");
    }
}

static char *octalFormat(rpmtd td)
{
    char *val = NULL;

    rasprintf(&val, "%o", (unsigned int)rpmtdGetNumber(td));
    return val;
}

static char *hexFormat(rpmtd td)
{
    char *val = NULL;

    rasprintf(&val, "%x", (unsigned int)rpmtdGetNumber(td));
    return val;
}

static char *timeString(time_t when, const char *how)
{
    char buf[1024] = "";
    struct tm tm;

    if (localtime_r(&when, &tm) != NULL && strftime(buf, sizeof(buf), how, &tm) == 0)
        return rstrdup("date output too long");
    return rstrdup(buf);
}

static char *dateFormat(rpmtd td)
{
    return timeString((time_t)rpmtdGetNumber(td), "%c");
}

static char *dayFormat(rpmtd td)
{
    return timeString((time_t)rpmtdGetNumber(td), "%a %b %d %Y");
}

static char *shescapeFormat(rpmtd td)
{
    const char *str = rpmtdGetString(td);
    char *val = NULL, *v;

    if (rpmtdClass(td) == RPM_NUMERIC_CLASS)
        return stringFormat(td);
    if (str == NULL)
        return rstrdup("(invalid type)");
    val = v = rmalloc(strlen(str) * 4 + 3);
    *v++ = '\'';
    for (; *str != '\0'; str++) {
        if (*str == '\'')
            v = stpcpy(v, "'\\''");
        else
            *v++ = *str;
    }
    strcpy(v, "'");
    return val;
}

static char *triggertypeFormat(rpmtd td)
{
    uint64_t flags = rpmtdGetNumber(td);

    if (flags & RPMSENSE_TRIGGERPREIN)
        return rstrdup("prein");
    if (flags & RPMSENSE_TRIGGERIN)
        return rstrdup("in");
    if (flags & RPMSENSE_TRIGGERUN)
        return rstrdup("un");
    return rstrdup((flags & RPMSENSE_TRIGGERPOSTUN) ? "postun" : "");
}

static char *deptypeFormat(rpmtd td)
{
    static const struct {
        uint32_t flags;
        const char *name;
    } table[] = {
        { RPMSENSE_SCRIPT_PRE, "pre" },
        { RPMSENSE_SCRIPT_POST, "post" },
        { RPMSENSE_SCRIPT_PREUN, "preun" },
        { RPMSENSE_SCRIPT_POSTUN, "postun" },
        { RPMSENSE_SCRIPT_VERIFY, "verify" },
        { RPMSENSE_INTERP, "interp" },
        { RPMSENSE_RPMLIB, "rpmlib" },
        { RPMSENSE_FIND_REQUIRES | RPMSENSE_FIND_PROVIDES, "auto" },
        { RPMSENSE_PREREQ, "prereq" },
        { RPMSENSE_PRETRANS, "pretrans" },
        { RPMSENSE_POSTTRANS, "posttrans" },
        { RPMSENSE_CONFIG, "config" },
        { RPMSENSE_MISSINGOK, "missingok" },
        { RPMSENSE_META, "meta" },
    };
    uint64_t flags = rpmtdGetNumber(td);
    char *val = NULL;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (flags & table[i].flags)
            rstrscat(&val, val != NULL ? "," : "", table[i].name, NULL);
    }
    return val != NULL ? val : rstrdup("manual");
}

static char *depflagsFormat(rpmtd td)
{
    uint64_t flags = rpmtdGetNumber(td);
    char *val = NULL;

    return rstrscat(&val, (flags & RPMSENSE_LESS) ? "<" : "",
        (flags & RPMSENSE_GREATER) ? ">" : "", (flags & RPMSENSE_EQUAL) ? "=" : "", NULL);
}

static char *permsFormat(rpmtd td)
{
    return rpmPermsString((int)rpmtdGetNumber(td));
}

static char *fflagsFormat(rpmtd td)
{
    return rpmFFlagsString((uint32_t)rpmtdGetNumber(td));
}

static char *armorFormat(rpmtd td)
{
    uint8_t *data;
    size_t len;
    char *val;

    switch (rpmtdType(td)) {
    case RPM_BIN_TYPE:
        return pgpArmor("SIGNATURE", td->data, td->count);
    case RPM_STRING_TYPE:
    case RPM_STRING_ARRAY_TYPE:
        if (!rpmBase64Decode(rpmtdGetString(td), &data, &len))
            return rstrdup("(not base64)");
        val = pgpArmor("PUBLIC KEY BLOCK", data, len);
        free(data);
        return val;
    default:
        return rstrdup("(invalid type)");
    }
}

static char *base64Format(rpmtd td)
{
    return rpmBase64Encode(td->data, td->count);
}

static char *pgpsigFormat(rpmtd td)
{
    struct pgpSig_s sig;
    char *val = NULL, *keyid, *when;

    if (!pgpSigParse(td->data, td->count, &sig))
        return rstrdup("(not an OpenPGP signature)");
    keyid = rpmhex(sig.keyid, sizeof(sig.keyid));
    when = timeString((time_t)sig.time, "%c");
    rasprintf(&val, "%s/%s, %s, Key ID %s", pgpPubkeyAlgoName(sig.pubkeyAlgo),
        pgpHashAlgoName(sig.hashAlgo), when, keyid);
    free(keyid);
    free(when);
    return val;
}

/* Append with what XML cannot have in text replaced. */
static char *xmlQuote(const char *str)
{
    char *text = rmalloc(strlen(str) * 5 + 1), *t = text;

    for (; *str != '\0'; str++) {
        if (*str == '<')
            t = stpcpy(t, "&lt;");
        else if (*str == '>')
            t = stpcpy(t, "&gt;");
        else if (*str == '&')
            t = stpcpy(t, "&amp;");
        else
            *t++ = *str;
    }
    *t = '\0';
    return text;
}

static char *xmlFormat(rpmtd td)
{
    bool bytes = rpmtdClass(td) == RPM_BINARY_CLASS;
    const char *element = bytes ? "base64" :
        rpmtdClass(td) == RPM_STRING_CLASS ? "string" : "integer";
    char *raw, *quoted, *val = NULL;

    if (rpmtdClass(td) == RPM_NULL_CLASS)
        return rstrdup("(invalid xml type)");
    raw = bytes ? base64Format(td) : stringFormat(td);
    quoted = xmlQuote(raw);
    if (*quoted == '\0')
        rasprintf(&val, "\t<%s/>", element);
    else
        rasprintf(&val, "\t<%s>%s</%s>", element, quoted, element);
    free(raw);
    free(quoted);
    return val;
}

static char *arraysizeFormat(rpmtd td)
{
    char *val = NULL;

    rasprintf(&val, "%u", rpmtdCount(td));
    return val;
}

static char *fstateFormat(rpmtd td)
{
    switch ((int)rpmtdGetNumber(td)) {
    case RPMFILE_STATE_NORMAL:
        return rstrdup("normal");
    case RPMFILE_STATE_REPLACED:
        return rstrdup("replaced");
    case RPMFILE_STATE_NOTINSTALLED:
        return rstrdup("not installed");
    case RPMFILE_STATE_NETSHARED:
        return rstrdup("net shared");
    case RPMFILE_STATE_WRONGCOLOR:
        return rstrdup("wrong color");
    case RPMFILE_STATE_MISSING:
        return rstrdup("missing");
    default:
        return rstrdup("(unknown)");
    }
}

static char *vflagsFormat(rpmtd td)
{
    return rpmVerifyString((uint32_t)rpmtdGetNumber(td), "");
}

static char *fstatusFormat(rpmtd td)
{
    return rpmVerifyString((uint32_t)rpmtdGetNumber(td), ".");
}

static char *expandFormat(rpmtd td)
{
    const char *str = rpmtdGetString(td);

    return rpmExpand(str != NULL ? str : "", NULL);
}

static char *humanFormat(rpmtd td, float kilo)
{
    static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
    float number = (float)rpmtdGetNumber(td);
    char *val = NULL;
    int i = 0;

    for (; number >= kilo; i++)
        number /= kilo;
    rasprintf(&val, "%.*f%s", number > 0.05 && number < 9.95 ? 1 : 0, (double)number, units[i]);
    return val;
}

static char *humansiFormat(rpmtd td)
{
    return humanFormat(td, 1000);
}

static char *humaniecFormat(rpmtd td)
{
    return humanFormat(td, 1024);
}

static char *tagnameFormat(rpmtd td)
{
    return rstrdup(rpmTagGetName(td->tag));
}

static char *tagnumFormat(rpmtd td)
{
    char *val = NULL;

    rasprintf(&val, "%u", (unsigned int)td->tag);
    return val;
}

static const struct headerFmt_s formats[] = {
    { RPMTD_FORMAT_STRING, "string", ANY_CLASS, stringFormat },
    { RPMTD_FORMAT_ARMOR, "armor", ANY_CLASS, armorFormat },
    { RPMTD_FORMAT_BASE64, "base64", RPM_BINARY_CLASS, base64Format },
    { RPMTD_FORMAT_PGPSIG, "pgpsig", RPM_BINARY_CLASS, pgpsigFormat },
    { RPMTD_FORMAT_DEPFLAGS, "depflags", RPM_NUMERIC_CLASS, depflagsFormat },
    { RPMTD_FORMAT_DEPTYPE, "deptype", RPM_NUMERIC_CLASS, deptypeFormat },
    { RPMTD_FORMAT_FFLAGS, "fflags", RPM_NUMERIC_CLASS, fflagsFormat },
    { RPMTD_FORMAT_PERMS, "perms", RPM_NUMERIC_CLASS, permsFormat },
    { RPMTD_FORMAT_PERMS, "permissions", RPM_NUMERIC_CLASS, permsFormat },
    { RPMTD_FORMAT_TRIGGERTYPE, "triggertype", RPM_NUMERIC_CLASS, triggertypeFormat },
    { RPMTD_FORMAT_XML, "xml", ANY_CLASS, xmlFormat },
    { RPMTD_FORMAT_OCTAL, "octal", RPM_NUMERIC_CLASS, octalFormat },
    { RPMTD_FORMAT_HEX, "hex", RPM_NUMERIC_CLASS, hexFormat },
    { RPMTD_FORMAT_DATE, "date", RPM_NUMERIC_CLASS, dateFormat },
    { RPMTD_FORMAT_DAY, "day", RPM_NUMERIC_CLASS, dayFormat },
    { RPMTD_FORMAT_SHESCAPE, "shescape", ANY_CLASS, shescapeFormat },
    { RPMTD_FORMAT_ARRAYSIZE, "arraysize", ANY_CLASS, arraysizeFormat },
    { RPMTD_FORMAT_FSTATE, "fstate", RPM_NUMERIC_CLASS, fstateFormat },
    { RPMTD_FORMAT_VFLAGS, "vflags", RPM_NUMERIC_CLASS, vflagsFormat },
    { RPMTD_FORMAT_EXPAND, "expand", RPM_STRING_CLASS, expandFormat },
    { RPMTD_FORMAT_FSTATUS, "fstatus", RPM_NUMERIC_CLASS, fstatusFormat },
    { RPMTD_FORMAT_HUMANSI, "humansi", RPM_NUMERIC_CLASS, humansiFormat },
    { RPMTD_FORMAT_HUMANIEC, "humaniec", RPM_NUMERIC_CLASS, humaniecFormat },
    { RPMTD_FORMAT_TAGNAME, "tagname", ANY_CLASS, tagnameFormat },
    { RPMTD_FORMAT_TAGNUM, "tagnum", ANY_CLASS, tagnumFormat },
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

headerFmt rpmHeaderFormatByName(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (rstreq(formats[i].name, name))
            return &formats[i];
    }
    return NULL;
}

headerFmt rpmHeaderFormatByValue(rpmtdFormats fmt)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i].fmt == fmt)
            return &formats[i];
    }
    return NULL;
}

char *rpmHeaderFormatCall(headerFmt fmt, rpmtd td)
{
    if (fmt->class == ANY_CLASS || (int)rpmtdClass(td) == fmt->class)
        return fmt->func(td);
    switch (fmt->class) {
    case RPM_BINARY_CLASS:
        return rstrdup("(not a blob)");
    case RPM_NUMERIC_CLASS:
        return rstrdup("(not a number)");
    default:
        return rstrdup("(not a string)");
    }
}
