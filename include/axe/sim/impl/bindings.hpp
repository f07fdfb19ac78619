// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_IMPL_BINDINGS_HPP
#define AXE_SIM_IMPL_BINDINGS_HPP

#include <axe/sim/bindings.hpp>

#include <unordered_map>

namespace axe {
inline namespace v0 {

AXE_DECL Bindings& Bindings::set(std::string name, Array array)
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

AXE_DECL const Array* Bindings::find(std::string_view name) const noexcept
{
    if (!places_.empty()) {
        const auto at = places_.find(name);
        return at == places_.end() ? nullptr : &entries_[at->second].array;
    }
    for (const Entry& entry : entries_)
        if (entry.name == name) return &entry.array;
    return nullptr;
}

namespace detail {

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
            return Problem(errc::bad_argument, "{0}: an array \"{1}\" is given, the program has no such tensor; it takes {2}",
                           {doing, entry.name, tensor_names(program, wanted)});
        if (!wanted(tensor->binding))
            return Problem(errc::bad_argument, "{0}: an array \"{1}\" is given, but {1} is {2} of the program; it takes {3}",
                           {doing, entry.name, binding_word(tensor->binding), tensor_names(program, wanted)});
        if (!(entry.array.shape() == tensor->shape))
            return Problem(errc::size_mismatch, "{0}: {1} has the shape {2} in the program, the array given for it has {3}",
                           {doing, entry.name, tuple_text(tensor->shape), tuple_text(entry.array.shape())});
        if (entry.array.dtype() != tensor->dtype)
            return Problem(errc::bad_argument, "{0}: {1} has the type {2} in the program, the array given for it has {3}",
                           {doing, entry.name, name(tensor->dtype), name(entry.array.dtype())});
    }
    for (const ProgramTensor& t : program.tensors)
        if (wanted(t.binding) && arrays.find(t.name) == nullptr)
            return Problem(errc::bad_argument, "{0}: {1}, {2} of the program, {3} of {4}, is not given",
                           {doing, t.name, binding_word(t.binding), tuple_text(t.shape), name(t.dtype)});
    return {};
}

} // namespace detail

AXE_DECL Result<void, Problem> check_inputs(const Program& program, const Bindings& inputs)
{
    return detail::check_bindings(program, inputs, detail::worded("inputs of {0}", {program.name}),
                                  [](Binding b) { return b == Binding::input || b == Binding::inout; });
}

AXE_DECL Result<void, Problem> check_outputs(const Program& program, const Bindings& outputs)
{
    return detail::check_bindings(program, outputs, detail::worded("outputs of {0}", {program.name}),
                                  [](Binding b) { return b == Binding::output || b == Binding::inout; });
}

} // namespace v0
} // namespace axe

#endif
