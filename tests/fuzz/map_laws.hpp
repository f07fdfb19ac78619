// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_MAP_LAWS_HPP
#define AXE_TESTS_FUZZ_MAP_LAWS_HPP

#include <axe/map/indexing_map.hpp>
#include <tests/fuzz/text_input.hpp>

namespace fuzz {

/// What the operations say of a small map, against all its points: the same map simplified, counted, bounded, inverted, as a layout.
void check_laws(const Input& in, const axe::IndexingMap& map);

} // namespace fuzz

#endif
