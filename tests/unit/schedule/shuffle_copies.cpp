// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace axe;
using namespace axe::literals;
using enum DType;

/// Copies between register layouts of the lanes of a warp, by shuffles.

namespace {

using Int = std::int64_t;
constexpr Axis lane_axis{"lane"}, reg_axis{"reg"}, warp_axis{"warp"};

/// A register layout as its digits: for each, its extent, and its stride over lanes, registers or warps.
struct Digits {
    struct Digit {
        Int extent;
        char of; ///< 'l', 'r', 'w'
        Int stride;
    };
    std::vector<Digit> digits{};
    Int lanes = 1, registers = 1, copies = 1; ///< copies: of each element, `lanes` apart

    [[nodiscard]] Layout layout() const
    {
        Layout out;
        for (const Digit& d : digits)
            out.shard.push_back({d.extent, d.stride, d.of == 'l' ? lane_axis : d.of == 'r' ? reg_axis : warp_axis});
        if (copies > 1) out.replica.push_back({copies, lanes, lane_axis});
        return out;
    }
    /// Of an element: the number that the digits of one kind give.
    [[nodiscard]] Int at(Int element, char of) const
    {
        Int out = 0;
        for (std::size_t i = digits.size(); i-- > 0;) {
            if (digits[i].of == of) out += element % digits[i].extent * digits[i].stride;
            element /= digits[i].extent;
        }
        return out;
    }
};

/// Distributes the digits of a tile: the outermost is of warps, others of lanes or registers, in any order.
Digits random_digits(laws::Random& r, const std::vector<Int>& extents, Int warps)
{
    Digits out;
    out.digits.push_back({warps, 'w', 1});
    for (const Int e : extents)
        out.digits.push_back({e, out.lanes * e <= 32 && !r.one_in(3) ? 'l' : 'r', 0}),
            out.lanes *= out.digits.back().of == 'l' ? e : 1;
    out.lanes = 1;
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < out.digits.size(); ++i) order.push_back(i);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(r.in(0, static_cast<int>(i) - 1))]);
    for (const std::size_t i : order) {
        auto& d = out.digits[i];
        Int& next = d.of == 'l' ? out.lanes : out.registers;
        d.stride = next;
        next *= d.extent;
    }
    if (r.one_in(2)) out.copies = 32 / out.lanes;
    return out;
}

/// How many exchanges of registers a warp needs, and how many moves within lanes: by enumeration.
std::pair<Int, Int> counted(const Digits& to, const Digits& from, Int n)
{
    std::map<std::pair<Int, Int>, bool> rounds; // registers: are all elements in their lanes?
    for (Int e = 0; e < n; ++e)
        for (Int copy = 0; copy < to.copies; ++copy) {
            const Int lane = to.at(e, 'l') + copy * to.lanes;
            bool own = false;
            for (Int c = 0; c < from.copies; ++c) own = own || from.at(e, 'l') + c * from.lanes == lane;
            const auto [at, is_new] = rounds.try_emplace({to.at(e, 'r'), from.at(e, 'r')}, own);
            at->second = at->second && own;
        }
    const Int moves = std::count_if(rounds.begin(), rounds.end(), [](const auto& x) { return x.second; });
    return {static_cast<Int>(rounds.size()) - moves, moves};
}

struct Copying {
    Program program{};
    Bindings inputs{};
};
/// A tile comes to registers in one layout, goes to another, and out.
Copying copying(const Layout& to, const Layout& from, Int n, int warps, DType type, DType result, const std::string& schedule,
                const Machine& machine = machines::sm80)
{
    Copying out;
    Kernel k("k", machine);
    const auto A = k.input("A", {n}, type), C = k.output("C", {n}, result);
    one_block(k, warps, [&](Scope cta) {
        const auto a = cta.alloc(Role::registers, {n}, type, from, "a"), d = cta.alloc(Role::registers, {n}, result, to, "d");
        cta.copy(a, A).copy(d, a, {.schedule = schedule}).copy(C, d);
    });
    out.program = k.program().value();
    Array a = Array::make({n}, type).value();
    for (Int i = 0; i < n; ++i) a.set(i, static_cast<double>(i % 113));
    out.inputs.set("A", std::move(a));
    return out;
}
sim::Report ran(const Program& lowered, const Bindings& in, sim::Level level = sim::Level::full)
{
    sim::RunOptions options;
    options.level = level;
    auto report = without_fault(sim::run(lowered, in, options));
    return std::move(*report);
}
const Choice& choice_of(const Lowered& lowered)
{
    for (const Choice& c : lowered.choices)
        if (c.statement == 4) return c;
    FAIL("no choice");
    return lowered.choices.front();
}
std::string why_not(const Lowered& lowered)
{
    for (const auto& [who, why] : choice_of(lowered).declined)
        if (who == "shuffles") return why;
    return "";
}
Int issues_of(const sim::Report& report, const std::string& text)
{
    const auto at = report.total.by_text.find(text);
    return at == report.total.by_text.end() ? 0 : at->second;
}
const std::string exchange = "shfl.sync.idx.b32";

} // namespace

TEST_CASE(
    "random copies between register layouts by shuffles are exact, and take as many exchanges as there are pairs of registers",
    "[shuffles]")
{
    laws::Random r(51);
    const std::vector<std::vector<Int>> shapes{
        {2, 2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}, {4, 2, 8, 2}, {3, 2, 4, 2}, {3, 8, 5}, {32, 3}, {2, 3, 3, 2}, {7, 4}};
    int several = 0, none = 0;
    for (int i = 0; i < laws::cases(150); ++i) {
        const auto& shape = shapes[static_cast<std::size_t>(r.in(0, static_cast<int>(shapes.size()) - 1))];
        const int warps = static_cast<int>(r.in(1, 3));
        const Digits to = random_digits(r, shape, warps), from = random_digits(r, shape, warps);
        Int tile = 1;
        for (const Int e : shape) tile *= e;
        const DType type = r.one_in(3) ? f16 : r.one_in(2) ? i32 : f32, result = type == f16 && r.one_in(2) ? f32 : type;
        const Copying c = copying(to.layout(), from.layout(), tile * warps, warps, type, result, "shuffles");
        const auto lowered = lower(c.program);
        INFO("case " << i << ": " << axe::print(to.layout()).c_str() << " = " << axe::print(from.layout()).c_str() << ": "
                     << (lowered ? "" : lowered.error().text));
        REQUIRE(lowered.has_value());
        const auto [exchanges, moves] = counted(to, from, tile);
        CHECK(choice_of(*lowered).schedule == "shuffles");
        CHECK(choice_of(*lowered).detail == detail::worded("{0} exchanges, {1} moves within lanes", {exchanges, moves}));
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            const sim::Report report = ran(lowered->program, c.inputs, level);
            for (Int e = 0; e < tile * warps; ++e)
                if (report.outputs.find("C")->at(e) != static_cast<double>(e % 113)) FAIL("element " << e);
            CHECK(issues_of(report, exchange) == exchanges * warps);
            CHECK(report.total.memories.count("smem") == 0);
            CHECK(report.total.barriers == 0);
        }
        several += exchanges > to.registers ? 1 : 0;
        none += exchanges == 0 ? 1 : 0;
    }
    CHECK(several > laws::cases(10));
    CHECK(none > 0);
}

TEST_CASE("the choice takes shuffles where they are fewer instructions, and says why not where they are not", "[shuffles]")
{
    // Lane l takes from lane 31 - l: one exchange, against a store, a load and two barriers.
    const Lowered few = lower(copying("32:-1@lane + 31@lane"_axe, "32:1@lane"_axe, 32, 1, f32, f32, "").program).value();
    CHECK(choice_of(few).schedule == "shuffles");
    CHECK(choice_of(few).detail == "1 exchange, 0 moves within lanes");

    // A transposition of 8 x 32: each register of D has elements of all registers of A.
    const Layout rows = "(8,32):(1@reg,1@lane)"_axe, columns = "(32,8):(1@lane,1@reg)"_axe;
    const Copying turned = copying(columns, rows, 256, 1, f32, f32, "");
    const Lowered many = lower(turned.program).value();
    CHECK(choice_of(many).schedule == "through_shared");
    const sim::Report through = ran(many.program, turned.inputs);
    CHECK(why_not(many) == "it takes 64 instructions, 64 of them exchanges; through shared memory it takes " +
                               std::to_string(through.statements.at(4).instructions + through.total.barriers));

    // Without barriers on the machine nothing else is there.
    Machine bare = machines::sm80;
    bare.instructions = {};
    for (const char* word : machines::sm80.instructions)
        if (std::string(word).find("bar") != 0) bare.instructions.push_back(word);
    const Lowered only = lower(copying(columns, rows, 256, 1, f32, f32, "", bare).program).value();
    CHECK(choice_of(only).schedule == "shuffles");
    CHECK(choice_of(only).detail == "64 exchanges, 0 moves within lanes");
}

TEST_CASE("what lanes cannot exchange goes through shared memory, and the choice says why", "[shuffles]")
{
    const Layout straight = "(2,32):(1@warp,1@lane)"_axe, crossed = "(2,32):(-1@warp,1@lane) + 1@warp"_axe;
    const Copying apart = copying(crossed, straight, 64, 2, f32, f32, "");
    CHECK(why_not(lower(apart.program).value()) == "agent 1 needs element 0 of a, which none of its lanes holds");
    CHECK(choice_of(lower(apart.program).value()).schedule == "through_shared");
    ran(lower(apart.program)->program, apart.inputs);

    const Layout back = "32:-1@lane + 31@lane"_axe, forth = "32:1@lane"_axe;
    CHECK(why_not(lower(copying(back, forth, 32, 1, f64, f64, "").program).value()) ==
          "lanes exchange 4 bytes per instruction; elements of a have 8");
    CHECK(why_not(lower(copying("32:-1@lane + [2:1@reg] + 31@lane"_axe, forth, 32, 1, f32, f32, "").program).value()) ==
          "lane 31 holds element 0 of d in several registers; an exchange writes one");

    Kernel k("k", machines::sm80);
    one_block(k, 1, [&](Scope cta) {
        const auto a = cta.alloc(Role::registers, {4, 32}, f32, "(4,32):(1@reg,1@lane)"_axe, "a");
        const auto d = cta.alloc(Role::registers, {32}, f32, back, "d");
        cta.fill(a, 1);
        cta.loop(0, 4, 1, [&](const Affine& i) { cta.copy(d, a(i, all), {.schedule = "shuffles"}); });
    });
    const auto moving = lower(k.program().value());
    REQUIRE_FALSE(moving.has_value());
    CHECK(moving.error().text.find("a variable moves the view of a; the registers that lanes exchange must be constant") !=
          std::string::npos);

    Kernel self("self", machines::sm80);
    one_block(self, 1, [&](Scope cta) {
        const auto a = cta.alloc(Role::registers, {2, 32}, f32, "(2,32):(1@lane,1@reg)"_axe, "a");
        cta.fill(a, 1);
        cta.copy(a(0, all), a(1, all), {.schedule = "shuffles"});
    });
    const auto same = lower(self.program().value());
    REQUIRE_FALSE(same.has_value());
    CHECK(same.error().text.find("a is source and destination; an exchange would overwrite what is still to be read") !=
          std::string::npos);
}
