// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_IMPL_PRINT_HPP
#define AXE_TARGET_NVIDIA_TMA_IMPL_PRINT_HPP

#include <axe/target/nvidia/tma/print.hpp>
#include <axe/text/common/words.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// (1,2,3), or with other signs around and between
template <class Numbers>
std::string number_list(const Numbers& numbers, const char* open = "(", const char* between = ",", const char* close = ")")
{
    std::string out = open;
    for (int i = 0; i < numbers.size(); ++i) out.append(i > 0 ? between : "").append(std::to_string(numbers[i]));
    return out + close;
}

/// The strides of all dimensions, that of the innermost too.
inline std::string tma_strides(TmaType type, const TmaNumbers& strides)
{
    const int bits = row(type).bits;
    std::string out = bits % 8 == 0 ? "(" + std::to_string(bits / 8) : "(" + std::to_string(bits) + "b";
    for (const std::int64_t s : strides) out += "," + std::to_string(s);
    return out + ")";
}

/// What both kinds of map have, after their own.
template <class Map>
std::string tma_modes(const Map& map)
{
    std::string out;
    if (!map.element_strides.empty()) out += " every " + number_list(map.element_strides);
    if (map.interleave != TmaInterleave::none) out.append(" interleave ").append(row(map.interleave).name);
    if (map.swizzle != TmaSwizzle::none) out.append(" swizzle ").append(name(map.swizzle));
    if (map.promotion != TmaPromotion::none) out.append(" promotion ").append(row(map.promotion).name);
    if (map.fill != TmaFill::zero) out.append(" fill ").append(row(map.fill).name);
    if (map.offset != 0) out += " " + worded("from byte {0}", {map.offset});
    return out;
}

inline std::string cuda_array(const char* type, std::string_view name, const char* what, const std::string& items, int count)
{
    std::string out = "const ";
    return out.append(type).append(" ").append(name).append(what).append("[") + std::to_string(count) + "] = " + items + ";\n";
}
template <class Numbers>
std::string cuda_array(const char* type, std::string_view name, const char* what, const Numbers& numbers)
{
    // There is no array of nothing: one 0 that the call does not read.
    return cuda_array(type, name, what, numbers.size() == 0 ? "{0}" : number_list(numbers, "{", ", ", "}"),
                      numbers.size() == 0 ? 1 : numbers.size());
}

inline TmaNumbers all_element_strides(const TmaNumbers& strides, int rank)
{
    if (!strides.empty()) return strides;
    TmaNumbers out;
    for (int d = 0; d < rank; ++d) out.push_back(1);
    return out;
}

/// The call: what is before its arrays and after them is alike.
template <class Map>
std::string cuda_call(const Map& map, std::string_view name, std::string_view address, const char* call, const std::string& middle)
{
    const std::string n(name);
    std::string out = "const CUresult " + n + "_status = " + call + "(\n    &" + n + ", CU_TENSOR_MAP_DATA_TYPE_" +
                      row(map.type).cuda + ", " + std::to_string(map.rank()) + ", ";
    if (map.offset == 0)
        out.append(address);
    else
        out.append("static_cast<char*>(").append(address).append(map.offset < 0 ? ") - " : ") + ") +=
            std::to_string(map.offset < 0 ? -map.offset : map.offset);
    return out + ", " + n + "_dims, " + n + "_strides, " + middle + n + "_element_strides,\n    CU_TENSOR_MAP_INTERLEAVE_" +
           row(map.interleave).cuda + ", CU_TENSOR_MAP_SWIZZLE_" + row(map.swizzle).cuda + ",\n    CU_TENSOR_MAP_L2_PROMOTION_" +
           row(map.promotion).cuda + ", CU_TENSOR_MAP_FLOAT_OOB_FILL_" + row(map.fill).cuda + ");\n";
}

template <class Map>
Status check_cuda(const Map& map)
{
    if (*row(map.swizzle).cuda != '\0') return {};
    return Error(errc::bad_argument, -1, "the CUDA call has no swizzle of {0} bytes; PTX sets it with tensormap.replace",
                 row(map.swizzle).span);
}

} // namespace detail

AXE_DECL std::string print(const TensorMap& map)
{
    return std::string(name(map.type)) + " " + detail::number_list(map.dims) + ":" + detail::tma_strides(map.type, map.strides) +
           " box " + detail::number_list(map.box) + detail::tma_modes(map);
}

AXE_DECL std::string print(const Im2colMap& map)
{
    return std::string(name(map.type)) + " " + detail::number_list(map.dims) + ":" + detail::tma_strides(map.type, map.strides) +
           " corners " + detail::number_list(map.lower) + " " + detail::number_list(map.upper) + " channels " +
           std::to_string(map.channels) + " pixels " + std::to_string(map.pixels) + detail::tma_modes(map);
}

AXE_DECL std::string print(const TmaIssue& issue)
{
    const std::string coords = detail::number_list(issue.coords);
    std::string out =
        detail::worded(issue.mode == TmaMode::rows4 ? "four rows {0} at byte {1}" : "{0} at byte {1}", {coords, issue.shared});
    if (issue.multicast != 0) out += " multicast " + std::to_string(issue.multicast);
    if (issue.cta_group != 1) out += " cta_group " + std::to_string(issue.cta_group);
    return out;
}

AXE_DECL std::string print(const TmaPlan& plan)
{
    std::string out = print(plan.map);
    if (plan.elements > 1) out += ", " + detail::worded("an element is {0} of the tensor", {plan.elements});
    out += "\n" + detail::worded("{0} copies of {1} bytes, shared memory aligned to {2}",
                                 {plan.issues.size(),
                                  plan.bytes / std::max<std::int64_t>(1, static_cast<std::int64_t>(plan.issues.size())),
                                  plan.shared_alignment});
    for (const TmaIssue& issue : plan.issues) out += "\n" + print(issue);
    return out;
}

AXE_DECL Result<std::string> to_cuda(const TensorMap& map, std::string_view name, std::string_view address)
{
    if (const Status e = detail::check_cuda(map); !e.ok()) return e.error();
    const TmaNumbers steps = detail::all_element_strides(map.element_strides, map.rank());
    return "CUtensorMap " + std::string(name) + ";\n" + detail::cuda_array("cuuint64_t", name, "_dims", map.dims) +
           detail::cuda_array("cuuint64_t", name, "_strides", map.strides) +
           detail::cuda_array("cuuint32_t", name, "_box", map.box) +
           detail::cuda_array("cuuint32_t", name, "_element_strides", steps) +
           detail::cuda_call(map, name, address, "cuTensorMapEncodeTiled", std::string(name) + "_box, ");
}

AXE_DECL Result<std::string> to_cuda(const Im2colMap& map, std::string_view name, std::string_view address)
{
    if (const Status e = detail::check_cuda(map); !e.ok()) return e.error();
    const TmaNumbers steps = detail::all_element_strides(map.element_strides, map.rank());
    const std::string n(name);
    return "CUtensorMap " + n + ";\n" + detail::cuda_array("cuuint64_t", name, "_dims", map.dims) +
           detail::cuda_array("cuuint64_t", name, "_strides", map.strides) + detail::cuda_array("int", name, "_lower", map.lower) +
           detail::cuda_array("int", name, "_upper", map.upper) +
           detail::cuda_array("cuuint32_t", name, "_element_strides", steps) +
           detail::cuda_call(map, name, address, "cuTensorMapEncodeIm2col",
                             n + "_lower, " + n + "_upper, " + std::to_string(map.channels) + ", " + std::to_string(map.pixels) +
                                 ", ");
}

AXE_DECL std::string to_ptx(const TensorMap& map, const TmaIssue& issue, TmaUse use, std::string_view reduction)
{
    const bool load = use == TmaUse::load, rows = issue.mode == TmaMode::rows4;
    std::string out = use == TmaUse::reduce ? "cp.reduce.async.bulk.tensor." : "cp.async.bulk.tensor.";
    out += std::to_string(map.rank()) + "d";
    out += load ? ".shared::cluster.global" : ".global.shared::cta";
    if (use == TmaUse::reduce) out.append(".").append(reduction);
    out += !rows ? ".tile" : load ? ".tile::gather4" : ".tile::scatter4";
    out += load ? ".mbarrier::complete_tx::bytes" : ".bulk_group";
    if (issue.multicast != 0) out += ".multicast::cluster";
    if (issue.cta_group == 2) out += ".cta_group::2";
    const std::string tensor = "[map, " + detail::number_list(issue.coords, "{", ", ", "}") + "]";
    const std::string shared = "[%shared" + (issue.shared == 0 ? "" : " + " + std::to_string(issue.shared)) + "]";
    if (!load) return out + " " + tensor + ", " + shared + ";";
    out += " " + shared + ", " + tensor + ", [%mbarrier]";
    if (issue.multicast != 0) out += ", " + std::to_string(issue.multicast);
    return out + ";";
}

} // namespace v0
} // namespace axe

#endif
