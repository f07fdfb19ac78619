// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_SAMPLED_HPP
#define AXE_TESTS_FUZZ_SAMPLED_HPP

#include <tests/fuzz/question.hpp>
#include <tests/fuzz/stop.hpp>

#include <optional>
#include <vector>

/// Maps of any size, in numbers twice as wide, to be compared where it tells most: on every index of a small one, else at the ends, on
/// both sides of every boundary between digits, and at some places in between.
namespace fuzz {

__extension__ using Wide = __int128;

inline Wide magnitude(Int n) { return n < 0 ? -Wide(n) : Wide(n); }

/// A place in hardware, axes in any order.
class Place {
  public:
    void add(const axe::Axis& axis, Wide value)
    {
        for (int i = 0; i < count_; ++i)
            if (axes_[i] == axis) {
                values_[i] += value;
                return;
            }
        if (count_ == most) stop("a place on more axes than two layouts have");
        axes_[count_] = axis;
        values_[count_++] = value;
    }
    void add(const Place& p)
    {
        for (int i = 0; i < p.count_; ++i) add(p.axes_[i], p.values_[i]);
    }
    Wide operator[](const axe::Axis& axis) const
    {
        for (int i = 0; i < count_; ++i)
            if (axes_[i] == axis) return values_[i];
        return 0;
    }
    /// Every coordinate by itself, as f says.
    template <class F>
    Place mapped(F f) const
    {
        Place out;
        for (int i = 0; i < count_; ++i) out.add(axes_[i], f(axes_[i], values_[i]));
        return out;
    }
    friend bool operator==(const Place& a, const Place& b) { return a.within(b) && b.within(a); }

  private:
    static constexpr int most = 32;
    axe::Axis axes_[most];
    Wide values_[most];
    int count_ = 0;

    bool within(const Place& p) const
    {
        for (int i = 0; i < count_; ++i)
            if (values_[i] != p[axes_[i]]) return false;
        return true;
    }
};

struct Term {
    Int extent;
    Wide stride;
    axe::Axis axis;
};

/// D, R and O, the replicas turned so that they count up from the least corner of the set.
struct Map {
    std::vector<Term> shard, replica;
    Place origin;

    explicit Map(const axe::Layout& l);
    /// The least corner of the points of an index.
    Place operator()(Int x) const;
    /// Every coordinate times a factor of its axis.
    template <class F>
    Map scaled(F factor) const
    {
        Map out = *this;
        for (auto* list : {&out.shard, &out.replica})
            for (Term& t : *list) t.stride *= factor(t.axis);
        out.origin = origin.mapped([&](const axe::Axis& axis, Wide v) { return v * factor(axis); });
        return out;
    }
};

/// 1 + Σ (n−1)·|s| over D and R.
Wide span(const axe::Layout& l, const axe::Axis& axis);

/// The sums of replicas, each axis by itself, ascending, each once; nothing when they are too many to write down.
using Sets = std::vector<std::pair<axe::Axis, std::vector<Wide>>>;
std::optional<Sets> sets(const std::vector<Term>& replica);

/// The indices to look at, of [0, n).
std::vector<Int> samples(Int n, const axe::Layout& l);

} // namespace fuzz

#endif
