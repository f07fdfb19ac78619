// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_FILES_HPP
#define AXE_CLI_RELAYOUT_FILES_HPP

#include <axe/tensor/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace axe_cli {

/// A file in the address space of this process, so that it may be larger than memory. Its pages come and go as the system likes.
class MappedFile {
  public:
    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    MappedFile& operator=(MappedFile&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~MappedFile() { unmap(); }

    /// To be read. `errc::bad_argument` with what the system says, and of what is not a plain file.
    static axe::Result<MappedFile, axe::Problem> open(const std::string& path);
    /// An open file of so many bytes, to be read and written; null when the system refuses, which says why in errno.
    static MappedFile writable(int file, std::int64_t bytes);

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::string_view view() const noexcept
    {
        return {reinterpret_cast<const char*>(data_), static_cast<std::size_t>(bytes_)};
    }
    /// It will be gone through from its begin to its end: the system may read ahead, and drop what was passed.
    void expect_in_order() const noexcept;
    /// It will be written here and there: what lies around a page is not to be brought in with it, where memory is short.
    void expect_anywhere() const noexcept;
    void unmap() noexcept;

  private:
    std::byte* data_ = nullptr;
    std::int64_t bytes_ = 0;
};

/// Can a file be written there, and is it another one than `in`? As far as can be told before.
axe::Result<void, axe::Problem> check_output(const std::string& path, const std::string& in);

/// A file that is made beside its place, PATH.part0, and takes it when it is whole; until then, and after a failure, what was there
/// stays. Room on the disk is taken when it is made, so that writing into the mapping cannot fail for want of it.
class PartFile {
  public:
    PartFile() = default;
    PartFile(PartFile&& other) noexcept { *this = std::move(other); }
    PartFile& operator=(PartFile&& other) noexcept;
    ~PartFile() { drop(); }

    /// Zeros; or, where `old` is given, a copy of that file, whose length it has. A Ctrl-C ends the copying with a problem.
    static axe::Result<PartFile, axe::Problem> make(const std::string& path, std::int64_t bytes, const std::string* old = nullptr);

    [[nodiscard]] MappedFile& mapping() noexcept { return mapping_; }
    /// Puts it in its place.
    axe::Result<void, axe::Problem> commit();

  private:
    axe::Result<void, axe::Problem> fail(int error);
    void drop() noexcept;

    std::string path_{}, place_{}, part_{};
    int file_ = -1, mode_ = -1;
    MappedFile mapping_{};
};

} // namespace axe_cli

#endif
