// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SCOPE_OPERATORS_HPP
#define AXE_PROGRAM_IMPL_SCOPE_OPERATORS_HPP

#include <axe/program/kernel.hpp>

/// How the operators of a scope are appended. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

inline Operation operation(Op op, std::vector<View> operands, const Options& options)
{
    Operation out{op};
    out.operands = std::move(operands);
    out.options = options;
    return out;
}

} // namespace detail

AXE_DECL Scope& Scope::operate(Operation operation, SourceLine at)
{
    kernel_->append({-1, std::move(operation)}, at);
    return *this;
}
AXE_DECL Scope& Scope::operate(Op op, const std::vector<ViewRef>& operands, const Options& options, SourceLine at)
{
    Operation operation = detail::operation(op, {}, options);
    for (const ViewRef& v : operands) operation.operands.push_back(v.view());
    return operate(std::move(operation), at);
}

AXE_DECL Scope& Scope::fill(const ViewRef& d, double number, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::fill, {d.view()}, options);
    op.number = number;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::copy(const ViewRef& d, const ViewRef& a, const Options& options, SourceLine at)
{
    kernel_->append({-1, detail::operation(Op::copy, {d.view(), a.view()}, options)}, at);
    return *this;
}
AXE_DECL Scope& Scope::copy_async(const ViewRef& d, const ViewRef& a, const Options& options, SourceLine at)
{
    kernel_->append({-1, detail::operation(Op::copy_async, {d.view(), a.view()}, options)}, at);
    return *this;
}
AXE_DECL Scope& Scope::map(Function f, const ViewRef& d, std::vector<ViewRef> operands, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::map, {d.view()}, options);
    for (const ViewRef& a : operands) op.operands.push_back(a.view());
    op.function = f;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::reduce(Function f, const ViewRef& d, const ViewRef& a, InlineVector<int, max_rank> axes, bool accumulate,
                              const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::reduce, {d.view(), a.view()}, options);
    op.function = f;
    op.axes = axes;
    op.accumulate = accumulate;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::gemm(const ViewRef& d, const ViewRef& a, const ViewRef& b, const Gemm& form, const Options& options,
                            SourceLine at)
{
    Operation op = detail::operation(Op::gemm, {d.view(), a.view(), b.view()}, options);
    op.accumulate = form.accumulate;
    op.transpose_a = form.transpose_a;
    op.transpose_b = form.transpose_b;
    op.negate_a = form.negate_a;
    op.negate_b = form.negate_b;
    op.unless_zero = form.unless_zero.has_value();
    if (form.unless_zero) op.start = *form.unless_zero;
    op.scale_d = form.scale_d;
    op.kept_rows = form.kept_rows;
    op.zero_columns = form.zero_columns;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::scaled_gemm(const ViewRef& d, const ViewRef& a, const ViewRef& b, const ViewRef& a_scales,
                                   const ViewRef& b_scales, const Gemm& form, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::scaled_gemm, {d.view(), a.view(), b.view(), a_scales.view(), b_scales.view()}, options);
    op.accumulate = form.accumulate;
    op.transpose_a = form.transpose_a;
    op.transpose_b = form.transpose_b;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::gather(const ViewRef& d, const ViewRef& a, const ViewRef& index, const Options& options, SourceLine at)
{
    kernel_->append({-1, detail::operation(Op::gather, {d.view(), a.view(), index.view()}, options)}, at);
    return *this;
}
AXE_DECL Scope& Scope::scatter(const ViewRef& d, const ViewRef& index, const ViewRef& a, const Options& options, SourceLine at)
{
    kernel_->append({-1, detail::operation(Op::scatter, {d.view(), index.view(), a.view()}, options)}, at);
    return *this;
}
AXE_DECL Scope& Scope::gather_at(const ViewRef& d, const ViewRef& a, const std::vector<ViewRef>& indices, const Masked& masked,
                                 const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::gather, {d.view(), a.view()}, options);
    for (const ViewRef& index : indices) op.operands.push_back(index.view());
    op.masked = masked.where.has_value();
    if (masked.where) op.operands.push_back(masked.where->view());
    op.number = masked.otherwise;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::scatter_at(const ViewRef& d, const std::vector<ViewRef>& indices, const ViewRef& a,
                                  const std::optional<ViewRef>& where, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::scatter, {d.view()}, options);
    for (const ViewRef& index : indices) op.operands.push_back(index.view());
    op.operands.push_back(a.view());
    op.masked = where.has_value();
    if (where) op.operands.push_back(where->view());
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::atomic(Function f, const ViewRef& d, const ViewRef& a, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::atomic, {d.view(), a.view()}, options);
    op.function = f;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::load_reduce(Function f, const ViewRef& d, const ViewRef& a, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::load_reduce, {d.view(), a.remote().view()}, options);
    op.function = f;
    return operate(std::move(op), at);
}
AXE_DECL Scope& Scope::store_all(const ViewRef& d, const ViewRef& a, const Options& options, SourceLine at)
{
    return operate(detail::operation(Op::store_all, {d.remote().view(), a.view()}, options), at);
}
AXE_DECL Scope& Scope::reduce_all(Function f, const ViewRef& d, const ViewRef& a, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::reduce_all, {d.remote().view(), a.view()}, options);
    op.function = f;
    return operate(std::move(op), at);
}
AXE_DECL Scope& Scope::atomic_rows(Function f, const ViewRef& d, const ViewRef& index, const ViewRef& a,
                                   const std::optional<ViewRef>& old, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::atomic_rows, {d.view(), index.view(), a.view()}, options);
    if (old) op.operands.push_back(old->view());
    op.function = f;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::compare_exchange(const ViewRef& d, const ViewRef& index, const ViewRef& a, const ViewRef& expected,
                                        const Options& options, SourceLine at)
{
    kernel_->append({-1, detail::operation(Op::compare_exchange, {d.view(), index.view(), a.view(), expected.view()}, options)},
                    at);
    return *this;
}
AXE_DECL Scope& Scope::iota(const ViewRef& d, int axis, const Affine& start, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::iota, {d.view()}, options);
    op.axes = {axis};
    op.start = start;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::prefetch(const ViewRef& a, const Options& options, SourceLine at)
{
    kernel_->append({-1, detail::operation(Op::prefetch, {a.view()}, options)}, at);
    return *this;
}
AXE_DECL Scope& Scope::shift_rows(const ViewRef& d, const Options& options, SourceLine at)
{
    kernel_->append({-1, detail::operation(Op::shift_rows, {d.view()}, options)}, at);
    return *this;
}
AXE_DECL Scope& Scope::scan(Function f, const ViewRef& d, const ViewRef& a, int axis, bool exclusive, const Options& options,
                            SourceLine at)
{
    Operation op = detail::operation(Op::scan, {d.view(), a.view()}, options);
    op.function = f;
    op.axes = {axis};
    op.exclusive = exclusive;
    kernel_->append({-1, std::move(op)}, at);
    return *this;
}
AXE_DECL Scope& Scope::raw(const RawFunction& f, const std::vector<ViewRef>& operands, const Options& options, SourceLine at)
{
    Operation op = detail::operation(Op::raw, {}, options);
    for (const ViewRef& v : operands) op.operands.push_back(v.view());
    op.raw = &f;
    return operate(std::move(op), at);
}

} // namespace v0
} // namespace axe

#endif
