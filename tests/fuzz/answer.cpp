// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/answer.hpp>

#include <algorithm>
#include <set>

namespace fuzz {
namespace {

constexpr Wide most = std::numeric_limits<Int>::max();

bool moves(const axe::Iter& it) { return it.extent > 1 && it.stride != 0; }

/// Numbers so small, and so few, that no limit can be met: 2^12 elements on at most eight axes.
bool tame(const Question& q)
{
    std::set<axe::Axis> axes;
    bool small = q.n <= 64 && !q.point.entries.overfull();
    if (!small) return false;
    for (const axe::Layout* l : {&q.a, &q.b}) {
        if (!valid(*l)) return false;
        Int points = 1;
        for (const auto& it : l->shard) {
            axes.insert(it.axis);
            small = small && it.extent <= 4096 / points && magnitude(it.stride) <= 4096;
            if (!small) return false;
            points *= it.extent;
        }
        for (const auto& it : l->replica) {
            axes.insert(it.axis);
            small = small && it.extent <= 4096 / points && magnitude(it.stride) <= 4096;
            if (!small) return false;
            points *= it.extent;
        }
        for (const auto& e : l->offset) {
            axes.insert(e.axis);
            small = small && magnitude(e.value) <= 4096;
        }
        small = small && l->shard.size() <= 6 && l->replica.size() <= 3;
    }
    for (const auto& e : q.point) {
        axes.insert(e.axis);
        small = small && magnitude(e.value) <= 64;
    }
    axes.insert(q.axis);
    axes.insert(q.new_axis);
    return small && axes.size() <= axe::Layout::max_axes;
}

} // namespace

bool valid(const axe::Layout& l)
{
    if (l.shard.overfull() || l.replica.overfull() || l.offset.entries.overfull()) return false;
    std::set<axe::Axis> axes;
    Wide elements = 1;
    for (const auto& it : l.shard) {
        if (it.extent < 1 || (elements *= it.extent) > most) return false;
        if (moves(it)) axes.insert(it.axis);
    }
    for (const auto& it : l.replica) {
        if (it.extent < 1) return false;
        if (moves(it)) axes.insert(it.axis);
    }
    for (int i = 0; i < l.offset.size(); ++i) {
        axes.insert(l.offset.entries[i].axis);
        if (i > 0 && !(l.offset.entries[i - 1].axis < l.offset.entries[i].axis)) return false;
    }
    if (axes.size() > axe::Layout::max_axes) return false;
    for (const auto& axis : axes) { // every coordinate, its negative, and the span
        Wide low = l.offset[axis], high = low;
        const auto fits = [&](const axe::Iter& it) {
            if (moves(it) && it.axis == axis) (it.stride < 0 ? low : high) += Wide(it.extent - 1) * it.stride;
            return low >= -most && high <= most && high - low < most;
        };
        if (!fits({1, 0}) || !std::all_of(l.shard.begin(), l.shard.end(), fits) ||
            !std::all_of(l.replica.begin(), l.replica.end(), fits))
            return false;
    }
    return true;
}

Wide size(const axe::Layout& l)
{
    Wide n = 1;
    for (const auto& it : l.shard) n *= it.extent;
    return n;
}

bool admits(const axe::Layout& l, const axe::Shape& shape)
{
    if (!valid(l) || shape.overfull()) return false;
    Wide n = 1;
    for (Int e : shape)
        if (e < 1 || (n *= e) > most) return false;
    return n == size(l);
}

bool distinct(const axe::Layout::Axes& axes)
{
    if (axes.overfull()) return false;
    for (int i = 0; i < axes.size(); ++i)
        for (int k = 0; k < i; ++k)
            if (axes[i] == axes[k]) return false;
    return true;
}

bool has_replicas(const axe::Layout& l) { return std::any_of(l.replica.begin(), l.replica.end(), moves); }

void Asked::answered(const axe::Error& error, bool well_formed, bool searched) const
{
    if (error.ok()) return that(well_formed, "answers an ill-formed question");
    const std::string said = std::string(name(error.code)) + " (" + error.message().c_str() + ")";
    that(error.message().size > 10 && said.find("{0") == std::string::npos, "an error without a sentence");
    that(error.position >= -1 && error.position <= 64, "an error at no position");
    if (!well_formed) {
        if (error.is_none()) wrong("says none to an ill-formed question: " + said);
        return;
    }
    const bool limit = error.code == axe::errc::overflow || error.code == axe::errc::capacity || error.code == axe::errc::too_hard;
    if (!error.is_none() && !limit) wrong("refuses a well-formed question: " + said);
    if (searched && error.code == axe::errc::too_hard) return;
    if (limit && tame(q)) wrong("finds a limit where none is near: " + said);
}

void Asked::sound(const axe::Layout& got) const
{
    that(valid(got), "the answer is not a layout");
    that(check(got).ok(), "the answer does not pass check");
    const auto again = axe::canonicalize(got);
    that(again && *again == got, "the answer is not canonical");
}

void Asked::same_replicas(const std::vector<Term>& got, const std::vector<Term>& want) const
{
    const auto have = sets(got), wanted = sets(want);
    if (have && wanted) that(*have == *wanted, "another replica set");
}

} // namespace fuzz
