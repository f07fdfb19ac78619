// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_KERNEL_HPP
#define AXE_PROGRAM_IMPL_KERNEL_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/kernel.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/messages.hpp>

/// How kernel.hpp makes views, tensors and grids. Nothing here is for users.
namespace axe {
inline namespace v0 {

// ---- views --------------------------------------------------------------------------------------------------------------------

AXE_DECL ViewRef ViewRef::guarded(bool yes) const
{
    ViewRef out = *this;
    out.view_.guarded = yes;
    return out;
}

AXE_DECL DType ViewRef::dtype() const { return tensor_of(kernel_->program_, view_).dtype; }

AXE_DECL ViewRef ViewRef::permuted(const InlineVector<int, max_rank>& order) const
{
    ViewRef out = *this;
    bool sound = order.size() == view_.rank();
    for (int k = 0; sound && k < order.size(); ++k) {
        sound = order[k] >= 0 && order[k] < view_.rank();
        for (int j = 0; sound && j < k; ++j) sound = order[j] != order[k];
        if (!sound) break;
        out.view_.extents[k] = view_.extents[order[k]];
        out.view_.dims[k] = view_.dims[order[k]];
        out.view_.steps[k] = view_.steps[order[k]];
    }
    if (!sound)
        kernel_->refuse(errc::bad_argument,
                        detail::worded("a view of {0} dimensions is permuted by an order that does not name each dimension once",
                                       {view_.rank()}));
    return sound ? out : *this;
}

AXE_DECL ViewRef ViewRef::repeated(int dim, std::int64_t extent) const
{
    ViewRef out = *this;
    if (dim < 0 || dim > view_.rank() || extent < 1 || !out.view_.extents.insert(dim, extent) || !out.view_.dims.insert(dim, -1) ||
        !out.view_.steps.insert(dim, 1)) {
        kernel_->refuse(errc::bad_argument, detail::worded("a view of {0} dimensions cannot be repeated {1} times at position {2}",
                                                           {view_.rank(), extent, dim}));
        return *this;
    }
    return out;
}

AXE_DECL ViewRef ViewRef::operator()(const std::vector<Interval>& box) const
{
    const std::string name = kernel_->program_.tensors[static_cast<std::size_t>(view_.tensor)].name;
    const Shape& whole = kernel_->program_.tensors[static_cast<std::size_t>(view_.tensor)].shape;
    if (static_cast<int>(box.size()) != view_.rank()) {
        kernel_->refuse(errc::rank_mismatch, detail::worded("a view of {0} is given {1} intervals; it has {2} dimensions",
                                                            {name, box.size(), view_.rank()}));
        return *this;
    }
    ViewRef out = *this;
    out.view_.extents = {};
    out.view_.dims = {};
    out.view_.steps = {};
    for (int k = 0; k < view_.rank(); ++k) {
        const Interval& part = box[static_cast<std::size_t>(k)];
        const int dim = view_.dims[k];
        if (dim < 0) { // the elements repeat: any part is like any other
            if (part.picks) continue;
            out.view_.extents.push_back(part.extent < 0 ? view_.extents[k] : part.extent);
            out.view_.dims.push_back(-1);
            out.view_.steps.push_back(1);
            continue;
        }
        Affine& origin = out.view_.origin[static_cast<std::size_t>(dim)];
        const bool is_whole = view_.steps[k] == 1 && view_.extents[k] == whole[dim] && origin == Affine(0);
        const std::int64_t step = view_.steps[k];
        origin += part.begin * step;
        std::int64_t extent = part.picks ? 1 : part.extent < 0 ? view_.extents[k] : part.extent;
        if (extent < 1) {
            kernel_->refuse(errc::bad_extent, empty_view_text(name, extent, k));
            extent = 1;
        }
        // A guard knows the tensor's end, not that of a box in the middle of it.
        if (!is_whole && (kernel_->lowest(part.begin) < 0 || kernel_->highest(part.begin) + extent > view_.extents[k]))
            kernel_->refuse(
                errc::out_of_domain,
                detail::worded("a box can be outside the view of {0} that it is cut from, in dimension {1} of {2} indices",
                               {name, k, view_.extents[k]}));
        if (kernel_->lowest(origin) < 0 || kernel_->highest(origin) + step * (extent - 1) >= whole[dim]) out.view_.guarded = true;
        if (part.picks) continue;
        out.view_.extents.push_back(extent);
        out.view_.dims.push_back(dim);
        out.view_.steps.push_back(step);
    }
    return out;
}

// ---- the kernel ---------------------------------------------------------------------------------------------------------------

AXE_DECL Kernel::Kernel(std::string name, const Machine& machine) : Scope(*this)
{
    program_.name = std::move(name);
    program_.machine = machine;
    open_.push_back(&program_.body);
    if (machine.scopes.size() > 0 && machine.scopes[0].count > 1)
        program_.device = variable(machine.scopes[0].axis.name().c_str(), 0, machine.scopes[0].count);
}

AXE_DECL void Kernel::refuse(errc code, std::string message)
{
    if (problem_.ok()) problem_ = Problem(code, statement_text(program_, program_.statements) + ": " + std::move(message));
}

AXE_DECL bool Kernel::refuses(const Shape& shape)
{
    if (!shape.overfull()) return false;
    const Error error = detail::shape_capacity(max_rank, shape.size());
    refuse(error.code, error.message().c_str());
    return true;
}
AXE_DECL bool Kernel::refuses(const Tiles& tiles)
{
    if (refuses(tiles.shape) || refuses(tiles.tile)) return true;
    if (tiles.shape.size() == tiles.tile.size()) return false;
    refuse(errc::rank_mismatch,
           detail::worded("tiles of {0} dimensions do not cut a shape of {1} dimensions", {tiles.tile.size(), tiles.shape.size()}));
    return true;
}

AXE_DECL void Kernel::check_owner(const Affine& index)
{
    if (!owns(index.owner()))
        refuse(errc::bad_argument, "an index uses another kernel's variables; use the variables of this kernel");
}

AXE_DECL void Kernel::check_owner(const View& view)
{
    if (!owns(view.owner))
        refuse(errc::bad_argument, "an operand is a view of another kernel's tensor; declare the tensor in this kernel");
    for (const Affine& index : view.origin) check_owner(index);
    if (view.block) check_owner(*view.block);
    if (view.device) check_owner(*view.device);
}

AXE_DECL void Kernel::check_owner(const Expression& value)
{
    if (const auto e = check_size(value); !e.ok()) return refuse(e.code(), e.error().text);
    for_each_node(value, [&](const Expression& node) {
        if (!owns(node.owner))
            refuse(errc::bad_argument, "an expression uses another kernel's scalar; declare the scalar in this kernel");
        check_owner(node.affine);
        check_owner(node.element);
    });
}

AXE_DECL void Kernel::check_owner(const Statement& statement)
{
    std::visit(
        [this](const auto& what) {
            if constexpr (requires { what.condition; }) check_owner(what.condition);
            if constexpr (requires { what.value; }) check_owner(what.value);
            if constexpr (requires { what.parity; }) check_owner(what.parity);
            if constexpr (requires { what.element; }) check_owner(what.element);
            if constexpr (requires { what.rank; })
                if (what.rank) check_owner(*what.rank);
            if constexpr (requires { what.start; }) check_owner(what.start);
            if constexpr (requires { what.at; })
                if (what.at) check_owner(*what.at);
            if constexpr (requires { what.begin; }) check_owner(what.begin), check_owner(what.end);
            if constexpr (requires { what.operands; })
                for (const auto& operand : what.operands) {
                    if constexpr (requires { operand.view; })
                        check_owner(operand.view);
                    else
                        check_owner(operand);
                }
        },
        statement.what);
}

AXE_DECL Var Kernel::variable(std::string name, std::int64_t low, std::int64_t high)
{
    program_.variables.push_back({std::move(name), low, high});
    return {static_cast<int>(program_.variables.size()) - 1, {this}};
}

AXE_DECL std::int64_t Kernel::highest(const Affine& a) const
{
    using Wide = wider_t<std::int64_t>;
    constexpr Wide most = Wide{1} << 61; // sums of two stay in the integer
    Wide sum = a.constant();
    for (const auto& t : a.terms()) {
        if (t.var < 0 || static_cast<std::size_t>(t.var) >= program_.variables.size()) continue; // refused where it is used
        const Variable& v = program_.variables[static_cast<std::size_t>(t.var)];
        sum += Wide{t.coefficient} * (t.coefficient > 0 ? std::max(v.low, v.high - 1) : v.low);
    }
    return static_cast<std::int64_t>(std::clamp(sum, -most, most));
}

AXE_DECL std::int64_t Kernel::lowest(const Affine& a) const { return -highest(a * -1); }

AXE_DECL int Kernel::number(SourceLine at)
{
    program_.origins.push_back({at, {}});
    return program_.statements++;
}

AXE_DECL void Kernel::append(Statement statement, SourceLine at)
{
    check_owner(statement);
    if (statement.id < 0) statement.id = number(at);
    open_.back()->push_back(std::move(statement));
}

AXE_DECL Body Kernel::written(const std::function<void()>& body)
{
    Body out;
    const std::size_t around = open_.size();
    if (!open(out)) return out;
    if (body) body();
    open_.resize(around);
    return out;
}

AXE_DECL bool Kernel::open(Body& body)
{
    // What is written here is inside as many statements as bodies are open; a kernel that never ends itself ends here.
    const auto e = check_nesting(static_cast<int>(open_.size()));
    if (e.ok())
        open_.push_back(&body);
    else
        refuse(e.code(), e.error().text);
    return e.ok();
}

AXE_DECL TensorRef Kernel::declare(Binding binding, std::string name, const Shape& shape, DType type, const Placement& placement)
{
    ProgramTensor tensor;
    tensor.name = std::move(name);
    tensor.shape = shape;
    tensor.dtype = type;
    tensor.binding = binding;
    tensor.hint = placement.hint;
    const auto plain = row_major(shape);
    if (!plain) refuse(plain.code(), "tensor " + tensor.name + ": " + plain.error().message().c_str());
    if (placement.given)
        tensor.layout = placement.layout;
    else if (plain)
        tensor.layout.layout = *plain;
    if (const Memory* global = memory_for(program_.machine, Role::global)) tensor.memory = global->name;
    View whole;
    whole.tensor = static_cast<int>(program_.tensors.size());
    if (shape.overfull()) tensor.shape.resize(max_rank); // refused above; its views stay within it
    for (int d = 0; d < tensor.shape.size(); ++d) {
        whole.origin.emplace_back(0);
        whole.dims.push_back(d);
        whole.steps.push_back(1);
    }
    whole.extents = tensor.shape;
    program_.tensors.push_back(std::move(tensor));
    return {*this, whole};
}

AXE_DECL TensorRef Kernel::input(std::string name, const Shape& shape, DType type, const Placement& placement)
{
    return declare(Binding::input, std::move(name), shape, type, placement);
}
AXE_DECL TensorRef Kernel::output(std::string name, const Shape& shape, DType type, const Placement& placement)
{
    return declare(Binding::output, std::move(name), shape, type, placement);
}
AXE_DECL TensorRef Kernel::inout(std::string name, const Shape& shape, DType type, const Placement& placement)
{
    return declare(Binding::inout, std::move(name), shape, type, placement);
}

AXE_DECL Affine Kernel::device() const { return program_.device.id < 0 ? Affine(0) : Affine(program_.device); }

AXE_DECL Kernel& Kernel::cta(const Tiles& tiles, const std::function<void(Scope, const Tile&)>& body, int agents, SourceLine at)
{
    return cta(tiles, Clusters{}, body, agents, at);
}
AXE_DECL Kernel& Kernel::cta(const Tiles& tiles, const Clusters& clusters, const std::function<void(Scope, const Tile&)>& body,
                             int agents, SourceLine at)
{
    if (refuses(tiles) || refuses(clusters.shape)) return *this;
    Grid grid;
    grid.counts = tiles.counts();
    grid.agents = agents != 0 ? agents : static_cast<int>(std::max<std::int64_t>(1, levels_of(program_.machine).agents));
    Tile tile;
    for (int d = 0; d < tiles.shape.size(); ++d) {
        if (grid.counts[d] < 1) {
            refuse(errc::bad_extent, detail::worded("dimension {0} of the grid has no tiles", {d}));
            return *this;
        }
        const Var v = variable("block" + std::to_string(d), 0, grid.counts[d]);
        grid.vars.push_back(v);
        tile.index.emplace_back(v);
        tile.intervals.emplace_back(Affine(v) * tiles.tile[d], tiles.tile[d]);
    }
    if (!tile.intervals.empty()) tile.rows = tile.intervals[0];
    if (tile.intervals.size() > 1) tile.cols = tile.intervals[1];
    place_in_clusters(grid, clusters, tile);
    const int id = number(at);
    grid.body = written([&] { body(*this, tile); });
    append({id, std::move(grid)}, at);
    return *this;
}

AXE_DECL Kernel& Kernel::devices(int first, int count, const std::function<void(Scope)>& body, SourceLine at)
{
    Slice slice{Slice::Of::devices, first, count, 1, {}, {}};
    const int id = number(at);
    slice.body = written([&] { body(*this); });
    append({id, std::move(slice)}, at);
    return *this;
}

AXE_DECL Kernel& Kernel::computes(const TensorRef& output, const Formula& formula)
{
    Specification stated = program_.specification ? *program_.specification : Specification{};
    Result<void, Problem> taken =
        output.kernel() == this ? specify(program_, stated, output, formula)
                                : Problem(errc::bad_argument, program_.name + ", specification: the output is another kernel's");
    if (taken.ok())
        program_.specification = std::make_shared<const Specification>(std::move(stated));
    else if (problem_.ok())
        problem_ = taken.error();
    return *this;
}

AXE_DECL Result<Program, Problem> Kernel::program() const
{
    if (!problem_.ok()) return problem_;
    return program_;
}

} // namespace v0
} // namespace axe

#endif
