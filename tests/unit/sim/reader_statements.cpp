// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/sim/memory/readers.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum DType;

/// Which statement a race names, where several agents have read what is written.

namespace {

/// Warps 1 and 2 read `s`, each in statements of its own; warp `first` of them is done with it before warp 0 writes.
sim::Fault fault_of(bool twice, int ordered, std::vector<int>& reads)
{
    Kernel k("readers", machines::sm80);
    const auto A = k.input("A", {32}, f32), C = k.output("C", {3, 32}, f32);
    one_block(k, 3, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        cta.warps(0, 1, [&](Scope w) {
            w.mbarrier({Mbarrier::Action::init, 0, 1, {}});
            w.copy(s, A);
        });
        cta.sync();
        for (int warp = 1; warp <= 2; ++warp)
            cta.warps(warp, 1, [&](Scope w) {
                for (int i = 0; i < (twice ? 2 : 1); ++i) {
                    reads.push_back(k.program().value().statements);
                    w.copy(C(warp, all), s);
                }
                if (warp == ordered) w.mbarrier({Mbarrier::Action::arrive, 0, 0, {}});
            });
        cta.warps(0, 1, [&](Scope w) {
            w.mbarrier({Mbarrier::Action::wait, 0, 0, 0});
            w.fill(s, 1);
        });
    });
    const auto lowered = required(lower(k.program().value()));
    Bindings in;
    in.set("A", Array::make({32}, f32).value());
    const auto report = required(sim::run(lowered->program, in));
    return report->fault;
}

} // namespace

TEST_CASE("a race with one of several readers names the statement of that reader", "[sim][readers]")
{
    for (const int ordered : {1, 2}) {
        std::vector<int> reads;
        const sim::Fault fault = fault_of(false, ordered, reads);
        INFO(fault.text);
        REQUIRE(fault.kind == sim::FaultKind::race);
        const int other = 3 - ordered, statement = reads.at(static_cast<std::size_t>(other - 1));
        CHECK(fault.text.find("of agent " + std::to_string(other) + " in statement " + std::to_string(statement) + ";") !=
              std::string::npos);
        CHECK(fault.other_statement == statement);
    }
}

TEST_CASE("a reader that reads in several statements: the race names all of them", "[sim][readers]")
{
    for (const int ordered : {1, 2}) {
        std::vector<int> reads;
        const sim::Fault fault = fault_of(true, ordered, reads);
        INFO(fault.text);
        REQUIRE(fault.kind == sim::FaultKind::race);
        const auto at = static_cast<std::size_t>(2 * (2 - ordered));
        CHECK(fault.text.find(" in statement " + std::to_string(reads.at(at)) + " or " + std::to_string(reads.at(at + 1)) + ";") !=
              std::string::npos);
    }
    CHECK(sim::any_of_text({3}) == "3");
    CHECK(sim::any_of_text({3, 5}) == "3 or 5");
    CHECK(sim::any_of_text({3, 5, 6}) == "3, 5 or 6");
    CHECK(sim::any_of_text({3, 5, 6, 9}) == "3, 5, 6 or …");
}
