// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spyre's layouts: made from an order of dimensions, found from strides, to an Axe layout and back.
#include "harness.hpp"

#include <axe/interop/spyre/device_view.hpp>
#include <axe/interop/spyre/equal.hpp>
#include <axe/interop/spyre/from_axe.hpp>
#include <axe/interop/spyre/text.hpp>

namespace {

using namespace axe;

[[maybe_unused]] const bool registered = [] {
    using bench::add;
    const auto tensor = [](const std::string& name, const Strided& host, const spyre::DimOrder& order) {
        const auto format = spyre::DataFormat::sen169_fp16;
        const spyre::Tensor t = spyre::make_tensor(host, format, order).value();
        const Padded padded = spyre::to_axe(t).value();
        const auto of = [&](const std::string& what) { return "spyre/" + what + "/" + name; };
        add(
            of("make"), [format](const Strided& h, const spyre::DimOrder& o) { return spyre::make_tensor(h, format, o); }, host,
            order);
        add(of("place"), [](const Strided& h, const SpyreLayout& l) { return spyre::place(h, l); }, host, t.device);
        add(of("in"), [](const spyre::Tensor& x) { return spyre::to_axe(x); }, t);
        add(of("out"), [format](const Padded& p, const Strided& h) { return spyre::from_axe(p, h, format); }, padded, host);
        add(of("same"), [](const spyre::Tensor& x, const spyre::Tensor& y) { return spyre::same_placement(x, y); }, t, t);
        add(of("over_device"), [](const spyre::Tensor& x) { return spyre::over_device(x); }, t);
        add(of("print"), [](const SpyreLayout& l) { return spyre::print(l); }, t.device);
    };
    tensor("matrix", spyre::contiguous({1024, 256}), {0, 1});
    tensor("three", spyre::contiguous({5, 100, 150}), {1, 0, 2});
    tensor("sparse", spyre::contiguous({512, 256}), {0, 1, -1});
    tensor("six", {{2, 3, 4, 5, 6, 70}, {25200, 1, 6300, 1260, 210, 3}, 96}, {3, 1, 0, 5, 2, 4});
    const auto wide = spyre::make_tensor(spyre::contiguous({128, 512}), spyre::DataFormat::ieee_fp32).value();
    add(
        "spyre/in/arrangement", [](const spyre::Tensor& x) { return spyre::to_axe(x); },
        spyre::arrange(wide, spyre::Arrangement::dl16_to_fp32).value());
    return true;
}();

} // namespace
