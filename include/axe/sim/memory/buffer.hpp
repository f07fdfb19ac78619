// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_BUFFER_HPP
#define AXE_SIM_MEMORY_BUFFER_HPP

#include <axe/sim/memory/shadow.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// Zeros that begin where a cache line does, so that vectors seldom cross one.
class Lines {
  public:
    [[nodiscard]] std::byte* data() const noexcept { return bytes_; }
    /// Room for n bytes, what was there is lost; or what there is, if that is enough.
    /// Large room is pages of zeros that the system gives when they are used: a layout may leave out most of what it spans.
    void reserve(std::size_t n)
    {
        if (n <= size_) return;
        room_.reset(static_cast<std::byte*>(std::calloc(n + line, 1)));
        if (room_ == nullptr) { // reported as operator new does
            ::operator delete(::operator new(n + line));
            room_.reset(static_cast<std::byte*>(std::calloc(n + line, 1)));
            if (room_ == nullptr) std::abort();
        }
        const auto past = reinterpret_cast<std::uintptr_t>(room_.get()) % line;
        bytes_ = room_.get() + (past == 0 ? 0 : line - past);
        size_ = n;
    }

    /// All of it is zeros again.
    void clear() noexcept
    {
        if (size_ > 0) std::memset(bytes_, 0, size_);
    }

  private:
    static constexpr std::size_t line = 64;
    struct Release {
        void operator()(std::byte* p) const noexcept { std::free(p); }
    };
    std::unique_ptr<std::byte, Release> room_{};
    std::byte* bytes_ = nullptr; ///< in the room, where a line begins
    std::size_t size_ = 0;
};

/// The memory behind one tensor for one owner: the elements, and their shadow where races and reads before writes are looked for.
struct Buffer {
    std::byte* data = nullptr;
    Lines own{};
    Shadow shadow{};
    bool left = false; ///< it has what another block wrote, and must be zeros before it is read

    /// Its first byte, before it is read, or written in part.
    [[nodiscard]] std::byte* begin() noexcept
    {
        if (left) own.clear();
        left = false;
        return data;
    }
    /// The same, before all of it is written.
    [[nodiscard]] std::byte* overwrite() noexcept
    {
        left = false;
        return data;
    }
};

/// A bit for each lane of an agent.
using LaneMask = std::uint64_t;
constexpr LaneMask lane_bit(int lane) noexcept { return LaneMask{1} << lane; }
constexpr LaneMask all_lanes(int lanes) noexcept { return ~LaneMask{} >> (max_lanes - lanes); }

/// What asynchronous products have to do with a register: the fence after which an ordinary access last touched it, and the group of the
/// last product that writes or reads it; 0: none.
struct ProductUse {
    std::uint32_t touched = 0, group = 0;
    int statement = -1; ///< of the product
};

/// The registers of one tensor: slots of all agents of a block, and which lanes have written each register.
struct Registers {
    Lines data{};
    std::size_t agent_bytes = 0;
    std::vector<LaneMask> valid{};      ///< [agent][register]
    std::vector<ProductUse> products{}; ///< the same, of tensors that products use; else empty
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
