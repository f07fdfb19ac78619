// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a request to its answer.
#include "request.hpp"

#include "topics.hpp"

#include <exception>
#include <vector>

namespace axe_cli {
namespace {

/// Is every byte one that a text may have? If not, that is the reply.
bool is_text(Reply& reply, Fields arguments)
{
    for (std::size_t n = 0; n < arguments.size(); ++n)
        for (std::size_t i = 0; i < arguments[n].size(); ++i) {
            const char c = arguments[n][i];
            if ((static_cast<unsigned char>(c) >= ' ' && c != '\x7f') || c == '\t' || c == '\n' || c == '\r') continue;
            const axe::Error error(axe::errc::bad_syntax, static_cast<int>(i), "the byte at character {0} is not text",
                                   static_cast<std::int64_t>(i));
            reply.misread(static_cast<int>(n) + 1, arguments[n], error);
            return false;
        }
    return true;
}

std::string number_of_arguments(const Operation& op)
{
    const auto [least, most] = op.count;
    const char* noun = most == 1 ? " argument" : " arguments";
    if (least == most) return std::to_string(least) + noun;
    if (most >= any_number) return std::to_string(least) + " or more arguments";
    return std::to_string(least) + " to " + std::to_string(most) + noun;
}

/// A request that names no operation: what was probably meant, and not the word itself where it could harm a terminal.
void unknown(Reply& reply, Fields request)
{
    constexpr std::string_view code = "unknown_operation";
    const std::string_view name = request.front();
    for (const Command& command : commands())
        if (command.name == name) return reply.fail(code, std::string(name) + " is a command of its own, and no operation");
    if (find_topic(name) != nullptr)
        return reply.fail(code, std::string(name) + " is a topic of the help, and no operation: axe help " + std::string(name));
    const Family* group = find_group(name);
    if (group == nullptr) return reply.fail(code, "no operation is called " + quoted(name), nearest_name(name));
    if (request.size() > 1)
        return reply.fail(code, "no operation of " + std::string(name) + " is called " + quoted(request[1]),
                          nearest_name(*group, request[1]));
    std::string message = std::string(name) + " is a group; one of its operations comes next:";
    for (const Operation& op : group->operations) message.append(" ").append(last_word(op));
    reply.fail(code, message);
}

/// A line of a batch, without its newline.
void answer_line(Reply& reply, std::string_view line)
{
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.size() > longest_request)
        return reply.fail("too_long", "a request has at most " + std::to_string(longest_request) + " characters");
    if (trimmed(line).empty()) return reply.fail("empty_request", "expected OPERATION; ARGUMENT; ...");
    std::vector<std::string_view> fields;
    fields.reserve(8);
    for (std::size_t from = 0; from != std::string_view::npos;) {
        const std::size_t to = line.find(';', from);
        fields.push_back(trimmed(line.substr(from, to - from)));
        from = to == std::string_view::npos ? to : to + 1;
    }
    const std::size_t space = fields.front().find_first_of(" \t"); // `cute composition; …` is `cute; composition; …`
    if (space != std::string_view::npos && find_group(fields.front().substr(0, space)) != nullptr) {
        fields.insert(fields.begin() + 1, trimmed(fields.front().substr(space)));
        fields.front() = fields.front().substr(0, space);
    }
    run(reply, fields);
}

} // namespace

void run(Reply& reply, Fields request)
{
    const auto [op, words] = find(request);
    if (op == nullptr) return unknown(reply, request);
    const Fields arguments = request.subspan(words);
    if (arguments.size() < op->count.least || arguments.size() > op->count.most)
        return reply.fail("wrong_arguments", std::string(op->name) + " takes " + number_of_arguments(*op) + ", " +
                                                 std::string(op->arguments) + "; here " + (arguments.size() == 1 ? "is " : "are ") +
                                                 std::to_string(arguments.size()));
    if (is_text(reply, arguments)) op->run(arguments, reply);
}

std::string answer(std::string_view request_line, bool json) noexcept
{
    Reply reply(json ? Form::json : Form::line);
    try {
        answer_line(reply, request_line);
        return reply.finish();
    } catch (const std::exception&) { // no memory is left
        return json ? R"({"status":"error","answer":"no_memory"})" : "error: no_memory";
    }
}

} // namespace axe_cli
