// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/tile.hpp>
#include <axe/machine/atom_match.hpp>
#include <axe/machine/atoms.hpp>
#include <axe/machine/multiply_match.hpp>
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
axe::Layout dealt(const axe::Layout& layout, const axe::Shape& shape, int dim, const std::vector<Int>& factors,
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
                if (place) in_turn *= outer_shape[d];
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
    REQUIRE(all.size() == 38);
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
            axe::MultiplyOperands<axe::Layout> layouts{dealt(atoms.a.layout(), atoms.a.shape(), 1, factors, order, turned),
                                                       dealt(atoms.b.layout(), atoms.b.shape(), 0, factors, order, turned),
                                                       atoms.c.layout()};
            REQUIRE(layouts.a.shard.size() > 0);
            REQUIRE(layouts.b.shard.size() > 0);
            // As dealt; with B dealt otherwise; with a stride of one operand changed; with one digit of both standing still.
            const int kind = static_cast<int>(trial % 4);
            if (kind == 1) {
                shuffle(order, r);
                layouts.b = dealt(atoms.b.layout(), atoms.b.shape(), 0, factors, order, turned);
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
