// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/kernels/caches.hpp>

#include <catch.hpp>

using axe::CacheSizes;

TEST_CASE("caches: sizes as Linux writes them")
{
    using axe::detail::cache_bytes;
    CHECK(cache_bytes("1024K\n") == 1 << 20);
    CHECK(cache_bytes("32M") == 32 << 20);
    CHECK(cache_bytes("512\n") == 512);
    for (const char* none : {"", "\n", "K", "1024Q", "-1K", "99999999999999999999"}) CHECK(cache_bytes(none) == 0);
    CHECK(axe::detail::cache_line(0, "no such file").empty());
}

TEST_CASE("caches: those of this processor are sizes that caches have")
{
    const CacheSizes here = axe::detail::caches_here();
    CHECK(here.second >= 64 << 10);
    CHECK(here.last >= here.second);
}
