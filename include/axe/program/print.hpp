// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_PRINT_HPP
#define AXE_PROGRAM_PRINT_HPP

#include <axe/program/operators.hpp>
#include <axe/text/print.hpp>

#include <charconv>

/// Programs as text: for people, and for tests that hold it. What is not a valid program prints, too: a number that leads nowhere is
/// shown with a question mark.
namespace axe {
inline namespace v0 {

/// constant + Σ coefficient·variable, by the names of the program's variables: `32*i0 + 3`.
AXE_DECL std::string print(const Program& program, const Affine& a);

/// A box of a tensor. The whole of it is its name; `A[32*i0 : +32, 5, 0 : +8 : 2]` are 32 indices from 32·i0 on, index 5, and every second
/// of 16. Where view dimensions are in another order than the tensor's, or repeat, the origin is followed by what each view dimension
/// is: `A[0, 0; 8@1, 4:2@0, 3@-]` is 8 indices of dimension 1, 4 of dimension 0 two apart, and 3 repetitions. `?` at the end: guarded.
AXE_DECL std::string print(const Program& program, const View& v);

/// An expression, every operation of two in parentheses.
AXE_DECL std::string print(const Program& program, const Expression& e);

/// The tensors that come from outside, then a statement a line: its number, and two spaces further in for each body that contains it.
///
/// Equal programs print alike, and the text changes only where the program does. Cost: linear in what is printed.
AXE_DECL std::string print(const Program& program);

/// One statement, as it is in that text: without its number, and without the bodies that it holds.
AXE_DECL std::string print(const Program& program, const Statement& statement);

/// Element type and shape: `f16[128,32]`.
AXE_DECL std::string type_text(DType type, const Shape& shape);

/// What a tensor is and where: `f16[128,32] in smem, base 0, (128,32):(32,1)`; its hint in place of the layout that it has not yet.
AXE_DECL std::string print(const ProgramTensor& t);

namespace detail {

template <class List>
std::string name_at(const List& list, int id)
{
    return id >= 0 && static_cast<std::size_t>(id) < list.size() ? list[static_cast<std::size_t>(id)].name
                                                                 : "?" + std::to_string(id);
}

/// The shortest text that reads as the same number.
AXE_DECL std::string number_text(double number);

/// "a, b, c"
template <class List, class F>
std::string listed(const List& list, F word, const char* between = ", ")
{
    std::string out;
    bool first = true;
    for (const auto& item : list) {
        if (!first) out += between;
        out += word(item);
        first = false;
    }
    return out;
}
} // namespace detail

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/print.hpp>
#endif

#endif
