/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMPLACES_H
#define RPM_RPMPLACES_H

/** @file rpmplaces.h
 * Which names of directories are of one and the same, by way of symlinks on the disk.
 *
 * What was looked at once is remembered: an object is for a short time, and for one thread. */

#include <stdbool.h>

typedef struct rpmPlaces_s *rpmPlaces;

/** @param rootDir  directory that all names are below; without it each name is a place of its own
 *  @return         object, the caller's to rpmPlacesFree() */
rpmPlaces rpmPlacesNew(const char *rootDir);

/** @return NULL always */
rpmPlaces rpmPlacesFree(rpmPlaces places);

/** Whether two names are of one directory, or will be once it is made. One that cannot be looked
 * at is taken by its name. */
bool rpmPlacesSame(rpmPlaces places, const char *dirA, const char *dirB);

#endif /* RPM_RPMPLACES_H */
