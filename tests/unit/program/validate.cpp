// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/program/print.hpp>
#include <axe/program/validate.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/required.hpp>
#include <tests/unit/tiled_product.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using enum DType;

namespace {

std::string sentences(const Program& p)
{
    std::string out;
    for (const Problem& e : validate(p)) {
        CHECK(e.code != errc::ok);
        out += (out.empty() ? "" : "\n") + without_lines(e.text);
    }
    return out;
}

/// What `validate` says to a kernel that was written without a mistake of form, and then perhaps changed.
std::string said(const std::function<void(Kernel&)>& write, const std::function<void(Program&)>& change = {},
                 const Machine& machine = machines::sm80)
{
    Kernel k("k", machine);
    write(k);
    auto p = required(k.program());
    if (change) change(*p);
    return sentences(*p);
}
/// The same inside of a block of 2 warps.
std::string said_in_block(const std::function<void(Scope)>& write, const std::function<void(Program&)>& change = {},
                          const Machine& machine = machines::sm80)
{
    return said([&](Kernel& k) { k.cta(tiles(64, 64), [&](Scope cta, const Tile&) { write(cta); }, 2); }, change, machine);
}
Program gemm(const Machine& machine)
{
    Kernel k("gemm", machine);
    write_tiled_product(k, 128);
    return k.program().value();
}
template <class What>
What& as(Statement& s)
{
    return std::get<What>(s.what);
}
Machine four_devices()
{
    Machine m = machines::sm80;
    m.scopes[0].count = 4;
    m.splits.push_back({"gpuid", "row", "column", 2});
    return m;
}

} // namespace

TEST_CASE("a sound kernel is sound on every machine")
{
    for (const Machine* m : machines::all()) CHECK(sentences(gemm(*m)).empty());
    CHECK(said([](Kernel&) {}).empty());
}

TEST_CASE("a machine that is not sound ends the matter")
{
    Program p = gemm(machines::sm80);
    p.machine.memories[1].owner = "nobody";
    CHECK(sentences(p) == "gemm: its machine sm80: the owner of memory 1 is not a scope of the machine");
}

TEST_CASE("all that is wrong is said, in the order of the text")
{
    Program p = gemm(machines::sm80);
    Body& block = as<Grid>(p.body[0]).body;
    as<Operation>(block[3]).number = 1e300;
    as<Operation>(as<For>(block[4]).body[0]).operands[1].extents[1] = 16;
    as<Operation>(as<For>(block[4]).body[3]).transpose_b = true;
    CHECK(sentences(p) == "gemm, statement 4, fill: D `acc` is of f32, which has no 1e+300\n"
                          "gemm, statement 6, copy: D `a` is 128×32, A `A` is 128×16; their extents must be equal\n"
                          "gemm, statement 9, gemm: D `acc` is 128×128, B `b` is 32×128 transposed; their columns differ");
}

TEST_CASE("tensors: shape, memory, binding, base")
{
    const auto changed = [](const std::function<void(ProgramTensor&)>& change) {
        return said([](Kernel& k) { k.input("A", {8, 4}, f32); }, [&](Program& p) { change(p.tensors[0]); });
    };
    CHECK(changed([](ProgramTensor& t) { t.shape = {8, 0}; }) ==
          "k, tensor `A`: dimension 1 of the shape is 0; it must be at least 1");
    CHECK(changed([](ProgramTensor& t) { t.memory = "vmem"; }) == "k, tensor `A`: it is in vmem; sm80 has no such memory");
    CHECK(changed([](ProgramTensor& t) { t.memory = "smem"; }) == "k, tensor `A`: it is an input or output and cannot be in smem");
    CHECK(changed([](ProgramTensor& t) { t.hint = LayoutHint::conflict_free; }) ==
          "k, tensor `A`: it is an input or output and needs a layout, not a hint");
    CHECK(changed([](ProgramTensor& t) { t.base = 100; }) ==
          "k, tensor `A`: it begins at byte 100, not at a multiple of 256, the alignment of gmem");
    CHECK(said([](Kernel& k) { k.input("A", {4}, f32), k.output("A", {4}, f32); }) ==
          "k, tensor `A`: another input or output has this name");
}

TEST_CASE("layouts: sizes, axes and their places, swizzles, two elements in one place")
{
    const auto laid = [](const Shape& shape, const Placement& l, const Machine& m = machines::sm80) {
        return said([&](Kernel& k) { k.output("A", shape, f32, l); }, {}, m);
    };
    CHECK(laid({8, 4}, Layout{{{32, 1}}, {}, {}}).empty());
    CHECK(laid({8, 4}, Layout{{{30, 1}}, {}, {}}) == "k, tensor `A`: its layout 30:1 has 30 elements; its shape 8×4 has 32");
    CHECK(laid({8, 4}, Layout{{{0, 1}}, {}, {}}).find("k, tensor `A`: its layout: the extent of iter 0 is 0") == 0);
    CHECK(laid({8, 4}, Layout{{{8, 1, "lane"}, {4, 1}}, {}, {}}) ==
          "k, tensor `A`: its layout (8,4):(1@lane,1) is on lane; in gmem, a tensor can be on m, gpuid");
    CHECK(laid({8, 4}, Layout{{{8, 1, "nowhere"}, {4, 1}}, {}, {}}) ==
          "k, tensor `A`: its layout (8,4):(1@nowhere,1) is on nowhere; in gmem, a tensor can be on m, gpuid");
    CHECK(laid({8, 4}, Layout{{{8, 1, "gpuid"}, {4, 1}}, {}, {}}, four_devices()) ==
          "k, tensor `A`: its layout (8,4):(1@gpuid,1) goes up to 7 on gpuid, which has 0 to 3");
    CHECK(laid({8, 4}, Layout{{{2, 1, "row"}, {4, 4}, {4, 1}}, {{2, 1, "column"}}, {}}, four_devices()).empty());
    CHECK(laid({8, 4}, Layout{{{4, 1, "column"}, {8, 1}}, {}, {}}, four_devices()) ==
          "k, tensor `A`: its layout (4,8):(1@column,1) goes up to 3 on column, which has 0 to 1");
    CHECK(laid({8, 4}, Layout{{{32, -1}}, {}, {}}) == "k, tensor `A`: its layout 32:-1 goes up to -31 on m, which has 0 to ∞");
    CHECK(laid({8, 4}, Layout{{{8, 3}, {4, 1}}, {}, {}}) ==
          "k, tensor `A`: its layout (8,4):(3,1) puts element 4 at the place of another; only an input can be so");
    CHECK(said([](Kernel& k) { k.input("A", {8, 4}, f32, Layout{{{8, 0}, {4, 1}}, {}, {}}); }).empty());
    CHECK(laid({8, 4}, Swizzled<Layout>{{1, 4, 3}, {}, 2, {{{32, 1}}, {}, {}}}) ==
          "k, tensor `A`: its swizzle is for elements of 2 bytes; elements of f32 have 4");
    CHECK(laid({8, 4}, Swizzled<Layout>{{1, 4, 3}, "gpuid", 4, {{{32, 1}}, {}, {}}}) ==
          "k, tensor `A`: its swizzle is on gpuid; bytes of gmem are counted on m");
    CHECK(laid({8, 4}, Swizzled<Layout>{{3, 1, 3}, {}, 4, {{{32, 1}}, {}, {}}}) ==
          "k, tensor `A`: its layout: a swizzle whose lowest bit is 1 splits elements of 4 bytes");
}

TEST_CASE("layouts of a block's tensors name who holds them in the block")
{
    const auto laid = [](const Shape& shape, const char* memory, const Layout& l, const Machine& m = machines::sm80) {
        return said_in_block([&](Scope s) { s.alloc(memory, shape, f32, l, "r"); }, {}, m);
    };
    CHECK(laid({2, 32, 4}, "reg", {{{2, 1, "warp"}, {32, 1, "lane"}, {4, 1, "reg"}}, {}, {}}).empty());
    CHECK(laid({64, 4}, "reg", {{{64, 1, "thread"}, {4, 1, "reg"}}, {}, {}}).empty());
    CHECK(laid({4, 32, 4}, "reg", {{{4, 1, "warp"}, {32, 1, "lane"}, {4, 1, "reg"}}, {}, {}}) ==
          "k, tensor `r`: its layout (4,32,4):(1@warp,1@lane,1@reg) goes up to 3 on warp, which has 0 to 1");
    CHECK(laid({64, 4}, "reg", {{{64, 1, "lane"}, {4, 1, "reg"}}, {}, {}}) ==
          "k, tensor `r`: its layout (64,4):(1@lane,1@reg) goes up to 63 on lane, which has 0 to 31");
    CHECK(laid({32, 4}, "smem", {{{32, 1, "lane"}, {4, 1}}, {}, {}}) ==
          "k, tensor `r`: its layout (32,4):(1@lane,1) is on lane; in smem, a tensor can be on m");
    CHECK(laid({32, 4}, "reg", {{{32, 1, "cta"}, {4, 1, "reg"}}, {}, {}}) ==
          "k, tensor `r`: its layout (32,4):(1@cta,1@reg) is on cta; in reg, a tensor can be on reg, warp, lane");
    CHECK(laid({256}, "reg", {{{256, 1, "reg"}}, {}, {}}) ==
          "k, statement 1, alloc: `r` takes 1024 bytes of reg, 1024 together with the tensors alive there; each lane has 1020");
    CHECK(laid({129, 4}, "sbuf", {{{129, 1, "P"}, {4, 1, "F"}}, {}, {}}, machines::trn1) ==
          "k, tensor `r`: its layout (129,4):(1@P,1@F) goes up to 128 on P, which has 0 to 127");
    CHECK(said([](Kernel& k) { k.input("A", {1 << 20, 1 << 14}, f32); }, {}, machines::trn1) ==
          "k, tensor `A`: its layout 17179869184:1 goes up to 17179869183 on m, which has 0 to 8589934591");
    // Of one thread there is no agent inside.
    CHECK(said_in_block([](Scope s) {
              s.each_thread({64}, [](Scope t, const std::vector<Affine>&) {
                  t.alloc("reg", {32, 2}, f32, Layout{{{32, 1, "lane"}, {2, 1, "reg"}}, {}, {}}, "r");
              });
          }) == "k, tensor `r`: its layout (32,2):(1@lane,1@reg) is on lane; in reg, a tensor can be on reg");
}

TEST_CASE("allocations stand where the memory's owner is")
{
    CHECK(said([](Kernel& k) { k.alloc("smem", {4}, f32, {}, "s"); }) ==
          "k, statement 0, alloc: `s` is in smem, one for each cta; it must be allocated inside a grid");
    CHECK(said_in_block([](Scope s) { s.alloc("gmem", {4}, f32, {}, "g"); }) ==
          "k, statement 1, alloc: `g` is in gmem, one for each device, shared by all blocks; it must be allocated outside grids");
    CHECK(said([](Kernel& k) { k.alloc("gmem", {4}, f32, {}, "g"); }).empty());
    CHECK(said([](Kernel& k) { k.input("A", {4}, f32), k.sync(); }, [](Program& p) { p.body[0].what = Alloc{0}; }) ==
          "k, statement 0, alloc: `A` is an input or output and cannot be allocated");
    CHECK(said([](Kernel& k) { k.alloc("gmem", {4}, f32, {}, "g"), k.sync(); }, [](Program& p) { p.body[1].what = Alloc{0}; }) ==
          "k, statement 1, alloc: `g` is allocated already");
    CHECK(said([](Kernel& k) { k.sync(); }, [](Program& p) { p.body[0].what = Alloc{0}; }) ==
          "k, statement 0, alloc: no tensor 0 exists; the program has 0");
}

TEST_CASE("what lives at once fits into the memory")
{
    const auto two = [](std::int64_t rows) {
        return said_in_block([&](Scope s) {
            const auto a = s.alloc("smem", {rows, 256}, f32, {}, "a"), b = s.alloc("smem", {64, 256}, f32, {}, "b");
            s.fill(a, 0).fill(b, 0).fill(a, 1);
        });
    };
    CHECK(two(99).empty()); // 163 KiB
    CHECK(
        two(100) ==
        "k, statement 2, alloc: `b` takes 65536 bytes of smem, 167936 together with the tensors alive there; each cta has 166912");
    // One after the other is not at once.
    CHECK(said_in_block([](Scope s) {
              for (int i = 0; i < 3; ++i) s.loop(0, 4, 1, [&](Affine) { s.alloc("smem", {100, 256}, f32); });
          }).empty());
    // Layouts with hints take at least what there is: 2 warps of 32 lanes hold 64·1020 bytes.
    const auto hinted = [](std::int64_t rows) {
        return said_in_block([&](Scope s) { s.alloc(Role::accumulator, {rows, 64}, f32, accumulator, "acc"); });
    };
    CHECK(hinted(255).empty());
    CHECK(hinted(256) ==
          "k, statement 1, alloc: `acc` takes 1024 bytes of reg, 1024 together with the tensors alive there; each lane has 1020");
    CHECK(said_in_block([](Scope s) {
              s.each_thread({64},
                            [](Scope t, const std::vector<Affine>&) { t.alloc("reg", {256}, f32, LayoutHint::registers, "r"); });
          }) ==
          "k, statement 2, alloc: `r` takes 1024 bytes of reg, 1024 together with the tensors alive there; each lane has 1020");
    CHECK(said_in_block([](Scope s) { s.alloc("smem", {64}, f32, {}, "a", 166656); }).empty());
    CHECK(said_in_block([](Scope s) { s.alloc("smem", {65}, f32, {}, "a", 166656); }) ==
          "k, statement 1, alloc: `a` takes bytes 166656 to 166915 of smem; each cta has 166912");
    // A swizzle moves elements within whole periods: 256 bytes here.
    CHECK(said_in_block([](Scope s) {
              s.alloc("smem", {16}, f32, Swizzled<Layout>{{1, 4, 3}, {}, 4, {{{16, 1}}, {}, {}}}, "a", 166784);
          }) == "k, statement 1, alloc: `a` takes bytes 166784 to 167039 of smem; each cta has 166912");
    CHECK(said_in_block([](Scope s) { s.alloc("psum", {128, 4097}, f32, accumulator, "acc"); }, {}, machines::trn1)
              .find("`acc` takes 16388 bytes of psum") != std::string::npos);
}

TEST_CASE("views: of tensors that are there, by their rank, inside of them")
{
    const auto viewed = [](const std::function<void(View&)>& change) {
        return said(
            [](Kernel& k) {
                const auto a = k.input("A", {8, 4}, f32), c = k.output("C", {8, 4}, f32);
                k.loop(0, 4, 1, [&](Affine) { k.copy(c, a); });
                k.loop(0, 4, 1, [](Affine) {});
            },
            [&](Program& p) { change(as<Operation>(as<For>(p.body[0]).body[0]).operands[1]); });
    };
    CHECK(viewed([](View&) {}).empty());
    CHECK(viewed([](View& v) { v.tensor = 2; }) == "k, statement 1, copy: no tensor 2 exists; the program has 2");
    CHECK(viewed([](View& v) { v.tensor = -1; }) == "k, statement 1, copy: no tensor -1 exists; the program has 2");
    CHECK(viewed([](View& v) { v.origin.pop_back(); }) ==
          "k, statement 1, copy: A `A` has 2 dimensions; its view has 1 in the origin, 2 extents, 2 places and 2 steps");
    CHECK(viewed([](View& v) { v.steps.pop_back(); }) ==
          "k, statement 1, copy: A `A` has 2 dimensions; its view has 2 in the origin, 2 extents, 2 places and 1 steps");
    CHECK(viewed([](View& v) { v.extents[1] = 0; }) ==
          "k, statement 1, copy: A `A`: dimension 1 of the shape is 0; it must be at least 1");
    CHECK(viewed([](View& v) { v.dims[1] = 2; }) ==
          "k, statement 1, copy: dimension 1 of the view of A `A` is dimension 2 of the tensor, which has 2");
    CHECK(
        viewed([](View& v) { v.origin[0] = Affine(1); }) ==
        "k, statement 1, copy: A `A` goes up to index 8 of dimension 0, which has 8; only a guarded view can go beyond its tensor");
    CHECK(
        viewed([](View& v) { v.origin[1] = Affine(Var{0}); }) ==
        "k, statement 1, copy: A `A` goes up to index 6 of dimension 1, which has 4; only a guarded view can go beyond its tensor");
    CHECK(viewed([](View& v) { v.origin[1] = Var{0} * -1; }) == "k, statement 1, copy: A `A` goes up to index -3 of dimension 1, "
                                                                "which has 4; only a guarded view can go beyond its tensor");
    CHECK(viewed([](View& v) { v.steps[0] = -1; }) == "k, statement 1, copy: A `A` goes up to index -7 of dimension 0, which has "
                                                      "8; only a guarded view can go beyond its tensor");
    CHECK(viewed([](View& v) { v.origin[1] = Affine(Var{0}), v.guarded = true; }).empty());
    // A guarded view may be wholly outside, as that of a last prefetch is.
    CHECK(viewed([](View& v) { v.origin[0] = Var{0} + 8, v.guarded = true; }).empty());
    CHECK(viewed([](View& v) { v.origin[0] = Var{0} - Affine(11), v.guarded = true; }).empty());
    CHECK(viewed([](View& v) { v.origin[1] = Affine(Var{1}); }) ==
          "k, statement 1, copy: A `A`: i1 is used outside the body of its loop or grid");
    CHECK(viewed([](View& v) { v.origin[1] = Affine(Var{5}); }) ==
          "k, statement 1, copy: A `A`: no variable 5 exists; the program has 2");
}

TEST_CASE("a view that only may leave its tensor is the run's affair")
{
    const auto unguarded = [](const std::function<void(Kernel&, const std::function<void(Affine)>&)>& around) {
        return said([&](Kernel& k) {
            const auto a = k.input("A", {8}, f32), c = k.output("C", {1}, f32);
            around(k, [&](Affine i) { k.copy(c, a(Interval(i, 1)).guarded(false)); });
        });
    };
    const std::string leaves =
        "k, statement 1, copy: A `A` goes up to index 9 of dimension 0, which has 8; only a guarded view can go beyond its tensor";
    CHECK(unguarded([](Kernel& k, const auto& body) { k.loop(0, 10, 1, body); }) == leaves);
    CHECK(unguarded([](Kernel& k, const auto& body) { k.loop(0, 10, 9, body); }) == leaves);
    CHECK(unguarded([](Kernel& k, const auto& body) { k.loop(0, 10, 5, body); }).empty()); // 0, 5
    CHECK(unguarded([](Kernel& k, const auto& body) {
              k.loop(0, 10, 1, [&](Affine i) { k.when(i < 8, [&] { body(i); }); });
          }).empty());
    CHECK(unguarded([](Kernel& k, const auto& body) {
              k.loop(0, 10, 1, [&](Affine i) {
                  k.when(i < 8, [] {}, [&] { k.break_loop(); });
                  body(i);
              });
          }).empty());
    CHECK(unguarded([](Kernel& k, const auto& body) { k.loop_while(1, [&] { k.loop(0, 10, 1, body); }); }).empty());
    CHECK(unguarded([](Kernel& k, const auto& body) { k.loop(5, 5, 1, [&](Affine) { body(7); }); }).empty());
    CHECK(unguarded([](Kernel& k, const auto& body) { k.loop(0, 3, 1, [&](Affine i) { k.loop(i, 9, 1, body); }); }).empty());
    // But nothing that is run makes this one right.
    CHECK(
        unguarded([](Kernel& k, const auto& body) { k.when(1, [&] { body(8); }); }) ==
        "k, statement 1, copy: A `A` goes up to index 8 of dimension 0, which has 8; only a guarded view can go beyond its tensor");
}

TEST_CASE("tensors and variables end with their bodies")
{
    CHECK(said_in_block([](Scope s) {
              TensorRef inner = s.alloc("smem", {4}, f32, {}, "a");
              s.loop(0, 2, 1, [&](Affine) { inner = s.alloc("smem", {4}, f32, {}, "b"); });
              s.fill(inner, 0);
          }) == "k, statement 4, fill: D `b` is used outside the body that allocates it");
    CHECK(said([](Kernel& k) {
              const auto c = k.output("C", {8}, f32);
              Affine kept = 0;
              k.loop(0, 2, 1, [&](Affine i) { kept = i; });
              k.fill(c(kept), 0);
          }) == "k, statement 1, fill: D `C`: i0 is used outside the body of its loop or grid");
    CHECK(said([](Kernel& k) { k.loop(0, 2, 1, [&](Affine) { k.loop(0, 2, 1, [](Affine) {}); }); },
               [](Program& p) { as<For>(as<For>(p.body[0]).body[0]).var = Var{0}; }) ==
          "k, statement 1, for: i0 is already the variable of an enclosing body");
    CHECK(said([](Kernel& k) { k.loop(0, 2, 1, [](Affine) {}); }, [](Program& p) { as<For>(p.body[0]).var = Var{4}; }) ==
          "k, statement 0, for: no variable 4 exists; the program has 1");
    CHECK(said([](Kernel& k) { k.loop(0, 2, 1, [](Affine) {}); }, [](Program& p) { as<For>(p.body[0]).step = 0; }) ==
          "k, statement 0, for: the loop steps by 0; it must be at least 1");
    CHECK(said([](Kernel& k) { k.loop(0, 2, 1, [](Affine) {}); }, [](Program& p) { as<For>(p.body[0]).end = Var{0} + 1; }) ==
          "k, statement 0, for: i0 is used outside the body of its loop or grid");
}

TEST_CASE("statements stand where they may")
{
    CHECK(said([](Kernel& k) { k.break_loop(); }) == "k, statement 0: break is not inside a loop of its scope");
    CHECK(said([](Kernel& k) {
              k.loop(0, 2, 1, [&](Affine) { k.cta(tiles(4, 4), [](Scope s, const Tile&) { s.continue_loop(); }); });
          }) == "k, statement 2: continue is not inside a loop of its scope");
    CHECK(said([](Kernel& k) { k.loop(0, 2, 1, [&](Affine) { k.when(1, [&] { k.break_loop(); }); }); }).empty());
    CHECK(said([](Kernel& k) { k.cta(tiles(4, 4), [&](Scope, const Tile&) { k.cta(tiles(4, 4), [](Scope, const Tile&) {}); }); }) ==
          "k, statement 1, grid: a grid is inside a block");
    CHECK(said([](Kernel& k) { k.cta(tiles(4, 4), [](Scope, const Tile&) {}, 33); }) ==
          "k, statement 0, grid: a block has 33 agents; sm80 takes 1 to 32\n"
          "k, statement 0, grid: a block has 1056 threads; sm80 takes at most 1024");
    CHECK(said([](Kernel& k) { k.cta(tiles(4, 4), [](Scope, const Tile&) {}); },
               [](Program& p) { as<Grid>(p.body[0]).vars.clear(); }) == "k, statement 0, grid: it has 0 variables for 1 dimension");
    CHECK(said([](Kernel& k) { k.cta(tiles(4, 4), [](Scope, const Tile&) {}); },
               [](Program& p) { as<Grid>(p.body[0]).counts[0] = 0; }) ==
          "k, statement 0, grid: dimension 0 of the shape is 0; it must be at least 1");
    CHECK(said([](Kernel& k) { k.warps(0, 1, [](Scope) {}); }) == "k, statement 0, agents: agents are chosen outside a block");
    CHECK(said([](Kernel& k) { k.cta(tiles(4, 4), [&](Scope, const Tile&) { k.devices(0, 1, [](Scope) {}); }); }) ==
          "k, statement 1, devices: devices are chosen inside a block");
    CHECK(said([](Kernel& k) { k.each_thread({32}, [](Scope, const std::vector<Affine>&) {}); }) ==
          "k, statement 0, each thread: it is outside a block");
    const auto nothing = [](Scope, const std::vector<Affine>&) {};
    CHECK(said_in_block([&](Scope s) { s.each_thread({64}, [&](Scope t, const auto&) { t.each_thread({1}, nothing); }); }) ==
          "k, statement 2, each thread: it is inside a thread");
    CHECK(said_in_block([&](Scope s) { s.each_agent({2}, [&](Scope t, const auto&) { t.each_agent({1}, nothing); }); }) ==
          "k, statement 2, each agent: it is inside an agent");
    CHECK(
        said_in_block([&](Scope s) { s.each_agent({2}, [&](Scope t, const auto&) { t.each_thread({4, 8}, nothing); }); }).empty());
    CHECK(said_in_block([&](Scope s) { s.each_agent({2}, [&](Scope t, const auto&) { t.warps(0, 1, [](Scope) {}); }); }) ==
          "k, statement 2, agents: agents are chosen inside one agent");
    CHECK(said([](Kernel& k) { k.mbarrier({}); }, [](Program& p) { as<Mbarrier>(p.body[0]).number = 1; }) ==
          "k, statement 0, mbarrier: an mbarrier is in the memory of a block; this is outside a block");
}

TEST_CASE("slices and counts are of as many as there are")
{
    const auto nothing = [](Scope, const std::vector<Affine>&) {};
    CHECK(said_in_block([](Scope s) { s.warps(1, 2, [](Scope) {}); }) ==
          "k, statement 1, agents: 2 are chosen, from 1 to 2 in steps of 1; there are 2");
    CHECK(said_in_block([](Scope s) { s.agents(0, 2, 0, [](Scope) {}); }) ==
          "k, statement 1, agents: 2 are chosen, from 0 to 0 in steps of 0; there are 2");
    CHECK(said([](Kernel& k) { k.devices(2, 3, [](Scope) {}); }, {}, four_devices()) ==
          "k, statement 0, devices: 3 are chosen, from 2 to 4 in steps of 1; there are 4");
    CHECK(said_in_block([&](Scope s) { s.each_thread({16, 8}, nothing); }) ==
          "k, statement 1, each thread: it counts 16×8 = 128; the scope around has 64");
    CHECK(said_in_block([&](Scope s) { s.each_agent({3}, nothing); }) ==
          "k, statement 1, each agent: it counts 3; the scope around has 2");
    CHECK(said_in_block([&](Scope s) { s.warps(1, 1, [&](Scope w) { w.each_thread({32}, nothing); }); }).empty());
    CHECK(said_in_block([&](Scope s) { s.warps(1, 1, [&](Scope w) { w.each_thread({64}, nothing); }); }) ==
          "k, statement 2, each thread: it counts 64; the scope around has 32");
}

TEST_CASE("inputs are not written")
{
    CHECK(said([](Kernel& k) {
              const auto a = k.input("A", {4}, f32);
              k.fill(a, 0);
          }) == "k, statement 0, fill: D `A` is an input and is written here");
    CHECK(said([](Kernel& k) {
              const auto a = k.inout("A", {4}, f32);
              k.fill(a, 0);
          }).empty());
}

TEST_CASE("those who meet at a barrier all get there")
{
    const std::string refused = "a barrier under a condition that can differ between the agents of the barrier";
    const auto in_threads = [](const std::function<void(Scope, Affine, ScalarRef)>& body) {
        return said([&](Kernel& k) {
            const ScalarRef x = k.scalar("x");
            k.cta(tiles(64, 64), [&](Scope s, const Tile&) {
                s.each_thread({128}, [&](Scope t, const std::vector<Affine>& n) { body(t, n[0], x); });
            });
        });
    };
    CHECK(in_threads([](Scope t, Affine, ScalarRef) { t.sync(); }).empty());
    CHECK(in_threads([](Scope t, Affine n, ScalarRef) { t.when(n < 7, [&] { t.sync(); }); }) == "k, statement 3: " + refused);
    CHECK(in_threads([](Scope t, Affine n, ScalarRef) { t.loop(0, n, 1, [&](Affine) { t.sync(); }); }) ==
          "k, statement 3: " + refused);
    CHECK(in_threads([](Scope t, Affine n, ScalarRef) { t.loop_while(n < 7, [&] { t.sync(); }); }) == "k, statement 3: " + refused);
    CHECK(in_threads([](Scope t, Affine n, ScalarRef x) { t.assign(x, n).when(x < 7, [&] { t.sync(); }); }) ==
          "k, statement 4: " + refused);
    CHECK(in_threads([](Scope t, Affine n, ScalarRef x) {
              t.when(n < 7, [&] { t.assign(x, 1); });
              t.when(equals(x, 1), [&] { t.sync(); });
          }) == "k, statement 5: " + refused);
    CHECK(in_threads([](Scope t, Affine, ScalarRef x) { t.assign(x, 3).when(x < 7, [&] { t.sync(); }); }).empty());
    // Devices meet outside of blocks; in a block all are of one device.
    const auto on_devices = [](const std::function<void(Kernel&)>& write) { return said(write, {}, four_devices()); };
    CHECK(on_devices([](Kernel& k) { k.when(k.device() < 2, [&] { k.sync(); }); }) == "k, statement 1: " + refused);
    CHECK(on_devices([](Kernel& k) { k.devices(0, 2, [](Scope s) { s.sync(); }); }).empty());
    CHECK(on_devices([](Kernel& k) {
              k.cta(tiles(4, 4), [&](Scope s, const Tile&) { s.when(k.device() < 2, [&] { s.sync(); }); });
          }).empty());
}

TEST_CASE("mbarriers are for machines that have their instructions")
{
    using enum Mbarrier::Action;
    // [PTX: mbarrier of sm_80 on, expect_tx and complete_tx of sm_90 on]
    const std::vector<std::pair<Mbarrier::Action, std::string>> actions = {{init, "mbarrier.init"},
                                                                           {arrive, "mbarrier.arrive"},
                                                                           {commit, "mbarrier.arrive"},
                                                                           {wait, "mbarrier.test_wait"},
                                                                           {invalidate, "mbarrier.inval"},
                                                                           {arrive_after_copies, "cp.async.mbarrier.arrive"},
                                                                           {include_copies, "cp.async.mbarrier.arrive"},
                                                                           {expect_bytes, "mbarrier.expect_tx"},
                                                                           {expect_more, "mbarrier.expect_tx"}};
    int with = 0;
    for (const Machine* machine : machines::all()) {
        const std::string name = machine->name;
        if (levels_of(*machine).block < 0) continue;
        const std::size_t has = name == "sm80" ? 7U : name == "sm90" || name == "sm100" ? 9U : 0U;
        for (std::size_t i = 0; i < actions.size(); ++i) {
            INFO(name << ": " << actions[i].second);
            const std::string text = said_in_block(
                [&](Scope s) { s.mbarrier({actions[i].first, 0, actions[i].first == init ? 1 : 0, {}}); }, {}, *machine);
            const std::string wrong = "k, statement 1, mbarrier: " + name + " has no instruction " + actions[i].second;
            CHECK(text.find(wrong) == (i < has ? std::string::npos : 0));
            with += text.empty() ? 1 : 0;
        }
    }
    CHECK(with == 7 + 9 + 9);
}

TEST_CASE("waits, mbarriers, scalars and expressions")
{
    CHECK(said([](Kernel& k) { k.wait(-1); }) == "k, statement 0: a wait leaves -1 groups pending; it must be at least 0");
    using Action = Mbarrier::Action;
    CHECK(said_in_block([](Scope s) { s.mbarrier({Action::init, 0, 0, {}}); }) ==
          "k, statement 1, mbarrier: a phase of 0 arrivals; it must be 1 to 1048575");
    CHECK(said_in_block([](Scope s) { s.mbarrier({Action::init, 0, 1 << 20, {}}); }) ==
          "k, statement 1, mbarrier: a phase of 1048576 arrivals; it must be 1 to 1048575");
    CHECK(said_in_block([](Scope s) { s.mbarrier({Action::init, 0, (1 << 20) - 1, {}}).wait_products(); }).empty());
    CHECK(said_in_block([](Scope s) { s.mbarrier({Action::expect_bytes, 0, -4, {}}); }, {}, machines::sm90) ==
          "k, statement 1, mbarrier: it expects -4 bytes; it must be 0 to 1048575");
    CHECK(said_in_block([](Scope s) { s.mbarrier({Action::arrive, -1, 0, {}}); }) ==
          "k, statement 1, mbarrier: its number is -1; it must be at least 0");
    CHECK(said_in_block([](Scope s) { s.mbarrier({Action::wait, 0, 0, Var{7}}); }) ==
          "k, statement 1, mbarrier: no variable 7 exists; the program has 1");
    CHECK(said([](Kernel& k) { k.assign({}, 1); }) == "k, statement 0, assign: no scalar -1 exists; the program has 0");
    const auto computed = [](const Expression& e) {
        return said([&](Kernel& k) {
            k.input("A", {4, 4}, f32);
            k.assign(k.scalar("x"), e);
        });
    };
    Expression lost;
    lost.kind = Expression::Kind::scalar;
    lost.scalar = 3;
    CHECK(computed(1 + lost) == "k, statement 0, assign: no scalar 3 exists; the program has 1");
    CHECK(computed({Expression::Kind::less, {1}}) == "k, statement 0, assign: the expression (1 < ?) has 1 operand; it takes 2");
    CHECK(computed({Expression::Kind::logical_not, {1, 2}}) ==
          "k, statement 0, assign: the expression not 1 has 2 operands; it takes 1");
    Expression loaded;
    loaded.kind = Expression::Kind::load;
    CHECK(computed(loaded) == "k, statement 0, assign: no tensor -1 exists; the program has 1");
    CHECK(
        said([](Kernel& k) {
            const auto a = k.input("A", {4, 4}, f32);
            k.assign(k.scalar("x"), load(a(1, all)));
            k.assign(k.scalar("y"), load(a(1, 2)));
            k.assign(k.scalar("z"), load(a(4, 2).guarded(false)));
        }) ==
        "k, statement 0, assign: `A` is loaded as a scalar, and is 4\n"
        "k, statement 2, assign: `A` goes up to index 4 of dimension 0, which has 4; only a guarded view can go beyond its tensor");
}

TEST_CASE("instructions: operands and distributions")
{
    const auto called = [](const std::function<void(Instruction&)>& change) {
        return said([&](Kernel& k) {
            const auto a = k.output("A", {64}, f32), b = k.input("B", {64}, f32);
            k.cta(tiles(64, 64), [&](Scope s, const Tile&) {
                auto q = std::make_shared<Distribution>(Distribution{1, 2, 32, 1, std::vector<std::int32_t>(64)});
                for (int i = 0; i < 64; ++i) q->element[static_cast<std::size_t>(i)] = i;
                Instruction move;
                move.opcode = "move";
                move.operands = {{a.view(), q}, {b.view(), q}};
                move.agents = 2;
                change(move);
                s.call(move);
            });
        });
    };
    const auto other = [](Instruction& i, const std::function<void(Distribution&)>& change) {
        auto q = std::make_shared<Distribution>(*i.operands[1].distribution);
        change(*q);
        i.operands[1].distribution = q;
    };
    CHECK(called([](Instruction&) {}).empty());
    CHECK(called([](Instruction& i) { i.operands[1].distribution = {}; }).empty());
    CHECK(called([&](Instruction& i) { other(i, [](Distribution& q) { q.element[3] = -1; }); }).empty());
    CHECK(called([&](Instruction& i) { other(i, [](Distribution& q) { q.element[3] = 64; }); }) ==
          "k, statement 1, move: operand 1 `B`: its distribution names element 64 of 64");
    CHECK(called([&](Instruction& i) { other(i, [](Distribution& q) { q.element[3] = -2; }); }) ==
          "k, statement 1, move: operand 1 `B`: its distribution names element -2 of 64");
    CHECK(called([&](Instruction& i) { other(i, [](Distribution& q) { q.vector = 2; }); }) ==
          "k, statement 1, move: operand 1 `B`: its distribution has 1 × 2 × 32 × 2 elements and lists 64 elements");
    CHECK(called([&](Instruction& i) { other(i, [](Distribution& q) { q.issues = 2; }); }) ==
          "k, statement 1, move: operand 1 `B`: the distributions of an instruction must have equal issues, agents and lanes");
    CHECK(called([](Instruction& i) { i.agents = 1; }) ==
          "k, statement 1, move: operand 0 `A`: it is for 1 agent, its distribution is for 2");
    CHECK(called([](Instruction& i) { i.first_agent = 3; }) ==
          "k, statement 1, move: it is for 2 agents, from 3 to 4 in steps of 1; the block has 4");
    CHECK(called([](Instruction& i) { std::swap(i.operands[0], i.operands[1]); }) ==
          "k, statement 1, move: operand 0 `B` is an input and is written here");
    CHECK(called([](Instruction& i) { i.operands[1].view.origin[0] = Affine(1); }) ==
          "k, statement 1, move: operand 1 `B` goes up to index 64 of dimension 0, which has 64; only a guarded view can go beyond "
          "its tensor");
    CHECK(called([](Instruction& i) { i.operands[1].view.tensor = 9; }) ==
          "k, statement 1, move: no tensor 9 exists; the program has 2");
}

// Whatever numbers stand in a program, it is judged and printed: nothing is read that is not there.
TEST_CASE("programs that are wrong in any number are judged and printed")
{
    laws::Random r(3);
    const Program sound = gemm(machines::sm80);
    const std::int64_t odd[] = {-1,
                                0,
                                1,
                                2,
                                3,
                                7,
                                100,
                                -128,
                                std::int64_t{1} << 40,
                                std::numeric_limits<std::int64_t>::max(),
                                std::numeric_limits<std::int64_t>::min()};
    const auto any = [&] { return odd[r.in(0, 10)]; };
    const auto small = [&] { return static_cast<int>(odd[r.in(0, 7)]); };
    int refused = 0;
    for (std::int64_t n = 0; n < laws::cases(2000); ++n) {
        Program p = sound;
        Body& block = as<Grid>(p.body[0]).body;
        Body& loop = as<For>(block[4]).body;
        for (std::int64_t changes = r.in(1, 3); changes > 0; --changes) {
            Operation& o = as<Operation>(r.one_in(2) ? loop[static_cast<std::size_t>(r.one_in(2) ? 0 : 3)] : block[5]);
            View& v = o.operands[static_cast<std::size_t>(r.in(0, static_cast<std::int64_t>(o.operands.size()) - 1))];
            ProgramTensor& t = p.tensors[static_cast<std::size_t>(r.in(0, 5))];
            switch (r.in(0, 15)) {
            case 0: v.tensor = small(); break;
            case 1: v.origin[0] = any(); break;
            case 2:
                v.origin[1] = Affine(Var{small()});
                v.origin[1] *= any();
                break;
            case 3: v.extents[static_cast<int>(r.in(0, v.extents.size() - 1))] = any(); break;
            case 4: v.dims[static_cast<int>(r.in(0, v.dims.size() - 1))] = small(); break;
            case 5: v.steps[0] = any(); break;
            case 6: v.extents.push_back(any()); break;
            case 7: v.origin.pop_back(), v.origin.emplace_back(any()), v.guarded = !v.guarded; break;
            case 8: t.shape[static_cast<int>(r.in(0, 1))] = any(); break;
            case 9: t.base = any(); break;
            case 10:
                t.hint = LayoutHint::none, t.layout.layout.shard[0] = {any(), any(), r.one_in(2) ? Axis{} : Axis{"lane"}};
                break;
            case 11: t.layout.swizzle = {small(), small(), small()}, t.layout.width = any(); break;
            case 12: as<For>(block[4]).begin = any(), as<For>(block[4]).end = any(), as<For>(block[4]).step = any(); break;
            case 13: as<For>(block[4]).var.id = small(); break;
            case 14: as<Grid>(p.body[0]).counts[0] = any(), as<Grid>(p.body[0]).agents = small(); break;
            default: o.operands.resize(static_cast<std::size_t>(r.in(1, 4)), v); break;
            }
        }
        for (const Problem& e : validate(p)) {
            REQUIRE(e.text.find("gemm, ") == 0);
            ++refused;
        }
        REQUIRE(print(p).find("kernel gemm on sm80") == 0);
    }
    CHECK(refused > laws::cases(1000));
}
