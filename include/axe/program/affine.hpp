// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_AFFINE_HPP
#define AXE_PROGRAM_AFFINE_HPP

#include <axe/tensor/problem.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {

/// What stands for sums and products that leave 64 bits, by their sign: outside of every tensor, and far enough from the end of the
/// integer for a few more steps.
inline constexpr std::int64_t far_outside = std::int64_t{1} << 62;

/// a + b, of which what leaves 64 bits is `far_outside`.
constexpr std::int64_t limited_sum(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t out = 0;
    return __builtin_add_overflow(a, b, &out) ? (a < 0 ? -far_outside : far_outside) : out;
}
/// a·b, the same.
constexpr std::int64_t limited_product(std::int64_t a, std::int64_t b) noexcept
{
    std::int64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) ? ((a < 0) != (b < 0) ? -far_outside : far_outside) : out;
}

/// Which kernel's variables, scalars and tensors the numbers in a value are of, while kernels are written: other kernels reject it. It is
/// no part of the value: values that differ in it alone are equal.
struct KernelTag {
    const void* kernel = nullptr; ///< null: made by hand, for whichever program it is put into
    friend constexpr bool operator==(KernelTag, KernelTag) noexcept { return true; }
    /// Of what is made of two values.
    constexpr KernelTag& operator+=(KernelTag other) noexcept
    {
        if (kernel == nullptr) kernel = other.kernel;
        if (other.kernel != nullptr && other.kernel != kernel) kernel = &several;
        return *this;
    }

  private:
    static constexpr char several = 0; // its address is that of no kernel
};

/// One of a program's integer variables (a loop's counter, the number of a block, a device, a warp, a lane): its place in
/// `Program::variables`.
struct Var {
    int id = -1;
    KernelTag owner{};
    friend bool operator==(const Var&, const Var&) = default;
};

/// constant + Σ coefficient·variable: where a tile begins, how often a loop runs. Kept with its variables ascending and no
/// coefficient 0, so that equal functions are equal values. Numbers and values that leave 64 bits are ±2^62.
class Affine {
  public:
    struct Term {
        int var;
        std::int64_t coefficient;
        friend bool operator==(const Term&, const Term&) = default;
    };

    Affine() = default;
    Affine(std::int64_t value) : constant_(value) {} // NOLINT(google-explicit-constructor): numbers and variables are expressions
    Affine(Var v) : owner_(v.owner), terms_{{v.id, 1}} {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] std::int64_t constant() const noexcept { return constant_; }
    [[nodiscard]] const std::vector<Term>& terms() const noexcept { return terms_; }
    [[nodiscard]] KernelTag owner() const noexcept { return owner_; }
    [[nodiscard]] bool is_constant() const noexcept { return terms_.empty(); }

    /// The value where variable v is `values[v]`.
    template <class Values>
    [[nodiscard]] std::int64_t operator()(const Values& values) const
    {
        std::int64_t sum = constant_;
        for (const Term& t : terms_)
            sum = limited_sum(sum, limited_product(t.coefficient, values[static_cast<std::size_t>(t.var)]));
        return sum;
    }

    Affine& operator+=(const Affine& other)
    {
        owner_ += other.owner_;
        constant_ = limited_sum(constant_, other.constant_);
        if (other.terms_.size() > 1) return merge(other.terms_);
        for (const Term& t : other.terms_) add(t);
        return *this;
    }
    Affine& operator*=(std::int64_t factor)
    {
        constant_ = limited_product(constant_, factor);
        for (Term& t : terms_) t.coefficient = limited_product(t.coefficient, factor);
        if (factor == 0) terms_.clear();
        return *this;
    }
    friend Affine operator+(Affine a, const Affine& b) { return std::move(a += b); }
    friend Affine operator-(Affine a, const Affine& b) { return std::move(a += b * -1); }
    friend Affine operator*(Affine a, std::int64_t factor) { return std::move(a *= factor); }
    friend Affine operator*(std::int64_t factor, Affine a) { return std::move(a *= factor); }
    friend bool operator==(const Affine&, const Affine&) = default;

  private:
    /// The terms of two sums, each ascending: one pass over both.
    Affine& merge(const std::vector<Term>& other)
    {
        std::vector<Term> all;
        all.reserve(terms_.size() + other.size());
        auto a = terms_.begin();
        auto b = other.begin();
        while (a != terms_.end() || b != other.end()) {
            const bool from_a = b == other.end() || (a != terms_.end() && a->var < b->var);
            if (from_a || a == terms_.end() || b->var < a->var) {
                all.push_back(from_a ? *a++ : *b++);
                continue;
            }
            const std::int64_t sum = limited_sum(a->coefficient, b->coefficient);
            if (sum != 0) all.push_back({a->var, sum});
            ++a, ++b;
        }
        terms_ = std::move(all);
        return *this;
    }
    void add(const Term& t)
    {
        auto at = std::lower_bound(terms_.begin(), terms_.end(), t.var, [](const Term& a, int var) { return a.var < var; });
        if (at == terms_.end() || at->var != t.var) {
            terms_.insert(at, t);
            return;
        }
        at->coefficient = limited_sum(at->coefficient, t.coefficient);
        if (at->coefficient == 0) terms_.erase(at);
    }

    KernelTag owner_{};
    std::int64_t constant_ = 0;
    std::vector<Term> terms_{};
};

inline Affine operator+(Var a, Var b) { return Affine(a) + Affine(b); }
inline Affine operator-(Var a, Var b) { return Affine(a) - Affine(b); }
inline Affine operator*(Var a, std::int64_t factor) { return Affine(a) * factor; }
inline Affine operator*(std::int64_t factor, Var a) { return Affine(a) * factor; }
inline Affine operator+(Var a, std::int64_t b) { return Affine(a) + b; }
inline Affine operator-(Var a, std::int64_t b) { return Affine(a) - b; }
inline Affine operator+(std::int64_t a, Var b) { return Affine(a) + Affine(b); }
inline Affine operator-(std::int64_t a, Var b) { return Affine(a) - Affine(b); }

} // namespace v0
} // namespace axe

#endif
