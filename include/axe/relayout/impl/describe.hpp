// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_IMPL_DESCRIBE_HPP
#define AXE_RELAYOUT_IMPL_DESCRIBE_HPP

#include <axe/relayout/describe.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// "3 × 4 × 5", the loops around a kernel.
inline std::string extents_text(const std::vector<CopyLoop>& loops)
{
    std::string text;
    for (const CopyLoop& l : loops) text += (text.empty() ? "" : " × ") + std::to_string(l.extent);
    return text;
}

inline std::string count_text(std::int64_t n, const std::string& noun)
{
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

/// The tiles of a transpose, with the pages that one touches; or that there are none.
inline std::string tiles_text(const Piece& piece, const MemoryRule& rule)
{
    if (is_near(piece, rule))
        return ", no tiles: " + count_text(piece.rows.extent * piece.columns.extent << piece.log2_width, "byte");
    const auto pages = [](const Lines& lines, std::int64_t tile) {
        const std::int64_t count = std::min(lines.extent, tile);
        return lines.period == 1 ? pages_of(count, lines.step) : count;
    };
    return ", tiles of " + std::to_string(piece.tile_rows) + " × " + std::to_string(piece.tile_columns) + " (" +
           count_text(pages(piece.rows, piece.tile_rows) + pages(piece.columns, piece.tile_columns), "page") + "), " +
           count_text(piece.ahead, "byte") + " prefetched" +
           (piece.in_bursts ? ", " + count_text(rule.burst, "byte") + " of a row written together" : "");
}

/// How whole lines of the destination are written, and why.
inline std::string stores_text(const RelayoutPlan& plan)
{
    using Streaming = RelayoutOptions::Streaming;
    const RelayoutParts& parts = plan.parts();
    if (parts.kernels->stream[0] == nullptr || parts.widths.finish.any) return "";
    if (parts.streaming == Streaming::always) return ", streaming stores: always";
    if (parts.streaming == Streaming::never) return ", no streaming stores: never";
    return std::string(parts.rule.streams ? ", streaming stores: " : ", no streaming stores: ") +
           count_text(parts.rule.bytes, "byte") + (parts.rule.streams ? " of at least " : " of ") +
           std::to_string(parts.rule.streamed);
}

inline std::string piece_text(const Piece& piece, const RelayoutParts& parts)
{
    const std::int64_t width = std::int64_t{1} << piece.log2_width;
    const std::string elements = std::to_string(width) + "-byte elements";
    const int w = piece.log2_width;
    std::string text;
    switch (piece.kind) {
    case CopyKind::runs: text = "runs of " + count_text(piece.run << w, "byte"); break;
    case CopyKind::strided:
        text = piece.inner.from == 0
                   ? "one element into each of " + count_text(piece.inner.extent, "element")
                   : count_text(piece.inner.extent, "element") + " one by one, " + std::to_string(piece.inner.from) +
                         " bytes apart in the source, " + std::to_string(piece.inner.to) + " in the destination";
        if (width > 1 && piece.inner.from == 0) text += " of " + count_text(width, "byte");
        break;
    case CopyKind::zip: text = std::to_string(piece.rows.extent) + " rows interleaved, " + elements; break;
    case CopyKind::unzip: text = std::to_string(piece.columns.extent) + " columns taken apart, " + elements; break;
    case CopyKind::blocks:
        text = std::to_string(piece.rows.extent) + " × " + std::to_string(piece.columns.extent) + " transposed in " +
               std::to_string(parts.kernels->block_rows[w]) + " × " + std::to_string(parts.kernels->block_columns[w]) +
               " blocks of " + elements + tiles_text(piece, parts.rule);
        break;
    case CopyKind::pairs: text = parts.widths.nibbles ? "4-bit elements one by one" : elements + " one by one"; break;
    }
    if (!piece.outer.empty()) text += ", " + extents_text(piece.outer) + " times";
    if (piece.fills) text += ", the padding";
    return text;
}

} // namespace detail

AXE_DECL std::string describe(const RelayoutPlan& plan, int threads)
{
    using namespace detail;
    const RelayoutParts& parts = plan.parts();
    if (parts.kernels == nullptr) return "nothing";
    std::string text;
    constexpr std::size_t told = 8;
    for (std::size_t i = 0; i < std::min(parts.pieces.size(), told); ++i) text += piece_text(parts.pieces[i], parts) + "\n";
    if (parts.pieces.size() > told)
        text += "and " + count_text(static_cast<std::int64_t>(parts.pieces.size() - told), "piece") + " more\n";
    for (const PairWalk& walk : parts.walks)
        text += count_text(walk.elements(), "element") + " one by one, each address computed" +
                (walk.fills ? ", the padding" : "") + "\n";
    if (parts.widths.finish.any)
        text += std::string("converted from ") + name(parts.widths.finish.from) + " to " + name(parts.widths.finish.to) + "\n";
    text += std::string(parts.kernels->name) + " instructions" + stores_text(plan);
    return text + ", " + count_text(plan.tasks(threads), "thread");
}

} // namespace v0
} // namespace axe

#endif
