// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/laws/report.hpp>
#include <tests/relayout_values.hpp>

/// relayout with values: every element of the destination is  encode(scale · decode(source) + decode(what was there)).
TEST_CASE("relayout: random pairs of layouts that convert, scale and add, against one element after the other")
{
    using axe::DType;
    using laws::Int;
    laws::Report report("relayout of values");
    laws::Random r(20261122);
    static constexpr DType types[] = {DType::f64,  DType::f32,  DType::tf32,  DType::f16,  DType::bf16, DType::e4m3,
                                      DType::e5m2, DType::e8m0, DType::ue4m3, DType::e3m2, DType::e2m3, DType::e2m1,
                                      DType::i32,  DType::i16,  DType::i8,    DType::u8,   DType::i4,   DType::b1};
    for (Int n = 0; n < laws::cases(4000); ++n) {
        const axe::Shape shape = relayouts::random_shape(r, r.one_in(20) ? 6000 : 400);
        relayout_values::Finishing f{types[r.in(0, 13)], types[r.in(0, 13)], 1, r.one_in(3)};
        if (r.one_in(2)) f.scale = static_cast<double>(r.in(-40, 40)) / 8;
        const auto to = relayouts::random_side(r, shape, {true, axe::storage_bytes(f.to)});
        const auto from = relayouts::random_side(r, shape, {false, axe::storage_bytes(f.from)});
        axe::RelayoutOptions o = f.options();
        if (r.one_in(3)) o.instructions = axe::detail::InstructionSet::portable;
        if (r.one_in(4)) o.streaming = axe::RelayoutOptions::Streaming::always;
        report.asked(true);
        const std::string why = relayout_values::wrong(r, to, from, shape, f, o, static_cast<int>(r.in(1, 5)));
        if (why.empty()) continue;
        report.wrong((why + ": " + axe::name(f.from) + " to " + axe::name(f.to) + " scale " + std::to_string(f.scale) +
                      (f.accumulate ? ", added" : "") + ", shape " + axe::print(shape).c_str() + " to " +
                      axe::print(to.layout).c_str() + " in " + axe::print(to.shape).c_str() + " from " +
                      axe::print(from.layout).c_str() + " in " + axe::print(from.shape).c_str())
                         .c_str());
    }
    report.finish(false);
}
