// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

#include <set>

/// Gathers and scatters with an index for each of several dimensions, and masks: against plain loops over all of them.

using namespace axe;
using enum DType;

namespace {

/// One way to choose: in a tensor `whole` by `count` indices of shape `index`, with a mask of a type or none, from a memory.
struct Choosing {
    Shape whole, index;
    int count;
    bool masked;
    DType mask = i32;
    Role indices = Role::global, rows = Role::global;

    [[nodiscard]] Shape shape_of_rows() const
    {
        Shape out = index;
        for (int d = count; d < whole.size(); ++d) out.push_back(whole[d]);
        return out;
    }
    [[nodiscard]] std::int64_t length() const
    {
        std::int64_t n = 1;
        for (int d = count; d < whole.size(); ++d) n *= whole[d];
        return n;
    }
    [[nodiscard]] std::int64_t indices_at_all() const { return *volume(index); }
};

/// The operand in a memory: itself, or a copy in shared memory or registers.
ViewRef placed_in(Scope cta, Role role, const TensorRef& t, bool filled)
{
    if (role == Role::global) return t;
    const auto out =
        cta.alloc(role, t.shape(), t.dtype(), role == Role::registers ? Placement(LayoutHint::registers) : Placement());
    if (filled) cta.copy(out, t);
    return out;
}

Program choosing_kernel(const Choosing& c, bool gathers)
{
    Kernel k(gathers ? "gather_at" : "scatter_at", machines::sm80);
    const auto A = k.input("A", gathers ? c.whole : c.shape_of_rows(), f32);
    const auto D = gathers ? k.output("D", c.shape_of_rows(), f32) : k.inout("D", c.whole, f32);
    std::vector<TensorRef> indices;
    for (int i = 0; i < c.count; ++i) indices.push_back(k.input("i" + std::to_string(i), c.index, i32));
    std::optional<TensorRef> mask;
    if (c.masked) mask = k.input("mask", c.index, c.mask);
    one_block(k, 2, [&](Scope cta) {
        std::vector<ViewRef> at;
        for (const TensorRef& i : indices) at.push_back(placed_in(cta, c.indices, i, true));
        Masked masked{{}, -7};
        if (mask) masked.where = placed_in(cta, c.indices, *mask, true);
        const ViewRef rows = placed_in(cta, c.rows, gathers ? D : A, !gathers);
        cta.sync();
        if (gathers)
            cta.gather_at(rows, A, at, masked);
        else
            cta.scatter_at(D, at, rows, masked.where);
        if (gathers && c.rows != Role::global) cta.sync().copy(D, rows);
    });
    return trial::written(k);
}

/// Indices that a mask leaves out are no places at all; those of a scatter are different.
Bindings choosing_inputs(const Choosing& c, bool gathers, laws::Random& random)
{
    Bindings in;
    in.set("A", arrays::counting(gathers ? c.whole : c.shape_of_rows(), f32));
    if (!gathers) in.set("D", arrays::counting(c.whole, f32));
    std::vector<Array> indices;
    for (int k = 0; k < c.count; ++k) indices.push_back(Array::make(c.index, i32).value());
    Array mask = Array::make(c.index, c.mask).value();
    std::set<std::vector<int>> taken;
    for (std::int64_t i = 0; i < c.indices_at_all(); ++i) {
        std::vector<int> at;
        for (int k = 0; k < c.count; ++k) at.push_back(static_cast<int>(random.in(0, static_cast<int>(c.whole[k]) - 1)));
        const bool counts = (!c.masked || random.in(0, 2) > 0) && (gathers || taken.insert(at).second);
        if (!counts) at.assign(at.size(), c.masked ? 1000 : 0);
        mask.set(i, counts ? 1 : 0);
        for (int k = 0; k < c.count; ++k) indices[static_cast<std::size_t>(k)].set(i, at[static_cast<std::size_t>(k)]);
    }
    for (int k = 0; k < c.count; ++k) in.set("i" + std::to_string(k), std::move(indices[static_cast<std::size_t>(k)]));
    if (c.masked) in.set("mask", std::move(mask));
    return in;
}

/// What plain loops leave in D.
std::vector<double> chosen_by_loops(const Choosing& c, bool gathers, const Bindings& in)
{
    const Array& a = *in.find("A");
    std::vector<double> out;
    if (gathers)
        out.assign(static_cast<std::size_t>(c.indices_at_all() * c.length()), -7);
    else
        for (std::int64_t i = 0; i < in.find("D")->size(); ++i) out.push_back(in.find("D")->at(i));
    for (std::int64_t i = 0; i < c.indices_at_all(); ++i) {
        if (c.masked && in.find("mask")->at(i) == 0) continue;
        std::int64_t place = 0;
        for (int k = 0; k < c.count; ++k)
            place = place * c.whole[k] + static_cast<std::int64_t>(in.find("i" + std::to_string(k))->at(i));
        for (std::int64_t x = 0; x < c.length(); ++x)
            if (gathers)
                out[static_cast<std::size_t>(i * c.length() + x)] = a.at(place * c.length() + x);
            else
                out[static_cast<std::size_t>(place * c.length() + x)] = a.at(i * c.length() + x);
    }
    return out;
}

/// Results of a run that did not come to them.
Bindings nothing_given(const Program& program)
{
    Bindings out;
    for (const ProgramTensor& t : program.tensors)
        if (t.name == "D") out.set("D", Array::make(t.shape, t.dtype).value());
    return out;
}

void check_choosing(const Choosing& c, bool gathers, laws::Random& random)
{
    const Program program = choosing_kernel(c, gathers);
    INFO(print(program));
    const Bindings in = choosing_inputs(c, gathers, random);
    const Bindings out = trial::ran(program, in);
    CHECK(trial::verified(program, in, out, Against::program).ok());
    const std::vector<double> expected = chosen_by_loops(c, gathers, in);
    const Array& d = *out.find("D");
    REQUIRE(d.size() == static_cast<std::int64_t>(expected.size()));
    int wrong = 0;
    for (std::int64_t i = 0; i < d.size(); ++i) wrong += d.at(i) == expected[static_cast<std::size_t>(i)] ? 0 : 1;
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("gather_at and scatter_at: an index a dimension, with and without masks, from every memory")
{
    laws::Random random(22);
    const Shape wholes[] = {{40}, {9, 7}, {5, 4, 3}};
    const Shape indices[] = {{1}, {6}, {3, 5}};
    for (const Shape& whole : wholes)
        for (const Shape& index : indices)
            for (int count = 1; count <= whole.size(); ++count)
                for (const bool masked : {false, true})
                    for (const bool gathers : {true, false}) {
                        if (!gathers && !masked && !(index == Shape{1})) continue; // places would have to be different
                        check_choosing({whole, index, count, masked}, gathers, random);
                        check_choosing({whole, index, count, masked, f32, Role::shared, Role::shared}, gathers, random);
                        check_choosing({whole, index, count, masked, i8, Role::global, Role::registers}, gathers, random);
                        if (count == whole.size()) // each lane has the indices of its own elements
                            for (const Role rows : {Role::global, Role::registers})
                                check_choosing({whole, index, count, masked, f32, Role::registers, rows}, gathers, random);
                    }
}

TEST_CASE("gather_at: what a guarded view does not have is 0, what the mask leaves out is the number given")
{
    Kernel k("guarded", machines::sm80);
    const auto A = k.input("A", {3, 4}, f32), D = k.output("D", {6}, f16);
    const auto row = k.input("row", {6}, i32), column = k.input("column", {6}, i32), mask = k.input("mask", {6}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        cta.gather_at(D, A.guarded(), {row, column}, {mask, 0.1}); // rounded to f16
    });
    Bindings in;
    in.set("A", arrays::counting({3, 4}, f32));
    in.set("row", arrays::of({6}, i32, {2, 3, -1, 0, 99, 1}));
    in.set("column", arrays::of({6}, i32, {3, 0, 0, 4, 99, 1}));
    in.set("mask", arrays::of({6}, f32, {1, 1, -0.5, 1, 0, 2}));
    const Program program = trial::written(k);
    const Bindings out = trial::ran(program, in);
    CHECK(trial::verified(program, in, out, Against::program).ok());
    const double expected[] = {11, 0, 0, 0, decode(f16, encode(f16, 0.1)), 5};
    for (std::int64_t i = 0; i < 6; ++i) CHECK(out.find("D")->at(i) == expected[i]);
}

TEST_CASE("gather_at and scatter_at: an index that is no element is a fault that names it, and verify says the same place")
{
    for (const bool gathers : {true, false})
        for (const int dimension : {0, 1}) {
            const Choosing c{{9, 7}, {3, 5}, 2, true};
            const Program program = choosing_kernel(c, gathers);
            laws::Random random(3);
            Bindings in = choosing_inputs(c, gathers, random);
            const std::string name = "i" + std::to_string(dimension);
            Array wrong = in.find(name)->clone().value(), mask = in.find("mask")->clone().value();
            wrong.set(8, dimension == 0 ? 9 : -1);
            mask.set(8, 1);
            Array other = in.find("i" + std::to_string(1 - dimension))->clone().value();
            other.set(8, 0);
            in.set("i" + std::to_string(1 - dimension), std::move(other));
            in.set(name, std::move(wrong));
            in.set("mask", std::move(mask));
            const auto report = required(sim::run(lower(program).value().program, in));
            CHECK(report->fault.kind == sim::FaultKind::out_of_bounds);
            const std::string what = dimension == 0 ? "9 in dimension 0, where its view has 9 elements"
                                                    : "-1 in dimension 1, where its view has 7 elements";
            INFO(report->fault.text);
            CHECK(report->fault.text.find(std::string(" accesses ") + (gathers ? "A" : "D") + " at " + what +
                                          "; that is index 8 of the 15") != std::string::npos);
            const auto verified = verify(program, in, nothing_given(program));
            REQUIRE_FALSE(verified);
            INFO(verified.error().text);
            CHECK(verified.error().text.find("index 8, from " + name + ", is " + (dimension == 0 ? "9" : "-1")) !=
                  std::string::npos);
        }
}

TEST_CASE("scatter_at: two indices of one place are a race, and no single result")
{
    Kernel k("twice", machines::sm80);
    const auto A = k.input("A", {64}, f32), D = k.inout("D", {4, 4}, f32);
    const auto row = k.input("row", {64}, i32), column = k.input("column", {64}, i32);
    one_block(k, 2, [&](Scope cta) { cta.scatter_at(D, {row, column}, A); });
    const Program program = trial::written(k);
    Bindings in;
    in.set("A", arrays::counting({64}, f32));
    in.set("D", arrays::counting({4, 4}, f32));
    Array rows = Array::make({64}, i32).value(), columns = Array::make({64}, i32).value();
    for (std::int64_t i = 0; i < 64; ++i) rows.set(i, static_cast<double>(i / 4 % 4)), columns.set(i, static_cast<double>(i % 4));
    in.set("row", std::move(rows));
    in.set("column", std::move(columns));
    const auto report = required(sim::run(lower(program).value().program, in));
    CHECK(report->fault.kind == sim::FaultKind::race);
    const auto verified = verify(program, in, nothing_given(program));
    REQUIRE_FALSE(verified);
    CHECK(verified.error().text.find("row (0,0) of D is written by the indices 0 and 16 with different values") !=
          std::string::npos);
}

TEST_CASE("gather_at: what it does not take, and its text")
{
    const auto said = [](const std::function<void(Kernel&, Scope)>& write) {
        Kernel k("wrong", machines::sm80);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { write(k, cta); });
        const auto problems = validate(trial::written(k));
        return problems.empty() ? std::string() : problems.front().text;
    };
    const auto text = said([](Kernel& k, Scope cta) {
        const auto A = k.input("A", {3, 4}, f32), D = k.output("D", {6}, f32), i = k.input("i", {6}, i32);
        cta.gather_at(D, A, {i, i, i});
    });
    CHECK(text.find("A `A` is 3×4; it is given 3 indices, one for each of its first dimensions") != std::string::npos);
    const auto mask = said([](Kernel& k, Scope cta) {
        const auto A = k.input("A", {3, 4}, f32), D = k.output("D", {6}, f32), i = k.input("i", {6}, i32),
                   m = k.input("m", {5}, i32);
        cta.gather_at(D, A, {i, i}, {m});
    });
    CHECK(mask.find("index `i` is 6, mask `m` is 5; their extents must be equal") != std::string::npos);
    const auto number = said([](Kernel& k, Scope cta) {
        const auto A = k.input("A", {3}, i8), D = k.output("D", {6}, i8), i = k.input("i", {6}, i32), m = k.input("m", {6}, i32);
        cta.gather_at(D, A, {i}, {m, 300});
    });
    CHECK(number.find("D `D` is of i8, which has no 300") != std::string::npos);
    CHECK(print(choosing_kernel({{9, 7}, {3, 5}, 2, true}, true)).find("gather D = A at i0, i1 where mask, else -7") !=
          std::string::npos);
    CHECK(print(choosing_kernel({{9, 7}, {3, 5}, 2, true}, false)).find("scatter D at i0, i1 = A where mask") != std::string::npos);
}
