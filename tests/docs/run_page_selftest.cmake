# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does run_page.cmake see what it must? SCRATCH, COMPILER, FLAGS and INCLUDE as there.
cmake_minimum_required(VERSION 3.25)

function(expect text regex)
    file(WRITE "${SCRATCH}/page.md" "${text}")
    execute_process(COMMAND "${CMAKE_COMMAND}" "-DPAGE=${SCRATCH}/page.md" "-DSCRATCH=${SCRATCH}/build" "-DCOMPILER=${COMPILER}"
                            "-DFLAGS=${FLAGS}" "-DINCLUDE=${INCLUDE}" "-DCOMMANDS=${commands}" -P "${CMAKE_CURRENT_LIST_DIR}/run_page.cmake"
        RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    string(REGEX REPLACE "[ \n]+" " " out "${out}")
    if(NOT out MATCHES "${regex}")
        message(FATAL_ERROR "expected /${regex}/, found:\n${out}\nfor the page\n${text}")
    endif()
endfunction()

set(hello "```cpp\n#include <cstdio>\nint main() { int a[1] = {7}; std::printf(\"%d\\n\", a[0]); }\n```\n")
expect("words\n\n${hello}\n```text\n7\n```\n" "-- 1 programs")
expect("words\n\n${hello}\n```text\n8\n```\n" "page.md:3: the program prints something else")
expect("${hello}${hello}" "-- 2 programs")
expect("one\n```cpp\nint main() { return x; }\n```\n" "page.md:2: the program does not compile")
expect("one\n${hello}\n```cpp\nint main() { return 3; }\n```\n" "page.md:7: the program ends with 3")
expect("```cpp\nint main() {}\n" "page.md:1: the block does not end")
expect("```cpp excerpt\nno program\n```\n" "-- 0 programs")
expect("```cpp strange\nint main() {}\n```\n" "page.md:1: no kind of block is called strange")


# Blocks that continue one another are one program, and each is judged by itself.
set(first "words\n\n```cpp\nint a = 7;\nstd::puts(\"one\");\n```\n\n```text\none\n```\n")
set(second "```cpp continued\nstd::printf(\"%d\", a);\n```\n")
expect("${first}${second}\n```text\n7```\n${second}" "-- 3 programs")
expect("${first}${second}\n```text\n8```\n${second}" "it prints: 7 .*page.md:11: the program prints something else")
expect("${first}\n${second}```cpp continued\nreturn b;\n```\n" "page.md:16:[0-9]+: error.*page.md:15: the program does not compile")
expect("${first}${second}```cpp continued\nstd::puts(\"x\");\nstd::exit(4);\n```\n${second}" "page.md:14: the program ends with 4")
expect("${first}```cpp continued\nint a = 8;\n```\n" "page.md:11: the program does not compile")
expect("${first}```cpp continued\nstd::deque<int> d;\n```\n```cpp continued\n#include <deque>\nstd::deque<int> e;\n```\n"
    "page.md:11: the program does not compile")
expect("${first}```cpp\nstd::printf(\"%d\", a);\n```\n" "page.md:11: the program does not compile")
expect("${second}" "page.md:1: there is no block before this one to be continued")
expect("${hello}${second}" "page.md:5: a program with a main of its own is not continued")

set(commands "")
expect("```sh\nsay a [1;2]\n```\n\n```text\na [1;2]\n```\n" "-- 0 programs -- 1 blocks of commands left out")
set(commands "${SCRATCH}/commands")
file(WRITE "${commands}/say" "#!/bin/sh\necho \"$@\"\nexit 1\n")
file(CHMOD "${commands}/say" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
expect("```sh\nsay 'a [1;2]'\nsay b >&2\n```\n\n```text\na [1;2]\nb\n```\n" "-- 1 programs")
expect("${hello}words\n\n```sh\nsay a\n```\n```text\nb\n```\n" "page.md:7: the commands print something else")
expect("```sh\nquoted only\n```\n" "-- 0 programs")
file(REMOVE_RECURSE "${SCRATCH}")
