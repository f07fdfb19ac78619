// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <string>
#include <vector>

/// The algebra of linear layouts against data/linear_layout.jsonl: what Triton answers when it is run. The rows of kind
/// encoding_to_linear_layout are those of linear_encodings.cpp.
namespace {

using axe::Axis;
using axe::errc;
using axe::Result;
using axe::linear::LinearLayout;
using Json = nlohmann::json;

Axis axis(const std::string& name) { return Axis::make(name.c_str(), static_cast<int>(name.size())).value(); }

/// A layout as the file writes it.
LinearLayout layout(const Json& json)
{
    LinearLayout out;
    for (const Json& dim : json.at("out_dims"))
        out.out.push_back({axis(dim.at(0)), __builtin_ctzll(dim.at(1).get<unsigned long long>())});
    for (const Json& dim : json.at("bases")) {
        const Json& images = dim.at(1);
        out.in.push_back({axis(dim.at(0)), static_cast<int>(images.size())});
        for (const Json& image : images) {
            std::uint64_t word = 0;
            REQUIRE(static_cast<int>(image.size()) == out.out.size());
            for (int d = 0; d < out.out.size(); ++d)
                word |= image.at(static_cast<std::size_t>(d)).get<std::uint64_t>() << first_bit(out.out, d);
            out.bases.push_back(word);
        }
    }
    REQUIRE(check(out).ok());
    return out;
}

std::string text(const LinearLayout& l) { return print(l).c_str(); }
std::string text(const Result<LinearLayout>& l) { return l ? text(*l) : axe::print(l.error()).c_str(); }

void same(const Result<LinearLayout>& got, const Json& wanted) { CHECK(text(got) == text(layout(wanted))); }

void check_properties(const Json& row)
{
    using namespace axe::linear;
    const LinearLayout a = layout(row.at("a"));
    CHECK(static_cast<bool>(is_surjective(a)) == row.at("surjective").get<bool>());
    CHECK(static_cast<bool>(is_injective(a)) == row.at("injective").get<bool>());
    CHECK(static_cast<bool>(is_invertible(a)) == row.at("invertible").get<bool>());
    const Json& table = row.at("table");
    REQUIRE(table.size() == std::size_t{1} << bits_of(a.in));
    for (std::size_t x = 0; x < table.size(); ++x) CHECK(apply(a, x) == table.at(x).get<std::uint64_t>());
    const Json& inverse = row.at("pseudoinvert");
    const auto got = pseudo_invert(a);
    if (inverse.contains("result")) {
        same(got, inverse.at("result"));
        CHECK(*compose(*got, a) == *identity_1d(std::int64_t{1} << bits_of(a.out), a.out[0].name, a.out[0].name));
    } else {
        REQUIRE(inverse.at("error") == "abort"); // Triton ends the process
        CHECK(got.code() == errc::no_layout);
    }
}

void check_row(const std::string& kind, const Json& row)
{
    using namespace axe::linear;
    const auto a = [&] { return layout(row.at("a")); };
    const auto b = [&] { return layout(row.at("b")); };
    const auto size = [&] { return row.at("size").get<std::int64_t>(); };
    if (kind == "compose") {
        same(compose(a(), b()), row.at("result"));
    } else if (kind == "product") {
        same(product(a(), b()), row.at("result"));
    } else if (kind == "invert") {
        same(invert(a()), row.at("result"));
    } else if (kind == "invert_and_compose") {
        const auto c = invert_and_compose(a(), b());
        same(c, row.at("result"));
        CHECK(compose(*c, b())->bases == transpose_outs(a(),
                                                        [&] {
                                                            Names names;
                                                            for (const auto& d : b().out) names.push_back(d.name);
                                                            return names;
                                                        }())
                                             ->bases);
    } else if (kind == "divide_from_product") {
        const auto c = divide_left(a(), b());
        // The row leaves out the dimensions of one value that it says the answer has.
        LinearLayout unit{a().in, a().out, {}};
        for (auto& d : unit.in) d.bits = 0;
        for (auto& d : unit.out) d.bits = 0;
        CHECK(text(c) == text(unit * layout(row.at("divide_left_is_padded"))));
        CHECK(product(b(), *c)->bases == a().bases);
    } else if (kind == "divide") {
        REQUIRE(row.at("divide_left").is_null());
        REQUIRE(row.at("divide_right").is_null());
        CHECK(divide_left(a(), b()).code() == errc::no_layout);
        CHECK(divide_right(a(), b()).code() == errc::no_layout);
    } else if (kind == "identity_1d") {
        same(identity_1d(size(), "in", "out"), row.at("result"));
    } else if (kind == "strided_1d") {
        same(strided_1d(size(), row.at("stride").get<std::int64_t>(), "in", "out"), row.at("result"));
    } else if (kind == "zeros_1d") {
        same(zeros_1d(size(), "in", "out"), row.at("result"));
    } else if (kind == "identity_1d_nonpow2") {
        CHECK(identity_1d(size(), "in", "out").code() == errc::bad_extent);
    } else {
        check_properties(row);
    }
}

} // namespace

TEST_CASE("linear layouts: every row of Triton's algebra")
{
    const std::map<std::string, int> expected{{"compose", 31},
                                              {"product", 46},
                                              {"invert", 29},
                                              {"invert_and_compose", 33},
                                              {"properties", 23},
                                              {"divide", 1},
                                              {"identity_1d", 3},
                                              {"divide_from_product", 47},
                                              {"strided_1d", 3},
                                              {"zeros_1d", 1},
                                              {"identity_1d_nonpow2", 1},
                                              {"encoding_to_linear_layout", 112}};
    std::ifstream file(AXE_TEST_DATA "/linear_layout.jsonl");
    std::map<std::string, int> read;
    for (std::string line; std::getline(file, line);) {
        const Json row = Json::parse(line);
        const std::string kind = row.at("kind");
        ++read[kind];
        INFO(line);
        REQUIRE(expected.count(kind) == 1);
        if (kind != "encoding_to_linear_layout") check_row(kind, row);
    }
    CHECK(read == expected);
}

TEST_CASE("linear layouts: every layout of the file is read back from both texts")
{
    std::ifstream file(AXE_TEST_DATA "/linear_layout.jsonl");
    int count = 0;
    for (std::string line; std::getline(file, line);) {
        const Json row = Json::parse(line);
        for (const char* key : {"a", "b", "result"}) {
            if (!row.contains(key)) continue;
            const LinearLayout l = layout(row.at(key));
            const auto one = print(l);
            const auto list = print_triton(l);
            CHECK(text(axe::linear::parse_linear({one.c_str(), one.size})) == one.c_str());
            CHECK(*axe::linear::parse_linear({one.c_str(), one.size}) == l);
            CHECK(*axe::linear::parse_linear({list.c_str(), list.size}) == l);
            ++count;
        }
    }
    CHECK(count == 514);
}
