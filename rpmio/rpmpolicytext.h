/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPMPOLICYTEXT_H
#define RPMPOLICYTEXT_H

/* Values of macros, for both halves of the module. Nothing here is visible outside of it. */

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Expansion of a macro without the white space around it, the caller's to free(); "" if it is not
 * defined. */
char *policyMacro(const char *name);

/* A copy without the white space around it, the caller's to free(). */
char *policyTrimmed(const char *value);

/* A number of bytes, perhaps with K, M or G, below 2^63: it is compared with file offsets. 0, or
 * -1 for anything else. */
int policySize(const char *value, uint64_t *size);

/* The line for a value that is not accepted, in *emsg if that is not NULL; returns -1. */
int policyRefuse(char **emsg, const char *name, const char *value, const char *accepted);

#pragma GCC visibility pop

#endif /* RPMPOLICYTEXT_H */
