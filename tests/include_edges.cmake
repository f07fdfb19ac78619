# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# May each header include what it includes?
#   cmake -DROOT=include/axe -P include_edges.cmake
# The table is the architecture: a folder and the folders that its headers may include, itself understood. A new folder needs a row.
cmake_minimum_required(VERSION 3.25)

set(may_include_support "")
set(may_include_layout support)
set(may_include_text support layout)
set(may_include_map support layout text)
set(may_include_machine support layout)
set(may_include_tensor support layout machine)
set(may_include_relayout support layout machine tensor)
set(may_include_program support layout text machine tensor)
set(may_include_schedule support layout text machine tensor program)
set(may_include_sim support layout text machine tensor program)
set(may_include_target support layout text machine tensor relayout program schedule sim)
# At the edge of the library: these may include anything, and only they each other.
set(may_include_interop support layout text map machine tensor relayout program schedule sim target picture)
set(may_include_picture support layout text map machine tensor relayout program schedule sim target interop)
set(may_include_testing support layout text)
# Headers at the top.
set(may_include_axe.hpp support layout text version.hpp)
set(may_include_kernels.hpp axe.hpp support layout text machine tensor program schedule sim target relayout)
set(may_include_version.hpp "")

# Rooms that differ from their folder: the start of a path; and a folder or room that it may include as well (+), or may not (-).
# Spyre's format knows no target; its back end alone works on a format, so that nothing else may include it; the rules of sticks are
# numbers, which schedules and back end share.
set(rooms
    "interop/spyre[/.]" -target
    "target/spyre/compiler[/.]" +interop
    "target/spyre/rules/" -schedule "target/spyre/rules/" -program "target/spyre/rules/" -sim)
set(back_ends target/spyre/compiler)

# Adapters to libraries that a user may have: they alone include other headers than the standard's, and no header includes them.
set(adapters text/fmt.hpp testing/catch.hpp)

# What another compiler embeds is light: of the standard library, these and no other.
set(light support layout)
set(light_standard compare concepts cstddef cstdint cstdio cstdlib initializer_list type_traits)

set(violations "")
macro(violation sentence)
    string(APPEND violations "  ${file}:${number}: ${sentence}\n")
endmacro()

cmake_path(ABSOLUTE_PATH ROOT)
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE "${ROOT}" "${ROOT}/*")
list(LENGTH files count)
if(count EQUAL 0)
    message(FATAL_ERROR "no headers under ${ROOT}")
endif()
foreach(file IN LISTS files)
    string(REGEX REPLACE "/.*" "" folder "${file}")
    set(number 1)
    if(NOT DEFINED "may_include_${folder}")
        violation("the table in tests/include_edges.cmake has no row for ${folder}")
        continue()
    endif()
    # Brackets and semicolons mean something to CMake's lists; no include has any.
    file(READ "${ROOT}/${file}" text)
    string(REGEX REPLACE "[][;\\]" " " text "${text}")
    string(REPLACE "\n" ";" lines "${text}")
    set(number 0)
    foreach(line IN LISTS lines)
        math(EXPR number "${number} + 1")
        if(NOT line MATCHES "^[ \t]*#[ \t]*include[ \t]*(.*)$")
            continue()
        endif()
        set(what "${CMAKE_MATCH_1}")
        if(what MATCHES "^<axe/([^/>]+)(/[^>]*)?>")
            set(target "${CMAKE_MATCH_1}")
            set(rest "${CMAKE_MATCH_2}")
            set(header "${target}${rest}")
            if(header IN_LIST adapters)
                violation("${header} is for users to include")
            endif()
            set(allowed "${may_include_${folder}}")
            set(room_edges "${rooms}")
            while(room_edges)
                list(POP_FRONT room_edges room edge)
                string(SUBSTRING "${edge}" 1 -1 name)
                if(NOT file MATCHES "^${room}")
                    continue()
                elseif(edge MATCHES "^[+]")
                    list(APPEND allowed "${name}")
                else()
                    list(REMOVE_ITEM allowed "${name}")
                endif()
            endwhile()
            foreach(room IN LISTS back_ends)
                if(header MATCHES "^${room}[/.]" AND NOT file MATCHES "^(${room}[/.]|picture/)")
                    violation("${folder} must not include ${room}")
                endif()
            endforeach()
            if(NOT target STREQUAL folder AND NOT target IN_LIST allowed)
                violation("${folder} must not include ${target}")
            elseif(target STREQUAL folder AND rest STREQUAL "")
                violation("includes itself")
            endif()
        elseif(what MATCHES "^<([^>]+)>")
            set(header "${CMAKE_MATCH_1}")
            if(folder IN_LIST light AND NOT header IN_LIST light_standard)
                violation("${folder} must not include <${header}>")
            elseif(file MATCHES "^relayout/kernels/" AND header MATCHES "^((imm|emm)intrin|arm_neon)\\.h$")
                # A processor's vectors, named by its instructions.
            elseif(header MATCHES "[/.]" AND NOT file IN_LIST adapters)
                violation("only an adapter may include <${header}>")
            endif()
        else()
            violation("write includes as <axe/folder/header.hpp>, not as ${what}")
        endif()
    endforeach()
endforeach()

if(violations)
    # As a notice, since an error's text would be wrapped.
    message(NOTICE "include edges that the architecture does not have:\n${violations}")
    message(FATAL_ERROR "the include edges are broken")
endif()
message(STATUS "${count} headers keep to the include edges")
