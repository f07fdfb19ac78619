// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SIZES_HPP
#define SIZES_HPP

#include <axe/axe.hpp>

std::int64_t elements(const axe::Layout& layout);

#endif
