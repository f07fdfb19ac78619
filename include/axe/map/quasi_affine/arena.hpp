// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_QUASI_AFFINE_ARENA_HPP
#define AXE_MAP_QUASI_AFFINE_ARENA_HPP

#include <cstddef>
#include <memory>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// Room for many small things that end together. The first of them are stored in the object itself: small maps allocate nothing.
class FormArena {
  public:
    FormArena() noexcept {} // not defaulted: that would clear the room first
    FormArena(const FormArena&) = delete;
    FormArena& operator=(const FormArena&) = delete;

    /// n objects of a trivial type, not initialized.
    template <class T>
    T* make(std::size_t n)
    {
        const std::size_t bytes = (n * sizeof(T) + 15) / 16 * 16;
        if (bytes > left_) grow(bytes);
        std::byte* const out = next_;
        next_ += bytes;
        left_ -= bytes;
        return reinterpret_cast<T*>(out);
    }

  private:
    void grow(std::size_t bytes)
    {
        const std::size_t size = bytes > block_ ? bytes : block_;
        block_ *= 2;
        blocks_.emplace_back(new std::byte[size]);
        next_ = blocks_.back().get();
        left_ = size;
    }

    static constexpr std::size_t own_bytes = 12288;
    alignas(16) std::byte own_[own_bytes];
    std::byte* next_ = own_;
    std::size_t left_ = own_bytes;
    std::size_t block_ = 4 * own_bytes;
    std::vector<std::unique_ptr<std::byte[]>> blocks_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
