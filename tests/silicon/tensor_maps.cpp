// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps: the driver takes those that `check` takes, and the bytes of a copy are where `issue_element` says.
#include "gpu.hpp"

#include <axe/target/nvidia/tma/issue.hpp>
#include <axe/target/nvidia/tma/print.hpp>
#include <axe/tensor/convert.hpp>

#include <algorithm>
#include <catch.hpp>
#include <cstring>
#include <tests/random.hpp>

namespace {

using axe::TensorMap;
using axe::TmaSwizzle;
using axe::TmaType;

silicon::TiledArguments arguments(const TensorMap& map, std::uint64_t address)
{
    // The enumerators of cuda.h, in its order.
    silicon::TiledArguments a;
    a.type = static_cast<int>(map.type);
    a.rank = map.rank();
    a.address = address + static_cast<std::uint64_t>(map.offset);
    for (int d = 0; d < map.rank(); ++d) {
        a.dims[d] = static_cast<std::uint64_t>(map.dims[d]);
        a.box[d] = static_cast<std::uint32_t>(map.box[d]);
        a.element_strides[d] = map.element_strides.empty() ? 1 : static_cast<std::uint32_t>(map.element_strides[d]);
        if (d > 0) a.strides[d - 1] = static_cast<std::uint64_t>(map.strides[d - 1]);
    }
    a.interleave = static_cast<int>(map.interleave);
    a.swizzle = static_cast<int>(map.swizzle);
    a.promotion = static_cast<int>(map.promotion);
    a.fill = static_cast<int>(map.fill);
    return a;
}

constexpr std::int64_t sixteen = 16;

/// A map that may be none.
TensorMap any_map(laws::Random& random)
{
    TensorMap map;
    map.type = static_cast<TmaType>(random.in(0, 12));
    const int rank = static_cast<int>(random.in(1, 5));
    const std::int64_t width = row(map.type).bits / 8;
    map.alignment = std::int64_t{1} << 20;
    map.offset = random.one_in(12) ? random.in(0, 40) : 16 * random.in(0, 4);
    map.swizzle = static_cast<TmaSwizzle>(random.in(0, 3));
    map.interleave = static_cast<axe::TmaInterleave>(random.one_in(4) ? random.in(0, 2) : 0);
    map.promotion = static_cast<axe::TmaPromotion>(random.in(0, 3));
    map.fill = static_cast<axe::TmaFill>(random.one_in(3) ? 1 : 0);
    for (int d = 0; d < rank; ++d) {
        constexpr std::int64_t odd_dims[] = {0, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1, 1};
        map.dims.push_back(random.one_in(20) ? odd_dims[random.in(0, 3)] : random.in(1, 1000));
        constexpr std::int64_t odd_boxes[] = {0, 256, 257, 1};
        const std::int64_t some = d == 0 ? random.in(1, 8) * std::max<std::int64_t>(1, 16 / width) : random.in(1, 64);
        map.box.push_back(random.one_in(12) ? odd_boxes[random.in(0, 3)] : random.one_in(20) ? random.in(1, 256) : some);
        constexpr std::int64_t odd_strides[] = {0, 8, 24, std::int64_t{1} << 40, (std::int64_t{1} << 40) - 16, 32};
        if (d > 0) map.strides.push_back(random.one_in(12) ? odd_strides[random.in(0, 5)] : sixteen * random.in(1, 5000));
        map.element_strides.push_back(random.one_in(8) ? random.in(0, 9) : 1);
    }
    return map;
}

/// A map of a small tensor, and a copy by it; tensor, box and strides of few bytes.
struct Small {
    TensorMap map;
    axe::TmaIssue issue;
    std::int64_t tensor_bytes = 0;
};

Small small_map(laws::Random& random, axe::TmaUse use)
{
    for (;;) {
        Small s;
        TensorMap& map = s.map;
        map.type = static_cast<TmaType>(random.in(0, 12));
        map.swizzle = static_cast<TmaSwizzle>(random.in(0, 3));
        map.promotion = static_cast<axe::TmaPromotion>(random.in(0, 3));
        if (row(map.type).is_float && use == axe::TmaUse::load && random.one_in(3)) map.fill = axe::TmaFill::nan;
        const std::int64_t width = row(map.type).bits / 8, rank = random.in(1, 5);
        std::int64_t span = 0;
        for (int d = 0; d < rank; ++d) {
            map.dims.push_back(d == 0 ? random.in(1, 80) : random.in(1, 9));
            map.box.push_back(d == 0 ? random.in(1, 8) * 16 / width : random.in(1, 6));
            if (random.one_in(3) || !map.element_strides.empty()) {
                while (map.element_strides.size() < d) map.element_strides.push_back(1);
                map.element_strides.push_back(random.in(1, 3));
            }
            span = d == 0 ? (map.dims[0] * width + 15) / 16 * 16 : span * map.dims[d - 1];
            if (d > 0) map.strides.push_back(span + (random.one_in(2) ? 16 * random.in(0, 2) : 0));
            if (d > 0) span = map.strides[d - 1];
            s.issue.coords.push_back(use == axe::TmaUse::load ? random.in(-4, map.dims[d] + 1) : random.in(0, map.dims[d] + 1));
        }
        while (!map.element_strides.empty() && map.element_strides.size() < rank) map.element_strides.push_back(1);
        map.offset = 16 * random.in(0, 3);
        s.issue.shared = 128 * random.in(0, 8);
        s.tensor_bytes = map.offset + span * map.dims[map.rank() - 1] + 16;
        if (check(map, {90, use}).ok() && check(map, s.issue, {90, use}).ok() && box_bytes(map) <= 64 << 10 &&
            s.tensor_bytes < 1 << 20)
            return s;
    }
}

/// One copy, by the library's text of it; loads wait on an mbarrier for as many bytes as the library says.
std::string kernel(const Small& s, axe::TmaUse use, const char* reduction, std::int64_t tile_bytes)
{
    std::string copy = to_ptx(s.map, s.issue, use, reduction);
    copy.replace(copy.find("[map,"), 5, "[%map,");
    std::string out = silicon::module_head("sm_90") +
                      ".extern .shared .align 1024 .b8 tile[];\n"
                      ".visible .entry copy(.param .u64 tensor, .param .u64 image, .param .align 64 .b8 map[128])\n{\n"
                      "  .reg .b64 %address, %map, %state;\n  .reg .b32 %thread, %shared, %mbarrier, %at, %i, %word, %tries;\n  "
                      ".reg .pred %p, %done;\n"
                      "  mov.b64 %map, map;\n  cvta.param.u64 %map, %map;\n  mov.u32 %thread, %tid.x;\n  mov.u32 %shared, tile;\n";
    const auto each_word = [&](const char* label, const char* body) {
        return std::string("  ld.param.u64 %address, [image];\n  mad.wide.u32 %address, %thread, 4, %address;\n"
                           "  mul.lo.u32 %i, %thread, 4;\n  add.u32 %at, %shared, %i;\n") +
               label + ":\n" + body +
               "  add.u64 %address, %address, 512;\n  add.u32 %at, %at, 512;\n  add.u32 %i, %i, 512;\n  setp.lt.u32 %p, %i, " +
               std::to_string(tile_bytes) + ";\n  @%p bra " + label + ";\n";
    };
    out += each_word("fill", "  ld.global.b32 %word, [%address];\n  st.shared.b32 [%at], %word;\n");
    out +=
        "  add.u32 %mbarrier, %shared, " + std::to_string(tile_bytes) +
        ";\n  setp.ne.u32 %p, %thread, 0;\n  @%p bra ready;\n"
        "  mbarrier.init.shared.b64 [%mbarrier], 1;\nready:\n  fence.proxy.async;\n  bar.sync 0;\n  setp.ne.u32 %p, %thread, 0;\n";
    if (use == axe::TmaUse::load) {
        out += "  @%p bra wait;\n  mbarrier.arrive.expect_tx.shared.b64 %state, [%mbarrier], " +
               std::to_string(issue_bytes(s.map, s.issue)) + ";\n  " + copy +
               "\nwait:\n  mov.u32 %tries, 0;\nagain:\n  add.u32 %tries, %tries, 1;\n"
               "  mbarrier.try_wait.parity.shared.b64 %done, [%mbarrier], 0;\n  @%done bra arrived;\n  setp.lt.u32 %p, %tries, "
               "100000;\n"
               "  @%p bra again;\n  trap;\narrived:\n";
        out += each_word("back", "  ld.shared.b32 %word, [%at];\n  st.global.b32 [%address], %word;\n");
    } else
        out += "  @%p bra end;\n  " + copy + "\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\nend:\n";
    return out + "  ret;\n}\n";
}

/// A number that the type has, tf32 and types without subnormals too; of integers any bits.
std::uint64_t some_element(TmaType type, laws::Random& random)
{
    const double value = static_cast<double>(random.in(-200, 200)) / 8;
    switch (type) {
    case TmaType::f16: return axe::encode(axe::DType::f16, value);
    case TmaType::bf16: return axe::encode(axe::DType::bf16, static_cast<double>(random.in(-100, 100)));
    case TmaType::f64: return axe::encode(axe::DType::f64, value);
    case TmaType::f32:
    case TmaType::f32_ftz:
    case TmaType::tf32:
    case TmaType::tf32_ftz: return axe::encode(axe::DType::f32, value);
    default: return random.next();
    }
}

bool is_nan(TmaType type, std::uint64_t element)
{
    const axe::DType of = type == TmaType::f16    ? axe::DType::f16
                          : type == TmaType::bf16 ? axe::DType::bf16
                          : type == TmaType::f64  ? axe::DType::f64
                                                  : axe::DType::f32;
    const double value = axe::decode(of, element);
    return value != value;
}

/// The bytes that a copy has in shared memory, from address 0 on, rounded up so that a thread may copy words.
std::int64_t tile_bytes(const Small& s) { return (s.issue.shared + box_bytes(s.map) + 1023) / 1024 * 1024; }

silicon::MapBits encoded(const silicon::Gpu& gpu, const TensorMap& map, std::uint64_t address)
{
    silicon::MapBits bits;
    REQUIRE(gpu.encode(arguments(map, address), bits));
    return bits;
}

} // namespace

TEST_CASE("tensor maps: the driver takes those that check takes, and no others")
{
    const silicon::Gpu* gpu = silicon::Gpu::find("cuTensorMapEncodeTiled");
    if (gpu == nullptr) return;
    laws::Random random(5);
    int taken = 0, differ = 0;
    std::string report;
    for (int i = 0; i < 200000; ++i) {
        const TensorMap map = any_map(random);
        // The driver takes these; cuda.h says that an interleave of 32 bytes needs the swizzle of 32.
        if (map.interleave == axe::TmaInterleave::b32 && map.swizzle != TmaSwizzle::b32) continue;
        silicon::MapBits bits;
        const bool driver = gpu->encode(arguments(map, std::uint64_t{1} << 46), bits), ours = check(map, {90}).ok();
        taken += ours ? 1 : 0;
        if (driver != ours && ++differ <= 20)
            report += (driver ? "the driver takes " : "the driver does not take ") + print(map) + " at " +
                      std::to_string(map.offset) + ": " + check(map, {90}).error().message().c_str() + "\n";
    }
    INFO(report);
    CHECK(differ == 0);
    CHECK(taken > 10000);
}

TEST_CASE("tensor maps: a load brings each element where issue_element says")
{
    const silicon::Gpu* gpu = silicon::Gpu::find("cp.async.bulk.tensor");
    if (gpu == nullptr) return;
    laws::Random random(6);
    for (int i = 0; i < 300; ++i) {
        const Small s = small_map(random, axe::TmaUse::load);
        INFO(print(s.map) << "  " << print(s.issue));
        const std::int64_t width = row(s.map.type).bits / 8;
        silicon::Bytes tensor(static_cast<std::size_t>(s.tensor_bytes)),
            image(static_cast<std::size_t>(tile_bytes(s)), std::byte{0xee});
        for (std::int64_t at = s.map.offset % width; at + width <= s.tensor_bytes; at += width) {
            const std::uint64_t element = some_element(s.map.type, random);
            std::memcpy(tensor.data() + at, &element, static_cast<std::size_t>(width));
        }
        silicon::Bytes expected = image;
        std::vector<std::int64_t> outside;
        for (std::int64_t e = 0; e < issue_elements(s.map, s.issue); ++e) {
            const axe::TmaElement at = issue_element(s.map, s.issue, s.issue.shared, e);
            if (at.inside)
                std::memcpy(expected.data() + at.shared, tensor.data() + at.global, static_cast<std::size_t>(width));
            else
                std::memset(expected.data() + at.shared, 0, static_cast<std::size_t>(width));
            if (!at.inside && s.map.fill == axe::TmaFill::nan) outside.push_back(at.shared);
        }
        const std::int64_t tile = tile_bytes(s);
        gpu->run(kernel(s, axe::TmaUse::load, "", tile), "copy", {128, static_cast<unsigned>(tile + 64)}, {&tensor, &image},
                 [&](std::uint64_t address) { return encoded(*gpu, s.map, address); });
        int not_nan = 0;
        for (const std::int64_t at : outside) {
            std::uint64_t element = 0;
            std::memcpy(&element, image.data() + at, static_cast<std::size_t>(width));
            not_nan += is_nan(s.map.type, element) ? 0 : 1;
            std::memset(image.data() + at, 0, static_cast<std::size_t>(width));
        }
        CHECK(not_nan == 0);
        CHECK(std::mismatch(image.begin(), image.end(), expected.begin()).first - image.begin() == tile);
    }
}

TEST_CASE("tensor maps: a store and a reduction leave each element where issue_element says")
{
    const silicon::Gpu* gpu = silicon::Gpu::find("cp.async.bulk.tensor");
    if (gpu == nullptr) return;
    laws::Random random(7);
    for (int i = 0; i < 200; ++i) {
        const bool adds = i % 3 == 0;
        Small s = small_map(random, adds ? axe::TmaUse::reduce : axe::TmaUse::store);
        if (adds && s.map.type != TmaType::u32 && s.map.type != TmaType::i32 && s.map.type != TmaType::u64) continue;
        INFO(print(s.map) << "  " << print(s.issue) << (adds ? " adds" : ""));
        const std::int64_t width = row(s.map.type).bits / 8, tile = tile_bytes(s);
        silicon::Bytes tensor(static_cast<std::size_t>(s.tensor_bytes)), image(static_cast<std::size_t>(tile));
        for (std::byte& b : tensor) b = static_cast<std::byte>(random.next());
        for (std::int64_t at = 0; at + width <= tile; at += width) {
            const std::uint64_t element = some_element(s.map.type, random);
            std::memcpy(image.data() + at, &element, static_cast<std::size_t>(width));
        }
        silicon::Bytes expected = tensor;
        for (std::int64_t e = 0; e < issue_elements(s.map, s.issue); ++e) {
            const axe::TmaElement at = issue_element(s.map, s.issue, s.issue.shared, e);
            if (!at.stored) continue;
            std::uint64_t element = 0, before = 0;
            std::memcpy(&element, image.data() + at.shared, static_cast<std::size_t>(width));
            std::memcpy(&before, expected.data() + at.global, static_cast<std::size_t>(width));
            element += adds ? before : 0;
            std::memcpy(expected.data() + at.global, &element, static_cast<std::size_t>(width));
        }
        gpu->run(kernel(s, adds ? axe::TmaUse::reduce : axe::TmaUse::store, "add", tile), "copy",
                 {128, static_cast<unsigned>(tile + 64)}, {&tensor, &image},
                 [&](std::uint64_t address) { return encoded(*gpu, s.map, address); });
        CHECK(std::mismatch(tensor.begin(), tensor.end(), expected.begin()).first - tensor.begin() == s.tensor_bytes);
    }
}
