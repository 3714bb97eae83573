/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether SELinux decides what files may do on this system. */

#include <stdio.h>

#include "rpmselinux.h"

/* The second is where kernels before 3.0 had it mounted. */
static const char *const paths[] = { "/sys/fs/selinux/enforce", "/selinux/enforce" };

int rpmSelinuxEnforcing(void)
{
    int enforcing = 0;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !enforcing; i++) {
        FILE *f = fopen(paths[i], "re");
        if (f != NULL) {
            enforcing = fgetc(f) == '1';
            fclose(f);
        }
    }
    return enforcing;
}
