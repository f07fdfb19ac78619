// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_MESH_TENSORS_HPP
#define AXE_PROGRAM_MESH_TENSORS_HPP

#include <axe/mesh/mesh_sharding.hpp>
#include <axe/program/kernel.hpp>

/// Tensors of programs that a sharding places on the devices of a mesh, and coordinates of a mesh that the run knows.
namespace axe {
inline namespace v0 {

/// A tensor of a program that is distributed over a mesh: `tensor` is over the terms of the sharding, then over `shape`
/// (`ShardPlacement`). So a partial sum has no value that a program can read: only its terms have.
struct ShardedTensor {
    TensorRef tensor;
    Sharding sharding;
    Shape shape; ///< of the value
};

/// A tensor in the devices' memory, placed by a sharding: an input, an output, both, or one of the program itself. A device has what all its
/// blocks have (`device_placement`), and `part_of` is what one of them has.
///
/// The kernel's problem: errors of `device_placement`.
AXE_DECL ShardedTensor sharded(Kernel& kernel, Binding binding, std::string name, const Shape& shape, DType type,
                               const Sharding& sharding);

/// What a member of a mesh has of a tensor: its part, of a partial sum its term.
struct TensorPart {
    ViewRef view;
    Expression holds; ///< does it have something? Not where the tensor is undistributed and the member is not the first one
};

/// What the block that runs it has of a tensor in the devices' memory.
///
///   k.cta(tiles(blocks, 1), [&](Scope cta, const Tile& t) { cta.copy(part_of(k, cta, D, t.index[0]).view, …); });
///
/// @param block the row-major number of the block on its device, in the axes of blocks of the mesh
///
/// The kernel's problem: `errc::bad_argument` for a sharding over a sub-mesh. A number that is no block's is a fault of the run.
AXE_DECL TensorPart part_of(Kernel& kernel, Scope scope, const ShardedTensor& whole, const Expression& block = 0,
                            SourceLine at = SourceLine::here());

/// Appends the statement that takes the tensor to another sharding: a copy, or the sum of the terms that `to` does not have. It is run by
/// all devices, as a collective of the kind that the placements make it (`classify_reshard`).
///
/// The kernel's problem: errors of `reshard` for shardings; `errc::size_mismatch` for tensors of different shapes.
AXE_DECL void reshard(Kernel& kernel, const ShardedTensor& to, const ShardedTensor& from, const Options& options = {},
                      SourceLine at = SourceLine::here());

/// The coordinate on an axis of the launch mesh of the device and block that run it, `shard_id` of their id:
///
///   id = device·n + block,   n the blocks of a device
///
/// `device` is `kernel.device()`, `block` the row-major number of the block. For an origin, a bound or a condition give it to
/// `Scope::index`, with the size of the axis. `errc::out_of_domain`.
AXE_DECL Result<Expression> shard_coordinate(const Mesh& mesh, int axis, const Expression& device, const Expression& block = 0);
/// The same of an axis by its name. `errc::unknown_axis`.
AXE_DECL Result<Expression> shard_coordinate(const Mesh& mesh, const Axis& axis, const Expression& device,
                                             const Expression& block = 0);

/// The device of the member at coordinates of a mesh or sub-mesh that the run computes, as `id_at` of numbers: of a ring, say, that of the
/// next one. `errc::rank_mismatch`; the errors of `hardware_layout`.
///
/// @pre in the run each coordinate is in its dimension
AXE_DECL Result<Expression> device_at(const Mesh& mesh, const std::vector<Expression>& coordinates);

/// The rank in its cluster of the member at coordinates of a mesh or sub-mesh that the run computes. `errc::rank_mismatch`; the errors of
/// `cluster_layout`.
///
/// @pre in the run each coordinate is in its dimension
AXE_DECL Result<Expression> rank_at(const Mesh& mesh, const std::vector<Expression>& coordinates);

/// The view as the member at these coordinates of the mesh has it, or the member of that row-major number: of a tensor in shared memory
/// that of another block of the cluster (`of_block`), of one in the devices' memory that of another device (`remote`).
///
///   k.put(remote(k, cta, G, mesh, {node, next})(slot, all), r)
///
/// The kernel's problem: errors of `device_at` and `rank_at`. A coordinate outside its dimension is a fault of the run.
AXE_DECL ViewRef remote(Kernel& kernel, Scope scope, const ViewRef& view, const Mesh& mesh, const TileIndex& member,
                        SourceLine at = SourceLine::here());

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/mesh_tensors.hpp>
#endif

#endif
