// SPDX-License-Identifier: MIT
// Presents; core/presents.h takes the frames.
#include <span>

#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/presents.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

Result<void> runPresent(Submission& s, const aerogpu_cmd_present& c) {
  if (auto kernel = s.space.needKernel(); !kernel) return kernel;
  ++s.counts.neutralPackets;
  return s.presents.present(c.flags, {}, s.contexts.state(), s.report);
}

Result<void> runPresentEx(Submission& s, const aerogpu_cmd_present_ex& c) {
  if (auto kernel = s.space.needKernel(); !kernel) return kernel;
  ++s.counts.neutralPackets;
  return s.presents.present(c.flags, {}, s.contexts.state(), s.report);
}

Result<void> runExtPresentRects(Submission& s, const aerogpu_cmd_ext_present_rects& c,
                                std::span<const aerogpu_ext_rect> rects) {
  if (auto kernel = s.space.needKernel(); !kernel) return kernel;
  for (const aerogpu_ext_rect& r : rects) {
    const bool across = r.left > r.right;
    if (across || r.top > r.bottom)
      return refused(
          ErrorCode::OutOfBounds, "rectangle ends before it begins",
          {{across ? "left" : "top", across ? r.left : r.top}, {"limit", across ? r.right : r.bottom}});
  }
  ++s.counts.neutralPackets;
  return s.presents.present(c.flags, rects, s.contexts.state(), s.report);
}

}  // namespace aerogpu::core
