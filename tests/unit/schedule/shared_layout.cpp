// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/schedule/matrix_hints.hpp>
#include <axe/schedule/shared_layout.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>
#include <tests/targets.hpp>

#include <map>
#include <set>

namespace {

using namespace axe;
using Int = std::int64_t;

/// The lead kernel: tiles of A and B staged in shared memory, multiplied, the product stored. Tensors: A, B, C, a, b, acc.
Program gemm(const Machine& machine, bool async, Int stages = 0)
{
    Kernel k("gemm", machine);
    const auto A = k.input("A", {256, 64}, DType::f16), B = k.input("B", {64, 256}, DType::f16),
               C = k.output("C", {256, 256}, DType::f32);
    k.cta(Tiles{Shape{256, 256}, Shape{128, 128}}, [&](Scope cta, const Tile& t) {
        const Shape one_a{128, 32}, one_b{32, 128};
        const auto a = cta.alloc(Role::shared, stages == 0 ? one_a : Shape{stages, 128, 32}, DType::f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, stages == 0 ? one_b : Shape{stages, 32, 128}, DType::f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {128, 128}, DType::f32, accumulator, "acc");
        cta.fill(acc, 0);
        cta.loop(0, 2, 1, [&](const Affine& step) {
            const Interval s(step * 32, 32);
            const ViewRef at = stages == 0 ? ViewRef(a) : a(Interval(step), all, all),
                          bt = stages == 0 ? ViewRef(b) : b(Interval(step), all, all);
            if (async)
                cta.copy_async(at, A(t.rows, s)).copy_async(bt, B(s, t.cols)).commit().wait();
            else
                cta.copy(at, A(t.rows, s)).copy(bt, B(s, t.cols));
            cta.sync().gemm(acc, at, bt).sync();
        });
        cta.copy(C(t), acc);
    });
    Program p = k.program().value();
    p.tensors[5].layout.layout = hinted_matrix_layout(p, 5).value();
    p.tensors[5].hint = LayoutHint::none;
    return p;
}

std::string choose(Program& p, int tensor)
{
    const auto chosen = conflict_free_layout(p, target_of(p), tensor);
    INFO((chosen ? std::string() : chosen.error().text));
    REQUIRE(chosen.has_value());
    auto& t = p.tensors[static_cast<std::size_t>(tensor)];
    t.layout = chosen->layout;
    t.hint = LayoutHint::none;
    // Each element has a place of its own.
    std::set<Int> places;
    for (Int e = 0; e < volume(t.shape).value(); ++e) REQUIRE(places.insert(evaluate(t.layout, e).value()[Axis{}]).second);
    CHECK(*places.begin() == 0);
    return chosen->detail;
}

/// From the definition: the words that 128 bytes' worth of lanes want from each bank, at places that the layout's own evaluation gives.
BankUse counted(const Program& p, int tensor)
{
    BankUse out;
    const auto& t = p.tensors[static_cast<std::size_t>(tensor)];
    for (const Use& use : uses_of(p, tensor)) {
        Request request(p, target_of(p), *use.operation, use.place);
        Choice choice;
        const Body body = dispatch(request, &choice).value();
        out.slow_products += use.operation->op == Op::gemm && !choice.faster.empty() ? 1 : 0;
        for (const Statement& s : body)
            for (const Access& a : std::get<Instruction>(s.what).operands) {
                if (a.view.tensor != tensor) continue;
                const Distribution& q = *a.distribution;
                const int bytes = q.vector * storage_bytes(t.dtype), together = std::min(32, 128 / bytes);
                for (std::size_t row = 0; row < q.at(q.issues, 0, 0) / static_cast<std::size_t>(q.vector * q.lanes); ++row)
                    for (int first = 0; first < q.lanes; first += together) {
                        std::map<Int, std::set<Int>> banks;
                        for (int lane = first; lane < first + together; ++lane)
                            for (int e = 0; e < q.vector; ++e) {
                                Int x = q.element[(row * static_cast<std::size_t>(q.lanes) + static_cast<std::size_t>(lane)) *
                                                      static_cast<std::size_t>(q.vector) +
                                                  static_cast<std::size_t>(e)];
                                if (x < 0) continue;
                                Coord at;
                                for (int d = 0; d < t.shape.size(); ++d) at.push_back(0); // variables begin at 0 here
                                for (int d = a.view.rank() - 1; d >= 0; --d) {
                                    at[a.view.dims[d]] += a.view.extents[d] > 0 ? x % a.view.extents[d] * a.view.steps[d] : 0;
                                    x /= a.view.extents[d];
                                }
                                for (int d = 0; d < t.shape.size(); ++d)
                                    at[d] += a.view.origin[static_cast<std::size_t>(d)].constant();
                                const Int byte = evaluate(t.layout, t.shape, at).value()[Axis{}] * storage_bytes(t.dtype);
                                banks[byte / 4 % 32].insert(byte / 4);
                            }
                        if (banks.empty()) continue;
                        std::size_t most = 0;
                        for (const auto& [bank, words] : banks) most = std::max(most, words.size());
                        ++out.phases;
                        out.passes += static_cast<Int>(most);
                    }
            }
    }
    return out;
}

} // namespace

TEST_CASE("shared_layout: the tiles of a gemm are free of conflicts, stored and loaded")
{
    for (const bool async : {false, true}) {
        Program p = gemm(machines::sm80, async);
        // 8 KiB stored in vectors of 16 bytes are 64 phases; loaded by ldmatrix, once for each of two warps that share rows (columns).
        CHECK(choose(p, 3) == "swizzle<2,4,3>: 192 wavefronts for 192 accesses, row-major 576");
        CHECK(choose(p, 4) == "swizzle<3,4,4>: 192 wavefronts for 192 accesses, row-major 1088");
        for (const int t : {3, 4}) {
            CHECK(bank_use_of(p, target_of(p), t).value() == BankUse{192, 192});
            CHECK(counted(p, t) == BankUse{192, 192});
        }
        // None of the instructions has become narrower for it.
        for (const int t : {3, 4})
            for (const Use& use : uses_of(p, t)) {
                Request request(p, target_of(p), *use.operation, use.place);
                const Body body = dispatch(request).value();
                for (const Statement& s : body)
                    for (const Access& a : std::get<Instruction>(s.what).operands)
                        if (a.view.tensor == t) CHECK(a.distribution->vector == 8);
            }
    }
}
TEST_CASE("shared_layout: several stages, at places that a run decides")
{
    Program p = gemm(machines::sm80, true, 2);
    CHECK(choose(p, 3) == "swizzle<2,4,3>: 192 wavefronts for 192 accesses, row-major 576");
    CHECK(choose(p, 4) == "swizzle<3,4,4>: 192 wavefronts for 192 accesses, row-major 1088");
}
TEST_CASE("shared_layout: counts are those of the definition, row-major too")
{
    Program p = gemm(machines::sm90, false);
    for (const int t : {3, 4}) {
        p.tensors[static_cast<std::size_t>(t)].layout =
            detail::plain_rows(*find_memory(p.machine, "smem"), p.tensors[static_cast<std::size_t>(t)]);
        p.tensors[static_cast<std::size_t>(t)].hint = LayoutHint::none;
    }
    for (const int t : {3, 4}) CHECK(bank_use_of(p, target_of(p), t).value() == counted(p, t));
    CHECK(counted(p, 3) == BankUse{192, 576, 1});
    CHECK(counted(p, 4) == BankUse{192, 1088, 1}); // wgmma has no descriptor for row-major
}
TEST_CASE("shared_layout: transposes")
{
    const auto transpose = [](const Shape& shape, DType type) {
        Kernel k("transpose", machines::sm80);
        const Shape back{shape[1], shape[0]};
        const auto from = k.input("from", shape, type), to = k.output("to", back, type);
        k.cta(Tiles{Shape{1}, Shape{1}}, [&](Scope cta, const Tile&) {
            const auto t = cta.alloc(Role::shared, shape, type, conflict_free, "t");
            cta.copy(t, from).sync().copy(to, t.permuted({1, 0}));
        });
        return k.program().value();
    };
    const auto check = [&](const Shape& shape, DType type, const char* detail) {
        Program p = transpose(shape, type);
        CHECK(choose(p, 2) == detail);
        CHECK(counted(p, 2) == bank_use_of(p, target_of(p), 2).value());
    };
    check({32, 32}, DType::f32, "swizzle<5,2,5>: 64 wavefronts for 64 accesses, row-major 1056");
    check({64, 64}, DType::f16, "swizzle<5,2,5>: 192 wavefronts for 192 accesses, row-major 4160");
    check({32, 24}, DType::f64, "swizzle<3,3,4>: 96 wavefronts for 96 accesses, row-major 432");
    check({33, 32}, DType::f32,
          "rows of 132 bytes: 66 wavefronts for 66 accesses, row-major 833"); // 33 rows are not blocks to swizzle
    check({31, 34}, DType::f32, "row-major: 98 wavefronts for 66 accesses");  // no variant does better
}
TEST_CASE("shared_layout: memories without banks, and tensors that no agent uses")
{
    Kernel k("plain", machines::cpu);
    k.cta(Tiles{Shape{1}, Shape{1}},
          [&](Scope cta, const Tile&) { cta.fill(cta.alloc(Role::shared, {8, 8}, DType::f32, conflict_free), 0); });
    Program p = k.program().value();
    CHECK(choose(p, 0) == "row-major");
    Kernel idle("idle", machines::sm80);
    idle.cta(Tiles{Shape{1}, Shape{1}},
             [&](Scope cta, const Tile&) { cta.alloc(Role::shared, {8, 8}, DType::f32, conflict_free); });
    p = idle.program().value();
    CHECK(choose(p, 0) == "row-major");
    p.tensors[0].memory = "attic";
    CHECK(conflict_free_layout(p, target_of(p), 0).error().text == "t0 is in no memory of the machine, or has no shape");
}
