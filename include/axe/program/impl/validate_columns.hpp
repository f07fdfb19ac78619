// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATE_COLUMNS_HPP
#define AXE_PROGRAM_IMPL_VALIDATE_COLUMNS_HPP

#include <axe/program/impl/validator.hpp>
#include <axe/program/tensor_columns.hpp>

/// What `validate` asks of columns of tensor memory. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

inline void Validator::visit(const TensorColumns& c)
{
    what_ = ", columns";
    if (place_.level < 0) return report(errc::bad_argument, columns_outside_text());
    if (place_.in_agent)
        report(errc::bad_argument, "columns are asked for inside each_agent or each_thread; it is for an agent of the block");
    if (place_.divergent)
        report(errc::bad_argument, "columns are asked for under a condition that can differ between the lanes of an agent");
    if (place_.agents != 1)
        report(errc::bad_argument, worded("{0} agents ask for columns or give them back; it must be 1", {place_.agents}));
    if (c.pair && (cluster_ == 0 || cluster_ % 2 != 0))
        report(errc::bad_argument, worded("it is for a pair of blocks; clusters of {0} are not made of pairs", {cluster_}));
    note_group(c.pair);
    if (c.action == TensorColumns::Action::allocate) check_columns(c);
}

inline void Validator::check_columns(const TensorColumns& c)
{
    const std::int64_t most = tensor_columns_of(p_.machine);
    if (most == 0) return report(errc::bad_argument, worded("{0} has no memory whose columns are asked for", {p_.machine.name}));
    if (c.columns < 32 || c.columns > most || (c.columns & (c.columns - 1)) != 0)
        report(errc::bad_argument, worded("it asks for {0} columns; it must be a power of two from 32 to {1}", {c.columns, most}));
    if (!c.at) return report(errc::bad_argument, "it names no place for the address of the columns");
    check_bytes(*c.at, 4, "the address of columns");
    if (c.operands.empty()) report(errc::bad_argument, "it asks for columns of no tensor");
    for (const View& v : c.operands) {
        if (!env_.has_tensor(v.tensor)) return report(env_.no_tensor(v.tensor));
        const ProgramTensor& t = tensor_of(p_, v);
        if (!is_in_columns(p_.machine, t))
            report(errc::bad_argument, worded("{0} is in {1}, which has no columns to ask for", {quoted(t.name), t.memory}));
        for (const auto& [tensor, id] : in_columns_)
            if (tensor == v.tensor && id != c.id)
                report(errc::bad_argument, worded("{0} is in columns {1} already", {quoted(t.name), id}));
        in_columns_.emplace_back(v.tensor, c.id);
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
