// SPDX-License-Identifier: MIT
// viewport.h: the rectangles that limit what is drawn: viewport with depth range, and scissor.
#pragma once

#include <optional>

#include "guest-drivers/umd-common/base/dirty_bit.h"
#include "guest-drivers/umd-common/submit/context.h"

namespace aero {

struct ViewportState {
  uint32_t x = 0, y = 0, width = 0, height = 0;  // pixels
  float minZ = 0, maxZ = 1;
  bool operator==(const ViewportState &) const = default;
};

/** The viewport that is wanted, and the one that the device has. Setters send nothing. Only one call of a device at a
 * time uses this. */
class Viewport {
public:
  explicit Viewport(DirtyBit dirty) : m_isDirty(dirty) {}

  void set(uint32_t x, uint32_t y, uint32_t width, uint32_t height);
  /** Sets the depth range, clamped to [0, 1]. If `minZ` is no number it becomes 0; `maxZ` becomes 1. */
  void setDepthRange(float minZ, float maxZ);
  const ViewportState &wanted() const { return m_wanted; }

  /** Sends the wanted viewport unless the device has it. `transformed`: the depth of vertices is final, so the wanted
   * depth range is ignored (page "D3DFVF_XYZRHW"). */
  bool emit(Context &context, bool transformed);
  /** Sends a viewport now; the next emit() sends the wanted one again. */
  bool force(Context &context, const ViewportState &viewport);
  /** Forgets what the device has. */
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
  /** Notes that the state which turns the scissor on or off has changed. */
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
