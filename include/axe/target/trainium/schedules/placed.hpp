// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_PLACED_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_PLACED_HPP

#include <axe/layout/evaluator.hpp>
#include <axe/layout/group.hpp>
#include <axe/target/trainium/schedules/rules.hpp>

#include <compare>
#include <set>

/// A view of a tensor in SBUF or PSUM as digits on P and on F: the iters of the paper's step "group", also where the view begins in the
/// middle of an iter or takes every n-th index.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// One digit of a dimension of a view:  x ↦ (p, f)·(⌊x / weight⌋ mod extent)
struct Digit {
    std::int64_t extent = 1, weight = 1;
    std::int64_t p = 0, f = 0; ///< what a step moves on P and on F; one of them at most
};

/// A view whose element (x_0, …) is at  start + Σ_k Σ digits of x_k,  whatever the values of the variables in its origin.
struct Placed {
    View view{};
    std::string name{};
    std::vector<std::vector<Digit>> dims{}; ///< of each dimension of the view its digits, outermost first
    std::int64_t start_p = 0;
    std::vector<std::int64_t> starts_f{}; ///< one for each place on F where the view may begin
    std::int64_t base = 0;                ///< bytes
    int width = 1;                        ///< bytes of an element
    DType dtype = DType::f32;
    bool in_psum = false;
};

/// The most values of the variables of one origin that are looked at.
inline constexpr std::int64_t most_origins = 4096;

/// Coordinates on P and F.
struct PlaceOf {
    Evaluator<> p{}, f{};
    struct Point {
        std::int64_t p = 0, f = 0;
        friend bool operator==(const Point&, const Point&) = default;
        friend auto operator<=>(const Point&, const Point&) = default;
    };
    [[nodiscard]] Point operator()(std::int64_t index) const noexcept { return {p(index), f(index)}; }
};

/// The digits of  x ↦ at(first + step·x) − at(first),  0 ≤ x < extent, each extent ending where the values first leave the line: the
/// canonical D, peeled from the inside. False if none exists.
inline bool peel(const PlaceOf& at, std::int64_t first, std::int64_t step, std::int64_t extent, std::vector<Digit>& out)
{
    const auto origin = at(first);
    const auto moved = [&](std::int64_t x) {
        const auto point = at(first + step * x);
        return PlaceOf::Point{point.p - origin.p, point.f - origin.f};
    };
    std::vector<Digit> inner; // innermost first
    for (std::int64_t w = 1; w < extent;) {
        const auto s = moved(w);
        if (s.p != 0 && s.f != 0) return false;
        const auto expected = [&](std::int64_t x) {
            PlaceOf::Point sum{s.p * (x / w), s.f * (x / w)};
            for (const Digit& d : inner) {
                sum.p += x / d.weight % d.extent * d.p;
                sum.f += x / d.weight % d.extent * d.f;
            }
            return sum;
        };
        std::int64_t end = w;
        while (end < extent && moved(end) == expected(end)) ++end;
        if (end % w != 0 || extent % end != 0) return false;
        inner.push_back({end / w, w, s.p, s.f});
        w = end;
    }
    out.assign(inner.rbegin(), inner.rend());
    return true;
}

/// Calls f with the coordinate of every origin that the view can have within its tensor. False when they are too many to look at.
template <class F>
bool for_each_origin(const Program& program, const View& view, const F& f)
{
    std::vector<int> vars;
    for (const Affine& a : view.origin)
        for (const auto& t : a.terms())
            if (std::find(vars.begin(), vars.end(), t.var) == vars.end()) vars.push_back(t.var);
    std::int64_t count = 1;
    std::vector<std::int64_t> values(program.variables.size(), 0);
    for (const int v : vars) {
        const Variable& range = program.variables[static_cast<std::size_t>(v)];
        values[static_cast<std::size_t>(v)] = range.low;
        const std::int64_t n = std::max<std::int64_t>(1, range.high - range.low);
        if (n > most_origins || count * n > most_origins) return false;
        count *= n;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        Coord c;
        for (const Affine& a : view.origin) c.push_back(a(values));
        f(c);
        for (const int v : vars) { // the next values, the first variable fastest
            const Variable& range = program.variables[static_cast<std::size_t>(v)];
            auto& value = values[static_cast<std::size_t>(v)];
            if (++value < range.high) break;
            value = range.low;
        }
    }
    return true;
}

/// How many elements one step of dimension d is, row-major:  Π_{e>d} S_e.
inline std::int64_t pitch_of(const Shape& shape, int dim) noexcept
{
    std::int64_t pitch = 1;
    for (int d = dim + 1; d < shape.size(); ++d) pitch *= shape[d];
    return pitch;
}

/// Do the dimensions of the view that name dimension d of the tensor move independently of each other: is what they move together the
/// sum of what each moves?
inline bool adds_up(const PlaceOf& at, std::int64_t first, const Shape& shape, const View& view, int d)
{
    std::vector<int> sharing;
    std::int64_t combinations = 1;
    for (int k = 0; k < view.rank(); ++k)
        if (view.dims[k] == d) {
            sharing.push_back(k);
            combinations *= view.extents[k];
        }
    if (sharing.size() < 2) return true;
    const std::int64_t pitch = pitch_of(shape, d);
    const auto zero = at(first);
    for (std::int64_t x = 0; x < combinations; ++x) {
        PlaceOf::Point sum = zero;
        std::int64_t rest = x, offset = 0;
        for (const int k : sharing) {
            const std::int64_t step = rest % view.extents[k] * view.steps[k] * pitch;
            const auto part = at(first + step);
            sum.p += part.p - zero.p;
            sum.f += part.f - zero.f;
            offset += step;
            rest /= view.extents[k];
        }
        if (!(at(first + offset) == sum)) return false;
    }
    return true;
}

/// The view as digits. Exists iff for every value of the variables in its origin its dimensions move on P and F as the same sums of
/// digits, and it starts on one partition.
///
/// `errc::no_layout` with what keeps it from being so. Cost: linear in the extents of the view, times the values of the variables.
inline Result<Placed, Problem> place(const Request& request, const View& view, const char* part)
{
    const ProgramTensor& tensor = request.tensor(view);
    Placed out;
    out.view = view;
    out.name = operand_name(request, view, part);
    out.in_psum = is_memory(request, view, "psum");
    out.width = storage_bytes(tensor.dtype);
    out.dtype = tensor.dtype;
    out.base = std::max<std::int64_t>(0, tensor.base);
    if (!out.in_psum && !is_memory(request, view, "sbuf"))
        return declined("{0} is in {1}; engines work on sbuf and psum", {out.name, tensor.memory});
    if (view.guarded) return declined("{0} has a guarded view; engines have no guards", {out.name});
    if (tensor.layout.swizzle.bits != 0)
        return declined("{0} has a swizzle; partitions and the free dimension cannot be swizzled", {out.name});

    PlaceOf at;
    const auto p = make_evaluator(tensor.layout.layout, P), f = make_evaluator(tensor.layout.layout, F);
    if (!p || !f) return declined("{0} has replicas within the core; an engine writes and reads one place", {out.name});
    at.p = *p;
    at.f = *f;
    if (!group(tensor.layout.layout, tensor.shape))
        return declined("{0}: its layout does not have separate iters for each dimension of its shape", {out.name});

    std::set<PlaceOf::Point> starts;
    bool same = true, first_origin = true;
    const bool counted = for_each_origin(request.program(), view, [&](const Coord& c) {
        std::int64_t first = 0;
        for (int d = 0; d < tensor.shape.size(); ++d) {
            std::int64_t low = c[d], last = c[d];
            for (int k = 0; k < view.rank(); ++k)
                if (view.dims[k] == d) (view.steps[k] < 0 ? low : last) += view.steps[k] * (view.extents[k] - 1);
            if (low < 0 || last >= tensor.shape[d]) return; // no such view: the run rejects it
            first += c[d] * pitch_of(tensor.shape, d);
        }
        std::vector<std::vector<Digit>> dims;
        for (int k = 0; k < view.rank() && same; ++k) {
            dims.emplace_back();
            if (view.dims[k] < 0) {
                if (view.extents[k] > 1) dims.back().push_back({view.extents[k], 1, 0, 0});
                continue;
            }
            if (c[view.dims[k]] + view.steps[k] * (view.extents[k] - 1) >= tensor.shape[view.dims[k]]) return; // the run rejects it
            same = peel(at, first, view.steps[k] * pitch_of(tensor.shape, view.dims[k]), view.extents[k], dims.back());
        }
        for (int d = 0; d < tensor.shape.size() && same; ++d) same = adds_up(at, first, tensor.shape, view, d);
        if (!same) return;
        const auto equal_digits = [](const std::vector<Digit>& a, const std::vector<Digit>& b) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Digit& x, const Digit& y) {
                return x.extent == y.extent && x.weight == y.weight && x.p == y.p && x.f == y.f;
            });
        };
        if (first_origin)
            out.dims = std::move(dims);
        else
            same = std::equal(out.dims.begin(), out.dims.end(), dims.begin(), dims.end(), equal_digits);
        first_origin = false;
        starts.insert(at(first));
    });
    if (!counted) return declined("{0}: the variables of its origin take more than {1} values", {out.name, most_origins});
    if (!same || first_origin)
        return declined("{0}: its view is not a sum of iters that is the same wherever the view begins", {out.name});
    out.start_p = starts.begin()->p;
    for (const auto& s : starts) {
        if (s.p != out.start_p) return declined("{0}: the partition where its view begins depends on a variable", {out.name});
        out.starts_f.push_back(s.f);
    }
    return out;
}

} // namespace detail::trainium
} // namespace v0
} // namespace axe

#endif
