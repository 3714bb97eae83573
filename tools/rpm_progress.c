/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rpm prints while a transaction runs: labels, hash marks, percentages. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rpm/header.h>
#include <rpm/rpmio.h>
#include <rpm/rpmlog.h>

#include "rpmtool.h"

/* A bar of hash marks; on a terminal it leaves room for a percentage. */
#define BAR_TERMINAL 34
#define BAR_PLAIN 40
#define LABEL_WIDTH 38

static struct progressState {
    int drawn;               /* hash marks of the running bar */
    int done;                /* bars finished in this phase */
    int total;               /* bars of this phase */
    int packages;            /* packages of the transaction */
    rpmCallbackType phase;   /* event that began it */
    FD_t fd;                 /* the package in hand */
} progress;

static void put(char c, int count)
{
    while (count-- > 0)
        putchar(c);
}

static int rounded(float fraction)
{
    return (int)((100 * fraction) + 0.5);
}

/* One more hash mark. On a terminal the whole bar is drawn with the percentage behind it, and
 * the cursor goes back to its start; the mark just earned shows in the next drawing. */
static void drawStep(int width, float fraction, bool terminal)
{
    if (terminal) {
        put('#', progress.drawn);
        put(' ', width - progress.drawn);
        printf("(%3d%%)", rounded(fraction));
        put('\b', width + 6);
    } else {
        putchar('#');
    }
    progress.drawn++;
}

static void finishBar(int width, bool terminal)
{
    progress.done++;
    if (terminal) {
        float fraction = progress.total ? (float)progress.done / progress.total : 1;

        put('#', width - 1);
        printf(" [%3d%%]", rounded(fraction));
    }
    putchar('\n');
}

static void drawBar(rpm_loff_t amount, rpm_loff_t total)
{
    bool terminal = isatty(STDOUT_FILENO);
    int width = terminal ? BAR_TERMINAL : BAR_PLAIN;
    float fraction = total ? (float)amount / total : 1;
    int wanted = (int)((width * fraction) + 0.5);

    if (progress.drawn == width)
        return;
    while (progress.drawn < wanted && progress.drawn < width)
        drawStep(width, fraction, terminal);
    if (progress.drawn == width)
        finishBar(width, terminal);
}

static void showAmount(unsigned int flags, rpm_loff_t amount, rpm_loff_t total)
{
    if (flags & SHOW_PERCENT)
        printf("%%%% %f\n", (double)(total ? ((float)amount / total) * 100 : 100.0));
    else if (flags & SHOW_HASH)
        drawBar(amount, total);
}

/* "Preparing..." or "Verifying...": one bar for all packages. */
static void beginPhase(unsigned int flags, rpmCallbackType what, rpm_loff_t total)
{
    bool preparing = (what == RPMCALLBACK_TRANS_START);

    progress.drawn = 0;
    progress.done = 0;
    progress.total = 1;
    progress.packages = (int)total;
    progress.phase = what;
    if (!(flags & SHOW_LABEL))
        return;
    if (flags & SHOW_HASH)
        printf("%-*s", LABEL_WIDTH, preparing ? "Preparing..." : "Verifying...");
    else
        printf("%s\n", preparing ? "Preparing packages..." : "Verifying packages...");
}

static void endPhase(unsigned int flags)
{
    if (flags & SHOW_HASH)
        drawBar(1, 1);
    progress.total = progress.packages;
    progress.done = 0;
}

static void showLabel(unsigned int flags, Header h)
{
    char *name = headerGetAsString(h, (flags & SHOW_HASH) ? RPMTAG_NEVR : RPMTAG_NEVRA);

    if (!(flags & SHOW_HASH))
        printf("%s\n", name);
    else if (isatty(STDOUT_FILENO))
        printf("%4d:%-33.33s", progress.done + 1, name);
    else
        printf("%-*.*s", LABEL_WIDTH, LABEL_WIDTH, name);
    free(name);
}

static void beginPackage(unsigned int flags, rpmCallbackType what, Header h)
{
    if (progress.phase != what) {
        progress.phase = what;
        if (flags & SHOW_HASH)
            puts(what == RPMCALLBACK_INST_START ? "Updating / installing..."
                                                : "Cleaning up / removing...");
    }
    progress.drawn = 0;
    if (h != NULL && (flags & SHOW_LABEL))
        showLabel(flags, h);
}

static FD_t openPackage(const char *fn)
{
    progress.fd = Fopen(fn, "r.ufdio");
    if (progress.fd == NULL)
        rpmlog(RPMLOG_ERR, "open of %s failed: %s\n", fn, Fstrerror(NULL));
    return progress.fd;
}

static void closePackage(void)
{
    if (progress.fd != NULL)
        Fclose(progress.fd);
    progress.fd = NULL;
}

void *showProgress(const void *h, const rpmCallbackType what, const rpm_loff_t amount,
                   const rpm_loff_t total, fnpyKey key, rpmCallbackData data)
{
    unsigned int flags = (unsigned int)(uintptr_t)data;

    switch (what) {
    case RPMCALLBACK_INST_OPEN_FILE:
        return openPackage(key);
    case RPMCALLBACK_INST_CLOSE_FILE:
        closePackage();
        break;
    case RPMCALLBACK_INST_START:
    case RPMCALLBACK_UNINST_START:
        beginPackage(flags, what, (Header)h);
        break;
    case RPMCALLBACK_TRANS_PROGRESS:
    case RPMCALLBACK_INST_PROGRESS:
    case RPMCALLBACK_UNINST_PROGRESS:
    case RPMCALLBACK_VERIFY_PROGRESS:
        showAmount(flags, amount, total);
        break;
    case RPMCALLBACK_TRANS_START:
    case RPMCALLBACK_VERIFY_START:
        beginPhase(flags, what, total);
        break;
    case RPMCALLBACK_TRANS_STOP:
    case RPMCALLBACK_VERIFY_STOP:
        endPhase(flags);
        break;
    default:
        return NULL;
    }
    fflush(stdout);
    return NULL;
}
