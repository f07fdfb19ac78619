// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/map/coalescing.hpp>
#include <axe/map/compose.hpp>
#include <axe/map/launch.hpp>
#include <axe/map/simplify.hpp>
#include <tests/laws/map_random.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/arrays.hpp>

#include <map>

using laws::Int;
using laws::Random;

namespace {

/// A launch of random shape: threads in x (and y), blocks, a vector, a loop; addresses of a random expression of them.
axe::IndexingMap random_launch(Random& r)
{
    axe::IndexingMap m;
    const auto add = [&](Int extent, axe::IndexKind kind) { m.variables.push_back({{0, extent - 1}, {}, kind}); };
    add(r.in(1, 70), axe::IndexKind::thread_x);
    add(r.in(1, 3), axe::IndexKind::thread_y);
    add(r.in(1, 5), axe::IndexKind::block_x);
    m.dimensions = 3;
    add(Int{1} << r.in(0, 3), axe::IndexKind::vector);
    add(r.in(1, 3), axe::IndexKind::none);
    m.ranges = 2;
    axe::IndexPool& p = m.pool;
    axe::IndexExpr e = p.constant(r.one_in(2) ? 0 : r.in(0, 9));
    const Int strides[] = {0, 1, 1, 2, 3, 4, 8, 16, 32, 33, 64, 128, 100};
    for (int v = 0; v < 5; ++v) {
        axe::IndexExpr x = m.variable(v);
        if (r.one_in(5)) x = r.one_in(2) ? p.floor_div(x, r.in(2, 4)) : p.mod(x, r.in(2, 4));
        e = p.add(e, p.mul(x, v == 3 && !r.one_in(4) ? 1 : strides[r.in(0, 12)]));
    }
    m.results.push_back(e);
    if (r.one_in(2)) m.constraints.push_back({e, {0, r.in(0, 2000)}});
    if (r.one_in(3)) m.constraints.push_back({p.add(m.variable(0), p.mul(m.variable(2), 64)), {0, r.in(0, 300)}});
    return m;
}

using Request = std::vector<Int>; ///< warp, block, loop, the vector

/// What `coalescing` counts, from the sets of bytes that each request touches.
axe::Coalescing by_sets(const axe::IndexingMap& m, Int bytes, Int width)
{
    std::map<Request, std::set<Int>> touched;
    axe::Coalescing out;
    const Int threads_x = m.variables[0].bounds.high + 1;
    laws::every_value(m, [&](const laws::Numbers& at, const laws::Numbers& to) {
        std::set<Int>& request = touched[{(at[1] * threads_x + at[0]) / 32, at[2], at[4], at[3] / width}];
        for (Int b = 0; b < bytes; ++b) request.insert(to[0] * bytes + b);
        ++out.elements;
    });
    for (const auto& [_, request] : touched) {
        std::set<Int> sectors, lines;
        for (const Int b : request)
            sectors.insert(axe::detail::floor_div<Int>(b, 32)), lines.insert(axe::detail::floor_div<Int>(b, 128));
        const Int s = static_cast<Int>(sectors.size()), l = static_cast<Int>(lines.size());
        ++out.requests;
        out.sectors += s;
        out.lines += l;
        out.ideal_sectors += (static_cast<Int>(request.size()) + 31) / 32;
        out.most_sectors = std::max(out.most_sectors, s);
        out.most_lines = std::max(out.most_lines, l);
    }
    return out;
}

/// May so many elements be moved at once? By looking at every group of them.
bool is_legal(const axe::IndexingMap& m, Int width)
{
    const Int extent = m.variables[3].bounds.high + 1;
    if (extent % width != 0) return false;
    bool legal = true;
    axe::IndexingMap box = m;
    box.constraints.clear();
    laws::every_value(box, [&](const laws::Numbers& at, const laws::Numbers& to) {
        laws::Numbers first = at;
        first[3] = at[3] / width * width;
        const bool inside = axe::contains(m, at).yes();
        if (inside != axe::contains(m, first).yes()) legal = false;
        if (!inside) return;
        const Int begin = (*axe::evaluate_anywhere(m, first))[0];
        if (axe::detail::floor_mod<Int>(begin, width) != 0 || to[0] != begin + at[3] - first[3]) legal = false;
    });
    return legal;
}

} // namespace

TEST_CASE("law: requests, sectors and lines are those of the bytes that are touched")
{
    Random r(821);
    Int wide = 0, constrained = 0;
    for (Int i = 0; i < laws::cases(1500); ++i) {
        const axe::IndexingMap m = random_launch(r);
        const Int bytes = Int{1} << r.in(0, 4);
        const auto width = axe::vector_width(m, bytes);
        REQUIRE(width.has_value());
        Int legal = 1;
        for (Int w = 2; w * bytes <= 16; w *= 2)
            if (is_legal(m, w)) legal = w;
        if (*width != legal) FAIL(axe::print(m) << "\n" << bytes << " bytes: " << *width << ", not " << legal);
        wide += legal > 1 ? 1 : 0;
        constrained += m.constraints.empty() ? 0 : 1;
        for (Int w = 1; w <= legal; w *= 2) {
            const auto counted = axe::coalescing(m, bytes, w);
            REQUIRE(counted.has_value());
            if (!(*counted == by_sets(m, bytes, w))) FAIL(axe::print(m) << "\n" << bytes << " bytes, " << w << " at once");
        }
    }
    CHECK(wide > 100);
    CHECK(constrained > 100);
}

TEST_CASE("coalescing counts what the simulator counts")
{
    // The copy through registers of tests/unit/sim/counters.cpp: tiles of 32×32, 128 threads, a thread four columns of a row, in two
    // rounds. Odd rows are not aligned: each register is a load of its own.
    for (const auto& [rows, columns] : {std::pair<Int, Int>{33, 37}, {65, 31}, {7, 129}, {64, 96}}) {
        CAPTURE(rows, columns);
        axe::Kernel k("copy", axe::machines::sm80);
        const auto a = k.input("A", {rows, columns}, axe::DType::f32);
        const auto d = k.output("D", {rows, columns}, axe::DType::f32);
        k.cta(axe::tiles(d, {32, 32}), [&](axe::Scope cta, const axe::Tile& t) {
            const auto reg = cta.alloc("reg", {32, 32}, axe::DType::f32, axe::LayoutHint::registers);
            cta.copy(reg, a(t));
            cta.copy(d(t), reg);
        });
        const auto program = k.program();
        const auto lowered = required(axe::lower(*program));
        axe::Bindings inputs;
        Random random(7);
        inputs.set("A", arrays::random({rows, columns}, axe::DType::f32, random));
        const auto report = required(axe::sim::run(lowered->program, inputs));
        const auto& memory = report->total.memories.at("gmem");

        axe::IndexingMap m;
        const auto add = [&](Int extent, axe::IndexKind kind) { m.variables.push_back({{0, extent - 1}, {}, kind}); };
        add(128, axe::IndexKind::thread_x);
        add((columns + 31) / 32, axe::IndexKind::block_x);
        add((rows + 31) / 32, axe::IndexKind::block_y);
        m.dimensions = 3;
        add(2, axe::IndexKind::none); // rounds
        add(4, axe::IndexKind::vector);
        m.ranges = 2;
        axe::IndexPool& p = m.pool;
        const auto row = p.add(p.add(p.mul(m.variable(2), 32), p.mul(m.variable(3), 16)), p.floor_div(m.variable(0), 8));
        const auto column = p.add(p.add(p.mul(m.variable(1), 32), p.mul(p.mod(m.variable(0), 8), 4)), m.variable(4));
        m.results.push_back(p.add(p.mul(row, columns), column));
        m.constraints = {{row, {0, rows - 1}}, {column, {0, columns - 1}}};
        const Int width = axe::vector_width(m, 4).value();
        CHECK(width == (columns % 4 == 0 ? 4 : 1));
        const axe::Coalescing c = axe::coalescing(m, 4, width).value();
        // In and out.
        CHECK(memory.requests == 2 * c.requests);
        CHECK(memory.sectors == 2 * c.sectors);
        CHECK(memory.ideal_sectors == 2 * c.ideal_sectors);
        CHECK(memory.bytes_read == 4 * c.elements);
    }
}

TEST_CASE("coalescing of the slides' launch, and of one past all counting")
{
    const auto of = [](const std::vector<Int>& shape, Int threads, Int vector) {
        axe::IndexingMap address = axe::IndexingMap::over(shape);
        axe::IndexExpr at = address.pool.constant(0);
        for (std::size_t d = 0; d < shape.size(); ++d)
            at = address.pool.add(address.pool.mul(at, shape[d]), address.dimension(static_cast<int>(d)));
        address.results.push_back(at);
        return axe::simplify(axe::compose(axe::launch_map(shape, threads, vector).value(), address).value());
    };
    const axe::IndexingMap m = of({20, 40, 300}, 128, 4);
    CHECK(axe::vector_width(m, 4).value() == 4);
    const axe::Coalescing c = axe::coalescing(m, 4, 4).value();
    CHECK(c.requests == 1875);
    CHECK(c.sectors == 30000);
    CHECK(c.lines == 7500);
    CHECK(c.sectors == c.ideal_sectors);
    const axe::Coalescing single = axe::coalescing(m, 4, 1).value();
    CHECK(single.requests == 7500);
    CHECK(single.sectors == 120000);

    const axe::Coalescing large = axe::coalescing(of({1000003, 1 << 20}, 256, 4), 4, 4).value();
    CHECK(large.elements == Int{1000003} << 20);
    CHECK(large.sectors == large.elements / 8);
}
