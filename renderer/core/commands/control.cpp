// SPDX-License-Identifier: MIT
// Packets about the stream and its context, not about what is drawn.
#include <span>

#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

Result<void> runNop(Submission& s, const aerogpu_cmd_hdr&) {
  ++s.counts.hostPackets;
  return {};
}

Result<void> runDebugMarker(Submission& s, const aerogpu_cmd_hdr&, std::span<const uint8_t>) {
  ++s.counts.hostPackets;
  return {};
}

Result<void> runFlush(Submission& s, const aerogpu_cmd_flush&) {
  return s.backend.flush();
}

Result<void> runExtResetContext(Submission& s, const aerogpu_cmd_ext_reset_context&) {
  s.contexts.resetSelected();
  s.counts.neutralPackets = s.counts.packets + 1;  // this one and all before it
  return {};
}

}  // namespace aerogpu::core
