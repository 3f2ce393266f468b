// SPDX-License-Identifier: MIT
#include "renderer/snapshot/warm_up.h"

#include "renderer/core/backend.h"
#include "renderer/snapshot/describe.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

/// Of the pipelines that were used last: more than a frame of most programs has.
constexpr size_t kMostPipelines = 64;
/// Their shaders may be long; without those that came longest ago if need be.
constexpr uint64_t kMostCode = uint64_t{1} << 20;

/// Leaves out the last draws, if the shaders of all have too many bytes.
void limitCode(std::vector<std::unique_ptr<DrawState>>& states) {
  uint64_t bytes = 0;
  size_t count = 0;
  for (; count < states.size(); ++count) {
    for (const Ref<Shader>& shader : states[count]->shaders)
      if (shader) bytes += shader->gpu->code().size();
    if (bytes > kMostCode) break;
  }
  states.resize(count);
}

}  // namespace

void describeRecentDraws(Submission& parts, trace::Writer& file) {
  std::vector<std::unique_ptr<DrawState>> states = parts.backend.recentDraws(kMostPipelines);
  limitCode(states);
  if (states.empty()) return;
  const Inventory all(parts, states);
  CommandWriter w;
  describeObjects(all, w);
  uint32_t nextNumber = all.count() + 1;
  for (const std::unique_ptr<DrawState>& state : states) {
    w.packet(aerogpu_cmd_ext_reset_context{});
    describeContext(all, *state, nextNumber, w);
    // As many vertices as the largest primitive has, so that one is drawn.
    w.packet(aerogpu_cmd_draw{{}, 6, 1, 0, 0});
  }
  file.draws(
      {sizeof(trace::DrawsRecord), 0, file.blob(trace::BlobKind::CommandStream, {w.data(), w.size()})});
}

}  // namespace aerogpu::snapshot
