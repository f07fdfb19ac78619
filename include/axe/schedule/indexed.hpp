// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_INDEXED_HPP
#define AXE_SCHEDULE_INDEXED_HPP

#include <axe/schedule/map.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// What others access, too, is not in registers.
inline Result<void, Problem> need_for_all(const Request& request, const View& d)
{
    if (!is_private(request.machine(), request.memory(d))) return {};
    return Problem(errc::bad_argument, "{0} is in registers, which no other agent can access", {request.tensor(d).name});
}
inline Result<void, Problem> need_index_for_all(const Request& request, const View& index)
{
    if (!is_private(request.machine(), request.memory(index))) return {};
    return Problem(errc::bad_argument, "{0} is in registers; all lanes of a row need its index, so it must be in a memory",
                   {request.tensor(index).name});
}

/// D = f(D, A) in D's memory; A from registers.
inline Result<Body, Problem> emit_atomic(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const View &d = request.view(0), &a = request.view(1);
    if (auto p = need_for_all(request, d); !p.ok()) return p;
    const bool is_held = is_private(request.machine(), request.memory(a));
    auto staging = is_held ? Staging::make(request, {a}) : Staging::make(request, {d, a});
    if (!staging) return staging.error();
    Body body;
    const auto from = staging->loaded(a, body);
    if (!from) return from.error();
    const Function f = request.operation().function;
    Instruction atomic = make_instruction(request, "atomic",
                                          "atom." + space_text(request.memory(d)) + "." +
                                              (f == Function::identity ? "exch" : name(f)) + "." + name(request.tensor(d).dtype));
    atomic.function = f;
    auto done = emit_on_registers(request, std::move(atomic), {d, *from});
    if (!done) return done;
    append(body, std::move(*done));
    request.decided("an element of each lane at a time");
    return body;
}

/// The index of each element of a box of rows: a view that repeats it along the others.
inline View index_of_rows(const View& index, const Shape& rows)
{
    View out = index;
    for (int k = index.rank(); k < rows.size(); ++k) {
        out.extents.push_back(rows[k]);
        out.dims.push_back(-1);
        out.steps.push_back(1);
    }
    return out;
}

/// The distribution of a view whose rows an index chooses: it names row 0, of the dimensions from `first` on.
inline std::shared_ptr<const Distribution> in_row_zero(const Distribution& of_rows, const Shape& rows, int first = 1)
{
    std::int64_t row = 1;
    for (int k = first; k < rows.size(); ++k) row *= rows[k];
    Distribution out = of_rows;
    for (auto& e : out.element)
        if (e >= 0) e = static_cast<std::int32_t>(e % row);
    return std::make_shared<const Distribution>(std::move(out));
}

/// How many elements of a row are one access, whichever row an index chooses: a power of two that divides the last dimension, at most `most`.
inline Result<int, Problem> vector_of_rows(const Request& request, const View& chosen, int indices, DType type, std::int64_t most)
{
    const int last = chosen.rank() - 1;
    if (indices > last || chosen.dims[last] < 0 || chosen.steps[last] != 1 || request.tensor(chosen).dtype != type) return 1;
    for (int k = 0; k < indices; ++k)
        if (chosen.dims[k] < 0) return 1;
    const auto row = element_placement(request, chosen, indices);
    if (!row) return row.error();
    const auto fits = [&](int vector) {
        if (most % vector != 0 || chosen.extents[last] % vector != 0 || vector * row->bytes > widest_access(request)) return false;
        std::vector<std::int32_t> elements(static_cast<std::size_t>(vector));
        for (std::int32_t first = 0; first < row->count; first += vector) {
            std::iota(elements.begin(), elements.end(), first);
            if (!row->is_vector(elements.data(), vector)) return false;
        }
        return true;
    };
    int vector = 1;
    while (fits(2 * vector)) vector *= 2;
    return vector;
}

/// Each `vector` elements of a lane at a time; they follow each other there.
inline std::shared_ptr<const Distribution> in_vectors(const Distribution& single, int vector)
{
    Distribution out = single;
    out.vector = vector;
    out.issues = single.issues / vector;
    for (int issue = 0; issue < single.issues; ++issue)
        for (int agent = 0; agent < single.agents; ++agent)
            for (int lane = 0; lane < single.lanes; ++lane)
                out.element[out.at(issue / vector, agent, lane, issue % vector)] = single.element[single.at(issue, agent, lane)];
    return std::make_shared<const Distribution>(std::move(out));
}
/// Of vectors, each the element of which it is a part when there are only so many: every `vector`-th.
inline std::shared_ptr<const Distribution> of_vectors(const Distribution& vectors)
{
    Distribution out = vectors;
    out.vector = 1;
    out.element.clear();
    for (std::size_t i = 0; i < vectors.element.size(); i += static_cast<std::size_t>(vectors.vector))
        out.element.push_back(vectors.element[i] < 0 ? -1 : vectors.element[i] / vectors.vector);
    return std::make_shared<const Distribution>(std::move(out));
}

/// D[i, …] = A[index[i], …], or D[index[i], …] = A[i, …]: one side by rows, in registers, the other chosen in its memory. Indices and mask
/// are in registers, too: loaded, or where lanes have them with the elements that they are for. Rows that lie together are vectors, with an
/// index for each of these.
inline Result<Body, Problem> emit_indexed(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const IndexedOperands which = indexed_operands_of(request.operation());
    const bool gathers = which.chosen == 1;
    if (gathers && request.operation().options.async)
        return Problem(errc::bad_argument, "its lanes wait for what they load, and it is to be asynchronous");
    const View &rows = request.view(which.rows), &chosen = request.view(which.chosen);
    if (is_private(request.machine(), request.memory(chosen)))
        return Problem(errc::bad_argument, "{0} is in registers; which lane holds a row is known only at run time",
                       {request.tensor(chosen).name});
    std::vector<View> indices, patterns{rows};
    const int rank = request.view(which.first).rank();
    Result<void, Problem> of_lanes;
    for (int k = 0; k < which.count + (which.mask >= 0 ? 1 : 0); ++k) {
        const View& index = request.view(k < which.count ? which.first + k : which.mask);
        indices.push_back(index_of_rows(index, rows.extents));
        if (!is_private(request.machine(), request.memory(index))) continue;
        if (rank < rows.rank() && of_lanes.ok()) of_lanes = need_index_for_all(request, index);
        patterns.push_back(indices.back());
    }
    auto staging = Staging::make(request, std::move(patterns));
    if (!staging) return of_lanes.ok() ? staging.error() : of_lanes.error();
    const DType type = request.tensor(rows).dtype;
    const auto vector = staging->spreads() && rank < rows.rank()
                            ? vector_of_rows(request, chosen, which.count, type, staging->vector())
                            : Result<int, Problem>(1);
    if (!vector) return vector.error();
    Body body;
    std::vector<View> held{rows}, at_rows;
    for (View& index : indices) {
        if (*vector > 1) index.extents[index.rank() - 1] /= *vector;
        auto at = *vector > 1 ? staging->loaded_spread(index, staging->vector() / *vector, body) : staging->loaded(index, body);
        if (!at) return at.error();
        (*vector > 1 ? at_rows : held).push_back(std::move(*at));
    }
    auto from = gathers ? Result<View, Problem>(staging->staged(rows)) : staging->loaded(rows, body);
    if (!from) return from.error();
    held[0] = *from;
    auto plan = emit_on_registers(request, Instruction{}, held, gathers);
    if (!plan) return of_lanes.ok() ? std::move(plan) : of_lanes.error();
    if (plan->empty()) return body;
    auto distribution = std::get<Instruction>(plan->front().what).operands[0].distribution, of_index = distribution;
    if (*vector > 1) distribution = in_vectors(*distribution, *vector), of_index = of_vectors(*distribution);
    const Access by_row{held[0], distribution}, any_row{chosen, in_row_zero(*distribution, rows.extents, rank)};
    const int bytes = storage_bytes(request.tensor(chosen).dtype);
    Instruction out =
        make_instruction(request, "indexed",
                         worded("{0}{1}.{2} [index]", {std::string(gathers ? "ld." : "st."), space_text(request.memory(chosen)),
                                                       width_text(bytes, *vector * bytes)}));
    out.operands = gathers ? std::vector<Access>{by_row, any_row} : std::vector<Access>{any_row, by_row};
    for (std::size_t k = 1; k < held.size(); ++k) out.operands.push_back({held[k], of_index});
    for (const View& at : at_rows) out.operands.push_back({at, of_index});
    out.parameters = {gathers ? 0 : 1};
    if (which.count > 1) out.parameters.push_back(which.count);
    if (which.mask >= 0 && gathers) out.number = request.operation().number;
    const View done = held[0];
    body.push_back(make_statement(std::move(out)));
    if (gathers)
        if (auto p = staging->stored(rows, done, body); !p.ok()) return p;
    request.decided(*vector > 1 ? worded("vectors of {0} elements of a row", {*vector}) : "an element of each lane at a time");
    return body;
}

inline bool has_atomics(const Machine& machine) noexcept { return has_instruction(machine, "atom"); }

} // namespace detail

/// Accesses whose places or order only the run knows.
inline constexpr Schedule indexed_schedules[] = {
    {Op::atomic, "lanes", 20, "atom", "each lane applies what it holds to an element of a memory", detail::has_atomics,
     detail::emit_atomic},
    {Op::gather, "lanes", 20, "ld", "each lane loads the index of its element, then the element", detail::has_lanes_that_load,
     detail::emit_indexed},
    {Op::scatter, "lanes", 20, "st", "each lane loads the index of its element, then stores the element",
     detail::has_lanes_that_load, detail::emit_indexed},
};

} // namespace v0
} // namespace axe

#endif
