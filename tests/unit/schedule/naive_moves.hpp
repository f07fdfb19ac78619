// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SCHEDULE_NAIVE_MOVES_HPP
#define AXE_TESTS_UNIT_SCHEDULE_NAIVE_MOVES_HPP

#include <axe/layout/points.hpp>
#include <axe/program/functions.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/program.hpp>

#include <map>
#include <optional>
#include <set>

/// What instructions do, element by element on maps of points: nothing is shared with how schedules find their distributions.
namespace naive {

using axe::Access;
using axe::Affine;
using axe::Coord;
using axe::Distribution;
using axe::Instruction;
using axe::Point;
using axe::Program;
using axe::ProgramTensor;
using axe::View;

using Variables = std::vector<std::int64_t>;

/// The index of a view's element in the tensor's dimensions; nothing where it is outside.
inline std::optional<Coord> place_in_tensor(const Program& p, const View& v, std::int64_t element, const Variables& values)
{
    const ProgramTensor& t = p.tensors[static_cast<std::size_t>(v.tensor)];
    Coord at;
    for (const Affine& o : v.origin) at.push_back(o(values));
    const Coord x = axe::coordinate(v.extents, element);
    for (int k = 0; k < v.rank(); ++k)
        if (v.dims[k] >= 0) at[v.dims[k]] += v.steps[k] * x[k];
    for (int d = 0; d < at.size(); ++d)
        if (at[d] < 0 || at[d] >= t.shape[d]) return std::nullopt;
    return at;
}

/// The points of an element, each with all axes, as text to compare by.
inline std::vector<Point> places(const ProgramTensor& t, const Coord& at)
{
    std::vector<Point> out;
    for (Point q : axe::points(t.layout.layout, t.shape, at)) {
        if (t.layout.swizzle.bits > 0) {
            axe::Swizzle in_elements = t.layout.swizzle;
            for (auto w = t.layout.width; w > 1; w /= 2) --in_elements.base;
            *q.entry(t.layout.axis) = in_elements(q[t.layout.axis]);
        }
        out.push_back(q);
    }
    return out;
}

struct Less {
    bool operator()(const Point& a, const Point& b) const { return axe::before(a, b); }
};

/// Values, by tensor and point.
struct State {
    std::map<int, std::map<Point, double, Less>> at{};
    std::map<int, std::map<Point, int, Less>> writes{};
    std::string fault{};
};

inline bool is_register(const Program& p, const View& v) { return p.tensors[static_cast<std::size_t>(v.tensor)].memory == "reg"; }

/// What of an element an agent's lane reaches: in a memory all places, in registers its own.
inline std::vector<Point> reached(const Program& p, const View& v, const Coord& at, int agent, int lane)
{
    std::vector<Point> out;
    const axe::Axis agents = p.machine.scopes[axe::levels_of(p.machine).agent].axis;
    for (const Point& q : places(p.tensors[static_cast<std::size_t>(v.tensor)], at))
        if (!is_register(p, v) || (q[agents] == agent && q["lane"] == lane)) out.push_back(q);
    return out;
}

inline double read(const Program& p, State& s, const View& v, std::int64_t element, const Variables& values, int agent, int lane)
{
    const auto at = place_in_tensor(p, v, element, values);
    if (!at) {
        if (!v.guarded) s.fault = "reads outside";
        return 0;
    }
    const auto points = reached(p, v, *at, agent, lane);
    if (points.empty()) {
        s.fault = "a lane reads a register that it does not have";
        return 0;
    }
    const auto found = s.at[v.tensor].find(points.front());
    if (found == s.at[v.tensor].end()) {
        s.fault = "reads what no agent wrote";
        return 0;
    }
    return found->second;
}

inline void write(const Program& p, State& s, const View& v, std::int64_t element, const Variables& values, int agent, int lane,
                  double value)
{
    const auto at = place_in_tensor(p, v, element, values);
    if (!at) {
        if (!v.guarded) s.fault = "writes outside";
        return;
    }
    const auto points = reached(p, v, *at, agent, lane);
    if (points.empty()) s.fault = "a lane writes a register that it does not have";
    for (const Point& q : points) {
        s.at[v.tensor][q] = value;
        ++s.writes[v.tensor][q];
    }
}

/// Are the elements of a lane's vector consecutive, aligned, and inside all or none? In a memory whose base is a multiple of
/// `alignment` bytes, unless it is given.
inline bool is_vector(const Program& p, const View& v, const std::int32_t* elements, int n, const Variables& values, int agent,
                      int lane, std::int64_t alignment)
{
    if (n == 1) return true;
    const ProgramTensor& t = p.tensors[static_cast<std::size_t>(v.tensor)];
    const std::int64_t size = n * axe::storage_bytes(t.dtype);
    const bool in_register = is_register(p, v);
    int inside = 0;
    std::optional<std::int64_t> first;
    for (int i = 0; i < n; ++i) {
        const auto at = place_in_tensor(p, v, elements[i], values);
        if (!at) continue;
        ++inside;
        const auto points = reached(p, v, *at, agent, lane);
        if (points.size() != 1) return false;
        const std::int64_t address = points[0][in_register ? axe::Axis{"reg"} : axe::Axis{}] - i;
        if (first && *first != address) return false;
        first = address;
    }
    if (inside == 0) return true;
    if (in_register) return *first % n == 0;
    if (inside != n || (t.base < 0 && alignment % size != 0)) return false;
    return (std::max<std::int64_t>(t.base, 0) + *first * axe::storage_bytes(t.dtype)) % size == 0;
}

/// Runs one instruction; `function` makes the destination's value from the sources'.
template <class F>
void run(const Program& p, State& s, const Instruction& instruction, const Variables& values, F function)
{
    const auto& operands = instruction.operands;
    const Distribution& shape = *operands[0].distribution;
    for (int issue = 0; issue < shape.issues; ++issue)
        for (int agent = 0; agent < shape.agents; ++agent)
            for (int lane = 0; lane < shape.lanes; ++lane) {
                const int number = instruction.first_agent + agent * instruction.agent_stride;
                const auto first = shape.at(issue, agent, lane);
                if (shape.element[first] < 0) continue;
                for (const Access& a : operands)
                    if (!is_vector(p, a.view, &a.distribution->element[first], shape.vector, values, number, lane,
                                   axe::find_memory(p.machine, p.tensors[static_cast<std::size_t>(a.view.tensor)].memory.c_str())
                                       ->alignment))
                        s.fault = "a vector that is none";
                for (int e = 0; e < shape.vector; ++e) {
                    const auto at = shape.at(issue, agent, lane, e);
                    std::vector<double> sources;
                    for (std::size_t k = 1; k < operands.size(); ++k)
                        sources.push_back(
                            read(p, s, operands[k].view, operands[k].distribution->element[at], values, number, lane));
                    write(p, s, operands[0].view, operands[0].distribution->element[at], values, number, lane, function(sources));
                }
            }
}

/// Gives every place of a view's elements the number of the element in the tensor, plus `from`.
inline void number_elements(const Program& p, State& s, const View& v, const Variables& values, double from)
{
    const ProgramTensor& t = p.tensors[static_cast<std::size_t>(v.tensor)];
    const std::int64_t n = *axe::volume(v.extents);
    for (std::int64_t e = 0; e < n; ++e)
        if (const auto at = place_in_tensor(p, v, e, values))
            for (const Point& q : places(t, *at)) s.at[v.tensor][q] = from + static_cast<double>(*axe::linear_index(t.shape, *at));
}

/// The value of a view's element in a tensor numbered by `number_elements`; 0 outside.
inline double numbered(const Program& p, const View& v, std::int64_t element, const Variables& values, double from)
{
    const auto at = place_in_tensor(p, v, element, values);
    if (!at) return 0;
    return from + static_cast<double>(*axe::linear_index(p.tensors[static_cast<std::size_t>(v.tensor)].shape, *at));
}

/// Runs `move`, `map`, `fill`, `atomic` and `indexed`, as the instructions' contract words them.
inline void run(const Program& p, State& s, const Instruction& i, const Variables& values)
{
    const auto apply = [&](const std::vector<double>& a) {
        return i.function.row().apply(a[0], a.size() > 1 ? a[1] : 0, a.size() > 2 ? a[2] : 0);
    };
    if (i.opcode == "move") return run(p, s, i, values, [](const auto& a) { return a[0]; });
    if (i.opcode == "fill") return run(p, s, i, values, [&](const auto&) { return i.number; });
    if (i.opcode == "map") return run(p, s, i, values, apply);
    const Distribution& shape = *i.operands[0].distribution;
    const auto element = [&](std::size_t k, std::size_t at) { // one index for each vector
        const Distribution& of = *i.operands[k].distribution;
        return of.element[at / static_cast<std::size_t>(shape.vector / of.vector)];
    };
    for (std::size_t at = 0; at < shape.element.size(); ++at) {
        if (shape.element[at] < 0) continue;
        const auto owner = static_cast<int>(at / static_cast<std::size_t>(shape.vector)) % (shape.agents * shape.lanes);
        const int agent = i.first_agent + owner / shape.lanes * i.agent_stride, lane = owner % shape.lanes;
        const auto get = [&](std::size_t k) { return read(p, s, i.operands[k].view, element(k, at), values, agent, lane); };
        const View& d = i.operands[0].view;
        if (i.opcode == "atomic") {
            const double old = read(p, s, d, element(0, at), values, agent, lane), a = get(1);
            write(p, s, d, element(0, at), values, agent, lane, i.function == axe::Function::identity ? a : apply({old, a}));
        } else if (i.opcode == "indexed") {
            const auto chosen = static_cast<std::int64_t>(get(2));
            const std::size_t k = i.parameters[0] == 0 ? 1 : 0;
            const View& v = i.operands[k].view;
            const std::int64_t row = *axe::volume(v.extents) / v.extents[0], e = element(k, at);
            if (e >= row) s.fault = "the distribution is not of row 0";
            if (k == 1)
                write(p, s, d, element(0, at), values, agent, lane, read(p, s, v, chosen * row + e, values, agent, lane));
            else
                write(p, s, d, chosen * row + e, values, agent, lane, get(1));
        } else {
            s.fault = "an opcode that is not run here: " + i.opcode;
        }
    }
}

} // namespace naive

#endif
