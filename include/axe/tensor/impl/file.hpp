// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_FILE_HPP
#define AXE_TENSOR_IMPL_FILE_HPP

#include <axe/tensor/file.hpp>
#include <axe/text/common/words.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace axe {
inline namespace v0 {
namespace detail {

inline Problem folder_problem(const std::string& path)
{
    return Problem(errc::bad_argument, "{0} is a folder, not a file", {path});
}

AXE_DECL Result<InputFile, Problem> open_file(const std::string& path)
{
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (std::filesystem::is_directory(status)) return folder_problem(path);
    InputFile out;
    errno = 0;
    out.handle.reset(std::fopen(path.c_str(), "rb"));
    if (!out.handle) return Problem(errc::bad_argument, "{0} cannot be opened: {1}", {path, std::strerror(errno)});
    if (std::filesystem::is_regular_file(status)) {
        const auto size = std::filesystem::file_size(path, failed);
        if (!failed) out.bytes = static_cast<std::int64_t>(size);
    }
    return out;
}

/// Writes all parts, one after the other; what the system says when it fails, else 0.
inline int write_parts(FileHandle file, std::initializer_list<std::string_view> parts)
{
    errno = 0;
    for (const auto part : parts)
        if (std::fwrite(part.data(), 1, part.size(), file.get()) != part.size()) return errno != 0 ? errno : EIO;
    if (std::fflush(file.get()) != 0) return errno != 0 ? errno : EIO;
    // A close may fail, too: where writing is put off, the full disk shows here.
    return std::fclose(file.release()) == 0 ? 0 : errno != 0 ? errno : EIO;
}

} // namespace detail

AXE_DECL Result<void, Problem> write_file(const std::string& path, std::initializer_list<std::string_view> parts)
{
    namespace fs = std::filesystem;
    std::error_code failed;
    const auto says = [&](int error) {
        return Problem(errc::bad_argument, "{0} cannot be written: {1}", {path, std::strerror(error)});
    };
    const auto status = fs::status(path, failed);
    if (fs::is_directory(status)) return detail::folder_problem(path);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        detail::FileHandle file(std::fopen(path.c_str(), "wb"));
        if (!file) return says(errno);
        const int error = detail::write_parts(std::move(file), parts);
        return error == 0 ? Problem() : says(error);
    }

    fs::path place = path;
    if (fs::exists(status)) {
        place = fs::canonical(path, failed);
        if (failed) return says(failed.value());
    }
    // Exclusive creation: of two programs that write the same file each has its own.
    detail::FileHandle file;
    fs::path part;
    for (int attempt = 0; !file && attempt < 1000; ++attempt) {
        part = place;
        part += ".part" + std::to_string(attempt);
        file.reset(std::fopen(part.c_str(), "wbx"));
        if (!file && errno != EEXIST) return says(errno);
    }
    if (!file) return says(EEXIST);

    int error = detail::write_parts(std::move(file), parts);
    if (error == 0 && fs::exists(status)) {
        fs::permissions(part, status.permissions(), failed);
        if (failed) error = failed.value();
    }
    if (error == 0) {
        fs::rename(part, place, failed);
        if (!failed) return {};
        error = failed.value();
    }
    fs::remove(part, failed);
    return says(error);
}

} // namespace v0
} // namespace axe

#endif
