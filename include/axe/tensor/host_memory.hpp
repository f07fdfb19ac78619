// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_HOST_MEMORY_HPP
#define AXE_TENSOR_HOST_MEMORY_HPP

#include <axe/tensor/problem.hpp>
#include <axe/text/common/words.hpp>

#include <new>
#include <stdexcept>
#include <system_error>

/// What this computer has no memory for is a problem and never an exception.
namespace axe {
inline namespace v0 {

/// Bytes that a program can take now without making another one give up its own; 0 where the system does not tell. Linux tells it.
AXE_DECL std::int64_t available_memory();

/// Is there memory for so many bytes, all of them used? `errc::capacity` with bytes asked and available, after the words `who`, where
/// the system tells how many are, and otherwise for more than 2^47, which today's machines do not address.
AXE_DECL Result<void, Problem> check_memory(const std::string& who, wider_t<std::int64_t> bytes);

/// The problem of an allocation that failed, after the words `who`.
AXE_DECL Problem no_memory(const std::string& who);

/// f(), a Result<…, Problem> or Status-like; `errc::capacity` in its place where an allocation fails in it. The one place where the
/// library catches what its containers throw; without exceptions, where they end the program, it is f() alone.
template <class F>
auto within_memory([[maybe_unused]] const std::string& who, F&& f) -> decltype(f())
{
#if defined(__cpp_exceptions)
    try {
        return f();
    } catch (const std::bad_alloc&) {
        return no_memory(who);
    } catch (const std::length_error&) { // more elements than a container counts
        return no_memory(who);
    } catch (const std::system_error&) { // no thread more
        return no_memory(who);
    }
#else
    return f();
#endif
}

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/host_memory.hpp>
#endif

#endif
