// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_SILICON_FRAGMENT_HPP
#define AXE_TESTS_SILICON_FRAGMENT_HPP

#include "gpu.hpp"

#include <axe/layout/points.hpp>
#include <axe/target/atoms.hpp>
#include <axe/tensor/convert.hpp>

#include <cstring>
#include <string_view>

/// Operands in registers, as the layouts of the atoms say.
namespace silicon {

/// The type of an element by its vendor's word.
inline axe::DType element_type(std::string_view word)
{
    using axe::DType;
    constexpr std::pair<std::string_view, DType> words[] = {{"f16", DType::f16},   {"bf16", DType::bf16}, {"tf32", DType::tf32},
                                                            {"f32", DType::f32},   {"f64", DType::f64},   {"e4m3", DType::e4m3},
                                                            {"e5m2", DType::e5m2}, {"s8", DType::i8},     {"s4", DType::i4},
                                                            {"b1", DType::b1},     {"s32", DType::i32}};
    for (const auto& [name, type] : words)
        if (name == word) return type;
    return DType::f64;
}

/// The bits that an element takes in a register: tf32 takes 32.
inline int register_bits(axe::DType type) { return type == axe::DType::tf32 ? 32 : axe::bits(type); }

/// The registers of all threads, thread after thread; `reg` counts elements, the low bits of a thread's first register first.
class Fragment {
  public:
    Fragment(const axe::Layout& layout, axe::DType type, int threads, std::int64_t first_lane = 0)
        : layout_(layout), type_(type), first_lane_(first_lane)
    {
        std::int64_t most = 0;
        const std::int64_t n = *axe::size(layout);
        for (std::int64_t x = 0; x < n; ++x)
            for (const axe::Point& p : axe::points(layout, x)) most = std::max(most, p["reg"]);
        thread_bytes_ = static_cast<int>((most + 1) * register_bits(type) + 31) / 32 * 4;
        bytes_.resize(static_cast<std::size_t>(threads * thread_bytes_));
    }
    [[nodiscard]] int thread_bytes() const { return thread_bytes_; }
    [[nodiscard]] Bytes& bytes() { return bytes_; }
    void set(std::int64_t x, double value)
    {
        for (const axe::Point& p : axe::points(layout_, x)) {
            const std::int64_t bit = place(p), width = register_bits(type_);
            std::uint64_t word = 0, mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
            const std::size_t byte = static_cast<std::size_t>(bit / 8), shift = static_cast<std::size_t>(bit % 8);
            const std::size_t size = static_cast<std::size_t>(width + 7) / 8;
            std::memcpy(&word, bytes_.data() + byte, size);
            word = (word & ~(mask << shift)) | (axe::encode(type_, value) & mask) << shift;
            std::memcpy(bytes_.data() + byte, &word, size);
        }
    }
    /// The value at each place of an element: they should be one.
    [[nodiscard]] double at(const axe::Point& p) const
    {
        const std::int64_t bit = place(p);
        std::uint64_t word = 0;
        std::memcpy(&word, bytes_.data() + bit / 8, static_cast<std::size_t>(register_bits(type_) + 7) / 8);
        return axe::decode(type_, word);
    }

  private:
    [[nodiscard]] std::int64_t place(const axe::Point& p) const
    {
        return ((p["warp"] * 32 + p["lane"] + first_lane_) * thread_bytes_) * 8 + p["reg"] * register_bits(type_);
    }

    axe::Layout layout_;
    axe::DType type_;
    std::int64_t first_lane_;
    int thread_bytes_ = 0;
    Bytes bytes_;
};

/// PTX that loads the 32-bit registers `name`0, … of each thread from the buffer of parameter `parameter`, or stores them.
inline std::string move_registers(bool load, const std::string& name, int count, const std::string& parameter)
{
    std::string out = "  ld.param.u64 %address, [" + parameter + "];\n  mad.wide.u32 %address, %thread, " +
                      std::to_string(4 * count) + ", %address;\n";
    for (int i = 0; i < count; ++i) {
        const std::string r = "%" + name + std::to_string(i), at = "[%address + " + std::to_string(4 * i) + "]";
        out += load ? "  ld.global.b32 " + r + ", " + at + ";\n" : "  st.global.b32 " + at + ", " + r + ";\n";
    }
    return out;
}

/// `{%name0, %name1, …}`
inline std::string register_list(const std::string& name, int count)
{
    std::string out = "{";
    for (int i = 0; i < count; ++i) out += (i > 0 ? ", %" : "%") + name + std::to_string(i);
    return out + "}";
}

/// The least and the most value of an operand of small numbers, whose products and sums every accumulator holds exactly.
inline std::pair<std::int64_t, std::int64_t> small_values(axe::DType type)
{
    if (type == axe::DType::b1) return {0, 1};
    return {-3, 3};
}

} // namespace silicon

#endif
