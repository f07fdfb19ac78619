// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_ELEMENT_POINTERS_HPP
#define AXE_PROGRAM_ELEMENT_POINTERS_HPP

#include <axe/program/handles.hpp>

/// Elements of tensors by their indices, to be loaded, stored and combined.
namespace axe {
inline namespace v0 {

/// Elements of a view in a memory, one for each of the indices: element x is  of[index_0[x], index_1[x], …], without indices  of[x].
struct ElementPointers {
    ViewRef of;
    std::vector<ViewRef> indices{}; ///< one for each dimension of `of`, all of one shape, or none

    ElementPointers(ViewRef view) : of(std::move(view)) {} // NOLINT(google-explicit-constructor): a view's own elements
    ElementPointers(ViewRef view, std::vector<ViewRef> at) : of(std::move(view)), indices(std::move(at)) {}
    [[nodiscard]] const Shape& shape() const noexcept { return indices.empty() ? of.shape() : indices.front().shape(); }
};

/// How elements are loaded: those at which a mask is not 0, the others become a number; asynchronously, complete after commit and wait.
struct Loading {
    std::optional<ViewRef> where{};
    double otherwise = 0;
    bool is_async = false;
};

} // namespace v0
} // namespace axe

#endif
