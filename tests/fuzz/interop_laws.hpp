// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_INTEROP_LAWS_HPP
#define AXE_TESTS_FUZZ_INTEROP_LAWS_HPP

#include <axe/interop/cute.hpp>
#include <axe/interop/linear.hpp>
#include <axe/interop/sharding.hpp>
#include <axe/interop/strides.hpp>
#include <tests/fuzz/text_input.hpp>

/// What holds of every value of another format: as a layout it is the same map, element by element where it is small, and what comes
/// back from there is the same map again. A conversion may refuse; what it gives must be right.
namespace fuzz {

void check_laws(const Input& in, const axe::cute::Layout& layout);
void check_laws(const Input& in, const axe::cute::Composed& composed);
void check_laws(const Input& in, const axe::linear::LinearLayout& layout);
void check_laws(const Input& in, const axe::onednn::Tag& tag);
void check_laws(const Input& in, const axe::xla::TiledLayout& tiled);
void check_laws(const Input& in, const axe::sharding::Spec& spec);
void check_laws(const Input& in, const axe::sharding::Placements& placements, const axe::sharding::Mesh& mesh);
void check_laws(const Input& in, const axe::sharding::HloSharding& hlo);

} // namespace fuzz

#endif
