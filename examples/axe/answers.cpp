// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the library as texts and as JSON. Text is always made, as the JSON answer holds it, too; the members of the JSON object
// only when they are asked for.
#include "answers.hpp"

namespace axe_cli {
void append(std::string& out, const SwizzledLayout& layout)
{
    if (axe::is_plain(layout)) return append(out, layout.layout);
    const auto text = axe::print(layout);
    out.append(text.begin(), static_cast<std::size_t>(text.size));
}

void give(Reply& reply, const axe::Layout& layout)
{
    append(reply.text, layout);
    if (reply.json()) write_members(reply.fields, layout);
}

void give(Reply& reply, const SwizzledLayout& layout)
{
    append(reply.text, layout);
    if (reply.json()) write_members(reply.fields, layout);
}

void give(Reply& reply, const axe::Grouped<axe::Layout>& grouped)
{
    append(reply.text, grouped);
    if (reply.json()) write_members(reply.fields, grouped);
}

void give(Reply& reply, const axe::Iter& it)
{
    append(reply.text, it);
    if (reply.json()) write(reply.fields.key("iter"), it);
}

void give(Reply& reply, std::int64_t number)
{
    reply.text = std::to_string(number);
    if (reply.json()) reply.fields.key("value").number(number);
}

void give_text(Reply& reply, std::string_view text)
{
    reply.text = text;
    if (reply.json()) reply.fields.key("text").string(text);
}

void give_decision(Reply& reply, bool yes, std::string_view witness)
{
    reply.is_no = !yes;
    reply.text = yes ? "yes" : "no";
    if (!witness.empty()) reply.text.append(": ").append(witness);
    if (reply.json()) reply.fields.key("decision").boolean(yes);
}

} // namespace axe_cli
