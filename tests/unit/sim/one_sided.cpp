// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>
#include <axe/mesh/sub_mesh.hpp>
#include <axe/program/mesh_tensors.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/arrays.hpp>

/// put, get, signals, and views of members of meshes.
namespace {

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;
using Int = std::int64_t;

constexpr Int one_sided_row = 256;
Machine one_sided_machine(Int devices) { return mesh(machines::sm90, Shape{devices}).value(); }
Layout one_sided_rows(Int devices, Int elements) { return Layout{{{devices, 1, "gpuid"}, {elements, 1}}, {}, {}}; }
Layout one_sided_copies(Int devices, Int elements) { return Layout{{{elements, 1}}, {{devices, 1, "gpuid"}}, {}}; }

Program one_sided_lowered(const Kernel& k)
{
    const auto program = required(k.program());
    for (const Problem& p : validate(*program)) FAIL(p.text);
    auto lowered = required(lower(*program));
    for (const Problem& p : validate(lowered->program)) FAIL(p.text);
    return std::move(lowered->program);
}
Bindings one_sided_inputs(const Program& program)
{
    Bindings out;
    for (const ProgramTensor& t : program.tensors) {
        if (t.binding == Binding::input) out.set(t.name, arrays::counting(t.shape, t.dtype));
        if (t.binding == Binding::inout) out.set(t.name, Array::make(t.shape, t.dtype).value());
    }
    return out;
}
sim::Report one_sided_run(const Program& program, const sim::RunOptions& options = {})
{
    auto report = required(sim::run(program, one_sided_inputs(program), options));
    return std::move(*report);
}

/// Every device of a node gives its row to the same device of the next node, `turns` times, by a put with a signal or by a get.
/// Four warps of a block together; two slots take turns.
Program node_ring(Int nodes, Int per_node, Int turns, bool gets, Signal how)
{
    const Mesh launch = device_mesh({{"node", nodes, MeshScope::node}, {"device", per_node}}).value();
    const Int W = nodes * per_node;
    Kernel k("node_ring", one_sided_machine(W));
    const auto A = k.input("A", {W, one_sided_row}, f32, one_sided_rows(W, one_sided_row)),
               C = k.output("C", {W, one_sided_row}, f32, one_sided_rows(W, one_sided_row));
    const auto G = k.alloc(Role::global, {2, one_sided_row}, f32, one_sided_copies(W, 2 * one_sided_row), "G");
    // full: rows that have come, or are offered; empty: that were taken, told to who fills the slot.
    const auto full = k.inout("full", {W, 1}, i32, one_sided_rows(W, 1)),
               empty = k.inout("empty", {W, 1}, i32, one_sided_rows(W, 1));
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const Affine d = k.device();
        const auto r = cta.alloc(Role::registers, {one_sided_row}, f32, "(2,4,32):(1@reg,1@warp,1@lane)"_axe, "r");
        const Expression node = *shard_coordinate(launch, "node", d), device = *shard_coordinate(launch, "device", d);
        const Expression n(static_cast<double>(nodes));
        const Affine next = cta.index(*device_at(launch, {floor_mod(node + 1, n), device}), 0, W, "next"),
                     last = cta.index(*device_at(launch, {floor_mod(node + n - 1, n), device}), 0, W, "last");
        cta.copy(r, A(d, all));
        for (Int t = 0; t < turns; ++t) {
            const int slot = static_cast<int>(t % 2);
            const Expression turn(static_cast<double>(t + 1)), value = how == Signal::add ? Expression(1) : turn;
            if (t >= 2) cta.signal_wait(empty(d, 0), Expression(static_cast<double>(t - 1)));
            if (gets) {
                cta.copy(G(slot, all), r).signal(full(d, 0), value, how);
                cta.signal_wait(full.remote(last)(last, 0), turn);
                cta.get(r, remote(k, cta, G, launch, {floor_mod(node + n - 1, n), device})(slot, all));
            } else {
                cta.put_signal(remote(k, cta, G, launch,
                                      floor_mod(Expression(d) + Expression(static_cast<double>(per_node)),
                                                Expression(static_cast<double>(W))))(slot, all),
                               r, full.remote(next)(next, 0), value, how);
                cta.signal_wait(full(d, 0), turn, Until::at_least);
                cta.copy(r, G(slot, all));
            }
            cta.signal(empty.remote(last)(last, 0), value, how);
        }
        cta.copy(C(d, all), r);
    });
    return one_sided_lowered(k);
}

/// Each flag of the program, changed by `change`; dropped where it says so.
Program with_flags(Program program, const std::function<bool(Flag&, int)>& keeps)
{
    int number = 0;
    const auto alter = [&](auto self, Body& body) -> void {
        rewrite(body, [&](Statement& s, Body& out) {
            for_each_body(s, [&](Body& inner) { self(self, inner); });
            auto* const flag = std::get_if<Flag>(&s.what);
            if (flag == nullptr || keeps(*flag, number++)) out.push_back(std::move(s));
        });
    };
    alter(alter, program.body);
    return program;
}
bool is_signal(const Flag& f) { return f.action == Flag::Action::store || f.action == Flag::Action::add; }

} // namespace

TEST_CASE("one-sided: rows travel from node to node by put with signal and by get, in every order", "[sim][remote]")
{
    struct Case {
        Int nodes, per_node;
    };
    for (const auto& [nodes, per_node] : {Case{2, 1}, Case{2, 2}, Case{3, 2}})
        for (const bool gets : {false, true})
            for (const Signal how : {Signal::set, Signal::add}) {
                const Int turns = 4, W = nodes * per_node;
                CAPTURE(nodes, per_node, gets, static_cast<int>(how));
                const Program program = node_ring(nodes, per_node, turns, gets, how);
                turns::each([&](const sim::RunOptions& options) {
                    const sim::Report report = without_fault(one_sided_run(program, options));
                    Int wrong = 0;
                    for (Int i = 0; i < W * one_sided_row; ++i) {
                        const Int from = ((i / one_sided_row - turns * per_node) % W + W) % W;
                        wrong += report.outputs.find("C")->at(i) != static_cast<double>(from * one_sided_row + i % one_sided_row);
                    }
                    CHECK(wrong == 0);
                    CHECK(report.total.link_bytes == W * turns * one_sided_row * 4);
                    for (int d = 0; d < static_cast<int>(W); ++d)
                        CHECK(report.total.links.at({d, (d + static_cast<int>(per_node)) % static_cast<int>(W)}) ==
                              turns * one_sided_row * 4);
                });
            }
}

TEST_CASE("one-sided: a signal that is lost is a deadlock with the chain of waits", "[sim][remote]")
{
    for (const bool gets : {false, true}) {
        const Program program = node_ring(3, 1, 1, gets, Signal::set);
        int signals = 0;
        static_cast<void>(with_flags(program, [&](Flag& f, int) { return signals += is_signal(f), true; }));
        CHECK(signals == 2); // full, and empty, for which no agent waits in one turn
        const Program less = with_flags(program, [](Flag& f, int number) { return number > 0 || !is_signal(f); });
        const sim::Report report = one_sided_run(less);
        INFO(report.fault.text);
        CHECK(report.fault.kind == FaultKind::deadlock);
        for (const char* device : {"device 0, block (0): ", "device 1, block (0): ", "device 2, block (0): "})
            CHECK(report.fault.text.find(device) != std::string::npos);
        CHECK(report.fault.text.find(" is at least 1; it is 0, and no agent that can continue changes it") != std::string::npos);
    }
}

TEST_CASE("one-sided: what a put with signal consists of is needed: the meeting, the order, the scope, the wait", "[sim][remote]")
{
    const auto is_found = [](const Program& less) {
        const sim::Report report = one_sided_run(less);
        INFO(report.fault.text << print(less));
        CHECK((report.fault.kind == FaultKind::race || report.fault.kind == FaultKind::uninitialized));
    };
    for (const bool gets : {false, true})
        for (const Signal how : {Signal::set, Signal::add}) {
            CAPTURE(gets, static_cast<int>(how));
            const Program program = node_ring(3, 1, 3, gets, how); // the ring of two would tell by the other way
            int flags = 0;
            static_cast<void>(with_flags(program, [&](Flag&, int) { return ++flags, true; }));
            for (int which = 0; which < flags; ++which) {
                bool is_last_signal = false; // of `empty` in the last two turns: no agent waits for them
                static_cast<void>(with_flags(program, [&](Flag& f, int number) {
                    if (number == which)
                        is_last_signal = is_signal(f) && tensor_of(program, f.element).name == "empty" && number > 3;
                    return true;
                }));
                if (is_last_signal) continue;
                CAPTURE(which);
                is_found(with_flags(program, [&](Flag& f, int number) {
                    if (number == which) f.order = MemoryOrder::relaxed;
                    return true;
                }));
                is_found(with_flags(program, [&](Flag& f, int number) {
                    if (number == which) f.within = Within::device;
                    return true;
                }));
            }
            // Without the waits, and without the agents' meeting before a signal.
            is_found(with_flags(program, [&](Flag& f, int) { return is_signal(f); }));
            Program apart = program;
            const auto alter = [&](auto self, Body& body) -> void {
                rewrite(body, [&](Statement& s, Body& out) {
                    for_each_body(s, [&](Body& inner) { self(self, inner); });
                    if (!std::holds_alternative<Barrier>(s.what)) out.push_back(std::move(s));
                });
            };
            alter(alter, apart.body);
            is_found(apart);
        }
}

TEST_CASE("one-sided: memory of a member of a cluster, by coordinates and by numbers", "[sim][remote]")
{
    const Mesh launch = device_mesh({{"device", 2}, {"y", 2, MeshScope::cluster}, {"x", 4, MeshScope::cluster}}).value();
    for (const bool by_number : {false, true}) {
        Kernel k("members", one_sided_machine(2));
        const auto C = k.output("C", {2, 8, 32}, f32, one_sided_rows(2, 8 * 32));
        k.cta(
            tiles({2, 4}, {1, 1}), {{2, 4}},
            [&](Scope cta, const Tile& t) {
                const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
                const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane"_axe, "r");
                for (int rank = 0; rank < 8; ++rank) cta.when(equals(Expression(t.rank), rank), [&] { cta.fill(s, rank); });
                cta.cluster_sync();
                // Of the column to the right in the other row; the sub-mesh of the launch mesh's columns turned around by numbers.
                const Expression y = Expression(1) - Expression(t.in_cluster[0]), x = floor_mod(Expression(t.in_cluster[1]) + 1, 4);
                const Mesh here = sub_mesh(launch, {MeshIndex(0)}).value();
                cta.get(r, by_number ? remote(k, cta, s, here, y * 4 + x) : remote(k, cta, s, here, {y, x}));
                cta.copy(C(k.device(), 4 * t.index[0] + t.index[1], all), r).cluster_sync();
            },
            1);
        const sim::Report report = without_fault(one_sided_run(one_sided_lowered(k)));
        for (Int d = 0; d < 2; ++d)
            for (Int rank = 0; rank < 8; ++rank)
                CHECK(report.outputs.find("C")->at((d * 8 + rank) * 32) ==
                      static_cast<double>((1 - rank / 4) * 4 + (rank % 4 + 1) % 4));
    }
}

TEST_CASE("one-sided: a coordinate that a mesh does not have is a fault, what is not elsewhere a problem", "[sim][remote]")
{
    const Mesh launch = device_mesh({{"node", 2, MeshScope::node}, {"device", 2}}).value();
    const auto kernel = [&](const std::function<void(Kernel&, Scope, const TensorRef&, const TensorRef&)>& body) {
        Kernel k("wrong", one_sided_machine(4));
        const auto G = k.alloc(Role::global, {32}, f32, one_sided_copies(4, 32), "G");
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane"_axe, "r");
            cta.fill(r, 1);
            body(k, cta, G, r);
        });
        const auto program = k.program();
        if (!program) return program.error().text;
        if (const auto problems = validate(*program); !problems.empty()) return problems.front().text;
        const auto report = sim::run(lower(*program).value().program, Bindings{}).value();
        return std::string(sim::name(report.fault.kind)) + ": " + report.fault.text;
    };
    const auto has = [](const std::string& text, const char* words) {
        INFO(text);
        CHECK(text.find(words) != std::string::npos);
    };
    has(kernel(
            [&](Kernel& k, Scope cta, const TensorRef& G, const TensorRef& r) { cta.put(remote(k, cta, G, launch, {1, 2}), r); }),
        "G_member1");
    has(kernel([&](Kernel& k, Scope cta, const TensorRef& G, const TensorRef& r) { cta.put(remote(k, cta, G, launch, 4), r); }),
        "G_member");
    has(kernel([&](Kernel& k, Scope cta, const TensorRef& G, const TensorRef& r) { cta.put(remote(k, cta, G, launch, {1}), r); }),
        "remote G: there is 1 coordinate, the mesh has 2 dimensions");
    has(kernel([&](Kernel& k, Scope cta, const TensorRef&, const TensorRef& r) { cta.put(remote(k, cta, r, launch, {1, 1}), r); }),
        "r is in reg; a remote view is of a memory that devices have");
    has(kernel([&](Kernel&, Scope cta, const TensorRef& G, const TensorRef& r) { cta.put(G, r); }),
        "put: G is in the memory of the block or device itself; give remote(device) or of_block(rank)");
    has(kernel([&](Kernel&, Scope cta, const TensorRef& G, const TensorRef& r) { cta.get(r, G); }),
        "get: G is in the memory of the block or device itself; give remote(device) or of_block(rank)");
    has(kernel([&](Kernel& k, Scope cta, const TensorRef&, const TensorRef& r) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.get(r, remote(k, cta, s, launch, {1, 1}));
        }),
        "remote s: the launch mesh has no cluster axes");
}
