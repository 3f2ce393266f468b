// SPDX-License-Identifier: MIT
// present_counts.h: counts and times of a swap chain's presents, which go up, never back, and belong to vertical
// blanks. Pages "IDirect3DSwapChain9Ex::GetPresentStats", "D3DPRESENTSTATS".
#pragma once

#include "guest-drivers/programs/program.h"

namespace programs {

/** Frames that may be queued where nobody asked for fewer or more (IDirect3DDevice9Ex::SetMaximumFrameLatency). */
inline constexpr UINT kDefaultLatency = 3;

/** The counts of one swap chain, from present to present. */
class PresentCounts {
public:
  bool begin(IDirect3DDevice9Ex *device);
  /** After present number `frame` that was accepted. Prints what is wrong. */
  bool step(uint32_t frame);
  /** Interval one: no two frames in one refresh, but for those that were still queued at the end. Prints the count. */
  bool checkPace(uint32_t frames, uint32_t backBuffers) const;

  /** Since the first step. */
  uint32_t refreshes() const { return last_.SyncRefreshCount - first_.SyncRefreshCount; }

private:
  ComPtr<IDirect3DSwapChain9Ex> chain_;
  UINT presents_ = 0;
  D3DPRESENTSTATS first_{}, last_{};
};

}  // namespace programs
