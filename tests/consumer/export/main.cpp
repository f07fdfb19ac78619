// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/version.hpp>
#include <cstdio>
#include <sizes.hpp>

int main()
{
    using namespace axe::literals;
    std::printf("axe %d.%d.%d: %lld elements\n", AXE_VERSION_MAJOR, AXE_VERSION_MINOR, AXE_VERSION_PATCH,
                static_cast<long long>(elements("(8,16):(16,1)"_axe)));
}
