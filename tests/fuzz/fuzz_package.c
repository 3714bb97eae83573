/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole package: its headers without any digest, then the payload as the header has it. */
#include <rpm/header.h>
#include <rpm/rpmarchive.h>
#include <rpm/rpmfiles.h>

#include "fuzz_common.h"
#include "payload.h"
#include "rpmvs.h"

static void unpack(FD_t fd, Header h, rpmfiles files)
{
    FD_t out = Fopen("/dev/null", "w.ufdio");
    char *emsg = NULL;
    rpmPayload p = rpmPayloadNew(fd, h, files, &emsg);
    int fx = p != NULL ? 0 : RPMERR_ITER_END;

    while (fx >= 0 && (fx = rpmPayloadNext(p)) >= 0) {
        if (rpmPayloadHasContent(p))
            rpmPayloadReadToFile(p, out, 0);
    }
    if (p != NULL && fx != RPMERR_ITER_END)
        free(rpmPayloadStrerror(p, fx));
    free(emsg);
    rpmPayloadFree(p);
    Fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fdno = fuzzFile(data, size);
    FD_t fd = fdDup(fdno);
    Header h = NULL;
    rpmfiles files = NULL;

    rpmpkgReadHeader(RPMVSF_MASK_NODIGESTS | RPMVSF_MASK_NOSIGNATURES | RPMVSF_NEEDPAYLOAD, fd,
                     "fuzz", &h);
    if (h != NULL)
        files = rpmfilesNew(NULL, h, RPMTAG_BASENAMES, RPMFI_FLAGS_INSTALL);
    if (files != NULL)
        unpack(fd, h, files);
    rpmfilesFree(files);
    headerFree(h);
    Fclose(fd);
    close(fdno);
    rpmlogClose();
    return 0;
}
