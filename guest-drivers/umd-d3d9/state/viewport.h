// SPDX-License-Identifier: MIT
// viewport.h: the rectangles that limit what is drawn: viewport with depth range, and scissor.
#pragma once

#include <optional>

#include "guest-drivers/umd-d3d9/base/dirty_bit.h"
#include "guest-drivers/umd-d3d9/submit/context.h"

namespace aero {

struct ViewportState {
  uint32_t x = 0, y = 0, width = 0, height = 0;  // pixels
  float minZ = 0, maxZ = 1;
  bool operator==(const ViewportState &) const = default;
};

/** The viewport that is wanted and the one that the device has. Setters only note; one device's thread. */
class Viewport {
public:
  explicit Viewport(DirtyBit dirty) : m_isDirty(dirty) {}

  void set(uint32_t x, uint32_t y, uint32_t width, uint32_t height);
  /** Depths out of range, and what is no number, become the end that they would be. */
  void setDepthRange(float minZ, float maxZ);
  const ViewportState &wanted() const { return m_wanted; }

  /** Sends the wanted viewport unless the device has it. `transformed`: the depth of vertices is final, and the wanted
   *  depth range counts for nothing (page "D3DFVF_XYZRHW"). */
  bool emit(Context &context, bool transformed);
  /** Sends a viewport now, whatever is wanted; the next emit() puts the wanted one back. */
  bool force(Context &context, const ViewportState &viewport);
  /** The device may have anything. */
  void forget() {
    m_sent.reset();
    m_isDirty.set();
  }

private:
  bool send(Context &context, const ViewportState &viewport);

  DirtyBit m_isDirty;
  ViewportState m_wanted;
  std::optional<ViewportState> m_sent;
};

/** The scissor rectangle that is wanted and the one that the device has. */
class Scissor {
public:
  explicit Scissor(DirtyBit dirty) : m_isDirty(dirty) {}

  void set(const RECT &rect) {
    m_wanted = rect;
    m_isDirty.set();
  }
  /** The state that turns it on or off has changed. */
  void noteSwitched() { m_isDirty.set(); }
  const RECT &wanted() const { return m_wanted; }

  bool emit(Context &context);
  void forget() {
    m_sent.reset();
    m_isDirty.set();
  }

private:
  DirtyBit m_isDirty;
  RECT m_wanted = {};
  std::optional<RECT> m_sent;
};

}  // namespace aero
