// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/make.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/kernels.hpp>
#include <axe/target/spyre/compiler/divide.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include <cmath>

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

namespace {

/// A program for one card: tensors in its memory as the compiler's constructor lays them out.
struct Card {
    Kernel k{"card", machines::spyre};

    static Padded placed(const Shape& sizes, const spyre::DimOrder& order)
    {
        const auto tensor = spyre::make_tensor(spyre::contiguous(sizes), spyre::DataFormat::sen169_fp16, order);
        return *spyre::to_axe(*tensor);
    }
    TensorRef alloc(Scope scope, const char* memory, const char* name, const Shape& sizes, const spyre::DimOrder& order)
    {
        const Padded p = placed(sizes, order);
        return scope.alloc(memory, p.shape, dl16, p.layout, name);
    }
    TensorRef ddr(const char* name, const Shape& sizes, const spyre::DimOrder& order = {0, 1})
    {
        return alloc(k, "ddr", name, sizes, order);
    }
    TensorRef lx(Scope scope, const char* name, const Shape& sizes, const spyre::DimOrder& order = {0, 1})
    {
        return alloc(scope, "lx", name, sizes, order);
    }
    void core(const std::function<void(Scope)>& body)
    {
        one_block(k, 1, [&](Scope scope) { body(scope); });
    }
    /// Zeros on the card, or what else it is to hold before the host writes what there is of it.
    void fill(const TensorRef& d, const Shape& sizes, double number = 0, const spyre::DimOrder& order = {0, 1})
    {
        core([&](Scope scope) {
            const auto zeros = lx(scope, "fill", sizes, order);
            scope.fill(zeros, number);
            scope.copy(d, zeros);
        });
    }
    Result<Program, axe::Problem> program() { return k.program(); }
};

Bindings made(const Program& program)
{
    Bindings in;
    Int n = 0;
    for (const ProgramTensor& t : program.tensors) {
        if (t.binding != Binding::input) continue;
        in.set(t.name, Array::make(t.shape, t.dtype).value());
        Array& a = *in.find(t.name);
        for (Int i = 0; i < a.size(); ++i) a.set(i, static_cast<double>((n += 7) % 31 - 15) / 8);
    }
    return in;
}

sim::Report ran(const Program& program, const Bindings& in)
{
    for (const Problem& p : validate(program)) FAIL(p.text);
    const auto low = lower(program);
    if (!low) FAIL(low.error().text);
    auto report = sim::run(low->program, in);
    if (!report) FAIL(report.error().text);
    return std::move(*report);
}

/// Runs without a fault, and every number is what plain loops give.
sim::Report right(Card& card)
{
    const auto program = card.program();
    if (!program) FAIL(program.error().text);
    const Bindings in = made(*program);
    auto report = without_fault(ran(*program, in));
    const auto verified = verify(*program, in, report.outputs);
    if (!verified) FAIL(verified.error().text);
    INFO(verified->text());
    CHECK(verified->ok());
    sim::RunOptions options;
    options.level = sim::Level::fast;
    const auto fast = required(sim::run(lower(*program)->program, in, options));
    CHECK(verify(*program, in, fast->outputs)->ok());
    return report;
}

sim::Fault fault(Card& card)
{
    const auto program = card.program();
    if (!program) FAIL(program.error().text);
    return ran(*program, made(*program)).fault;
}

std::string declined(Card& card)
{
    const auto program = card.program();
    if (!program) FAIL(program.error().text);
    const auto low = lower(*program);
    return low ? "" : low.error().text;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// The part of a padded tensor that the host has.
ViewRef valid(const TensorRef& t, Int rows, Int cols) { return t(Interval(0, rows), Interval(0, cols)); }

} // namespace

TEST_CASE("spyre: what the host has goes to the card and comes back, converted, in odd sizes", "[spyre]")
{
    for (const spyre::DimOrder& order : {spyre::DimOrder{0, 1}, {1, 0}}) {
        Card c;
        const auto A = c.k.input("A", {37, 150}, f16), B = c.k.output("B", {37, 150}, f16);
        const auto there = c.ddr("there", {37, 150}, order), back = c.ddr("back", {37, 150}, order);
        c.fill(there, {37, 150}, 0, order);
        c.core([&](Scope core) { core.copy(valid(there, 37, 150), A); });
        c.core([&](Scope core) {
            const auto x = c.lx(core, "x", {37, 150}, order);
            core.copy(x, there);
            core.copy(back, x);
        });
        c.core([&](Scope core) { core.copy(B, valid(back, 37, 150)); });
        const auto report = right(c);
        const auto& host = report.total.memories.at("host");
        CHECK(host.bytes_read == 37 * 150 * 2);
        CHECK(host.bytes_written == 37 * 150 * 2);
        CHECK(report.total.memories.at("lx").bytes_written == 2 * (order[0] == 0 ? 37 * 192 : 64 * 150) * 2);
    }
}

TEST_CASE("spyre: padding that no agent wrote is read with its stick, and found", "[spyre]")
{
    Card c;
    const auto A = c.k.input("A", {37, 150}, f16);
    const auto there = c.ddr("there", {37, 150});
    c.core([&](Scope core) { core.copy(valid(there, 37, 150), A); });
    c.core([&](Scope core) {
        const auto x = c.lx(core, "x", {37, 150});
        core.copy(x, there);
    });
    const auto found = fault(c);
    CHECK(found.kind == sim::FaultKind::uninitialized);
    INFO(found.text);
    CHECK(says(found.text, "element (0,150) of there"));
}

TEST_CASE("spyre: part of a stick is not moved on the card, nor computed with", "[spyre]")
{
    const auto with = [](const std::function<void(Card&, Scope, TensorRef, TensorRef)>& body) {
        Card c;
        const auto there = c.ddr("there", {4, 128});
        c.fill(there, {4, 128}, 1);
        c.core([&](Scope core) {
            const auto x = c.lx(core, "x", {4, 128});
            body(c, core, x, there);
        });
        return fault(c);
    };
    const auto moved =
        with([](Card&, Scope core, TensorRef x, TensorRef there) { core.copy(valid(x, 4, 100), valid(there, 4, 100)); });
    CHECK(moved.kind == sim::FaultKind::misaligned);
    CHECK(says(moved.text, "touches 72 of the 128 bytes of stick 4 of x; it takes whole sticks"));
    const auto filled = with([](Card&, Scope core, TensorRef x, TensorRef) { core.fill(valid(x, 3, 32), 0); });
    CHECK(says(filled.text, "touches 64 of the 128 bytes of stick 0 of x"));
    const auto mapped = with([](Card&, Scope core, TensorRef x, TensorRef) {
        core.fill(x, 1);
        core.unary(Function::neg, valid(x, 4, 65), valid(x, 4, 65));
    });
    CHECK(says(mapped.text, "touches 2 of the 128 bytes of stick 4 of x"));
    const auto summed = with([](Card& c, Scope core, TensorRef x, TensorRef) {
        core.fill(x, 1);
        const auto y = core.alloc("lx", {4}, dl16, Card::placed({4, 1}, {0, 1}).layout, "y");
        static_cast<void>(c);
        core.sum(y, valid(x, 4, 100), 1);
    });
    CHECK(says(summed.text, "touches 72 of the 128 bytes of stick 4 of x"));
    // Whole sticks of it are.
    CHECK(with([](Card&, Scope core, TensorRef x, TensorRef there) {
              core.copy(x(Interval(1, 2), Interval(64, 64)), there(Interval(1, 2), Interval(64, 64)));
          }).kind == sim::FaultKind::none);
}

TEST_CASE("spyre: restickify moves elements, and leaves the padding as it was", "[spyre]")
{
    Card c;
    const auto A = c.k.input("A", {37, 150}, f16), B = c.k.output("B", {37, 150}, f16);
    const auto rows = c.ddr("rows", {37, 150}), cols = c.ddr("cols", {37, 150}, {1, 0});
    c.core([&](Scope core) { core.copy(valid(rows, 37, 150), A); });
    c.core([&](Scope core) { core.copy(valid(cols, 37, 150), valid(rows, 37, 150)); });
    c.core([&](Scope core) { core.copy(B, valid(cols, 37, 150)); });
    const auto low = required(lower(*c.program()));
    REQUIRE(low->choices.size() == 3);
    CHECK(low->choices[1].detail == "from sticks along dimension 1 to sticks along dimension 0");
    right(c);

    // The padding of the sticks is nobody's: to read them whole is a fault.
    c.core([&](Scope core) { core.copy(c.lx(core, "x", {37, 150}, {1, 0}), cols); });
    const auto found = fault(c);
    CHECK(found.kind == sim::FaultKind::uninitialized);
    CHECK(says(found.text, "of cols"));
}

TEST_CASE("spyre: functions of elements, operands in sticks along one dimension", "[spyre]")
{
    Card c;
    const auto A = c.k.input("A", {5, 100}, f16), v = c.k.input("v", {100}, f16), B = c.k.output("B", {5, 100}, f16);
    const auto a = c.ddr("a", {5, 100}), b = c.ddr("b", {5, 100});
    const Padded line = Card::placed({100}, {0});
    const auto w = c.k.alloc("ddr", line.shape, dl16, line.layout, "w");
    c.fill(a, {5, 100});
    c.core([&](Scope core) {
        const auto zeros = core.alloc("lx", line.shape, dl16, line.layout, "zeros");
        core.fill(zeros, 0).copy(w, zeros);
    });
    c.core([&](Scope core) { core.copy(valid(a, 5, 100), A).copy(w(Interval(0, 100)), v); });
    c.core([&](Scope core) {
        const auto x = c.lx(core, "x", {5, 100}), y = c.lx(core, "y", {5, 100});
        const auto s = core.alloc("lx", line.shape, dl16, line.layout, "s");
        core.copy(x, a).copy(s, w);
        core.binary(Function::add, y, x, s.repeated(0, 5)); // the same row under each
        core.map(Function::mul, y, {y, x}).unary(Function::relu, y, y);
        core.copy(b, y);
    });
    c.core([&](Scope core) { core.copy(B, valid(b, 5, 100)); });
    right(c);
}

TEST_CASE("spyre: reductions keep the sticks, or leave one element in each", "[spyre]")
{
    Card c;
    const auto A = c.k.input("A", {6, 100}, f16), R = c.k.output("R", {6}, f16), C = c.k.output("C", {100}, f16);
    const auto a = c.ddr("a", {6, 100});
    const Padded line = Card::placed({100}, {0});
    const auto cols = c.k.alloc("ddr", line.shape, dl16, line.layout, "cols");
    // One element a stick: the upstream order ends in −1.
    const auto tensor = spyre::make_tensor(spyre::contiguous({6}), spyre::DataFormat::sen169_fp16, {0, -1});
    REQUIRE(tensor);
    const Padded ends = *spyre::to_axe(*tensor);
    const auto rows = c.k.alloc("ddr", ends.shape, dl16, ends.layout, "rows");
    c.fill(a, {6, 100});
    c.core([&](Scope core) { core.copy(valid(a, 6, 100), A); });
    c.core([&](Scope core) {
        const auto x = c.lx(core, "x", {6, 100});
        const auto r = core.alloc("lx", ends.shape, dl16, ends.layout, "r"),
                   s = core.alloc("lx", line.shape, dl16, line.layout, "s");
        core.copy(x, a);
        core.reduce(Function::add, r, x, {1}).reduce(Function::max, s, x, {0});
        core.copy(rows, r).copy(cols, s);
    });
    c.core([&](Scope core) { core.copy(R, rows).copy(C, cols(Interval(0, 100))); });
    right(c);

    Card wrong;
    const auto z = wrong.ddr("z", {6, 100});
    wrong.fill(z, {6, 100});
    wrong.core([&](Scope core) {
        const auto x = wrong.lx(core, "x", {6, 100});
        core.fill(x, 0);
        const auto r = core.alloc("lx", {64}, dl16, Placement{}, "r");
        core.sum(r(Interval(0, 6)), x, 1);
    });
    CHECK(says(declined(wrong),
               "D = r has sticks along dimension 0; reduced over these dimensions of A = x it has one element a stick"));
}

namespace {

/// C = A·B of odd sizes on one core. `a` and `b` are what the paddings of A's and of B's sticks and rows hold; NaN is a number here,
/// and `nobody` what was there before.
constexpr double unwritten = -77;
void product(Card& c, double a, double b)
{
    const auto A = c.k.input("A", {9, 70}, f16), B = c.k.input("B", {70, 30}, f16), C = c.k.output("C", {9, 30}, f16);
    const auto da = c.ddr("a", {9, 70}), db = c.ddr("b", {128, 30}), dc = c.ddr("c", {9, 30}); // B's rows fill A's sticks
    if (a != unwritten) c.fill(da, {9, 70}, a);
    if (b != unwritten) c.fill(db, {128, 30}, b);
    c.core([&](Scope core) { core.copy(valid(da, 9, 70), A).copy(valid(db, 70, 30), B); });
    c.core([&](Scope core) {
        const auto x = c.lx(core, "x", {9, 70}), y = c.lx(core, "y", {128, 30}), z = c.lx(core, "z", {9, 30});
        core.copy(x, da).copy(y, db);
        core.gemm(z, x, y, {.accumulate = false});
        core.copy(dc, z);
    });
    c.core([&](Scope core) { core.copy(C, valid(dc, 9, 30)); });
}

} // namespace

TEST_CASE("spyre: a product of odd sizes, its padding zeros", "[spyre]")
{
    Card c;
    product(c, 0, 0);
    const auto report = right(c);
    CHECK(report.total.flops == 2 * 9 * 64 * 128);
}

TEST_CASE("spyre: zeros in one factor are enough while the other's padding is finite", "[spyre]")
{
    for (const double finite : {1.0, -123.0, 0x1p32}) {
        Card c;
        product(c, finite, 0);
        right(c);
    }
}

TEST_CASE("spyre: NaN in the padding times zero is NaN in every number", "[spyre]")
{
    Card c;
    product(c, std::nan(""), 0);
    const auto program = *c.program();
    const Bindings in = made(program);
    const auto report = ran(program, in);
    REQUIRE(report.ok());
    int numbers = 0;
    for (Int i = 0; i < 9 * 30; ++i) numbers += std::isnan(report.outputs.find("C")->at(i)) ? 0 : 1;
    CHECK(numbers == 0);

    // The product without padding, which is what was meant, says so.
    Kernel plain("meant", machines::cpu);
    const auto A = plain.input("A", {9, 70}, f16), B = plain.input("B", {70, 30}, f16), C = plain.output("C", {9, 30}, f16);
    const auto a = plain.alloc("ram", {9, 70}, dl16, {}, "a"), b = plain.alloc("ram", {70, 30}, dl16, {}, "b"),
               z = plain.alloc("ram", {9, 30}, dl16, {}, "z");
    plain.copy(a, A).copy(b, B).gemm(z, a, b, {.accumulate = false}).copy(C, z);
    const auto verified = verify(*plain.program(), in, report.outputs);
    REQUIRE(verified);
    CHECK_FALSE(verified->ok());
    INFO(verified->text());
    CHECK(says(verified->text(), "270 of 270 elements wrong"));

    // And of zeros it says that all is right.
    Card zeros;
    product(zeros, 0, 0);
    const auto good = ran(*zeros.program(), in);
    REQUIRE(good.ok());
    CHECK(verify(*plain.program(), in, good.outputs)->ok());
}

TEST_CASE("spyre: padding of a factor that no agent wrote is found by the matrix unit's DMA", "[spyre]")
{
    Card a, b;
    product(a, unwritten, 0);
    CHECK(says(fault(a).text, "element (0,70) of a"));
    product(b, 0, unwritten);
    CHECK(says(fault(b).text, "element (0,30) of b"));
}

TEST_CASE("spyre: the matrix unit declines other sticks, other types and other memories", "[spyre]")
{
    const auto with = [](const spyre::DimOrder& a, const spyre::DimOrder& b, DType type, const char* memory) {
        Card c;
        c.core([&](Scope core) {
            const auto x = c.lx(core, "x", {64, 64}, a), y = c.lx(core, "y", {64, 64}, b);
            const Padded p = Card::placed({64, 64}, {0, 1});
            const auto z = core.alloc("lx", p.shape, type, p.layout, "z"), d = c.ddr("d", {64, 64});
            core.fill(x, 0).fill(y, 0);
            if (std::string(memory) == "ddr")
                core.gemm(d, x, y, {.accumulate = false});
            else
                core.gemm(z, type == dl16 ? x : z, type == dl16 ? y : z, {.accumulate = false});
        });
        return declined(c);
    };
    CHECK(with({0, 1}, {0, 1}, dl16, "lx") == "");
    CHECK(says(with({1, 0}, {0, 1}, dl16, "lx"),
               "A = x has sticks along dimension 0; the matrix unit needs sticks along K, dimension 1\nhint: restickify it"));
    CHECK(says(with({0, 1}, {1, 0}, dl16, "lx"),
               "B = y has sticks along dimension 0; the matrix unit needs sticks along N, dimension 1\nhint: restickify it"));
    CHECK(says(with({0, 1}, {0, 1}, f16, "lx"), "D = z is f16; the matrix unit multiplies dl16 and accumulates in dl16 or f32"));
    CHECK(says(with({0, 1}, {0, 1}, dl16, "ddr"), "D = d is in ddr; the units of a core compute on its scratchpad"));
}

TEST_CASE("spyre: factors seen transposed, and sums that grow", "[spyre]")
{
    Card c;
    const auto A = c.k.input("A", {64, 3}, f16), B = c.k.input("B", {128, 64}, f16), C = c.k.output("C", {3, 128}, f16);
    const auto a = c.ddr("a", {64, 3}, {1, 0}), b = c.ddr("b", {128, 64}, {1, 0}), d = c.ddr("d", {3, 128});
    c.core([&](Scope core) { core.copy(a, A).copy(b, B); });
    c.core([&](Scope core) {
        const auto x = c.lx(core, "x", {64, 3}, {1, 0}), y = c.lx(core, "y", {128, 64}, {1, 0}), z = c.lx(core, "z", {3, 128});
        core.copy(x, a).copy(y, b).fill(z, 1);
        core.gemm(z, x, y, {.accumulate = true, .transpose_a = true, .transpose_b = true});
        core.copy(d, z);
    });
    c.core([&](Scope core) { core.copy(C, d); });
    right(c);
}

TEST_CASE("spyre: one element a stick does not go with whole sticks, nor sticks with sticks across", "[spyre]")
{
    const auto added = [](const TensorRef& x, Scope core, const ViewRef& other) { core.binary(Function::add, x, x, other); };
    Card sparse, across, wide;
    sparse.core([&](Scope core) {
        const auto x = sparse.lx(core, "x", {4, 64});
        const auto s = sparse.lx(core, "s", {4, 64}, {0, 1, -1});
        core.fill(x, 1).fill(s, 1);
        added(x, core, s);
    });
    CHECK(says(declined(sparse), "B = s has one element a stick, and D sticks along dimension 1; the elements of a stick stay "
                                 "together\nhint: restickify one of them"));
    across.core([&](Scope core) {
        const auto x = across.lx(core, "x", {64, 64}), y = across.lx(core, "y", {64, 64}, {1, 0});
        core.fill(x, 1).fill(y, 1);
        added(x, core, y);
    });
    CHECK(says(declined(across), "B = y has sticks along dimension 0, and D sticks along dimension 1"));
    wide.core([&](Scope core) {
        const auto x = wide.lx(core, "x", {4, 64});
        const auto y = core.alloc("lx", {4, 64}, f32, Placement{}, "y");
        core.fill(x, 1).fill(y, 1);
        added(x, core, y);
    });
    CHECK(says(declined(wide), "B = y is f32 and D is dl16; their sticks hold different numbers of elements"));
}

TEST_CASE("spyre: one element a stick is spread over the sticks along which it repeats", "[spyre]")
{
    Card c;
    const auto A = c.k.input("A", {6, 128}, f16), B = c.k.output("B", {6, 128}, f16);
    const auto a = c.ddr("a", {6, 128}), b = c.ddr("b", {6, 128});
    c.core([&](Scope core) { core.copy(a, A); });
    c.core([&](Scope core) {
        const auto x = c.lx(core, "x", {6, 128}), most = c.lx(core, "most", {6}, {0, -1});
        core.copy(x, a).reduce(Function::max, most, x, {1});
        core.binary(Function::sub, x, x, most.repeated(1, 128));
        core.copy(b, x);
    });
    c.core([&](Scope core) { core.copy(B, b); });
    right(c);
}

TEST_CASE("spyre: products of one column or one row have one element a stick", "[spyre]")
{
    Card outer, inner;
    const auto multiply = [](Card& c, const Shape& a, const Shape& b, const Shape& d) {
        const auto A = c.k.input("A", a, f16), B = c.k.input("B", b, f16), C = c.k.output("C", d, f16);
        const auto da = c.ddr("a", a), db = c.ddr("b", b), dc = c.ddr("c", d);
        c.core([&](Scope core) { core.copy(da, A).copy(db, B); });
        c.core([&](Scope core) {
            const auto x = c.lx(core, "x", a), y = c.lx(core, "y", b), z = c.lx(core, "z", d);
            core.copy(x, da).copy(y, db).gemm(z, x, y, {.accumulate = false}).copy(dc, z);
        });
        c.core([&](Scope core) { core.copy(C, dc); });
    };
    multiply(outer, {9, 1}, {1, 64}, {9, 64});
    right(outer);
    multiply(inner, {9, 64}, {64, 1}, {9, 1});
    right(inner);
}

TEST_CASE("spyre: no DMA gathers elements of several sticks, or scatters those of one", "[spyre]")
{
    const auto copied = [](const spyre::DimOrder& to, const spyre::DimOrder& from) {
        Card c;
        const auto d = c.ddr("d", {64, 64}, to), a = c.ddr("a", {64, 64}, from);
        c.core([&](Scope core) { core.copy(d, a); });
        return declined(c);
    };
    CHECK(copied({0, 1}, {1, 0}) == "");
    CHECK(copied({0, 1, -1}, {1, 0, -1}) == "");
    CHECK(says(copied({0, 1}, {0, 1, -1}), "D = d has sticks along dimension 1, and A = a one element a stick; no DMA gathers "
                                           "elements of several sticks in one, or scatters those of one"));
    CHECK(says(copied({0, 1, -1}, {0, 1}), "D = d has one element a stick, and A = a sticks along dimension 1"));

    // A column of one element in each stick of it is part of a tensor in sticks: the copy is a restickify.
    Card column;
    const auto d = column.ddr("d", {64, 64}), a = column.ddr("a", {64, 64}, {1, 0});
    column.core([&](Scope core) { core.copy(d(axe::all, Interval(3, 1)), a(axe::all, Interval(5, 1))); });
    CHECK(declined(column) == "");
}

TEST_CASE("spyre: 32 cores as the division says, its sum divided too", "[spyre]")
{
    // C[8,64] = A[8,256]·B[256,64]: m by 8, and k, four sticks, by 4.
    const Int M = 8, N = 64, K = 256;
    const auto tensor = [](const Shape& s) { return *spyre::make_tensor(spyre::contiguous(s), spyre::DataFormat::sen169_fp16); };
    const auto work = spyre::matmul_work(tensor({M, K}), tensor({K, N}), tensor({M, N}));
    const auto division = spyre::divide(work);
    REQUIRE(division);
    REQUIRE(division->splits == InlineVector<Int, spyre::max_loops>{8, 1, 4});
    const Int rows = M / 8, deep = K / 4;

    Card c;
    const auto A = c.k.input("A", {M, K}, f16), B = c.k.input("B", {K, N}, f16), C = c.k.output("C", {M, N}, f16);
    const auto a = c.ddr("a", {M, K}), b = c.ddr("b", {K, N});
    // A term of each element from each of the cores of a sum, in f32.
    const auto terms = c.k.alloc("ddr", {4, M, N}, f32, Placement{}, "terms");
    c.core([&](Scope core) { core.copy(a, A).copy(b, B); });
    c.k.cta(
        tiles({M, K}, {rows, deep}),
        [&](Scope core, const Tile& t) {
            const auto x = c.lx(core, "x", {rows, deep}), y = c.lx(core, "y", {deep, N});
            const auto z = core.alloc("lx", {rows, N}, f32, Placement{}, "z");
            core.copy(x, a(t)).copy(y, b(t.cols, all));
            core.gemm(z, x, y, {.accumulate = false});
            core.copy(terms(t.index[1], t.rows, all), z);
        },
        1);
    const auto sums = c.k.output("S", {M, N}, f32);
    const auto there = c.k.alloc("ddr", {M, N}, f32, Placement{}, "there");
    c.k.cta(
        tiles(M, rows),
        [&](Scope core, const Tile& t) {
            const auto all_of_it = core.alloc("lx", {4, rows, N}, f32, Placement{}, "all_of_it"),
                       sum = core.alloc("lx", {rows, N}, f32, Placement{}, "sum");
            core.copy(all_of_it, terms(all, t.rows, all)).reduce(Function::add, sum, all_of_it, {0});
            core.copy(there(t.rows, all), sum);
        },
        1);
    c.core([&](Scope core) { core.copy(sums, there).copy(C, there); });
    const auto report = right(c);
    CHECK(report.total.flops == 2 * M * N * K + 3 * M * N);

    // Which core that is: m outside, the cores of one sum next to each other.
    const auto cores = spyre::core_layout(work, *division);
    REQUIRE(cores);
    CHECK((*evaluate(cores->layout, (1 * N + 0) * K))["core"] == 4);
    CHECK((*evaluate(cores->layout, deep))["core"] == 1);
}

TEST_CASE("spyre: what a loop counts, a core reaches and a scratchpad holds", "[spyre]")
{
    const auto copied = [](const Shape& shape, const Layout& layout) {
        Card c;
        const auto t = c.k.alloc("ddr", shape, dl16, layout, "t");
        const auto A = c.k.input("A", shape, dl16);
        c.core([&](Scope core) { core.copy(t, A); });
        return declined(c);
    };
    const auto sticks = [](Int n, Int stride) {
        Layout out;
        out.shard = {Iter{n, stride, "m"}, Iter{64, 1, "m"}};
        return out;
    };
    CHECK(copied({65535, 64}, sticks(65535, 64)) == "");
    CHECK(says(copied({65536, 64}, sticks(65536, 64)), "D = t: 65536 indices of dimension 0 exceed the limit of a loop, 65535"));
    CHECK(copied({32, 64}, sticks(32, Int{4} << 20)) == "");
    CHECK(says(copied({33, 64}, sticks(33, Int{4} << 20)),
               "D = t spans 268435584 bytes; a core can address 268435456 of one tensor"));

    Card host;
    const auto A = host.k.input("A", {4, 64}, dl16);
    host.core([&](Scope core) { core.copy(core.alloc("lx", {4, 64}, dl16, Placement{}, "x"), A); });
    CHECK(says(declined(host), "D is in lx and A in host; a core accesses the host through ddr"));

    Card full;
    full.core([&](Scope core) {
        const auto x = full.lx(core, "x", {16385, 64});
        core.fill(x, 0);
    });
    const auto low = lower(*full.program());
    REQUIRE_FALSE(low);
    CHECK(says(low.error().text, "2097280"));
}
