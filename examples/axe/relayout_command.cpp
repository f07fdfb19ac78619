// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `axe relayout`: a tensor of a file, copied into another file in another layout. Both are mapped, so that no more of them is in
// memory than the system keeps there.
#include "relayout_command.hpp"

#include "interrupt.hpp"
#include "output.hpp"
#include "relayout_files.hpp"
#include "relayout_job.hpp"
#include "relayout_memory.hpp"
#include "run_progress.hpp"

#include <axe/relayout/describe.hpp>
#include <axe/relayout/threads.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace axe_cli {
namespace {

using axe::Problem;

std::string plain(std::string_view descr)
{
    return std::string(descr.starts_with("'") ? descr.substr(1, descr.size() - 2) : descr);
}

/// What was done, or would be.
std::string answer(const RelayoutRequest& request, const RelayoutJob& job, const NpyFile& in, bool json)
{
    const std::string plan = request.plan ? axe::describe(job.plan, request.threads) : "";
    const std::string text =
        request.plan ? axe::detail::worded("{0} elements, {1} bytes of {2} to {3} of {4}",
                                           {job.elements, in.bytes, in.type_words(), job.out.bytes, job.out.type_words()})
                     : request.out + ": " + axe::print(job.out.shape).c_str() + " of " + job.out.type_words() + ", " +
                           axe::detail::count_words(job.out.bytes, "byte");
    if (!json) return "ok: " + text + "\n" + (plan.empty() ? "" : plan + "\n");
    JsonWriter out;
    out.open('{').key("status").string("ok").key("answer").string(text).key("elements").number(job.elements);
    if (!request.plan) out.key("path").string(request.out);
    out.key("shape").open('[');
    for (const std::int64_t n : job.out.shape) out.number(n);
    out.close(']').key("descr").string(plain(job.out.descr)).key("bytes").number(job.out.bytes);
    if (request.plan) out.key("plan").string(plan);
    return out.close('}').text() + "\n";
}

/// In parts of some MiB, between which Ctrl-C is looked for and the bar is drawn. A problem, also where it was interrupted.
axe::Result<void, axe::Problem> copy(const RelayoutRequest& request, const RelayoutJob& job, const NpyFile& in,
                                     const MappedFile& from, const MappedFile& to)
{
    constexpr std::int64_t part = std::int64_t{4} << 20, most = 1 << 14;
    const std::int64_t bytes = std::max(job.out.bytes, in.bytes);
    const std::int64_t least = request.threads == 1 ? 1 : 4 * std::int64_t{request.threads};
    const auto parts = static_cast<int>(std::clamp(bytes / part, least, std::max(least, most)));
    axe::ThreadPool pool(request.threads);
    RunProgress progress("relayout");
    std::mutex drawing;
    std::atomic<int> done{0};
    const auto for_each_task = [&](int tasks, const auto& task) {
        pool(tasks, [&](int t) {
            if (interrupted()) return;
            task(t);
            const int so_far = ++done;
            if (request.quiet) return;
            if (const std::unique_lock lock(drawing, std::try_to_lock); lock.owns_lock()) progress.show(so_far, tasks);
        });
    };
    const axe::Result<void, axe::Problem> p =
        job.plan.run(to.data() + job.out.start, static_cast<std::size_t>(job.out.bytes), from.data() + in.start,
                     static_cast<std::size_t>(in.bytes), parts, for_each_task);
    progress.clear();
    return p;
}

int interruption()
{
    std::fputs("axe: relayout was interrupted; nothing is written\n", stderr);
    return 130;
}

} // namespace

int run_relayout(Fields arguments, bool json)
{
    const auto request = read_relayout_request(arguments);
    if (!request) return complain(request.error().text);
    auto from = MappedFile::open(request->in);
    if (!from) return complain(from.error().text);
    const auto in = read_npy_file(from->view(), request->in);
    if (!in) return complain(in.error().text);
    if (!request->out.empty())
        if (const auto p = check_output(request->out, request->in); !p.ok()) return complain(p.error().text);

    const InterruptGuard guard;
    NpyFile old;
    const bool adds = request->accumulate && !request->out.empty();
    if (adds) {
        const auto file = MappedFile::open(request->out);
        if (!file) return complain(file.error().text);
        auto read = read_npy_file(file->view(), request->out);
        if (!read) return complain(read.error().text);
        old = std::move(*read);
    }
    const auto job = make_relayout_job(*request, *in, adds ? &old : nullptr);
    if (!job) return complain(job.error().text);
    if (request->plan) return write_answer(answer(*request, *job, *in, json));
    if (interrupted()) return interruption();

    auto to = PartFile::make(request->out, job->out.start + job->out.bytes, adds ? &request->out : nullptr);
    if (interrupted()) return interruption();
    if (!to) return complain(to.error().text);
    std::memcpy(to->mapping().data(), job->head.data(), job->head.size());
    if (job->reads_in_order) from->expect_in_order();
    if (job->writes_in_order)
        to->mapping().expect_in_order();
    else if (job->out.bytes > memory_here() / 2)
        to->mapping().expect_anywhere();
    const axe::Result<void, axe::Problem> failed = copy(*request, *job, *in, *from, to->mapping());
    if (interrupted()) return interruption();
    if (!failed.ok()) return complain(failed.error().text);
    if (const auto p = to->commit(); !p.ok()) return complain(p.error().text);
    return request->quiet ? 0 : write_answer(answer(*request, *job, *in, json));
}

} // namespace axe_cli
