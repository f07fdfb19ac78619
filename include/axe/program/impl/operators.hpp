// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_OPERATORS_HPP
#define AXE_PROGRAM_IMPL_OPERATORS_HPP

#include <axe/program/messages.hpp>
#include <axe/program/operators.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

AXE_DECL std::string shape_words(const Shape& shape)
{
    std::string out;
    for (int d = 0; d < shape.held(); ++d) out += (d == 0 ? "" : "×") + std::to_string(shape[d]);
    return out.empty() ? "one element" : out;
}

AXE_DECL std::string operand_words(const Program& p, const Operation& o, int i)
{
    const IndexedOperands indexed = indexed_operands_of(o); // with several indices the last ones move
    const bool atomic = (o.op == Op::atomic_rows || o.op == Op::compare_exchange) && i != indexed.before;
    const bool moves = (o.op == Op::gather || o.op == Op::scatter || atomic) && i > 0 && indexed.count > 0;
    if (o.op == Op::raw && o.raw != nullptr && i < operand_count(*o.raw))
        return std::string(o.raw->operands[i].name) + " " + quoted(operand_tensor(p, o, i).name);
    const char* role = !moves              ? (i < 5 ? o.op.row().operands[i == indexed.before ? 3 : i] : nullptr)
                       : i == indexed.mask ? "mask"
                       : i == indexed.rows || i == indexed.chosen ? "A"
                                                                  : "index";
    return std::string(role == nullptr ? "operand" : role) + " " + quoted(operand_tensor(p, o, i).name);
}

AXE_DECL std::string extent_words(const Program& p, const Operation& o, int i)
{
    return operand_words(p, o, i) + " is " + shape_words(operand(o, i).extents);
}

AXE_DECL std::string type_words(const Program& p, const Operation& o, int i)
{
    return worded("{0} is of {1}", {operand_words(p, o, i), name(operand_tensor(p, o, i).dtype)});
}

AXE_DECL Result<void, Problem> need_operands(const Operation& o, int count)
{
    const auto there = static_cast<std::int64_t>(o.operands.size());
    if (there == count) return {};
    return Problem(errc::bad_argument, "it takes {0} and is given {1}", {count_words(count, "operand"), there});
}

/// Is operand i, which is written, one element for each of its indices?
AXE_DECL Result<void, Problem> need_single(const Program& p, const Operation& o, int i)
{
    const View& d = operand(o, i);
    for (int k = 0; k < d.rank(); ++k)
        if (d.extents[k] > 1 && (d.dims[k] < 0 || d.steps[k] == 0))
            return Problem(errc::bad_argument,
                           "{0} repeats its elements along dimension {1}; only an operand that is read can repeat",
                           {operand_words(p, o, i), k});
    return {};
}
AXE_DECL Result<void, Problem> need_single(const Program& p, const Operation& o) { return need_single(p, o, 0); }

inline Result<void, Problem> need_equal_extents(const Program& p, const Operation& o, int i, int k)
{
    if (operand(o, i).extents == operand(o, k).extents) return {};
    return Problem(errc::size_mismatch, "{0}, {1}; their extents must be equal", {extent_words(p, o, i), extent_words(p, o, k)});
}

inline Result<void, Problem> need_integers(const Program& p, const Operation& o, int i)
{
    if (o.function.row().domain != Domain::bits || is_whole(operand_tensor(p, o, i).dtype)) return {};
    return Problem(errc::bad_argument, "{0}; {1} takes integers and b1", {type_words(p, o, i), name(o.function)});
}

/// Is the function one that may be applied in any order?
inline Result<void, Problem> need_reduction(const Operation& o)
{
    if (o.function.row().reduces) return {};
    return Problem(errc::bad_argument, "{0} is not a reduction: the value depends on the order", {name(o.function)});
}

AXE_DECL Result<void, Problem> need_equal_extents(const Program& p, const Operation& o)
{
    for (int i = 1; i < static_cast<int>(o.operands.size()); ++i)
        if (auto e = need_equal_extents(p, o, 0, i); !e.ok()) return e;
    return {};
}

AXE_DECL Result<void, Problem> need_domain(const Program& p, const Operation& o, int first)
{
    const FunctionRow& f = o.function.row();
    bool whole = true;
    for (int i = first; i < static_cast<int>(o.operands.size()); ++i) {
        const bool here = is_whole(operand_tensor(p, o, i).dtype);
        whole = whole && (here || i == 0);
        if (auto e = need_integers(p, o, i); !e.ok()) return e;
    }
    if (f.domain == Domain::fractions && whole)
        return Problem(errc::bad_argument, "{0}; {1} takes floating-point numbers: copy it to a floating-point type first",
                       {type_words(p, o, 1), f.name});
    return {};
}

/// A number that the type of D has: fractions are rounded as a copy would; what would become another number altogether is a mistake.
inline Result<void, Problem> need_number(const Program& p, const Operation& o, double number)
{
    const DType type = operand_tensor(p, o, 0).dtype;
    const double stored = decode(type, encode(type, number));
    const bool same = stored == number || (stored != stored && number != number);
    const bool saturated =
        is_float(type) && !float_format(type).has_nan && std::fabs(number) > decode(type, float_format(type).special() - 1);
    const bool rounded = is_float(type) && std::isfinite(stored) && std::isfinite(number) && !saturated;
    if (same || rounded) return {};
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", number);
    return Problem(errc::bad_argument, "{0}, which has no {1}", {type_words(p, o, 0), text});
}

AXE_DECL Result<void, Problem> check_fill(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 1); !e.ok()) return e;
    if (auto e = need_single(p, o); !e.ok()) return e;
    return need_number(p, o, o.number);
}

AXE_DECL Result<void, Problem> check_copy(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 2); !e.ok()) return e;
    if (auto e = need_equal_extents(p, o); !e.ok()) return e;
    return need_single(p, o);
}

AXE_DECL Result<void, Problem> check_map(const Program& p, const Operation& o)
{
    const FunctionRow& f = o.function.row();
    if (static_cast<int>(o.operands.size()) != f.arity + 1)
        return Problem(errc::bad_argument, "{0} takes {1} after D and is given {2}",
                       {f.name, count_words(f.arity, "operand"), static_cast<std::int64_t>(o.operands.size()) - 1});
    if (auto e = need_equal_extents(p, o); !e.ok()) return e;
    if (auto e = need_domain(p, o, f.domain == Domain::bits ? 0 : 1); !e.ok()) return e;
    if (o.function == Function::bit_cast && bits(operand_tensor(p, o, 0).dtype) != bits(operand_tensor(p, o, 1).dtype))
        return Problem(errc::bad_argument, "{0}, {1}; the bits of an element fill one of as many bits",
                       {type_words(p, o, 0), type_words(p, o, 1)});
    return need_single(p, o);
}

AXE_DECL Result<void, Problem> check_reduce(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 2); !e.ok()) return e;
    if (auto e = need_reduction(o); !e.ok()) return e;
    const Shape& whole = operand(o, 1).extents;
    if (o.axes.empty()) return Problem(errc::bad_argument, "no dimension of {0} is reduced", {operand_words(p, o, 1)});
    if (o.axes.overfull()) return Problem(shape_capacity(max_rank, o.axes.size()));
    for (int i = 0; i < o.axes.size(); ++i) {
        if (o.axes[i] < 0 || o.axes[i] >= whole.size())
            return Problem(errc::out_of_domain, "dimension {0} is reduced; {1}", {o.axes[i], extent_words(p, o, 1)});
        for (int k = 0; k < i; ++k)
            if (o.axes[k] == o.axes[i]) return Problem(errc::bad_argument, "the reduced dimensions name {0} twice", {o.axes[i]});
    }
    Shape left;
    for (int d = 0; d < whole.size(); ++d) {
        bool reduced = false;
        for (const int axis : o.axes) reduced = reduced || axis == d;
        if (!reduced) left.push_back(whole[d]);
    }
    if (!(operand(o, 0).extents == left))
        return Problem(errc::size_mismatch, "{0}, {1}; without the reduced dimensions the shape is {2}",
                       {extent_words(p, o, 0), extent_words(p, o, 1), shape_words(left)});
    if (auto e = need_domain(p, o, 0); !e.ok()) return e;
    return need_single(p, o);
}

AXE_DECL Result<void, Problem> check_gemm(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 3); !e.ok()) return e;
    for (int i = 0; i < 3; ++i)
        if (operand(o, i).rank() != 2)
            return Problem(errc::rank_mismatch, "{0}; a matrix has two dimensions", {extent_words(p, o, i)});
    const Shape &d = operand(o, 0).extents, &a = operand(o, 1).extents, &b = operand(o, 2).extents;
    const int am = o.transpose_a ? 1 : 0, bn = o.transpose_b ? 0 : 1;
    const auto mismatch = [&](int i, int j, const char* which) {
        std::string sides = extent_words(p, o, i) + (i == 1 && o.transpose_a ? " transposed" : "") + ", " + extent_words(p, o, j) +
                            (j == 1 && o.transpose_a ? " transposed" : "") + (j == 2 && o.transpose_b ? " transposed" : "");
        return Problem(errc::size_mismatch, "{0}; their {1} differ", {std::move(sides), which});
    };
    if (d[0] != a[am]) return mismatch(0, 1, "rows");
    if (o.options.pair && d[1] != 2 * b[bn])
        return Problem(errc::size_mismatch, "{0}, {1}{2}; each block of a pair has half of the columns",
                       {extent_words(p, o, 0), extent_words(p, o, 2), std::string(o.transpose_b ? " transposed" : "")});
    if (!o.options.pair && d[1] != b[bn]) return mismatch(0, 2, "columns");
    if (a[1 - am] != b[1 - bn]) return mismatch(1, 2, "summed dimensions");
    std::string sums;
    const DType td = operand_tensor(p, o, 0).dtype, ta = operand_tensor(p, o, 1).dtype, tb = operand_tensor(p, o, 2).dtype;
    for (const GemmTypes& types : gemm_types) {
        if (types.a != ta || types.b != tb) continue;
        if (types.d == td) return need_single(p, o);
        sums += (sums.empty() ? "" : " or ") + std::string(name(types.d));
    }
    if (sums.empty())
        return Problem(errc::bad_argument, "{0}, {1}; no product of these types exists",
                       {type_words(p, o, 1), type_words(p, o, 2)});
    return Problem(errc::bad_argument, "{0}, {1}; sums of such products have the type {2}",
                   {type_words(p, o, 0), type_words(p, o, 1), sums});
}

inline Result<void, Problem> need_index_type(const Program& p, const Operation& o, int index)
{
    if (operand_tensor(p, o, index).dtype == DType::i32) return {};
    return Problem(errc::bad_argument, "{0}; an index has the type i32", {type_words(p, o, index)});
}
inline Problem other_rows(const Program& p, const Operation& o, int rows, int indexed, int index)
{
    return Problem(errc::size_mismatch,
                   "{0}, {1}, {2}; the first must have one row for each index, of the shape of the second's rows",
                   {extent_words(p, o, rows), extent_words(p, o, indexed), extent_words(p, o, index)});
}

inline Problem many_indices(const Program& p, const Operation& o, const IndexedOperands& at)
{
    return Problem(errc::rank_mismatch, "{0}; it is given {1} indices, one for each of its first dimensions",
                   {extent_words(p, o, at.chosen), at.count});
}

/// Each index numbers a dimension of what is chosen in, from the first on; rows, indices and mask go together.
inline Result<void, Problem> need_places(const Program& p, const Operation& o)
{
    const IndexedOperands at = indexed_operands_of(o);
    if (at.count < 1) return need_operands(o, o.masked ? 4 : 3);
    const Shape &whole = operand(o, at.chosen).extents, &some = operand(o, at.rows).extents, &index = operand(o, at.first).extents;
    for (int k = 0; k < at.count; ++k) {
        if (auto e = need_index_type(p, o, at.first + k); !e.ok()) return e;
        if (auto e = need_equal_extents(p, o, at.first, at.first + k); !e.ok()) return e;
    }
    if (o.masked)
        if (auto e = need_equal_extents(p, o, at.first, at.mask); !e.ok()) return e;
    if (at.count > whole.size()) return many_indices(p, o, at);
    bool fits = index.size() >= 1 && some.size() == index.size() + whole.size() - at.count;
    for (int d = 0; fits && d < some.size(); ++d)
        fits = some[d] == (d < index.size() ? index[d] : whole[d - index.size() + at.count]);
    if (!fits) return other_rows(p, o, at.rows, at.chosen, at.first);
    for (int k = 0; k < at.count; ++k)
        if (operand(o, at.chosen).dims[k] < 0) return {errc::bad_argument, no_rows_text(operand_words(p, o, at.chosen))};
    return need_single(p, o);
}

AXE_DECL Result<void, Problem> check_gather(const Program& p, const Operation& o)
{
    if (auto e = need_places(p, o); !e.ok() || !o.masked) return e;
    return need_number(p, o, o.number);
}

AXE_DECL Result<void, Problem> check_scatter(const Program& p, const Operation& o) { return need_places(p, o); }

/// D is a memory's, and of A's type, which has at least 16 bits.
inline Result<void, Problem> need_atomic(const Program& p, const Operation& o, int of)
{
    const ProgramTensor &d = operand_tensor(p, o, 0), &a = operand_tensor(p, o, of);
    if (d.dtype != a.dtype)
        return Problem(errc::bad_argument, "{0}, {1}; an atomic operation does not convert",
                       {type_words(p, o, 0), type_words(p, o, of)});
    if ((o.function == Function::inc || o.function == Function::dec) && d.dtype != DType::i32)
        return Problem(errc::bad_argument, "{0}; {1} is of i32, as unsigned numbers", {type_words(p, o, 0), name(o.function)});
    if (storage_bytes(d.dtype) < 2)
        return Problem(errc::bad_argument, "{0}; an atomic operation takes elements of at least 16 bits", {type_words(p, o, 0)});
    const Memory* memory = find_memory(p.machine, d.memory.c_str());
    if (memory != nullptr && !memory->roles.has(Role::global) && !memory->roles.has(Role::shared))
        return {errc::bad_argument, not_shared_text(operand_words(p, o, 0), memory->name)};
    return {};
}
inline std::string not_atomic_text(Function function)
{
    return worded(
        "{0} is not an atomic function; these are add, min, max, bit_and, bit_or, bit_xor, inc, dec and identity (exchange)",
        {name(function)});
}
inline Result<void, Problem> need_atomic_function(const Operation& o)
{
    const auto one_of = {Function::add,     Function::min,      Function::max, Function::bit_and, Function::bit_or,
                         Function::bit_xor, Function::identity, Function::inc, Function::dec};
    if (std::find(one_of.begin(), one_of.end(), o.function) == one_of.end())
        return {errc::bad_argument, not_atomic_text(o.function)};
    return {};
}

AXE_DECL Result<void, Problem> check_atomic(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 2); !e.ok()) return e;
    if (auto e = need_equal_extents(p, o); !e.ok()) return e;
    if (auto e = need_atomic_function(o); !e.ok()) return e;
    if (auto e = need_atomic(p, o, 1); !e.ok()) return e;
    return need_domain(p, o, 0);
}

/// Of an operator on the copies of all devices: two operands of one type and size, the one that has copies remote.
inline Result<void, Problem> need_all_copies(const Program& p, const Operation& o, int copies)
{
    if (auto e = need_operands(o, 2); !e.ok()) return e;
    if (auto e = need_equal_extents(p, o); !e.ok()) return e;
    if (const View& v = operand(o, copies); !v.remote || v.device)
        return Problem(errc::bad_argument, "{0} is not a remote() view; it is of the copies of all devices",
                       {operand_words(p, o, copies)});
    if (operand(o, 1 - copies).remote)
        return Problem(errc::bad_argument, "{0} is remote, too; one of the operands is", {operand_words(p, o, 1 - copies)});
    if (operand_tensor(p, o, 0).dtype != operand_tensor(p, o, 1).dtype)
        return Problem(errc::bad_argument, "{0}, {1}; an operation on all devices does not convert",
                       {type_words(p, o, 0), type_words(p, o, 1)});
    if (auto e = need_single(p, o); !e.ok()) return e;
    return {};
}
AXE_DECL Result<void, Problem> check_load_reduce(const Program& p, const Operation& o)
{
    if (auto e = need_all_copies(p, o, 1); !e.ok()) return e;
    if (auto e = need_reduction(o); !e.ok()) return e;
    return need_domain(p, o, 0);
}
AXE_DECL Result<void, Problem> check_store_all(const Program& p, const Operation& o) { return need_all_copies(p, o, 0); }
AXE_DECL Result<void, Problem> check_reduce_all(const Program& p, const Operation& o)
{
    if (auto e = need_all_copies(p, o, 0); !e.ok()) return e;
    if (auto e = need_reduction(o); !e.ok()) return e;
    return need_domain(p, o, 0);
}

/// Of an atomic operation at places: D and A, with as many indices as it says; perhaps what was there before, and a mask.
inline Result<void, Problem> need_atomic_places(const Program& p, const Operation& o, bool gives)
{
    const IndexedOperands at = indexed_operands_of(o);
    const auto given = static_cast<std::int64_t>(o.operands.size()), least = std::int64_t{2} + o.indices + (o.masked ? 1 : 0);
    if (o.indices >= 1 && given != least + (gives ? 1 : 0)) return need_operands(o, static_cast<int>(least) + (gives ? 1 : 0));
    if (o.indices < 1) return {errc::bad_argument, "it is given no index"};
    if (auto e = need_places(p, o); !e.ok()) return e;
    return need_atomic(p, o, at.rows);
}

/// What was there before: of D's type, an element for each of A's, in registers.
inline Result<void, Problem> need_before(const Program& p, const Operation& o)
{
    const IndexedOperands at = indexed_operands_of(o);
    if (auto e = need_equal_extents(p, o, at.before, at.rows); !e.ok()) return e;
    if (auto e = need_atomic(p, o, at.before); !e.ok()) return e;
    const Memory* memory = find_memory(p.machine, operand_tensor(p, o, at.before).memory.c_str());
    if (memory != nullptr && !memory->roles.has(Role::registers))
        return Problem(errc::bad_argument, "{0} is in {1}; what was there before goes to registers",
                       {operand_words(p, o, at.before), memory->name});
    return need_single(p, o, at.before);
}

AXE_DECL Result<void, Problem> check_atomic_rows(const Program& p, const Operation& o)
{
    const bool gives = indexed_operands_of(o).before >= 0;
    if (auto e = need_atomic_places(p, o, gives); !e.ok()) return e;
    if (auto e = need_atomic_function(o); !e.ok()) return e;
    if (auto e = need_integers(p, o, 0); !e.ok()) return e;
    return gives ? need_before(p, o) : Result<void, Problem>();
}

AXE_DECL Result<void, Problem> check_compare_exchange(const Program& p, const Operation& o)
{
    if (auto e = need_atomic_places(p, o, true); !e.ok()) return e;
    return need_before(p, o);
}

/// One dimension of operand `of`, along which the operator goes.
inline Result<void, Problem> need_axis(const Program& p, const Operation& o, int of)
{
    if (o.axes.size() != 1)
        return Problem(errc::bad_argument, "it is given {0}; it goes along one", {count_words(o.axes.size(), "dimension")});
    if (o.axes[0] < 0 || o.axes[0] >= operand(o, of).rank())
        return Problem(errc::out_of_domain, "it goes along dimension {0}; {1}", {o.axes[0], extent_words(p, o, of)});
    return {};
}

AXE_DECL Result<void, Problem> check_iota(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 1); !e.ok()) return e;
    if (auto e = need_axis(p, o, 0); !e.ok()) return e;
    return need_single(p, o);
}

AXE_DECL Result<void, Problem> check_scan(const Program& p, const Operation& o)
{
    if (auto e = need_operands(o, 2); !e.ok()) return e;
    if (auto e = need_reduction(o); !e.ok()) return e;
    if (auto e = need_equal_extents(p, o); !e.ok()) return e;
    if (auto e = need_axis(p, o, 1); !e.ok()) return e;
    if (auto e = need_domain(p, o, 0); !e.ok()) return e;
    if (o.exclusive && is_float(operand_tensor(p, o, 0).dtype))
        if (auto e = need_number(p, o, o.function.row().neutral); !e.ok()) return e;
    return need_single(p, o);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
