// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_OPERATION_OPTIONS_HPP
#define AXE_PROGRAM_IMPL_OPERATION_OPTIONS_HPP

#include <axe/machine/machine.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/operators.hpp>

/// What options and forms ask of operands that their operators do not know of. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// A byte mask names elements as a whole, and some.
inline Result<void, Problem> check_byte_mask(const Program& p, const Operation& o)
{
    const unsigned mask = o.options.byte_mask;
    if (mask == 0xffff) return {};
    if (!(o.op == Op::copy_async)) return {errc::bad_argument, "only a copy_async has a byte mask"};
    if (mask == 0) return {errc::bad_argument, "its byte mask names no byte"};
    if (o.operands.empty()) return {};
    const int width = storage_bytes(operand_tensor(p, o, 0).dtype);
    const unsigned one = (1u << width) - 1;
    for (int b = 0; b < 16; b += width)
        if (const unsigned part = mask >> b & one; part != 0 && part != one)
            return Problem(errc::bad_argument, "its byte mask {0} takes elements of {1} bytes apart", {mask, width});
    return {};
}

/// The last number whose bit is set, 32 to a word; −1: none is.
inline std::int64_t last_of(const std::vector<std::uint32_t>& words)
{
    for (std::int64_t i = 32 * static_cast<std::int64_t>(words.size()) - 1; i >= 0; --i)
        if ((words[static_cast<std::size_t>(i / 32)] >> i % 32 & 1) != 0) return i;
    return -1;
}

/// A product adds to something where a number decides that it does; the rows that it keeps are D's.
inline Result<void, Problem> check_form(const Program& p, const Operation& o)
{
    if ((o.unless_zero || !o.kept_rows.empty()) && !(o.op == Op::gemm))
        return {errc::bad_argument, "only a gemm keeps rows, or overwrites where a number is 0"};
    if (!o.zero_columns.empty() && !(o.op == Op::gemm)) return {errc::bad_argument, "only a gemm takes columns as zeros"};
    if (o.unless_zero && !o.accumulate)
        return {errc::bad_argument, "it overwrites where a number is 0, and does not accumulate elsewhere"};
    if (o.scale_d != 0 && !(o.op == Op::gemm && o.accumulate)) return {errc::bad_argument, "only a gemm that accumulates scales D"};
    if (o.scale_d < 0 || o.scale_d > 15) return {errc::out_of_domain, divided_sums_text(o.scale_d)};
    if (o.scale_d != 0 && !o.operands.empty() && !is_float(operand_tensor(p, o, 0).dtype))
        return Problem(errc::bad_argument, "{0}; a gemm scales floating-point sums", {type_words(p, o, 0)});
    if (o.operands.empty()) return {};
    const Shape& d = o.operands[0].extents;
    const std::int64_t rows = d.size() < 2 ? 0 : d[d.size() - 2], columns = d.size() < 2 ? 0 : d[d.size() - 1];
    if (const std::int64_t row = last_of(o.kept_rows); row >= rows)
        return Problem(errc::out_of_domain, "it keeps row {0} of {1}, which has {2}", {row, operand_words(p, o, 0), rows});
    if (const std::int64_t column = last_of(o.zero_columns); column >= columns)
        return Problem(errc::out_of_domain, "it takes column {0} of B as zeros, which has {1}", {column, columns});
    return {};
}

AXE_DECL Result<void, Problem> check_options(const Program& p, const Operation& o)
{
    if ((o.negate_a || o.negate_b) && !(o.op == Op::gemm)) return {errc::bad_argument, "only a gemm negates its operands"};
    if ((o.negate_a || o.negate_b) && o.operands.size() > 1 && !is_float(operand_tensor(p, o, 1).dtype))
        return Problem(errc::bad_argument, "{0}; a gemm negates floating-point operands", {type_words(p, o, 1)});
    if (o.options.fill_nan && !(o.op == Op::copy_async)) return {errc::bad_argument, "only a copy_async fills with NaN"};
    if (o.options.fill_nan && !o.operands.empty() && !is_float(operand_tensor(p, o, 0).dtype))
        return Problem(errc::bad_argument, "{0}; NaN fills floating-point elements", {type_words(p, o, 0)});
    if (auto e = check_form(p, o); !e.ok()) return e;
    return check_byte_mask(p, o);
}

AXE_DECL Result<void, Problem> check_prefetch(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 1); !e.ok()) return e;
    const Memory* memory = find_memory(p.machine, operand_tensor(p, o, 0).memory.c_str());
    if (memory == nullptr || memory->roles.has(Role::global)) return {};
    return Problem(errc::bad_argument, "{0} is in {1}; a prefetch is of global memory", {operand_words(p, o, 0), memory->name});
}

AXE_DECL Result<void, Problem> check_shift_rows(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 1); !e.ok()) return e;
    if (operand(o, 0).rank() == 0)
        return Problem(errc::bad_argument, "{0}; rows that are shifted are of its first dimension", {extent_words(p, o, 0)});
    return need_single(p, o);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
