// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_CLUSTER_DOT_HPP
#define AXE_PROGRAM_CLUSTER_DOT_HPP

#include <axe/mesh/dot_sharding.hpp>
#include <axe/program/cluster_tensors.hpp>

/// Products of matrices that are distributed over the blocks of a cluster.
namespace axe {
inline namespace v0 {

/// The sums of products of such factors, A [m, k] and B [k, n]: C [m, n] in the accumulators of each block, distributed as
/// `dot_sharding_with_reads` says, 0 or the addend to begin with. Rows and columns of a part are rounded up to multiples of 16.
///
/// An addend is distributed as C; along an axis on which C is a partial sum it may also be replicated: the first block has it alone, so that it
/// is in the sum once.
///
/// The kernel's problem: errors of `dot_sharding_with_reads`; `errc::rank_mismatch` and `errc::size_mismatch` for factors that are not
/// matrices that fit, and an addend of another size; `errc::bad_argument` for an addend with another sharding.
AXE_DECL ClusterTensor dot_sums(Kernel& kernel, Scope cta, std::string name, DType type, const ClusterTensor& a,
                                const ClusterTensor& b, const std::optional<ClusterTensor>& addend = {},
                                SourceLine at = SourceLine::here());

/// C += A·B of factors that are distributed over the blocks of a cluster: each block multiplies the parts that it has. A factor that is on the first
/// block alone along an axis on which the other one has parts is read there, in that block's shared memory.
///
///   const auto c = dot_sums(k, cta, "c", DType::f32, a, b);
///   cta.loop(tiles(K, 32), [&](Interval s) {
///       …                                                   // each block writes its parts of the factors
///       distributed_dot(k, cta, c, a, b);
///   });
///
/// The blocks of the cluster meet before and after where one reads from another, else the agents of each block do. So the factors may be written just before,
/// and again behind it. Parts whose extents are not multiples of 16 are copied to tiles with zeros around them.
///
/// The kernel's problem: the errors of `dot_sums`; `errc::bad_argument` where C is not distributed as the product.
AXE_DECL void distributed_dot(Kernel& kernel, Scope cta, const ClusterTensor& c, const ClusterTensor& a, const ClusterTensor& b,
                              SourceLine at = SourceLine::here());

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/cluster_dot.hpp>
#endif

#endif
