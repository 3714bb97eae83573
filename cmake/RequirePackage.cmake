# SPDX-License-Identifier: LGPL-2.1-or-later
# require_package(PREFIX MODULE DEBIAN FEDORA)
# Finds MODULE by pkg-config as the imported target PkgConfig::PREFIX, or stops the
# configure step with the name of the package to install.
find_program(PKG_CONFIG_EXECUTABLE NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG_EXECUTABLE)
    message(FATAL_ERROR "pkg-config is needed: install pkg-config (Debian) or pkgconf-pkg-config (Fedora)")
endif()
find_package(PkgConfig REQUIRED)

function(require_package prefix module debian fedora)
    pkg_check_modules(${prefix} IMPORTED_TARGET GLOBAL ${module})
    if(NOT ${prefix}_FOUND)
        message(FATAL_ERROR "${module} is needed: install ${debian} (Debian) or ${fedora} (Fedora)")
    endif()
endfunction()
