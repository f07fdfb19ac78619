# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles each .cu file beside this one with NVCC, headers in INCLUDE, objects in SCRATCH.
cmake_minimum_required(VERSION 3.25)

if(NOT NVCC)
    message(NOTICE "skipped: no nvcc on this machine")
    return()
endif()
file(MAKE_DIRECTORY "${SCRATCH}")
file(GLOB sources "${CMAKE_CURRENT_LIST_DIR}/*.cu")
foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    execute_process(COMMAND "${NVCC}" -std=c++20 --Werror all-warnings "-I${INCLUDE}" -c "${source}" -o "${SCRATCH}/${name}.o"
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
        message(NOTICE "${out}")
        message(FATAL_ERROR "${source}: does not compile")
    endif()
endforeach()
