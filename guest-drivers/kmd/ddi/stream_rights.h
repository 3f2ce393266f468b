// SPDX-License-Identifier: MIT
// stream_rights.h: decides whether a process's stream may go to the device, and remembers its handles; for devices that
// do not keep processes apart themselves. PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/logic/command_check.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class AeroAdapter;
class AeroDevice;

/** Returns DxgkDdiRender's status for a stream with this fault. */
NTSTATUS statusOf(StreamFault fault);

struct CheckedStream {
  uint32_t bytes = 0;    // length of the whole packets, from the first one on
  bool present = false;  // one of these packets is a present
  bool ends = false;     // one of these packets ends a handle
};

/** Checks `bytes` bytes of packets, which are the driver's copy, and remembers the handles that they make and end.
 *  `more`: the bytes may end inside a packet. Fails with STATUS_NO_MEMORY, or if the stream is refused. */
NTSTATUS checkStream(AeroAdapter &adapter, AeroDevice *device, const DXGKARG_RENDER &args, const uint8_t *packets,
                     uint32_t bytes, bool more, CheckedStream &out);

}  // namespace aero
