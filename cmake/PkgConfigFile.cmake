# SPDX-License-Identifier: LGPL-2.1-or-later
# pkgconfig_file(LIBRARY DESCRIPTION [REQUIRED...]): LIBRARY.pc. It names the library directory as
# an rpath too, since no loader looks in a private prefix by itself.
function(pkgconfig_file pc_name pc_description)
    string(REPLACE ";" " " pc_requires "${ARGN}")
    configure_file(${CMAKE_SOURCE_DIR}/cmake/policy.pc.in ${CMAKE_BINARY_DIR}/${pc_name}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
