/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_MACHINE_H
#define RPM_MACHINE_H

/** @file machine.h
 * Which packages a machine can run. */

#include <stdbool.h>

#include <rpm/rpmts.h>

/** Can a machine run what is built for an architecture?
 * @param machine  as uname(2) names it
 * @param arch     as packages name it
 */
bool rpmMachineRuns(const char *machine, const char *arch);

/** Give each package that is for another machine or operating system a problem, but for those of
 * the transaction's filter.
 * @return  0; -1 with errno set if the system does not tell what it is
 */
int rpmMachineCheck(rpmts ts);

#endif /* RPM_MACHINE_H */
