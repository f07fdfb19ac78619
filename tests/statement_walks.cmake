# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does program/walk.hpp alone know which statements hold bodies?
#   cmake -DROOT=repository -P statement_walks.cmake
# A walk by hand over all kinds of statements asks for a `While`, or for members that bodies have. Walks use the functions of
# program/walk.hpp; code that treats kinds of statements differently has one overload for each, called by std::visit.
cmake_minimum_required(VERSION 3.25)

set(by_hand "(get_if|holds_alternative)<[a-z:]*While>|requires *{ *[a-z_]+\\.(body|then|otherwise)")

cmake_path(ABSOLUTE_PATH ROOT)
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/include/*.hpp" "${ROOT}/examples/*.[ch]pp" "${ROOT}/tests/*.[ch]pp")
list(REMOVE_ITEM files include/axe/program/walk.hpp)
list(LENGTH files count)
if(count EQUAL 0)
    message(FATAL_ERROR "no sources under ${ROOT}")
endif()
set(violations "")
foreach(file IN LISTS files)
    file(STRINGS "${ROOT}/${file}" lines REGEX "${by_hand}")
    foreach(line IN LISTS lines)
        string(STRIP "${line}" line)
        string(APPEND violations "  ${file}: ${line}\n")
    endforeach()
endforeach()
if(violations)
    message(NOTICE "walks over statements by hand; use for_each_body, for_each_statement or rewrite:\n${violations}")
    message(FATAL_ERROR "program/walk.hpp is not the only walker")
endif()
message(STATUS "${count} sources leave walks over statements to program/walk.hpp")
