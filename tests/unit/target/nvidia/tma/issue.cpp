// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/issue.hpp>
#include <catch.hpp>

#include <string>

using axe::TensorMap;
using axe::TmaIssue;
using axe::TmaMode;
using axe::TmaRules;
using axe::TmaUse;

namespace {

constexpr TensorMap matrix()
{
    TensorMap map;
    map.type = axe::TmaType::f16;
    map.dims = {256, 512};
    map.strides = {512};
    map.box = {64, 64};
    map.swizzle = axe::TmaSwizzle::b128;
    return map;
}
constexpr TmaIssue corner()
{
    TmaIssue issue;
    issue.coords = {64, 128};
    return issue;
}
static_assert(axe::check(matrix(), corner()).ok());

constexpr TmaRules store{90, TmaUse::store, false}, sm100{100, TmaUse::load, false};

template <class Change>
std::string changed(TensorMap map, const Change& change, const TmaRules& rules = {}, int cluster = 1)
{
    TmaIssue issue = corner();
    change(issue);
    return axe::check(map, issue, rules, cluster).error().message().c_str();
}
template <class Change>
std::string changed(const Change& change, const TmaRules& rules = {}, int cluster = 1)
{
    return changed(matrix(), change, rules, cluster);
}

TensorMap one_row()
{
    TensorMap map = matrix();
    map.box = {64, 1};
    return map;
}

} // namespace

TEST_CASE("TMA copy: coordinates are as many as dimensions, of 32 bits, and not negative in stores")
{
    constexpr std::int64_t end = std::int64_t{1} << 31;
    CHECK(changed([](TmaIssue& i) { i.coords = {0}; }) == "this TMA copy takes 2 coordinates, got 1");
    CHECK(changed([](TmaIssue& i) { i.coords = {0, end - 1}; }) == "");
    CHECK(changed([](TmaIssue& i) { i.coords = {0, end}; }) ==
          "coordinate 1 of a TMA copy is 2147483648; coordinates have 32 bits");
    CHECK(changed([](TmaIssue& i) { i.coords = {-end, 0}; }) == "");
    CHECK(changed([](TmaIssue& i) { i.coords = {-end - 1, 0}; }) ==
          "coordinate 0 of a TMA copy is -2147483649; coordinates have 32 bits");
    CHECK(changed([](TmaIssue& i) { i.coords = {0, 0}; }, store) == "");
    CHECK(changed([](TmaIssue& i) { i.coords = {0, -1}; }, store) ==
          "coordinate 1 of a TMA store is -1; those of stores are at least 0");

    TensorMap padded;
    padded.type = axe::TmaType::u4_align16;
    padded.alignment = 32;
    padded.dims = {512, 4};
    padded.strides = {256};
    padded.box = {128, 1};
    CHECK(changed(padded, [](TmaIssue& i) { i.coords = {256, 0}; }, sm100) == "");
    CHECK(changed(
              padded, [](TmaIssue& i) { i.coords = {64, 0}; }, sm100) ==
          "coordinate 0 of a TMA copy of padded elements is 64; it must be a multiple of 128");
}

TEST_CASE("TMA copy: shared memory is aligned to 128 bytes")
{
    CHECK(changed([](TmaIssue& i) { i.shared = 384; }) == "");
    CHECK(changed([](TmaIssue& i) { i.shared = 64; }) ==
          "a TMA copy begins at byte 64 of shared memory, which must be a multiple of 128");
}

TEST_CASE("TMA copy: four rows take a map of single rows, and sm100")
{
    const auto rows = [](TmaIssue& i) { i.mode = TmaMode::rows4, i.coords = {64, 9, 2, 7, 7}; };
    CHECK(changed(one_row(), rows, sm100) == "");
    CHECK(changed(one_row(), rows) == "gather4 and scatter4 are of sm100 and later, got sm90");
    CHECK(changed(matrix(), rows, sm100) == "gather4 and scatter4 take boxes of 1 row, got 64");
    CHECK(changed(one_row(), rows, {100, TmaUse::store, false}) == "");
    CHECK(changed(one_row(), rows, {120, TmaUse::load, false}) == "");
    CHECK(changed(one_row(), rows, {110, TmaUse::store, false}) == "");
    CHECK(changed(one_row(), rows, {120, TmaUse::store, false}) == "scatter4 is of sm100 to sm110, got sm120");
    CHECK(changed(one_row(), rows, {100, TmaUse::reduce, false}) == "gather4 and scatter4 do not reduce");
    CHECK(
        changed(one_row(), [&](TmaIssue& i) { rows(i), i.coords = {64, 9}; }, sm100) == "this TMA copy takes 5 coordinates, got 2");
    TensorMap line = one_row();
    line.dims = {256}, line.strides = {}, line.box = {64};
    CHECK(changed(line, rows, sm100) == "gather4 and scatter4 take tensor maps of 2 dimensions, got 1");
}

TEST_CASE("TMA copy: each of four rows is that of its coordinate")
{
    TmaIssue issue;
    issue.mode = TmaMode::rows4;
    issue.coords = {64, 9, 2, 511, 512};
    const TensorMap map = one_row();
    CHECK(axe::issue_elements(map, issue) == 4 * 64);
    CHECK(axe::issue_bytes(map, issue) == 4 * 128);
    const std::int64_t of[] = {9, 2, 511, 512};
    for (std::int64_t n = 0; n < 4 * 64; ++n) {
        const axe::TmaElement e = axe::issue_element(map, issue, 1024, n);
        const std::int64_t row = n / 64, column = n % 64;
        CHECK(e.inside == (of[row] < 512));
        CHECK(e.global == of[row] * 512 + (64 + column) * 2);
        CHECK(e.shared == 1024 + row * 128 + ((column / 8) ^ row) * 16 + column % 8 * 2); // row 0 of the pattern is at 1024
    }
}

TEST_CASE("TMA copy: the swizzle is of the absolute address, so that it goes on where a box begins amid the pattern")
{
    const TensorMap map = matrix();
    const axe::TmaElement e = axe::issue_element(map, corner(), 1024 + 3 * 128, 8); // chunk 1 of a row whose number is 3
    CHECK(e.shared == 1024 + 3 * 128 + (1 ^ 3) * 16);
}

TEST_CASE("TMA copy: coordinate 0 is a multiple of 16 bytes")
{
    for (const std::int64_t c : {-8, 0, 8, 72}) CHECK(changed([c](TmaIssue& i) { i.coords[0] = c; }) == "");
    for (const std::int64_t c : {-4, 4, 68}) {
        CHECK(changed([c](TmaIssue& i) { i.coords[0] = c; }) ==
              "coordinate 0 of a TMA copy is " + std::to_string(c) + " elements of 16 bits; it must be a multiple of 16 bytes");
        if (c >= 0) CHECK(changed([c](TmaIssue& i) { i.coords[0] = c; }, store) != "");
    }
    CHECK(changed([](TmaIssue& i) { i.coords[1] = 1; }) == "");
}

TEST_CASE("TMA copy: stores write whole pieces of 16 bytes at the end of a row")
{
    // 20 halves are 40 bytes: a store writes 48, and leaves out the next row's.
    TensorMap map = matrix();
    map.dims = {20, 4};
    map.strides = {64};
    map.box = {32, 2};
    map.swizzle = axe::TmaSwizzle::none;
    TmaIssue issue;
    issue.coords = {0, 3};
    REQUIRE(axe::check(map, issue, store).ok());
    for (std::int64_t e = 0; e < 64; ++e) {
        const axe::TmaElement at = axe::issue_element(map, issue, 0, e);
        CHECK(at.inside == (e < 20));
        CHECK(at.stored == (e < 24));
    }
}

// Which 16 bytes of a row of 128 an H200 puts where, for boxes of `chunks` of them and three rows, with a swizzle of 64 and of 128 bytes:
// row and chunk in hexadecimal digits, `..` where nothing is written.
TEST_CASE("TMA copy: rows shorter than the swizzle's span begin at its multiples, as an H200 writes them")
{
    struct Seen {
        axe::TmaSwizzle swizzle;
        std::int64_t chunks;
        const char* memory;
    };
    constexpr Seen seen[] = {
        {axe::TmaSwizzle::b64, 1, "00 .. .. .. 10 .. .. .. .. 20"},
        {axe::TmaSwizzle::b64, 3, "00 01 02 .. 10 11 12 .. 21 20 .. 22"},
        {axe::TmaSwizzle::b128, 3, "00 01 02 .. .. .. .. .. 11 10 .. 12 .. .. .. .. 22 .. 20 21"},
        {axe::TmaSwizzle::b128, 5, "00 01 02 03 04 .. .. .. 11 10 13 12 .. 14 .. .. 22 23 20 21 .. .. 24"},
        {axe::TmaSwizzle::none, 3, "00 01 02 10 11 12 20 21 22"},
    };
    for (const Seen& s : seen) {
        TensorMap map;
        map.dims = {128, 12};
        map.strides = {128};
        map.box = {16 * s.chunks, 3};
        map.swizzle = s.swizzle;
        TmaIssue issue;
        issue.coords = {0, 0};
        REQUIRE(axe::check(map, issue).ok());
        CHECK(axe::issue_bytes(map, issue) == 3 * 16 * s.chunks); // the mbarrier learns of the bytes of the elements
        const std::string memory = s.memory;
        std::int64_t found = 0;
        for (std::int64_t e = 0; e < axe::issue_elements(map, issue); ++e) {
            const axe::TmaElement at = axe::issue_element(map, issue, 0, e);
            const std::size_t text = static_cast<std::size_t>(at.shared / 16 * 3);
            REQUIRE(text + 1 < memory.size());
            found += memory[text] - '0' == at.global / 128 && memory[text + 1] - '0' == at.global % 128 / 16 ? 1 : 0;
        }
        CHECK(found == axe::issue_elements(map, issue));
    }
}

TEST_CASE("TMA copy: element strides leave elements out, and what is outside is counted")
{
    TensorMap map = matrix();
    map.element_strides = {1, 3};
    TmaIssue issue;
    issue.coords = {0, 500};
    CHECK(axe::issue_bytes(map, issue) == 64 * 22 * 2);
    for (std::int64_t row = 0; row < 22; ++row) {
        const axe::TmaElement e = axe::issue_element(map, issue, 0, row * 64);
        CHECK(e.global == (500 + 3 * row) * 512);
        CHECK(e.inside == (500 + 3 * row < 512));
    }
}

TEST_CASE("TMA copy: multicast is of loads, within the cluster")
{
    CHECK(changed([](TmaIssue& i) { i.multicast = 0b1010; }, {}, 4) == "");
    CHECK(changed([](TmaIssue& i) { i.multicast = 0b11010; }, {}, 4) ==
          "the multicast mask 26 names a CTA beyond the 4 of the cluster");
    CHECK(changed([](TmaIssue& i) { i.multicast = 0xffff; }, {}, 16) == "");
    CHECK(changed([](TmaIssue& i) { i.multicast = 1; }, store, 4) == "only loads by TMA multicast");
    TmaIssue issue = corner();
    CHECK(axe::destinations(issue) == 1);
    issue.multicast = 0b1010;
    CHECK(axe::destinations(issue) == 2);
    CHECK(axe::issue_bytes(matrix(), issue) == 64 * 64 * 2); // at each
}

TEST_CASE("TMA copy: a pair of CTAs shares an mbarrier on sm100")
{
    const auto pair = [](TmaIssue& i) { i.cta_group = 2; };
    CHECK(changed(pair, sm100, 2) == "");
    CHECK(changed(pair, {}, 2) == "pairs of CTAs are of sm100 to sm110, got sm90");
    CHECK(changed(pair, {110, TmaUse::load, false}, 2) == "");
    CHECK(changed(pair, {120, TmaUse::load, false}, 2) == "pairs of CTAs are of sm100 to sm110, got sm120");
    CHECK(changed(pair, sm100, 3) == "pairs of CTAs need a cluster of an even number, got 3");
    CHECK(changed(pair, {100, TmaUse::store, false}, 2) == "only loads by TMA signal a pair of CTAs");
    CHECK(changed([](TmaIssue& i) { i.cta_group = 3; }, sm100, 2) == "a group of CTAs is 1 or 2, got 3");

    TmaIssue issue = corner();
    CHECK(axe::signaled_rank(issue, 5, 0) == 5);
    issue.cta_group = 2;
    CHECK(axe::signaled_rank(issue, 5, 0) == 4);
    CHECK(axe::signaled_rank(issue, 5, 3) == 5);
    CHECK(axe::signaled_rank(issue, 4, 1) == 5);
}
