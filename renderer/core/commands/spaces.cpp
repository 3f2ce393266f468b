// SPDX-License-Identifier: MIT
// Handle spaces (docs/abi/spaces.md).
#include <utility>

#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/space_end.h"
#include "renderer/core/spaces.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

Result<void> runExtGrant(Submission& s, const aerogpu_cmd_ext_grant& c) {
  if (auto allowed = s.space.needSpaces(); !allowed) return allowed;
  ++s.counts.neutralPackets;
  if (auto named = s.resources.shared.find(c.share_token); !named) return named.error();
  const auto space = s.spaces.need(c.space);
  if (!space) return space.error();
  auto charged = s.hostMemory.share();
  s.hostMemory.setShare((*space)->share);
  auto granted = s.resources.shared.grant(c.share_token, (*space)->grants);
  s.hostMemory.setShare(std::move(charged));
  return granted;
}

Result<void> runExtNameSpace(Submission& s, const aerogpu_cmd_ext_name_space& c) {
  if (auto allowed = s.space.needSpaces(); !allowed) return allowed;
  ++s.counts.neutralPackets;
  const auto space = s.spaces.need(c.space);
  if (!space) return space.error();
  s.spaces.setName(**space, c.process_id, c.image_name);
  s.log.line(AEROGPU_LOG_INFO, s.spaces.describe(**space) + ": begins");
  return {};
}

Result<void> runExtChargeSpace(Submission& s, const aerogpu_cmd_ext_charge_space& c) {
  if (auto allowed = s.space.needSpaces(); !allowed) return allowed;
  ++s.counts.neutralPackets;
  const auto space = s.spaces.need(c.space);
  if (!space) return space.error();
  s.hostMemory.setShare((*space)->share);  // Executor::execute() ends it
  return {};
}

Result<void> runExtSpaceProcess(Submission& s, const aerogpu_cmd_ext_space_process& c) {
  if (auto allowed = s.space.needSpaces(); !allowed) return allowed;
  ++s.counts.neutralPackets;
  const auto space = s.spaces.need(c.space);
  if (!space) return space.error();
  return s.spaces.setProcess(**space, c.process);
}

Result<void> runExtDestroySpace(Submission& s, const aerogpu_cmd_ext_destroy_space& c) {
  if (auto allowed = s.space.needSpaces(); !allowed) return allowed;
  ++s.counts.neutralPackets;
  // This is never the selected space: that is space 0 here, which no packet ends.
  if (Space* space = s.spaces.find(c.space)) {
    s.log.line(AEROGPU_LOG_INFO, s.spaces.describe(*space) + ": ends");
    endSpace(s.spaces.take(*space), s.space, s.contexts, s.resources, s.backend);
  }
  return {};
}

}  // namespace aerogpu::core
