// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_SPYRE_TEXT_HPP
#define AXE_CLI_SPYRE_TEXT_HPP

#include "answers.hpp"

#include <axe/interop/strides/padded.hpp>
#include <axe/target/spyre/compiler/restickify.hpp>

#include <optional>
#include <string>

namespace axe_cli {

/// Reads `float16`, `torch.float16`, or a format of the device, `SEN169_FP16`, which the host has as well.
axe::Result<axe::spyre::TorchType> parse_spyre_type(axe::TextView given);

/// Reads `STANDARD`, `QFP8WT` and the other orders inside sticks.
axe::Result<axe::spyre::Arrangement> parse_spyre_arrangement(axe::TextView given);

/// Reads `(15000,150,1)` or `(15000,150,1) + 7`, strides and the offset of the first element.
axe::Result<axe::Strided> parse_spyre_strides(axe::TextView given);

/// Reads `(1,0,2)` or `(0,1,-1)`.
axe::Result<axe::spyre::DimOrder> parse_spyre_order(axe::TextView given);

using SpyreType = Parsed<parse_spyre_type>;

/// What a tensor is made of in a request: `(5,100,150)`, then its type, then what may be `-`, or left out at the end.
struct SpyreWords {
    const Index& size;
    const SpyreType& type;
    const std::optional<Text>& order;   ///< `(1,0,2)`, or an explicit layout: `device_size=[…] stride_map=[…]`
    const std::optional<Text>& strides; ///< on the host
};

/// Sizes and strides on the host. Nothing when they cannot be read: that is the reply then.
std::optional<axe::Strided> read_host(Reply& reply, const Index& size, const std::optional<Text>& strides);

/// The order of the dimensions, by default where there is none or a layout instead. Likewise.
std::optional<axe::spyre::DimOrder> read_order(Reply& reply, const SpyreWords& words);

/// The tensor. Likewise.
std::optional<axe::spyre::Tensor> read_tensor(Reply& reply, const SpyreWords& words);

/// A further part of the answer: a line where it has several, else behind a semicolon.
void add_part(Reply& reply, std::string_view part);

/// What the tensor is as a layout of addresses, as a further part and as the member `axe` of the JSON object: on PyTorch's indices,
/// padded; where those have none, with the dimensions merged that lie like one; else on the device's own coordinates.
void add_axe(Reply& reply, const axe::spyre::Tensor& tensor);
/// The same on the device's own coordinates, which every layout has.
void add_device_axe(Reply& reply, const axe::spyre::Tensor& tensor);
/// The same of a layout that there is already.
void add_axe(Reply& reply, const axe::Padded& padded, std::string_view indices = {});

/// The same for a reader, and as a member: a line of a batch stays what a script reads on.
template <class T>
void add_axe_aside(Reply& reply, const T& value)
{
    const std::string text = reply.text;
    add_axe(reply, value);
    if (reply.form != Form::page) reply.text = text;
}

/// `(5,100,3,64):(…) on (5,100,192); of which [0:5, 0:100, 0:150]`
std::string text_of(const axe::Padded& padded);

/// Members of the JSON object: device_size, stride_map, format, arrangement.
void write_members(JsonWriter& json, const axe::SpyreLayout& layout);

/// The whole reply from a tensor: the text of its layout, and what it is as a layout of addresses.
void give(Reply& reply, const axe::spyre::Tensor& tensor);

} // namespace axe_cli

#endif
