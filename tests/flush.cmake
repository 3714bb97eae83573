# SPDX-License-Identifier: LGPL-2.1-or-later
# The unit tests of the write policy module, and the functions that each interposes. Two builds
# read this: the tree's own, and rpmio/standalone with a distribution's librpmio.
set(FLUSH_TESTS test_rpmflush test_rpmflush_barrier test_rpmflush_batch
    test_rpmflush_hint test_rpmflush_policy test_rpmflush_pool test_rpmflush_touch)
set(flush_calls close fallocate64 fdatasync fstat64 fstatfs64 fsync ftruncate64 posix_fadvise64
    pread64 pwritev64v2 sync_file_range syncfs uname write)
set(test_rpmflush_WRAP ${flush_calls})
set(test_rpmflush_barrier_WRAP ${flush_calls})
set(test_rpmflush_batch_WRAP ${flush_calls})
set(test_rpmflush_hint_WRAP ${flush_calls})
set(test_rpmflush_policy_WRAP)
set(test_rpmflush_pool_WRAP ${flush_calls} pthread_create)
set(test_rpmflush_touch_WRAP ${flush_calls})
