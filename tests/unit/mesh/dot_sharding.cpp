// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/mesh/dot_sharding.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <catch.hpp>
#include <tests/unit/mesh/members.hpp>

/// The sharding of a product, against what members make that multiply what they have.
namespace {

using members::All;
using members::Int;
using members::Values;

struct DotFactors {
    const axe::Sharding &a, &b;
    Int n = 0; ///< of square matrices
    All parts_a{}, parts_b{};
};

/// The products of what each member has; nothing where the inner parts of a member are not the same.
std::optional<All> dot_products(const DotFactors& f)
{
    All out;
    const axe::Shape& mesh = f.a.mesh.shape;
    for (Int m = 0; m < members::count(mesh); ++m) {
        const axe::Coord at = axe::coordinate(mesh, m);
        const auto& a = f.parts_a[static_cast<std::size_t>(m)];
        const auto& b = f.parts_b[static_cast<std::size_t>(m)];
        out.emplace_back();
        if (!a || !b) continue;
        const Int rows = f.n / members::parts(f.a, 0), columns = f.n / members::parts(f.b, 1), inner = f.n / members::parts(f.a, 1);
        if (members::parts(f.a, 1) != members::parts(f.b, 0) || members::part(f.a, 1, at) != members::part(f.b, 0, at)) return {};
        out.back().emplace();
        for (Int i = 0; i < rows; ++i)
            for (Int j = 0; j < columns; ++j) {
                Int sum = 0;
                for (Int k = 0; k < inner; ++k)
                    sum += (*a)[static_cast<std::size_t>(i * inner + k)] * (*b)[static_cast<std::size_t>(k * columns + j)];
                out.back()->push_back(sum);
            }
    }
    return out;
}

/// Are the products of the members the product, distributed as C?  With the rows and columns that the factors have there.
bool is_dot(const axe::Sharding& c, const DotFactors& f, const std::optional<All>& products, const Values& expected)
{
    if (!products) return false;
    const axe::Shape shape{f.n, f.n};
    for (Int m = 0; m < members::count(c.mesh.shape); ++m) {
        const axe::Coord at = axe::coordinate(c.mesh.shape, m);
        const auto mine = members::elements(c, shape, at);
        if (mine.has_value() != (*products)[static_cast<std::size_t>(m)].has_value()) return false;
        if (!mine) continue;
        if (members::parts(c, 0) != members::parts(f.a, 0) || members::part(c, 0, at) != members::part(f.a, 0, at) ||
            members::parts(c, 1) != members::parts(f.b, 1) || members::part(c, 1, at) != members::part(f.b, 1, at))
            return false;
    }
    try {
        return members::value(c, shape, *products) == expected;
    } catch (const std::exception&) { // copies differ
        return false;
    }
}

} // namespace

TEST_CASE("the sharding of a product is that of what members make of their parts, and no other exists where it has none")
{
    int made = 0, none = 0, read = 0;
    const auto run = [&](const char* launch, Int n, int stride) {
        const axe::Mesh mesh = axe::parse_device_mesh(launch).value();
        const auto all = members::all_shardings(mesh, true);
        Values a(static_cast<std::size_t>(n * n)), b(a), expected(a);
        for (std::size_t x = 0; x < a.size(); ++x) {
            a[x] = static_cast<Int>(x * 37 + 11) % 17 - 8;
            b[x] = static_cast<Int>(x * 29 + 5) % 19 - 9;
        }
        for (Int i = 0; i < n; ++i)
            for (Int j = 0; j < n; ++j)
                for (Int k = 0; k < n; ++k)
                    expected[static_cast<std::size_t>(i * n + j)] +=
                        a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
        int at = 0;
        for (const axe::Sharding& x : all)
            for (const axe::Sharding& y : all) {
                if (at++ % stride != 0) continue;
                DotFactors f{x, y, n};
                f.parts_a = members::distributed(x, {n, n}, a);
                f.parts_b = members::distributed(y, {n, n}, b);
                const auto products = dot_products(f);
                const auto c = axe::dot_sharding(x, y);
                CAPTURE(launch, members::states(x), members::states(y));
                // The same where members also have what the first one of them has.
                const auto reads = axe::dot_sharding_with_reads(x, y);
                CHECK((reads || !c));
                if (c) CHECK(*reads == axe::DotReads{*c, {}, {}});
                if (reads && !c) {
                    DotFactors g = f;
                    const auto of_first = [&](const All& parts, Int m, const axe::Sharding::List& axes) {
                        axe::Coord place = axe::coordinate(mesh.shape, m);
                        for (const int axis : axes) place[axis] = 0;
                        return parts[static_cast<std::size_t>(axe::linear_index(mesh.shape, place).value())];
                    };
                    for (Int m = 0; m < size(mesh); ++m) {
                        g.parts_a[static_cast<std::size_t>(m)] = of_first(f.parts_a, m, reads->a);
                        g.parts_b[static_cast<std::size_t>(m)] = of_first(f.parts_b, m, reads->b);
                    }
                    CHECK(is_dot(reads->product, g, dot_products(g), expected));
                    ++read;
                }
                if (c) {
                    INFO(members::states(*c));
                    CHECK(is_dot(*c, f, products, expected));
                    ++made;
                    continue;
                }
                CHECK(c.error().code == axe::errc::bad_argument);
                ++none;
                for (const axe::Sharding& other : all) {
                    INFO(members::states(other));
                    CHECK_FALSE(is_dot(other, f, products, expected));
                }
            }
    };
    run("device=2", 4, 1);
    run("device=3", 3, 1);
    run("node=2,device=3", 12, 1);
    run("node=2,device(x=2,y=2)", 8, 211);
    CHECK(made > 100);
    CHECK(none > 500);
    CHECK(read > 50);
}

TEST_CASE("members read a factor that the first of them has alone where the other one has parts or terms")
{
    const axe::Mesh mesh = axe::parse_device_mesh("cluster(y=2,x=2,one=1)").value();
    const auto of = [&](const char* text) { return axe::parse_mesh_sharding(text, mesh).value(); };
    const auto reads = [&](const char* a, const char* b) { return axe::dot_sharding_with_reads(of(a), of(b)); };
    CHECK(reads("[] U(x)", "[[],[x]]").value() == axe::DotReads{of("[[],[x]]"), {1}, {}});
    CHECK(reads("[[y]] U(x)", "[[],[x]] U(y)").value() == axe::DotReads{of("[[y],[x]]"), {1}, {0}});
    CHECK(reads("[] P(y)", "[] U(y,x)").value() == axe::DotReads{of("[[],[]] P(y) U(x)"), {}, {0}});
    CHECK(reads("[] U(y)", "[] U(y)").value() == axe::DotReads{of("[[],[]] U(y)"), {}, {}}); // the first one multiplies alone
    CHECK(reads("[] U(one)", "[[],[one]]").value() == axe::DotReads{of("[[],[]]"), {}, {}});
    CHECK(reads("[] U(y)", "[[y]]").error().code == axe::errc::bad_argument);
    CHECK(
        axe::dot_sharding_with_reads(of("[]"), axe::parse_mesh_sharding("[]", axe::parse_device_mesh("cluster=4").value()).value())
            .error()
            .code == axe::errc::bad_argument);
    constexpr axe::Mesh pair = *axe::device_mesh({{"x", 2, axe::MeshScope::cluster}});
    constexpr auto first = *axe::make_sharding(pair, {}, {}, {"x"}), columns = *axe::make_sharding(pair, {{}, {"x"}});
    static_assert(axe::dot_sharding_with_reads(first, columns)->product == columns);
}

TEST_CASE("axes of one member split nothing of a product, matrices have two dimensions, and one mesh")
{
    const axe::Mesh mesh = axe::parse_device_mesh("node=1,device=2").value(),
                    other = axe::parse_device_mesh("node=2,device=1").value();
    const auto of = [&](const char* text, const axe::Mesh& on) { return axe::parse_mesh_sharding(text, on).value(); };
    CHECK(axe::dot_sharding(of("[[],[node,device]]", mesh), of("[[device]]", mesh)).value() == of("[[],[]] P(device)", mesh));
    CHECK(axe::dot_sharding(of("[[],[],[device]]", mesh), of("[]", mesh)).error().code == axe::errc::rank_mismatch);
    CHECK(axe::dot_sharding(of("[]", mesh), of("[]", other)).error().code == axe::errc::bad_argument);
    const axe::Mesh square = axe::parse_device_mesh("node=2,device=2").value();
    CHECK(
        std::string(axe::dot_sharding(of("[[],[node,device]]", square), of("[[device,node]]", square)).error().message().c_str()) ==
        "the inner dimension is split over the axes of the mesh in two orders");
    CHECK(axe::dot_sharding(of("[[node],[device]]", square), of("[[device]]", square)).value() ==
          of("[[node],[]] P(device)", square));
}
