# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Between installing and packing: what Debian wants elsewhere, or compressed. Run by cpack, with its variables.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()

function(axe_compress file)
    execute_process(COMMAND gzip -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER "${component}" upper)
    set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    set(share "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share")
    set(doc "${share}/doc/${package}")
    file(MAKE_DIRECTORY "${doc}")

    file(GLOB pages LIST_DIRECTORIES ON "${share}/doc/axe/*")
    foreach(page IN LISTS pages)
        cmake_path(GET page FILENAME name)
        file(RENAME "${page}" "${doc}/${name}")
    endforeach()
    file(REMOVE_RECURSE "${share}/doc/axe" "${share}/licenses")

    # Debian has the text of the license itself; the exception is what follows it.
    file(READ "${CPACK_RESOURCE_FILE_LICENSE}" license)
    string(FIND "${license}" "---- LLVM Exceptions" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${CPACK_RESOURCE_FILE_LICENSE}: the exception is not found")
    endif()
    string(SUBSTRING "${license}" ${at} -1 exception)
    string(STRIP "${exception}" exception)
    string(REPLACE "\n\n" "\n.\n" exception "${exception}")
    string(REPLACE "\n" "\n " exception "${exception}")
    file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: axe\n\nFiles: *\n"
        "Copyright: the authors of axe\nLicense: Apache-2.0 with LLVM exception\n"
        " On Debian systems the text of the Apache License, version 2.0, is in\n /usr/share/common-licenses/Apache-2.0.\n .\n ${exception}\n")
    if(EXISTS "${doc}/changelog.md")
        file(RENAME "${doc}/changelog.md" "${doc}/changelog")
        axe_compress("${doc}/changelog")
    endif()
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH where that is set
    file(WRITE "${doc}/changelog.Debian" "axe (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
        "  * Release ${CPACK_PACKAGE_VERSION}.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    axe_compress("${doc}/changelog.Debian")

    file(GLOB manuals "${share}/man/man1/*.1")
    foreach(manual IN LISTS manuals)
        axe_compress("${manual}")
    endforeach()
    if(EXISTS "${share}/zsh/site-functions") # Debian's zsh looks elsewhere
        file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
    endif()
endforeach()
