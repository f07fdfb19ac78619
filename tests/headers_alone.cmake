# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does each header include what it uses? The target axe_headers_alone asks clang, in half a minute of one core: every header is a submodule of
# one module, which is compiled once, and in a submodule only that is visible which its header includes. So what a header forgets is
# an error there, whatever was read before it; warnings are errors. That definitions come after declarations where the library is headers
# only, whichever header is first, is for header_order.py.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_custom_target(axe_headers_alone
        COMMAND "${CMAKE_COMMAND}" -E echo "axe_headers_alone needs clang, this is ${CMAKE_CXX_COMPILER_ID}"
        COMMAND "${CMAKE_COMMAND}" -E false)
    return()
endif()

set(standard "")
set(map "module axe {\n")
foreach(header IN LISTS axe_headers)
    string(APPEND map "  module \"${header}\" { header \"${header}\" export * }\n")
    file(STRINGS "${header}" includes REGEX "^ *# *include *<[a-z_]+>")
    list(APPEND standard ${includes})
endforeach()
list(TRANSFORM standard REPLACE ".*<(.+)>.*" "\\1")
list(REMOVE_DUPLICATES standard)
string(APPEND map "}\nmodule standard [system] {\n")
foreach(name IN LISTS standard)
    find_file(file "${name}" PATHS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES} NO_DEFAULT_PATH NO_CACHE REQUIRED)
    string(APPEND map "  module \"${name}\" { header \"${file}\" export * }\n")
    unset(file)
endforeach()
set(alone "${CMAKE_CURRENT_BINARY_DIR}/alone")
file(CONFIGURE OUTPUT "${alone}/headers.modulemap" CONTENT "${map}}\n" @ONLY)

set(compile "${CMAKE_CXX_COMPILER}" -std=c++20 "-I${PROJECT_SOURCE_DIR}/include" "$<TARGET_PROPERTY:axe_dev,INTERFACE_COMPILE_OPTIONS>" -Werror
    -ferror-limit=0 -DAXE_COMPILED -fmodules -fcxx-modules -fno-implicit-modules -fno-implicit-module-maps
    "-fmodule-map-file=${alone}/headers.modulemap" -Xclang -emit-module -x c++ -c "${alone}/headers.modulemap")
add_custom_command(OUTPUT "${alone}/axe.pcm" DEPENDS ${axe_headers} "${alone}/headers.modulemap"
    COMMAND ${compile} -fmodule-name=standard -o "${alone}/standard.pcm"
    COMMAND ${compile} -fmodule-name=axe "-fmodule-file=standard=${alone}/standard.pcm" -o "${alone}/axe.pcm"
    COMMENT "Each header alone" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(axe_headers_alone DEPENDS "${alone}/axe.pcm")
