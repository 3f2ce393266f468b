// SPDX-License-Identifier: MIT
// The rectangles in which a frame differs from an earlier one (PRES-9).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/renderer.h"

namespace aerogpu::core {

class FrameDamage {
public:
  /// Sets damage to anywhere, its initial value.
  void setAll() { *this = {}; }
  /// Starts with no damage, counted from the frame of that number.
  void startFrom(uint64_t sequence) {
    m_since = sequence;
    m_count = 0;
  }
  /// Returns the sequence number of the frame that damage counts from; 0: damage may be anywhere.
  uint64_t since() const { return m_since; }
  std::span<const aerogpu_frame_rect> rects() const { return {m_rects.data(), m_count}; }

  /// Adds the part of `rect` in a picture of that size. Merges rectangles if there is no room for more.
  void add(const aerogpu_ext_rect& rect, uint32_t width, uint32_t height);
  /// Stores the damage in the embedder's frame.
  void store(aerogpu_frame& frame) const;

private:
  uint64_t m_since = 0;
  uint32_t m_count = 0;
  std::array<aerogpu_frame_rect, AEROGPU_FRAME_DAMAGE_MAX> m_rects{};
};

}  // namespace aerogpu::core
