// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_RELAYOUT_VALUES_HPP
#define AXE_TESTS_RELAYOUT_VALUES_HPP

#include <axe/tensor/convert.hpp>
#include <tests/relayout_sides.hpp>

#include <cmath>

/// Copies that convert, scale and add, compared with one element after the other.
namespace relayout_values {

using laws::Int;

/// to = encode(scale · decode(from) + decode(to)); without any of it, the bits.
struct Finishing {
    axe::DType from = axe::DType::f32, to = axe::DType::f32;
    double scale = 1;
    bool accumulate = false;

    [[nodiscard]] axe::RelayoutOptions options() const
    {
        axe::RelayoutOptions o;
        o.from_type = from;
        o.to_type = to;
        o.scale = scale;
        o.accumulate = accumulate;
        return o;
    }
    [[nodiscard]] std::uint64_t operator()(std::uint64_t source, std::uint64_t kept) const
    {
        if (from == to && scale == 1 && !accumulate) return source;
        double v = axe::decode(from, source);
        if (scale != 1) v *= scale;
        if (accumulate) v += axe::decode(to, kept);
        return axe::encode(to, v);
    }
};

inline std::uint64_t element(const std::byte* at, Int bytes)
{
    std::uint64_t out = 0;
    std::memcpy(&out, at, static_cast<std::size_t>(bytes));
    return out;
}

/// The same bits, or both not a number: which of a NaN's bits are kept is the conversion's matter.
inline bool same(axe::DType type, std::uint64_t a, std::uint64_t b)
{
    return a == b || (std::isnan(axe::decode(type, a)) && std::isnan(axe::decode(type, b)));
}

using relayouts::for_each_coord;

/// Copies random elements between guarded buffers that are just as long as the sides reach; what went wrong, or "".
inline std::string wrong(laws::Random& r, const axe::RelayoutSide& to_side, const axe::RelayoutSide& from_side,
                         const axe::Shape& shape, const Finishing& finishing, const axe::RelayoutOptions& options, int tasks)
{
    const Int to_width = axe::storage_bytes(finishing.to), from_width = axe::storage_bytes(finishing.from);
    Int to_most = 0, from_most = 0;
    for_each_coord(shape, [&](const axe::Coord& c) {
        for (const Int a : relayouts::addresses(to_side, shape, c, to_width)) to_most = std::max(to_most, a);
        from_most = std::max(from_most, relayouts::addresses(from_side, shape, c, from_width)[0]);
    });
    const relayouts::GuardedBytes to(static_cast<std::size_t>((to_most + 1) * to_width)),
        from(static_cast<std::size_t>((from_most + 1) * from_width));
    // Codes for f16 and narrower types, values of modest size for wider ones: their random bits are all huge or tiny.
    const auto fill = [&](const relayouts::GuardedBytes& bytes, axe::DType type, Int width) {
        for (std::size_t i = 0; i < bytes.size(); i += static_cast<std::size_t>(width)) {
            const auto value = axe::encode(type, static_cast<double>(r.in(-70000, 70000)) / 16);
            const std::uint64_t bits = width <= 2 && r.one_in(2) ? r.next() : value;
            std::memcpy(bytes.data() + i, &bits, static_cast<std::size_t>(width));
        }
    };
    fill(from, finishing.from, from_width);
    fill(to, finishing.to, to_width);
    const std::vector<std::byte> before(to.data(), to.data() + to.size());
    std::vector<std::byte> expected = before;
    for_each_coord(shape, [&](const axe::Coord& c) {
        const auto source =
            element(from.data() + relayouts::addresses(from_side, shape, c, from_width)[0] * from_width, from_width);
        for (const Int a : relayouts::addresses(to_side, shape, c, to_width)) {
            const auto bits = finishing(source, element(before.data() + a * to_width, to_width));
            std::memcpy(expected.data() + a * to_width, &bits, static_cast<std::size_t>(to_width));
        }
    });
    const auto plan = axe::plan_relayout(to_side, from_side, shape, options);
    if (!plan) return plan.error().text;
    const axe::Result<void, axe::Problem> p =
        plan->run(to.data(), to.size(), from.data(), from.size(), tasks, [](int n, const auto& task) {
            for (int t = n; t-- > 0;) task(t);
        });
    if (!p.ok()) return p.error().text;
    for (std::size_t i = 0; i < to.size(); i += static_cast<std::size_t>(to_width)) {
        const auto got = element(to.data() + i, to_width), should = element(expected.data() + i, to_width);
        if (!same(finishing.to, got, should))
            return "element " + std::to_string(i / static_cast<std::size_t>(to_width)) + " is " +
                   std::to_string(axe::decode(finishing.to, got)) + ", should be " +
                   std::to_string(axe::decode(finishing.to, should)) + ", was " +
                   std::to_string(axe::decode(finishing.to, element(before.data() + i, to_width)));
    }
    return "";
}

} // namespace relayout_values

#endif
