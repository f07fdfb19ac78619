// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `axe run`: from what was typed to what is printed.
#include "run_story.hpp"

#include "../stories/perform.hpp"
#include "batch.hpp"
#include "interrupt.hpp"
#include "run_files.hpp"
#include "run_options.hpp"
#include "run_progress.hpp"
#include "run_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include <unistd.h>

namespace axe_cli {
namespace {

int misuse(const std::string& sentence)
{
    std::fprintf(stderr, "axe: %s\n", sentence.c_str());
    return 2;
}

int print(const std::string& text, int status)
{
    if (write_all(STDOUT_FILENO, text)) return status;
    return misuse(std::string("cannot write the answer: ") + std::strerror(errno));
}

int interruption(const char* story)
{
    std::fprintf(stderr, "axe: %s was interrupted; nothing is written\n", story);
    return 130;
}

} // namespace

int run_story(Fields arguments, bool json)
{
    if (arguments.empty()) return print(json ? stories_json() : stories_page(), 0);
    const auto request = read_run_request(arguments);
    if (!request) return misuse(request.error().text);
    const stories::Story& story = *request->story;
    if (const axe::Problem p = prepare_files(*request)) return misuse(p.text);

    const InterruptGuard guard;
    RunProgress progress(story.name);
    axe::sim::RunOptions options;
    options.level = request->level;
    options.counters = request->level == axe::sim::Level::full;
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options.threads = std::min(request->threads == 0 ? cores : request->threads, request->setting.devices);
    options.progress = [&](std::int64_t done, std::int64_t known) {
        progress.show(done, known);
        return !interrupted();
    };
    axe::sim::Trace trace;
    if (!request->trace.empty()) options.trace = &trace;
    const auto performance = stories::perform(story, request->setting, options);
    progress.clear();
    if (interrupted()) return interruption(story.name);
    if (!performance) return misuse(performance.error().text);

    if (const axe::Problem p = write_files(*request, *performance, trace)) return misuse(p.text);
    const std::string text = json ? run_json(*request, *performance) : run_text(*request, *performance);
    return print(text, performance->ok() ? 0 : 1);
}

} // namespace axe_cli
