// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_PIPELINE_HPP
#define AXE_PROGRAM_PIPELINE_HPP

#include <axe/program/kernel.hpp>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {

/// A ring of stages between agents that bring tiles by asynchronous copies and agents that use them: what each waits for and signals.
/// [CUTLASS, PipelineTmaAsync]
///
/// Tile i is in stage i mod stages, in round i / stages. Stage s has two mbarriers: `full`, on which the bytes of its copies complete, and
/// `empty`, at which those who use it arrive.
///
///   full(s) completes phase r   when the copies of round r have come;     consumers wait for phase r
///   empty(s) completes phase r  when `consumers` agents have released it; the producer waits for phase r − 1 before it loads round r
class Pipeline {
  public:
    /// @param first the mbarriers are numbered from here on: those that are full, then those that are empty
    /// @param consumers how many agents (warps) release a stage in each round
    Pipeline(int first, int stages, int consumers) : first_(first), stages_(stages), consumers_(consumers) {}

    /// The ring of a cluster of two blocks that hold a stage together, with `rank` of this block: products of both, started by that of
    /// rank 0, use it. `full` of rank 0 counts the bytes of both, releases of both arrive at `empty` there, and commits at `full` of each.
    [[nodiscard]] Pipeline of_pair(Affine rank) const
    {
        Pipeline out = *this;
        out.rank_ = std::move(rank);
        return out;
    }

    [[nodiscard]] int stages() const noexcept { return stages_; }
    [[nodiscard]] int full(int stage) const noexcept { return first_ + stage; }
    [[nodiscard]] int empty(int stage) const noexcept { return first_ + stages_ + stage; }

    /// Initializes the mbarriers, by one agent; the block must sync before they are used.
    void init(Scope agent, SourceLine at = SourceLine::here()) const
    {
        for (int s = 0; s < stages_; ++s) {
            agent.mbarrier({Mbarrier::Action::init, full(s), 1, {}}, at);
            agent.mbarrier({Mbarrier::Action::init, empty(s), consumers_, {}}, at);
        }
    }

    /// Which tile: a stage of the ring, and the round in which it has the tile.
    struct Turn {
        int stage = 0;
        Expression round{};
    };
    [[nodiscard]] Turn turn(std::int64_t tile) const
    {
        return {static_cast<int>(tile % stages_), static_cast<double>(tile / stages_)};
    }
    /// Calls body(turn, tile) for tiles 0 to n − 1: a loop over rounds, the stages of each written out.
    void loop(Scope scope, std::int64_t n, const std::function<void(const Turn&, const Affine&)>& body,
              SourceLine at = SourceLine::here()) const
    {
        loop(scope, n, Affine(0), body, at);
    }
    /// The same where it is run again and again, `before` times until then. Each time begins with the first stage, and a stage's rounds
    /// count on: in one loop over n tiles it has ⌈(n − stage)/stages⌉.
    void loop(Scope scope, std::int64_t n, const Affine& before, const std::function<void(const Turn&, const Affine&)>& body,
              SourceLine at = SourceLine::here()) const
    {
        scope.loop(
            0, (n + stages_ - 1) / stages_, 1,
            [&](const Affine& round) {
                for (int s = 0; s < stages_ && s < n; ++s) {
                    const std::int64_t rounds = (n - s + stages_ - 1) / stages_;
                    const auto one = [&] { body({s, Expression(before * rounds + round)}, round * stages_ + s); };
                    if (n % stages_ == 0 || s < n % stages_)
                        one();
                    else // of the last round the first stages alone have tiles
                        scope.when(Expression(round) < static_cast<double>(n / stages_), one, {}, at);
                }
            },
            at);
    }

    /// A tile of the target, and of what comes there.
    using Copies = std::vector<std::pair<ViewRef, ViewRef>>;
    /// Waits until the stage is empty, and starts the copies, whose bytes it expects. For the scope of one agent.
    void load(Scope producer, const Turn& turn, const Copies& copies, SourceLine at = SourceLine::here()) const
    {
        std::int64_t of_block = 0;
        for (const auto& [d, a] : copies) of_block += volume(d.shape()).value_or(0) * packed_bits(d.dtype()) / 8;
        wait_empty(producer, turn, at);
        const std::int64_t bytes = of_block * (rank_ ? 2 : 1);
        const auto expect = [&] { producer.mbarrier({Mbarrier::Action::expect_bytes, full(turn.stage), bytes, {}}, at); };
        if (rank_)
            producer.when(equals(*rank_, 0), expect, {}, at);
        else
            expect();
        for (const auto& [d, a] : copies)
            producer.copy_async(d, a, {.completes_on = full(turn.stage), .pair = rank_.has_value()}, at);
    }

    /// Waits until the stage is empty. Of a ring whose tiles no copies bring: what fills it signals with `commit`.
    void wait_empty(Scope producer, const Turn& turn, SourceLine at = SourceLine::here()) const
    {
        producer.mbarrier({Mbarrier::Action::wait, empty(turn.stage), 0, floor_mod(turn.round + 1, 2)}, at);
    }
    /// The tile is there once the agent's products and copies in tensor memory so far are complete.
    void commit(Scope producer, const Turn& turn, SourceLine at = SourceLine::here()) const
    {
        Mbarrier m{Mbarrier::Action::commit, full(turn.stage), 0, {}};
        m.multicast = both();
        producer.mbarrier(m, at);
    }

    /// Waits until the tile is there.
    void wait(Scope consumer, const Turn& turn, SourceLine at = SourceLine::here()) const
    {
        consumer.mbarrier({Mbarrier::Action::wait, full(turn.stage), 0, floor_mod(turn.round, 2)}, at);
    }
    /// Gives the stage back. What asynchronous products read must be waited for before.
    void release(Scope consumer, const Turn& turn, SourceLine at = SourceLine::here()) const
    {
        Mbarrier m{Mbarrier::Action::arrive, empty(turn.stage), 0, {}};
        if (rank_) m.rank = Affine(0);
        consumer.mbarrier(m, at);
    }
    /// Options of a product in tensor memory that gives the stage back once it is complete.
    [[nodiscard]] Options releasing(const Turn& turn) const
    {
        return {.completes_on = empty(turn.stage), .multicast = both(), .pair = rank_.has_value()};
    }
    /// The same of a stage that ordinary copies or operators have read.
    void release_after_reads(Scope consumer, const Turn& turn, SourceLine at = SourceLine::here()) const
    {
        consumer.proxy_fence(at);
        release(consumer, turn, at);
    }

  private:
    [[nodiscard]] std::uint16_t both() const noexcept { return rank_ ? 0b11 : 0; }

    int first_, stages_, consumers_;
    std::optional<Affine> rank_{}; ///< of a pair
};

} // namespace v0
} // namespace axe

#endif
