// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe's operations on layouts as kernels have them, conversions and texts: `cute/<operation>/<layout>`.
#include "harness.hpp"

#include <axe/interop/cute.hpp>

#if defined(AXE_BENCH_CUTE)
#  include "peer_cute.hpp"
#endif

namespace {

using namespace axe::literals;
using namespace axe::cute;

struct Named {
    const char* name;
    Layout layout;
};

/// Two leaves to eight: a matrix, a tile of a core matrix, an accumulator's threads and values, padded rows, and all of an
/// epilogue's.
const Named plain[] = {
    {"matrix", "(128,64):(1,128)"_cute},
    {"core", "((8,4),(8,2)):((8,64),(1,256))"_cute},
    {"fragment", "((4,8),(2,2)):((32,1),(16,8))"_cute},
    {"rows", "(32,(4,8)):(64,(1,4))"_cute},
    {"epilogue", "((2,4,8),(2,2),(4,2,2)):((1,32,128),(2,16),(4,1024,2048))"_cute},
};
/// With modes that move nothing.
const Named idle[] = {
    {"broadcast", "(128,64):(1,0)"_cute},
    {"threads", "((4,8),(2,2)):((0,1),(0,8))"_cute},
    {"epilogue", "((2,4,8),(2,2),(4,2,2)):((1,0,128),(2,0),(4,1024,0))"_cute},
};
/// Whose strides, sorted, leave the gaps of a compact layout.
const Named gapped[] = {
    {"column", "64:128"_cute},
    {"core", "(8,4):(1,64)"_cute},
    {"nested", "((2,4),(2,2)):((1,8),(64,256))"_cute},
    {"epilogue", "((2,2,2),(2,2),(2,2)):((1,4,16),(64,256),(1024,4096))"_cute},
};
struct Pair {
    const char* name;
    Layout first, second;
};
const Pair composed[] = {
    {"column", "(128,64):(64,1)"_cute, "128:1"_cute},
    {"permuted", "(128,64):(1,128)"_cute, "(64,128):(128,1)"_cute},
    {"nested", "(10,2):(16,4)"_cute, "(5,4):(1,5)"_cute},
    {"fragment", "(16,8):(8,1)"_cute, "((4,8),(2,2)):((32,1),(16,8))"_cute},
    {"epilogue", "(64,64):(64,1)"_cute, "((2,4,8),(2,2),(2,4)):((128,512,1),(64,8),(16,32))"_cute},
};
const Pair divided[] = {
    {"column", "128:64"_cute, "32:1"_cute},
    {"strided", "(4,2,3):(2,1,8)"_cute, "4:2"_cute},
    {"matrix", "(128,64):(1,128)"_cute, "(32,4):(1,128)"_cute},
    {"fragment", "((4,8),(2,2)):((32,1),(16,8))"_cute, "(4,2):(1,32)"_cute},
    {"epilogue", "((2,4,8),(2,2),(4,2,2)):((1,32,128),(2,16),(4,1024,2048))"_cute, "(8,2):(1,64)"_cute},
};
const Pair multiplied[] = {
    {"column", "32:1"_cute, "4:1"_cute},
    {"matrix", "(2,2):(4,1)"_cute, "6:1"_cute},
    {"block", "(2,5):(5,1)"_cute, "(3,4):(1,3)"_cute},
    {"core", "((8,2),8):((8,64),1)"_cute, "(4,8):(8,1)"_cute},
    {"epilogue", "((2,4),(2,2),2):((1,4),(2,16),32)"_cute, "(2,(2,2)):(4,(1,2))"_cute},
};
const Pair common[] = {
    {"same", "(128,64):(1,128)"_cute, "(128,64):(1,128)"_cute},
    {"vector", "(4,8):(1,4)"_cute, "(4,8):(1,8)"_cute},
    {"nested", "((2,4),8):((1,2),8)"_cute, "(8,(2,4)):(1,(8,16))"_cute},
    {"epilogue", "((2,4,8),(2,2),2):((1,2,8),(64,128),256)"_cute, "(64,(2,2),2):(1,(64,128),512)"_cute},
};
struct Tiles {
    const char* name;
    Layout layout;
    Tiler tiler;
};
const Tiles tiled[] = {
    {"matrix", "(128,64):(1,128)"_cute, {"(32,8):(1,1)"_cute, 0}},
    {"nested", "(9,(4,8)):(59,(13,1))"_cute, {"(3,(2,4)):(3,(1,8))"_cute, 0}},
    {"epilogue", "((4,8),(2,2),(4,2)):((1,32),(4,16),(256,8))"_cute, {"(8,2,4):(1,1,1)"_cute, 0}},
};

template <class List, class F>
void each(const std::string& operation, const List& list, F f)
{
    for (const auto& item : list) {
        const std::string name = "cute/" + operation + "/" + item.name;
        if constexpr (requires { item.layout; } && !requires { item.tiler; })
            bench::add(name, f, item.layout);
        else if constexpr (requires { item.tiler; })
            bench::add(name, f, item.layout, item.tiler);
        else
            bench::add(name, f, item.first, item.second);
    }
}

void read_and_print()
{
    for (const Named& item : plain) {
        const std::string text = print(item.layout).c_str();
        bench::add(std::string("cute/read/") + item.name, [](const std::string& words) { return parse_layout(words); }, text);
    }
    each("print", plain, [](const Layout& l) { return print(l); });
}

void conversions()
{
    each("copy", plain, [](const Layout& l) { return l; });
    each("check", plain, [](const Layout& l) { return check(l); });
    each("evaluate", plain, [](const Layout& l) { return evaluate(l, 27); });
    each("to_axe_linear", plain, [](const Layout& l) { return to_axe_linear(l); });
    each("to_axe_by_coordinate", plain, [](const Layout& l) { return to_axe_by_coordinate(l); });
    for (const Named& item : plain) {
        const auto axe_layout = to_axe_by_coordinate(item.layout).value();
        bench::add(
            std::string("cute/from_axe_linear/") + item.name, [](const axe::Layout& l) { return from_axe_linear(l); },
            axe_layout.layout);
        bench::add(
            std::string("cute/from_axe_by_coordinate/") + item.name,
            [](const axe::Layout& l, const axe::Shape& s) { return from_axe_by_coordinate(l, s); }, axe_layout.layout,
            axe_layout.shape);
    }
    const Named fragments[] = {{"accumulator", "((4,8),(2,2)):((32,1),(16,8))"_cute},
                               {"operand", "((4,8),(2,2,2)):((32,1),(16,8,128))"_cute}};
    for (const Named& item : fragments) {
        const axe::Shape tile{16, size(item.layout) / 16};
        bench::add(
            std::string("cute/to_axe_thread_value/") + item.name,
            [](const Layout& l, const axe::Shape& s) { return to_axe_thread_value(l, s); }, item.layout, tile);
        bench::add(
            std::string("cute/from_axe_thread_value/") + item.name,
            [](const axe::Layout& l, const axe::Shape& s) { return from_axe_thread_value(l, s); },
            to_axe_thread_value(item.layout, tile).value(), tile);
    }
}

void operations()
{
    each("coalesce", plain, [](const Layout& l) { return coalesce(l); });
    each("filter", idle, [](const Layout& l) { return filter(l); });
    each("nullspace", idle, [](const Layout& l) { return nullspace(l); });
    each("composition", composed, [](const Layout& a, const Layout& b) { return composition(a, b); });
    each("complement", gapped, [](const Layout& l) { return complement(l, 8192); });
    each("left_inverse", plain, [](const Layout& l) { return left_inverse(l); });
    each("right_inverse", plain, [](const Layout& l) { return right_inverse(l); });
    each("logical_divide", divided, [](const Layout& a, const Layout& b) { return logical_divide(a, b); });
    each("logical_divide_by_mode", tiled, [](const Layout& a, const Tiler& t) { return logical_divide(a, t); });
    each("zipped_divide", tiled, [](const Layout& a, const Tiler& t) { return zipped_divide(a, t); });
    each("tiled_divide", tiled, [](const Layout& a, const Tiler& t) { return tiled_divide(a, t); });
    each("flat_divide", tiled, [](const Layout& a, const Tiler& t) { return flat_divide(a, t); });
    each("logical_product", multiplied, [](const Layout& a, const Layout& b) { return logical_product(a, b); });
    each("blocked_product", multiplied, [](const Layout& a, const Layout& b) { return blocked_product(a, b); });
    each("raked_product", multiplied, [](const Layout& a, const Layout& b) { return raked_product(a, b); });
    each("max_common_vector", common, [](const Layout& a, const Layout& b) { return max_common_vector(a, b); });
    each("max_common_layout", common, [](const Layout& a, const Layout& b) { return max_common_layout(a, b); });
    each("upcast", plain, [](const Layout& l) { return upcast(l, 2); });
    each("domain_distribute", plain, [](const Layout& l) { return domain_distribute(l, 32); });
    const auto to_shape = [](const Layout& l, const axe::Shape& s) { return tile_to_shape(l, s); };
    const Named atoms[] = {{"rows", "(8,64):(64,1)"_cute}, {"core", "((8,2),(8,2)):((8,64),(1,128))"_cute}};
    for (const Named& item : atoms) {
        bench::add(std::string("cute/tile_to_shape/") + item.name, to_shape, item.layout, axe::Shape{128, 64});
        bench::add(std::string("cute/tile_to_shape_3d/") + item.name, to_shape, item.layout, axe::Shape{128, 64, 3});
    }
    const Named words[] = {{"matrix", "(128,64):(1,128)"_cute},
                           {"core", "((8,4),(8,2)):((8,64),(1,256))"_cute},
                           {"epilogue", "((2,4,8),(2,2),(4,2,2)):((1,32,128),(2,16),(4,1024,2048))"_cute}};
    each("downcast", words, [](const Layout& l) { return downcast(l, 2); });
    each("recast", words, [](const Layout& l) { return recast(l, 16, 8); });
}

[[maybe_unused]] const bool registered = [] {
    operations();
    conversions();
    read_and_print();
    return true;
}();

} // namespace
