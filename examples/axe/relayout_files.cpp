// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "relayout_files.hpp"

#include "interrupt.hpp"

#include <axe/text/common/words.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace axe_cli {
namespace {

namespace fs = std::filesystem;
using axe::errc;
using axe::Problem;
using axe::detail::worded;

/// Closes the file when it goes.
struct Descriptor {
    int number = -1;
    explicit Descriptor(int n) : number(n) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (number >= 0) ::close(number);
    }
};

Problem cannot(const std::string& path, const char* verb, const std::string& why)
{
    return {errc::bad_argument, worded("{0} cannot be {1}: {2}", {path, verb, why})};
}

// ---- what ends the program at once takes the part file with it

char part_name[4096] = ""; ///< empty: there is none

void say(const char* text)
{
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return; // standard error is closed
}

/// A page of a mapped file that is not there (it was cut short, the disk failed), or a request to end. Only calls that a
/// handler may make.
void end_at_once(int signal)
{
    if (part_name[0] != '\0') ::unlink(part_name);
    if (signal == SIGBUS) {
        say("axe: a file was cut short, or its disk failed, while it was copied; nothing is written\n");
        ::_exit(2);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Keeps signals to end waiting, from before a part file is made until it is guarded.
class HeldSignals {
  public:
    HeldSignals()
    {
        sigset_t ends;
        sigemptyset(&ends);
        for (const int signal : {SIGTERM, SIGHUP}) sigaddset(&ends, signal);
        pthread_sigmask(SIG_BLOCK, &ends, &before_);
    }
    ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

  private:
    sigset_t before_;
};

void guard_part(const std::string& part)
{
    if (part.size() >= sizeof part_name) return;
    std::memcpy(part_name, part.c_str(), part.size() + 1);
    for (const int signal : {SIGBUS, SIGTERM, SIGHUP}) {
        struct sigaction before = {}, action = {};
        action.sa_handler = end_at_once;
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr); // nohup stays in force
    }
}

/// Room on the disk for so many bytes; what the system says, else 0.
int take_room(int file, std::int64_t bytes)
{
#if defined(__linux__)
    if (bytes == 0) return 0;
    for (int error = EINTR; error == EINTR;) {
        error = posix_fallocate(file, 0, bytes);
        if (error != EINTR || interrupted()) return error;
    }
    return 0;
#else
    return ftruncate(file, bytes) == 0 ? 0 : errno;
#endif
}

/// Copies a whole file into another; what the system says, else 0.
int copy_file(int from, int to)
{
    std::vector<char> block(std::size_t{1} << 20);
    for (off_t at = 0;;) {
        if (interrupted()) return EINTR;
        const ssize_t got = ::read(from, block.data(), block.size());
        if (got == 0) return 0;
        if (got < 0 && errno != EINTR) return errno;
        for (ssize_t done = 0; done < got;) {
            const ssize_t put = ::pwrite(to, block.data() + done, static_cast<std::size_t>(got - done), at + done);
            if (put < 0 && errno != EINTR) return errno;
            done += std::max<ssize_t>(put, 0);
        }
        at += std::max<ssize_t>(got, 0);
    }
}

} // namespace

axe::Result<MappedFile, axe::Problem> MappedFile::open(const std::string& path)
{
    // A pipe that has no writer would be waited for.
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) return cannot(path, "opened", std::strerror(errno));
    if (S_ISDIR(status.st_mode)) return Problem(errc::bad_argument, worded("{0} is a folder, not a file", {path}));
    if (!S_ISREG(status.st_mode))
        return Problem(errc::bad_argument, worded("{0} is not a plain file; relayout reads at any place of it", {path}));
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number < 0 || ::fstat(file.number, &status) != 0) return cannot(path, "opened", std::strerror(errno));
    MappedFile out;
    if (status.st_size == 0) return out; // no mapping is empty
    void* const data = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, file.number, 0);
    if (data == MAP_FAILED) return cannot(path, "mapped", std::strerror(errno));
    out.data_ = static_cast<std::byte*>(data);
    out.bytes_ = status.st_size;
    return out;
}

MappedFile MappedFile::writable(int file, std::int64_t bytes)
{
    MappedFile out;
    void* const data = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) return out;
    out.data_ = static_cast<std::byte*>(data);
    out.bytes_ = bytes;
    return out;
}

void MappedFile::expect_in_order() const noexcept
{
    if (data_ != nullptr) ::madvise(data_, static_cast<std::size_t>(bytes_), MADV_SEQUENTIAL); // a hint: a refusal does not matter
}

void MappedFile::expect_anywhere() const noexcept
{
    if (data_ != nullptr) ::madvise(data_, static_cast<std::size_t>(bytes_), MADV_RANDOM);
}

void MappedFile::unmap() noexcept
{
    if (data_ != nullptr) ::munmap(data_, static_cast<std::size_t>(bytes_));
    data_ = nullptr;
    bytes_ = 0;
}

axe::Result<void, axe::Problem> check_output(const std::string& path, const std::string& in)
{
    std::error_code failed;
    const fs::path parent = fs::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    const auto status = fs::status(path, failed);
    if (fs::is_directory(status)) return {errc::bad_argument, path + " is a folder, not a file"};
    if (fs::exists(status) && !fs::is_regular_file(status))
        return {errc::bad_argument, path + " is not a plain file; relayout writes at any place of it"};
    if (!fs::is_directory(folder, failed)) return cannot(path, "written", "there is no folder " + folder);
    if (fs::exists(status) && fs::equivalent(path, in, failed))
        return {errc::bad_argument, path + " is the same file as " + in + ": one cannot be read while the other is written"};
    return {};
}

PartFile& PartFile::operator=(PartFile&& other) noexcept
{
    std::swap(path_, other.path_);
    std::swap(place_, other.place_);
    std::swap(part_, other.part_);
    std::swap(file_, other.file_);
    std::swap(mode_, other.mode_);
    mapping_ = std::move(other.mapping_);
    return *this;
}

axe::Result<void, axe::Problem> PartFile::fail(int error)
{
    drop();
    return cannot(path_, "written", std::strerror(error));
}

axe::Result<PartFile, axe::Problem> PartFile::make(const std::string& path, std::int64_t bytes, const std::string* old)
{
    PartFile out;
    out.path_ = out.place_ = path;
    std::error_code failed;
    if (fs::exists(path, failed)) {
        out.place_ = fs::canonical(path, failed).string(); // a link is followed
        if (failed) return out.fail(failed.value());
        struct stat status = {};
        if (::stat(out.place_.c_str(), &status) == 0) out.mode_ = static_cast<int>(status.st_mode & 07777);
    }
    std::signal(SIGXFSZ, SIG_IGN); // a limit of the file's size is an error of writing, with a message
    // Exclusive creation: of two programs that write the same file each has its own.
    {
        const HeldSignals held;
        for (int attempt = 0; out.file_ < 0; ++attempt) {
            const std::string part = out.place_ + ".part" + std::to_string(attempt);
            out.file_ = ::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (out.file_ >= 0) out.part_ = part;
            if (out.file_ < 0 && (errno != EEXIST || attempt == 999)) return out.fail(errno);
        }
        guard_part(out.part_);
    }
    if (const int error = take_room(out.file_, bytes)) {
        axe::Problem p = out.fail(error).error();
        if (error == ENOSPC || error == EFBIG) p.text += "; it takes " + std::to_string(bytes) + " bytes";
        return p;
    }
    if (old != nullptr) {
        const Descriptor from(::open(old->c_str(), O_RDONLY | O_CLOEXEC));
        if (from.number < 0) return out.fail(errno);
        if (const int error = copy_file(from.number, out.file_)) return out.fail(error);
    }
    out.mapping_ = MappedFile::writable(out.file_, bytes);
    if (out.mapping_.data() == nullptr) return out.fail(errno);
    return out;
}

axe::Result<void, axe::Problem> PartFile::commit()
{
    mapping_.unmap();
    if (mode_ >= 0 && ::fchmod(file_, static_cast<mode_t>(mode_)) != 0) return fail(errno);
    // Where writing is put off, a full disk shows when the file is closed.
    if (::close(std::exchange(file_, -1)) != 0) return fail(errno);
    if (std::rename(part_.c_str(), place_.c_str()) != 0) return fail(errno);
    part_.clear();
    part_name[0] = '\0';
    return {};
}

void PartFile::drop() noexcept
{
    mapping_.unmap();
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    if (part_.empty()) return;
    ::unlink(part_.c_str());
    part_.clear();
    part_name[0] = '\0';
}

} // namespace axe_cli
