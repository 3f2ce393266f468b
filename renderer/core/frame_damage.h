// SPDX-License-Identifier: MIT
// In which rectangles a frame differs from one before it (PRES-9).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/renderer.h"

namespace aerogpu::core {

class FrameDamage {
public:
  /// Anywhere, which is how one begins.
  void setAll() { *this = {}; }
  /// From the frame of that number, so far nowhere.
  void startFrom(uint64_t sequence) {
    m_since = sequence;
    m_count = 0;
  }
  /// The frame that it counts from; 0: it is anywhere.
  uint64_t since() const { return m_since; }
  std::span<const aerogpu_frame_rect> rects() const { return {m_rects.data(), m_count}; }

  /// What of `rect` lies in a picture of that size. More rectangles than there is room for are merged.
  void add(const aerogpu_ext_rect& rect, uint32_t width, uint32_t height);
  /// Into what the embedder gets.
  void store(aerogpu_frame& frame) const;

private:
  uint64_t m_since = 0;
  uint32_t m_count = 0;
  std::array<aerogpu_frame_rect, AEROGPU_FRAME_DAMAGE_MAX> m_rects{};
};

}  // namespace aerogpu::core
