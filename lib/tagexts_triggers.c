/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computed tags about triggers. */

#include <rpm/header.h>
#include <rpm/rpmds.h>
#include <rpm/rpmstring.h>

#include "header_internal.h"
#include "tagexts.h"
#include "textbuf.h"

/* The tags of one kind of trigger. */
struct triggerTags {
    rpmTagVal name, index, flags, version, scripts;
};

static const struct triggerTags packageTags = { RPMTAG_TRIGGERNAME, RPMTAG_TRIGGERINDEX,
    RPMTAG_TRIGGERFLAGS, RPMTAG_TRIGGERVERSION, RPMTAG_TRIGGERSCRIPTS };
static const struct triggerTags fileTags = { RPMTAG_FILETRIGGERNAME, RPMTAG_FILETRIGGERINDEX,
    RPMTAG_FILETRIGGERFLAGS, RPMTAG_FILETRIGGERVERSION, RPMTAG_FILETRIGGERSCRIPTS };
static const struct triggerTags transTags = { RPMTAG_TRANSFILETRIGGERNAME,
    RPMTAG_TRANSFILETRIGGERINDEX, RPMTAG_TRANSFILETRIGGERFLAGS, RPMTAG_TRANSFILETRIGGERVERSION,
    RPMTAG_TRANSFILETRIGGERSCRIPTS };

/* Their data. */
struct triggers {
    struct rpmtd_s name, index, flags, version, scripts;
};

/* Fetch all; false if there are none, or their counts differ. */
static bool getTriggers(Header h, const struct triggerTags *tags, struct triggers *t)
{
    headerGet(h, tags->name, &t->name, HEADERGET_MINMEM);
    headerGet(h, tags->index, &t->index, HEADERGET_MINMEM);
    headerGet(h, tags->flags, &t->flags, HEADERGET_MINMEM);
    headerGet(h, tags->version, &t->version, HEADERGET_MINMEM);
    headerGet(h, tags->scripts, &t->scripts, HEADERGET_MINMEM);
    return t->name.count > 0 && t->scripts.count > 0 && t->index.type == RPM_INT32_TYPE &&
        t->flags.type == RPM_INT32_TYPE && t->index.count == t->name.count &&
        t->flags.count == t->name.count && t->version.count == t->name.count &&
        rpmtdClass(&t->name) == RPM_STRING_CLASS && rpmtdClass(&t->version) == RPM_STRING_CLASS;
}

static void freeTriggers(struct triggers *t)
{
    rpmtdFreeData(&t->name);
    rpmtdFreeData(&t->index);
    rpmtdFreeData(&t->flags);
    rpmtdFreeData(&t->version);
    rpmtdFreeData(&t->scripts);
}

/* Add "name >= version" of the current condition to its script's text. */
static void addCondition(struct triggers *t, struct textBuf *text)
{
    if (text->length > 0)
        textBufAdd(text, ", ");
    textBufAdd(text, rpmtdGetString(&t->name));
    if (rpmtdGetNumber(&t->flags) & RPMSENSE_SENSEMASK) {
        char *op = rpmtdFormat(&t->flags, RPMTD_FORMAT_DEPFLAGS, NULL);

        textBufAdd(text, " ");
        textBufAdd(text, op);
        textBufAdd(text, " ");
        textBufAdd(text, rpmtdGetString(&t->version));
        free(op);
    }
}

/* All conditions of a script are of one kind: the first says which. */
static void addKind(struct triggers *t, struct textBuf *text)
{
    if (text->text == NULL) {
        char *kind = rpmtdFormat(&t->flags, RPMTD_FORMAT_TRIGGERTYPE, NULL);

        textBufAdd(text, kind);
        free(kind);
    }
}

/* Make one text for each script out of its conditions. */
static int forScripts(Header h, rpmtd td, const struct triggerTags *tags,
    void (*add)(struct triggers *, struct textBuf *))
{
    struct triggers t;
    int rc = 0;

    if (getTriggers(h, tags, &t)) {
        rpm_count_t count = t.scripts.count;
        struct textBuf *texts = rcalloc(count, sizeof(*texts));
        char **strings = rcalloc(count, sizeof(*strings));

        while (rpmtdNext(&t.name) >= 0 && rpmtdNext(&t.index) >= 0 && rpmtdNext(&t.flags) >= 0 &&
                rpmtdNext(&t.version) >= 0) {
            uint64_t script = rpmtdGetNumber(&t.index);
            if (script < count)
                add(&t, &texts[script]);
        }
        for (rpm_count_t i = 0; i < count; i++)
            strings[i] = textBufTake(&texts[i]);
        free(texts);
        rc = tagextStrings(td, strings, count);
    }
    freeTriggers(&t);
    return rc;
}

int triggercondsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return forScripts(h, td, &packageTags, addCondition);
}

int filetriggercondsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return forScripts(h, td, &fileTags, addCondition);
}

int transfiletriggercondsTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return forScripts(h, td, &transTags, addCondition);
}

int triggertypeTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return forScripts(h, td, &packageTags, addKind);
}

int filetriggertypeTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return forScripts(h, td, &fileTags, addKind);
}

int transfiletriggertypeTag(Header h, rpmtd td, headerGetFlags hgflags)
{
    (void)hgflags;
    return forScripts(h, td, &transTags, addKind);
}
