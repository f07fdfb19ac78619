// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/kernels/select.hpp>

#include <catch.hpp>

#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace axe::detail;

namespace {

/// Memory between two pages that may not be touched.
class Guarded {
  public:
    explicit Guarded(std::size_t pages)
        : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          size_(pages * page_),
          whole_(mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    {
        REQUIRE(whole_ != MAP_FAILED);
        REQUIRE(mprotect(begin(), size_, PROT_READ | PROT_WRITE) == 0);
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    ~Guarded() { munmap(whole_, size_ + 2 * page_); }

    std::byte* begin() const { return static_cast<std::byte*>(whole_) + page_; }
    std::byte* end() const { return begin() + size_; }
    std::size_t size() const { return size_; }

  private:
    std::size_t page_, size_;
    void* whole_;
};

/// Bytes that differ from their neighbors in every row and column of a block.
void number(const Guarded& memory)
{
    std::uint64_t state = 1;
    for (std::byte* p = memory.begin(); p != memory.end(); ++p) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        *p = static_cast<std::byte>(state >> 56);
    }
}

std::vector<const RelayoutKernels*> all_kernels()
{
    std::vector<const RelayoutKernels*> out;
    for (const InstructionSet set :
         {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon})
        if (runs_here(set)) out.push_back(&kernels_of(set));
    return out;
}

/// A target, and what it should become: filled alike, written by a kernel and by the naive loop, and compared whole, so that a byte
/// that should have been left alone shows.
struct Target {
    explicit Target(std::size_t pages) : got(pages), want(got.size()) { clear(); }
    void clear()
    {
        std::memset(got.begin(), 0xa5, got.size());
        std::memset(want.data(), 0xa5, want.size());
    }
    bool is_right() const { return std::memcmp(got.begin(), want.data(), want.size()) == 0; }

    Guarded got;
    std::vector<std::byte> want;
};

enum class Place { first, last };

/// One part of a block, at either end of its memories: columns and rows of both sides `gap` bytes apart beyond their length.
void check_part(const RelayoutKernels& k, int log, int rows, int columns, std::ptrdiff_t gap, Place place, const Guarded& source,
                Target& target, int form)
{
    const std::ptrdiff_t width = std::ptrdiff_t{1} << log;
    std::ptrdiff_t from_pitch = columns * width + gap, to_pitch = rows * width + gap;
    if (form == 2) to_pitch = (to_pitch + 63) / 64 * 64;
    const std::ptrdiff_t from_length = (rows - 1) * from_pitch + columns * width,
                         to_length = (columns - 1) * to_pitch + rows * width;
    const std::byte* from = place == Place::first ? source.begin() : source.end() - from_length;
    const std::ptrdiff_t to = place == Place::first ? 0 : static_cast<std::ptrdiff_t>(target.want.size()) - to_length;
    std::ptrdiff_t from_rows[64], to_rows[64];
    // Rows from the last to the first: offsets may be negative.
    for (int i = 0; i < rows; ++i) from_rows[i] = -i * from_pitch;
    for (int j = 0; j < columns; ++j) to_rows[j] = -j * to_pitch;
    from += (rows - 1) * from_pitch;
    const std::ptrdiff_t last = to + (columns - 1) * to_pitch;
    target.clear();
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            std::memcpy(target.want.data() + last + to_rows[j] + i * width, from + from_rows[i] + j * width,
                        static_cast<std::size_t>(width));
    std::byte* const out = target.got.begin() + last;
    if (form == 0)
        k.part[log](out, to_rows, from, from_rows, rows, columns);
    else if (form == 1)
        k.block[log](out, to_rows, from, from_rows);
    else
        k.stream[log](out, to_rows, from, from_rows);
    k.fence();
    INFO(k.name << ", elements of " << width << " bytes, " << rows << " rows, " << columns << " columns, gap " << gap << ", form "
                << form << (place == Place::first ? ", first" : ", last"));
    REQUIRE(target.is_right());
}

} // namespace

TEST_CASE("a block and every part of one is transposed, and nothing else is touched")
{
    const Guarded source(3);
    number(source);
    Target target(3);
    for (const RelayoutKernels* k : all_kernels())
        for (int log = 0; log < 5; ++log) {
            CHECK(k->block_rows[log] << log == 64);
            REQUIRE(k->block_columns[log] <= 64);
            const int most_rows = k->block_rows[log], most_columns = k->block_columns[log];
            for (int rows = 1; rows <= most_rows; ++rows)
                for (int columns = 1; columns <= most_columns; ++columns)
                    for (const std::ptrdiff_t gap : {0, 1, 7})
                        for (const Place place : {Place::first, Place::last})
                            check_part(*k, log, rows, columns, gap, place, source, target, 0);
            for (const std::ptrdiff_t gap : {0, 1, 7})
                for (const Place place : {Place::first, Place::last})
                    check_part(*k, log, most_rows, most_columns, gap, place, source, target, 1);
            if (k->stream[log] == nullptr) continue;
            for (const std::ptrdiff_t gap : {0, 1, 64})
                for (const Place place : {Place::first, Place::last})
                    check_part(*k, log, most_rows, most_columns, gap, place, source, target, 2);
        }
}

TEST_CASE("rows of a block may lie anywhere, in any order")
{
    const Guarded source(8);
    number(source);
    Target target(8);
    for (const RelayoutKernels* k : all_kernels())
        for (int log = 0; log < 5; ++log) {
            const std::size_t width = std::size_t{1} << log;
            const int rows = k->block_rows[log], columns = k->block_columns[log];
            std::ptrdiff_t from_rows[64], to_rows[64];
            // 37 has no factor in common with the powers of two.
            for (int i = 0; i < rows; ++i) from_rows[i] = (i * 37 + 11) % rows * 131;
            for (int j = 0; j < columns; ++j) to_rows[j] = (j * 37 + 5) % columns * 131 + 3;
            target.clear();
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < columns; ++j)
                    std::memcpy(target.want.data() + to_rows[j] + i * static_cast<int>(width),
                                source.begin() + from_rows[i] + j * static_cast<int>(width), width);
            k->block[log](target.got.begin(), to_rows, source.begin(), from_rows);
            INFO(k->name << ", elements of " << width << " bytes");
            REQUIRE(target.is_right());
        }
}

TEST_CASE("a source that repeats one row is read as often as asked")
{
    const Guarded source(1);
    number(source);
    Target target(2);
    for (const RelayoutKernels* k : all_kernels())
        for (int log = 0; log < 5; ++log) {
            const std::ptrdiff_t width = std::ptrdiff_t{1} << log;
            const std::ptrdiff_t none[64] = {};
            std::ptrdiff_t to_rows[64];
            for (int j = 0; j < k->block_columns[log]; ++j) to_rows[j] = j * 64;
            target.clear();
            for (int i = 0; i < k->block_rows[log]; ++i)
                for (int j = 0; j < k->block_columns[log]; ++j)
                    std::memcpy(target.want.data() + to_rows[j] + i * width, source.begin() + j * width,
                                static_cast<std::size_t>(width));
            k->block[log](target.got.begin(), to_rows, source.begin(), none);
            REQUIRE(target.is_right());
        }
}

TEST_CASE("runs of any length and alignment are copied, with stores past the caches and without")
{
    const Guarded source(2);
    number(source);
    Target target(2);
    for (const RelayoutKernels* k : all_kernels())
        for (const RelayoutKernels::Copy copy : {k->copy, k->copy_stream})
            for (std::size_t bytes = 0; bytes <= 1100; bytes += bytes < 300 ? 1 : 97)
                for (const std::ptrdiff_t shift : {0, 1, 13, 32, 63})
                    for (const Place place : {Place::first, Place::last}) {
                        const auto length = static_cast<std::ptrdiff_t>(bytes);
                        const auto size = static_cast<std::ptrdiff_t>(target.want.size());
                        const std::ptrdiff_t to = place == Place::first ? shift : size - length - shift;
                        const std::byte* from = place == Place::first ? source.begin() : source.end() - length;
                        target.clear();
                        std::memcpy(target.want.data() + to, from, bytes);
                        copy(target.got.begin() + to, from, bytes);
                        k->fence();
                        INFO(k->name << ", " << bytes << " bytes, shift " << shift
                                     << (place == Place::first ? ", first" : ", last"));
                        REQUIRE(target.is_right());
                    }
}

TEST_CASE("steps of any sign, 0 in the source too, gather and scatter")
{
    const Guarded source(2);
    number(source);
    Target target(2);
    const auto size = static_cast<std::ptrdiff_t>(target.want.size());
    for (const RelayoutKernels* k : all_kernels())
        for (int log = 0; log < 5; ++log) {
            const std::ptrdiff_t width = std::ptrdiff_t{1} << log;
            for (const std::int64_t count : {0, 1, 2, 3, 7, 16, 31, 64, 67})
                for (const std::ptrdiff_t to_step : {width, -width, width + 1, 3 * width, -2 * width - 3})
                    for (const std::ptrdiff_t from_step :
                         {width, -width, std::ptrdiff_t{0}, width + 1, 3 * width, -2 * width - 3, std::ptrdiff_t{1}})
                        for (const Place place : {Place::first, Place::last}) {
                            // Where element 0 is, so that all of them touch the end of their memory.
                            const auto base = [&](std::ptrdiff_t step) {
                                const std::ptrdiff_t footprint = (count > 0 ? count - 1 : 0) * step;
                                const std::ptrdiff_t low = footprint < 0 ? footprint : 0,
                                                     high = (footprint > 0 ? footprint : 0) + width;
                                return place == Place::first ? -low : size - high;
                            };
                            const std::ptrdiff_t to = base(to_step), from = base(from_step);
                            target.clear();
                            for (std::int64_t i = 0; i < count; ++i)
                                std::memcpy(target.want.data() + to + i * to_step, source.begin() + from + i * from_step,
                                            static_cast<std::size_t>(width));
                            k->strided[log](target.got.begin() + to, to_step, source.begin() + from, from_step, count);
                            INFO(k->name << ", " << count << " elements of " << width << " bytes, steps " << to_step << " and "
                                         << from_step);
                            REQUIRE(target.is_right());
                        }
        }
}

TEST_CASE("runs of one element are filled")
{
    const Guarded source(1);
    number(source);
    Target target(1);
    for (const RelayoutKernels* k : all_kernels())
        for (int log = 0; log < 5; ++log) {
            const std::ptrdiff_t width = std::ptrdiff_t{1} << log;
            for (std::int64_t count = 0; count < 150; ++count)
                for (const std::ptrdiff_t shift : {0, 1, 15})
                    for (const Place place : {Place::first, Place::last}) {
                        const std::ptrdiff_t length = count * width;
                        const std::ptrdiff_t to =
                            place == Place::first ? shift : static_cast<std::ptrdiff_t>(target.want.size()) - length - shift;
                        if (to < 0 || to + length > static_cast<std::ptrdiff_t>(target.want.size())) continue;
                        const std::byte* const element = source.end() - width;
                        target.clear();
                        for (std::int64_t i = 0; i < count; ++i)
                            std::memcpy(target.want.data() + to + i * width, element, static_cast<std::size_t>(width));
                        k->fill[log](target.got.begin() + to, count, element);
                        INFO(k->name << ", " << count << " elements of " << width << " bytes");
                        REQUIRE(target.is_right());
                    }
        }
}

TEST_CASE("rows are interleaved and taken apart, however many")
{
    const Guarded source(2);
    number(source);
    Target target(2);
    const auto size = static_cast<std::ptrdiff_t>(target.want.size());
    for (const RelayoutKernels* k : all_kernels())
        for (int log = 0; log < 5; ++log)
            for (const int rows : {1, 2, 3, 4, 5, 8, 12, 16, 17})
                for (const std::int64_t count : {0, 1, 2, 3, 8, 15, 16, 17, 23})
                    for (const std::ptrdiff_t gap : {0, 1})
                        for (const Place place : {Place::first, Place::last}) {
                            const std::ptrdiff_t width = std::ptrdiff_t{1} << log, length = count * width, all = rows * length;
                            // Rows in an order of their own, in memory that ends, or begins, with one of them.
                            std::ptrdiff_t apart[17];
                            for (int r = 0; r < rows; ++r) apart[r] = (r * 37 + 1) % rows * (length + gap);
                            const std::ptrdiff_t footprint = all + (rows - 1) * gap;
                            REQUIRE(footprint <= size);
                            const std::byte* whole = place == Place::first ? source.begin() : source.end() - all;
                            const std::byte* parts = place == Place::first ? source.begin() : source.end() - footprint;
                            const std::ptrdiff_t to_whole = place == Place::first ? 0 : size - all;
                            const std::ptrdiff_t to_parts = place == Place::first ? 0 : size - footprint;
                            INFO(k->name << ", " << rows << " rows of " << count << " elements of " << width << " bytes, gap "
                                         << gap);

                            target.clear();
                            for (std::int64_t i = 0; i < count; ++i)
                                for (int r = 0; r < rows; ++r)
                                    std::memcpy(target.want.data() + to_whole + (i * rows + r) * width,
                                                parts + apart[r] + i * width, static_cast<std::size_t>(width));
                            k->zip[log](target.got.begin() + to_whole, parts, apart, rows, count);
                            REQUIRE(target.is_right());

                            target.clear();
                            for (std::int64_t i = 0; i < count; ++i)
                                for (int r = 0; r < rows; ++r)
                                    std::memcpy(target.want.data() + to_parts + apart[r] + i * width,
                                                whole + (i * rows + r) * width, static_cast<std::size_t>(width));
                            k->unzip[log](target.got.begin() + to_parts, apart, whole, rows, count);
                            REQUIRE(target.is_right());
                        }
}

TEST_CASE("long rows are interleaved, too")
{
    const Guarded source(16);
    number(source);
    Target target(16);
    for (const RelayoutKernels* k : all_kernels())
        for (const int rows : {2, 3, 7}) {
            const std::int64_t count = static_cast<std::int64_t>(source.size()) / rows;
            std::ptrdiff_t apart[7];
            for (int r = 0; r < rows; ++r) apart[r] = r * count;
            target.clear();
            for (std::int64_t i = 0; i < count; ++i)
                for (int r = 0; r < rows; ++r) target.want[static_cast<std::size_t>(i * rows + r)] = source.begin()[apart[r] + i];
            k->zip[0](target.got.begin(), source.begin(), apart, rows, count);
            REQUIRE(target.is_right());
            target.clear();
            for (std::int64_t i = 0; i < count; ++i)
                for (int r = 0; r < rows; ++r) target.want[static_cast<std::size_t>(apart[r] + i)] = source.begin()[i * rows + r];
            k->unzip[0](target.got.begin(), apart, source.begin(), rows, count);
            REQUIRE(target.is_right());
        }
}

TEST_CASE("an instruction set that this processor lacks gives the portable kernels")
{
    for (const InstructionSet set :
         {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon}) {
        if (!runs_here(set)) {
            CHECK(&kernels_of(set) == &kernels_of(InstructionSet::portable));
        }
    }
    CHECK_FALSE((runs_here(InstructionSet::neon) && runs_here(InstructionSet::sse2)));
    CHECK(&best_kernels() == all_kernels().back());
#if defined(__aarch64__)
    // Read by cross/run.cmake.
    CHECK(runs_here(InstructionSet::neon));
    std::printf("neon runs here\n");
#endif
}
