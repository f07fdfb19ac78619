// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `axe`: an operation of the algebra and its arguments, in the notation of the library.
#include "batch.hpp"
#include "help.hpp"
#include "output.hpp"
#include "relayout_command.hpp"
#include "relayout_options.hpp"
#include "request.hpp"
#include "run_example.hpp"
#include "topics.hpp"

#include <axe/text/explain.hpp>
#include <axe/version.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace axe_cli;

#define AXE_TEXT_OF(number) #number
#define AXE_VERSION_TEXT(major, minor, patch) AXE_TEXT_OF(major) "." AXE_TEXT_OF(minor) "." AXE_TEXT_OF(patch)
constexpr char version[] = "axe " AXE_VERSION_TEXT(AXE_VERSION_MAJOR, AXE_VERSION_MINOR, AXE_VERSION_PATCH) "\n";

/// What was typed: options, and the words that are none.
struct CommandLine {
    bool json = false, help = false, version = false;
    std::vector<std::string_view> words;
    std::string_view unknown_option;
};

/// Options are recognized as whole words before `--`. After the operation anything else is an argument: texts may begin with `-`.
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

/// `axe help`, `axe help slice`, `axe help cute`; also for a word that is not an operation, as the error that it would give.
int help(Fields words)
{
    if (words.empty()) return write_answer(help_page());
    if (const Operation* op = find(words).operation) return write_answer(help_of(*op));
    if (const Family* group = find_group(words.front()); group != nullptr && words.size() == 1)
        return write_answer(help_of(*group));
    if (const Topic* topic = find_topic(words.front()); topic != nullptr && words.size() == 1) return write_answer(help_of(*topic));
    if (words.front() == "run") return write_answer(examples_page());
    if (words.front() == "relayout") return write_answer(relayout_page());
    if (words.front() == "man" && words.size() == 1)
        return write_answer(manual_page(std::string_view(version, sizeof version - 2)));
    for (const Command& command : commands())
        if (command.name == words.front()) return write_answer(help_page());
    Reply reply(Form::page);
    run(reply, words);
    return write_answer(reply.finish() + "\n", 2);
}

int complete(const std::vector<std::string_view>& words)
{
    const std::string script = words.size() == 1 ? completion(words.front()) : "";
    return script.empty() ? complain("completion takes the name of a shell: bash, fish or zsh") : write_answer(script);
}

/// One request: the answer on standard output, and what else helps a person on standard error.
int answer_one(Fields request, bool json)
{
    Reply reply(json ? Form::json : Form::page);
    run(reply, request);
    const int status = write_answer(reply.finish() + "\n", reply.exit_status());
    if (json || reply.status == Exit::ok || reply.status == Exit::undecided) return status;
    const auto [op, words] = find(request);
    if (!reply.unread.ok()) {
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
    if (line.version) return write_answer(version);
    if (line.words.empty()) {
        if (line.help) return write_answer(help_page());
        std::fputs(short_usage().c_str(), stderr);
        return 2;
    }
    const std::string_view name = line.words.front();
    const std::vector<std::string_view> arguments(line.words.begin() + 1, line.words.end());
    if (line.help && name == "run") return write_answer(examples_page());
    if (line.help) return help(line.words);
    if (name == "help") return help(arguments);
    if (name == "completion") return complete(arguments);
    if (name == "run") return run_example(arguments, line.json);
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
