// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <axe/mesh/sub_mesh.hpp>
#include <axe/program/cluster_dot.hpp>
#include <catch.hpp>
#include <tests/required.hpp>
#include <tests/unit/mesh/members.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>

/// Products of matrices that are distributed over the blocks of a cluster, and reshards there, against what members make of their values.
namespace {

using axe::sim::FaultKind;
using members::All;
using members::Int;
using members::Values;

axe::Sharding cluster_sharding(const axe::Mesh& mesh, const char* text) { return axe::parse_mesh_sharding(text, mesh).value(); }

Values cluster_numbers(Int n, int which)
{
    Values out;
    for (Int x = 0; x < n; ++x) out.push_back((x * (which == 0 ? 37 : 29) + 5) % 13 - 6);
    return out;
}

/// What members have as an array [members, part], −1 where they have nothing.
axe::Array array_of_parts(const All& all, axe::Shape part, axe::DType type)
{
    const Int n = members::count(part);
    part.insert(0, static_cast<Int>(all.size()));
    axe::Array out = axe::Array::make(part, type).value();
    for (std::size_t m = 0; m < all.size(); ++m)
        for (Int i = 0; i < n; ++i)
            out.set(static_cast<Int>(m) * n + i, all[m] ? static_cast<double>((*all[m])[static_cast<std::size_t>(i)]) : -1);
    return out;
}
All parts_of_array(const axe::Array& x, const axe::Sharding& s, const axe::Shape& shape)
{
    All out;
    const Int n = x.size() / size(s.mesh);
    for (Int m = 0; m < size(s.mesh); ++m) {
        out.emplace_back();
        if (!members::elements(s, shape, axe::coordinate(s.mesh.shape, m))) continue;
        out.back().emplace();
        for (Int i = 0; i < n; ++i) out.back()->push_back(static_cast<Int>(x.at(m * n + i)));
    }
    return out;
}

struct ClusterRun {
    axe::Sharding a, b;
    Int M, N, K;
    std::optional<axe::Sharding> addend{}, then{};
    axe::Machine machine = axe::machines::sm90;
    int steps = 1; ///< of the inner dimension, each with the same factors
};

/// Runs a kernel in which each block has its parts of A and B: multiplied, taken to another sharding if asked, and given out.
class ClusterProduct {
  public:
    explicit ClusterProduct(const ClusterRun& run) : r(run), c(r.a), k("dot", machine_of(run))
    {
        const axe::Mesh& mesh = r.a.mesh;
        const Int blocks = scope_volume(mesh, axe::MeshScope::cluster, axe::MeshScope::cluster), devices = size(mesh) / blocks;
        // What members have: rows of devices, and in them of blocks.
        const auto rows_of = [&](axe::Shape& part) {
            const axe::Layout out{{{devices, 1, "gpuid"}, {blocks * members::count(part), 1}}};
            part.insert(0, size(mesh));
            return out;
        };
        const auto in = [&](const char* name, const axe::Sharding& s, const axe::Shape& shape) {
            axe::Shape part = local_shape(s, shape).value();
            const axe::Layout rows = rows_of(part);
            return k.input(name, part, axe::DType::f16, rows);
        };
        const auto A = in("A", r.a, {r.M, r.K}), B = in("B", r.b, {r.K, r.N});
        std::optional<axe::TensorRef> D, C;
        if (r.addend) D = in("D", *r.addend, {r.M, r.N});
        k.cta(axe::tiles(blocks, 1), {{blocks}}, [&](axe::Scope cta, const axe::Tile& t) {
            const auto of = [&](const char* name, const axe::TensorRef& whole, const axe::Sharding& s, const axe::Shape& shape) {
                const auto x = sharded(k, cta, t, name, shape, axe::DType::f16, s, axe::conflict_free);
                const axe::Shape part = x.part;
                cta.when(x.holds(), [&] {
                    cta.copy(x.tensor,
                             whole(k.device() * blocks + t.index[0], axe::Interval(0, part[0]), axe::Interval(0, part[1])));
                });
                return x;
            };
            const auto a = of("a", A, r.a, {r.M, r.K}), b = of("b", B, r.b, {r.K, r.N});
            std::optional<axe::ClusterTensor> addend;
            if (r.addend) addend = of("d", *D, *r.addend, {r.M, r.N});
            const auto sums = dot_sums(k, cta, "sums", axe::DType::f32, a, b, addend);
            for (int i = 0; i < r.steps; ++i) distributed_dot(k, cta, sums, a, b);
            if (!k.program()) return;
            c = sums.sharding;
            const axe::Sharding& to = r.then ? *r.then : c;
            const auto result = sharded(k, cta, t, "result", {r.M, r.N}, axe::DType::f32, to);
            reshard(k, cta, result, sums);
            if (!k.program()) return;
            axe::Shape part = result.part;
            const axe::Layout rows = rows_of(part);
            C = k.output("C", part, axe::DType::f32, rows);
            const auto out = (*C)(k.device() * blocks + t.index[0], axe::Interval(0, part[1]), axe::Interval(0, part[2]));
            cta.when(result.holds(), [&] { cta.copy(out, result.tensor); }, [&] { cta.fill(out, -1); });
        });
    }

    /// "" where the values are right, or what is wrong.
    std::string run(axe::sim::RunOrder order = axe::sim::RunOrder::issue)
    {
        const auto program = k.program();
        return program ? run_other(*program, order) : program.error().text;
    }
    /// The same of a program that may be another one.
    std::string run_other(const axe::Program& program, axe::sim::RunOrder order = axe::sim::RunOrder::issue)
    {
        for (const axe::Problem& p : validate(program)) return p.text;
        const auto lowered = lower(program);
        if (!lowered) return lowered.error().text;
        Values x = cluster_numbers(r.M * r.K, 0), y = cluster_numbers(r.K * r.N, 1), z(static_cast<std::size_t>(r.M * r.N));
        inputs.set("A",
                   array_of_parts(members::distributed(r.a, {r.M, r.K}, x), local_shape(r.a, {r.M, r.K}).value(), axe::DType::f16));
        inputs.set("B",
                   array_of_parts(members::distributed(r.b, {r.K, r.N}, y), local_shape(r.b, {r.K, r.N}).value(), axe::DType::f16));
        if (r.addend) {
            z = cluster_numbers(r.M * r.N, 1);
            inputs.set("D", array_of_parts(members::distributed(*r.addend, {r.M, r.N}, z),
                                           local_shape(*r.addend, {r.M, r.N}).value(), axe::DType::f16));
        }
        axe::sim::RunOptions options;
        options.order = order;
        const auto report = axe::sim::run(lowered->program, inputs, options);
        if (!report) return report.error().text;
        if (!report->ok()) return report->fault.text;
        link_bytes = report->total.link_bytes;
        for (Int i = 0; i < r.M; ++i)
            for (Int j = 0; j < r.N; ++j)
                for (Int l = 0; l < r.K; ++l)
                    z[static_cast<std::size_t>(i * r.N + j)] +=
                        r.steps * x[static_cast<std::size_t>(i * r.K + l)] * y[static_cast<std::size_t>(l * r.N + j)];
        const axe::Sharding& s = r.then ? *r.then : c;
        try {
            return members::value(s, {r.M, r.N}, parts_of_array(*report->outputs.find("C"), s, {r.M, r.N})) == z ? "" : "wrong";
        } catch (const std::exception& e) {
            return e.what();
        }
    }

    static axe::Machine machine_of(const ClusterRun& run)
    {
        const Int devices = scope_volume(run.a.mesh, axe::MeshScope::node, axe::MeshScope::device);
        return devices == 1 ? run.machine : axe::mesh(run.machine, {devices}).value();
    }

    ClusterRun r;
    axe::Sharding c; ///< of the product
    axe::Kernel k;
    axe::Bindings inputs{};
    Int link_bytes = 0;
};

void without_statement(axe::Body& body, int statement)
{
    axe::rewrite(body, [&](axe::Statement& s, axe::Body& out) {
        axe::for_each_body(s, [&](axe::Body& inner) { without_statement(inner, statement); });
        if (s.id != statement) out.push_back(std::move(s));
    });
}

std::string run_cluster(const ClusterRun& r, axe::sim::RunOrder order = axe::sim::RunOrder::issue)
{
    return ClusterProduct(r).run(order);
}

} // namespace

TEST_CASE("a product over the blocks of a cluster: all pairs of shardings, multiplied where each block has its parts or reads the "
          "first one's")
{
    int right = 0, refused = 0, read = 0;
    const auto run = [&](const char* launch, const axe::Shape& sizes, int stride) {
        const axe::Mesh mesh = axe::parse_device_mesh(launch).value();
        const auto all = members::all_shardings(mesh, true);
        int at = 0;
        for (const axe::Sharding& a : all)
            for (const axe::Sharding& b : all) {
                const auto plan = dot_sharding_with_reads(a, b);
                if (!plan) {
                    CHECK(plan.error().code == axe::errc::bad_argument);
                    ++refused;
                    continue;
                }
                if (at++ % stride != 0) continue;
                CAPTURE(launch, members::states(a), members::states(b));
                ClusterProduct product({a, b, sizes[0], sizes[1], sizes[2]});
                CHECK(product.run() == "");
                CHECK(product.c == plan->product);
                // Reads are of the first one's part, by all others along these axes; the reshard to the same sharding moves nothing.
                Int bytes = 0;
                for (Int m = 0; m < size(mesh); ++m) {
                    const axe::Coord place = axe::coordinate(mesh.shape, m);
                    bool works = true, far_a = false, far_b = false;
                    for (const int axis : plan->product.undistributed) works = works && place[axis] == 0;
                    for (const int axis : plan->a) far_a = far_a || place[axis] != 0;
                    for (const int axis : plan->b) far_b = far_b || place[axis] != 0;
                    if (works && far_a) bytes += 2 * members::count(local_shape(a, {sizes[0], sizes[2]}).value());
                    if (works && far_b) bytes += 2 * members::count(local_shape(b, {sizes[2], sizes[1]}).value());
                }
                CHECK(product.link_bytes == bytes);
                read += bytes > 0;
                ++right;
            }
    };
    run("cluster=2", {16, 32, 48}, 1);
    run("cluster=2", {6, 10, 14}, 1);
    run("cluster(y=2,x=2)", {8, 8, 8}, 13);
    run("cluster(y=2,x=3)", {36, 18, 12}, 41);
    CHECK(right > 40);
    CHECK(read > 12);
    CHECK(refused > 500);
}

TEST_CASE(
    "a product over the blocks of a cluster, taken to another sharding: gathered, scattered, summed, from the first one and to it")
{
    int ran = 0;
    const auto run = [&](const char* launch, const char* a, const char* b, const axe::Shape& sizes, int stride) {
        const axe::Mesh mesh = axe::parse_device_mesh(launch).value();
        int at = 0;
        for (const axe::Sharding& to : members::all_shardings(mesh, true)) {
            ClusterRun r{cluster_sharding(mesh, a), cluster_sharding(mesh, b), sizes[0], sizes[1], sizes[2]};
            const axe::Sharding c = dot_sharding_with_reads(r.a, r.b).value().product;
            if (!reshard(c, to) || at++ % stride != 0) continue;
            CAPTURE(launch, a, b, members::states(to));
            r.then = to;
            CHECK(run_cluster(r) == "");
            ++ran;
        }
    };
    run("cluster=2", "[[],[cluster]]", "[[cluster]]", {8, 8, 8}, 1);
    run("cluster=4", "[[cluster]]", "[]", {20, 12, 6}, 1);
    run("cluster(y=2,x=2)", "[[],[y,x]]", "[[y,x]]", {8, 8, 8}, 2);  // P(y,x)
    run("cluster(y=2,x=2)", "[[y]]", "[[],[x]]", {12, 20, 9}, 2);    // the two parts: S(y), S(x)
    run("cluster(y=2,x=2)", "[[x],[y]]", "[[y]]", {8, 12, 6}, 2);    // S(x) P(y)
    run("cluster(y=2,x=3)", "[[x,y]]", "[]", {36, 18, 5}, 3);        // rows in the order of columns of the mesh
    run("cluster(y=2,x=3)", "[] U(x)", "[[],[x]]", {12, 18, 16}, 3); // A is read
    run("cluster(y=2,x=3)", "[] U(y)", "[] U(y,x)", {6, 18, 7}, 3);  // U(y,x)
    CHECK(ran > 60);
}

TEST_CASE("a product over devices and the blocks of a cluster on each: all pairs of shardings")
{
    int right = 0, far = 0;
    const auto run = [&](const char* launch, const axe::Shape& sizes, int stride) {
        const axe::Mesh mesh = axe::parse_device_mesh(launch).value();
        const auto all = members::all_shardings(mesh, true);
        int at = 0;
        for (const axe::Sharding& a : all)
            for (const axe::Sharding& b : all) {
                const auto plan = dot_sharding_with_reads(a, b);
                if (!plan || at++ % stride != 0) continue;
                bool reads_far = false;
                for (const auto& read : {plan->a, plan->b})
                    for (const int axis : read) reads_far = reads_far || mesh.launch[axis].scope <= axe::MeshScope::device;
                CAPTURE(launch, members::states(a), members::states(b));
                ClusterProduct product({a, b, sizes[0], sizes[1], sizes[2]});
                const std::string said = product.run();
                if (reads_far) {
                    CHECK(said.find("one factor is on the first device alone, whose shared memory") != std::string::npos);
                    ++far;
                    continue;
                }
                CHECK(said == "");
                CHECK(product.c == plan->product);
                ++right;
            }
    };
    run("device=2,cluster=2", {8, 16, 8}, 7);
    run("node=2,device=1,cluster=3", {12, 18, 6}, 29);
    run("device=2,cluster(y=2,x=2)", {16, 8, 8}, 1201);
    CHECK(right > 40);
    CHECK(far > 5);
}

TEST_CASE("a product over devices and blocks, taken to another sharding where the cluster of each device has what it needs")
{
    int ran = 0, far = 0;
    const auto run = [&](const char* launch, const char* a, const char* b, const axe::Shape& sizes, int stride) {
        const axe::Mesh mesh = axe::parse_device_mesh(launch).value();
        const Int blocks = scope_volume(mesh, axe::MeshScope::cluster, axe::MeshScope::cluster);
        const axe::Shape shape{sizes[0], sizes[1]};
        int at = 0;
        for (const axe::Sharding& to : members::all_shardings(mesh, true)) {
            ClusterRun r{cluster_sharding(mesh, a), cluster_sharding(mesh, b), sizes[0], sizes[1], sizes[2]};
            const axe::Sharding c = dot_sharding_with_reads(r.a, r.b).value().product;
            if (!reshard(c, to) || at++ % stride != 0) continue;
            // Of each element of each member, all terms that are added up: has a member of the same device each of them?
            bool near = true;
            for (Int m = 0; m < size(mesh) && near; ++m) {
                const axe::Coord place = axe::coordinate(mesh.shape, m);
                const auto wanted = members::elements(to, shape, place);
                std::set<Int> terms; // of members, by their coordinates on the axes of terms
                for (Int k = 0; k < size(mesh) && wanted; ++k) {
                    const axe::Coord other = axe::coordinate(mesh.shape, k);
                    Int term = 0;
                    bool counts = true;
                    for (const int axis : c.partial) {
                        term = term * mesh.shape[axis] + other[axis];
                        counts = counts && (!axe::has_axis(to.partial, axis) || other[axis] == place[axis]);
                    }
                    if (counts) terms.insert(term);
                }
                for (const Int e : wanted ? *wanted : std::vector<Int>{})
                    for (const Int term : terms) {
                        bool found = false;
                        for (Int k = m / blocks * blocks; k < (m / blocks + 1) * blocks && !found; ++k) {
                            const axe::Coord other = axe::coordinate(mesh.shape, k);
                            Int its = 0;
                            for (const int axis : c.partial) its = its * mesh.shape[axis] + other[axis];
                            const auto has = members::elements(c, shape, other);
                            found = its == term && has && std::find(has->begin(), has->end(), e) != has->end();
                        }
                        near = near && found;
                    }
            }
            CAPTURE(launch, a, b, members::states(to));
            r.then = to;
            const std::string said = run_cluster(r);
            if (near)
                CHECK(said == "");
            else
                CHECK(said.find("blocks would read shared memory of another device") != std::string::npos);
            ++(near ? ran : far);
        }
    };
    run("device=2,cluster=2", "[[device]]", "[[],[cluster]]", {8, 8, 4}, 1);
    run("device=2,cluster=2", "[[],[device]]", "[[device],[cluster]]", {8, 8, 4}, 1); // P(device) S(cluster)
    run("device=2,cluster=2", "[[cluster,device]]", "[]", {8, 8, 4}, 1);              // devices behind blocks
    run("device=2,cluster=2", "[[device,cluster]]", "[]", {8, 8, 4}, 1);
    run("device=2,cluster=2", "[] U(device)", "[[],[cluster]]", {8, 8, 4}, 1);
    run("device=2,cluster=2", "[]", "[[],[cluster]]", {8, 8, 4}, 1);
    CHECK(ran > 30);
    CHECK(far > 30);
}

TEST_CASE("what devices have of a tensor that blocks of clusters have parts of")
{
    const axe::Mesh mesh = axe::parse_device_mesh("device(e=2,d=2),cluster(y=2,x=2)").value(),
                    devices = axe::parse_device_mesh("device(e=2,d=2)").value();
    int exist = 0;
    for (const axe::Sharding& s : members::all_shardings(mesh, true)) {
        const auto on = on_devices(s);
        // By what members have: those of a device together have one part, and no terms.
        const axe::Shape shape{16, 16};
        bool one = true;
        for (const int axis : s.partial) one = one && axis < 2;
        if (!on) {
            CHECK(on.error().code == axe::errc::bad_argument);
            if (one) {
                std::set<Int> together;
                for (Int k = 0; k < 4; ++k)
                    if (const auto has = members::elements(s, shape, axe::coordinate(mesh.shape, k)))
                        together.insert(has->begin(), has->end());
                std::set<Int> rows, columns;
                for (const Int e : together) rows.insert(e / 16), columns.insert(e % 16);
                const auto gaps = [](const std::set<Int>& x) { return *x.rbegin() - *x.begin() + 1 != static_cast<Int>(x.size()); };
                CHECK((gaps(rows) || gaps(columns)));
            }
            continue;
        }
        CHECK(one);
        CHECK(on->mesh == devices);
        for (Int device = 0; device < 4; ++device) {
            const auto wanted = members::elements(*on, shape, axe::coordinate(devices.shape, device));
            std::set<Int> together;
            for (Int k = 0; k < 4; ++k)
                if (const auto has = members::elements(s, shape, axe::coordinate(mesh.shape, device * 4 + k)))
                    together.insert(has->begin(), has->end());
            CHECK(together == (wanted ? std::set<Int>(wanted->begin(), wanted->end()) : std::set<Int>()));
        }
        ++exist;
    }
    CHECK(exist > 100);
    CHECK(std::string(on_devices(cluster_sharding(axe::parse_device_mesh("cluster=2").value(), "[]")).error().words) ==
          "the mesh has no axes of devices");
}

TEST_CASE("a product over devices and blocks: each device's terms to its memory, and their sums by a collective")
{
    // A [M, K]: columns over devices, rows over the blocks of each; B [K, N]: rows over devices.
    const axe::Mesh mesh = axe::parse_device_mesh("device=2,cluster=2").value();
    axe::Kernel k("both", axe::mesh(axe::machines::sm90, {2}).value());
    const auto at = [&](const char* text) { return cluster_sharding(mesh, text); };
    const axe::Sharding of_a = at("[[cluster],[device]]"), of_b = at("[[device]]"), of_c = at("[[cluster],[]] P(device)");
    const auto A = sharded(k, axe::Binding::input, "A", {32, 64}, axe::DType::f16, on_devices(of_a).value()),
               B = sharded(k, axe::Binding::input, "B", {64, 48}, axe::DType::f16, on_devices(of_b).value());
    const auto terms = sharded(k, axe::Binding::local, "terms", {32, 48}, axe::DType::f32, on_devices(of_c).value());
    const auto C =
        sharded(k, axe::Binding::output, "C", {32, 48}, axe::DType::f32, cluster_sharding(on_devices(of_c)->mesh, "[[device]]"));
    k.computes(C.tensor, matmul(A.tensor, B.tensor));
    k.cta(axe::tiles(2, 1), {{2}}, [&](axe::Scope cta, const axe::Tile& t) {
        const auto a = sharded(k, cta, t, "a", {32, 64}, axe::DType::f16, of_a, axe::conflict_free),
                   b = sharded(k, cta, t, "b", {64, 48}, axe::DType::f16, of_b, axe::conflict_free);
        cta.copy(a.own(), a.part_of(A)).copy(b.own(), b.part_of(B));
        const auto sums = dot_sums(k, cta, "sums", axe::DType::f32, a, b);
        CHECK(sums.sharding == of_c);
        distributed_dot(k, cta, sums, a, b);
        const auto own = sharded(k, cta, t, "own", {32, 48}, axe::DType::f32, of_c);
        reshard(k, cta, own, sums);
        cta.copy(own.part_of(terms), own.own());
    });
    k.sync();
    reshard(k, C, terms);
    const auto program = k.program();
    INFO((program ? std::string() : program.error().text));
    REQUIRE(program);
    axe::Bindings in;
    for (const char* name : {"A", "B"}) {
        axe::Array x = axe::Array::make(*name == 'A' ? axe::Shape{32, 64} : axe::Shape{64, 48}, axe::DType::f16).value();
        for (Int i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(i * 7 % 11) - 5);
        in.set(name, std::move(x));
    }
    const auto lowered = lower(*program);
    INFO((lowered ? std::string() : lowered.error().text));
    REQUIRE(lowered);
    for (const axe::sim::RunOrder order : axe::sim::all_run_orders) {
        axe::sim::RunOptions options;
        options.order = order;
        const auto report = axe::sim::run(lowered->program, in, options);
        REQUIRE(report);
        INFO(report->fault.text);
        REQUIRE(report->ok());
        CHECK(verify(*program, in, report->outputs)->ok());
    }
}

TEST_CASE("what is added to a product over the blocks of a cluster is added once, and products add up")
{
    const axe::Mesh mesh = axe::parse_device_mesh("cluster(y=2,x=2)").value();
    const auto of = [&](const char* text) { return cluster_sharding(mesh, text); };
    const axe::Sharding whole = of("[]");
    for (const char* addend : {"[]", "[] P(y)", "[] P(x)", "[] P(y,x)"})
        CHECK(run_cluster({of("[[],[y,x]]"), of("[[y,x]]"), 8, 8, 8, of(addend), whole}) == "");
    CHECK(run_cluster({of("[[y]]"), of("[[],[x]]"), 8, 8, 8, of("[[y],[x]]"), whole}) == "");
    CHECK(run_cluster({of("[[x],[y]]"), of("[[y]]"), 34, 16, 8, of("[[x]]"), whole}) == "");
    CHECK(run_cluster({of("[[y]]"), of("[[],[x]]"), 32, 32, 16, of("[[y],[x]]"), whole, axe::machines::sm100, 3}) == "");
    for (const axe::sim::RunOrder order : axe::sim::all_run_orders)
        for (const char* a : {"[[y]] U(x)", "[[y]]"})
            CHECK(run_cluster({of(a), of("[[],[x]]"), 20, 32, 16, {}, whole, axe::machines::sm90, 2}, order) == "");
}

TEST_CASE("a product over the blocks of a cluster that does not fit, and what else is wrong, is a message")
{
    const axe::Mesh square = axe::parse_device_mesh("cluster(y=2,x=2)").value();
    const auto has = [&](const ClusterRun& r, const char* words) {
        const std::string text = run_cluster(r);
        INFO(text);
        CHECK(text.ends_with(words));
    };
    const auto of = [&](const char* text) { return cluster_sharding(square, text); };
    has({of("[[y]]"), of("[[],[y]]"), 8, 8, 8},
        "dot_sums sums: mesh axis 0 splits rows of A and columns of B; of the product its members have the diagonal alone");
    has({of("[] U(y)"), of("[[y]]"), 8, 8, 8},
        "dot_sums sums: mesh axis 0 splits the inner dimension of one factor and not of the other");
    has({of("[]"), of("[]"), 8, 8, 8, of("[[y]]")},
        "dot_sums sums: the addend is not distributed as the product along mesh axis 0");
    has({of("[]"), of("[]"), 8, 8, 8, {}, of("[] P(x)")},
        "reshard: mesh axis 1 is partial in the target alone; B to P and S to P are not reshards: no member has terms");
    const axe::Mesh blocks = axe::parse_device_mesh("cluster=2,block=2").value();
    has({cluster_sharding(blocks, "[]"), cluster_sharding(blocks, "[]"), 8, 8, 8},
        "tensor a: axis 1 of the mesh is not one of a cluster, or of devices");

    const auto problem = [&](const axe::Mesh& mesh,
                             const std::function<void(axe::Kernel&, axe::Scope, const axe::Tile&, const axe::Sharding&)>& f) {
        axe::Kernel kernel("wrong", axe::machines::sm90);
        kernel.cta(axe::tiles(4, 1), {{4}},
                   [&](axe::Scope cta, const axe::Tile& t) { f(kernel, cta, t, cluster_sharding(mesh, "[]")); });
        const auto program = kernel.program();
        return program ? std::string() : program.error().text;
    };
    const auto made = [](axe::Kernel& kernel, axe::Scope cta, const axe::Tile& t, const axe::Sharding& s, const axe::Shape& shape) {
        return sharded(kernel, cta, t, "x", shape, axe::DType::f16, s);
    };
    CHECK(problem(axe::parse_device_mesh("cluster=2").value(), [&](auto& kernel, auto cta, auto& t, auto& s) {
              made(kernel, cta, t, s, {8, 8});
          }).ends_with("tensor x: the mesh has 2 members; the cluster has 4 blocks"));
    CHECK(problem(axe::parse_device_mesh("device=2,cluster=4").value(), [&](auto& kernel, auto cta, auto& t, auto& s) {
              made(kernel, cta, t, s, {8, 8});
          }).ends_with("tensor x: the mesh has 2 devices; the machine has 1"));
    CHECK(problem(axe::sub_mesh(axe::parse_device_mesh("cluster=8").value(), {axe::MeshIndex::every(2)}).value(),
                  [&](auto& kernel, auto cta, auto& t, auto& s) { made(kernel, cta, t, s, {8, 8}); })
              .ends_with("tensor x: the sharding is over a sub-mesh; give one over the launch mesh"));
    CHECK(problem(square, [&](auto& kernel, auto cta, auto& t, auto& s) {
              dot_sums(kernel, cta, "c", axe::DType::f32, made(kernel, cta, t, s, {8, 6}), made(kernel, cta, t, s, {8, 6}));
          }).ends_with("dot_sums c: the inner dimension is 6 of A and 8 of B"));
    CHECK(problem(square, [&](auto& kernel, auto cta, auto& t, auto& s) {
              const auto x = made(kernel, cta, t, s, {16, 16}), y = made(kernel, cta, t, s, {16, 32});
              distributed_dot(kernel, cta, dot_sums(kernel, cta, "c", axe::DType::f32, x, x), x, y);
          }).ends_with("distributed_dot c: the sums do not have the shape of the product, which is [16, 32]"));
    CHECK(problem(square, [&](auto& kernel, auto cta, auto& t, auto& s) {
              const auto x = made(kernel, cta, t, s, {16, 16}), y = made(kernel, cta, t, of("[[],[x]]"), {16, 16});
              distributed_dot(kernel, cta, dot_sums(kernel, cta, "c", axe::DType::f32, x, x), x, y);
          }).ends_with("distributed_dot c: the sums are not distributed as the product along mesh axis 1"));
    CHECK(problem(square, [&](auto& kernel, auto cta, auto& t, auto& s) {
              const auto x = made(kernel, cta, t, s, {16, 16});
              reshard(kernel, cta, dot_sums(kernel, cta, "c", axe::DType::f32, x, x), x);
          }).ends_with("reshard: the target is not in shared memory"));
    CHECK(problem(square, [&](auto& kernel, auto cta, auto& t, auto& s) {
              reshard(kernel, cta, made(kernel, cta, t, s, {16, 16}), made(kernel, cta, t, s, {16, 8}));
          }).ends_with("reshard: the two tensors have different shapes"));
}

TEST_CASE("each barrier of a product over the blocks of a cluster is missed, of blocks and of the cluster")
{
    // A is on the first block of each row of the mesh, and both factors are written anew before each of two products; then gathered.
    const axe::Mesh mesh = axe::parse_device_mesh("cluster(y=2,x=2)").value();
    int missed = 0;
    for (const auto& [a, b] : {std::pair("[[y]] U(x)", "[[],[x]]"), std::pair("[[],[y,x]]", "[[y,x]]")}) {
        axe::Kernel k("steps", axe::machines::sm90);
        const auto A = k.input("A", {2, 32, 64}, axe::DType::f16), B = k.input("B", {2, 64, 32}, axe::DType::f16);
        const auto C = k.output("C", {4, 32, 32}, axe::DType::f32);
        k.cta(axe::tiles(4, 1), {{4}}, [&](axe::Scope cta, const axe::Tile& t) {
            const auto x = sharded(k, cta, t, "a", {32, 64}, axe::DType::f16, cluster_sharding(mesh, a), axe::conflict_free),
                       y = sharded(k, cta, t, "b", {64, 32}, axe::DType::f16, cluster_sharding(mesh, b), axe::conflict_free);
            const auto whole = sharded(k, cta, t, "whole", {32, 32}, axe::DType::f32, cluster_sharding(mesh, "[]"));
            const auto sums = dot_sums(k, cta, "sums", axe::DType::f32, x, y);
            cta.loop(0, 2, 1, [&](const axe::Affine& step) {
                const auto part = [&](const axe::ClusterTensor& of, const axe::TensorRef& from) {
                    return from(step, axe::Interval(of.begin(0), of.part[0]), axe::Interval(of.begin(1), of.part[1]));
                };
                cta.when(x.holds(), [&] { cta.copy(x.own(), part(x, A)); });
                cta.copy(y.own(), part(y, B));
                distributed_dot(k, cta, sums, x, y);
            });
            reshard(k, cta, whole, sums);
            cta.copy(C(t.index[0], axe::all, axe::all), whole.tensor);
        });
        const axe::Program program = k.program().value();
        axe::Bindings inputs;
        for (const char* name : {"A", "B"}) {
            axe::Array array =
                axe::Array::make(name[0] == 'A' ? axe::Shape{2, 32, 64} : axe::Shape{2, 64, 32}, axe::DType::f16).value();
            for (Int i = 0; i < array.size(); ++i) array.set(i, static_cast<double>(i % 7));
            inputs.set(name, std::move(array));
        }
        const auto fault_without = [&](int statement) {
            axe::Program less = program;
            without_statement(less.body, statement);
            const auto lowered = required(lower(less));
            return axe::sim::run(lowered->program, inputs).value().fault;
        };
        CHECK_FALSE(fault_without(-1).found());
        std::vector<int> barriers;
        axe::for_each_statement(program.body, [&](const axe::Statement& s) {
            if (std::holds_alternative<axe::Barrier>(s.what) || std::holds_alternative<axe::ClusterBarrier>(s.what))
                barriers.push_back(s.id);
        });
        for (const int statement : barriers) {
            CAPTURE(a, b, statement);
            const auto fault = fault_without(statement);
            INFO(fault.text << print(program));
            CHECK((fault.kind == FaultKind::race || fault.kind == FaultKind::uninitialized || fault.kind == FaultKind::divergence ||
                   fault.kind == FaultKind::lifetime));
            ++missed;
        }
    }
    CHECK(missed == 15);
}

TEST_CASE("what a block of a cluster reads of another one, and reads of its own or always of the first one, is found")
{
    const axe::Mesh mesh = axe::parse_device_mesh("cluster(y=2,x=2)").value();
    int changed = 0;
    for (const auto& [a, b, to] : {std::tuple("[[y]] U(x)", "[[],[x]]", "[]"), std::tuple("[[],[y,x]]", "[[y,x]]", "[[x],[y]]"),
                                   std::tuple("[[y]]", "[] U(x)", "[[],[x,y]]")})
        for (const bool own : {true, false}) {
            ClusterProduct product(
                {cluster_sharding(mesh, a), cluster_sharding(mesh, b), 32, 32, 64, {}, cluster_sharding(mesh, to)});
            REQUIRE(product.run() == "");
            std::vector<int> reads;
            const axe::Program program = product.k.program().value();
            axe::for_each_statement(program.body, [&](const axe::Statement& s) {
                const auto* copy = std::get_if<axe::Operation>(&s.what);
                if (copy != nullptr && copy->operands.size() == 2 && copy->operands[1].block) reads.push_back(s.id);
            });
            for (const int statement : reads) {
                axe::Program other = program;
                axe::for_each_statement(other.body, [&](axe::Statement& s) {
                    if (s.id != statement) return;
                    axe::View& from = std::get<axe::Operation>(s.what).operands[1];
                    if (own)
                        from.block.reset();
                    else
                        from.block = axe::Affine(0);
                });
                CAPTURE(a, b, to, own, statement);
                CHECK(product.run_other(other) != "");
                ++changed;
            }
        }
    CHECK(changed == 8);
}
