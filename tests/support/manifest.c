/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The manifest: one statement a line, words separated by blanks. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "pkgwriter.h"

const char pkgManifestHelp[] =
    "One statement a line; # begins a comment. In a word \\n \\s (blank) \\\\ \\xHH are escapes.\n"
    "  name|version|release|arch|compressor|digest WORD\n"
    "                      compressor: gzip xz lzma bzip2 zstd none; digest: md5 sha256 ...\n"
    "  file PATH [ATTR=..] content=TEXT | size=N fill=zero|random|text | src=FILE\n"
    "  dir PATH, symlink PATH TARGET, fifo PATH, socket PATH, char|block PATH MAJOR MINOR\n"
    "    ATTR: mode (octal) user group mtime flags (config,noreplace,missingok,doc,ghost,license,\n"
    "      readme,artifact) verify lang caps color link (files of one word are one inode)\n"
    "    lies: as (name in the payload) base (name in the header) sum (digest) hdrsize cpiosize\n"
    "      cpiomode index (of the stripped form) copies (in the payload; 0 is none)\n"
    "  extra PATH [ATTR=..]              a file that only the payload has\n"
    "  require|provide|conflict|obsolete NAME [OP VERSION]\n"
    "  script KIND PROG TEXT             prein postin preun postun pretrans posttrans verify\n"
    "  trigger KIND NAME PROG TEXT       in un postun prein\n"
    "  large | unsorted (header) | interleaved (links) | no-trailer | no-rpmlib\n"
    "  source | no-region (as format v3 is)\n"
    "  tail zero|random|text N           so many bytes after the trailer\n"
    "  tag main|sig TAG TYPE VALUE..     int8 int16 int32 int64 string strings i18n bin (hex)\n"
    "  drop main|sig TAG\n"
    "  patch main|sig TAG tag|type|offset|count N     also with TAG `trailer`\n"
    "  patch main|sig intro magic|nindex|hsize N\n"
    "  wrong sha1|sha256|md5|size|payload|payloadalt  one digest of the package is not right\n"
    "  lead OFFSET HEX\n";

struct words {
    char **word;
    size_t *len;
    size_t num;
};

static const char *lineNow = "";

noreturn static void bad(const char *what)
{
    die("%s in the line: %s", what, lineNow);
}

static uint64_t number(const char *s)
{
    char *end;
    uint64_t n = strtoull(s, &end, 0);

    if (*s == '\0' || *end != '\0')
        bad("not a number");
    return n;
}

/* The value in a list of names separated by commas; none is the end. */
static unsigned indexOf(const char *list, const char *name)
{
    size_t len = strlen(name);
    unsigned i = 0;

    for (const char *s = list; s != NULL; s = strchr(s, ','), s = s != NULL ? s + 1 : NULL, i++) {
        if (strncmp(s, name, len) == 0 && (s[len] == ',' || s[len] == '\0'))
            return i;
    }
    bad(name);
}

static unsigned char hexByte(const char *s)
{
    char digits[3] = { s[0], s[0] != '\0' ? s[1] : '\0', '\0' };

    if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
        bad("not hexadecimal");
    return (unsigned char)strtoul(digits, NULL, 16);
}

static struct bytes hexBytes(const char *s)
{
    struct bytes b = { NULL, 0, 0 };

    for (; *s != '\0'; s += 2) {
        unsigned char c = hexByte(s);

        bytesAdd(&b, &c, 1);
    }
    return b;
}

/* -- words ---------------------------------------------------------------------------------- */

static char *unescape(const char *s, size_t len, size_t *outLen)
{
    char *out = xcalloc(len + 1, 1), *o = out;
    const char *end = s + len;

    while (s < end) {
        if (*s != '\\' || s + 1 == end) {
            *o++ = *s++;
            continue;
        }
        switch (s[1]) {
        case 'n': *o++ = '\n'; break;
        case 's': *o++ = ' '; break;
        case 'x': *o++ = (char)hexByte(s + 2); s += 2; break;
        default: *o++ = s[1]; break;
        }
        s += 2;
    }
    *outLen = (size_t)(o - out);
    return out;
}

static void splitLine(const char *line, struct words *w)
{
    memset(w, 0, sizeof(*w));
    for (;;) {
        size_t len;

        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            return;
        len = strcspn(line, " \t");
        w->word = xgrow(w->word, w->num, sizeof(*w->word));
        w->len = xgrow(w->len, w->num, sizeof(*w->len));
        w->word[w->num] = unescape(line, len, &w->len[w->num]);
        w->num++;
        line += len;
    }
}

static void freeWords(struct words *w)
{
    for (size_t i = 0; i < w->num; i++)
        free(w->word[i]);
    free(w->word);
    free(w->len);
}

static void setWord(char **to, const char *word)
{
    free(*to);
    *to = xstrdup(word);
}

/* -- files ---------------------------------------------------------------------------------- */

static uint64_t hashName(const char *s)
{
    uint64_t h = 0xcbf29ce484222325U;

    while (*s != '\0')
        h = (h ^ (unsigned char)*s++) * 0x100000001b3U;
    return h;
}

static void setContent(struct pkgFile *f, const char *value, size_t len)
{
    free(f->content.data);
    f->content.data = xcalloc(len + 1, 1);
    memcpy(f->content.data, value, len);
    f->content.size = len;
    f->content.fill = FILL_DATA;
}

static void setSource(struct pkgFile *f, const char *path)
{
    struct stat sb;

    if (stat(path, &sb) != 0)
        bad("no such source file");
    setContent(f, path, strlen(path));
    f->content.fill = FILL_FILE;
    f->content.size = (uint64_t)sb.st_size;
}

static void setFlags(struct pkgFile *f, char *names)
{
    static const char list[] = "config,doc,icon,missingok,noreplace,specfile,ghost,license,readme,"
                               "exclude,unpatched,pubkey,artifact";

    for (char *save = NULL, *name = strtok_r(names, ",", &save); name != NULL;
         name = strtok_r(NULL, ",", &save))
        f->flags |= 1U << indexOf(list, name);
}

static void setMode(struct pkgFile *f, const char *value)
{
    f->mode = (f->mode & S_IFMT) | (uint32_t)strtoul(value, NULL, 8);
}

static void setName(struct pkgFile *f, const char *value, size_t len)
{
    free(f->as);
    f->as = xcalloc(len + 1, 1);
    memcpy(f->as, value, len);
    f->asLen = len;
}

static bool setLie(struct pkgFile *f, const char *key, const char *value, size_t len)
{
    if (strcmp(key, "as") == 0)
        setName(f, value, len);
    else if (strcmp(key, "base") == 0)
        setWord(&f->base, value);
    else if (strcmp(key, "sum") == 0)
        setWord(&f->digest, value);
    else if (strcmp(key, "hdrsize") == 0)
        f->headerSize = number(value), f->hasHeaderSize = true;
    else if (strcmp(key, "cpiosize") == 0)
        f->cpioSize = number(value), f->hasCpioSize = true;
    else if (strcmp(key, "cpiomode") == 0)
        f->cpioMode = (uint32_t)strtoul(value, NULL, 8), f->hasCpioMode = true;
    else if (strcmp(key, "index") == 0)
        f->cpioIndex = (uint32_t)number(value), f->hasCpioIndex = true;
    else if (strcmp(key, "copies") == 0)
        f->copies = (uint32_t)number(value);
    else
        return false;
    return true;
}

static void setAttribute(struct pkgFile *f, const char *key, char *value, size_t len)
{
    static const struct {
        const char *key;
        size_t at;
    } strings[] = {
        { "user", offsetof(struct pkgFile, user) }, { "group", offsetof(struct pkgFile, group) },
        { "lang", offsetof(struct pkgFile, lang) }, { "caps", offsetof(struct pkgFile, caps) },
        { "link", offsetof(struct pkgFile, linkGroup) },
    };

    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        if (strcmp(key, strings[i].key) == 0) {
            setWord((char **)(void *)((char *)f + strings[i].at), value);
            return;
        }
    }
    if (strcmp(key, "mode") == 0)
        setMode(f, value);
    else if (strcmp(key, "mtime") == 0)
        f->mtime = (uint32_t)number(value);
    else if (strcmp(key, "flags") == 0)
        setFlags(f, value);
    else if (strcmp(key, "verify") == 0)
        f->verify = (uint32_t)number(value);
    else if (strcmp(key, "color") == 0)
        f->color = (uint32_t)number(value);
    else if (strcmp(key, "content") == 0)
        setContent(f, value, len);
    else if (strcmp(key, "src") == 0)
        setSource(f, value);
    else if (strcmp(key, "size") == 0)
        f->content.size = number(value);
    else if (strcmp(key, "fill") == 0)
        f->content.fill = FILL_ZERO + indexOf("zero,random,text", value);
    else if (!setLie(f, key, value, len))
        bad("unknown attribute");
}

static void setAttributes(struct pkgFile *f, struct words *w, size_t i)
{
    for (; i < w->num; i++) {
        char *value = strchr(w->word[i], '=');

        if (value == NULL)
            bad("an attribute without =");
        *value++ = '\0';
        setAttribute(f, w->word[i], value, w->len[i] - (size_t)(value - w->word[i]));
    }
    if (f->content.fill == FILL_DATA && f->content.data == NULL && f->content.size > 0)
        f->content.fill = FILL_TEXT;
    if (f->linkGroup != NULL)
        f->content.seed = hashName(f->linkGroup);
}

static struct pkgFile *newFile(struct pkg *pkg, const char *path, uint32_t mode)
{
    struct pkgFile *f;

    pkg->files = xgrow(pkg->files, pkg->numFiles, sizeof(*pkg->files));
    f = &pkg->files[pkg->numFiles++];
    memset(f, 0, sizeof(*f));
    f->path = xstrdup(path);
    f->user = xstrdup("root");
    f->group = xstrdup("root");
    f->mode = mode;
    f->mtime = 1500000000;
    f->verify = UINT32_MAX;
    f->copies = 1;
    f->content.seed = hashName(path);
    return f;
}

static void addNode(struct pkg *pkg, struct words *w)
{
    static const uint32_t modes[] = {
        S_IFREG | 0644, S_IFREG | 0644, S_IFDIR | 0755, S_IFLNK | 0777, S_IFIFO | 0644,
        S_IFSOCK | 0755, S_IFCHR | 0644, S_IFBLK | 0644
    };
    unsigned kind = indexOf("file,extra,dir,symlink,fifo,socket,char,block", w->word[0]);
    struct pkgFile *f = newFile(pkg, w->word[1], modes[kind]);
    size_t next = 2;

    f->extra = kind == 1;
    if (S_ISLNK(f->mode)) {
        if (w->num < 3)
            bad("no target");
        f->linkto = xstrdup(w->word[2]);
        setContent(f, w->word[2], w->len[2]);
        next = 3;
    } else if (S_ISCHR(f->mode) || S_ISBLK(f->mode)) {
        if (w->num < 4)
            bad("no device number");
        f->rdev = (uint32_t)makedev(number(w->word[2]), number(w->word[3]));
        next = 4;
    }
    setAttributes(f, w, next);
}

/* -- the rest ------------------------------------------------------------------------------- */

static uint64_t senseOf(const char *op)
{
    uint64_t flags = 0;

    for (; *op != '\0'; op++)
        flags |= *op == '<' ? 2U : *op == '>' ? 4U : *op == '=' ? 8U : 0U;
    return flags;
}

static void addDep(struct pkg *pkg, struct words *w)
{
    struct pkgDeps *lists[] = { &pkg->requires, &pkg->provides, &pkg->conflicts, &pkg->obsoletes };
    struct pkgDeps *deps = lists[indexOf("require,provide,conflict,obsolete", w->word[0])];

    deps->list = xgrow(deps->list, deps->num, sizeof(*deps->list));
    deps->list[deps->num++] = (struct pkgDep){
        xstrdup(w->word[1]), xstrdup(w->num > 3 ? w->word[3] : ""),
        w->num > 2 ? senseOf(w->word[2]) : 0
    };
}

/* The words from i on, with a blank between each two. */
static char *joinWords(const struct words *w, size_t i)
{
    struct bytes b = { NULL, 0, 0 };

    for (size_t first = i; i < w->num; i++) {
        if (i > first)
            bytesAdd(&b, " ", 1);
        bytesAdd(&b, w->word[i], w->len[i]);
    }
    bytesAdd(&b, "", 1);
    return (char *)b.data;
}

static void addScript(struct pkg *pkg, struct words *w)
{
    static const uint32_t tags[][2] = {
        { 1023, 1085 }, { 1024, 1086 }, { 1025, 1087 }, { 1026, 1088 }, { 1151, 1153 },
        { 1152, 1154 }, { 1079, 1091 }
    };
    unsigned kind = indexOf("prein,postin,preun,postun,pretrans,posttrans,verify", w->word[1]);
    char *body = joinWords(w, 3);

    if (*body != '\0')
        hdrAddString(pkg->main, tags[kind][0], body);
    hdrAddString(pkg->main, tags[kind][1], w->word[2]);
    free(body);
}

static void addTrigger(struct pkg *pkg, struct words *w)
{
    static const uint64_t senses[] = { 1U << 16, 1U << 17, 1U << 18, 1U << 25 };

    if (w->num < 5)
        bad("too few words");
    pkg->triggers = xgrow(pkg->triggers, pkg->numTriggers, sizeof(*pkg->triggers));
    pkg->triggers[pkg->numTriggers++] = (struct pkgTrigger){
        senses[indexOf("in,un,postun,prein", w->word[1])], xstrdup(w->word[2]),
        xstrdup(w->word[3]), joinWords(w, 4)
    };
}

static void setOwn(struct pkg *pkg, struct words *w)
{
    char **to[] = { &pkg->name, &pkg->version, &pkg->release, &pkg->arch, &pkg->compressor,
                    &pkg->digestAlgo, &pkg->wrongDigest };

    setWord(to[indexOf("name,version,release,arch,compressor,digest,wrong", w->word[0])],
            w->word[1]);
}

static void setSwitch(struct pkg *pkg, struct words *w)
{
    bool *to[] = { &pkg->large, &pkg->keepOrder, &pkg->noTrailer, &pkg->source, &pkg->noRpmlib,
                   &pkg->interleaved, &pkg->noRegion };

    *to[indexOf("large,unsorted,no-trailer,source,no-rpmlib,interleaved,no-region", w->word[0])] = true;
}

static void addTail(struct pkg *pkg, struct words *w)
{
    if (w->num < 3)
        bad("too few words");
    pkg->tails = xgrow(pkg->tails, pkg->numTails, sizeof(*pkg->tails));
    pkg->tails[pkg->numTails++] = (struct content){
        .fill = FILL_ZERO + indexOf("zero,random,text", w->word[1]), .size = number(w->word[2]),
        .seed = 1
    };
}

static void addEdit(struct pkg *pkg, struct words *w)
{
    struct pkgEdit *e;

    if (w->num < 3)
        bad("too few words");
    pkg->edits = xgrow(pkg->edits, pkg->numEdits, sizeof(*pkg->edits));
    e = &pkg->edits[pkg->numEdits++];
    e->sig = indexOf("main,sig", w->word[1]) == 1;
    e->verb = xstrdup(w->word[0]);
    e->num = w->num - 2;
    e->args = xcalloc(e->num, sizeof(*e->args));
    for (size_t i = 0; i < e->num; i++)
        e->args[i] = xstrdup(w->word[i + 2]);
}

static void setLead(struct pkg *pkg, struct words *w)
{
    struct bytes b;
    uint64_t at = number(w->word[1]);

    if (w->num < 3)
        bad("too few words");
    b = hexBytes(w->word[2]);
    if (at >= sizeof(pkg->lead) || b.len > sizeof(pkg->lead) - at)
        bad("outside of the lead");
    memcpy(pkg->lead + at, b.data, b.len);
    memset(pkg->leadMask + at, 1, b.len);
    bytesFree(&b);
}

static void parseLine(struct pkg *pkg, struct words *w)
{
    static const struct {
        const char *names;
        size_t least;
        void (*act)(struct pkg *pkg, struct words *w);
    } verbs[] = {
        { " file extra dir symlink fifo socket char block ", 2, addNode },
        { " require provide conflict obsolete ", 2, addDep },
        { " name version release arch compressor digest wrong ", 2, setOwn },
        { " large unsorted no-trailer source no-rpmlib interleaved no-region ", 1, setSwitch },
        { " script ", 3, addScript },
        { " trigger ", 5, addTrigger },
        { " tail ", 3, addTail },
        { " tag drop patch ", 3, addEdit },
        { " lead ", 3, setLead },
    };
    char name[32];

    snprintf(name, sizeof(name), " %s ", w->word[0]);
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strstr(verbs[i].names, name) != NULL) {
            if (w->num < verbs[i].least)
                bad("too few words");
            verbs[i].act(pkg, w);
            return;
        }
    }
    bad("unknown statement");
}

static struct pkg *newPackage(void)
{
    struct pkg *pkg = xcalloc(1, sizeof(*pkg));

    pkg->main = hdrNew(63);
    pkg->name = xstrdup("made");
    pkg->version = xstrdup("1.0");
    pkg->release = xstrdup("1");
    pkg->arch = xstrdup("noarch");
    pkg->compressor = xstrdup("gzip");
    pkg->digestAlgo = xstrdup("sha256");
    return pkg;
}

struct pkg *pkgParse(const char *manifest)
{
    struct pkg *pkg = newPackage();
    char *copy = xstrdup(manifest), *rest = copy, *line;

    while ((line = strsep(&rest, "\n")) != NULL) {
        struct words w;

        lineNow = line;
        splitLine(line, &w);
        if (w.num > 0)
            parseLine(pkg, &w);
        freeWords(&w);
    }
    lineNow = "";
    free(copy);
    return pkg;
}

/* -- edits ---------------------------------------------------------------------------------- */

static void editTag(struct hdr *h, const struct pkgEdit *e)
{
    uint32_t tag = (uint32_t)number(e->args[0]);
    unsigned type = indexOf("null,char,int8,int16,int32,int64,string,bin,strings,i18n",
                            e->num > 1 ? e->args[1] : "");
    char **values = e->args + 2;
    size_t num = e->num - 2;

    if (type == HDR_STRINGS || type == HDR_I18N || type == HDR_STRING) {
        hdrAddStrings(h, tag, values, num);
        hdrPatch(h, tag, PATCH_TYPE, type);
    } else if (type == HDR_BIN || type == HDR_CHAR || type == HDR_NULL) {
        struct bytes b = hexBytes(num > 0 ? values[0] : "");

        hdrAdd(h, tag, type, (uint32_t)b.len, b.data, b.len);
        bytesFree(&b);
    } else {
        uint64_t *numbers = xcalloc(num, sizeof(*numbers));

        for (size_t i = 0; i < num; i++)
            numbers[i] = number(values[i]);
        hdrAddNumbers(h, tag, type, numbers, num);
        free(numbers);
    }
}

static void editPatch(struct hdr *h, const struct pkgEdit *e)
{
    uint32_t value;

    if (e->num < 3)
        die("patch: too few words");
    value = (uint32_t)number(e->args[2]);
    if (strcmp(e->args[0], "intro") == 0)
        hdrPatch(h, 0, PATCH_MAGIC + indexOf("magic,nindex,hsize", e->args[1]), value);
    else if (strcmp(e->args[0], "trailer") == 0)
        hdrPatch(h, 0, PATCH_TRAILER_TAG + indexOf("tag,type,offset,count", e->args[1]), value);
    else
        hdrPatch(h, (uint32_t)number(e->args[0]),
                 PATCH_TAG + indexOf("tag,type,offset,count", e->args[1]), value);
}

void pkgApplyEdits(const struct pkg *pkg, struct hdr *h, bool sig)
{
    for (size_t i = 0; i < pkg->numEdits; i++) {
        const struct pkgEdit *e = &pkg->edits[i];

        if (e->sig != sig)
            continue;
        if (strcmp(e->verb, "drop") == 0)
            hdrDrop(h, (uint32_t)number(e->args[0]));
        else if (strcmp(e->verb, "tag") == 0)
            editTag(h, e);
        else
            editPatch(h, e);
    }
}
