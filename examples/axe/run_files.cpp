// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_files.hpp"

#include <axe/picture/movement.hpp>
#include <axe/picture/roles.hpp>
#include <axe/picture/run_page.hpp>
#include <axe/picture/steps_page.hpp>
#include <axe/tensor/file.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace axe_cli {
namespace {

namespace fs = std::filesystem;
using axe::errc;
using axe::Problem;

/// Is the folder of a file there, to be written into?
axe::Result<void, axe::Problem> prepare(const std::string& file)
{
    if (file.empty()) return {};
    std::error_code failed;
    const fs::path parent = fs::path(file).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (fs::is_directory(file, failed)) return {errc::bad_argument, file + " is a folder, not a file"};
    if (!fs::is_directory(folder, failed)) return {errc::bad_argument, file + " cannot be written: there is no folder " + folder};
    if (!fs::exists(file, failed) && access(folder.c_str(), W_OK) != 0)
        return {errc::bad_argument, file + " cannot be written: " + std::strerror(errno)};
    return {};
}

} // namespace

axe::Result<void, axe::Problem> prepare_files(const RunRequest& request)
{
    for (const std::string* file : {&request.report, &request.picture, &request.trace, &request.steps, &request.roles})
        if (const auto p = prepare(*file); !p.ok()) return p;
    const std::string& folder = request.output;
    if (folder.empty()) return {};
    std::error_code failed, looked;
    fs::create_directories(folder, failed);
    if (!fs::is_directory(folder, looked))
        return {errc::bad_argument, folder + " is not a folder to write outputs into" + (failed ? ": " + failed.message() : "")};
    if (access(folder.c_str(), W_OK) != 0) return {errc::bad_argument, folder + " cannot be written into: " + std::strerror(errno)};
    return {};
}

axe::Result<void, axe::Problem> write_files(const RunRequest& request, const examples::Performance& p, const axe::sim::Trace& trace)
{
    const axe::Verification* verification = p.report.ok() ? &p.verification : nullptr;
    if (!request.report.empty())
        if (const auto e = axe::write_run_page(request.report, p.program, p.lowered, p.report, verification); !e.ok()) return e;
    if (!request.picture.empty())
        if (const auto e = axe::write_file(request.picture, {axe::draw(axe::movement(p.program, &p.lowered, &p.report))}); !e.ok())
            return e;
    if (!request.trace.empty())
        if (const auto e = axe::write_file(request.trace, {trace.json(p.lowered.program)}); !e.ok()) return e;
    if (!request.roles.empty())
        if (const auto e = axe::write_file(request.roles, {axe::draw(axe::roles(p.lowered.program, trace))}); !e.ok()) return e;
    if (!request.steps.empty())
        if (const auto e = axe::write_steps_page(request.steps, p.lowered.program, trace); !e.ok()) return e;
    if (request.output.empty() || !p.report.ok()) return {};
    for (const auto& entry : p.report.outputs)
        if (const auto e = axe::write_npy((fs::path(request.output) / (entry.name + ".npy")).string(), entry.array); !e.ok())
            return e;
    return {};
}

} // namespace axe_cli
