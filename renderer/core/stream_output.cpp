// SPDX-License-Identifier: MIT
// Limits: D3D11_SO_STREAM_COUNT, D3D11_SO_BUFFER_SLOT_COUNT, D3D11_SO_BUFFER_MAX_STRIDE_IN_BYTES and
// D3D11_SO_OUTPUT_COMPONENT_COUNT of d3d11.h; entries: D3D11.3 functional specification, 14.3.
#include "renderer/core/stream_output.h"

#include <algorithm>
#include <bit>

#include "renderer/base/component_mask.h"

namespace aerogpu::core {

namespace {

constexpr uint32_t kStreams = 4, kRegisters = 32, kMaxStride = 2048;
constexpr size_t kMaxElements = 512;      // 128 scalars of each of four streams
constexpr uint32_t kMaxComponents = 128;  // of one stream

/// Checks an element alone: SO-3.
Result<void> checkElement(const aerogpu_ext_stream_element& e, size_t i) {
  if (e.stream >= kStreams || e.output_slot >= kMaxStreamTargets)
    return refused(ErrorCode::CmdDecode, "no such stream, or no such slot of stream output",
                   {{"element", i}, {"stream", e.stream}, {"output_slot", e.output_slot}});
  if (e.mask == 0 || e.mask > 15 || withoutGaps(e.mask) != e.mask)
    return refused(ErrorCode::CmdDecode, "mask of a streamed element names no components, or has gaps",
                   {{"element", i}, {"mask", e.mask}});
  const bool gap = e.register_index == AEROGPU_EXT_STREAM_GAP;
  if (!gap && e.register_index >= kRegisters)
    return refused(ErrorCode::CmdDecode, "no such register to stream out",
                   {{"element", i}, {"register_index", e.register_index}, {"of", kRegisters}});
  if (gap && !(e.mask & 1))
    return refused(ErrorCode::CmdDecode, "a gap that does not begin with x",
                   {{"element", i}, {"mask", e.mask}});
  if (e.stream != 0)
    return refused(ErrorCode::Backend, "streams other than the first are not supported",
                   {{"element", i}, {"stream", e.stream}});
  return {};
}

/// Checks the strides against the bytes that elements take: SO-4.
Result<void> checkStrides(const aerogpu_cmd_ext_set_stream_output& packet,
                          const std::array<uint32_t, kMaxStreamTargets>& taken) {
  for (uint32_t slot = 0; slot < kMaxStreamTargets; ++slot) {
    const uint32_t stride = packet.stride_bytes[slot];
    if (stride % 4 != 0 || stride > kMaxStride || stride < taken[slot])
      return refused(
          ErrorCode::CmdDecode, "stride that stream output cannot have",
          {{"output_slot", slot}, {"stride_bytes", stride}, {"bytes", taken[slot]}, {"limit", kMaxStride}});
  }
  return {};
}

}  // namespace

Result<StreamOutput> streamOutputFrom(const aerogpu_cmd_ext_set_stream_output& packet,
                                      std::span<const aerogpu_ext_stream_element> elements) {
  StreamOutput output;
  if (packet.rasterized_stream != AEROGPU_EXT_STREAM_NONE && packet.rasterized_stream >= kStreams)
    return refused(ErrorCode::CmdDecode, "no such stream to rasterize",
                   {{"rasterized_stream", packet.rasterized_stream}});
  if (packet.rasterized_stream != AEROGPU_EXT_STREAM_NONE && packet.rasterized_stream != 0)
    return refused(ErrorCode::Backend, "streams other than the first are not rasterized",
                   {{"rasterized_stream", packet.rasterized_stream}});
  output.rasterizes = packet.rasterized_stream == 0;
  if (elements.size() > kMaxElements)
    return refused(ErrorCode::CmdDecode, "stream output with too many elements",
                   {{"element_count", elements.size()}, {"limit", kMaxElements}});
  std::array<uint32_t, kMaxStreamTargets> taken{};
  uint32_t components = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    const aerogpu_ext_stream_element& e = elements[i];
    if (auto checked = checkElement(e, i); !checked) return checked.error();
    const bool gap = e.register_index == AEROGPU_EXT_STREAM_GAP;
    const auto count = static_cast<uint32_t>(std::popcount(uint32_t{e.mask}));
    taken[e.output_slot] += count * 4;
    components += gap ? 0 : count;
    output.slots |= gap ? 0 : 1u << e.output_slot;
    output.elements.push_back({static_cast<uint8_t>(e.output_slot),
                               gap ? StreamElement::kGap : static_cast<uint8_t>(e.register_index),
                               static_cast<uint8_t>(e.mask)});
  }
  if (components > kMaxComponents)
    return refused(ErrorCode::CmdDecode, "stream output of too many components",
                   {{"components", components}, {"limit", kMaxComponents}});
  if (auto checked = checkStrides(packet, taken); !checked) return checked.error();
  std::ranges::copy(packet.stride_bytes, output.strides.begin());
  return output;
}

aerogpu_cmd_ext_set_stream_output packetOf(const StreamOutput& output) {
  aerogpu_cmd_ext_set_stream_output packet{};
  packet.rasterized_stream = output.rasterizes ? 0 : AEROGPU_EXT_STREAM_NONE;
  std::ranges::copy(output.strides, packet.stride_bytes);
  return packet;
}

std::vector<aerogpu_ext_stream_element> elementsOf(const StreamOutput& output) {
  std::vector<aerogpu_ext_stream_element> elements;
  for (const StreamElement& e : output.elements)
    elements.push_back({0, e.slot, e.reg == StreamElement::kGap ? AEROGPU_EXT_STREAM_GAP : e.reg, e.mask});
  return elements;
}

uint64_t mostStreamedBytes(const DrawState& state, uint64_t vertices) {
  uint64_t bytes = 0;
  for (uint32_t slot = 0; slot < kMaxStreamTargets; ++slot)
    if (const Buffer* buffer = state.streamTargets[slot].get();
        buffer && (state.streamOutput.slots >> slot & 1))
      bytes += std::min<uint64_t>(buffer->desc.sizeBytes, vertices * state.streamOutput.strides[slot]);
  return bytes;
}

}  // namespace aerogpu::core
