// SPDX-License-Identifier: MIT
// fence.h: extends WDDM's 32-bit submission fences to the device's 64-bit ones. Any thread, any IRQL.
#pragma once

#include <stdint.h>

namespace aero {

/** Returns the 64-bit fence whose low half is `fence` and that lies nearest to `last`, the newest one
 * extended so far. The scheduler counts up and wraps (d3dkmddi, DXGKARG_SUBMITCOMMAND.SubmissionFenceId);
 * at most 2^31 - 1 submissions lie between the two. */
constexpr uint64_t extendFence(uint32_t fence, uint64_t last) {
  const auto step = static_cast<int32_t>(fence - static_cast<uint32_t>(last));
  return last + static_cast<uint64_t>(static_cast<int64_t>(step));
}

/** The 64-bit count starts one whole wrap up, so that a fence before the first one seen is still positive
 * and no fence is 0, which means "none" to the device. */
constexpr uint64_t kFenceBase = uint64_t{1} << 32;

}  // namespace aero
