// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One answer in its forms.
#include "reply.hpp"

#include <axe/text/explain.hpp>

namespace axe_cli {
namespace {

const char* word(Status status)
{
    switch (status) {
    case Status::ok: return "ok";
    case Status::none: return "none";
    case Status::error: return "error";
    }
    return "error";
}

} // namespace

void Reply::fail(std::string_view code, std::string_view sentence, std::string_view meant)
{
    std::string whole(sentence);
    if (!meant.empty()) whole.append("; did you mean ").append(meant).append("?");
    status = Status::error;
    text.assign(code).append(": ").append(whole);
    fields = {};
    if (!json()) return;
    fields.key("code").string(code).key("sentence").string(whole);
    if (!meant.empty()) fields.key("suggestion").string(meant);
}

void Reply::refuse(const axe::Error& error)
{
    const axe::Sentence sentence = error.sentence();
    fail(axe::name(error.code), sentence.c_str());
    if (error.is_none()) {
        status = Status::none;
        text.assign(sentence.c_str());
    }
    if (json() && error.position >= 0) fields.key("position").number(error.position);
}

void Reply::misread(int argument, std::string_view argument_text, const axe::Error& error)
{
    const auto meant = axe::suggestion(argument_text.data(), static_cast<int>(argument_text.size()), error);
    refuse(error);
    unread = error;
    unread_argument = argument;
    unread_text = argument_text;
    text.assign(error.is_none() ? "" : axe::name(error.code)).append(error.is_none() ? "" : ": ");
    text.append("argument ").append(std::to_string(argument)).append(": ").append(error.sentence().c_str());
    if (meant.size > 0) {
        const char last = meant.text[meant.size - 1]; // punctuation is quoted, as it would be lost in the sentence
        const char* quote = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z') ? "" : "'";
        text.append("; did you mean ").append(quote).append(meant.c_str()).append(quote).append("?");
    }
    if (!json()) return;
    fields.key("argument").number(argument);
    if (meant.size > 0) fields.key("suggestion").string(meant.c_str());
}

std::string Reply::finish() const
{
    if (!json()) return std::string(word(status)).append(": ").append(text);
    JsonWriter record;
    record.open('{').key("status").string(word(status)).key("answer").string(text);
    std::string out = record.text();
    if (!fields.text().empty()) out.append(",").append(fields.text());
    return out.append("}");
}

std::string quoted(std::string_view word)
{
    constexpr std::size_t longest = 40;
    if (word.empty()) return "an empty field";
    if (word.size() > longest) return "a field of " + std::to_string(word.size()) + " characters";
    for (const char c : word)
        if (c < ' ' || c > '~') return "a field that is no plain text";
    return "'" + std::string(word) + "'";
}

} // namespace axe_cli
