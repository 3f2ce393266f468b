// SPDX-License-Identifier: MIT
// A guest object costs the host some memory beside its memory on the GPU.
#pragma once

#include <cstdint>

#include "renderer/base/host_memory.h"
#include "renderer/base/result.h"

namespace aerogpu::core {

/// Charges one object, and `extraBytes` that come with it; Backend when there is no room.
inline Result<HostMemoryCharge> chargeObject(HostMemory& hostMemory, uint64_t extraBytes = 0) {
  constexpr uint64_t kObjectBytes = 512;
  HostMemoryCharge charge = HostMemoryCharge::take(hostMemory, kObjectBytes + extraBytes);
  if (!charge.ok())
    return refused(ErrorCode::Backend, "max_hostmem is reached", {{"bytes", kObjectBytes + extraBytes}});
  return charge;
}

}  // namespace aerogpu::core
