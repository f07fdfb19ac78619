// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_DISTANCES_HPP
#define AXE_SCHEDULE_STAGES_DISTANCES_HPP

#include <axe/schedule/stages/round.hpp>

/// Which rounds of a loop touch the same elements.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// Two boxes of one tensor, a in round i and b in round i + k. In dimension d the first indices differ by  base_d + slope_d·k,  where the
/// rest of the two cancels; a dimension without that tells nothing.
class Distances {
  public:
    Distances(const Round& round, const Touch& a, const Touch& b) : round_(round), a_(a), b_(b) {}

    /// May an element be touched by a in round i and by b in round i + k?
    [[nodiscard]] bool meet(std::int64_t k) const
    {
        if (round_.count && k >= *round_.count) return false;
        return !apart([&](const Side& s) { return s.base + s.slope * k > s.width_a || s.base + s.slope * k < -s.width_b; });
    }
    /// The same of any k from `least` on.
    [[nodiscard]] bool meet_from(std::int64_t least) const
    {
        if (round_.count && least >= *round_.count) return false;
        return !apart([&](const Side& s) {
            const std::int64_t at = s.base + s.slope * least;
            return (s.slope >= 0 && at > s.width_a) || (s.slope <= 0 && at < -s.width_b);
        });
    }

  private:
    struct Side {
        std::int64_t base = 0, slope = 0, width_a = 0, width_b = 0;
    };
    /// From the first to the last index that a view touches in a dimension of its tensor.
    static std::int64_t width(const View& v, int dimension)
    {
        std::int64_t out = 0;
        for (int k = 0; k < v.rank(); ++k)
            if (v.dims[k] == dimension) out += v.steps[k] * (v.extents[k] - 1);
        return out;
    }
    template <class F>
    [[nodiscard]] bool apart(F&& f) const
    {
        if (a_.view == nullptr || b_.view == nullptr) return false;
        const View &a = *a_.view, &b = *b_.view;
        const int var = round_.loop->var.id;
        for (std::size_t d = 0; d < a.origin.size() && d < b.origin.size(); ++d) {
            Side s{0, 0, width(a, static_cast<int>(d)), width(b, static_cast<int>(d))};
            const Affine difference = b.origin[d] - a.origin[d];
            s.base = difference.constant();
            bool known = difference.is_constant();
            for (const Affine* one : {&a.origin[d], &b.origin[d]})
                for (const Affine::Term& t : one->terms()) {
                    known &= !round_.inner_variables.contains(t.var);
                    if (t.var == var) s.slope = limited_product(t.coefficient, round_.loop->step);
                }
            constexpr std::int64_t most = std::int64_t{1} << 40; // sums and products of these stay in the integer
            known &= std::abs(s.base) < most && std::abs(s.slope) < most / 1024 && s.width_a < most && s.width_b < most;
            if (known && f(s)) return true;
        }
        return false;
    }

    const Round& round_;
    const Touch &a_, &b_;
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
