// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_CLUSTER_TENSORS_HPP
#define AXE_PROGRAM_CLUSTER_TENSORS_HPP

#include <axe/program/mesh_tensors.hpp>

/// Tensors that a sharding places on the blocks of a cluster, and their reshards through the blocks' shared memories.
namespace axe {
inline namespace v0 {

/// A tensor that is distributed over a mesh of the blocks of a cluster, or of devices and a cluster on each: each block has its part, of a
/// partial sum its term of it. What a block has where the tensor is undistributed and the block is not the first one counts for nothing.
struct ClusterTensor {
    TensorRef
        tensor; ///< the block's own: in shared memory of the shape `part`; sums of products are in accumulators, and may be larger
    Sharding sharding;
    Shape shape;                       ///< of the value
    Shape part{};                      ///< of what a block has
    std::vector<Affine> coordinates{}; ///< of the block, by axis of the mesh

    /// Where the block's part begins in dimension d of the value.
    [[nodiscard]] Affine begin(int dim) const;
    /// What the block has of it, in its own memory.
    [[nodiscard]] ViewRef own() const;
    /// The same elements of a view of the whole value, in global memory say.
    [[nodiscard]] ViewRef part_of(const ViewRef& whole) const;
    /// The same of a tensor that devices have, by `on_devices(sharding)` say: of a partial sum in the device's term.
    [[nodiscard]] ViewRef part_of(const ShardedTensor& whole) const;
    /// Does the block have something, that is: is it the first one along each axis on which the tensor is undistributed?
    [[nodiscard]] Expression holds() const;
};

/// What devices have of a tensor that a sharding distributes over them and the blocks of a cluster on each: the sharding over the device axes
/// of its mesh. What is split over blocks their device has whole; what the first block alone has, that device has.
///
/// `errc::bad_argument` with the axis for a mesh without device axes; for a partial sum over an axis of blocks, since devices have no terms of
/// blocks; for a dimension that is split over devices behind blocks, of which a device has several pieces. Cost: linear in axes.
AXE_DECL Result<Sharding> on_devices(const Sharding& sharding);

/// A tensor in the shared memory of the blocks of a cluster, placed by a sharding over a mesh whose axes are those of the cluster, or before
/// them those of the devices.
///
///   const auto a = sharded(k, cta, t, "a", {64, 32}, DType::f16, rows);
///   cta.when(a.holds(), [&] { cta.copy(a.own(), a.part_of(A)); });
///
/// @param tile what the function of the grid is given: it has the block's rank in its cluster
///
/// The kernel's problem: errors of `local_shape`; `errc::bad_argument` for a mesh with axes of another scope, a sub-mesh, and a cluster
/// that has not as many blocks, or a machine that has not as many devices, as the mesh has members.
AXE_DECL ClusterTensor sharded(Kernel& kernel, Scope cta, const Tile& tile, std::string name, const Shape& shape, DType type,
                               const Sharding& sharding, const Placement& placement = {}, SourceLine at = SourceLine::here());

/// Takes the tensor to another sharding: each block reads what it is to have in the shared memories of the blocks that have it, and adds up
/// the terms that `to` does not have, in f32 or the wider of the two types. All blocks of the cluster meet before and after.
///
/// Each part is read in pieces that lie in one part of the source: gcd(part of `from`, part of `to`) in each dimension. Of copies that several
/// blocks have, a block reads its own.
///
/// Between devices nothing moves: what a block is to have is in the cluster of its own device.
///
/// The kernel's problem: errors of `reshard` for shardings; `errc::size_mismatch` for tensors of different shapes; `errc::bad_argument` where
/// `to` is not in shared memory, and for an axis of devices along which a block would read what another device has.
AXE_DECL void reshard(Kernel& kernel, Scope cta, const ClusterTensor& to, const ClusterTensor& from,
                      SourceLine at = SourceLine::here());

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/cluster_tensors.hpp>
#endif

#endif
