// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/conversion.hpp>
#include <tests/unit/interop/linear/read.hpp>

#include <algorithm>
#include <map>
#include <vector>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

namespace {

/// Bits of the tensor that the bits of registers (two), lanes (two) and warps (one) hold.
LinearLayout of(const std::vector<int>& bits)
{
    LinearLayout out;
    out.in = {{"register", 2}, {"lane", 2}, {"warp", 1}};
    out.out = {{"dim0", 5}};
    for (const int bit : bits) out.bases.push_back(std::uint64_t{1} << bit);
    return out;
}

/// How far the farthest element goes, element by element.
Reach by_elements(const LinearLayout& from, const LinearLayout& to)
{
    Reach out = Reach::nowhere;
    std::map<std::uint64_t, std::uint64_t> holder;
    for (std::uint64_t x = 0; x < 32; ++x) holder[apply(from, x)] = x;
    for (std::uint64_t x = 0; x < 32; ++x) {
        const std::uint64_t moved = x ^ holder.at(apply(to, x));
        const Reach reach = (moved & 16) != 0   ? Reach::warps
                            : (moved & 12) != 0 ? Reach::lanes
                            : moved != 0        ? Reach::registers
                                                : Reach::nowhere;
        out = std::max(out, reach);
    }
    return out;
}

} // namespace

TEST_CASE("linear: how far elements go, for all ways to place five bits, is how far the farthest goes")
{
    std::vector<int> bits{0, 1, 2, 3, 4};
    const LinearLayout from = of(bits);
    std::map<Reach, int> seen;
    do {
        const auto reach = reach_of(from, of(bits));
        REQUIRE(reach);
        CHECK(*reach == by_elements(from, of(bits)));
        ++seen[*reach];
    } while (std::next_permutation(bits.begin(), bits.end()));
    CHECK(seen == std::map<Reach, int>{{Reach::nowhere, 1}, {Reach::registers, 1}, {Reach::lanes, 22}, {Reach::warps, 96}});
}

TEST_CASE("linear: copies need not move")
{
    // A source that each lane has twice: the target takes its own copy.
    const LinearLayout copies = line("register=[0] lane=[1,2] -> dim0:4"), one = line("register=[] lane=[1,2] -> dim0:4");
    CHECK(reach_of(copies, one).value() == Reach::registers);
    CHECK(reach_of(one, one).value() == Reach::nowhere);
    CHECK(reach_of(one, copies).value() == Reach::registers);
    CHECK(reach_of(line("register=[1] lane=[2] -> dim0:4"), line("register=[1] lane=[0] -> dim0:2")).code() != errc::ok);
}
