// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_INVERSE_HPP
#define AXE_MAP_PRESBURGER_INVERSE_HPP

#include <axe/map/mixed_radix/reader.hpp>
#include <axe/map/mixed_radix/refinement.hpp>
#include <axe/map/presburger/gaussian_elimination.hpp>
#include <axe/map/variables_of.hpp>

/// Equations between results and digits of variables.
namespace axe {
inline namespace v0 {
namespace detail {

/// Solves  r_j = results_j  for the variables, digit by digit.
///
/// Every index of the forms is cut into pieces where any result has a step of it. A row is an equation between an expression of the
/// r and pieces; a divided sum gives one more row: itself, in its pieces, is the sum. A row can be read when the strides of its unknown
/// pieces are, from the smallest up, each larger than what the smaller ones reach together: then the pieces are the quotients and
/// remainders. A row without unknown pieces is a condition.
class DigitwiseInverse {
  public:
    /// @param joined       how digits are written
    /// @param constrained  constraints of one value give rows as well
    DigitwiseInverse(const IndexingMap& map, bool joined, bool constrained)
        : map_(&map), variables_(map.variables, map.dimensions, false), joined_(joined), constrained_(constrained)
    {
    }

    /// The inverse, not simplified; nothing when the rows that are left cannot be read.
    bool solve(IndexingMap& out)
    {
        DigitReader read(variables_, map_->pool);
        std::vector<DigitForm> forms;
        for (const IndexExpr e : map_->results) forms.push_back(read(e));
        out.dimensions = static_cast<int>(forms.size());
        const auto add = [&](const DigitForm& f, IndexExpr value, std::int32_t index) {
            Row row{{}, value, index, false};
            const bool fits = digits_of(variables_.forms, f, row.digits, joined_);
            if (fits) rows_.push_back(row);
            return fits;
        };
        for (std::size_t j = 0; j < forms.size(); ++j) {
            DigitForms::Wide low = 0, high = 0;
            IndexVariable v;
            if (!add(forms[j], out.pool.variable(static_cast<int>(j)), -1) || !digit_range(rows_.back().digits, low, high) ||
                !narrow(low, v.bounds.low) || !narrow(high, v.bounds.high))
                return false;
            out.variables.push_back(v);
        }
        for (const IndexConstraint& c : map_->constraints) // one value only: as good as a result
            if (constrained_ && c.interval.is_point()) add(read(c.expression), out.pool.constant(c.interval.low), -2);
        for (std::int32_t i = variables_.variable_indices(); i < variables_.forms.size(); ++i)
            if (!add(variables_.forms.index(i).form, {}, i)) return false;
        refined_.resize(static_cast<std::size_t>(variables_.forms.size()));
        for (const Row& row : rows_)
            if (!cut(row.digits, refined_)) return false;
        if (!bound(variables_.forms, refined_)) return false;
        out_ = &out;
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (Row& row : rows_) goes_on = step(row) || goes_on;
            goes_on = goes_on || step_together();
        }
        for (const Row& row : rows_)
            if (!row.is_done && (row.index == -1 || is_wanted(row.index))) return false;
        return finish();
    }

  private:
    using Piece = RefinedDigit;
    using Refined = RefinedDigits;
    struct Row {
        FloorDigits digits{};
        IndexExpr value{};
        std::int32_t index = -1; ///< of the divided sum, −1 for a result, −2 for a constraint
        bool is_done = false;
    };
    /// factor·piece, counted so that it is not negative: piece = start + sign·y.
    struct Unknown {
        Piece* piece;
        std::int64_t factor, start, sign, most;
    };

    /// A divided sum whose pieces are not in any row needs no value.
    [[nodiscard]] bool is_wanted(std::int32_t i) const { return i >= 0 && refined_[static_cast<std::size_t>(i)].occurs; }

    /// The pieces of a row that are unknown, with their factors, and the sum of the others.
    bool take_apart(const Row& row, IndexExpr& known, std::vector<Unknown>& unknown)
    {
        IndexPool& pool = out_->pool;
        known = pool.constant(row.digits.constant);
        for (const DigitItem& z : row.digits)
            for (Piece& c : refined_[static_cast<std::size_t>(z.index)].list) {
                if (c.step < z.step || (z.extent != 0 && c.step >= z.step * z.extent)) continue;
                std::int64_t factor = 0;
                if (!mul(z.factor, c.step / z.step, factor)) return false;
                if (c.value.id >= 0)
                    known = pool.add(known, pool.mul(c.value, factor));
                else
                    unknown.push_back({&c, factor, 0, 1, 0});
            }
        return true;
    }
    /// Does what can be done with a row; returns whether anything was.
    bool step(Row& row)
    {
        IndexPool& pool = out_->pool;
        IndexExpr known;
        std::vector<Unknown> unknown;
        if (row.is_done || !take_apart(row, known, unknown)) return false;
        if (row.value.id < 0) { // a divided sum, known through what it is the sum of
            if (!unknown.empty()) return false;
            row.value = known;
            row.is_done = true;
            set_pieces(row.index, known);
            return true;
        }
        if (unknown.empty())
            out_->constraints.push_back({pool.sub(row.value, known), {0, 0}});
        else if (!read(pool.sub(row.value, known), unknown))
            return false;
        row.is_done = true;
        return true;
    }
    /// Rows that cannot be read one by one, as linear equations. They stay, to be conditions.
    bool step_together()
    {
        IndexPool& pool = out_->pool;
        std::vector<Piece*> pieces;
        std::vector<IndexExpr> rests;
        std::vector<std::vector<Unknown>> unknown;
        for (const Row& row : rows_) {
            IndexExpr known;
            std::vector<Unknown> there;
            if (row.is_done || row.value.id < 0 || !take_apart(row, known, there)) continue;
            for (const Unknown& u : there)
                if (std::find(pieces.begin(), pieces.end(), u.piece) == pieces.end()) pieces.push_back(u.piece);
            rests.push_back(pool.sub(row.value, known));
            unknown.push_back(there);
        }
        std::vector<LinearRow> rows(rests.size(), LinearRow(pieces.size() + rests.size()));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            rows[r][pieces.size() + r] = 1;
            for (const Unknown& u : unknown[r]) {
                std::int64_t& n =
                    rows[r][static_cast<std::size_t>(std::find(pieces.begin(), pieces.end(), u.piece) - pieces.begin())];
                if (!add(n, u.factor, n) || n == every_integer.low) return false;
            }
        }
        if (!eliminate(rows, pieces.size())) return false;
        bool found = false;
        for (const LinearRow& row : rows) {
            std::vector<Unknown> alone;
            for (std::size_t c = 0; c < pieces.size(); ++c)
                if (row[c] != 0) alone.push_back({pieces[c], row[c], 0, 1, 0});
            if (alone.size() != 1 || alone[0].piece->value.id >= 0) continue;
            IndexExpr rest = pool.constant(0);
            for (std::size_t r = 0; r < rests.size(); ++r) rest = pool.add(rest, pool.mul(rests[r], row[pieces.size() + r]));
            found = read(rest, alone) || found;
        }
        return found;
    }
    /// rest = Σ factor·piece
    bool read(IndexExpr rest, std::vector<Unknown>& unknown)
    {
        IndexPool& pool = out_->pool;
        for (Unknown& u : unknown) {
            u.start = u.factor < 0 ? u.piece->high : u.piece->low;
            u.sign = u.factor < 0 ? -1 : 1;
            std::int64_t least_part = 0;
            if (!mul(u.factor, u.start, least_part) || !sub(u.piece->high, u.piece->low, u.most)) return false;
            if (u.factor == every_integer.low || least_part == every_integer.low) return false;
            rest = pool.add(rest, -least_part);
            u.factor = magnitude(u.factor);
        }
        std::sort(unknown.begin(), unknown.end(), [](const Unknown& a, const Unknown& b) { return a.factor < b.factor; });
        DigitForms::Wide footprint = 0;
        for (const Unknown& u : unknown) {
            if (u.factor <= footprint) return false;
            footprint += DigitForms::Wide(u.factor) * u.most;
            if (footprint > every_integer.high) return false;
        }
        for (std::size_t k = unknown.size(); k-- > 0;) {
            const Unknown& u = unknown[k];
            const IndexExpr y = pool.floor_div(rest, u.factor);
            rest = pool.mod(rest, u.factor);
            out_->constraints.push_back({y, {0, u.most}});
            u.piece->value = pool.add(pool.mul(y, u.sign), u.start);
        }
        out_->constraints.push_back({rest, {0, 0}});
        complete();
        return true;
    }
    /// u is known: so are its pieces.
    void set_pieces(std::int32_t i, IndexExpr u)
    {
        IndexPool& pool = out_->pool;
        Refined& pieces = refined_[static_cast<std::size_t>(i)];
        pieces.value = u;
        const IndexExpr shifted = pool.add(u, pieces.shift);
        for (std::size_t k = 0; k < pieces.list.size(); ++k) {
            Piece& c = pieces.list[k];
            IndexExpr there = pool.floor_div(shifted, c.step);
            if (k + 1 < pieces.list.size()) there = pool.mod(there, c.high + 1);
            if (c.value.id < 0)
                c.value = there;
            else // what is known must agree with it
                out_->constraints.push_back({pool.sub(there, c.value), {0, 0}});
        }
        complete();
    }
    /// The indices all of whose pieces are known.
    void complete()
    {
        IndexPool& pool = out_->pool;
        for (std::size_t i = 0; i < refined_.size(); ++i) {
            Refined& pieces = refined_[i];
            if (!pieces.occurs || pieces.value.id >= 0) continue;
            IndexExpr sum = pool.constant(-pieces.shift);
            bool all = true;
            for (const Piece& c : pieces.list) {
                all = all && c.value.id >= 0;
                if (all) sum = pool.add(sum, pool.mul(c.value, c.step));
            }
            if (!all) continue;
            pieces.value = sum;
            const DigitIndex& u = variables_.forms.index(static_cast<std::int32_t>(i));
            out_->constraints.push_back({sum, {u.low, u.high}});
            for (Row& row : rows_)
                if (row.index == static_cast<std::int32_t>(i) && row.value.id < 0) row.value = sum;
        }
    }

    bool finish()
    {
        std::vector<IndexExpr> values;
        for (std::size_t v = 0; v < map_->variables.size(); ++v) {
            const Refined& pieces = refined_[v];
            const IndexInterval& bounds = map_->variables[v].bounds;
            IndexExpr value = pieces.value;
            if (bounds.is_point()) value = out_->pool.constant(bounds.low);
            if (value.id < 0 && static_cast<int>(v) < map_->dimensions) return false;
            if (value.id < 0 && pieces.occurs) return false;
            values.push_back(value);
        }
        for (int d = 0; d < map_->dimensions; ++d) out_->results.push_back(values[static_cast<std::size_t>(d)]);
        PoolCopy copy(out_->pool, map_->pool, values);
        for (const IndexConstraint& c : map_->constraints) {
            const std::vector<bool> used = variables_of(*map_, c.expression);
            for (std::size_t v = 0; v < used.size(); ++v)
                if (used[v] && values[v].id < 0) return false;
            out_->constraints.push_back(copy(c));
        }
        return out_->pool.error().ok();
    }
    const IndexingMap* map_;
    DigitVariables variables_;
    bool joined_, constrained_;
    std::vector<Row> rows_{};
    std::vector<Refined> refined_{};
    IndexingMap* out_ = nullptr;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
