// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_COPY_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_TENSOR_COPY_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/gemm/product.hpp>
#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>
#include <axe/target/nvidia/tcgen05/shapes.hpp>
#include <axe/target/nvidia/wgmma/descriptor.hpp>

#include <map>

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
        return Problem(errc::bad_argument, worded("{0} is guarded or has a swizzle, which tensor memory has not", {t.name}));
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
                return Problem(errc::out_of_domain, worded("the view of {0} is not inside it", {t.name}));
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

/// How the agents of the scope move the elements of a view in registers and of one in tensor memory.
inline Result<TensorMoves, Problem> tensor_moves(const Request& request, const View& registers, const View& tensor)
{
    const auto held = element_placement(request, registers);
    if (!held) return held.error();
    const auto where = tensor_elements(request, tensor);
    if (!where) return where.error();
    const ExecutionScope& scope = request.execution_scope();
    const std::string& name = request.tensor(tensor).name;
    if (static_cast<std::size_t>(held->count) != where->size())
        return Problem(errc::size_mismatch, worded("{0} has {1} elements and {2} has {3}; a copy has as many of both",
                                                   {held->name, held->count, name, where->size()}));
    const std::int64_t per = 4 / held->bytes;
    if (held->bytes > 4) return Problem(errc::bad_argument, worded("elements of {0} bytes do not fit a column", {held->bytes}));
    std::vector<TensorBoxes> boxes;
    for (int i = 0; i < scope.count; ++i) boxes.emplace_back(scope.first + i * scope.stride, per, name);
    for (std::int32_t e = 0; e < held->count; ++e) {
        const auto first = held->begin[static_cast<std::size_t>(e)];
        if (held->begin[static_cast<std::size_t>(e) + 1] != first + 1)
            return Problem(errc::bad_argument, worded("several lanes hold an element of {0}", {held->name}));
        const Owner& owner = held->owner[static_cast<std::size_t>(first)];
        const int at = scope.index_of(owner.agent);
        if (at < 0)
            return Problem(errc::bad_argument,
                           worded("agent {0} holds a part of {1} but does not run this copy", {owner.agent, held->name}));
        boxes[static_cast<std::size_t>(at)].add((*where)[static_cast<std::size_t>(e)], owner, e);
    }
    std::string why;
    for (const TensorShape& shape : tensor_shapes) {
        TensorMoves out;
        out.shape = &shape;
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

inline Statement tensor_fence(ProxyFence::Of of) { return {-1, ProxyFence{of}}; }

/// Loads from tensor memory, or stores to it. A plain copy waits for them, and is before and after all that fences of tensor memory order.
inline Result<Body, Problem> emit_tensor_move(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_in_block(request); !e.ok()) return e;
    const bool loads = is_in_tensor_memory(request, a), stores = is_in_tensor_memory(request, d);
    if (loads == stores || !is_private(request.machine(), request.memory(loads ? d : a)))
        return Problem(errc::bad_argument,
                       worded("{0} is in {1} and {2} in {3}; the copy must be between registers and tensor memory",
                              {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name}));
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    if (request.operation().options.completes_on >= 0)
        return Problem(errc::bad_argument,
                       worded("it completes by a wait, not on mbarrier {0}", {request.operation().options.completes_on}));
    const auto moves = tensor_moves(request, loads ? d : a, loads ? a : d);
    if (!moves) return moves.error();
    const bool leaves = request.operation().op == Op::copy_async;
    const int per = 4 / storage_bytes(request.tensor(d).dtype);
    Body body;
    if (!leaves) body.push_back(tensor_fence(ProxyFence::Of::after_sync));
    std::size_t past = 0;
    for (std::size_t i = 0; i < moves->n.size();) {
        std::size_t same = 1;
        while (i + same < moves->n.size() && moves->n[i + same] == moves->n[i]) ++same;
        Distribution part;
        part.agents = request.execution_scope().count;
        part.lanes = 32;
        part.vector = per;
        part.issues = static_cast<int>(same) * moves->n[i] * moves->shape->registers;
        part.element.assign(part.at(part.issues, 0, 0), -1);
        const std::size_t size = static_cast<std::size_t>(part.issues) * 32 * static_cast<std::size_t>(per);
        for (int agent = 0; agent < part.agents; ++agent) {
            const auto& from = moves->elements[static_cast<std::size_t>(agent)];
            if (from.empty()) continue;
            for (int issue = 0; issue < part.issues; ++issue)
                for (int lane = 0; lane < 32; ++lane)
                    for (int v = 0; v < per; ++v)
                        part.element[part.at(issue, agent, lane, v)] =
                            from[past + static_cast<std::size_t>((issue * 32 + lane) * per + v)];
        }
        past += size;
        const auto shared = std::make_shared<const Distribution>(std::move(part));
        Instruction out =
            make_instruction(request, loads ? "tcgen05_ld" : "tcgen05_st",
                             worded(loads ? "tcgen05.ld.sync.aligned.{0}.x{1}.b32" : "tcgen05.st.sync.aligned.{0}.x{1}.b32",
                                    {moves->shape->name, moves->n[i]}));
        out.operands = {{d, shared}, {a, shared}};
        out.async = true;
        body.push_back(make_statement(std::move(out)));
        i += same;
    }
    if (!leaves) {
        body.push_back({-1, Wait{0, loads ? Wait::Of::tensor_loads : Wait::Of::tensor_stores}});
        body.push_back(tensor_fence(ProxyFence::Of::before_sync));
    }
    request.decided(worded("{0}: {1}", {moves->shape->name, count_words(static_cast<std::int64_t>(moves->n.size()), "transfer")}));
    return body;
}

/// What a plain operation of one agent on tensor memory has around it: the other agents of the scope come before and go on after it.
inline Body with_tensor_fences(const Request& request, Body inner)
{
    Body out;
    const bool several = request.execution_scope().count > 1;
    out.push_back({-1, ProxyFence{}});
    if (several) {
        out.push_back(tensor_fence(ProxyFence::Of::before_sync));
        out.push_back({-1, Barrier{}});
    }
    out.push_back(tensor_fence(ProxyFence::Of::after_sync));
    for (Statement& s : inner) out.push_back(std::move(s));
    out.push_back({-1, Wait{0, Wait::Of::products}});
    out.push_back(tensor_fence(ProxyFence::Of::before_sync));
    if (several) {
        out.push_back({-1, Barrier{}});
        out.push_back(tensor_fence(ProxyFence::Of::after_sync));
    }
    return out;
}

/// The request of the first agent of the scope alone.
inline Request first_agent(const Request& request)
{
    ExecutionScope one = request.execution_scope();
    one.count = 1;
    return Request(request.program(), request.target(), request.operation(), one);
}

/// Copies of shared memory to tensor memory, in boxes of the widest shape that fits.
inline Result<Body, Problem> emit_tensor_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_in_block(request); !e.ok()) return e;
    if (!is_in_tensor_memory(request, d) || !request.memory(a).roles.has(Role::shared))
        return Problem(errc::bad_argument,
                       worded("{0} is in {1} and {2} in {3}; the copy must be from shared memory to tensor memory",
                              {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name}));
    if (auto e = check_same_types(request, d, a); !e.ok()) return e;
    if (d.rank() != 2 || a.guarded)
        return Problem(errc::bad_argument,
                       worded("{0} and {1} must be matrices without a guard", {request.tensor(d).name, request.tensor(a).name}));
    const auto places = tensor_elements(request, d);
    if (!places) return places.error();
    const auto from = element_placement(request, a);
    if (!from) return from.error();
    const std::int64_t rows = d.extents[0], columns = d.extents[1], bytes = from->bytes;
    bool single = true;
    for (const Iter& it : request.tensor(d).layout.layout.replica) single = single && it.extent == 1;
    std::string why = single ? worded("no shape copies {0} rows of {1} columns", {rows, columns})
                             : worded("{0} has several copies of its elements; this copy writes one", {request.tensor(d).name});
    for (const TensorCopyShape& shape : tensor_copy_shapes) {
        const std::int64_t step = shape.bytes / bytes;
        if (!single || rows != shape.rows || columns % step != 0) continue;
        std::string wrong;
        for (std::int64_t e = 0; e < rows * columns && wrong.empty(); ++e)
            if ((*places)[static_cast<std::size_t>(e)] != TensorElement{e / columns, places->front().place + e % columns})
                wrong = worded("row {0}, column {1} of {2} is not in lane {0}, its column after the one before",
                               {e / columns, e % columns, request.tensor(d).name});
        for (std::int64_t first = 0; first < columns && wrong.empty(); first += step) {
            const auto made = shared_descriptor(
                rows, step, static_cast<int>(bytes),
                [&](std::int64_t i, std::int64_t l) {
                    return from->address[static_cast<std::size_t>(i * columns + first + l)] * bytes;
                },
                1);
            if (!made) wrong = no_descriptor_text(from->name, 0, first, made.error().text);
        }
        if (!wrong.empty()) {
            why = wrong;
            continue;
        }
        Body body;
        const Request starter = first_agent(request);
        for (std::int64_t first = 0; first < columns; first += step) {
            Instruction out = make_instruction(starter, "tcgen05_cp", std::string("tcgen05.cp.cta_group::1.") + shape.name);
            out.operands = {{narrowed(d, 0, first, step), nullptr}, {narrowed(a, 0, first, step), nullptr}};
            out.async = true;
            if (first + step == columns) out.completes_on = request.operation().options.completes_on;
            body.push_back(make_statement(std::move(out)));
        }
        request.decided(worded("agent {0} starts {1} of {2}",
                               {request.execution_scope().first, count_words(columns / step, "transfer"), shape.name}));
        if (request.operation().op == Op::copy_async) return body;
        return with_tensor_fences(request, std::move(body));
    }
    return Problem(errc::bad_argument, why);
}

} // namespace detail

/// Copies to and from tensor memory.      [PTX, tcgen05.ld, tcgen05.st, tcgen05.cp]
inline constexpr Schedule tensor_copy_schedules[] = {
    {Op::copy, "tcgen05_ld_st", 40, "tcgen05", "warps move boxes between tensor memory and registers", detail::has_tensor_memory,
     detail::emit_tensor_move},
    {Op::copy_async, "tcgen05_ld_st", 40, "tcgen05", "warps move boxes between tensor memory and registers",
     detail::has_tensor_memory, detail::emit_tensor_move},
    {Op::copy, "tcgen05_cp", 39, "tcgen05", "one agent copies boxes of shared memory to tensor memory", detail::has_tensor_memory,
     detail::emit_tensor_copy},
    {Op::copy_async, "tcgen05_cp", 39, "tcgen05", "one agent copies boxes of shared memory to tensor memory",
     detail::has_tensor_memory, detail::emit_tensor_copy},
};

} // namespace v0
} // namespace axe

#endif
