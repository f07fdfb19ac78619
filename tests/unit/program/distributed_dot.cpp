// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <axe/program/distributed_dot.hpp>
#include <catch.hpp>
#include <tests/required.hpp>
#include <tests/unit/mesh/members.hpp>

#include <optional>
#include <string>

/// Products of distributed matrices as programs.
namespace {

using DotInt = std::int64_t;

struct DotRun {
    const char* mesh;
    const char *a, *b;
    DotInt M, N, K;
    axe::Shape tile{64, 64, 32};
    const char* addend = nullptr;
    const char* then = nullptr; ///< what the result is taken to
    const char* machine = "sm90";
};

axe::Machine dot_machine(const char* name) { return axe::machines::find(name).value(); }

/// Small whole numbers, one for each element of each term.
double dot_element(DotInt x, int which) { return static_cast<double>((x * (which == 0 ? 37 : 29) + 5) % 13 - 6); }

axe::Array dot_array(const axe::ShardedTensor& x, int which)
{
    axe::Array out = axe::Array::make(x.tensor.shape(), x.tensor.dtype()).value();
    for (DotInt i = 0; i < out.size(); ++i) out.set(i, dot_element(i, which));
    return out;
}
/// The value of what is over the terms of a sharding: its sum over them.
std::vector<double> dot_value(const axe::Array& x, const axe::Shape& shape)
{
    std::vector<double> out(static_cast<std::size_t>(members::count(shape)));
    for (DotInt i = 0; i < x.size(); ++i) out[static_cast<std::size_t>(i) % out.size()] += x.at(i);
    return out;
}

/// Runs it; the sharding of the result as text.
std::string run_dot(const DotRun& s)
{
    const axe::Mesh mesh = axe::parse_device_mesh(s.mesh).value();
    const auto of = [&](const char* text) { return axe::parse_mesh_sharding(text, mesh).value(); };
    axe::Kernel k("dot", axe::mesh(dot_machine(s.machine), axe::Shape{size(mesh)}).value());
    const auto A = sharded(k, axe::Binding::input, "A", {s.M, s.K}, axe::DType::f16, of(s.a)),
               B = sharded(k, axe::Binding::input, "B", {s.K, s.N}, axe::DType::f16, of(s.b));
    axe::DotOptions options{s.tile, axe::DType::f32, {}};
    if (s.addend != nullptr) options.addend = sharded(k, axe::Binding::input, "D", {s.M, s.N}, axe::DType::f32, of(s.addend));
    const auto C =
        distributed_dot(k, s.then == nullptr ? axe::Binding::output : axe::Binding::local, "C", axe::DType::f32, A, B, options);
    std::optional<axe::ShardedTensor> result = C;
    if (s.then != nullptr && k.program()) {
        result = sharded(k, axe::Binding::output, "R", {s.M, s.N}, axe::DType::f32, of(s.then));
        k.sync();
        reshard(k, *result, C);
    }
    const auto program = k.program();
    if (!program) return program.error().text;
    for (const axe::Problem& p : validate(*program)) FAIL(p.text);
    const auto lowered = required(axe::lower(*program));
    axe::Bindings inputs;
    inputs.set("A", dot_array(A, 0)).set("B", dot_array(B, 1));
    if (options.addend) inputs.set("D", dot_array(*options.addend, 2));
    const auto report = without_fault(axe::sim::run(lowered->program, inputs));
    const auto a = dot_value(*inputs.find("A"), {s.M, s.K}), b = dot_value(*inputs.find("B"), {s.K, s.N});
    const axe::Array& out = *report->outputs.find(s.then == nullptr ? "C" : "R");
    const auto c = dot_value(out, {s.M, s.N});
    std::vector<double> d(c.size());
    if (options.addend) d = dot_value(*inputs.find("D"), {s.M, s.N});
    DotInt wrong = 0;
    for (DotInt i = 0; i < s.M; ++i)
        for (DotInt j = 0; j < s.N; ++j) {
            double sum = d[static_cast<std::size_t>(i * s.N + j)];
            for (DotInt x = 0; x < s.K; ++x)
                sum += a[static_cast<std::size_t>(i * s.K + x)] * b[static_cast<std::size_t>(x * s.N + j)];
            wrong += c[static_cast<std::size_t>(i * s.N + j)] != sum;
        }
    CHECK(wrong == 0);
    if (s.then == nullptr) CHECK(report->total.link_bytes == 0); // nothing is moved
    return print(C.sharding).c_str();
}

} // namespace

TEST_CASE("a product of distributed matrices: each device multiplies what it has, whatever divides")
{
    const char* square = "y=2,x=2";
    CHECK(run_dot({square, "[[y]]", "[[],[x]]", 8, 8, 8}) == "[[y],[x]]");
    CHECK(run_dot({square, "[[],[y]]", "[[y]]", 8, 8, 8}) == "[[],[]] P(y)");
    CHECK(run_dot({square, "[[],[y,x]]", "[[y,x]]", 8, 8, 8}) == "[[],[]] P(y,x)");
    CHECK(run_dot({square, "[[x],[y]]", "[[y]]", 8, 8, 8}) == "[[x],[]] P(y)");
    CHECK(run_dot({square, "[[y,x]]", "[]", 8, 8, 8}) == "[[y,x],[]]");
    CHECK(run_dot({square, "[] U(x)", "[[],[y]]", 8, 8, 8}) == "[[],[y]] U(x)");
    CHECK(run_dot({square, "[] P(x)", "[[],[y]]", 8, 8, 8}) == "[[],[y]] P(x)");
    // Odd parts; tiles of each kind of edge, in all three dimensions; on both kinds of products.
    for (const char* machine : {"sm90", "sm80"}) {
        CHECK(run_dot({square, "[[y]]", "[[],[x]]", 6, 10, 7, {64, 64, 32}, nullptr, nullptr, machine}) == "[[y],[x]]");
        CHECK(run_dot({square, "[[y],[x]]", "[[x]]", 130, 70, 74, {64, 64, 32}, nullptr, nullptr, machine}) == "[[y],[]] P(x)");
        CHECK(run_dot({"device=3", "[[device]]", "[]", 111, 21, 43, {32, 16, 16}, nullptr, nullptr, machine}) == "[[device],[]]");
        CHECK(run_dot({"device=8", "[[],[device]]", "[[device]]", 1, 1, 8, {64, 64, 32}, nullptr, nullptr, machine}) ==
              "[[],[]] P(device)");
        CHECK(run_dot({"device=1", "[]", "[]", 65, 64, 33, {64, 64, 32}, nullptr, nullptr, machine}) == "[[],[]]");
    }
}

TEST_CASE("a product of distributed matrices, resharded: partial sums become the value")
{
    const char* square = "y=2,x=2";
    for (const char* to : {"[]", "[[y,x]]", "[[x],[y]]", "[] U(y)"})
        for (const auto& [a, b] :
             {std::pair("[[],[y]]", "[[y]]"), std::pair("[[x],[y]]", "[[y]]"), std::pair("[[],[x,y]]", "[[x,y]]")}) {
            CAPTURE(to, a, b);
            run_dot({square, a, b, 8, 12, 16, {64, 64, 32}, nullptr, to});
        }
}

TEST_CASE("what is added to a product of distributed matrices is added once")
{
    const char* square = "y=2,x=2";
    for (const char* addend : {"[]", "[] P(y)", "[] P(x)", "[] P(y,x)"})
        run_dot({square, "[[],[y,x]]", "[[y,x]]", 8, 8, 8, {64, 64, 32}, addend});
    run_dot({square, "[[y]]", "[[],[x]]", 8, 8, 8, {64, 64, 32}, "[[y],[x]]"});
    run_dot({square, "[[x],[y]]", "[[y]]", 130, 8, 8, {32, 64, 32}, "[[x]]"});
    CHECK(run_dot({square, "[[y]]", "[[],[x]]", 8, 8, 8, {64, 64, 32}, "[[y]]"})
              .ends_with("distributed_dot C: the addend is not distributed as the product along mesh axis 1"));
}

TEST_CASE("a product of matrices that do not fit is a message")
{
    const auto has = [](const DotRun& s, const char* words) {
        const std::string text = run_dot(s);
        INFO(text);
        CHECK(text.ends_with(words));
    };
    const char* square = "y=2,x=2";
    has({square, "[[y]]", "[[],[y]]", 8, 8, 8},
        "distributed_dot C: mesh axis 0 splits rows of A and columns of B; of the product its members have the diagonal alone");
    has({square, "[[],[x]]", "[]", 8, 8, 8},
        "distributed_dot C: mesh axis 1 splits the inner dimension of one factor and not of the other");
    has({square, "[[],[y,x]]", "[[x,y]]", 8, 8, 8},
        "distributed_dot C: the inner dimension is split over the axes of the mesh in two orders");
    has({square, "[] P(x)", "[] P(x)", 8, 8, 8},
        "distributed_dot C: mesh axis 1: one factor is a partial sum, the other one is not replicated");
    has({square, "[] U(x)", "[[],[x]]", 8, 8, 8},
        "distributed_dot C: mesh axis 1: one factor is on the first member alone, of the other one each has a part");
    has({square, "[]", "[]", 8, 8, 8, {64, 64}},
        "distributed_dot C: the tile is not of rows, columns and a part of the inner dimension, each at least 1");
    axe::Kernel k("dot", axe::mesh(axe::machines::sm90, axe::Shape{4}).value());
    const axe::Mesh mesh = axe::parse_device_mesh(square).value();
    const auto A = sharded(k, axe::Binding::input, "A", {8, 6}, axe::DType::f16, axe::parse_mesh_sharding("[]", mesh).value());
    distributed_dot(k, axe::Binding::output, "C", axe::DType::f32, A, A);
    CHECK(k.program().error().text.ends_with("distributed_dot C: the inner dimension is 6 of A and 8 of B"));
}
