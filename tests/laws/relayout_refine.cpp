// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/laws/report.hpp>
#include <tests/relayout_refinements.hpp>

/// Refinement: the boxes hold the pair of addresses of every x of [lo, hi), each once.
namespace {

using laws::Int;

/// Digits whose extents multiply to n or more, from factors of it or from anywhere.
axe::detail::DigitList random_digits(laws::Random& r, Int n)
{
    axe::detail::DigitList list;
    const bool divides = r.one_in(2);
    for (Int left = n; left > 1 && list.size() < 6;) {
        Int extent = r.in(2, 14);
        if (divides) {
            while (left % extent != 0 && extent < left) ++extent;
            if (list.size() == 5) extent = left;
        }
        list.push_back({extent, r.in(-400, 400)});
        left = (left + extent - 1) / extent;
    }
    return list;
}

} // namespace

TEST_CASE("relayout: a refinement is both maps, each number once")
{
    laws::Report report("refinement");
    laws::Random r(77);
    for (Int n = 0; n < laws::cases(4000); ++n) {
        static constexpr Int liked[] = {1, 2, 6, 12, 30, 36, 60, 64, 97, 108, 144, 210, 360, 720, 1009, 1260};
        const Int size = r.one_in(3) ? r.in(1, 900) : liked[r.in(0, 15)];
        const auto to = random_digits(r, size), from = random_digits(r, size);
        const bool is_whole = r.one_in(3);
        const Int lo = is_whole ? 0 : r.in(0, size - 1), hi = is_whole ? size : r.in(lo + 1, size);
        const axe::detail::Refinement refined(to, from, lo, hi, 1 << 14);
        report.asked(true);
        if (refined.exhausted() || !refinements::is_refinement(refined, to, from, lo, hi)) {
            std::string why = "of [" + std::to_string(lo) + ", " + std::to_string(hi) + "), to";
            for (const auto& d : to) why += " " + std::to_string(d.extent) + ":" + std::to_string(d.step);
            why += ", from";
            for (const auto& d : from) why += " " + std::to_string(d.extent) + ":" + std::to_string(d.step);
            report.wrong(why.c_str());
        }
    }
    report.finish(false);
}
