// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_ACCESS_PICTURE_HPP
#define AXE_PICTURE_ACCESS_PICTURE_HPP

#include <axe/picture/picture.hpp>
#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

namespace axe {
inline namespace v0 {

/// Which access of a statement is drawn, and what colors it.
struct AccessPicture {
    enum class By : std::uint8_t { lane, agent, issue };
    int instruction = 0; ///< of those that the statement was lowered to, in order
    int operand = 0;     ///< destination 0
    By color = By::lane;
    std::string title{}; ///< the instruction where it is empty
};

namespace detail {

/// The instructions with a statement's number, in order.
inline std::vector<const Instruction*> instructions_of(const Body& body, int statement)
{
    std::vector<const Instruction*> found;
    for_each_statement(body, [&](const Statement& s) {
        const auto* i = std::get_if<Instruction>(&s.what);
        if (i != nullptr && s.id == statement) found.push_back(i);
    });
    return found;
}

} // namespace detail

/// Which lane of which agent touches which element of an instruction's operand, and in which issue: cells on the view's shape, rank 1 in
/// lines, rank 2 as rows and columns, higher ranks as panels of the last two dimensions. Elements that nothing touches are holes.
///
/// @param lowered a program of instructions; @param statement the number of the operator that they came from
/// `errc::bad_argument` where the statement has no such instruction or operand, or the operand is taken as a whole; `errc::capacity`
/// beyond `max_picture_cells` or `max_picture_panels`. Cost: linear in the distribution.
AXE_DECL Result<Picture, Problem> access_picture(const Program& lowered, int statement, const AccessPicture& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/access_picture.hpp>
#endif

#endif
