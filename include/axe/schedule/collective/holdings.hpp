// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVE_HOLDINGS_HPP
#define AXE_SCHEDULE_COLLECTIVE_HOLDINGS_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/schedule/collective/device_map.hpp>

#include <map>
#include <set>

/// Who has what before, and who wants what after: sets of elements, by which collectives are told apart.
namespace axe {
inline namespace v0 {
namespace detail {

/// Some elements, ascending, by number.
using Holding = std::vector<std::int32_t>;
using Holdings = std::map<std::int64_t, Holding>; ///< by device; without those that hold nothing

/// The devices of every element: of term k of element x before, and of element x after. Elements that are alike in all of this, such
/// as those of one row that no device boundary cuts, are one here.
struct Movement {
    struct Row {
        std::int32_t element, term;
        std::int64_t from;
    };
    std::vector<Row> rows{};
    std::vector<std::int64_t> to{}; ///< of each element
    std::int32_t terms = 1;
    std::vector<std::int64_t> from_copies{}, to_copies{};
};

inline Result<Movement, Problem> movement_of(const DeviceMap& map, const InlineVector<int, max_rank>& reduced)
{
    Movement out;
    out.from_copies = map.from_copies;
    out.to_copies = map.to_copies;
    const auto copies = static_cast<std::int64_t>(map.from_copies.size() + map.to_copies.size());
    out.rows.push_back({0, 0, 0});
    out.to.push_back(0);
    for (const DeviceDigit& digit : map.digits) {
        if (!digit.moves()) continue;
        const auto n = static_cast<std::int32_t>(digit.extent);
        if (static_cast<std::int64_t>(out.rows.size()) * copies > device_row_limit / n) return devices_too_hard(device_row_limit);
        const bool is_term = is_among(reduced, digit.dim);
        std::vector<Movement::Row> rows;
        for (const auto& row : out.rows)
            for (std::int32_t i = 0; i < n; ++i)
                rows.push_back({is_term ? row.element : row.element * n + i, is_term ? row.term * n + i : row.term,
                                row.from + digit.from[static_cast<std::size_t>(i)]});
        out.rows = std::move(rows);
        if (is_term) {
            out.terms *= n;
            continue;
        }
        std::vector<std::int64_t> to;
        for (const std::int64_t at : out.to)
            for (const std::int64_t more : digit.to) to.push_back(at + more);
        out.to = std::move(to);
    }
    return out;
}

/// The same, element by element, for layouts whose digits span dimensions.
inline Result<Movement, Problem> movement_of(const Layout& from, const Layout& to, const Shape& shape,
                                             const InlineVector<int, max_rank>& reduced, const Axis& axis)
{
    auto before = project(from, {axis}), after = project(to, {axis});
    if (!before) return before.error();
    if (!after) return after.error();
    const auto n = volume(shape);
    if (!n) return n.error();
    Movement out;
    for (auto* side : {&*before, &*after}) {
        auto copies = device_copies(*side, axis);
        if (!copies) return copies.error();
        (side == &*before ? out.from_copies : out.to_copies) = std::move(*copies);
        side->replica = {};
        side->offset = {};
    }
    if (*n * static_cast<std::int64_t>(out.from_copies.size() + out.to_copies.size()) > device_row_limit)
        return devices_too_hard(device_row_limit);
    for (std::int64_t i = 0; i < *n; ++i) {
        const Coord c = coordinate(shape, i);
        std::int64_t element = 0, term = 0, terms = 1;
        for (int d = 0; d < shape.size(); ++d) {
            const bool is_term = is_among(reduced, d);
            (is_term ? term : element) = (is_term ? term : element) * shape[d] + c[d];
            if (is_term) terms *= shape[d];
        }
        out.terms = static_cast<std::int32_t>(terms);
        const auto a = evaluate(*before, i), b = evaluate(*after, element);
        if (!a) return a.error();
        if (!b) return b.error();
        out.rows.push_back({static_cast<std::int32_t>(element), static_cast<std::int32_t>(term), (*a)[axis]});
        out.to.resize(std::max(out.to.size(), static_cast<std::size_t>(element) + 1));
        out.to[static_cast<std::size_t>(element)] = (*b)[axis];
    }
    return out;
}

/// Devices that have something to do with each other. Of a copy `before` holds elements, of a reduction terms.
struct Component {
    bool is_reduction = false;
    std::set<std::int64_t> devices{};
    Holdings before{}, after{};
    std::int64_t wanted_elements = 0, held_elements = 0;
};

/// The components in which some device wants what it has not.
///
/// A reduction is one only if each device of a component has the same terms of all of its elements; where not, `before` stays empty.
inline std::vector<Component> components_of(const Movement& movement)
{
    std::map<std::int64_t, std::int64_t> parent;
    const auto root = [&](std::int64_t d) {
        parent.emplace(d, d);
        while (parent[d] != d) d = parent[d] = parent[parent[d]];
        return d;
    };
    // who has which terms of an element, and whether all who want it have all
    const auto elements = movement.to.size();
    std::vector<std::map<std::int64_t, Holding>> held(elements);
    for (const auto& row : movement.rows)
        for (const std::int64_t copy : movement.from_copies) {
            const auto x = static_cast<std::size_t>(row.element);
            held[x][row.from + copy].push_back(row.term);
            parent[root(row.from + copy)] = root(movement.to[x] + movement.to_copies[0]);
        }
    std::set<std::int64_t> busy;
    for (std::size_t x = 0; x < elements; ++x) {
        for (const std::int64_t copy : movement.to_copies)
            parent[root(movement.to[x] + copy)] = root(movement.to[x] + movement.to_copies[0]);
    }
    for (std::size_t x = 0; x < elements; ++x)
        for (const std::int64_t copy : movement.to_copies) {
            const auto mine = held[x].find(movement.to[x] + copy);
            if (mine == held[x].end() || mine->second.size() < static_cast<std::size_t>(movement.terms))
                busy.insert(root(movement.to[x] + copy));
        }
    std::map<std::int64_t, Component> out;
    std::set<std::int64_t> uneven;
    bool divided = false; // has a device some of an element's terms, and not all?
    for (const auto& devices : held)
        for (const auto& mine : devices) divided = divided || mine.second.size() < static_cast<std::size_t>(movement.terms);
    for (const std::int64_t r : busy) out[r].is_reduction = divided;
    for (const auto& [device, up] : parent)
        if (const auto c = out.find(root(up)); c != out.end()) c->second.devices.insert(device);
    for (std::size_t x = 0; x < elements; ++x) {
        const auto found = out.find(root(movement.to[x] + movement.to_copies[0]));
        if (found == out.end()) continue;
        Component& c = found->second;
        ++c.wanted_elements;
        c.held_elements = c.is_reduction ? movement.terms : c.wanted_elements;
        for (const std::int64_t copy : movement.to_copies) c.after[movement.to[x] + copy].push_back(static_cast<std::int32_t>(x));
        if (!c.is_reduction)
            for (const auto& mine : held[x]) c.before[mine.first].push_back(static_cast<std::int32_t>(x));
        else if (c.wanted_elements == 1)
            c.before = held[x];
        else if (c.before != held[x])
            uneven.insert(found->first);
    }
    std::vector<Component> list;
    for (auto& [r, c] : out) {
        if (uneven.count(r) != 0) c.before.clear();
        list.push_back(std::move(c));
    }
    return list;
}

/// A whole in even parts, each with the devices that hold a copy; no parts where it is not cut so.
struct EvenParts {
    std::int64_t parts = 0, copies = 0;
    std::vector<std::pair<Holding, std::vector<std::int64_t>>> holders{};
};

/// The parts that are held: of one size, in equally many copies, and so few that, as together they are the whole, they are disjoint.
inline EvenParts even_parts_of(const Holdings& holdings, std::int64_t whole)
{
    std::map<Holding, std::vector<std::int64_t>> by_part;
    for (const auto& [device, held] : holdings) by_part[held].push_back(device);
    if (by_part.empty()) return {};
    EvenParts out;
    out.parts = static_cast<std::int64_t>(by_part.size());
    out.copies = static_cast<std::int64_t>(by_part.begin()->second.size());
    for (const auto& [part, devices] : by_part) {
        if (static_cast<std::int64_t>(part.size()) * out.parts != whole || static_cast<std::int64_t>(devices.size()) != out.copies)
            return {};
        out.holders.emplace_back(part, devices);
    }
    return out;
}

/// Can what each device wants come whole from a separate device?
inline bool is_permute(const Component& c)
{
    std::map<Holding, std::int64_t> left;
    for (const auto& [device, held] : c.before) ++left[held];
    for (const auto& [device, wanted] : c.after)
        if (--left[wanted] < 0) return false;
    return true;
}

/// Has each part of the one an equal share in each part of the other?
inline bool meet_evenly(const EvenParts& a, const EvenParts& b, std::int64_t whole)
{
    for (const auto& [p, unused] : a.holders)
        for (const auto& [q, none] : b.holders) {
            Holding both;
            std::set_intersection(p.begin(), p.end(), q.begin(), q.end(), std::back_inserter(both));
            if (static_cast<std::int64_t>(both.size()) * a.parts * b.parts != whole) return false;
        }
    return true;
}

/// The devices in groups that hold each part once: the ith copies of all.
inline std::vector<std::vector<std::int64_t>> groups_of(const EvenParts& s)
{
    std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(s.copies));
    for (const auto& [part, devices] : s.holders)
        for (std::size_t i = 0; i < devices.size(); ++i) out[i].push_back(devices[i]);
    return out;
}

/// The same, each part of a second division over these devices once in each group, too. There always are such groups: parts of the one
/// and parts of the other, joined by the devices that hold both, are a bipartite graph of one degree.      [König 1916]
inline std::vector<std::vector<std::int64_t>> groups_of(const EvenParts& a, const EvenParts& b)
{
    if (a.copies == 1) return groups_of(a);
    std::map<std::int64_t, std::size_t> second;
    for (std::size_t q = 0; q < b.holders.size(); ++q)
        for (const std::int64_t d : b.holders[q].second) second[d] = q;
    std::vector<std::vector<std::int64_t>> left, out;
    for (const auto& [part, devices] : a.holders) left.push_back(devices);
    const std::size_t parts = left.size();
    for (std::int64_t copy = 0; copy < a.copies; ++copy) {
        std::vector<std::int64_t> owner(parts, -1);  // of each part of b: which part of a takes it
        std::vector<std::int64_t> device(parts, -1); // and the device that holds both
        std::vector<bool> seen;
        const auto place = [&](const auto& self, std::size_t p) -> bool {
            for (const std::int64_t d : left[p]) {
                const std::size_t q = second.at(d);
                if (seen[q]) continue;
                seen[q] = true;
                if (owner[q] >= 0 && !self(self, static_cast<std::size_t>(owner[q]))) continue;
                owner[q] = static_cast<std::int64_t>(p);
                device[q] = d;
                return true;
            }
            return false;
        };
        for (std::size_t p = 0; p < parts; ++p) {
            seen.assign(parts, false);
            if (!place(place, p)) return {};
        }
        out.emplace_back(parts, -1);
        for (std::size_t q = 0; q < parts; ++q) {
            const auto p = static_cast<std::size_t>(owner[q]);
            out.back()[p] = device[q];
            left[p].erase(std::find(left[p].begin(), left[p].end(), device[q]));
        }
    }
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
