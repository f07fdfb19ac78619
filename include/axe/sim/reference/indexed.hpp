// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_INDEXED_HPP
#define AXE_SIM_REFERENCE_INDEXED_HPP

#include <axe/sim/reference/operators.hpp>
#include <axe/sim/reference/raw.hpp>
#include <axe/sim/reference/scaled_gemm.hpp>
#include <axe/sim/reference/scans.hpp>
#include <axe/tensor/host_memory.hpp>

/// Operators whose places or order are not known beforehand: gather, scatter, atomics; and the table of all.
namespace axe {
inline namespace v0 {
namespace ref {

/// Row i of a view: its first dimension picked.
inline Box row_of(const Box& box, View& view, std::int64_t i)
{
    view = *box.view;
    Box out = box;
    if (view.dims[0] >= 0) out.origin[view.dims[0]] += view.steps[0] * i;
    view.extents.erase(0);
    view.dims.erase(0);
    view.steps.erase(0);
    out.extents.erase(0);
    out.view = &view;
    return out;
}

inline std::string index_words(std::int64_t i, const Box& of)
{
    return detail::worded("index {0}, from {1},", {i, of.tensor().name});
}
inline Problem no_such_row(const std::string& index, std::int64_t row, const Box& of)
{
    return Problem(errc::out_of_domain, "{0} is {1}; the view of {2} has {3} rows and is not guarded",
                   {index, row, of.tensor().name, of.extents[0]});
}

/// Where the indices of a gather, a scatter or an atomic operation lead.
struct Places {
    enum : std::int64_t { masked = -2, outside = -1 };
    std::vector<std::int64_t>
        at{};                ///< of each element of the indices: row-major over the indexed dimensions, or `outside`, or `masked`
    std::int64_t length = 1; ///< elements of a row, those of the dimensions that are not indexed
    std::vector<std::int64_t> extents{}; ///< of the indexed dimensions

    [[nodiscard]] std::vector<std::int64_t> indices(std::int64_t place) const
    {
        std::vector<std::int64_t> out(extents.size());
        for (std::size_t k = out.size(); k-- > 0; place /= extents[k]) out[k] = place % extents[k];
        return out;
    }
    /// "3", or "(3,1)"
    [[nodiscard]] std::string words(std::int64_t place) const
    {
        std::string list;
        for (const std::int64_t i : indices(place)) list += (list.empty() ? "" : ",") + std::to_string(i);
        return extents.size() == 1 ? list : "(" + list + ")";
    }
};

inline Result<Places, Problem> places_named(const Operands& o, const IndexedOperands& which)
{
    const Box& of = o.box(which.chosen);
    std::vector<Values> indices;
    Values mask;
    for (int k = 0; k < which.count; ++k) {
        auto values = read(o.box(which.first + k));
        if (!values) return values.error();
        indices.push_back(std::move(*values));
    }
    if (which.mask >= 0) {
        auto values = read(o.box(which.mask));
        if (!values) return values.error();
        mask = std::move(*values);
    }
    Places out;
    for (int d = 0; d < of.extents.size(); ++d)
        if (d < which.count)
            out.extents.push_back(of.extents[d]);
        else
            out.length *= of.extents[d];
    for (std::int64_t i = 0; i < indices[0].size(); ++i) {
        if (!goes_on(of.pulse, 200)) return stopped();
        if (which.mask >= 0) {
            const std::string what = detail::worded("element {0} of the mask {1}", {i, o.box(which.mask).tensor().name});
            const Bounded m = mask.at(i);
            if (auto e = need_certain(m, what); !e.ok() && m.low <= 0 && m.high >= 0) return e;
            if (m.is_point() && m.value == 0) {
                out.at.push_back(Places::masked);
                continue;
            }
        }
        std::int64_t place = 0;
        bool inside = true;
        for (int k = 0; k < which.count; ++k) {
            const std::string what = index_words(i, o.box(which.first + k));
            if (auto e = need_certain(indices[static_cast<std::size_t>(k)].at(i), what); !e.ok()) return e;
            const auto index = static_cast<std::int64_t>(indices[static_cast<std::size_t>(k)].at(i).value);
            const bool is_row = index >= 0 && index < of.extents[k];
            if (!is_row && !of.view->guarded)
                return which.count == 1
                           ? no_such_row(what, index, of)
                           : Problem(errc::out_of_domain,
                                     "{0} is {1}; dimension {4} of the view of {2} has {3} elements and is not guarded",
                                     {what, index, of.tensor().name, of.extents[k], k});
            inside = inside && is_row;
            if (inside) place = place * of.extents[k] + index;
        }
        out.at.push_back(inside ? place : std::int64_t{Places::outside});
    }
    return out;
}

/// The part of a view at a place of its indexed dimensions.
inline Box part_at(const Box& box, View& view, const Places& places, std::int64_t place)
{
    Box out = box;
    View next;
    for (const std::int64_t i : places.indices(place)) {
        out = row_of(out, next, i);
        view = next;
        out.view = &view;
    }
    return out;
}

inline Result<void, Problem> run_gather(const Operands& o)
{
    const IndexedOperands which = indexed_operands_of(o.operation);
    const auto places = places_named(o, which);
    if (!places) return places.error();
    Values out(o.box(0).size());
    View view;
    const Bounded otherwise = stored(exactly(o.operation.number), o.type(0));
    std::vector<std::pair<std::int64_t, std::int64_t>> left_out;
    for (std::size_t i = 0; i < places->at.size(); ++i) {
        const std::int64_t first = static_cast<std::int64_t>(i) * places->length;
        if (places->at[i] == Places::masked) left_out.emplace_back(first, first + places->length);
        if (places->at[i] < 0) continue; // outside of a guarded view: 0
        const auto row = read(part_at(o.box(1), view, *places, places->at[i]));
        if (!row) return row.error();
        out.gather_from(first, *row, 0, 1, places->length);
    }
    const auto convert = [&](std::int64_t i) { out.set(i, stored(out.at(i), o.type(0))); };
    if (o.type(0) != o.type(1))
        if (auto e = for_each_number(o.box(0).pulse, out.size(), 40, convert); !e.ok()) return e;
    for (const auto& [begin, end] : left_out)
        for (std::int64_t x = begin; x < end; ++x) out.set(x, otherwise);
    return write(o.box(0), out);
}

/// Rows are written in the order of the indices; one that is written twice, with different values, is an error.
inline Result<void, Problem> run_scatter(const Operands& o)
{
    const IndexedOperands which = indexed_operands_of(o.operation);
    const auto places = places_named(o, which);
    if (!places) return places.error();
    auto a = read(o.box(which.rows));
    if (!a) return a.error();
    const auto convert = [&](std::int64_t i) { a->set(i, stored(a->at(i), o.type(0))); };
    if (o.type(0) != o.type(which.rows))
        if (auto e = for_each_number(o.box(0).pulse, a->size(), 40, convert); !e.ok()) return e;
    const std::int64_t length = places->length;
    std::map<std::int64_t, std::int64_t> last;
    View view;
    for (std::size_t i = 0; i < places->at.size(); ++i) {
        const std::int64_t row = places->at[i], first = static_cast<std::int64_t>(i) * length;
        if (row < 0) continue; // outside of a guarded view: dropped
        const auto [before, is_new] = last.try_emplace(row, first);
        for (std::int64_t x = 0; !is_new && x < length; ++x) {
            if (!goes_on(o.box(0).pulse, 20)) return stopped();
            const Bounded one = a->at(before->second + x), two = a->at(first + x);
            if (one.is_point() && two.is_point() && one.value == two.value) continue;
            return Problem(errc::not_single_valued,
                           "row {0} of {1} is written by the indices {2} and {3} with different values; their order is not defined",
                           {places->words(row), o.box(0).tensor().name, before->second / length, i});
        }
        Values part(length);
        part.gather_from(0, *a, first, 1, length);
        if (auto e = write(part_at(o.box(0), view, *places, row), part); !e.ok()) return e;
    }
    return {};
}

/// D after f(D, a), where others may come before or after: sums as if all since the last write came in any order, exchanges leave
/// what any of them brought.
inline Bounded after_atomic(Chain& chain, const Bounded& d, const Bounded& a, Function f, DType type)
{
    ++chain.steps;
    const bool whole = is_whole(type);
    if (f == Function::identity) return chain.steps == 1 ? a : hull(a, d);
    if (f != Function::add) return stored(apply(f, std::array<Bounded, 2>{d, a}.data(), type, whole), type);
    if (chain.steps == 1) {
        chain.sum = d;
        chain.magnitude = d.magnitude();
    }
    chain.sum = sum(chain.sum, a);
    chain.magnitude += a.magnitude();
    if (!std::isfinite(chain.magnitude) || chain.sum.nan) return stored(sum(d, a), type);
    return stored(sum_of_terms(chain.sum.value, chain.sum.low, chain.sum.high, chain.magnitude, static_cast<double>(chain.steps),
                               false, arithmetic(type, type, whole)),
                  type);
}

inline Result<void, Problem> run_atomic(const Operands& o)
{
    const auto a = read(o.box(1)), d = read(o.box(0)); // the elements must be there
    if (!a) return a.error();
    if (!d) return d.error();
    Elements& to = *o.box(0).of;
    return for_rows(
        o.box(0), [&](std::int64_t first, std::int64_t element, std::int64_t step, std::int64_t begin, std::int64_t end) {
            for (std::int64_t x = begin; x < end; ++x) {
                if (!goes_on(o.box(0).pulse, 100)) return stopped();
                const std::int64_t i = element + step * x;
                to.values.set(i, after_atomic(to.chains[i], to.values.at(i), a->at(first + x), o.operation.function, o.type(0)));
            }
            return Problem();
        });
}

/// What is there before another agent's operations, which may come before or after: any number of its type. What a mask leaves out stays.
inline Result<void, Problem> write_before(const Operands& o, const IndexedOperands& which, const Places& places)
{
    const Box& before = o.box(which.before);
    const bool is_whole = which.mask < 0;
    Values out(is_whole ? before.size() : places.length);
    const Bounded any = stored(anything(0), before.tensor().dtype);
    if (auto e = for_each_number(before.pulse, out.size(), 4, [&](std::int64_t i) { out.set(i, any); }); !e.ok()) return e;
    if (is_whole) return write(before, out);
    Places own; // of the elements of the indices themselves
    const Shape& index = o.box(which.first).extents;
    own.extents.assign(index.begin(), index.end());
    View view;
    for (std::size_t i = 0; i < places.at.size(); ++i) {
        if (places.at[i] == Places::masked) continue;
        if (auto e = write(part_at(before, view, own, static_cast<std::int64_t>(i)), out); !e.ok()) return e;
    }
    return {};
}

/// Calls each(element, bounds of A) for the elements of D that an index names, in the index's order.
template <class Each>
Result<void, Problem> for_rows_named(const Operands& o, const IndexedOperands& which, const Places& places, const Each& each)
{
    const auto a = read(o.box(which.rows));
    if (!a) return a.error();
    View view;
    for (std::size_t i = 0; i < places.at.size(); ++i) {
        if (places.at[i] < 0) continue; // outside of a guarded view: dropped
        const Box row = part_at(o.box(0), view, places, places.at[i]);
        if (const auto there = read(row); !there) return there.error();
        auto e =
            for_rows(row, [&](std::int64_t first, std::int64_t element, std::int64_t step, std::int64_t begin, std::int64_t end) {
                for (std::int64_t x = begin; x < end; ++x) {
                    if (!goes_on(row.pulse, 100)) return stopped();
                    each(element + step * x, a->at(static_cast<std::int64_t>(i) * places.length + first + x));
                }
                return Problem();
            });
        if (!e.ok()) return e;
    }
    return {};
}

inline Result<void, Problem> run_atomic_rows(const Operands& o)
{
    const IndexedOperands which = indexed_operands_of(o.operation);
    const auto places = places_named(o, which);
    if (!places) return places.error();
    Elements& to = *o.box(0).of;
    auto e = for_rows_named(o, which, *places, [&](std::int64_t i, const Bounded& a) {
        to.values.set(i, after_atomic(to.chains[i], to.values.at(i), a, o.operation.function, o.type(0)));
    });
    if (!e.ok() || which.before < 0) return e;
    return write_before(o, which, *places);
}

/// Each element stays or becomes A's.
inline Result<void, Problem> run_compare_exchange(const Operands& o)
{
    const IndexedOperands which = indexed_operands_of(o.operation);
    const auto places = places_named(o, which);
    if (!places) return places.error();
    if (const auto expected = read(o.box(which.before)); !expected) return expected.error();
    Elements& to = *o.box(0).of;
    auto e =
        for_rows_named(o, which, *places, [&](std::int64_t i, const Bounded& a) { to.values.set(i, hull(to.values.at(i), a)); });
    if (!e.ok()) return e;
    return write_before(o, which, *places);
}

/// What each device has at one place is not told apart here.
inline Result<void, Problem> run_all_copies(const Operands& o)
{
    return Problem(errc::too_hard, "{0} works on copies that devices have; state outputs by computes() instead",
                   {name(o.operation.op)});
}

/// How the reference does an operator of the library.
struct OperatorRun {
    Op op;
    Result<void, Problem> (*run)(const Operands&);
};
inline constexpr OperatorRun operator_runs[] = {
    {Op::fill, run_fill},
    {Op::copy, run_copy},
    {Op::copy_async, run_copy},
    {Op::map, run_map},
    {Op::reduce, run_reduce},
    {Op::gemm, run_gemm},
    {Op::scaled_gemm, run_scaled_gemm},
    {Op::gather, run_gather},
    {Op::scatter, run_scatter},
    {Op::atomic, run_atomic},
    {Op::iota, run_iota},
    {Op::scan, run_scan},
    {Op::shift_rows, run_shift_rows},
    {Op::prefetch, [](const Operands&) { return Result<void, Problem>(); }},
    {Op::atomic_rows, run_atomic_rows},
    {Op::compare_exchange, run_compare_exchange},
    {Op::raw, run_raw},
    {Op::load_reduce, run_all_copies},
    {Op::store_all, run_all_copies},
    {Op::reduce_all, run_all_copies},
};

/// One operator, once.
inline Result<void, Problem> run_operation(const Operation& operation, const Scene& scene)
{
    Operands o{operation, scene, {}};
    std::int64_t numbers = 0;
    for (const View& view : operation.operands) {
        auto box = box_of(view, scene);
        if (!box) return box.error();
        o.boxes.push_back(*box);
        numbers = limited_sum(numbers, limited_product(3, box->size())); // values and bounds
    }
    if (numbers > std::int64_t{1} << 24)
        if (auto e = check_memory(reference_text(scene.program.name, o.box(0).tensor().name), limited_product(numbers, 8)); !e.ok())
            return e;
    // The rules of the operator, which keep what follows inside its arrays.
    const Operator& row = operation.op.row();
    if (auto e = row.check(scene.program, operation); !e.ok()) return e;
    if (!has_bounds(operation.function)) return no_bounds(operation.function);
    if (row.reference != nullptr) return row.reference(o);
    for (const OperatorRun& known : operator_runs)
        if (known.op == operation.op) return known.run(o);
    return Problem(errc::bad_argument,
                   detail::hinted("operator `{0}` has no reference to verify it with", "set `Operator::reference`"), {row.name});
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
