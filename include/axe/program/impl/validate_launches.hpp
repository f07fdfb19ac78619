// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATE_LAUNCHES_HPP
#define AXE_PROGRAM_IMPL_VALIDATE_LAUNCHES_HPP

#include <axe/program/cluster_text.hpp>
#include <axe/program/impl/validator.hpp>

/// What `validate` asks of requests to cancel launches, of dependent grids, and of mbarriers that have places. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// So many bytes of shared memory.
inline void Validator::check_bytes(const View& v, std::int64_t bytes, const char* what)
{
    if (!env_.has_tensor(v.tensor)) return report(env_.no_tensor(v.tensor));
    const ProgramTensor& t = tensor_of(p_, v);
    const std::string who = quoted(t.name);
    if (auto e = check_view(env_, v, who); !e.ok()) return report(e.error());
    const Memory* memory = find_memory(p_.machine, t.memory.c_str());
    if (memory != nullptr && !memory->roles.has(Role::shared))
        report(errc::bad_argument, worded("{0} is in {1}; {2} is in shared memory", {who, memory->name, what}));
    if (v.guarded || v.block) report(errc::bad_argument, worded("{0} is guarded or of another block; it must be the own", {who}));
    const std::int64_t has = volume(v.extents).value() * bits(t.dtype);
    if (has != bytes * 8) report(errc::bad_extent, worded("{0} is a view of {1} bits; {2} takes {3}", {who, has, what, bytes * 8}));
}

inline void Validator::visit(const CancelLaunch& c)
{
    what_ = ", try_cancel";
    if (grid_ == nullptr || place_.level < 0)
        return report(errc::bad_argument, "a request to cancel a launch is for agents of a block; this is outside a block");
    if (place_.in_agent)
        report(errc::bad_argument,
               "a request to cancel a launch is inside each_agent or each_thread; it is for agents of the block");
    if (!has_instruction(p_.machine, "clusterlaunchcontrol")) report(errc::bad_argument, no_requests_text(p_.machine.name));
    if (c.mbarrier < 0) report(errc::bad_argument, worded("its mbarrier is {0}; it must be at least 0", {c.mbarrier}));
    if (grid_->counts.size() > 3)
        report(errc::bad_argument, worded("the grid has {0} dimensions; a reply has room for 3", {grid_->counts.size()}));
    if (c.to_all && cluster_ == 0) report(errc::bad_argument, several_blocks_text());
    check_bytes(c.element, 16, "the reply to a request");
    if (env_.has_tensor(c.element.tensor) && tensor_of(p_, c.element).dtype != DType::i32)
        report(errc::bad_argument, worded("{0} has elements of {1}; those of a reply are i32",
                                          {quoted(tensor_of(p_, c.element).name), name(tensor_of(p_, c.element).dtype)}));
}

inline void Validator::visit(const GridDependency& d)
{
    what_ = d.action == GridDependency::Action::launch ? ", launch dependents" : ", wait for the grids before";
    if (grid_ == nullptr || place_.level < 0)
        return report(errc::bad_argument, "a dependency of grids is for agents of a block; this is outside a block");
    if (place_.in_agent)
        report(errc::bad_argument, "a dependency of grids is inside each_agent or each_thread; it is for agents of the block");
    if (d.action == GridDependency::Action::wait && !grid_->dependent)
        report(errc::bad_argument, "the grid is not a dependent one; it starts when the one before has ended");
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
