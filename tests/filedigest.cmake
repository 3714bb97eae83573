# SPDX-License-Identifier: LGPL-2.1-or-later
# The unit tests of the file digest module, and the functions that each interposes. Two builds
# read this: the tree's own, and rpmio/standalone with a distribution's librpmio.
set(FILEDIGEST_TESTS test_rpmfiledigest test_rpmfiledigest_cache test_rpmfiledigest_cut
    test_rpmfiledigest_guard test_rpmfiledigest_maps test_rpmfiledigest_pool)
set(test_rpmfiledigest_WRAP pread64 read)
set(test_rpmfiledigest_cache_WRAP mmap64 pread64 preadv64v2)
# What tests/unit/digest_acting.h interposes.
foreach(test cut guard maps)
    set(test_rpmfiledigest_${test}_WRAP fstatfs64 madvise mmap64 pread64 sigaction)
endforeach()
set(test_rpmfiledigest_pool_WRAP pthread_create)
