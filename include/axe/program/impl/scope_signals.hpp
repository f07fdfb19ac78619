// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SCOPE_SIGNALS_HPP
#define AXE_PROGRAM_IMPL_SCOPE_SIGNALS_HPP

#include <axe/program/kernel.hpp>

/// How a scope puts, gets and signals. Nothing here is for users.
namespace axe {
inline namespace v0 {

/// Refuses a view of the own memory where another one's is meant.
AXE_DECL bool Scope::is_elsewhere(const ViewRef& view, const char* operation)
{
    if (view.view().remote || view.view().block) return true;
    kernel_->refuse(errc::bad_argument,
                    detail::worded("{0}: {1} is in the memory of the block or device itself; give remote(device) or of_block(rank)",
                                   {operation, tensor_of(kernel_->program_, view.view()).name}));
    return false;
}

AXE_DECL Scope& Scope::put(const ViewRef& there, const ViewRef& here, const Options& options, SourceLine at)
{
    return is_elsewhere(there, "put") ? copy(there, here, options, at) : *this;
}
AXE_DECL Scope& Scope::get(const ViewRef& here, const ViewRef& there, const Options& options, SourceLine at)
{
    return is_elsewhere(there, "get") ? copy(here, there, options, at) : *this;
}
AXE_DECL Scope& Scope::signal(const ViewRef& flag, Expression value, Signal how, SourceLine at)
{
    sync(at);
    return elected(
        [&](Scope one) {
            if (how == Signal::set)
                one.set_flag(flag, std::move(value), MemoryOrder::release, Within::system, at);
            else
                one.add_to_flag(flag, std::move(value), MemoryOrder::release, Within::system, {}, at);
        },
        at);
}
AXE_DECL Scope& Scope::put_signal(const ViewRef& there, const ViewRef& here, const ViewRef& flag, Expression value, Signal how,
                                  const Options& options, SourceLine at)
{
    return put(there, here, options, at).signal(flag, std::move(value), how, at);
}
AXE_DECL Scope& Scope::signal_wait(const ViewRef& flag, Expression value, Until until, SourceLine at)
{
    return until == Until::equal ? wait_equal(flag, std::move(value), MemoryOrder::acquire, Within::system, at)
                                 : wait_at_least(flag, std::move(value), MemoryOrder::acquire, Within::system, at);
}

} // namespace v0
} // namespace axe

#endif
