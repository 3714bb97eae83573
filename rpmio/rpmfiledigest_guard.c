/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SIGBUS: what a reader gets who touches a mapped page that the file no longer has, or that the
 * disk does not give.
 *
 * While there are maps, the process has our handler. For a fault in one of our maps, it marks the
 * map and covers all of it with zero pages, so that whoever reads it comes to an end; every reader
 * looks at the mark afterwards. The map as a whole is covered because that needs no further map:
 * it cannot fail for want of one. All other faults go to the handler that was there before.
 *
 * The table of maps is read by the handler at any time: an entry that is being changed says so by
 * an odd generation, and is then not that of a map somebody reads. */

#include "rpmfiledigest_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Maps at one time: enough for a pool of every size, beyond it files are read. */
#define GUARDED_MAX 256

struct digestGuarded {
    atomic_uint generation;
    atomic_uintptr_t start, end; /* end 0: not in use */
    atomic_uintptr_t fault;      /* first address that faulted, or 0 */
};

static struct digestGuarded table[GUARDED_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;
/* The handlers before ours, the latest last: one that is being read by a handler is not written. */
static struct sigaction before[2];
static atomic_uint latest;

/* ---- The handler ---- */

static struct digestGuarded *findGuarded(uintptr_t addr)
{
    for (int i = 0; i < GUARDED_MAX; i++) {
        unsigned generation = atomic_load(&table[i].generation);
        uintptr_t start = atomic_load(&table[i].start), end = atomic_load(&table[i].end);

        if (addr >= start && addr < end && generation % 2 == 0 &&
            atomic_load(&table[i].generation) == generation)
            return &table[i];
    }
    return NULL;
}

/* The mark comes first: who sees a zero page sees it, too. */
static int cover(struct digestGuarded *guarded, uintptr_t addr)
{
    uintptr_t none = 0, start = atomic_load(&guarded->start);
    size_t len = atomic_load(&guarded->end) - start;

    atomic_compare_exchange_strong(&guarded->fault, &none, addr);
    return mmap((void *)start, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
           MAP_FAILED;
}

/* A fault by which the thread cannot go on, as opposed to a signal that somebody has sent, or a
 * note of bad memory that nobody has touched. */
static int isFault(const siginfo_t *info)
{
    return info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
}

static void setDefault(int sig)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = SIG_DFL;
    sigaction(sig, &action, NULL);
}

/* What the kernel would do without a handler. A fault comes again when this one returns. */
static void passToDefault(int sig, const siginfo_t *info, int ignored)
{
    if (ignored && !isFault(info))
        return;
    setDefault(sig);
    if (!isFault(info))
        raise(sig);
}

static void passOn(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *action = &before[atomic_load(&latest) % 2];

    if (action->sa_flags & SA_RESETHAND)
        setDefault(sig);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(sig, info, context);
    else if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)
        passToDefault(sig, info, action->sa_handler == SIG_IGN);
    else
        action->sa_handler(sig);
}

static void onBus(int sig, siginfo_t *info, void *context)
{
    int err = errno;
    struct digestGuarded *guarded = NULL;

    if (info->si_code == BUS_ADRERR)
        guarded = findGuarded((uintptr_t)info->si_addr);
    if (guarded == NULL || !cover(guarded, (uintptr_t)info->si_addr))
        passOn(sig, info, context);
    errno = err;
}

/* ---- Installing it ---- */

static int isOurs(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == onBus;
}

int digestGuardHolds(void)
{
    struct sigaction action;

    return sigaction(SIGBUS, NULL, &action) == 0 && isOurs(&action);
}

/* The former handler must be known before a signal can come to ours. What was blocked during it, and
 * whether its calls are restarted, stays as it was. If an application has put ours back after
 * it had its own for a while, there is nothing to do. */
static int install(void)
{
    struct sigaction action, old;

    if (sigaction(SIGBUS, NULL, &old))
        return -1;
    if (isOurs(&old))
        return 0;
    before[(atomic_load(&latest) + 1) % 2] = old;
    atomic_fetch_add(&latest, 1);
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = onBus;
    action.sa_mask = old.sa_mask;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (old.sa_flags & (SA_RESTART | SA_NODEFER));
    return sigaction(SIGBUS, &action, NULL);
}

/* Somebody else's handler stays; it may pass on to ours, which does no harm. */
static void uninstall(void)
{
    if (digestGuardHolds())
        sigaction(SIGBUS, &before[atomic_load(&latest) % 2], NULL);
}

int digestGuardEnter(sigset_t *old)
{
    sigset_t bus;
    int rc = 0;

    pthread_mutex_lock(&lock);
    if (users == 0)
        rc = install();
    if (rc == 0)
        users++;
    pthread_mutex_unlock(&lock);
    if (rc)
        return -1;
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &bus, old);
    return 0;
}

void digestGuardLeave(const sigset_t *old)
{
    pthread_sigmask(SIG_SETMASK, old, NULL);
    pthread_mutex_lock(&lock);
    if (--users == 0)
        uninstall();
    pthread_mutex_unlock(&lock);
}

/* ---- The table ---- */

static void setEntry(struct digestGuarded *entry, uintptr_t start, uintptr_t end)
{
    atomic_fetch_add(&entry->generation, 1);
    atomic_store(&entry->start, start);
    atomic_store(&entry->end, end);
    atomic_store(&entry->fault, 0);
    atomic_fetch_add(&entry->generation, 1);
}

struct digestGuarded *digestGuardMap(void *addr, size_t len)
{
    struct digestGuarded *found = NULL;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < GUARDED_MAX && found == NULL; i++) {
        if (atomic_load(&table[i].end) == 0)
            found = &table[i];
    }
    if (found != NULL)
        setEntry(found, (uintptr_t)addr, (uintptr_t)addr + len);
    pthread_mutex_unlock(&lock);
    return found;
}

int digestGuardFaulted(const struct digestGuarded *guarded, uintptr_t *addr)
{
    *addr = atomic_load(&guarded->fault);
    return *addr != 0;
}

struct digestGuarded *digestGuardEnd(struct digestGuarded *guarded)
{
    if (guarded == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    setEntry(guarded, 0, 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}
