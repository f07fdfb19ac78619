// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/program/print.hpp>
#include <axe/program/validate.hpp>
#include <axe/program/walk.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>

using namespace axe;
using enum DType;

namespace {

/// The statements that a function writes into a block of two warps.
Body written(const std::function<void(Scope)>& body)
{
    Kernel k("k", machines::sm80);
    k.cta(tiles(64, 64), [&](Scope cta, const Tile&) { body(cta); }, 2);
    return std::get<Grid>(k.program().value().body.at(0).what).body;
}
template <class What>
const What& only(const Body& body)
{
    REQUIRE(body.size() == 1);
    return std::get<What>(body[0].what);
}
const Operation& operation(const Body& body, std::size_t i) { return std::get<Operation>(body.at(i).what); }

/// A view that no agent wants.
void drop(const ViewRef&) {}

std::string refused(const std::function<void(Kernel&)>& write)
{
    Kernel k("k", machines::sm80);
    write(k);
    const auto p = k.program();
    return p ? "" : p.error().text;
}

} // namespace

TEST_CASE("inputs, outputs and both are row-major in the global memory unless they say otherwise")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {4, 6}, f16);
    const auto b = k.output("b", {4, 6}, f32, Layout{{{6, 4}, {4, 1}}, {}, {}});
    const auto c = k.inout("c", {}, i32);
    const Program p = k.program().value();
    REQUIRE(p.tensors.size() == 3);
    CHECK(a.id() == 0);
    CHECK(p.tensors[0].binding == Binding::input);
    CHECK(p.tensors[0].name == "a");
    CHECK(p.tensors[0].shape == Shape{4, 6});
    CHECK(p.tensors[0].dtype == f16);
    CHECK(p.tensors[0].memory == "gmem");
    CHECK(p.tensors[0].base == -1);
    CHECK(p.tensors[0].layout.layout == *row_major({4, 6}));
    CHECK(p.tensors[1].binding == Binding::output);
    CHECK(p.tensors[1].layout.layout == Layout{{{6, 4}, {4, 1}}, {}, {}});
    CHECK(p.tensors[2].binding == Binding::inout);
    CHECK(c.shape().empty());
    CHECK(b.view().origin == std::vector<Affine>{0, 0});
    CHECK(b.view().extents == Shape{4, 6});
    CHECK_FALSE(b.view().guarded);
    CHECK(p.body.empty());
    CHECK(p.device.id == -1);
    CHECK(k.device() == Affine(0));
}

TEST_CASE("a machine of several devices has a variable for their number")
{
    Machine m = machines::sm80;
    m.scopes[0].count = 4;
    Kernel k("k", m);
    k.devices(1, 2, [&](Scope) {});
    const Program p = k.program().value();
    REQUIRE(p.device.id == 0);
    CHECK(p.variables[0].name == "gpuid");
    CHECK(p.variables[0].low == 0);
    CHECK(p.variables[0].high == 4);
    CHECK(k.device() == Affine(p.device));
    const Slice& s = only<Slice>(p.body);
    CHECK(s.of == Slice::Of::devices);
    CHECK(s.first == 1);
    CHECK(s.count == 2);
    CHECK(s.stride == 1);
}

TEST_CASE("a grid has a block for each tile")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {100, 70, 5}, f16);
    k.cta(
        tiles(a, {32, 70, 2}),
        [&](Scope, const Tile& t) {
            REQUIRE(t.intervals.size() == 3);
            CHECK(t.rows.begin == t.index[0] * 32);
            CHECK(t.rows.extent == 32);
            CHECK(t.cols.begin == t.index[1] * 70);
            CHECK(t.cols.extent == 70);
            CHECK(t.intervals[2].begin == t.index[2] * 2);
        },
        8);
    k.cta(tiles(64, 16), [&](Scope, const Tile&) {}, 0);
    const Program p = k.program().value();
    REQUIRE(p.body.size() == 2);
    const Grid& g = std::get<Grid>(p.body[0].what);
    CHECK(g.counts == Shape{4, 1, 3});
    CHECK(g.agents == 8);
    REQUIRE(g.vars.size() == 3);
    CHECK(p.variables[static_cast<std::size_t>(g.vars[0].id)].name == "block0");
    CHECK(p.variables[static_cast<std::size_t>(g.vars[0].id)].high == 4);
    CHECK(std::get<Grid>(p.body[1].what).agents == 32); // the machine's own number
    CHECK(Tiles{Shape{7}, Shape{0}}.counts() == Shape{0});
}

TEST_CASE("alloc makes a tensor of the memory, laid out on its axes")
{
    Kernel k("k", machines::sm80);
    k.cta(tiles(64, 64), [&](Scope cta, const Tile&) {
        CHECK(cta.alloc("smem", {4, 6}, f16, {}, "named", 256).id() == 0);
        cta.alloc(Role::registers, {4, 6}, f32);
        cta.alloc(Role::accumulator, {8}, f32, accumulator);
        cta.alloc(Role::shared, {8}, f32, Swizzled<Layout>{{1, 4, 3}, {}, 4, {{{8, 1}}, {}, {}}});
    });
    const Program p = k.program().value();
    const Body& body = std::get<Grid>(p.body[0].what).body;
    REQUIRE(body.size() == 4);
    for (int i = 0; i < 4; ++i) CHECK(std::get<Alloc>(body[static_cast<std::size_t>(i)].what).tensor == i);
    CHECK(p.tensors[0].name == "named");
    CHECK(p.tensors[0].base == 256);
    CHECK(p.tensors[0].memory == "smem");
    CHECK(p.tensors[0].binding == Binding::local);
    CHECK(p.tensors[0].layout.layout == *row_major({4, 6}));
    CHECK(p.tensors[1].name == "t1");
    CHECK(p.tensors[1].memory == "reg");
    CHECK(p.tensors[1].layout.layout == *row_major({4, 6}, "reg"));
    CHECK(p.tensors[2].hint == LayoutHint::accumulator);
    CHECK(p.tensors[3].layout.swizzle == Swizzle{1, 4, 3});
    CHECK(p.tensors[3].hint == LayoutHint::none);
}

TEST_CASE("each operator is appended with its operands, destination first, and its options")
{
    const Options forced{"scalar", 4};
    const Body body = written([&](Scope s) {
        const auto a = s.alloc("smem", {4, 4}, f32), b = s.alloc("smem", {4, 4}, f32), c = s.alloc("smem", {4, 4}, f32);
        const auto d = s.alloc("smem", {4, 4}, f32), v = s.alloc("smem", {4}, f32), i = s.alloc("smem", {4}, i32);
        s.fill(a, 2.5, forced);
        s.copy(a, b, forced).copy_async(a, b, forced); // they chain
        s.map(Function::div, a, {b, c}, forced);
        s.unary(Function::exp, a, b).binary(Function::add, a, b, c).fma(a, b, c, d).select(a, b, c, d);
        s.reduce(Function::max, v, a, {1}, true, forced);
        s.sum(v, a, 0, forced);
        s.gemm(a, b, c);
        s.gemm(a, b, c, {.accumulate = false, .transpose_a = true, .transpose_b = true}, forced);
        s.gather(a, b, i, forced);
        s.scatter(a, i, b, forced);
        s.atomic(Function::min, a, b, forced);
    });
    const auto tensors = [&](std::size_t i) {
        std::vector<int> out;
        for (const View& v : operation(body, i).operands) out.push_back(v.tensor);
        return out;
    };
    const std::vector<Op> ops{Op::fill,   Op::copy,   Op::copy_async, Op::map,  Op::map,    Op::map,     Op::map,   Op::map,
                              Op::reduce, Op::reduce, Op::gemm,       Op::gemm, Op::gather, Op::scatter, Op::atomic};
    REQUIRE(body.size() == 6 + ops.size());
    const std::vector<std::vector<int>> operands{{0},       {0, 1},       {0, 1},       {0, 1, 2}, {0, 1},
                                                 {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}, {4, 0},    {4, 0},
                                                 {0, 1, 2}, {0, 1, 2},    {0, 1, 5},    {0, 5, 1}, {0, 1}};
    const std::vector<bool> optioned{true, true, true, true, false, false, false, false, true, true, false, true, true, true, true};
    for (std::size_t i = 0; i < ops.size(); ++i) {
        INFO(i);
        CHECK(operation(body, 6 + i).op == ops[i]);
        CHECK(tensors(6 + i) == operands[i]);
        CHECK(operation(body, 6 + i).options == (optioned[i] ? forced : Options{}));
    }
    CHECK(operation(body, 6).number == 2.5);
    CHECK(operation(body, 9).function == Function::div);
    CHECK(operation(body, 10).function == Function::exp);
    CHECK(operation(body, 11).function == Function::add);
    CHECK(operation(body, 12).function == Function::fma);
    CHECK(operation(body, 13).function == Function::select);
    CHECK(operation(body, 14).function == Function::max);
    CHECK(operation(body, 14).axes == InlineVector<int, max_rank>{1});
    CHECK(operation(body, 14).accumulate);
    CHECK(operation(body, 15).function == Function::add);
    CHECK_FALSE(operation(body, 15).accumulate);
    CHECK(operation(body, 16).accumulate);
    CHECK_FALSE(operation(body, 16).transpose_a);
    CHECK_FALSE(operation(body, 17).accumulate);
    CHECK(operation(body, 17).transpose_a);
    CHECK(operation(body, 17).transpose_b);
    CHECK(operation(body, 20).function == Function::min);
}

TEST_CASE("barriers, groups, mbarriers and instructions are appended as they stand")
{
    CHECK_NOTHROW(only<Barrier>(written([](Scope s) { s.sync(); })));
    CHECK_NOTHROW(only<Commit>(written([](Scope s) { s.commit(); })));
    CHECK(only<Wait>(written([](Scope s) { s.wait(2); })).pending == 2);
    CHECK(only<Wait>(written([](Scope s) { s.wait(); })).pending == 0);
    const Mbarrier expect{Mbarrier::Action::expect_bytes, 3, 512, {}};
    const Body body = written([&](Scope s) { s.mbarrier(expect); });
    CHECK(only<Mbarrier>(body).action == Mbarrier::Action::expect_bytes);
    CHECK(only<Mbarrier>(body).id == 3);
    CHECK(only<Mbarrier>(body).number == 512);
    Instruction nop;
    nop.opcode = "nop";
    CHECK(only<Instruction>(written([&](Scope s) { s.call(nop); })).opcode == "nop");
}

TEST_CASE("loops have a variable of their own and know its range")
{
    Kernel k("k", machines::sm80);
    k.loop(2, 9, 3, [&](Affine i) {
        CHECK(i.terms().size() == 1);
        k.loop(i, i * 2, 1, [&](Affine) { k.break_loop(); });
    });
    k.loop(tiles(100, 32), [&](Interval s) {
        CHECK(s.extent == 32);
        k.continue_loop();
    });
    k.loop(5, 5, 1, [](Affine) {});
    const Program p = k.program().value();
    const For& outer = std::get<For>(p.body[0].what);
    CHECK(outer.begin == Affine(2));
    CHECK(outer.end == Affine(9));
    CHECK(outer.step == 3);
    CHECK(p.variables[0].low == 2);
    CHECK(p.variables[0].high == 9); // 2, 5, 8
    const For& inner = only<For>(outer.body);
    CHECK(inner.begin == Affine(outer.var));
    CHECK(inner.end == outer.var * 2);
    CHECK(p.variables[1].low == 2);
    CHECK(p.variables[1].high == 16);
    CHECK_NOTHROW(only<Break>(inner.body));
    const For& tiled = std::get<For>(p.body[1].what);
    CHECK(tiled.end == Affine(4));
    CHECK_NOTHROW(only<Continue>(tiled.body));
    CHECK(p.variables[3].low == 5);
    CHECK(p.variables[3].high == 5); // it takes no value
}

TEST_CASE("a loop by steps ends where its last step is")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {64}, f32);
    k.loop(0, 64, 32, [&](Affine i) { CHECK_FALSE(a(Interval(i, 32)).view().guarded); });
    k.loop(0, 65, 32, [&](Affine i) { CHECK(a(Interval(i, 32)).view().guarded); });
}

TEST_CASE("conditions, scalars and assignments are data")
{
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {4}, f32);
    const ScalarRef x = k.scalar("x", 1.5);
    k.loop_while(x < 10.0, [&] { k.assign(x, x + load(a(2))); });
    k.when(equals(x, 3), [&] { k.sync(); }, [&] { k.commit(); });
    k.when(x <= 1, [&] { k.sync(); });
    const Program p = k.program().value();
    REQUIRE(p.scalars.size() == 1);
    CHECK(p.scalars[0].name == "x");
    CHECK(p.scalars[0].initial == 1.5);
    const While& w = std::get<While>(p.body[0].what);
    CHECK(w.condition.kind == Expression::Kind::less);
    CHECK(w.condition.operands[0].scalar == 0);
    CHECK(w.condition.operands[1].number == 10);
    const Assign& assign = only<Assign>(w.body);
    CHECK(assign.scalar == 0);
    CHECK(assign.value.kind == Expression::Kind::add);
    CHECK(assign.value.operands[1].kind == Expression::Kind::load);
    CHECK(assign.value.operands[1].element.origin == std::vector<Affine>{2});
    const If& i = std::get<If>(p.body[1].what);
    CHECK_NOTHROW(only<Barrier>(i.then));
    CHECK_NOTHROW(only<Commit>(i.otherwise));
    CHECK(std::get<If>(p.body[2].what).otherwise.empty());
}

TEST_CASE("every operation of expressions is of its kind")
{
    using Kind = Expression::Kind;
    const Expression a = 1, b = 2;
    const std::pair<Expression, Kind> two[] = {{a + b, Kind::add},
                                               {a - b, Kind::sub},
                                               {a * b, Kind::mul},
                                               {a / b, Kind::div},
                                               {floor_div(a, b), Kind::floor_div},
                                               {floor_mod(a, b), Kind::floor_mod},
                                               {a < b, Kind::less},
                                               {a <= b, Kind::less_equal},
                                               {equals(a, b), Kind::equal},
                                               {differs(a, b), Kind::not_equal},
                                               {both(a, b), Kind::logical_and},
                                               {either(a, b), Kind::logical_or}};
    for (const auto& [e, kind] : two) {
        CHECK(e.kind == kind);
        CHECK(e.operands == std::vector<Expression>{a, b});
    }
    CHECK(negation(a).kind == Kind::logical_not);
    CHECK(negation(a).operands.size() == 1);
    CHECK(Expression(Var{3}).affine == Affine(Var{3}));
    CHECK_FALSE(a == b);
}

TEST_CASE("slices of agents, each agent, each thread")
{
    const Body slice = written([](Scope s) { s.warps(1, 1, [](Scope w) { w.sync(); }); });
    CHECK(only<Slice>(slice).of == Slice::Of::agents);
    CHECK(only<Slice>(slice).first == 1);
    CHECK(only<Slice>(slice).count == 1);
    CHECK(only<Slice>(slice).stride == 1);
    CHECK_NOTHROW(only<Barrier>(only<Slice>(slice).body));
    const Body strided = written([](Scope s) { s.agents(0, 2, 1, [](Scope) {}); });
    CHECK(only<Slice>(strided).count == 2);
    const Body threads = written([](Scope s) {
        s.each_thread({16, 4}, [](Scope t, const std::vector<Affine>& digits) {
            CHECK(digits.size() == 2);
            t.commit();
        });
    });
    CHECK(only<Each>(threads).of == Each::Of::thread);
    CHECK(only<Each>(threads).counts == Shape{16, 4});
    CHECK(only<Each>(threads).vars.size() == 2);
    CHECK_NOTHROW(only<Commit>(only<Each>(threads).body));
    const Body agents = written([](Scope s) { s.each_agent({2}, [](Scope, const std::vector<Affine>&) {}); });
    CHECK(only<Each>(agents).of == Each::Of::agent);
}

TEST_CASE("statements are numbered in the order of writing")
{
    Kernel k("k", machines::sm80);
    k.sync();
    k.loop(0, 4, 1, [&](Affine) {
        k.sync();
        k.when(1, [&] { k.sync(); }, [&] { k.sync(); });
    });
    k.cta(tiles(4, 4), [](Scope s, const Tile&) {
        s.warps(0, 1, [](Scope w) { w.sync(); });
        s.each_agent({4}, [](Scope a, const std::vector<Affine>&) { a.sync(); });
        s.loop_while(1, [&] { s.sync(); });
    });
    k.devices(0, 1, [](Scope s) { s.sync(); });
    const Program p = k.program().value();
    std::vector<int> ids;
    for_each_statement(p.body, [&](const Statement& s) { ids.push_back(s.id); });
    CHECK(p.statements == static_cast<int>(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i) CHECK(ids[i] == static_cast<int>(i));
}

TEST_CASE("shapes of more dimensions than a shape holds are refused, and nothing past their items is read")
{
    axe::Shape many;
    for (int d = 0; d < 40; ++d) many.push_back(2);
    const std::string message = "a shape has at most 16 dimensions, this one has 40";
    const auto code = [](const std::function<void(Kernel&)>& write) {
        Kernel k("k", machines::sm80);
        write(k);
        const auto program = k.program();
        return program.code();
    };
    bool ran = false;
    const auto cta = [&](Kernel& k) { k.cta(tiles(many, many), [&](Scope, const Tile&) { ran = true; }); };
    const auto loop = [&](Kernel& k) { k.loop(tiles(many, many), [&](Interval) { ran = true; }); };
    const auto each = [&](Kernel& k) { k.each_agent(many, [&](Scope, const std::vector<Affine>&) { ran = true; }); };
    CHECK(refused(cta) == "k, statement 0: " + message);
    CHECK(refused(loop) == "k, statement 0: " + message);
    CHECK(refused(each) == "k, statement 0: " + message);
    CHECK((code(cta) == axe::errc::capacity && code(loop) == axe::errc::capacity && code(each) == axe::errc::capacity));
    CHECK_FALSE(ran);
    CHECK(tiles(many, many).counts().overfull());
    CHECK(tiles(many, axe::Shape{2}).counts().overfull());
    CHECK(refused([&](Kernel& k) { k.cta(tiles(axe::Shape{4, 4}, axe::Shape{2}), [](Scope, const Tile&) {}); }) ==
          "k, statement 0: tiles of 1 dimension do not cut a shape of 2 dimensions");
    // The first mistake is the answer; what is written after it stays within the items.
    CHECK(refused([&](Kernel& k) {
              const auto a = k.input("a", many, f32);
              drop(a.permuted({0}));
              drop(a(axe::tiles(a, many).counts()[0]));
              k.cta(tiles(a, {2}), [](Scope, const Tile&) {});
          }) == "k, statement 0: tensor a: " + message);
    axe::InlineVector<int, axe::max_rank> axes;
    for (int i = 0; i < 17; ++i) axes.push_back(i);
    Kernel k("k", machines::sm80);
    const auto a = k.input("a", {4, 4}, f32), d = k.output("d", {4}, f32);
    k.cta(tiles(1, 1), [&](Scope s, const Tile&) { s.reduce(Function::add, d, a, axes); });
    const auto found = validate(*k.program());
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].code == axe::errc::capacity);
    CHECK_FALSE(print(*k.program()).empty());
}

TEST_CASE("a mistake in the text is the program's answer, with its place")
{
    CHECK(refused([](Kernel& k) { k.input("a", {4, 0}, f32); }) ==
          "k, statement 0: tensor a: dimension 1 of the shape is 0; it must be at least 1");
    CHECK(refused([](Kernel& k) { k.alloc("vmem", {4}, f32, {}, "a"); }) ==
          "k, statement 0: tensor a is in vmem; sm80 has no such memory");
    CHECK(refused([](Kernel& k) {
              Machine bare = machines::sm80;
              bare.memories.clear();
              Kernel inner("inner", bare);
              inner.alloc(Role::shared, {4}, f32);
              CHECK(inner.program().error().text == "inner, statement 0: sm80 has no memory with the role of this tensor");
              k.sync();
          }).empty());
    CHECK(refused([](Kernel& k) { k.sync(), k.loop(0, 4, 0, [](Affine) {}); }) ==
          "k, statement 1: the loop steps by 0; it must be at least 1");
    CHECK(refused([](Kernel& k) { k.loop(Tiles{Shape{4, 4}, Shape{2, 2}}, [](Interval) {}); }) ==
          "k, statement 0: a loop runs over tiles of one dimension; these have 2");
    CHECK(refused([](Kernel& k) { k.cta(tiles(4, 0), [](Scope, const Tile&) {}); }) ==
          "k, statement 0: dimension 0 of the grid has no tiles");
    CHECK(refused([](Kernel& k) { k.sync(), drop(k.input("a", {4, 4}, f32)(0)); }) ==
          "k, statement 1: a view of a is given 1 interval; it has 2 dimensions");
    CHECK(refused([](Kernel& k) { drop(k.input("a", {4, 4}, f32)(Interval(0, 0), all)); }) ==
          "k, statement 0: a view of a has 0 indices in dimension 0; it must have at least 1");
    CHECK(refused([](Kernel& k) { drop(k.input("a", {4, 4}, f32).permuted({0, 0})); }) ==
          "k, statement 0: a view of 2 dimensions is permuted by an order that does not name each dimension once");
    CHECK(refused([](Kernel& k) { drop(k.input("a", {4, 4}, f32).repeated(3, 2)); }) ==
          "k, statement 0: a view of 2 dimensions cannot be repeated 2 times at position 3");
    CHECK(refused([](Kernel& k) { drop(k.input("a", {40}, f32)(Interval(4, 20))(Interval(16, 8))); }) ==
          "k, statement 0: a box can be outside the view of a that it is cut from, in dimension 0 of 20 indices");
    // The first one stays.
    CHECK(refused([](Kernel& k) { k.loop(0, 4, 0, [](Affine) {}), k.sync(), k.input("a", {0}, f32); }) ==
          "k, statement 0: the loop steps by 0; it must be at least 1");
}

TEST_CASE("a view of another kernel's tensor is refused, and not taken for the tensor with the same number")
{
    axe::Kernel one("one", axe::machines::sm80), two("two", axe::machines::sm80);
    const auto a = one.input("A", {64}, axe::DType::f32), d = one.output("D", {64}, axe::DType::f32);
    const auto b = two.input("B", {64}, axe::DType::f32), e = two.output("E", {64}, axe::DType::f32);
    one.copy(d, a);
    CHECK(one.program());
    two.copy(e, a); // A has the number of B
    REQUIRE_FALSE(two.program());
    CHECK(two.program().code() == axe::errc::bad_argument);
    CHECK(two.program().error().text ==
          "two, statement 0: an operand is a view of another kernel's tensor; declare the tensor in this kernel");
    CHECK(b.shape() == a.shape());
}

TEST_CASE("an index, a scalar, an element of another kernel are refused, and not taken for those with the same numbers")
{
    using namespace axe;
    // What another kernel has: of more variables and scalars than the kernel that is tried.
    Kernel other("other", machines::sm80);
    const TensorRef there = other.input("A", {64}, DType::f32);
    std::vector<Affine> index;
    for (int n = 0; n < 3; ++n) other.loop(0, 64, 1, [&](const Affine& i) { index.push_back(i); });
    std::vector<ScalarRef> scalars;
    for (int n = 0; n < 3; ++n) scalars.push_back(other.scalar("s" + std::to_string(n)));
    REQUIRE(other.program());

    const auto refused = [&](const auto& write) {
        Kernel k("k", machines::sm80);
        const TensorRef a = k.input("A", {64}, DType::f32), d = k.output("D", {64}, DType::f32);
        const ScalarRef s = k.scalar("s");
        k.loop(0, 64, 1, [&](const Affine& i) { write(k, d, a, i, s); });
        const auto program = k.program();
        return program ? std::string() : program.error().text.substr(program.error().text.find(": ") + 2);
    };
    using View1 = const TensorRef&;
    const std::string of_index = "an index uses another kernel's variables; use the variables of this kernel";
    const std::string of_scalar = "an expression uses another kernel's scalar; declare the scalar in this kernel";
    const std::string of_view = "an operand is a view of another kernel's tensor; declare the tensor in this kernel";
    for (const Affine& foreign : index) {
        CHECK(refused([&](Kernel& k, View1 d, View1 a, const Affine& i, ScalarRef) { k.copy(d(i), a(foreign)); }) == of_index);
        // Not even together with the kernel's own, in either order, and taken away again.
        CHECK(refused([&](Kernel& k, View1 d, View1 a, const Affine& i, ScalarRef) { k.copy(d(i + foreign - foreign), a(i)); }) ==
              of_index);
        CHECK(refused([&](Kernel& k, View1 d, View1 a, const Affine& i, ScalarRef) { k.copy(d(foreign - foreign + i), a(i)); }) ==
              of_index);
        CHECK(refused([&](Kernel& k, View1, View1, const Affine&, ScalarRef) { k.loop(0, foreign, 1, [](const Affine&) {}); }) ==
              of_index);
        CHECK(refused([&](Kernel& k, View1, View1, const Affine&, ScalarRef) { k.loop(foreign, 64, 1, [](const Affine&) {}); }) ==
              of_index);
        CHECK(refused([&](Kernel& k, View1, View1, const Affine&, ScalarRef s) { k.assign(s, Expression(foreign)); }) == of_index);
        CHECK(refused([&](Kernel& k, View1, View1, const Affine& i, ScalarRef) {
                  k.when(Expression(i) < Expression(foreign), [] {});
              }) == of_index);
        CHECK(refused([&](Kernel& k, View1, View1 a, const Affine&, ScalarRef s) { k.assign(s, load(a(foreign))); }) == of_index);
        CHECK(refused([&](Kernel& k, View1 d, View1 a, const Affine&, ScalarRef) {
                  Instruction move;
                  move.opcode = "move";
                  move.operands = {{d(foreign).view(), {}}, {a.view(), {}}};
                  k.call(std::move(move));
              }) == of_index);
    }
    for (const ScalarRef foreign : scalars) {
        CHECK(refused([&](Kernel& k, View1, View1, const Affine&, ScalarRef) { k.assign(foreign, 1); }) == of_scalar);
        CHECK(refused([&](Kernel& k, View1, View1, const Affine&, ScalarRef s) { k.assign(s, s + foreign); }) == of_scalar);
        CHECK(refused([&](Kernel& k, View1, View1, const Affine&, ScalarRef) { k.loop_while(foreign, [] {}); }) == of_scalar);
    }
    CHECK(refused([&](Kernel& k, View1, View1, const Affine&, ScalarRef s) { k.assign(s, load(there(0))); }) == of_view);
    CHECK(refused([&](Kernel& k, View1 d, View1, const Affine&, ScalarRef) {
              Operation op;
              op.op = Op::copy;
              op.operands = {d.view(), there.view()};
              k.operate(op);
          }) == of_view);
    // The kernel's own are taken, and what is made by hand.
    CHECK(refused([](Kernel& k, View1 d, View1 a, const Affine& i, ScalarRef s) {
              k.assign(s, s + load(a(i)) + Expression(i * 2)).when(s < Expression(i), [] {}).copy(d(i), a(Affine(Var{0})));
          }) == "");
    // It is no part of the value.
    CHECK(index[0] == Affine(Var{0}));
    CHECK(index[1] - index[0] == Affine(Var{1}) - Affine(Var{0}));
}
