/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes rpm packages of format v4 from a manifest: right ones, and ones that are wrong in one
 * chosen place. mkpkg --help (or manifest.c) tells the manifest's words. */
#ifndef PKGWRITER_H
#define PKGWRITER_H

#include "hdrwriter.h"
#include "payload.h"

/** The manifest's language, for --help. */
extern const char pkgManifestHelp[];

struct pkgFile {
    char *path, *user, *group, *linkto, *caps, *lang, *base;
    uint32_t mode, flags, verify, mtime, rdev, color;
    struct content content;
    char *linkGroup;            /* files with the same word here are one inode */
    uint32_t ino, nlink;
    /* lies */
    char *as, *digest;          /* the payload's name; the header's digest */
    size_t asLen;
    uint64_t headerSize, cpioSize;
    uint32_t cpioMode, cpioIndex, copies;
    bool hasHeaderSize, hasCpioSize, hasCpioMode, hasCpioIndex;
    bool extra;                 /* in the payload only */
};

struct pkgDep {
    char *name, *version;
    uint64_t flags;
};

struct pkgDeps {
    struct pkgDep *list;
    size_t num;
};

/** A change to a header that is otherwise complete, in the words of the manifest. */
struct pkgEdit {
    bool sig;
    char *verb;
    char **args;
    size_t num;
};

struct pkgTrigger {
    uint64_t sense;
    char *name, *prog, *body;
};

struct pkg {
    struct hdr *main;           /* tags that the manifest set, completed when written */
    struct pkgFile *files;
    size_t numFiles;
    struct pkgDeps requires, provides, conflicts, obsoletes;
    struct pkgTrigger *triggers;
    size_t numTriggers;
    struct pkgEdit *edits;
    size_t numEdits;
    char *name, *version, *release, *arch, *compressor, *digestAlgo, *wrongDigest;
    bool large, keepOrder, noTrailer, source, noRpmlib, interleaved, noRegion;
    struct content *tails;      /* what follows the trailer */
    size_t numTails;
    unsigned char lead[96];
    unsigned char leadMask[96]; /* bytes of the lead that the manifest set */
};

/** Parses a manifest; ends the program at the first mistake in it. */
struct pkg *pkgParse(const char *manifest);
void pkgFree(struct pkg *pkg);

/** Writes the package to a new file. */
void pkgWrite(struct pkg *pkg, const char *output);

/** Both: from manifest text to a file. */
void pkgBuild(const char *manifest, const char *output);

/** Applies what the manifest says about tags and counts of one of the two headers. */
void pkgApplyEdits(const struct pkg *pkg, struct hdr *h, bool sig);

#endif
