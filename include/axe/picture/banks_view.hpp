// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_BANKS_VIEW_HPP
#define AXE_PICTURE_BANKS_VIEW_HPP

#include <axe/picture/banks.hpp>
#include <axe/picture/cells.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// "3", "4, 5" or "0-7"; of a list with gaps the first and how many more.
inline std::string lanes_text(const std::vector<int>& lanes, const char* comma)
{
    const auto count = static_cast<int>(lanes.size());
    if (count == 1) return text_of(lanes[0]);
    if (count == 2) return text_of(lanes[0]) + comma + text_of(lanes[1]);
    if (lanes.back() - lanes[0] == count - 1) return text_of(lanes[0]) + "\u2013" + text_of(lanes.back());
    return text_of(lanes[0]) + " +" + text_of(count - 1);
}

inline std::string degree_text(int degree) { return degree <= 1 ? "no conflict" : text_of(degree) + "-way conflict"; }

/// The lines of 128 bytes that an access touches, the lanes at each word, and the words that each phase wants from each bank.
inline PicturePanel bank_panel(const WarpAccess& access, const std::string& title)
{
    PicturePanel panel;
    std::map<std::int64_t, std::map<int, std::vector<int>>> lines; // line, bank, lanes
    for (int lane = 0; lane < access.lanes; ++lane)
        for (int byte = 0; byte < access.bytes; byte += bank_bytes) {
            const std::int64_t at = access.address[lane] + byte;
            lines[floor_div<std::int64_t>(at, bank_count * bank_bytes)][bank_of(at)].push_back(lane);
        }
    panel.row_name = "byte";
    panel.column_name = "bank";
    panel.columns = numbers(0, bank_count);
    for (const auto& [line, banks] : lines) {
        panel.rows.push_back(line * bank_count * bank_bytes);
        for (int bank = 0; bank < bank_count; ++bank) {
            PictureCell cell;
            cell.kind = PictureCell::Kind::blank;
            if (const auto held = banks.find(bank); held != banks.end()) {
                const auto& lanes = held->second;
                cell.kind = PictureCell::Kind::filled;
                cell.several = lanes.size() > 1;
                cell.value = lanes[0];
                cell.label = lanes_text(lanes, ",");
                cell.tip = "byte " + text_of(panel.rows.back() + bank * bank_bytes) + ", bank " + text_of(bank) +
                           (lanes.size() > 1 ? ": lanes " : ": lane ") + lanes_text(lanes, " and ");
            }
            panel.cells.push_back(std::move(cell));
        }
    }
    BankConflicts conflicts;
    conflicts.phases = access.phases();
    for (int p = 0; p < access.phases(); ++p) {
        const BankLoad load = bank_load(access, p);
        const int first = p * access.lanes_at_once(), last = std::min(first + access.lanes_at_once(), access.lanes) - 1;
        PictureTally tally;
        tally.name = first == last ? "lane " + text_of(first) : "lanes " + text_of(first) + "\u2013" + text_of(last);
        tally.counts.assign(load.words, load.words + bank_count);
        tally.worst = conflicts.degree[p] = load.degree();
        panel.tallies.push_back(std::move(tally));
    }
    panel.title = title + (title.empty() ? "" : ": ") + degree_text(conflicts.worst());
    return panel;
}

/// The default access if none is given: lane i takes vector number i, as far as there are elements.
inline Layout whole_access(std::int64_t size, int vector) noexcept
{
    const std::int64_t elements = vector < 1 ? 1 : vector;
    return Layout{{{least<std::int64_t>(warp_lanes, size / elements) * elements, 1}}};
}

/// A warp's access to shared memory, without and with the swizzle.
inline Result<Picture> banks_view(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options)
{
    Result<Picture> result;
    Picture& picture = *result;
    const Layout access = options.access ? *options.access : whole_access(*volume(shape), options.vector);
    const auto swizzled = warp_access(tile, access, options.vector);
    if (!swizzled) return swizzled.error();
    if (tile.swizzle.bits > 0) {
        Swizzled<Layout> plain = tile;
        plain.swizzle = {};
        const auto without = warp_access(plain, access, options.vector);
        if (!without) return without.error();
        picture.panels.push_back(bank_panel(*without, "without the swizzle"));
    }
    const std::string every = text_of_tile(tile);
    picture.panels.push_back(bank_panel(*swizzled, tile.swizzle.bits > 0 ? every.substr(0, every.find('(')) : std::string()));

    const WarpAccess& a = *swizzled;
    picture.color = "lane";
    picture.cell_key = "the lanes that touch the word";
    picture.corner = "a word of several lanes";
    picture.subtitle = text_of(a.lanes) + (a.lanes > 1 ? " lanes access " : " lane accesses ") + text_of(a.bytes) +
                       (a.lanes > 1 ? " bytes each" : " bytes") + " of shared memory, colored by lane";
    picture.notes.push_back("Access: lane and element " + text_of(access) + " of a tensor of shape " + text_of(shape) + ", " +
                            text_of(tile.width) + (tile.width > 1 ? " bytes" : " byte") + " an element.");
    picture.notes.push_back(
        "Below each grid: the words that the lanes of a phase want from each bank; the most is the degree of conflict.");
    return result;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
