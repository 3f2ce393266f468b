// SPDX-License-Identifier: MIT
// Device memory that the processor cannot reach: pages without access, whose faults become calls of a window.
// Where the machine maps its BARs for real nothing of this is used.
#pragma once

#include <cstdint>
#include <string>

#include "testbed/kernel/core/seh.h"

namespace aerogpu::host {

/// What lies behind device pages, by offset: a BAR. Any thread, also in a signal handler.
class DeviceWindow {
public:
  virtual ~DeviceWindow() = default;
  /// `bytes` is 1, 2, 4 or 8.
  virtual uint64_t read(uint64_t offset, unsigned bytes) = 0;
  virtual void write(uint64_t offset, uint64_t value, unsigned bytes) = 0;
  virtual void readBlock(uint64_t offset, void* to, uint64_t bytes) = 0;
  virtual void writeBlock(uint64_t offset, const void* from, uint64_t bytes) = 0;
};

/// Reserves pages for `bytes` of `window` from `offset` on, both multiples of the page size. Null when there
/// is no address space. The window outlives the pages.
void* mapDevicePages(DeviceWindow& window, uint64_t offset, uint64_t bytes);
/// The same of pages that are there already, at `address`; what they held is gone. False: the kernel refuses.
bool makeDevicePages(void* address, DeviceWindow& window, uint64_t bytes);
/// The pages that begin at `address` are no device's any more; their addresses stay as they are. False if
/// there are none.
bool forgetDevicePages(void* address);

/// `address` lies in device pages.
bool isDeviceAddress(uint64_t address);
/// What memcpy, memmove and memset of the kernel do when device pages are involved, which host code cannot
/// touch. Ranges do not overlap.
void copyDevicePages(void* to, const void* from, uint64_t bytes);
void fillDevicePages(void* to, uint8_t value, uint64_t bytes);
/// Who accesses device pages in this thread's current call of a window.
std::string describeDeviceAccess();
/// Carries out the access at context.rip to device pages. False: nobody knows the instruction.
bool accessDevicePages(SehContext& context);

}  // namespace aerogpu::host
