# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles and runs tests that use axe/testing/catch.hpp with version 3 of Catch2, also where the tests themselves use version 2.
#   CATCH2      where version 3 is: the folder with include/catch2 and lib/libCatch2.a
#   COMPILER, FLAGS, ROOT of the library, SCRATCH
cmake_minimum_required(VERSION 3.25)

if(CATCH2 STREQUAL "")
    message(STATUS "skipped: AXE_CATCH2_3 does not say where version 3 of Catch2 is (.ci/catch2 FOLDER downloads it)")
    return()
endif()
file(GLOB_RECURSE libraries "${CATCH2}/lib*/libCatch2Main.a" "${CATCH2}/lib*/libCatch2.a")
list(SORT libraries ORDER DESCENDING) # the main first
if(NOT EXISTS "${CATCH2}/include/catch2/catch_test_macros.hpp" OR libraries STREQUAL "")
    message(FATAL_ERROR "there is no version 3 of Catch2 in ${CATCH2}")
endif()

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}\n${out}")
    endif()
endfunction()

file(MAKE_DIRECTORY "${SCRATCH}")
set(here "${CMAKE_CURRENT_LIST_DIR}")
set(compile "${COMPILER}" ${FLAGS} -std=c++20 -Wall -Wextra -Werror "-I${ROOT}/include" -isystem "${CATCH2}/include")
step(${compile} "${here}/catch2/main.cpp" ${libraries} -o "${SCRATCH}/consumer")
step("${SCRATCH}/consumer")
# Without exceptions, with the header that the library's own tests use.
step(${compile} -fno-exceptions -fsyntax-only "-I${ROOT}/tests" "${ROOT}/tests/catch_without_exceptions.cpp")

foreach(test IN ITEMS "no;first at index 8" "undecided;not decided" "undecided, negated;not decided" "different;[(]4,8[)]:[(]8,1[)] == [(]4,8[)]:[(]9,1[)]")
    list(POP_FRONT test name reason)
    string(REPLACE "," "\\," filter "${name}")
    execute_process(COMMAND "${SCRATCH}/consumer" "${filter}" RESULT_VARIABLE status OUTPUT_VARIABLE out)
    if(status EQUAL 0 OR NOT out MATCHES "${reason}" OR NOT out MATCHES "1 failed")
        message(FATAL_ERROR "the test `${name}` does not fail for its reason, ${reason}: ${status}\n${out}")
    endif()
endforeach()
message(STATUS "version 3 of Catch2: the tests pass, and fail where they must")
