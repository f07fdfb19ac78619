// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_OPCODES_NC_MATMUL_HPP
#define AXE_TARGET_TRAINIUM_OPCODES_NC_MATMUL_HPP

#include <axe/sim/opcodes/tile_product.hpp>
#include <axe/target/trainium/opcodes/partitions.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

namespace detail_nc_matmul {

inline constexpr const char* rows_apart =
    "{0} multiplies row {1} of {2}, on partition {3}, by that of {4}, on partition {5}; K must be on the same partitions";
inline constexpr const char* row_bent =
    "{0} multiplies {1} ({2}), and its row begins on partition {3}; of both operands K alone moves over the partitions";
inline constexpr const char* banks_apart =
    "{0} writes {1} ({2}, bank {3}), and its first element is in bank {4}; a product is written to one bank";
inline constexpr std::size_t columns = 32; ///< of D, which are done together

/// D += Aᵀ·B, A [k, m], B [k, n], D [m, n], n a multiple of `columns`; each element one chain, k ascending.
struct Product {
    const float* a = nullptr;
    const float* b = nullptr;
    float* d = nullptr;
    std::size_t m = 0, n = 0, k = 0;
};

template <class Width>
[[gnu::always_inline]] inline void product(const Product& p)
{
    typedef typename Width::Vector Vector;
    constexpr std::size_t width = sizeof(Vector) / sizeof(float), vectors = columns / width;
    for (std::size_t j = 0; j < p.n; j += columns)
        for (std::size_t i = 0; i < p.m; ++i) {
            Vector sum[vectors];
            AXE_UNROLL
            for (std::size_t v = 0; v < vectors; ++v) sum[v] = *reinterpret_cast<const Vector*>(p.d + i * p.n + j + width * v);
            for (std::size_t l = 0; l < p.k; ++l) {
                const float left = p.a[l * p.m + i];
                const float* row = p.b + l * p.n + j;
                AXE_UNROLL
                for (std::size_t v = 0; v < vectors; ++v) sum[v] += left * *reinterpret_cast<const Vector*>(row + width * v);
            }
            AXE_UNROLL
            for (std::size_t v = 0; v < vectors; ++v) *reinterpret_cast<Vector*>(p.d + i * p.n + j + width * v) = sum[v];
        }
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
[[gnu::target("avx2,fma"), gnu::noinline]] inline void product_avx2(const Product& p) { product<tile::Eight>(p); }
[[gnu::noinline]] inline void product_any(const Product& p) { product<tile::Four>(p); }
inline void run(const Product& p) { tile::is_wide() ? product_avx2(p) : product_any(p); }
#else
inline void run(const Product& p) { product<tile::Four>(p); }
#endif

} // namespace detail_nc_matmul

/// `nc_matmul` D[M…, N…], A[K…, M…], B[K…, N…] with parameters {accumulate, dimensions of M, dimensions of N}, the last two 1 where
/// they are left out: D = (D +) Σ_k A[k, m]·B[k, n], in f32, k ascending, one rounding to D's type.      [AWS NKI, nki.isa.nc_matmul]
///
/// K on the partitions of A and B, the same of both; M on those of D; N within one bank of D's memory. More than the machine's
/// numbers is a problem before the run; what the places come to, a fault of it.
class NcMatmul : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<NcMatmul>();
        if (auto problem = check_boxes(p, *e, 3, 3, true); !problem.ok()) return problem;
        if (auto problem = e->read_shapes(p); !problem.ok()) return problem;
        const char* names[] = {"nc_matmul.m", "nc_matmul.n", "nc_matmul.k"};
        const std::int64_t asked[] = {e->m_, e->n_, e->k_};
        for (int i = 0; i < 3; ++i) {
            const auto most = machine_limit(p, names[i]);
            if (!most) return most.error();
            if (asked[i] > *most)
                return p.refuse("{0} is {1}; at most {2} ({3})", {std::string(1, "MNK"[i]), asked[i], *most, names[i]},
                                errc::capacity);
        }
        const auto bank = machine_limit(p, "psum.bank_bytes");
        if (!bank) return bank.error();
        e->bank_bytes_ = *bank;
        for (std::size_t k = 0; k < 3; ++k) {
            if (p.plan(k).pitch == 0)
                return p.refuse("{0} is in {1}, which has no partitions", {p.plan(k).name(), p.plan(k).tensor->memory});
            if (!is_float(p.plan(k).tensor->dtype) || p.plan(k).tensor->dtype == DType::f64)
                return p.refuse("{0} is {1}, a type that nc_matmul does not multiply",
                                {p.plan(k).name(), name(p.plan(k).tensor->dtype)});
        }
        if (!p.plan(0).memory->roles.has(Role::accumulator))
            return p.refuse("{0} is in {1}; the result must be in the memory of accumulators",
                            {p.plan(0).name(), p.plan(0).tensor->memory});
        e->exact_ = bits(p.plan(1).tensor->dtype) <= 19 && bits(p.plan(2).tensor->dtype) <= 19;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        Engine engine(block, *this, agent);
        engine.count_issue();
        const BoxSide d = engine.side(0), a = engine.side(1), b = engine.side(2);
        std::vector<float> left, right, sums(static_cast<std::size_t>(m_ * n_), 0.0f);
        std::vector<std::int64_t> rows_a, rows_b;
        if (!load(engine, a, 1, left, rows_a, m_) || !load(engine, b, 2, right, rows_b, n_)) return false;
        for (std::size_t k = 0; k < rows_a.size() && engine.full(); ++k)
            if (rows_a[k] >= 0 && rows_b[k] >= 0 && rows_a[k] != rows_b[k])
                return engine.refuse(FaultKind::wrong_owner,
                                     detail::worded(detail_nc_matmul::rows_apart,
                                                    {engine.who(), k, a.plan->name(), rows_a[k], b.plan->name(), rows_b[k]}));
        if (!accumulators(engine, d, sums)) return false;
        multiply(left, right, sums);
        engine.count_operations(2 * m_ * n_ * k_, false);
        return walk(d.view->extents, &d, 1, [&](const Stretch& s) {
            for (std::int64_t i = 0; i < s.n && s.at[0].inside; ++i)
                engine.store(d, s.at[0](i),
                             encode(d.plan->tensor->dtype, static_cast<double>(sums[static_cast<std::size_t>(s.index + i)])));
            return true;
        });
    }

  private:
    Result<void, Problem> read_shapes(const Preparation& p)
    {
        const auto& parameters = p.instruction->parameters;
        if (parameters.empty() || parameters[0] < 0 || parameters[0] > 1 || (parameters.size() != 1 && parameters.size() != 3))
            return p.refuse("the parameters must be accumulate, 0 or 1, and optionally the numbers of dimensions of M and N");
        accumulate_ = parameters[0] == 1;
        const Shape &d = p.instruction->operands[0].view.extents, &a = p.instruction->operands[1].view.extents,
                    &b = p.instruction->operands[2].view.extents;
        const int of_m = parameters.size() > 1 ? static_cast<int>(parameters[1]) : 1,
                  of_n = parameters.size() > 1 ? static_cast<int>(parameters[2]) : 1;
        const int of_k = a.size() - of_m;
        if (of_m < 0 || of_n < 0 || of_k < 0 || d.size() != of_m + of_n || b.size() != of_k + of_n)
            return p.refuse(
                "the operands have {0}, {1} and {2} dimensions; with {3} of M and {4} of N they must be [M, N], [K, M], [K, N]",
                {d.size(), a.size(), b.size(), of_m, of_n}, errc::rank_mismatch);
        const auto differ = [&](const char* what) {
            return p.refuse("the operands have different extents of {0}", {what}, errc::size_mismatch);
        };
        for (int i = 0; i < of_m; ++i) {
            if (d[i] != a[of_k + i]) return differ("M");
            m_ *= d[i];
        }
        for (int i = 0; i < of_n; ++i) {
            if (d[of_m + i] != b[of_k + i]) return differ("N");
            n_ *= d[of_m + i];
        }
        for (int i = 0; i < of_k; ++i) {
            if (a[i] != b[i]) return differ("K");
            k_ *= a[i];
        }
        return {};
    }

    /// The operand's elements as numbers, and the partition of each row.
    bool load(Engine& engine, const BoxSide& side, std::size_t operand, std::vector<float>& out, std::vector<std::int64_t>& rows,
              std::int64_t columns) const
    {
        const TensorPlan& plan = *side.plan;
        out.resize(static_cast<std::size_t>(k_ * columns));
        rows.assign(static_cast<std::size_t>(k_), -1);
        engine.count(operand, 1, 0);
        std::int64_t first = 0, last = -1;
        const std::byte* data = engine.data(side);
        const bool done = walk(side.view->extents, &side, 1, [&](const Stretch& s) {
            bool is_there = true;
            if (!engine.reach(side, s, s.at[0], is_there)) return false;
            if (!is_there) return true;
            if (!engine.read(side, s, s.at[0])) return false;
            engine.count(operand, 0, s.n * plan.width);
            for (std::int64_t i = 0; i < s.n; ++i) {
                const std::int64_t place = s.at[0](i), on = (place + plan.low) / plan.pitch;
                out[static_cast<std::size_t>(s.index + i)] =
                    static_cast<float>(decode(plan.tensor->dtype, load_bits(data + place * plan.width, plan.width)));
                std::int64_t& row = rows[static_cast<std::size_t>((s.index + i) / columns)];
                if (row < 0) row = on;
                if (row != on)
                    return engine.refuse(FaultKind::wrong_owner,
                                         detail::worded(detail_nc_matmul::row_bent, {engine.who(), side.element_text(s.index + i),
                                                                                     plan.place_text(place), row}));
                first = last < 0 ? on : std::min(first, on);
                last = std::max(last, on);
            }
            return true;
        });
        return done && starts_rightly(engine, plan, first, last);
    }

    /// D's elements checked, and, where they are to be added to, read.
    bool accumulators(Engine& engine, const BoxSide& d, std::vector<float>& sums) const
    {
        const TensorPlan& plan = *d.plan;
        engine.count(0, 1, 0);
        std::int64_t bank = -1, first = 0, last = -1;
        const std::byte* data = engine.data(d);
        const bool done = walk(d.view->extents, &d, 1, [&](const Stretch& s) {
            bool is_there = true;
            if (!engine.reach(d, s, s.at[0], is_there)) return false;
            if (!is_there) return true;
            if (accumulate_) {
                if (!engine.read(d, s, s.at[0])) return false;
                engine.count_read_back(s.n * plan.width);
            }
            if (!engine.write(d, s, s.at[0])) return false;
            engine.count(0, 0, s.n * plan.width);
            for (std::int64_t i = 0; i < s.n; ++i) {
                const std::int64_t place = s.at[0](i), at = place + plan.low;
                const std::int64_t here = (plan.base + at % plan.pitch * plan.width) / bank_bytes_, on = at / plan.pitch;
                if (bank < 0) bank = here;
                if (here != bank)
                    return engine.refuse(FaultKind::misaligned,
                                         detail::worded(detail_nc_matmul::banks_apart, {engine.who(), d.element_text(s.index + i),
                                                                                        plan.place_text(place), here, bank}));
                first = last < 0 ? on : std::min(first, on);
                last = std::max(last, on);
                if (accumulate_)
                    sums[static_cast<std::size_t>(s.index + i)] =
                        static_cast<float>(decode(plan.tensor->dtype, load_bits(data + place * plan.width, plan.width)));
            }
            return true;
        });
        return done && starts_rightly(engine, plan, first, last);
    }

    void multiply(const std::vector<float>& left, const std::vector<float>& right, std::vector<float>& sums) const
    {
        const auto m = static_cast<std::size_t>(m_), n = static_cast<std::size_t>(n_), k = static_cast<std::size_t>(k_);
        if (!exact_) { // in f64, so that it does not matter whether a multiply-add is fused
            for (std::size_t i = 0; i < m; ++i)
                for (std::size_t l = 0; l < k; ++l)
                    for (std::size_t j = 0; j < n; ++j)
                        sums[i * n + j] =
                            static_cast<float>(static_cast<double>(sums[i * n + j]) +
                                               static_cast<double>(left[l * m + i]) * static_cast<double>(right[l * n + j]));
            return;
        }
        const std::size_t padded = (n + tile_columns - 1) / tile_columns * tile_columns;
        std::vector<float> b(k * padded), d(m * padded);
        for (std::size_t l = 0; l < k; ++l) std::copy_n(right.data() + l * n, n, b.data() + l * padded);
        for (std::size_t i = 0; i < m; ++i) std::copy_n(sums.data() + i * n, n, d.data() + i * padded);
        detail_nc_matmul::run({left.data(), b.data(), d.data(), m, padded, k});
        for (std::size_t i = 0; i < m; ++i) std::copy_n(d.data() + i * padded, n, sums.data() + i * n);
    }

    static constexpr std::size_t tile_columns = detail_nc_matmul::columns;
    std::int64_t m_ = 1, n_ = 1, k_ = 1, bank_bytes_ = 0;
    bool accumulate_ = false;
    bool exact_ = false; ///< products of the operands' elements, in f32
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
