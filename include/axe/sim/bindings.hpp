// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_BINDINGS_HPP
#define AXE_SIM_BINDINGS_HPP

#include <axe/program/program.hpp>
#include <axe/tensor/array.hpp>

#include <functional>
#include <map>

namespace axe {
inline namespace v0 {

/// Arrays by the names of a program's tensors: what a run is given, and what it gives back, in the order they were added. An array is
/// found by its name in the time of a comparison, of many names in that of a few.
class Bindings {
  public:
    struct Entry {
        std::string name{};
        Array array{};
    };

    Bindings() = default;

    /// The array of that name, in the place of one that had it before.
    Bindings& set(std::string name, Array array);

    /// The array of that name; null if none exists.
    [[nodiscard]] const Array* find(std::string_view name) const noexcept;
    [[nodiscard]] Array* find(std::string_view name) noexcept
    {
        return const_cast<Array*>(static_cast<const Bindings&>(*this).find(name)); // of an object that is not const
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(entries_.size()); }
    [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }
    [[nodiscard]] auto end() const noexcept { return entries_.end(); }

  private:
    static constexpr std::size_t few = 16;
    std::vector<Entry> entries_{};
    std::map<std::string, std::size_t, std::less<>> places_{}; ///< of many; empty of a few
};

namespace detail {

/// "(2, 3)"
template <class Numbers>
std::string tuple_text(const Numbers& numbers)
{
    std::string out = "(";
    for (int i = 0; i < numbers.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
    return out + ")";
}

} // namespace detail

/// Do the arrays fit what a program takes: one for each input and inout, of its shape and type, and no other?
///
/// `errc::bad_argument` for an array too many, one that is missing or of another type, `errc::size_mismatch` for one of another
/// shape; the message names tensor and both sides. Cost: linear in tensors and arrays.
AXE_DECL Result<void, Problem> check_inputs(const Program& program, const Bindings& inputs);

/// Do the arrays fit what a program gives: one for each output and inout, of its shape and type, and no other?
///
/// Errors and cost as `check_inputs`.
AXE_DECL Result<void, Problem> check_outputs(const Program& program, const Bindings& outputs);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/impl/bindings.hpp>
#endif

#endif
