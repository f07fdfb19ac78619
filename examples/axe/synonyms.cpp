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
    {"topology", "mesh"},
    {"device-mesh", "mesh"},
    {"sub-mesh", "mesh"},
    {"redistribute", "reshard"},
    {"complete", "completion"},
    {"usage", "help"},
    {"man", "help"},
};

constexpr GroupSynonym group_words[] = {
    {"cute", "size", "show"},
    {"cute", "cosize", "show"},
    {"cute", "rank", "show"},
    {"cute", "depth", "show"},
    {"cute", "shape", "show"},
    {"cute", "print", "show"},
    {"cute", "transpose", "composition"},
    {"cute", "permute", "composition"},
    {"cute", "select", "composition"},
    {"cute", "compose", "composition"},
    {"cute", "divide", "logical-divide"},
    {"cute", "tile", "logical-divide"},
    {"cute", "local-tile", "zipped-divide"},
    {"cute", "product", "logical-product"},
    {"cute", "inverse", "right-inverse"},
    {"cute", "invert", "right-inverse"},
    {"cute", "simplify", "coalesce"},
    {"cute", "canonicalize", "coalesce"},
    {"cute", "evaluate", "eval"},
    {"cute", "vectorize", "max-common-vector"},
    {"cute", "partition", "to-tile"},
    {"linear", "transpose", "transpose-ins"},
    {"linear", "inverse", "invert"},
    {"linear", "composition", "compose"},
    {"linear", "divide", "divide-left"},
    {"linear", "multiply", "product"},
    {"linear", "evaluate", "eval"},
    {"linear", "apply", "eval"},
    {"linear", "print", "show"},
    {"map", "invert", "inverse"},
    {"map", "composition", "compose"},
    {"map", "canonicalize", "simplify"},
    {"map", "evaluate", "eval"},
    {"map", "size", "count"},
    {"map", "range", "image"},
    {"map", "codegen", "emit-c"},
    {"strides", "torch", "numpy"},
    {"strides", "pytorch", "numpy"},
    {"strides", "dlpack", "numpy"},
    {"strides", "mkldnn", "onednn"},
    {"strides", "cublas", "blas"},
    {"sharding", "reshard", "collective"},
    {"sharding", "redistribute", "collective"},
    {"sharding", "all-gather", "collective"},
    {"sharding", "all-reduce", "collective"},
    {"sharding", "all-to-all", "collective"},
    {"sharding", "shardy", "sdy"},
    {"sharding", "gspmd", "hlo"},
    {"sharding", "xla", "hlo"},
    {"sharding", "pytorch", "dtensor"},
    {"sharding", "torch", "dtensor"},
    {"sharding", "oneflow", "sbp"},
    {"sharding", "chunks", "boxes"},
    {"spyre", "evaluate", "eval"},
    {"spyre", "show", "layout"},
};

constexpr Synonym machine_words[] = {
    {"a100", "sm80"},      {"ampere", "sm80"},       {"sm-80", "sm80"},
    {"sm-8.0", "sm80"},    {"compute-80", "sm80"},   {"h100", "sm90"},
    {"h200", "sm90"},      {"h800", "sm90"},         {"gh200", "sm90"},
    {"hopper", "sm90"},    {"sm90a", "sm90"},        {"sm-90", "sm90"},
    {"sm-90a", "sm90"},    {"compute-90", "sm90"},   {"b200", "sm100a"},
    {"b100", "sm100a"},    {"gb200", "sm100a"},      {"blackwell", "sm100a"},
    {"sm100", "sm100a"},   {"v100", "sm70"},         {"volta", "sm70"},
    {"t4", "sm75+"},       {"turing", "sm75+"},      {"l4", "sm89+"},
    {"l40", "sm89+"},      {"l40s", "sm89+"},        {"ada", "sm89+"},
    {"rtx4090", "sm89+"},  {"mi300", "gfx942"},      {"mi300x", "gfx942"},
    {"mi300a", "gfx942"},  {"mi325x", "gfx942"},     {"cdna3", "gfx942"},
    {"rdna3", "gfx1100"},  {"rdna4", "gfx1200"},     {"inferentia2", "trn1"},
    {"inf2", "trn1"},      {"trainium", "trn1"},     {"trainium1", "trn1"},
    {"trainium2", "trn2"}, {"ascend", "ascend910b"}, {"m1", "apple-m1"},
    {"aiu", "spyre"},      {"ibm", "spyre"},         {"host", "cpu"},
    {"mi350", "gfx950"},   {"mi350x", "gfx950"},     {"mi355x", "gfx950"},
    {"cdna4", "gfx950"},   {"pvc", "xe-hpc"},        {"ponte-vecchio", "xe-hpc"},
    {"max1550", "xe-hpc"}, {"dpas", "xe-hpc"},       {"xmx", "xe-hpc"},
    {"b300", "sm100a"},    {"x86", "cpu"},           {"x86-64", "cpu"},
    {"arm", "cpu"},
};

/// In lower case, with `-` for `_`; empty where it is longer than any in a list.
std::string plain_word(std::string_view word)
{
    constexpr std::size_t longest = 32;
    std::string plain;
    if (word.size() > longest) return plain;
    for (const char c : word) plain += c == '_' || c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return plain;
}

} // namespace

std::span<const Synonym> operation_synonyms() { return operation_words; }
std::span<const Synonym> machine_synonyms() { return machine_words; }

std::string_view synonym(std::string_view group, std::string_view word)
{
    const std::string plain = plain_word(word);
    for (const GroupSynonym& s : group_words)
        if (s.group == group && s.word == plain) return s.meant;
    return {};
}

std::string_view synonym(std::span<const Synonym> list, std::string_view word)
{
    const std::string plain = plain_word(word);
    const std::string_view bare = std::string_view(plain).starts_with("is-") ? std::string_view(plain).substr(3) : plain;
    for (const Synonym& s : list)
        if (s.word == plain || s.word == bare) return s.meant;
    return {};
}

} // namespace axe_cli
