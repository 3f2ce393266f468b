// SPDX-License-Identifier: MIT
// stream_rights.h: which stream of a process may go to the device, and what the driver remembers of it, where the
// device does not keep processes apart itself. PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/logic/command_check.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class AeroAdapter;
class AeroDevice;

/** What DxgkDdiRender answers to a stream with this fault. */
NTSTATUS statusOf(StreamFault fault);

struct CheckedStream {
  uint32_t bytes = 0;    // of whole packets, from the first on
  bool present = false;  // one of them is a present
  bool ends = false;     // one of them ends a handle
};

/** Checks `bytes` bytes of packets, which are the driver's copy, and remembers what they make and end. `more`: they may
 *  end inside of a packet. STATUS_NO_MEMORY, or why the stream is refused. */
NTSTATUS checkStream(AeroAdapter &adapter, AeroDevice *device, const DXGKARG_RENDER &args, const uint8_t *packets,
                     uint32_t bytes, bool more, CheckedStream &out);

}  // namespace aero
