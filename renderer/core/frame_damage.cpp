// SPDX-License-Identifier: MIT
#include "renderer/core/frame_damage.h"

#include <algorithm>

namespace aerogpu::core {

namespace {

uint64_t area(const aerogpu_frame_rect& r) {
  return uint64_t{r.right - r.left} * (r.bottom - r.top);
}

aerogpu_frame_rect hull(const aerogpu_frame_rect& a, const aerogpu_frame_rect& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

}  // namespace

void FrameDamage::add(const aerogpu_ext_rect& rect, uint32_t width, uint32_t height) {
  const aerogpu_frame_rect r{rect.left, rect.top, std::min(rect.right, width), std::min(rect.bottom, height)};
  if (r.left >= r.right || r.top >= r.bottom) return;
  // Merges `r` with a rectangle that covers it or that it covers; without room, with the one that grows
  // least.
  size_t best = m_count;
  uint64_t least = m_count < m_rects.size() ? 1 : UINT64_MAX;
  for (size_t i = 0; i < m_count; ++i) {
    const uint64_t both = area(hull(m_rects[i], r));
    const uint64_t more = both - std::max(area(m_rects[i]), area(r));
    if (more < least) {
      least = more;
      best = i;
    }
  }
  if (best == m_count)
    m_rects[m_count++] = r;
  else
    m_rects[best] = hull(m_rects[best], r);
}

void FrameDamage::store(aerogpu_frame& frame) const {
  frame.damage_since = m_since;
  frame.damage_count = m_count;
  std::copy_n(m_rects.begin(), m_count, frame.damage);
}

}  // namespace aerogpu::core
