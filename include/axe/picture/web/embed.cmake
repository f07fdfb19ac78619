# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Turns the scripts and styles in this folder into headers, which are committed:
#   cmake -P include/axe/picture/web/embed.cmake               writes ../embedded/
#   cmake -DCHECK=ON -P include/axe/picture/web/embed.cmake    names the headers there that are not what would be written
# WEB and EMBEDDED: other folders, for the test of this script.
#
# A file x.js becomes x_js.hpp with the array `x_js`: its text from the first empty line on. What stands before is a comment that no page
# carries. Texts are handled as strings only, never as lists, which would take brackets and semicolons for their own.
cmake_minimum_required(VERSION 3.25)

# Drawings repeat their style: it is one line there.
set(on_one_line svg.css movement.css)
# Most bytes of a literal, and of literals that stand together (MSVC: 16,380 and 65,535).
set(most_of_piece 16000)
set(most_of_file 65000)

if(NOT WEB)
    set(WEB "${CMAKE_CURRENT_LIST_DIR}")
endif()
if(NOT EMBEDDED)
    cmake_path(GET WEB PARENT_PATH EMBEDDED)
    string(APPEND EMBEDDED "/embedded")
endif()

function(header_of source out)
    file(READ "${WEB}/${source}" text)
    string(REPLACE "\r" "" text "${text}")
    cmake_path(GET source EXTENSION LAST_ONLY kind)
    string(SUBSTRING "${kind}" 1 -1 kind)
    if(NOT text MATCHES "^(/[*] SPDX-[^*]*[*]/|// SPDX-[^\n]*(\n//[^\n]*)*)\n\n")
        message(FATAL_ERROR "${WEB}/${source}: begin with a comment, the license its first line, and an empty line after it")
    endif()
    string(LENGTH "${CMAKE_MATCH_0}" length)
    string(SUBSTRING "${text}" ${length} -1 text)
    if(source IN_LIST on_one_line)
        string(REGEX REPLACE "\n *" "" text "${text}")
    endif()

    string(LENGTH "${text}" length)
    if(length GREATER most_of_file)
        message(FATAL_ERROR "${WEB}/${source}: ${length} bytes; a literal has at most ${most_of_file}: make two files of it")
    endif()
    set(delimiter "${kind}")
    string(FIND "${text}" ")${delimiter}\"" at)
    while(NOT at EQUAL -1)
        string(APPEND delimiter "_")
        string(FIND "${text}" ")${delimiter}\"" at)
    endwhile()
    set(pieces "")
    while(length GREATER 0)
        set(cut ${length})
        if(length GREATER most_of_piece)
            string(SUBSTRING "${text}" 0 ${most_of_piece} piece)
            string(FIND "${piece}" "\n" at REVERSE)
            if(at EQUAL -1)
                message(FATAL_ERROR "${WEB}/${source}: a line of more than ${most_of_piece} bytes; a literal is cut at the end of a line")
            endif()
            math(EXPR cut "${at} + 1")
        endif()
        string(SUBSTRING "${text}" 0 ${cut} piece)
        string(SUBSTRING "${text}" ${cut} -1 text)
        string(LENGTH "${text}" length)
        string(APPEND pieces "\nR\"${delimiter}(${piece})${delimiter}\"")
    endwhile()

    string(REPLACE "." "_" name "${source}")
    string(TOUPPER "AXE_PICTURE_EMBEDDED_${name}_HPP" guard)
    set(${out} "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ${guard}
#define ${guard}

// Made of include/axe/picture/web/${source}. Edit that file, and run: cmake -P include/axe/picture/web/embed.cmake
// clang-format off

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char ${name}[] =${pieces};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
" PARENT_SCOPE)
endfunction()

file(GLOB sources RELATIVE "${WEB}" "${WEB}/*.js" "${WEB}/*.css")
file(GLOB headers RELATIVE "${EMBEDDED}" "${EMBEDDED}/*")
set(stale "")
foreach(source IN LISTS sources)
    string(REPLACE "." "_" name "${source}")
    list(REMOVE_ITEM headers "${name}.hpp")
    header_of("${source}" wanted)
    set(found "")
    if(EXISTS "${EMBEDDED}/${name}.hpp")
        file(READ "${EMBEDDED}/${name}.hpp" found)
        string(REPLACE "\r" "" found "${found}")
    endif()
    if("${found}" STREQUAL "${wanted}")
        continue()
    endif()
    if(NOT CHECK)
        file(WRITE "${EMBEDDED}/${name}.hpp" "${wanted}")
    endif()
    string(APPEND stale "  ${name}.hpp, made of ${source}\n")
endforeach()
foreach(header IN LISTS headers)
    if(NOT CHECK)
        file(REMOVE "${EMBEDDED}/${header}")
    endif()
    string(APPEND stale "  ${header}, which no file is made into\n")
endforeach()

list(LENGTH sources count)
if(count EQUAL 0)
    message(FATAL_ERROR "no scripts and no styles in ${WEB}")
elseif(NOT stale)
    message(STATUS "${count} headers in ${EMBEDDED} are fresh")
elseif(CHECK)
    # As a notice, since an error's text would be wrapped.
    message(NOTICE "headers in ${EMBEDDED} that are stale:\n${stale}run: cmake -P include/axe/picture/web/embed.cmake")
    message(FATAL_ERROR "the embedded scripts and styles are stale")
else()
    message(NOTICE "made again in ${EMBEDDED}:\n${stale}")
endif()
