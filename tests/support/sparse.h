/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SPARSE_H
#define SPARSE_H

/** Copies a file to an empty one, its holes as holes; 0, or -1 with errno. */
int sparseCopy(int from, int to);

#endif /* SPARSE_H */
