// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/hlo_list.hpp>
#include <tests/unit/interop/sharding/orders.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;
using axe::sharding::detail::DeviceList;
using axe::sharding::detail::Reader;
using orders::Devices;

namespace {

Reader reader(std::string_view text) { return {text.data(), static_cast<int>(text.size())}; }

void refused(const Reader& in, errc code, int position, std::string_view sentence)
{
    said::refused(in.error, code, sentence);
    CHECK(in.error.position == position);
}

/// The sets of each `copies` devices.
std::vector<std::set<std::int64_t>> sets_of(const Devices& devices, std::size_t copies)
{
    std::vector<std::set<std::int64_t>> out;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (i % copies == 0) out.emplace_back();
        out.back().insert(devices[i]);
    }
    return out;
}

/// A set of copies is a tile's; in other lists the copies are not a dimension of the devices.
bool is_one_moved(const std::vector<std::set<std::int64_t>>& sets)
{
    for (const auto& set : sets) {
        std::set<std::int64_t> moved;
        for (const std::int64_t device : sets[0]) moved.insert(device - *sets[0].begin() + *set.begin());
        if (moved != set) return false;
    }
    return true;
}

} // namespace

TEST_CASE("read_device: a number from 0 on, and its character")
{
    const auto read = [](std::string_view text, std::int64_t& device) {
        Reader in = reader(text);
        const bool done = sharding::detail::read_device(in, device);
        CHECK(done == in.error.ok());
        return in;
    };
    std::int64_t device = -7;
    CHECK(read(" 12,", device).at == 3);
    CHECK(device == 12);
    refused(read("  -3", device), errc::out_of_domain, 2, "the device at character 2 is -3; device numbers start at 0");
    refused(read(" x", device), errc::bad_syntax, 1, "expected the number of a device at character 1");
    refused(read("9223372036854775808", device), errc::overflow, 0, "the number at character 0 overflows");
}

TEST_CASE("read_device_list: the steps of a list that has some, or the device where it breaks off")
{
    for (int n = 1; n <= 6; ++n) {
        const auto all = orders::step_lists(n);
        for (const Devices& devices : orders::permutations(n)) {
            const std::string text = "  " + orders::joined(devices) + " ]";
            INFO(text);
            Reader in = reader(text);
            DeviceList list;
            REQUIRE(sharding::detail::read_device_list(in, list));
            REQUIRE(in.peek() == ']');
            REQUIRE(list.count == n);
            REQUIRE(list.start == 2);
            const auto steps = list.finder.order();
            const bool made = list.broken < 0 && steps.has_value();
            REQUIRE(made == (all.count(devices) > 0));
            if (made) REQUIRE(orders::listed(*steps, list.finder.first()) == devices);
            if (list.broken >= 0) { // up to there the list may go on, and from there no list does: all numbers are one character
                REQUIRE((list.broken - 2) % 2 == 0);
                const auto kept = static_cast<std::size_t>((list.broken - 2) / 2);
                REQUIRE(kept >= 2);
                REQUIRE(kept < devices.size());
            }
        }
    }
    DeviceList list;
    Reader in = reader("0,-1");
    CHECK_FALSE(sharding::detail::read_device_list(in, list));
    refused(in, errc::out_of_domain, 2, "the device at character 2 is -1; device numbers start at 0");
    // A list that breaks off is read to its end all the same.
    DeviceList broken;
    Reader all = reader("0, 1, 3, 2, 9");
    CHECK(sharding::detail::read_device_list(all, broken));
    CHECK(broken.count == 5);
    CHECK(broken.broken == 9);
    CHECK(all.at == 13);
}

TEST_CASE("order_of_sets: steps exist iff some list of steps has the same sets, of which each is the first one, moved")
{
    for (const int n : {1, 4, 6}) {
        const auto all = orders::step_lists(n);
        for (int copies = 1; copies <= n; ++copies) {
            if (n % copies != 0) continue;
            const auto size = static_cast<std::size_t>(copies);
            std::set<std::vector<std::set<std::int64_t>>> possible;
            for (const Devices& devices : all)
                if (is_one_moved(sets_of(devices, size))) possible.insert(sets_of(devices, size));
            for (const Devices& devices : orders::permutations(n)) {
                const std::string text = "<" + orders::joined(devices);
                INFO(text << " by " << copies);
                Reader in = reader(text);
                in.at = 1;
                DeviceList list;
                REQUIRE(sharding::detail::read_device_list(in, list));
                HloSharding out;
                const bool made = sharding::detail::order_of_sets(in, list, copies, out);
                REQUIRE(made == (possible.count(sets_of(devices, size)) > 0));
                if (made) {
                    REQUIRE(sets_of(orders::listed(out.order, out.first), size) == sets_of(devices, size));
                } else {
                    REQUIRE(in.error.code == errc::no_layout);
                    REQUIRE((in.error.position - 1) % (2 * copies) == 0); // where copies begin
                }
            }
        }
    }
}

TEST_CASE("order_of_sets: refusals, and where they are")
{
    const auto read = [](std::string_view text, std::int64_t copies) {
        Reader in = reader(text);
        DeviceList list;
        REQUIRE(sharding::detail::read_device_list(in, list));
        HloSharding out;
        CHECK_FALSE(sharding::detail::order_of_sets(in, list, copies, out));
        return in;
    };
    const auto broken = [](int at) {
        return "the device list is not a product of steps: the copies from character " + std::to_string(at) +
               " on break the pattern";
    };
    refused(read("0,1,2,4", 2), errc::no_layout, 4, broken(4));                 // another set than the first, moved
    refused(read(" 0, 1,  3,2, 9,8, 6,7", 2), errc::no_layout, 18, broken(18)); // moved by 2, by 8, then by 6
    refused(read("3,1,0,5", 4), errc::no_layout, 0, broken(0));                 // a set that no steps are
    refused(read(" 1,0,3,2,9,8", 2), errc::no_layout, 1, "the device list at character 1 is not a product of steps");
    std::string many = "1,0";
    for (int i = 2; i <= sharding::detail::most_copies; ++i) many += "," + std::to_string(i);
    refused(read(many, sharding::detail::most_copies + 1), errc::capacity, 0,
            "the list at character 0 has 1025 copies of a tile out of order, too many to sort");
}
