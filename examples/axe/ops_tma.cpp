// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by tensor maps.
#include "operation.hpp"

#include <axe/target/nvidia/tma/dtype.hpp>
#include <axe/target/nvidia/tma/print.hpp>

#include <algorithm>
#include <vector>

namespace axe_cli {
namespace {
namespace tma_table {

/// A row whose name it is; −1 if none.
template <class Rows>
int find_name(const Rows& rows, std::string_view name)
{
    int i = 0;
    for (const auto& row : rows) {
        if (name == row.name) return i;
        ++i;
    }
    return -1;
}

/// The type of a tensor map of that name, or for elements of that name.
axe::Result<axe::TmaType, axe::Problem> type_of(std::string_view name)
{
    if (const int own = find_name(axe::tma_types, name); own >= 0) return static_cast<axe::TmaType>(own);
    const auto type = axe::parse_dtype(name);
    if (!type) return type.error();
    const auto found = axe::tma_type(*type);
    if (!found) return axe::Problem(found.error());
    return *found;
}

bool read_number(std::string_view text, int& out)
{
    if (text.starts_with("sm")) text.remove_prefix(2);
    if (text.empty() || text.size() > 4) return false;
    out = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return false;
        out = 10 * out + (c - '0');
    }
    return true;
}

/// `use=store`, `arch=sm100`, `fill=nan`, `l2=256B`, `strict`
bool set(axe::TmaRequest& request, const Setting& s)
{
    constexpr std::string_view uses[] = {"load", "store", "reduce"};
    if (s.key == "use") {
        const auto* at = std::find(std::begin(uses), std::end(uses), s.value);
        request.rules.use = static_cast<axe::TmaUse>(at - std::begin(uses));
        return at != std::end(uses);
    }
    if (s.key == "arch") return read_number(s.value, request.rules.arch);
    if (s.key == "fill") {
        const int at = find_name(axe::tma_fills, s.value);
        request.fill = static_cast<axe::TmaFill>(std::max(at, 0));
        return at >= 0;
    }
    if (s.key == "l2") {
        const int at = find_name(axe::tma_promotions, s.value);
        request.promotion = static_cast<axe::TmaPromotion>(std::max(at, 0));
        return at >= 0;
    }
    request.rules.strict = true;
    return s.key == "strict" && s.value.empty();
}

template <class Numbers>
void write_numbers(JsonWriter& json, const char* name, const Numbers& numbers)
{
    json.key(name).open('[');
    for (int i = 0; i < numbers.size(); ++i) json.number(numbers[i]);
    json.close(']');
}

void write_plan(JsonWriter& json, const axe::TmaPlan& plan, const std::string& cuda)
{
    json.key("map").open('{').key("type").string(axe::name(plan.map.type));
    write_numbers(json, "dims", plan.map.dims);
    write_numbers(json, "strides", plan.map.strides);
    write_numbers(json, "box", plan.map.box);
    json.key("swizzle").string(axe::name(plan.map.swizzle)).key("offset").number(plan.map.offset).close('}');
    json.key("elements")
        .number(plan.elements)
        .key("bytes")
        .number(plan.bytes)
        .key("shared_alignment")
        .number(plan.shared_alignment);
    json.key("copies").open('[');
    for (const axe::TmaIssue& issue : plan.issues) {
        json.open('{');
        write_numbers(json, "coords", issue.coords);
        json.key("shared").number(issue.shared).close('}');
    }
    json.close(']').key("cuda").string(cuda);
}

/// Of many copies the first.
constexpr std::size_t most_copies = 16;

void plan(Reply& reply, std::string_view type, const axe::Layout& global, const axe::Shape& shape, const axe::Region& region,
          const SwizzledLayout& shared, const std::vector<Setting>& settings)
{
    const auto found = type_of(type);
    if (!found) return reply.fail(axe::name(found.error().code), "argument 1: " + found.error().text);
    axe::TmaRequest request;
    request.type = *found;
    request.global = global;
    request.global_shape = shape;
    request.global_region = region;
    request.shared = shared;
    if (shared.swizzle.bits == 0) request.shared.width = std::max(1, axe::row(*found).bits / 8);
    for (const axe::Range& r : region) request.shared_shape.push_back(r.hi - r.lo);
    for (const Setting& s : settings)
        if (!set(request, s))
            return reply.fail("bad_argument",
                              "argument " + std::to_string(s.argument) +
                                  ": expected use=load|store|reduce, arch=NUMBER, fill=zero|nan, l2=none|64B|128B|256B or strict");
    const auto plan = axe::plan_tma(request);
    if (!plan) return reply.refuse(plan.error());
    const auto cuda = axe::to_cuda(plan->map);
    if (!cuda) return reply.refuse(cuda.error());
    axe::TmaPlan shown = *plan;
    if (shown.issues.size() > most_copies) shown.issues.resize(most_copies);
    std::string text = axe::print(plan->map);
    if (plan->elements > 1) text += ", an element is " + std::to_string(plan->elements) + " of the tensor";
    const char* next = reply.form == Form::page ? "\n" : "; ";
    text += next + std::to_string(plan->issues.size()) + (plan->issues.size() == 1 ? " copy" : " copies") + ", " +
            std::to_string(plan->bytes) + " bytes in all; shared memory aligned to " + std::to_string(plan->shared_alignment);
    for (const axe::TmaIssue& issue : shown.issues) text += next + axe::print(issue);
    if (plan->issues.size() > shown.issues.size())
        text += next + std::string("and ") + std::to_string(plan->issues.size() - shown.issues.size()) + " more";
    if (reply.form == Form::page) text += "\n" + cuda->substr(0, cuda->size() - 1); // its last newline aside
    reply.text = text;
    if (reply.json()) write_plan(reply.fields, *plan, *cuda);
}

constexpr Operation rows[] = {
    operation(
        "tma", "TYPE GLOBAL SHAPE REGION SHARED [SETTING ...]",
        "the tensor map and the copies that bring a region of global into shared memory",
        "TYPE is f16, bf16, e4m3, f32, ...; GLOBAL and SHAPE are the tensor in global memory; REGION is what is copied of it, "
        "which may leave "
        "it;\nSHARED is the layout of the region in shared memory: swizzle<3,4,3>/2((128,64):(64,1)), /2 being the bytes of an "
        "element\n"
        "use=store, use=reduce  the other way round; arch=100  more swizzles; fill=nan; l2=256B; strict  no overlapping strides\n"
        "each copy: smem[swizzle(byte + w*i)] = global[coords + i], i in the box",
        "none: no box does it, and why\n"
        "not_grouped, not_single_valued, bad_axis, size_mismatch, bad_argument, too_hard (more than 65536 copies)",
        "tma; f16; (8192,4096):(4096,1); (8192,4096); [128:256, 64:128]; swizzle<3,4,3>/2((128,64):(64,1))",
        "ok: f16 (4096,8192):(2,8192) box (64,128) swizzle 128B\n"
        "1 copy, 16384 bytes in all; shared memory aligned to 1024\n"
        "(64,128) at byte 0\n"
        "CUtensorMap map;\n"
        "const cuuint64_t map_dims[2] = {4096, 8192};\n"
        "const cuuint64_t map_strides[1] = {8192};\n"
        "const cuuint32_t map_box[2] = {64, 128};\n"
        "const cuuint32_t map_element_strides[2] = {1, 1};\n"
        "const CUresult map_status = cuTensorMapEncodeTiled(\n"
        "    &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, address, map_dims, map_strides, map_box, map_element_strides,\n"
        "    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,\n"
        "    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);",
        [](Reply& reply, const std::string_view& type, const axe::Layout& global, const axe::Shape& shape,
           const axe::Region& region, const SwizzledLayout& shared,
           const std::vector<Setting>& settings) { plan(reply, type, global, shape, region, shared, settings); }),
};

} // namespace tma_table
} // namespace

constinit const std::span<const Operation> tma_operations = tma_table::rows;

} // namespace axe_cli
