// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_FORM_HPP
#define AXE_MAP_QUASI_AFFINE_FORM_HPP

#include <axe/map/interval.hpp>
#include <axe/map/quasi_affine/arena.hpp>

#include <cstring>

namespace axe {
inline namespace v0 {
namespace detail {

struct QuasiAffine;

/// What a linear form counts as unknown.
enum class AtomKind : std::uint8_t {
    variable, ///< of number `value`
    floor,    ///< ⌊left / value⌋, value ≥ 2
    product,  ///< left · right
    minimum,  ///< of left and right
    maximum,
    quotient,  ///< ⌊left / right⌋
    remainder, ///< left mod right
    opaque,    ///< the node `value` of the input, left as it is
};

struct FormAtom {
    static constexpr std::int32_t all_variables = 0x7fffffff; ///< `highest` of what holds an opaque atom

    AtomKind kind = AtomKind::variable;
    std::int32_t depth = 0;               ///< of divisions and products within each other
    std::int32_t lowest = 0, highest = 0; ///< numbers of variables in it; an opaque one may have all
    std::int64_t value = 0;
    const QuasiAffine* left = nullptr;
    const QuasiAffine* right = nullptr;
    std::uint64_t hash = 0;  ///< of what it is, not of when it was made
    std::uint64_t order = 0; ///< of the terms: variables by number, then the rest by their hashes
    mutable IndexInterval range{};
    mutable std::int32_t range_epoch = -1;
    mutable bool has_no_samples = false;
    mutable const std::int64_t* samples = nullptr; ///< values at points of the domain
};

struct FormTerm {
    const FormAtom* atom; // no defaults: builders leave their room as it is
    std::int64_t coefficient;
};

struct FormPlan;
struct Summands;

/// constant + Σ coefficient·atom, the atoms in order, none twice, no coefficient 0. Equal forms are one object.
struct QuasiAffine {
    std::int64_t constant = 0;
    const FormTerm* terms = nullptr;
    std::int32_t count = 0;
    std::int32_t depth = 0; ///< the greatest of the atoms'
    std::uint64_t hash = 0; ///< for looking up
    mutable IndexInterval range{};
    mutable std::int32_t range_epoch = -1;
    mutable std::int32_t expression = -1; ///< where it was printed to
    mutable const FormPlan* plan = nullptr;
    mutable const Summands* units = nullptr; ///< in `units_epoch`
    mutable std::int32_t units_epoch = -1;
    mutable std::uint64_t known_hash = 0; ///< 0: not yet

    [[nodiscard]] const FormTerm* begin() const noexcept { return terms; }
    [[nodiscard]] const FormTerm* end() const noexcept { return terms + count; }
    [[nodiscard]] bool has_divisions() const noexcept { return depth > 0; }
    [[nodiscard]] bool has_opaque() const noexcept
    {
        for (int i = 0; i < count; ++i)
            if (terms[i].atom->highest == FormAtom::all_variables) return true;
        return false;
    }
};

constexpr std::uint64_t mix(std::uint64_t h, std::uint64_t x) noexcept
{
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u + (x + 0x632BE59BD9B4E019u) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 32);
}

/// A hash that the order of texts follows, and that of an atom: computed when it is asked for, because most forms are only added up.
inline std::uint64_t hash_of(const QuasiAffine& form) noexcept
{
    if (form.known_hash != 0) return form.known_hash;
    std::uint64_t h = mix(static_cast<std::uint64_t>(form.count), static_cast<std::uint64_t>(form.constant));
    for (const FormTerm& t : form) h = mix(mix(h, t.atom->hash), static_cast<std::uint64_t>(t.coefficient));
    return form.known_hash = h;
}

/// A linear form in the making. `fits` turns false when a number overflows; the form then means nothing.
class FormBuilder {
  public:
    explicit FormBuilder(FormArena& arena) noexcept : arena_(&arena) {}
    FormBuilder(const FormBuilder&) = delete;
    FormBuilder& operator=(const FormBuilder&) = delete;

    std::int64_t constant = 0;
    bool fits = true;

    [[nodiscard]] int count() const noexcept { return count_; }
    [[nodiscard]] FormTerm* begin() noexcept { return terms_; }
    [[nodiscard]] FormTerm* end() noexcept { return terms_ + count_; }
    [[nodiscard]] const FormTerm* begin() const noexcept { return terms_; }
    [[nodiscard]] const FormTerm* end() const noexcept { return terms_ + count_; }

    /// Have all numbers stayed in the integer, and their negatives too?
    [[nodiscard]] bool is_sound() const noexcept
    {
        if (!fits || constant == every_integer.low) return false;
        for (int i = 0; i < count_; ++i)
            if (terms_[i].coefficient == every_integer.low) return false;
        return true;
    }
    /// 0 if none exists.
    [[nodiscard]] std::int64_t coefficient(const FormAtom* atom) const noexcept
    {
        for (int i = 0; i < count_; ++i)
            if (terms_[i].atom == atom) return terms_[i].coefficient;
        return 0;
    }
    void add(std::int64_t c) noexcept { fits = detail::add(constant, c, constant) && fits; }
    void add(const FormAtom* atom, std::int64_t c)
    {
        if (c == 0) return;
        int at = count_;
        while (at > 0 && atom->order < terms_[at - 1].atom->order) --at;
        if (at > 0 && terms_[at - 1].atom == atom)
            add_at(at - 1, c);
        else
            insert(at, atom, c);
    }
    /// += c·form
    void add(const QuasiAffine& form, std::int64_t c)
    {
        if (c == 0) return;
        fits = add_product(c, form.constant, constant) && fits;
        int at = 0; // both are in order
        for (const FormTerm& t : form) {
            std::int64_t product = 0;
            fits = mul(c, t.coefficient, product) && fits;
            if (product == 0) continue;
            while (at < count_ && terms_[at].atom->order < t.atom->order) ++at;
            if (at < count_ && terms_[at].atom == t.atom)
                at += add_at(at, product) ? 1 : 0;
            else
                insert(at++, t.atom, product);
        }
    }
    void scale(std::int64_t c) noexcept
    {
        fits = mul(c, constant, constant) && fits;
        for (FormTerm& t : *this) fits = mul(c, t.coefficient, t.coefficient) && fits;
    }
    void clear() noexcept
    {
        constant = 0;
        count_ = 0;
        fits = true;
    }

  private:
    /// False when nothing is left of the term.
    bool add_at(int at, std::int64_t c)
    {
        std::int64_t& sum = terms_[at].coefficient;
        fits = detail::add(sum, c, sum) && fits;
        if (sum != 0) return true;
        --count_;
        for (int i = at; i < count_; ++i) terms_[i] = terms_[i + 1];
        return false;
    }
    void insert(int at, const FormAtom* atom, std::int64_t c)
    {
        if (count_ == capacity_) grow();
        for (int i = count_++; i > at; --i) terms_[i] = terms_[i - 1];
        terms_[at] = {atom, c};
    }
    void grow()
    {
        FormTerm* const wider = arena_->make<FormTerm>(static_cast<std::size_t>(capacity_) * 2);
        std::memcpy(static_cast<void*>(wider), terms_, static_cast<std::size_t>(count_) * sizeof(FormTerm));
        terms_ = wider;
        capacity_ *= 2;
    }

    FormArena* arena_;
    int count_ = 0, capacity_ = 12;
    FormTerm* terms_ = own_;
    FormTerm own_[12];
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
