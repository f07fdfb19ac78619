// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_FORM_HPP
#define AXE_MAP_TILE_FORM_HPP

#include <axe/map/errors.hpp>
#include <axe/map/tile/polynomial.hpp>
#include <axe/map/variables_of.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// coefficient · ⌊(source mod high) / low⌋; no mod where high = 0. low divides high.
struct TileTerm {
    std::int64_t coefficient = 1;
    int source = 0;
    std::int64_t low = 1, high = 0;
    friend bool operator==(const TileTerm&, const TileTerm&) = default;
};

using TileForm = TileLinear<TileTerm>;
/// What is cut into digits: a variable, or a sum that is divided.
struct TileSource {
    TileForm form{}; ///< without terms for a variable
    IndexInterval range{};
};

/// Reads expressions of a map as sums of digits: of its variables, or of sums of digits.
class TileForms {
  public:
    explicit TileForms(const IndexingMap& map) : map_(&map), forms_(static_cast<std::size_t>(map.pool.size()))
    {
        for (const IndexVariable& v : map.variables) sources.push_back({{}, v.bounds});
        known_.assign(forms_.size(), false);
    }

    std::vector<TileSource> sources{}; ///< the variables first, each sum after what it is made of
    Error error{};

    const TileForm& operator()(IndexExpr e)
    {
        std::vector<char> needed(static_cast<std::size_t>(e.id) + 1);
        needed.back() = 1;
        mark_operands(map_->pool, needed);
        for (std::size_t id = 0; id < needed.size(); ++id) {
            if (needed[id] == 0 || known_[id]) continue;
            forms_[id] = made(map_->pool[{static_cast<std::int32_t>(id)}]);
            known_[id] = true;
        }
        return forms_[static_cast<std::size_t>(e.id)];
    }

  private:
    TileForm made(const IndexNode& n)
    {
        const auto of = [&](IndexExpr e) { return forms_[static_cast<std::size_t>(e.id)]; };
        switch (n.op) {
        case IndexOp::constant: return {n.value, {}};
        case IndexOp::variable: return digit(static_cast<int>(n.value), 1, 0);
        case IndexOp::add: return sum(of(n.left), of(n.right), 1);
        case IndexOp::mul:
            if (of(n.right).terms.empty()) return scaled(of(n.left), of(n.right).constant);
            if (of(n.left).terms.empty()) return scaled(of(n.right), of(n.left).constant);
            fail(Error(errc::too_hard, -1, "the image of a tile through a product of variables is not supported"));
            return {};
        case IndexOp::floor_div:
            return n.value > 0 ? divided(of(n.left), n.value) : divided(scaled(of(n.left), -1), opposite(n.value));
        case IndexOp::mod:
            return n.value > 0 ? remainder(of(n.left), n.value) : scaled(remainder(scaled(of(n.left), -1), opposite(n.value)), -1);
        case IndexOp::min:
        case IndexOp::max:
        case IndexOp::floor_div_by:
        case IndexOp::mod_by:
            fail(Error(errc::too_hard, -1,
                       "the image of a tile through a minimum, a maximum or a variable divisor is not supported"));
            return {};
        }
        return {};
    }

    void fail(const Error& e)
    {
        if (error.ok()) error = e;
    }
    void overflow() { fail(tile_overflows()); }
    std::int64_t opposite(std::int64_t n) { return product(n, -1); }
    std::int64_t product(std::int64_t x, std::int64_t y)
    {
        std::int64_t out = 1;
        if (mul(x, y, out) && out != every_integer.low) return out; // the least has no opposite
        overflow();
        return 1;
    }
    std::int64_t plus(std::int64_t x, std::int64_t y)
    {
        std::int64_t out = 0;
        if (!add(x, y, out)) overflow();
        return out;
    }

    IndexInterval range(const TileTerm& t) const
    {
        if (t.high != 0) return {0, t.high / t.low - 1};
        const IndexInterval r = sources[static_cast<std::size_t>(t.source)].range;
        return {floor_div(r.low, t.low), floor_div(r.high, t.low)};
    }
    IndexInterval range(const TileForm& f)
    {
        IndexInterval out{f.constant, f.constant};
        for (const TileTerm& t : f.terms) {
            const IndexInterval r = range(t);
            out.low = plus(out.low, product(t.coefficient, t.coefficient > 0 ? r.low : r.high));
            out.high = plus(out.high, product(t.coefficient, t.coefficient > 0 ? r.high : r.low));
        }
        return out;
    }

    /// A digit of a source, as little of it as it can be.
    TileForm digit(int source, std::int64_t low, std::int64_t high) const
    {
        const IndexInterval r = sources[static_cast<std::size_t>(source)].range;
        if (high != 0 && r.low >= 0 && r.high < high) high = 0;
        const TileTerm t{1, source, low, high};
        if (range(t).is_point()) return {range(t).low, {}};
        return {0, {t}};
    }
    TileForm scaled(TileForm f, std::int64_t factor)
    {
        if (factor == 0) return {};
        f.constant = product(f.constant, factor);
        for (TileTerm& t : f.terms) t.coefficient = product(t.coefficient, factor);
        return f;
    }
    /// x + factor·y, digits side by side joined:  c·⌊S mod b⌋/a + c·(b/a)·⌊S mod e⌋/b = c·⌊S mod e⌋/a
    TileForm sum(TileForm x, const TileForm& y, std::int64_t factor)
    {
        x.constant = plus(x.constant, product(y.constant, factor));
        for (TileTerm t : y.terms) {
            t.coefficient = product(t.coefficient, factor);
            for (std::size_t i = 0; i < x.terms.size() && t.coefficient != 0;) {
                const TileTerm u = x.terms[i];
                bool joins = u.source == t.source;
                if (joins && u.low == t.low && u.high == t.high)
                    t.coefficient = plus(u.coefficient, t.coefficient);
                else if (joins && u.high == t.low && t.coefficient == product(u.coefficient, u.high / u.low))
                    t = {u.coefficient, u.source, u.low, t.high};
                else if (joins && t.high == u.low && u.coefficient == product(t.coefficient, t.high / t.low))
                    t.high = u.high;
                else
                    joins = false;
                if (joins) x.terms.erase(x.terms.begin() + static_cast<std::ptrdiff_t>(i));
                i = joins ? 0 : i + 1; // what was joined may join again
            }
            if (t.coefficient != 0) x.terms.push_back(t);
        }
        return x;
    }

    /// Is it one digit, of which ⌊/ n⌋ and mod n are digits?
    static bool is_digit(const TileForm& f, std::int64_t n)
    {
        if (f.constant != 0 || f.terms.size() != 1 || f.terms[0].coefficient != 1) return false;
        return f.terms[0].high == 0 || f.terms[0].high / f.terms[0].low % n == 0;
    }
    int source(const TileForm& f)
    {
        for (std::size_t i = map_->variables.size(); i < sources.size(); ++i)
            if (sources[i].form == f) return static_cast<int>(i);
        sources.push_back({f, range(f)});
        return static_cast<int>(sources.size()) - 1;
    }

    /// ⌊f / n⌋, n > 0
    TileForm divided(TileForm f, std::int64_t n)
    {
        if (!error.ok()) return {};
        const std::int64_t g = f.divisor(n);
        f.divide(g);
        if (g == n) return f;
        n /= g;
        const IndexInterval r = range(f);
        if (floor_div(r.low, n) == floor_div(r.high, n)) return {floor_div(r.low, n), {}};
        if (is_digit(f, n)) return digit(f.terms[0].source, product(f.terms[0].low, n), f.terms[0].high);
        return digit(source(f), n, 0);
    }
    /// f mod n, n > 0:  (g·h + c) mod (g·n) = g·(h mod n) + c  for c in [0, g)
    TileForm remainder(TileForm f, std::int64_t n)
    {
        if (!error.ok()) return {};
        const std::int64_t g = f.divisor(n), constant = floor_remainder(f.constant, g);
        if (g == n) return {constant, {}};
        f.divide(g);
        n /= g;
        const IndexInterval r = range(f);
        if (floor_div(r.low, n) == floor_div(r.high, n))
            f = sum(f, {floor_div(r.low, n), {}}, -n);
        else if (is_digit(f, n))
            f = digit(f.terms[0].source, f.terms[0].low, product(f.terms[0].low, n));
        else
            f = digit(source(f), 1, n);
        return sum({constant, {}}, f, g);
    }
    const IndexingMap* map_;
    std::vector<TileForm> forms_{};
    std::vector<bool> known_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
