# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does PAGE show what the file EXPECTED holds, whole and as it is, in a block of text?
cmake_minimum_required(VERSION 3.25)

file(READ "${PAGE}" page)
file(READ "${EXPECTED}" expected)
string(FIND "${page}" "\n```text\n${expected}```\n" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${PAGE} does not show ${EXPECTED}")
endif()
