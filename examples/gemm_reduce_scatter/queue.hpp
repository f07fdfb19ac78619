// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_GEMM_REDUCE_SCATTER_QUEUE_HPP
#define AXE_EXAMPLES_GEMM_REDUCE_SCATTER_QUEUE_HPP

#include "sizes.hpp"

namespace examples {

using axe::Affine, axe::Expression, axe::Kernel, axe::MemoryOrder, axe::Scope, axe::ScalarRef, axe::Shape, axe::TensorRef,
    axe::Within;

/// Blocks that stay, and take tiles as they become free: of the device's queue of own tiles whose terms have all arrived, or else the next product
/// from a counter.      [mlc-ai/TIRx-kernels, GEMM + reduce-scatter]
///
/// A place in the queue is a ticket. A block keeps the one that it has taken until the place is filled, and multiplies in the meantime; where
/// no product is left it waits for it. Products wait for nothing of their launch, so that every place is filled in the end.
class ReduceScatterQueue {
  public:
    ReduceScatterQueue(Kernel& k, const ReduceScatterTiles& tiles, std::int64_t row_tiles, std::int64_t column_tiles,
                       std::int64_t blocks, bool in_network)
        : k_(k),
          t_(tiles),
          row_tiles_(row_tiles),
          column_tiles_(column_tiles),
          blocks_(blocks),
          in_network_(in_network),
          entries_(counters({tiles.s.devices, tiles.s.launches, own()}, "entries")),
          tail_(counters({tiles.s.devices, tiles.s.launches}, "tail")),
          head_(counters({tiles.s.devices, tiles.s.launches}, "head")),
          next_(counters({tiles.s.devices, tiles.s.launches}, "next")),
          ticket_(k.scalar("ticket")),
          ready_(k.scalar("ready")),
          product_(k.scalar("product")),
          what_(k.scalar("what")),
          before_(k.scalar("before")),
          place_(k.scalar("place"))
    {
        k.fill(entries_, 0).fill(tail_, 0).fill(head_, 0).fill(next_, 0);
    }

    void launch(std::int64_t number)
    {
        k_.cta(axe::tiles(blocks_, 1), [&](Scope cta, const axe::Tile&) {
            const auto told = cta.alloc(axe::Role::shared, {1}, axe::DType::i32, {}, "told");
            cta.assign(ticket_, -1);
            cta.loop_while(count(1), [&] {
                cta.warps(0, 1, "scheduler", [&](Scope warp) { choose(warp, told, number); });
                cta.sync();
                cta.assign(what_, load(told(0)));
                cta.when(equals(what_, 0), [&] { cta.break_loop(); });
                cta.when(
                    Expression(what_) <= count(products()), [&] { multiply(cta, number); },
                    [&] {
                        const Expression tile = Expression(what_) - count(products() + 1);
                        const Affine row = cta.index(floor_div(tile, count(column_tiles_)), 0, row_tiles_, "row");
                        const Affine column = cta.index(floor_mod(tile, count(column_tiles_)), 0, column_tiles_, "column");
                        t_.add_up(cta, row, column, number, in_network_);
                        // All have seen what this one was; where a launch follows, they have met for the signal.
                        if (number + 1 == t_.s.launches) cta.sync();
                    });
            });
        });
    }

  private:
    [[nodiscard]] std::int64_t own() const { return row_tiles_ * column_tiles_; } ///< tiles of a device
    [[nodiscard]] std::int64_t products() const { return own() * t_.s.devices; }  ///< of a device
    static Expression count(std::int64_t n) { return {static_cast<double>(n)}; }
    [[nodiscard]] TensorRef counters(const Shape& shape, const char* name)
    {
        std::int64_t each = 1;
        for (int d = 1; d < shape.size(); ++d) each *= shape[d];
        return k_.alloc(axe::Role::global, shape, axe::DType::i32, t_.s.by_rows(each), name);
    }

    /// Of the scheduler: 0 for nothing, 1 to `products` for a product, behind them for a tile of the own ones.
    void choose(Scope warp, const TensorRef& told, std::int64_t number)
    {
        const Affine launch = number;
        const Expression holds = Expression(ticket_) < count(own());
        const auto entry = [&] { return entries_(k_.device(), launch, warp.index(ticket_, 0, own(), "entry")); };
        const auto look = [&] { warp.add_to_flag(entry(), 0, MemoryOrder::acquire, Within::system, ready_); };
        warp.when(Expression(ticket_) < 0,
                  [&] { warp.add_to_flag(head_(k_.device(), launch), 1, MemoryOrder::relaxed, Within::device, ticket_); });
        warp.assign(ready_, 0).when(holds, look);
        warp.when(equals(ready_, 0), [&] {
            warp.add_to_flag(next_(k_.device(), launch), 1, MemoryOrder::relaxed, Within::device, product_);
            warp.when(both(count(products()) <= product_, holds), [&] {
                warp.wait_at_least(entry(), 1, MemoryOrder::relaxed, Within::system);
                look();
            });
        });
        const auto tell = [&](const Expression& n) { warp.iota(told, 0, warp.index(n, 0, products() + own() + 1, "n")); };
        warp.when(
            Expression(0) < ready_,
            [&] {
                tell(count(products()) + ready_);
                warp.assign(ticket_, -1);
            },
            [&] {
                warp.when(Expression(product_) < count(products()), [&] { tell(Expression(product_) + 1); }, [&] { tell(0); });
            });
    }
    /// The tiles of the next device come first, the own ones last. The device that brings the last terms of a tile puts it into its owner's queue.
    void multiply(Scope cta, std::int64_t number)
    {
        const Affine launch = number;
        const std::int64_t devices = t_.s.devices;
        const Expression product = Expression(what_) - 1, tile = floor_mod(product, count(own()));
        const Affine owner = cta.index(floor_mod(floor_div(product, count(own())) + Expression(k_.device()) + 1, count(devices)), 0,
                                       devices, "owner"),
                     row = cta.index(floor_div(tile, count(column_tiles_)), 0, row_tiles_, "row"),
                     column = cta.index(floor_mod(tile, count(column_tiles_)), 0, column_tiles_, "column");
        t_.multiply(cta, owner, row, column, number);
        cta.sync();
        cta.warps(0, 1, "scheduler", [&](Scope warp) {
            warp.add_to_flag(t_.arrived.remote(owner)(owner, row, column), 1, MemoryOrder::acquire_release, Within::system,
                             before_);
            warp.when(equals(before_, count(devices * (number + 1) - 1)), [&] {
                warp.add_to_flag(tail_.remote(owner)(owner, launch), 1, MemoryOrder::relaxed, Within::system, place_);
                warp.set_flag(entries_.remote(owner)(owner, launch, warp.index(place_, 0, own(), "place")), tile + 1,
                              MemoryOrder::release, Within::system);
            });
        });
    }

    Kernel& k_;
    const ReduceScatterTiles& t_;
    std::int64_t row_tiles_, column_tiles_, blocks_;
    bool in_network_;                        ///< are terms added up by the network?
    TensorRef entries_, tail_, head_, next_; ///< entries: 0, or 1 + the number of a tile; the others count places and products
    ScalarRef ticket_, ready_, product_, what_, before_, place_;
};

} // namespace examples

#endif
