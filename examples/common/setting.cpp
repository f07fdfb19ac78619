// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "example.hpp"

#include <axe/text/nearest_word.hpp>
#include <axe/text/print.hpp>

#include <charconv>
#include <filesystem>
#include <system_error>

namespace examples {
namespace {

namespace fs = std::filesystem;
using axe::errc;
using axe::Problem;

std::string listed(const std::vector<std::string>& words)
{
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return out;
}

/// Is it a value that the parameter takes?
axe::Result<void, axe::Problem> check(const Example& example, const Parameter& parameter, const std::string& value)
{
    const std::string asked = std::string(example.name) + ": " + parameter.name + " is ";
    if (parameter.most == 0) {
        for (const std::string& word : parameter.words)
            if (word == value) return {};
        return {errc::bad_argument, asked + listed(parameter.words) + ", not \"" + value + "\""};
    }
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failed == std::errc() && end == value.data() + value.size() && number >= parameter.least && number <= parameter.most)
        return {};
    return {errc::bad_argument, asked + "a number from " + std::to_string(parameter.least) + " to " +
                                    std::to_string(parameter.most) + ", not \"" + value + "\""};
}

} // namespace

axe::Result<void, axe::Problem> Files::add(const std::string& path)
{
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (fs::is_directory(status)) {
        folder_ = path;
        return {};
    }
    if (!fs::exists(status))
        return {errc::bad_argument, path + " is not there: --input takes a folder with .npy files, or such a file"};
    const fs::path file(path);
    if (file.extension() != ".npy") return {errc::bad_argument, path + " is neither a folder nor a file whose name ends in .npy"};
    files_[file.stem().string()] = path;
    return {};
}

std::string Files::path(const std::string& name) const
{
    if (const auto at = files_.find(name); at != files_.end()) return at->second;
    return folder_.empty() ? "" : (fs::path(folder_) / (name + ".npy")).string();
}

std::vector<std::string> Files::names() const
{
    std::vector<std::string> out;
    for (const auto& [name, path] : files_) out.push_back(name);
    return out;
}

axe::Result<axe::Array, axe::Problem> Files::read(const std::string& name, const axe::Shape& shape, axe::DType type) const
{
    const std::string from = path(name);
    if (from.empty()) return Problem(errc::bad_argument, name + " is not given");
    // As the file says first: so that what is wrong with it is told as a type, not as a value that does not fit.
    auto array = axe::read_npy(from);
    if (!array || array->dtype() != type) {
        auto as = axe::read_npy(from, type);
        if (!as && array)
            return Problem(errc::bad_argument,
                           from + " holds " + axe::name(array->dtype()) + ", and " + name + " is of " + axe::name(type));
        array = std::move(as);
    }
    if (!array) return array.error();
    if (!(array->shape() == shape))
        return Problem(errc::size_mismatch,
                       from + " is " + axe::print(array->shape()).c_str() + ", and " + name + " is " + axe::print(shape).c_str());
    return array;
}

axe::Result<Setting, axe::Problem> setting(const Example& example, std::string_view machine, int devices,
                                           const std::vector<std::pair<std::string, std::string>>& values)
{
    Setting out;
    const std::string name(machine.empty() ? example.machines.front() : machine);
    const auto found = axe::machines::find(name.c_str());
    std::vector<std::string> machines;
    bool fits = false;
    for (const char* m : example.machines) {
        machines.emplace_back(m);
        fits = fits || name == m;
    }
    if (!found)
        return Problem(errc::bad_argument,
                       "no machine is called \"" + name + "\"; " + example.name + " runs on " + listed(machines));
    if (!fits) return Problem(errc::bad_argument, std::string(example.name) + " runs on " + listed(machines) + ", not on " + name);

    out.devices = devices == 0 ? example.devices.front() : devices;
    std::vector<std::string> counts;
    fits = false;
    for (const int n : example.devices) {
        counts.push_back(std::to_string(n));
        fits = fits || n == out.devices;
    }
    if (!fits)
        return Problem(errc::bad_argument, std::string(example.name) + " runs on " + listed(counts) +
                                               (counts.size() == 1 && counts[0] == "1" ? " device" : " devices") + ", not on " +
                                               std::to_string(out.devices));
    const auto meshed = out.devices == 1 ? found : axe::mesh(*found, {out.devices});
    if (!meshed) return Problem(meshed.error());
    out.machine = *meshed;

    for (const Parameter& parameter : example.parameters) out.values[parameter.name] = parameter.standard;
    for (const auto& [key, value] : values) {
        const Parameter* parameter = nullptr;
        std::vector<std::string> known;
        std::vector<const char*> words;
        for (const Parameter& p : example.parameters) {
            known.emplace_back(p.name);
            words.push_back(p.name);
            if (key == p.name) parameter = &p;
        }
        if (parameter == nullptr) {
            std::string message = std::string(example.name) + " has no parameter \"" + key + "\"";
            const int meant =
                axe::nearest_word(key.data(), static_cast<int>(key.size()), words.data(), static_cast<int>(words.size()));
            if (meant >= 0)
                message += std::string("; did you mean ") + words[static_cast<std::size_t>(meant)] + "?";
            else
                message += known.empty() ? "; it has none" : "; it has " + listed(known);
            return Problem(errc::bad_argument, message);
        }
        if (const auto problem = check(example, *parameter, value); !problem.ok()) return problem;
        out.values[key] = value;
    }
    if (example.settle != nullptr)
        if (const auto problem = example.settle(out, values); !problem.ok()) return problem;
    return out;
}

axe::Result<axe::Bindings, axe::Problem> made_inputs(const Setting& setting, const axe::Program& program)
{
    axe::Bindings out;
    std::vector<std::string> names;
    for (const axe::ProgramTensor& tensor : program.tensors) {
        if (tensor.binding != axe::Binding::input && tensor.binding != axe::Binding::inout) continue;
        names.push_back(tensor.name);
        if (!setting.files.path(tensor.name).empty()) {
            auto read = setting.files.read(tensor.name, tensor.shape, tensor.dtype);
            if (!read) return read.error();
            out.set(tensor.name, std::move(*read));
            continue;
        }
        auto array = axe::Array::make(tensor.shape, tensor.dtype);
        if (!array) return array.error();
        // Multiples of 1/8 between −2 and 2, by the constants of Knuth's MMIX generator.
        std::uint64_t state = 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(names.size());
        for (std::int64_t i = 0; i < array->size(); ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            array->set(i, (static_cast<double>(state >> 33 & 31u) - 16) / 8);
        }
        out.set(tensor.name, std::move(*array));
    }
    for (const std::string& name : setting.files.names()) {
        bool known = false;
        for (const std::string& n : names) known = known || n == name;
        if (!known)
            return Problem(errc::bad_argument,
                           setting.files.path(name) + ": " + program.name + " has no input " + name + "; it has " + listed(names));
    }
    return out;
}

std::string data_folder(const std::string& example)
{
    std::error_code failed;
    const fs::path program = fs::canonical("/proc/self/exe", failed);
    if (failed) return "";
    // Beside the folder of the command, as it is built and as it is installed; and in the tree of a build, from its other programs.
    for (const char* way : {"..", "../examples", "../../examples"}) {
        const fs::path folder = program.parent_path() / way / "share" / "axe" / example;
        if (fs::is_directory(folder, failed)) return folder.lexically_normal().string();
    }
    return "";
}

} // namespace examples
