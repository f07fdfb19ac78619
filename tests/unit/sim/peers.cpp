// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "boxes.hpp"

using namespace boxes;
using enum axe::DType;

namespace {

/// D[box] = A[box'] between random layouts, on 1 to 8 devices, pull or push, at once or later.
struct Copying {
    Program program{};
    Bindings inputs{};
    Array expected{};
};

View random_box(Random& r, const Shape& shape, const Shape& extents, bool guarded)
{
    View v;
    v.guarded = guarded;
    for (int d = 0; d < shape.size(); ++d) {
        const Int room = shape[d] - extents[d];
        v.origin.emplace_back(guarded ? r.in(-1, room + 1) : r.in(0, room));
        v.dims.push_back(d);
        v.steps.push_back(1);
    }
    v.extents = extents;
    return v;
}

Copying random_copy(Random& r)
{
    const int devices = static_cast<int>(r.in(1, 8));
    const DType from = r.one_in(3) ? i32 : f16, to = r.one_in(3) ? f32 : from;
    const Shape sa{r.in(1, 12), r.in(1, 12)}, sd{r.in(1, 12), r.in(1, 12)};
    const Shape extents{r.in(1, std::min(sa[0], sd[0])), r.in(1, std::min(sa[1], sd[1]))};
    Kernel k("copying", many(devices));
    const auto a = k.input("A", sa, from, random_layout(r, sa, devices, from));
    const auto d = k.inout("D", sd, to, random_layout(r, sd, devices, to));
    View va = random_box(r, sa, extents, r.one_in(3)), vd = random_box(r, sd, extents, r.one_in(3));
    va.tensor = a.id();
    vd.tensor = d.id();
    if (r.one_in(4)) { // digits of one dimension
        for (View* v : {&va, &vd}) {
            if (extents[1] % 2 != 0) continue;
            v->extents = {extents[0], 2, extents[1] / 2};
            v->dims = {0, 1, 1};
            v->steps = {1, extents[1] / 2, 1};
        }
    }
    Instruction copy = instruction("peer_copy", {vd, va}, {r.in(0, 1)});
    copy.async = r.one_in(3);
    k.call(copy);
    if (copy.async) k.commit().wait();
    k.sync();
    Copying out;
    out.program = k.program().value();
    out.inputs.set("A", numbers(sa, from, r)).set("D", numbers(sd, to, r));
    out.expected = out.inputs.find("D")->clone().value();
    for (Int i = 0; i < *volume(va.extents); ++i) {
        const Int x = at(vd, sd, i), y = at(va, sa, i);
        if (x >= 0) out.expected.set(x, y < 0 ? 0.0 : out.inputs.find("A")->at(y));
    }
    return out;
}

} // namespace

TEST_CASE("peer_copy is the loop over its views, whatever the layouts", "[sim][peers]")
{
    Random r(1);
    for (Int i = 0; i < laws::cases(300); ++i) {
        const Copying c = random_copy(r);
        const auto full = run(c.program, c.inputs), fast = run(c.program, c.inputs, sim::Level::fast, 3);
        INFO("case " << i << " " << full.fault.text);
        REQUIRE(full.ok());
        REQUIRE(fast.ok());
        REQUIRE(same(*full.outputs.find("D"), c.expected));
        REQUIRE(same(*fast.outputs.find("D"), c.expected));
    }
}

TEST_CASE("peer_reduce is the loop over its terms", "[sim][peers]")
{
    Random r(2);
    for (Int i = 0; i < laws::cases(200); ++i) {
        const int devices = static_cast<int>(r.in(1, 8));
        const Shape sa{r.in(1, 6), r.in(1, 6), r.in(1, 4)};
        std::vector<int> reduced;
        for (int d = 0; d < 3; ++d)
            if (r.one_in(2)) reduced.push_back(d);
        Shape sd;
        std::vector<Int> parameters(reduced.begin(), reduced.end());
        for (int d = 0; d < 3; ++d)
            if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) sd.push_back(sa[d]);
        const bool accumulate = r.one_in(3);
        if (accumulate) parameters.push_back(-1);
        const Function functions[] = {Function::add, Function::min, Function::max, Function::bit_xor};
        const Function f = functions[r.in(0, 3)];
        const DType type = f == Function::bit_xor ? i32 : r.one_in(2) ? f32 : f16;
        Kernel k("reducing", many(devices));
        const auto a = k.input("A", sa, type, random_layout(r, sa, devices, type));
        const auto d = k.inout("D", sd, type, random_layout(r, sd, devices, type));
        Instruction reduce = instruction("peer_reduce", {d.view(), a.view()}, parameters);
        reduce.function = f;
        reduce.async = r.one_in(3);
        k.call(reduce);
        if (reduce.async) k.commit().wait();
        k.sync();
        const Program p = k.program().value();
        Bindings in;
        in.set("A", numbers(sa, type, r)).set("D", numbers(sd, type, r));
        Array expected = in.find("D")->clone().value();
        std::vector<bool> is_first(static_cast<std::size_t>(expected.size()), !accumulate);
        for (Int x = 0; x < *volume(sa); ++x) {
            const Coord c = coordinate(sa, x);
            Coord kept;
            for (int q = 0; q < 3; ++q)
                if (std::find(reduced.begin(), reduced.end(), q) == reduced.end()) kept.push_back(c[q]);
            const Int y = *linear_index(sd, kept);
            const double term = in.find("A")->at(x), old = expected.at(y);
            const auto bits = [](double v) { return static_cast<std::int64_t>(v); };
            const double sum = f == Function::add   ? old + term
                               : f == Function::min ? std::min(old, term)
                               : f == Function::max ? std::max(old, term)
                                                    : static_cast<double>(bits(old) ^ bits(term));
            expected.set(y, is_first[static_cast<std::size_t>(y)] ? term : sum);
            is_first[static_cast<std::size_t>(y)] = false;
        }
        const auto full = run(p, in), fast = run(p, in, sim::Level::fast, 4);
        INFO("case " << i << " " << full.fault.text);
        REQUIRE(full.ok());
        for (Int y = 0; y < expected.size(); ++y) REQUIRE(full.outputs.find("D")->at(y) == expected.at(y));
        REQUIRE(same(*full.outputs.find("D"), *fast.outputs.find("D")));
    }
}

TEST_CASE("a reduction takes its terms by device, ascending, and rounds once", "[sim][peers]")
{
    // 2^24 + 1 + 1 in f32: from the left both ones are lost; the layout puts the terms on devices in descending order.
    Kernel k("order", many(3));
    Layout backwards;
    backwards.shard = {{3, -1, "gpuid"}};
    *backwards.offset.entry("gpuid") = 2;
    Layout everywhere;
    everywhere.replica = {{3, 1, "gpuid"}};
    const auto a = k.input("A", {3}, f32, backwards);
    const auto d = k.output("D", {}, f32, everywhere);
    Instruction sum = instruction("peer_reduce", {d.view(), a.view()}, {0});
    sum.function = Function::add;
    k.call(sum).sync();
    const auto p = k.program();
    Bindings in;
    in.set("A", arrays::of({3}, f32, {16777216.0, 1.0, 1.0}));
    REQUIRE(run(*p, in).outputs.find("D")->at(0) == 16777218.0);
    in.set("A", arrays::of({3}, f32, {1.0, 1.0, 16777216.0}));
    REQUIRE(run(*p, in).outputs.find("D")->at(0) == 16777216.0);
}
