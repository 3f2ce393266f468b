// SPDX-License-Identifier: MIT
// context.h: the handles of processes: devices and contexts, and the numbers that contexts have on the device.
#pragma once

#include <stdint.h>

#include "command_scratch.h"
#include "dma_layout.h"
#include "nt.h"

namespace aero {

class AeroAdapter;

/** DxgkDdiCreateDevice's handle: a process' use of the adapter. */
class AeroDevice {
public:
  static constexpr uint32_t kMagic = 0x76654441;  // "ADev"
  static AeroDevice *from(HANDLE handle) {
    auto *self = static_cast<AeroDevice *>(handle);
    return self && self->magic == kMagic ? self : nullptr;
  }

  uint32_t magic = kMagic;
  AeroAdapter *adapter = nullptr;
  DXGK_DEVICEINFO info = {};
  bool system = false;           // the OS' own: the desktop's, the memory manager's
  volatile bool failed = false;  // work of it did not run
  uint32_t losses = 0;           // Epochs::deviceLosses() when this device was made
  uint32_t handles = 0;          // of streams, alive; under the allocation table's mutex
  LONG unsubmittedEnds = 0;      // DMA buffers that end handles and are not in the ring yet; interlocked
};

/** Entries of the allocation lists and of the patch location lists of a context's DMA buffers. */
constexpr UINT kAllocationListSize = 1024;
/** Bytes of a DMA buffer: packets and allocation table. */
constexpr UINT kDmaBytes = 256 * 1024;

/** DxgkDdiCreateContext's handle. */
class AeroContext {
public:
  static constexpr uint32_t kMagic = 0x78744341;  // "ACtx"
  static AeroContext *from(HANDLE handle) {
    auto *self = static_cast<AeroContext *>(handle);
    return self && self->magic == kMagic ? self : nullptr;
  }

  uint32_t magic = kMagic;
  uint32_t id = 0;  // device context, 1 to kLastContext; 0 until the first Render
  AeroAdapter *adapter = nullptr;
  AeroDevice *device = nullptr;
  CommandScratch scratch;
};

/** Sees to it that the context has a number on the device. STATUS_NO_MEMORY: all are taken, or the device takes nothing
 *  now. PASSIVE_LEVEL. */
NTSTATUS giveNumber(AeroContext &context);

/** Numbers of device contexts. A WDDM context has one from its first Render on: many never draw anything themselves. At
 *  most APC_LEVEL. */
class ContextIds {
public:
  void start();
  /** 1 to kLastContext, or 0 when all are taken. */
  uint32_t take();
  void give(uint32_t id);

private:
  FAST_MUTEX m_mutex = {};
  uint32_t m_taken[32] = {};  // one bit each
  static_assert(kLastContext < sizeof(uint32_t) * 8 * 32);
};

}  // namespace aero
