// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_MIXED_RADIX_READER_HPP
#define AXE_MAP_MIXED_RADIX_READER_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/map/mixed_radix/division.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A dimension within the flat index of all: d = low + (⌊x/weight⌋ mod extent).
struct FlatDimension {
    std::int64_t low = 0, extent = 1, weight = 1;
    [[nodiscard]] std::int64_t at(std::int64_t index) const noexcept { return low + index / weight % extent; }
};
using FlatDimensions = SmallVector<FlatDimension, 8>;

/// Variables as indices of digit forms: the dimensions together as index 0, row-major, each counted from its lower bound; each other
/// variable by itself. Where the product of the dimensions overflows, or if asked, each of them is by itself as well.
struct DigitVariables {
    DigitForms forms{};
    FlatDimensions dimensions;         ///< of the flat index
    SmallVector<DigitForm, 8> form_of; ///< of each variable
    std::int64_t flat_size = 1;
    bool is_flat = true;

    /// The intervals hold a point each.
    DigitVariables(const std::vector<IndexVariable>& variables, int count, bool together = true) : is_flat(together)
    {
        dimensions.resize(static_cast<std::size_t>(count));
        form_of.resize(variables.size());
        for (std::size_t v = dimensions.size(); v-- > 0;) {
            FlatDimension& d = dimensions[v];
            d = {variables[v].bounds.low, 0, flat_size};
            is_flat = is_flat && sub(variables[v].bounds.high, d.low, d.extent) && add(d.extent, std::int64_t{1}, d.extent) &&
                      mul(flat_size, d.extent, flat_size);
        }
        if (is_flat) {
            forms.add_index(0, flat_size - 1);
        } else {
            dimensions.clear();
            flat_size = 0;
        }
        for (std::size_t v = 0; v < variables.size(); ++v) {
            if (v < dimensions.size()) {
                const FlatDimension& d = dimensions[v];
                forms.open(d.low);
                forms.put({0, d.weight, 0, d.weight * d.extent == flat_size ? 0 : d.extent, 0, 0, 0}, 1);
            } else {
                forms.open();
                forms.put(forms.add_index(variables[v].bounds.low, variables[v].bounds.high), 1, 0, 1);
                first_single_ = std::min(first_single_, static_cast<std::int32_t>(v));
            }
            form_of[v] = forms.close();
        }
    }
    /// The flat index at a point, of which only the dimensions count.
    [[nodiscard]] std::int64_t index_of(const std::vector<std::int64_t>& point) const noexcept
    {
        std::int64_t out = 0;
        for (std::size_t d = 0; d < dimensions.size(); ++d) out += (point[d] - dimensions[d].low) * dimensions[d].weight;
        return out;
    }
    /// The variable that a single index is.
    [[nodiscard]] int variable_of(std::int32_t index) const noexcept { return first_single_ + index - (is_flat ? 1 : 0); }
    /// How many indices are variables.
    [[nodiscard]] std::int32_t variable_indices() const noexcept
    {
        return static_cast<std::int32_t>(form_of.size() - dimensions.size()) + (is_flat ? 1 : 0);
    }

  private:
    std::int32_t first_single_ = std::numeric_limits<std::int32_t>::max();
};

/// The digit forms of expressions.
class DigitReader {
  public:
    DigitReader(DigitVariables& variables, const IndexPool& pool) : variables_(&variables), pool_(&pool)
    {
        known_.resize(static_cast<std::size_t>(pool.size()));
    }

    /// Unknown for products of variables, minimum, maximum, and divisors that are expressions. Cost: linear in the nodes that occur, each once, up to the first that is unknown.
    DigitForm operator()(IndexExpr e)
    {
        open_.assign(1, e.id);
        while (!open_.empty()) {
            const std::int32_t id = open_.back();
            const IndexNode& n = (*pool_)[{id}];
            if (is_missing(n.left)) {
                open_.push_back(n.left.id);
            } else if (is_missing(n.right)) {
                open_.push_back(n.right.id);
            } else {
                if (is_missing({id})) known_[static_cast<std::size_t>(id)] = {of(n), true};
                if (!known({id}).is_known()) return {}; // and so is all that it is part of
                open_.pop_back();
            }
        }
        return known(e);
    }

  private:
    struct Known {
        DigitForm form{};
        bool read = false;
    };
    struct Quotient {
        std::int32_t dividend;
        std::int64_t divisor;
        DigitForm form;
    };
    [[nodiscard]] bool is_missing(IndexExpr x) const { return x.id >= 0 && !known_[static_cast<std::size_t>(x.id)].read; }
    [[nodiscard]] const DigitForm& known(IndexExpr x) const { return known_[static_cast<std::size_t>(x.id)].form; }

    DigitForm of(const IndexNode& n)
    {
        DigitForms& forms = variables_->forms;
        switch (n.op) {
        case IndexOp::constant: forms.open(n.value); return forms.close();
        case IndexOp::variable: return variables_->form_of[static_cast<std::size_t>(n.value)];
        case IndexOp::add:
            forms.open();
            forms.put(known(n.left));
            forms.put(known(n.right));
            return forms.close();
        case IndexOp::mul: {
            DigitForm x = known(n.left), y = known(n.right);
            if (x.count == 0) std::swap(x, y);
            if (y.count != 0) return {};
            forms.open();
            forms.put(x, y.constant);
            return forms.close();
        }
        case IndexOp::floor_div: return quotient(n);
        case IndexOp::mod:
            if (const DigitForm q = quotient(n); q.is_known() && n.value != every_integer.low) {
                forms.open();
                forms.put(known(n.left));
                forms.put(q, -n.value);
                return forms.close();
            }
            return {};
        case IndexOp::min:
        case IndexOp::max:
        case IndexOp::floor_div_by:
        case IndexOp::mod_by: return {};
        }
        return {};
    }
    DigitForm quotient(const IndexNode& n)
    {
        for (const Quotient& q : quotients_)
            if (q.dividend == n.left.id && q.divisor == n.value) return q.form;
        const DigitForm& f = known(n.left);
        quotients_.push_back({n.left.id, n.value, f.is_known() ? DigitDivision(variables_->forms)(f, n.value) : DigitForm{}});
        return quotients_.back().form;
    }

    DigitVariables* variables_;
    const IndexPool* pool_;
    SmallVector<Known, 64> known_; ///< none read: what is new has all bits 0
    SmallVector<std::int32_t, 32> open_;
    SmallVector<Quotient, 16> quotients_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
