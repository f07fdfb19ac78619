// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/cute.hpp>
#include <axe/interop/linear.hpp>
#include <axe/interop/linear/conversion.hpp>
#include <axe/interop/sharding.hpp>
#include <axe/interop/strides.hpp>
#include <tests/laws/report.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

/// What the neighbors' formats mean, each said again by plain counting: nothing here asks the library but for the answer that is
/// checked, and everything goes in and out as text where there is one.
namespace {

using laws::Int;
using laws::Random;
using laws::Report;
using List = std::vector<Int>;

int length(const std::string& text) { return static_cast<int>(text.size()); }
std::size_t at(Int i) { return static_cast<std::size_t>(i); }
std::string join(const List& list)
{
    std::string out;
    for (const Int n : list) out += (out.empty() ? "" : ",") + std::to_string(n);
    return out;
}
axe::Shape shape(const List& list)
{
    axe::Shape out;
    for (const Int n : list) out.push_back(n);
    return out;
}
Int product(const List& list)
{
    Int n = 1;
    for (const Int x : list) n *= x;
    return n;
}
/// The row-major digits of x.
List digits(Int x, const List& extents)
{
    List out(extents.size());
    for (std::size_t k = extents.size(); k-- > 0; x /= extents[k]) out[k] = x % extents[k];
    return out;
}
Int row_major(const List& c, const List& extents)
{
    Int x = 0;
    for (std::size_t k = 0; k < c.size(); ++k) x = x * extents[k] + c[k];
    return x;
}
/// A random way to write n as a product of factors above 1.
List factors(Random& r, Int n)
{
    List out;
    while (n > 1) {
        Int f = r.one_in(3) ? n : r.in(2, n);
        while (n % f != 0) f = r.in(2, n);
        out.push_back(f);
        n /= f;
    }
    return out;
}
std::vector<std::size_t> shuffled(Random& r, std::size_t n)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < n; ++i) out.insert(out.begin() + static_cast<std::ptrdiff_t>(r.in(0, static_cast<Int>(i))), i);
    return out;
}
/// Σ stride·digit, along one axis, of element x.
Int address(const axe::Layout& l, Int x, const axe::Axis& axis = {})
{
    Int sum = 0;
    for (const auto& e : l.offset)
        if (e.axis == axis) sum += e.value;
    for (int k = l.shard.size() - 1; k >= 0; --k) {
        if (l.shard[k].axis == axis) sum += x % l.shard[k].extent * l.shard[k].stride;
        x /= l.shard[k].extent;
    }
    return sum;
}

// ---- CuTe

using Leaves = std::vector<std::pair<Int, Int>>; // extent and stride, fastest first

/// A tree of tuples over the leaves, up to five deep, now and then with one of no or of one item.
void write_tree(Random& r, int depth, const Leaves& leaves, std::size_t& next, std::string& extents, std::string& strides)
{
    if (depth == 0 || r.one_in(2)) {
        const bool left = next < leaves.size();
        extents += std::to_string(left ? leaves[next].first : 1);
        strides += std::to_string(left ? leaves[next].second : 0);
        next += left;
        return;
    }
    extents += '(';
    strides += '(';
    for (Int i = 0, items = r.in(r.one_in(9) ? 0 : 1, 3); i < items; ++i) {
        if (i > 0) extents += ',', strides += ',';
        write_tree(r, depth - 1, leaves, next, extents, strides);
    }
    extents += ')';
    strides += ')';
}
std::string random_text(Random& r, int most, Int extent, Int largest)
{
    while (true) {
        Leaves leaves(at(r.in(0, most)));
        Int size = 1, next = 1;
        for (auto& [n, s] : leaves) size *= (n = r.in(1, extent));
        if (size > largest) continue;
        const Int kind = r.in(0, 4);
        for (const std::size_t i : shuffled(r, leaves.size())) {
            auto& [n, s] = leaves[i];
            if (kind == 1 && r.one_in(3)) next *= r.in(1, 3);
            s = kind == 2 ? r.in(-9, 12) : kind == 3 && r.one_in(3) ? Int{1} << r.in(38, 50) : next;
            next = s > 0 && s < Int{1} << 50 ? n * s : 1;
            if (r.one_in(9)) s = 0;
            if (n == 1 && r.one_in(3)) s = Int{1} << 60;
        }
        std::string extents = "(", strides = "(";
        for (std::size_t i = 0; i < leaves.size();) {
            if (extents.size() > 1) extents += ',', strides += ',';
            write_tree(r, static_cast<int>(r.in(0, 4)), leaves, i, extents, strides);
        }
        const std::string text = extents + "):" + strides + ")";
        if (text.size() < 150) return text; // few enough nodes, too
    }
}
Leaves leaves_of(const axe::cute::Layout& l)
{
    Leaves out;
    for (const auto& node : l.nodes)
        if (node.children < 0) out.emplace_back(node.leaf.extent, node.leaf.stride);
    return out;
}
axe::wider_t<Int> wide_value(const Leaves& list, Int x)
{
    axe::wider_t<Int> sum = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const Int n = list[k].first, q = k + 1 == list.size() ? 0 : (x >= 0 ? x / n : -((n - 1 - x) / n));
        sum += axe::wider_t<Int>(x - q * n) * list[k].second;
        x = q;
    }
    return sum;
}
Int value(const Leaves& list, Int x) { return static_cast<Int>(wide_value(list, x)); }
List values(const axe::cute::Layout& l)
{
    const Leaves list = leaves_of(l);
    Int size = 1;
    for (const auto& [n, s] : list) size *= n;
    List out;
    for (Int x = 0; x < size; ++x) out.push_back(value(list, x));
    return out;
}
/// Is the table that of some layout? Every prime that may be the innermost extent is tried.
bool is_layout(const List& table)
{
    const Int n = static_cast<Int>(table.size());
    if (table[0] != 0) return false;
    if (n == 1) return true;
    for (Int p = 2; p <= n; ++p) {
        bool right = n % p == 0;
        for (Int d = 2; d * d <= p; ++d) right = right && p % d != 0;
        for (Int x = 0; right && x < n; ++x) right = table[at(x)] == table[at(x - x % p)] + x % p * table[1];
        if (!right) continue;
        List outer;
        for (Int x = 0; x < n; x += p) outer.push_back(table[at(x)]);
        if (is_layout(outer)) return true;
    }
    return false;
}

// ---- XLA

/// Tiles of XLA, −1 a star, on physical dimensions from major to minor: the address, and the elements of the buffer.
std::pair<Int, Int> tiled_address(const std::vector<List>& tiles, List index, List bounds)
{
    for (const List& tile : tiles) {
        const std::size_t outside = index.size() - tile.size();
        List outer_index(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(outside)), inner_index;
        List outer_bounds(bounds.begin(), bounds.begin() + static_cast<std::ptrdiff_t>(outside)), inner_bounds;
        for (std::size_t i = 0; i < tile.size(); ++i) {
            if (tile[i] < 0) { // into the next
                index[outside + i + 1] += index[outside + i] * bounds[outside + i + 1];
                bounds[outside + i + 1] *= bounds[outside + i];
                continue;
            }
            outer_index.push_back(index[outside + i] / tile[i]);
            outer_bounds.push_back((bounds[outside + i] + tile[i] - 1) / tile[i]);
            inner_index.push_back(index[outside + i] % tile[i]);
            inner_bounds.push_back(tile[i]);
        }
        outer_index.insert(outer_index.end(), inner_index.begin(), inner_index.end());
        outer_bounds.insert(outer_bounds.end(), inner_bounds.begin(), inner_bounds.end());
        index = outer_index;
        bounds = outer_bounds;
    }
    return {row_major(index, bounds), product(bounds)};
}

// ---- Devices

/// The elements of each device in the order of its memory; nothing when two are at one place, or one is missing between.
using Held = std::map<Int, List>;
Held held(const axe::Layout& l, Int elements)
{
    std::map<Int, std::map<Int, Int>> places;
    std::vector<Int> copies{0};
    for (const auto& it : l.replica) {
        if (!(it.axis == axe::sharding::device_axis)) return {};
        std::vector<Int> next;
        for (const Int c : copies)
            for (Int i = 0; i < it.extent; ++i) next.push_back(c + i * it.stride);
        copies.swap(next);
    }
    for (Int x = 0; x < elements; ++x)
        for (const Int c : copies)
            if (!places[address(l, x, axe::sharding::device_axis) + c].emplace(address(l, x), x).second) return {};
    Held out;
    for (const auto& [device, memory] : places)
        for (const auto& [place, x] : memory) {
            if (place != static_cast<Int>(out[device].size())) return {};
            out[device].push_back(x);
        }
    return out;
}
/// The elements with these indices in each dimension, row-major.
List box(const std::vector<List>& indices, const List& extents)
{
    List out{0};
    for (std::size_t d = 0; d < extents.size(); ++d) {
        List next;
        for (const Int x : out)
            for (const Int i : indices[d]) next.push_back(x * extents[d] + i);
        out.swap(next);
    }
    return out;
}
List counted(Int n)
{
    List out;
    for (Int i = 0; i < n; ++i) out.push_back(i);
    return out;
}
/// Piece i of n, as torch.chunk has them.
List chunk(const List& list, Int n, Int i)
{
    const Int size = static_cast<Int>(list.size()), piece = (size + n - 1) / n;
    const Int from = std::min(i * piece, size), to = std::min(from + piece, size);
    return List(list.begin() + static_cast<std::ptrdiff_t>(from), list.begin() + static_cast<std::ptrdiff_t>(to));
}
/// An iota of devices, reshaped and transposed, and how HLO writes that.
struct Iota {
    List devices;
    std::string text;
};
Iota random_iota(Random& r, Int n)
{
    List dims = factors(r, n);
    if (dims.empty()) dims.push_back(1);
    const auto order = shuffled(r, dims.size());
    List turned, names;
    for (const std::size_t d : order) {
        turned.push_back(dims[d]);
        names.push_back(static_cast<Int>(d));
    }
    Iota out;
    for (Int p = 0; p < n; ++p) {
        const List c = digits(p, turned);
        List back(dims.size());
        for (std::size_t k = 0; k < order.size(); ++k) back[order[k]] = c[k];
        out.devices.push_back(row_major(back, dims));
    }
    out.text = "<=[" + join(dims) + "]" + (dims.size() > 1 ? "T(" + join(names) + ")" : "");
    return out;
}

} // namespace

TEST_CASE("oracle: CuTe's composition, conversions and profiles, on trees up to five deep and leaves that run far")
{
    Report report("cute");
    Random r(20261122);
    for (Int i = laws::cases(8000); i > 0; --i) {
        const bool wide = r.one_in(12); // many leaves of 2
        const auto text = random_text(r, wide ? 16 : 5, wide ? 2 : 7, wide ? 1024 : 200);
        const auto inner = random_text(r, 4, 5, 60);
        const auto a = axe::cute::parse_layout({text.c_str(), length(text)});
        const auto b = axe::cute::parse_layout({inner.c_str(), length(inner)});
        if (!a || !b) continue; // too many nodes
        report.that(axe::cute::print(*a).c_str() == text, "print", text.c_str());

        const List table = values(*a);
        const auto short_form = axe::cute::coalesce(*a);
        if (report.that(short_form && values(*short_form) == table, "coalesce", text.c_str())) {
            const Leaves list = leaves_of(*short_form);
            for (std::size_t k = 0; k + 1 < list.size(); ++k)
                report.that(list[k].first > 1 && list[k].first * list[k].second != list[k + 1].second, "not shortest",
                            text.c_str());
        }

        List truth;
        for (const Int x : values(*b)) {
            if (x > Int{1} << 52 || x < -(Int{1} << 52)) break;
            const auto y = wide_value(leaves_of(*a), x);
            if (y != static_cast<Int>(y)) break; // what runs on overflows
            truth.push_back(static_cast<Int>(y));
        }
        const auto c = axe::cute::composition(*a, *b);
        if (truth.size() == values(*b).size() && c.code() != axe::errc::overflow && c.code() != axe::errc::capacity) {
            const bool exists = is_layout(truth);
            report.asked(exists);
            report.that(c.has_value() == exists, exists ? "not found" : "found where there is none", text.c_str(), inner.c_str());
            if (c && exists) report.that(values(*c) == truth && check(*c).ok(), "composition", text.c_str(), inner.c_str());
        }

        const auto by_index = axe::cute::to_axe_linear(*a);
        if (by_index)
            for (Int x = 0; x < static_cast<Int>(table.size()); ++x)
                if (address(*by_index, x) != table[at(x)]) report.wrong("to_axe_linear", text.c_str());
        const auto by_coordinate = axe::cute::to_axe_by_coordinate(*a);
        if (!by_coordinate) continue;
        List extents, turned;
        for (const Int n : by_coordinate->shape) extents.push_back(n);
        turned.assign(extents.rbegin(), extents.rend());
        for (Int x = 0; x < static_cast<Int>(table.size()); ++x) {
            const List c2 = digits(x, extents); // leftmost fastest: the same digits, turned round
            if (address(by_coordinate->layout, x) != table[at(row_major(List(c2.rbegin(), c2.rend()), turned))])
                report.wrong("to_axe_by_coordinate", text.c_str());
        }
        const auto back = axe::cute::from_axe_by_coordinate(by_coordinate->layout, by_coordinate->shape);
        if (back) report.that(values(*back) == table, "from_axe_by_coordinate", text.c_str());
    }
    report.finish();
}

TEST_CASE("oracle: XLA's tiles, from the text, uneven sizes and combined dimensions included, and found again")
{
    Report report("xla");
    Random r(20261123);
    for (Int i = laws::cases(6000); i > 0; --i) {
        List extents(at(r.in(1, 4)));
        for (Int& n : extents) n = r.in(1, 9);
        const auto order = shuffled(r, extents.size()); // minor to major
        std::vector<List> tiles;
        std::string text = "{";
        for (const std::size_t d : order) text += (text.size() > 1 ? "," : "") + std::to_string(d);
        std::size_t dimensions = extents.size();
        for (Int t = r.in(0, 3); t > 0; --t) {
            List tile(at(r.in(1, static_cast<Int>(dimensions))));
            for (std::size_t k = 0; k < tile.size(); ++k) {
                tile[k] = k + 1 < tile.size() && r.one_in(6) ? -1 : r.one_in(3) ? r.in(1, 9) : Int{1} << r.in(0, 3);
                dimensions += tile[k] < 0 ? 0 : 1;
            }
            dimensions -= static_cast<std::size_t>(std::count(tile.begin(), tile.end(), -1));
            text += tiles.empty() ? ":T(" : "(";
            for (std::size_t k = 0; k < tile.size(); ++k)
                text += (k > 0 ? "," : "") + (tile[k] < 0 ? "*" : std::to_string(tile[k]));
            text += ")";
            tiles.push_back(tile);
            if (dimensions > 6) break;
        }
        text += "}";
        const auto truth = [&](const List& c, const std::vector<List>& with, const std::vector<std::size_t>& minor_to_major) {
            List index, bounds;
            for (std::size_t k = minor_to_major.size(); k-- > 0;) {
                index.push_back(c[minor_to_major[k]]);
                bounds.push_back(extents[minor_to_major[k]]);
            }
            return tiled_address(with, index, bounds);
        };
        const auto tiled = axe::xla::parse_tiled({text.c_str(), length(text)});
        if (!report.that(tiled && axe::xla::print(*tiled).c_str() == text, "text", text.c_str())) continue;
        const auto made = axe::xla::to_axe(*tiled, shape(extents));
        const auto name = text + " on (" + join(extents) + ")";
        report.asked(made.has_value());
        if (!made) {
            report.that(made.error().is_none() || made.code() == axe::errc::capacity, "an error, not none", name.c_str());
            continue;
        }
        List padded;
        for (const Int n : made->shape) padded.push_back(n);
        report.that(made->elements == truth(List(extents.size()), tiles, order).second, "elements", name.c_str());
        const auto found = axe::xla::to_tiled(made->layout, made->shape, shape(extents));
        std::vector<List> again;
        std::vector<std::size_t> again_order;
        if (found) {
            for (const auto& tile : found->tiles) {
                again.emplace_back();
                for (const Int n : tile) again.back().push_back(n == axe::xla::combine ? -1 : n);
            }
            for (const int d : found->minor_to_major) again_order.push_back(static_cast<std::size_t>(d));
        } else if (made->elements == product(padded) && found.code() != axe::errc::capacity) {
            report.wrong("not found", name.c_str());
        }
        for (Int x = 0; x < product(extents); ++x) {
            const List c = digits(x, extents);
            const Int a = address(made->layout, row_major(c, padded));
            if (a != truth(c, tiles, order).first) report.wrong("address", name.c_str());
            if (found && a != truth(c, again, again_order).first) report.wrong("found another", name.c_str());
        }
    }
    report.finish();
}

TEST_CASE("oracle: oneDNN's tags, from the text, dimensions padded to their blocks")
{
    Report report("onednn");
    Random r(20261124);
    for (Int i = laws::cases(6000); i > 0; --i) {
        List extents(at(r.in(1, 4)));
        for (Int& n : extents) n = r.in(1, 9);
        const auto order = shuffled(r, extents.size());
        std::vector<std::pair<std::size_t, Int>> blocks;
        for (Int k = r.in(0, 4); k > 0; --k)
            blocks.emplace_back(at(r.in(0, static_cast<Int>(extents.size()) - 1)), r.one_in(3) ? 3 : 2);
        List block(extents.size(), 1), padded;
        for (const auto& [d, n] : blocks) block[d] *= n;
        std::string text;
        for (const std::size_t d : order) text += static_cast<char>((block[d] > 1 ? 'A' : 'a') + static_cast<int>(d));
        for (const auto& [d, n] : blocks) text += std::to_string(n) + static_cast<char>('a' + static_cast<int>(d));
        for (std::size_t d = 0; d < extents.size(); ++d) padded.push_back((extents[d] + block[d] - 1) / block[d] * block[d]);

        const auto tag = axe::onednn::parse_tag({text.c_str(), length(text)});
        const auto name = text + " on (" + join(extents) + ")";
        if (!report.that(tag && axe::onednn::print(*tag).c_str() == text, "text", name.c_str())) continue;
        const auto made = axe::onednn::to_axe(*tag, shape(extents));
        if (!report.that(made && made->shape == shape(padded) && made->elements == product(padded), "padding", name.c_str()))
            continue;
        report.asked(true);
        for (Int x = 0; x < product(padded); ++x) {
            const List c = digits(x, padded);
            List index, bounds, rest = block;
            for (const std::size_t d : order) {
                index.push_back(c[d] / block[d]);
                bounds.push_back(padded[d] / block[d]);
            }
            for (const auto& [d, n] : blocks) {
                rest[d] /= n;
                index.push_back(c[d] / rest[d] % n);
                bounds.push_back(n);
            }
            if (address(made->layout, x) != row_major(index, bounds)) report.wrong("address", name.c_str());
        }
        const auto found = axe::onednn::to_tag(made->layout, made->shape, shape(extents));
        if (!report.that(found.has_value(), "not found", name.c_str())) continue;
        const auto again = axe::onednn::to_axe(*found, shape(extents));
        report.that(again && again->shape == made->shape && again->layout == made->layout, "found another", name.c_str());
    }
    report.finish(false);
}

TEST_CASE("oracle: what a mapping of mdspan says of itself, by counting addresses")
{
    struct Extents {
        using index_type = int;
        using size_type = unsigned;
        using rank_type = std::size_t;
        std::array<int, 3> n{};
        static constexpr rank_type rank() { return 3; }
        constexpr int extent(rank_type d) const { return n[d]; }
        bool operator==(const Extents&) const = default;
    };
    Report report("mdspan");
    Random r(20261125);
    for (Int i = laws::cases(6000); i > 0; --i) {
        const List n{r.in(1, 4), r.in(1, 4), r.in(1, 4)};
        axe::Layout layout;
        if (r.one_in(3)) {
            layout = axe::to_axe(axe::Strided{shape(n), {r.in(-3, 20), r.in(-3, 20), r.in(0, 20)}, r.in(0, 30)}).value();
        } else { // digits in any order, some with gaps
            const List extents = factors(r, product(n));
            List strides(extents.size());
            Int next = 1;
            for (const std::size_t k : shuffled(r, extents.size())) {
                strides[k] = next;
                next = next * extents[k] + (r.one_in(5) ? r.in(1, 3) : 0);
            }
            for (std::size_t k = 0; k < extents.size(); ++k) layout.shard.push_back({extents[k], strides[k], axe::Axis{}});
        }
        List addresses;
        for (Int x = 0; x < product(n); ++x) addresses.push_back(address(layout, x));
        const std::set<Int> all(addresses.begin(), addresses.end());
        const auto made =
            axe::layout_axe::make(layout, Extents{{static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])}});
        report.asked(made.has_value());
        report.that(made.has_value() == (*all.begin() >= 0), "exists", layout);
        if (!made) continue;
        const Int span = *all.rbegin() + 1;
        report.that(made->required_span_size() == span, "span", layout);
        report.that(made->is_unique() == (all.size() == addresses.size()), "unique", layout);
        report.that(made->is_exhaustive() == (static_cast<Int>(all.size()) == span), "exhaustive", layout);
        const List steps{n[1] * n[2], n[2], 1};
        bool linear = true;
        List strides(3);
        for (std::size_t d = 0; d < 3; ++d)
            if (n[d] > 1) strides[d] = addresses[at(steps[d])] - addresses[0];
        for (Int x = 0; x < product(n); ++x) {
            const List c = digits(x, n);
            const Int sum = addresses[0] + c[0] * strides[0] + c[1] * strides[1] + c[2] * strides[2];
            linear = linear && sum == addresses[at(x)];
            if ((*made)(static_cast<int>(c[0]), static_cast<int>(c[1]), static_cast<int>(c[2])) != addresses[at(x)])
                report.wrong("a call", layout);
        }
        report.that(made->is_strided() == linear, "strided", layout);
        for (std::size_t d = 0; d < 3 && linear; ++d)
            if (n[d] > 1) report.that(made->stride(d) == strides[d], "stride", layout);
    }
    report.finish();
}

TEST_CASE("oracle: Shardy's axes and sub-axes over devices in any order of an iota, by HLO, JAX and placements and back")
{
    namespace sh = axe::sharding;
    Report report("sharding");
    Random r(20261126);
    struct Places {
        std::size_t axis;
        Int before, size;
    };
    for (Int i = laws::cases(3000); i > 0; --i) {
        List sizes(at(r.in(1, 3)));
        for (Int& n : sizes) n = std::array<Int, 6>{1, 2, 2, 3, 4, 6}[at(r.in(0, 5))];
        const Int devices = product(sizes);
        if (devices > 48) continue;
        const bool in_order = r.one_in(3);
        const List list = in_order ? counted(devices) : random_iota(r, devices).devices;
        std::string mesh_text = "<[";
        for (std::size_t k = 0; k < sizes.size(); ++k)
            mesh_text += (k > 0 ? ", \"" : "\"") + std::string(1, static_cast<char>('a' + static_cast<int>(k))) +
                         "\"=" + std::to_string(sizes[k]);
        mesh_text += "], device_ids=[" + join(list) + "]>";
        const auto mesh = sh::parse_mesh({mesh_text.c_str(), length(mesh_text)});
        if (!mesh) { // the steps do not split at the axes
            report.that(!in_order && mesh.code() == axe::errc::not_grouped, "mesh", mesh_text.c_str());
            continue;
        }
        // Each axis in parts, some of one place, which dimensions, copies and terms share out.
        std::vector<Places> pool;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            Int before = 1;
            for (const Int f : factors(r, sizes[k])) {
                pool.push_back({k, before, f});
                before *= f;
            }
        }
        const int rank = static_cast<int>(r.in(1, 3));
        std::vector<std::vector<Places>> dims(static_cast<std::size_t>(rank));
        std::vector<Places> terms;
        for (const std::size_t k : shuffled(r, pool.size())) {
            const auto where = at(r.in(0, rank + 1));
            if (where < dims.size()) dims[where].push_back(pool[k]);
            if (where == dims.size()) terms.push_back(pool[k]);
        }
        const auto word = [&](const Places& p) {
            const std::string name = "\"" + std::string(1, static_cast<char>('a' + static_cast<int>(p.axis))) + "\"";
            return p.size == sizes[p.axis] ? name : name + ":(" + std::to_string(p.before) + ")" + std::to_string(p.size);
        };
        const auto words = [&](const std::vector<Places>& parts) {
            std::string out;
            for (const Places& p : parts) out += (out.empty() ? "" : ", ") + word(p);
            return "{" + out + "}";
        };
        std::string text = "#sdy.sharding<@mesh, [";
        List extents;
        for (std::size_t d = 0; d < dims.size(); ++d) {
            text += (d > 0 ? ", " : "") + words(dims[d]);
            Int n = r.in(1, 3);
            for (const Places& p : dims[d]) n *= p.size;
            extents.push_back(n);
        }
        text += "]" + (terms.empty() ? "" : ", unreduced=" + words(terms)) + ">";
        const auto name = mesh_text + " " + text + " on (" + join(extents) + ")";
        const auto spec = sh::parse_sdy({text.c_str(), length(text)}, *mesh);
        if (!report.that(spec.has_value(), "parse_sdy", name.c_str())) continue;

        Held truth;
        for (Int p = 0; p < devices; ++p) {
            const List c = digits(p, sizes);
            std::vector<List> indices;
            for (std::size_t d = 0; d < dims.size(); ++d) {
                List mine = counted(extents[d]);
                for (const Places& q : dims[d])
                    mine = chunk(mine, q.size, c[q.axis] / (sizes[q.axis] / (q.before * q.size)) % q.size);
                indices.push_back(mine);
            }
            truth[list[at(p)]] = box(indices, extents);
        }
        const auto placed = sh::place(*spec, shape(extents));
        report.asked(placed.has_value());
        if (!placed) {
            report.that(!in_order && placed.code() == axe::errc::not_grouped, "place", name.c_str());
            continue;
        }
        const auto same = [&](const axe::Result<sh::Spec>& other, const char* what) {
            const auto again = other ? sh::place(*other, shape(extents)) : axe::Result<sh::Placed>(other.error());
            report.that(again && held(again->layout, product(extents)) == truth && again->terms == placed->terms, what,
                        name.c_str());
        };
        report.that(held(placed->layout, product(extents)) == truth, "place", name.c_str());
        same(sh::find_spec(*placed, shape(extents), *mesh), "find_spec");
        same(sh::find_spec(*placed, shape(extents)), "find_spec without a mesh");
        if (const auto t = sh::print_sdy(*spec, nullptr); report.that(t.has_value(), "print_sdy", name.c_str()))
            same(sh::parse_sdy({t->c_str(), length(t->c_str())}), "sdy");
        if (const auto t = sh::print_jax(*spec)) same(sh::parse_jax({t->c_str(), length(t->c_str())}, *mesh, rank), "jax");
        if (const auto t = sh::print_alpa(*spec)) same(sh::parse_alpa({t->c_str(), length(t->c_str())}, *mesh), "alpa");
        if (const auto words_of = sh::to_placements(*spec)) same(sh::to_spec(*words_of, *mesh, rank), "placements");
        const auto hlo = sh::to_hlo(*spec);
        const auto hlo_text = hlo ? sh::print_hlo(*hlo) : axe::Result<sh::SpecText>(hlo.error());
        if (!report.that(hlo_text.has_value(), "to_hlo", name.c_str())) continue;
        const auto read = sh::parse_hlo({hlo_text->c_str(), length(hlo_text->c_str())});
        const auto again = read ? sh::place(*read, shape(extents), devices) : axe::Result<sh::Placed>(read.error());
        report.that(again && held(again->layout, product(extents)) == truth && again->terms == placed->terms, "hlo", name.c_str());
    }
    report.finish();
}

TEST_CASE("oracle: HLO's assignments, as lists and as iotas, with one or two subgroups")
{
    namespace sh = axe::sharding;
    Report report("hlo");
    Random r(20261127);
    for (Int i = laws::cases(6000); i > 0; --i) {
        const std::size_t rank = at(r.in(1, 3)), extra = at(r.in(0, 2));
        List tile(rank + extra), extents;
        for (Int& n : tile) n = std::array<Int, 6>{1, 1, 2, 2, 3, 4}[at(r.in(0, 5))];
        const Int devices = product(tile);
        if (devices > 48) continue;
        for (std::size_t d = 0; d < rank; ++d) extents.push_back(tile[d] * r.in(1, 2));
        const Iota iota = random_iota(r, devices);
        std::string text = "{devices=[" + join(tile) + "]" + (r.one_in(2) ? iota.text : join(iota.devices));
        if (extra == 1) text += r.one_in(2) ? " last_tile_dim_replicate" : " last_tile_dims={replicated}";
        if (extra == 2) text += " last_tile_dims={unreduced, replicated}";
        text += "}";
        const auto name = text + " on (" + join(extents) + ")";
        const auto hlo = sh::parse_hlo({text.c_str(), length(text)});
        if (!report.that(hlo.has_value(), "parse_hlo", name.c_str())) continue;
        Held truth;
        for (Int p = 0; p < devices; ++p) {
            const List c = digits(p, tile);
            std::vector<List> indices;
            for (std::size_t d = 0; d < rank; ++d) indices.push_back(chunk(counted(extents[d]), tile[d], c[d]));
            truth[iota.devices[at(p)]] = box(indices, extents);
        }
        const auto placed = sh::place(*hlo, shape(extents));
        report.asked(placed.has_value());
        if (!placed) {
            report.that(placed.error().is_none(), "an error, not none", name.c_str());
            continue;
        }
        report.that(held(placed->layout, product(extents)) == truth, "place", name.c_str());
        const auto found = sh::find_hlo(*placed, shape(extents));
        const auto again = found ? sh::place(*found, shape(extents), devices) : axe::Result<sh::Placed>(found.error());
        report.that(again && held(again->layout, product(extents)) == truth, "find_hlo", name.c_str());
    }
    report.finish();
}

TEST_CASE("oracle: DTensor's placements, strided ones and sizes that do not divide included")
{
    namespace sh = axe::sharding;
    Report report("dtensor");
    Random r(20261128);
    for (Int i = laws::cases(6000); i > 0; --i) {
        List sizes(at(r.in(1, 3)));
        sh::MeshAxes axes;
        for (Int& n : sizes) {
            n = r.in(1, 4);
            axes.push_back(sh::MeshAxis(sh::numbered_name(axes.size()), n));
        }
        const auto mesh = sh::make_mesh(axes).value();
        const int rank = static_cast<int>(r.in(1, 2));
        List extents;
        for (int d = 0; d < rank; ++d) extents.push_back(r.one_in(2) ? r.in(1, 24) : 24 * r.in(1, 2));
        std::string text = "[";
        std::vector<std::pair<Int, Int>> splits; // dimension, −1 none; factor
        bool strided = false;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            const Int dim = r.one_in(4) ? -1 : r.in(0, rank - 1), factor = r.one_in(2) ? 1 : r.in(1, 4);
            strided = strided || (dim >= 0 && factor > 1);
            splits.emplace_back(dim, factor);
            text += text.size() > 1 ? ", " : "";
            text += dim < 0       ? (r.one_in(2) ? "Replicate()" : "Partial(sum)")
                    : factor == 1 ? "Shard(" + std::to_string(dim) + ")"
                                  : "_StridedShard(" + std::to_string(dim) + ", split_factor=" + std::to_string(factor) + ")";
        }
        text += "]";
        const auto name = text + " over (" + join(sizes) + ") on (" + join(extents) + ")";
        const auto words = sh::parse_dtensor({text.c_str(), length(text)});
        if (!report.that(words && sh::print_dtensor(*words).c_str() == text, "text", name.c_str())) continue;
        const auto spec = sh::to_spec(*words, mesh, rank);
        if (!spec) { // strided parts that do not nest
            report.that(strided && spec.code() == axe::errc::not_grouped, "to_spec", name.c_str());
            continue;
        }
        Held truth;
        std::vector<bool> even(extents.size(), true);
        for (Int p = 0; p < product(sizes); ++p) {
            const List c = digits(p, sizes);
            std::vector<List> indices;
            for (std::size_t d = 0; d < extents.size(); ++d) {
                List mine = counted(extents[d]);
                for (std::size_t k = 0; k < sizes.size(); ++k) {
                    if (splits[k].first != static_cast<Int>(d) || sizes[k] == 1) continue;
                    even[d] = even[d] && static_cast<Int>(mine.size()) % (sizes[k] * splits[k].second) == 0;
                    List next;
                    for (Int f = 0; f < splits[k].second; ++f) {
                        const List piece = chunk(chunk(mine, splits[k].second, f), sizes[k], c[k]);
                        next.insert(next.end(), piece.begin(), piece.end());
                    }
                    mine.swap(next);
                }
                indices.push_back(mine);
            }
            truth[p] = box(indices, extents);
            if (strided) continue;
            const auto range = sh::range_of(*spec, shape(extents), sh::Rule::dtensor, p);
            if (!report.that(range.has_value(), "range_of", name.c_str())) continue;
            for (std::size_t d = 0; d < extents.size(); ++d) {
                const auto [lo, hi] = (*range)[static_cast<int>(d)];
                List between;
                for (Int x = lo; x < hi; ++x) between.push_back(x);
                report.that(between == indices[d], "range_of", name.c_str());
            }
        }
        const bool divides = std::all_of(even.begin(), even.end(), [](bool b) { return b; });
        const auto placed = sh::place(*spec, shape(extents));
        report.asked(placed.has_value());
        if (divides) report.that(placed.has_value(), "not placed", name.c_str());
        if (placed) report.that(held(placed->layout, product(extents)) == truth, "place", name.c_str());
    }
    report.finish();
}

TEST_CASE("oracle: lines that no other test missed")
{
    using namespace axe::literals;
    namespace sh = axe::sharding;
    // Of two dimensions of one order the leftmost is filled first.
    CHECK(std::string(print(*tile_to_shape("(2,2):(1,2)"_cute, {4, 4}, {1, 1})).c_str()) == "((2,2),(2,2)):((1,4),(2,8))");
    // Two bases may share an axis where one of them never moves.
    axe::cute::AxisNames names;
    names.push_back({axe::cute::Basis{0}, axe::Axis{"c1"}});
    CHECK(to_axe_linear("(2,3):(1@0,0@1)"_cute, names).has_value());
    CHECK(to_axe_linear("(2,3):(0@0,1@1)"_cute, names).has_value());
    CHECK(to_axe_linear("(2,3):(1@0,1@1)"_cute, names).code() == axe::errc::bad_axis);
    // A sub-axis of one place, anywhere on its axis, splits nothing.
    const auto twelve = sh::make_mesh({{"a", 12}}).value();
    constexpr char text[] = "<@m, [{\"a\":(1)2}, {\"a\":(3)1}]>";
    const auto spec = sh::parse_sdy(text, twelve);
    REQUIRE(spec);
    CHECK(sh::place(*spec, {2, 2})->layout == "(2,2):(6@gpuid,1) + [6:1@gpuid]"_axe);
    // Four devices in a row are not a part of an axis of six.
    const auto two_by_six = sh::make_mesh({{"a", 2}, {"b", 6}}).value();
    CHECK(sh::find_spec(sh::Placed{"(4,2):(1@gpuid,1) + [3:4@gpuid]"_axe, {}}, {8}, two_by_six).code() == axe::errc::not_grouped);
    // An offset of 2^60 bytes is more than an integer has bits.
    struct {
        int ndim = 0;
        struct {
            int bits = 8, lanes = 1;
        } dtype;
        std::int64_t *shape = nullptr, *strides = nullptr;
        std::uint64_t byte_offset = std::uint64_t{1} << 60;
    } tensor;
    CHECK(axe::dlpack::view(tensor).code() == axe::errc::overflow);
    --tensor.byte_offset;
    CHECK(axe::dlpack::view(tensor)->array.offset == (Int{1} << 60) - 1);
    // Fewer registers are other registers.
    const auto linear = [](const std::string& words) { return axe::linear::parse_linear({words.c_str(), length(words)}).value(); };
    const auto four = linear("register=[1,2] lane=[4] warp=[] -> dim0:8"), two = linear("register=[1] lane=[4] warp=[] -> dim0:8");
    CHECK(*axe::linear::reach_of(four, two) == axe::linear::Reach::registers);
    CHECK(*axe::linear::reach_of(four, four) == axe::linear::Reach::nowhere);
    // Copies that are not steps.
    for (const std::string copies :
         {"{devices=[1,4]0,2,1,5 last_tile_dim_replicate}", "{devices=[2,3]3,0,1,7,4,5 last_tile_dim_replicate}"})
        CHECK(sh::parse_hlo({copies.c_str(), length(copies)}).code() == axe::errc::no_layout);
}
