// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/laws/report.hpp>
#include <tests/relayout_sides.hpp>

#include <map>
#include <regex>

/// Where a side reaches, and whether an address of it is written twice, by whom: against every element looked at by itself.
namespace {

using laws::Int;

using relayouts::for_each_coord;

/// Any iters at all: most overlap. Padded, replicated, swizzled either way, of two axes, before the buffer's begin.
axe::RelayoutSide any_side(laws::Random& r, const axe::Shape& shape, Int width)
{
    axe::RelayoutSide side;
    axe::Shape outer = shape;
    if (shape.size() > 0 && r.one_in(2)) {
        for (Int& n : outer) n += r.one_in(2) ? 0 : r.in(0, 3);
        side.shape = outer;
    }
    std::vector<Int> extents;
    if (r.one_in(3)) { // straddling its dimensions, perhaps
        Int n = 1;
        for (const Int e : outer) n *= e;
        relayouts::random_cut(r, n, extents);
    } else {
        for (const Int n : outer) relayouts::random_cut(r, n, extents);
    }
    axe::Layout& layout = side.layout.layout;
    Int next = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
        const Int stride = r.one_in(3) ? r.in(0, 12) : next;
        layout.shard.insert(0, {extents[i], r.one_in(6) ? -stride : stride});
        next *= extents[i];
        if (r.one_in(3)) next += r.in(-1, 3);
    }
    if (r.one_in(4)) layout.replica.push_back({r.in(2, 3), r.one_in(2) ? r.in(1, 9) : next});
    if (r.one_in(8)) layout.replica.push_back({2, r.in(1, 5)});
    if (const Int offset = r.in(-20, 200); offset != 0) *layout.offset.entry({}) = offset;
    if (r.one_in(2)) {
        axe::Swizzle s{static_cast<int>(r.in(1, 3)), static_cast<int>(r.in(0, 2)), static_cast<int>(r.in(3, 4))};
        if (r.one_in(2)) s.shift = -s.shift;
        for (Int w = width; w > 1; w /= 2) ++s.base;
        side.layout.swizzle = s;
        side.layout.width = width;
    } else if (r.one_in(4)) {
        for (axe::Iter& it : layout.shard)
            if (r.one_in(2)) it.axis = "P";
        side.pitches = {{"P", r.in(1, 40)}, {{}, 1}};
    }
    return side;
}

struct Case {
    axe::Shape shape;
    axe::RelayoutSide side;
    Int width = 4;
    bool fills = false;
};

std::string describe(const Case& k)
{
    return "shape " + std::string(axe::print(k.shape).c_str()) + " side " + axe::print(k.side.layout).c_str() + " in " +
           axe::print(k.side.shape).c_str() + " width " + std::to_string(k.width) + (k.fills ? " filled" : "");
}

/// The coordinate that a sentence names: of the tensor's element 7, or of the padding at (1,2).
axe::Coord coord_of(const std::string& words, const axe::Shape& shape)
{
    axe::Coord c = shape;
    std::smatch found;
    if (std::regex_search(words, found, std::regex("padding at \\(([0-9,]*)\\)"))) {
        std::string rest = found[1];
        for (Int& x : c) {
            std::size_t past = 0;
            x = std::stoll(rest, &past);
            rest = rest.substr(std::min(past + 1, rest.size()));
        }
        return c;
    }
    Int index = std::stoll(words);
    for (int d = shape.size() - 1; d >= 0; --d) {
        c[d] = index % shape[d];
        index /= shape[d];
    }
    return c;
}

bool told_right(const Case& k, laws::Report& report, std::string& why)
{
    axe::RelayoutOptions o;
    o.bits = static_cast<int>(8 * k.width);
    if (k.fills) o.padding = 0;
    axe::Layout rows;
    rows.shard.push_back({*axe::volume(k.shape), 1});

    const axe::Shape written = k.fills && !k.side.shape.empty() ? k.side.shape : k.shape;
    std::map<Int, std::vector<axe::Coord>> writers;
    for_each_coord(written, [&](const axe::Coord& c) {
        for (const Int a : relayouts::addresses(k.side, k.shape, c, k.width)) writers[a].push_back(c);
    });
    const auto plan = axe::plan_relayout(k.side, rows, k.shape, o);
    report.asked(plan.has_value());
    bool is_shared = false, by_two = false;
    for (const auto& [address, all] : writers) {
        is_shared = is_shared || all.size() > 1;
        for (const axe::Coord& c : all) by_two = by_two || !(c == all[0]);
    }
    if (!plan) {
        const std::string& text = plan.error().text;
        std::smatch found;
        const std::regex two(
            "the destination's element (-?[0-9]+) is written twice, by the tensor's elements ([0-9]+) and ([0-9]+)");
        const std::regex any(
            "the destination's element (-?[0-9]+) is written twice, by the ((?:tensor's element [0-9]+)|(?:padding at "
            "\\([0-9,]+\\))) and (.*)");
        const auto number = [](const std::string& s) { return s.substr(s.find_first_of("0123456789(")); };
        axe::Coord first, second;
        if (std::regex_match(text, found, two)) {
            first = coord_of(found[2], k.shape);
            second = coord_of(found[3], k.shape);
            if (first == second) why = "one element twice: " + text;
        } else if (std::regex_match(text, found, any)) {
            const std::string one = found[2], other = found[3];
            first = coord_of(one[0] == 't' ? number(one) : one, k.shape);
            const bool is_copy = other == "another copy of it";
            second = is_copy ? first : coord_of(other.find("padding") == std::string::npos ? number(other) : other, k.shape);
            if (!is_copy && first == second) why = "one element twice: " + text;
        } else {
            why = text;
            return false;
        }
        if (!is_shared) {
            why = "refused: " + text;
            return false;
        }
        const auto& all = writers[std::stoll(found[1])];
        const auto count = [&](const axe::Coord& c) { return std::count(all.begin(), all.end(), c); };
        if (count(first) < 1 || count(second) < (first == second ? 2 : 1)) why = "not so: " + text;
        return why.empty();
    }
    if (by_two) {
        why = "taken, though two elements have one address";
        return false;
    }
    const Int least = writers.begin()->first * k.width, most = writers.rbegin()->first * k.width + k.width - 1;
    if (plan->parts().to.least != least || plan->parts().to.most != most) {
        why = "reaches from " + std::to_string(least) + " to " + std::to_string(most) + ", not from " +
              std::to_string(plan->parts().to.least) + " to " + std::to_string(plan->parts().to.most);
        return false;
    }
    // As a source: the first copies alone.
    Case as_source = k;
    as_source.side.layout.layout.replica = {};
    Int from_least = INT64_MAX, from_most = INT64_MIN;
    for_each_coord(k.shape, [&](const axe::Coord& c) {
        const Int a = relayouts::addresses(as_source.side, k.shape, c, k.width)[0] * k.width;
        from_least = std::min(from_least, a);
        from_most = std::max(from_most, a + k.width - 1);
    });
    const auto reads = axe::plan_relayout(rows, k.side, k.shape, o);
    if (!reads || reads->parts().from.least != from_least || reads->parts().from.most != from_most) why = "as a source";
    return why.empty();
}

} // namespace

TEST_CASE("relayout: where random sides reach, and who writes an address twice, against every element")
{
    laws::Report report("relayout reach");
    laws::Random r(20261122);
    for (Int n = 0; n < laws::cases(20000); ++n) {
        Case k;
        k.width = Int{1} << r.in(0, 4);
        k.shape = relayouts::random_shape(r, 60);
        k.side = any_side(r, k.shape, k.width);
        k.fills = r.one_in(2);
        std::string why;
        if (!told_right(k, report, why)) report.wrong((why + ": " + describe(k)).c_str());
    }
    report.finish();
}

TEST_CASE("relayout: two random sides in one buffer share a byte that is read and written, or not, against every byte")
{
    laws::Report report("relayout overlap");
    laws::Random r(20261123);
    for (Int n = 0; n < laws::cases(20000); ++n) {
        Case to, from;
        to.width = from.width = Int{1} << r.in(0, 4);
        to.shape = from.shape = relayouts::random_shape(r, 60);
        to.side = any_side(r, to.shape, to.width);
        from.side = any_side(r, from.shape, from.width);
        from.side.layout.layout.replica = {};
        if (r.one_in(2)) to.side.layout.swizzle = from.side.layout.swizzle = {};
        axe::RelayoutOptions o;
        o.bits = static_cast<int>(8 * to.width);
        const auto plan = axe::plan_relayout(to.side, from.side, to.shape, o);
        if (!plan || plan->parts().to.least < 0 || plan->parts().from.least < 0) continue;
        alignas(16) static std::byte buffer[1 << 20];
        const Int to_at = 0, from_at = r.in(0, 40) * to.width;
        std::map<Int, bool> written;
        for_each_coord(to.shape, [&](const axe::Coord& c) {
            for (const Int a : relayouts::addresses(to.side, to.shape, c, to.width))
                for (Int b = 0; b < to.width; ++b) written[to_at + a * to.width + b] = true;
        });
        bool is_shared = false;
        std::map<Int, bool> read;
        for_each_coord(to.shape, [&](const axe::Coord& c) {
            const Int a = relayouts::addresses(from.side, to.shape, c, to.width)[0];
            for (Int b = 0; b < to.width; ++b) {
                read[from_at + a * to.width + b] = true;
                is_shared = is_shared || written.count(from_at + a * to.width + b) > 0;
            }
        });
        report.asked(!is_shared);
        const axe::Result<void, axe::Problem> p =
            plan->check(buffer + to_at, sizeof buffer / 2, buffer + from_at, sizeof buffer / 2);
        std::smatch found;
        const std::regex words("the buffers overlap: byte ([0-9]+) of the source is byte ([0-9]+) of the destination");
        const auto told = [&] {
            if (!is_shared) return p.ok();
            if (!std::regex_match(p.error().text, found, words)) return false;
            const Int source = std::stoll(found[1]) + from_at, target = std::stoll(found[2]) + to_at;
            return source == target && read.count(source) > 0 && written.count(target) > 0;
        };
        if (!told()) report.wrong((p.error().text + ": to " + describe(to) + " from " + describe(from)).c_str());
    }
    report.finish();
}
