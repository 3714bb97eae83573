/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RPM_RPMAL_H
#define RPM_RPMAL_H

/** @file rpmal.h
 * An index of what packages provide: by names of provides, names of files and names of packages.
 *
 * Headers and file lists must outlive it. */

#include <stdbool.h>

#include <rpm/rpmds.h>
#include <rpm/rpmfiles.h>
#include <rpm/rpmts.h>

#include "rpmplaces.h"

typedef struct rpmal_s *rpmal;

/** @param places  for names of directories; it must outlive the index
 *  @param flags   RPMTRANS_FLAG_NODOCS, _NOCONFIGS: files that are not installed do not count
 *  @return        empty index, the caller's to rpmalFree() */
rpmal rpmalNew(rpmPlaces places, rpmtransFlags flags);

/** @return NULL always */
rpmal rpmalFree(rpmal al);

/** Have packages of a color go before others. */
void rpmalPrefer(rpmal al, rpm_color_t color);

/** Add a package, before the first search.
 * @return  its number: packages are counted from 0 */
int rpmalAdd(rpmal al, Header h, rpmfiles files, rpm_color_t color);

/** Find a package that has what a dependency names: for an obsoletion a package of that name, else
 * a file or a provide.
 * @param ds      set at the entry
 * @param prefer  number of a package that goes before others of its color, or -1
 * @param except  number of a package that does not count, or -1
 * @return        number of the package, the first of those that are as good; -1 for none */
int rpmalFind(rpmal al, rpmds ds, int prefer, int except);

/** @return true if some package provides the name, in whatever version */
bool rpmalHasName(rpmal al, const char *name);

/** @return true if some package has the very provide of a set's entry: whatever the entry meets, it
 * meets */
bool rpmalHasProvide(rpmal al, rpmds provide);

/** @return true if some package has the file */
bool rpmalHasFile(rpmal al, const char *path);

#endif /* RPM_RPMAL_H */
