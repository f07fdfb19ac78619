// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ENCODINGS_BUILDER_HPP
#define AXE_INTEROP_LINEAR_ENCODINGS_BUILDER_HPP

#include <axe/interop/linear/errors.hpp>
#include <axe/interop/linear/make.hpp>
#include <axe/interop/linear/names.hpp>
#include <axe/layout/shape.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// How the blocks of a cluster share a tensor: where each bit of a block's number goes, counted in pieces that one block has. A bit
/// that goes nowhere stands for blocks with the same piece.
using BlockBases = InlineVector<Coord, LinearLayout::max_dims>;

/// One list of numbers of an encoding, and what is said of it when it is wrong.
struct Sizes {
    const Shape& list;
    const char* wrong_count; ///< {0}: the entries it has, {1}: the dimensions of the tensor
    const char* wrong_entry; ///< {0}: which entry, {1}: what it is
};

namespace detail {

constexpr Status check_sizes(const Sizes& sizes, int rank) noexcept
{
    if (sizes.list.size() != rank) return Error(errc::rank_mismatch, -1, sizes.wrong_count, sizes.list.size(), rank);
    for (int i = 0; i < rank; ++i)
        if (exponent(sizes.list[i]) < 0) return Error(errc::bad_extent, i, sizes.wrong_entry, i, sizes.list[i]);
    return {};
}

/// Does the order name each dimension once?
constexpr Status check_order(const Shape& order, int rank) noexcept
{
    if (order.size() != rank)
        return Error(errc::rank_mismatch, -1, "order has {0} entries, the tensor {1} dimensions", order.size(), rank);
    unsigned seen = 0;
    for (int i = 0; i < rank; ++i) {
        if (order[i] < 0 || order[i] >= rank || (seen >> order[i] & 1U) != 0)
            return Error(errc::bad_argument, i, "entry {0} of order is {1}; order must name each of the {2} dimensions once", i,
                         order[i], rank);
        seen |= 1U << order[i];
    }
    return {};
}

/// The last dimension first: rank−1, …, 0. With `columns`, its first two are exchanged.
constexpr Shape row_major_order(int rank, bool columns = false) noexcept
{
    Shape order;
    for (int d = rank - 1; d >= 0; --d) order.push_back(d);
    if (columns && rank > 1) {
        order[0] = rank - 2;
        order[1] = rank - 1;
    }
    return order;
}

} // namespace detail

namespace detail {

constexpr Error block_capacity() noexcept
{
    return Error(errc::capacity, -1, "the blocks have at most {0} bits", LinearLayout::max_dims);
}

} // namespace detail

/// Puts the layout of an encoding together, piece by piece, the fastest first: each piece takes the next bits of one dimension.
///
/// What all encodings share is in `distributed` and `shared`: pieces that do not fill what a block has of the tensor are repeated over
/// registers (offsets), pieces that are larger wrap, and the blocks come last.      [Triton, LinearLayoutConversions.cpp]
class EncodingBuilder {
  public:
    enum Input { registers, lanes, warps };

    constexpr EncodingBuilder(const Shape& tensor, const BlockBases& blocks) noexcept : blocks_(blocks), rank_(tensor.size())
    {
        error_ = read(tensor).error();
    }

    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }
    [[nodiscard]] constexpr int rank() const noexcept { return rank_; }
    /// log2 of what one block has of dimension d.
    [[nodiscard]] constexpr int block_bits(int d) const noexcept { return bits_[d] - split_[d]; }
    /// How many bits of dimension d the pieces have taken.
    [[nodiscard]] constexpr int taken(int d) const noexcept { return taken_[d]; }
    constexpr void fail(const Error& e) noexcept { error_ = error_.ok() ? e : error_; }
    constexpr void check(const Sizes& sizes) noexcept
    {
        if (error_.ok()) error_ = detail::check_sizes(sizes, rank_).error();
    }
    constexpr void check_order(const Shape& order) noexcept
    {
        if (error_.ok()) error_ = detail::check_order(order, rank_).error();
    }

    /// The next 2^bits indices of dimension d, by bits of an input.
    constexpr void identity(Input in, int d, int bits) noexcept
    {
        for (int i = 0; i < bits && error_.ok(); ++i) put(in, single(d, taken_[d] + i));
        taken_[d] += bits > 0 && error_.ok() ? bits : 0;
    }
    /// Bits of an input that go nowhere: copies.
    constexpr void zeros(Input in, int bits) noexcept
    {
        for (int i = 0; i < bits && error_.ok(); ++i) put(in, BitImage{});
    }
    /// The next index bit of dimension d, together with `extra` in dimension e: a swizzle.
    constexpr void twisted(Input in, int d, int e, std::uint64_t extra) noexcept
    {
        if (!error_.ok()) return;
        BitImage place = single(d, taken_[d]++);
        place.at[e] ^= extra;
        put(in, place);
    }
    /// Pieces in all dimensions, the first of the order fastest. @pre check(sizes), check_order(order)
    constexpr void identities(Input in, const Shape& sizes, const Shape& order) noexcept
    {
        for (int i = 0; i < rank_ && error_.ok(); ++i) {
            const int d = static_cast<int>(order[i]);
            identity(in, d, detail::exponent(sizes[d]));
        }
    }
    /// The same, but along dimension `shared` all have the same.
    constexpr void identities_but(int shared, Input in, const Shape& sizes, const Shape& order) noexcept
    {
        for (int i = 0; i < rank_ && error_.ok(); ++i) {
            const int d = static_cast<int>(order[i]), bits = detail::exponent(sizes[d]);
            d == shared ? zeros(in, bits) : identity(in, d, bits);
        }
    }
    /// Registers (offsets) until 2^bits indices of dimension d are taken.
    constexpr void fill(int d, int bits) noexcept { identity(registers, d, bits - taken_[d]); }

    /// (register, lane, warp, block) → tensor; what is left is filled in the given order.
    constexpr Result<LinearLayout> distributed(const Shape& order) noexcept
    {
        const Axis names[] = {"register", "lane", "warp"};
        return finish(order, names, 3);
    }
    /// (offset, block) → tensor.
    constexpr Result<LinearLayout> shared(const Shape& order) noexcept
    {
        const Axis names[] = {"offset"};
        return finish(order, names, 1);
    }

  private:
    constexpr Status read(const Shape& tensor) noexcept
    {
        if (rank_ < 1 || rank_ > LinearLayout::max_dims) return detail::encoding_rank(rank_);
        for (int d = 0; d < rank_; ++d) {
            bits_[d] = detail::exponent(tensor[d]);
            if (bits_[d] < 0) return detail::no_power_of_two(d, tensor[d]);
        }
        if (blocks_.overfull()) return detail::block_capacity();
        for (int b = 0; b < blocks_.size(); ++b) {
            if (blocks_[b].size() != rank_)
                return Error(errc::rank_mismatch, b, "the basis of block bit {0} has {1} entries, the tensor {2} dimensions", b,
                             blocks_[b].size(), rank_);
            for (int d = 0; d < rank_; ++d) {
                if (blocks_[b][d] != 0 && detail::exponent(blocks_[b][d]) < 0)
                    return Error(errc::bad_extent, b, "the basis of block bit {0} has the entry {1}; it must be a power of two", b,
                                 blocks_[b][d]);
                const int high = blocks_[b][d] == 0 ? 0 : detail::exponent(blocks_[b][d]) + 1;
                split_[d] = high > split_[d] ? high : split_[d];
            }
        }
        for (int d = 0; d < rank_; ++d) split_[d] = split_[d] < bits_[d] ? split_[d] : bits_[d];
        return {};
    }
    /// Where one bit of an input goes: an index in each dimension. Trivial, so that lists of them cost nothing.
    struct BitImage {
        std::uint64_t at[LinearLayout::max_dims];
    };
    static constexpr BitImage single(int d, int bit) noexcept
    {
        BitImage place{};
        if (bit < LinearLayout::max_bits) place.at[d] = std::uint64_t{1} << bit;
        return place;
    }
    constexpr void put(Input in, const BitImage& place) noexcept
    {
        if (!bases_[in].push_back(place)) fail(detail::bits_capacity());
    }
    constexpr Result<LinearLayout> finish(const Shape& order, const Axis* names, int inputs) noexcept
    {
        Result<LinearLayout> result;
        for (int i = 0; i < rank_ && error_.ok(); ++i) fill(static_cast<int>(order[i]), block_bits(static_cast<int>(order[i])));
        if (error_.ok()) error_ = pack(names, inputs, *result).error();
        if (!error_.ok()) result = error_;
        return result;
    }
    /// The images as words.
    constexpr Status pack(const Axis* names, int inputs, LinearLayout& out) const noexcept
    {
        int first[LinearLayout::max_dims]{}, all = 0;
        for (int d = 0; d < rank_; all += bits_[d++]) {
            first[d] = all;
            out.out.push_back({tensor_dim(d), bits_[d]});
        }
        if (all > LinearLayout::max_bits) return detail::tensor_capacity(all);
        bool room = true;
        for (int in = 0; in < inputs; ++in) {
            out.in.push_back({names[in], bases_[in].size()});
            for (const BitImage& place : bases_[in]) {
                std::uint64_t word = 0;
                for (int d = 0; d < rank_; ++d)
                    if ((place.at[d] >> block_bits(d)) == 0) word |= place.at[d] << first[d]; // what is beyond the tensor wraps
                room = out.bases.push_back(word) && room;
            }
        }
        out.in.push_back({"block", blocks_.size()});
        for (const Coord& block : blocks_) {
            std::uint64_t word = 0;
            for (int d = 0; d < rank_; ++d) {
                const auto piece = static_cast<std::uint64_t>(block[d]);
                if ((piece >> split_[d]) == 0) word |= piece << (block_bits(d) + first[d]);
            }
            room = out.bases.push_back(word) && room;
        }
        return room ? Error{} : detail::bits_capacity();
    }

    BlockBases blocks_;
    int rank_;
    int bits_[LinearLayout::max_dims]{}, split_[LinearLayout::max_dims]{}, taken_[LinearLayout::max_dims]{};
    InlineVector<BitImage, LinearLayout::max_bits> bases_[3]{};
    Error error_{};
};

/// The blocks' bases from how many blocks are along each dimension, into how many pieces they cut it, and which dimension is fastest:
///
///   along dimension d,  block b of `blocks[d]` has piece  b mod split[d]
///
/// Errors: those of the lists, and `errc::bad_extent` when there are more pieces than blocks.      [Triton, CTALayoutAttr]
constexpr Result<BlockBases> block_bases(const Shape& blocks, const Shape& split, const Shape& order) noexcept
{
    const int rank = blocks.size();
    if (const Status e = detail::check_sizes({blocks, "CTAsPerCGA has {0} entries, the tensor {1} dimensions",
                                              "entry {0} of CTAsPerCGA is {1}; it must be a power of two"},
                                             rank);
        !e.ok())
        return e;
    if (const Status e = detail::check_sizes({split, "CTASplitNum has {0} entries, the tensor {1} dimensions",
                                              "entry {0} of CTASplitNum is {1}; it must be a power of two"},
                                             rank);
        !e.ok())
        return e;
    if (const Status e = detail::check_order(order, rank); !e.ok()) return e;
    BlockBases out;
    for (int i = 0; i < rank; ++i) {
        const int d = static_cast<int>(order[i]);
        if (split[d] > blocks[d])
            return Error(errc::bad_extent, d, "dimension {0} is split into {1} pieces for only {2} blocks", d, split[d], blocks[d]);
        for (std::int64_t b = 1; b < blocks[d]; b *= 2) {
            Coord basis;
            for (int k = 0; k < rank; ++k) basis.push_back(k == d && b < split[d] ? b : 0);
            if (!out.push_back(basis)) return detail::block_capacity();
        }
    }
    return out;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
