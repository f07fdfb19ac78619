// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_MESH_BARRIER_HPP
#define AXE_PROGRAM_MESH_BARRIER_HPP

#include <axe/mesh/mesh_scopes.hpp>
#include <axe/program/kernel.hpp>

/// Barriers of the members of a mesh or sub-mesh, from inside blocks.
namespace axe {
inline namespace v0 {

/// Whether the block that runs it is a member:  1 if device·n + block ∈ ids(mesh), else 0;  n the blocks of a device in the launch
/// mesh, `block` the row-major number of the block. Errors of `hardware_layout`.
AXE_DECL Result<Expression> membership(const Mesh& mesh, const Expression& device, const Expression& block = 0);

/// The members of a mesh meet: what each of them did before is before what all of them do after. Blocks that are not members pass.
///
///   add 1 to the counter, with release;  wait until it is  members·turn,  with acquire
///
/// `counter` is an element of i32 in global memory, 0 before the run, the same one for all members: a remote view where they are of several
/// devices. `turn` is 1 for the first barrier that uses it, 2 for the second. All agents of the block call it, and meet before and after.
/// The scope is the device where all members are of device 0, else the system.
///
/// The kernel's problem: errors of `hardware_layout`. A member that does not come is a deadlock of the run.
AXE_DECL void mesh_barrier(Kernel& kernel, Scope block_scope, const Mesh& mesh, const ViewRef& counter, const Expression& turn,
                           const Expression& block = 0, SourceLine at = SourceLine::here());

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/mesh_barrier.hpp>
#endif

#endif
