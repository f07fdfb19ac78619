// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/examples/workload.hpp>

#include <cmath>

/// sparse_mla: short lists, holes first, holes only, keys named twice, several groups and sequences, the sizes of models; kernels with a fault.

namespace {

using namespace axe;
using workload::found, workload::performed, workload::Values;

} // namespace

TEST_CASE("sparse_mla is right for lists of any length, holes before all keys, holes only and keys named twice")
{
    std::vector<Values> settings{{},
                                 {{"topk", "5"}, {"block", "16"}},
                                 {{"topk", "1"}, {"SQ", "1"}, {"SKV", "1"}, {"H", "1"}},
                                 {{"topk", "33"}, {"block", "16"}, {"SQ", "3"}},
                                 {{"topk", "100"}, {"block", "64"}, {"SQ", "2"}, {"H", "16"}}};
    for (const char* data : {"late", "empty", "same"}) settings.push_back({{"data", data}, {"SQ", "5"}});
    workload::check_right("sparse_mla", settings);
}

TEST_CASE("sparse_mla is right for heads of several blocks, groups and sequences")
{
    workload::check_right("sparse_mla", {{{"H", "70"}, {"SQ", "2"}, {"topk", "20"}},
                                         {{"H", "64"}, {"G", "2"}, {"SQ", "2"}, {"topk", "20"}, {"B", "2"}},
                                         {{"H", "128"}, {"SQ", "1"}, {"topk", "20"}}});
}

TEST_CASE("sparse_mla is right for keys of 288 numbers and of 576, 256 and 512 of which are values")
{
    for (const Values& values : {Values{{"D", "288"}, {"V", "256"}, {"H", "32"}, {"topk", "64"}, {"SQ", "1"}, {"SKV", "100"}},
                                 Values{{"D", "576"}, {"V", "512"}, {"H", "64"}, {"topk", "40"}, {"SQ", "1"}, {"SKV", "50"}}}) {
        const auto done = performed("sparse_mla", "sm90", values);
        INFO(workload::text_of(values) << done.report.fault.text << done.verification.text());
        CHECK(done.ok());
    }
}

TEST_CASE("sparse_mla is right where a block has more columns than the warps of the scores, 512 of them on every machine")
{
    workload::check_right("sparse_mla", {{{"D", "144"}, {"V", "144"}, {"columns", "256"}, {"SQ", "1"}, {"data", "late"}},
                                         {{"D", "512"},
                                          {"V", "512"},
                                          {"columns", "512"},
                                          {"block", "16"},
                                          {"H", "8"},
                                          {"SKV", "10"},
                                          {"topk", "20"},
                                          {"SQ", "1"}}});
    CHECK(performed("sparse_mla", "sm90", {{"D", "144"}, {"V", "144"}, {"columns", "256"}, {"SQ", "1"}, {"data", "empty"}}).ok());
}

TEST_CASE("sparse_mla of 512 columns in a block does not fit where fragments of keys need registers, and says by how many bytes")
{
    const auto setting = examples::setting(*examples::find("sparse_mla"), "sm80", 1,
                                           {{"D", "512"}, {"V", "512"}, {"columns", "512"}, {"block", "32"}, {"H", "64"}});
    REQUIRE(setting);
    const auto done = examples::perform(*examples::find("sparse_mla"), *setting);
    REQUIRE_FALSE(done);
    INFO(done.error().text);
    CHECK(done.error().code == errc::capacity);
    CHECK(done.error().text.ends_with(
        "`keys.fragments` takes 256 bytes of reg, 1040 together with the tensors alive there; each lane has 1020"));
}

TEST_CASE("a query of sparse_mla without keys is 0, its logarithm -inf, with one key twice it is that key's value, and the "
          "logarithm one more")
{
    const auto none = performed("sparse_mla", "sm80", {{"data", "empty"}, {"SQ", "2"}});
    REQUIRE(none.ok());
    const Array &o = *none.report.outputs.find("O"), &lse = *none.report.outputs.find("lse");
    for (std::int64_t i = 0; i < o.size(); ++i) CHECK(o.at(i) == 0);
    for (std::int64_t i = 0; i < lse.size(); ++i) CHECK(lse.at(i) == -INFINITY);

    const auto one = performed("sparse_mla", "sm80", {{"data", "same"}, {"SQ", "1"}, {"topk", "1"}});
    const auto two = performed("sparse_mla", "sm80", {{"data", "same"}, {"SQ", "1"}, {"topk", "2"}});
    for (std::int64_t i = 0; i < one.report.outputs.find("O")->size(); ++i)
        CHECK(one.report.outputs.find("O")->at(i) == two.report.outputs.find("O")->at(i));
    for (std::int64_t i = 0; i < one.report.outputs.find("lse")->size(); ++i)
        CHECK(std::fabs(two.report.outputs.find("lse")->at(i) - one.report.outputs.find("lse")->at(i) - 1) < 1e-5);
}

TEST_CASE("sparse_mla gives the same bits in every order of agents")
{
    workload::check_orders("sparse_mla", {}, true);
    workload::check_orders("sparse_mla", {{"H", "70"}, {"SQ", "1"}, {"topk", "33"}, {"block", "16"}}, true);
    workload::check_orders("sparse_mla", {{"D", "160"}, {"V", "160"}, {"columns", "256"}, {"SQ", "2"}}, true);
}

TEST_CASE("sizes that sparse_mla does not take are told")
{
    CHECK(workload::not_taken("sparse_mla", "sm80", {{"H", "7"}, {"G", "2"}}) == "sparse_mla: H is 7, not a multiple of G, 2");
    CHECK(workload::not_taken("sparse_mla", "sm80", {{"H", "20"}, {"G", "2"}}) ==
          "sparse_mla: a group has 10 heads; of several groups each must have a multiple of 16");
    CHECK(workload::not_taken("sparse_mla", "sm80", {{"D", "40"}}) ==
          "sparse_mla: D is 40 and V 32; both must be multiples of 16, V of 128 where it is larger, and V at most D");
    CHECK(workload::not_taken("sparse_mla", "sm80", {{"D", "400"}, {"V", "400"}, {"columns", "256"}}) ==
          "sparse_mla: D is 400 and V 400; both must be multiples of 16, V of 256 where it is larger, and V at most D");
}

TEST_CASE("sparse_mla that takes holes for keys, or does not rescale its sums, is found")
{
    for (const Values& values : {Values{}, Values{{"D", "144"}, {"V", "144"}, {"columns", "256"}, {"SQ", "2"}, {"H", "16"}}}) {
        INFO(workload::text_of(values));
        const auto whole = performed("sparse_mla", "sm80", values);
        REQUIRE(whole.ok());
        CHECK(found(whole, [](Statement& s) { // scores of holes are those of zeros
                  Operation* o = workload::mapped(s, Function::select);
                  if (o == nullptr || o->operands[0].rank() != 2) return false;
                  o->operands[3] = o->operands[2];
                  return true;
              }) == "wrong");
        CHECK(found(whole, [](Statement& s) { // sums are not rescaled
                  Operation* o = workload::mapped(s, Function::mul);
                  if (o == nullptr || o->operands[0].rank() != 2) return false;
                  o->operands[2] = o->operands[1];
                  return true;
              }) == "wrong");
    }
}
