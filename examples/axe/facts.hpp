// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_FACTS_HPP
#define AXE_CLI_FACTS_HPP

#include "reply.hpp"

#include <axe/axe.hpp>

#include <optional>
#include <string>
#include <vector>

namespace axe_cli {

/// A yes or no about a layout with what shows the no; or the error that kept it from being decided.
struct Fact {
    axe::Error undecided{};
    bool yes = false;
    std::string witness{};               ///< of a no: `indices 0 and 2 share {m:0}`
    std::vector<std::int64_t> indices{}; ///< the indices it speaks of
    std::optional<axe::Point> point{};   ///< the point it speaks of
};

Fact is_injective(const axe::Layout& layout);
/// A swizzle is a bijection: it only moves the point that a no names.
Fact is_injective(const axe::Swizzled<axe::Layout>& layout);
Fact is_surjective(const axe::Layout& layout, const axe::Point& box);
Fact is_bijective(const axe::Layout& layout, const axe::Point& box);
Fact is_contiguous(const axe::Layout& layout);
Fact is_contiguous(const axe::Swizzled<axe::Layout>& layout);

/// The whole reply.
void give(Reply& reply, const Fact& fact);

/// The span on every axis where it is not 1.
axe::Point spans_of(const axe::Layout& layout);

} // namespace axe_cli

#endif
