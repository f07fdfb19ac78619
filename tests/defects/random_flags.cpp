// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/random.hpp>

/// Random programs of blocks that tell each other by flags, and by the barriers of their clusters, what they have done; what a run finds in
/// them, against the transitive closure of the order that they have.
namespace {

using namespace defects;
using laws::Random;

constexpr int max_blocks = 4, max_tiles = 3, max_flags = 4;

/// One thing that a block does. A wait is for all additions to its flag, which come before it in the list, so that every program ends.
struct Step {
    enum class Kind { reads, writes, adds, waits, arrives, awaits };
    Kind kind = Kind::reads;
    int block = 0, which = 0; ///< tile, flag, or phase; a tile of shared memory is max_tiles and the block whose it is
    MemoryOrder order = MemoryOrder::relaxed;
    Within within = Within::device;
};

struct Plan {
    int blocks = 2, cluster = 1;
    std::vector<Step> steps{};

    [[nodiscard]] int additions(int flag) const
    {
        int out = 0;
        for (const Step& s : steps) out += s.kind == Step::Kind::adds && s.which == flag ? 1 : 0;
        return out;
    }
    [[nodiscard]] bool covers(Within within, int a, int b) const
    {
        return within >= Within::device || a == b || (within == Within::cluster && a / cluster == b / cluster);
    }
    /// Are two steps in order, directly?
    [[nodiscard]] bool follows(std::size_t i, std::size_t j) const
    {
        const Step &a = steps[i], &b = steps[j];
        if (a.block == b.block) return i < j;
        if (a.kind == Step::Kind::adds && b.kind == Step::Kind::waits && a.which == b.which)
            return a.order == MemoryOrder::release && b.order == MemoryOrder::acquire && covers(a.within, a.block, b.block) &&
                   covers(b.within, a.block, b.block);
        if (a.kind == Step::Kind::arrives && b.kind == Step::Kind::awaits && a.which == b.which)
            return a.order == MemoryOrder::release && a.block / cluster == b.block / cluster;
        return false;
    }
    [[nodiscard]] bool races() const
    {
        const std::size_t n = steps.size();
        std::vector<std::vector<char>> before(n, std::vector<char>(n, 0));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) before[i][j] = i != j && follows(i, j) ? 1 : 0;
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) before[i][j] |= static_cast<char>(before[i][k] & before[k][j]);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                const Step &a = steps[i], &b = steps[j];
                const auto on_flag = [](const Step& s) { return s.kind == Step::Kind::adds || s.kind == Step::Kind::waits; };
                const auto accesses = [](const Step& s) { return s.kind == Step::Kind::reads || s.kind == Step::Kind::writes; };
                if (a.which != b.which || before[i][j] != 0 || before[j][i] != 0) continue;
                if (on_flag(a) && on_flag(b)) { // which race where their scopes do not have both blocks in them
                    const bool writes = a.kind == Step::Kind::adds || b.kind == Step::Kind::adds;
                    if (writes && !(covers(a.within, a.block, b.block) && covers(b.within, a.block, b.block))) return true;
                }
                if (!accesses(a) || !accesses(b)) continue;
                if (a.kind != Step::Kind::reads || b.kind != Step::Kind::reads) return true;
            }
        return false;
    }
};

Plan plan_of(Random& random)
{
    Plan p;
    p.blocks = static_cast<int>(random.in(2, max_blocks));
    if (p.blocks % 2 == 0 && random.in(0, 1) == 0) p.cluster = random.in(0, 1) == 0 ? 2 : p.blocks;
    int phases = 0;
    const auto meet = [&](int cluster, bool relaxed) {
        ++phases;
        for (const bool arrives : {true, false})
            for (int rank = 0; rank < p.cluster; ++rank) {
                const bool release = !relaxed || random.in(0, 2) != 0;
                p.steps.push_back({arrives ? Step::Kind::arrives : Step::Kind::awaits, cluster * p.cluster + rank, phases,
                                   release ? MemoryOrder::release : MemoryOrder::relaxed, Within::cluster});
            }
    };
    const auto meet_all = [&] {
        for (int c = 0; p.cluster > 1 && c < p.blocks / p.cluster; ++c) meet(c, false);
    };
    meet_all();
    const auto within = [&] { return random.in(0, 3) == 0 ? static_cast<Within>(random.in(0, 3)) : Within::device; };
    const auto block = [&] { return static_cast<int>(random.in(0, p.blocks - 1)); };
    bool closed[max_flags]{};
    for (std::int64_t left = random.in(8, 24); left > 0; --left) {
        Step s{Step::Kind::reads, block(), 0, MemoryOrder::relaxed, Within::device};
        if (p.cluster > 1 && random.in(0, 4) == 0) {
            meet(s.block / p.cluster, true);
            continue;
        }
        const std::int64_t kind = random.in(0, 9);
        if (kind < 4) {
            s.kind = kind == 0 ? Step::Kind::writes : Step::Kind::reads;
            s.which = static_cast<int>(random.in(0, max_tiles - 1));
            if (p.cluster > 1 && random.in(0, 1) == 0)
                s.which = max_tiles + s.block / p.cluster * p.cluster + static_cast<int>(random.in(0, p.cluster - 1));
        } else {
            s.which = static_cast<int>(random.in(0, max_flags - 1));
            s.within = within();
            const bool adds = p.additions(s.which) == 0 || (!closed[s.which] && random.in(0, 1) == 0);
            s.kind = adds ? Step::Kind::adds : Step::Kind::waits;
            if (!adds) closed[s.which] = true;
            if (random.in(0, 7) != 0) s.order = adds ? MemoryOrder::release : MemoryOrder::acquire;
        }
        p.steps.push_back(s);
    }
    meet_all();
    return p;
}

Program program_of(const Plan& plan)
{
    Kernel k("random", machines::sm90);
    const auto f = k.inout("f", {max_flags}, i32), p = k.inout("p", {max_tiles, 32}, f32);
    k.cta(
        tiles(plan.blocks, 1), plan.cluster == 1 ? Clusters{} : Clusters{{plan.cluster}, false},
        [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
            const auto shared = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.fill(shared, 0);
            for (int b = 0; b < plan.blocks; ++b)
                cta.when(equals(Expression(t.index[0]), b), [&] {
                    for (const Step& s : plan.steps) {
                        if (s.block != b) continue;
                        cta.sync(); // the lanes of the agent, which access different elements
                        const bool in_shared = s.which >= max_tiles && s.kind <= Step::Kind::writes;
                        const int rank = (s.which - max_tiles) % plan.cluster;
                        const ViewRef tile = in_shared ? shared.of_block(rank) : p(in_shared ? 0 : s.which % max_tiles, all);
                        if (s.kind == Step::Kind::reads) cta.copy(r, tile);
                        if (s.kind == Step::Kind::writes) cta.fill(tile, b);
                        if (s.kind == Step::Kind::arrives) cta.cluster_arrive(s.order);
                        if (s.kind == Step::Kind::awaits) cta.cluster_wait();
                        if (s.kind == Step::Kind::adds) cta.add_to_flag(f(s.which), 1, s.order, s.within);
                        if (s.kind == Step::Kind::waits) cta.wait_equal(f(s.which), plan.additions(s.which), s.order, s.within);
                    }
                });
        },
        1);
    return k.program().value();
}

} // namespace

TEST_CASE("a run finds a race in a program of blocks, flags and clusters if and only if two accesses are not in its order")
{
    Random random(20251126);
    int with_race = 0, sound = 0;
    for (int n = 0; n < 250; ++n) {
        const Plan plan = plan_of(random);
        const Program program = program_of(plan);
        const Bindings inputs = inputs_of(program, {{"f", [](std::int64_t) { return 0.0; }}, {"p", counted}});
        const bool races = plan.races();
        ++(races ? with_race : sound);
        for (const std::int64_t quantum : {0, 1, 3, -1, -2}) {
            sim::RunOptions options;
            options.quantum = std::max<std::int64_t>(0, quantum);
            if (quantum < 0) options.order = quantum == -1 ? sim::RunOrder::reversed : sim::RunOrder::random;
            options.seed = static_cast<std::uint64_t>(n);
            const Found found = find(program, inputs, options);
            INFO("program " << n << ", turns of " << quantum << ": " << found.text);
            CHECK(found.malformed == std::vector<std::string>{});
            CHECK(found.refused == errc::ok);
            REQUIRE(std::string(name(found.fault.kind)) == (races ? "race" : "none"));
        }
    }
    CHECK(with_race > 30);
    CHECK(sound > 30);
}
