// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_SPACE_HPP
#define AXE_MAP_QUASI_AFFINE_SPACE_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/map/quasi_affine/form.hpp>
#include <axe/map/small_vector.hpp>

#include <new>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// A form that a constraint holds in an interval.
struct FormFact {
    const QuasiAffine* form = nullptr;
    IndexInterval interval{};
};

/// What was written as base mod modulus.
struct FormRemainder {
    const QuasiAffine* form = nullptr;
    const QuasiAffine* base = nullptr;
    std::int64_t modulus = 0;
};

/// The forms and atoms of one map, each once, and what is known of its domain.
///
/// `epoch` counts the changes of what is known: ranges and quotients that were found before are found anew.
class FormSpace {
  public:
    FormSpace() = default;

    FormArena arena{};
    std::vector<IndexInterval> bounds{}; ///< of the variables
    std::vector<FormFact> facts{};
    SmallVector<FormRemainder, 24> remainders; ///< as the input has them: of two equally short texts its own
    std::int32_t epoch = 0;
    static constexpr int most_samples = 4;
    int samples = 0;                                 ///< points of the domain that are known
    SmallVector<std::int64_t, 32> sample_points;     ///< `most_samples` values a variable
    std::int64_t terms_left = std::int64_t{1} << 40; ///< how many more may be made: then no form is

    /// False when a variable has no value.
    bool set_bounds(const IndexingMap& map)
    {
        bounds = box_of(map);
        return std::none_of(bounds.begin(), bounds.end(), [](const IndexInterval& b) { return b.is_empty(); });
    }

    [[nodiscard]] bool is_spent() const noexcept { return terms_left < 0; }

    const QuasiAffine* constant(std::int64_t value) { return make(value, nullptr, 0); }
    /// The form, or none when a number overflowed.
    const QuasiAffine* make(const FormBuilder& b)
    {
        return b.is_sound() && !is_spent() ? make(b.constant, b.begin(), b.count()) : nullptr;
    }
    const QuasiAffine* make(const FormAtom* atom)
    {
        const FormTerm one{atom, 1};
        return make(0, &one, 1);
    }
    const QuasiAffine* make(std::int64_t constant, const FormTerm* terms, int count)
    {
        std::uint64_t key = static_cast<std::uint64_t>(constant) * 0x9E3779B97F4A7C15u;
        for (int i = 0; i < count; ++i) key += terms[i].atom->hash * (2 * static_cast<std::uint64_t>(terms[i].coefficient) + 1);
        key ^= key >> 32;
        QuasiAffine*& slot = forms_.find(arena, key, [&](const QuasiAffine& f) {
            if (f.constant != constant || f.count != count) return false;
            for (int i = 0; i < count; ++i)
                if (f.terms[i].atom != terms[i].atom || f.terms[i].coefficient != terms[i].coefficient) return false;
            return true;
        });
        if (slot != nullptr) return slot;
        terms_left -= count + 1;
        FormTerm* const own = arena.make<FormTerm>(static_cast<std::size_t>(count));
        std::int32_t depth = 0;
        for (int i = 0; i < count; ++i) {
            ::new (static_cast<void*>(own + i)) FormTerm(terms[i]);
            depth = greatest(depth, terms[i].atom->depth);
        }
        slot = ::new (static_cast<void*>(arena.make<QuasiAffine>(1))) QuasiAffine{};
        slot->constant = constant;
        slot->terms = own;
        slot->count = count;
        slot->depth = depth;
        slot->hash = key;
        return slot;
    }
    const FormAtom* atom(AtomKind kind, std::int64_t value, const QuasiAffine* left = nullptr, const QuasiAffine* right = nullptr)
    {
        std::uint64_t h = mix(static_cast<std::uint64_t>(kind) + 1, static_cast<std::uint64_t>(value));
        if (left != nullptr) h = mix(h, hash_of(*left));
        if (right != nullptr) h = mix(h, hash_of(*right));
        FormAtom*& slot = atoms_.find(
            arena, h, [&](const FormAtom& a) { return a.kind == kind && a.value == value && a.left == left && a.right == right; });
        if (slot != nullptr) return slot;
        slot = ::new (static_cast<void*>(arena.make<FormAtom>(1))) FormAtom{};
        slot->kind = kind;
        slot->value = value;
        slot->left = left;
        slot->right = right;
        slot->hash = h;
        slot->order = kind == AtomKind::variable ? static_cast<std::uint64_t>(value) : h >> 1 | std::uint64_t{1} << 63;
        slot->lowest = kind == AtomKind::variable ? static_cast<std::int32_t>(value) : kind == AtomKind::opaque ? 0 : 0x7fffffff;
        slot->highest = kind == AtomKind::variable ? slot->lowest : kind == AtomKind::opaque ? FormAtom::all_variables : 0;
        for (const QuasiAffine* part : {left, right}) {
            if (part == nullptr) continue;
            slot->depth = greatest(slot->depth, part->depth + 1);
            for (const FormTerm& t : *part) {
                slot->lowest = least(slot->lowest, t.atom->lowest);
                slot->highest = greatest(slot->highest, t.atom->highest);
            }
        }
        return slot;
    }

    /// Where ⌊form / divisor⌋ is remembered; valid in its epoch.
    struct Quotient {
        std::uint64_t hash = 0;
        const QuasiAffine* form = nullptr;
        std::int64_t divisor = 0;
        const QuasiAffine* result = nullptr;
        std::int32_t epoch = -1;
    };
    Quotient& quotient(const QuasiAffine* form, std::int64_t divisor)
    {
        const std::uint64_t h = mix(form->hash, static_cast<std::uint64_t>(divisor));
        Quotient*& slot = quotients_.find(arena, h, [&](const Quotient& q) { return q.form == form && q.divisor == divisor; });
        if (slot == nullptr) slot = ::new (static_cast<void*>(arena.make<Quotient>(1))) Quotient{h, form, divisor, nullptr, -1};
        return *slot;
    }

  private:
    /// Open addressing, at most half full.
    template <class T>
    class Table {
      public:
        template <class Same>
        T*& find(FormArena& room, std::uint64_t key, Same same)
        {
            if (2 * used_ >= size_) grow(room);
            std::size_t at = static_cast<std::size_t>(key) & (size_ - 1);
            for (; slots_[at] != nullptr; at = (at + 1) & (size_ - 1))
                if (slots_[at]->hash == key && same(*slots_[at])) return slots_[at];
            ++used_; // the caller fills it
            return slots_[at];
        }

      private:
        void grow(FormArena& room)
        {
            T **const old = slots_, **const end = slots_ + size_;
            size_ = size_ == 0 ? 128 : 2 * size_;
            slots_ = room.make<T*>(size_);
            std::fill_n(slots_, size_, nullptr);
            used_ = 0;
            for (T** t = old; t != end; ++t)
                if (*t != nullptr) find(room, (*t)->hash, [](const T&) { return false; }) = *t;
        }
        T** slots_ = nullptr;
        std::size_t size_ = 0, used_ = 0;
    };
    Table<QuasiAffine> forms_{};
    Table<FormAtom> atoms_{};
    Table<Quotient> quotients_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
