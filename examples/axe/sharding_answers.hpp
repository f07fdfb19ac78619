// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_SHARDING_ANSWERS_HPP
#define AXE_CLI_SHARDING_ANSWERS_HPP

#include "answers.hpp"
#include "arguments.hpp"

#include <axe/interop/sharding.hpp>

namespace axe_cli {

/// What each device holds under placements, or one of them: its boxes.
void give_boxes(Reply& reply, const axe::sharding::Placements& placements, const axe::sharding::Mesh& mesh, const axe::Shape& shape,
                const std::optional<std::int64_t>& device);

/// The collective between two shardings, each in any of the notations that say one; bytes where it is known how many bits an element has.
void give_collective(Reply& reply, const Text& from, const Text& to, const axe::sharding::Mesh& mesh, const axe::Shape& shape,
                     const std::optional<std::int64_t>& bits);

} // namespace axe_cli

#endif
