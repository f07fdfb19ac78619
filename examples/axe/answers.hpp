// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_ANSWERS_HPP
#define AXE_CLI_ANSWERS_HPP

#include "arguments.hpp"
#include "reply.hpp"

#include <axe/axe.hpp>
#include <axe/text/json_form.hpp>

#include <string>

namespace axe_cli {

/// Appends the text of a value.
template <class T>
void append(std::string& out, const T& value)
{
    const auto text = axe::print(value);
    out.append(text.begin(), static_cast<std::size_t>(text.size));
}
/// One without a swizzle shows as the layout that it is.
void append(std::string& out, const SwizzledLayout& layout);
template <class T>
std::string text_of(const T& value)
{
    std::string out;
    append(out, value);
    return out;
}

// The members of the JSON object for a value of the algebra.
template <class T>
    requires(requires(JsonWriter& json, const T& value) { axe::write_json(json, value); })
void write(JsonWriter& json, const T& value)
{
    axe::write_json(json, value);
}
template <class T>
    requires(requires(JsonWriter& json, const T& value) { axe::write_json_members(json, value); })
void write_members(JsonWriter& json, const T& value)
{
    axe::write_json_members(json, value);
}

// The whole reply from a value.
void give(Reply& reply, const axe::Layout& layout);
void give(Reply& reply, const SwizzledLayout& layout);
void give(Reply& reply, const axe::Grouped<axe::Layout>& grouped);
void give(Reply& reply, const axe::Iter& it);
void give(Reply& reply, std::int64_t number);
/// From what another library writes.
void give_text(Reply& reply, std::string_view text);
template <class T>
void give(Reply& reply, const axe::Result<T>& result)
{
    if (result)
        give(reply, *result);
    else
        reply.refuse(result.error());
}

/// What an operation of layouts gives, of swizzled ones where one has a swizzle; without any it costs less.
template <class Operation>
void give_under(Reply& reply, const SwizzledLayout& a, const Operation& operation)
{
    is_plain(a) ? give(reply, operation(a.layout)) : give(reply, operation(a));
}
template <class Operation>
void give_under(Reply& reply, const SwizzledLayout& a, const SwizzledLayout& b, const Operation& operation)
{
    is_plain(a) && is_plain(b) ? give(reply, operation(a.layout, b.layout)) : give(reply, operation(a, b));
}

/// `ok: yes`, or `ok: no: …` with what shows it, which exits with 1.
void give_decision(Reply& reply, bool yes, std::string_view witness = {});

/// The most points or coordinates that an answer lists; past them it says how many there are.
inline constexpr int most_listed = 64;

/// Lists a range whose number of items is known, as text and as two members of the JSON object.
/// @param noun `points` or `coordinates`
template <class Range>
void list(Reply& reply, const Range& range, std::int64_t count, const char* noun)
{
    if (reply.json()) reply.fields.key("count").number(count).key(noun).open('[');
    int listed = 0;
    for (const auto& item : range) { // lazily: the next item is only asked for when it is listed
        if (listed > 0) reply.text += ' ';
        append(reply.text, item);
        if (reply.json()) write(reply.fields, item);
        if (++listed == most_listed) break;
    }
    if (reply.json()) reply.fields.close(']');
    if (count > listed) reply.text.append(" ... ").append(std::to_string(count)).append(" ").append(noun);
}

/// A range of the library that counts itself, as `list` writes it. False when the reply is a refusal instead.
template <class Range>
bool list_counted(Reply& reply, const Range& range, const char* noun)
{
    const auto count = range.count();
    if (!count) {
        reply.refuse(count.error());
        return false;
    }
    list(reply, range, *count, noun);
    return true;
}

} // namespace axe_cli

#endif
