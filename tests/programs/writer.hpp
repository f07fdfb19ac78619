// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_WRITER_HPP
#define AXE_TESTS_PROGRAMS_WRITER_HPP

#include <axe/program/kernel.hpp>
#include <tests/programs/random_layouts.hpp>

/// What random programs are written with: operands that are staged through some memory, in views as odd as the rules allow.
namespace programs {

using axe::Affine;
using axe::DType;
using axe::Interval;
using axe::Kernel;
using axe::Role;
using axe::Scope;
using axe::Shape;
using axe::Tile;
using axe::View;
using axe::ViewRef;

/// A dimension of an operand: how long it is as a whole, and which part of it a block has.
struct Dim {
    Int whole = 1;
    Interval part{};
    [[nodiscard]] Int here() const noexcept { return part.extent; }
};

inline Dim whole(Int n) { return {n, Interval(Affine(0), n)}; }

inline Shape here(const std::vector<Dim>& dims)
{
    Shape out;
    for (const Dim& d : dims) out.push_back(d.here());
    return out;
}

class Writer {
  public:
    Writer(Random& random, const axe::Machine& machine, std::string name, int agents_)
        : r(random),
          k(std::move(name), machine),
          agents(agents_),
          engines(has_instruction(machine, "nc_matmul")),
          lanes(levels_of(machine).lanes),
          devices(machine.scopes[0].count)
    {
    }

    Random& r;
    Kernel k;
    int agents;
    bool engines; ///< engines that walk boxes, instead of lanes
    Int lanes;    ///< of an agent
    Int devices;
    bool plain = false;   ///< no odd views
    Shape multiples{};    ///< of these are tiles of D
    int along = 0;        ///< the dimension of D that is cut where the operator is done piece by piece
    bool uniform = false; ///< all tensors in memories that every lane reaches

    bool once_in(Int n) { return r.one_in(n); }
    [[nodiscard]] Int along_extent(const std::vector<Dim>& dims) const { return dims[static_cast<std::size_t>(along)].here(); }

    /// A view of a new tensor of the caller's, or of a block, in which these dimensions lie in some order, with steps, beside others.
    struct Embedding {
        Shape shape{};
        View view{};
        bool loose = false; ///< has the tensor elements that the view has not?
    };
    Embedding embed(const std::vector<Dim>& dims, bool global)
    {
        Embedding out;
        const int rank = static_cast<int>(dims.size());
        const Int odd = plain ? 0 : engines ? 8 : 4;
        const auto sometimes = [&](Int n) { return odd != 0 && r.one_in(n * odd / 4); };
        std::vector<int> order;
        for (int i = 0; i < rank; ++i) order.push_back(i);
        if (sometimes(4)) order = random_order(r, rank);
        std::vector<int> dim_of(static_cast<std::size_t>(rank));
        for (const int k_of : order) {
            const Dim& d = dims[static_cast<std::size_t>(k_of)];
            const Int n = global ? d.whole : d.here(), step = sometimes(8) ? r.in(2, 3) : 1, first = sometimes(8) ? r.in(1, 3) : 0;
            const bool cut = global && d.whole != d.here();
            const Int slack = !cut && sometimes(8) ? r.in(1, 4) : 0;
            out.loose = out.loose || step > 1 || first > 0 || slack > 0;
            dim_of[static_cast<std::size_t>(k_of)] = out.shape.size();
            if (sometimes(8)) { // one index of a dimension that the view has not
                const Int others = r.in(1, 3);
                dim_of[static_cast<std::size_t>(k_of)] = out.shape.size() + 1;
                out.shape.push_back(others);
                out.view.origin.emplace_back(r.in(0, others - 1));
                out.loose = out.loose || others > 1;
            }
            out.shape.push_back(first + step * (n - 1) + 1 + slack);
            out.view.origin.push_back(Affine(first) + (global ? d.part.begin * step : Affine(0)));
            out.view.guarded = out.view.guarded || (global && d.whole % d.here() != 0);
            steps_[k_of] = step;
        }
        for (int i = 0; i < rank; ++i) {
            out.view.extents.push_back(dims[static_cast<std::size_t>(i)].here());
            out.view.dims.push_back(dim_of[static_cast<std::size_t>(i)]);
            out.view.steps.push_back(steps_[i]);
        }
        return out;
    }

    /// A tensor of the caller's. On a mesh it is on all devices, or has a row for each, of which a device sees its own.
    ViewRef outside(axe::Binding binding, const std::vector<Dim>& dims, DType type, const std::string& called)
    {
        const axe::Memory& memory = *memory_for(k.machine(), Role::global);
        Embedding e = embed(dims, true);
        axe::Placement placement;
        if (!once_in(3)) placement = random_placement(r, e.shape, type, memory);
        if (devices > 1) {
            if (!placement.given) placement = row_major(e.shape, memory.axes[0]);
            axe::Layout& layout = placement.layout.layout;
            if (binding == axe::Binding::input && once_in(2)) {
                layout.replica.push_back({devices, 1, "gpuid"});
            } else {
                axe::Layout::Shard shard;
                shard.push_back({devices, 1, "gpuid"});
                for (const auto& it : layout.shard) shard.push_back(it);
                layout.shard = shard;
                e.shape.insert(0, devices);
                e.view.origin.insert(e.view.origin.begin(), k.device());
                for (int& d : e.view.dims) ++d;
            }
        }
        // What of an output no agent writes has no value.
        if (binding == axe::Binding::output && e.loose) binding = axe::Binding::inout;
        const auto make = binding == axe::Binding::input    ? &Kernel::input
                          : binding == axe::Binding::output ? &Kernel::output
                                                            : &Kernel::inout;
        e.view.tensor = (k.*make)(called, e.shape, type, placement).id();
        return {k, e.view};
    }

    /// Where a block keeps a tensor.
    enum class Kept : std::uint8_t { outside, shared, registers, accumulator };
    Kept somewhere()
    {
        if (engines) return !once_in(10) ? Kept::shared : once_in(2) ? Kept::outside : Kept::accumulator;
        const Int n = r.in(0, 9);
        return n < 3 ? Kept::outside : n < 7 || uniform ? Kept::shared : Kept::registers;
    }

    /// A tensor of the block.
    ViewRef inside(Scope cta, Kept kept, const std::vector<Dim>& dims, DType type, const std::string& called)
    {
        const Role role = kept == Kept::shared ? Role::shared : kept == Kept::registers ? Role::registers : Role::accumulator;
        const axe::Memory& memory = *memory_for(k.machine(), role);
        Embedding e = embed(dims, false);
        axe::Placement placement;
        const Int how = r.in(0, 3);
        if (kept == Kept::registers && (lanes == 1 || how < 2))
            placement = axe::LayoutHint::registers;
        else if (kept == Kept::registers)
            placement = random_registers(r, e.shape, k.machine(), agents);
        else if (kept == Kept::shared && how == 0)
            placement = axe::conflict_free;
        else if (how > 1 && !(engines && plain))
            placement = random_placement(r, e.shape, type, memory);
        e.view.tensor = cta.alloc(role, e.shape, type, placement, called).id();
        return {k, e.view};
    }

    /// An operand that is read: where it lies outside, or copied into the block.
    ViewRef given(Scope cta, Kept kept, const std::vector<Dim>& dims, DType type, const std::string& called)
    {
        const ViewRef from = outside(axe::Binding::input, dims, type, called);
        if (kept == Kept::outside) return from;
        const ViewRef to = inside(cta, kept, dims, type, called + "_here");
        cta.copy(to, from).sync();
        return to;
    }

    /// An operand that is written, and how it gets out of the block when all is done; `read` if its value matters before.
    struct Result {
        ViewRef view;
        ViewRef out;
        bool staged;
    };
    Result taken(Scope cta, Kept kept, const std::vector<Dim>& dims, DType type, bool read)
    {
        const ViewRef out = outside(read ? axe::Binding::inout : axe::Binding::output, dims, type, "D");
        if (kept == Kept::outside) return {out, out, false};
        const ViewRef to = inside(cta, kept, dims, type, "D_here");
        if (read) cta.copy(to, out).sync();
        return {to, out, true};
    }
    void give_back(Scope cta, const Result& d)
    {
        cta.sync();
        if (d.staged) cta.copy(d.out, d.view);
    }

    /// A part of a view along one dimension.
    static ViewRef part(const ViewRef& v, int dim, const Interval& rows)
    {
        if (dim < 0) return v;
        std::vector<Interval> box;
        for (int d = 0; d < v.shape().size(); ++d) box.push_back(d == dim ? rows : axe::all);
        return v(box);
    }

  private:
    Int steps_[axe::max_rank]{};
};

/// Who runs the operator, and how often.
enum class Form : std::uint8_t { plain, loop, condition, slice, each_agent, each_thread };

/// Writes what `body` says of the first `n` rows of D, in one of the forms: of pieces of them where it is done piece by piece.
inline void write(Writer& w, Scope cta, Form form, Int n, const std::function<void(Scope, const Interval&)>& body)
{
    const Interval all_rows(Affine(0), n);
    Int piece = 1;
    for (Int p = n / 2; p > 1 && piece == 1; --p)
        if (n % p == 0 && w.once_in(2)) piece = p;
    switch (form) {
    case Form::plain: body(cta, all_rows); break;
    case Form::loop: cta.loop(0, n, piece, [&](const Affine& i) { body(cta, Interval(i, piece)); }); break;
    case Form::condition: {
        // Both sides do the same, at other iterations of a loop.
        cta.loop(0, n, piece, [&](const Affine& i) {
            cta.when(
                axe::Expression(i) < axe::Expression(static_cast<double>(n / 2)), [&] { body(cta, Interval(i, piece)); },
                [&] { body(cta, Interval(i, piece)); });
        });
        break;
    }
    case Form::slice: {
        const int count = static_cast<int>(w.r.in(1, w.agents)),
                  stride = static_cast<int>(w.r.in(1, std::max(1, (w.agents - 1) / std::max(1, count - 1))));
        const int first = static_cast<int>(w.r.in(0, w.agents - 1 - (count - 1) * stride));
        cta.agents(first, count, stride, [&](Scope some) { body(some, all_rows); });
        break;
    }
    case Form::each_agent:
        cta.each_agent({w.agents},
                       [&](Scope one, const std::vector<Affine>& v) { body(one, Interval(v[0] * (n / w.agents), n / w.agents)); });
        break;
    case Form::each_thread: {
        const Int threads = w.agents * w.lanes, each = n / threads;
        if (w.agents > 1 && w.once_in(2))
            cta.each_thread({w.agents, w.lanes}, [&](Scope one, const std::vector<Affine>& v) {
                body(one, Interval((v[0] * w.lanes + v[1]) * each, each));
            });
        else
            cta.each_thread({threads}, [&](Scope one, const std::vector<Affine>& v) { body(one, Interval(v[0] * each, each)); });
        break;
    }
    }
}

} // namespace programs

#endif
