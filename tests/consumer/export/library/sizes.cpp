// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sizes.hpp"

std::int64_t elements(const axe::Layout& layout) { return axe::size(layout).value_or(0); }
