# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles each public header as C++17, and as C++14: the first error must be that axe needs C++20, and the only other that the compiler
# stops there. g++ does; clang reads on to the end, saying nothing more, so that it is only asked to preprocess.
#   ROOT       the folder include; COMPILER the compiler
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/axe/*.hpp")
list(FILTER headers EXCLUDE REGEX "/impl/|/embedded/")
list(LENGTH headers count)
if(count LESS 500)
    message(FATAL_ERROR "only ${count} headers in ${ROOT}")
endif()
set(what -fsyntax-only)
if(COMPILER MATCHES "clang[^/]*$")
    set(what -E -o /dev/null)
endif()
set(wrong "")
set(refused 0)
foreach(header IN LISTS headers)
    set(standard 17)
    if(header STREQUAL "axe/layout/layout.hpp")
        set(standard 14)
    endif()
    execute_process(COMMAND "${COMPILER}" "-std=c++${standard}" ${what} "-I${ROOT}" -x c++ "${ROOT}/${header}"
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    string(REGEX MATCHALL "[^\n]*error:[^\n]*" errors "${out}")
    list(LENGTH errors found)
    if(status EQUAL 0)
        continue() # a few hold nothing that is new
    endif()
    math(EXPR refused "${refused} + 1")
    if(NOT found EQUAL 2 OR NOT "${errors}" MATCHES "^[^;]*error:[^;]*axe needs C\\+\\+20")
        string(APPEND wrong "${header}: ${found} errors: ${errors}\n")
    endif()
endforeach()
if(wrong)
    message(FATAL_ERROR "in C++17:\n${wrong}")
endif()
if(refused LESS 500)
    message(FATAL_ERROR "only ${refused} headers of ${count} say that axe needs C++20")
endif()
message(STATUS "${refused} headers say that axe needs C++20")
