// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_TWO_TU_HPP
#define AXE_TESTS_TWO_TU_HPP

#include <all_headers.hpp>

/// Defined in two_tu_b.cpp: what that translation unit sees of the functions and constants that both include.
struct SeenThere {
    const int* capacity;
    axe::Result<std::int64_t> (*size)(const axe::Layout&) noexcept;
    axe::Layout layout;
};
SeenThere seen_there();

#endif
