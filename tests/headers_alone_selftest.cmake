# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does the way of headers_alone.cmake find a header that does not include what it uses, when another was read before it?
#   cmake -DCOMPILER=clang++ -DSCRATCH=… -P headers_alone_selftest.cmake
file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${SCRATCH}/a.hpp" "#pragma once\nstruct A {};\n")
file(WRITE "${SCRATCH}/includes.hpp" "#pragma once\n#include \"a.hpp\"\nstruct B { A a; };\n")
file(WRITE "${SCRATCH}/forgets.hpp" "#pragma once\nstruct C { A a; };\n")
function(check header expected)
    file(WRITE "${SCRATCH}/headers.modulemap"
        "module planted {\n  module a { header \"a.hpp\" export * }\n  module b { header \"${header}\" export * }\n}\n")
    execute_process(RESULT_VARIABLE status ERROR_VARIABLE error
        COMMAND "${COMPILER}" -std=c++20 -fmodules -fcxx-modules -fno-implicit-modules -fno-implicit-module-maps -fmodule-name=planted
                "-fmodule-map-file=${SCRATCH}/headers.modulemap" -Xclang -emit-module -x c++ -c "${SCRATCH}/headers.modulemap" -o "${SCRATCH}/planted.pcm")
    if(NOT "${status} ${error}" MATCHES "${expected}")
        message(FATAL_ERROR "${header}: expected ${expected}, got ${status} ${error}")
    endif()
endfunction()
check(includes.hpp "^0 $")
check(forgets.hpp "^1 .*forgets.hpp:2:12: error: .*must be imported")
