// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATE_CLUSTERS_HPP
#define AXE_PROGRAM_IMPL_VALIDATE_CLUSTERS_HPP

#include <axe/program/cluster_text.hpp>
#include <axe/program/impl/validator.hpp>

/// What `validate` asks of what blocks do together. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

inline Problem input_is_written(const std::string& name); // validate.hpp

inline void Validator::visit(const Flag& f)
{
    what_ = ", flag";
    if (place_.level < 0) report(errc::bad_argument, "a flag is for agents of blocks; this is outside a block");
    if (place_.in_agent) report(errc::bad_argument, "a flag is inside each_agent or each_thread; it is for agents of the block");
    if (!env_.has_tensor(f.element.tensor)) return report(env_.no_tensor(f.element.tensor));
    const ProgramTensor& t = tensor_of(p_, f.element);
    const std::string who = quoted(t.name);
    if (auto e = check_view(env_, f.element, who); !e.ok()) return report(e.error());
    if (f.element.guarded) report(errc::bad_argument, worded("{0} is guarded; a flag is an element that exists", {who}));
    if (volume(f.element.extents).value() != 1)
        report(errc::bad_extent, worded("{0} is a flag of one element, and is {1}", {who, shape_words(f.element.extents)}));
    const Memory* memory = find_memory(p_.machine, t.memory.c_str());
    if (memory != nullptr && !memory->roles.has(Role::global)) report(errc::bad_argument, flag_memory_text(who, memory->name));
    const bool waits = f.action == Flag::Action::wait_at_least || f.action == Flag::Action::wait_equal;
    if (!waits && t.binding == Binding::input) report(input_is_written(who));
    if (waits && (f.order == MemoryOrder::release || f.order == MemoryOrder::acquire_release))
        report(errc::bad_argument, "a wait reads the flag; its order is acquire or relaxed");
    if (f.action == Flag::Action::store && (f.order == MemoryOrder::acquire || f.order == MemoryOrder::acquire_release))
        report(errc::bad_argument, "a store writes the flag; its order is release or relaxed");
    check_that(check_expression(env_, f.value));
    if (f.before < -1 || (f.before >= 0 && !env_.has_scalar(f.before))) report(env_.no_scalar(f.before));
}

inline void Validator::visit(const ClusterBarrier&)
{
    what_ = ", cluster barrier";
    if (cluster_ == 0) report(errc::bad_argument, "the grid has no clusters");
    if (place_.in_agent)
        report(errc::bad_argument, "a cluster barrier is inside each_agent or each_thread; it is for agents of the block");
}

/// A rank in the cluster, of values that all are ranks.
inline void Validator::check_rank(const Affine& rank)
{
    if (cluster_ == 0) return report(errc::bad_argument, no_clusters_text());
    if (place_.in_agent) return report(errc::bad_argument, "another block is named inside each_agent or each_thread");
    if (const auto e = check_affine(env_, rank); !e.ok()) return report(e.error());
    const Bounds at = bounds_of(env_, rank);
    const bool all = at.exact && env_.certain;
    const WideIndex highest = all ? at.high : at.low, lowest = all ? at.low : at.high;
    if (lowest < 0 || highest >= cluster_)
        report(errc::out_of_domain,
               worded("it names rank {0} of a cluster of {1}",
                      {static_cast<std::int64_t>(lowest < 0 ? lowest : highest), count_words(cluster_, "block")}));
}

inline void Validator::check_remote(const Mbarrier& m)
{
    check_rank(*m.rank);
    if (!is_for_other_blocks(m.action)) report(errc::bad_argument, remote_actions_text());
}

inline void Validator::check_block(const View& v, const std::string& who)
{
    check_rank(*v.block);
    const Memory* memory = find_memory(p_.machine, tensor_of(p_, v).memory.c_str());
    if (memory != nullptr && !memory->roles.has(Role::shared))
        report(errc::bad_argument, worded("{0} is in {1}; of another block only shared memory is accessed", {who, memory->name}));
}

inline void Validator::check_multicast(const Operation& o)
{
    if (o.options.multicast == 0) return;
    if (!(o.op == Op::copy_async || o.op == Op::gather || is_matrix_product(o.op) || o.op == Op::shift_rows) ||
        o.options.completes_on < 0)
        report(errc::bad_argument,
               "only a copy_async, gather, gemm or shift_rows that completes on an mbarrier goes to several blocks");
    check_mask(o.options.multicast);
}

inline void Validator::check_mask(std::uint16_t mask)
{
    if (cluster_ == 0) return report(errc::bad_argument, several_blocks_text());
    if (cluster_ < 16 && mask >> cluster_ != 0) report(errc::out_of_domain, mask_text(mask, cluster_));
}

inline void Validator::check_pair(const Operation& o)
{
    if (!o.options.pair) return;
    if (!(o.op == Op::copy_async || o.op == Op::gather || is_matrix_product(o.op) || o.op == Op::shift_rows))
        report(errc::bad_argument, "only a copy_async, gather, gemm or shift_rows is of a pair of blocks");
    if (cluster_ % 2 != 0 || cluster_ == 0)
        report(errc::bad_argument, worded("it is of a pair of blocks; clusters of {0} are not made of pairs", {cluster_}));
}

/// Products and copies in tensor memory of one grid are all of single blocks, or all of pairs.      [PTX ISA, cta_group]
inline void Validator::check_group(const View& d, const View& a, bool pair)
{
    if (cluster_ == 0) return;
    const Memory* to = find_memory(p_.machine, tensor_of(p_, d).memory.c_str());
    const Memory* from = find_memory(p_.machine, tensor_of(p_, a).memory.c_str());
    const bool is_in_tensors = to != nullptr && is_partitioned(*to) && from != nullptr && !from->roles.has(Role::registers);
    if (is_in_tensors) note_group(pair);
}
inline void Validator::note_group(bool pair)
{
    if (cluster_ == 0) return;
    int& first = pair ? of_pair_ : of_one_;
    const int other = pair ? of_one_ : of_pair_;
    if (first < 0 && other >= 0)
        report(errc::bad_argument,
               worded(pair ? "it is of a pair of blocks and statement {0} is not; in tensor memory all of a grid are, or none"
                           : "it is not of a pair of blocks and statement {0} is; in tensor memory all of a grid are, or none",
                      {other}));
    if (first < 0) first = id_;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
