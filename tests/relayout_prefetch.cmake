# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does the machine code of a copy fetch ahead? A compiler may take a function that only prefetches for one that does nothing.
#   cmake -DCOMPILER=… -DINCLUDE=… -DSOURCE=… -P relayout_prefetch.cmake
execute_process(COMMAND "${COMPILER}" -std=c++20 -O2 -S -o - "-I${INCLUDE}" "${SOURCE}" OUTPUT_VARIABLE code RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${SOURCE} does not compile")
endif()
string(REGEX MATCHALL "\n[ \t]+(prefetch|prfm)[a-z0-9]*[ \t]" prefetches "${code}")
list(LENGTH prefetches count)
if(count EQUAL 0)
    message(FATAL_ERROR "there is no prefetch among the instructions")
endif()
message(STATUS "${count} prefetches")
