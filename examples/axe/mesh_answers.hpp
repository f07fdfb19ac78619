// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_MESH_ANSWERS_HPP
#define AXE_CLI_MESH_ANSWERS_HPP

#include "answers.hpp"

#include <axe/mesh/mesh_text.hpp>

#include <optional>
#include <vector>

namespace axe_cli {

/// A mesh after keys, `flat` and shapes, one after another: its layout and its first ids.
void give_mesh(Reply& reply, const axe::Mesh& mesh, const std::vector<Text>& parts);
/// The layout of a tensor under a sharding, with what one member has; or the range of the member of this id.
void give_shard(Reply& reply, const axe::Mesh& mesh, const Text& sharding, const axe::Shape& shape,
                const std::optional<std::int64_t>& id);
/// The steps from one sharding to another, and what members receive.
void give_reshard(Reply& reply, const axe::Mesh& mesh, const Text& from, const Text& to, const axe::Shape& shape,
                  const std::optional<std::int64_t>& bits);

} // namespace axe_cli

#endif
