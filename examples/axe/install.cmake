# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the command says of itself: its manual page, and completions where the shells look for them. Run by the install rules with
#   axe_command  the program; nothing is installed where it was not built, or is for another processor
#   axe_pages    a folder to write in
#   axe_data, axe_man   share and share/man of the prefix
function(axe_install_answer folder name)
    execute_process(COMMAND "${axe_command}" ${ARGN} RESULT_VARIABLE status OUTPUT_FILE "${axe_pages}/${name}" ERROR_VARIABLE errors)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " request)
        message(WARNING "not installed: ${folder}/${name}: `axe ${request}` ends with ${status}; ${errors}")
        return()
    endif()
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
    file(INSTALL "${axe_pages}/${name}" DESTINATION "${folder}")
endfunction()

if(EXISTS "${axe_command}")
    file(MAKE_DIRECTORY "${axe_pages}")
    axe_install_answer("${axe_man}/man1" axe.1 help man)
    axe_install_answer("${axe_data}/bash-completion/completions" axe completion bash)
    axe_install_answer("${axe_data}/fish/vendor_completions.d" axe.fish completion fish)
    axe_install_answer("${axe_data}/zsh/site-functions" _axe completion zsh)
endif()
