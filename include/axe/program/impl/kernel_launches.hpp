// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_KERNEL_LAUNCHES_HPP
#define AXE_PROGRAM_IMPL_KERNEL_LAUNCHES_HPP

#include <axe/program/cluster_text.hpp>
#include <axe/program/kernel.hpp>

/// How kernel.hpp appends what blocks and grids do about launches, and mbarriers that have places. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL Scope& Scope::place_mbarrier(int id, std::int64_t arrivals, const ViewRef& bytes, SourceLine at)
{
    return mbarrier({Mbarrier::Action::init, id, arrivals, {}, {}, 0, bytes.view()}, at);
}
AXE_DECL Scope& Scope::try_cancel(const ViewRef& reply, int mbarrier, bool to_all, SourceLine at)
{
    const Machine& machine = kernel_->machine();
    if (!has_instruction(machine, "clusterlaunchcontrol")) kernel_->refuse(errc::bad_argument, no_requests_text(machine.name));
    kernel_->append({-1, CancelLaunch{reply.view(), mbarrier, to_all}}, at);
    return *this;
}
AXE_DECL Scope& Scope::launch_dependents(SourceLine at)
{
    kernel_->append({-1, GridDependency{GridDependency::Action::launch}}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait_for_grids(SourceLine at)
{
    kernel_->append({-1, GridDependency{GridDependency::Action::wait}}, at);
    return *this;
}

AXE_DECL Kernel& Kernel::dependent_launch(SourceLine)
{
    const bool is_outside = open_.size() == 1 && !program_.body.empty();
    Grid* const grid = is_outside ? std::get_if<Grid>(&program_.body.back().what) : nullptr;
    if (grid == nullptr)
        refuse(errc::bad_argument, "a dependent launch is of a grid, and no grid comes before it; call it right after cta");
    else
        grid->dependent = true;
    return *this;
}

} // namespace v0
} // namespace axe

#endif
