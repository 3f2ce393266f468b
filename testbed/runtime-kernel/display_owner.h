// SPDX-License-Identifier: MIT
// The display as a full-screen program has it: exclusively (page "D3DKMTSetVidPnSourceOwner"), and in a mode of the
// window system's, which plays the part of Windows' own here.
#pragma once

#include "testbed/runtime-kernel/kernel_device.h"

namespace aerogpu::runtime {

/// Owns the display from take() to leave().
class DisplayOwner {
public:
  explicit DisplayOwner(const KernelDevice &device) : m_device(device) {}
  ~DisplayOwner() { leave(); }
  DisplayOwner(const DisplayOwner &) = delete;
  DisplayOwner &operator=(const DisplayOwner &) = delete;
  /// Returns false, and logs why, if another device has it.
  bool take();
  void leave();
  bool isOwner() const { return m_owns; }

private:
  const KernelDevice &m_device;
  bool m_owns = false;
};

/// Gives the screen of the window system this size, until restoreScreenMode().
void setScreenMode(UINT width, UINT height);
void restoreScreenMode();

}  // namespace aerogpu::runtime
