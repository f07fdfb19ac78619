// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/laws/report.hpp>
#include <tests/relayout_values.hpp>

/// relayout of elements of 4 bits: each is at half a byte's address; the other half is left as it was.
TEST_CASE("relayout: random pairs of layouts of nibbles, against the definition")
{
    using laws::Int;
    laws::Report report("relayout of nibbles");
    laws::Random r(44);
    const auto nibble = [](const std::vector<std::byte>& bytes, Int at) {
        return (std::to_integer<unsigned>(bytes[static_cast<std::size_t>(at / 2)]) >> (4 * (at % 2))) & 15U;
    };
    for (Int n = 0; n < laws::cases(4000); ++n) {
        const axe::Shape shape = relayouts::random_shape(r, 400);
        const auto to = relayouts::random_side(r, shape, {true, 1, true, false});
        const auto from = relayouts::random_side(r, shape, {false, 1, true, false});
        axe::RelayoutOptions o;
        o.bits = 4;
        if (!to.shape.empty() && r.one_in(2)) o.padding = r.next() & 15U;
        const axe::Shape written = o.padding ? to.shape : shape;
        Int to_most = 0, from_most = 0;
        relayout_values::for_each_coord(written, [&](const axe::Coord& c) {
            for (const Int a : relayouts::addresses(to, shape, c, 1)) to_most = std::max(to_most, a);
        });
        relayout_values::for_each_coord(
            shape, [&](const axe::Coord& c) { from_most = std::max(from_most, relayouts::addresses(from, shape, c, 1)[0]); });
        const relayouts::GuardedBytes target(static_cast<std::size_t>(to_most / 2 + 1)),
            source(static_cast<std::size_t>(from_most / 2 + 1));
        for (std::size_t i = 0; i < target.size(); ++i) target.data()[i] = static_cast<std::byte>(r.next());
        for (std::size_t i = 0; i < source.size(); ++i) source.data()[i] = static_cast<std::byte>(r.next());
        const std::vector<std::byte> in(source.data(), source.data() + source.size());
        std::vector<std::byte> expected(target.data(), target.data() + target.size());
        const auto put = [&](const axe::Coord& c, unsigned value) {
            for (const Int a : relayouts::addresses(to, shape, c, 1)) {
                std::byte& both = expected[static_cast<std::size_t>(a / 2)];
                both = static_cast<std::byte>(a % 2 == 0 ? (std::to_integer<unsigned>(both) & 0xf0U) | value
                                                         : (std::to_integer<unsigned>(both) & 0x0fU) | value << 4);
            }
        };
        if (o.padding)
            relayout_values::for_each_coord(written, [&](const axe::Coord& c) { put(c, static_cast<unsigned>(*o.padding)); });
        relayout_values::for_each_coord(
            shape, [&](const axe::Coord& c) { put(c, nibble(in, relayouts::addresses(from, shape, c, 1)[0])); });

        report.asked(true);
        const auto plan = axe::plan_relayout(to, from, shape, o);
        std::string why = plan ? "" : plan.error().text;
        if (plan)
            why = plan->run(target.data(), target.size(), source.data(), source.size(), static_cast<int>(r.in(1, 3)),
                            [](int parts, const auto& f) {
                                for (int t = parts; t-- > 0;) f(t);
                            })
                      .error()
                      .text;
        for (std::size_t i = 0; i < target.size() && why.empty(); ++i)
            if (target.data()[i] != expected[i]) why = "byte " + std::to_string(i) + " of the destination";
        if (plan && why.empty() && plan->check(target.data(), target.size() - 1, source.data(), source.size()).ok())
            why = "a short destination is taken";
        if (plan && why.empty() && plan->check(target.data(), target.size(), source.data(), source.size() - 1).ok())
            why = "a short source is taken";
        if (why.empty()) continue;
        report.wrong((why + ": shape " + axe::print(shape).c_str() + " to " + axe::print(to.layout.layout).c_str() + " in " +
                      axe::print(to.shape).c_str() + " from " + axe::print(from.layout.layout).c_str() + " in " +
                      axe::print(from.shape).c_str())
                         .c_str());
    }
    report.finish(false);
}
