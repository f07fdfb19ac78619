// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/relayout.hpp>
#include <catch.hpp>

#include <array>
#include <string>
#include <vector>

namespace {

using namespace axe::literals;
using axe::errc;
using axe::Layout;
using axe::RelayoutOptions;
using axe::RelayoutSide;
using axe::Shape;
using Int = std::int64_t;

RelayoutOptions of_bits(int bits)
{
    RelayoutOptions o;
    o.bits = bits;
    return o;
}

void refused_plan(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape, const char* sentence,
                  const RelayoutOptions& o = {})
{
    const auto plan = axe::plan_relayout(to, from, shape, o);
    CHECK_FALSE(plan);
    CHECK(plan.error().code == errc::bad_argument);
    CHECK(plan.error().text == sentence);
}

/// A run that must be refused, and write nothing.
void refused_run(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape, std::size_t to_bytes, std::size_t from_bytes,
                 errc code, const char* sentence, const RelayoutOptions& o = {})
{
    alignas(64) std::array<unsigned char, 256> target{}, source{};
    source.fill(7);
    const auto plan = axe::plan_relayout(to, from, shape, o);
    REQUIRE(plan);
    const axe::Result<void, axe::Problem> p = plan->run(target.data(), to_bytes, source.data(), from_bytes);
    CHECK(p.code() == code);
    CHECK(p.error().text == sentence);
    CHECK(target == std::array<unsigned char, 256>{});
}

} // namespace

TEST_CASE("relayout safety: an address that is written twice, with the elements that write it")
{
    refused_plan("(2,3):(0,1)"_axe, "6:1"_axe, {6},
                 "the destination's element 0 is written twice, by the tensor's elements 0 and 3");
    refused_plan("(2,3):(2,1)"_axe, "6:1"_axe, {6},
                 "the destination's element 2 is written twice, by the tensor's elements 2 and 3");
    refused_plan("4:1@m + [2:3@m]"_axe, "4:1"_axe, {4},
                 "the destination's element 3 is written twice, by the tensor's elements 0 and 3");
    refused_plan("(2,3):(-2@m,1@m) + 2@m"_axe, "6:1"_axe, {6},
                 "the destination's element 2 is written twice, by the tensor's elements 0 and 5");
    refused_plan("(2,3):(2,1)"_axe, "6:1"_axe, {6},
                 "the destination's element 2 is written twice, by the tensor's elements 2 and 3", of_bits(4));
    RelayoutSide flat = "(2,3):(1@P,1@F)"_axe;
    flat.pitches.push_back({"P", 2});
    flat.pitches.push_back({"F", 1});
    refused_plan(flat, "6:1"_axe, {6}, "the destination's element 2 is written twice, by the tensor's elements 2 and 3");
    // A source may be read as often as it likes.
    CHECK(axe::plan_relayout("6:1"_axe, "(2,3):(0,1)"_axe, {6}));
}

TEST_CASE("relayout safety: only what is written counts in a padded destination")
{
    // Rows of 4 that are 3 apart: their fourth elements are the next rows' first.
    const RelayoutSide rows("(2,4):(3,1)"_axe, {2, 4});
    CHECK(axe::plan_relayout(rows, "(2,3):(3,1)"_axe, {2, 3}));
    refused_plan(rows, "(2,4):(4,1)"_axe, {2, 4}, "the destination's element 3 is written twice, by the tensor's elements 3 and 4");
    RelayoutOptions o;
    o.padding = 0;
    refused_plan(rows, "(2,3):(3,1)"_axe, {2, 3},
                 "the destination's element 3 is written twice, by the padding at (0,3) and the tensor's element 3", o);
    // Elements are numbered in the tensor's shape, not in the padded one.
    refused_plan(RelayoutSide("(3,8):(4,1)"_axe, {3, 8}), "(3,6):(6,1)"_axe, {3, 6},
                 "the destination's element 4 is written twice, by the tensor's elements 4 and 6");
    refused_plan(RelayoutSide("(3,8):(4,1)"_axe, {3, 8}), "(3,6):(6,1)"_axe, {3, 6},
                 "the destination's element 4 is written twice, by the tensor's elements 4 and 6", o);
    refused_plan(RelayoutSide("(2,4):(5,0)"_axe, {2, 4}), "(2,1):(1,1)"_axe, {2, 1},
                 "the destination's element 0 is written twice, by the tensor's element 0 and the padding at (0,1)", o);
    refused_plan(RelayoutSide("(4,2):(1,3)"_axe, {4, 2}), "(3,2):(2,1)"_axe, {3, 2},
                 "the destination's element 3 is written twice, by the tensor's element 1 and the padding at (3,0)", o);
}

TEST_CASE("relayout safety: two copies of one element at one address")
{
    refused_plan("2:20@m + [(2,2,2):(2@m,3@m,5@m)]"_axe, "2:1"_axe, {2},
                 "the destination's element 5 is written twice, by the tensor's element 0 and another copy of it");
    // Replicas that make a range are one.
    CHECK(axe::plan_relayout("2:20@m + [(3,3):(1@m,1@m)]"_axe, "2:1"_axe, {2}));
}

TEST_CASE("relayout safety: a swizzled destination's element is told where it goes")
{
    // 16-byte rows exchanged by pairs: the third row goes to the fourth.
    const axe::Swizzled<Layout> s{{1, 4, 1}, {}, 4, "(2,12):(8,1)"_axe};
    refused_plan(s, "24:1"_axe, {24}, "the destination's element 12 is written twice, by the tensor's elements 8 and 12");
}

TEST_CASE("relayout safety: a destination of any size that is written twice is found without walking it")
{
    Layout l;
    l.shard.push_back({Int{1} << 40, 0});
    Layout source;
    source.shard.push_back({Int{1} << 40, 1});
    refused_plan(l, source, {Int{1} << 40}, "the destination's element 0 is written twice, by the tensor's elements 0 and 1",
                 of_bits(8));
}

TEST_CASE("relayout safety: buffers that are too short, at either end")
{
    refused_run("6:1"_axe, "6:1"_axe, {6}, 23, 24, errc::out_of_domain,
                "destination: the layout covers byte 0 to byte 23, but the buffer has 23 bytes");
    refused_run("6:1"_axe, "6:1"_axe, {6}, 24, 0, errc::out_of_domain,
                "source: the layout covers byte 0 to byte 23, but the buffer has 0 bytes");
    refused_run("6:-1"_axe, "6:1"_axe, {6}, 24, 24, errc::out_of_domain,
                "destination: the layout covers byte -20 to byte 3, but the buffer has 24 bytes");
    refused_run("6:1@m + 100@m"_axe, "6:1"_axe, {6}, 256, 24, errc::out_of_domain,
                "destination: the layout covers byte 400 to byte 423, but the buffer has 256 bytes");
    refused_run("6:1@m + [2:8@m]"_axe, "6:1"_axe, {6}, 55, 24, errc::out_of_domain,
                "destination: the layout covers byte 0 to byte 55, but the buffer has 55 bytes");
    refused_run("5:1"_axe, "5:1"_axe, {5}, 2, 3, errc::out_of_domain,
                "destination: the layout covers byte 0 to byte 2, but the buffer has 2 bytes", of_bits(4));
    refused_run("5:-1@m + 3@m"_axe, "5:1"_axe, {5}, 3, 3, errc::out_of_domain,
                "destination: the layout covers byte -1 to byte 1, but the buffer has 3 bytes", of_bits(4));
    RelayoutOptions padded;
    padded.padding = 0;
    refused_run(RelayoutSide("8:1"_axe, {8}), "6:1"_axe, {6}, 24, 24, errc::out_of_domain,
                "destination: the layout covers byte 0 to byte 31, but the buffer has 24 bytes", padded);
    // The largest size there is.
    alignas(4) std::array<unsigned char, 24> to{}, from{};
    CHECK(axe::plan_relayout("6:1"_axe, "6:1"_axe, {6})->check(to.data(), ~std::size_t{0}, from.data(), ~std::size_t{0}).ok());
}

TEST_CASE("relayout safety: the range of a swizzled side is where its elements go")
{
    // 16-byte rows exchanged by pairs: three of four rows reach the fourth.
    const axe::Swizzled<Layout> s{{1, 4, 1}, {}, 4, "12:1"_axe};
    refused_run(s, "12:1"_axe, {12}, 48, 48, errc::out_of_domain,
                "destination: the layout covers byte 0 to byte 63, but the buffer has 48 bytes");
    refused_run("12:1"_axe, s, {12}, 48, 48, errc::out_of_domain,
                "source: the layout covers byte 0 to byte 63, but the buffer has 48 bytes");
    // Whole periods, and ranges within one.
    const axe::Swizzled<Layout> whole{{1, 4, 1}, {}, 4, "(2,8):(8,1)"_axe};
    CHECK(axe::plan_relayout(whole, "16:1"_axe, {16})->parts().to.most == 63);
    const axe::Swizzled<Layout> tail{{1, 4, 1}, {}, 4, "4:1@m + 8@m"_axe};
    CHECK(axe::plan_relayout(tail, "4:1"_axe, {4})->parts().to.least == 48);
    CHECK(axe::plan_relayout(tail, "4:1"_axe, {4})->parts().to.most == 63);
}

TEST_CASE("relayout safety: the range of a swizzled side that begins and ends within its periods")
{
    const Int n = Int{1} << 16;
    axe::Swizzled<Layout> s{{3, 4, 3}, {}, 4, {}};
    s.layout.shard.push_back({n, 1});
    *s.layout.offset.entry({}) = 4;
    Layout plain;
    plain.shard.push_back({n, 1});
    const auto plan = axe::plan_relayout(s, plain, {n});
    REQUIRE(plan);
    CHECK(plan->parts().to.least == 16);
    // The last 16 bytes lie in row 0 of their period, which the swizzle leaves alone.
    CHECK(plan->parts().to.most == 4 * n + 15);
}

TEST_CASE("relayout safety: null pointers and misaligned ones")
{
    alignas(64) std::array<unsigned char, 64> buffer{};
    const auto plan = axe::plan_relayout("6:1"_axe, "6:1"_axe, {6}).value();
    CHECK(plan.run(nullptr, 24, buffer.data(), 24).error().text == "destination: the buffer is a null pointer");
    CHECK(plan.run(buffer.data(), 24, nullptr, 24).error().text == "source: the buffer is a null pointer");
    CHECK(plan.run(buffer.data() + 1, 24, buffer.data() + 32, 24).error().text ==
          "destination: the buffer begins 1 byte past a multiple of 4, the size of an element");
    CHECK(plan.run(buffer.data(), 24, buffer.data() + 34, 24).error().text ==
          "source: the buffer begins 2 bytes past a multiple of 4, the size of an element");
    CHECK(plan.run(buffer.data() + 1, 24, buffer.data() + 32, 24).code() == errc::bad_argument);
    CHECK(plan.run(buffer.data() + 4, 24, buffer.data() + 36, 24).ok());
    CHECK(axe::plan_relayout("6:1"_axe, "6:1"_axe, {6}, of_bits(8))->run(buffer.data() + 1, 6, buffer.data() + 9, 6).ok());
    RelayoutOptions o; // each side by its own width
    o.from_type = axe::DType::f32;
    o.to_type = axe::DType::f16;
    const auto half = axe::plan_relayout("6:1"_axe, "6:1"_axe, {6}, o).value();
    CHECK(half.run(buffer.data() + 2, 12, buffer.data() + 16, 24).ok());
    CHECK(half.run(buffer.data() + 2, 12, buffer.data() + 18, 24).error().text ==
          "source: the buffer begins 2 bytes past a multiple of 4, the size of an element");
}

TEST_CASE("relayout safety: bytes that are read and written")
{
    alignas(64) std::array<float, 64> buffer{};
    for (std::size_t i = 0; i < 64; ++i) buffer[i] = static_cast<float>(i);
    const auto before = buffer;
    const auto plan = axe::plan_relayout("(4,4):(1,4)"_axe, "(4,4):(4,1)"_axe, {4, 4}).value();
    CHECK(plan.run(buffer.data(), 256, buffer.data(), 256).error().text ==
          "the buffers overlap: byte 0 of the source is byte 0 of the destination");
    CHECK(plan.run(buffer.data() + 15, 64, buffer.data(), 64).error().text ==
          "the buffers overlap: byte 60 of the source is byte 0 of the destination");
    CHECK(plan.run(buffer.data(), 64, buffer.data() + 15, 64).code() == errc::bad_argument);
    CHECK(buffer == before);
    CHECK(plan.run(buffer.data() + 16, 64, buffer.data(), 64).ok());
    CHECK(plan.run(buffer.data(), 64, buffer.data() + 16, 64).ok());
    // One byte is enough, at either end.
    std::array<unsigned char, 11> bytes{};
    const auto six = axe::plan_relayout("6:1"_axe, "6:-1@m + 5@m"_axe, {6}, of_bits(8)).value();
    CHECK(six.check(bytes.data() + 5, 6, bytes.data(), 6).error().text ==
          "the buffers overlap: byte 5 of the source is byte 0 of the destination");
    CHECK(six.check(bytes.data(), 6, bytes.data() + 5, 6).error().text ==
          "the buffers overlap: byte 0 of the source is byte 5 of the destination");
}

TEST_CASE("relayout safety: columns of one buffer that interleave are no overlap")
{
    std::array<float, 16> buffer{};
    for (std::size_t i = 0; i < 16; ++i) buffer[i] = static_cast<float>(i);
    const auto plan = axe::plan_relayout("8:2"_axe, "8:2"_axe, {8}).value();
    CHECK(plan.run(buffer.data() + 1, 60, buffer.data(), 60).ok());
    for (std::size_t i = 0; i < 16; ++i) CHECK(buffer[i] == static_cast<float>(i / 2 * 2));
    CHECK(plan.run(buffer.data() + 2, 60, buffer.data(), 60).error().text ==
          "the buffers overlap: byte 8 of the source is byte 0 of the destination");
    // Nibbles of one byte are shared bytes.
    std::array<unsigned char, 8> bytes{};
    const auto odd = axe::plan_relayout("8:2@m + 1@m"_axe, "8:2"_axe, {8}, of_bits(4)).value();
    CHECK(odd.run(bytes.data(), 8, bytes.data(), 8).error().text ==
          "the buffers overlap: byte 0 of the source is byte 0 of the destination");
}

TEST_CASE("relayout safety: padding is written, too")
{
    std::array<float, 8> buffer{1, 2, 3, 4, 5, 6, 7, 8};
    RelayoutOptions o;
    const RelayoutSide to("4:1"_axe, {4});
    CHECK(axe::plan_relayout(to, "2:1"_axe, {2}, o)->check(buffer.data(), 32, buffer.data() + 2, 8).ok());
    o.padding = 0;
    CHECK(axe::plan_relayout(to, "2:1"_axe, {2}, o)->check(buffer.data(), 32, buffer.data() + 2, 8).error().text ==
          "the buffers overlap: byte 0 of the source is byte 8 of the destination");
}
