// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <perform.hpp>
#include <tests/examples/said_again.hpp>
#include <tests/programs/removals.hpp>

/// Nothing in the examples is there for nothing: without any one of their barriers, waits, commits and guards a run says so.

namespace {

using namespace axe;

/// What may go without a run or `verify` noticing, and why that is right.
struct Redundant {
    const char* example;
    const char* machine;
    const char* what;
    const char* why;
    int statement = -1; ///< the one of that number alone; −1: each of them
};
constexpr Redundant redundant[] = {
    // One text for all machines, and on GPUs the barriers keep warps apart. On Trainium `lower` itself puts a barrier wherever an
    // instruction depends on one of another engine since the last barrier (order_engines): the same instructions, one barrier each.
    {"gemm", "trn1", "barrier", "order_engines puts it back"},
    {"gemm", "trn2", "barrier", "order_engines puts it back"},
    // A product of a warpgroup is complete for all its warps when one has waited for it: none still reads the tiles that are written next.
    {"gemm", "sm90", "barrier", "a wait for a product of warpgroups is one for all its warps", 10},
    // One agent multiplies into tensor memory for all: they meet it before the product and after it.
    {"gemm", "sm100", "barrier", "the agents meet at the product"},
    {"gemm_reduce_scatter", "sm90", "barrier", "a wait for a product of warpgroups is one for all its warps", 18},
    {"gemm_reduce_scatter network", "sm90", "barrier", "the same", 18},
    {"gemm_reduce_scatter queue", "sm90", "barrier", "the same", 58},
    {"gemm_reduce_scatter queue_network", "sm90", "barrier", "the same", 58},
    {"gemm_all_reduce", "sm90", "barrier", "the same", 18},
    {"gemm_all_reduce network", "sm90", "barrier", "the same", 18},
    {"cluster_gemm", "sm90", "barrier", "the same", 16},
    // Before the signal that a tile of the sums has come: a kernel behind it would read C (device_gemm.cpp).
    {"gemm_all_reduce", "sm90", "barrier", "nothing reads what comes last", 34},
    {"gemm_all_reduce network", "sm90", "barrier", "nothing reads what comes last", 28},
    {"gemm_all_reduce", "sm80", "barrier", "nothing reads what comes last", 34},
    {"all_gather_gemm", "sm90", "barrier", "the same", 25},
    {"grouped_gemm contiguous", "sm90", "barrier", "the same", 11},
    {"grouped_gemm psum", "sm90", "barrier", "the same", 14},
    {"grouped_gemm masked", "sm90", "barrier", "the same", 12},
    // The tiles of the second accumulator have all their rows, and steps before the last all their k.
    {"gemm_sm100 1", "sm100", "guard of A", "the tiles that it is for are whole", 36},
    {"gemm_sm100 1", "sm100", "guard of A", "the tiles that it is for are whole", 40},
    {"gemm_sm100 2", "sm100", "guard of A", "the tiles that it is for are whole", 43},
    {"gemm_sm100 2", "sm100", "guard of A", "the tiles that it is for are whole", 48},
    // wgmma reads of A, for each warp, the rows that this warp multiplies; here the warp has written them itself, and its lanes meet at the
    // proxy fence that the schedule puts between the two.
    {"digits", "sm90", "barrier", "each warp reads what it has written", 21},
    {"digits", "sm90", "barrier", "each warp reads what it has written", 47},
    // Rows of 8 are whole in a warp, in the stage of radix 2 and in that of radix 4.
    {"fft", "sm80", "barrier", "each warp reads what it has written", 71},
    {"fft", "sm90", "barrier", "the same", 71},
    {"fft", "sm100", "barrier", "the same", 71},
    // Blocks of keys go from the last to the first: only the first of them crosses the edge.
    {"flash_attention", "sm80", "guard of K", "the block at the edge comes first", 63},
    {"flash_attention", "sm90", "guard of K", "the block at the edge comes first", 31},
    {"flash_attention", "sm90", "guard of V", "the same", 34},
    {"flash_attention", "sm90", "mbarrier", "the turn of the group before, which has waited, comes first", 175},
    {"flash_attention", "sm90", "mbarrier", "the turn of the group before, which has waited, comes first", 179},
    {"flash_attention", "sm90", "mbarrier", "the turn of the group before, which has waited, comes first", 183},
    {"flash_attention", "sm90", "mbarrier", "the turn of the group before, which has waited, comes first", 214},
    {"flash_attention", "sm90", "mbarrier", "the turn of the group before, which has waited, comes first", 217},
};

/// How a program without something was found out; empty when it was not. A fault is the same with any number of threads, if that is asked.
std::string found_out(const examples::Performance& whole, const Program& less, bool asks_again)
{
    const auto problems = validate(less);
    if (!problems.empty()) return "validate: " + problems.front().text;
    const auto lowered = lower(less);
    if (!lowered) return "lower: " + lowered.error().text;
    sim::RunOptions options;
    options.counters = false;
    options.most_steps = 10'000'000;
    auto ready = sim::prepare(lowered->program);
    if (!ready) return "run: " + ready.error().text;
    const auto report = ready->run(whole.inputs, options);
    if (!report) return "run: " + report.error().text;
    if (!report->ok() && asks_again) removals::check_said_again(*ready, whole.inputs, options, report->fault);
    if (!report->ok()) return std::string("fault, ") + sim::name(report->fault.kind) + ": " + report->fault.text;
    const auto verified = verify(whole.program, whole.inputs, report->outputs);
    if (!verified) return "verify: " + verified.error().text;
    return verified->ok() ? "" : "wrong numbers: " + verified->text();
}

const char* reason(const std::string& example, const std::string& machine, const std::string& what, int statement)
{
    for (const Redundant& row : redundant)
        if (example == row.example && machine == row.machine && what == row.what &&
            (row.statement < 0 || row.statement == statement))
            return row.why;
    return nullptr;
}

using Values = std::vector<std::pair<std::string, std::string>>;

/// Can links of these machines' devices add what passes?
bool has_network_sums(std::string_view machine) { return machine != "sm80"; }

/// `kinds`: of the things those whose names begin so.
void remove_each(const examples::Example& example, const char* machine, int devices, const Values& values, const std::string& kinds)
{
    const auto setting = examples::setting(example, machine, devices, values);
    REQUIRE(setting);
    auto at = *setting;
    if (std::string(example.name) == "digits") REQUIRE(at.files.add(AXE_TEST_DATA "/../../examples/digits/data").ok());
    sim::RunOptions options;
    options.counters = false;
    const auto whole = examples::perform(example, at, options);
    INFO(example.name << " on " << machine);
    INFO((whole ? whole->report.fault.text : whole.error().text));
    REQUIRE(whole);
    REQUIRE(whole->ok());
    int removed = 0;
    const Program written = removals::with_chosen_layouts(whole->program, whole->lowered.program);
    removals::for_each_removal(written, [&](const Program& less, const removals::Removal& removal) {
        if (removal.what.rfind(kinds, 0) != 0) return;
        ++removed;
        INFO("without statement " << removal.statement << ", " << removal.what << "\n" << print(whole->program));
        const std::string how = found_out(*whole, less, std::string(machine) == example.machines.front());
        const bool stands = reason(example.name + (values.empty() ? "" : " " + values.front().second), machine, removal.what,
                                   removal.statement) != nullptr;
        if (stands)
            CHECK(how == ""); // else the table is out of date
        else
            CHECK(how != "");
    });
    INFO(removed << " things were taken away");
    CHECK((removed > 0 || std::string(example.name) == "copy" || std::string(example.name) == "reduce_scatter" ||
           std::string(example.name) == "spyre_linear"));
}

} // namespace

TEST_CASE("without any one barrier, wait, commit or guard the examples are wrong")
{
    for (const examples::Example& example : examples::table())
        for (const char* machine : example.machines) {
            const std::string name = example.name;
            if (removals::is_taken_apart_elsewhere(name, machine)) continue;
            std::vector<Values> forms{{}};
            if (name == "transpose") forms = {{{"tile", "swizzled"}}, {{"tile", "plain"}}};
            if (name == "grouped_gemm") forms = {{{"form", "contiguous"}}, {{"form", "psum"}}, {{"form", "masked"}}};
            if (name == "gemm_sm100") forms = {{{"ctas", "1"}}, {{"ctas", "2"}}};
            if (name == "sparse_mla")
                forms = {{}, {{"columns", "256"}, {"D", "144"}, {"V", "144"}, {"SQ", "2"}}}; // scores of some warps for all
            if (name == "fft") forms = {{}, {{"form", "registers"}, {"N", "32"}, {"M", "5"}}};
            if (name == "gemm_reduce_scatter") forms = {{}, {{"form", "queue"}}};
            if (name == "gemm_reduce_scatter" && has_network_sums(machine)) {
                forms.push_back({{"form", "network"}});
                forms.push_back({{"form", "queue_network"}});
            }
            if (name == "gemm_all_reduce" && has_network_sums(machine)) forms = {{}, {{"form", "network"}}};
            if (name == "cluster_gemm") forms = {{}, {{"form", "sharded"}}};
            if (name == "rmsnorm") forms = {{}, {{"form", "add_bias"}}};
            if (name == "reduce_scatter") forms = {{}, {{"form", "two_levels"}, {"nodes", "2"}}};
            if (name == "rope") forms = {{{"pairs", "halves"}}, {{"pairs", "neighbors"}}};
            for (const Values& values : forms) {
                // What else there is of pairs is taken away in gemm_sm100_pairs.cpp: here no accumulator has a second turn.
                const bool guards = name == "gemm_sm100" && values.front().second == "2";
                remove_each(example, machine, example.devices.front(), values, guards ? "guard" : "");
            }
        }
}
