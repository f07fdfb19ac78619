// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers of Spyre tensors: nests, their description, plans; views and their sticks.
#include "harness.hpp"

#include <axe/interop/spyre/place.hpp>
#include <axe/target/spyre/compiler/dma_json.hpp>
#include <axe/target/spyre/compiler/restickify.hpp>

namespace {

using namespace axe;

[[maybe_unused]] const bool registered = [] {
    using bench::add;
    const auto transfer = [](const std::string& name, const spyre::Tensor& t) {
        add("spyre/dma/" + name, [](const spyre::Tensor& x) { return spyre::dma(x); }, t);
        add(
            "spyre/plan/" + name,
            [](const spyre::Tensor& x) {
                const auto plan = spyre::plan_to_device(x);
                return plan ? Error{} : Error(plan.error().code, -1, "no plan");
            },
            t);
    };
    using enum spyre::DataFormat;
    const auto ragged = spyre::make_tensor(spyre::contiguous({5, 100, 150}), sen169_fp16).value();
    transfer("one_nest", spyre::make_tensor(spyre::contiguous({1024, 256}), sen169_fp16).value());
    transfer("remainder", ragged);
    transfer("four_nests", spyre::place(spyre::contiguous({40, 60}), {{3, 4, 3, 1, 2, 64}, {600, 180, 60, 64, 1800, 1}}).value());

    const auto type = spyre::torch_type("float16").value();
    const auto dci = spyre::dci(ragged, ragged.torch, type, true).value();
    static const std::string text = spyre::to_json(dci);
    add(
        "spyre/dci/make", [](const spyre::Tensor& t, const spyre::TorchType& f) { return spyre::dci(t, t.torch, f, true); }, ragged,
        type);
    add("spyre/dci/print", [](const spyre::Dci& d) { return spyre::to_json(d); }, dci);
    add("spyre/dci/parse", [](std::string_view s) { return spyre::parse_dci(s); }, std::string_view(text));

    const auto slice = spyre::slice(spyre::view_of(ragged), 1, 3, 90).value();
    add("spyre/view/slice", [](const spyre::View& v) { return spyre::slice(v, 1, 3, 90); }, spyre::view_of(ragged));
    add(
        "spyre/view/element", [](const spyre::View& v, const Coord& c) { return spyre::device_coordinate(v, c); }, slice,
        Coord{1, 2, 3});
    add("spyre/view/stick", [](const spyre::View& v) { return spyre::stick_dimension(v); }, slice);
    return true;
}();

} // namespace
