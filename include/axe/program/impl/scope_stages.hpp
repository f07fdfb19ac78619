// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SCOPE_STAGES_HPP
#define AXE_PROGRAM_IMPL_SCOPE_STAGES_HPP

#include <axe/program/kernel.hpp>

#include <utility>

/// How kernel.hpp writes loops whose rounds are to overlap. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL Scope& Scope::overlapped(const Stages& stages, const std::function<void()>& write_loop)
{
    LoopStages said{stages.count, stages.stages, stages.orders, {}, {}, stages.bulk};
    if (stages.count < 1)
        kernel_->refuse(errc::bad_argument, detail::worded("a loop has {0} stages; it must have at least 1", {stages.count}));
    for (const AgentRole& role : stages.executors) {
        const auto slice = slice_of(kernel_->machine(), role);
        if (!slice) {
            kernel_->refuse(slice.error().code, slice.error().text);
            return *this;
        }
        said.executors.push_back({slice->name, slice->first, slice->count, slice->stride});
    }
    const std::size_t before = kernel_->open_.back()->size();
    LoopStages* const around = std::exchange(kernel_->overlapping_, &said);
    write_loop();
    kernel_->overlapping_ = around;
    Body& body = *kernel_->open_.back();
    const bool plain = said.count == 1 && said.stages.empty() && said.orders.empty() && said.executors.empty() &&
                       said.groups.empty() && !said.bulk;
    if (body.size() == before + 1 && !plain)
        if (auto* loop = std::get_if<For>(&body.back().what)) loop->stages = std::move(said);
    return *this;
}

AXE_DECL Scope& Scope::loop(const Tiles& tiles, const Stages& stages, const std::function<void(Interval)>& body, SourceLine at)
{
    return overlapped(stages, [&] { loop(tiles, body, at); });
}
AXE_DECL Scope& Scope::loop(Affine begin, Affine end, std::int64_t step, const Stages& stages,
                            const std::function<void(Affine)>& body, SourceLine at)
{
    return overlapped(stages, [&] { loop(std::move(begin), std::move(end), step, body, at); });
}

AXE_DECL Scope& Scope::pipeline_group(int id, const std::function<void()>& body, SourceLine)
{
    LoopStages* const loop = std::exchange(kernel_->overlapping_, nullptr); // groups are not inside groups
    if (loop == nullptr)
        kernel_->refuse(
            errc::bad_argument,
            detail::worded("pipeline_group({0}) is not directly in a loop with stages; its groups are not nested", {id}));
    const int begin = kernel_->program_.statements;
    if (body) body();
    if (loop != nullptr) loop->groups.push_back({id, begin, kernel_->program_.statements});
    kernel_->overlapping_ = loop;
    return *this;
}

} // namespace v0
} // namespace axe

#endif
