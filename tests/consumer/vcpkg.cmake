# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the port for vcpkg with stand-ins for vcpkg's own functions, which do what those of a release-only port do, and builds a program with
# what it leaves. Arguments are those of run.cmake, without MODE.
cmake_minimum_required(VERSION 3.25)

set(port "${AXE}/.github/packaging/vcpkg/axe")
file(READ "${port}/vcpkg.json" manifest)
string(JSON version GET "${manifest}" version)
string(JSON PORT GET "${manifest}" name)
if(NOT version STREQUAL VERSION)
    message(FATAL_ERROR "vcpkg.json: version ${version}; the library is ${VERSION}")
endif()

file(REMOVE_RECURSE "${SCRATCH}")
set(CURRENT_PACKAGES_DIR "${SCRATCH}/package")

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${out}\nfailed: ${command}")
    endif()
    set(out "${out}" PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
    step("${CMAKE_COMMAND}" -G "${GENERATOR}" "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
        -S "${arg_SOURCE_PATH}" -B "${SCRATCH}/rel" "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
    step("${CMAKE_COMMAND}" --install "${SCRATCH}/rel")
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
    file(GLOB files "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*.cmake")
    file(COPY ${files} DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
    # One folder less deep than before.
    file(READ "${CURRENT_PACKAGES_DIR}/share/${PORT}/axe-targets.cmake" text)
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    string(REPLACE "${up}${up}${up}" "${up}${up}" text "${text}")
    file(WRITE "${CURRENT_PACKAGES_DIR}/share/${PORT}/axe-targets.cmake" "${text}")
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
    file(INSTALL ${arg_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}" RENAME copyright)
endfunction()
include("${port}/portfile.cmake")

file(GLOB_RECURSE found RELATIVE "${CURRENT_PACKAGES_DIR}" "${CURRENT_PACKAGES_DIR}/share/*")
set(expected share/axe/axe-config-version.cmake share/axe/axe-config.cmake share/axe/axe-targets.cmake share/axe/copyright share/axe/usage
    share/pkgconfig/axe.pc)
if(NOT found STREQUAL expected)
    message(FATAL_ERROR "the package holds ${found}; and not ${expected}")
endif()
step("${CMAKE_COMMAND}" -G "${GENERATOR}" "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    -S "${CMAKE_CURRENT_LIST_DIR}/find_package" -B "${SCRATCH}/build" "-DAXE_VERSION=${VERSION}" "-DCMAKE_PREFIX_PATH=${CURRENT_PACKAGES_DIR}")
step("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
step("${SCRATCH}/build/consumer")
if(NOT out STREQUAL "axe ${VERSION}: 128 elements\n")
    message(FATAL_ERROR "the program prints: ${out}")
endif()
