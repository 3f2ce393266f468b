// SPDX-License-Identifier: MIT
// Stream output: its packets (aerogpu_cmd_d3d10_stream_output.h) and the state that they set. Render thread
// only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aerogpu/aerogpu_cmd_d3d10_stream_output.h"
#include "renderer/base/result.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

/// True if draws stream out.
inline bool streamsOut(const DrawState& state) {
  return state.streamOutput.slots != 0;
}

/// Returns what a packet declares: SO-3 to SO-5.
Result<StreamOutput> streamOutputFrom(const aerogpu_cmd_ext_set_stream_output& packet,
                                      std::span<const aerogpu_ext_stream_element> elements);
/// Returns the packet that declares it, and its elements.
aerogpu_cmd_ext_set_stream_output packetOf(const StreamOutput& output);
std::vector<aerogpu_ext_stream_element> elementsOf(const StreamOutput& output);

/// Returns the bytes that `vertices` streamed out may write at most, with the buffers that are bound.
uint64_t mostStreamedBytes(const DrawState& state, uint64_t vertices);

}  // namespace aerogpu::core
