// SPDX-License-Identifier: MIT
// What is streamed out, and where to. SO-1 to SO-7.
#include <array>
#include <span>
#include <utility>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/lacking.h"
#include "renderer/core/state.h"
#include "renderer/core/stream_output.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

Result<void> runExtSetStreamOutput(Submission& s, const aerogpu_cmd_ext_set_stream_output& c,
                                   std::span<const aerogpu_ext_stream_element> elements) {
  if (auto told = needTold(s, AEROGPU_CAPS_STREAM_OUTPUT, "stream output is not announced"); !told)
    return told;
  auto output = streamOutputFrom(c, elements);
  if (!output) return output.error();
  DrawState& state = s.contexts.state();
  if (state.streamOutput == *output) return {};
  state.streamOutput = std::move(*output);
  state.dirty |= kDirtyStreamOutput;
  return {};
}

Result<void> runExtSetStreamTargets(Submission& s, const aerogpu_cmd_ext_set_stream_targets& c,
                                    std::span<const aerogpu_ext_stream_target> targets) {
  if (auto told = needTold(s, AEROGPU_CAPS_STREAM_OUTPUT, "stream output is not announced"); !told)
    return told;
  if (targets.size() > kMaxStreamTargets)
    return refused(ErrorCode::CmdDecode, "too many targets of stream output",
                   {{"target_count", c.target_count}, {"limit", kMaxStreamTargets}});
  std::array<Ref<Buffer>, kMaxStreamTargets> buffers;
  for (size_t i = 0; i < targets.size(); ++i) {
    const aerogpu_ext_stream_target& t = targets[i];
    if (t.buffer == 0) continue;
    const auto buffer = s.handles.need<Buffer>(t.buffer, "no such buffer to stream out to");
    if (!buffer) return buffer.error();
    for (size_t k = 0; k < i; ++k)
      if (buffers[k].get() == *buffer)
        return refused(ErrorCode::CmdDecode, "one buffer in two slots of stream output",
                       {{"output_slot", i}, {"and", k}, {"buffer", t.buffer}});
    buffers[i] = Ref<Buffer>(*buffer);
    if (t.offset_bytes == AEROGPU_EXT_STREAM_APPEND) continue;
    if (t.offset_bytes % 4 != 0)
      return refused(ErrorCode::CmdDecode, "stream output does not begin at a word",
                     {{"output_slot", i}, {"offset_bytes", t.offset_bytes}});
    if (t.offset_bytes > (*buffer)->desc.sizeBytes)
      return refused(ErrorCode::OutOfBounds, "stream output begins past its buffer",
                     {{"offset_bytes", t.offset_bytes}, {"limit", (*buffer)->desc.sizeBytes}});
  }
  for (size_t i = 0; i < targets.size(); ++i)
    if (buffers[i] && targets[i].offset_bytes != AEROGPU_EXT_STREAM_APPEND)
      if (auto set = buffers[i]->gpu->setFilled(targets[i].offset_bytes); !set) return set;
  DrawState& state = s.contexts.state();
  state.streamTargets = std::move(buffers);
  state.dirty |= kDirtyStreamTargets;
  return {};
}

}  // namespace aerogpu::core
