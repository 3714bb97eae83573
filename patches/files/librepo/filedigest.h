/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LR_FILEDIGEST_H
#define LR_FILEDIGEST_H

/* Reading and syncing by librpmio, where the build found an rpm that has the calls. */

#include <glib.h>
#include <openssl/evp.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* Feed a digest with a file from where the descriptor is to the end, where it is left.
 * FALSE: read it yourself. TRUE: *result is 0, or -1 with errno. */
gboolean lr_filedigest_feed(EVP_MD_CTX *ctx, int fd, ssize_t *result);

/* fsync(), but where rpm's macros say that the caller owns durability (%_flush_io none). */
int lr_filedigest_fsync(int fd);

/* Copy what is left of a file behind where another one is. 0, or -1 with errno. */
int lr_filedigest_copy(int source, int dest);

G_END_DECLS

#endif
