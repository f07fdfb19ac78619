# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The kernels for AArch64, built by a cross compiler and run by an emulator. ROOT the repository, SCRATCH a folder to build in.
# Says "skipped:" where there is no such compiler or emulator.
cmake_minimum_required(VERSION 3.25)

find_program(compiler NAMES aarch64-linux-gnu-g++)
find_program(emulator NAMES qemu-aarch64-static qemu-aarch64)
if(NOT compiler OR NOT emulator)
    message("skipped: kernels for AArch64 need a compiler and an emulator (apt-get install g++-aarch64-linux-gnu qemu-user-static)")
    return()
endif()

set(folder "${ROOT}/tests/unit/relayout/kernels")
file(MAKE_DIRECTORY "${SCRATCH}")
# The folder of the stand-in for Catch2 comes first.
execute_process(COMMAND "${compiler}" -std=c++20 -O2 -static -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
        "-I${folder}/cross" "-I${ROOT}/include" "${folder}/kernels.cpp" -o "${SCRATCH}/kernels"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "the kernels do not compile for AArch64:\n${output}")
endif()
execute_process(COMMAND "${emulator}" "${SCRATCH}/kernels" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0)
    message(FATAL_ERROR "the kernels are wrong on AArch64 (${status})")
endif()
# That NEON was among them: it is what AArch64 has.
if(NOT output MATCHES "neon runs here")
    message(FATAL_ERROR "the run says nothing of NEON")
endif()
