// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One answer in its forms.
#include "reply.hpp"

#include <axe/text/explain.hpp>

namespace axe_cli {
namespace {

const char* word(Exit status)
{
    switch (status) {
    case Exit::ok: return "ok";
    case Exit::none: return "none";
    case Exit::error: return "error";
    case Exit::undecided: return "undecided";
    }
    return "error";
}

/// The message of an error with the operation of the command where it names a function of the library.
std::string message_of(const axe::Error& error)
{
    constexpr std::string_view function = "boxes_of lists", operation = "`axe sharding boxes` lists";
    std::string message = error.message().c_str();
    if (const std::size_t at = message.find(function); at != std::string::npos) message.replace(at, function.size(), operation);
    return message;
}

} // namespace

void Reply::fail(std::string_view code, std::string_view message, std::string_view meant)
{
    std::string whole(message);
    if (!meant.empty()) whole.append("; did you mean ").append(meant).append("?");
    status = Exit::error;
    is_no = false;
    text.assign(code).append(": ").append(whole);
    fields = {};
    if (!json()) return;
    fields.key("code").string(code).key("message").string(whole);
    if (!meant.empty()) fields.key("suggestion").string(meant);
}

void Reply::refuse(const axe::Error& error)
{
    std::string message = message_of(error);
    fail(axe::name(error.code), message);
    // An answer of one line has its hint on that line; JSON's answer is the same.
    const auto one_line = [&](std::string& words) {
        if (const auto hint = words.find('\n'); form != Form::page && hint != std::string::npos) words.replace(hint, 1, "; ");
    };
    one_line(text);
    one_line(message);
    if (error.is_none() || error.code == axe::errc::too_hard) {
        status = error.is_none() ? Exit::none : Exit::undecided;
        // The first word of the answer, `undecided:`, says what the message begins with.
        text = message.substr(std::string_view(axe::opening(error.code)).size());
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
    text = status == Exit::error ? std::string(axe::name(error.code)) + ": " : std::string();
    text.append("argument ").append(std::to_string(argument)).append(": ").append(error.message().c_str());
    if (const auto word = axe::unreadable_word(argument_text.data(), static_cast<int>(argument_text.size()), error); word.size > 0)
        text.append(", in ").append(word.c_str());
    if (meant.size > 0) {
        const char last = meant.text[meant.size - 1]; // punctuation is quoted, as it would be lost in the message
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
        if (c < ' ' || c > '~') return "a field that is not a plain text";
    return "'" + std::string(word) + "'";
}

} // namespace axe_cli
