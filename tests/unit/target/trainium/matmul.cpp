// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/literals.hpp>
#include <tests/unit/target/trainium/simulation.hpp>

using namespace trn_test;
using namespace axe::literals;
using catch_texts::Contains;

namespace {

/// D[M, N] = A[M, K]·B[K, N] in the layouts given.
struct Product {
    Bench bench{Op::gemm};
    Int m, n, k;
    int d, a, b;

    Product(Int m_, Int n_, Int k_, const Layout& ld, const Layout& la, const Layout& lb, bool ta = false, bool tb = false,
            Int base = -1)
        : m(m_), n(n_), k(k_)
    {
        d = bench.tensor("d", "psum", {m, n}, ld, DType::f32, base);
        a = bench.tensor("a", "sbuf", ta ? Shape{k, m} : Shape{m, k}, la, DType::f16);
        b = bench.tensor("b", "sbuf", tb ? Shape{n, k} : Shape{k, n}, lb, DType::bf16);
        bench.on({d, a, b});
        bench.operation.transpose_a = ta;
        bench.operation.transpose_b = tb;
        bench.operation.accumulate = true;
    }
    Result<Body, axe::Problem> emit() { return bench.emit(emit_nc_matmul); }
    std::string reason() { return bench.reason(emit_nc_matmul); }

    /// Runs what the schedule emitted and compares with the sums of the definition; the rule that was broken, if any.
    std::string run(const Body& body)
    {
        Core core = bench.core();
        laws::Random random(7);
        std::map<std::pair<Int, Int>, double> left, right, sums;
        const View va = core.whole(a), vb = core.whole(b), vd = core.whole(d);
        const bool ta = bench.operation.transpose_a, tb = bench.operation.transpose_b;
        const auto fill = [&](std::map<std::pair<Int, Int>, double>& into, const View& v, bool transposed) {
            Core::each(v.extents, [&](const Coord& x) {
                const double value = static_cast<double>(random.in(-4, 4));
                into[transposed ? std::pair{x[1], x[0]} : std::pair{x[0], x[1]}] = value;
                core.write(v, x, value);
            });
        };
        fill(left, va, ta);
        fill(right, vb, tb);
        if (bench.operation.accumulate) fill(sums, vd, false);
        core.run(body);
        for (Int i = 0; i < m; ++i)
            for (Int j = 0; j < n; ++j) {
                double sum = sums[{i, j}];
                for (Int l = 0; l < k; ++l) sum += left[{i, l}] * right[{l, j}];
                if (core.read(vd, {i, j}) != sum) return "wrong at " + std::to_string(i) + ", " + std::to_string(j);
            }
        return core.broken;
    }
    /// The instructions it takes, when all is well.
    int check()
    {
        const auto body = emit();
        INFO((body ? std::string() : body.error().text));
        REQUIRE(body.has_value());
        CHECK(run(*body) == "");
        return static_cast<int>(body->size());
    }
};

Layout on_p_f(Int p, Int f) { return Layout{{{p, 1, Axis{"P"}}, {f, 1, Axis{"F"}}}}; }
Layout on_f_p(Int f, Int p) { return Layout{{{f, 1, Axis{"F"}}, {p, 1, Axis{"P"}}}}; }

/// A product in the plainest layouts, whatever the numbers.
Product plain(Int m, Int n, Int k, Int base = -1)
{
    return {m, n, k, on_p_f(m, n), on_f_p(m, k), on_p_f(k, n), false, false, base};
}

} // namespace

TEST_CASE("nc_matmul: one instruction up to its limits, odd sizes too")
{
    CHECK(plain(128, 512, 128).check() == 1);
    CHECK(plain(1, 1, 1).check() == 1);
    CHECK(plain(127, 511, 3).check() == 1);
    CHECK(plain(5, 7, 127).check() == 1);
    CHECK(plain(33, 2, 65).check() == 1);
}

TEST_CASE("nc_matmul: each limit at its edge")
{
    // N: 512 elements, one bank. The rest of a longer row is an instruction of its own.
    CHECK(plain(2, 513, 2).check() == 2);
    CHECK(plain(2, 1024, 2).check() == 2);
    CHECK(plain(2, 1025, 2).check() == 3);
    // A row that begins within a bank is cut where the bank ends.
    CHECK(plain(2, 512, 2, 4).check() == 2);
    CHECK(plain(2, 511, 2, 4).check() == 1);
    CHECK(plain(2, 512, 2, 2048).check() == 1);
    // M and K of 256 need a second digit that is not on P.
    CHECK(Product(256, 4, 2, "(2,128,4):(4@F,1@P,1@F)"_axe, on_f_p(256, 2), on_p_f(2, 4)).check() == 2);
    CHECK(Product(2, 4, 256, on_p_f(2, 4), "(2,2,128):(256@F,1@F,1@P)"_axe, "(2,128,4):(4@F,1@P,1@F)"_axe).check() == 2);
    CHECK(plain(2, 4, 128).check() == 1);
    // 129 partitions there are not.
    CHECK_THAT(plain(2, 4, 129).reason(), Contains("would be accessed from partition 128"));
    CHECK_THAT(plain(129, 4, 2).reason(), Contains("D = d would be accessed from partition 128"));
}

TEST_CASE("nc_matmul: where accesses start")
{
    const auto shifted = [](Int start, Int m) {
        Layout d = on_p_f(m, 4);
        *d.offset.entry(Axis{"P"}) = start;
        return Product(m, 4, 2, d, on_f_p(m, 2), on_p_f(2, 4));
    };
    CHECK(shifted(32, 32).check() == 1);
    CHECK(shifted(32, 33).check() == 2); // 32 from 32 on, 1 from 64 on
    CHECK(shifted(32, 96).check() == 2);
    CHECK(shifted(64, 64).check() == 1);
    CHECK(shifted(96, 32).check() == 1);
    CHECK_THAT(shifted(33, 2).reason(),
               Contains("D = d would be accessed from partition 33 on; an access starts at 0, 32, 64 or 96"));
    CHECK_THAT(shifted(96, 33).reason(), Contains("from partition 128"));

    // Gaps between partitions: a loop over what lies apart, each part where it may start.
    CHECK(Product(64, 4, 2, "(2,32,4):(64@P,1@P,1@F)"_axe, on_f_p(64, 2), on_p_f(2, 4)).check() == 2);
    CHECK_THAT(Product(64, 4, 2, "(2,32,4):(40@P,1@P,1@F)"_axe, on_f_p(64, 2), on_p_f(2, 4)).reason(),
               Contains("D = d would be accessed from partition 40"));
    CHECK(Product(2, 4, 40, on_p_f(2, 4), "(2,2,20):(1@F,64@P,1@P)"_axe, "(2,20,4):(64@P,1@P,1@F)"_axe).check() == 2);
    CHECK_THAT(Product(2, 4, 40, on_p_f(2, 4), "(2,2,20):(1@F,24@P,1@P)"_axe, "(2,20,4):(24@P,1@P,1@F)"_axe).reason(),
               Contains("A = a would be accessed from partition 24"));

    Layout a = on_f_p(4, 40), b = on_p_f(40, 4);
    *a.offset.entry(Axis{"P"}) = 32;
    CHECK_THAT(Product(4, 4, 40, on_p_f(4, 4), a, b).reason(), Contains("A = a starts at partition 32, B = b at 0"));
    *b.offset.entry(Axis{"P"}) = 32;
    CHECK(Product(4, 4, 40, on_p_f(4, 4), a, b).check() == 2); // K in two: 32, then 8 from partition 64 on
}

TEST_CASE("nc_matmul: the first step along K overwrites, unless the operator accumulates")
{
    for (const bool accumulate : {false, true}) {
        Product p(2, 4, 384, on_p_f(2, 4), "(2,3,128):(384@F,1@F,1@P)"_axe, "(3,128,4):(4@F,1@P,1@F)"_axe);
        p.bench.operation.accumulate = accumulate;
        const auto body = p.emit();
        REQUIRE(body.has_value());
        REQUIRE(body->size() == 3);
        for (std::size_t i = 0; i < 3; ++i)
            CHECK(std::get<Instruction>((*body)[i].what).parameters == std::vector<Int>{accumulate || i > 0 ? 1 : 0});
        CHECK(p.run(*body) == "");
        CHECK(p.bench.decision == "3 nc_matmul of 2x4x128");
    }
}

TEST_CASE("nc_matmul: K may be several iters, as long as both operands have them on the same partitions")
{
    // k = (8, 4): the outer digit is the inner iter on P.
    CHECK(Product(3, 5, 32, on_p_f(3, 5), "(3,8,4):(1@F,1@P,8@P)"_axe, "(8,4,5):(1@P,8@P,1@F)"_axe).check() == 1);
    // k = (8, 2, 4) with the middle digit on F in both, at different places.
    CHECK(Product(3, 5, 64, on_p_f(3, 5), "(3,8,2,4):(1@F,4@P,3@F,1@P)"_axe, "(8,2,4,5):(4@P,7@F,1@P,1@F)"_axe).check() == 2);
    CHECK_THAT(Product(3, 5, 32, on_p_f(3, 5), "(3,8,4):(1@F,1@P,8@P)"_axe, "(8,4,5):(4@P,1@P,1@F)"_axe).reason(),
               Contains("K has the iter of 8 values with the strides 1@P in A = a and 4@P in B = b"));
    CHECK_THAT(Product(3, 5, 32, on_p_f(3, 5), "(3,32):(32@F,1@F)"_axe, "(32,5):(5@F,1@F)"_axe).reason(),
               Contains("K has no iter of stride 1 on P in both A = a and B = b"));
}

TEST_CASE("nc_matmul: M and N may be several iters")
{
    // M = (2, 3, 4): the first and the last digit are one iter on P, the middle one is a loop.
    Product p(24, 5, 2, "(2,3,4,5):(4@P,5@F,1@P,1@F)"_axe, on_f_p(24, 2), on_p_f(2, 5));
    const auto body = p.emit();
    REQUIRE(body.has_value());
    CHECK(body->size() == 3);
    const auto& first = std::get<Instruction>((*body)[0].what);
    CHECK(first.parameters == std::vector<Int>{1, 2, 1});
    CHECK(first.operands[0].view.extents == Shape{2, 4, 5});
    CHECK(first.operands[1].view.extents == Shape{2, 2, 4});
    CHECK(p.run(*body) == "");

    // N: of the two iters that are possible the larger one, here B's.
    CHECK(Product(2, 12, 2, "(2,3,4):(1@P,1@F,8@F)"_axe, on_f_p(2, 2), on_p_f(2, 12)).check() == 1);
    // A pattern has 4 dimensions, not 5.
    const auto scattered = "(2,2,2,2,2,2):(1@P,100@F,30@F,9@F,3@F,1@F)"_axe;
    CHECK(Product(2, 32, 2, on_p_f(2, 32), on_f_p(2, 2), scattered).check() == 2);
    // D turned round: the operands change places.
    Product turned(40, 30, 20, "(40,30):(1@F,1@P)"_axe, on_f_p(40, 20), on_p_f(20, 30));
    CHECK(turned.check() == 1);
    CHECK(turned.bench.decision == "1 nc_matmul of 30x40x20, B stationary");
}

TEST_CASE("nc_matmul: transposed operands")
{
    CHECK(Product(6, 10, 14, on_p_f(6, 10), on_p_f(14, 6), on_p_f(14, 10), true, false).check() == 1);
    CHECK(Product(6, 10, 14, on_p_f(6, 10), on_f_p(6, 14), on_f_p(10, 14), false, true).check() == 1);
    CHECK(Product(6, 10, 14, on_p_f(6, 10), on_p_f(14, 6), on_f_p(10, 14), true, true).check() == 1);
}

TEST_CASE("nc_matmul: batches, stages and parts of tensors")
{
    Bench bench(Op::gemm);
    const int d = bench.tensor("d", "psum", {3, 4, 5}, "(3,4,5):(5@F,1@P,1@F)"_axe);
    const int a = bench.tensor("a", "sbuf", {3, 4, 6}, "(3,4,6):(4@F,1@F,1@P)"_axe, DType::f16);
    const int b = bench.tensor("b", "sbuf", {3, 6, 5}, "(3,6,5):(5@F,1@P,1@F)"_axe, DType::f16);
    bench.on({d, a, b});
    auto body = bench.emit(emit_nc_matmul);
    REQUIRE(body.has_value());
    CHECK(body->size() == 3);

    // A stage that a variable picks, and rows 32 to 63 of it.
    bench.program.variables.push_back({"stage", 0, 3});
    bench.operation.operands.clear();
    const auto part = [&](int t) {
        View v = bench.whole(t);
        v.origin[0] = Affine(Var{0});
        v.extents.erase(0);
        v.dims.erase(0);
        v.steps.erase(0);
        return v;
    };
    bench.operation.operands = {part(d), part(a), part(b)};
    body = bench.emit(emit_nc_matmul);
    REQUIRE(body.has_value());
    REQUIRE(body->size() == 1);
    Core core = bench.core();
    core.variables = {2};
    Core::each({3, 4, 6}, [&](const Coord& x) { core.write(core.whole(a), x, static_cast<double>(x[0] + x[1] * x[2])); });
    Core::each({3, 6, 5}, [&](const Coord& x) { core.write(core.whole(b), x, static_cast<double>(x[0] - x[1] + x[2])); });
    std::get<Instruction>((*body)[0].what).parameters = {0};
    core.run(*body);
    CHECK(core.broken == "");
    for (Int i = 0; i < 4; ++i)
        for (Int j = 0; j < 5; ++j) {
            double sum = 0;
            for (Int l = 0; l < 6; ++l) sum += static_cast<double>((2 + i * l) * (2 - l + j));
            CHECK(core.read(core.whole(d), {2, i, j}) == sum);
        }

    // Partitions that a variable chooses cannot be checked.
    Bench moving(Op::gemm);
    moving.program.variables.push_back({"v", 0, 2});
    const int dd = moving.tensor("d", "psum", {64, 4}, on_p_f(64, 4)),
              aa = moving.tensor("a", "sbuf", {32, 8}, on_f_p(32, 8), DType::f16),
              bb = moving.tensor("b", "sbuf", {8, 4}, on_p_f(8, 4), DType::f16);
    moving.on({dd, aa, bb});
    moving.operation.operands[0].origin[0] = Affine(Var{0}) * 32;
    moving.operation.operands[0].extents[0] = 32;
    CHECK_THAT(moving.reason(emit_nc_matmul), Contains("D = d: the partition where its view begins depends on a variable"));
    moving.operation.operands[0].origin[0] = 32;
    CHECK(moving.emit(emit_nc_matmul).has_value());
}

TEST_CASE("nc_matmul: every reason to decline")
{
    CHECK_THAT(Product(4, 5, 6, "(4,5):(1@P,8@P)"_axe, on_f_p(4, 6), on_p_f(6, 5)).reason(),
               Contains("D = d: N has the iter 5:8@P; there it must be on F"));
    CHECK_THAT(Product(4, 5, 6, on_p_f(4, 5), "(4,6):(6@P,1@P)"_axe, on_p_f(6, 5)).reason(),
               Contains("A = a: M has the iter 4:6@P; there it must be on F"));
    CHECK_THAT(Product(4, 5, 6, on_p_f(4, 5), on_f_p(4, 6), "(6,5):(1@P,6@P)"_axe).reason(),
               Contains("B = b: N has the iter 5:6@P; there it must be on F"));
    CHECK_THAT(Product(4, 5, 6, "(4,5):(5@F,1@F)"_axe, on_f_p(4, 6), on_p_f(6, 5)).reason(),
               Contains("D = d: M has no iter of stride 1 on P"));
    CHECK_THAT(Product(4, 5, 6, "(4,5):(2@P,1@F)"_axe, on_f_p(4, 6), on_p_f(6, 5)).reason(),
               Contains("D = d: M has no iter of stride 1 on P"));
    CHECK_THAT(Product(4, 6, 6, "(4,6):(1@P,0)"_axe, on_f_p(4, 6), on_p_f(6, 6)).reason(),
               Contains("D = d: N has an iter of 6 values at one place"));
    CHECK_THAT(Product(6, 5, 4, "(2,3,5):(1@P,2@P,1@F)"_axe, "(3,2,4):(2@F,7@F,1@P)"_axe, on_p_f(4, 5)).reason(),
               Contains("dimension 0 is split after 2 indices by one operand and after 3 by another"));
    CHECK_THAT(
        Product(4, 5, 6, Layout{{{4, 1, Axis{"P"}}, {5, 1, Axis{"F"}}}, {{2, 5, Axis{"F"}}}}, on_f_p(4, 6), on_p_f(6, 5)).reason(),
        Contains("D = d has replicas"));
    CHECK_THAT(Product(4, 6, 6, "(3,8):(1@P,1@F)"_axe, on_f_p(4, 6), on_p_f(6, 6)).reason(),
               Contains("D = d: its layout does not have separate iters for each dimension"));

    Product p = plain(4, 5, 6);
    p.bench.place.count = 1;
    p.bench.place.first = 1;
    CHECK_THAT(p.reason(), Contains("the operator is for 1 engine from 1 on in steps of 1; it needs one of: tensor (0)"));
    p.bench.place.in_block = false;
    CHECK_THAT(p.reason(), Contains("no engine runs outside a block"));
    p = plain(4, 5, 6);
    p.bench.operation.options.vector_bytes = 16;
    CHECK_THAT(p.reason(), Contains("vector_bytes is 16"));
    p = plain(4, 5, 6);
    p.bench.operation.operands[1].guarded = true;
    CHECK_THAT(p.reason(), Contains("A = a has a guarded view"));
    p = plain(4, 5, 6);
    p.bench.program.tensors[0].memory = "sbuf";
    CHECK_THAT(p.reason(), Contains("D = d is in sbuf; the systolic array writes only psum"));
    p = plain(4, 5, 6);
    p.bench.program.tensors[2].memory = "psum";
    CHECK_THAT(p.reason(), Contains("B = b is in psum; the systolic array reads only sbuf"));
    p = plain(4, 5, 6);
    p.bench.program.tensors[0].dtype = DType::f16;
    CHECK_THAT(p.reason(), Contains("D = d is f16; psum accumulates f32"));
    p = plain(4, 5, 6);
    p.bench.program.tensors[1].dtype = DType::i8;
    CHECK_THAT(p.reason(), Contains("A = a is i8"));
    p = plain(4, 5, 6, 2);
    CHECK_THAT(p.reason(), Contains("D = d is at byte 2, which is not a multiple of 4"));
    p = plain(4, 5, 6);
    p.bench.program.tensors[1].layout.swizzle = Swizzle{1, 1, 1};
    CHECK_THAT(p.reason(), Contains("A = a has a swizzle"));
    p = plain(4, 5, 6);
    p.bench.operation.operands[2].extents.insert(0, 1);
    p.bench.operation.operands[2].dims.insert(0, -1);
    p.bench.operation.operands[2].steps.insert(0, 1);
    CHECK_THAT(p.reason(),
               Contains("the views of D, A and B have 2, 2 and 3 dimensions; a product needs the same number of each, at least 2"));
    p = plain(4, 5, 6);
    for (Memory& memory : p.bench.program.machine.memories) memory.alignment = 4;
    CHECK_THAT(p.reason(),
               Contains("D = d: tensors in psum start at multiples of 4 bytes, so which bank of 2048 they are in is not known"));
    p.bench.program.tensors[0].base = 2048;
    CHECK(p.check() == 1);
    p = plain(4, 5, 6);
    p.bench.program.machine.limits = {};
    CHECK_THAT(p.reason(), Contains("trn1 does not say nc_matmul.k"));
    p = plain(4, 5, 6);
    p.bench.program.variables.push_back({"v", 0, 5000});
    p.bench.operation.operands[0].origin[0] = Affine(Var{0});
    CHECK_THAT(p.reason(), Contains("D = d: the variables of its origin take more than 4096 values"));
    p = Product(4, 5, 6, on_p_f(4, 5), "(4,6):(40000@F,1@P)"_axe, on_p_f(6, 5));
    CHECK_THAT(p.reason(), Contains("A = a: a stride of 40000 elements exceeds 32767"));
    CHECK(Product(4, 5, 6, on_p_f(4, 5), "(4,6):(32767@F,1@P)"_axe, on_p_f(6, 5)).check() == 1);
}

TEST_CASE("nc_matmul: random layouts, against sums: what applies is right and obeys the hardware")
{
    laws::Random random(5);
    const Axis P{"P"}, F{"F"};
    struct Part { // a digit of M, N or K
        Int extent;
        Int p = 0; ///< its stride on P where it is on P
    };
    const auto digits = [&](Int most, bool on_p) {
        std::vector<Part> out;
        const Int n = random.in(1, 3);
        for (Int i = 0; i < n; ++i) out.push_back({random.in(1, 7)});
        if (on_p) { // some of them, in any order
            Int stride = 1;
            std::vector<std::size_t> order{0, 1, 2};
            for (std::size_t i = 2; i > 0; --i)
                std::swap(order[i], order[static_cast<std::size_t>(random.in(0, static_cast<Int>(i)))]);
            bool any = false;
            for (const std::size_t i : order)
                if (i < out.size() && (!any || random.one_in(2)) && stride * out[i].extent <= most) {
                    out[i].p = stride;
                    stride *= out[i].extent;
                    any = true;
                }
        }
        return out;
    };
    int applied = 0;
    const Int tries = laws::cases(1500);
    for (Int t = 0; t < tries; ++t) {
        const auto m = digits(128, true), n = digits(128, false), k = digits(128, true);
        const auto lay = [&](const std::vector<Part>& first, bool first_p, const std::vector<Part>& second, bool second_p,
                             bool padded) {
            Layout out;
            for (const auto& part : first) out.shard.push_back({part.extent, first_p && part.p != 0 ? part.p : 0, P});
            for (const auto& part : second) out.shard.push_back({part.extent, second_p && part.p != 0 ? part.p : 0, P});
            std::vector<int> free;
            for (int i = 0; i < out.shard.size(); ++i)
                if (out.shard[i].stride == 0) free.push_back(i);
            Int stride = 1;
            while (!free.empty()) {
                const auto at = static_cast<std::ptrdiff_t>(random.one_in(2) ? static_cast<Int>(free.size()) - 1
                                                                             : random.in(0, static_cast<Int>(free.size()) - 1));
                auto& it = out.shard[free[static_cast<std::size_t>(at)]];
                it = {it.extent, stride, F};
                stride *= it.extent;
                if (padded && random.one_in(4)) stride += random.in(1, 9);
                free.erase(free.begin() + at);
            }
            return out;
        };
        const auto size = [](const std::vector<Part>& parts) {
            Int s = 1;
            for (const auto& p : parts) s *= p.extent;
            return s;
        };
        if (size(m) * size(n) * size(k) > 40000) continue;
        const bool ta = random.one_in(2), tb = random.one_in(2);
        Product p(size(m), size(n), size(k), lay(m, true, n, false, true),
                  ta ? lay(k, true, m, false, true) : lay(m, false, k, true, true),
                  tb ? lay(n, false, k, true, true) : lay(k, true, n, false, true), ta, tb, 4 * random.in(0, 600));
        p.bench.operation.accumulate = random.one_in(2);
        const auto body = p.emit();
        if (!body) continue;
        ++applied;
        const std::string found = p.run(*body);
        INFO(axe::print(p.bench.program.tensors[0].layout.layout).c_str()
             << "  " << axe::print(p.bench.program.tensors[1].layout.layout).c_str() << "  "
             << axe::print(p.bench.program.tensors[2].layout.layout).c_str());
        REQUIRE(found == "");
    }
    CHECK(applied > tries / 4);
}
