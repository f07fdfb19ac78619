// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/required.hpp>

#include "boxes.hpp"

using namespace boxes;
using enum axe::DType;

namespace {

constexpr int tensor_engine = 0, vector_engine = 1, scalar_engine = 2;

/// A block of the kernel, in which engine `agent` runs instructions.
struct Core {
    Scope scope;
    void operator()(int agent, const char* opcode, const std::vector<View>& views, std::vector<Int> parameters = {},
                    Function f = Function::identity, bool async = false, double number = 0)
    {
        Instruction i = instruction(opcode, views, std::move(parameters));
        i.text = opcode;
        i.first_agent = agent;
        i.function = f;
        i.async = async;
        i.number = number;
        scope.call(i);
    }
    void dma(const ViewRef& d, const ViewRef& a, int agent = vector_engine, bool async = false)
    {
        (*this)(agent, "dma", {d.view(), a.view()}, {}, Function::identity, async);
    }
};

void on_core(Kernel& k, const std::function<void(Core&)>& body)
{
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        Core core{cta};
        body(core);
    });
}

/// Partitions first: dimension 0 on P, the others row-major on F, with gaps and an offset.
Layout in_partitions(Random& r, const Shape& shape)
{
    Layout out;
    out.shard.push_back({shape[0], 1, "P"});
    Layout::Shard inner;
    Int stride = 1;
    for (int d = shape.size() - 1; d > 0; --d) {
        inner.push_back({shape[d], stride, "F"});
        stride = stride * shape[d] + r.in(0, 2);
    }
    for (int d = inner.size() - 1; d >= 0; --d) out.shard.push_back(inner[d]);
    if (r.one_in(2)) *out.offset.entry("F") = r.in(1, 9);
    return out;
}

sim::Report fault_of(const Kernel& k, const Bindings& in)
{
    auto report = required(sim::run(k.program().value(), in));
    REQUIRE(!report->ok());
    return std::move(*report);
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

} // namespace

TEST_CASE("dma moves views between hbm and partitions, edges as zeros", "[sim][engines]")
{
    Random r(3);
    for (Int i = 0; i < laws::cases(150); ++i) {
        const Shape shape{r.in(1, 9), r.in(1, 9), r.in(1, 5)}, box{r.in(1, 9), r.in(1, 9), r.in(1, 5)};
        const DType type = r.one_in(2) ? f16 : i8;
        const bool async = r.one_in(2);
        Kernel k("moving", machines::trn1);
        const auto plain = [&](const Shape& s) { return random_layout(r, s, 1, type).layout; };
        const auto a = k.input("A", shape, type, plain(shape)), d = k.inout("D", shape, type, plain(shape));
        View va = a.view(), vd = d.view();
        va.guarded = vd.guarded = true;
        va.extents = vd.extents = box;
        for (std::size_t q = 0; q < 3; ++q) va.origin[q] = r.in(-3, 3), vd.origin[q] = r.in(-3, 3);
        on_core(k, [&](Core& core) {
            const auto s = core.scope.alloc("sbuf", box, type, Swizzled<Layout>{{}, {}, 1, in_partitions(r, box)}, "s");
            core(1, "dma", {s.view(), va}, {}, Function::identity, async);
            if (async) core.scope.commit().wait();
            core(1, "dma", {vd, s.view()}, {}, Function::identity, async);
            if (async) core.scope.commit().wait();
        });
        Bindings in;
        in.set("A", numbers(shape, type, r)).set("D", numbers(shape, type, r));
        Array expected = in.find("D")->clone().value();
        for (Int x = 0; x < *volume(box); ++x)
            if (const Int to = at(vd, shape, x), from = at(va, shape, x); to >= 0)
                expected.set(to, from < 0 ? 0 : in.find("A")->at(from));
        const auto full = run(k.program().value(), in), fast = run(k.program().value(), in, sim::Level::fast);
        INFO("case " << i << " " << full.fault.text);
        REQUIRE(full.ok());
        REQUIRE(same(*full.outputs.find("D"), expected));
        REQUIRE(same(*fast.outputs.find("D"), expected));
    }
}

TEST_CASE("a descriptor is a run of bytes", "[sim][engines]")
{
    Kernel k("descriptors", machines::trn1);
    const auto a = k.input("A", {4, 8}, f32), d = k.output("D", {4, 8}, f32);
    on_core(k, [&](Core& core) {
        const auto s = core.scope.alloc("sbuf", {4, 8}, f32, {}, "s");
        core.dma(s, a);
        core.dma(d, s);
    });
    Bindings in;
    in.set("A", arrays::counting({4, 8}, f32));
    const auto report = run(k.program().value(), in);
    REQUIRE(report.ok());
    const auto& hbm = report.total.memories.at("hbm");
    REQUIRE(hbm.bytes_read == 128);
    REQUIRE(hbm.bytes_written == 128);
    REQUIRE(hbm.requests == 8); // a row a partition, there and back
    REQUIRE(report.total.instructions == 2);
}

TEST_CASE("engines map, fill and reduce on their partitions", "[sim][engines]")
{
    Random r(4);
    for (Int i = 0; i < laws::cases(60); ++i) {
        const Shape shape{r.in(1, 32), r.in(1, 6), r.in(1, 6)}, rows{shape[0]}, middle{shape[0], shape[2]};
        Kernel k("elements", machines::trn1);
        const auto a = k.input("A", shape, f16), d = k.output("D", shape, f32), sums = k.output("S", rows, f32),
                   most = k.output("M", middle, f16);
        on_core(k, [&](Core& core) {
            const auto alloc = [&](const Shape& s, DType type, const char* name) {
                return core.scope.alloc("sbuf", s, type, Swizzled<Layout>{{}, {}, 1, in_partitions(r, s)}, name);
            };
            const auto x = alloc(shape, f16, "x"), y = alloc(shape, f32, "y"), s = alloc(rows, f32, "s"),
                       m = alloc(middle, f16, "m");
            core.dma(x, a);
            core(vector_engine, "engine_fill", {y.view()}, {}, Function::identity, false, 3);
            core(vector_engine, "engine_map", {y.view(), x.view(), y.view()}, {}, Function::mul);
            core(vector_engine, "engine_fill", {s.view()}, {}, Function::identity, false, 100);
            core(vector_engine, "engine_reduce", {s.view(), y.view()}, {1, 2, -1}, Function::add);
            core(vector_engine, "engine_reduce", {m.view(), x.view()}, {1}, Function::max);
            core.dma(d, y);
            core.dma(sums, s);
            core.dma(most, m);
        });
        Bindings in;
        in.set("A", numbers(shape, f16, r));
        const auto full = run(k.program().value(), in), fast = run(k.program().value(), in, sim::Level::fast);
        INFO("case " << i << " " << full.fault.text);
        REQUIRE(full.ok());
        const Array& from = *in.find("A");
        for (Int p = 0; p < shape[0]; ++p) {
            double sum = 100;
            for (Int q = 0; q < shape[1] * shape[2]; ++q) {
                const Int at = p * shape[1] * shape[2] + q;
                REQUIRE(full.outputs.find("D")->at(at) == 3 * from.at(at));
                sum += 3 * from.at(at);
            }
            REQUIRE(full.outputs.find("S")->at(p) == sum);
            for (Int q = 0; q < shape[2]; ++q) {
                double largest = -100;
                for (Int l = 0; l < shape[1]; ++l) largest = std::max(largest, from.at((p * shape[1] + l) * shape[2] + q));
                REQUIRE(full.outputs.find("M")->at(p * shape[2] + q) == largest);
            }
        }
        for (const char* name : {"D", "S", "M"}) REQUIRE(same(*full.outputs.find(name), *fast.outputs.find(name)));
        REQUIRE(full.total.flops == *volume(shape) * 2); // the maximum counts none
    }
}

TEST_CASE("nc_matmul multiplies, digits of dimensions included", "[sim][engines]")
{
    Random r(5);
    for (Int i = 0; i < laws::cases(40); ++i) {
        const Int m1 = r.in(1, 4), m2 = r.in(1, 8), n1 = r.in(1, 4), n2 = r.in(1, 20), k1 = r.in(1, 30), m = m1 * m2, n = n1 * n2;
        const bool plain = r.one_in(2);
        const DType type = r.one_in(2) ? bf16 : f32;
        Kernel k("product", machines::trn1);
        const auto a = k.input("A", {k1, m}, type), b = k.input("B", {k1, n}, type), d = k.output("D", {m, n}, f32);
        on_core(k, [&](Core& core) {
            const auto x = core.scope.alloc("sbuf", {k1, m}, type, {}, "x"), y = core.scope.alloc("sbuf", {k1, n}, type, {}, "y");
            const auto acc = core.scope.alloc("psum", {m, n}, f32, {}, "acc"),
                       out = core.scope.alloc("sbuf", {m, n}, f32, {}, "out");
            core.dma(x, a, tensor_engine);
            core.dma(y, b, tensor_engine);
            const auto cut = [&](const ViewRef& v, Int rows1, Int rows2, Int columns1, Int columns2) {
                View digits = v.view();
                digits.extents = {rows1, rows2, columns1, columns2};
                digits.dims = {0, 0, 1, 1};
                digits.steps = {rows2, 1, columns2, 1};
                return digits;
            };
            for (const Int accumulate : {0, 1}) {
                if (plain)
                    core(tensor_engine, "nc_matmul", {acc.view(), x.view(), y.view()}, {accumulate});
                else
                    core(tensor_engine, "nc_matmul", {cut(acc, m1, m2, n1, n2), cut(x, 1, k1, m1, m2), cut(y, 1, k1, n1, n2)},
                         {accumulate, 2, 2});
            }
            core(tensor_engine, "engine_map", {out.view(), acc.view()}, {});
            core.dma(d, out, tensor_engine);
        });
        Bindings in;
        in.set("A", numbers({k1, m}, type, r)).set("B", numbers({k1, n}, type, r));
        const auto full = run(k.program().value(), in), fast = run(k.program().value(), in, sim::Level::fast);
        INFO("case " << i << " " << full.fault.text);
        REQUIRE(full.ok());
        for (Int p = 0; p < m; ++p)
            for (Int q = 0; q < n; ++q) {
                double sum = 0;
                for (Int l = 0; l < k1; ++l) sum += in.find("A")->at(l * m + p) * in.find("B")->at(l * n + q);
                REQUIRE(full.outputs.find("D")->at(p * n + q) == 2 * sum);
            }
        REQUIRE(same(*full.outputs.find("D"), *fast.outputs.find("D")));
        REQUIRE(full.total.flops == 4 * m * n * k1);
    }
}

TEST_CASE("what the hardware does not do is refused", "[sim][engines]")
{
    const auto product = [](Int m, Int n, Int k1, Int acc_at, Int x_from) {
        Kernel k("limits", machines::trn1);
        on_core(k, [&](Core& core) {
            Layout x_layout;
            x_layout.shard = {{k1, 1, "P"}, {m, 1, "F"}};
            *x_layout.offset.entry("P") = x_from;
            const auto x = core.scope.alloc("sbuf", {k1, m}, f32, x_layout, "x"),
                       y = core.scope.alloc("sbuf", {k1, n}, f32, {}, "y");
            const auto acc = core.scope.alloc("psum", {m, n}, f32, {}, "acc", acc_at);
            core(tensor_engine, "engine_fill", {x.view()});
            core(tensor_engine, "engine_fill", {y.view()});
            core(tensor_engine, "nc_matmul", {acc.view(), x.view(), y.view()}, {0});
        });
        auto report = sim::run(k.program().value(), {});
        return report ? report->fault.text : report.error().text;
    };
    REQUIRE(product(128, 512, 128, 0, 0).empty());
    REQUIRE(says(product(129, 4, 4, 0, 0), "tensor `acc`: its layout (129,4):(1@P,1@F) goes up to 128 on P, which has 0 to 127"));
    REQUIRE(says(product(4, 513, 4, 0, 0), "N is 513; at most 512"));
    REQUIRE(says(product(4, 4, 129, 0, 0), " goes up to 128 on P, which has 0 to 127"));
    REQUIRE(says(product(4, 512, 4, 64, 0),
                 "element (0,496) of acc (psum partition 0, element 496, bank 1), and its first element is in bank 0"));
    REQUIRE(says(product(4, 4, 4, 0, 16), "touches 4 partitions of x from partition 16 on; from there at most 0"));
    REQUIRE(says(product(4, 4, 4, 0, 32), "row 0 of x, on partition 32, by that of y, on partition 0"));
}

TEST_CASE("engines that nothing orders race, and what no agent wrote is found", "[sim][engines]")
{
    Kernel race("race", machines::trn1), early("early", machines::trn1), unwritten("unwritten", machines::trn1),
        changed("changed", machines::trn1);
    Bindings in;
    in.set("A", arrays::counting({4, 8}, f32));
    const auto build = [&](Kernel& k,
                           const std::function<void(Core&, const TensorRef&, const TensorRef&, const TensorRef&)>& body) {
        const auto a = k.input("A", {4, 8}, f32), d = k.output("D", {4, 8}, f32);
        on_core(k, [&](Core& core) { body(core, a, d, core.scope.alloc("sbuf", {4, 8}, f32, {}, "s")); });
    };
    build(race, [&](Core& core, const TensorRef& a, const TensorRef& d, const TensorRef& s) {
        core.dma(s, a, vector_engine);
        core.dma(d, s, scalar_engine);
    });
    const auto raced = fault_of(race, in).fault;
    REQUIRE(raced.kind == sim::FaultKind::race);
    REQUIRE(says(raced.text, "agent 2, element (0,0) of s (sbuf partition 0, element 0) is read here and written by"));
    REQUIRE(says(raced.text, "in statement"));

    build(early, [&](Core& core, const TensorRef& a, const TensorRef& d, const TensorRef& s) {
        core.dma(s, a, vector_engine, true);
        core.scope.commit();
        core.dma(d, s, vector_engine);
        core.scope.wait();
    });
    REQUIRE(fault_of(early, in).fault.kind == sim::FaultKind::race);

    build(unwritten, [&](Core& core, const TensorRef& a, const TensorRef& d, const TensorRef& s) {
        core(vector_engine, "dma", {s(Interval{0, 2}, Interval{0, 8}).view(), a(Interval{0, 2}, Interval{0, 8}).view()});
        core.dma(d, s);
    });
    const auto missing = fault_of(unwritten, in).fault;
    REQUIRE(missing.kind == sim::FaultKind::uninitialized);
    REQUIRE(says(missing.text, "element (2,0) of s (sbuf partition 2, element 0) is read and was never written"));

    build(changed, [&](Core& core, const TensorRef& a, const TensorRef& d, const TensorRef& s) {
        core.dma(s, a);
        core.dma(d, s, vector_engine, true);
        core(vector_engine, "engine_fill", {s.view()}, {}, Function::identity, false, 7);
        core.scope.commit().wait();
    });
    REQUIRE(fault_of(changed, in).fault.kind == sim::FaultKind::race); // written while it may still be read
}
