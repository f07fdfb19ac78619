// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/spyre/compiler/transfer.hpp>
#include <catch.hpp>
#include <tests/laws/spyre_tensors.hpp>

#include <map>

/// Transfers against the definition of a tensor's place: as nests of loops and as plans, to the device and back.
namespace {

using namespace spyres;
using axe::Coord;
using axe::errc;
using axe::Strided;
using axe::spyre::Tensor;

using Buffer = std::vector<std::uint16_t>;

constexpr std::uint16_t untouched = 0xeeee;

std::size_t device_length(const Tensor& t)
{
    return static_cast<std::size_t>(axe::spyre::stick_count(t.device).value() *
                                    axe::spyre::elements_per_stick(t.device.format).value());
}

/// What the device holds after a transfer, by definition, and for each place how many elements it has.
Buffer expected(const Tensor& t, const Strided& host, const Buffer& from, std::uint16_t padding, std::vector<int>& holds)
{
    Buffer to(device_length(t), padding);
    holds.assign(to.size(), 0);
    laws::spyre::each_coordinate(t.torch.shape, [&](const Coord& c) {
        for (const Int at : places(t, c)) {
            to[static_cast<std::size_t>(at)] = from[static_cast<std::size_t>(address(host, c))];
            ++holds[static_cast<std::size_t>(at)];
        }
    });
    return to;
}

Buffer numbered(std::size_t n)
{
    Buffer b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint16_t>(i % 60000);
    return b;
}

/// Nests as loops: each place that holds an element is written once and with it, unless it lies in padding of dimensions of stride 0.
void check_nests(const Tensor& t)
{
    const auto d = axe::spyre::dma(t);
    if (d.code() == errc::capacity) return;
    REQUIRE(d);
    std::map<Int, Int> written; // device to host
    bool is_once = true, is_right = true;
    spyres::each_move(*d, [&](Int host, Int device) { is_once = written.insert({device, host}).second && is_once; });
    CHECK(is_once);
    std::size_t held = 0;
    bool repeats = false;
    for (int i = 0; i < t.host.shape.size(); ++i) repeats = repeats || (t.host.strides[i] == 0 && t.host.shape[i] > 1);
    std::map<Int, bool> seen;
    laws::spyre::each_coordinate(t.torch.shape, [&](const Coord& c) {
        for (const Int at : places(t, c)) {
            if (!seen.insert({at, true}).second) continue;
            ++held;
            is_right = is_right && written.count(at) == 1 && written[at] == address(t.torch, c);
        }
    });
    CHECK(is_right);
    if (!repeats) CHECK(written.size() == held);
}

void check_plans(Random& r, const Tensor& t, const Strided& host)
{
    axe::RelayoutOptions options;
    options.from_type = options.to_type = axe::DType::f16; // 16 bits, whatever the format
    if (r.one_in(2)) options.padding = 0x7e00;
    const auto there = axe::spyre::plan_to_device(t, host, options);
    INFO(there.error().text);
    REQUIRE(there);
    const Buffer from = numbered(length(host));
    std::vector<int> holds;
    const Buffer want = expected(t, host, from, options.padding ? 0x7e00 : untouched, holds);
    Buffer to(want.size(), untouched);
    REQUIRE(there->run(to.data(), 2 * to.size(), from.data(), 2 * from.size()).ok());
    CHECK((to == want));

    options.padding.reset();
    const auto back = axe::spyre::plan_to_host(t, host, options);
    REQUIRE(back);
    Buffer home(from.size(), untouched), home_wanted = home;
    REQUIRE(back->run(home.data(), 2 * home.size(), to.data(), 2 * to.size()).ok());
    laws::spyre::each_coordinate(host.shape, [&](const Coord& c) {
        home_wanted[static_cast<std::size_t>(address(host, c))] = from[static_cast<std::size_t>(address(host, c))];
    });
    CHECK((home == home_wanted));
}

} // namespace

TEST_CASE("a transfer is where the tensor says, as nests and as plans, and comes back", "[laws][spyre]")
{
    Random r(20261122);
    const Int n = laws::cases(120);
    for (Int i = 0; i < n; ++i) {
        const Tensor t = random_tensor(r);
        INFO("case " << i << ": " << laws::spyre::words(t));
        check_nests(t);
        check_plans(r, t, t.torch);
        const Strided rows = axe::spyre::contiguous(t.torch.shape); // the same tensor, contiguous on another host
        if (axe::spyre::plan_to_device(t, rows)) check_plans(r, t, rows);
    }
}
