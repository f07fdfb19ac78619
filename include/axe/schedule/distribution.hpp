// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_DISTRIBUTION_HPP
#define AXE_SCHEDULE_DISTRIBUTION_HPP

#include <axe/schedule/element_placement.hpp>

#include <memory>

namespace axe {
inline namespace v0 {

/// Who does which elements of an operator that works element by element, and how many a lane moves in one access. One distribution serves all
/// operands, as their views number their elements alike.
struct VectorDistribution {
    std::shared_ptr<const Distribution> elements{};
    int vector = 1;
};

/// Distributes the elements of operands (destination first) out to the agents and lanes that run an operator.
///
/// With a private operand the owners force it: a private destination is written by all owners of each element (`writes_copies`);
/// otherwise the first lane that holds the element in every private operand does it. Registers of a vector follow each other from a multiple of it, in the order
/// of the addresses. Without private operands the elements follow the addresses of the operand `along`, the lanes next to each
/// other. `vector` is the most that all operands allow within `most_bytes` a memory access; with private operands alone it is 1.
///
/// `errc::bad_argument` with the element when no lane holds all of its operands, or one that does not run the operator must write it.
inline Result<VectorDistribution, Problem> distribute(const Request& request, const std::vector<const ElementPlacement*>& operands,
                                                      int along, int most_bytes, bool writes_copies = true);

/// An element as a lane does it: `reg` is the driver's register, which orders the lane's elements.
struct LaneElement {
    std::int64_t reg;
    std::int32_t element;
    friend auto operator<=>(const LaneElement&, const LaneElement&) = default;
};

namespace detail {

inline bool has_lanes_to_load(const Machine& machine) noexcept { return has_instruction(machine, "ld"); }

/// The list of every lane of every agent that runs the operator.
using Tasks = std::vector<std::vector<LaneElement>>;

/// The vectors of a lane: aligned runs of registers, each a vector of every operand. False when some do not fit.
inline bool are_vectors(const std::vector<const ElementPlacement*>& operands, const ExecutionScope& place, int lanes,
                        const Tasks& tasks, int vector)
{
    if (vector == 1) return true;
    for (std::size_t owner = 0; owner < tasks.size(); ++owner) {
        const auto& list = tasks[owner];
        if (list.size() % static_cast<std::size_t>(vector) != 0) return false;
        const int agent = place.first + static_cast<int>(owner) / lanes * place.stride, lane = static_cast<int>(owner) % lanes;
        std::vector<std::int32_t> elements(static_cast<std::size_t>(vector));
        for (std::size_t i = 0; i < list.size(); i += static_cast<std::size_t>(vector)) {
            for (std::size_t j = 0; j < elements.size(); ++j) elements[j] = list[i + j].element;
            for (const ElementPlacement* s : operands) {
                if (!s->is_private) {
                    if (!s->is_vector(elements.data(), vector)) return false;
                    continue;
                }
                const std::int64_t first = s->held_by(elements[0], agent, lane)->reg;
                if (first % vector != 0 || s->step % vector != 0) return false;
                for (int j = 1; j < vector; ++j)
                    if (s->held_by(elements[static_cast<std::size_t>(j)], agent, lane)->reg != first + j) return false;
            }
        }
    }
    return true;
}

/// Rows of `vector` tasks, the k-th of each lane in issue k.
inline VectorDistribution distribution_of(const Tasks& tasks, const ExecutionScope& place, int lanes, int vector)
{
    Distribution p;
    p.agents = place.count;
    p.lanes = lanes;
    p.vector = vector;
    p.issues = 0;
    for (const auto& list : tasks) p.issues = std::max(p.issues, static_cast<int>(list.size()) / vector);
    p.element.assign(p.at(p.issues, 0, 0), -1);
    for (std::size_t owner = 0; owner < tasks.size(); ++owner)
        for (std::size_t i = 0; i < tasks[owner].size(); ++i)
            p.element[p.at(static_cast<int>(i) / vector, static_cast<int>(owner) / lanes, static_cast<int>(owner) % lanes,
                           static_cast<int>(i) % vector)] = tasks[owner][i].element;
    return {std::make_shared<const Distribution>(std::move(p)), vector};
}

/// The most elements of a vector that the bytes of all operands in memories allow; 1 without any.
inline int widest_vector(const std::vector<const ElementPlacement*>& operands, int most_bytes)
{
    int bytes = 0;
    for (const ElementPlacement* s : operands)
        if (!s->is_private) bytes = std::max(bytes, s->bytes);
    int vector = 1;
    while (bytes > 0 && 2 * vector * bytes <= most_bytes) vector *= 2;
    return vector;
}

inline Result<VectorDistribution, Problem> distribute_by_owner(const Request& request,
                                                               const std::vector<const ElementPlacement*>& operands,
                                                               const ElementPlacement& driver, int most_bytes, bool writes_all)
{
    const ExecutionScope& place = request.execution_scope();
    const int lanes = block_scopes(request.machine()).lanes();
    Tasks tasks(static_cast<std::size_t>(place.count) * static_cast<std::size_t>(lanes));
    bool repeated = false; // does a lane hold an element in several registers?
    for (std::int32_t e = 0; e < driver.count; ++e) {
        const auto begin = driver.begin[static_cast<std::size_t>(e)], end = driver.begin[static_cast<std::size_t>(e) + 1];
        const ElementPlacement* lacking = nullptr; // who does not have it where it is needed
        Owner where{-1, -1, 0};
        bool done = writes_all && begin == end; // what is never there is never written
        for (auto i = begin; i < end && (writes_all || !done); ++i) {
            const Owner& o = driver.owner[static_cast<std::size_t>(i)];
            if (i > begin && driver.owner[static_cast<std::size_t>(i) - 1].agent == o.agent &&
                driver.owner[static_cast<std::size_t>(i) - 1].lane == o.lane)
                continue;
            const int at = place.index_of(o.agent);
            bool here = at >= 0;
            where = o;
            for (const ElementPlacement* s : operands) {
                if (!here || !s->is_private) continue;
                if (const Owner* held = s->held_by(e, o.agent, o.lane)) {
                    const Owner* next = held + 1;
                    const bool last = next == s->owner.data() + s->begin[static_cast<std::size_t>(e) + 1];
                    repeated = repeated || (!last && next->agent == o.agent && next->lane == o.lane);
                    continue;
                }
                lacking = s;
                here = false;
            }
            if (here) {
                tasks[static_cast<std::size_t>(at * lanes + o.lane)].push_back({o.reg, e});
                done = true;
            } else if (writes_all) {
                done = false;
                break;
            }
        }
        if (done) continue;
        const std::string agent = std::to_string(where.agent), lane = std::to_string(where.lane);
        const std::string missing =
            begin == end ? worded("{0} has it in no lane", {driver.name})
            : lacking == nullptr
                ? worded("{0} has it in agent {1}, which does not run this statement", {driver.name, agent})
                : worded("{0} does not have it in agent {1}, lane {2}, where {3} does", {lacking->name, agent, lane, driver.name});
        return Problem(errc::bad_argument, "element {0} of the views has no lane: {1}", {e, missing});
    }
    for (auto& list : tasks) std::sort(list.begin(), list.end());
    int vector = repeated ? 1 : widest_vector(operands, most_bytes);
    while (!are_vectors(operands, place, lanes, tasks, vector)) vector /= 2;
    return distribution_of(tasks, place, lanes, vector);
}

inline VectorDistribution distribute_by_address(const Request& request, const std::vector<const ElementPlacement*>& operands,
                                                int along, int most_bytes)
{
    const ExecutionScope& place = request.execution_scope();
    const int lanes = block_scopes(request.machine()).lanes();
    const ElementPlacement& leader = *operands[static_cast<std::size_t>(along)];
    std::vector<std::int32_t> order(static_cast<std::size_t>(leader.count));
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](std::int32_t a, std::int32_t b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if (!leader.place.empty() && leader.place[i] != leader.place[j]) return leader.place[i] < leader.place[j];
        return leader.address[i] != leader.address[j] ? leader.address[i] < leader.address[j] : a < b;
    };
    if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
    const auto fits = [&](int vector) {
        if (vector == 1) return true;
        if (leader.count % vector != 0) return false;
        for (std::size_t i = 0; i < order.size(); i += static_cast<std::size_t>(vector))
            for (const ElementPlacement* s : operands)
                if (!s->is_vector(&order[i], vector)) return false;
        return true;
    };
    int vector = widest_vector(operands, most_bytes);
    while (!fits(vector)) vector /= 2;
    Distribution p;
    p.agents = place.count;
    p.lanes = lanes;
    p.vector = vector;
    const auto row = p.at(1, 0, 0);
    p.issues = static_cast<int>((order.size() + row - 1) / row);
    order.resize(static_cast<std::size_t>(p.issues) * row, -1);
    p.element = std::move(order);
    return {std::make_shared<const Distribution>(std::move(p)), vector};
}

} // namespace detail

inline Result<VectorDistribution, Problem> distribute(const Request& request, const std::vector<const ElementPlacement*>& operands,
                                                      int along, int most_bytes, bool writes_copies)
{
    for (const ElementPlacement* s : operands)
        if (s->count != operands[0]->count)
            return Problem(errc::size_mismatch, "the view of {0} has {1} elements, that of {2} {3}",
                           {s->name, s->count, operands[0]->name, operands[0]->count});
    for (const ElementPlacement* s : operands)
        if (s->partitioned && detail::has_lanes_to_load(request.machine()))
            return Problem(errc::bad_argument, "{0} is in a memory with partitions; lanes do not load from it or store to it",
                           {s->name});
    const ElementPlacement* driver = nullptr;
    for (const ElementPlacement* s : operands)
        if (s->is_private && driver == nullptr) driver = s;
    if (driver != nullptr)
        return detail::distribute_by_owner(request, operands, *driver, most_bytes, writes_copies && driver == operands[0]);
    // The operand that leads gives the order; where another allows wider vectors, that one.
    VectorDistribution best = detail::distribute_by_address(request, operands, along, most_bytes);
    const int most = detail::widest_vector(operands, most_bytes);
    for (int other = 0; other < static_cast<int>(operands.size()) && best.vector < most; ++other) {
        if (other == along) continue;
        VectorDistribution next = detail::distribute_by_address(request, operands, other, most_bytes);
        if (next.vector > best.vector) best = std::move(next);
    }
    return best;
}

} // namespace v0
} // namespace axe

#endif
