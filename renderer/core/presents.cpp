// SPDX-License-Identifier: MIT
#include "renderer/core/presents.h"

#include "aerogpu/aerogpu_cmd_draw.h"
#include "aerogpu/aerogpu_scanout_extension.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

Texture* Presents::scanoutTexture() const {
  if (!m_scanout.enable) return nullptr;
  const bool indices = m_scanout.format == AEROGPU_EXT_SCANOUT_P8;
  return m_scanout.by_allocation ? m_env.backings.newestOf(m_scanout.alloc_id, indices)
                                 : m_env.backings.newestAt(m_scanout.fb_gpa, indices);
}

Presents::Shown Presents::shown() const {
  const Texture* texture = scanoutTexture();
  if (!texture) return {};
  return {true, texture->written != 0 && m_framed != Framed{texture->backingSerial, texture->written}};
}

Result<void> Presents::present(uint32_t flags, std::span<const aerogpu_ext_rect> rects,
                               const DrawState& state, ExecutionReport& report) {
  m_env.stats.presents.add(1);
  ++report.presents;
  if (flags & AEROGPU_PRESENT_FLAG_VSYNC) report.vsync = true;
  Texture* texture = nullptr;
  const bool colorTarget = m_env.colorTarget && !m_scanout.by_allocation;  // TRACE-10
  if (colorTarget) {
    texture = state.colorTargetCount != 0 ? state.colorTargets[0].texture.get() : nullptr;
  } else {
    texture = scanoutTexture();
  }
  report.frameUnchanged = false;
  if (!texture) {
    m_framed = {};
    return {};
  }
  if (!colorTarget && m_framed == Framed{texture->backingSerial, texture->written}) {
    report.frameUnchanged = !m_frameTaken;
    m_env.stats.framesUnchanged.add(1);
    return {};
  }
  FrameDamage damage;
  if (!rects.empty() && texture->backingSerial != 0 && m_framed.serial == texture->backingSerial) {
    // The frame replaces one that this submission has taken before, so it has the damage of both.
    if (m_frameTaken)
      damage = m_damage;
    else
      damage.startFrom(m_framedSequence);
    for (const aerogpu_ext_rect& rect : rects) damage.add(rect, texture->desc.width, texture->desc.height);
  }
  return captureFrame(*texture, damage);
}

Result<void> Presents::captureFrame(Texture& texture, const FrameDamage& damage) {
  m_framed = {};
  if (auto taken = m_env.work.take(Work::Bytes, texture.layout.mip(0).rows * texture.layout.mip(0).rowBytes);
      !taken)
    return taken;
  const auto captured = m_env.backend.captureFrame(texture, damage);
  if (!captured) return captured.error();
  m_framed = {texture.backingSerial, texture.written};
  m_framedSequence = *captured;
  m_damage = damage;
  m_frameTaken = true;
  return {};
}

Result<void> Presents::snapshot() {
  Texture* texture = scanoutTexture();
  if (!texture) return {};
  m_env.work.beginSubmission();  // a snapshot has limits of its own
  m_env.backend.setOwner({});
  return captureFrame(*texture, {});
}

}  // namespace aerogpu::core
