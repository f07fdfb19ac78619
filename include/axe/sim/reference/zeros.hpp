// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_ZEROS_HPP
#define AXE_SIM_REFERENCE_ZEROS_HPP

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace ref {

/// Memory of zeros. A large one consists of pages that the system zeroes when they are first used, so that taking half a GB is no work
/// during which a caller could not stop the verification.
template <class T>
struct ZeroAllocator {
    static_assert(std::is_trivially_default_constructible_v<T>);
    using value_type = T;

    ZeroAllocator() = default;
    template <class U>
    ZeroAllocator(const ZeroAllocator<U>&) noexcept
    {
    }

    [[nodiscard]] T* allocate(std::size_t n)
    {
        if (void* p = std::calloc(n, sizeof(T)); p != nullptr || n == 0) return static_cast<T*>(p);
        ::operator delete(::operator new(n * sizeof(T))); // no memory is reported as operator new does
        std::abort();
    }
    void deallocate(T* p, std::size_t) noexcept { std::free(p); }

    /// An element without a value is the zero that is there.
    template <class U>
    void construct(U*) noexcept
    {
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args)
    {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }

    friend bool operator==(const ZeroAllocator&, const ZeroAllocator&) noexcept { return true; }
};

/// A vector whose size is given when it is made, and stays: what was erased is no zero again.
template <class T>
using Zeros = std::vector<T, ZeroAllocator<T>>;

} // namespace ref
} // namespace v0
} // namespace axe

#endif
