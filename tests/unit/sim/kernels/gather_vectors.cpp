// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

/// Gathers and scatters of rows whose elements lie together: vectors of a lane, whichever row an index chooses.

using namespace axe;
using enum DType;

namespace {

struct RowVectors {
    std::int64_t width = 64, first = 0, columns = 64; ///< of A, and of the view of it
    bool guarded = true, masked = false;
    int vector_bytes = 0; ///< at most; 0: as many as there may be
    bool scatters = false;
};
constexpr std::int64_t vector_rows = 24, table_of_vectors = 30;

/// D[i] = A[index[i], first : +columns] through shared memory; or B[index[i], first : +columns] = the rows.
Program row_vectors(const RowVectors& c)
{
    Kernel k("row_vectors", machines::sm80);
    const auto A = k.input("A", {table_of_vectors, c.width}, f16), rows = k.input("rows", {vector_rows, c.columns}, f16);
    const auto index = k.input("index", {vector_rows}, i32), mask = k.input("mask", {vector_rows}, i32);
    const auto D = k.output("D", {vector_rows, c.columns}, f16), B = k.inout("B", {table_of_vectors, c.width}, f16);
    one_block(k, 2, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {vector_rows, c.columns}, f16, conflict_free, "s");
        const auto at = cta.alloc(Role::shared, {vector_rows}, i32, {}, "at");
        cta.copy(at, index).sync();
        const auto part = [&](const TensorRef& t) {
            const ViewRef v = t(all, Interval(c.first, c.columns));
            return c.guarded ? v.guarded() : v;
        };
        const Options options{.vector_bytes = c.vector_bytes};
        const auto where = c.masked ? std::optional<ViewRef>(mask) : std::nullopt;
        if (c.scatters) {
            cta.copy(s, rows).sync().scatter_at(part(B), {at}, s, where, options);
            cta.copy(D, s);
        } else {
            cta.gather_at(s, part(A), {at}, {where, -3}, options).sync().copy(D, s);
        }
    });
    return trial::written(k);
}
/// Some indices are no rows, where the view is guarded.
Bindings row_vector_inputs(const RowVectors& c)
{
    laws::Random random(22);
    Bindings in;
    in.set("A", arrays::random({table_of_vectors, c.width}, f16, random));
    in.set("B", arrays::random({table_of_vectors, c.width}, f16, random));
    in.set("rows", arrays::random({vector_rows, c.columns}, f16, random));
    Array index = Array::make({vector_rows}, i32).value(), mask = Array::make({vector_rows}, i32).value();
    for (std::int64_t i = 0; i < vector_rows; ++i) {
        const std::int64_t row = (7 * i + 3) % table_of_vectors; // 30 and 7 have no common factor: each once
        index.set(i, static_cast<double>(c.guarded && i % 5 == 0 ? (i % 2 == 0 ? -1 : 30 + i) : row));
        mask.set(i, static_cast<double>(i % 3));
    }
    return in.set("index", std::move(index)).set("mask", std::move(mask)), std::move(in);
}
/// How many elements of a row a lane takes at a time, as `lower` says.
int elements_of_vector(const Program& program)
{
    const auto lowered = required(lower(program));
    int out = 0;
    for (const Choice& choice : lowered->choices) {
        if (choice.detail == "an element of each lane at a time") out = 1;
        if (choice.detail.rfind("vectors of ", 0) == 0) out = std::stoi(choice.detail.substr(11));
    }
    return out;
}

void check_row_vectors(const RowVectors& c, int vector)
{
    CAPTURE(c.width, c.first, c.columns, c.guarded, c.masked, c.vector_bytes, c.scatters);
    const Program program = row_vectors(c);
    CHECK(elements_of_vector(program) == vector);
    const Bindings in = row_vector_inputs(c), out = trial::ran(program, in);
    CHECK(trial::verified(program, in, out, Against::program).ok());
    const Array &A = *in.find("A"), &before = *in.find("B"), &rows = *in.find("rows"), &index = *in.find("index"),
                &mask = *in.find("mask"), &D = *out.find("D"), &B = *out.find("B");
    // By plain loops.
    Array want = before.clone().value();
    int wrong = 0;
    for (std::int64_t i = 0; i < vector_rows; ++i) {
        const auto row = static_cast<std::int64_t>(index.at(i));
        for (std::int64_t j = 0; j < c.columns; ++j) {
            const std::int64_t column = c.first + j;
            const bool inside = row >= 0 && row < table_of_vectors && column < c.width, chosen = !c.masked || mask.at(i) != 0;
            const double gathered = !chosen ? -3 : inside ? A.at(row * c.width + column) : 0;
            wrong += D.at(i * c.columns + j) != (c.scatters ? rows.at(i * c.columns + j) : gathered);
            if (chosen && inside) want.set(row * c.width + column, rows.at(i * c.columns + j));
        }
    }
    for (std::int64_t i = 0; i < B.size() && c.scatters; ++i) wrong += B.at(i) != want.at(i);
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("gathers and scatters take vectors of rows that lie together, as wide as rows, views and guards allow")
{
    for (const bool scatters : {false, true})
        for (const bool masked : {false, true}) {
            check_row_vectors({.masked = masked, .scatters = scatters}, 8);
            check_row_vectors({.guarded = false, .masked = masked, .scatters = scatters}, 8);
            check_row_vectors({.masked = masked, .vector_bytes = 4, .scatters = scatters}, 2);
            check_row_vectors({.width = 68, .masked = masked, .scatters = scatters}, 4); // rows begin at multiples of 8 bytes
            check_row_vectors({.width = 65, .masked = masked, .scatters = scatters}, 1);
            check_row_vectors({.width = 80, .first = 4, .masked = masked, .scatters = scatters}, 4);
            check_row_vectors({.columns = 20, .masked = masked, .scatters = scatters}, 4);
            check_row_vectors({.first = 8, .masked = masked, .scatters = scatters}, 8); // a vector is inside or outside
            check_row_vectors({.width = 72, .first = 12, .masked = masked, .scatters = scatters},
                              4); // of 8 the edge would be in one
        }
}

TEST_CASE("a gather by vectors loads each sector of its rows once for each time that the row is chosen")
{
    const auto sectors = [](const RowVectors& c) {
        const auto lowered = required(lower(row_vectors(c)));
        const auto report = required(sim::run(lowered->program, row_vector_inputs(c)));
        REQUIRE(report->ok());
        std::int64_t out = 0;
        for (const auto& [statement, counters] : report->statements)
            if (lowered->program.origins[static_cast<std::size_t>(statement)].text.find("gather s") != std::string::npos)
                if (const auto at = counters.memories.find("gmem"); at != counters.memories.end()) out += at->second.sectors;
        return out;
    };
    // 24 rows of 128 bytes, 4 sectors each.
    CHECK(sectors({.guarded = false}) == 24 * 4);
}

TEST_CASE("a scatter by vectors of one row twice is a race that names the element")
{
    const RowVectors c{.guarded = false, .scatters = true};
    const auto lowered = required(lower(row_vectors(c)));
    Bindings in = row_vector_inputs(c);
    in.find("index")->set(20, in.find("index")->at(3)); // rows 3 and 20 are of different agents
    const auto report = required(sim::run(lowered->program, in));
    CHECK(report->fault.kind == sim::FaultKind::race);
    INFO(report->fault.text);
    CHECK(report->fault.text.find("element (24,") != std::string::npos);
}

TEST_CASE("an index outside of a view without a guard is a fault that says which one, of vectors, too")
{
    const RowVectors c{.guarded = false};
    const auto lowered = required(lower(row_vectors(c)));
    Bindings in = row_vector_inputs(c);
    in.find("index")->set(13, 30);
    const auto report = required(sim::run(lowered->program, in));
    CHECK(report->fault.kind == sim::FaultKind::out_of_bounds);
    INFO(report->fault.text);
    CHECK(report->fault.text.find("accesses row 30 of A, whose view has 30 rows; that is index 13 of the 24") != std::string::npos);
}
