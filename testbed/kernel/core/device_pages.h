// SPDX-License-Identifier: MIT
// Device memory that the processor cannot reach: pages without access, whose faults become calls of a window.
// Unused where the machine maps its BARs for real.
#pragma once

#include <cstdint>
#include <string>

#include "testbed/kernel/core/seh.h"

namespace aerogpu::host {

/// The memory of device pages, by offset: a BAR. Any thread, also in a signal handler.
class DeviceWindow {
public:
  virtual ~DeviceWindow() = default;
  /// Read and write `bytes` bytes: 1, 2, 4 or 8.
  virtual uint64_t read(uint64_t offset, unsigned bytes) = 0;
  virtual void write(uint64_t offset, uint64_t value, unsigned bytes) = 0;
  virtual void readBlock(uint64_t offset, void* to, uint64_t bytes) = 0;
  virtual void writeBlock(uint64_t offset, const void* from, uint64_t bytes) = 0;
};

/// Reserves pages for `bytes` of `window` from `offset` on, both multiples of the page size. Returns null if
/// there is no address space. The window must outlive the pages.
void* mapDevicePages(DeviceWindow& window, uint64_t offset, uint64_t bytes);
/// Turns existing pages at `address` into device pages; their content is lost. Returns false if the kernel
/// refuses.
bool makeDevicePages(void* address, DeviceWindow& window, uint64_t bytes);
/// Ends the device pages that begin at `address`; the address range stays as it is. Returns false if there
/// are none.
bool forgetDevicePages(void* address);

/// True if `address` lies in device pages.
bool isDeviceAddress(uint64_t address);
/// Replace the kernel's memcpy, memmove and memset for device pages, which host code cannot touch. Ranges do
/// not overlap.
void copyDevicePages(void* to, const void* from, uint64_t bytes);
void fillDevicePages(void* to, uint8_t value, uint64_t bytes);
/// Describes the code that accesses device pages in this thread's current call of a window.
std::string describeDeviceAccess();
/// Executes the access at context.rip to device pages. Returns false for an unknown instruction.
bool accessDevicePages(SehContext& context);

}  // namespace aerogpu::host
