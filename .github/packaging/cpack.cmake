# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cpack` makes of a build; `cmake --workflow --preset package` builds and packs. Debian packages of the two components:
#   libaxe-dev   headers, CMake package, pkg-config file, documentation; with AXE_BUILD_C the shared library of the C interface
#   axe-tools    the command, its manual page and completions
# A build without examples has no command, and makes libaxe-dev alone.
set(AXE_PACKAGE_MAINTAINER "The axe developers <axe@localhost.localdomain>" CACHE STRING "Maintainer: name <address>, in Debian packages")
set(CPACK_GENERATOR TGZ)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(CPACK_GENERATOR DEB)
endif()
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME axe)
set(CPACK_PACKAGE_VENDOR axe)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact algebra of data layouts over named hardware axes")
set(CPACK_PACKAGE_CONTACT "${AXE_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)

set(CPACK_COMPONENTS_ALL axe_development)
if(AXE_BUILD_EXAMPLES)
    list(APPEND CPACK_COMPONENTS_ALL axe_command)
endif()
set(CPACK_COMPONENT_AXE_DEVELOPMENT_DESCRIPTION "An exact algebra of tensor layouts over named hardware axes (lanes, registers,
devices, memory): layouts are tiled, sliced, composed, inverted and compared,
at compile time or at run time. With a simulator of GPUs and other machines.
.
This package has the headers, the CMake package, the pkg-config file and the
documentation.")
set(CPACK_COMPONENT_AXE_COMMAND_DESCRIPTION "The command axe answers questions about tensor layouts over named hardware
axes: where an element lives, whether two layouts are equal, what a slice, a
composition or an inverse is. It reads and writes the layouts of CuTe, Triton,
NumPy, XLA and others, draws layouts, and runs kernels on simulated machines.")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_AXE_DEVELOPMENT_PACKAGE_NAME libaxe-dev)
if(NOT AXE_BUILD_C) # with the shared library of the C interface it is for one architecture
    set(CPACK_DEBIAN_AXE_DEVELOPMENT_PACKAGE_ARCHITECTURE all)
endif()
set(CPACK_DEBIAN_AXE_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_AXE_DEVELOPMENT_PACKAGE_SUGGESTS axe-tools)
set(CPACK_DEBIAN_AXE_COMMAND_PACKAGE_NAME axe-tools)
set(CPACK_DEBIAN_AXE_COMMAND_PACKAGE_SECTION math)
find_program(AXE_DPKG_SHLIBDEPS dpkg-shlibdeps DOC "Finds what the command depends on, for its Debian package")
mark_as_advanced(AXE_DPKG_SHLIBDEPS)
if(AXE_DPKG_SHLIBDEPS)
    set(CPACK_DEBIAN_AXE_COMMAND_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_AXE_DEVELOPMENT_PACKAGE_SHLIBDEPS "${AXE_BUILD_C}")
endif()
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian_policy.cmake")
include(CPack)
