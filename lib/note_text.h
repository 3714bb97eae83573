/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_NOTE_TEXT_H
#define RPM_NOTE_TEXT_H

/** @file note_text.h
 * What is in the note of a transaction in flight, and how it is written down. See note.h.
 *
 *     rpm transaction note 1
 *     tid 1764541234
 *     flags 0
 *     add kernel-6.1-2.x86_64
 *     erase 371 1764000000 1 kernel-6.1-1.x86_64
 *     erase 12 1700000000 0 vi-9-1.x86_64
 *     dir /boot/
 *     sum SHA-256 of all lines before this one, in hexadecimal
 *     begun .
 *
 * An erasure has the number and the transaction of its record, and which of the packages added it
 * makes place for, from 1; 0 for none. These have each a byte after `begun`, in their order: `.`,
 * and `+` from when the erasure is begun, written in place. Blanks, control bytes and backslashes
 * of names are a backslash and three octal digits.
 */

#include <rpm/rpmts.h>

/** A record to be removed. */
struct noteErasure {
    char *nevra;
    unsigned int num; /**< of the record */
    rpm_tid_t tid;    /**< that the record says it was installed in */
    int by;           /**< package added that it makes place for, from 1; 0: it is erased as such */
    int begun;        /**< only of those that are erased as such */
};

struct noteText {
    rpm_tid_t tid;
    rpmtransFlags flags;
    char **added; /**< NEVRA of each package */
    int nadded;
    struct noteErasure *erased;
    int nerased;
    char **dirs;  /**< where temporary names may be */
    int ndirs;
};

enum noteKind {
    NOTE_WHOLE,
    NOTE_TORN, /**< the beginning of a note, nothing, or a note that was changed */
    NOTE_ALIEN /**< no note, or one of another version */
};

void noteTextAddPackage(struct noteText *note, const char *nevra);
void noteTextAddErasure(struct noteText *note, const struct noteErasure *erasure);
void noteTextAddDir(struct noteText *note, const char *dn);

/** Free what is in it. */
void noteTextFini(struct noteText *note);

/** Write a note down.
 * @param[out] length  bytes
 * @param[out] begun   offset of the first byte after `begun`
 * @return             text, the caller's to free()
 */
char *noteTextWrite(const struct noteText *note, size_t *length, size_t *begun);

/** Read a note.
 * @param text       bytes, and a NUL after them
 * @param length     how many
 * @param[out] note  filled in if it is whole, else empty; for noteTextFini()
 */
enum noteKind noteTextRead(const char *text, size_t length, struct noteText *note);

#endif /* RPM_NOTE_TEXT_H */
