/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FAKEFD_H
#define TESTS_FAKEFD_H

/* A source behind Fread() for tests that --wrap it together with Fclose(), Ferror() and
 * Fstrerror(): bytes from memory or from a function, in pieces of any size, with an error after a
 * given number of bytes. The one source is set up before a reader starts. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include <rpm/rpmio.h>

static struct fakefd {
    const unsigned char *data;     /* what to deliver, or */
    void (*make)(unsigned char *buf, uint64_t offset, size_t n);
    uint64_t size;                 /* bytes in all */
    uint64_t pos;                  /* delivered */
    size_t piece;                  /* most bytes of one Fread(); 0: as many as asked for */
    uint64_t failat;               /* an error instead of the bytes from here on, if fails */
    int fails;
    const char *error;             /* text of the error; NULL: only errno says it */
    int closed;                    /* times closed */
    int reads;
    sigset_t mask;                 /* signals blocked in the reading thread */
} fake;

static FD_t fakeReset(const void *data, uint64_t size)
{
    memset(&fake, 0, sizeof(fake));
    fake.data = data;
    fake.size = size;
    return (FD_t)(void *)&fake;
}

ssize_t __wrap_Fread(void *buf, size_t size, size_t nmemb, FD_t fd);
int __wrap_Fclose(FD_t fd);
int __wrap_Ferror(FD_t fd);
const char *__wrap_Fstrerror(FD_t fd);

ssize_t __wrap_Fread(void *buf, size_t size, size_t nmemb, FD_t fd)
{
    uint64_t n = size * nmemb, end = fake.fails ? fake.failat : fake.size;

    (void)fd;
    fake.reads++;
    pthread_sigmask(SIG_BLOCK, NULL, &fake.mask);
    if (fake.fails && fake.pos >= fake.failat) {
        errno = EIO;
        return -1;
    }
    if (fake.piece > 0 && n > fake.piece)
        n = fake.piece;
    if (n > end - fake.pos)
        n = end - fake.pos;
    if (fake.make != NULL)
        fake.make(buf, fake.pos, n);
    else
        memcpy(buf, fake.data + fake.pos, n);
    __atomic_store_n(&fake.pos, fake.pos + n, __ATOMIC_RELAXED);
    return (ssize_t)n;
}

int __wrap_Fclose(FD_t fd)
{
    (void)fd;
    fake.closed++;
    return 0;
}

int __wrap_Ferror(FD_t fd)
{
    (void)fd;
    return fake.fails && fake.error != NULL ? -1 : 0;
}

const char *__wrap_Fstrerror(FD_t fd)
{
    (void)fd;
    return fake.error;
}

#endif /* TESTS_FAKEFD_H */
