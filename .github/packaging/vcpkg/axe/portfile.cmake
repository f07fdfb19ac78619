# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# An overlay port of the source tree that it is in:  vcpkg install axe --overlay-ports=.github/packaging/vcpkg
# A registry takes it with vcpkg_from_github(…) for the first line.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

set(VCPKG_BUILD_TYPE release) # headers alone

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DAXE_BUILD_TESTS=OFF
        -DAXE_BUILD_EXAMPLES=OFF
        -DCMAKE_INSTALL_DOCDIR=share/axe/docs
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/axe)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/cmake" "${CURRENT_PACKAGES_DIR}/share/licenses" "${CURRENT_PACKAGES_DIR}/share/axe/docs")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
