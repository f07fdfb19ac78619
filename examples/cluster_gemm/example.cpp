// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product in clusters of two blocks, which share the rows of A: one of them loads the tile, the other one reads it in the first one's
// shared memory.      [FlagTree, tutorials/tle, 04-cluster-gemm]
#include "../common/example.hpp"

#include <axe/mesh/device_mesh.hpp>
#include <axe/program/cluster_dot.hpp>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

/// The same by shardings over the two blocks: A is on the first one, columns of B and C are split. What is read, and which barriers that needs, follows.
void sharded_product(Kernel& k, Scope cta, const Tile& t, const TensorRef& A, const TensorRef& B, const TensorRef& C,
                     std::int64_t columns)
{
    const Mesh pair = *device_mesh({{"x", 2, MeshScope::cluster}});
    const Sharding on_first = *make_sharding(pair, {}, {}, {"x"}), by_columns = *make_sharding(pair, {{}, {"x"}});
    const ClusterTensor a = sharded(k, cta, t, "a", {64, 32}, f16, on_first, conflict_free),
                        b = sharded(k, cta, t, "b", {32, 2 * columns}, f16, by_columns, conflict_free),
                        sums = dot_sums(k, cta, "sums", f32, a, b);
    cta.loop(tiles(A.shape()[1], 32), [&](Interval s) {
        cta.when(a.holds(), [&] { cta.copy(a.own(), A(t.rows, s)); });
        cta.copy(b.own(), B(s, t.cols));
        distributed_dot(k, cta, sums, a, b);
    });
    cta.copy(C(t), sums.tensor);
}

Result<Program, axe::Problem> cluster_gemm_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), K = setting.number("K"),
                       columns = setting.number("tile_n");
    if (columns % 32 != 0 || columns > 256)
        return Problem(errc::bad_argument,
                       "tile_n is " + std::to_string(columns) + "; it must be a multiple of 32 and at most 256");
    Kernel k("cluster_gemm", setting.machine);
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {K, N}, f16), C = k.output("C", {M, N}, f32);
    k.computes(C, matmul(A, B));
    const std::int64_t pairs = (N + 2 * columns - 1) / (2 * columns); // of blocks side by side: the last one may be outside
    k.cta(tiles({M, pairs * 2 * columns}, {64, columns}), {{1, 2}}, [&](Scope cta, const Tile& t) {
        if (setting.word("form") == "sharded") {
            sharded_product(k, cta, t, A, B, C, columns);
            return;
        }
        const auto slots = cta.alloc(Role::shared, {2, 64, 32}, f16, {}, "slots"); // of the first block
        const auto a = cta.alloc(Role::shared, {64, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, columns}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {64, columns}, f32, accumulator, "acc");
        cta.fill(acc, 0);
        // One barrier of the cluster in a step: a slot is filled again two steps later, and between the two both blocks have come to the barrier
        // of the next step, behind their reads.
        cta.loop(tiles(K, 32), [&](Interval s) {
            const Affine slot = cta.index(floor_mod(floor_div(Expression(s.begin), 32), 2), 0, 2, "slot");
            cta.when(equals(t.rank, 0), [&] { cta.copy(slots(slot, all, all), A(t.rows, s)); });
            cta.copy(b, B(s, t.cols));
            cta.cluster_sync();
            cta.get(a, slots.of_block(0)(slot, all, all));
            cta.sync();
            cta.gemm(acc, a, b);
            cta.sync();
        });
        cta.copy(C(t), acc);
        cta.cluster_sync(); // the first block stays until the other one has read
    });
    return k.program();
}

} // namespace

const Example cluster_gemm{"cluster_gemm",
                           "a matrix product in clusters of two blocks, one of which loads the rows of A for both",
                           {{"M", "128", "rows of A", 1 << 14},
                            {"N", "512", "columns of B", 1 << 14},
                            {"K", "96", "columns of A", 1 << 14},
                            {"tile_n", "128", "columns of a block, a multiple of 32", 256},
                            {"form", "slots", "two slots of A in turn, or shardings", 0, {"slots", "sharded"}}},
                           {"sm90"},
                           {1},
                           cluster_gemm_program,
                           made_inputs,
                           nullptr};

} // namespace examples
