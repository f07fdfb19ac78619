// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstring>
#include <tests/examples/performed.hpp>
#include <tests/examples/warp_specialized.hpp>
#include <tests/programs/removals.hpp>
#include <tests/required.hpp>

/// Attention in one pass: sizes at which tiles, masks and rings end, and what keeps it right.
namespace {

using namespace axe;
using Int = std::int64_t;
using AttentionValues = performed_examples::Values;

examples::Performance performed_attention(const char* machine, const AttentionValues& values, const sim::RunOptions& options = {})
{
    return performed_examples::performed("flash_attention", machine, values, options);
}

Int value_of(const AttentionValues& values, const std::string& name, Int standard)
{
    for (const auto& [n, v] : values)
        if (n == name) return std::stoll(v);
    return standard;
}

/// Keys or values of whole sequences, where they are in pages.
Array of_whole_sequences(const examples::Performance& p, const char* name, Int count)
{
    const Array& pool = *p.inputs.find(name);
    const Array* table = p.inputs.find("pages");
    if (table == nullptr) return pool.clone().value();
    const Int page = pool.shape()[1], heads = pool.shape()[2], dim = pool.shape()[3];
    Array out = Array::make({table->shape()[0], count, heads, dim}, pool.dtype()).value();
    for (Int b = 0; b < table->shape()[0]; ++b)
        for (Int j = 0; j < count; ++j)
            for (Int x = 0; x < heads * dim; ++x) {
                const auto from = static_cast<Int>(table->at(Coord{b, j / page}));
                out.set((b * count + j) * heads * dim + x, pool.at((from * page + j % page) * heads * dim + x));
            }
    return out;
}

/// The same by plain loops in f64; the greatest difference.
double difference_from_loops(const examples::Performance& p, Int keys, Int window, bool causal)
{
    const Array K = of_whole_sequences(p, "K", keys), V = of_whole_sequences(p, "V", keys);
    const Array &Q = *p.inputs.find("Q"), &O = *p.report.outputs.find("O"), &lse = *p.report.outputs.find("lse");
    const Int B = Q.shape()[0], Sq = Q.shape()[1], H = Q.shape()[2], D = Q.shape()[3], Sk = keys, Hk = K.shape()[2];
    double worst = 0;
    for (Int b = 0; b < B; ++b)
        for (Int h = 0; h < H; ++h)
            for (Int i = 0; i < Sq; ++i) {
                std::vector<double> s;
                double most = -INFINITY, sum = 0;
                for (Int j = 0; j < Sk; ++j) {
                    const bool seen = (!causal || j <= i + Sk - Sq) && (window == 0 || j > i + Sk - Sq - window);
                    double x = 0;
                    for (Int d = 0; d < D; ++d) x += Q.at(Coord{b, i, h, d}) * K.at(Coord{b, j, h / (H / Hk), d});
                    s.push_back(seen ? x / std::sqrt(static_cast<double>(D)) : -INFINITY);
                    most = std::max(most, s.back());
                }
                for (double& x : s) {
                    x = most == -INFINITY ? 0 : std::exp(x - most);
                    sum += x;
                }
                for (Int d = 0; d < D; ++d) {
                    double o = 0;
                    for (Int j = 0; j < Sk; ++j) o += s[static_cast<std::size_t>(j)] * V.at(Coord{b, j, h / (H / Hk), d});
                    worst = std::max(worst, std::fabs(O.at(Coord{b, i, h, d}) - (sum == 0 ? 0 : o / sum)));
                }
                const double log_sum = sum == 0 ? -INFINITY : most + std::log(sum), got = lse.at(Coord{b, h, i});
                if (got != log_sum) worst = std::max(worst, std::fabs(got - log_sum));
            }
    return worst;
}

struct AttentionCase {
    const char* what;
    AttentionValues values;
};
const AttentionCase attention_cases[] = {
    {"one query, one key", {{"Sq", "1"}, {"Sk", "1"}, {"Hq", "1"}}},
    {"one query", {{"Sq", "1"}, {"Sk", "100"}}},
    {"129 keys, all seen", {{"Sq", "65"}, {"Sk", "129"}, {"Hq", "1"}, {"mask", "none"}}},
    {"more queries than keys: the first see none", {{"Sq", "140"}, {"Sk", "40"}, {"Hq", "1"}}},
    {"four heads of queries for one of keys, two sequences", {{"B", "2"}, {"Sq", "20"}, {"Sk", "33"}, {"Hq", "8"}, {"Hk", "2"}}},
    {"a score of 10,000", {{"Sq", "40"}, {"Sk", "70"}, {"Hq", "1"}, {"data", "large"}, {"mask", "none"}}},
    {"scores of -infinity alone", {{"Sq", "40"}, {"Sk", "70"}, {"Hq", "1"}, {"data", "infinite"}}},
    {"a window", {{"Sq", "130"}, {"Sk", "150"}, {"Hq", "1"}, {"mask", "window"}, {"block", "32"}}},
    {"a window of one key", {{"Sq", "50"}, {"Sk", "40"}, {"Hq", "1"}, {"mask", "window"}, {"window", "1"}}},
    {"pages of 16 keys, in an order of their own, the last of one key",
     {{"B", "2"}, {"Sq", "40"}, {"Sk", "129"}, {"page", "16"}, {"mask", "none"}}},
    {"pages of 64 keys", {{"Sq", "30"}, {"Sk", "200"}, {"Hq", "4"}, {"Hk", "2"}, {"page", "64"}}},
    {"pages of 128 keys, of which a block is a part",
     {{"B", "2"}, {"Sq", "20"}, {"Sk", "150"}, {"Hq", "1"}, {"page", "128"}, {"block", "32"}}},
    {"128 numbers a head", {{"Sq", "30"}, {"Sk", "65"}, {"Hq", "1"}, {"D", "128"}}},
};

/// Without the barriers by which the two groups take turns.
Program without_turns(Program program)
{
    const auto without = [](auto& self, Body& body) -> void {
        rewrite(body, [&](Statement& s, Body& out) {
            for_each_body(s, [&](Body& inner) { self(self, inner); });
            if (!std::holds_alternative<NamedBarrier>(s.what)) out.push_back(std::move(s));
        });
    };
    without(without, program.body);
    return program;
}

} // namespace

TEST_CASE("flash_attention: sizes at which tiles, masks and rings end")
{
    for (const char* machine : {"sm80", "sm90", "sm100"})
        for (const AttentionCase& c : attention_cases) {
            INFO(machine << ", " << c.what);
            const auto p = performed_attention(machine, c.values);
            INFO(p.report.fault.text << p.verification.text());
            CHECK(p.ok());
            CHECK(std::string(p.verification.word()) == "right");
            std::string mask = "causal", data = "random";
            for (const auto& [n, v] : c.values) {
                if (n == "mask") mask = v;
                if (n == "data") data = v;
            }
            if (data != "infinite") // 0·∞ in a plain product
                CHECK(difference_from_loops(p, value_of(c.values, "Sk", 257),
                                            mask == "window" ? value_of(c.values, "window", 48) : 0, mask != "none") < 1e-2);
            int products = 0, in_place = 0;
            for (const Choice& choice : p.lowered.choices) {
                if (choice.schedule != "wgmma" && choice.schedule != "mma_sync" && choice.schedule != "tcgen05") continue;
                ++products;
                CHECK(choice.schedule == (std::string(machine) == "sm80"   ? "mma_sync"
                                          : std::string(machine) == "sm90" ? "wgmma"
                                                                           : "tcgen05"));
                in_place += choice.detail.find("p is in") != std::string::npos ? 1 : 0;
            }
            CHECK(products > in_place);
            CHECK((in_place > 0) == (std::string(machine) != "sm100")); // there P is in tensor memory
            if (data == "infinite") {
                const Array &O = *p.report.outputs.find("O"), &lse = *p.report.outputs.find("lse");
                for (Int i = 0; i < O.size(); ++i) CHECK(O.at(i) == 0);
                for (Int i = 0; i < lse.size(); ++i) CHECK(lse.at(i) == -INFINITY);
            }
        }
}

TEST_CASE("flash_attention: no order changes a bit, no level either")
{
    for (const char* machine : {"sm80", "sm90", "sm100"}) {
        const auto whole =
            performed_attention(machine, {{"Sq", "70"}, {"Sk", "140"}, {"block", "32"}, {"Hq", "1"}, {"page", "16"}});
        INFO(whole.report.fault.text);
        REQUIRE(whole.ok());
        for (const sim::Level level : {sim::Level::full, sim::Level::fast})
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.level = level;
                options.order = order;
                options.seed = 7;
                const auto report = required(sim::run(whole.lowered.program, whole.inputs, options));
                INFO(name(order) << " " << report->fault.text);
                REQUIRE(report->ok());
                for (const char* output : {"O", "lse"}) {
                    const Array &a = *whole.report.outputs.find(output), &b = *report->outputs.find(output);
                    CHECK(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size_bytes())) == 0);
                }
            }
    }
}

TEST_CASE("flash_attention: a page that does not exist is a fault that names its place in the table")
{
    for (const char* machine : {"sm80", "sm90", "sm100"}) {
        const auto whole = performed_attention(machine, {{"Sq", "20"}, {"Sk", "70"}, {"Hq", "1"}, {"page", "16"}});
        REQUIRE(whole.ok());
        Bindings in;
        for (const char* name : {"Q", "K", "V"}) in.set(name, whole.inputs.find(name)->clone().value());
        Array pages = whole.inputs.find("pages")->clone().value();
        pages.set(3, 10); // 5 pages are used, of 10
        in.set("pages", std::move(pages));
        const auto report = required(sim::run(whole.lowered.program, in));
        CHECK(report->fault.kind == sim::FaultKind::out_of_bounds);
        INFO(report->fault.text);
        CHECK(report->fault.text.find("index `page` is 10, from element (0,3) of pages; it must be a whole number from 0 to 9") !=
              std::string::npos);
    }
}

TEST_CASE("flash_attention: what it does not take")
{
    const examples::Example& example = *examples::find("flash_attention");
    const auto setting = examples::setting(example, "sm80", 1, {{"Hq", "3"}, {"Hk", "2"}});
    REQUIRE(setting);
    CHECK(example.build(*setting).error().text == "flash_attention: Hq is 3, not a multiple of Hk, 2");
}

TEST_CASE("flash_attention: without any one barrier, wait, commit, arrival or expectation a run says where")
{
    std::string text;
    for (const char* machine : {"sm80", "sm90"}) {
        const auto whole = performed_attention(machine, {{"Hq", "1"}});
        REQUIRE(whole.ok());
        performed_examples::Tally found;
        for (int number = 0;; ++number) {
            Program less = whole.lowered.program;
            removals::Remover remover(whole.lowered.program, number);
            if (!remover.from(less.body)) break;
            const removals::Removal& removal = remover.removal;
            std::string what = removal.what;
            for_each_statement(whole.lowered.program.body, [&](const Statement& s) {
                if (s.id != removal.statement) return;
                if (const auto* m = std::get_if<Mbarrier>(&s.what)) {
                    constexpr const char* actions[] = {"init", "arrive", "expect", "wait"};
                    what = std::string(m->id == 8      ? "queries"
                                       : m->id % 4 < 2 ? "full"
                                                       : "empty") +
                           " " + actions[static_cast<int>(m->action)];
                }
                if (const auto* w = std::get_if<Wait>(&s.what); w != nullptr && w->of == Wait::Of::products) what = "wait_products";
            });
            INFO(machine << " without statement " << removal.statement << ", " << what << "\n" << print(whole.program));
            sim::RunOptions options;
            options.counters = false;
            auto report = required(sim::run(less, whole.inputs, options));
            // The second group's turn comes after that of the first, which has waited for the same tiles.
            if (report->ok()) {
                what += " of the second group, without turns";
                report = sim::run(without_turns(less), whole.inputs, options);
                REQUIRE(report);
            }
            CHECK(!report->ok());
            const sim::Fault& f = report->fault;
            if (f.kind == sim::FaultKind::race || f.kind == sim::FaultKind::proxy) CHECK(f.other_statement >= 0);
            ++found[what][sim::name(f.kind)];
        }
        text += std::string(machine) + "\n";
        text += performed_examples::text_of(found);
    }
    CHECK(text == "sm80\n"
                  "barrier: 2 race\n"
                  "commit: 3 race\n"
                  "wait: 2 race\n"
                  "sm90\n"
                  "barrier: 1 transaction\n"
                  "empty arrive: 8 deadlock\n"
                  "empty init: 4 transaction\n"
                  "empty wait: 4 transaction\n"
                  "full expect: 4 deadlock\n"
                  "full init: 4 transaction\n"
                  "full wait: 8 race\n"
                  "full wait of the second group, without turns: 4 race\n"
                  "named barrier: 4 barrier divergence 7 deadlock\n"
                  "queries expect: 1 deadlock\n"
                  "queries init: 1 transaction\n"
                  "queries wait: 1 race\n"
                  "queries wait of the second group, without turns: 1 race\n"
                  "wait_products: 14 race\n");
}

TEST_CASE("flash_attention: the turns of the two groups are for speed alone")
{
    const auto whole = performed_attention("sm90", {{"Sq", "70"}, {"Sk", "140"}, {"block", "32"}, {"Hq", "1"}});
    REQUIRE(whole.ok());
    // 5 blocks of 32 keys for each of two groups: 4 products of 16 of 64 numbers for scores, 2 of 16 of 32 keys for values.
    const sim::Counters& total = whole.report.total;
    CHECK(total.by_text.at("wgmma.mma_async.m64n32") == 2 * 5 * 4);
    CHECK(total.by_text.at("wgmma.mma_async.m64n64") == 2 * 5 * 2);
    CHECK(total.memories.at("gmem").bytes_written == 2 * 70 * 64 + 4 * 70);
    const Program less = without_turns(whole.lowered.program);
    const auto report = without_fault(sim::run(less, whole.inputs));
    const Array &a = *whole.report.outputs.find("O"), &b = *report->outputs.find("O");
    CHECK(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size_bytes())) == 0);
}
