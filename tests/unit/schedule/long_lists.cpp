// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/schedule/element_placement.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/targets.hpp>

#include <array>

using namespace axe;
using enum DType;

/// What lowering does takes time by the elements that it is asked for; of more than a limit the message comes first.

namespace {

using Int = std::int64_t;

/// n registers of one lane, or of every lane of 32 warps.
Layout registers(Int n, bool everywhere)
{
    Layout out;
    out.shard = {{n, 1, Axis{"reg"}}};
    if (!everywhere) return out;
    out.replica.push_back({32, 1, Axis{"lane"}});
    out.replica.push_back({32, 1, Axis{"warp"}});
    return out;
}

/// The kernel of a block of 32 warps that the function writes.
template <class F>
Program block(F f)
{
    Kernel k("k", machines::sm80);
    one_block(k, 32, [&](Scope cta) { f(k, cta); });
    return k.program().value();
}

/// Do `validate` and `lower` report one thing in one message? Before it `validate` says which operator that is.
bool says_the_same(const Program& p)
{
    const auto problems = validate(p);
    const auto lowered = lower(p);
    INFO((problems.empty() ? "valid" : problems.front().text) << "\n" << (lowered ? "lowered" : lowered.error().text));
    if (problems.empty() || lowered) {
        CHECK(problems.empty() == lowered.has_value());
        return false;
    }
    const auto words = [](const std::string& text) { return text.substr(text.find(": ")); };
    CHECK(problems.size() == 1);
    CHECK(words(problems.front().text) == words(lowered.error().text));
    CHECK(problems.front().code == lowered.error().code);
    return true;
}

int passes = 0;
constexpr Pass counting[] = {{"counting", "counts", Pass::On::operators,
                              [](Program&) -> Result<void, axe::Problem> { return ++passes, Result<void, axe::Problem>(); }}};

} // namespace

TEST_CASE("lower says that tensors have no room before it makes lists of what lanes hold", "[schedule][long_lists]")
{
    Target target = *targets::find("sm80");
    target.passes.add(counting);
    for (const Int n : {4, 4096}) {
        const Program p = block([&](Kernel& k, Scope cta) {
            const auto A = k.input("A", {n}, f32);
            const auto r = cta.alloc("reg", {n}, f32, registers(n, true), "r");
            cta.copy(r, A);
        });
        passes = 0;
        const auto problems = validate(p);
        const auto lowered = lower(p, target);
        INFO((lowered ? "" : lowered.error().text));
        CHECK(problems.empty() == (n == 4));
        CHECK(lowered.has_value() == (n == 4));
        CHECK(passes == (n == 4 ? 1 : 0));
        if (n == 4) continue;
        CHECK(lowered.error().code == errc::capacity);
        CHECK(lowered.error().text == problems.front().text);
    }
}

TEST_CASE("a lane of many that hold an element is found as by looking at all of them", "[schedule][long_lists]")
{
    laws::Random r(7);
    for (int round = 0; round < 200; ++round) {
        ElementPlacement p;
        p.is_private = true;
        p.begin = {0};
        for (int e = 0; e < 3; ++e) {
            std::vector<Owner> owners;
            for (Int i = r.in(0, 12); i > 0; --i)
                owners.push_back({static_cast<int>(r.in(0, 3)), static_cast<int>(r.in(0, 3)), r.in(-2, 5)});
            std::sort(owners.begin(), owners.end());
            p.owner.insert(p.owner.end(), owners.begin(), owners.end());
            p.begin.push_back(static_cast<std::int32_t>(p.owner.size()));
        }
        p.count = 3;
        for (std::int32_t e = 0; e < 3; ++e)
            for (int agent = 0; agent < 5; ++agent)
                for (int lane = 0; lane < 5; ++lane) {
                    const Owner* first = nullptr;
                    for (auto i = p.begin[static_cast<std::size_t>(e)]; i < p.begin[static_cast<std::size_t>(e) + 1]; ++i) {
                        const Owner& o = p.owner[static_cast<std::size_t>(i)];
                        if (first == nullptr && o.agent == agent && o.lane == lane) first = &o;
                    }
                    REQUIRE(p.held_by(e, agent, lane) == first);
                }
    }
}

TEST_CASE("few elements far apart are placed without those between them", "[schedule][long_lists]")
{
    // 2^40 elements, of which 16 are viewed: more places than there is memory for.
    Program p = block([](Kernel& k, Scope cta) {
        const auto A = k.input("A", {Int{1} << 40, 2}, f32);
        const auto s = cta.alloc(Role::shared, {16, 2}, f32, {}, "s");
        cta.copy(s, A(Interval(0, 16), all));
    });
    for_each_statement(p.body, [&](Statement& s) {
        auto* o = std::get_if<Operation>(&s.what);
        if (o != nullptr) o->operands[1].steps[0] = Int{1} << 36;
    });
    CHECK(validate(p).empty());
    const Operation* copy = nullptr;
    for_each_statement(p.body, [&](const Statement& s) {
        if (const auto* o = std::get_if<Operation>(&s.what)) copy = o;
    });
    REQUIRE(copy != nullptr);
    const auto placed = element_placement(Request(p, target_of(p), *copy, ExecutionScope{true, 0, 32, 1, 32}), copy->operands[1]);
    INFO((placed ? "" : placed.error().text));
    REQUIRE(placed.has_value());
    REQUIRE(placed->address.size() == 32);
    for (Int i = 0; i < 32; ++i) CHECK(placed->address[static_cast<std::size_t>(i)] == (i / 2 << 37) + i % 2);
    const auto lowered = lower(p);
    INFO((lowered ? "" : lowered.error().text));
    CHECK(lowered.has_value());
}

TEST_CASE("a register that one lane is to read 2^20 times: the lists of 1024 lanes would be too long", "[schedule][long_lists]")
{
    const auto program = [](Int n) {
        return block([&](Kernel& k, Scope cta) {
            const auto C = k.output("C", {1}, f32);
            const auto r = cta.alloc("reg", {1}, f32, registers(1, false), "r");
            const auto d = cta.alloc("reg", {1}, f32, registers(1, false), "d");
            cta.fill(r, 1).reduce(Function::add, d, ViewRef(r).repeated(0, n), {0}).copy(C, d);
        });
    };
    CHECK(lower(program(1 << 10)).has_value());
    CHECK(validate(program(1 << 10)).empty());
    const auto lowered = lower(program(1 << 20));
    CHECK(says_the_same(program(1 << 20)));
    REQUIRE(!lowered.has_value());
    INFO(lowered.error().text);
    CHECK(lowered.error().text.find("a lane has 1048576 elements of the view of r; for 1024 lanes the lists have more than 2^24") !=
          std::string::npos);
}

TEST_CASE("reductions that lanes do term by term: of more terms than can be listed a message", "[schedule][long_lists]")
{
    // Every lane by itself; one lane for all.
    const auto program = [](Int n, bool everywhere) {
        return block([&](Kernel& k, Scope cta) {
            const auto A = k.input("A", {n}, f32);
            const auto d = cta.alloc("reg", {1}, f32, registers(1, everywhere), "d");
            cta.reduce(Function::add, d, ViewRef(A).repeated(0, 1), {1});
        });
    };
    for (const bool everywhere : {false, true}) {
        CHECK(lower(program(1 << 10, everywhere)).has_value());
        CHECK(validate(program(1 << 10, everywhere)).empty());
        const auto lowered = lower(program(1 << 16, everywhere));
        CHECK(says_the_same(program(1 << 16, everywhere)));
        REQUIRE(!lowered.has_value());
        INFO(lowered.error().text);
        CHECK(lowered.error().text.find(std::string("each of the ") + (everywhere ? "1024 copies" : "1 copy") +
                                        " of elements of d has 65536 terms: the lists of 1024 lanes would have more than 2^25") !=
              std::string::npos);
    }
}

TEST_CASE("what is more than instructions list: validate says it where lower does, at each limit and next to it",
          "[schedule][long_lists]")
{
    // Elements of a view, in the memory of a machine with and without lanes.
    for (const Machine* m : {&machines::sm80, &machines::cpu})
        for (const Int more : {0, 1}) {
            Kernel k("k", *m);
            const auto A = k.inout("A", {(1 << 22) + more}, i8);
            k.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.fill(A, 1); });
            const Program p = k.program().value();
            CHECK(validate(p).empty() == (more == 0));
            CHECK(lower(p).has_value() == (more == 0));
            if (more != 0) CHECK(says_the_same(p));
        }
    // Terms of a reduction, to each place there is, by so many warps, in a slice of them, too: 2^20 times 32.
    for (const int agents : {1, 3})
        for (const Role to : {Role::registers, Role::shared, Role::global})
            for (const bool sliced : {false, true})
                for (const Int n : {Int{1} << 20, (Int{1} << 20) + 1, Int{1} << 19, (Int{1} << 20) / 3 * 32 / 32}) {
                    Kernel k("k", machines::sm80);
                    const auto A = k.input("A", {n}, f32), C = k.output("C", {1}, f32);
                    one_block(k, agents, [&](Scope cta) {
                        const auto r = cta.alloc("reg", {1}, f32, registers(1, false), "r");
                        const auto s = cta.alloc(Role::shared, {1}, f32, {}, "s");
                        const auto sum = [&](Scope in) {
                            in.reduce(Function::add,
                                      to == Role::registers ? ViewRef(r)
                                      : to == Role::shared  ? ViewRef(s)
                                                            : ViewRef(C),
                                      ViewRef(A).repeated(0, 1), {1});
                        };
                        if (sliced)
                            cta.agents(0, 1, 1, sum);
                        else
                            sum(cta);
                    });
                    const Program p = k.program().value();
                    const bool fits = n * 32 * (sliced ? 1 : agents) <= Int{1} << 25;
                    INFO(agents << " agents, " << static_cast<int>(to) << (sliced ? ", one of them " : " ") << n);
                    CHECK(validate(p).empty() == fits);
                    if (!fits) CHECK(says_the_same(p));
                    if (n == Int{1} << 19 && to == Role::global && agents == 1 && !sliced) CHECK(lower(p).has_value());
                }
}
