/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lead: the first bytes of a package. It says no more than that it is one. */

#include <errno.h>
#include <string.h>

#include <rpm/rpmio.h>
#include <rpm/rpmlib.h>
#include <rpm/rpmstring.h>

#include "rpmvs.h"

static const uint8_t leadMagic[] = { 0xed, 0xab, 0xee, 0xdb };

/* Where things are; what lies between is history. */
enum {
    LEAD_MAJOR = 4,
    LEAD_SIGNATURE_TYPE = 78,
    SIGNATURE_TYPE_HEADER = 5
};

rpmRC rpmLeadRead(FD_t fd, char **emsg)
{
    uint8_t lead[RPMLEAD_SIZE];
    ssize_t nb = Freadall(fd, lead, sizeof(lead));

    *emsg = NULL;
    if (nb < 0) {
        rasprintf(emsg, "read failed: %s (%d)", Fstrerror(fd), errno);
        return RPMRC_FAIL;
    }
    if (nb != sizeof(lead) || memcmp(lead, leadMagic, sizeof(leadMagic)) != 0) {
        *emsg = rstrdup("not an rpm package");
        return RPMRC_NOTFOUND;
    }
    if (lead[LEAD_SIGNATURE_TYPE] != 0 || lead[LEAD_SIGNATURE_TYPE + 1] != SIGNATURE_TYPE_HEADER) {
        *emsg = rstrdup("illegal signature type");
        return RPMRC_FAIL;
    }
    if (lead[LEAD_MAJOR] < 3 || lead[LEAD_MAJOR] > 4) {
        *emsg = rstrdup("unsupported RPM package version");
        return RPMRC_FAIL;
    }
    return RPMRC_OK;
}
