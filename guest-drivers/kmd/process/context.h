// SPDX-License-Identifier: MIT
// context.h: the handles of processes: devices and contexts, and the numbers of contexts on the device.
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/logic/dma_layout.h"
#include "guest-drivers/kmd/os/nt.h"
#include "guest-drivers/kmd/process/command_scratch.h"

namespace aero {

class AeroAdapter;
class AeroProcess;

/** Numbers from 1 to `Last`. At most APC_LEVEL. */
template <uint32_t Last> class ContextNumbers {
public:
  void start() {
    ExInitializeFastMutex(&m_mutex);
    RtlZeroMemory(m_taken, sizeof m_taken);
  }
  /** Takes the lowest free number; returns 0 if all are taken. */
  uint32_t take() {
    uint32_t number = 0;
    ExAcquireFastMutex(&m_mutex);
    for (uint32_t i = 1; i <= Last && !number; i++)
      if (!(m_taken[i / 32] & 1u << i % 32)) {
        m_taken[i / 32] |= 1u << i % 32;
        number = i;
      }
    ExReleaseFastMutex(&m_mutex);
    return number;
  }
  void give(uint32_t number) {
    ExAcquireFastMutex(&m_mutex);
    m_taken[number / 32] &= ~(1u << number % 32);
    ExReleaseFastMutex(&m_mutex);
  }

private:
  FAST_MUTEX m_mutex = {};
  uint32_t m_taken[Last / 32 + 1] = {};  // one bit each
};

/** Numbers of device contexts without handle spaces. A WDDM context gets its number at its first Render, because many
 * contexts never render. */
using ContextIds = ContextNumbers<kLastContext>;

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
  bool system = false;                           // belongs to the OS: the desktop's, the memory manager's
  volatile bool failed = false;                  // some of its work did not run
  uint32_t losses = 0;                           // Epochs::deviceLosses() when this device was made
  AeroProcess *account = nullptr;                // the resources of its process
  uint32_t space = 0;                            // its handle space; 0 if the device has none
  void *spaceEnd = nullptr;                      // InternalQueue::reserveEnd(): the end of the space must not fail
  ContextNumbers<kLastContextOfSpace> contexts;  // with a space: numbers of its contexts in that space
  LONG processSaid = 0;                          // 1: the device knows the process of the space; interlocked
  uint32_t rangeUnits = 0;                       // units of handles that it owns; under the allocation table's mutex
  uint32_t contextsMade = 0;  // contexts in its space, which keeps them until it ends; under the same mutex
  LONG unsubmittedEnds = 0;   // DMA buffers that end handles and are not in the ring yet; interlocked
};

/** Entries in the allocation list and in the patch location list of each DMA buffer. */
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
  uint32_t id = 0;  // device context, 1 to kLastContext or, in a space, kLastContextOfSpace; 0 until the first Render
  AeroAdapter *adapter = nullptr;
  AeroDevice *device = nullptr;
  LONG failures = 0;  // Scheduler::failureCount() when the context was last checked for a failure
  CommandScratch scratch;

  /** Returns where it runs on the device. */
  DeviceContext place() const { return {device->space, id}; }
};

/** Makes sure, before any object is made in the device's handle space, that such objects are charged to its process
 * (SPACE-22). STATUS_NO_MEMORY: the ring has no room now. PASSIVE_LEVEL. */
NTSTATUS sayProcess(AeroDevice &device);

/** Makes sure that the context has a number on the device. STATUS_NO_MEMORY: none is left for the process, or the ring
 * has no room now. PASSIVE_LEVEL. */
NTSTATUS giveNumber(AeroContext &context);

}  // namespace aero
