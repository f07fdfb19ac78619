# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does embed.cmake find stale headers, and do headers hold their files byte by byte? EMBED that script, SCRATCH a folder, COMPILER one
# for C++.
cmake_minimum_required(VERSION 3.25)

set(web "${SCRATCH}/web")
set(embedded "${SCRATCH}/embedded")
set(script_head "// SPDX-License-Identifier: none\n// of no page\n\n")
set(style_head "/* SPDX-License-Identifier: none\n\n   of no page */\n\n")

# Runs the script; its status is to be `wanted`, and all of the texts that follow are in its output.
function(embed check wanted)
    execute_process(COMMAND "${CMAKE_COMMAND}" "-DWEB=${web}" "-DEMBEDDED=${embedded}" "-DCHECK=${check}" -P "${EMBED}"
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(wanted STREQUAL "fails" AND status EQUAL 0 OR wanted STREQUAL "passes" AND NOT status EQUAL 0)
        message(FATAL_ERROR "embed.cmake does not do what is wanted, it ${wanted}:\n${out}")
    endif()
    string(REGEX REPLACE "[ \n]+" " " out "${out}") # CMake wraps
    foreach(text IN LISTS ARGN)
        string(FIND "${out}" "${text}" at)
        if(at EQUAL -1)
            message(FATAL_ERROR "embed.cmake does not say '${text}':\n${out}")
        endif()
    endforeach()
endfunction()
# Changes the byte of a file that is `from`.
function(change file from to)
    file(READ "${file}" text)
    string(REPLACE "${from}" "${to}" changed "${text}")
    if("${changed}" STREQUAL "${text}")
        message(FATAL_ERROR "${file} has no ${from}")
    endif()
    file(WRITE "${file}" "${changed}")
endfunction()

# What a language in between could take for its own, and more than one literal holds.
set(hard "const a = `\\n$\\{x} [;] @b@ \"quoted\" \\\"` /* ✓ */\n)js\" )js_\"\n")
set(long "")
foreach(n RANGE 999)
    string(APPEND long "line(${n}); // [ ; ✓\n")
endforeach()
file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${web}/hard.js" "${script_head}${hard}")
file(WRITE "${web}/long.js" "${script_head}${long}")
file(WRITE "${web}/plain.css" "${style_head}a{b:c}\n    d{e:f}\n")
file(WRITE "${web}/svg.css" "${style_head}a{b:c}\n    d{e:f}\n")
embed(OFF passes)
embed(ON passes "4 headers")

# The texts come out of a program as they went in.
file(WRITE "${SCRATCH}/print.cpp" "#include \"embedded/hard_js.hpp\"
#include \"embedded/long_js.hpp\"
#include \"embedded/plain_css.hpp\"
#include \"embedded/svg_css.hpp\"
#include <cstdio>
#include <initializer_list>
int main()
{
    for (const char* text : {axe::detail::hard_js, axe::detail::long_js, axe::detail::plain_css, axe::detail::svg_css})
        std::fputs(text, stdout);
}
")
execute_process(COMMAND "${COMPILER}" -std=c++20 -Wall -Wextra -Wpedantic -Werror -o "${SCRATCH}/print" "${SCRATCH}/print.cpp"
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${SCRATCH}/print" OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
if(NOT "${out}" STREQUAL "${hard}${long}a{b:c}\n    d{e:f}\na{b:c}d{e:f}")
    message(FATAL_ERROR "the headers do not hold what the files do:\n${out}")
endif()

# Literals are as short as all compilers take them.
file(READ "${embedded}/long_js.hpp" text)
string(REGEX MATCHALL "R\"js\\(" pieces "${text}")
list(LENGTH pieces count)
if(NOT count EQUAL 2)
    message(FATAL_ERROR "a file of more than 16,000 bytes is ${count} literals")
endif()

set(command "run: cmake -P include/axe/picture/web/embed.cmake")
change("${web}/plain.css" "c" "C")
embed(ON fails "plain_css.hpp, made of plain.css" "${command}")
embed(ON fails "plain_css.hpp") # looked at, not made
embed(OFF passes "plain_css.hpp")
embed(ON passes)
change("${embedded}/long_js.hpp" "line(999)" "line(998)")
embed(ON fails "long_js.hpp, made of long.js" "${command}")
embed(OFF passes)
file(REMOVE "${embedded}/svg_css.hpp")
embed(ON fails "svg_css.hpp, made of svg.css")
embed(OFF passes)
file(REMOVE "${web}/svg.css")
embed(ON fails "svg_css.hpp, which no file is made into")
embed(OFF passes)
embed(ON passes "3 headers")

# What cannot be a header.
file(WRITE "${web}/bare.js" "f();\n")
embed(OFF fails "begin with a comment")
string(REPEAT "x" 17000 line)
file(WRITE "${web}/bare.js" "${script_head}${line}\n")
embed(OFF fails "a line of more than 16000 bytes")
string(REPEAT "x();\n" 13100 lines)
file(WRITE "${web}/bare.js" "${script_head}${lines}")
embed(OFF fails "make two files of it")
message(STATUS "stale headers are found")
