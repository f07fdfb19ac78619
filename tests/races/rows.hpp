// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_RACES_ROWS_HPP
#define AXE_TESTS_RACES_ROWS_HPP

#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>
#include <tests/races/table.hpp>
#include <tests/required.hpp>

/// Kernels of data/races.jsonl: each as its words describe it, with one tile of 32 numbers where the row has one or a few. An agent is
/// a warp, unless a test says otherwise.
namespace races {

using namespace defects;

/// The statements that a fault is to name, in either order: alternatives, as what two agents do may conflict in several places. A second
/// one of −1 may be any.
using Sites = std::vector<std::pair<int, int>>;

/// A kernel of a row, with what its outputs are to be. Inputs are 0, 1, 2, …
struct Variant {
    std::function<void(Kernel&, Sites&)> write{};
    std::map<std::string, Numbers> wanted{};
    Machine machine = machines::sm90;
    bool as_it_is = false; ///< not lowered
};

inline Ready ready(const Variant& v, Sites& sites)
{
    Kernel k("row", v.machine);
    v.write(k, sites);
    const auto program = required(k.program());
    std::map<std::string, Numbers> given;
    for (const ProgramTensor& t : program->tensors) given[t.name] = counted;
    return Ready(*program, inputs_of(*program, given), v.as_it_is);
}

/// The first kernel of a test is the row's own, and has the verdict that the table gives.
inline void compare_with_table(const std::string& verdict)
{
    static std::string last;
    const std::string id = Catch::getResultCapture().getCurrentTestName();
    if (id == last) return;
    last = id;
    for (const Row& row : table) {
        if (row.id != id) continue;
        INFO("the table");
        CHECK(verdict == row.verdict);
    }
}

/// It ends without a fault, and its results are right, in all orders and at both levels.
inline void ok(const Variant& v)
{
    compare_with_table("ok");
    Sites sites;
    const Ready row = ready(v, sites);
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const Found f = row.run(options);
            INFO(f.text);
            CHECK(f.malformed == std::vector<std::string>{});
            REQUIRE(f.ended());
            CHECK(wrong({{}, {}, {}, v.wanted, false}, f.outputs) == 0);
        });
}

/// It has this fault in all orders, at one of the pairs of statements.
///
/// @param or_else what else the fault is in some orders, where the word depends on which of two accesses comes first
inline void fault(const Variant& v, FaultKind kind, const std::set<FaultKind>& or_else = {})
{
    compare_with_table(name(kind));
    int found = 0;
    Sites sites;
    const Ready row = ready(v, sites);
    turns::each([&](const sim::RunOptions& options) {
        const Found f = row.run(options);
        INFO(f.text);
        INFO(name(f.fault.kind) << " at statement " << f.fault.statement << " and " << f.fault.other_statement);
        CHECK(f.refused == errc::ok);
        if (or_else.count(f.fault.kind) != 0) return;
        REQUIRE(std::string(name(f.fault.kind)) == name(kind));
        ++found;
        bool named = sites.empty();
        for (const auto& [one, other] : sites) {
            named |= f.fault.statement == one && (other < 0 || f.fault.other_statement == other);
            named |= f.fault.statement == other && f.fault.other_statement == one;
        }
        INFO("of " << sites.size() << " pairs, the first " << (sites.empty() ? -1 : sites[0].first) << " and "
                   << (sites.empty() ? -1 : sites[0].second));
        CHECK(named);
    });
    CHECK(found > 0);
}

inline void race(const Variant& v) { fault(v, FaultKind::race); }

inline Mbarrier invalidate(int id) { return {Mbarrier::Action::invalidate, id, 0, {}}; }

/// A block while its kernel is written.
struct Block {
    Kernel& k;
    Scope cta;

    [[nodiscard]] int at() const { return next(k); } ///< the next statement
    [[nodiscard]] TensorRef smem(const char* name, const Shape& shape = {32})
    {
        return cta.alloc(Role::shared, shape, f32, {}, name);
    }
    /// mbarriers 0, 1, …, of so many arrivals each.
    void set_up(const std::vector<int>& arrivals)
    {
        cta.warps(0, 1, [&](Scope w) {
            for (std::size_t id = 0; id < arrivals.size(); ++id) w.mbarrier(init(static_cast<int>(id), arrivals[id]));
        });
        cta.sync();
    }
    /// What the row reads without having written it is 7.
    void written_before(const std::vector<ViewRef>& tiles)
    {
        cta.warps(0, 1, [&](Scope w) {
            for (const ViewRef& t : tiles) w.fill(t, 7);
            w.proxy_fence();
        });
        cta.sync();
    }
    void agent(int number, const std::function<void(Scope)>& body) { cta.warps(number, 1, "A" + std::to_string(number), body); }
};

/// One block.
inline void block(Kernel& k, int agents, const std::function<void(Block&)>& body)
{
    one_block(k, agents, [&](Scope cta) {
        Block b{k, cta};
        body(b);
    });
}

inline int bytes(const ViewRef& v)
{
    std::int64_t out = 4;
    for (const std::int64_t extent : v.shape()) out *= extent;
    return static_cast<int>(out);
}

/// Expects the bytes, and starts a bulk copy; returns the copy's statement.
inline int load(const Kernel& k, Scope w, const ViewRef& s, const ViewRef& g, int id)
{
    w.mbarrier(expect(id, bytes(s)));
    const int out = next(k);
    w.copy_async(s, g, completes_on(id));
    return out;
}

/// Starts a bulk copy, a group of its own.
inline int store(const Kernel& k, Scope w, const ViewRef& g, const ViewRef& s)
{
    const int out = next(k);
    w.copy_async(g, s);
    w.commit();
    return out;
}

inline Numbers always(double x)
{
    return [x](std::int64_t) { return x; };
}

} // namespace races

#endif
