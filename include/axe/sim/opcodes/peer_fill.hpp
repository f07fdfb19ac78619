// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_PEER_FILL_HPP
#define AXE_SIM_OPCODES_PEER_FILL_HPP

#include <axe/sim/opcodes/peer.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// D = number, outside of blocks: each device fills the elements that it holds itself.
class PeerFill : public DeviceExecutable {
  public:
    static PreparedForDevice prepare(const Preparation& p)
    {
        if (auto problem = check_peer_operands(p, 1); !problem.ok()) return problem;
        auto e = std::make_unique<PeerFill>();
        e->instruction = p.instruction;
        e->statement = p.statement;
        e->bits_ = encode(p.plan(0).tensor->dtype, p.instruction->number);
        return PreparedForDevice(std::unique_ptr<DeviceExecutable>(std::move(e)));
    }

    bool run(System& system, int device) const override
    {
        Peer peer(system, *this, device);
        peer.count_issue();
        const BoxSide d = peer.side(0);
        return walk(d.view->extents, &d, 1, [&](const Stretch& s) {
            if (!peer.goes_on(s.n)) return false;
            const Stretch::At& to = s.at[0];
            if (!to.inside) return d.view->guarded || peer.leaves(d, s);
            if (!d.is_on(to.device, device)) return true;
            if (!peer.write(d, device, s, to)) return false;
            const auto width = static_cast<std::int64_t>(d.plan->width);
            peer.count(0, s.n * width * static_cast<std::int64_t>(d.plan->address.copies.size()), peer.device());
            std::byte* target = peer.data(d, device);
            return for_copies(*d.plan, to, s.n, [&](std::int64_t, const Stretch::At& copy, std::int64_t n) {
                for (std::int64_t i = 0; i < n; ++i) store_bits(target + copy(i) * width, bits_, d.plan->width);
                return true;
            });
        });
    }

  private:
    std::uint64_t bits_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
