// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_PEER_COPY_HPP
#define AXE_SIM_OPCODES_PEER_COPY_HPP

#include <axe/sim/opcodes/peer.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `peer_copy` D, A with parameters {0 pull | 1 push}: D = A, converted to D's type, what is outside a guarded A being 0.
///
/// Each device that D is on takes an element from itself or from the nearest device that has it. Pull: the device that D is on reads. Push:
/// the device that A is on writes; zeros come from the lowest device that D is on.
/// Asynchronous and with all checks, A is read when it starts *and* when it is waited for: a difference is a fault. D is written at
/// the wait.
class PeerCopy : public DeviceExecutable {
  public:
    static PreparedForDevice prepare(const Preparation& p)
    {
        if (auto problem = check_peer_operands(p, 2); !problem.ok()) return problem;
        if (auto problem = same_extents(p); !problem.ok()) return problem;
        const auto& parameters = p.instruction->parameters;
        if (parameters.size() > 1 || (!parameters.empty() && parameters[0] != 0 && parameters[0] != 1))
            return p.refuse("its parameter must be 0 (pull) or 1 (push)");
        auto e = std::make_unique<PeerCopy>();
        e->instruction = p.instruction;
        e->statement = p.statement;
        e->push_ = !parameters.empty() && parameters[0] == 1;
        return PreparedForDevice(std::unique_ptr<DeviceExecutable>(std::move(e)));
    }

    bool run(System& system, int device) const override
    {
        Peer peer(system, *this, device);
        peer.count_issue();
        const auto started = std::make_shared<Started>();
        started->sides[0] = peer.side(0);
        started->sides[1] = peer.side(1);
        const bool later = instruction->async && system.full();
        const BoxSide &d = started->sides[0], &a = started->sides[1];
        const bool before =
            later || d.tensor == a.tensor; // all of A is read before any of D, of which it may be a part, is written
        const bool done = walk(d.view->extents, started->sides, 2, [&](const Stretch& s) {
            if (!peer.goes_on(s.n)) return false;
            Job job{s, -1, {}};
            if (!take(peer, d, a, job)) return false;
            if (job.targets.empty()) return true;
            if (job.source >= 0 && !peer.read(a, job.source, s, s.at[1])) return false;
            for (const std::int64_t to : job.targets)
                if (!peer.write(d, to, s, s.at[0])) return false;
            count(peer, d, a, job);
            if (!before) return move(system, d, a, job, job.source < 0 ? nullptr : peer.data(a, job.source), s.at[1]);
            if (job.source >= 0) {
                const std::size_t old = started->bytes.size(), width = static_cast<std::size_t>(a.plan->width);
                started->bytes.resize(old + static_cast<std::size_t>(s.n) * width);
                move_elements(*a.plan, started->bytes.data() + old, {0, 1, 0, true}, *a.plan, peer.data(a, job.source), s.at[1],
                              s.n);
            }
            started->jobs.push_back(std::move(job));
            return true;
        });
        if (!done) return false;
        if (later) {
            System* at = &system;
            system.leave_open(device, peer.actor(), [this, at, device, started] { return finish(*at, device, *started, true); });
            return true;
        }
        return finish(system, device, *started, false);
    }

  private:
    /// A stretch, where it comes from (−1: zeros), and whose memory it goes to.
    struct Job {
        Stretch stretch{};
        std::int64_t source = -1;
        std::vector<std::int64_t> targets{};
    };
    struct Started {
        BoxSide sides[2]{};
        std::vector<Job> jobs{};
        std::vector<std::byte> bytes{}; ///< of A, as they were at the start
    };

    /// What of the stretch is this device's to do.
    bool take(Peer& peer, const BoxSide& d, const BoxSide& a, Job& job) const
    {
        const auto& [to, from] = std::tie(job.stretch.at[0], job.stretch.at[1]);
        if (!to.inside) return d.view->guarded || peer.leaves(d, job.stretch);
        if (!push_) {
            if (!d.is_on(to.device, peer.device())) return true;
            if (!from.inside && !a.view->guarded) return peer.leaves(a, job.stretch);
            if (from.inside) job.source = peer.source_of(a, from);
            job.targets = {peer.device()};
            return true;
        }
        if (!from.inside && !a.view->guarded) return peer.leaves(a, job.stretch);
        if (from.inside ? !a.is_on(from.device, peer.device()) : to.device != peer.device()) return true;
        if (from.inside) job.source = peer.device();
        for (const std::int64_t copy : d.plan->device.copies) {
            const std::int64_t target = to.device + copy - d.plan->device.copies.front();
            if (!from.inside || a.plan->device.nearest(from.device, target) == peer.device()) job.targets.push_back(target);
        }
        return true;
    }

    static void count(Peer& peer, const BoxSide& d, const BoxSide& a, const Job& job)
    {
        const std::int64_t read = job.source < 0 ? 0 : job.stretch.n * a.plan->width, written = job.stretch.n * d.plan->width;
        peer.count(1, read, job.source < 0 ? peer.device() : job.source);
        for (const std::int64_t to : job.targets)
            peer.count(0, written * static_cast<std::int64_t>(d.plan->address.copies.size()), to);
    }

    /// To all copies of D.
    static bool move(System& system, const BoxSide& d, const BoxSide& a, const Job& job, const std::byte* source,
                     const Stretch::At& from)
    {
        for (const std::int64_t to : job.targets) {
            std::byte* target = system.state(static_cast<int>(to)).global[static_cast<std::size_t>(d.tensor)].data;
            for_copies(*d.plan, job.stretch.at[0], job.stretch.n, [&](std::int64_t i, const Stretch::At& copy, std::int64_t n) {
                Stretch::At part = from;
                part.place = from(i);
                move_elements(*d.plan, target, copy, *a.plan, source, part, n);
                return true;
            });
        }
        return true;
    }

    /// Writes what was read before. @param checked is A as it was?
    bool finish(System& system, int device, const Started& started, bool checked) const
    {
        const BoxSide &d = started.sides[0], &a = started.sides[1];
        const std::byte* then = started.bytes.data();
        const auto width = static_cast<std::size_t>(a.plan->width);
        for (const Job& job : started.jobs) {
            if (job.source < 0) {
                move(system, d, a, job, nullptr, {});
                continue;
            }
            const std::byte* now = system.state(static_cast<int>(job.source)).global[static_cast<std::size_t>(a.tensor)].data;
            for (std::int64_t i = 0; checked && i < job.stretch.n; ++i)
                if (std::memcmp(then + static_cast<std::size_t>(i) * width,
                                now + static_cast<std::size_t>(job.stretch.at[1](i)) * width, width) != 0)
                    return system.fail(
                        device, FaultKind::async_source, statement,
                        changed_text(on_device_text(a.element_text(job.stretch.index + i), job.source), asynchronous_copy));
            move(system, d, a, job, then, {0, 1, 0, true});
            then += static_cast<std::size_t>(job.stretch.n) * width;
        }
        return true;
    }

    bool push_ = false;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
