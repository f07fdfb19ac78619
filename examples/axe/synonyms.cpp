// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "synonyms.hpp"

#include <string>

namespace axe_cli {
namespace {

constexpr Synonym operation_words[] = {
    // to look at one
    {"size", "show"},
    {"shape", "show"},
    {"rank", "show"},
    {"info", "show"},
    {"inspect", "show"},
    {"describe", "show"},
    {"print", "show"},
    {"display", "show"},
    {"print-layout", "show"},
    {"evaluate", "eval"},
    {"apply", "eval"},
    {"at", "eval"},
    {"index", "eval"},
    {"where", "eval"},
    {"crd2idx", "eval"},
    {"idx2crd", "preimage"},
    {"find", "preimage"},
    {"lookup", "preimage"},
    {"contains", "preimage"},
    // to compare two
    {"eq", "equal"},
    {"equals", "equal"},
    {"same", "equal"},
    {"compare", "equal"},
    {"diff", "equal"},
    {"equivalent", "equal"},
    {"normalize", "canonicalize"},
    {"normalize", "canonicalize"},
    {"canonicalise", "canonicalize"},
    {"normal-form", "canonicalize"},
    {"one-to-one", "injective"},
    {"unique", "injective"},
    {"disjoint", "injective"},
    {"onto", "surjective"},
    {"exhaustive", "surjective"},
    {"permutation", "bijective"},
    // on a shape
    {"admits", "group"},
    {"subview", "slice"},
    {"subtensor", "slice"},
    {"extract-slice", "slice"},
    {"crop", "slice"},
    {"narrow", "slice"},
    {"region", "slice"},
    {"transpose", "permute"},
    {"swapaxes", "permute"},
    {"moveaxis", "permute"},
    {"permute-dims", "permute"},
    {"reorder", "permute"},
    {"flatten", "reshape"},
    {"ravel", "reshape"},
    {"expand", "broadcast"},
    {"unsqueeze", "broadcast"},
    {"expand-dims", "broadcast"},
    {"repeat", "broadcast"},
    {"replicate", "broadcast"},
    // to combine two
    {"product", "tile"},
    {"multiply", "tile"},
    {"kron", "tile"},
    {"divide", "untile"},
    {"division", "untile"},
    {"quotient", "untile"},
    {"add", "sum"},
    {"plus", "sum"},
    {"direct-sum", "sum"},
    {"subtract", "unsum-left"},
    {"minus", "unsum-left"},
    {"difference", "unsum-left"},
    {"after", "compose"},
    {"composition", "compose"},
    {"chain", "compose"},
    {"invert", "inverse"},
    {"inv", "inverse"},
    // axes
    {"restrict", "project"},
    {"per-thread", "local"},
    {"offset", "shift"},
    {"translate", "shift"},
    {"move", "shift"},
    {"merge-axes", "fuse"},
    {"join", "fuse"},
    {"unmerge", "split"},
    {"split-axis", "split"},
    {"fuse-axes", "fuse"},
    {"to-threads", "convert-axes"},
    {"extent", "span"},
    {"extents", "span"},
    {"footprint", "span"},
    {"cosize", "span"},
    {"vectorize", "max-vector"},
    {"vector", "max-vector"},
    {"alignment", "max-vector"},
    // the rest
    {"draw", "picture"},
    {"plot", "picture"},
    {"svg", "picture"},
    {"html", "picture"},
    {"visualize", "picture"},
    {"instructions", "atoms"},
    {"mma", "atoms"},
    {"targets", "machines"},
    {"hardware", "machines"},
    {"gpu", "machines"},
    {"simulate", "run"},
    {"examples", "run"},
    {"copy", "relayout"},
    {"convert", "relayout"},
    {"cutlass", "cute"},
    {"triton", "linear"},
    {"pytorch", "strides"},
    {"torch", "strides"},
    {"dlpack", "strides"},
    {"presburger", "map"},
    {"isl", "map"},
    {"affine", "map"},
    {"gspmd", "sharding"},
    {"shardy", "sharding"},
    {"mesh", "sharding"},
    {"complete", "completion"},
    {"usage", "help"},
    {"man", "help"},
};

constexpr Synonym machine_words[] = {
    {"a100", "sm80"},         {"ampere", "sm80"},   {"sm-80", "sm80"},       {"sm-8.0", "sm80"},     {"compute-80", "sm80"},
    {"h100", "sm90"},         {"h200", "sm90"},     {"h800", "sm90"},        {"gh200", "sm90"},      {"hopper", "sm90"},
    {"sm90a", "sm90"},        {"sm-90", "sm90"},    {"sm-90a", "sm90"},      {"compute-90", "sm90"}, {"b200", "sm100a"},
    {"b100", "sm100a"},       {"gb200", "sm100a"},  {"blackwell", "sm100a"}, {"sm100", "sm100a"},    {"v100", "sm70"},
    {"volta", "sm70"},        {"t4", "sm75+"},      {"turing", "sm75+"},     {"l4", "sm89+"},        {"l40", "sm89+"},
    {"l40s", "sm89+"},        {"ada", "sm89+"},     {"rtx4090", "sm89+"},    {"mi300", "gfx942"},    {"mi300x", "gfx942"},
    {"mi300a", "gfx942"},     {"mi325x", "gfx942"}, {"cdna3", "gfx942"},     {"rdna3", "gfx1100"},   {"rdna4", "gfx1200"},
    {"inferentia2", "trn1"},  {"inf2", "trn1"},     {"trainium", "trn1"},    {"trainium1", "trn1"},  {"trainium2", "trn2"},
    {"ascend", "ascend910b"}, {"m1", "apple-m1"},   {"aiu", "spyre"},        {"ibm", "spyre"},       {"host", "cpu"},
    {"x86", "cpu"},           {"x86-64", "cpu"},    {"arm", "cpu"},
};

} // namespace

std::span<const Synonym> operation_synonyms() { return operation_words; }
std::span<const Synonym> machine_synonyms() { return machine_words; }

std::string_view synonym(std::span<const Synonym> list, std::string_view word)
{
    constexpr std::size_t longest = 32;
    if (word.size() > longest) return {};
    std::string plain;
    for (const char c : word) plain += c == '_' || c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::string_view bare = std::string_view(plain).starts_with("is-") ? std::string_view(plain).substr(3) : plain;
    for (const Synonym& s : list)
        if (s.word == plain || s.word == bare) return s.meant;
    return {};
}

} // namespace axe_cli
