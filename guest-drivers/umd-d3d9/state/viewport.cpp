// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/viewport.h"

#include <bit>

namespace aero {
namespace {

constexpr uint32_t floatBits(float value) {
  return std::bit_cast<uint32_t>(value);
}

/** Returns `value` clamped to [0, 1], or `otherwise` if it is no number. */
float saneDepth(float value, float otherwise) {
  if (!(value >= 0)) return value < 0 ? 0 : otherwise;
  return value > 1 ? 1 : value;
}

}  // namespace

void Viewport::set(uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  const ViewportState viewport = {x, y, width, height, m_wanted.minZ, m_wanted.maxZ};
  if (m_wanted == viewport) return;
  m_wanted = viewport;
  m_isDirty.set();
}

void Viewport::setDepthRange(float minZ, float maxZ) {
  m_wanted.minZ = saneDepth(minZ, 0);
  m_wanted.maxZ = saneDepth(maxZ, 1);
  m_isDirty.set();
}

bool Viewport::emit(Context &context, bool transformed) {
  if (!transformed) return send(context, m_wanted);
  ViewportState viewport = m_wanted;
  viewport.minZ = 0;
  viewport.maxZ = 1;
  return send(context, viewport);
}

bool Viewport::force(Context &context, const ViewportState &viewport) {
  if (m_sent == viewport) return true;
  if (!send(context, viewport)) return false;
  m_isDirty.set();
  return true;
}

bool Viewport::send(Context &context, const ViewportState &viewport) {
  if (m_sent == viewport) return true;
  aerogpu_cmd_set_viewport packet = {};
  packet.x_f32 = floatBits(static_cast<float>(viewport.x));
  packet.y_f32 = floatBits(static_cast<float>(viewport.y));
  packet.width_f32 = floatBits(static_cast<float>(viewport.width));
  packet.height_f32 = floatBits(static_cast<float>(viewport.height));
  packet.min_depth_f32 = floatBits(viewport.minZ);
  packet.max_depth_f32 = floatBits(viewport.maxZ);
  if (!context.send(packet)) return false;
  m_sent = viewport;
  return true;
}

bool Scissor::emit(Context &context) {
  if (m_sent && !memcmp(&*m_sent, &m_wanted, sizeof m_wanted)) return true;
  // Limits coordinates to more than any target has, so that their differences do not overflow.
  constexpr LONG kFar = 1 << 20;
  const auto edge = [](LONG value) { return value < 0 ? 0 : value < kFar ? value : kFar; };
  const LONG left = edge(m_wanted.left), top = edge(m_wanted.top);
  const LONG right = edge(m_wanted.right), bottom = edge(m_wanted.bottom);
  aerogpu_cmd_set_scissor packet = {};
  packet.x = left;
  packet.y = top;
  packet.width = right > left ? right - left : 0;
  packet.height = bottom > top ? bottom - top : 0;
  if (!context.send(packet)) return false;
  m_sent = m_wanted;
  return true;
}

}  // namespace aero
