// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_ALL_THREADS_HPP
#define AXE_TESTS_UNIT_SIM_ALL_THREADS_HPP

#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/required.hpp>

#include <cstring>
#include <functional>

/// Runs on one thread of the host and on several, which differ in nothing.
namespace all_threads {

using Write = std::function<void(axe::Kernel&)>;

inline axe::Program written(const Write& write, const axe::Machine& machine = axe::machines::sm80)
{
    axe::Kernel k("k", machine);
    write(k);
    auto p = required(k.program());
    const auto lowered = required(axe::lower(*p));
    return lowered->program;
}

/// Outputs, counts and faults are those of one thread, at both levels; the fault of all checks is returned.
inline axe::sim::Fault same_for_all_threads(const axe::Program& p, const axe::Bindings& in, axe::sim::RunOptions options = {},
                                            const std::vector<int>& numbers = {2, 3, 8})
{
    axe::sim::Fault fault;
    for (const axe::sim::Level level : {axe::sim::Level::full, axe::sim::Level::fast}) {
        options.level = level;
        options.threads = 1;
        const auto one = required(axe::sim::run(p, in, options));
        if (level == axe::sim::Level::full) fault = one->fault;
        for (const int threads : numbers) {
            options.threads = threads;
            const auto several = required(axe::sim::run(p, in, options));
            INFO(threads << " threads: " << one->fault.text << " | " << several->fault.text);
            CHECK(several->fault.kind == one->fault.kind);
            CHECK(several->fault.text == one->fault.text);
            CHECK(several->total == one->total);
            CHECK(several->statements == one->statements);
            for (const auto& entry : one->outputs) {
                if (one->fault.found()) break; // then outputs are invalid
                const axe::Array* other = several->outputs.find(entry.name);
                REQUIRE(other != nullptr);
                CHECK(std::memcmp(other->data(), entry.array.data(), static_cast<std::size_t>(other->size_bytes())) == 0);
            }
        }
    }
    return fault;
}

} // namespace all_threads

#endif
