// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_SCHEDULES_MATMUL_HPP
#define AXE_TARGET_TRAINIUM_SCHEDULES_MATMUL_HPP

#include <axe/target/trainium/schedules/chain.hpp>

/// A matrix product on the systolic array:  D[M, N] (+)= A[K, M]ᵀ · B[K, N],  K on the partitions of both operands in SBUF, M on the
/// partitions of the result in PSUM, N on its free dimension.      [Axe 3.4, App. H; AWS NKI, nki.isa.nc_matmul]
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// The operands of a nest for a product, and its dimensions; batch dimensions follow these.
enum ProductOperand : int { product_d, product_a, product_b };
enum ProductDim : int { dim_m, dim_n, dim_k, dim_batch };
constexpr const char* product_dim_name(int dim) noexcept
{
    constexpr const char* names[] = {"M", "N", "K"};
    return dim < dim_batch ? names[dim] : "a batch dimension";
}

/// Digits of a dimension that are one iter on F in this operand, from its smallest stride on, and on F in the other one, too.
inline std::vector<int> free_chain(const Nest& nest, int operand, int other, int dim)
{
    std::vector<int> chain;
    std::int64_t stride = 0;
    for (int d = 0; d < nest.count(); ++d)
        if (nest.at(d).dim == dim && !nest.on_p(d, operand) && nest.f(d, operand) != 0 &&
            (stride == 0 || magnitude(nest.f(d, operand)) < magnitude(stride)))
            stride = nest.f(d, operand);
    while (stride != 0) {
        int next = -1;
        for (int d = 0; d < nest.count() && next < 0; ++d)
            if (nest.at(d).dim == dim && !nest.on_p(d, operand) && !nest.on_p(d, other) && nest.f(d, operand) == stride &&
                std::find(chain.begin(), chain.end(), d) == chain.end())
                next = d;
        if (next < 0) break;
        chain.insert(chain.begin(), next);
        stride *= nest.at(next).extent;
    }
    return chain;
}

/// The nest of a product: batch dimensions, then rows and columns.
inline Result<Nest, Problem> product_nest(Request& request, bool swapped)
{
    const Operation& op = request.operation();
    const int rank = request.view(0).rank(), batch = rank - 2;
    if (rank < 2 || request.view(1).rank() != rank || request.view(2).rank() != rank)
        return declined(
            "the views of D, A and B have {0}, {1} and {2} dimensions; a product needs the same number of each, at least 2",
            {rank, request.view(1).rank(), request.view(2).rank()}, errc::rank_mismatch);
    const auto dims = [&](int m, int n, int k) {
        std::vector<int> out{m, n, k};
        for (int d = 0; d < batch; ++d) out.push_back(d);
        return out;
    };
    const int row = batch, col = batch + 1;
    auto d = place(request, request.view(0), "D"), a = place(request, request.view(1), "A"),
         b = place(request, request.view(2), "B");
    for (const auto* operand : {&d, &a, &b})
        if (!*operand) return operand->error();
    const auto d_dims = swapped ? dims(col, row, -1) : dims(row, col, -1);
    const auto a_dims = op.transpose_a ? dims(col, -1, row) : dims(row, -1, col);
    const auto b_dims = op.transpose_b ? dims(-1, row, col) : dims(-1, col, row);
    if (!swapped) return make_nest({*d, *a, *b}, {d_dims, a_dims, b_dims}, dim_batch + batch);
    // Dᵀ = Bᵀ·Aᵀ: B is the stationary operand, and its N is M.
    auto as_m = b_dims, as_n = a_dims;
    std::swap(as_m[dim_m], as_m[dim_n]);
    std::swap(as_n[dim_m], as_n[dim_n]);
    return make_nest({*d, *b, *a}, {d_dims, as_m, as_n}, dim_batch + batch);
}

/// Has the second dimension of D's matrix the partitions, and the first none of them?
inline bool columns_on_partitions(const Placed& d)
{
    const auto on_p = [&](int k) {
        for (const Digit& digit : d.dims[static_cast<std::size_t>(k)])
            if (digit.p != 0) return true;
        return false;
    };
    const int rank = d.view.rank();
    return rank >= 2 && on_p(rank - 1) && !on_p(rank - 2);
}

inline Result<void, Problem> check_product_operands(const Request& request)
{
    const DType d = request.tensor(0).dtype;
    const std::string name = operand_name(request, request.view(0), "D");
    if (!is_memory(request, request.view(0), "psum"))
        return declined("{0} is in {1}; the systolic array writes only psum", {name, request.tensor(0).memory});
    if (d != DType::f32) return declined("{0} is {1}; psum accumulates f32", {name, axe::name(d)});
    for (const int o : {1, 2}) {
        const DType t = request.tensor(o).dtype;
        const std::string operand = operand_name(request, request.view(o), o == 1 ? "A" : "B");
        if (!is_memory(request, request.view(o), "sbuf"))
            return declined("{0} is in {1}; the systolic array reads only sbuf", {operand, request.tensor(o).memory});
        if (t != DType::f32 && t != DType::tf32 && t != DType::f16 && t != DType::bf16 && t != DType::e4m3 && t != DType::e5m2)
            return declined("{0} is {1}; the systolic array multiplies f32, tf32, f16, bf16, e4m3 and e5m2",
                            {operand, axe::name(t)});
    }
    return {};
}

/// Digits that are where the systolic array cannot have them.
inline Result<void, Problem> check_product_digits(const Nest& nest)
{
    const char* message = "{0}: {1} has the iter {2}:{3}@{4}; there it must be on {5}";
    for (int d = 0; d < nest.count(); ++d) {
        const NestDigit& digit = nest.at(d);
        for (const int o : {product_a, product_b})
            if (digit.dim != dim_k && nest.on_p(d, o))
                return declined(message, {nest.operand(o).name, product_dim_name(digit.dim), digit.extent, nest.p(d, o), "P", "F"});
        if (digit.dim == dim_n && nest.on_p(d, product_d))
            return declined(message, {nest.operand(product_d).name, "N", digit.extent, nest.p(d, product_d), "P", "F"});
        if (digit.dim == dim_k && nest.p(d, product_a) != nest.p(d, product_b))
            return declined(
                "K has the iter of {0} values with the strides {1}@P in {2} and {3}@P in {4}; both must be on the same partitions",
                {digit.extent, nest.p(d, product_a), nest.operand(product_a).name, nest.p(d, product_b),
                 nest.operand(product_b).name});
        if (digit.dim != dim_k && nest.p(d, product_d) == 0 && nest.f(d, product_d) == 0)
            return declined("{0}: {1} has an iter of {2} values at one place; each must be written",
                            {nest.operand(product_d).name, product_dim_name(digit.dim), digit.extent});
    }
    return {};
}

/// The chains of the instruction, cut by the limits: K, then M, then N.      [Axe 3.4, K intersection, MN intersection, finalise]
inline Result<void, Problem> cut_product(const Request& request, const Nest& nest, Cut& cut)
{
    const Machine& machine = request.machine();
    const auto most_k = limit(machine, "nc_matmul.k"), most_m = limit(machine, "nc_matmul.m"),
               most_n = limit(machine, "nc_matmul.n"), bank = limit(machine, "psum.bank_bytes");
    for (const auto* number : {&most_k, &most_m, &most_n, &bank})
        if (!*number) return number->error();
    cut = singles(nest);
    const Placed &d = nest.operand(product_d), &a = nest.operand(product_a), &b = nest.operand(product_b);
    const auto extent = [&](int dim) {
        std::int64_t n = 1;
        for (const NestDigit& digit : nest.digits)
            if (digit.dim == dim) n *= digit.extent;
        return n;
    };

    std::vector<int> k = partition_chain(nest, {product_a, product_b}, dim_k);
    if (k.empty() && extent(dim_k) > 1) return declined("K has no iter of stride 1 on P in both {0} and {1}", {a.name, b.name});
    if (a.start_p != b.start_p)
        return declined("{0} starts at partition {1}, {2} at {3}; K must be on the same partitions of both",
                        {a.name, a.start_p, b.name, b.start_p});
    if (auto fault = cut_partitions(nest, cut, k, {product_a, product_b}, *most_k); !fault.ok()) return fault;

    std::vector<int> m = partition_chain(nest, {product_d}, dim_m);
    if (m.empty() && extent(dim_m) > 1) return declined("{0}: M has no iter of stride 1 on P", {d.name});
    if (auto fault = cut_partitions(nest, cut, m, {product_d}, *most_m); !fault.ok()) return fault;

    // One iter on F of the result or of the moving operand, whichever gives the larger instruction; the other walks a pattern.
    std::vector<int> n = free_chain(nest, product_d, product_b, dim_n), other = free_chain(nest, product_b, product_d, dim_n);
    if (std::min(extent_of(nest, other), *most_n) > std::min(extent_of(nest, n), *most_n)) n = std::move(other);
    cut.groups = {m, n, k};
    const std::int64_t per_bank = *bank / d.width, base = d.base / d.width;
    if (const auto& memory = request.memory(d.view); request.tensor(d.view).base < 0 && memory.alignment % *bank != 0)
        return declined("{0}: tensors in psum start at multiples of {1} bytes, so which bank of {2} they are in is not known",
                        {d.name, memory.alignment, *bank});
    if (d.base % d.width != 0) return declined("{0} is at byte {1}, which is not a multiple of {2}", {d.name, d.base, d.width});
    if (auto fault = cut_chain(nest, cut, n, *most_n,
                               [&](int outer, std::int64_t at, std::int64_t run, std::int64_t) {
                                   std::int64_t low = nest.f(outer, product_d) * at, high = low;
                                   const auto reach = [&](std::int64_t moved) { (moved < 0 ? low : high) += moved; };
                                   reach(nest.f(outer, product_d) * (run - 1));
                                   for (std::size_t i = 1; i < n.size(); ++i)
                                       reach(nest.f(n[i], product_d) * (nest.at(n[i]).extent - 1));
                                   for (const std::int64_t s : offsets(nest, cut, product_d, true, n))
                                       for (const std::int64_t f : d.starts_f)
                                           if ((base + f + s + low) / per_bank != (base + f + s + high) / per_bank) return false;
                                   std::vector<std::int64_t> extents(static_cast<std::size_t>(nest.count()), 1);
                                   for (const int digit : n)
                                       extents[static_cast<std::size_t>(digit)] = digit == outer ? run : nest.at(digit).extent;
                                   for (const int o : {product_d, product_b})
                                       if (!check_pattern(machine, nest, o, pattern(nest, o, n, extents)).ok()) return false;
                                   return true;
                               });
        !fault.ok())
        return fault;
    // The stationary operand walks M: while its pattern has too many dimensions, outer digits become loops.
    for (;; m.erase(m.begin())) {
        std::vector<std::int64_t> extents(static_cast<std::size_t>(nest.count()), 1);
        for (const int digit : m)
            for (const Chunk& c : cut.runs[static_cast<std::size_t>(digit)])
                extents[static_cast<std::size_t>(digit)] = std::max(extents[static_cast<std::size_t>(digit)], c.extent);
        Result<void, Problem> fault = check_pattern(machine, nest, product_a, pattern(nest, product_a, m, extents));
        if (fault.ok()) break;
        if (m.size() < 2) return fault;
        cut.runs[static_cast<std::size_t>(m.front())] = singles(nest).runs[static_cast<std::size_t>(m.front())];
        std::vector<int> rest(m.begin() + 1, m.end());
        if (auto start = cut_partitions(nest, cut, rest, {product_d}, *most_m); !start.ok()) return start;
    }
    cut.groups = {m, n, k};
    return {};
}

} // namespace detail::trainium

/// `nc_matmul` for D (+)= A·B with A and B in SBUF and D in PSUM: the largest instruction that the iters of the three layouts allow, and
/// loops over it written out, K innermost; the first step along K overwrites unless the operator accumulates.      [Axe 3.4, App. H]
///
/// The problem names the operand, the dimension and the iter or limit that prevents it. Where D has N on its partitions, the
/// operands change places. Cost: linear in the extents of the views and in the instructions.
inline Result<Body, Problem> emit_nc_matmul(Request& request)
{
    namespace trn = detail::trainium;
    const auto engine = trn::choose_engine(request, {trn::tensor_engine});
    if (!engine) return engine.error();
    if (auto fault = trn::check_options(request); !fault.ok()) return fault;
    if (auto fault = trn::check_product_operands(request); !fault.ok()) return fault;
    const auto d = trn::place(request, request.view(0), "D");
    if (!d) return d.error();
    const bool swapped = trn::columns_on_partitions(*d);
    const auto nest = trn::product_nest(request, swapped);
    if (!nest) return nest.error();
    if (auto fault = trn::check_product_digits(*nest); !fault.ok()) return fault;
    trn::Cut cut;
    if (auto fault = trn::cut_product(request, *nest, cut); !fault.ok()) return fault;

    std::vector<int> order, inner; // K fastest
    for (int i = 0; i < nest->count(); ++i) (nest->at(i).dim == trn::dim_k ? inner : order).push_back(i);
    const std::size_t outer = order.size();
    order.insert(order.end(), inner.begin(), inner.end());
    Body body;
    std::int64_t most[3] = {1, 1, 1};
    const Result<void, Problem> fault = trn::for_each_box(*nest, cut, order, [&](const std::vector<trn::Chunk>& at) {
        bool first = true;
        for (std::size_t o = outer; o < order.size(); ++o) first = first && at[static_cast<std::size_t>(order[o])].start == 0;
        for (std::size_t g = 0; g < 3; ++g) {
            std::int64_t n = 1;
            for (const int digit : cut.groups[g]) n *= at[static_cast<std::size_t>(digit)].extent;
            most[g] = std::max(most[g], n);
        }
        std::vector<View> views{trn::box(*nest, cut, trn::product_d, {trn::dim_m, trn::dim_n}, at),
                                trn::box(*nest, cut, trn::product_a, {trn::dim_k, trn::dim_m}, at),
                                trn::box(*nest, cut, trn::product_b, {trn::dim_k, trn::dim_n}, at)};
        const auto dims_of = [&](trn::ProductDim g) { return trn::box(*nest, cut, trn::product_d, {g}, at).rank(); };
        const bool plain = views[0].rank() == 2 && views[1].rank() == 2 && views[2].rank() == 2;
        Statement statement = trn::engine_statement("nc_matmul", "nc_matmul", *engine, std::move(views));
        auto& instruction = std::get<Instruction>(statement.what);
        instruction.parameters = {first && !request.operation().accumulate ? 0 : 1};
        if (!plain) {
            instruction.parameters.push_back(dims_of(trn::dim_m));
            instruction.parameters.push_back(dims_of(trn::dim_n));
        }
        body.push_back(std::move(statement));
    });
    if (!fault.ok()) return fault;
    request.decided(
        detail::worded("{0} nc_matmul of {1}x{2}x{3}", {static_cast<std::int64_t>(body.size()), most[0], most[1], most[2]}) +
        (swapped ? ", B stationary" : ""));
    return body;
}

} // namespace v0
} // namespace axe

#endif
