# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Is a program refused, and for the right reason?
#   cmake -DSOURCE=file.cpp -DCOMPILER=g++ -DFLAGS= -DINCLUDE=include -P check.cmake
# With -DAXE_CONTROL the file must compile: so the refusal is due to what the macro leaves out. Without it, it must not, and the
# compiler's output must match each regular expression (CMake's) on the lines `// expect: REGEX`, which hold for every compiler.
# `// expect-clang:` and `// expect-gcc:` ask more of one compiler.
cmake_minimum_required(VERSION 3.25)

set(command "${COMPILER}" ${FLAGS} -std=c++20 -fsyntax-only "-I${INCLUDE}" "${SOURCE}")

execute_process(COMMAND ${command} -DAXE_CONTROL RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE}: does not compile with -DAXE_CONTROL, so its refusal proves nothing:\n${out}")
endif()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
if(status EQUAL 0)
    message(FATAL_ERROR "${SOURCE}: compiles, though it must be refused")
endif()

# The quoted source lines must not answer for the compiler: the expectations stand in comments that no diagnostic points at.
execute_process(COMMAND "${COMPILER}" --version OUTPUT_VARIABLE version ERROR_QUIET)
set(family gcc)
if(version MATCHES "clang")
    set(family clang)
endif()

file(READ "${SOURCE}" text)
set(checked 0)
while(text MATCHES "\n// expect(-[a-z]+)?: ([^\n]+)\n")
    set(whose "${CMAKE_MATCH_1}")
    set(regex "${CMAKE_MATCH_2}")
    string(FIND "${text}" "${CMAKE_MATCH_0}" at)
    string(LENGTH "${CMAKE_MATCH_0}" length)
    # The newline at the end starts the next match.
    math(EXPR at "${at} + ${length} - 1")
    string(SUBSTRING "${text}" ${at} -1 text)
    if(whose STREQUAL "" OR whose STREQUAL "-${family}")
        math(EXPR checked "${checked} + 1")
        if(NOT out MATCHES "${regex}")
            message(FATAL_ERROR "${SOURCE}: the refusal does not match /${regex}/:\n${out}")
        endif()
    elseif(NOT whose MATCHES "^-(gcc|clang)$")
        message(FATAL_ERROR "${SOURCE}: no compiler is called ${whose}")
    endif()
endwhile()
if(checked EQUAL 0)
    message(FATAL_ERROR "${SOURCE}: no line `// expect: REGEX` for ${family}")
endif()
