// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_CHOOSE_HPP
#define AXE_TARGET_SPYRE_COMPILER_CHOOSE_HPP

#include <axe/target/spyre/compiler/graph.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// A tensor copied to another stick.
struct Restickify {
    int tensor = 0;
    Stick from = sparse, to = sparse;

    friend bool operator==(const Restickify&, const Restickify&) = default;
};

/// A way to run a graph: the stick that each tensor is made with, the rule that each operator runs by, and the copies.
struct StickChoice {
    std::vector<Stick> sticks{};
    std::vector<int> rules{};
    std::vector<Restickify> restickifies{};
    std::int64_t moved = 0; ///< the sticks that all copies together write
};

/// The sticks of all tensors of a graph with the fewest restickifies, and of those with the fewest sticks moved.
///
/// A copy of a tensor to another stick is made once, whatever reads it. One element a stick stays so: what would gather or scatter has
/// no mechanism, and is not a way.
///
/// Exact. `errc::no_layout` with the operator that no way can supply, in upstream's sense, and the fix; `errc::too_hard`
/// where more than 2^16 ways have to be kept in sight; `errc::rank_mismatch`, `errc::size_mismatch`, `errc::out_of_domain` for a graph
/// that is none. Cost: operators times rules times the ways that the tensors read later can be laid out.
AXE_DECL Result<StickChoice> choose_sticks(const OperatorGraph& graph);

} // namespace spyre
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/spyre/compiler/impl/choose.hpp>
#endif

#endif
