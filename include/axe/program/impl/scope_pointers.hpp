// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SCOPE_POINTERS_HPP
#define AXE_PROGRAM_IMPL_SCOPE_POINTERS_HPP

#include <axe/program/kernel.hpp>

/// How a scope accesses elements by their indices. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL Scope& Scope::atomic_at(Function f, const ViewRef& d, const std::vector<ViewRef>& indices, const ViewRef& a,
                                 const std::optional<ViewRef>& old, const std::optional<ViewRef>& where, const Options& options,
                                 SourceLine at)
{
    Operation op{Op::atomic_rows};
    op.options = options;
    op.function = f;
    op.indices = static_cast<int>(indices.size());
    op.operands.push_back(d.view());
    for (const ViewRef& index : indices) op.operands.push_back(index.view());
    op.operands.push_back(a.view());
    if (old) op.operands.push_back(old->view());
    op.masked = where.has_value();
    if (where) op.operands.push_back(where->view());
    return operate(std::move(op), at);
}
AXE_DECL Scope& Scope::compare_exchange_at(const ViewRef& d, const std::vector<ViewRef>& indices, const ViewRef& a,
                                           const ViewRef& expected, const std::optional<ViewRef>& where, const Options& options,
                                           SourceLine at)
{
    Operation op{Op::compare_exchange};
    op.options = options;
    op.indices = static_cast<int>(indices.size());
    op.operands.push_back(d.view());
    for (const ViewRef& index : indices) op.operands.push_back(index.view());
    op.operands.push_back(a.view());
    op.operands.push_back(expected.view());
    op.masked = where.has_value();
    if (where) op.operands.push_back(where->view());
    return operate(std::move(op), at);
}

AXE_DECL ElementPointers Scope::local_ptr(const ViewRef& x, const std::vector<ViewRef>& indices)
{
    const int rank = x.view().rank(), given = static_cast<int>(indices.size());
    if (given != 0 && given != rank)
        kernel_->refuse(errc::rank_mismatch, detail::worded("pointers into {0} have {1} indices; it has {2} dimensions",
                                                            {tensor_of(kernel_->program_, x.view()).name, given, rank}));
    return {x, indices};
}
AXE_DECL ElementPointers Scope::local_ptr(const ViewRef& x, const std::vector<Expression>& index, SourceLine at)
{
    return {element_of(x, index, at)};
}

/// The index of each element of a view in each of its dimensions.
AXE_DECL std::vector<ViewRef> Scope::own_indices(const ViewRef& x, SourceLine at)
{
    std::vector<ViewRef> out;
    const std::string name = tensor_of(kernel_->program_, x.view()).name;
    for (int k = 0; k < x.shape().size(); ++k) {
        out.push_back(
            alloc(Role::registers, x.shape(), DType::i32, LayoutHint::registers, name + ".index" + std::to_string(k), -1, at));
        iota(out.back(), k, {}, {}, at);
    }
    return out;
}

AXE_DECL Scope& Scope::load(const ViewRef& d, const ElementPointers& from, const Loading& how, SourceLine at)
{
    Options options;
    options.async = how.is_async;
    if (from.indices.empty() && !how.where) return how.is_async ? copy_async(d, from.of, {}, at) : copy(d, from.of, {}, at);
    return gather_at(d, from.of, from.indices.empty() ? own_indices(from.of, at) : from.indices, {how.where, how.otherwise},
                     options, at);
}
AXE_DECL Scope& Scope::store(const ElementPointers& to, const ViewRef& a, const std::optional<ViewRef>& where, SourceLine at)
{
    if (to.indices.empty() && !where) return copy(to.of, a, {}, at);
    return scatter_at(to.of, to.indices.empty() ? own_indices(to.of, at) : to.indices, a, where, {}, at);
}
AXE_DECL Scope& Scope::atomic(Function f, const ElementPointers& to, const ViewRef& a, const std::optional<ViewRef>& old,
                              const std::optional<ViewRef>& where, SourceLine at)
{
    if (to.indices.empty() && !old && !where) return atomic(f, to.of, a, Options{}, at);
    return atomic_at(f, to.of, to.indices.empty() ? own_indices(to.of, at) : to.indices, a, old, where, {}, at);
}

} // namespace v0
} // namespace axe

#endif
