/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of macros share: the built-ins and nothing else, and a record of messages. */
#ifndef MACRO_FIXTURE_H
#define MACRO_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rpm/rpmlog.h>
#include <rpm/rpmmacro.h>

/* All messages since the last clearMessages(), one after the other. */
static char messages[8192];

static inline void clearMessages(void)
{
    messages[0] = '\0';
}

static inline int keepMessage(rpmlogRec rec, rpmlogCallbackData data)
{
    size_t len = strlen(messages);

    (void)data;
    snprintf(messages + len, sizeof(messages) - len, "%s", rpmlogRecMessage(rec));
    return 0;
}

static inline int setUp(void **state)
{
    (void)state;
    clearMessages();
    rpmlogSetCallback(keepMessage, NULL);
    rpmInitMacros(NULL, NULL);
    return 0;
}

static inline int tearDown(void **state)
{
    (void)state;
    rpmFreeMacros(NULL);
    rpmFreeMacros(rpmCLIMacroContext);
    rpmlogSetCallback(NULL, NULL);
    rpmlogClose();
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setUp, tearDown)

static inline void expands(const char *text, const char *wanted)
{
    char *got = NULL;

    assert_int_equal(rpmExpandMacros(NULL, text, &got, 0), 1);
    assert_string_equal(got, wanted);
    free(got);
}

/* The expansion fails with just this message. */
static inline void fails(const char *text, const char *message)
{
    char *got = NULL;

    clearMessages();
    assert_int_equal(rpmExpandMacros(NULL, text, &got, 0), -1);
    assert_null(got);
    assert_string_equal(messages, message);
    clearMessages();
}

static inline void defined(const char *definition)
{
    assert_int_equal(rpmDefineMacro(NULL, definition, RMIL_SPEC), 0);
}

/* A file in /tmp with this text, the caller's to unlink. */
static inline const char *makeFile(const char *text, size_t len)
{
    static char path[64];
    int fd;

    strcpy(path, "/tmp/rpmio-macros.XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    close(fd);
    return path;
}

#endif /* MACRO_FIXTURE_H */
