// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "relayout_padding.hpp"

#include "reply.hpp"

#include <axe/tensor/convert.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace axe_cli {

using axe::errc;
using axe::Problem;

axe::Result<std::uint64_t, axe::Problem> read_padding(const std::string& text, const PaddedElement& element)
{
    const std::int64_t width = element.width;
    const std::optional<axe::DType>& type = element.type;
    std::uint64_t out = 0;
    const int bits = static_cast<int>(std::min<std::int64_t>(8 * width, 64));
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const char *begin = text.data() + (is_hex ? 2 : 0), *end = text.data() + text.size();
    const auto refuse = [&] {
        return Problem(errc::bad_argument, "--padding: " + axe_cli::quoted(text) + " is not a value of " + element.words);
    };
    const bool has_values = !is_hex && type && (is_float(*type) || is_integer(*type) || *type == axe::DType::b1);
    if (has_values && is_float(*type)) {
        char* read = nullptr;
        const double value = std::strtod(text.c_str(), &read);
        if (read != end) return refuse();
        out = axe::encode(*type, value);
    } else if (is_hex || element.kind == 'u' || !(element.kind == 'i' || has_values)) {
        const auto [read, failed] = std::from_chars(begin, end, out, is_hex ? 16 : 10);
        if (failed != std::errc() || read != end || out > all) return refuse();
    } else {
        std::int64_t value = 0;
        const auto [read, failed] = std::from_chars(begin, end, value);
        const bool is_b1 = type && *type == axe::DType::b1;
        const std::int64_t least = is_b1 ? 0 : type ? axe::lowest_integer(*type) : INT64_MIN >> (64 - bits);
        const std::int64_t most = is_b1 ? 1 : type ? axe::highest_integer(*type) : INT64_MAX >> (64 - bits);
        if (failed != std::errc() || read != end || value < least || value > most) return refuse();
        out = static_cast<std::uint64_t>(value) & (type && *type == axe::DType::i4 ? 15 : all);
    }
    if (!element.swapped || is_hex) return out; // bits are those in the file
    std::uint64_t turned = 0;
    for (int b = 0; b < bits; b += 8) turned |= (out >> b & 0xff) << (bits - 8 - b);
    return turned;
}

} // namespace axe_cli
