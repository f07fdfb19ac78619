// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <cstring>
#include <map>
#include <perform.hpp>
#include <tests/programs/removals.hpp>
#include <tests/turns.hpp>

/// The warp-specialized product: sizes at which rings and tiles end, what keeps it right, and what it moves.
namespace {

using namespace axe;
using Int = std::int64_t;

using Values = std::vector<std::pair<std::string, std::string>>;

examples::Performance performed(const Values& values, const sim::RunOptions& options = {})
{
    const examples::Example* example = examples::find("gemm_sm90");
    REQUIRE(example != nullptr);
    const auto setting = examples::setting(*example, "sm90", 1, values);
    INFO(setting.error().text);
    REQUIRE(setting);
    auto out = examples::perform(*example, *setting, options);
    INFO(out.error().text);
    REQUIRE(out);
    return std::move(*out);
}

/// The mbarrier whose waits are for a parity that changes: made one that never does.
bool without_flip(Body& body, int& left, removals::Removal& removal)
{
    for (Statement& s : body) {
        if (auto* m = std::get_if<Mbarrier>(&s.what); m != nullptr && m->action == Mbarrier::Action::wait && left-- == 0) {
            removal = {s.id, "phase flip"};
            // The parity of the first round: the producer's waits begin with 1, the consumers' with 0.
            const bool empty = m->id >= 3;
            m->parity = Expression(empty ? 1.0 : 0.0);
            return true;
        }
        if (for_each_body(s, [&](Body& inner) { return without_flip(inner, left, removal); })) return true;
    }
    return false;
}

std::string kind_of(const Program& program, const removals::Removal& removal)
{
    std::string out = removal.what;
    for_each_statement(program.body, [&](const Statement& s) {
        if (s.id != removal.statement) return;
        if (const auto* m = std::get_if<Mbarrier>(&s.what)) {
            constexpr const char* actions[] = {"init", "arrive", "expect", "wait", "expect_more", "invalidate"};
            out = (removal.what == "mbarrier" ? "" : removal.what + " of ") +
                  (m->id < 3 ? std::string("full ") : std::string("empty ")) + actions[static_cast<int>(m->action)];
        }
        if (const auto* w = std::get_if<Wait>(&s.what))
            out = w->of == Wait::Of::products ? "wait_products" : w->of == Wait::Of::sources ? "wait_sources" : "wait";
    });
    return out;
}

} // namespace

TEST_CASE("gemm_sm90: sizes at which rings and tiles end")
{
    struct Row {
        const char* what;
        Values values;
    };
    const auto row = [](const char* what, int m, int n, int k, int tile_m, int tile_n, int stages, int walk) {
        return Row{what,
                   {{"M", std::to_string(m)},
                    {"N", std::to_string(n)},
                    {"K", std::to_string(k)},
                    {"tile_m", std::to_string(tile_m)},
                    {"tile_n", std::to_string(tile_n)},
                    {"stages", std::to_string(stages)},
                    {"walk", std::to_string(walk)}}};
    };
    for (const Row& r :
         {row("one tile, K of one step", 128, 64, 64, 128, 64, 3, 1), row("K of all stages", 64, 32, 192, 64, 32, 3, 1),
          row("one step more", 64, 32, 256, 64, 32, 3, 1), row("3 tiles of a block", 192, 32, 192, 64, 32, 4, 3),
          row("3 tiles of a block, of which the last has fewer", 300, 48, 136, 64, 48, 2, 3),
          row("M and N one over", 129, 65, 64, 128, 64, 3, 1), row("N one over for a tensor map", 64, 72, 64, 64, 64, 3, 1),
          row("K 72", 64, 64, 72, 64, 64, 3, 2), row("N 8", 128, 8, 128, 128, 8, 3, 1), row("256 rows", 256, 16, 64, 256, 16, 2, 1),
          row("the widest tile", 64, 256, 64, 64, 256, 3, 1), row("less than a tile", 5, 8, 8, 64, 64, 4, 2)}) {
        INFO(r.what);
        const auto p = performed(r.values);
        INFO(p.report.fault.text << p.verification.text());
        CHECK(p.ok());
        CHECK(std::string(p.verification.word()) == "right");
        int products = 0, bulk = 0;
        for (const Choice& c : p.lowered.choices) {
            products += c.schedule == "wgmma" ? 1 : 0;
            bulk += c.schedule == "bulk_copy" ? 1 : 0;
            CHECK(c.schedule != "mma_sync");
            CHECK(c.schedule != "fma");
        }
        CHECK(products > 0);
        CHECK(bulk >= 2 * products);
    }
}

TEST_CASE("gemm_sm90: what it does not take")
{
    const auto refused = [](const Values& values) {
        const examples::Example& example = *examples::find("gemm_sm90");
        return example.build(examples::setting(example, "sm90", 1, values).value()).error().text;
    };
    CHECK(refused({{"K", "12"}}) == "gemm_sm90: K is 12, not a multiple of 8: a tensor map's rows are of multiples of 16 bytes");
    CHECK(refused({{"tile_n", "20"}}) == "gemm_sm90: tile_n is 20, not a multiple of 8");
}

TEST_CASE("gemm_sm90: no order changes a bit, no level either")
{
    const auto whole = performed({{"M", "70"}, {"N", "40"}});
    REQUIRE(whole.ok());
    const Array& first = *whole.report.outputs.find("D");
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const auto report = sim::run(whole.lowered.program, whole.inputs, options);
            REQUIRE(report);
            INFO(report->fault.text);
            REQUIRE(report->ok());
            const Array& d = *report->outputs.find("D");
            CHECK(std::memcmp(first.data(), d.data(), static_cast<std::size_t>(d.size_bytes())) == 0);
        });
}

TEST_CASE("gemm_sm90: without any one barrier, fence, wait, commit, arrival, expectation or phase flip, a run says where")
{
    // 6 steps through 3 stages, two tiles a block: all stages come round, within a tile and between tiles.
    const auto whole = performed({});
    REQUIRE(whole.ok());
    std::map<std::string, std::map<std::string, int>> found;
    for (const bool flips : {false, true})
        for (int number = 0;; ++number) {
            Program less = whole.program;
            removals::Removal removal;
            int left = number;
            if (flips) {
                if (!without_flip(less.body, left, removal)) break;
            } else {
                removals::Remover remover(whole.program, number);
                if (!remover.from(less.body)) break;
                removal = remover.removal;
            }
            const std::string what = kind_of(whole.program, removal);
            INFO("without statement " << removal.statement << ", " << what << "\n" << print(whole.program));
            const auto lowered = lower(less);
            REQUIRE(lowered);
            sim::RunOptions options;
            options.counters = false;
            const auto report = sim::run(lowered->program, whole.inputs, options);
            REQUIRE(report);
            CHECK(!report->ok());
            // Each order finds it; what one finds as never written, another finds as a race with who writes it.
            if (sim::Fault named = report->fault; named.kind == sim::FaultKind::uninitialized) {
                turns::each([&](sim::RunOptions in_turns) {
                    in_turns.counters = false;
                    const auto again = sim::run(lowered->program, whole.inputs, in_turns);
                    REQUIRE(again);
                    CHECK(!again->ok());
                    if (again->fault.kind == sim::FaultKind::race) named = again->fault;
                });
                CHECK(named.other_statement >= 0);
            }
            // Two statements, or what no wait, arrival or byte comes for.
            const sim::Fault& f = report->fault;
            CHECK(f.statement >= 0);
            if (f.kind == sim::FaultKind::race || f.kind == sim::FaultKind::proxy) CHECK(f.other_statement >= 0);
            ++found[what][sim::name(f.kind)];
        }
    std::string text;
    for (const auto& [what, kinds] : found) {
        text += what + ":";
        for (const auto& [kind, count] : kinds) text += " " + std::to_string(count) + " " + kind;
        text += "\n";
    }
    // A phase that a wait takes too early shows at the next arrival, which no wait before has seen the phase for: `transaction`.
    CHECK(text == "barrier: 1 race 1 transaction 1 uninitialized\n"
                  "commit: 1 race\n"
                  "empty arrive: 3 deadlock\n"
                  "empty init: 3 transaction\n"
                  "empty wait: 3 transaction\n"
                  "full expect: 3 deadlock\n"
                  "full init: 3 transaction\n"
                  "full wait: 3 race\n"
                  "guard of A: 3 out of bounds\n"
                  "guard of B: 3 out of bounds\n"
                  "guard of D: 1 out of bounds\n"
                  "phase flip of empty wait: 3 transaction\n"
                  "phase flip of full wait: 3 deadlock\n"
                  "proxy fence: 1 proxy fence missing\n"
                  "wait_products: 3 race\n"
                  "wait_sources: 1 asynchronous operation unfinished 1 race\n");
}

TEST_CASE("gemm_sm90: products without their fence of registers, or in no group")
{
    const auto whole = performed({});
    REQUIRE(whole.ok());
    std::string text;
    for (const std::size_t parameter : {std::size_t{1}, std::size_t{2}})
        for (int number = 0;; ++number) {
            Program less = whole.lowered.program;
            int left = number, statement = -1;
            for_each_statement(less.body, [&](Statement& s) {
                auto* i = std::get_if<Instruction>(&s.what);
                if (i == nullptr || i->opcode != "wgmma" || i->parameters[parameter] == 0 || left-- != 0) return;
                i->parameters[parameter] = 0;
                statement = s.id;
            });
            if (statement < 0) break;
            const auto report = sim::run(less, whole.inputs);
            REQUIRE(report);
            INFO(report->fault.text);
            text += std::string(parameter == 1 ? "fence" : "commit") + ": " + sim::name(report->fault.kind) + "\n";
            if (report->fault.found()) CHECK((report->fault.statement == statement || report->fault.other_statement == statement));
        }
    // The first product of a tile comes after `fill` has written the accumulators. The other stages' follow products of the same shape into
    // the same accumulators, between which PTX asks for no fence.
    CHECK(text == "fence: race\nfence: none\nfence: none\ncommit: race\ncommit: race\ncommit: race\n");
}

TEST_CASE("gemm_sm90: what it moves, by closed formulas")
{
    struct Size {
        Int m, n, k, tile_m, tile_n, stages, walk;
    };
    for (const Size& z : {Size{200, 136, 328, 64, 64, 3, 2},
                          {128, 128, 256, 64, 64, 3, 2},
                          {300, 72, 72, 128, 48, 2, 3},
                          {256, 64, 128, 256, 64, 2, 1}}) {
        const auto text = [](Int x) { return std::to_string(x); };
        INFO(z.m << " x " << z.n << " x " << z.k << ", tiles " << z.tile_m << " x " << z.tile_n);
        const auto p = performed({{"M", text(z.m)},
                                  {"N", text(z.n)},
                                  {"K", text(z.k)},
                                  {"tile_m", text(z.tile_m)},
                                  {"tile_n", text(z.tile_n)},
                                  {"stages", text(z.stages)},
                                  {"walk", text(z.walk)}});
        REQUIRE(p.ok());
        const Int rows = (z.m + z.tile_m - 1) / z.tile_m, cols = (z.n + z.tile_n - 1) / z.tile_n, steps = (z.k + 63) / 64;
        const Int tiles = rows * cols, products = tiles * steps * (z.tile_m / 64) * 4;
        const sim::Counters& total = p.report.total;
        // Boxes: A's and B's of each step, D's of each tile.
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes") == 2 * tiles * steps);
        CHECK(total.by_text.at("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group") == tiles);
        CHECK(total.by_text.at("wgmma.mma_async.m64n" + text(z.tile_n)) == products);
        CHECK(total.flops == products * 2 * 64 * z.tile_n * 16);
        // Of global memory, what is inside; to shared memory, whole boxes.
        const sim::MemoryCount &global = total.memories.at("gmem"), &shared = total.memories.at("smem");
        CHECK(global.bytes_read == 2 * z.k * (z.m * cols + z.n * rows));
        CHECK(global.bytes_written == 2 * z.m * z.n);
        const Int of_out = tiles * z.tile_m * z.tile_n * 2;
        CHECK(shared.bytes_written == tiles * steps * (z.tile_m + z.tile_n) * 64 * 2 + of_out);
        // Each product reads 64 rows of A and all of B.
        CHECK(shared.bytes_read == products * (64 + z.tile_n) * 16 * 2 + of_out);
        if (z.k % 64 == 0 && z.n % 64 == 0 && z.m % 64 == 0)
            CHECK(global.sectors == (global.bytes_read + global.bytes_written) / 32);
        if (z.tile_n % 64 == 0) CHECK(shared.wavefronts == shared.ideal_wavefronts);
    }
}
