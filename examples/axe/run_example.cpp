// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `axe run`: from what was typed to what is printed.
#include "run_example.hpp"

#include "../common/perform.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "run_files.hpp"
#include "run_options.hpp"
#include "run_progress.hpp"
#include "run_text.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace axe_cli {
namespace {

int interruption(const char* example)
{
    std::fprintf(stderr, "axe: %s was interrupted; nothing is written\n", example);
    return 130;
}

} // namespace

int run_example(Fields arguments, bool json)
{
    if (arguments.empty()) return write_answer(json ? examples_json() : examples_page(), 0);
    const auto request = read_run_request(arguments);
    if (!request) return complain(request.error().text);
    const examples::Example& example = *request->example;
    if (const auto p = prepare_files(*request); !p.ok()) return complain(p.error().text);

    const InterruptGuard guard;
    RunProgress progress(example.name);
    axe::sim::RunOptions options;
    options.level = request->level;
    options.counters = request->level == axe::sim::Level::full;
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    options.order = request->order;
    options.seed = static_cast<std::uint64_t>(request->seed);
    options.threads = request->threads == 0 ? cores : request->threads;
    options.progress = [&](std::int64_t done, std::int64_t known) {
        progress.show(done, known);
        return !interrupted();
    };
    axe::sim::Trace trace;
    if (!request->trace.empty() || !request->steps.empty() || !request->roles.empty()) options.trace = &trace;
    Watched watched;
    const axe::sim::Watch watch{request->watch_tensor, request->watch, [&](const axe::sim::WatchedAccess& a) { watched.add(a); }};
    if (!request->watch_tensor.empty()) options.watch = &watch;
    axe::ReferenceOptions compare = request->verify;
    compare.progress = [&](std::int64_t) { return !interrupted(); };
    const auto performance = examples::perform(example, request->setting, options, compare);
    progress.clear();
    if (interrupted()) return interruption(example.name);
    if (!performance) return complain(performance.error().text);

    if (const auto p = write_files(*request, *performance, trace); !p.ok()) return complain(p.error().text);
    const std::string text = json ? run_json(*request, *performance, watched) : run_text(*request, *performance, watched);
    return write_answer(text, performance->ok() ? 0 : 1);
}

} // namespace axe_cli
