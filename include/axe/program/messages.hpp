// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_MESSAGES_HPP
#define AXE_PROGRAM_MESSAGES_HPP

#include <axe/program/program.hpp>

#include <charconv>

/// The messages about programs that several modules give, each of them once.
namespace axe {
inline namespace v0 {

/// A statement by its number, and by the line of C++ that made it, where that is known: "statement 3 (ring.cpp:42)".
inline std::string numbered_text(const Program& program, int statement)
{
    const std::string line = origin_of(program, statement).line.text();
    return "statement " + std::to_string(statement) + (line.empty() ? "" : " (" + line + ")");
}
/// What a problem of a statement begins with: "name, statement 3 (ring.cpp:42)".
inline std::string statement_text(const Program& program, int statement)
{
    return program.name + ", " + numbered_text(program, statement);
}
/// What the text of a fault begins with, whose lines (`Fault::lines`) say where the statement comes from: "name, statement 3".
inline std::string fault_statement_text(const Program& program, int statement)
{
    return program.name + ", statement " + std::to_string(statement);
}
/// What a message about a tensor begins with: "name, tensor `A`: ".
inline std::string tensor_text(const Program& program, const ProgramTensor& tensor)
{
    return detail::worded("{0}, tensor {1}: ", {program.name, "`" + tensor.name + "`"});
}
inline std::string divided_sums_text(std::int64_t exponent)
{
    return detail::worded("it divides D by 2^{0}; the exponent is from 0 to 15", {exponent});
}
inline std::string loop_step_text(std::int64_t step)
{
    return detail::worded("the loop steps by {0}; it must be at least 1", {step});
}
inline std::string empty_range_text(const Variable& v)
{
    return detail::worded("{0} is from {1} to below {2}; that is no number", {"`" + v.name + "`", v.low, v.high});
}
/// Of a value that a run gives an index; `from` says what it was read from, ", from (3) of idx", or nothing.
inline std::string index_range_text(const Variable& v, double value, const std::string& from = {})
{
    char number[32];
    const std::string text(number, std::to_chars(number, number + sizeof number, value).ptr);
    return detail::worded("index {0} is {1}{2}; it must be a whole number from {3} to {4}",
                          {"`" + v.name + "`", text, from, v.low, v.high - 1});
}
inline std::string empty_view_text(const std::string& tensor, std::int64_t extent, int dimension)
{
    return detail::worded("a view of {0} has {1} indices in dimension {2}; it must have at least 1", {tensor, extent, dimension});
}
inline std::string nested_grid_text() { return detail::worded("a grid is inside a block", {}); }
inline std::string in_step_text(const char* what)
{
    return detail::worded("{0} differs between the agents or lanes of each_agent or each_thread, which run in step", {what});
}
inline std::string no_limit_text(const Machine& machine, const char* limit)
{
    return detail::worded("{0} does not say {1}", {machine.name, limit});
}
inline std::string no_memory_text(const std::string& tensor, const std::string& memory)
{
    return detail::worded("{0} is in {1}; the machine has no such memory", {tensor, memory});
}
/// Of a gather or scatter: the first dimension of what indices number.
inline std::string no_rows_text(const std::string& tensor) { return detail::worded("the view of {0} has no rows", {tensor}); }
/// Of the destination of an atomic operation.
inline std::string not_shared_text(const std::string& tensor, const std::string& memory)
{
    return detail::worded("{0} is in {1}, which no other agent can access", {tensor, memory});
}
inline std::string not_allocated_text(const std::string& tensor)
{
    return detail::worded("{0} is used outside the body that allocates it", {tensor});
}
inline std::string unwritten_text(const std::string& element)
{
    return detail::worded("{0} is read and was never written", {element});
}

} // namespace v0
} // namespace axe

#endif
