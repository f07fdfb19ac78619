// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_CP_ASYNC_HPP
#define AXE_TARGET_NVIDIA_OPCODES_CP_ASYNC_HPP

#include <axe/target/nvidia/opcodes/async_copy.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `cp_async` D, A: lanes start copies of 4, 8 or 16 bytes from global to shared memory that go on by themselves; what is outside a
/// guarded A arrives as zeros. They are the agent's engine's, in its open group.      [PTX ISA, cp.async]
///
/// With all checks the bytes are read when it starts *and* when it is waited for: a difference is a fault. They arrive at the wait.
class CopyAsync : public AsyncCopy {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<CopyAsync>();
        if (auto problem = e->resolve(p); !problem.ok()) return problem;
        const LaneAccess &d = e->operands[0], &a = e->operands[1];
        if (d.plan->owner != Owner::block || a.plan->owner != Owner::device)
            return p.refuse("the copy must be from global to shared memory, got {0} to {1}",
                            {a.plan->tensor->memory, d.plan->tensor->memory});
        if (d.bytes != 4 && d.bytes != 8 && d.bytes != 16) return p.refuse("a lane copies 4, 8 or 16 bytes, got {0}", {d.bytes});
        e->ends_by = EndsBy::copies;
        e->at_once = !e->together_.runs.empty();
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements to, from;
        if (!locate(block, column, agent, to, from)) return false;
        if (block.counting()) count_issues(block, *this, to);
        if (!block.full()) {
            if (!block.leaves()) return move(block, column, agent, to, from);
            block.leave_in_copies(agent, [this, at = &block, column, agent] { return move_later(*at, column, agent); });
            return true;
        }
        const LaneAccess &d = operands[0], &a = operands[1];
        const std::byte* source = block.data(a, agent);
        const std::int64_t width = d.plan->width;
        const bool kept = to.kept() && from.kept();
        const Actor engine = block.engine(agent, index);
        if (alike_ && !block.check_copy(*this, engine, {0, &to}, {1, &from}, true)) return false;
        if (alike_ && kept && !a.plan->written) { // no instruction changes the source: it is read when it arrives
            Block* at = &block;
            block.start_async(agent, [this, at, column, agent, to, from] { return move(*at, column, agent, to, from); });
            return true;
        }
        auto started = std::make_shared<Started>();
        for (std::size_t i = 0; i < d.entries(); ++i) {
            if (to.table[i] <= outside || from.table[i] == inactive) continue;
            const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
            const std::int64_t t = to.base + to.table[i], f = from.table[i] == outside ? -1 : from.base + from.table[i];
            if (!alike_ && f >= 0 && !block.read(*this, 1, engine, lane, f, a.bytes)) return false;
            if (!alike_ && !block.write(*this, 0, engine, lane, t, d.bytes)) return false;
            started->copies.push_back({t, f, lane});
            const std::size_t old = started->bytes.size();
            started->bytes.resize(old + static_cast<std::size_t>(d.bytes));
            if (f >= 0) copy_bytes(started->bytes.data() + old, source + f * width, d.bytes);
        }
        Block* at = &block;
        block.start_async(agent, [this, at, agent, started] { return finish(*at, agent, *started); });
        return true;
    }

  private:
    struct Started {
        struct Copy {
            std::int64_t to, from;
            int lane;
        };
        std::vector<Copy> copies{};
        std::vector<std::byte> bytes{}; ///< as they were at the start
    };

    bool finish(Block& block, int agent, const Started& started) const
    {
        const LaneAccess &d = operands[0], &a = operands[1];
        std::byte* target = block.data(d, agent);
        const std::byte* source = block.data(a, agent);
        const auto bytes = static_cast<std::size_t>(d.bytes);
        for (std::size_t i = 0; i < started.copies.size(); ++i) {
            const auto& copy = started.copies[i];
            const std::byte* then = started.bytes.data() + i * bytes;
            if (copy.from >= 0 && std::memcmp(then, source + copy.from * a.plan->width, bytes) != 0)
                return block.fail(FaultKind::async_source, statement,
                                  changed_text(block.describe(*this, 1, agent, copy.lane, copy.from), asynchronous_copy));
            copy_bytes(target + copy.to * d.plan->width, then, d.bytes);
        }
        return true;
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
