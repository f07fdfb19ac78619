// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding.hpp>
#include <axe/layout/points.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Every format against an owner function of its own: which devices hold element x, and where, from the framework's definition alone, by
/// lists of indices and of devices. Nothing here reads a layout but by its points.
namespace {

using namespace axe;
using namespace axe::sharding;
using laws::Int;
using laws::Random;

/// What one device holds of one dimension: indices of the whole tensor, in the order in which they lie there.
using Indices = std::vector<Int>;
/// For each device, for each dimension.
using Holdings = std::vector<std::vector<Indices>>;

Indices upto(Int n)
{
    Indices out;
    for (Int i = 0; i < n; ++i) out.push_back(i);
    return out;
}

/// torch.chunk, with empty chunks at the end: piece k of `parts`.
Indices chunk(const Indices& all, Int parts, Int k)
{
    const Int n = static_cast<Int>(all.size()), size = (n + parts - 1) / parts;
    const Int lo = std::min(n, k * size), hi = std::min(n, lo + size);
    return {all.begin() + lo, all.begin() + hi};
}

/// Piece k where the first n mod parts have one more.
Indices balanced(const Indices& all, Int parts, Int k)
{
    Indices out;
    const Int n = static_cast<Int>(all.size());
    Int at = 0;
    for (Int p = 0; p < parts; ++p) {
        const Int size = n / parts + (p < n % parts ? 1 : 0);
        for (Int i = 0; i < size; ++i, ++at)
            if (p == k) out.push_back(all[static_cast<std::size_t>(at)]);
    }
    return out;
}

/// The points of every element, (device, place on it), from what the devices hold: places are row-major in the device's part.
std::vector<std::set<std::pair<Int, Int>>> places(const Holdings& holdings, const std::vector<Int>& device, const Shape& shape)
{
    std::vector<std::set<std::pair<Int, Int>>> out(static_cast<std::size_t>(*volume(shape)));
    for (std::size_t k = 0; k < holdings.size(); ++k) {
        Shape local;
        for (const Indices& dim : holdings[k]) local.push_back(static_cast<Int>(dim.size()));
        Int count = 1;
        for (const Int n : local) count *= n;
        for (Int at = 0; at < count; ++at) {
            Int rest = at, x = 0, weight = 1;
            for (int d = shape.size() - 1; d >= 0; --d) {
                x += holdings[k][static_cast<std::size_t>(d)][static_cast<std::size_t>(rest % local[d])] * weight;
                rest /= local[d];
                weight *= shape[d];
            }
            out[static_cast<std::size_t>(x)].insert({device[k], at});
        }
    }
    return out;
}

std::string text_of(const Layout& layout) { return print(layout).c_str(); }

bool lies_as(const Layout& layout, const std::vector<std::set<std::pair<Int, Int>>>& truth)
{
    if (*size(layout) != static_cast<Int>(truth.size())) return false;
    for (std::size_t x = 0; x < truth.size(); ++x) {
        std::set<std::pair<Int, Int>> got;
        for (const Point& p : points(layout, static_cast<Int>(x))) got.insert({p[Axis{"gpuid"}], p[Axis{"m"}]});
        if (got != truth[x]) return false;
    }
    return true;
}

/// Is there any layout with these points? The sets must be one set, moved; what moves it must be digits.
bool some_layout_lies_so(const std::vector<std::set<std::pair<Int, Int>>>& truth)
{
    const auto code = [](const std::pair<Int, Int>& p) { return p.first * (Int{1} << 30) + p.second; };
    std::vector<Int> low, set;
    for (const auto& points_of : truth) {
        std::vector<Int> values;
        for (const auto& p : points_of) values.push_back(code(p));
        std::sort(values.begin(), values.end());
        low.push_back(values.front());
        for (Int& v : values) v -= low.back();
        if (set.empty()) set = values;
        if (set != values) return false;
    }
    // peel: the innermost digit is as long as the values rise evenly, and every block repeats it
    while (low.size() > 1) {
        std::size_t n = 1;
        while (n < low.size() && low[n] - low[n - 1] == low[1] - low[0]) ++n;
        if (low.size() % n != 0) return false;
        std::vector<Int> outer;
        for (std::size_t i = 0; i < low.size(); ++i) {
            if (i % n == 0) outer.push_back(low[i]);
            if (low[i] - outer.back() != low[i % n] - low[0]) return false;
        }
        low = outer;
    }
    return true; // sets of devices that are not a sum of steps do not come up: those below are groups of a permutation, sorted out there
}

/// A mesh, and the device at each of its places by an array that is reshaped and transposed by hand.
struct Grid {
    Mesh mesh;
    std::vector<Int> device; ///< row-major places
};

Coord place_at(const Mesh& mesh, std::size_t at)
{
    Coord out;
    out.count = mesh.axes.size();
    Int rest = static_cast<Int>(at);
    for (int i = mesh.axes.size() - 1; i >= 0; --i) {
        out[i] = rest % mesh.axes[i].size;
        rest /= mesh.axes[i].size;
    }
    return out;
}

/// Axes, each made of one or two digits; the digits in some order make up the devices.
Grid random_grid(Random& r, bool one_digit = false)
{
    Grid out;
    MeshAxes axes;
    std::vector<Int> digits;
    const char* names[] = {"x", "data parallel", "tp.2"};
    const int count = static_cast<int>(r.in(1, 3));
    for (int i = 0; i < count; ++i) {
        Int n = r.in(1, 4);
        digits.push_back(n);
        if (!one_digit && r.one_in(3)) {
            digits.push_back(r.in(2, 3));
            n *= digits.back();
        }
        axes.push_back(MeshAxis(*Name::make(names[i], static_cast<int>(std::string(names[i]).size())), n));
    }
    std::vector<std::size_t> by_size; // which digit counts the largest steps
    for (std::size_t i = 0; i < digits.size(); ++i) by_size.insert(by_size.begin() + r.in(0, static_cast<Int>(i)), i);
    std::vector<Int> stride(digits.size());
    Int step = 1;
    for (std::size_t i = digits.size(); i-- > 0;) {
        stride[by_size[i]] = step;
        step *= digits[by_size[i]];
    }
    const Int first = r.one_in(4) ? r.in(0, 9) : 0;
    DeviceOrder order;
    Int start = first;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const bool backwards = r.one_in(6);
        order.push_back(Iter(digits[i], backwards ? -stride[i] : stride[i]));
        if (backwards) start += (digits[i] - 1) * stride[i];
    }
    for (Int at = 0; at < step; ++at) {
        Int device = start, rest = at;
        for (std::size_t i = digits.size(); i-- > 0;) {
            device += rest % digits[i] * order[static_cast<int>(i)].stride;
            rest /= digits[i];
        }
        out.device.push_back(device);
    }
    const auto made = make_mesh(axes, order, start);
    REQUIRE(made.has_value());
    out.mesh = *made;
    return out;
}

/// The least device and how many: what every spec over the mesh must reach.
Int least_device(const Grid& grid) { return *std::min_element(grid.device.begin(), grid.device.end()); }

/// Back and forth: over its mesh, over a mesh that is found, and through the texts that can say it.
void check_round_trips(const Placed& placed, const Shape& shape, const Grid& grid)
{
    const auto same = [&](const Result<Spec>& spec) {
        REQUIRE(spec.has_value());
        const auto again = place(*spec, shape);
        REQUIRE(again.has_value());
        INFO(text_of(again->layout));
        CHECK(sharding::equal(*again, placed));
        CHECK(again->terms == placed.terms);
    };
    const auto over_mesh = find_spec(placed, shape, grid.mesh);
    if (!over_mesh) {
        // An axis of several digits may be cut elsewhere by neither; only that, and only where it has several.
        CHECK(over_mesh.code() == errc::not_grouped);
        CHECK(grid.mesh.digits.size() > grid.mesh.axes.size());
        return;
    }
    same(over_mesh);
    const auto found = find_spec(placed, shape);
    same(found);
    for (const Result<Spec>& spec : {over_mesh, found}) {
        if (const auto text = print_sdy(*spec, nullptr)) same(parse_sdy({text->c_str(), text->size}));
        if (const auto text = print_sdy(*spec)) same(parse_sdy({text->c_str(), text->size}, spec->mesh));
        if (const auto text = print_jax(*spec)) same(parse_jax({text->c_str(), text->size}, spec->mesh, shape.size()));
        if (const auto text = print_alpa(*spec)) same(parse_alpa({text->c_str(), text->size}, spec->mesh));
        if (const auto words = to_placements(*spec)) {
            same(to_spec(*words, spec->mesh, shape.size()));
            const auto text = print_dtensor(*words);
            const auto read = parse_dtensor({text.c_str(), text.size});
            REQUIRE(read.has_value());
            CHECK(*read == *words);
            if (const auto sbp = print_sbp(*words)) CHECK(*parse_sbp({sbp->c_str(), sbp->size}) == *words);
        }
        const auto hlo = to_hlo(*spec);
        if (!hlo) {
            CHECK((least_device(grid) != 0 || hlo.code() == errc::no_layout));
            continue;
        }
        const auto text = print_hlo(*hlo);
        if (!text) { // an order that goes backwards is a list, and this one is too long
            CHECK(text.code() == errc::capacity);
            CHECK(grid.device.size() > 256);
            continue;
        }
        const auto read = parse_hlo({text->c_str(), text->size});
        INFO(text->c_str());
        REQUIRE(read.has_value());
        const auto back = place(*read, shape, static_cast<Int>(grid.device.size()));
        REQUIRE(back.has_value());
        CHECK(sharding::equal(*back, placed));
        const auto again = print_hlo(*to_hlo(*find_spec(*back, shape)));
        CHECK(std::string(again->c_str()) == text->c_str());
    }
}

/// Parts of dimensions: whole axes, or sub-axes, in any order.
struct Choice {
    Spec spec;
    Shape shape;
};

Choice random_choice(Random& r, const Grid& grid, bool sub_axes)
{
    Choice out;
    out.spec.mesh = grid.mesh;
    const int rank = static_cast<int>(r.in(1, 3));
    std::vector<Part> parts;
    for (int i = 0; i < grid.mesh.axes.size(); ++i) {
        const Int n = grid.mesh.axes[i].size;
        if (!sub_axes || r.one_in(2)) {
            parts.push_back(Part(i, 1, n));
            continue;
        }
        Int before = 1; // cut where the digits are, or within them
        for (const DeviceDigit& digit : grid.mesh.digits)
            if (digit.axis == i) {
                for (Int left = digit.extent; left > 1;) {
                    Int size = left;
                    for (Int k = left; k >= 2; --k)
                        if (left % k == 0 && r.one_in(2)) size = k;
                    parts.push_back(Part(i, before, size));
                    before *= size;
                    left /= size;
                }
            }
    }
    std::vector<std::vector<Part>> dims(static_cast<std::size_t>(rank));
    for (const Part& part : parts) {
        const Int where = r.in(0, rank + 1);
        if (where < rank) {
            auto& dim = dims[static_cast<std::size_t>(where)];
            dim.insert(dim.begin() + r.in(0, static_cast<Int>(dim.size())), part);
        } else if (where == rank && r.one_in(2)) {
            out.spec.unreduced.push_back(Unreduced(part, r.one_in(3) ? Reduction::max : Reduction::sum));
        }
    }
    for (const auto& dim : dims) {
        Int size = r.in(1, 3);
        for (const Part& part : dim) {
            out.spec.parts.push_back(part);
            size *= part.size;
        }
        out.spec.dims.push_back(Dimension(out.spec.parts.size()));
        out.shape.push_back(size);
    }
    return out;
}

/// The place of a device along a part, by its coordinate alone.
Int index_along(const Mesh& mesh, const Part& part, const Coord& at)
{
    return at[part.axis] / (mesh.axes[part.axis].size / (part.before * part.size)) % part.size;
}

/// All parts of a dimension at once, ⌈n/T⌉ each.
Holdings tiles(const Choice& choice, const Grid& grid)
{
    Holdings out;
    for (std::size_t k = 0; k < grid.device.size(); ++k) {
        const Coord at = place_at(grid.mesh, k);
        out.emplace_back();
        for (int d = 0; d < choice.shape.size(); ++d) {
            Int tile = 0, count = 1;
            for (int i = choice.spec.begin(d); i < choice.spec.end(d); ++i) {
                tile = tile * choice.spec.parts[i].size + index_along(grid.mesh, choice.spec.parts[i], at);
                count *= choice.spec.parts[i].size;
            }
            out.back().push_back(chunk(upto(choice.shape[d]), count, tile));
        }
    }
    return out;
}

} // namespace

TEST_CASE("sharding: whole axes and sub-axes over meshes in any order of devices, all ways and back")
{
    Random r(11);
    int exact = 0, split = 0;
    for (Int i = 0; i < laws::cases(3000); ++i) {
        const Grid grid = random_grid(r);
        const Choice choice = random_choice(r, grid, i % 2 == 0);
        const auto placed = place(choice.spec, choice.shape);
        const auto truth = places(tiles(choice, grid), grid.device, choice.shape);
        INFO("case " << i);
        REQUIRE(placed.has_value());
        INFO(text_of(placed->layout));
        REQUIRE(lies_as(placed->layout, truth));
        check_round_trips(*placed, choice.shape, grid);
        exact += choice.spec.unreduced.empty();
        split += !choice.spec.unreduced.empty();
    }
    CHECK(exact > laws::cases(100));
    CHECK(split > laws::cases(100));
}

TEST_CASE("sharding: terms are the copies along the axes they name")
{
    Random r(12);
    for (Int i = 0; i < laws::cases(500); ++i) {
        const Grid grid = random_grid(r);
        const Choice choice = random_choice(r, grid, true);
        const auto placed = place(choice.spec, choice.shape);
        REQUIRE(placed.has_value());
        // Two devices hold terms of one sum exactly when their places differ along unreduced parts only.
        std::set<Int> steps{0};
        for (const Term& term : placed->terms) {
            std::set<Int> more;
            for (const Int s : steps)
                for (Int k = 0; k < term.extent; ++k) more.insert(s + k * term.stride);
            steps = more;
        }
        std::set<Int> devices;
        for (std::size_t k = 0; k < grid.device.size(); ++k) {
            const Coord at = place_at(grid.mesh, k);
            bool others = true; // is it at 0 along all that is not unreduced?
            for (int axis = 0; axis < grid.mesh.axes.size(); ++axis) {
                Int rest = at[axis];
                for (const Unreduced& u : choice.spec.unreduced)
                    if (u.part.axis == axis)
                        rest -= index_along(grid.mesh, u.part, at) * (grid.mesh.axes[axis].size / (u.part.before * u.part.size));
                others = others && rest == 0;
            }
            if (others) devices.insert(grid.device[k]);
        }
        const Int low = *devices.begin();
        std::set<Int> moved;
        for (const Int d : devices) moved.insert(d - low);
        CHECK(moved == steps);
    }
}

TEST_CASE("DTensor: placements act in turn on what is left, strided ones too: where they do not divide there is no layout")
{
    Random r(13);
    int held = 0, refused = 0, strided = 0;
    for (Int i = 0; i < laws::cases(4000); ++i) {
        const Grid grid = random_grid(r);
        const int rank = static_cast<int>(r.in(1, 2));
        Placements words;
        std::string text = "[";
        for (int axis = 0; axis < grid.mesh.axes.size(); ++axis) {
            const Int kind = r.in(0, 4);
            const int dim = static_cast<int>(r.in(0, rank - 1));
            if (axis > 0) text += ", ";
            if (kind == 0) {
                words.push_back(sharding::Placement::replicate());
                text += "Replicate()";
            } else if (kind < 4) {
                const Int factor = kind == 1 ? 1 : r.in(1, 6);
                words.push_back(sharding::Placement::shard(dim, factor));
                const std::string shown = std::to_string(r.one_in(2) ? dim : dim - rank);
                text += factor == 1 ? "Shard(dim=" + shown + ")"
                                    : "_StridedShard(dim=" + shown + ", sf=" + std::to_string(factor) + ")";
                strided += factor > 1;
            } else {
                words.push_back(sharding::Placement::partial());
                text += "Partial()";
            }
        }
        text += "]";
        Shape shape;
        for (int d = 0; d < rank; ++d) shape.push_back(r.one_in(3) ? r.in(1, 24) : 12 * r.in(1, 4));

        Holdings holdings;
        bool even = true;
        for (std::size_t k = 0; k < grid.device.size(); ++k) {
            const Coord at = place_at(grid.mesh, k);
            holdings.emplace_back();
            for (int d = 0; d < rank; ++d) holdings.back().push_back(upto(shape[d]));
            for (int axis = 0; axis < words.size(); ++axis) {
                const sharding::Placement& p = words[axis];
                if (p.kind != sharding::Placement::Kind::shard) continue;
                Indices& mine = holdings.back()[static_cast<std::size_t>(p.dim)];
                Indices left;
                for (Int j = 0; j < p.factor; ++j) {
                    const Indices piece = chunk(chunk(mine, p.factor, j), grid.mesh.axes[axis].size, at[axis]);
                    left.insert(left.end(), piece.begin(), piece.end());
                    even = even && !piece.empty();
                }
                mine = left;
            }
            for (int d = 0; d < rank; ++d)
                even = even &&
                       holdings.back()[static_cast<std::size_t>(d)].size() == holdings.front()[static_cast<std::size_t>(d)].size();
        }
        INFO("case " << i << ": " << text);
        const auto read = parse_dtensor({text.c_str(), static_cast<int>(text.size())});
        REQUIRE(read.has_value());
        const auto spec = to_spec(*read, grid.mesh, rank);
        const auto placed = spec ? place(*spec, shape) : Result<Placed>(spec.error());
        const auto truth = places(holdings, grid.device, shape);
        if (placed) {
            ++held;
            INFO(text_of(placed->layout));
            REQUIRE(lies_as(placed->layout, truth));
            check_round_trips(*placed, shape, grid);
            const auto over_mesh = find_spec(*placed, shape, grid.mesh);
            if (over_mesh) CHECK(to_placements(*over_mesh).has_value());
        } else {
            ++refused;
            CHECK(placed.error().is_none());
            // Uneven parts may be on devices where a layout happens to have them; even ones that are refused never are.
            INFO(print(shape).c_str() << " over " << text_of(devices(grid.mesh)) << " " << grid.mesh.axes[0].size << ": "
                                      << placed.error().message().c_str());
            if (even) CHECK_FALSE(some_layout_lies_so(truth));
        }
    }
    CHECK(held > laws::cases(500));
    CHECK(refused > laws::cases(500));
    CHECK(strided > laws::cases(500));
}

TEST_CASE("HLO: any list of devices, of which a layout is made exactly when there is one")
{
    Random r(14);
    int held = 0, refused = 0, joined = 0;
    const Int sizes[] = {1, 1, 2, 2, 3, 4};
    for (Int i = 0; i < laws::cases(6000); ++i) {
        const int rank = static_cast<int>(r.in(1, 3));
        Shape shape, tile;
        Int count = 1;
        for (int d = 0; d < rank; ++d) {
            tile.push_back(sizes[r.in(0, 5)]);
            shape.push_back(tile[d] * r.in(1, 2));
            count *= tile[d];
        }
        const Int copies = r.one_in(2) ? r.in(2, 4) : 1;
        count *= copies;
        if (count == 1 || count > 24) continue;
        // A list: an iota transposed, with a few exchanges, or drawn.
        std::vector<Int> list;
        const Int a = r.in(1, count);
        for (Int k = 0; k < count; ++k) list.push_back(count % a == 0 ? k % a * (count / a) + k / a : k);
        if (r.one_in(3))
            std::swap(list[static_cast<std::size_t>(r.in(0, count - 1))], list[static_cast<std::size_t>(r.in(0, count - 1))]);
        if (r.one_in(4)) std::reverse(list.begin(), list.end());
        if (r.one_in(4))
            for (std::size_t k = list.size(); k > 1; --k)
                std::swap(list[k - 1], list[static_cast<std::size_t>(r.in(0, static_cast<Int>(k) - 1))]);
        std::string text = "{devices=[";
        for (int d = 0; d < rank; ++d) text += (d > 0 ? "," : "") + std::to_string(tile[d]);
        if (copies > 1) text += "," + std::to_string(copies);
        text += "]";
        for (std::size_t k = 0; k < list.size(); ++k) text += (k > 0 ? "," : "") + std::to_string(list[k]);
        text += copies > 1 ? " last_tile_dim_replicate}" : "}";
        INFO("case " << i << ": " << text);

        Holdings holdings;
        for (Int k = 0; k < count; ++k) {
            holdings.emplace_back(static_cast<std::size_t>(rank));
            Int rest = k / copies;
            for (int d = rank - 1; d >= 0; --d) {
                holdings.back()[static_cast<std::size_t>(d)] = chunk(upto(shape[d]), tile[d], rest % tile[d]);
                rest /= tile[d];
            }
        }
        const auto truth = places(holdings, list, shape);
        const auto read = parse_hlo({text.c_str(), static_cast<int>(text.size())});
        const auto placed = read ? place(*read, shape) : Result<Placed>(read.error());
        if (!placed) {
            ++refused;
            CHECK(placed.error().is_none());
            // Where copies are not a sum of steps there is no layout either; the truth here looks at the tiles alone.
            std::set<std::vector<Int>> sets;
            for (const auto& points_of : truth) {
                std::vector<Int> devices;
                for (const auto& p : points_of) devices.push_back(p.first - points_of.begin()->first);
                sets.insert(devices);
            }
            std::vector<Int> set = *sets.begin(); // of one element: a progression of progressions
            OrderFinder steps;
            bool sum = true;
            for (const Int v : set) sum = sum && steps.add(v);
            sum = sum && steps.order().has_value();
            CHECK_FALSE((sum && some_layout_lies_so(truth)));
            continue;
        }
        ++held;
        joined += !to_spec(*read, rank).has_value();
        REQUIRE(lies_as(placed->layout, truth));
        const auto found = find_spec(*placed, shape);
        if (found) CHECK(sharding::equal(*place(*found, shape), *placed));
        const auto hlo = find_hlo(*placed, shape);
        REQUIRE(hlo.has_value());
        const auto canonical = print_hlo(*hlo);
        INFO(canonical->c_str());
        CHECK(sharding::equal(*place(*parse_hlo({canonical->c_str(), canonical->size}), shape, count), *placed));
    }
    CHECK(held > laws::cases(500));
    CHECK(refused > laws::cases(500));
    CHECK(joined > laws::cases(5));
}

/// Does PyTorch split the dimension in the order of its parts? 0: no; 1: by plain shards; 2: with strided ones, as
/// `_explicit_order_placements` puts them, which this follows step by step.
int torch_order(const Spec& spec, int dim)
{
    std::vector<int> order; // of the axes
    for (int p = spec.begin(dim); p < spec.end(dim); ++p) {
        const Part& part = spec.parts[p];
        if (part.size > 1 && part.size != spec.mesh.axes[part.axis].size) return 0;
        if (part.size > 1) order.push_back(part.axis);
    }
    std::vector<int> made;
    std::vector<std::pair<int, Int>> waiting; // strided axes and their factors
    bool ended = false, any = false;
    for (int axis = 0; axis < spec.mesh.axes.size(); ++axis) {
        const auto at = std::find(order.begin(), order.end(), axis);
        if (at == order.end()) continue;
        Int factor = 1; // later axes that split before this one
        for (auto before = order.begin(); before != at; ++before) factor *= *before > axis ? spec.mesh.axes[*before].size : 1;
        if (factor > 1) {
            waiting.emplace_back(axis, factor);
            any = true;
            continue;
        }
        if (ended) return 0;
        made.push_back(axis);
        if (waiting.empty()) continue;
        ended = true;
        for (Int size = spec.mesh.axes[axis].size; !waiting.empty(); waiting.pop_back()) {
            if (waiting.back().second != size) return 0;
            size *= spec.mesh.axes[waiting.back().first].size;
            made.push_back(waiting.back().first);
        }
    }
    if (made != order) return 0; // one waits on
    return any ? 2 : 1;
}

TEST_CASE("sharding: ranges under each rule, and padded layouts where there are some")
{
    Random r(15);
    int padded_ones = 0, irregular = 0, empty = 0, strided = 0;
    for (Int i = 0; i < laws::cases(4000); ++i) {
        const Grid grid = random_grid(r, true);
        Choice choice = random_choice(r, grid, false);
        choice.spec.unreduced.clear();
        for (int d = 0; d < choice.shape.size(); ++d) choice.shape[d] = r.in(1, 16);
        for (const Rule rule : {Rule::gspmd, Rule::dtensor, Rule::jax, Rule::oneflow, Rule::alpa}) {
            INFO("case " << i << " " << name(rule));
            // From the definition: what each device holds, or that the framework refuses.
            bool refused = false;
            Holdings holdings = tiles(choice, grid);
            for (int d = 0; d < choice.shape.size(); ++d) {
                const Int parts = splits(choice.spec, d).across, n = choice.shape[d];
                if (n % parts == 0) continue; // all rules agree
                const int turn = torch_order(choice.spec, d);
                const bool in_order = turn != 0;
                strided += rule == Rule::dtensor && turn == 2;
                refused = refused || rule == Rule::jax || rule == Rule::alpa || (rule == Rule::dtensor && !in_order) ||
                          (rule == Rule::oneflow && (grid.mesh.axes.size() != 1 || n < parts));
                for (std::size_t k = 0; !refused && k < grid.device.size(); ++k) {
                    const Coord at = place_at(grid.mesh, k);
                    Indices mine = upto(n);
                    Int tile = 0;
                    for (int p = choice.spec.begin(d); p < choice.spec.end(d); ++p) {
                        const Part& part = choice.spec.parts[p];
                        mine = chunk(mine, part.size, at[part.axis]);
                        tile = tile * part.size + at[part.axis];
                    }
                    auto& held = holdings[k][static_cast<std::size_t>(d)];
                    if (rule == Rule::dtensor) held = mine;
                    if (rule == Rule::oneflow) held = balanced(upto(n), parts, tile);
                }
            }
            const auto padded_form = padded(choice.spec, choice.shape, rule);
            bool blocks = true; // does each device hold the next ones, as many as the first, but for the last?
            for (std::size_t k = 0; k < grid.device.size(); ++k) {
                const auto range = range_of(choice.spec, choice.shape, rule, grid.device[k]);
                REQUIRE(range.has_value() != refused);
                if (refused) {
                    CHECK(range.code() == errc::not_grouped);
                    continue;
                }
                for (int d = 0; d < choice.shape.size(); ++d) {
                    const Indices& held = holdings[k][static_cast<std::size_t>(d)];
                    REQUIRE((*range)[d].hi - (*range)[d].lo == static_cast<Int>(held.size()));
                    REQUIRE((*range)[d].lo >= 0);
                    REQUIRE((*range)[d].hi <= choice.shape[d]);
                    if (!held.empty()) REQUIRE((*range)[d].lo == held.front());
                    empty += held.empty();
                    const Int parts = splits(choice.spec, d).across, c = (choice.shape[d] + parts - 1) / parts;
                    const Int tile = [&] {
                        Int t = 0;
                        for (int p = choice.spec.begin(d); p < choice.spec.end(d); ++p)
                            t = t * choice.spec.parts[p].size + place_at(grid.mesh, k)[choice.spec.parts[p].axis];
                        return t;
                    }();
                    Indices block;
                    for (Int x = tile * c; x < std::min(tile * c + c, choice.shape[d]); ++x) block.push_back(x);
                    blocks = blocks && held == block;
                }
            }
            if (refused) {
                CHECK(padded_form.code() == errc::not_grouped);
                continue;
            }
            REQUIRE(padded_form.has_value() == blocks);
            irregular += !blocks;
            if (!blocks) continue;
            ++padded_ones;
            // Each element of the tensor is where the rule has it: on these devices, at its place in the padded part.
            Shape part;
            for (int d = 0; d < choice.shape.size(); ++d) {
                part.push_back(padded_form->shape[d] / splits(choice.spec, d).across);
                CHECK(padded_form->valid[d].hi == choice.shape[d]);
            }
            for (Int x = 0; x < *volume(choice.shape); ++x) {
                const Coord c = coordinate(choice.shape, x);
                std::set<std::pair<Int, Int>> want, got;
                for (std::size_t k = 0; k < grid.device.size(); ++k) {
                    Int at = 0;
                    bool holds = true;
                    for (int d = 0; d < choice.shape.size(); ++d) {
                        const Indices& held = holdings[k][static_cast<std::size_t>(d)];
                        const auto where = std::find(held.begin(), held.end(), c[d]);
                        holds = holds && where != held.end();
                        at = at * part[d] + (where - held.begin());
                    }
                    if (holds) want.insert({grid.device[k], at});
                }
                for (const Point& p : points(padded_form->placed.layout, *linear_index(padded_form->shape, c)))
                    got.insert({p[Axis{"gpuid"}], p[Axis{"m"}]});
                REQUIRE(got == want);
            }
        }
    }
    CHECK(padded_ones > laws::cases(500));
    CHECK(irregular > laws::cases(100));
    CHECK(empty > laws::cases(100));
    CHECK(strided > laws::cases(50));
}
