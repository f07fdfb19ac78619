// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/host_memory.hpp>
#include <catch.hpp>

#include <vector>

using namespace axe;

TEST_CASE("memory that is not there is a problem with the bytes asked and available", "[tensor][memory]")
{
    CHECK(check_memory("a", 1).ok());
    const auto far = check_memory("run of k", wider_t<std::int64_t>{1} << 100);
    CHECK(far.code() == errc::capacity);
    CHECK(far.error().text.find("run of k: it takes 9223372036854775807 bytes of memory; ") == 0);
    if (const std::int64_t available = available_memory(); available > 0) {
        const auto more = check_memory("run of k", wider_t<std::int64_t>{available} * 4);
        REQUIRE(more.code() == errc::capacity);
        CHECK(more.error().text.find("run of k: it takes " + std::to_string(available * 4) +
                                     " bytes of memory; this computer has ") == 0);
        CHECK(more.error().text.find(" available") != std::string::npos);
        CHECK(check_memory("run of k", available / 4).ok());
    }
}

TEST_CASE("an allocation that fails ends as a problem, and results pass", "[tensor][memory]")
{
    const auto seven = within_memory("k", []() -> Result<int, Problem> { return 7; });
    CHECK(seven.value() == 7);
#if defined(__cpp_exceptions)
    const auto thrown = within_memory("k", []() -> Result<int, Problem> { throw std::bad_alloc(); });
    REQUIRE(!thrown.has_value());
    CHECK(thrown.error().code == errc::capacity);
    CHECK(thrown.error().text == "k: this computer does not have the memory that it takes");
    const auto long_one = within_memory("k", []() -> Result<int, Problem> {
        std::vector<double> v;
        v.reserve(v.max_size() + 1);
        return static_cast<int>(v.size());
    });
    REQUIRE(!long_one.has_value());
    CHECK(long_one.error().code == errc::capacity);
#endif
}
