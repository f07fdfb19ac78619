// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_FORMULA_ELEMENTS_HPP
#define AXE_SIM_REFERENCE_FORMULA_ELEMENTS_HPP

#include <axe/program/specification.hpp>
#include <axe/sim/reference/operators.hpp>

#include <bit>

/// The elements of formulas: which of them are needed, and what they may be.
namespace axe {
inline namespace v0 {
namespace ref {

/// Which elements of a tensor are needed, and the place of each among them: a bit an element, counted once all are known.
class Wanted {
  public:
    Wanted() = default;
    explicit Wanted(std::int64_t count) : count_(count) {}

    void add(std::int64_t i)
    {
        if (all_) return;
        if (words_.empty()) words_.assign(word(count_ + 63), 0);
        words_[word(i)] |= std::uint64_t{1} << (i % 64);
    }
    void add_all() { all_ = true; }
    /// No more are added.
    void close()
    {
        std::int64_t sum = 0;
        for (const std::uint64_t w : words_) {
            before_.push_back(sum);
            sum += std::popcount(w);
        }
        size_ = all_ ? count_ : sum;
        all_ = size_ == count_;
    }
    /// How many there are.
    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    [[nodiscard]] bool has(std::int64_t i) const noexcept
    {
        return all_ || (!words_.empty() && (words_[word(i)] >> (i % 64) & 1) != 0);
    }
    /// How many come before element i, which is one of them.
    [[nodiscard]] std::int64_t place(std::int64_t i) const noexcept
    {
        if (all_) return i;
        return before_[word(i)] + std::popcount(words_[word(i)] & ((std::uint64_t{1} << (i % 64)) - 1));
    }
    /// f(element, place) for each, ascending.
    template <class F>
    void for_each(F f) const
    {
        std::int64_t at = 0;
        if (all_)
            for (; at < count_; ++at) f(at, at);
        else
            for (std::size_t w = 0; w < words_.size(); ++w)
                for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                    f(static_cast<std::int64_t>(w) * 64 + std::countr_zero(rest), at++);
    }

  private:
    static std::size_t word(std::int64_t i) noexcept { return static_cast<std::size_t>(i / 64); }
    std::int64_t count_ = 0, size_ = 0;
    bool all_ = false;
    std::vector<std::uint64_t> words_{};
    std::vector<std::int64_t> before_{};
};

/// Row-major: how far apart two elements are that differ by one in a dimension.
inline InlineVector<std::int64_t, max_rank> row_steps(const Shape& shape)
{
    InlineVector<std::int64_t, max_rank> out = shape;
    std::int64_t step = 1;
    for (int d = shape.size() - 1; d >= 0; --d) {
        out[d] = step;
        step *= shape[d];
    }
    return out;
}

/// Element i of a shape, c its coordinate, is element first + Σ step_d·c_d of an operand.
struct Strided {
    Shape shape{};
    InlineVector<std::int64_t, max_rank> step{};
    std::int64_t first = 0;

    [[nodiscard]] std::int64_t operator()(std::int64_t i) const noexcept
    {
        std::int64_t out = first;
        for (int d = shape.size() - 1; d >= 0; --d) {
            const std::int64_t q = i / shape[d];
            out += (i - q * shape[d]) * step[d];
            i = q;
        }
        return out;
    }
};

/// Dimensions aligned at the last; those of extent 1 repeat.
inline Strided broadcast_to(const Shape& shape, const Shape& operand)
{
    Strided out{shape, shape, 0};
    const auto steps = row_steps(operand);
    for (int d = 0; d < shape.size(); ++d) {
        const int at = d - (shape.size() - operand.size());
        out.step[d] = at < 0 || operand[at] == 1 ? 0 : steps[at];
    }
    return out;
}

/// What b may be where an implementation may round it to the type, and need not.
inline Bounded may_round(const Bounded& b, DType type) noexcept
{
    if (type == DType::f64 || !is_float(type)) return b;
    return hull(b, stored(b, type));
}

/// A formula's elements, as far as they are needed.
struct NodeElements {
    Wanted wanted{};
    Values values{};
    std::vector<std::int64_t> rows{}; ///< of gather and scatter_add: what the index names, from its first element on
};

/// Computes the elements that are wanted of a specification's nodes, and of no more than these need.
class Evaluation {
  public:
    /// @param arrays of the program's tensors, by their places; null where a tensor is no input
    /// @param pulse asked again and again, whether to go on
    Evaluation(const Program& program, const Specification& specification, const std::vector<const Array*>& arrays, Pulse* pulse)
        : program_(program), specification_(specification), arrays_(arrays), pulse_(pulse), nodes_(specification.nodes.size())
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].wanted = Wanted(volume(specification.nodes[i].shape).value_or(0));
    }

    [[nodiscard]] const Program& program() const noexcept { return program_; }
    [[nodiscard]] const Array& array(int tensor) const { return *arrays_[static_cast<std::size_t>(tensor)]; }
    [[nodiscard]] const SpecificationNode& node(int i) const { return specification_.nodes[static_cast<std::size_t>(i)]; }
    [[nodiscard]] NodeElements& elements(int i) { return nodes_[static_cast<std::size_t>(i)]; }
    /// Another of the same, in which nothing is wanted.
    [[nodiscard]] Evaluation fresh() const { return {program_, specification_, arrays_, pulse_}; }
    [[nodiscard]] Pulse* pulse() const noexcept { return pulse_; }
    /// After a step of about that long: false once the caller stops it.
    bool goes_on(std::int64_t nanoseconds) { return stopped_ = stopped_ || !ref::goes_on(pulse_, nanoseconds), !stopped_; }

    void want(int i, std::int64_t element)
    {
        if (!is_leaf(node(i))) elements(i).wanted.add(element);
    }
    void want_all(int i)
    {
        if (!is_leaf(node(i))) elements(i).wanted.add_all();
    }
    /// Keep what is computed of this node; of others it goes when nothing needs it any more.
    void keep(int i) { kept_.push_back(i); }
    Result<void, Problem> run();
    /// What an element that was wanted may be.
    [[nodiscard]] Bounded at(int i, std::int64_t element) const
    {
        const SpecificationNode& n = node(i);
        if (n.formula->kind == FormulaNode::Kind::tensor) return exactly(array(n.formula->tensor).at(element));
        if (n.formula->kind == FormulaNode::Kind::number) return exactly(n.formula->number);
        const NodeElements& of = nodes_[static_cast<std::size_t>(i)];
        return of.values.at(of.wanted.place(element));
    }

  private:
    static bool is_leaf(const SpecificationNode& n)
    {
        return n.formula->kind == FormulaNode::Kind::tensor || n.formula->kind == FormulaNode::Kind::number;
    }
    [[nodiscard]] bool kept(int i) const { return std::find(kept_.begin(), kept_.end(), i) != kept_.end(); }
    const Program& program_;
    const Specification& specification_;
    const std::vector<const Array*>& arrays_;
    Pulse* pulse_;
    bool stopped_ = false;
    std::vector<NodeElements> nodes_;
    std::vector<int> kept_{};
};

/// One node while it is computed: itself and its operands.
struct FormulaScene {
    Evaluation& in;
    int place;

    [[nodiscard]] const SpecificationNode& node() const { return in.node(place); }
    [[nodiscard]] const FormulaNode& formula() const { return *node().formula; }
    [[nodiscard]] const Shape& shape() const { return node().shape; }
    [[nodiscard]] int count() const { return static_cast<int>(node().operands.size()); }
    [[nodiscard]] int operand_place(int i) const { return node().operands[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const SpecificationNode& operand(int i) const { return in.node(operand_place(i)); }
    [[nodiscard]] NodeElements& elements() const { return in.elements(place); }

    void want(int i, std::int64_t element) const { in.want(operand_place(i), element); }
    [[nodiscard]] Bounded at(int i, std::int64_t element) const { return in.at(operand_place(i), element); }
    /// The operand as the arithmetic gets it: a number in the working type or as it stands, a large integer maybe rounded.
    [[nodiscard]] Bounded working(int i, std::int64_t element) const
    {
        const Bounded b = at(i, element);
        if (node().whole) return b;
        if (operand(i).literal) return may_round(b, node().working);
        return as_operand(b, operand(i).type, node().working == DType::f64 ? DType::f64 : DType::f32);
    }
    template <class F>
    void for_each(F f) const
    {
        elements().wanted.for_each([&](std::int64_t i, std::int64_t at) {
            if (in.goes_on(100)) f(i, at);
        });
    }
    void set(std::int64_t at, const Bounded& b) const { elements().values.set(at, b); }
    /// In what sums grow.
    [[nodiscard]] Arithmetic arithmetic() const
    {
        return ref::arithmetic(node().working, node().whole ? DType::f64 : node().working, node().whole);
    }
    /// Is a term rounded to the working type before it is added?
    [[nodiscard]] double term_roundings(int i) const
    {
        return !node().whole && significand_bits(operand(i).type) > significand_bits(node().working) ? 1 : 0;
    }
};

} // namespace ref
} // namespace v0
} // namespace axe

#endif
