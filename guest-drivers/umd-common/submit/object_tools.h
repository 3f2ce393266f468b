// SPDX-License-Identifier: MIT
// object_tools.h: the common tools for making objects on the device: the batch, and numbers for the objects.
#pragma once

#include "guest-drivers/umd-common/base/handles.h"
#include "guest-drivers/umd-common/submit/context.h"

namespace aero {

/** The most bytes that one packet carries: the kernel driver's buffer holds a packet and the table of the batch. */
constexpr uint32_t kMaxCarried = 64 * 1024;

/** Makes and destroys objects on the device. Only one call of a device at a time uses it. */
struct ObjectTools {
  Context &context;
  HandleAllocator &handles;

  /** Returns a new handle; on failure 0, and the context's error says that memory is out. */
  uint32_t take() {
    const uint32_t handle = handles.take();
    if (!handle) context.fail(kOutOfMemory);
    return handle;
  }
  /** Destroys an object by a packet of {header, handle, reserved}, frees its handle and clears it. 0 is allowed. */
  template <class Packet> void destroy(uint32_t &handle) {
    if (handle) {
      Packet packet = {};
      static_assert(sizeof packet == 16);
      memcpy(reinterpret_cast<uint8_t *>(&packet) + sizeof(aerogpu_cmd_hdr), &handle, sizeof handle);
      context.send(packet);
      handles.give(handle);
    }
    handle = 0;
  }
};

}  // namespace aero
