# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles and runs the programs of a Markdown page, and compares what they print.
#   PAGE the page, SCRATCH a folder to build in, COMPILER, FLAGS, INCLUDE
#
# Every block fenced as ```cpp is a program. One without `int main` is the inside of a function: its #include lines are moved to the
# head, <axe/axe.hpp>, <cstdio> and the literals are there. One fenced as ```cpp continued follows the block before it, as the
# statements that come next. One fenced as ```cpp excerpt is quoted, not run. A block fenced as ```text right after a program is
# what the program prints.
cmake_minimum_required(VERSION 3.25)

file(READ "${PAGE}" rest)
set(rest "\n${rest}")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

# The text of a page is handled as strings only: a CMake list would take its brackets and semicolons for its own.
set(count 0)
set(consumed 0)
set(body "")
set(printed "")
while(TRUE)
    string(FIND "${rest}" "\n```cpp" at)
    if(at EQUAL -1)
        break()
    endif()
    string(SUBSTRING "${rest}" 0 ${at} skipped)
    math(EXPR at "${at} + 7")
    string(SUBSTRING "${rest}" ${at} -1 rest)

    # For messages: the line of the fence.
    string(REGEX REPLACE "[^\n]" "" newlines "${skipped}")
    string(LENGTH "${newlines}" lines)
    math(EXPR line "${consumed} + ${lines} + 1")

    string(FIND "${rest}" "\n" at)
    string(SUBSTRING "${rest}" 0 ${at} kind)
    string(STRIP "${kind}" kind)
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(FIND "${rest}" "\n```" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${PAGE}:${line}: the block does not end")
    endif()
    string(SUBSTRING "${rest}" 0 ${at} block)
    math(EXPR at "${at} + 4")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(REGEX REPLACE "[^\n]" "" newlines "${block}\n")
    string(LENGTH "${newlines}" lines)
    math(EXPR consumed "${line} + ${lines}")

    if(kind STREQUAL "excerpt")
        continue()
    elseif(kind STREQUAL "continued")
        string(APPEND body "${block}\n")
    elseif(kind STREQUAL "")
        set(body "${block}\n")
        set(printed "")
    else()
        message(FATAL_ERROR "${PAGE}:${line}: no kind of block is called ${kind}")
    endif()

    # What it must print.
    set(expected "")
    set(compare FALSE)
    if(rest MATCHES "^[ \t]*\n\n?```text\n")
        string(LENGTH "${CMAKE_MATCH_0}" length)
        string(SUBSTRING "${rest}" ${length} -1 after)
        string(FIND "${after}" "```" at)
        string(SUBSTRING "${after}" 0 ${at} expected)
        set(compare TRUE)
    endif()

    math(EXPR count "${count} + 1")
    set(program "${body}")
    if(NOT body MATCHES "int main\\(")
        set(head "#include <axe/axe.hpp>\n#include <cstdio>\n")
        set(inside "${body}")
        while(inside MATCHES "\n(#include <[^\n]*>)")
            string(APPEND head "${CMAKE_MATCH_1}\n")
            string(REPLACE "${CMAKE_MATCH_1}" "" inside "${inside}")
        endwhile()
        set(program "${head}using namespace axe::literals;\nint main()\n{${inside}}\n")
    endif()
    file(WRITE "${SCRATCH}/${count}.cpp" "${program}")
    execute_process(COMMAND "${COMPILER}" ${FLAGS} -std=c++20 -Wall "-I${INCLUDE}" "${SCRATCH}/${count}.cpp" -o "${SCRATCH}/${count}"
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
        message(NOTICE "${out}")
        message(FATAL_ERROR "${PAGE}:${line}: the program does not compile")
    endif()
    execute_process(COMMAND "${SCRATCH}/${count}" RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE errors TIMEOUT 60)
    if(NOT status EQUAL 0)
        message(NOTICE "${out}${errors}")
        message(FATAL_ERROR "${PAGE}:${line}: the program ends with ${status}")
    endif()
    if(compare AND NOT "${out}" STREQUAL "${printed}${expected}")
        message(NOTICE "it prints:\n${out}")
        message(FATAL_ERROR "${PAGE}:${line}: the program prints something else than the page says")
    endif()
    set(printed "${out}")
endwhile()
message(STATUS "${count} programs")
