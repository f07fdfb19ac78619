// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_NORMAL_FORM_HPP
#define AXE_MAP_QUASI_AFFINE_NORMAL_FORM_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/map/quasi_affine/floor_division.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// form · form: multiplied out where the result is small, else one atom.
inline const QuasiAffine* product_form(FormSpace& space, const QuasiAffine* x, const QuasiAffine* y)
{
    if (x->count == 0 || y->count == 0) {
        FormBuilder b(space.arena);
        b.add(x->count == 0 ? *y : *x, x->count == 0 ? x->constant : y->constant);
        return space.make(b);
    }
    if (x->depth >= deepest_form || y->depth >= deepest_form) return nullptr;
    const auto atom_product = [&](const QuasiAffine* a, const QuasiAffine* b) {
        const std::int32_t a_low = a->terms[0].atom->lowest, b_low = b->terms[0].atom->lowest;
        const bool in_order = a_low != b_low ? a_low < b_low : hash_of(*a) < hash_of(*b);
        return space.atom(AtomKind::product, 0, in_order ? a : b, in_order ? b : a);
    };
    if (x->count * y->count > 4) return space.make(atom_product(x, y));
    FormBuilder b(space.arena);
    b.add(*y, x->constant);
    b.constant = 0; // the product of both constants is added once
    b.add(*x, y->constant);
    for (const FormTerm& s : *x)
        for (const FormTerm& t : *y) {
            std::int64_t c = 0;
            b.fits = mul(s.coefficient, t.coefficient, c) && b.fits;
            b.add(atom_product(space.make(s.atom), space.make(t.atom)), c);
        }
    return space.make(b);
}

/// The lesser, or the greater, of two forms: one of them where the range of their difference has no two signs, else one atom. What both have
/// in common is outside of it:  min(x + z, y + z) = min(x, y) + z.
inline const QuasiAffine* extremum_form(FormSpace& space, AtomKind kind, const QuasiAffine* x, const QuasiAffine* y)
{
    FormBuilder b(space.arena);
    b.add(*x, 1);
    b.add(*y, -1);
    const QuasiAffine* const difference = space.make(b);
    if (difference == nullptr) return nullptr;
    const IndexInterval r = range(space, *difference);
    if (r.high <= 0) return kind == AtomKind::minimum ? x : y;
    if (r.low >= 0) return kind == AtomKind::minimum ? y : x;
    if (x->depth >= deepest_form || y->depth >= deepest_form) return nullptr;
    FormBuilder common(space.arena), left(space.arena), right(space.arena);
    for (const FormTerm& t : *x)
        for (const FormTerm& u : *y)
            if (t.atom == u.atom && t.coefficient == u.coefficient) common.add(t.atom, t.coefficient);
    if (x->constant == y->constant) common.add(x->constant);
    left.add(*x, 1);
    right.add(*y, 1);
    for (FormBuilder* side : {&left, &right}) {
        for (const FormTerm& t : common) side->add(t.atom, -t.coefficient);
        side->add(-common.constant);
    }
    const QuasiAffine *p = space.make(left), *q = space.make(right);
    if (p == nullptr || q == nullptr) return nullptr;
    if (hash_of(*q) < hash_of(*p)) std::swap(p, q);
    if (p->count == 0) std::swap(p, q); // constants are on the right
    common.add(space.atom(kind, 0, p, q), 1);
    return space.make(common);
}

/// The normal forms of the nodes of a pool, each found once.
class NormalForms {
  public:
    /// @param ranges  of the nodes that are not to be taken apart, one a node, every integer for the others; or none
    NormalForms(FormSpace& space, const IndexPool& pool, const std::vector<IndexInterval>* ranges = nullptr)
        : space_(&space), pool_(&pool), whole_(ranges)
    {
    }

    /// A part that overflows when it is rearranged is a separate atom.
    const QuasiAffine* operator()(IndexExpr e)
    {
        if (epoch_ != space_->epoch) forms_.clear();
        epoch_ = space_->epoch;
        forms_.resize(static_cast<std::size_t>(pool_->size()));
        if (of(e) != nullptr) return of(e);
        // Operands come first in the pool: marked from above, made from below.
        needed_.assign(static_cast<std::size_t>(e.id) + 1, 0);
        std::int32_t first = e.id + 1, open = 0;
        const auto need = [&](IndexExpr x) {
            if (x.id < 0 || needed_[static_cast<std::size_t>(x.id)] != 0 || of(x) != nullptr) return;
            needed_[static_cast<std::size_t>(x.id)] = 1;
            ++open;
        };
        for (need(e); open > 0;) {
            if (needed_[static_cast<std::size_t>(--first)] == 0) continue;
            --open;
            if (is_whole(first)) continue;
            need((*pool_)[{first}].left);
            need((*pool_)[{first}].right);
        }
        for (std::int32_t id = first; id <= e.id; ++id) {
            if (needed_[static_cast<std::size_t>(id)] == 0) continue;
            const QuasiAffine* form = is_whole(id) ? nullptr : make((*pool_)[{id}]);
            if (form == nullptr) form = space_->make(opaque(id));
            forms_[static_cast<std::size_t>(id)] = form;
        }
        return of(e);
    }

  private:
    const QuasiAffine* of(IndexExpr e) const { return forms_[static_cast<std::size_t>(e.id)]; }

    [[nodiscard]] bool is_whole(std::int32_t id) const
    {
        return whole_ != nullptr && (*whole_)[static_cast<std::size_t>(id)] != every_integer;
    }
    const FormAtom* opaque(std::int32_t id)
    {
        const FormAtom* const atom = space_->atom(AtomKind::opaque, id);
        const IndexNode& n = (*pool_)[{id}];
        atom->range = every_integer;
        if (is_whole(id))
            atom->range = (*whole_)[static_cast<std::size_t>(id)];
        else if (n.op == IndexOp::mod)
            atom->range = n.value > 0 ? IndexInterval{0, n.value - 1} : IndexInterval{n.value + 1, 0};
        return atom;
    }
    const QuasiAffine* make(const IndexNode& n)
    {
        switch (n.op) {
        case IndexOp::constant: return n.value == every_integer.low ? nullptr : space_->constant(n.value);
        case IndexOp::variable: {
            const IndexInterval& bounds = space_->bounds[static_cast<std::size_t>(n.value)];
            if (bounds.is_point() && bounds.low != every_integer.low) return space_->constant(bounds.low);
            return space_->make(space_->atom(AtomKind::variable, n.value));
        }
        case IndexOp::add: {
            FormBuilder b(space_->arena);
            b.add(*of(n.left), 1);
            b.add(*of(n.right), 1);
            return space_->make(b);
        }
        case IndexOp::mul: return product_form(*space_, of(n.left), of(n.right));
        case IndexOp::min: return extremum_form(*space_, AtomKind::minimum, of(n.left), of(n.right));
        case IndexOp::max: return extremum_form(*space_, AtomKind::maximum, of(n.left), of(n.right));
        case IndexOp::floor_div_by: return divided(of(n.left), of(n.right), AtomKind::quotient);
        case IndexOp::mod_by: return divided(of(n.left), of(n.right), AtomKind::remainder);
        case IndexOp::floor_div: return divided(of(n.left), n.value);
        case IndexOp::mod: return remainder(of(n.left), n.value);
        }
        return nullptr;
    }
    /// x mod k = x − k·⌊x/k⌋
    const QuasiAffine* remainder(const QuasiAffine* x, std::int64_t by)
    {
        const QuasiAffine* const quotient = divided(x, by);
        if (quotient == nullptr) return nullptr;
        FormBuilder b(space_->arena);
        b.add(*x, 1);
        b.add(*quotient, -by);
        const QuasiAffine* const form = space_->make(b);
        if (form != nullptr && by > 0 && form->has_divisions()) space_->remainders.push_back({form, x, by});
        return form;
    }
    /// By a form: a number where the ranges leave one divisor, or one quotient.
    const QuasiAffine* divided(const QuasiAffine* x, const QuasiAffine* by, AtomKind kind)
    {
        const IndexInterval divisor = range(*space_, *by);
        if (divisor.is_point() && divisor.low != 0)
            return kind == AtomKind::quotient ? divided(x, divisor.low) : remainder(x, divisor.low);
        if (x->depth >= deepest_form || by->depth >= deepest_form) return nullptr;
        const IndexInterval q = divisor.contains(0) ? every_integer : quotient(range(*space_, *x), divisor);
        if (q.is_point() && kind == AtomKind::quotient) return space_->constant(q.low);
        if (q.is_point()) {
            FormBuilder b(space_->arena);
            b.add(*x, 1);
            b.add(*by, -q.low);
            return space_->make(b);
        }
        return space_->make(space_->atom(kind, 0, x, by));
    }
    /// ⌊x / −k⌋ = ⌊−x / k⌋
    const QuasiAffine* divided(const QuasiAffine* x, std::int64_t by)
    {
        if (by > 0) return floor_form(*space_, x, by);
        if (by == every_integer.low) return nullptr;
        FormBuilder b(space_->arena);
        b.add(*x, -1);
        const QuasiAffine* const negative = space_->make(b);
        return negative == nullptr ? nullptr : floor_form(*space_, negative, -by);
    }

    FormSpace* space_;
    const IndexPool* pool_;
    const std::vector<IndexInterval>* whole_;
    SmallVector<const QuasiAffine*, 128> forms_; ///< of each node; none yet: what is new has all bits 0
    SmallVector<char, 128> needed_;
    std::int32_t epoch_ = -1;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
