// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/schedule/collective/classify.hpp>
#include <axe/target/machines.hpp>

#include <array>
#include <catch.hpp>
#include <map>
#include <string>

using namespace axe;
using namespace axe::literals;
using Kind = CollectiveKind;
using Groups = std::vector<std::vector<std::int64_t>>;

namespace {

constexpr int devices = 4;
constexpr Kind kinds[] = {Kind::broadcast, Kind::scatter, Kind::gather,     Kind::all_gather,    Kind::all_to_all,
                          Kind::permute,   Kind::reduce,  Kind::all_reduce, Kind::reduce_scatter};

/// On which of four devices the elements of a layout are, a bit each.
using Masks = std::vector<unsigned>;

Masks masks_of(const Layout& layout)
{
    Masks out;
    const auto n = size(layout).value();
    for (std::int64_t x = 0; x < n; ++x) {
        unsigned mask = 0;
        for (const auto& p : points(layout, x)) {
            if (p["gpuid"] < 0 || p["gpuid"] >= devices) return {};
            mask |= 1u << p["gpuid"];
        }
        out.push_back(mask);
    }
    return out;
}

/// Every map onto the four devices that a layout of three digits of 2, replicas and an offset gives, each once.
std::vector<Layout> all_layouts(int digits)
{
    std::map<Masks, Layout> out;
    const std::vector<Layout::Replica> copies = {
        {}, {{2, 1, "gpuid"}}, {{2, 2, "gpuid"}}, {{2, 3, "gpuid"}}, {{3, 1, "gpuid"}}, {{4, 1, "gpuid"}}};
    int count = 1;
    for (int i = 0; i < digits; ++i) count *= 7;
    for (int code = 0; code < count; ++code)
        for (const auto& replica : copies)
            for (int offset = 0; offset < devices; ++offset) {
                Layout layout;
                for (int i = 0, rest = code; i < digits; ++i, rest /= 7) layout.shard.push_back({2, rest % 7 - 3, "gpuid"});
                layout.replica = replica;
                if (offset > 0) *layout.offset.entry("gpuid") = offset;
                Masks masks = masks_of(layout);
                if (!masks.empty()) out.emplace(std::move(masks), layout);
            }
    std::vector<Layout> list;
    for (const auto& [masks, layout] : out) list.push_back(layout);
    return list;
}

/// What each device has before and after: bit x for element x. For a reduction `before` has bit k for term k, and is given for each x.
struct Case {
    std::vector<std::array<unsigned, devices>> before{}; ///< one of a copy; of a reduction one for each element
    std::array<unsigned, devices> after{};
    unsigned terms = 0; ///< all bits of a reduction
};

int bits(unsigned mask) { return __builtin_popcount(mask); }

bool even_parts(const std::vector<unsigned>& parts, unsigned whole)
{
    unsigned together = 0;
    int sum = 0;
    for (const unsigned p : parts) {
        if (p == 0 || bits(p) != bits(parts[0])) return false;
        together |= p;
        sum += bits(p);
    }
    return together == whole && sum == bits(whole);
}

/// Does a group of devices, alone, do a collective of this kind, as MPI means it?
bool group_does(const Case& c, const std::vector<int>& group, Kind kind)
{
    std::vector<unsigned> before, after;
    unsigned wanted = 0;
    int with_whole = 0, want_whole = 0, want_nothing = 0;
    for (const int d : group) after.push_back(c.after[static_cast<std::size_t>(d)]);
    for (const unsigned a : after) wanted |= a;
    for (const unsigned a : after) want_whole += a == wanted, want_nothing += a == 0;
    const int n = static_cast<int>(group.size());
    const bool to_one = want_whole == 1 && want_nothing == n - 1, to_all = want_whole == n;
    if (c.terms != 0) {
        for (std::size_t x = 0; x < c.before.size(); ++x) {
            if ((wanted >> x & 1u) == 0) continue;
            before.clear();
            for (const int d : group) before.push_back(c.before[x][static_cast<std::size_t>(d)]);
            if (n < 2 || !even_parts(before, c.terms)) return false;
        }
        if (kind == Kind::reduce) return to_one;
        if (kind == Kind::all_reduce) return to_all;
        return kind == Kind::reduce_scatter && even_parts(after, wanted);
    }
    for (const int d : group) before.push_back(c.before[0][static_cast<std::size_t>(d)]);
    unsigned held = 0;
    for (const unsigned b : before) held |= b, with_whole += b == wanted;
    if ((wanted & ~held) != 0) return false;
    bool whole_or_nothing = with_whole > 0;
    for (const unsigned b : before) whole_or_nothing = whole_or_nothing && (b == 0 || b == wanted);
    switch (kind) {
    case Kind::broadcast: return n > 1 && whole_or_nothing && to_all;
    case Kind::scatter: return n > 1 && whole_or_nothing && even_parts(after, wanted);
    case Kind::gather: return n > 1 && even_parts(before, wanted) && to_one;
    case Kind::all_gather: return n > 1 && even_parts(before, wanted) && to_all;
    case Kind::all_to_all:
        if (n < 2 || !even_parts(before, wanted) || !even_parts(after, wanted)) return false;
        for (const unsigned b : before)
            for (const unsigned a : after)
                if (bits(a & b) * n * n != bits(wanted)) return false;
        return true;
    case Kind::permute: {
        std::vector<bool> taken(before.size());
        for (const unsigned a : after) {
            if (a == 0) continue;
            std::size_t from = 0;
            while (from < before.size() && (taken[from] || before[from] != a)) ++from;
            if (from == before.size()) return false;
            taken[from] = true;
        }
        return true;
    }
    default: return false;
    }
}

bool has_all(const Case& c, int device)
{
    const auto d = static_cast<std::size_t>(device);
    if (c.terms == 0) return (c.after[d] & ~c.before[0][d]) == 0;
    for (std::size_t x = 0; x < c.before.size(); ++x)
        if ((c.after[d] >> x & 1u) != 0 && c.before[x][d] != c.terms) return false;
    return true;
}

/// Can the devices be put into groups of which each does a collective of this kind by itself, or has what it wants? All ways tried.
bool some_groups_do(const Case& c, Kind kind)
{
    for (int code = 0; code < 256; ++code) {
        std::vector<std::vector<int>> groups(devices);
        bool is_first_name =
            true; // of groups that are the same by other numbers: a device joins a group before it, or the next one
        for (int d = 0, rest = code, used = 0; d < devices; ++d, rest /= 4) {
            is_first_name = is_first_name && rest % 4 <= used;
            used = std::max(used, rest % 4 + 1);
            groups[static_cast<std::size_t>(rest % 4)].push_back(d);
        }
        if (!is_first_name) continue;
        bool all = true;
        std::size_t size = 0;
        for (const auto& group : groups) {
            bool idle = true;
            for (const int d : group) idle = idle && has_all(c, d);
            if (idle) continue;
            const bool sized = kind == Kind::broadcast || kind == Kind::permute || size == 0 || size == group.size();
            all = all && sized && group_does(c, group, kind);
            size = group.size();
        }
        if (all) return true;
    }
    return false;
}

bool nothing_to_do(const Case& c)
{
    bool all = true;
    for (int d = 0; d < devices; ++d) all = all && has_all(c, d);
    return all;
}

Case copy_case(const Masks& from, const Masks& to)
{
    Case c;
    c.before.emplace_back();
    for (std::size_t x = 0; x < from.size(); ++x)
        for (std::size_t d = 0; d < devices; ++d) {
            c.before[0][d] |= (from[x] >> d & 1u) << x;
            c.after[d] |= (to[x] >> d & 1u) << x;
        }
    return c;
}

/// Of an array of `kept` by `terms`, or, transposed, `terms` by `kept`.
Case reduction_case(const Masks& from, const Masks& to, bool transposed)
{
    Case c;
    const std::size_t kept = to.size(), terms = from.size() / kept;
    c.terms = (1u << terms) - 1;
    c.before.resize(kept);
    for (std::size_t x = 0; x < kept; ++x)
        for (std::size_t d = 0; d < devices; ++d) {
            c.after[d] |= (to[x] >> d & 1u) << x;
            for (std::size_t k = 0; k < terms; ++k)
                c.before[x][d] |= (from[transposed ? k * kept + x : x * terms + k] >> d & 1u) << k;
        }
    // where no device has a part of an element's terms, the sums are there, and what is left to do is a copy of them
    Case sums{{{}}, c.after, 0};
    for (std::size_t x = 0; x < kept; ++x)
        for (std::size_t d = 0; d < devices; ++d) {
            if (c.before[x][d] != 0 && c.before[x][d] != c.terms) return c;
            sums.before[0][d] |= (c.before[x][d] & 1u) << x;
        }
    return sums;
}

Kind copy(const Layout& from, const Layout& to) { return classify_copy(from, to).value().kind; }

/// `copied`: is some element on several devices before?
void agrees(const Case& c, Kind kind, const Layout& from, const Layout& to, bool copied, std::map<Kind, int>& seen)
{
    ++seen[kind];
    const auto hold = [&](bool is_so) {
        if (!is_so) FAIL("not " << name(kind) << ": " << print(from).c_str() << " -> " << print(to).c_str());
    };
    if (kind == Kind::local || nothing_to_do(c)) {
        hold(kind == Kind::local && nothing_to_do(c));
    } else if (kind != Kind::reshard) {
        hold(some_groups_do(c, kind));
    } else if (!copied) { // of several copies some may be left out, which no kind is named for
        for (const Kind k : kinds) hold(!some_groups_do(c, k));
    }
}

bool has_copies(const Masks& masks) { return bits(masks[0]) > 1; }

} // namespace

TEST_CASE("a copy between any two layouts on four devices is what its groups of devices do", "[collective]")
{
    std::map<Kind, int> seen;
    const auto layouts = all_layouts(3);
    std::vector<Masks> masks;
    for (const Layout& l : layouts) masks.push_back(masks_of(l));
    for (std::size_t a = 0; a < layouts.size(); ++a)
        for (std::size_t b = 0; b < layouts.size(); ++b)
            agrees(copy_case(masks[a], masks[b]), copy(layouts[a], layouts[b]), layouts[a], layouts[b], has_copies(masks[a]), seen);
    CHECK(layouts.size() == 147);
    for (const Kind k : {Kind::local, Kind::broadcast, Kind::scatter, Kind::gather, Kind::all_gather, Kind::all_to_all,
                         Kind::permute, Kind::reshard})
        CHECK(seen[k] > 0);
    CHECK(seen.size() == 8);
}

TEST_CASE("a reduction between any two layouts on four devices is what its groups of devices do", "[collective]")
{
    std::map<Kind, int> seen;
    const auto every = all_layouts(3);
    std::vector<Masks> masks;
    for (const Layout& l : every) masks.push_back(masks_of(l));
    for (const int digits : {1, 2})
        for (const Layout& to : all_layouts(digits)) {
            const Masks b = masks_of(to);
            const auto kept = static_cast<std::int64_t>(b.size()), terms = 8 / kept;
            for (const bool transposed : {false, true})
                for (std::size_t i = 0; i < every.size(); ++i) {
                    const Shape shape = transposed ? Shape{terms, kept} : Shape{kept, terms};
                    const auto found = classify_reduction(every[i], shape, {transposed ? 0 : 1}, to);
                    if (!found) FAIL(found.error().text);
                    agrees(reduction_case(masks[i], b, transposed), found->kind, every[i], to, has_copies(masks[i]), seen);
                }
        }
    for (const Kind k : {Kind::local, Kind::reduce, Kind::all_reduce, Kind::reduce_scatter, Kind::reshard}) CHECK(seen[k] > 100);
    CHECK(seen.size() == 11);
}

// The table of docs/reference/collectives.md, row by row: 8 elements on 4 devices.
TEST_CASE("the table of layout pairs", "[collective]")
{
    const Layout one = "8:1"_axe, third = "8:1 + 2@gpuid"_axe, all_four = "8:1 + [4:1@gpuid]"_axe, rows = "(4,2):(1@gpuid,1)"_axe,
                 cyclic = "(2,4):(1,1@gpuid)"_axe, reversed = "(4,2):(-1@gpuid,1) + 3@gpuid"_axe, halves = "(2,4):(1@gpuid,1)"_axe,
                 two_groups = "(2,4):(2@gpuid,1) + [2:1@gpuid]"_axe, pair = "8:1 + [2:1@gpuid]"_axe;
    struct Row {
        Layout from, to;
        Kind kind;
        Groups groups;
    };
    const Row copies[] = {
        {one, one, Kind::local, {}},
        {all_four, rows, Kind::local, {}},
        {all_four, third, Kind::local, {}},
        {one, all_four, Kind::broadcast, {}},
        {third, all_four, Kind::broadcast, {}},
        {pair, all_four, Kind::broadcast, {}},
        {one, rows, Kind::scatter, {{0, 1, 2, 3}}},
        {one, reversed, Kind::scatter, {{3, 2, 1, 0}}},
        {rows, one, Kind::gather, {{0, 1, 2, 3}}},
        {rows, third, Kind::gather, {{0, 1, 2, 3}}},
        {two_groups, one, Kind::gather, {{0, 2}, {1, 3}}},
        {rows, all_four, Kind::all_gather, {{0, 1, 2, 3}}},
        {reversed, all_four, Kind::all_gather, {{3, 2, 1, 0}}},
        {cyclic, all_four, Kind::all_gather, {{0, 1, 2, 3}}},
        {rows, two_groups, Kind::all_gather, {{0, 1}, {2, 3}}},
        {two_groups, all_four, Kind::all_gather, {{0, 2}, {1, 3}}},
        {"(4,4):(1@gpuid,1)"_axe, "(4,4):(1,1@gpuid)"_axe, Kind::all_to_all, {{0, 1, 2, 3}}},
        {"(2,2,4):(2@gpuid,1@gpuid,1)"_axe, "(2,2,2,2):(2@gpuid,2,1@gpuid,1)"_axe, Kind::all_to_all, {{0, 1}, {2, 3}}},
        {rows, reversed, Kind::permute, {}},
        {halves, "(2,4):(-1@gpuid,1) + 1@gpuid"_axe, Kind::permute, {}},
        {one, third, Kind::permute, {}},
        {halves, "(2,4):(1@gpuid,1) + 2@gpuid"_axe, Kind::permute, {}},
        {halves, rows, Kind::reshard, {}},
        {rows, pair, Kind::reshard, {}},
        {rows, "8:1 + 4@gpuid"_axe, Kind::reshard, {}},
        {rows, cyclic, Kind::reshard, {}},
    };
    for (const Row& row : copies) {
        const auto found = classify_copy(row.from, row.to);
        INFO(print(row.from).c_str() << " -> " << print(row.to).c_str());
        REQUIRE(found.has_value());
        CHECK(found->kind == row.kind);
        CHECK(found->groups == row.groups);
    }
    // [terms, 8]
    const Layout per_device = "(4,8):(1@gpuid,1)"_axe, per_pair = "(2,2,4):(1@gpuid,2@gpuid,1)"_axe,
                 twice = "(2,8):(1@gpuid,1) + [2:2@gpuid]"_axe, here = "(4,8):(8,1)"_axe, several = "(4,3,8):(1@gpuid,8,1)"_axe;
    const Row sums[] = {
        {here, one, Kind::local, {}},
        {per_device, one, Kind::reduce, {{0, 1, 2, 3}}},
        {per_device, third, Kind::reduce, {{0, 1, 2, 3}}},
        {twice, one, Kind::reduce, {{0, 1}, {2, 3}}},
        {per_device, all_four, Kind::all_reduce, {{0, 1, 2, 3}}},
        {several, all_four, Kind::all_reduce, {{0, 1, 2, 3}}},
        {per_pair, two_groups, Kind::all_reduce, {{0, 1}, {2, 3}}},
        {twice, all_four, Kind::all_reduce, {{0, 1}, {2, 3}}},
        {per_device, rows, Kind::reduce_scatter, {{0, 1, 2, 3}}},
        {per_device, reversed, Kind::reduce_scatter, {{0, 1, 2, 3}}},
        {per_pair, rows, Kind::reduce_scatter, {{0, 1}, {2, 3}}},
        {twice, two_groups, Kind::reduce_scatter, {{2, 1}, {0, 3}}}, // each group has both terms, and wants both halves
        {here, all_four, Kind::broadcast, {}},                       // of the sums that device 0 makes by itself
        {per_device, halves, Kind::reshard, {}},
        {per_device, "8:1 + 4@gpuid"_axe, Kind::reshard, {}},
    };
    for (const Row& row : sums) {
        const auto found = classify_reduction(row.from, {size(row.from).value() / 8, 8}, {0}, row.to);
        INFO(print(row.from).c_str() << " -> " << print(row.to).c_str());
        REQUIRE(found.has_value());
        CHECK(std::string(name(found->kind)) == name(row.kind));
        CHECK(found->groups == row.groups);
    }
}

TEST_CASE("what stays on a device does not matter, however much it is", "[collective]")
{
    const std::int64_t big = std::int64_t{1} << 40;
    const Layout from{{{8, 1, "gpuid"}, {big, 1}, {4, big}}, {}, {}}, to{{{8, big}, {big, 1}, {4, 8 * big}}, {{8, 1, "gpuid"}}, {}};
    CHECK(copy(from, to) == Kind::all_gather);
    // boundaries that do not divide each other: thirds against halves of 6·2^40
    const Layout thirds{{{3, 1, "gpuid"}, {2 * big, 1}}, {}, {}}, halves{{{2, 1, "gpuid"}, {3 * big, 1}}, {}, {}};
    CHECK(copy(thirds, halves) == Kind::reshard);
    CHECK(copy(thirds, thirds) == Kind::local);
    // more than 2^22 pairs of devices
    const Layout many{{{4096, 1, "gpuid"}, {4096, 1}}, {}, {}}, others{{{4096, 1}, {4096, 1, "gpuid"}}, {}, {}};
    CHECK(classify_copy(many, others).error().code == errc::too_hard);
    CHECK(copy(many, many) == Kind::local);
    // dimensions that do not group the layouts: element by element
    const Layout across = "(3,4):(1@gpuid,1)"_axe; // on the shape (2, 6)
    CHECK(classify_reduction(across, {2, 6}, {0}, "6:1 + [3:1@gpuid]"_axe).value().kind == Kind::reshard);
    CHECK(classify_reduction(across, {2, 6}, {}, "12:1 + [3:1@gpuid]"_axe).value().kind == Kind::all_gather);
}

TEST_CASE("devices may be named by their place in a mesh", "[collective]")
{
    const Machine machine = mesh(machines::sm90, {2, 4}, {"row", "col"}).value();
    const Layout both = "(2,4,8):(1@row,1@col,1)"_axe, by_number = "(8,8):(1@gpuid,1)"_axe;
    CHECK(classify_copy(machine, both, by_number).value().kind == Kind::local);
    const auto gathered = classify_copy(machine, both, "(2,32):(1@row,1) + [4:1@col]"_axe).value();
    CHECK(gathered.kind == Kind::all_gather);
    CHECK(gathered.groups == Groups{{0, 1, 2, 3}, {4, 5, 6, 7}});
    const auto other = classify_copy(machine, both, "(2,4,8):(32,1@col,1) + [2:1@row]"_axe).value();
    CHECK(other.kind == Kind::all_gather);
    CHECK(other.groups == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
    const auto summed = classify_reduction(machine, both, {2, 32}, {0}, "32:1 + [4:1@col,2:1@row]"_axe).value();
    CHECK(summed.kind == Kind::reshard); // summed along row and gathered along col
    const auto scattered =
        classify_reduction(machine, "(2,4,2,4):(1@row,1@col,4,1)"_axe, {2, 32}, {0}, "(4,2,4):(1@col,1@row,1)"_axe);
    CHECK(scattered.value().kind == Kind::reduce_scatter);
    CHECK(scattered.value().groups == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
}
