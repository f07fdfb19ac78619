// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/examples/workload.hpp>
#include <tests/required.hpp>

/// histogram: few items and many, few bins and many, items that are in no bin, counts that are there before, and kernels with a fault.

namespace {

using namespace axe;
using workload::found, workload::performed;

} // namespace

TEST_CASE("a histogram is right for numbers of items and of bins around those of a block")
{
    workload::check_right("histogram", {{},
                                        {{"n", "1"}},
                                        {{"n", "1"}, {"bins", "1"}},
                                        {{"n", "1024"}, {"bins", "32"}},
                                        {{"n", "1025"}, {"bins", "300"}},
                                        {{"n", "2047"}, {"bins", "257"}},
                                        {{"n", "2048"}, {"data", "equal"}}});
}

TEST_CASE("a histogram adds to what is there, and counts no item outside of its bins")
{
    const auto made = performed("histogram", "sm80", {{"n", "7"}, {"bins", "4"}});
    Bindings in;
    Array x = Array::make({7}, DType::i32).value(), counts = Array::make({4}, DType::i32).value();
    const double items[] = {-1, 0, 3, 4, 2147483647, -2147483648.0, 3};
    for (std::int64_t i = 0; i < 7; ++i) x.set(i, items[i]);
    counts.set(3, 10);
    in.set("X", std::move(x)).set("counts", std::move(counts));
    const auto report = without_fault(sim::run(made.lowered.program, in).value());
    CHECK(verify(made.program, in, report.outputs).value().ok());
    const Array& after = *report.outputs.find("counts");
    CHECK((after.at(0) == 1 && after.at(1) == 0 && after.at(2) == 0 && after.at(3) == 12));
}

TEST_CASE("a histogram gives the same bits in every order of agents")
{
    workload::check_orders("histogram", {}, true);
    workload::check_orders("histogram", {{"n", "1500"}, {"bins", "3"}}, true);
}

TEST_CASE("a histogram without atomic operations, or of items behind the last, is found")
{
    const auto whole = performed("histogram", "sm80", {{"n", "1500"}, {"bins", "8"}});
    REQUIRE(whole.ok());
    CHECK(found(whole, [](Statement& s) { // counted by stores: lanes write the same bin
              Operation* o = workload::operation(s, Op::atomic_rows);
              if (o == nullptr) return false;
              o->op = Op::scatter;
              return true;
          }) == "race");
    CHECK(found(whole, [](Statement& s) { // each block's counts replace those of the others
              Operation* o = workload::operation(s, Op::atomic);
              if (o == nullptr) return false;
              o->op = Op::copy;
              return true;
          }) != "right");
    CHECK(found(whole, [](Statement& s) { // zeros behind the last item are counted
              Operation* o = workload::mapped(s, Function::less);
              if (o == nullptr) return false;
              o->function = Function::less_equal;
              return true;
          }) == "wrong");
    CHECK(found(whole, [](Statement& s) { // bins begin at 1
              Operation* o = workload::operation(s, Op::fill);
              if (o == nullptr || o->number != 0) return false;
              o->number = 1;
              return true;
          }) == "wrong");
}
