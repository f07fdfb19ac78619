// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_PEER_REDUCE_HPP
#define AXE_SIM_OPCODES_PEER_REDUCE_HPP

#include <axe/sim/opcodes/box_reduce.hpp>
#include <axe/sim/opcodes/peer.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `peer_reduce` D, A with a function and parameters {reduced dimensions of A, perhaps −1}: D = f over these dimensions of A; with the
/// −1, D = f(D, …).
///
/// The device does the elements that D has on it. Terms come from the device itself or the nearest that has them. They are added in the
/// order of the lowest devices that have them, and row-major on each: all devices round alike. One rounding to D's type at the end.
/// Where the text names `multimem`, the network between the devices reduces, and one value for all terms crosses a link.
class PeerReduce : public DeviceExecutable {
  public:
    explicit PeerReduce(Reduction reduction) : reduction_(std::move(reduction)) {}

    static PreparedForDevice prepare(const Preparation& p)
    {
        if (auto problem = check_peer_operands(p, 2); !problem.ok()) return problem;
        auto reduced = reduced_dims(p);
        if (!reduced) return reduced.error();
        auto reduction = Reduction::make(p);
        if (!reduction) return reduction.error();
        auto e = std::make_unique<PeerReduce>(std::move(*reduction));
        e->instruction = p.instruction;
        e->statement = p.statement;
        e->reduced_ = std::move(*reduced);
        e->in_network_ = p.instruction->text.rfind("multimem", 0) == 0;
        return PreparedForDevice(std::unique_ptr<DeviceExecutable>(std::move(e)));
    }

    bool run(System& system, int device) const override
    {
        Peer peer(system, *this, device);
        peer.count_issue();
        const auto work = std::make_shared<Work>(*this, peer);
        const bool later = instruction->async && system.full();
        if (!terms(peer, *work, later) || !results(peer, *work, later)) return false;
        if (later) {
            System* at = &system;
            system.leave_open(device, peer.actor(), [this, at, device, work] { return finish(*at, device, *work); });
        }
        return true;
    }

  private:
    /// A stretch of one term, from whose memory it is (−1: zeros).
    struct Job {
        Stretch stretch{};
        std::int64_t source = -1;
        std::size_t term = 0;
    };
    struct Work {
        Work(const PeerReduce& e, Peer& peer)
            : views(e.instruction->operands[1].view, e.reduced_,
                    origin_of(e.instruction->operands[1].view, peer.system().variables(peer.device()))),
              d(peer.side(0)),
              sums(e.reduction_.started(*volume(views.kept.extents)))
        {
            const TensorPlan& plan = peer.system().compiled().plans[static_cast<std::size_t>(views.kept.tensor)];
            std::vector<std::pair<std::int64_t, std::size_t>> order;
            for (std::size_t t = 0; t < views.origins.size(); ++t) {
                std::int64_t coord[max_rank];
                for (int k = 0; k < plan.tensor->shape.size(); ++k)
                    coord[k] =
                        std::clamp<std::int64_t>(views.origins[t][static_cast<std::size_t>(k)], 0, plan.tensor->shape[k] - 1);
                order.emplace_back(plan.device(coord), t);
            }
            std::sort(order.begin(), order.end());
            for (const auto& [on, t] : order) terms.push_back(box_side(plan, views.kept, views.origins[t]));
        }
        TermViews views;
        BoxSide d;
        std::vector<BoxSide> terms{}; ///< in the order they are taken
        Reduction sums;
        std::vector<Job> jobs{}; ///< of an asynchronous one
        std::vector<std::byte> bytes{};
    };

    bool terms(Peer& peer, Work& work, bool later) const
    {
        const Shape& shape = work.views.kept.extents;
        const std::int64_t width = work.terms[0].plan->width;
        for (std::size_t t = 0; t < work.terms.size(); ++t) {
            const BoxSide sides[2] = {work.d, work.terms[t]};
            const bool done = walk(shape, sides, 2, [&](const Stretch& s) {
                if (!peer.goes_on(s.n)) return false;
                const auto& [to, from] = std::tie(s.at[0], s.at[1]);
                if (!to.inside) return work.d.view->guarded || peer.leaves(work.d, s);
                if (!work.d.is_on(to.device, peer.device())) return true;
                if (!from.inside && !instruction->operands[1].view.guarded) return peer.leaves(work.terms[t], s);
                Job job{s, from.inside ? peer.source_of(work.terms[t], from) : -1, t};
                if (job.source >= 0 && !peer.read(work.terms[t], job.source, s, from)) return false;
                const std::byte* source = job.source < 0 ? nullptr : peer.data(work.terms[t], job.source);
                work.sums.add(s.index, source, from, s.n, t == 0);
                if (job.source >= 0) peer.count(1, s.n * width, in_network_ ? peer.device() : job.source);
                if (t > 0 || reduced_.accumulate) peer.count_operations(work.sums.operations() * s.n, work.sums.in_integers());
                if (later && job.source >= 0) {
                    const std::size_t old = work.bytes.size();
                    work.bytes.resize(old + static_cast<std::size_t>(s.n * width));
                    move_elements(*work.terms[t].plan, work.bytes.data() + old, {0, 1, 0, true}, *work.terms[t].plan, source, from,
                                  s.n);
                    work.jobs.push_back(job);
                }
                return true;
            });
            if (!done) return false;
        }
        return true;
    }

    /// Checks that D may be written, and writes it unless that is for later.
    bool results(Peer& peer, Work& work, bool later) const
    {
        return walk(work.views.kept.extents, &work.d, 1, [&](const Stretch& s) {
            if (!peer.goes_on(s.n)) return false;
            const Stretch::At& to = s.at[0];
            if (!to.inside || !work.d.is_on(to.device, peer.device())) return true;
            if (reduced_.accumulate && !peer.read(work.d, peer.device(), s, to)) return false;
            if (!peer.write(work.d, peer.device(), s, to)) return false;
            const std::int64_t bytes = s.n * work.d.plan->width;
            peer.count(0, bytes * static_cast<std::int64_t>(work.d.plan->address.copies.size()), peer.device());
            if (reduced_.accumulate) peer.count_read_back(bytes);
            if (in_network_) peer.count_network(s.n * work.terms[0].plan->width);
            if (!later) store(peer.system(), peer.device(), work, s);
            return true;
        });
    }

    void store(System& system, int device, const Work& work, const Stretch& s) const
    {
        const TensorPlan& plan = *work.d.plan;
        std::byte* data = system.state(device).global[static_cast<std::size_t>(work.d.tensor)].data;
        for (std::int64_t i = 0; i < s.n; ++i) {
            const std::int64_t place = s.at[0](i);
            const std::uint64_t old = load_bits(data + place * plan.width, plan.width);
            const std::uint64_t bits = work.sums.result(s.index + i, reduced_.accumulate ? &old : nullptr);
            for (const std::int64_t copy : plan.address.copies)
                store_bits(data + plan.copy_place(place, copy - plan.address.copies.front()) * plan.width, bits, plan.width);
        }
    }

    bool finish(System& system, int device, const Work& work) const
    {
        const std::byte* then = work.bytes.data();
        const auto width = static_cast<std::size_t>(work.terms[0].plan->width);
        for (const Job& job : work.jobs) {
            const BoxSide& a = work.terms[job.term];
            const std::byte* now = system.state(static_cast<int>(job.source)).global[static_cast<std::size_t>(a.tensor)].data;
            for (std::int64_t i = 0; i < job.stretch.n; ++i, then += width)
                if (std::memcmp(then, now + static_cast<std::size_t>(job.stretch.at[1](i)) * width, width) != 0)
                    return system.fail(
                        device, FaultKind::async_source, statement,
                        changed_text(on_device_text(a.element_text(job.stretch.index + i), job.source), "asynchronous reduction"));
        }
        return walk(work.views.kept.extents, &work.d, 1, [&](const Stretch& s) {
            if (s.at[0].inside && work.d.is_on(s.at[0].device, device)) store(system, device, work, s);
            return true;
        });
    }

    Reduction reduction_;
    ReducedDims reduced_{};
    bool in_network_ = false;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
