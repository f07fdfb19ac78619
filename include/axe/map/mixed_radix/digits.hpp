// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_MIXED_RADIX_DIGITS_HPP
#define AXE_MAP_MIXED_RADIX_DIGITS_HPP

#include <axe/map/mixed_radix/form.hpp>

/// Digit forms written out as digits, with their ranges.
namespace axe {
inline namespace v0 {
namespace detail {

class DigitSplitter {
  public:
    using Wide = DigitForms::Wide;

    explicit DigitSplitter(const DigitForms& forms) noexcept : forms_(&forms) {}

    /// The sum written in digits: terms of one index whose steps divide one another, their shifts alike, make a chain. A divided sum
    /// that occurs is taken out of the rest first. False when there are too many, or numbers overflow.
    /// @param joined  quotients that were divided in two are written as one
    bool operator()(const DigitForm& f, FloorDigits& out, bool joined) const
    {
        Terms work;
        if (!f.is_known() || f.count > Terms::capacity) return false;
        std::copy(forms_->begin(f), forms_->end(f), work.items);
        work.count = f.count;
        work.constant = f.constant;
        out.count = 0;
        const bool is_plain = work.count == 0 || !forms_->index(work.items[work.count - 1].index).form.is_known();
        if (joined && !is_plain && !join_remainders(work)) return false;
        for (const bool remainders : {true, false}) { // s − k·⌊s/k⌋ first; each divided sum before those inside it
            if (is_plain) break;
            for (std::int32_t last = forms_->size();;) {
                std::int32_t i = -1;
                for (int k = 0; k < work.count; ++k)
                    if (work.items[k].index < last) i = std::max(i, work.items[k].index);
                if (i < 0 || !forms_->index(i).form.is_known()) break;
                if (remainders && !take_quotients(i, work)) return false;
                if (!take_out(i, work, remainders)) return false;
                last = i;
            }
            if (remainders && joined && !join(work)) return false;
        }
        out.constant = work.constant;
        std::sort(work.items, work.items + work.count);
        for (int i = 0; i < work.count;) {
            int k = i;
            while (k < work.count && work.items[k].index == work.items[i].index) ++k;
            if (!chains(work.items + i, k - i, out)) return false;
            i = k;
        }
        return true;
    }

  private:
    struct Terms {
        static constexpr int capacity = 64;
        DigitTerm items[capacity];
        int count = 0;
        std::int64_t constant = 0;
    };

    static int find(const Terms& work, const DigitTerm& t)
    {
        int k = 0;
        while (k < work.count && !work.items[k].same_floor(t)) ++k;
        return k;
    }
    /// How many terms of g·form are in the work.
    int matches(const DigitForm& form, std::int64_t g, const Terms& work) const
    {
        return static_cast<int>(std::count_if(forms_->begin(form), forms_->end(form), [&](const DigitTerm& t) {
            const int at = find(work, t);
            std::int64_t part = 0;
            return at < work.count && mul(t.factor, g, part) && work.items[at].factor == part;
        }));
    }
    /// work := work − g·form, and what has become 0 goes.
    bool take(const DigitForm& form, std::int64_t g, Terms& work) const
    {
        if (work.count + form.count + 1 > Terms::capacity) return false;
        for (const DigitTerm* t = forms_->begin(form); t != forms_->end(form); ++t) {
            const int at = find(work, *t);
            if (at == work.count) {
                work.items[work.count] = *t;
                work.items[work.count++].factor = 0;
            }
            std::int64_t part = 0;
            if (!mul(t->factor, g, part) || !sub(work.items[at].factor, part, work.items[at].factor)) return false;
        }
        const auto is_zero = [](const DigitTerm& t) { return t.factor == 0; };
        work.count = static_cast<int>(std::remove_if(work.items, work.items + work.count, is_zero) - work.items);
        return true;
    }
    /// w·⌊u/q⌋ − w·m·⌊u/(q·m)⌋ of a divided sum u, where the second has a separate form: that is put in its place.
    bool take_quotients(std::int32_t i, Terms& work) const
    {
        for (const DigitForms::Quotient& quotient : forms_->quotients()) {
            if (!forms_->same_terms(quotient.of, forms_->index(i).form)) continue;
            const std::int64_t shift = floor_mod(quotient.of.constant, quotient.by);
            const DigitTerm* inner = nullptr;
            for (const DigitTerm* t = work.items; t != work.items + work.count; ++t)
                if (t->index == i && quotient.by % t->step == 0 && (shift - t->shift) % t->step == 0 &&
                    (inner == nullptr || t->step > inner->step))
                    inner = t;
            if (inner == nullptr || inner->step == quotient.by) continue;
            std::int64_t g = 0;
            if (!mul(inner->factor, -(quotient.by / inner->step), g)) return false;
            const DigitForm& is = quotient.is;
            const auto is_own = [&](const DigitTerm& t) { return t.index == i; };
            if (is.count == 0 || matches(is, g, work) != is.count || std::any_of(forms_->begin(is), forms_->end(is), is_own))
                continue;
            if (!replace(quotient, i, shift, g, work)) return false;
        }
        return true;
    }
    /// g·is  as  g·⌊(u_i + shift)/by⌋ + g·⌊constant/by⌋
    bool replace(const DigitForms::Quotient& quotient, std::int32_t i, std::int64_t shift, std::int64_t g, Terms& work) const
    {
        if (!take(quotient.is, g, work)) return false;
        work.items[work.count++] = {i, quotient.by, shift, g};
        std::int64_t moved = 0;
        return sub(axe::detail::floor_div(quotient.of.constant, quotient.by), quotient.is.constant, moved) &&
               add_product(g, moved, work.constant);
    }
    /// s − k·⌊s/k⌋ of a sum s whose quotient was divided in two, as its remainder.
    bool join_remainders(Terms& work) const
    {
        for (const DigitForms::Quotient& quotient : forms_->quotients()) {
            const std::int32_t i = quotient.is.count == 1 ? forms_->index_of(quotient.of) : -1;
            if (i < 0) continue;
            const DigitTerm& inner = *forms_->begin(quotient.is);
            const int at = find(work, inner);
            std::int64_t g = 0;
            if (at == work.count || inner.index == i || !forms_->index(inner.index).form.is_known() ||
                !exact_quotient(work.items[at].factor, inner.factor, g))
                continue;
            if (g % quotient.by != 0) continue;
            if (g / quotient.by == every_integer.low || matches(quotient.of, -(g / quotient.by), work) != quotient.of.count)
                continue;
            if (!replace(quotient, i, floor_mod(quotient.of.constant, quotient.by), g, work)) return false;
            if (!take(forms_->index(i).form, -(g / quotient.by), work)) return false;
            work.items[work.count++] = {i, 1, 0, -(g / quotient.by)};
        }
        return true;
    }
    /// A quotient that was divided in two, ⌊s/(h·k)⌋ = ⌊⌊s/h⌋/k⌋, as one of s again; remainders of ⌊s/h⌋ stay.
    bool join(Terms& work) const
    {
        for (std::size_t q = forms_->quotients().size(); q-- > 0;) {
            const DigitForms::Quotient& quotient = forms_->quotients()[q];
            if (quotient.is.count != 1) continue;
            const DigitTerm& inner = *forms_->begin(quotient.is);
            if (!forms_->index(inner.index).form.is_known()) continue;
            const int at = find(work, inner);
            if (at == work.count || find(work, {inner.index, 1, 0, 0}) < work.count) continue;
            const std::int32_t i = forms_->index_of(quotient.of);
            std::int64_t g = 0;
            if (i < 0 || i == inner.index || forms_->index(i).depth > forms_->index(inner.index).depth ||
                !exact_quotient(work.items[at].factor, inner.factor, g))
                continue;
            if (!replace(quotient, i, floor_mod(quotient.of.constant, quotient.by), g, work)) return false;
        }
        return true;
    }

    static bool exact_quotient(std::int64_t a, std::int64_t b, std::int64_t& q) noexcept
    {
        return (b == -1 || a % b == 0) && floor_quotient(a, b, q);
    }
    /// Does factor·u of index i end at the first floor of u that occurs?
    static bool closes(std::int32_t i, std::int64_t factor, const Terms& work) noexcept
    {
        const DigitTerm* first = nullptr;
        for (const DigitTerm* t = work.items; t != work.items + work.count; ++t)
            if (t->index == i && (first == nullptr || t->step < first->step)) first = t;
        std::int64_t carried = 0;
        return first->step > 1 && mul(factor, first->step, carried) && sub(std::int64_t{0}, carried, carried) &&
               first->factor == carried;
    }

    /// work := work − g·form of index i + g·u_i, for the g that most terms vote for; if asked, only one that makes a remainder.
    bool take_out(std::int32_t i, Terms& work, bool remainder) const
    {
        const DigitForm& form = forms_->index(i).form;
        if (find(work, {i, 1, 0, 0}) < work.count) return true;
        std::int64_t g = 0;
        int most = 0;
        for (const DigitTerm* t = forms_->begin(form); t != forms_->end(form); ++t) {
            const int at = find(work, *t);
            std::int64_t factor = 0;
            if (at == work.count || !exact_quotient(work.items[at].factor, t->factor, factor)) continue;
            if (remainder && !closes(i, factor, work)) continue;
            const int votes = matches(form, factor, work);
            if (votes > most) g = factor;
            most = std::max(most, votes);
        }
        if (g == 0) return true;
        if (!take(form, g, work)) return false;
        work.items[work.count++] = {i, 1, 0, g};
        return true;
    }

    /// A term in its chain, with the part of the factor that it got there.
    struct Link {
        DigitTerm term;
        std::int64_t stride; ///< of the digit from this step on
        int inner;           ///< the link before, −1 for none
    };
    /// What u's stride inside a link comes to at a step outside it.
    static bool carried(const Link& link, std::int64_t step, std::int64_t& out) noexcept
    {
        return mul(link.stride, step / link.term.step, out);
    }

    /// Terms of one index, in order, as digits. A term that could go on in several chains ends those that it can, and the rest of
    /// its factor goes on in the first.
    bool chains(const DigitTerm* terms, int count, FloorDigits& out) const
    {
        Link links[2 * Terms::capacity];
        int ends[Terms::capacity], made = 0, open = 0;
        const auto append = [&](int chain, const DigitTerm& t, std::int64_t factor, std::int64_t stride) {
            links[made] = {{t.index, t.step, t.shift, factor}, stride, chain < open ? ends[chain] : -1};
            open += chain == open;
            ends[chain] = made++;
        };
        for (int i = 0; i < count; ++i) {
            const DigitTerm& t = terms[i];
            std::int64_t rest = t.factor, carry = 0;
            int host = -1;
            for (int c = 0; c < open; ++c) {
                const Link& end = links[ends[c]];
                if (t.step % end.term.step != 0 || (t.shift - end.term.shift) % end.term.step != 0) continue;
                if (host < 0) {
                    host = c;
                    continue;
                }
                if (!carried(end, t.step, carry) || carry == 0 || (carry < 0) == (rest < 0) || made >= Terms::capacity) continue;
                if (rest < 0 ? rest > -carry : rest < -carry) continue;
                append(c, t, -carry, 0);
                rest += carry;
            }
            if (host < 0) {
                append(open, t, rest, rest);
                continue;
            }
            if (!carried(links[ends[host]], t.step, carry) || !add(rest, carry, carry)) return false;
            append(host, t, rest, carry);
        }
        for (int c = 0; c < open; ++c) {
            const std::int64_t shift = links[ends[c]].term.shift; // of the whole chain
            const DigitIndex& u = forms_->index(terms[0].index);
            const int begin = out.count;
            std::int64_t outer = 0;
            for (int at = ends[c]; at >= 0; at = links[at].inner) {
                const Link& link = links[at];
                const std::int64_t step = link.term.step, moved = (shift - link.term.shift) / step;
                std::int64_t part = 0;
                if (!mul(link.term.factor, moved, part) || !sub(out.constant, part, out.constant)) return false;
                if (link.stride != 0) {
                    if (out.count >= FloorDigits::capacity) return false;
                    DigitItem& z = out.items[out.count++];
                    z = {link.term.index, step, shift, outer == 0 ? 0 : outer / step, link.stride, 0, 0};
                    z.high = z.extent - 1;
                    if (outer == 0 && (!narrow(axe::detail::floor_div<Wide>(Wide(u.low) + shift, step), z.low) ||
                                       !narrow(axe::detail::floor_div<Wide>(Wide(u.high) + shift, step), z.high)))
                        return false;
                }
                outer = step;
            }
            std::reverse(out.items + begin, out.items + out.count);
        }
        return true;
    }

    const DigitForms* forms_;
};

/// As digits; false when there are too many, or numbers overflow.
inline bool digits_of(const DigitForms& forms, const DigitForm& f, FloorDigits& out, bool joined = false)
{
    return DigitSplitter(forms)(f, out, joined);
}
/// Is the form seen to be in the interval everywhere?
inline bool holds(const DigitForms& forms, const DigitForm& f, const IndexInterval& values)
{
    FloorDigits d;
    DigitForms::Wide low = 0, high = 0;
    return digits_of(forms, f, d) && digit_range(d, low, high) && low >= values.low && high <= values.high;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
