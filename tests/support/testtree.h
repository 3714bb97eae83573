/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTTREE_H
#define TESTTREE_H

/** @file testtree.h
 * Temporary trees for unit tests: made, filled, listed and removed. Every call fails the test
 * (cmocka's) when the system does not do what it is asked for.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** Make an empty directory; group setups and teardowns of a test use these two.
 * @param[out] state  path, freed by treeTeardown() */
int treeSetup(void **state);
int treeTeardown(void **state);

/** Path of a name below a tree; a static buffer, one of eight in turn. */
const char *at(const char *tree, const char *name);

/** Make a file with a content, a directory, a symlink. */
void putFile(const char *tree, const char *name, const char *content);
void putDir(const char *tree, const char *name);
void putLink(const char *tree, const char *name, const char *target);

/** Content of a file, the caller's to free(). */
char *getFile(const char *tree, const char *name);

/** @return  1 if there is anything of that name, a symlink to nowhere too; else 0 */
int exists(const char *tree, const char *name);

/** Fail the test unless a file has this content. */
void assertContent(const char *tree, const char *name, const char *want);

/** Everything below a tree, a line each, sorted by name: name, inode, type and mode, owner,
 * links, and of all but directories size and mtime. Two listings are equal only where nothing
 * was touched.
 * @return  text, the caller's to free() */
char *treeList(const char *tree);

/** Number of names below a tree that have `part` in them. */
int treeCount(const char *tree, const char *part);

#endif /* TESTTREE_H */
