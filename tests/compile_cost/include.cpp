// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to include the library.
#include <axe/axe.hpp>
