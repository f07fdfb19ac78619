// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `axe`: an operation of the algebra and its arguments, in the notation of the library.
#include "batch.hpp"
#include "help.hpp"
#include "relayout_command.hpp"
#include "relayout_options.hpp"
#include "request.hpp"
#include "run_story.hpp"

#include <axe/text/explain.hpp>
#include <axe/version.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using namespace axe_cli;

#define AXE_TEXT_OF(number) #number
#define AXE_VERSION_TEXT(major, minor, patch) AXE_TEXT_OF(major) "." AXE_TEXT_OF(minor) "." AXE_TEXT_OF(patch)
constexpr const char* version = "axe " AXE_VERSION_TEXT(AXE_VERSION_MAJOR, AXE_VERSION_MINOR, AXE_VERSION_PATCH) "\n";

/// What was typed: options, and the words that are none.
struct CommandLine {
    bool json = false, help = false, version = false;
    std::vector<std::string_view> words;
    std::string_view unknown_option;
};

/// Options are recognised as whole words before `--`. After the operation anything else is an argument: texts may begin with `-`.
CommandLine read_command_line(int argc, char** argv)
{
    CommandLine line;
    bool options = true;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (!options) {
            line.words.push_back(word);
        } else if (word == "--") {
            options = false;
        } else if (word == "--json") {
            line.json = true;
        } else if (word == "--help" || word == "-h") {
            line.help = true;
        } else if (word == "--version") {
            line.version = true;
        } else if (line.words.empty() && word.starts_with("-") && line.unknown_option.empty()) {
            line.unknown_option = word;
        } else {
            line.words.push_back(word);
        }
    }
    return line;
}

/// Writes a result on standard output; the exit status, which is 2 when it cannot be written.
int print(std::string_view text, int status = 0)
{
    if (write_all(STDOUT_FILENO, text)) return status;
    std::fprintf(stderr, "axe: cannot write the answer: %s\n", std::strerror(errno));
    return 2;
}

int complain(const std::string& sentence)
{
    std::fprintf(stderr, "axe: %s\n", sentence.c_str());
    return 2;
}

/// `axe help`, `axe help slice`, `axe help cute`; also for a word that is no operation, as the error that it would give.
int help(Fields words)
{
    if (words.empty()) return print(help_page());
    if (const Operation* op = find(words).operation) return print(help_of(*op));
    if (const Family* group = find_group(words.front()); group != nullptr && words.size() == 1) return print(help_of(*group));
    if (words.front() == "run") return print(stories_page());
    if (words.front() == "relayout") return print(relayout_page());
    for (const Command& command : commands())
        if (command.name == words.front()) return print(help_page());
    Reply reply(Form::page);
    run(reply, words);
    return print(reply.finish() + "\n", 2);
}

int complete(const std::vector<std::string_view>& words)
{
    const std::string script = words.size() == 1 ? completion(words.front()) : "";
    return script.empty() ? complain("completion takes the name of a shell, bash or zsh") : print(script);
}

/// One request: the answer on standard output, and what else helps a person on standard error.
int answer_one(Fields request, bool json)
{
    Reply reply(json ? Form::json : Form::page);
    run(reply, request);
    const int status = print(reply.finish() + "\n", static_cast<int>(reply.status));
    if (json || reply.status == Status::ok) return status;
    const auto [op, words] = find(request);
    if (reply.unread) {
        const auto lines = axe::explain(reply.unread_text.data(), static_cast<int>(reply.unread_text.size()), reply.unread);
        std::fprintf(stderr, "%s\n%s", lines.c_str(), form_of(*op, reply.unread_argument).c_str());
    } else if (op != nullptr && (request.size() - words < op->count.least || request.size() - words > op->count.most)) {
        std::fputs(usage_of(*op).c_str(), stderr);
    } else if (op == nullptr && find_group(request.front()) != nullptr) {
        std::fprintf(stderr, "`axe help %s` tells what they do\n", std::string(request.front()).c_str());
    } else if (op == nullptr) {
        std::fputs("`axe help` lists all operations\n", stderr);
    }
    return status;
}

int run_command(const CommandLine& line)
{
    if (!line.unknown_option.empty())
        return complain("there is no option " + quoted(line.unknown_option) + "; `axe help` tells which there are");
    if (line.version) return print(version);
    if (line.words.empty()) {
        if (line.help) return print(help_page());
        std::fputs(short_usage().c_str(), stderr);
        return 2;
    }
    const std::string_view name = line.words.front();
    const std::vector<std::string_view> arguments(line.words.begin() + 1, line.words.end());
    if (line.help && name == "run") return print(stories_page());
    if (line.help) return help(line.words);
    if (name == "help") return help(arguments);
    if (name == "completion") return complete(arguments);
    if (name == "run") return run_story(arguments, line.json);
    if (name == "relayout") return run_relayout(arguments, line.json);
    if (name != "batch") return answer_one(line.words, line.json);
    if (!arguments.empty()) return complain("batch takes no arguments; requests come from standard input");
    return run_batch(line.json);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN); // a reader that goes away is an error of writing, with a message
    try {
        return run_command(read_command_line(argc, argv));
    } catch (const std::exception& e) {
        return complain(e.what());
    }
}
