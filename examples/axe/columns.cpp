// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "columns.hpp"

#include <algorithm>

namespace axe_cli {
namespace {

/// Columns that a text takes: characters, not bytes.
std::size_t width_of(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

} // namespace

std::string table_of(const std::vector<Row>& rows, std::size_t indent)
{
    std::vector<std::size_t> width;
    for (const Row& row : rows)
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (c == width.size()) width.push_back(0);
            if (c + 1 < row.size()) width[c] = std::max(width[c], width_of(row[c]));
        }
    std::string out;
    for (const Row& row : rows) {
        out += '\n';
        out.append(indent, ' ');
        for (std::size_t c = 0; c < row.size(); ++c) {
            out += row[c];
            if (c + 1 < row.size()) out.append(width[c] - width_of(row[c]) + 2, ' ');
        }
        out.erase(out.find_last_not_of(' ') + 1);
    }
    return out;
}

std::string listed(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words) out.append(out.empty() ? "" : ", ").append(word);
    return out;
}

std::string grouped_digits(long long n)
{
    std::string out = std::to_string(n);
    for (std::size_t at = out.size(); at > 3 + (n < 0 ? 1u : 0u);) out.insert(at -= 3, ",");
    return out;
}

} // namespace axe_cli
