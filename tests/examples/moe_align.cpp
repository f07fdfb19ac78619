// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <set>
#include <tests/examples/workload.hpp>
#include <tests/programs/removals.hpp>
#include <tests/required.hpp>

/// moe_align: no item and many, one expert and many, both forms; all orders; kernels with a fault.

namespace {

using namespace axe;
using workload::found, workload::performed, workload::Values;

/// The forms that a machine has.
std::vector<const char*> forms_of(const std::string& machine)
{
    return machine == "sm80" ? std::vector<const char*>{"atomic"} : std::vector<const char*>{"atomic", "cluster"};
}

Values with_form(Values values, const char* form)
{
    values.push_back({"form", form});
    return values;
}

} // namespace

TEST_CASE("moe_align is right without items, with one, and with as many experts as lanes, more and fewer")
{
    const std::vector<Values> settings{{},
                                       {{"n", "0"}},
                                       {{"n", "1"}},
                                       {{"n", "1"}, {"E", "1"}, {"B", "1"}},
                                       {{"n", "0"}, {"E", "1"}, {"B", "1"}},
                                       {{"n", "300"}, {"E", "3"}, {"B", "1"}},
                                       {{"n", "2305"}, {"E", "64"}},
                                       {{"n", "500"}, {"E", "127"}, {"B", "4"}},
                                       {{"n", "500"}, {"E", "128"}, {"B", "4"}},
                                       {{"n", "256"}, {"E", "512"}},
                                       {{"n", "900"}, {"E", "64"}, {"routing", "last"}},
                                       {{"n", "900"}, {"E", "1"}, {"B", "128"}}};
    for (const char* machine : {"sm80", "sm90", "sm100"})
        for (const char* form : forms_of(machine))
            for (const Values& values : settings) {
                const auto done = performed("moe_align", machine, with_form(values, form));
                INFO(machine << " " << form << workload::text_of(values) << done.report.fault.text << done.verification.text());
                CHECK(done.ok());
                CHECK(std::string(done.verification.word()) == "right");
            }
}

TEST_CASE("moe_align of vLLM's example, whose experts count from 1 there and from 0 here")
{
    // topk_ids [[2,3,4],[1,2,4],[1,3,4],[1,2,3]], four experts, tiles of 4: four tiles, each of one expert, with an empty place at the end.
    const auto made = performed("moe_align", "sm90", {{"n", "12"}, {"E", "4"}, {"B", "4"}});
    Bindings in;
    Array ids = Array::make({12}, DType::i32).value();
    const int experts[] = {2, 3, 4, 1, 2, 4, 1, 3, 4, 1, 2, 3};
    for (std::int64_t i = 0; i < 12; ++i) ids.set(i, experts[i] - 1);
    in.set("ids", std::move(ids)).set("arrived", Array::make({1}, DType::i32).value());
    const auto report = sim::run(made.lowered.program, in).value();
    REQUIRE(report.ok());
    CHECK(report.outputs.find("post")->at(0) == 16);
    const Array &sorted = *report.outputs.find("sorted"), &of = *report.outputs.find("expert_ids");
    const std::set<double> wanted[] = {{3, 6, 9}, {0, 4, 10}, {1, 7, 11}, {2, 5, 8}};
    for (std::int64_t e = 0; e < 4; ++e) {
        CHECK(of.at(e) == static_cast<double>(e));
        std::set<double> items;
        for (std::int64_t i = 0; i < 3; ++i) items.insert(sorted.at(4 * e + i));
        CHECK(items == wanted[e]);
        CHECK(sorted.at(4 * e + 3) == 12);
    }
}

TEST_CASE("moe_align is right in every order of blocks and agents, in which items of an expert may change places")
{
    for (const char* form : {"atomic", "cluster"}) {
        workload::check_orders("moe_align", with_form({}, form), false);
        workload::check_orders("moe_align", with_form({{"n", "900"}, {"E", "2"}, {"routing", "last"}}, form), false);
    }
}

TEST_CASE("moe_align takes tiles of powers of two, clusters where there are any, and experts that exist")
{
    CHECK(workload::not_taken("moe_align", "sm90", {{"B", "12"}}) == "moe_align: B is 12; it must be a power of two");
    CHECK(workload::not_taken("moe_align", "sm80", {{"form", "cluster"}}) ==
          "moe_align: form=cluster needs clusters of 8 blocks; sm80 has none");
    CHECK(workload::not_taken("moe_align", "sm80", {{"n", "-1"}}) == "moe_align: n is a number from 0 to 1048576, not \"-1\"");
}

TEST_CASE("without any one barrier, barrier of the cluster or guard a cluster that aligns is wrong")
{
    const auto whole = performed("moe_align", "sm90", {{"form", "cluster"}, {"n", "2300"}});
    REQUIRE(whole.ok());
    const Program written = removals::with_chosen_layouts(whole.program, whole.lowered.program);
    const int removed = removals::for_each_removal(written, [&](const Program& less, const removals::Removal& removal) {
        INFO("without statement " << removal.statement << ", " << removal.what);
        if (!validate(less).empty()) return;
        const auto report = required(sim::run(lower(less).value().program, whole.inputs));
        CHECK(report->fault.found());
    });
    CHECK(removed > 12);
    // And a barrier of the cluster as a whole, arrival and wait.
    int barriers = 0;
    for (int which = 0;; ++which) {
        Program less = written;
        int left = 2 * which, gone = 0;
        const std::function<void(Body&)> take = [&](Body& body) {
            for (std::size_t i = 0; i < body.size();) {
                if (std::holds_alternative<ClusterBarrier>(body[i].what) && (left-- <= 0) && gone < 2) {
                    body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
                    ++gone;
                    continue;
                }
                for_each_body(body[i], [&](Body& inner) {
                    take(inner);
                    return false;
                });
                ++i;
            }
        };
        take(less.body);
        if (gone == 0) break;
        ++barriers;
        INFO("without barrier " << which);
        const auto report = required(sim::run(lower(less).value().program, whole.inputs));
        CHECK(report->fault.found());
    }
    CHECK(barriers == 4);
}

TEST_CASE("experts that are not aligned, items without a place of their own and tiles one off are found")
{
    for (const char* form : {"atomic", "cluster"}) {
        INFO(form);
        const auto whole = performed("moe_align", "sm90", {{"form", form}});
        REQUIRE(whole.ok());
        CHECK(found(whole, [](Statement& s) { // counts are not rounded up
                  Operation* o = workload::operation(s, Op::fill);
                  if (o == nullptr || o->number != 15) return false;
                  o->number = 0;
                  return true;
              }) != "right");
        CHECK(found(whole, [](Statement& s) { // an inclusive scan
                  Operation* o = workload::operation(s, Op::scan);
                  if (o == nullptr) return false;
                  o->exclusive = false;
                  return true;
              }) != "right");
        CHECK(found(whole, [](Statement& s) { // the tile behind
                  Operation* o = workload::mapped(s, Function::less_equal);
                  if (o == nullptr) return false;
                  o->function = Function::less;
                  return true;
              }) == "wrong");
    }
}
