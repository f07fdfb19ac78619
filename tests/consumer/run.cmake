# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures, builds and runs a project that uses the library, from nothing, in SCRATCH.
#   MODE        the folder of the project: add_subdirectory, find_package or fetch_content
#   AXE         the root of the library; VERSION its version
#   GENERATOR, MAKE_PROGRAM, COMPILER, FLAGS   as the library's own build has them
cmake_minimum_required(VERSION 3.25)

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(NOTICE "${out}")
        message(FATAL_ERROR "${MODE}: failed: ${command}")
    endif()
    set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
set(configure "${CMAKE_COMMAND}" -G "${GENERATOR}" "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CXX_FLAGS=${FLAGS}")
set(options "")
if(MODE STREQUAL "add_subdirectory")
    list(APPEND options "-DAXE_ROOT=${AXE}")
elseif(MODE STREQUAL "fetch_content")
    list(APPEND options "-DFETCHCONTENT_SOURCE_DIR_AXE=${AXE}" "-DFETCHCONTENT_FULLY_DISCONNECTED=ON")
elseif(MODE STREQUAL "find_package")
    set(prefix "${SCRATCH}/prefix")
    step(${configure} -S "${AXE}" -B "${SCRATCH}/axe" -DAXE_BUILD_TESTS=OFF -DAXE_BUILD_EXAMPLES=OFF "-DCMAKE_INSTALL_PREFIX=${prefix}")
    step("${CMAKE_COMMAND}" --install "${SCRATCH}/axe")
    foreach(file IN ITEMS include/axe/version.hpp share/cmake/axe/axe-config.cmake share/cmake/axe/axe-config-version.cmake
                          share/licenses/axe/LICENSE)
        if(NOT EXISTS "${prefix}/${file}")
            message(FATAL_ERROR "not installed: ${file}")
        endif()
    endforeach()
    # The whole of include/ is installed, and nothing of the source tree is needed any more.
    file(GLOB_RECURSE ours RELATIVE "${AXE}/include" "${AXE}/include/*")
    file(GLOB_RECURSE theirs RELATIVE "${prefix}/include" "${prefix}/include/*")
    if(NOT ours STREQUAL theirs)
        message(FATAL_ERROR "the installed headers are not those of the source tree:\n${ours}\n${theirs}")
    endif()
    file(GLOB scripts "${prefix}/share/cmake/axe/*.cmake")
    foreach(script IN LISTS scripts)
        file(READ "${script}" text)
        string(FIND "${text}" "${AXE}/include" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${script} names the source tree")
        endif()
    endforeach()
    list(APPEND options "-DAXE_VERSION=${VERSION}" "-DCMAKE_PREFIX_PATH=${prefix}")
endif()

step(${configure} -S "${CMAKE_CURRENT_LIST_DIR}/${MODE}" -B "${SCRATCH}/build" ${options})
step("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
step("${SCRATCH}/build/consumer")
if(NOT out STREQUAL "axe ${VERSION}: 128 elements\n")
    message(FATAL_ERROR "${MODE}: the program prints: ${out}")
endif()
