// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/tile.hpp>
#include <axe/machine/atom_match.hpp>
#include <axe/machine/multiply_match.hpp>
#include <axe/target/atoms.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

/// What matches an atom, by enumeration of its definition: every element is visited, every pair of k compared, and a permutation is
/// found, or shown not to be, as a matching in a bipartite graph.
namespace {

using laws::Int;
using laws::Random;

const axe::Axis reg{"reg"};

/// D(x) + O of every element as numbers, a few bits for each axis in the order in which the axes come up.
std::vector<Int> table(const axe::Layout& layout, std::vector<axe::Axis>& axes)
{
    const auto weight = [&](const axe::Axis& axis) {
        auto at = std::find(axes.begin(), axes.end(), axis);
        if (at == axes.end()) at = axes.insert(axes.end(), axis);
        REQUIRE(axes.size() <= 5);
        return Int{1} << (12 * (at - axes.begin()));
    };
    std::vector<Int> all{0};
    for (const auto& e : layout.offset) all[0] += e.value * weight(e.axis);
    for (const auto& it : layout.shard) {
        std::vector<Int> next;
        for (const Int value : all)
            for (Int i = 0; i < it.extent; ++i) next.push_back(value + i * it.stride * weight(it.axis));
        all.swap(next);
    }
    return all;
}
std::vector<Int> on_axis(axe::Layout layout, const axe::Axis& axis)
{
    for (auto& it : layout.shard)
        if (!(it.axis == axis)) it.stride = 0;
    const Int start = layout.offset[axis];
    layout.offset = {};
    std::vector<axe::Axis> axes{axis};
    auto all = table(layout, axes);
    for (Int& value : all) value += start;
    return all;
}

/// A list with its items in another order.
template <class T>
void shuffle(std::vector<T>& list, Random& r)
{
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[static_cast<std::size_t>(r.in(0, Int(i) - 1))]);
}

std::string words(const axe::Atom& atom) { return std::string(atom.name) + " " + atom.arch + " " + atom.operand; }

/// Can each left be given a right of its own that is allowed?      [Kuhn: augmenting paths]
bool matching_exists(const std::vector<std::vector<char>>& allowed)
{
    const std::size_t n = allowed.size();
    std::vector<int> owner(n, -1);
    std::vector<char> seen;
    const auto give = [&](const auto& self, std::size_t left) -> bool {
        for (std::size_t right = 0; right < n; ++right) {
            if (!allowed[left][right] || seen[right]) continue;
            seen[right] = 1;
            if (owner[right] < 0 || self(self, static_cast<std::size_t>(owner[right]))) {
                owner[right] = static_cast<int>(left);
                return true;
            }
        }
        return false;
    };
    for (std::size_t left = 0; left < n; ++left) {
        seen.assign(n, 0);
        if (!give(give, left)) return false;
    }
    return true;
}

std::vector<axe::MultiplyOperands<axe::Atom>> triples()
{
    std::vector<axe::MultiplyOperands<axe::Atom>> out;
    for (const axe::Atom& a : axe::atoms::all) {
        if (std::string(a.operand) != "A") continue;
        for (const char* sum : {"C", "D"}) {
            const auto b = axe::atoms::find(a.name, a.arch, "B"), c = axe::atoms::find(a.name, a.arch, sum);
            if (b && c && a.dims[1] == b->dims[0] && a.dims[0] == c->dims[0] && b->dims[1] == c->dims[1])
                out.push_back({a, *b, *c});
        }
    }
    return out;
}

/// The layout with dimension `dim` of its shape cut into factors, these in another order and some turned round; empty when the
/// factors do not cut it.
axe::Layout distributed(const axe::Layout& layout, const axe::Shape& shape, int dim, const std::vector<Int>& factors,
                        const std::vector<std::size_t>& order, const std::vector<char>& turned)
{
    axe::Shape cut;
    for (int d = 0; d < shape.size(); ++d) {
        if (d != dim) cut.push_back(shape[d]);
        for (std::size_t f = 0; d == dim && f < factors.size(); ++f) cut.push_back(factors[f]);
    }
    const auto grouped = axe::group(layout, cut);
    if (!grouped) return {};
    axe::Layout out;
    out.replica = grouped->layout.replica;
    out.offset = grouped->layout.offset;
    for (int d = 0; d < cut.size(); ++d) {
        const int first = dim, last = dim + static_cast<int>(factors.size());
        const bool inside = d >= first && d < last;
        const std::size_t f = inside ? order[static_cast<std::size_t>(d - first)] : 0;
        const int from = inside ? first + static_cast<int>(f) : d;
        for (int i = grouped->begin(from); i < grouped->end(from); ++i) {
            auto it = grouped->layout.shard[i];
            if (inside && turned[f]) {
                *out.offset.entry(it.axis) += (it.extent - 1) * it.stride;
                it.stride = -it.stride;
            }
            out.shard.push_back(it);
        }
    }
    return out;
}

void check_multiply(const axe::MultiplyOperands<axe::Atom>& atoms, const axe::MultiplyOperands<axe::Layout>& layouts, int& yes,
                    int& no)
{
    const Int rows = atoms.a.dims[0], terms = atoms.a.dims[1], columns = atoms.b.dims[1];
    std::vector<axe::Axis> axes;
    const auto a = table(layouts.a, axes), b = table(layouts.b, axes), c = table(layouts.c, axes);
    const auto A = table(atoms.a.layout(), axes), B = table(atoms.b.layout(), axes), C = table(atoms.c.layout(), axes);
    const auto at = [](const std::vector<Int>& list, Int i) { return list[static_cast<std::size_t>(i)]; };
    std::vector<std::vector<char>> allowed(static_cast<std::size_t>(terms), std::vector<char>(static_cast<std::size_t>(terms), 1));
    for (Int k = 0; k < terms; ++k)
        for (Int q = 0; q < terms; ++q) {
            bool same = true;
            for (Int i = 0; i < rows && same; ++i) same = at(a, i * terms + k) == at(A, i * terms + q);
            for (Int j = 0; j < columns && same; ++j) same = at(b, k * columns + j) == at(B, q * columns + j);
            allowed[static_cast<std::size_t>(k)][static_cast<std::size_t>(q)] = same;
        }
    const bool exists = c == C && matching_exists(allowed);
    const auto match = axe::match_multiply(atoms, layouts);
    CHECK(match.has_value() == exists);
    if (!match) {
        ++no;
        CHECK(match.error().is_none());
        CHECK(match.error().position >= 0);
        return;
    }
    ++yes;
    const auto& p = *match;
    REQUIRE(p.size() == terms);
    std::vector<char> seen(static_cast<std::size_t>(terms), 0);
    for (int k = 0; k < p.size(); ++k) {
        REQUIRE(!seen[static_cast<std::size_t>(p[k])]);
        seen[static_cast<std::size_t>(p[k])] = 1;
        CHECK(allowed[static_cast<std::size_t>(k)][static_cast<std::size_t>(p[k])] != 0);
    }
}

} // namespace

TEST_CASE("laws: match_tile finds the outer layout that an atom was tiled by, and no other")
{
    Random r(2611);
    int found = 0, none = 0;
    for (const axe::Atom& atom : axe::atoms::all) {
        INFO(words(atom));
        for (Int trial = 0; trial < laws::cases(6); ++trial) {
            axe::Shape outer_shape{r.in(1, 3), r.in(1, 3)}, whole;
            axe::Layout outer;
            Int in_turn = 1;
            const auto held = atom.layout();
            for (int d = 0; d < 2; ++d) {
                const bool place = r.one_in(2);
                const axe::Axis axis = place ? held.shard[0].axis : axe::Axis{"agent"};
                // strides apart, so that the atoms of the tile are
                outer.shard.push_back({outer_shape[d], d == 0 ? 3 : 1, axis});
                // a lane, a warp or a block beside the atom's is another owner; all else is a place of the same one
                const bool owner = axis == axe::Axis{"lane"} || axis == axe::Axis{"warp"} || axis == axe::Axis{"cta"};
                if (place && !owner) in_turn *= outer_shape[d];
                whole.push_back(outer_shape[d] * atom.shape()[d]);
            }
            if (r.one_in(3)) *outer.offset.entry(axe::Axis{"agent"}) = r.in(-2, 2);
            const auto tiled = axe::tile(outer, outer_shape, held, atom.shape());
            REQUIRE(tiled.has_value());
            const axe::Swizzled<axe::Layout> tile{atom.swizzle, {}, atom.width, *tiled};
            const auto match = axe::match_tile(atom, tile, whole);
            REQUIRE(match.has_value());
            CHECK(bool(axe::equal(match->outer, outer)));
            CHECK(match->shape == outer_shape);
            CHECK(match->count == outer_shape[0] * outer_shape[1]);
            CHECK(match->in_turn == in_turn);
            ++found;

            // With one stride changed: what is found still makes the tile.
            axe::Layout other = *tiled;
            auto& it = other.shard[static_cast<int>(r.in(0, other.shard.size() - 1))];
            it.stride += r.in(1, 3);
            const auto again = axe::match_tile(atom, axe::Swizzled<axe::Layout>{atom.swizzle, {}, atom.width, other}, whole);
            if (again)
                CHECK(bool(axe::equal(*axe::tile(again->outer, again->shape, held, atom.shape()), other)));
            else
                CHECK(again.error().is_none());
            none += !again.has_value();
        }
    }
    CHECK(found > 1000);
    CHECK(none > 500);
}

TEST_CASE("laws: matches is equality of every element's place, and names the least that is elsewhere")
{
    Random r(2616);
    int yes = 0, no = 0;
    for (const axe::Atom& atom : axe::atoms::all) {
        if (atom.dims[0] * atom.dims[1] > 8192) continue;
        INFO(words(atom));
        for (Int trial = 0; trial < laws::cases(8); ++trial) {
            axe::Layout layout = atom.layout();
            const int at = static_cast<int>(r.in(0, layout.shard.size() - 1));
            auto& it = layout.shard[at];
            const int kind = static_cast<int>(trial % 4);
            if (kind == 0 && layout.shard.size() < 8) { // the same digit in two
                Int cut = 1;
                for (Int f = 2; f < it.extent; ++f) cut = it.extent % f == 0 ? f : cut;
                const axe::Iter outer{it.extent / cut, it.stride * cut, it.axis}, inner{cut, it.stride, it.axis};
                axe::Layout out = layout;
                out.shard = {};
                for (int i = 0; i < layout.shard.size(); ++i) {
                    if (i == at) out.shard.push_back(outer);
                    out.shard.push_back(i == at ? inner : layout.shard[i]);
                }
                layout = out;
            } else if (kind == 1) {
                it.stride += r.in(-1, 2);
            } else if (kind == 2) {
                std::swap(layout.shard[at], layout.shard[0]);
            } else {
                *layout.offset.entry(it.axis) += r.in(0, 1);
            }
            std::vector<axe::Axis> axes;
            const auto wanted = table(atom.layout(), axes), have = table(layout, axes);
            Int least = -1;
            for (std::size_t x = 0; x < wanted.size() && least < 0; ++x)
                if (wanted[x] != have[x]) least = static_cast<Int>(x);
            const auto verdict = axe::matches(atom, axe::Swizzled<axe::Layout>{atom.swizzle, {}, atom.width, layout}, atom.shape());
            REQUIRE(!verdict.undecided());
            CHECK(bool(verdict) == (least < 0));
            if (!verdict) CHECK(verdict.witness() == least);
            (verdict ? yes : no)++;
        }
    }
    CHECK(yes > 300);
    CHECK(no > 300);
}

TEST_CASE("laws: match_registers is the permutation that the definition gives, and is there when it gives one")
{
    Random r(2612);
    int yes = 0, no = 0;
    for (const axe::Atom& atom : axe::atoms::all) {
        if (atom.swizzle.bits != 0 || atom.dims[0] * atom.dims[1] > 8192) continue;
        INFO(words(atom));
        const axe::Layout held = atom.layout();
        const auto from = on_axis(held, reg);
        const Int registers = *std::max_element(from.begin(), from.end()) + 1;
        for (Int trial = 0; trial < laws::cases(12); ++trial) {
            axe::Layout layout = held;
            std::vector<int> digits;
            for (int i = 0; i < layout.shard.size(); ++i)
                if (layout.shard[i].axis == reg) digits.push_back(i);
            shuffle(digits, r);
            Int next = 1;
            for (const int i : digits) {
                layout.shard[i].stride = next;
                next *= layout.shard[i].extent;
                if (r.one_in(4)) { // the digit counts down
                    *layout.offset.entry(reg) += (layout.shard[i].extent - 1) * layout.shard[i].stride;
                    layout.shard[i].stride *= -1;
                }
            }
            if (r.one_in(3)) layout.shard[static_cast<int>(r.in(0, layout.shard.size() - 1))].stride += r.in(-1, 1);

            // By definition: the other axes alike, and registers one to one.
            std::vector<axe::Axis> axes;
            auto rest = held, rest_here = layout;
            for (auto* l : {&rest, &rest_here}) {
                for (auto& it : l->shard)
                    if (it.axis == reg) it.stride = 0;
                l->offset = {};
            }
            bool exists = table(rest, axes) == table(rest_here, axes);
            const auto to = on_axis(layout, reg);
            std::map<Int, Int> p, back;
            for (std::size_t x = 0; x < from.size(); ++x) {
                exists = exists && to[x] >= 0 && to[x] < registers;
                exists = exists && p.emplace(from[x], to[x]).first->second == to[x];
                exists = exists && back.emplace(to[x], from[x]).first->second == from[x];
            }
            const auto match = axe::match_registers(atom, layout, atom.shape());
            CHECK(match.has_value() == exists);
            (match ? yes : no)++;
            if (!match) {
                CHECK(match.error().is_none());
                continue;
            }
            REQUIRE(match->size() == registers);
            for (const auto& [register_of_atom, here] : p) CHECK((*match)[static_cast<int>(register_of_atom)] == here);
            CHECK(match->inverse().inverse() == *match);
        }
    }
    CHECK(yes > 1000);
    CHECK(no > 200);
}

TEST_CASE("laws: match_multiply finds a common permutation of k exactly when there is one")
{
    Random r(2613);
    int yes = 0, no = 0;
    const auto all = triples();
    REQUIRE(all.size() == 69);
    for (const auto& atoms : all) {
        INFO(words(atoms.a));
        const Int terms = atoms.a.dims[1];
        for (Int trial = 0; trial < laws::cases(terms > 64 ? 2 : 8); ++trial) {
            std::vector<Int> factors;
            for (Int rest = terms; rest > 1; rest /= 2) factors.push_back(2); // every k of the table is a power of two
            std::vector<std::size_t> order;
            std::vector<char> turned;
            for (std::size_t f = 0; f < factors.size(); ++f) {
                order.push_back(f);
                turned.push_back(r.one_in(4));
            }
            shuffle(order, r);
            axe::MultiplyOperands<axe::Layout> layouts{distributed(atoms.a.layout(), atoms.a.shape(), 1, factors, order, turned),
                                                       distributed(atoms.b.layout(), atoms.b.shape(), 0, factors, order, turned),
                                                       atoms.c.layout()};
            REQUIRE(layouts.a.shard.size() > 0);
            REQUIRE(layouts.b.shard.size() > 0);
            // As distributed; with B distributed otherwise; with a stride of one operand changed; with one digit of both standing still.
            const int kind = static_cast<int>(trial % 4);
            if (kind == 1) {
                shuffle(order, r);
                layouts.b = distributed(atoms.b.layout(), atoms.b.shape(), 0, factors, order, turned);
            } else if (kind == 2) {
                axe::Layout& damaged = r.one_in(3) ? layouts.a : r.one_in(2) ? layouts.b : layouts.c;
                damaged.shard[static_cast<int>(r.in(0, damaged.shard.size() - 1))].stride += r.in(1, 2);
            }
            check_multiply(atoms, layouts, yes, no);
            if (kind != 3) continue;
            axe::MultiplyOperands<axe::Atom> still = atoms; // an atom whose columns repeat: several permutations will do
            for (axe::Atom* atom : {&still.a, &still.b})
                for (auto& it : atom->shard) it.stride = it.axis == reg ? 0 : it.stride;
            for (auto* layout : {&layouts.a, &layouts.b}) {
                layout->offset = {};
                for (auto& it : layout->shard) it.stride = it.axis == reg ? 0 : it.stride;
            }
            check_multiply(still, layouts, yes, no);
            check_multiply(still, {still.a.layout(), still.b.layout(), still.c.layout()}, yes, no);
        }
    }
    CHECK(yes > 200);
    CHECK(no > 100);
}

TEST_CASE("laws: match_multiply of sums of up to 5 terms against all their permutations")
{
    // Random layouts of A [1,K] and B [K,1] with small coordinates: places repeat, and permutations are tried one by one.
    Random r(2614);
    int yes = 0, no = 0;
    for (Int trial = 0; trial < laws::cases(3000); ++trial) {
        const Int terms = r.in(1, 5);
        const auto random = [&] {
            axe::Layout out;
            if (terms == 4 && r.one_in(2)) {
                out.shard = {{2, r.in(-2, 2), reg}, {2, r.in(-2, 2), r.one_in(3) ? axe::Axis{"lane"} : reg}};
            } else {
                out.shard = {{terms, r.in(-2, 2), reg}};
            }
            if (r.one_in(2)) *out.offset.entry(reg) = r.in(-2, 4);
            return out;
        };
        const auto atom_of = [&](const axe::Layout& layout, Int rows, Int columns) {
            axe::Atom atom{{"made", "x", "warp", "made for the test", axe::Evidence::documents}, "A", "f32", {rows, columns}, {}};
            for (int i = 0; i < layout.shard.size(); ++i) atom.shard[i] = layout.shard[i];
            return atom;
        };
        axe::Layout A = random(), B = random();
        A.offset = B.offset = {};
        const axe::MultiplyOperands<axe::Layout> layouts{random(), random(), axe::Layout{{{1, 0, reg}}, {}, {}}};
        const axe::MultiplyOperands<axe::Atom> atoms{atom_of(A, 1, terms), atom_of(B, terms, 1), atom_of(layouts.c, 1, 1)};
        std::vector<axe::Axis> axes;
        const auto a = table(layouts.a, axes), b = table(layouts.b, axes), left = table(A, axes), right = table(B, axes);
        std::vector<std::size_t> p;
        for (std::size_t k = 0; k < static_cast<std::size_t>(terms); ++k) p.push_back(k);
        bool exists = false;
        do {
            bool fits = true;
            for (std::size_t k = 0; k < p.size(); ++k) fits = fits && a[k] == left[p[k]] && b[k] == right[p[k]];
            exists = exists || fits;
        } while (std::next_permutation(p.begin(), p.end()));
        const auto match = axe::match_multiply(atoms, layouts);
        CHECK(match.has_value() == exists);
        (match ? yes : no)++;
        if (match)
            for (std::size_t k = 0; k < p.size(); ++k) {
                const auto q = static_cast<std::size_t>((*match)[static_cast<int>(k)]);
                CHECK(a[k] == left[q]);
                CHECK(b[k] == right[q]);
            }
    }
    CHECK(yes > 100);
    CHECK(no > 1000);
}

TEST_CASE("laws: match_multiply of tiles in memory against all starts, steps and permutations")
{
    // Elements of 8 bytes, so that an instruction reads 4 k; tiles of a few elements, plain or with two chunks of 16 bytes exchanged.
    Random r(2615);
    int yes = 0, no = 0;
    const auto m = axe::Axis{};
    const axe::AtomHead head{"made", "x", "cta", "made for the test", axe::Evidence::documents};
    struct Form {
        Int rows, terms;
        bool rows_first; ///< rows contiguous
        axe::Swizzle swizzle;
        Int period; ///< in elements
    };
    const Form forms[] = {{2, 4, false, {}, 2}, {2, 4, false, {1, 4, 1}, 8}, {2, 8, false, {1, 4, 2}, 16},
                          {4, 2, true, {}, 2},  {2, 2, true, {1, 4, 1}, 8},  {2, 2, false, {}, 2}};
    for (Int trial = 0; trial < laws::cases(4000); ++trial) {
        const Form& form = forms[r.in(0, 5)];
        const Int rows = form.rows * r.in(1, 2), terms = 4;
        axe::Atom tile{head, "AB", "b64", {form.rows, form.terms}, {}};
        tile.shard[0] = {form.rows, form.rows_first ? 1 : form.terms, m};
        tile.shard[1] = {form.terms, form.rows_first ? form.rows : 1, m};
        tile.swizzle = form.swizzle;
        tile.width = 8;
        const axe::Axis lane{"lane"};
        const axe::Atom a{head, "A", "b64", {1, terms}, {{terms, r.one_in(4) ? 0 : 1, lane}}},
            c{head, "C", "b64", {1, rows}, {{rows, 1, lane}}};

        // k as A has it, and in the order 0 2 1 3 or backwards; B as tiles might have it, and not quite
        const Int order = r.in(0, 2);
        const auto distributed = [&](Int step, Int upper) {
            std::vector<axe::Iter> list{{2, upper, m}, {2, step, m}};
            if (order == 1) std::swap(list[0], list[1]);
            axe::Layout out;
            out.shard = {list[0], list[1]};
            if (order == 2) {
                out.offset = {};
                *out.offset.entry(m) = step + upper;
                for (auto& it : out.shard) it.stride = -it.stride;
            }
            return out;
        };
        axe::Layout of_a = distributed(a.shard[0].stride, 2 * a.shard[0].stride);
        *of_a.offset.entry(lane) = of_a.offset[m];
        axe::Layout there;
        if (of_a.offset[lane] != 0) *there.offset.entry(lane) = of_a.offset[lane];
        for (auto it : of_a.shard) {
            it.axis = lane;
            there.shard.push_back(it);
        }
        const Int column = form.rows_first ? form.rows : 1, apart = form.period * r.in(0, 3);
        axe::Layout b = distributed(column, form.terms == 2 ? apart : 2 * column);
        const Int shift =
            b.offset[m] + (r.one_in(3) ? r.in(0, 12) : form.period * r.in(0, 2)) + (form.terms == 8 && r.one_in(2) ? 4 : 0);
        b.offset = {};
        if (shift != 0) *b.offset.entry(m) = shift;
        axe::Layout program;
        program.offset = b.offset;
        program.shard = {
            {rows / form.rows, form.period * r.in(0, 3) + (r.one_in(6) ? 1 : 0), m}, tile.shard[0], b.shard[0], b.shard[1]};
        if (r.one_in(5)) program.shard[static_cast<int>(r.in(1, 3))].stride += r.in(-1, 2);

        const auto match =
            axe::match_multiply({a, tile, c}, axe::MultiplyOperands<axe::Swizzled<axe::Layout>>{
                                                  {{}, {}, 1, there}, {form.swizzle, {}, 8, program}, {{}, {}, 1, c.layout()}});

        // By definition. The swizzle is one bijection on both sides, so places are compared before it.
        std::vector<axe::Axis> axes{m};
        const auto at = [](const std::vector<Int>& list, Int i) { return list[static_cast<std::size_t>(i)]; };
        const auto have = on_axis(program, m), left = on_axis(there, lane), wanted = on_axis(a.layout(), lane);
        bool exists = false;
        std::vector<Int> p{0, 1, 2, 3}, found;
        do {
            bool of_left = true;
            for (Int k = 0; k < terms; ++k) of_left = of_left && at(left, k) == at(wanted, at(p, k));
            if (!of_left) continue;
            for (Int start = 0; start < 40 && !exists; ++start) {
                bool begins = start % form.period == 0;
                for (Int q = terms; q < form.terms; q += terms) begins = begins || start % form.period == q;
                if (!begins) continue;
                for (Int down = 0; down <= (rows > form.rows ? 64 : 0) && !exists; down += form.period)
                    for (Int along = 0; along <= (form.terms < terms ? 64 : 0) && !exists; along += form.period) {
                        bool fits = true;
                        for (Int row = 0; row < rows; ++row)
                            for (Int k = 0; k < terms; ++k) {
                                const Int q = at(p, k);
                                const Int place = start + row / form.rows * down + q / form.terms * along +
                                                  row % form.rows * tile.shard[0].stride + q % form.terms * tile.shard[1].stride;
                                fits = fits && at(have, row * terms + k) == place;
                            }
                        exists = fits;
                        if (fits) found = p;
                    }
            }
        } while (!exists && std::next_permutation(p.begin(), p.end()));
        INFO(axe::print(program).c_str() << " with A " << axe::print(there).c_str() << ", tile "
                                         << axe::print(tile.layout()).c_str());
        CHECK(match.has_value() == exists);
        (match ? yes : no)++;
        if (match && a.shard[0].stride != 0) CHECK(std::vector<Int>(match->values.begin(), match->values.end()) == found);
    }
    CHECK(yes > 500);
    CHECK(no > 500);
}
