// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_PROGRAM_BYTES_HPP
#define AXE_TESTS_FUZZ_PROGRAM_BYTES_HPP

#include <axe/kernels.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/program/walk.hpp>
#include <tests/fuzz/bytes.hpp>

/// Programs from the fuzzer's bytes: kernels written statement by statement, most of them sound, and then perhaps with numbers changed
/// as no kernel would write them.
namespace fuzz {

using axe::Affine;
using axe::DType;
using axe::Expression;
using axe::Function;
using axe::Interval;
using axe::Role;
using axe::Scope;
using axe::Shape;
using axe::TensorRef;
using axe::ViewRef;

/// Writes one kernel.
class KernelWriter {
  public:
    KernelWriter(Bytes& bytes, const axe::Machine& machine) : b_(bytes), k_("fuzzed", machine) {}

    axe::Result<axe::Program, axe::Problem> write()
    {
        const Int tensors = b_.in(1, 4);
        for (Int i = 0; i < tensors; ++i) {
            const std::string name = "T" + std::to_string(i);
            const Shape shape = some_shape();
            const DType type = some_type();
            const Int binding = b_.below(3);
            tensors_.push_back(binding == 0   ? k_.input(name, shape, type)
                               : binding == 1 ? k_.output(name, shape, type)
                                              : k_.inout(name, shape, type));
        }
        scalars_.push_back(k_.scalar("x", static_cast<double>(b_.below(4))));
        const Int grids = b_.in(1, 2);
        for (Int i = 0; i < grids; ++i) {
            if (b_.below(8) == 0) statement(k_, false);
            grid();
        }
        return k_.program();
    }

  private:
    Shape some_shape()
    {
        Shape out;
        const Int rank = b_.in(1, 2);
        for (Int d = 0; d < rank; ++d) {
            constexpr Int extents[] = {1, 2, 4, 8, 16, 32, 64, 3, 5, 7, 33, 12};
            out.push_back(extents[b_.below(12)]);
        }
        return out;
    }
    DType some_type()
    {
        constexpr DType types[] = {DType::f32, DType::f32, DType::f16, DType::bf16, DType::i32, DType::i8, DType::f64, DType::b1};
        return types[b_.below(8)];
    }
    Function some_function(int arity)
    {
        const Function one[] = {Function::identity, Function::neg, Function::abs, Function::relu, Function::exp, Function::sqrt};
        const Function two[] = {Function::add, Function::mul, Function::max, Function::min, Function::sub, Function::less};
        return arity == 1 ? one[b_.below(6)] : arity == 2 ? two[b_.below(6)] : b_.bit() ? Function::fma : Function::select;
    }
    Affine some_index()
    {
        Affine out = b_.below(4);
        if (!variables_.empty() && b_.bit())
            out += variables_[static_cast<std::size_t>(b_.below(Int(variables_.size())))] * b_.in(1, 4);
        return out;
    }
    ViewRef some_view()
    {
        const TensorRef& t = tensors_[static_cast<std::size_t>(b_.below(Int(tensors_.size())))];
        ViewRef v = t;
        const int form = b_.byte();
        if ((form & 3) == 0) {
            std::vector<Interval> box;
            for (int d = 0; d < t.shape().size(); ++d) {
                const Int kind = b_.below(4);
                box.push_back(kind == 0   ? axe::all
                              : kind == 1 ? Interval(some_index())
                                          : Interval(some_index(), kind == 2 ? b_.in(1, 8) : t.shape()[d]));
            }
            v = t(box);
        }
        if ((form & 12) == 12 && v.shape().size() == 2) v = v.permuted({1, 0});
        if ((form & 48) == 48) v = v.repeated(0, b_.in(1, 4));
        if ((form & 192) == 192) v = v.guarded();
        return v;
    }
    /// A view of as many elements in each dimension as the other, where a tensor has them.
    ViewRef like(const ViewRef& other)
    {
        if (b_.below(8) == 0) return some_view();
        for (std::size_t tries = tensors_.size(); tries > 0; --tries) {
            const TensorRef& t = tensors_[static_cast<std::size_t>(b_.below(Int(tensors_.size())))];
            if (t.shape().size() != other.shape().size()) continue;
            std::vector<Interval> box;
            for (int d = 0; d < other.shape().size(); ++d)
                box.push_back(t.shape()[d] == other.shape()[d] ? axe::all : Interval(some_index(), other.shape()[d]));
            return t(box);
        }
        return other;
    }
    Expression some_expression(int depth = 0)
    {
        const Int kind = b_.below(depth > 3 ? 3 : 10);
        if (kind == 0) return static_cast<int>(b_.below(5));
        if (kind == 1) return some_index();
        if (kind == 2) return scalars_[static_cast<std::size_t>(b_.below(Int(scalars_.size())))];
        if (kind == 3) {
            const TensorRef& t = tensors_[static_cast<std::size_t>(b_.below(Int(tensors_.size())))];
            std::vector<Interval> at;
            for (int d = 0; d < t.shape().size(); ++d) at.emplace_back(some_index());
            return load(t(at));
        }
        const Expression a = some_expression(depth + 1), c = some_expression(depth + 1);
        switch (kind) {
        case 4: return a + c;
        case 5: return a * c;
        case 6: return a < c;
        case 7: return equals(a, c);
        case 8: return floor_div(a, c);
        default: return both(a, negation(c));
        }
    }

    void grid()
    {
        const Shape counts = b_.bit() ? Shape{b_.in(1, 4)} : Shape{b_.in(1, 3), b_.in(1, 3)};
        const int agents = static_cast<int>(b_.in(0, 4));
        const std::size_t tensors = tensors_.size(), variables = variables_.size();
        k_.cta(
            axe::tiles(counts, counts.size() == 1 ? Shape{1} : Shape{1, 1}),
            [&](Scope cta, const axe::Tile& t) {
                for (const Affine& i : t.index) variables_.push_back(i);
                body(cta, true, b_.in(1, 8));
            },
            agents);
        drop(tensors, variables);
    }
    void drop(std::size_t tensors, std::size_t variables)
    {
        tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(tensors), tensors_.end());
        variables_.resize(variables);
    }
    void body(Scope s, bool in_block, Int statements)
    {
        if (++depth_ <= 4)
            for (Int i = 0; i < statements; ++i) statement(s, in_block);
        --depth_;
    }
    void inner(Scope s, bool in_block)
    {
        const std::size_t tensors = tensors_.size(), variables = variables_.size();
        body(s, in_block, b_.in(1, 3));
        drop(tensors, variables);
    }

    void statement(Scope s, bool in_block)
    {
        if (++written_ > 60) return;
        switch (b_.below(32)) {
        case 0: {
            constexpr Role roles[] = {Role::shared, Role::registers, Role::accumulator, Role::global};
            constexpr axe::LayoutHint hints[] = {axe::LayoutHint::none, axe::LayoutHint::conflict_free, axe::LayoutHint::registers,
                                                 axe::LayoutHint::accumulator};
            const Role role = roles[b_.below(4)];
            const auto hint = role == Role::registers && b_.below(4) != 0 ? axe::LayoutHint::registers : hints[b_.below(4)];
            tensors_.push_back(s.alloc(role, some_shape(), some_type(), hint));
            break;
        }
        case 1: s.fill(some_view(), static_cast<double>(b_.below(5))); break;
        case 2:
        case 3:
        case 4: {
            const ViewRef d = some_view();
            s.copy(d, like(d));
            break;
        }
        case 5: {
            const ViewRef d = some_view();
            s.copy_async(d, like(d));
            if (b_.below(4) != 0) s.commit().wait();
            break;
        }
        case 6:
        case 7: {
            const ViewRef d = some_view();
            const int arity = static_cast<int>(b_.in(1, 3));
            std::vector<ViewRef> of;
            for (int i = 0; i < arity; ++i) of.push_back(like(d));
            s.map(some_function(arity), d, of);
            break;
        }
        case 8: s.reduce(some_function(2), some_view(), some_view(), {static_cast<int>(b_.below(2))}, b_.bit()); break;
        case 9: s.gemm(some_view(), some_view(), some_view(), {b_.bit(), b_.bit(), b_.bit()}); break;
        case 10: s.gather(some_view(), some_view(), some_view()); break;
        case 11: s.scatter(some_view(), some_view(), some_view()); break;
        case 12: {
            const ViewRef d = some_view();
            s.atomic(some_function(2), d, like(d));
            break;
        }
        case 13:
        case 14: s.sync(); break;
        case 15: b_.bit() ? s.commit() : s.wait(static_cast<int>(b_.below(2))); break;
        case 16:
            s.loop(some_index(), some_index() + b_.below(4), b_.in(1, 2), [&](const Affine& i) {
                variables_.push_back(i);
                inner(s, in_block);
            });
            break;
        case 17: s.loop_while(some_expression(), [&] { inner(s, in_block); }); break;
        case 18: b_.bit() ? s.break_loop() : s.continue_loop(); break;
        case 19:
            s.when(
                some_expression(), [&] { inner(s, in_block); },
                [&] {
                    if (b_.bit()) inner(s, in_block);
                });
            break;
        case 20: s.assign(scalars_[0], some_expression()); break;
        case 21:
            s.agents(static_cast<int>(b_.below(4)), static_cast<int>(b_.in(1, 3)), static_cast<int>(b_.in(1, 2)),
                     [&](Scope inside) { inner(inside, in_block); });
            break;
        case 22: {
            const auto each = [&](Scope inside, const std::vector<Affine>& numbers) {
                for (const Affine& n : numbers) variables_.push_back(n);
                inner(inside, in_block);
            };
            const Int count = b_.in(1, 4);
            b_.bit() ? s.each_agent({count}, each) : s.each_thread({count * 32}, each);
            break;
        }
        case 23: s.scan(some_function(2), some_view(), some_view(), static_cast<int>(b_.below(2)), b_.bit()); break;
        case 24: s.iota(some_view(), static_cast<int>(b_.below(2)), some_index()); break;
        case 25: {
            std::vector<ViewRef> indices{some_view()};
            if (b_.bit()) indices.push_back(like(indices[0]));
            const auto where = b_.bit() ? std::optional<ViewRef>(like(indices[0])) : std::nullopt;
            if (b_.bit())
                s.gather_at(some_view(), some_view(), indices, {where, static_cast<double>(b_.below(3))});
            else
                s.scatter_at(some_view(), indices, some_view(), where);
            break;
        }
        case 26: {
            const ViewRef a = some_view();
            if (b_.bit())
                s.atomic_rows(some_function(2), some_view(), some_view(), a,
                              b_.bit() ? std::optional<ViewRef>(like(a)) : std::nullopt);
            else
                s.compare_exchange(some_view(), some_view(), a, like(a));
            break;
        }
        case 27:
            s.scaled_gemm(some_view(), some_view(), some_view(), some_view(), some_view(), {b_.bit(), b_.bit(), b_.bit()});
            break;
        case 28: {
            const auto action = b_.bit() ? axe::NamedBarrier::Action::sync : axe::NamedBarrier::Action::arrive;
            s.named_barrier({action, static_cast<int>(b_.below(3)), 32 * b_.below(5)});
            break;
        }
        case 29: {
            const ViewRef v = some_view(), d = b_.bit() ? v.remote() : v.remote(some_index());
            b_.bit() ? s.copy(d, like(v)) : s.copy(like(v), d);
            break;
        }
        default: {
            axe::Mbarrier m;
            m.action = static_cast<axe::Mbarrier::Action>(b_.below(4));
            m.id = static_cast<int>(b_.below(2));
            m.number = b_.below(5);
            m.parity = static_cast<int>(b_.below(2));
            s.mbarrier(m);
        }
        }
    }

    Bytes& b_;
    axe::Kernel k_;
    std::vector<TensorRef> tensors_{};
    std::vector<Affine> variables_{};
    std::vector<axe::ScalarRef> scalars_{};
    int depth_ = 0, written_ = 0;
};

/// Changes one number of a program, wherever it is, to any other.
inline void change(axe::Program& p, Bytes& b)
{
    std::vector<axe::Statement*> statements;
    for_each_statement(p.body, [&](axe::Statement& s) { statements.push_back(&s); });
    const auto some_int = [&] { return static_cast<int>(b.number()); };
    if (statements.empty() || b.below(4) == 0) {
        axe::ProgramTensor& t = p.tensors[static_cast<std::size_t>(b.below(Int(p.tensors.size())))];
        switch (b.below(5)) {
        case 0: t.base = b.number(); break;
        case 1: t.shape.push_back(b.number()); break;
        case 2: t.shape[static_cast<int>(b.below(t.shape.size()))] = b.number(); break;
        case 3: t.hint = static_cast<axe::LayoutHint>(b.below(6)); break;
        default:
            if (!t.layout.layout.shard.empty()) t.layout.layout.shard[0].stride = b.number();
        }
        return;
    }
    axe::Statement& s = *statements[static_cast<std::size_t>(b.below(Int(statements.size())))];
    const auto change_view = [&](axe::View& v) {
        switch (b.below(6)) {
        case 0: v.tensor = static_cast<int>(b.in(-1, 5)); break;
        case 1:
            if (!v.origin.empty()) v.origin[0] = b.number();
            break;
        case 2:
            if (!v.extents.empty()) v.extents[0] = b.number();
            break;
        case 3:
            if (!v.dims.empty()) v.dims[0] = static_cast<int>(b.in(-2, 3));
            break;
        case 4:
            if (!v.steps.empty()) v.steps[0] = b.number();
            break;
        default: v.origin.emplace_back(axe::Var{some_int()});
        }
    };
    if (auto* a = std::get_if<axe::Alloc>(&s.what)) a->tensor = some_int();
    if (auto* f = std::get_if<axe::For>(&s.what)) {
        switch (b.below(4)) {
        case 0: f->step = b.number(); break;
        case 1: f->end = b.number(); break;
        case 2: f->begin = b.number(); break;
        default: f->var.id = some_int();
        }
    }
    if (auto* g = std::get_if<axe::Grid>(&s.what)) {
        switch (b.below(3)) {
        case 0: g->agents = some_int(); break;
        case 1: g->counts[0] = b.number(); break;
        default: g->vars[0].id = some_int();
        }
    }
    if (auto* slice = std::get_if<axe::Slice>(&s.what))
        (b.bit() ? slice->count : b.bit() ? slice->first : slice->stride) = some_int();
    if (auto* each = std::get_if<axe::Each>(&s.what)) each->counts[0] = b.number();
    if (auto* assign = std::get_if<axe::Assign>(&s.what)) assign->scalar = some_int();
    if (auto* wait = std::get_if<axe::Wait>(&s.what)) wait->pending = some_int();
    if (auto* m = std::get_if<axe::Mbarrier>(&s.what)) b.bit() ? void(m->id = some_int()) : void(m->number = b.number());
    if (auto* o = std::get_if<axe::Operation>(&s.what)) {
        const Int what = b.below(8);
        if (what == 0)
            o->axes.push_back(some_int());
        else if (what == 1 && !o->operands.empty())
            o->operands.pop_back();
        else if (what == 2)
            o->options.vector_bytes = some_int();
        else if (!o->operands.empty())
            change_view(o->operands[static_cast<std::size_t>(b.below(Int(o->operands.size())))]);
    }
}

} // namespace fuzz

#endif
