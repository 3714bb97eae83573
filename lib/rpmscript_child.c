/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A scriptlet's process from fork() to execve(). Other threads may have held any lock at the
 * fork: only calls that are safe in a signal handler are made here, and system calls. */

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rpmscript_internal.h"

static void giveUp(const struct scriptChild *child, int atRoot) __attribute__((noreturn));

static void giveUp(const struct scriptChild *child, int atRoot)
{
    struct scriptReport report = { .error = errno, .atRoot = atRoot };
    ssize_t n;

    do {
        n = write(child->report, &report, sizeof(report));
    } while (n < 0 && errno == EINTR);
    _exit(127); /* a shell's status for a command that it cannot find */
}

/* Ours all are, but the program that uses the library may have others. Kernels before 5.11 are
 * spared a loop over millions of descriptors that hardly anybody has. */
static void closeOnExec(void)
{
    struct rlimit limit;
    rlim_t end = 65536;

    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < end)
        end = limit.rlim_cur;
    for (int fd = 3; fd < (int) end; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void writeTo(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        errno = 0; /* chroot() will fail, and be reported */
    if (fd >= 0)
        close(fd);
}

/* Who is not root may change the root in a user namespace of its own, where that is allowed. */
static void becomeRoot(const struct scriptChild *child)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return;
    writeTo("/proc/self/setgroups", "deny\n");
    writeTo("/proc/self/uid_map", child->uidMap);
    writeTo("/proc/self/gid_map", child->gidMap);
}

static void changeRoot(const struct scriptChild *child)
{
    if (child->root < 0)
        return;
    if (child->uidMap != NULL)
        becomeRoot(child);
    if (fchdir(child->root) != 0 || chroot(".") != 0)
        giveUp(child, 1);
}

/* A terminal's interrupts are for the transaction, which waits for the scriptlet: it must not
 * be cut short by them. */
static void setSignals(const struct scriptChild *child)
{
    struct sigaction sa = { .sa_handler = SIG_DFL };
    sigset_t set;

    sigaction(SIGPIPE, &sa, NULL);
    sigaction(SIGXFSZ, &sa, NULL);
    sigemptyset(&set);
    if (child->inTransaction) {
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGQUIT);
    }
    sigprocmask(SIG_SETMASK, &set, NULL);
}

void rpmScriptExec(const struct scriptChild *child)
{
    closeOnExec();
    for (int i = 0; i < 3; i++)
        dup2(child->fds[i], i);
    changeRoot(child);
    if (chdir("/") != 0)
        giveUp(child, 1);
    setrlimit(RLIMIT_NOFILE, &child->nofile);
    setSignals(child);
    execve(child->argv[0], child->argv, child->envp);
    giveUp(child, 0);
}
