// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions of simplify.cpp and equal.cpp to ISL, where it is (apt-get install libisl-dev): maps read once, copied for each question.
#if defined(AXE_ISL)
#  include <benchmark/benchmark.h>

#  include <isl/aff.h>
#  include <isl/ctx.h>
#  include <isl/map.h>

namespace {

constexpr const char* composed =
    "{ [d0, d1, d2] -> [floor((24*floor((60*d0 + 3*d1 + d2)/24) + (60*d0 + 3*d1 + d2) mod 24)/30), "
    "floor((24*floor((60*d0 + 3*d1 + d2)/24) + (60*d0 + 3*d1 + d2) mod 24)/5) mod 6, "
    "(24*floor((60*d0 + 3*d1 + d2)/24) + (60*d0 + 3*d1 + d2) mod 24) mod 5] : 0 <= d0 <= 1 and 0 <= d1 <= 19 and 0 <= d2 <= 2 }";
constexpr const char* direct = "{ [d0, d1, d2] -> [floor((60*d0 + 3*d1 + d2)/30), floor((60*d0 + 3*d1 + d2)/5) mod 6, "
                               "(60*d0 + 3*d1 + d2) mod 5] : 0 <= d0 <= 1 and 0 <= d1 <= 19 and 0 <= d2 <= 2 }";
constexpr const char* bitcast = "{ [d0, d1] -> [786432*floor(d0/1536) + 768*(floor((2*d0 + floor(d1/64))/3) mod 1024) + "
                                "256*((2*d0 + floor(d1/64)) mod 3) + 4*(d1 mod 64)] : 0 <= d0 <= 3071 and 0 <= d1 <= 127 }";
constexpr const char* bitcast_linear = "{ [d0, d1] -> [512*d0 + 4*d1] : 0 <= d0 <= 3071 and 0 <= d1 <= 127 }";
constexpr const char* split = "{ [d0, d1] -> [128*(d0 mod 8) + d1 + 1024*floor(d0/8)] : 0 <= d0 <= 1023 and 0 <= d1 <= 127 }";
constexpr const char* split_linear = "{ [d0, d1] -> [128*d0 + d1] : 0 <= d0 <= 1023 and 0 <= d1 <= 127 }";
constexpr const char* slide =
    "{ [d0, d1] -> [-floor((109 - 11*d0 - d1)/11) + 9, 11*d0 + d1 + 11*floor((109 - 11*d0 - d1)/11) - 99] : "
    "0 <= d0 <= 7 and 0 <= d1 <= 8 }";
constexpr const char* two_reshapes = "{ [d0, d1, d2] -> [24*floor((60*d0 + 3*d1 + d2)/24) + (60*d0 + 3*d1 + d2) mod 24] : "
                                     "0 <= d0 <= 1 and 0 <= d1 <= 19 and 0 <= d2 <= 2 }";

void is_equal(benchmark::State& state, const char* f, const char* g)
{
    isl_ctx* const context = isl_ctx_alloc();
    isl_map* const x = isl_map_read_from_str(context, f);
    isl_map* const y = isl_map_read_from_str(context, g);
    for (auto _ : state)
        if (isl_map_is_equal(x, y) != isl_bool_true) state.SkipWithError("wrong");
    isl_map_free(x);
    isl_map_free(y);
    isl_ctx_free(context);
}
/// The expression of a map's results, from the relation.
void as_expression(benchmark::State& state, const char* f)
{
    isl_ctx* const context = isl_ctx_alloc();
    isl_map* const x = isl_map_read_from_str(context, f);
    for (auto _ : state) isl_pw_multi_aff_free(isl_pw_multi_aff_from_map(isl_map_copy(x)));
    isl_map_free(x);
    isl_ctx_free(context);
}

void isl_equal_two_reshapes(benchmark::State& state) { is_equal(state, composed, direct); }
void isl_equal_bitcast(benchmark::State& state) { is_equal(state, bitcast, bitcast_linear); }
void isl_equal_split(benchmark::State& state) { is_equal(state, split, split_linear); }
void isl_simplify_slide(benchmark::State& state) { as_expression(state, slide); }
void isl_simplify_two_reshapes(benchmark::State& state) { as_expression(state, two_reshapes); }
BENCHMARK(isl_equal_two_reshapes);
BENCHMARK(isl_equal_bitcast);
BENCHMARK(isl_equal_split);
BENCHMARK(isl_simplify_slide);
BENCHMARK(isl_simplify_two_reshapes);

} // namespace
#endif
