// SPDX-License-Identifier: MIT
// Executor: presents. A present copies what is shown, or what of it changed, for the device to show later.
#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::run(const aerogpu_cmd_present& c) {
  if (auto kernel = m_space.needKernel(); !kernel) return kernel;
  ++m_neutralPackets;
  return m_presents.present(c.flags, {}, m_contexts.state(), m_report);
}
Result<void> Executor::run(const aerogpu_cmd_present_ex& c) {
  if (auto kernel = m_space.needKernel(); !kernel) return kernel;
  ++m_neutralPackets;
  return m_presents.present(c.flags, {}, m_contexts.state(), m_report);
}
Result<void> Executor::run(const aerogpu_cmd_ext_present_rects& c, std::span<const aerogpu_ext_rect> rects) {
  if (auto kernel = m_space.needKernel(); !kernel) return kernel;
  for (const aerogpu_ext_rect& r : rects) {
    const bool across = r.left > r.right;
    if (across || r.top > r.bottom)
      return refused(
          ErrorCode::OutOfBounds, "rectangle ends before it begins",
          {{across ? "left" : "top", across ? r.left : r.top}, {"limit", across ? r.right : r.bottom}});
  }
  ++m_neutralPackets;
  return m_presents.present(c.flags, rects, m_contexts.state(), m_report);
}

}  // namespace aerogpu::core
