// SPDX-License-Identifier: MIT
// Executor: presents. A present copies what is shown, or what of it changed, for the device to show later.
#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::present(uint32_t flags, std::span<const aerogpu_ext_rect> rects) {
  m_env.stats.presents.add(1);
  ++m_report.presents;
  if (flags & AEROGPU_PRESENT_FLAG_VSYNC) m_report.vsync = true;
  Texture* texture = nullptr;
  const bool colorTarget = m_env.presentColorTarget && !m_scanout.by_allocation;  // TRACE-10
  if (colorTarget) {
    texture = state().colorTargetCount != 0 ? state().colorTargets[0].texture.get() : nullptr;
  } else {
    texture = scanoutTexture();
  }
  m_report.frameUnchanged = false;
  if (!texture) {
    m_framed = {};
    return {};
  }
  if (!colorTarget && m_framed == Framed{texture->backingSerial, texture->writes}) {
    m_report.frameUnchanged = !m_frameTaken;
    m_env.stats.framesUnchanged.add(1);
    return {};
  }
  FrameDamage damage;
  if (!rects.empty() && texture->backingSerial != 0 && m_framed.serial == texture->backingSerial) {
    // A frame that was taken in this submission does not come out: this one stands for both.
    if (m_frameTaken)
      damage = m_damage;
    else
      damage.startFrom(m_framedSequence);
    for (const aerogpu_ext_rect& rect : rects) damage.add(rect, texture->desc.width, texture->desc.height);
  }
  return captureFrame(*texture, damage);
}

Result<void> Executor::captureFrame(Texture& texture, const FrameDamage& damage) {
  m_framed = {};
  if (auto taken = take(Work::Bytes, texture.layout.mip(0).rows * texture.layout.mip(0).rowBytes); !taken)
    return taken;
  const auto captured = m_env.backend.captureFrame(texture, damage);
  if (!captured) return captured.error();
  m_framed = {texture.backingSerial, texture.writes};
  m_framedSequence = *captured;
  m_damage = damage;
  m_frameTaken = true;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_present& c) {
  if (auto kernel = needKernel(); !kernel) return kernel;
  ++m_neutralPackets;
  return present(c.flags, {});
}
Result<void> Executor::run(const aerogpu_cmd_present_ex& c) {
  if (auto kernel = needKernel(); !kernel) return kernel;
  ++m_neutralPackets;
  return present(c.flags, {});
}
Result<void> Executor::run(const aerogpu_cmd_ext_present_rects& c, std::span<const aerogpu_ext_rect> rects) {
  if (auto kernel = needKernel(); !kernel) return kernel;
  for (const aerogpu_ext_rect& r : rects) {
    const bool across = r.left > r.right;
    if (across || r.top > r.bottom)
      return refused(
          ErrorCode::OutOfBounds, "rectangle ends before it begins",
          {{across ? "left" : "top", across ? r.left : r.top}, {"limit", across ? r.right : r.bottom}});
  }
  ++m_neutralPackets;
  return present(c.flags, rects);
}

}  // namespace aerogpu::core
