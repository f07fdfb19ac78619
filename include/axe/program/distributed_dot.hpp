// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_DISTRIBUTED_DOT_HPP
#define AXE_PROGRAM_DISTRIBUTED_DOT_HPP

#include <axe/mesh/dot_sharding.hpp>
#include <axe/program/mesh_tensors.hpp>

/// Products of matrices that are distributed over the devices of a mesh.
namespace axe {
inline namespace v0 {

/// How the devices multiply.
struct DotOptions {
    Shape tile{64, 64, 32};                ///< of a block: rows, columns, and how much of the inner dimension at a time
    DType growing = DType::f32;            ///< the type of the sums
    std::optional<ShardedTensor> addend{}; ///< a matrix that is added once
};

/// C = A·B (+ addend), A [m, k] and B [k, n]: declares C, whose sharding follows from the factors' (`dot_sharding`), and appends grids in
/// which each device multiplies the parts that it has. Nothing is moved between devices; a result that is a partial sum is one of terms, and
/// `reshard` makes it what it is to be.
///
/// An addend is distributed as C; along an axis on which C is a partial sum it may also be replicated: the first member adds it, so that it
/// is there once.
///
/// The kernel's problem: errors of `dot_sharding` and of `placement`; `errc::size_mismatch` for inner dimensions or an addend of another size;
/// `errc::bad_argument` for an addend with another sharding, tiles that are not of three extents, and a sub-mesh.
/// Cost: a grid for the tiles that are whole, and one for each edge.
AXE_DECL ShardedTensor distributed_dot(Kernel& kernel, Binding binding, std::string name, DType type, const ShardedTensor& a,
                                       const ShardedTensor& b, const DotOptions& options = {}, SourceLine at = SourceLine::here());

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/distributed_dot.hpp>
#endif

#endif
