// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra on another integer and other capacities: nothing in it knows of 64 bits, 16 iters or 8 axes.
#include <axe/axe.hpp>

namespace {

using L = axe::BasicLayout<std::int32_t, 12, 4, 6>;
using Small = axe::BasicLayout<std::int32_t, 3, 1, 2>;

constexpr L of(std::initializer_list<axe::BasicIter<std::int32_t>> shard) { return {L::Shard(shard), {}, {}}; }

// 32 bits are checked as 64 are
static_assert(axe::check(of({{1 << 20, 1}, {1 << 20, 1}})).code() == axe::errc::overflow);
static_assert(axe::check(of({{1 << 20, 1 << 20}})).code() == axe::errc::overflow);
static_assert(axe::tile(of({{1 << 10, 1 << 10}}), {1 << 10}, of({{1 << 12, 1 << 8}}), {1 << 12}).code() == axe::errc::overflow);

static_assert(axe::equal(*axe::slice(of({{5, 1, "P"}, {2, 5, "P"}}), {10}, {{3, 7}}),
                         L{{{2, 1, "P"}, {2, -4, "P"}}, {}, {{"P", 6}}}));
static_assert(axe::equal(*axe::compose(of({{1 << 15, 1}, {1 << 10, -5}}), of({{1 << 25, 1}})), of({{1 << 15, 1}, {1 << 10, -5}})));
static_assert(axe::equal(*axe::untile(*axe::tile(of({{4, 1}}), {4}, of({{8, 3}}), {8}), {32}, of({{8, 3}}), {8}), of({{4, 1}})));
static_assert(axe::equal(*axe::inverse(of({{4, 1, "reg"}, {2, 3, "lane"}, {3, 1, "lane"}}), {"lane", "reg"}),
                         of({{6, 1}, {4, 6}})));
static_assert(axe::equal(*axe::left_inverse(of({{2, 5}, {3, 1}})), of({{2, 2}, {4, 1}})));
static_assert(*axe::size(*axe::right_inverse(of({{4, 1}, {4, 1}}))) == 6);
static_assert(*axe::preimage(of({{1 << 20, 0}, {8, 3}}), {1 << 23}, {{"m", 9}}).count() == 1 << 20);
static_assert(axe::equal(L{{}, {{4, 3}, {3, 2}}, {}}, L{{}, {{2, 3}, {6, 2}}, {}}));

// what fits the argument may not fit the result
static_assert(axe::slice(Small{{{2, 5, "a"}, {2, 3, "b"}, {2, 1, "a"}}, {}, {}}, {8}, {{0, 8}}).has_value());
static_assert(axe::unpack(Small{{{2, 5, "a"}, {2, 3, "b"}, {2, 2, "a"}}, {}, {}}, 2, "b").code() == axe::errc::capacity);
static_assert(axe::tile(Small{{{2, 1, "a"}}, {}, {}}, {2}, Small{{{2, 1, "b"}}, {}, {{"c", 1}}}, {2}).code() ==
              axe::errc::capacity);

} // namespace
