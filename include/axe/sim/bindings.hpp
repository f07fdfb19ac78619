// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_BINDINGS_HPP
#define AXE_SIM_BINDINGS_HPP

#include <axe/program/program.hpp>
#include <axe/tensor/array.hpp>

#include <functional>
#include <map>
#include <unordered_map>

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
    Bindings& set(std::string name, Array array)
    {
        if (Array* before = find(name); before != nullptr) {
            *before = std::move(array);
            return *this;
        }
        entries_.push_back({std::move(name), std::move(array)});
        if (entries_.size() < few) return *this;
        if (places_.empty())
            for (std::size_t i = 0; i + 1 < entries_.size(); ++i) places_.emplace(entries_[i].name, i);
        places_.emplace(entries_.back().name, entries_.size() - 1);
        return *this;
    }

    /// The array of that name; null if none exists.
    [[nodiscard]] const Array* find(std::string_view name) const noexcept
    {
        if (!places_.empty()) {
            const auto at = places_.find(name);
            return at == places_.end() ? nullptr : &entries_[at->second].array;
        }
        for (const Entry& entry : entries_)
            if (entry.name == name) return &entry.array;
        return nullptr;
    }
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

inline const char* binding_word(Binding binding) noexcept
{
    switch (binding) {
    case Binding::input: return "an input";
    case Binding::output: return "an output";
    case Binding::inout: return "an input and output";
    default: return "a local tensor";
    }
}

/// "A, B": the program's tensors for which `wanted` holds, or "none".
template <class Wanted>
std::string tensor_names(const Program& program, Wanted wanted)
{
    std::string out;
    for (const ProgramTensor& t : program.tensors)
        if (wanted(t.binding)) out += (out.empty() ? "" : ", ") + t.name;
    return out.empty() ? "none" : out;
}

/// Is every array one of a tensor that `wanted` takes, of its shape and type, and is every such tensor there? `doing` begins the
/// messages.
template <class Wanted>
Result<void, Problem> check_bindings(const Program& program, const Bindings& arrays, const std::string& doing, Wanted wanted)
{
    std::unordered_map<std::string_view, const ProgramTensor*> bound; // of two with one name the last one
    for (const ProgramTensor& t : program.tensors)
        if (t.binding != Binding::local) bound[t.name] = &t;
    for (const auto& entry : arrays) {
        const auto found = bound.find(entry.name);
        const ProgramTensor* tensor = found == bound.end() ? nullptr : found->second;
        if (tensor == nullptr)
            return {errc::bad_argument, worded("{0}: an array \"{1}\" is given, the program has no such tensor; it takes {2}",
                                               {doing, entry.name, tensor_names(program, wanted)})};
        if (!wanted(tensor->binding))
            return {errc::bad_argument, worded("{0}: an array \"{1}\" is given, but {1} is {2} of the program; it takes {3}",
                                               {doing, entry.name, binding_word(tensor->binding), tensor_names(program, wanted)})};
        if (!(entry.array.shape() == tensor->shape))
            return {errc::size_mismatch, worded("{0}: {1} has the shape {2} in the program, the array given for it has {3}",
                                                {doing, entry.name, tuple_text(tensor->shape), tuple_text(entry.array.shape())})};
        if (entry.array.dtype() != tensor->dtype)
            return {errc::bad_argument, worded("{0}: {1} has the type {2} in the program, the array given for it has {3}",
                                               {doing, entry.name, name(tensor->dtype), name(entry.array.dtype())})};
    }
    for (const ProgramTensor& t : program.tensors)
        if (wanted(t.binding) && arrays.find(t.name) == nullptr)
            return {errc::bad_argument, worded("{0}: {1}, {2} of the program, {3} of {4}, is not given",
                                               {doing, t.name, binding_word(t.binding), tuple_text(t.shape), name(t.dtype)})};
    return {};
}

} // namespace detail

/// Do the arrays fit what a program takes: one for each input and inout, of its shape and type, and no other?
///
/// `errc::bad_argument` for an array too many, one that is missing or of another type, `errc::size_mismatch` for one of another
/// shape; the message names tensor and both sides. Cost: linear in tensors and arrays.
inline Result<void, Problem> check_inputs(const Program& program, const Bindings& inputs)
{
    return detail::check_bindings(program, inputs, detail::worded("inputs of {0}", {program.name}),
                                  [](Binding b) { return b == Binding::input || b == Binding::inout; });
}

/// Do the arrays fit what a program gives: one for each output and inout, of its shape and type, and no other?
///
/// Errors and cost as `check_inputs`.
inline Result<void, Problem> check_outputs(const Program& program, const Bindings& outputs)
{
    return detail::check_bindings(program, outputs, detail::worded("outputs of {0}", {program.name}),
                                  [](Binding b) { return b == Binding::output || b == Binding::inout; });
}

} // namespace v0
} // namespace axe

#endif
