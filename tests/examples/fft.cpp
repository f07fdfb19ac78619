// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/sim/reference/reference.hpp>
#include <axe/sim/reference/specification.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tests/examples/workload.hpp>

/// fft: all powers of two, rows that fill a block and rows that do not, impulses, and kernels with a fault.

namespace {

using namespace axe;
using workload::found, workload::mapped, workload::performed;

} // namespace

TEST_CASE("fft is right for every power of two, and for blocks of which not all rows exist")
{
    std::vector<workload::Values> settings;
    for (const char* n : {"1", "2", "4", "8", "16", "32", "64", "256", "512"}) settings.push_back({{"N", n}, {"M", "3"}});
    settings.push_back({{"N", "1024"}, {"M", "1"}});
    settings.push_back({{"N", "64"}, {"M", "17"}});
    settings.push_back({{"N", "16"}, {"M", "16"}, {"data", "impulse"}});
    workload::check_right("fft", settings);
}

TEST_CASE("fft of an impulse at j is the powers of the root of unity, within 1e-6")
{
    const auto done = performed("fft", "sm80", {{"N", "32"}, {"M", "32"}, {"data", "impulse"}});
    REQUIRE(done.ok());
    const Array &re = *done.report.outputs.find("Y_re"), &im = *done.report.outputs.find("Y_im");
    for (std::int64_t j = 0; j < 32; ++j)
        for (std::int64_t f = 0; f < 32; ++f) {
            const double angle = -2 * std::numbers::pi * static_cast<double>(j * f % 32) / 32;
            CHECK(std::fabs(re.at(j * 32 + f) - std::cos(angle)) < 1e-6);
            CHECK(std::fabs(im.at(j * 32 + f) - std::sin(angle)) < 1e-6);
        }
}

TEST_CASE("errors of an fft of 512 numbers are below 4e-5, a hundredth of what is allowed")
{
    const auto done = performed("fft", "sm80", {{"N", "512"}, {"M", "2"}});
    REQUIRE(done.ok());
    const Reference wanted = specified(done.program, done.inputs).value();
    for (const auto& output : done.report.outputs) {
        const ReferenceTensor& stated = *wanted.find(output.name);
        for (std::int64_t i = 0; i < output.array.size(); ++i) {
            CHECK(std::fabs(output.array.at(i) - stated.at(i).value) < 4e-5);
            CHECK(stated.at(i).high - stated.at(i).low < 8e-3);
        }
    }
}

TEST_CASE("fft in registers is right for rows of 32 to 512, and for blocks of which not all rows exist, without shared memory")
{
    std::vector<workload::Values> settings;
    for (const char* n : {"32", "64", "256"}) settings.push_back({{"form", "registers"}, {"N", n}, {"M", "3"}});
    settings.push_back({{"form", "registers"}, {"N", "32"}, {"M", "9"}, {"data", "impulse"}});
    workload::check_right("fft", settings);
    for (const char* n : {"128", "512"}) CHECK(performed("fft", "sm90", {{"form", "registers"}, {"N", n}, {"M", "2"}}).ok());
    const auto done = performed("fft", "sm90", {{"form", "registers"}, {"N", "256"}, {"M", "8"}});
    REQUIRE(done.ok());
    const auto& total = done.report.total;
    // In each of the five stages between lanes a warp takes both numbers of its 128 pairs, real and imaginary, 32 a time: in both lanes of each pair.
    CHECK(total.by_text.at("shfl.sync.idx.b32") == 8 * 5 * 2 * 2 * 256 / 32);
    CHECK(total.memories.find("smem") == total.memories.end());
    CHECK(total.barriers == 0);
}

TEST_CASE("fft in registers gives the same bits in every order of agents")
{
    workload::check_orders("fft", {{"form", "registers"}, {"N", "64"}, {"M", "6"}}, true);
}

TEST_CASE("fft in registers with an exchange from another lane, a wrong sign, twiddle or place is found")
{
    const auto whole = performed("fft", "sm80", {{"form", "registers"}, {"N", "32"}, {"M", "4"}});
    REQUIRE(whole.ok());
    const auto nth = [](auto is_such, int which, auto change) {
        return [=, left = which](Statement& s) mutable {
            Operation* o = is_such(s);
            if (o == nullptr || left-- != 0) return false;
            change(*o);
            return true;
        };
    };
    const auto is_exchange = [](Statement& s) {
        Operation* o = workload::operation(s, Op::copy);
        return o != nullptr && o->options.schedule == "shuffles" ? o : nullptr;
    };
    for (int which = 0; which < 5 * 4; ++which) {
        INFO("exchange " << which);
        CHECK(found(whole, nth(is_exchange, which, [](Operation& o) { // the other number of each pair
                        View& v = o.operands[1];
                        for (int d = 0; d < static_cast<int>(v.origin.size()); ++d)
                            if (std::find(v.dims.begin(), v.dims.end(), d) == v.dims.end())
                                v.origin[static_cast<std::size_t>(d)] = Affine(1) - v.origin[static_cast<std::size_t>(d)];
                    })) == "wrong");
    }
    const auto is = [](Function f) { return [f](Statement& s) { return mapped(s, f); }; };
    for (int which = 0; which < 5; ++which) {
        INFO("sign " << which);
        CHECK(found(whole, nth(is(Function::sub), which, [](Operation& o) { o.function = Function::add; })) == "wrong");
    }
    // Twiddles of stage 2 begin at 3; the first 3 is a place of the load.
    CHECK(found(whole, nth(
                           [](Statement& s) {
                               Operation* o = workload::operation(s, Op::fill);
                               return o != nullptr && o->number == 3 ? o : nullptr;
                           },
                           1, [](Operation& o) { o.number = 4; })) == "wrong");
}

TEST_CASE("fft of a number of columns that is no power of two is refused, and in registers one that lanes do not have or registers "
          "do not hold")
{
    CHECK(workload::not_taken("fft", "sm80", {{"N", "16"}, {"form", "registers"}}) ==
          "fft: N is 16; a row in the registers of a warp has at least 32 numbers");
    const auto setting = examples::setting(*examples::find("fft"), "sm90", 1, {{"N", "1024"}, {"form", "registers"}});
    const auto done = examples::perform(*examples::find("fft"), *setting);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == errc::capacity);
    CHECK(done.error().text.ends_with("takes 128 bytes of reg, 1792 together with the tensors alive there; each lane has 1020"));

    CHECK(workload::not_taken("fft", "sm80", {{"N", "12"}}) == "fft: N is 12; it must be a power of two");
}

TEST_CASE("fft gives the same bits in every order of agents")
{
    workload::check_orders("fft", {}, true);
    workload::check_orders("fft", {{"N", "128"}, {"M", "5"}}, true);
    workload::check_orders("fft", {{"N", "16"}, {"M", "40"}}, true);
}

TEST_CASE("fft with a wrong twiddle, sign, place or order of loads is found")
{
    const auto whole = performed("fft", "sm80", {{"N", "32"}, {"M", "5"}});
    REQUIRE(whole.ok());
    const auto first = [](Function f, int which, Function by) {
        return [=, left = which](Statement& s) mutable {
            Operation* o = mapped(s, f);
            if (o == nullptr || left-- != 0) return false;
            o->function = by;
            return true;
        };
    };
    for (const auto& [from, to] : {std::pair{Function::sub, Function::add}, {Function::shift_left, Function::shift_right}})
        for (int which = 0; which < 5; ++which) {
            INFO(which);
            const std::string how = found(whole, first(from, which, to));
            // Butterflies of the radix-2 stage are next to each other: 0 is what its places are without.
            CHECK((how == "right") == (from == Function::sub && which % 3 == 0));
        }
    // Twiddles of stage s begin at 2^s, and not at 2^s − 1.
    CHECK(found(whole, [](Statement& s) {
              Operation* o = workload::operation(s, Op::fill);
              if (o == nullptr || o->number != 3) return false;
              o->number = 4;
              return true;
          }) == "wrong");
}
