// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_RELAYOUT_CASES_HPP
#define AXE_BENCH_RELAYOUT_CASES_HPP

/// What is copied, once, as data: everything else (loops, peers' dimensions, goals in the report) is derived from here.
namespace bench {

/// A share of memcpy's bandwidth by one thread and by two; 0 where there is none.
struct Shares {
    double one, two;
};

struct Case {
    const char* name;
    const char* words;
    const char* type;
    int element_bytes;
    const char *shape, *dst, *src; ///< in Axe's notation, in elements
    Shares goal;
    double goal_ns;        ///< of one run by one thread; 0 where the goal is a share
    Shares best;           ///< the best peer measured elsewhere, with the version and the settings of that place
    const char* best_name; ///< who that was
};

// clang-format off
inline constexpr Case cases[] = {
    {"transpose_4096", "transpose 4096²", "f32", 4,
     "(4096,4096)", "(4096,4096):(1,4096)", "(4096,4096):(4096,1)",
     {0.85, 0.95}, 0, {0.84, 1.02}, "by hand, AVX-512"},
    {"transpose_8192", "transpose 8192²", "f32", 4,
     "(8192,8192)", "(8192,8192):(1,8192)", "(8192,8192):(8192,1)",
     {0.65, 0.95}, 0, {0.67, 0}, "by hand, AVX-512"},
    {"nhwc_to_nchw", "nhwc → nchw, 64×56×56×64", "f32", 4,
     "(64,56,56,64)", "(64,56,56,64):(200704,56,1,3136)", "(64,56,56,64):(200704,3584,64,1)",
     {1.0, 1.0}, 0, {1.01, 0.83}, "HPTT"},
    {"nchw_to_nhwc", "nchw → nhwc, 64×64×56×56", "f32", 4,
     "(64,64,56,56)", "(64,64,56,56):(200704,1,3584,64)", "(64,64,56,56):(200704,3136,56,1)",
     {1.0, 1.0}, 0, {0.86, 0.95}, "HPTT"},
    {"reverse_4d", "64×56×56×64, order 3,2,1,0", "f32", 4,
     "(64,56,56,64)", "(64,56,56,64):(1,64,3584,200704)", "(64,56,56,64):(200704,3584,64,1)",
     {0.70, 1.05}, 0, {0.64, 1.04}, "HPTT"},
    {"nchw_to_nChw16c", "nchw → nChw16c, 64×64×56×56", "f32", 4,
     "(64,64,56,56)", "(64,4,16,56,56):(200704,50176,1,896,16)", "(64,64,56,56):(200704,3136,56,1)",
     {1.05, 1.3}, 0, {1.05, 1.31}, "HPTT"},
    {"sticks", "rows of 4096² → 128-byte sticks", "f32", 4,
     "(4096,4096)", "(4096,128,32):(32,131072,1)", "(4096,4096):(4096,1)",
     {0.80, 1.0}, 0, {0.81, 1.20}, "by hand, AVX-512"},
    {"sticks", "rows of 4096² → 128-byte sticks", "f16", 2,
     "(4096,4096)", "(4096,64,64):(64,262144,1)", "(4096,4096):(4096,1)",
     {0.90, 1.0}, 0, {0.94, 1.17}, "by hand, AVX-512"},
    {"order_210", "1000×1003×7, order 2,1,0", "f32", 4,
     "(1000,1003,7)", "(1000,1003,7):(1,1000,1003000)", "(1000,1003,7):(7021,7,1)",
     {0.50, 0.80}, 0, {0.25, 0.34}, "Eigen"},
    {"order_120", "1000×1003×7, order 1,2,0", "f32", 4,
     "(1000,1003,7)", "(1000,1003,7):(1,7000,1000)", "(1000,1003,7):(7021,7,1)",
     {0.50, 0.80}, 0, {0.27, 0.53}, "HPTT"},
    {"transpose_4096", "transpose 4096²", "f16", 2,
     "(4096,4096)", "(4096,4096):(1,4096)", "(4096,4096):(4096,1)",
     {0.75, 0.95}, 0, {0.57, 1.06}, "by hand, AVX-512"},
    {"small_transpose", "40×25 transposed, plan kept", "f32", 4,
     "(40,25)", "(40,25):(1,40)", "(40,25):(25,1)",
     {0, 0}, 110, {0, 0}, ""},
    {"small_reverse", "10×10×10, order 2,1,0, plan kept", "f32", 4,
     "(10,10,10)", "(10,10,10):(1,10,100)", "(10,10,10):(100,10,1)",
     {0, 0}, 110, {0, 0}, ""},
};
// clang-format on

} // namespace bench

#endif
