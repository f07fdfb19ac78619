// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/examples/warp_specialized.hpp>
#include <tests/required.hpp>

/// Attention with scores, probabilities and sums in tensor memory: what keeps its five roles apart, and what products and bytes it takes.
namespace {

using namespace axe;

/// 4 or 5 blocks of 32 keys for 150 or 256 queries: each mbarrier has phases of both parities, each ring more rounds than stages, and the last block
/// is in either stage.
examples::Performance performed_in_tensor_memory(const char* keys = "129", const char* queries = "150")
{
    return performed_examples::performed("flash_attention", "sm100",
                                         {{"Hq", "1"}, {"Sq", queries}, {"Sk", keys}, {"block", "32"}, {"mask", "none"}});
}

/// The mbarriers of tensor_memory.hpp.
std::string name_of_attention_barrier(int id)
{
    constexpr const char* rings[] = {"keys full", "keys empty", "values full", "values empty"};
    constexpr const char* pairs[] = {"S full", "S empty", "P and O ready", "sums full", "ratio empty", "result full"};
    if (id < 8) return rings[id / 2];
    return id == 8 ? "queries full" : pairs[(id - 9) / 2];
}

} // namespace

TEST_CASE("flash_attention on sm100: products, bytes, and where the sums are")
{
    const auto whole = performed_in_tensor_memory();
    INFO(whole.report.fault.text << whole.verification.text());
    REQUIRE(whole.ok());
    CHECK(std::string(whole.verification.word()) == "right");
    const sim::Counters& total = whole.report.total;
    // For each of 5 blocks and 2 tiles of queries the scores, of 64 numbers, and the values, of 32 keys, in steps of 16.
    CHECK(total.by_text.at("tcgen05.mma.cta_group::1.kind::f16") == 5 * 2 * (4 + 2));
    CHECK(total.memories.at("gmem").bytes_written == 2 * 150 * 64 + 4 * 150);
    int placed = 0;
    for (const Choice& c : whole.lowered.choices)
        placed += c.detail.find(": as the products into tensor memory ask") != std::string::npos;
    CHECK(placed == 2); // S and the sums of O; P has a layout of its own
}

TEST_CASE("flash_attention on sm100: a warp rescales the sums where one of its queries asks for it, and no other does")
{
    // All scores are 0 but those of some queries with key 0, which is in the last of three blocks to come: 1.44·16·y/8 as a power of 2.
    const auto whole = performed_in_tensor_memory("96");
    REQUIRE(whole.ok());
    const auto stores = [&](const std::vector<std::int64_t>& queries, double y) {
        Bindings in;
        for (const char* name : {"Q", "K", "V"}) {
            Array a = whole.inputs.find(name)->clone().value();
            if (*name != 'V')
                for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, 0);
            in.set(name, std::move(a));
        }
        in.find("K")->set(0, 16);
        for (const std::int64_t q : queries) in.find("Q")->set(q * 64, y);
        std::int64_t out = -1;
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const auto report = without_fault(sim::run(whole.lowered.program, in, options));
            const auto verified = verify(whole.program, in, report->outputs);
            REQUIRE(verified);
            INFO(verified->text());
            CHECK(verified->ok());
            const auto& texts = report->total.by_text;
            const auto at = texts.find("tcgen05.st.sync.aligned.32x32b.x32.b32");
            const std::int64_t now = at == texts.end() ? 0 : at->second;
            CHECK((out < 0 || out == now));
            out = now;
        }
        return out;
    };
    CHECK(stores({}, 0) == 0);
    CHECK(stores({40}, 2.5) == 0);                // by 7.2: the greatest score so far stays
    CHECK(stores({40}, 3) == 2);                  // by 8.7: one warp, 64 columns of the sums
    CHECK(stores({40, 41, 63}, 3) == 2);          // the same warp
    CHECK(stores({0, 31, 32, 100, 149}, 3) == 8); // four warps, of both tiles
}

/// The program without a piece, the number-th of those of a list: pieces of its text, or waits that are for the first phase again and again.
bool taken_from_attention(Program& less, int number, bool flips, removals::Removal& removal)
{
    if (flips) return warp_specialized::without_flip(less.body, name_of_attention_barrier, number, removal);
    const Program whole = less;
    removals::Remover remover(whole, number);
    const bool found = remover.from(less.body);
    removal = remover.removal;
    return found;
}

TEST_CASE("flash_attention on sm100: without any one barrier, wait, fence, commit, arrival or phase flip a run says where")
{
    auto whole = performed_in_tensor_memory("129", "256"), other = performed_in_tensor_memory("97", "256");
    REQUIRE(whole.ok());
    REQUIRE(other.ok());
    // Scores so far apart that each warp of the correction rescales its sums in some step.
    for (examples::Performance* p : {&whole, &other}) {
        Array& q = *p->inputs.find("Q");
        for (std::int64_t i = 0; i < q.size(); ++i) q.set(i, 8 * q.at(i));
    }
    performed_examples::Tally found;
    for (const bool flips : {false, true})
        for (int number = 0;; ++number) {
            Program less = whole.lowered.program;
            removals::Removal removal;
            if (!taken_from_attention(less, number, flips, removal)) break;
            const std::string what = warp_specialized::kind_of(whole.lowered.program, removal, name_of_attention_barrier);
            INFO("without statement " << removal.statement << ", " << what << "\n" << print(whole.program));
            sim::RunOptions options;
            options.counters = false;
            auto report = required(sim::run(less, whole.inputs, options));
            if (report->ok()) { // where the last block is in the other stage
                less = other.lowered.program;
                REQUIRE(taken_from_attention(less, number, flips, removal));
                report = sim::run(less, other.inputs, options);
                REQUIRE(report);
            }
            const sim::Fault& f = report->fault;
            if (f.kind == sim::FaultKind::race || f.kind == sim::FaultKind::proxy) CHECK(f.other_statement >= 0);
            ++found[what][sim::name(f.kind)];
        }
    // None, as nothing else is meant to happen: after the last loads of the sums nothing is written there (16 wait_tensor_loads); the second
    // commit of the store takes both copies; and flips where there is no flip: waits for one phase alone (queries, result), and those of blocks
    // of one stage of two, whose numbers are all even or all odd (P and O ready, S empty; values, of the last block).
    CHECK(performed_examples::text_of(found) == "P and O ready arrive: 10 deadlock\n"
                                                "P and O ready init: 2 transaction\n"
                                                "P and O ready wait: 8 race\n"
                                                "S empty arrive: 2 deadlock\n"
                                                "S empty init: 2 transaction\n"
                                                "S empty wait: 3 race 1 transaction\n"
                                                "S full commit: 4 deadlock\n"
                                                "S full init: 2 transaction\n"
                                                "S full wait: 2 race\n"
                                                "barrier: 1 transaction\n"
                                                "commit: 1 asynchronous operation unfinished 1 none\n"
                                                "keys empty commit: 2 deadlock\n"
                                                "keys empty init: 2 transaction\n"
                                                "keys empty wait: 2 transaction\n"
                                                "keys full expect: 2 deadlock\n"
                                                "keys full init: 2 transaction\n"
                                                "keys full wait: 2 race\n"
                                                "named barrier: 4 deadlock 16 race\n"
                                                "phase flip of P and O ready wait: 4 none 4 race\n"
                                                "phase flip of S empty wait: 1 deadlock 2 none 1 transaction\n"
                                                "phase flip of S full wait: 2 transaction\n"
                                                "phase flip of keys empty wait: 1 deadlock 1 transaction\n"
                                                "phase flip of keys full wait: 2 deadlock\n"
                                                "phase flip of queries full wait: 1 none\n"
                                                "phase flip of ratio empty wait: 3 barrier divergence 1 deadlock\n"
                                                "phase flip of result full wait: 2 none\n"
                                                "phase flip of sums full wait: 18 deadlock\n"
                                                "phase flip of values empty wait: 2 transaction\n"
                                                "phase flip of values full wait: 3 deadlock 1 none\n"
                                                "proxy fence: 8 proxy fence missing\n"
                                                "queries full expect: 1 deadlock\n"
                                                "queries full init: 1 transaction\n"
                                                "queries full wait: 1 race\n"
                                                "ratio empty arrive: 8 deadlock\n"
                                                "ratio empty init: 2 transaction\n"
                                                "ratio empty wait: 3 barrier divergence 1 race\n"
                                                "result full arrive: 8 deadlock\n"
                                                "result full init: 2 transaction\n"
                                                "result full wait: 2 race\n"
                                                "sums full commit: 8 deadlock\n"
                                                "sums full init: 2 transaction\n"
                                                "sums full wait: 18 race\n"
                                                "tensor fence after: 32 proxy fence missing\n"
                                                "tensor fence before: 12 proxy fence missing\n"
                                                "values empty commit: 2 deadlock\n"
                                                "values empty init: 2 transaction\n"
                                                "values empty wait: 2 transaction\n"
                                                "values full expect: 2 deadlock\n"
                                                "values full init: 2 transaction\n"
                                                "values full wait: 4 race\n"
                                                "wait_sources: 1 asynchronous operation unfinished\n"
                                                "wait_tensor_loads: 16 none 18 race\n"
                                                "wait_tensor_stores: 10 race\n");
}
