// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/encodings/amd.hpp>
#include <axe/interop/linear/encodings/blocked.hpp>
#include <axe/interop/linear/encodings/dot_operand.hpp>
#include <axe/interop/linear/encodings/mma.hpp>
#include <axe/interop/linear/encodings/slice.hpp>
#include <axe/interop/linear/encodings/swizzled_shared.hpp>
#include <axe/interop/linear/encodings/tensor_memory.hpp>
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

/// Encodings against what Triton made of them: data/linear_layout.jsonl, rows of kind encoding_to_linear_layout. An encoding is text
/// there; what a row does not say of it is written here, where it is read.
namespace {

using namespace axe::linear;
using axe::Result;
using axe::Shape;
using Json = nlohmann::json;

std::vector<Json> rows()
{
    std::ifstream file(AXE_TEST_DATA "/linear_layout.jsonl");
    std::vector<Json> out;
    for (std::string line; std::getline(file, line);)
        if (Json row = Json::parse(line); row["kind"] == "encoding_to_linear_layout") out.push_back(row);
    return out;
}

/// The numbers after a word and `=`, in brackets or alone.
Shape numbers(const std::string& text, const std::string& word)
{
    std::smatch m;
    REQUIRE(std::regex_search(text, m, std::regex(word + "=?\\[?([-0-9, ]+)")));
    Shape out;
    const std::string list = m[1];
    const std::regex digits("[0-9]+");
    for (auto it = std::sregex_iterator(list.begin(), list.end(), digits); it != std::sregex_iterator(); ++it)
        out.push_back(std::stoll(it->str()));
    return out;
}
int number(const std::string& text, const std::string& word) { return static_cast<int>(numbers(text, word)[0]); }

/// `[[0,1],[1,0]]` after a word; nothing when it is not there.
BlockBases bases_after(const std::string& text, const std::string& word)
{
    BlockBases out;
    const auto at = text.find(word);
    if (at == std::string::npos) return out;
    for (const Json& basis : Json::parse(text.substr(at + word.size()))) {
        axe::Coord coord;
        for (const Json& n : basis) coord.push_back(n.get<std::int64_t>());
        out.push_back(coord);
    }
    return out;
}

BlockedEncoding blocked(const std::string& text)
{
    std::smatch m;
    // blocked[2,2][4,8][2,2], with o10 or without: order [1, 0]
    if (std::regex_search(text, m, std::regex("blocked(\\[[0-9,]+\\])(\\[[0-9,]+\\])(\\[[0-9,]+\\])")))
        return {numbers(m[1], ""), numbers(m[2], ""), numbers(m[3], ""), {1, 0}, {}};
    return {numbers(text, "spt"), numbers(text, "tpw"), numbers(text, "wpc"), numbers(text, "order"), bases_after(text, "cga=")};
}

MmaEncoding mma(const std::string& text)
{
    const bool old = text.find("v=") == std::string::npos; // `nvmma v2`
    return {old ? number(text, "nvmma v") : number(text, "v"), numbers(text, "wpc"), numbers(text, "instr"),
            bases_after(text, "cga=")};
}

MfmaEncoding mfma(const std::string& text)
{
    MfmaEncoding e;
    if (text.find("parent") != std::string::npos) { // parent=amd_mfma v3 [32,32,8] wpc=[2,2]
        e.version = number(text, "amd_mfma v");
        e.instruction = numbers(text, "amd_mfma v3 ");
    } else {
        e.version = number(text, "v");
        e.instruction = numbers(text, "instr");
    }
    e.transposed = text.find("transposed=True") != std::string::npos;
    e.warps_per_block = numbers(text, "wpc");
    return e;
}

WmmaEncoding wmma(const std::string& text)
{
    WmmaEncoding e;
    e.version = number(text, " v");
    e.transposed = text.find("=True") != std::string::npos;
    e.warps = bases_after(text, "warp_bases=");
    if (e.warps.empty()) e.warps = {{0, 1}, {1, 0}}; // operands do not name them
    return e;
}

template <class Parent>
DotOperandEncoding<Parent> operand(const std::string& text, const Parent& parent)
{
    return {number(text, "idx"), number(text, "kw"), parent};
}

Result<LinearLayout> read(const std::string& text, const Shape& tensor)
{
    const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
    if (text.rfind("slice", 0) == 0) {
        const int dim = number(text, "dim");
        if (has("dotop0 kw2 nvmma v2")) // 4 warps, as [4, 1] or [2, 2], of an operand that has one row
            return to_linear_layout(SliceEncoding<DotOperandEncoding<MmaEncoding>>{dim, {0, 2, {2, {2, 2}, {16, 8}, {}}}}, tensor);
        if (has("blocked3d")) // its numbers are not told; these fit, with other warps along dimension 1 or 2
            return to_linear_layout(SliceEncoding<BlockedEncoding>{dim, {{1, 2, 4}, {2, 4, 4}, {2, 2, 1}, {2, 1, 0}, {}}}, tensor);
        return to_linear_layout(SliceEncoding<BlockedEncoding>{dim, blocked(text)}, tensor);
    }
    if (text.rfind("dotop", 0) == 0) {
        if (has("parent=blocked")) return to_linear_layout(operand(text, blocked(text)), tensor);
        if (has("parent=nvmma")) return to_linear_layout(operand(text, mma(text)), tensor);
        if (has("parent=amd_mfma")) return to_linear_layout(operand(text, mfma(text)), tensor);
        if (has("parent=amd_wmma")) {
            auto parent = wmma(text.substr(text.find("parent")));
            return to_linear_layout(operand(text, parent), tensor);
        }
    }
    if (text.rfind("blocked", 0) == 0) return to_linear_layout(blocked(text), tensor);
    if (text.rfind("nvmma_shared", 0) == 0) {
        NvmmaSharedEncoding e;
        e.swizzle_bytes = number(text, "swizzle");
        e.element_bits = number(text, "elt");
        e.transposed = has("transposed=True");
        e.fp4_padded = has("fp4_padded");
        e.blocks = bases_after(text, "cga=");
        return to_linear_layout(e, tensor);
    }
    if (text.rfind("nvmma", 0) == 0) return to_linear_layout(mma(text), tensor);
    if (text.rfind("amd_mfma", 0) == 0) return to_linear_layout(mfma(text), tensor);
    if (text.rfind("amd_wmma", 0) == 0) return to_linear_layout(wmma(text), tensor);
    if (text == "swizzled_shared 1d") return to_linear_layout(SwizzledSharedEncoding{1, 1, 1, {0}, {}}, tensor);
    if (text == "swizzled_shared 3d") return to_linear_layout(SwizzledSharedEncoding{4, 2, 4, {2, 1, 0}, {}}, tensor); // so its row
    if (text.rfind("swizzled_shared", 0) == 0)
        return to_linear_layout(
            SwizzledSharedEncoding{
                number(text, "vec"), number(text, "perPhase"), number(text, "maxPhase"), numbers(text, "order"), {}},
            tensor);
    if (text == "tmem_scales") return to_linear_layout(TensorMemoryScalesEncoding{}, tensor);
    if (text.rfind("tmem", 0) == 0) {
        std::smatch m;
        REQUIRE(std::regex_search(text, m, std::regex("\\(([0-9]+), ([0-9]+)\\)")));
        return to_linear_layout(TensorMemoryEncoding{std::stoi(m[1]), std::stoi(m[2]), number(text, "col_stride")}, tensor);
    }
    return axe::Error(axe::errc::bad_argument, -1, "an encoding of no kind");
}

/// What an encoding of shared memory must be aligned to.
int alignment_of(const std::string& text)
{
    if (text.rfind("nvmma_shared", 0) != 0) return alignment(SwizzledSharedEncoding{});
    NvmmaSharedEncoding e;
    e.swizzle_bytes = number(text, "swizzle");
    return alignment(e);
}

Json json(const LinearLayout& layout, const std::string& dim)
{
    Json out = Json::array();
    for (int i = 0, j = 0; i < layout.in.size(); ++i)
        for (int bit = 0; bit < layout.in[i].bits; ++bit, ++j) {
            if (layout.in[i].name.name().c_str() != dim) continue;
            Json basis = Json::array();
            for (int d = 0; d < layout.out.size(); ++d)
                basis.push_back(layout.bases[j] >> first_bit(layout.out, d) & ((std::uint64_t{1} << layout.out[d].bits) - 1));
            out.push_back(basis);
        }
    return out;
}

} // namespace

TEST_CASE("encodings are the linear layouts that Triton makes of them, row for row")
{
    std::map<std::string, int> kinds;
    for (const Json& row : rows()) {
        const std::string text = row["encoding"];
        const Json& want = row["linear_layout"];
        INFO(row["id"] << " " << text << " of " << row["shape"].dump());
        Shape tensor;
        for (const Json& n : row["shape"]) tensor.push_back(n.get<std::int64_t>());
        const auto got = read(text, tensor);
        INFO(got.error().message().c_str());
        REQUIRE(got);
        CHECK(check(*got).ok());
        ++kinds[text.substr(0, text.find(' '))];

        // What the output is, is the tensor's shape.
        REQUIRE(got->out.size() == tensor.size());
        for (int d = 0; d < tensor.size(); ++d) {
            CHECK(got->out[d].name.name().c_str() == "dim" + std::to_string(d));
            CHECK(std::int64_t{1} << got->out[d].bits == tensor[d]);
        }
        if (want.contains("in")) {
            REQUIRE(static_cast<std::size_t>(got->in.size()) == want["in"].size());
            for (const auto& [dim, bases] : want["in"].items()) CHECK(json(*got, dim) == bases);
            if (want.contains("alignment")) CHECK(alignment_of(text) == want["alignment"].get<int>());
        } else { // _TensorMemoryLinearLayout(rows=[…], cols=[…], shape=[…])
            const std::string repr = want["repr"];
            const auto list = [&](const std::string& word) {
                const auto at = repr.find(word + "=") + word.size() + 1;
                return Json::parse(repr.substr(at, repr.find("]]", at) + 2 - at));
            };
            CHECK(json(*got, "row") == list("rows"));
            CHECK(json(*got, "col") == list("cols"));
        }
    }
    CHECK(kinds == std::map<std::string, int>{{"blocked", 13},
                                              {"nvmma", 13},
                                              {"dotop", 25},
                                              {"slice", 4},
                                              {"swizzled_shared", 22},
                                              {"nvmma_shared", 15},
                                              {"amd_mfma", 12},
                                              {"amd_wmma", 2},
                                              {"tmem", 5},
                                              {"tmem_scales", 1}});
}
