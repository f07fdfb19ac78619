// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_IMPL_KERNEL_JSON_HPP
#define AXE_TARGET_SPYRE_COMPILER_IMPL_KERNEL_JSON_HPP

#include <axe/target/spyre/compiler/kernel_json.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

inline void write_kernel_tensor(JsonWriter& out, const KernelTensor& t)
{
    const auto& keys = tensor_keys;
    out.open('{').key(keys[0]).value(text(t.name)).key(keys[1]).value(t.is_output);
    out.key(keys[2]).list(t.torch.shape).key(keys[3]).list(t.torch.strides).key(keys[4]).value(t.torch.offset);
    out.key(keys[5]).list(t.loops).key(keys[6]).list(t.layout.device_size).key(keys[7]).list(t.layout.stride_map);
    out.key(keys[8]).value(name(t.layout.format)).key(keys[9]).value(name(t.layout.arrangement));
    out.key(keys[10]).value(t.scratchpad_offset).close('}');
}

} // namespace detail

AXE_DECL std::string to_json(const Kernel& kernel)
{
    const auto& keys = detail::kernel_keys;
    detail::JsonWriter out;
    out.open('{').key(keys[0]).value(text(kernel.op)).key(keys[1]).open('[');
    for (const KernelLoop& l : kernel.loops) {
        out.open('{').key(detail::loop_keys[0]).value(l.loop.name.name().c_str()).key(detail::loop_keys[1]).value(l.loop.size);
        out.key(detail::loop_keys[2]).value(l.loop.is_reduced).key(detail::loop_keys[3]).value(l.split).close('}');
    }
    out.close(']').key(keys[2]).open('[');
    for (const KernelTensor& t : kernel.tensors) detail::write_kernel_tensor(out, t);
    return out.close(']').close('}').text();
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
