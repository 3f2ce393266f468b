// SPDX-License-Identifier: MIT
// present_counts.h: checks counts and times of a swap chain's presents, which go up, never back, and belong to vertical
// blanks. Pages "IDirect3DSwapChain9Ex::GetPresentStats", "D3DPRESENTSTATS".
#pragma once

#include "guest-drivers/programs/program.h"

namespace programs {

/** The default limit of queued frames (IDirect3DDevice9Ex::SetMaximumFrameLatency). */
inline constexpr UINT kDefaultLatency = 3;

/** The counts of one swap chain, from present to present. */
class PresentCounts {
public:
  bool begin(IDirect3DDevice9Ex *device);
  /** Call after accepted present number `frame`. Prints what is wrong. */
  bool step(uint32_t frame);
  /** Interval one: checks that no two frames share a refresh, except those that were still queued at the end. Prints
   * the count. */
  bool checkPace(uint32_t frames, uint32_t backBuffers) const;

  /** Refreshes since the first step. */
  uint32_t refreshes() const { return last_.SyncRefreshCount - first_.SyncRefreshCount; }

private:
  ComPtr<IDirect3DSwapChain9Ex> chain_;
  UINT presents_ = 0;
  D3DPRESENTSTATS first_{}, last_{};
};

}  // namespace programs
