/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payload first, since the main header has its digests; then the main header, whose digests the
 * signature header has. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <openssl/evp.h>

#include "pkgwriter.h"

enum { FLAG_GHOST = 1 << 6 };

struct sums {
    char *digest, *altDigest;
    uint64_t archiveSize, payloadSize;
    FILE *payload;
};

/* -- files ---------------------------------------------------------------------------------- */

static int byPath(const void *a, const void *b)
{
    const struct pkgFile *x = a, *y = b;

    if (x->extra != y->extra)
        return x->extra ? 1 : -1;
    return strcmp(x->path, y->path);
}

static bool linked(const struct pkgFile *a, const struct pkgFile *b)
{
    return a->linkGroup != NULL && b->linkGroup != NULL && strcmp(a->linkGroup, b->linkGroup) == 0;
}

static void numberInodes(struct pkg *pkg)
{
    for (size_t i = 0; i < pkg->numFiles; i++) {
        struct pkgFile *f = &pkg->files[i];

        f->ino = (uint32_t)i + 1;
        f->nlink = S_ISDIR(f->mode) ? 2 : 1;
        if (f->linkGroup == NULL)
            continue;
        for (size_t j = 0; j < i; j++) {
            if (linked(f, &pkg->files[j]))
                f->ino = pkg->files[j].ino;
        }
        for (size_t j = 0; j < pkg->numFiles; j++)
            f->nlink += j != i && linked(f, &pkg->files[j]);
    }
}

static size_t countReal(const struct pkg *pkg)
{
    size_t num = 0;

    for (size_t i = 0; i < pkg->numFiles; i++)
        num += !pkg->files[i].extra;
    return num;
}

/* -- payload -------------------------------------------------------------------------------- */

static bool inPayload(const struct pkgFile *f)
{
    return !(f->flags & FLAG_GHOST) && f->copies > 0;
}

static bool lastOfSet(const struct pkg *pkg, size_t i)
{
    for (size_t j = i + 1; j < pkg->numFiles; j++) {
        if (linked(&pkg->files[i], &pkg->files[j]) && inPayload(&pkg->files[j]))
            return false;
    }
    return true;
}

static bool firstOfSet(const struct pkg *pkg, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (linked(&pkg->files[i], &pkg->files[j]))
            return false;
    }
    return true;
}

/* Names in the payload are ./NAME. */
static char *payloadName(const struct pkgFile *f, size_t *len)
{
    char *name = xcalloc(strlen(f->path) + 3, 1);

    *len = (size_t)sprintf(name, "%s%s", f->path[0] == '/' ? "." : "./", f->path);
    return name;
}

static void emitFile(const struct pkg *pkg, struct payload *p, size_t i)
{
    const struct pkgFile *f = &pkg->files[i];
    bool hasContent = (S_ISREG(f->mode) || S_ISLNK(f->mode)) && lastOfSet(pkg, i);
    size_t nameLen = f->asLen;
    char *made = f->as == NULL ? payloadName(f, &nameLen) : NULL;
    struct cpioEntry entry = {
        .name = made != NULL ? made : f->as, .nameLen = nameLen, .ino = f->ino,
        .mode = f->hasCpioMode ? f->cpioMode : f->mode, .nlink = f->nlink, .mtime = f->mtime,
        .rdev = f->rdev, .index = f->hasCpioIndex ? f->cpioIndex : (uint32_t)i,
        .size = f->hasCpioSize ? f->cpioSize : hasContent ? f->content.size : 0,
        .large = pkg->large,
    };

    for (uint32_t n = 0; inPayload(f) && n < f->copies; n++)
        payloadEntry(p, &entry, hasContent ? &f->content : NULL);
    free(made);
}

static void emitSet(const struct pkg *pkg, struct payload *p, size_t first)
{
    for (size_t i = first; i < pkg->numFiles; i++) {
        if (i == first || linked(&pkg->files[first], &pkg->files[i]))
            emitFile(pkg, p, i);
    }
}

static void writePayload(const struct pkg *pkg, struct sums *sums)
{
    struct payload *p;

    sums->payload = tmpfile();
    if (sums->payload == NULL)
        die("no temporary file");
    p = payloadNew(sums->payload, pkg->compressor);
    for (size_t i = 0; i < pkg->numFiles; i++) {
        if (pkg->interleaved || pkg->files[i].linkGroup == NULL)
            emitFile(pkg, p, i);
        else if (firstOfSet(pkg, i))
            emitSet(pkg, p, i);
    }
    if (!pkg->noTrailer)
        payloadTrailer(p);
    for (size_t i = 0; i < pkg->numTails; i++)
        payloadContent(p, &pkg->tails[i]);
    sums->archiveSize = payloadClose(p, &sums->digest, &sums->altDigest);
    sums->payloadSize = (uint64_t)ftello(sums->payload);
}

/* -- the file arrays of the main header ------------------------------------------------------ */

static uint64_t headerSizeOf(const struct pkgFile *f)
{
    if (f->hasHeaderSize)
        return f->headerSize;
    return S_ISDIR(f->mode) ? 4096 : f->content.size;
}

static uint64_t numberOf(const struct pkgFile *f, uint32_t tag)
{
    switch (tag) {
    case 1028: case 5008: return headerSizeOf(f);
    case 1030: return f->mode;
    case 1033: return f->rdev & 0xffff;
    case 1034: return f->mtime;
    case 1037: return f->flags;
    case 1045: return f->verify;
    case 1095: return 1;
    case 1096: return f->ino;
    default: return f->color;
    }
}

static void addFileNumbers(const struct pkg *pkg, size_t num)
{
    static const struct {
        uint32_t tag, type;
    } arrays[] = {
        { 1028, HDR_INT32 }, { 5008, HDR_INT64 }, { 1030, HDR_INT16 }, { 1033, HDR_INT16 },
        { 1034, HDR_INT32 }, { 1037, HDR_INT32 }, { 1045, HDR_INT32 }, { 1095, HDR_INT32 },
        { 1096, HDR_INT32 }, { 1140, HDR_INT32 }
    };
    uint64_t *values = xcalloc(num, sizeof(*values));

    for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++) {
        if (arrays[a].tag == (pkg->large ? 1028U : 5008U))
            continue;
        for (size_t i = 0; i < num; i++)
            values[i] = numberOf(&pkg->files[i], arrays[a].tag);
        hdrAddNumbers(pkg->main, arrays[a].tag, arrays[a].type, values, num);
    }
    free(values);
}

static char *stringOf(const struct pkg *pkg, const struct pkgFile *f, uint32_t tag)
{
    const char *s = NULL;

    switch (tag) {
    case 1035:
        if (f->digest == NULL && S_ISREG(f->mode) && !(f->flags & FLAG_GHOST))
            return contentDigest(&f->content, pkg->digestAlgo);
        s = f->digest;
        break;
    case 1036: s = f->linkto; break;
    case 1039: s = f->user; break;
    case 1040: s = f->group; break;
    case 1097: s = f->lang; break;
    default: s = f->caps; break;
    }
    return xstrdup(s != NULL ? s : "");
}

static void addFileStrings(const struct pkg *pkg, size_t num)
{
    static const uint32_t tags[] = { 1035, 1036, 1039, 1040, 1097, 5010 };
    char **values = xcalloc(num, sizeof(*values));
    bool caps = false;

    for (size_t i = 0; i < num; i++)
        caps = caps || pkg->files[i].caps != NULL;
    for (size_t a = 0; a < sizeof(tags) / sizeof(tags[0]); a++) {
        if (tags[a] == 5010 && !caps)
            continue;
        for (size_t i = 0; i < num; i++)
            values[i] = stringOf(pkg, &pkg->files[i], tags[a]);
        hdrAddStrings(pkg->main, tags[a], values, num);
        for (size_t i = 0; i < num; i++)
            free(values[i]);
    }
    free(values);
}

static size_t dirIndex(char ***dirs, size_t *numDirs, const char *path, size_t len)
{
    for (size_t i = *numDirs; i-- > 0;) {
        if (strlen((*dirs)[i]) == len && memcmp((*dirs)[i], path, len) == 0)
            return i;
    }
    *dirs = xgrow(*dirs, *numDirs, sizeof(**dirs));
    (*dirs)[*numDirs] = xcalloc(len + 1, 1);
    memcpy((*dirs)[*numDirs], path, len);
    return (*numDirs)++;
}

static void addFileNames(const struct pkg *pkg, size_t num)
{
    char **bases = xcalloc(num, sizeof(*bases)), **dirs = NULL;
    uint64_t *indexes = xcalloc(num, sizeof(*indexes));
    size_t numDirs = 0;

    for (size_t i = 0; i < num; i++) {
        const struct pkgFile *f = &pkg->files[i];
        char *slash = strrchr(f->path, '/');
        char *base = slash != NULL ? slash + 1 : f->path;

        bases[i] = f->base != NULL ? f->base : base;
        indexes[i] = dirIndex(&dirs, &numDirs, f->path, (size_t)(base - f->path));
    }
    hdrAddStrings(pkg->main, 1117, bases, num);
    hdrAddStrings(pkg->main, 1118, dirs, numDirs);
    hdrAddNumbers(pkg->main, 1116, HDR_INT32, indexes, num);
    for (size_t i = 0; i < numDirs; i++)
        free(dirs[i]);
    free(dirs);
    free(indexes);
    free(bases);
}

static uint32_t algoNumber(const char *name)
{
    static const char *const names[] = {
        "", "md5", "sha1", "", "", "", "", "", "sha256", "sha384", "sha512", "sha224"
    };

    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    die("no number for the digest %s", name);
}

/* -- the rest of the main header -------------------------------------------------------------- */

static void addDep(struct pkgDeps *deps, const char *name, const char *version, uint64_t flags)
{
    deps->list = xgrow(deps->list, deps->num, sizeof(*deps->list));
    deps->list[deps->num++] = (struct pkgDep){ xstrdup(name), xstrdup(version), flags };
}

static void addRpmlib(struct pkg *pkg)
{
    static const char *const compressors[][3] = {
        { "xz", "rpmlib(PayloadIsXz)", "5.2-1" }, { "lzma", "rpmlib(PayloadIsLzma)", "4.4.6-1" },
        { "bzip2", "rpmlib(PayloadIsBzip2)", "3.0.5-1" },
        { "zstd", "rpmlib(PayloadIsZstd)", "5.4.18-1" }
    };
    const uint64_t rpmlib = 1U << 24 | 2 | 8;
    bool caps = false;

    for (size_t i = 0; i < pkg->numFiles; i++)
        caps = caps || pkg->files[i].caps != NULL;
    addDep(&pkg->requires, "rpmlib(CompressedFileNames)", "3.0.4-1", rpmlib);
    addDep(&pkg->requires, "rpmlib(PayloadFilesHavePrefix)", "4.0-1", rpmlib);
    if (strcmp(pkg->digestAlgo, "md5") != 0)
        addDep(&pkg->requires, "rpmlib(FileDigests)", "4.6.0-1", rpmlib);
    if (caps)
        addDep(&pkg->requires, "rpmlib(FileCaps)", "4.6.1-1", rpmlib);
    if (pkg->large)
        addDep(&pkg->requires, "rpmlib(LargeFiles)", "4.12.0-1", rpmlib);
    for (size_t i = 0; i < sizeof(compressors) / sizeof(compressors[0]); i++) {
        if (strcmp(pkg->compressor, compressors[i][0]) == 0)
            addDep(&pkg->requires, compressors[i][1], compressors[i][2], rpmlib);
    }
}

static void addDeps(struct hdr *h, const struct pkgDeps *deps, uint32_t nameTag,
                    uint32_t versionTag, uint32_t flagsTag)
{
    char **strings = xcalloc(deps->num, sizeof(*strings));
    uint64_t *flags = xcalloc(deps->num, sizeof(*flags));

    for (size_t i = 0; i < deps->num; i++) {
        strings[i] = deps->list[i].name;
        flags[i] = deps->list[i].flags;
    }
    hdrAddStrings(h, nameTag, strings, deps->num);
    hdrAddNumbers(h, flagsTag, HDR_INT32, flags, deps->num);
    for (size_t i = 0; i < deps->num; i++)
        strings[i] = deps->list[i].version;
    hdrAddStrings(h, versionTag, strings, deps->num);
    free(strings);
    free(flags);
}

static void addTriggers(const struct pkg *pkg)
{
    size_t num = pkg->numTriggers;
    char **names = xcalloc(num, sizeof(*names)), **versions = xcalloc(num, sizeof(*versions));
    char **progs = xcalloc(num, sizeof(*progs)), **bodies = xcalloc(num, sizeof(*bodies));
    uint64_t *flags = xcalloc(num, sizeof(*flags)), *indexes = xcalloc(num, sizeof(*indexes));
    static char noVersion[] = "";

    for (size_t i = 0; i < num; i++) {
        names[i] = pkg->triggers[i].name;
        versions[i] = noVersion;
        progs[i] = pkg->triggers[i].prog;
        bodies[i] = pkg->triggers[i].body;
        flags[i] = pkg->triggers[i].sense;
        indexes[i] = i;
    }
    hdrAddStrings(pkg->main, 1065, bodies, num);
    hdrAddStrings(pkg->main, 1066, names, num);
    hdrAddStrings(pkg->main, 1067, versions, num);
    hdrAddStrings(pkg->main, 1092, progs, num);
    hdrAddNumbers(pkg->main, 1068, HDR_INT32, flags, num);
    hdrAddNumbers(pkg->main, 1069, HDR_INT32, indexes, num);
    free(names);
    free(versions);
    free(progs);
    free(bodies);
    free(flags);
    free(indexes);
}

static void addGeneral(struct pkg *pkg)
{
    static char locale[] = "C", *const locales[] = { locale };
    struct hdr *h = pkg->main;

    hdrAddStrings(h, 100, locales, 1);
    hdrAddString(h, 1000, pkg->name);
    hdrAddString(h, 1001, pkg->version);
    hdrAddString(h, 1002, pkg->release);
    hdrAddI18n(h, 1004, "A package for tests");
    hdrAddI18n(h, 1005, "Made by mkpkg.");
    hdrAddNumber(h, 1006, HDR_INT32, 1500000000);
    hdrAddString(h, 1007, "localhost");
    hdrAddString(h, 1014, "LGPL-2.1-or-later");
    hdrAddI18n(h, 1016, "Unspecified");
    hdrAddString(h, 1021, "linux");
    hdrAddString(h, 1022, pkg->arch);
    if (pkg->source)
        hdrAddNumber(h, 1106, HDR_INT32, 1);
    else
        hdrAddString(h, 1044, "made-1.0-1.src.rpm");
    hdrAddString(h, 1064, "4.18.0");
    hdrAddString(h, 1124, "cpio");
    if (strcmp(pkg->compressor, "none") != 0)
        hdrAddString(h, 1125, pkg->compressor);
    hdrAddString(h, 1126, "6");
    hdrAddString(h, 5062, "utf-8");
}

static void addSizes(const struct pkg *pkg)
{
    uint64_t size = 0;

    for (size_t i = 0; i < pkg->numFiles; i++) {
        const struct pkgFile *f = &pkg->files[i];

        if (S_ISREG(f->mode) && !f->extra && lastOfSet(pkg, i))
            size += f->content.size;
    }
    if (size > UINT32_MAX)
        hdrAddNumber(pkg->main, 5009, HDR_INT64, size);
    else
        hdrAddNumber(pkg->main, 1009, HDR_INT32, size);
}

static bool isWrong(const struct pkg *pkg, const char *which)
{
    return pkg->wrongDigest != NULL && strcmp(pkg->wrongDigest, which) == 0;
}

static char *spoilt(char *hex, bool wrong)
{
    if (wrong)
        hex[0] = hex[0] == '0' ? '1' : '0';
    return hex;
}

static void completeMain(struct pkg *pkg, const struct sums *sums)
{
    char *digest = spoilt(sums->digest, isWrong(pkg, "payload"));
    char *altDigest = spoilt(sums->altDigest, isWrong(pkg, "payloadalt"));
    size_t num = countReal(pkg);

    addGeneral(pkg);
    addSizes(pkg);
    if (!pkg->noRpmlib)
        addRpmlib(pkg);
    addDeps(pkg->main, &pkg->requires, 1049, 1050, 1048);
    addDeps(pkg->main, &pkg->provides, 1047, 1113, 1112);
    addDeps(pkg->main, &pkg->conflicts, 1054, 1055, 1053);
    addDeps(pkg->main, &pkg->obsoletes, 1090, 1115, 1114);
    addTriggers(pkg);
    addFileNames(pkg, num);
    addFileNumbers(pkg, num);
    addFileStrings(pkg, num);
    if (num > 0 && strcmp(pkg->digestAlgo, "md5") != 0)
        hdrAddNumber(pkg->main, 5011, HDR_INT32, algoNumber(pkg->digestAlgo));
    hdrAddStrings(pkg->main, 5092, &digest, 1);
    hdrAddNumber(pkg->main, 5093, HDR_INT32, 8);
    hdrAddStrings(pkg->main, 5097, &altDigest, 1);
    if (pkg->noRegion)
        hdrSetRegion(pkg->main, 0);
    pkgApplyEdits(pkg, pkg->main, false);
}

/* -- signature header, lead, output ---------------------------------------------------------- */

static void addHeaderDigests(const struct pkg *pkg, struct hdr *sig, const struct bytes *main)
{
    const struct content blob = { FILL_DATA, (char *)main->data, main->len, 0 };
    char *sha1 = spoilt(contentDigest(&blob, "sha1"), isWrong(pkg, "sha1"));
    char *sha256 = spoilt(contentDigest(&blob, "sha256"), isWrong(pkg, "sha256"));

    hdrAddString(sig, 269, sha1);
    hdrAddString(sig, 273, sha256);
    free(sha1);
    free(sha256);
}

/* Copies the payload to out, or digests it, or both. */
static void copyPayload(const struct sums *sums, FILE *out, EVP_MD_CTX *ctx)
{
    static unsigned char block[1 << 16];
    size_t got;

    rewind(sums->payload);
    while ((got = fread(block, 1, sizeof(block), sums->payload)) > 0) {
        if (ctx != NULL)
            EVP_DigestUpdate(ctx, block, got);
        if (out != NULL && fwrite(block, 1, got, out) != got)
            die("cannot write the package");
    }
}

static void addMD5(const struct pkg *pkg, struct hdr *sig, const struct bytes *main,
                   const struct sums *sums)
{
    unsigned char md[EVP_MAX_MD_SIZE];
    unsigned int len = 0;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    if (ctx == NULL || !EVP_DigestInit_ex(ctx, EVP_md5(), NULL))
        die("no MD5");
    EVP_DigestUpdate(ctx, main->data, main->len);
    copyPayload(sums, NULL, ctx);
    EVP_DigestFinal_ex(ctx, md, &len);
    EVP_MD_CTX_free(ctx);
    md[0] ^= isWrong(pkg, "md5");
    hdrAddBin(sig, 1004, md, len);
}

static void addSize(struct hdr *sig, uint32_t tag, uint32_t longTag, uint64_t size)
{
    if (size > UINT32_MAX)
        hdrAddNumber(sig, longTag, HDR_INT64, size);
    else
        hdrAddNumber(sig, tag, HDR_INT32, size);
}

static void writeSignature(const struct pkg *pkg, const struct bytes *main,
                           const struct sums *sums, struct bytes *out)
{
    struct hdr *sig = hdrNew(pkg->noRegion ? 0 : 62);

    addHeaderDigests(pkg, sig, main);
    addMD5(pkg, sig, main, sums);
    addSize(sig, 1000, 270, main->len + sums->payloadSize + isWrong(pkg, "size"));
    addSize(sig, 1007, 271, sums->archiveSize);
    pkgApplyEdits(pkg, sig, true);
    hdrWrite(sig, out);
    bytesAlign(out, 8);
    hdrFree(sig);
}

static void writeLead(const struct pkg *pkg, struct bytes *out)
{
    unsigned char lead[96] = { 0xed, 0xab, 0xee, 0xdb, 3, 0 };

    putBE16(lead + 6, pkg->source);
    putBE16(lead + 8, 1);
    snprintf((char *)lead + 10, 66, "%s-%s-%s", pkg->name, pkg->version, pkg->release);
    putBE16(lead + 76, 1);
    putBE16(lead + 78, 5);
    for (size_t i = 0; i < sizeof(lead); i++) {
        if (pkg->leadMask[i])
            lead[i] = pkg->lead[i];
    }
    bytesAdd(out, lead, sizeof(lead));
}

void pkgWrite(struct pkg *pkg, const char *output)
{
    struct bytes main = { NULL, 0, 0 }, head = { NULL, 0, 0 };
    struct sums sums;
    FILE *out = fopen(output, "we");

    if (out == NULL)
        die("cannot create %s", output);
    if (!pkg->keepOrder && pkg->numFiles > 0)
        qsort(pkg->files, pkg->numFiles, sizeof(*pkg->files), byPath);
    numberInodes(pkg);
    writePayload(pkg, &sums);
    completeMain(pkg, &sums);
    hdrWrite(pkg->main, &main);
    writeLead(pkg, &head);
    writeSignature(pkg, &main, &sums, &head);
    fwrite(head.data, 1, head.len, out);
    fwrite(main.data, 1, main.len, out);
    copyPayload(&sums, out, NULL);
    if (ferror(out) || fclose(out) != 0)
        die("cannot write %s", output);
    fclose(sums.payload);
    free(sums.digest);
    free(sums.altDigest);
    bytesFree(&head);
    bytesFree(&main);
}

static void freeDeps(struct pkgDeps *deps)
{
    for (size_t i = 0; i < deps->num; i++) {
        free(deps->list[i].name);
        free(deps->list[i].version);
    }
    free(deps->list);
}

static void freeFile(struct pkgFile *f)
{
    char *all[] = { f->path, f->user, f->group, f->linkto, f->caps, f->lang, f->base,
                    f->content.data, f->linkGroup, f->as, f->digest };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

void pkgFree(struct pkg *pkg)
{
    char *own[] = { pkg->name, pkg->version, pkg->release, pkg->arch, pkg->compressor,
                    pkg->digestAlgo, pkg->wrongDigest };

    hdrFree(pkg->main);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        free(own[i]);
    for (size_t i = 0; i < pkg->numFiles; i++)
        freeFile(&pkg->files[i]);
    free(pkg->files);
    freeDeps(&pkg->requires);
    freeDeps(&pkg->provides);
    freeDeps(&pkg->conflicts);
    freeDeps(&pkg->obsoletes);
    for (size_t i = 0; i < pkg->numTriggers; i++) {
        free(pkg->triggers[i].name);
        free(pkg->triggers[i].prog);
        free(pkg->triggers[i].body);
    }
    free(pkg->triggers);
    for (size_t i = 0; i < pkg->numEdits; i++) {
        for (size_t j = 0; j < pkg->edits[i].num; j++)
            free(pkg->edits[i].args[j]);
        free(pkg->edits[i].args);
        free(pkg->edits[i].verb);
    }
    free(pkg->edits);
    free(pkg->tails);
    free(pkg);
}

void pkgBuild(const char *manifest, const char *output)
{
    struct pkg *pkg = pkgParse(manifest);

    pkgWrite(pkg, output);
    pkgFree(pkg);
}
