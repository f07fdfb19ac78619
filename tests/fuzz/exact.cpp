// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>
#include <tests/fuzz/exact.hpp>

#include <algorithm>

namespace fuzz::exact {

bool small(const axe::Layout& l, Int elements, Int points)
{
    if (!valid(l) || size(l) > elements) return false;
    Wide n = 1;
    for (const auto& it : l.replica)
        if ((n *= it.extent) > points) return false;
    return reach(l) < oracle::limit / 2;
}

bool on_axis(const axe::Layout& l, const axe::Axis& axis)
{
    const auto is = [&](const auto& it) { return it.axis == axis; };
    return std::all_of(l.shard.begin(), l.shard.end(), is) && std::all_of(l.replica.begin(), l.replica.end(), is) &&
           std::all_of(l.offset.begin(), l.offset.end(), is);
}

Int reach(const axe::Layout& l)
{
    Wide most = 0;
    const auto grow = [&](const axe::Iter& it) {
        most += it.extent * magnitude(it.stride);
    }; // of every digit, also one that does not move
    for (const auto& it : l.shard) grow(it);
    for (const auto& it : l.replica) grow(it);
    for (const auto& e : l.offset) most += magnitude(e.value);
    return static_cast<Int>(std::min(most, Wide(oracle::limit)));
}

bool pair_admitted(const Question& q)
{
    return admits(q.a, q.a_shape) && admits(q.b, q.b_shape) && q.a_shape.size() == q.b_shape.size();
}

bool few_replicas(const axe::Layout& l)
{
    axe::Layout alone;
    alone.replica = l.replica;
    return small(alone, 1, 24) && reach(alone) <= 24;
}

} // namespace fuzz::exact
