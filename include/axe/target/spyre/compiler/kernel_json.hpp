// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_KERNEL_JSON_HPP
#define AXE_TARGET_SPYRE_COMPILER_KERNEL_JSON_HPP

#include <axe/target/spyre/compiler/json.hpp>
#include <axe/target/spyre/compiler/kernel.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

inline constexpr std::string_view kernel_keys[] = {"op", "loops", "tensors"};
inline constexpr std::string_view loop_keys[] = {"name", "size", "is_reduction", "split"};
inline constexpr std::string_view tensor_keys[] = {"name",     "is_output",   "size",       "stride",       "storage_offset",
                                                   "loops",    "device_size", "stride_map", "device_dtype", "element_arrangement",
                                                   "lx_offset"};

constexpr bool read_number(Reader& in, std::int64_t& out) noexcept { return in.integer(out, "expected a number at character {0}"); }

constexpr bool read_kernel_loop(Reader& in, KernelLoop& out) noexcept
{
    const auto member = [&](int i) {
        switch (i) {
        case 0: {
            in.peek();
            const int at = in.at;
            std::string_view name;
            if (!read_string(in, name)) return false;
            const auto axis = Axis::make(name.data(), static_cast<int>(name.size()));
            if (!axis) return in.fail(errc::bad_axis, at, "the string at character {0} is not a name of a loop");
            out.loop.name = *axis;
            return true;
        }
        case 1: return read_number(in, out.loop.size);
        case 2: return read_truth(in, out.loop.is_reduced);
        default: return read_number(in, out.split);
        }
    };
    return read_object(in, loop_keys, member);
}

/// One of the names of an enumeration of `count` members, as a string.
template <class Enum>
constexpr bool read_named(Reader& in, int count, Enum& out) noexcept
{
    in.peek();
    const int at = in.at;
    std::string_view word;
    if (!read_string(in, word)) return false;
    for (int i = 0; i < count; ++i)
        if (word == name(static_cast<Enum>(i))) {
            out = static_cast<Enum>(i);
            return true;
        }
    return in.fail(errc::bad_syntax, at, "the string at character {0} names no format and no arrangement of the device");
}

constexpr bool read_kernel_tensor(Reader& in, KernelTensor& out) noexcept
{
    const auto member = [&](int i) {
        switch (i) {
        case 0: return read_word(in, out.name);
        case 1: return read_truth(in, out.is_output);
        case 2: return read_integers(in, out.torch.shape);
        case 3: return read_integers(in, out.torch.strides);
        case 4: return read_number(in, out.torch.offset);
        case 5: {
            in.peek();
            const int at = in.at;
            InlineVector<std::int64_t, max_rank> loops;
            if (!read_integers(in, loops)) return false;
            out.loops = {};
            for (const std::int64_t v : loops) {
                if (v < -1 || v >= max_loops)
                    return in.fail(errc::bad_argument, at, "the list at character {0} names loop {1}, which does not exist", v);
                out.loops.push_back(static_cast<int>(v));
            }
            return true;
        }
        case 6: return read_integers(in, out.layout.device_size);
        case 7: return read_integers(in, out.layout.stride_map);
        case 8: return read_named(in, format_count, out.layout.format);
        case 9: return read_named(in, arrangement_count, out.layout.arrangement);
        default: return read_number(in, out.scratchpad_offset);
        }
    };
    return read_object(in, tensor_keys, member);
}

/// A list of objects, as many as there is room for.
template <class List, class Read>
constexpr bool read_objects(Reader& in, List& out, Read read) noexcept
{
    out = {};
    return read_array(in, [&] {
        in.peek();
        const int at = in.at;
        typename List::value_type one;
        if (!read(in, one)) return false;
        return out.push_back(one) ||
               in.fail(errc::capacity, at, "the list has more than {1} objects at character {0}", List::capacity);
    });
}

} // namespace detail

/// The kernel as JSON, in the words of upstream's document: dimensions outermost first, `lx_offset` in bytes, −1 where a core's part
/// stays in device memory.
///
/// What upstream's own files look like inside is not public; the program that hands them on writes them from this value.
AXE_DECL std::string to_json(const Kernel& kernel);

/// Reads a kernel, keys in any order, each once.  parse_kernel(to_json(k)) = k
///
/// Whether it is one of checked work is what `work_of` says. `errc::bad_syntax`, `errc::bad_axis`, `errc::bad_argument`,
/// `errc::capacity`, `errc::overflow` with the character.
constexpr Result<Kernel> parse_kernel(std::string_view json) noexcept
{
    detail::Reader in(json);
    Result<Kernel> result;
    Kernel& out = *result;
    const auto member = [&](int i) {
        switch (i) {
        case 0: return detail::read_word(in, out.op);
        case 1: return detail::read_objects(in, out.loops, detail::read_kernel_loop);
        default: return detail::read_objects(in, out.tensors, detail::read_kernel_tensor);
        }
    };
    if (!detail::read_object(in, detail::kernel_keys, member) || !in.finish()) return in.error;
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/spyre/compiler/impl/kernel_json.hpp>
#endif

#endif
