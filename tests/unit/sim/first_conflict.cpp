// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>

using namespace axe;

namespace {

/// One warp writes half of the source and half of the destination that another one copies, with nothing between the two.
sim::Fault fault(std::int64_t source_from, std::int64_t target_from)
{
    Kernel k("copied", machines::sm80);
    const auto D = k.output("D", {64}, DType::f32);
    k.cta(
        tiles(64, 64),
        [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {64}, DType::f32, {}, "s"),
                       d = cta.alloc(Role::shared, {64}, DType::f32, {}, "d");
            cta.fill(s, 0).fill(d, 0).sync();
            cta.warps(0, 1, [&](Scope warp) {
                warp.fill(s(Interval(source_from, 32)), 1);
                warp.fill(d(Interval(target_from, 32)), 2);
            });
            cta.warps(1, 1, [&](Scope warp) { warp.copy(d, s); });
            cta.sync().copy(D(all), d);
        },
        2);
    const Program lowered = lower(k.program().value()).value().program;
    return sim::run(lowered, {}).value().fault;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("of a copy that conflicts in several elements the first one is reported, a read before a write", "[sim][shadow]")
{
    // The destination's conflict is in an earlier lane than the source's.
    const sim::Fault write = fault(32, 0);
    CHECK(write.kind == sim::FaultKind::race);
    CHECK(has(write.text, "element (0) of d"));
    CHECK(has(write.text, "is written here and by lane 0 of agent 0"));
    const sim::Fault read = fault(0, 32);
    CHECK(read.kind == sim::FaultKind::race);
    CHECK(has(read.text, "element (0) of s"));
    CHECK(has(read.text, "is read here and written by lane 0 of agent 0"));
    const sim::Fault both = fault(0, 0);
    CHECK(has(both.text, "element (0) of s"));
    CHECK(has(both.text, "is read here"));
    const sim::Fault middle = fault(20, 16);
    CHECK(has(middle.text, "element (16) of d"));
}
