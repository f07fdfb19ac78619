// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear.hpp>
#include <tests/laws/report.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

/// Linear layouts: the defining equation of every operation, on all small maps by enumeration and on random large ones.
namespace {

using axe::linear::Dims;
using axe::linear::LinearLayout;
using laws::Int;
using Word = std::uint64_t;

std::string text(const LinearLayout& l) { return axe::linear::print(l).c_str(); }

/// A map of `in` bits to `out` bits, number `code` of the 2^(in·out) that there are.
LinearLayout small(int in, int out, Word code, axe::Axis from = "x", axe::Axis to = "y")
{
    LinearLayout l;
    l.in.push_back({from, in});
    l.out.push_back({to, out});
    for (int j = 0; j < in; ++j) l.bases.push_back((code >> (j * out)) & ((Word{1} << out) - 1));
    return l;
}
Word codes(int in, int out) { return Word{1} << (in * out); }

std::vector<Word> values(const LinearLayout& l)
{
    std::vector<Word> out;
    for (Word x = 0; x < Word{1} << bits_of(l.in); ++x) {
        Word y = 0;
        for (int j = 0; j < l.bases.size(); ++j)
            if ((x >> j & 1) != 0) y ^= l.bases[j];
        out.push_back(y);
    }
    return out;
}

/// Random dimensions of `bits` bits in all.
Dims random_dims(laws::Random& r, int bits, const axe::Axis (&names)[4])
{
    Dims dims;
    int left = bits;
    for (int i = 0; i < 4; ++i) {
        const int mine = i == 3 ? left : static_cast<int>(r.in(0, left));
        if (mine > 0 || r.one_in(2)) dims.push_back({names[i], mine});
        left -= mine;
    }
    for (int i = dims.size() - 1; i > 0; --i) {
        const int k = static_cast<int>(r.in(0, i));
        const auto moved = dims[i];
        dims[i] = dims[k];
        dims[k] = moved;
    }
    return dims;
}
constexpr axe::Axis hardware[4] = {"register", "lane", "warp", "block"};
constexpr axe::Axis other_hardware[4] = {"offset", "lane", "warp", "bank"};
constexpr axe::Axis tensor[4] = {"dim0", "dim1", "dim2", "dim3"};

LinearLayout random_map(laws::Random& r, const Dims& in, const Dims& out)
{
    LinearLayout l;
    l.in = in;
    l.out = out;
    const Int kind = r.in(0, 2); // any words, single bits, or a mixture with zeros
    for (int j = 0; j < bits_of(in); ++j) {
        const Word all = (Word{1} << bits_of(out)) - 1;
        Word word = r.next() & all;
        if (bits_of(out) > 0 && (kind == 1 || (kind == 2 && r.one_in(2)))) word = Word{1} << r.in(0, bits_of(out) - 1);
        l.bases.push_back(kind == 2 && r.one_in(4) ? 0 : word);
    }
    return l;
}

/// The same dimensions in another order.
axe::linear::Names shuffled(laws::Random& r, const Dims& dims)
{
    axe::linear::Names names;
    for (const auto& d : dims) names.insert(static_cast<int>(r.in(0, names.size())), d.name);
    return names;
}

/// B(C(x)) = A(x) on all bits, with the outputs of B in any order.
bool solves(const LinearLayout& c, const LinearLayout& a, const LinearLayout& b)
{
    const auto back = compose(c, b);
    if (!back || !(c.in == a.in) || !(c.out == b.in)) return false;
    axe::linear::Names names;
    for (const auto& d : b.out) names.push_back(d.name);
    return back->bases == transpose_outs(a, names)->bases;
}

} // namespace

TEST_CASE("linear: rank, injective and surjective with their witnesses, of every small map")
{
    laws::Report report("linear properties");
    for (int in = 0; in <= 4; ++in)
        for (int out = 0; out <= 3; ++out)
            for (Word code = 0; code < codes(in, out); ++code) {
                const LinearLayout l = small(in, out, code);
                const auto all = values(l);
                std::vector<Word> image = all;
                std::sort(image.begin(), image.end());
                image.erase(std::unique(image.begin(), image.end()), image.end());
                Int doubled = -1, missing = -1;
                for (std::size_t x = 0; x < all.size() && doubled < 0; ++x)
                    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(x), all[x]) !=
                        all.begin() + static_cast<std::ptrdiff_t>(x))
                        doubled = static_cast<Int>(x);
                for (Word y = 0; y < Word{1} << out && missing < 0; ++y)
                    if (!std::binary_search(image.begin(), image.end(), y)) missing = static_cast<Int>(y);
                const auto injective = is_injective(l), surjective = is_surjective(l);
                report.asked(doubled < 0);
                report.that(static_cast<bool>(injective) == (doubled < 0) && injective.witness() == doubled, "injective",
                            text(l).c_str());
                report.that(static_cast<bool>(surjective) == (missing < 0) && surjective.witness() == missing, "surjective",
                            text(l).c_str());
                report.that(static_cast<bool>(is_invertible(l)) == (doubled < 0 && missing < 0), "invertible", text(l).c_str());
                report.that(image.size() == std::size_t{1} << *rank(l), "rank", text(l).c_str());
                // Free bits can be 0 without losing a value, and the others alone are injective.
                const Word free = (*free_variable_masks(l))[0];
                std::vector<Word> bound;
                for (Word x = 0; x < all.size(); ++x)
                    if ((x & free) == 0) bound.push_back(all[x]);
                std::sort(bound.begin(), bound.end());
                report.that(bound == image, "free bits", text(l).c_str());
            }
    report.finish();
}

TEST_CASE("linear: invert_and_compose of all pairs of small maps solves B(C(x)) = A(x), or there is no such C")
{
    laws::Report report("linear invert_and_compose");
    for (int a_in = 1; a_in <= 2; ++a_in)
        for (int b_in = 1; b_in <= 3; ++b_in)
            for (Word a_code = 0; a_code < codes(a_in, 3); ++a_code)
                for (Word b_code = 0; b_code < codes(b_in, 3); ++b_code) {
                    const LinearLayout a = small(a_in, 3, a_code, "x"), b = small(b_in, 3, b_code, "z");
                    const auto to = values(b);
                    bool exists = true;
                    for (const Word basis : a.bases) exists = exists && std::find(to.begin(), to.end(), basis) != to.end();
                    const auto c = invert_and_compose(a, b);
                    report.asked(exists);
                    if (!report.that(exists == c.has_value(), "existence", text(a).c_str(), text(b).c_str()) || !c) continue;
                    report.that(solves(*c, a, b), "wrong", text(a).c_str(), text(b).c_str(), text(*c).c_str());
                    const Word free = (*free_variable_masks(b))[0];
                    for (const Word basis : c->bases)
                        report.that((basis & free) == 0, "a free bit is set", text(a).c_str(), text(b).c_str(), text(*c).c_str());
                    // The same with dimensions of one name: what is alike stays.
                    LinearLayout named = b;
                    named.in[0].name = "x";
                    const auto d = invert_and_compose(a, named);
                    report.that(d && solves(*d, a, named), "wrong under one name", text(a).c_str(), text(named).c_str());
                    if (d && a.bases == b.bases)
                        report.that(*d == small(a_in, a_in, a_in == 1 ? 1 : 9, "x", "x"), "not the identity", text(a).c_str());
                }
    report.finish();
}

TEST_CASE("linear: inverses of every square map and right inverses of every map")
{
    laws::Report report("linear invert");
    for (int in = 0; in <= 4; ++in)
        for (int out = 0; out <= 3; ++out)
            for (Word code = 0; code < codes(in, out); ++code) {
                const LinearLayout l = small(in, out, code);
                const auto right = pseudo_invert(l);
                const bool exists = static_cast<bool>(is_surjective(l));
                report.exists(exists, right.has_value() ? axe::Result<Int>(0) : axe::Result<Int>(right.error()), text(l).c_str());
                report.that(invert(l).has_value() == (in == out && exists), "invert", text(l).c_str());
                if (!right) continue;
                report.that(*compose(*right, l) == *axe::linear::identity_1d(Int{1} << out, "y", "y"), "not a right inverse",
                            text(l).c_str());
                if (in != out) continue;
                const LinearLayout inverse = *invert(l);
                report.that(inverse == *right && *invert(inverse) == l &&
                                *compose(l, inverse) == *axe::linear::identity_1d(Int{1} << in, "x", "x"),
                            "not an inverse", text(l).c_str());
            }
    report.finish();
}

TEST_CASE("linear: products by their equation, and their quotients, for all small maps")
{
    laws::Report report("linear product");
    for (int n = 0; n < 4; ++n) { // all sizes of one or two bits
        const int ai = 1 + n / 2, ao = 1 + n % 2, bi = 2, bo = 1;
        for (Word ac = 0; ac < codes(ai, ao); ++ac)
            for (Word bc = 0; bc < codes(bi, bo); ++bc) {
                const LinearLayout a = small(ai, ao, ac), b = small(bi, bo, bc);
                const auto p = product(a, b);
                const auto va = values(a), vb = values(b), vp = values(*p);
                for (Word x = 0; x < vp.size(); ++x)
                    report.that(vp[x] == (va[x & (va.size() - 1)] | vb[x >> ai] << ao), "equation", text(a).c_str(),
                                text(b).c_str());
                report.that(*divide_left(*p, a) == b && *divide_right(*p, b) == a, "quotients", text(a).c_str(), text(b).c_str());
            }
    }
    for (Word wc = 0; wc < codes(3, 3); ++wc) // every quotient that there is, and no other
        for (int bits = 1; bits <= 2; ++bits)
            for (Word kc = 0; kc < codes(bits, bits); ++kc) {
                const LinearLayout whole = small(3, 3, wc), known = small(bits, bits, kc);
                bool left = false, right = false;
                for (Word c = 0; c < codes(3 - bits, 3 - bits); ++c) {
                    const LinearLayout rest = small(3 - bits, 3 - bits, c);
                    left = left || *product(known, rest) == whole;
                    right = right || *product(rest, known) == whole;
                }
                const auto l = divide_left(whole, known), r = divide_right(whole, known);
                report.asked(left);
                report.asked(right);
                report.that(l.has_value() == left && (!l || *product(known, *l) == whole), "left", text(whole).c_str(),
                            text(known).c_str());
                report.that(r.has_value() == right && (!r || *product(*r, known) == whole), "right", text(whole).c_str(),
                            text(known).c_str());
                report.that((l || l.error().is_none()) && (r || r.error().is_none()), "an error, not none", text(whole).c_str());
            }
    report.finish();
}

TEST_CASE("linear: random large maps of many dimensions")
{
    laws::Report report("linear random");
    laws::Random r(20260611);
    for (Int i = laws::cases(20'000); i > 0; --i) {
        const int in = static_cast<int>(r.in(0, 62)), mid = static_cast<int>(r.in(0, 62)), out = static_cast<int>(r.in(0, 62));
        const LinearLayout a = random_map(r, random_dims(r, in, hardware), random_dims(r, mid, tensor));
        LinearLayout b = random_map(r, a.out, random_dims(r, out, other_hardware));
        b = *transpose_ins(b, shuffled(r, b.in));
        const auto ab = compose(a, b);
        if (!report.that(ab.has_value(), "no composition", text(a).c_str(), text(b).c_str())) continue;
        for (int k = 0; k < 4; ++k) { // (B∘A)(x) = B(A(x)), coordinate by coordinate
            axe::Point x;
            for (const auto& d : a.in)
                if (d.bits > 0) *x.entry(d.name) = static_cast<Int>(r.next() & ((Word{1} << d.bits) - 1));
            report.that(*evaluate(*ab, x) == *evaluate(b, *evaluate(a, x)), "composition", text(a).c_str(), text(b).c_str());
        }
        // C with C∘T = A where A is made of values of T.
        const LinearLayout t = random_map(r, random_dims(r, out, other_hardware), a.out);
        const auto made = compose(random_map(r, a.in, t.in), t);
        const LinearLayout wanted = *transpose_outs(*made, shuffled(r, made->out));
        const auto c = invert_and_compose(wanted, t);
        if (report.that(c.has_value(), "not found", text(wanted).c_str(), text(t).c_str()))
            report.that(solves(*c, wanted, t), "wrong", text(wanted).c_str(), text(t).c_str());
        const auto any = invert_and_compose(a, t);
        const auto joined = concat_ins(*reshape_ins(a, {{"p", in}}), *reshape_ins(t, {{"q", out}}));
        if (joined) {
            report.asked(any.has_value());
            report.that(any.has_value() == (*rank(*joined) == *rank(t)), "existence", text(a).c_str(), text(t).c_str());
        }
        if (any) report.that(solves(*any, a, t), "wrong", text(a).c_str(), text(t).c_str());
        // A ↦ its transposes, reshapes and parts, and back.
        axe::linear::Names ins, outs;
        for (const auto& d : a.in) ins.push_back(d.name);
        for (const auto& d : a.out) outs.push_back(d.name);
        report.that(*transpose_ins(*transpose_ins(a, shuffled(r, a.in)), ins) == a, "transpose_ins", text(a).c_str());
        report.that(*transpose_outs(*transpose_outs(a, shuffled(r, a.out)), outs) == a, "transpose_outs", text(a).c_str());
        report.that(*reshape_ins(*reshape_ins(a, random_dims(r, in, tensor)), a.in) == a, "reshape_ins", text(a).c_str());
        report.that(*reshape_outs(*reshape_outs(a, random_dims(r, mid, hardware)), a.out) == a, "reshape_outs", text(a).c_str());
        report.that(flatten_ins(a)->bases == a.bases && flatten_outs(a)->bases == a.bases, "flatten", text(a).c_str());
        if (ins.size() > 1) {
            axe::linear::Names first{ins[0]}, rest = ins;
            rest.erase(0);
            report.that(*concat_ins(*sublayout(a, first, outs), *sublayout(a, rest, outs)) == a, "concat_ins", text(a).c_str());
        }
        if (outs.size() > 1) {
            axe::linear::Names first{outs[0]}, rest = outs;
            rest.erase(0);
            report.that(*concat_outs(*sublayout(a, ins, first), *sublayout(a, ins, rest)) == a, "concat_outs", text(a).c_str());
        }
        const auto one = print(a);
        const auto list = print_triton(a);
        report.that(one.size < one.capacity && *axe::linear::parse_linear({one.c_str(), one.size}) == a, "text", one.c_str());
        report.that(list.size < list.capacity && *axe::linear::parse_linear({list.c_str(), list.size}) == a, "Triton's text",
                    one.c_str());
    }
    report.finish();
}

// ---- Layouts --------------------------------------------------------------------------------------------------------------------

namespace {

constexpr int location_bits = 6; // of each of the axes m and lane in the laws below

/// Which element is at each place of the least box of powers of two that holds a layout's points, or nothing when elements share
/// places, places are empty or below 0, or the map is not linear. A place is lane and m as the bits of one word; `bits` of each.
struct Truth {
    std::map<Word, Word> element;
    int m_bits = 0, lane_bits = 0;
};
std::optional<Truth> truth(const axe::Layout& l, const axe::Swizzle& swizzle)
{
    const auto table = oracle::table(l);
    Truth out;
    for (std::size_t x = 0; x < table.low.size(); ++x)
        for (const auto v : table.set) {
            const auto point = table.low[x] + v;
            Int m = oracle::decode(point, 0), lane = oracle::decode(point, 1);
            if (m < 0 || lane < 0) return std::nullopt;
            m = swizzle(m);
            if (!out.element.emplace(static_cast<Word>(lane) << 32 | static_cast<Word>(m), x).second) return std::nullopt;
            while (m >> out.m_bits != 0) ++out.m_bits;
            while (lane >> out.lane_bits != 0) ++out.lane_bits;
        }
    if (out.element.size() != std::size_t{1} << (out.m_bits + out.lane_bits)) return std::nullopt;
    for (const auto& [p, x] : out.element) // linear iff it is on the single bits of p
    {
        Word sum = 0;
        for (Word rest = p; rest != 0; rest &= rest - 1) sum ^= out.element.at(rest & (0 - rest));
        if (sum != x) return std::nullopt;
    }
    return out;
}

void check_conversion(laws::Report& report, const axe::Layout& l, const axe::Swizzle& swizzle)
{
    const auto should = truth(l, swizzle);
    const axe::Swizzled<axe::Layout> s{swizzle, axe::Axis{}, 1, l};
    const axe::Shape shape{oracle::size(l)};
    const auto got = axe::linear::to_linear(s, shape, {{"m", "offset"}, {"lane", "lane"}});
    report.asked(should.has_value());
    const std::string words = std::string(axe::print(s).c_str());
    if (!should) {
        report.that(!got, "found where there is none", words.c_str());
        if (!got) report.that(got.error().is_none(), "an error, not none", words.c_str(), got.error().message().c_str());
        return;
    }
    if (!report.that(got.has_value(), "not found", words.c_str(), got ? "" : got.error().message().c_str())) return;
    report.that(got->in == Dims{{"offset", should->m_bits}, {"lane", should->lane_bits}} && got->out.size() == 1, "dimensions",
                words.c_str());
    for (const auto& [p, x] : should->element)
        report.that(apply(*got, (p & 0xffffffffu) | p >> 32 << should->m_bits) == x, "wrong", words.c_str(), text(*got).c_str());
    // And back: the same map, canonical; without a swizzle the same layout.
    const axe::linear::AxisNames names{{"m", "offset"}, {"lane", "lane"}};
    const auto back = axe::linear::to_swizzled(*got, 1, names);
    if (!report.that(back.has_value(), "not back", words.c_str(), text(*got).c_str())) return;
    report.that(*to_linear(*back, shape, names) == *got, "another way back", words.c_str(), axe::print(*back).c_str());
    const auto plain = axe::linear::to_layout(*got, names);
    if (swizzle.bits == 0) report.that(plain && *plain == *axe::canonicalize(l), "not the canonical layout", words.c_str());
    if (plain) report.that(back->layout == *plain && back->swizzle.bits == 0, "a swizzle that is not needed", words.c_str());
}

} // namespace

TEST_CASE("linear: to_linear of every small layout, and back")
{
    laws::Report report("to_linear");
    const axe::Swizzle none{};
    laws::all_shards(3, 4, 8, 1, [&](const axe::Layout& l) { check_conversion(report, l, none); });
    laws::all_shards(3, 4, 4, 2, [&](const axe::Layout& l) {
        check_conversion(report, l, none);
        axe::Layout moved = l;
        *moved.offset.entry(axe::Axis{}) = 4;
        check_conversion(report, moved, none);
    });
    laws::all_shards(2, 4, 8, 1, [&](const axe::Layout& l) {
        for (Int n = 2; n <= 4; ++n)
            for (Int s = -6; s <= 8; ++s)
                for (Int o = 0; o <= (s < 0 ? 18 : 0); o += s < 0 ? -s : 1) {
                    axe::Layout copied = l;
                    copied.replica.push_back({n, s, axe::Axis{}});
                    if (o != 0) *copied.offset.entry(axe::Axis{}) = o;
                    check_conversion(report, copied, none);
                    copied.replica.push_back({2, 1, axe::Axis{"lane"}});
                    copied.replica.push_back({2, 2 * s, axe::Axis{}});
                    check_conversion(report, copied, none);
                }
    });
    report.finish();
}

TEST_CASE("linear: to_linear of random and swizzled layouts, and back")
{
    laws::Report report("to_linear swizzled");
    laws::Random r(20260612);
    for (Int i = laws::cases(60'000); i > 0; --i) {
        axe::Layout l; // mostly the bits of a box in a random order
        int reach[2] = {0, 0};
        for (int k = static_cast<int>(r.in(0, 4)); k > 0; --k) {
            const int a = r.one_in(3) ? 1 : 0, bits = static_cast<int>(r.in(1, 2));
            if (reach[a] + bits > location_bits) continue;
            axe::Iter it{Int{1} << bits, Int{1} << reach[a], oracle::axes[a]};
            if (r.one_in(12)) it.stride += Int{1} << r.in(0, 5);
            reach[a] += bits;
            if (r.one_in(4))
                l.replica.push_back(it);
            else
                l.shard.insert(static_cast<int>(r.in(0, l.shard.size())), it);
        }
        axe::Swizzle swizzle;
        swizzle.bits = static_cast<int>(r.in(0, 3));
        swizzle.base = static_cast<int>(r.in(0, 3));
        swizzle.shift = static_cast<int>(r.in(swizzle.bits, 4)) * (r.one_in(2) ? -1 : 1);
        // A swizzle that leaves the box is undone by strides beyond it.
        if (r.one_in(2))
            for (auto* list : {&l.shard.items[0], &l.replica.items[0]})
                for (int k = 0; k < (list == &l.shard.items[0] ? l.shard.size() : l.replica.size()); ++k)
                    if (list[k].extent == 2 && list[k].axis == axe::Axis{}) list[k].stride = swizzle(list[k].stride);
        check_conversion(report, l, swizzle);
    }
    report.finish();
}

TEST_CASE("linear: to_layout of every map of four bits, exactly where a layout is that map")
{
    laws::Report report("to_layout");
    // All sums of progressions that hold 0, below 16, as sets of bits.
    std::vector<bool> sums(std::size_t{1} << 16);
    const auto grow = [&](const auto& self, Word set) -> void {
        if (sums[set]) return;
        sums[set] = true;
        for (int s = 1; s < 16; ++s) {
            Word all = set;
            for (int n = 1; n * s < 16; ++n) {
                const Word moved = set << (n * s);
                if (moved >> 16 != 0) break;
                self(self, all |= moved);
            }
        }
    };
    grow(grow, 1);
    // Is the map of these values that of a layout on m, without a swizzle?
    const auto is_layout = [&](const std::vector<Word>& element, Word elements) {
        std::vector<Word> places(elements, 0);
        for (std::size_t p = 0; p < element.size(); ++p) places[element[p]] |= Word{1} << p;
        std::vector<oracle::Value> least;
        for (const Word set : places) {
            if (set == 0) return false;
            least.push_back(__builtin_ctzll(set));
            if (set >> least.back() != places[0] >> least[0]) return false;
        }
        return sums[places[0] >> least[0]] && oracle::recover_d(least).has_value();
    };
    std::vector<axe::Swizzle> swizzles;
    for (int bits = 1; bits <= 2; ++bits)
        for (int base = 0; base < 4; ++base)
            for (int shift = -3; shift <= 3; ++shift)
                if (std::abs(shift) >= bits && base + bits + std::abs(shift) <= 4) swizzles.push_back({bits, base, shift});
    for (int out = 0; out <= 4; ++out)
        for (Word code = 0; code < codes(4, out); ++code) {
            const LinearLayout l = small(4, out, code, "offset");
            const auto element = values(l);
            const bool plain = is_layout(element, Word{1} << out);
            const auto got = axe::linear::to_layout(l);
            report.asked(plain);
            if (report.that(plain == got.has_value(), plain ? "not found" : "found where there is none", text(l).c_str()) && got)
                report.that(*axe::linear::to_linear(*got, shape_of(l), {{"m", "offset"}}).value_or(LinearLayout{}).bases.begin() ==
                                    *l.bases.begin() &&
                                axe::linear::to_linear(*got, shape_of(l), {{"m", "offset"}})->bases == l.bases,
                            "wrong", text(l).c_str(), axe::print(*got).c_str());
            if (out == 4 && code % 7 != 0) continue; // a seventh of the largest
            bool swizzled = plain;
            for (const auto& s : swizzles) {
                if (swizzled) break;
                std::vector<Word> before;
                for (Word p = 0; p < 16; ++p) before.push_back(element[static_cast<std::size_t>(s(static_cast<Int>(p)))]);
                swizzled = is_layout(before, Word{1} << out);
            }
            const auto some = axe::linear::to_swizzled(l, 4);
            report.that(some || some.error().is_none(), "an error, not none", text(l).c_str());
            if (!report.that(swizzled == some.has_value(), swizzled ? "no swizzle found" : "a swizzle where there is none",
                             text(l).c_str()) ||
                !some)
                continue;
            report.that(some->width == 4 && axe::linear::to_linear(*some, shape_of(l), {{"m", "offset"}})->bases == l.bases,
                        "wrong under a swizzle", text(l).c_str(), axe::print(*some).c_str());
        }
    report.finish();
}
