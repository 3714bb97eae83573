/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMSELINUX_H
#define RPM_RPMSELINUX_H

/** @file rpmselinux.h
 * Whether SELinux decides what files may do on this system. */

/** @return 1 if the kernel enforces an SELinux policy, else 0 */
int rpmSelinuxEnforcing(void);

#endif /* RPM_RPMSELINUX_H */
