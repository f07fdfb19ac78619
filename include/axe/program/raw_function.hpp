// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_RAW_FUNCTION_HPP
#define AXE_PROGRAM_RAW_FUNCTION_HPP

#include <axe/layout/shape.hpp>
#include <axe/tensor/dtype.hpp>
#include <axe/tensor/problem.hpp>

#include <cstddef>
#include <cstdint>

/// Functions of C++ that are instructions of kernels.
namespace axe {
inline namespace v0 {

struct Program;
struct Operation;
namespace ref {
struct Operands;
}

/// An operand as such a function sees it: element (x_0, …) is at  pointer + (offset + Σ x_d·strides_d)·(bytes of its type).
struct RawOperand {
    std::byte* pointer = nullptr;
    DType type = DType::f32;
    Shape sizes{};
    InlineVector<std::int64_t, max_rank> strides{}; ///< in elements
    std::int64_t offset = 0;                        ///< in elements

    /// The element as a T, which has the bits of the type: `x.at<float>(i, j)`.
    /// @pre as many indices as dimensions, inside the sizes
    template <class T, class... Index>
    [[nodiscard]] T& at(Index... index) const noexcept
    {
        std::int64_t place = offset;
        int d = 0;
        ((place += static_cast<std::int64_t>(index) * strides[d++]), ...);
        return *reinterpret_cast<T*>(pointer + place * static_cast<std::int64_t>(sizeof(T)));
    }
};

/// What a function does with an operand: it reads elements; writes all of them, whatever was there; reads them, and writes some or all.
enum class RawAccess : std::uint8_t { read, write, update };

struct RawParameter {
    const char* name = nullptr; ///< null: there is none
    RawAccess access = RawAccess::read;
};

/// A function of C++ as a row of data: its operands, those that it writes first, and what it does with each.
///
/// It keeps nothing between two calls, and may be called by several threads at once. A run with all checks calls it twice for one
/// instruction, on copies of its operands, to hold it to what it declares.
struct RawFunction {
    static constexpr int most_operands = 5;
    const char* name;
    RawParameter operands[most_operands];
    void (*run)(const RawOperand* operands);
    /// What is wrong with shapes and types, without the words that say where; null: all are right.
    Result<void, Problem> (*check)(const Program&, const Operation&) = nullptr;
    /// What it computes, on what the elements may be, as of `Operator::reference`. Null: it is called with the elements, where they are
    /// exact.
    Result<void, Problem> (*reference)(const ref::Operands&) = nullptr;
};

/// How many operands it has, and how many of them, the first ones, it writes.
constexpr int operand_count(const RawFunction& f) noexcept
{
    int n = 0;
    while (n < RawFunction::most_operands && f.operands[n].name != nullptr) ++n;
    return n;
}
constexpr int written_count(const RawFunction& f) noexcept
{
    int n = 0;
    while (n < operand_count(f) && f.operands[n].access != RawAccess::read) ++n;
    return n;
}

} // namespace v0
} // namespace axe

#endif
