// SPDX-License-Identifier: MIT
// The host memory of scanout frames. The picture must not freeze if programs have used max_hostmem up:
// a reserve beyond it is for frames alone. docs/abi/commands.md, LIM-14.
#pragma once

#include <algorithm>
#include <cstdint>

#include "renderer/base/host_memory.h"

namespace aerogpu::core {

/// Returns the size of the reserve: some frames of a usual screen (8 MiB at 1920x1080), two of 7680x4320
/// beside the default of 1 GiB.
constexpr uint64_t frameReserveBytes(uint64_t maxHostmem) {
  return std::max(maxHostmem / 4, uint64_t{32} << 20);
}

/// Charges a frame to the account or, without room there, to the reserve; an empty charge if both are full.
inline HostMemoryCharge chargeFrame(HostMemory& account, HostMemory& reserve, uint64_t bytes) {
  HostMemoryCharge charge = HostMemoryCharge::take(account, bytes, HostMemoryKind::Frames);
  if (!charge.ok()) charge = HostMemoryCharge::take(reserve, bytes, HostMemoryKind::Frames);
  return charge;
}

}  // namespace aerogpu::core
