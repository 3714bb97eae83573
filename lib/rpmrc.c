/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configuration: the target platform, and the macro files in their order. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <rpm/rpmds.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>
#include <rpm/rpmstring.h>

#include "flushpolicy.h"

static pthread_mutex_t configLock = PTHREAD_MUTEX_INITIALIZER;

/* The macro file of this tree, then what distributions have; their own is in a directory named
 * after the vendor. */
static char *usualMacroFiles(void)
{
    const char *own = getenv("RPMIO_POLICY_MACROS");
    const char *dir = rpmConfigDir();

    return rstrscat(NULL, own ? own : OWN_MACRO_FILE, ":",
                    dir, "/macros:",
                    dir, "/macros.d/macros.*:",
                    dir, "/platform/%{_target}/macros:",
                    dir, "/fileattrs/*.attr:",
                    dir, "/*/macros:",
                    "/etc/rpm/macros.*:/etc/rpm/macros:/etc/rpm/%{_target}/macros:",
                    "~/.rpmmacros", NULL);
}

static void lower(char *s)
{
    for (; *s != '\0'; s++)
        *s = (char)rtolower(*s);
}

/* Split CPU[-VENDOR]-OS[-gnu] in place; a part that is missing is left as it was. */
static void splitTarget(char *target, const char **cpu, const char **os)
{
    size_t len = strlen(target);
    char *dash;

    if (len > 4 && rstrcasecmp(target + len - 4, "-gnu") == 0)
        target[len - 4] = '\0';
    dash = strrchr(target, '-');
    if (dash != NULL)
        *os = dash + 1;
    target[strcspn(target, "-")] = '\0';
    *cpu = target;
}

static void replaceMacro(const char *name, const char *body)
{
    rpmPopMacro(NULL, name);
    rpmPushMacro(NULL, name, NULL, body, RMIL_RPMRC);
}

static void setTarget(const char *cpu, const char *os)
{
    char *both = rstrscat(NULL, cpu, "-", os, NULL);

    replaceMacro("_target", both);
    replaceMacro("_target_cpu", cpu);
    replaceMacro("_target_os", os);
    free(both);
}

int rpmReadConfigFiles(const char *file, const char *target)
{
    struct utsname un;
    const char *cpu = un.machine, *os = un.sysname;
    char *copy = target ? rstrdup(target) : NULL;
    char *files = NULL;
    int rc = -1;

    pthread_mutex_lock(&configLock);
    if (file != NULL) {
        rpmlog(RPMLOG_ERR, "%s: rpmrc files are not supported\n", file);
        goto exit;
    }
    if (uname(&un) != 0) {
        rpmlog(RPMLOG_ERR, "uname: %m\n");
        goto exit;
    }
    lower(un.machine);
    lower(un.sysname);
    if (copy != NULL) {
        lower(copy);
        splitTarget(copy, &cpu, &os);
    }
    if (macrofiles == NULL)
        macrofiles = usualMacroFiles();
    setTarget(cpu, os); /* the path depends on it */
    files = rpmExpand(macrofiles, NULL);
    rpmInitMacros(NULL, files);
    setTarget(cpu, os);
    rc = 0;

exit:
    pthread_mutex_unlock(&configLock);
    free(files);
    free(copy);
    return rc;
}

static void showFeatures(FILE *fp)
{
    rpmds ds = NULL;

    rpmdsRpmlib(&ds, NULL);
    fprintf(fp, "Features supported by rpmlib:\n");
    while (rpmdsNext(ds) >= 0)
        fprintf(fp, "    %s\n", rpmdsDNEVR(ds) + 2);
    fprintf(fp, "\n");
    rpmdsFree(ds);
}

static void printLine(void *data, const char *line)
{
    fprintf((FILE *)data, "    %s\n", line);
}

static void showWritePolicy(FILE *fp)
{
    rpmFlushPolicy policy;
    char *emsg = NULL;

    fprintf(fp, "Write policy:\n");
    if (rpmFlushPolicyFromMacros(&policy, &emsg))
        rpmlog(RPMLOG_ERR, "%s\n", emsg);
    else
        flushPolicySay(&policy, printLine, fp);
    fprintf(fp, "\n");
    free(emsg);
}

int rpmShowRC(FILE *fp)
{
    char *cpu = rpmExpand("%{?_target_cpu}", NULL);
    char *os = rpmExpand("%{?_target_os}", NULL);

    fprintf(fp, "ARCHITECTURE AND OS:\n");
    fprintf(fp, "install arch          : %s\n", cpu);
    fprintf(fp, "install os            : %s\n\n", os);
    showFeatures(fp);
    showWritePolicy(fp);
    fprintf(fp, "Macro path: %s\n\n", macrofiles ? macrofiles : "");
    rpmDumpMacroTable(NULL, fp);
    free(cpu);
    free(os);
    return 0;
}
