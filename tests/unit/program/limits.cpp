// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/program/expression_walk.hpp>
#include <axe/program/limits.hpp>
#include <axe/sim/reference/reference.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/without_lines.hpp>

#include <algorithm>

using namespace axe;
using enum DType;

/// Programs that are too large are reported, in the same words by all that take programs, and nothing crashes on them.

namespace {

/// As many loops around each other, the innermost with a barrier.
Body nest(int loops)
{
    Body body;
    body.push_back({loops, Barrier{}});
    for (int i = loops - 1; i >= 0; --i) {
        Statement s{i, For{Var{0}, 0, 1, 1, std::move(body)}};
        body = Body();
        body.push_back(std::move(s));
    }
    return body;
}

Program empty_program()
{
    Kernel k("k", machines::sm80);
    const auto D = k.output("D", {1}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.fill(D, 0); });
    return k.program().value();
}

/// What validate, lower and run say first, one a line.
std::string all_say(const Program& p)
{
    const auto problems = validate(p);
    const auto lowered = lower(p);
    const auto report = sim::run(p, {});
    return without_lines((problems.empty() ? "valid" : problems.front().text) + "\n" +
                         (lowered ? "lowered" : lowered.error().text) + "\n" + (report ? "ran" : report.error().text));
}
std::string three_times(const std::string& text) { return text + "\n" + text + "\n" + text; }

} // namespace

TEST_CASE("nesting has a limit, which kernel, validate, lower and run report", "[program][limits]")
{
    Program p = empty_program();
    for (const int depth : {max_nesting + 1, 10'000, 100'000}) {
        p.variables.push_back({"i", 0, 1});
        p.body = nest(depth);
        CHECK(all_say(p) == three_times("k, statement " + std::to_string(max_nesting + 1) + ": the statement is inside " +
                                        std::to_string(max_nesting + 1) + " others; a program nests at most 256"));
        CHECK(check_limits(p).code() == errc::capacity);
    }
    p.body = nest(max_nesting);
    CHECK(check_limits(p).ok());
    p.body.clear();

    // A kernel that would never end writing itself is cut off, too.
    Kernel k("k", machines::sm80);
    int calls = 0;
    const std::function<void(const Affine&)> deeper = [&](const Affine&) {
        if (++calls < 10'000) k.loop(0, 2, 1, deeper);
    };
    k.loop(0, 2, 1, deeper);
    const auto program = k.program();
    REQUIRE(!program.has_value());
    CHECK(program.error().code == errc::capacity);
    CHECK(program.error().text.find("the statement is inside 257 others; a program nests at most 256") != std::string::npos);
    CHECK(calls == 256);
}

TEST_CASE("256 loops around a statement are written, validated, lowered and run", "[program][limits]")
{
    Kernel k("deep", machines::sm80);
    const auto D = k.output("D", {128}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        int depth = 1;
        const std::function<void(const Affine&)> deeper = [&](const Affine&) {
            if (++depth < max_nesting)
                cta.loop(0, 1, 1, deeper);
            else
                cta.fill(D, 7);
        };
        cta.loop(0, 1, 1, deeper);
    });
    const auto p = required(k.program());
    CHECK(validate(*p).empty());
    const auto lowered = required(lower(*p));
    const auto report = required(sim::run(lowered->program, {}));
    CHECK(report->fault.text.empty());
    CHECK(report->outputs.find("D")->at(0) == 7);
    const auto verified = verify(*p, {}, report->outputs);
    REQUIRE(verified.has_value());
    CHECK(verified->ok());
}

TEST_CASE("a block of too few or too many agents, and grids of too many blocks, are reported alike", "[program][limits]")
{
    for (const int agents : {-1, 33, 1 << 30}) {
        Kernel k("k", machines::sm80);
        const auto D = k.output("D", {1}, f32);
        one_block(k, agents, [&](Scope cta) { cta.fill(D, 0); });
        const std::string text = "a block has " + std::to_string(agents) + " agents; sm80 takes 1 to 32";
        CHECK(all_say(k.program().value()) ==
              "k, statement 0, grid: " + text + "\nk, statement 0: " + text + "\nk, statement 0: " + text);
    }
    struct Case {
        Shape counts;
        const char* text;
    };
    for (const Case& c :
         {Case{{1 << 24}, "the grid has 16777216 blocks; a device runs at most 16777214"},
          Case{{1 << 30, 1 << 30}, "the grid has 1152921504606846976 blocks; a device runs at most 16777214"},
          Case{{std::int64_t{1} << 40, std::int64_t{1} << 40}, "the product of the shape's dimensions overflows at dimension 1"}}) {
        Program p = empty_program();
        Grid& grid = std::get<Grid>(p.body[0].what);
        grid.counts = c.counts;
        while (static_cast<int>(grid.vars.size()) < c.counts.size()) {
            grid.vars.push_back(Var{static_cast<int>(p.variables.size())});
            p.variables.push_back({"b", 0, 1});
        }
        const auto said = all_say(p);
        INFO(said);
        const auto problem = check_grid(p.machine, grid).error().text;
        CHECK(said == "k, statement 0, grid: " + problem + "\nk, statement 0: " + problem + "\nk, statement 0: " + problem);
        if (c.counts.size() == 1 || c.counts[0] < std::int64_t{1} << 40) CHECK(problem == c.text);
    }
    // A kernel of 2^80 tiles is written without harm.
    Kernel k("k", machines::sm80);
    const auto A = k.output("A", {std::int64_t{1} << 40, 1 << 20}, i8);
    k.cta(tiles({std::int64_t{1} << 40, std::int64_t{1} << 40}, {1, 1}),
          [&](Scope cta, const Tile& t) { cta.fill(A(t.rows, all), 0); });
    const auto p = required(k.program());
    const auto said = all_say(*p);
    INFO(said);
    CHECK(said.find("overflow") != std::string::npos);
}

TEST_CASE("an expression is shared: 10^5 additions are linear, and nothing recurses through them", "[program][expression]")
{
    constexpr int terms = 100'000;
    Program p = empty_program();
    Expression sum = 0;
    for (int i = 1; i <= terms; ++i) sum = sum + Expression(i % 7);
    CHECK(sum.nodes() == 2 * terms + 1);
    CHECK(sum.operands.depth() == terms);
    Expression right = 0; // the other way down
    for (int i = 1; i <= terms; ++i) right = Expression(1) + right;

    std::int64_t nodes = 0;
    for_each_node(sum, [&](const Expression&) { ++nodes; });
    CHECK(nodes == 2 * terms + 1);
    const auto add = [](const Expression& e, const double* x, double& out) {
        out = e.kind == Expression::Kind::number ? e.number : x[0] + x[1];
        return true;
    };
    double value = 0;
    CHECK(fold(sum, add, value));
    CHECK(value == terms / 7 * 21 + (terms % 7) * (terms % 7 + 1) / 2);
    CHECK(fold(right, add, value));
    CHECK(value == terms);

    const std::string text = print(p, right);
    CHECK(text.size() == 6u * terms + 1);
    CHECK(text.substr(0, 12) == "(1 + (1 + (1");
    CHECK(print(p, sum).substr(terms - 2, 12) == "((0 + 1) + 2");

    Expression same = 0; // equal, and nothing shared
    for (int i = 1; i <= terms; ++i) same = same + Expression(i % 7);
    CHECK(same == sum);
    CHECK(!(same == right));
    const Expression copy = sum;
    sum = 0;
    CHECK(copy.nodes() == 2 * terms + 1);
}

TEST_CASE("a deep expression is validated, lowered, run and verified", "[program][expression]")
{
    constexpr int terms = 10'000;
    for (const bool outside : {false, true}) {
        Kernel k("sum", machines::sm80);
        const auto D = k.output("D", {32}, f32);
        const auto write = [&](Scope s, const std::function<void()>& body) {
            Expression sum = 0;
            for (int i = 0; i < terms; ++i) sum = sum + Expression(1);
            const auto x = s.scalar("x");
            s.assign(x, sum);
            s.when(equals(x, Expression(terms)), body);
        };
        const auto grid = [&] { one_block(k, 1, [&](Scope cta) { cta.fill(D, 3); }); };
        if (outside)
            write(k, grid);
        else
            one_block(k, 1, [&](Scope cta) { write(cta, [&] { cta.fill(D, 3); }); });
        const auto p = required(k.program());
        CHECK(validate(*p).empty());
        CHECK(print(*p).find("x = (") != std::string::npos);
        const auto lowered = required(lower(*p));
        const auto report = without_fault(sim::run(lowered->program, {}));
        CHECK(report->outputs.find("D")->at(31) == 3);
        const auto verified = verify(*p, {}, report->outputs);
        REQUIRE(verified.has_value());
        CHECK(verified->ok());
    }
}

TEST_CASE("an expression that is shared with itself again and again is too large, not endless", "[program][expression][limits]")
{
    Expression e = 1;
    for (int i = 0; i < 200; ++i) e = e + e;
    CHECK(e.nodes() == (std::int64_t{1} << 61) + 1);
    Kernel k("k", machines::sm80);
    k.assign(k.scalar("x"), e);
    REQUIRE(!k.program().has_value());
    const std::string text = "k, statement 0: an expression has 2305843009213693953 nodes, its shared parts counted as often as "
                             "they are used; at most 1048576";
    CHECK(k.program().error().text == text);
    Program p = empty_program();
    p.scalars.push_back({"x", 0});
    p.body.clear();
    p.body.push_back({0, Assign{0, e}});
    CHECK(all_say(p) == three_times(text));
    p.body[0].what = While{e, {}};
    CHECK(all_say(p) == three_times(text));
    p.body[0].what = Mbarrier{Mbarrier::Action::wait, 0, 0, e};
    CHECK(all_say(p) == three_times(text));
}

TEST_CASE("sums of many variables are merged", "[program][affine]")
{
    constexpr int count = 10'000;
    Affine up, down;
    for (int i = 0; i < count; ++i) up = std::move(up) + Affine(Var{i}) * (i + 1);
    for (int i = count; i-- > 0;) down += Affine(Var{i}) * (i + 1);
    CHECK(up == down);
    Affine even, odd;
    for (int i = 0; i < count; ++i) (i % 2 == 0 ? even : odd) += Affine(Var{i}) * (i + 1);
    CHECK(even + odd == up);
    CHECK(odd + even == up);
    CHECK(up - even == odd);
    CHECK((up - up).is_constant());
    CHECK(up - up == Affine(0));
    Affine twice = up;
    twice += twice;
    CHECK(twice == up * 2);
}

TEST_CASE("10,000 grids, variables and tensors are validated, lowered and run", "[program][limits]")
{
    constexpr int count = 10'000;
    Kernel k("many", machines::sm80);
    std::vector<TensorRef> outputs;
    for (int i = 0; i < count; ++i) outputs.push_back(k.output("D" + std::to_string(i), {32}, f32));
    for (int i = 0; i < count; ++i) one_block(k, 1, [&](Scope cta) { cta.fill(outputs[static_cast<std::size_t>(i)], i); });
    const auto p = required(k.program());
    CHECK(validate(*p).empty());
    const auto lowered = required(lower(*p));
    const auto report = without_fault(sim::run(lowered->program, {}));
    CHECK(report->outputs.find("D9999")->at(31) == 9999);
    // A tensor that is declared twice is still found.
    Program twice = *p;
    twice.tensors.back().name = "D0";
    const auto problems = validate(twice);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].text == "many, tensor `D0`: another input or output has this name");
}

TEST_CASE("what a program names and does not have is said by lower and run, too", "[program][limits]")
{
    const auto both_say = [](const Program& p, const std::string& words, const std::string& text) {
        CHECK(all_say(p) == "k, statement " + words + text + "\nk, statement " + words.substr(0, 1) + ": " + text +
                                "\nk, statement " + words.substr(0, 1) + ": " + text);
    };
    Program p = empty_program();
    std::get<Grid>(p.body[0].what).vars[0].id = -32;
    both_say(p, "0, grid: ", "no variable -32 exists; the program has 1");
    p = empty_program();
    std::get<Grid>(p.body[0].what).vars.clear();
    both_say(p, "0, grid: ", "it has 0 variables for 1 dimension");
    p = empty_program();
    p.body.insert(p.body.begin(), {7, Alloc{9}});
    both_say(p, "7, alloc: ", "no tensor 9 exists; the program has 1");
    p.body[0].what = Assign{-1, 0};
    both_say(p, "7, assign: ", "no scalar -1 exists; the program has 0");
    p.body[0].what = If{Expression(Expression::Kind::add, {1}), {}, {}};
    both_say(p, "7, if: ", "the expression (1 + ?) has 1 operand; it takes 2");
    p.body[0].what = While{Expression(Var{5}), {}};
    both_say(p, "7, while: ", "no variable 5 exists; the program has 1");
    p.device.id = 100;
    CHECK(lower(p).error().text == "k: no variable 100 exists; the program has 1");
    CHECK(sim::run(p, {}).error().text == "k: no variable 100 exists; the program has 1");
}

TEST_CASE("waits, slices and threads that no block has are reported before a run begins", "[program][limits]")
{
    // Found by a fuzzer: a wait for less than no groups read beyond the end; threads of threads filled the memory.
    const auto with = [](Statement inner) {
        Program p = empty_program();
        p.variables.push_back({"t", 0, 1});
        p.variables.push_back({"u", 0, 1});
        std::get<Grid>(p.body[0].what).body.push_back(std::move(inner));
        return p;
    };
    const auto refused = [](const Program& p, const std::string& text) {
        for (const std::string& said :
             {check_limits(p).error().text, lower(p) ? "" : lower(p).error().text,
              sim::run(p, {}) ? "" : sim::run(p, {}).error().text, reference(p, {}) ? "" : reference(p, {}).error().text}) {
            INFO(said);
            CHECK(said.find(text) != std::string::npos);
        }
        CHECK(!validate(p).empty());
    };
    Program large = empty_program();
    large.tensors[0].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
    refused(large, "k, tensor `D`: ");
    CHECK(validate(large).front().text == check_limits(large).error().text);
    refused(with({9, Wait{-1}}), "statement 9: a wait leaves -1 groups pending; it must be at least 0");
    Slice s;
    s.of = Slice::Of::agents;
    for (const auto& [first, count, stride] :
         {std::array{0, 33, 1}, {31, 2, 1}, {0, 0, 1}, {-1, 1, 1}, {0, 2, 0}, {0, 1 << 30, 1}}) {
        s.first = first, s.count = count, s.stride = stride;
        refused(with({9, s}), " are chosen, from ");
    }
    Each each;
    each.of = Each::Of::thread;
    each.vars = {Var{1}};
    each.counts = {2049};
    each.vars[0] = Var{static_cast<int>(empty_program().variables.size())};
    refused(with({9, each}), "it counts 2049 threads, with the statements around it; a block has at most 2048");
    Each inner = each;
    each.counts = {64};
    inner.counts = {33};
    inner.vars[0].id += 1;
    each.body.push_back({10, inner});
    refused(with({9, each}), "statement 10: it counts 2112 threads, with the statements around it; a block has at most 2048");
}

TEST_CASE("limits: a tensor with a hint may have as many bytes as an integer counts", "[program][limits]")
{
    // 2^60 - 1 elements of 8 bytes over 128 lanes: rounded up, 2^56 bytes in each.
    Kernel k("vast", machines::sm80);
    one_block(k, 4, [&](Scope cta) {
        cta.fill(cta.alloc(Role::registers, {(std::int64_t{1} << 60) - 1}, f64, LayoutHint::accumulator), 0);
    });
    const auto problems = validate(k.program().value());
    CHECK(std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.text.find("takes 72057594037927936 bytes of reg") != std::string::npos;
    }));
}
