/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_GROUP_BOUNDS_H
#define RPM_GROUP_BOUNDS_H

/** @file group_bounds.h
 * Where a group of packages ends. */

#include <rpm/rpmts.h>

#include "fsm.h"

typedef struct bounds_s *bounds;

/** @return bounds of an empty group, the caller's to boundsFree() */
bounds boundsNew(rpmts ts);

/** @return NULL always */
bounds boundsFree(bounds b);

/** Must a group that is not empty end before a package?
 * @param te  added element
 * @return    why, in words that follow "before NEVRA: "; NULL if it need not */
const char *boundsBefore(bounds b, rpmte te);

/** Note what a package that was unpacked will put in place.
 * @param m  its files, NULL for none
 * @return   why the group must end after it, in words; NULL if it need not */
const char *boundsAdd(bounds b, rpmte te, fsm m);

#endif /* RPM_GROUP_BOUNDS_H */
