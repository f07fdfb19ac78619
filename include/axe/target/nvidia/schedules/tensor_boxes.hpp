// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_BOXES_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_BOXES_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/schedule/copy/moves.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/tcgen05/shapes.hpp>

#include <algorithm>
#include <map>

/// Where elements are in tensor memory, and which boxes of it warps move. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_tensor_memory(const Machine& machine) noexcept { return has_instruction(machine, "tcgen05"); }
inline bool is_in_tensor_memory(const Request& request, const View& v)
{
    return is_partitioned(request.memory(v)) && !is_private(request.machine(), request.memory(v));
}

/// An element in tensor memory: its lane, and its number among the lane's elements.
struct TensorElement {
    std::int64_t lane = 0, place = 0;
    friend auto operator<=>(const TensorElement&, const TensorElement&) = default;
};

/// Where the elements of a view of tensor memory are, by their first copies, where the variables have their first values.
inline Result<std::vector<TensorElement>, Problem> tensor_elements(const Request& request, const View& v)
{
    const ProgramTensor& t = request.tensor(v);
    const Memory& memory = request.memory(v);
    const int dims = t.shape.size();
    if (v.guarded || t.layout.swizzle.bits > 0)
        return Problem(errc::bad_argument, "{0} is guarded or has a swizzle, which tensor memory has not", {t.name});
    const auto n = volume(v.extents);
    if (!n) return Problem(n.error(), t.name + ": ");
    std::vector<TensorElement> out;
    out.reserve(static_cast<std::size_t>(*n));
    std::int64_t origin[max_rank], coord[max_rank];
    for (int d = 0; d < dims; ++d) origin[d] = values_of(request, v.origin[static_cast<std::size_t>(d)]).first;
    Point point;
    for (std::int64_t e = 0; e < *n; ++e) {
        std::int64_t rest = e, index = 0;
        std::copy_n(origin, dims, coord);
        for (int k = v.rank() - 1; k >= 0; --k) {
            if (v.dims[k] >= 0) coord[v.dims[k]] += rest % v.extents[k] * v.steps[k];
            rest /= v.extents[k];
        }
        for (int d = 0; d < dims; ++d) {
            if (coord[d] < 0 || coord[d] >= t.shape[d])
                return Problem(errc::out_of_domain, "the view of {0} is not inside it", {t.name});
            index = index * t.shape[d] + coord[d];
        }
        evaluate_into(t.layout.layout, index, point);
        out.push_back({point[memory.axes[0]], point[memory.axes[1]]});
    }
    return out;
}

/// What agents move between registers and tensor memory, as instructions of one shape: [agent][instruction][register][lane]: an element.
struct TensorMoves {
    const TensorShape* shape = nullptr;
    bool apart = false;                                ///< elements of 16 bits have a column each, and two a register
    std::vector<int> n{};                              ///< of each instruction's .xn
    std::vector<std::vector<std::int32_t>> elements{}; ///< of each agent, `per` of them for a register of a lane
};

/// The boxes of one agent in one shape; an empty reason: they are found.
class TensorBoxes {
  public:
    TensorBoxes(int agent, std::int64_t per, std::string name) : agent_(agent), per_(per), name_(std::move(name)) {}

    void add(const TensorElement& at, const Owner& owner, std::int32_t element) { held_[at] = {owner.lane, owner.reg, element}; }
    [[nodiscard]] bool empty() const { return held_.empty(); }

    std::string find(const TensorShape& shape, std::vector<int>& sizes, std::vector<std::int32_t>& elements) const
    {
        const std::int64_t quarter = agent_ % 4 * 32;
        std::size_t found = 0;
        sizes.clear();
        elements.clear();
        for (const auto& [at, held] : held_)
            if (at.lane < quarter || at.lane >= quarter + 32)
                return worded("agent {0} has an element of lane {1} of {2}; it accesses lanes {3} to {4}",
                              {agent_, at.lane, name_, quarter, quarter + 31});
        for (std::int64_t row = quarter; row < quarter + 32; row += shape.rows) {
            std::vector<std::int64_t> columns; // of 32 bits, that the first lane of the box has
            for (auto it = held_.lower_bound({row, 0}); it != held_.end() && it->first.lane == row; ++it)
                if (it->first.place % per_ == 0) columns.push_back(it->first.place / per_);
            for (std::size_t i = 0; i < columns.size();) {
                std::size_t run = 1;
                while (i + run < columns.size() && columns[i + run] == columns[i] + static_cast<std::int64_t>(run)) ++run;
                int n = 1;
                while (2 * n <= shape.most && static_cast<std::size_t>(2 * n * shape.columns) <= run) n *= 2;
                if (static_cast<std::size_t>(shape.columns) > run)
                    return worded("{0} columns of {1} in agent {2} are fewer than a box has", {run, name_, agent_});
                if (auto why = box(shape, n, row, columns[i], elements); !why.empty()) return why;
                sizes.push_back(n);
                found += static_cast<std::size_t>(n * shape.columns * shape.rows) * static_cast<std::size_t>(per_);
                i += static_cast<std::size_t>(n * shape.columns);
            }
        }
        return found == held_.size()
                   ? ""
                   : worded("{0} elements of {1} in agent {2} are in no box", {held_.size() - found, name_, agent_});
    }

  private:
    struct Held {
        int lane;
        std::int64_t reg;
        std::int32_t element;
    };
    std::string box(const TensorShape& shape, int n, std::int64_t row, std::int64_t column,
                    std::vector<std::int32_t>& elements) const
    {
        for (int r = 0; r < shape.registers * n; ++r) {
            std::int64_t reg = -1;
            for (int lane = 0; lane < 32; ++lane) {
                const TensorBoxPlace place = tensor_place(shape, lane, r);
                for (std::int64_t part = 0; part < per_; ++part) {
                    const TensorElement at{row + place.row, (column + place.column) * per_ + part};
                    const auto it = held_.find(at);
                    if (it == held_.end() || it->second.lane != lane || (reg >= 0 && it->second.reg != reg + part) ||
                        (reg < 0 && it->second.reg % per_ != 0))
                        return worded(
                            "lane {0} of agent {1} does not hold lane {2}, column {3} of {4} in the register of all lanes",
                            {lane, agent_, at.lane, at.place / per_, name_});
                    if (reg < 0) reg = it->second.reg;
                    elements.push_back(it->second.element);
                }
            }
        }
        return "";
    }

    int agent_;
    std::int64_t per_;
    std::string name_;
    std::map<TensorElement, Held> held_{};
};

/// The lanes by which the copies of an element in tensor memory are apart from the first, ascending; empty: columns differ, too.
inline std::vector<std::int64_t> copies_of(const Request& request, const View& v)
{
    std::vector<std::int64_t> out{0};
    for (const Iter& it : request.tensor(v).layout.layout.replica) {
        if (it.extent == 1) continue;
        if (it.axis != request.memory(v).axes[0]) return {};
        const std::size_t n = out.size();
        for (std::int64_t i = 1; i < it.extent; ++i)
            for (std::size_t k = 0; k < n; ++k) out.push_back(out[k] + i * it.stride);
    }
    std::sort(out.begin(), out.end());
    return out;
}
/// How the agents of the scope move the elements of a view in registers and of one in tensor memory. Of several copies there
/// each loads the one in its lanes.
inline Result<TensorMoves, Problem> tensor_moves(const Request& request, const View& registers, const View& tensor, bool loads)
{
    const auto held = element_placement(request, registers);
    if (!held) return held.error();
    auto where = tensor_elements(request, tensor);
    if (!where) return where.error();
    const bool apart =
        held->bytes == 2 && std::all_of(where->begin(), where->end(), [](const auto& at) { return at.place % 2 == 0; });
    if (apart)
        for (TensorElement& at : *where) at.place /= 2;
    const ExecutionScope& scope = request.execution_scope();
    const std::string& name = request.tensor(tensor).name;
    if (static_cast<std::size_t>(held->count) != where->size())
        return Problem(errc::size_mismatch, "{0} has {1} elements and {2} has {3}; a copy has as many of both",
                       {held->name, held->count, name, where->size()});
    const std::int64_t per = 4 / held->bytes;
    if (held->bytes > 4) return Problem(errc::bad_argument, "elements of {0} bytes do not fit a column", {held->bytes});
    std::vector<TensorBoxes> boxes;
    for (int i = 0; i < scope.count; ++i) boxes.emplace_back(scope.first + i * scope.stride, per, name);
    const std::vector<std::int64_t> copies = copies_of(request, tensor);
    if (!loads && copies.size() != 1) return Problem(errc::bad_argument, store_to_copies_text(name));
    for (std::int32_t e = 0; e < held->count; ++e) {
        const auto first = held->begin[static_cast<std::size_t>(e)], last = held->begin[static_cast<std::size_t>(e) + 1];
        for (auto o = first; o < last; ++o) {
            const Owner& owner = held->owner[static_cast<std::size_t>(o)];
            if (last - first > 1 &&
                (copies.size() == 1 || (o > first && held->owner[static_cast<std::size_t>(o) - 1].agent == owner.agent)))
                return Problem(errc::bad_argument, "several lanes hold an element of {0}", {held->name});
            const int at = scope.index_of(owner.agent);
            if (at < 0)
                return Problem(errc::bad_argument, "agent {0} holds a part of {1} but does not run this copy",
                               {owner.agent, held->name});
            TensorElement place = (*where)[static_cast<std::size_t>(e)];
            for (const std::int64_t copy : copies)
                if ((place.lane + copy) / 32 == owner.agent % 4) {
                    place.lane += copy;
                    break;
                }
            boxes[static_cast<std::size_t>(at)].add(place, owner, e);
        }
    }
    std::string why;
    for (const TensorShape& shape : tensor_shapes) {
        TensorMoves out;
        out.shape = &shape;
        out.apart = apart;
        out.elements.resize(boxes.size());
        std::string here;
        for (std::size_t i = 0; i < boxes.size() && here.empty(); ++i) {
            if (boxes[i].empty()) continue;
            std::vector<int> sizes;
            here = boxes[i].find(shape, sizes, out.elements[i]);
            if (here.empty() && !out.n.empty() && sizes != out.n) here = worded("agents have different boxes of {0}", {name});
            out.n = sizes;
        }
        if (here.empty()) return out;
        if (why.empty()) why = here;
    }
    return Problem(errc::bad_argument, why);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
