// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_IMPL_DMA_JSON_HPP
#define AXE_TARGET_SPYRE_COMPILER_IMPL_DMA_JSON_HPP

#include <axe/target/spyre/compiler/dma_json.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

AXE_DECL std::string to_json(const Dci& dci)
{
    const auto& keys = detail::dci_keys;
    const auto& info = detail::stride_info_keys;
    detail::JsonWriter out;
    out.open('{').key(keys[0]).value(text(dci.name)).key(keys[1]).value(dci.to_device);
    out.key(keys[2]).value(text(dci.from_format)).key(keys[3]).value(text(dci.to_format));
    out.key(keys[4]).list(detail::reversed(dci.from_shape)).key(keys[5]).list(detail::reversed(dci.to_shape));
    out.key(keys[6]).open('[');
    for (const StrideInfo& nest : dci.nests) {
        out.open('{').key(info[0]).list(detail::reversed(nest.size));
        out.key(info[1]).list(detail::reversed(nest.from)).key(info[2]).list(detail::reversed(nest.to));
        out.key(info[3]).value(nest.from_offset).key(info[4]).value(nest.to_offset).close('}');
    }
    return out.close(']').close('}').text();
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
