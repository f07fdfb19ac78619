// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_KERNEL_COLUMNS_HPP
#define AXE_PROGRAM_IMPL_KERNEL_COLUMNS_HPP

#include <axe/program/kernel.hpp>

/// How kernel.hpp appends what asks for columns of tensor memory. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL Scope& Scope::allocate_columns(int id, std::int64_t columns, const ViewRef& address, const std::vector<ViewRef>& tensors,
                                        bool pair, SourceLine at)
{
    TensorColumns what{TensorColumns::Action::allocate, id, columns, {}, address.view(), pair};
    for (const ViewRef& tensor : tensors) what.operands.push_back(tensor.view());
    kernel_->append({-1, std::move(what)}, at);
    return *this;
}
AXE_DECL Scope& Scope::give_back_columns(int id, bool pair, SourceLine at)
{
    kernel_->append({-1, TensorColumns{TensorColumns::Action::give_back, id, 0, {}, {}, pair}}, at);
    return *this;
}
AXE_DECL Scope& Scope::relinquish_columns(bool pair, SourceLine at)
{
    kernel_->append({-1, TensorColumns{TensorColumns::Action::relinquish, 0, 0, {}, {}, pair}}, at);
    return *this;
}

} // namespace v0
} // namespace axe

#endif
