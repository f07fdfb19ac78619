# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs PROGRAM and compares what it prints with the file EXPECTED.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
    message(NOTICE "${out}${errors}")
    message(FATAL_ERROR "${PROGRAM} ends with ${status}")
endif()
file(READ "${EXPECTED}" expected)
if(NOT "${out}" STREQUAL "${expected}")
    message(NOTICE "${out}")
    message(FATAL_ERROR "${PROGRAM} prints something else than ${EXPECTED}")
endif()
