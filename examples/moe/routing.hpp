// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_MOE_ROUTING_HPP
#define AXE_EXAMPLES_MOE_ROUTING_HPP

#include "../common/example.hpp"

#include <limits>

/// The first kernel of a layer of experts: which experts a token has, and where its rows are.
namespace examples {

constexpr std::int64_t moe_tile = 32;   ///< rows of a tile; those of an expert begin at a multiple of it
constexpr std::int64_t moe_tokens = 16; ///< tokens that a block routes at once
constexpr int moe_routers = 4;          ///< blocks that route; all must be resident

/// R is the most rows that there may be; how many there are follows from the routing.
struct MoeSizes {
    std::int64_t T = 0, hidden = 0, inner = 0, E = 0, top = 0, R = 0;
    [[nodiscard]] std::int64_t row_tiles() const { return R / moe_tile; }
    /// Experts as columns of a tile; experts and the end in 64 lanes.
    [[nodiscard]] std::int64_t columns() const { return (E + 31) / 32 * 32; }
    [[nodiscard]] std::int64_t in_lanes() const { return (E + 1 + 63) / 64 * 64; }
};

/// The tensors of the layer.
struct MoeLayer : MoeSizes {
    axe::TensorRef X, Wg, W1, W2, arrived; ///< arrived: how many blocks have met
    axe::TensorRef ids, weights;           ///< [top, T]: the experts of each token, that with the largest weight first
    axe::TensorRef first;                  ///< [E + 1]: the row at which each expert's begin, and the end
    axe::TensorRef Y;
    axe::TensorRef counts;                ///< [E + 1]: tokens of each expert, and 0
    axe::TensorRef token, weight, row_of; ///< [R], [R], [top, T]: of each row its token and what it counts; of each token its rows
    axe::TensorRef expert;                ///< of each tile of rows
    axe::TensorRef next, ready;           ///< the next task; of each tile of rows, how many tiles of H are written
    axe::TensorRef H, Z;
};

/// What one block does about routing: of tokens 16·b, 16·(b + 4), …
class MoeRouter {
  public:
    MoeRouter(axe::Scope cta, const MoeLayer& n, const axe::Affine& block);

    void run();

  private:
    using TensorRef = axe::TensorRef;
    using ViewRef = axe::ViewRef;

    /// One number a token, in each of the four lanes that have its logits.
    [[nodiscard]] TensorRef of_tokens(axe::DType type, const char* name)
    {
        return cta_.alloc(axe::Role::registers, {moe_tokens}, type,
                          axe::Layout{{{2, 1, "warp"}, {8, 4, "lane"}}, {{4, 1, "lane"}}, {}}, name);
    }
    /// One number a token and expert.
    [[nodiscard]] TensorRef of_experts(axe::DType type, const char* name)
    {
        return cta_.alloc(axe::Role::registers, {moe_tokens, n_.columns()}, type,
                          axe::Layout{{{2, 1, "warp"}, {8, 4, "lane"}, {n_.columns() / 4, 1, "reg"}, {4, 1, "lane"}}, {}, {}},
                          name);
    }
    /// One number a token, in one lane; one number an expert.
    [[nodiscard]] TensorRef in_lanes(std::int64_t n, axe::DType type, const char* name)
    {
        return cta_.alloc(axe::Role::registers, {n}, type,
                          n == moe_tokens ? axe::Layout{{{2, 1, "warp"}, {8, 1, "lane"}}, {}, {}}
                                          : axe::Layout{{{n / 64, 1, "reg"}, {2, 1, "warp"}, {32, 1, "lane"}}, {}, {}},
                          name);
    }
    [[nodiscard]] TensorRef shared(const axe::Shape& shape, axe::DType type, const char* name)
    {
        return cta_.alloc(axe::Role::shared, shape, type, {}, name);
    }
    [[nodiscard]] ViewRef wide(const TensorRef& of) const { return of.repeated(1, n_.columns()); }
    void for_tokens(const std::function<void(const axe::Interval&)>& body)
    {
        const std::int64_t groups = (n_.T + moe_tokens - 1) / moe_tokens;
        cta_.loop(block_, groups, moe_routers, [&](const axe::Affine& g) { body(axe::Interval(g * moe_tokens, moe_tokens)); });
    }

    void clear();
    void choose(const axe::Interval& tokens);
    void probabilities(const axe::Interval& tokens);
    void place_experts();
    void place_tokens(const axe::Interval& tokens);
    void valid(const axe::Interval& tokens);
    void meet();

    axe::Scope cta_;
    const MoeLayer& n_;
    axe::Affine block_;
    int meetings_ = 0;
    TensorRef p_, column_, hit_, none_;                  // by token and expert
    TensorRef at_, there_, id_, best_, total_, outside_; // by token
    TensorRef taken_, own_; // in shared memory: the experts of a slot; by expert, how many tokens, then the next row
};

inline MoeRouter::MoeRouter(axe::Scope cta, const MoeLayer& n, const axe::Affine& block)
    : cta_(cta),
      n_(n),
      block_(block),
      p_(of_experts(axe::DType::f32, "p")),
      column_(of_experts(axe::DType::i32, "column")),
      hit_(of_experts(axe::DType::i32, "hit")),
      none_(of_experts(axe::DType::i32, "none")),
      at_(of_tokens(axe::DType::i32, "at")),
      there_(of_tokens(axe::DType::i32, "there")),
      id_(of_tokens(axe::DType::i32, "id")),
      best_(of_tokens(axe::DType::f32, "best")),
      total_(of_tokens(axe::DType::f32, "total")),
      outside_(of_tokens(axe::DType::i32, "outside")),
      taken_(shared({moe_tokens}, axe::DType::i32, "taken")),
      own_(shared({n.in_lanes()}, axe::DType::i32, "own"))
{
}

/// All blocks have come here before any goes on: each adds 1 as a release, and waits, acquiring, for as many as there are. The first warp does
/// so: what the other one wrote is before a barrier of the block, and what it reads behind one.
inline void MoeRouter::meet()
{
    ++meetings_;
    cta_.warps(0, 1, [&](axe::Scope warp) {
        const axe::ViewRef arrived = n_.arrived(axe::Interval(0, 1));
        warp.add_to_flag(arrived, 1).wait_at_least(arrived, meetings_ * moe_routers);
    });
}

/// No expert has a token yet, and rows are of no token: of token T, which is zeros, with the weight 0.
inline void MoeRouter::clear()
{
    using namespace axe;
    cta_.fill(own_, 0);
    cta_.loop(block_, n_.row_tiles(), moe_routers, [&](const Affine& i) {
        const Interval rows(i * moe_tile, moe_tile);
        cta_.fill(n_.token(rows), static_cast<double>(n_.T)).fill(n_.weight(rows), 0).fill(n_.ready(Interval(i, 1)), 0);
    });
    cta_.when(equals(block_, 0), [&] { cta_.fill(n_.counts, 0).fill(n_.next, 0); });
}

/// p = softmax(X·Wgᵀ) of these tokens, −1 in columns that are no expert's.
inline void MoeRouter::probabilities(const axe::Interval& tokens)
{
    using namespace axe;
    using enum DType;
    const std::int64_t columns = n_.columns(), depth = moe_tile;
    const auto x = shared({moe_tokens, depth}, f16, "x"), w = shared({columns, depth}, f16, "w");
    const auto logits = shared({moe_tokens, columns}, f32, "logits");
    const auto acc = cta_.alloc(Role::accumulator, {moe_tokens, columns}, f32, accumulator, "acc");
    const auto low = of_experts(f32, "low");
    cta_.fill(acc, 0);
    cta_.loop(tiles(n_.hidden, depth), [&](const Interval& s) {
        cta_.copy(x, n_.X(tokens, s)).copy(w, n_.Wg(Interval(0, columns), s)).sync();
        cta_.gemm(acc, x, w, {.transpose_b = true}).sync();
    });
    cta_.copy(logits, acc).sync();
    cta_.copy(p_, logits).iota(column_, 1).fill(none_, static_cast<double>(n_.E)).binary(Function::less, hit_, column_, none_);
    cta_.fill(low, -std::numeric_limits<double>::infinity()).select(p_, hit_, p_, low);
    cta_.reduce(Function::max, best_, p_, {1}).binary(Function::sub, p_, p_, wide(best_)).unary(Function::exp, p_, p_);
    cta_.sum(total_, p_, 1).binary(Function::div, p_, p_, wide(total_));
    cta_.fill(low, -1).select(p_, hit_, p_, low);
}

/// Is each of these a token?
inline void MoeRouter::valid(const axe::Interval& tokens)
{
    using namespace axe;
    cta_.iota(at_, 0, tokens.begin).fill(there_, static_cast<double>(n_.T)).binary(Function::less, there_, at_, there_);
    cta_.fill(outside_, -1);
}

/// The `top` largest of each token, of equal ones the expert with the lower number; they are counted.
inline void MoeRouter::choose(const axe::Interval& tokens)
{
    using namespace axe;
    using enum DType;
    probabilities(tokens);
    valid(tokens);
    const auto chosen = shared({n_.top, moe_tokens}, f32, "chosen");
    const auto gone = of_experts(f32, "gone"), one = of_experts(i32, "one");
    const auto ones = in_lanes(moe_tokens, i32, "ones");
    cta_.fill(total_, 0).fill(gone, -1).fill(ones, 1);
    cta_.loop(0, n_.top, 1, [&](const Affine& slot) {
        cta_.reduce(Function::max, best_, p_, {1}).binary(Function::equal, hit_, p_, wide(best_));
        cta_.select(one, hit_, column_, none_).reduce(Function::min, id_, one, {1});
        cta_.binary(Function::equal, hit_, column_, wide(id_)).select(p_, hit_, gone, p_);
        cta_.binary(Function::add, total_, total_, best_).copy(chosen(slot, all), best_);
        cta_.copy(n_.ids(slot, tokens), id_).select(id_, there_, id_, outside_).copy(taken_, id_).sync();
        cta_.atomic_rows(Function::add, own_.guarded(), taken_, ones).sync();
    });
    cta_.loop(0, n_.top, 1, [&](const Affine& slot) {
        cta_.copy(best_, chosen(slot, all)).binary(Function::div, best_, best_, total_).copy(n_.weights(slot, tokens), best_);
    });
}

/// Each expert's rows begin behind those of the one before, at a multiple of a tile; which expert a tile is of.
inline void MoeRouter::place_experts()
{
    using namespace axe;
    using enum DType;
    const std::int64_t wide = n_.in_lanes();
    const auto numbers = [&](const char* name) { return in_lanes(wide, i32, name); };
    const auto count = numbers("count"), rows = numbers("rows"), begin = numbers("begin"), constant = numbers("constant"),
               some = numbers("some"), id = numbers("id");
    const auto place = shared({wide}, i32, "place"), marks = shared({n_.row_tiles()}, i32, "marks");
    const double shift = 5; // of 2^5 rows a tile
    static_assert(moe_tile == 1 << 5);
    const Interval experts(0, wide); // E and the end; none behind it has a token
    cta_.copy(count, n_.counts(experts)).fill(constant, moe_tile - 1).binary(Function::add, rows, count, constant);
    cta_.fill(constant, shift).binary(Function::shift_right, rows, rows, constant);
    cta_.binary(Function::shift_left, rows, rows, constant).scan(Function::add, begin, rows, 0, true);
    cta_.copy(n_.first(experts), begin).binary(Function::shift_right, begin, begin, constant);
    cta_.fill(constant, 0).binary(Function::less, some, constant, count);
    cta_.fill(constant, -1).select(begin, some, begin, constant).copy(place, begin).iota(id, 0).fill(marks, 0).sync();
    cta_.scatter(marks.guarded(), place, id).sync();
    cta_.scan(Function::max, n_.expert, marks, 0);
}

/// Each pair of a token and an expert gets the next row of the expert.
inline void MoeRouter::place_tokens(const axe::Interval& tokens)
{
    using namespace axe;
    using enum DType;
    const auto single = [&](DType type, const char* name) { return in_lanes(moe_tokens, type, name); };
    const auto ones = single(i32, "ones"), row = single(i32, "row"), number = single(i32, "number"), in = single(i32, "in"),
               out = single(i32, "out");
    const auto share = single(f32, "share");
    const auto places = shared({moe_tokens}, i32, "places");
    valid(tokens);
    cta_.fill(ones, 1).iota(number, 0, tokens.begin).fill(out, static_cast<double>(n_.T));
    cta_.binary(Function::less, in, number, out).fill(out, -1);
    cta_.loop(0, n_.top, 1, [&](const Affine& slot) {
        cta_.copy(id_, n_.ids(slot, tokens)).select(id_, there_, id_, outside_).copy(taken_, id_).sync();
        cta_.atomic_rows(Function::add, own_.guarded(), taken_, ones, row).copy(n_.row_of(slot, tokens), row);
        cta_.select(row, in, row, out).copy(places, row).copy(share, n_.weights(slot, tokens)).sync();
        cta_.scatter(n_.token.guarded(), places, number).scatter(n_.weight.guarded(), places, share);
    });
}

inline void MoeRouter::run()
{
    using namespace axe;
    using enum DType;
    clear();
    cta_.sync();
    meet(); // counts are 0
    for_tokens([&](const Interval& tokens) { choose(tokens); });
    const std::int64_t wide = n_.in_lanes();
    const auto numbers = [&](const char* name) { return in_lanes(wide, i32, name); };
    const auto count = numbers("count"), before = numbers("before"), begin = numbers("begin");
    const auto each = shared({wide}, i32, "each");
    cta_.iota(each, 0).sync();
    cta_.copy(count, own_).atomic_rows(Function::add, n_.counts.guarded(), each, count, before);
    cta_.sync();
    meet(); // counts are whole
    cta_.sync();
    cta_.when(equals(block_, 0), [&] { place_experts(); });
    meet(); // rows begin where they do: the first block has written that before the barriers of place_experts
    cta_.sync();
    cta_.copy(begin, n_.first(Interval(0, wide))).binary(Function::add, before, before, begin).copy(own_, before);
    for_tokens([&](const Interval& tokens) { place_tokens(tokens); });
}

/// The kernel: `moe_routers` blocks of two warps.
inline void moe_route(axe::Kernel& k, const MoeLayer& n)
{
    k.cta(axe::tiles(moe_routers, 1), [&](axe::Scope cta, const axe::Tile& t) { MoeRouter(cta, n, t.index[0]).run(); }, 2);
}

} // namespace examples

#endif
