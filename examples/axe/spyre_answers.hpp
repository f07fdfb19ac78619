// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_SPYRE_ANSWERS_HPP
#define AXE_CLI_SPYRE_ANSWERS_HPP

#include "spyre_text.hpp"

#include <axe/map/indexing_map.hpp>

#include <vector>

namespace axe_cli {

// The whole reply of an operation on a tensor of Spyre.
void answer_storage(Reply& reply, const SpyreWords& words);
void answer_place(Reply& reply, const SpyreWords& words);
void answer_eval(Reply& reply, const SpyreWords& words, const Index& at);
void answer_equal(Reply& reply, const SpyreWords& a, const SpyreWords& b);
void answer_arrange(Reply& reply, const SpyreWords& words, axe::spyre::Arrangement arrangement);
void answer_coordinates(Reply& reply, const SpyreWords& words, const axe::IndexingMap& index);
void answer_dma(Reply& reply, const SpyreWords& words);
void answer_dci(Reply& reply, const SpyreWords& words, bool to_device);
void answer_restickify(Reply& reply, const SpyreWords& words, int dim);
void answer_view(Reply& reply, const SpyreWords& words, const Index& size, const Text& strides);

/// @param more  sizes of the other operands, then settings
void answer_divide(Reply& reply, const Text& formula, const SpyreType& type, const std::vector<Text>& more);
void answer_kernel(Reply& reply, const Text& formula, const SpyreType& type, const std::vector<Text>& more);

} // namespace axe_cli

#endif
