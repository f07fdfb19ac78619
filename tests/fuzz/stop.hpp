// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_STOP_HPP
#define AXE_TESTS_FUZZ_STOP_HPP

#include <cstdio>
#include <cstdlib>
#include <string>

namespace fuzz {

/// Ends the program: the fuzzer keeps the input that led here.
[[noreturn]] inline void stop(const std::string& what)
{
    std::fprintf(stderr, "\nfuzz: %s\n", what.c_str());
    std::abort();
}

} // namespace fuzz

#endif
