// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/laws/report.hpp>
#include <tests/relayout_sides.hpp>

#include <numeric>

/// relayout: for every element c of the shape, every copy of it in the destination is the source's; nothing else is written, nothing
/// outside the buffers is touched.
namespace {

using laws::Int;

struct Case {
    axe::Shape shape;
    axe::RelayoutSide to, from;
    axe::RelayoutOptions options;
    Int width = 4;
};

using relayouts::for_each_coord;

/// The elements of a buffer that holds the side: all copies of a destination, the first of a source.
Int reach(const axe::RelayoutSide& side, const axe::Shape& shape, Int width, bool is_destination)
{
    Int most = 0;
    for_each_coord(shape, [&](const axe::Coord& c) {
        for (const Int a : relayouts::addresses(side, shape, c, width)) {
            most = std::max(most, a);
            if (!is_destination) break;
        }
    });
    return most + 1;
}

std::string describe(const Case& k)
{
    std::string text = "shape " + std::string(axe::print(k.shape).c_str()) + " to " + std::string(axe::print(k.to.layout).c_str()) +
                       " in " + axe::print(k.to.shape).c_str() + " from " + std::string(axe::print(k.from.layout).c_str()) +
                       " in " + axe::print(k.from.shape).c_str() + " width " + std::to_string(k.width);
    if (k.options.padding) text += " padded";
    return text;
}

/// Runs the copy in parts and compares every byte of the destination with the definition's.
bool copies_right(laws::Random& r, const Case& k, std::string& why)
{
    const axe::Shape written = k.options.padding && !k.to.shape.empty() ? k.to.shape : k.shape;
    const auto to_bytes = static_cast<std::size_t>(reach(k.to, written, k.width, true) * k.width);
    const auto from_bytes = static_cast<std::size_t>(reach(k.from, k.shape, k.width, false) * k.width);
    const relayouts::GuardedBytes to(to_bytes), from(from_bytes);
    for (std::size_t i = 0; i < from_bytes; ++i) from.data()[i] = static_cast<std::byte>(r.next());
    std::vector<std::byte> expected(to_bytes);
    for (std::size_t i = 0; i < to_bytes; ++i) expected[i] = to.data()[i] = static_cast<std::byte>(r.next());
    const auto put = [&](const axe::Coord& c, const std::byte* element) {
        for (const Int a : relayouts::addresses(k.to, k.shape, c, k.width))
            std::memcpy(expected.data() + a * k.width, element, static_cast<std::size_t>(k.width));
    };
    if (k.options.padding) {
        std::byte element[16]{};
        std::memcpy(element, &*k.options.padding, 8);
        for_each_coord(written, [&](const axe::Coord& c) { put(c, element); });
    }
    for_each_coord(k.shape, [&](const axe::Coord& c) {
        put(c, from.data() + relayouts::addresses(k.from, k.shape, c, k.width)[0] * k.width);
    });

    const auto plan = axe::plan_relayout(k.to, k.from, k.shape, k.options);
    if (!plan) {
        why = plan.error().text;
        return false;
    }
    const int tasks = static_cast<int>(r.in(1, 5));
    const axe::Result<void, axe::Problem> p =
        plan->run(to.data(), to_bytes, from.data(), from_bytes, tasks, [&](int n, const auto& task) {
            for (int t = n; t-- > 0;) task(t);
        });
    if (!p.ok()) {
        why = p.error().text;
        return false;
    }
    for (std::size_t i = 0; i < to_bytes; ++i)
        if (to.data()[i] != expected[i]) {
            why = "byte " + std::to_string(i) + " of the destination";
            return false;
        }
    // One byte less on either side is refused, and nothing written.
    if (to_bytes > 0 && plan->run(to.data(), to_bytes - 1, from.data(), from_bytes).ok()) why = "a destination too short is taken";
    if (from_bytes > 0 && plan->run(to.data(), to_bytes, from.data(), from_bytes - 1).ok()) why = "a source too short is taken";
    return why.empty();
}

} // namespace

TEST_CASE("relayout: random pairs of layouts, against the definition")
{
    laws::Report report("relayout");
    laws::Random r(20261121);
    for (Int n = 0; n < laws::cases(20000); ++n) {
        Case k;
        k.width = Int{1} << r.in(0, 4);
        k.options.bits = static_cast<int>(8 * k.width);
        if (r.one_in(3)) k.options.streaming = axe::RelayoutOptions::Streaming::always;
        if (r.one_in(3)) k.options.instructions = axe::detail::InstructionSet::portable;
        k.shape = relayouts::random_shape(r, r.one_in(20) ? 6000 : 400);
        k.to = relayouts::random_side(r, k.shape, {true, k.width});
        k.from = relayouts::random_side(r, k.shape, {false, k.width});
        if (!k.to.shape.empty() && r.one_in(2))
            k.options.padding = k.width >= 8 ? r.next() : r.next() & ((std::uint64_t{1} << (8 * k.width)) - 1);
        report.asked(true);
        std::string why;
        if (!copies_right(r, k, why)) report.wrong((why + ": " + describe(k)).c_str());
    }
    report.finish(false);
}
