// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors on Spyre: their layouts, what they take, how they are copied, and how an operator's work is divided.
#include "map_text.hpp"
#include "operation.hpp"
#include "spyre_answers.hpp"

#include <axe/interop/spyre/from_axe.hpp>
#include <axe/interop/spyre/text.hpp>

namespace axe_cli {
namespace {
namespace spyre_table {

using More = std::optional<Text>;
using Map = Parsed<parse_map_argument>;

axe::Result<axe::SpyreLayout> parse_layout_argument(axe::TextView given)
{
    const auto [text, length] = given;
    return axe::spyre::parse_layout({text, static_cast<std::size_t>(length)});
}
using Layout = Parsed<parse_layout_argument>;

enum class Direction { to_device, to_host };

/// `to-device` or `to-host`: where does a transfer go?
axe::Result<Direction> parse_direction(axe::TextView given)
{
    const auto [text, length] = given;
    const std::string_view word(text, static_cast<std::size_t>(length));
    if (word != "to-device" && word != "to-host")
        return axe::Error(axe::errc::bad_syntax, 0, "expected to-device or to-host at character {0}");
    return word == "to-device" ? Direction::to_device : Direction::to_host;
}
using Transfer = Parsed<parse_direction>;

void answer_parse(Reply& reply, const axe::SpyreLayout& layout)
{
    reply.text = axe::spyre::print(layout).c_str();
    add_part(reply, axe::spyre::print_upstream(layout).c_str());
    if (reply.json()) write_members(reply.fields, layout);
    axe::spyre::Tensor tensor; // of which nothing is known
    tensor.device = layout;
    for (int j = 0; j < layout.device_size.size(); ++j) tensor.digits.push_back({});
    add_device_axe(reply, tensor);
}

void answer_layout(Reply& reply, const SpyreWords& words)
{
    if (const auto tensor = read_tensor(reply, words)) give(reply, *tensor);
}

/// An answer about a tensor as it is given: SIZE DTYPE [ORDER [STRIDES]].
template <auto answer>
constexpr auto of_tensor = [](Reply& reply, const Index& size, const SpyreType& type, const More& order, const More& strides) {
    answer(reply, {size, type, order, strides});
};

void answer_from_axe(Reply& reply, const axe::Layout& layout, const axe::Shape& padded, const SpyreType& type,
                     const std::optional<axe::Shape>& size)
{
    axe::Padded placed{layout, padded, {}, 1};
    const axe::Shape& sizes = size ? *size : padded;
    for (const std::int64_t n : sizes) placed.valid.push_back({0, n});
    const auto reach = axe::span(layout, axe::Axis{});
    if (!reach) return reply.refuse(reach.error());
    placed.elements = *reach;
    const auto tensor = axe::spyre::from_axe(placed, axe::spyre::contiguous(sizes), type->format);
    if (!tensor) return reply.refuse(tensor.error());
    give(reply, *tensor);
}

constexpr std::string_view tensor_refusals =
    "none: an explicit layout that has no place for an element\n"
    "bad_syntax, bad_extent, bad_argument (no order of the dimensions), rank_mismatch, overflow, capacity";

constexpr Operation rows[] = {
    operation("spyre layout", "SIZE DTYPE [ORDER [STRIDES]]", "how Spyre lays out a tensor of PyTorch",
              "with the order o of r dimensions and sticks of e elements of the device's format:\n"
              "device_size = [ext(o_1), ..., ext(o_(r-1)), ext(o_0), e], of sticks ext = ceil(size / e), of -1 ext = 1",
              tensor_refusals, "spyre layout; (5,100,150); float16; (1,0,2); -",
              "ok: device_size=[5,3,100,64] stride_map=[15000,64,150,1]\n"
              "axe: (5,100,3,64):(19200,64,6400,1) on (5,100,192); of which [0:5, 0:100, 0:150]",
              of_tensor<answer_layout>),
    operation("spyre storage", "SIZE DTYPE [ORDER [STRIDES]]", "what a tensor takes on the device",
              "bytes = 128 * the product of device_size without its last; what holds no element, nor a copy of one, is padding",
              tensor_refusals, "spyre storage; (5,100,150); float16",
              "ok: 192000 bytes; 1500 sticks of 64; 75000 hold elements; 21000 are padding\n"
              "axe: (5,300,64):(64,320,1) on (5,100,192); of which [0:5, 0:100, 0:150]",
              of_tensor<answer_storage>),
    operation("spyre place", "SIZE DTYPE [ORDER [STRIDES]]", "what each dimension of the device counts, as an indexing map",
              "element d is at these coordinates; copies are range variables", tensor_refusals,
              "spyre place; (128,256); float16; device_size=[256,2,64] stride_map=[1,16384,256]",
              "ok: (d0, d1) -> (d1, d0 floordiv 64, d0 mod 64), domain: d0 in [0, 127], d1 in [0, 255]\n"
              "axe: (128,256):(1,128) on (128,256)",
              of_tensor<answer_place>),
    operation("spyre eval", "SIZE DTYPE COORD [ORDER [STRIDES]]", "where an element is on the device",
              "its device coordinate, its stick and its position in it; of copies the first", tensor_refusals,
              "spyre eval; (5,100,150); float16; (2,9,130)",
              "ok: (9,2,2,2); stick 147, element 2; address 9410\n"
              "axe: (5,300,64):(64,320,1) on (5,100,192); of which [0:5, 0:100, 0:150]",
              [](Reply& reply, const Index& size, const SpyreType& type, const Index& at, const More& order, const More& strides) {
                  answer_eval(reply, {size, type, order, strides}, at);
              }),
    operation("spyre equal", "SIZE DTYPE A B [STRIDES]", "does every element have one place in both layouts?",
              "entries of the stride map of a coordinate that is always 0 do not count; A and B are as ORDER elsewhere",
              tensor_refusals, "spyre equal; 32; float16; device_size=[1,64] stride_map=[32,1]; -",
              "ok: yes\n"
              "axe: 64:1 on (64); of which [0:32]",
              [](Reply& reply, const Index& size, const SpyreType& type, const Text& a, const Text& b, const More& strides) {
                  answer_equal(reply, {size, type, a, strides}, {size, type, b, strides});
              }),
    operation("spyre arrange", "SIZE DTYPE ARRANGEMENT [ORDER [STRIDES]]", "a tensor in another order inside its sticks",
              "ARRANGEMENT is STANDARD, DL16_TO_FP32, FP32_TO_DL16, QFP8CH, QFP8WT or EXX2", tensor_refusals,
              "spyre arrange; (8,128); float8_e4m3fn; QFP8WT",
              "ok: device_size=[1,8,128] stride_map=[128,128,1] arrangement=QFP8WT\n"
              "axe: (4,2,2,64):(128,1,512,2) on (8,128)",
              [](Reply& reply, const Index& size, const SpyreType& type, const Parsed<parse_spyre_arrangement>& arrangement,
                 const More& order, const More& strides) { answer_arrange(reply, {size, type, order, strides}, *arrangement); }),
    operation(
        "spyre parse", "LAYOUT", "a layout as it was understood, and as upstream prints it",
        "either text is read; without device_dtype it is of float16", "bad_syntax, bad_extent, bad_argument, overflow, capacity",
        "spyre parse; device_size=[100,3,5,64] stride_map=[150,64,15000,1]",
        "ok: device_size=[100,3,5,64] stride_map=[150,64,15000,1]\n"
        "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)\n"
        "axe: 96000:1 on the device's coordinates (100,3,5,64), host elements (100,3,5,64):(150,64,15000,1)",
        [](Reply& reply, const Layout& layout) { answer_parse(reply, *layout); }),
    operation("spyre from-axe", "L S DTYPE [S2]", "the Spyre layout with the same elements as L on the padded shape S",
              "S2 are elements, S unless given; the digits of L are a row-major device, one within sticks",
              "none: the digits of L are not a row-major device\n"
              "not_single_valued, bad_axis, size_mismatch, rank_mismatch, bad_argument, overflow, capacity",
              "spyre from-axe; (5,100,3,64):(19200,64,6400,1); (5,100,192); float16; (5,100,150)",
              "ok: device_size=[5,3,100,64] stride_map=[15000,64,150,1]\n"
              "axe: (5,100,3,64):(19200,64,6400,1) on (5,100,192); of which [0:5, 0:100, 0:150]",
              [](Reply& reply, const axe::Layout& l, const axe::Shape& s, const SpyreType& type,
                 const std::optional<axe::Shape>& size) { answer_from_axe(reply, l, s, type, size); }),
    operation("spyre coordinates", "SIZE DTYPE M [ORDER [STRIDES]]", "the device coordinates of the host offsets that loops reach",
              "M has one result, the offset in host elements; no coordinate of the answer leaves its range",
              "none: an offset that is not a sum of steps\n"
              "out_of_domain (an offset outside the tensor), rank_mismatch, bad_argument, overflow, too_hard",
              "spyre coordinates; (4,256); float16; (p0, p1) -> (p0 * 256 + p1 + 100), domain: p0 in [0, 3], p1 in [0, 55]",
              "ok: (p0, p1) -> ((p1 + 100) floordiv 64, p0, (p1 + 100) mod 64), domain: p0 in [0, 3], p1 in [0, 55]\n"
              "axe: (4,4,64):(64,256,1) on (4,256)",
              [](Reply& reply, const Index& size, const SpyreType& type, const Map& index, const More& order, const More& strides) {
                  answer_coordinates(reply, {size, type, order, strides}, *index);
              }),
    operation("spyre dma", "SIZE DTYPE [ORDER [STRIDES]]", "the loops of the copy between host and device",
              "((ranges), (host strides), (device strides)), a line a nest:\n"
              "device[device offset + sum of z_j * device_j] = host[host offset + sum of z_j * host_j] for z in ranges",
              "none: more than nests of loops in order can do\n"
              "bad_syntax, bad_extent, bad_argument, rank_mismatch, overflow, capacity",
              "spyre dma; (40,120); float16",
              "ok: ((1,40,64), (64,120,1), (2560,64,1))\n"
              "((1,40,56), (64,120,1), (2560,64,1)) from host 64, device 2560\n"
              "axe: (40,2,64):(64,2560,1) on (40,128); of which [0:40, 0:120]",
              of_tensor<answer_dma>),
    operation(
        "spyre dci", "SIZE DTYPE to-device|to-host [ORDER [STRIDES]]", "the description of that copy, as JSON",
        "dimensions innermost first, as upstream writes them",
        "none: more than nests of loops in order can do\n"
        "bad_syntax, bad_extent, bad_argument, rank_mismatch, overflow, capacity",
        "spyre dci; (2,64); float16; to-device",
        R"(ok: {"dci_dsName_":"DCI-Tensor-0","isHostToSen_":true,"dataformat_src_":"IEEE_FP16","dataformat_dst_":"SEN169_FP16",)"
        R"("input_shape_":[64,2],"output_shape_":[64,2,1],"dcsi_":[{"size_":[64,2,1],"stride_src_":[1,64,64],)"
        R"("stride_dst_":[1,64,128],"offset_src_":0,"offset_dst_":0}]})"
        "\naxe: 128:1 on (2,64)",
        [](Reply& reply, const Index& size, const SpyreType& type, const Transfer& direction, const More& order,
           const More& strides) { answer_dci(reply, {size, type, order, strides}, *direction == Direction::to_device); }),
    operation("spyre restickify", "SIZE DTYPE DIM [ORDER [STRIDES]]",
              "the layout with another dimension in sticks, and the copy into it",
              "in the order of the dimensions, DIM and the dimension in sticks are exchanged", tensor_refusals,
              "spyre restickify; (100,200); float16; 0",
              "ok: device_size=[2,200,64] stride_map=[12800,1,200]\n"
              "order (1,0); 20000 elements move, from 400 sticks to 400, in 4 nests\n"
              "axe: (2,64,200):(12800,1,64) on (128,200); of which [0:100, 0:200]",
              [](Reply& reply, const Index& size, const SpyreType& type, const Dimension& dim, const More& order,
                 const More& strides) { answer_restickify(reply, {size, type, order, strides}, dim.dim); }),
    operation("spyre view", "SIZE DTYPE SIZE2 STRIDES2 [ORDER [STRIDES]]",
              "the dimension in sticks of other sizes and strides over a tensor's storage",
              "element c of the view at position c mod e of a stick; decided on the device; elsewhere it must be restickified",
              "none: no dimension is in sticks, and why\n"
              "out_of_domain (an offset at which the tensor has no element), bad_syntax, bad_extent, bad_argument, rank_mismatch",
              "spyre view; (4,100); float16; (3,100); (100,1) + 100",
              "ok: dimension 1 is in sticks\n"
              "axe: (3,2,64):(64,256,1) + 64@m on (3,128); of which [0:3, 0:100]",
              [](Reply& reply, const Index& size, const SpyreType& type, const Index& view, const Text& view_strides,
                 const More& order, const More& strides) { answer_view(reply, {size, type, order, strides}, view, view_strides); }),
    operation("spyre divide", "FORMULA DTYPE SIZE ... [KEY=VALUE ...]", "how cores share the work of an operator",
              "FORMULA names the loops of each dimension, as einsum does; a SIZE for each operand, in default layouts\n"
              "cores=N       there are; 32 unless given\n"
              "span=BYTES    of a tensor that a core reaches; 268435456 unless given\n"
              "layouts of the loops, padded to whole sticks: on core which of them, on local where there",
              "none: no division brings a tensor's part under the span\n"
              "bad_syntax, bad_axis, bad_extent, bad_argument, rank_mismatch, size_mismatch, overflow, capacity",
              "spyre divide; m k, k n -> m n; float16; (8192,32768); (32768,4096)",
              "ok: m 16, n 1, k 2; 32 cores\n"
              "axe: (16,2097152,2,16384):(2@core,16384@local,1@core,1@local) on (8192,4096,32768)",
              [](Reply& reply, const Text& formula, const SpyreType& type, const std::vector<Text>& more) {
                  answer_divide(reply, formula, type, more);
              }),
    operation(
        "spyre kernel", "FORMULA DTYPE SIZE ... [KEY=VALUE ...]", "the description of such an operator for the back end, as JSON",
        "operator, device sizes, stride maps, formats, work division, offsets in the scratchpad\n"
        "name=WORD     of the operator; matmul, reduce or pointwise unless given, by the formula\n"
        "cores=N, span=BYTES  as `spyre divide` has them",
        "none: no division brings a tensor's part under the span\n"
        "bad_syntax, bad_axis, bad_extent, bad_argument, rank_mismatch, size_mismatch, overflow, capacity",
        "spyre kernel; i -> i; float16; 100; name=neg",
        R"(ok: {"op":"neg","loops":[{"name":"i","size":100,"is_reduction":false,"split":2}],"tensors":[{"name":"in0",)"
        R"("is_output":false,"size":[100],"stride":[1],"storage_offset":0,"loops":[0],"device_size":[2,64],"stride_map":[64,1],)"
        R"("device_dtype":"SEN169_FP16","element_arrangement":"STANDARD","lx_offset":0},{"name":"out","is_output":true,)"
        R"("size":[100],"stride":[1],"storage_offset":0,"loops":[0],"device_size":[2,64],"stride_map":[64,1],)"
        R"("device_dtype":"SEN169_FP16","element_arrangement":"STANDARD","lx_offset":128}]})"
        "\naxe: (2,64):(1@core,1@local) on (128); of which [0:100]",
        [](Reply& reply, const Text& formula, const SpyreType& type, const std::vector<Text>& more) {
            answer_kernel(reply, formula, type, more);
        }),
};

} // namespace spyre_table
} // namespace

constinit const std::span<const Operation> spyre_operations = spyre_table::rows;

} // namespace axe_cli
