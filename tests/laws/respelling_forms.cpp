// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/interop/cute.hpp>
#include <axe/interop/linear.hpp>
#include <axe/interop/sharding.hpp>
#include <axe/interop/strides.hpp>
#include <axe/machine/atom_match.hpp>
#include <axe/machine/atoms_of.hpp>
#include <axe/machine/axes.hpp>
#include <axe/machine/banks.hpp>
#include <axe/map/equal.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/target/atoms.hpp>
#include <axe/target/machines.hpp>
#include <tests/laws/respelling.hpp>

#include <string>

/// f(L) = f(L') where L and L' are one map, for what other modules make of a layout: the forms of other systems, the axes of a machine, the
/// atoms that match, indexing maps.
namespace {

using axe::Layout;
using laws::Int;

/// Two spellings of one layout, and the answers about both.
class Pair {
  public:
    Pair(laws::Random& r, laws::Report& report, const Layout& l) : l_(l), k_(laws::respelled(r, l)), report_(report) {}

    template <class F>
    void same(const char* name, const axe::Shape& s, const F& f) const
    {
        const auto x = f(l_), y = f(k_);
        report_.asked(x.code() == axe::errc::ok);
        bool agree = x.code() == y.code();
        if constexpr (requires { x.has_value(); }) {
            if (agree && x.has_value()) agree = laws::same(*x, *y);
        } else {
            agree = laws::same(x, y);
        }
        report_.that(agree, name, l_, k_, s);
    }

  private:
    Layout l_, k_;
    laws::Report& report_;
};

/// A form that keeps how the layout is written is compared by what it means.
template <class Form, class Meaning>
auto meaning(const axe::Result<Form>& form, const Meaning& of)
{
    return form.and_then(of);
}

} // namespace

TEST_CASE("respelling: strided arrays, tags, XLA's and CuTe's layouts, linear layouts and shardings")
{
    laws::Report report("respelling, forms");
    laws::Random r(1898);
    for (Int i = laws::cases(6000); i > 0; --i) {
        const bool plain = i % 2 == 0;
        const laws::Kind kind{.largest_size = 48, .axes = plain ? 1 : 3, .replicas = i % 3 == 0, .offset = i % 5 == 0};
        Layout l = laws::random_layout(r, kind);
        if (i % 4 == 0) { // a permuted array, which every form has
            const axe::Shape extents = laws::random_shape(r, 24, 3);
            Int stride = 1;
            for (int d = extents.size() - 1; d >= 0; --d) stride *= extents[d];
            l = {};
            for (int d = 0; d < extents.size(); ++d) stride /= extents[d], l.shard.push_back({extents[d], stride, "m"});
        }
        const axe::Shape s = laws::random_shape(r, oracle::size(l), 3);
        const Pair pair(r, report, l);
        pair.same("to_strided", s, [&](const Layout& x) { return axe::to_strided(x, s); });
        pair.same("numpy::from_axe", s, [&](const Layout& x) { return axe::numpy::from_axe(x, s, 4); });
        pair.same("onednn::to_tag", s, [&](const Layout& x) { return axe::onednn::to_tag(x, s); });
        pair.same("xla::to_tiled", s, [&](const Layout& x) { return axe::xla::to_tiled(x, s); });
        pair.same("to_linear", s, [&](const Layout& x) { return axe::linear::to_linear(x, s); });
        pair.same("cute::from_axe_linear", s, [&](const Layout& x) {
            return meaning(axe::cute::from_axe_linear(x), [](const auto& form) { return axe::cute::to_axe_linear(form); });
        });
        pair.same("cute::from_axe_by_coordinate", s, [&](const Layout& x) {
            return meaning(axe::cute::from_axe_by_coordinate(x, s), [](const auto& form) {
                return axe::cute::to_axe_by_coordinate(form).transform([](const auto& on) { return on.layout; });
            });
        });
        const axe::sharding::Placed placed{};
        pair.same("find_spec", s, [&](const Layout& x) {
            axe::sharding::Placed of = placed;
            of.layout = x;
            return axe::sharding::find_spec(of, s);
        });
    }
    report.finish();
}

TEST_CASE("respelling: the axes of a machine, atoms and indexing maps")
{
    laws::Report report("respelling, machine");
    laws::Random r(1899);
    constexpr axe::AxisSplit split{"lane", "high", "low", 2};
    for (Int i = laws::cases(6000); i > 0; --i) {
        const laws::Kind kind{.largest_size = 48, .axes = 3, .replicas = i % 3 == 0, .offset = i % 5 == 0};
        const Layout l = laws::random_layout(r, kind);
        const axe::Shape s = laws::random_shape(r, oracle::size(l), 3);
        const Pair pair(r, report, l);
        pair.same("split_axis", s, [&](const Layout& x) { return axe::split_axis(x, split); });
        constexpr axe::AxisSplit whole{"thread", "warp", "lane", 8};
        pair.same("fuse_axes", s, [&](const Layout& x) { return axe::fuse_axes(x, whole); });
        pair.same("convert_axes", s, [&](const Layout& x) { return axe::convert_axes(axe::machines::sm80, x, {"warp"}); });
        // The variable of a replica counts the way the replica is written, so that of those maps only the relations are one.
        Layout single = l;
        single.replica = {};
        const auto map = [&](const Layout& x) { return axe::to_map(x, s); };
        Pair(r, report, single).same("to_map", s, [&](const Layout& x) {
            if (x.replica.size() > 0) return axe::Status();
            const auto a = map(single), b = map(x);
            if (!a || !b) return axe::Status(a ? b.error() : a.error());
            const auto one = axe::equal(*a, *b);
            return one.undecided() || one.yes() ? axe::Status(one.error()) : axe::Status(axe::errc::internal, -1, "different maps");
        });
    }
    for (const axe::Atom* atom : axe::atoms_of(axe::machines::sm80))
        for (int again = 0; again < 3; ++again) {
            const axe::Shape one = atom->shape();
            const Pair pair(r, report, atom->layout());
            pair.same("match_registers", one, [&](const Layout& x) {
                return axe::match_registers(*atom, x, one).transform([](const auto& p) { return p.values; });
            });
            pair.same("matches", one, [&](const Layout& x) { return axe::matches(*atom, x, one); });
            axe::Shape tiles, shape;
            for (int d = 0; d < one.size(); ++d) tiles.push_back(2), shape.push_back(2 * one[d]);
            Layout outer;
            for (int d = 0; d < one.size(); ++d) outer.shard.push_back({2, d == 0 ? 2 : 1, "reg"});
            if (const auto tile = axe::tile(outer, tiles, atom->layout(), one)) {
                const Pair tiled(r, report, *tile);
                tiled.same("match_tile", shape, [&](const Layout& x) {
                    return axe::match_tile(*atom, x, shape).and_then([](const auto& t) { return axe::canonicalize(t.outer); });
                });
            }
        }
    report.finish();
}
