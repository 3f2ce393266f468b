// SPDX-License-Identifier: MIT
// The keyed mutex of a shared texture, as a device has it. The kernel side keeps it; the texture's maker leaves its
// global handle in what the kernel side tells those who open the texture. Page IDXGIKeyedMutex.
#pragma once

#include "testbed/d3d11-runtime/driver/device.h"

namespace aerogpu::runtime11 {

/// Created, opened and destroyed under the device's lock.
class KeyedMutex {
public:
  explicit KeyedMutex(DriverDevice &device);
  ~KeyedMutex();
  KeyedMutex(const KeyedMutex &) = delete;
  KeyedMutex &operator=(const KeyedMutex &) = delete;

  /// Makes one that key 0 takes.
  HRESULT create();
  HRESULT open(D3DKMT_HANDLE global);
  D3DKMT_HANDLE globalHandle() const { return m_global; }
  /// Waits, without the device's lock. Returns S_OK, WAIT_TIMEOUT, WAIT_ABANDONED or an error. `fence`: for own().
  HRESULT acquire(UINT64 key, DWORD milliseconds, UINT64 &fence) const;

  // Under the device's lock.
  void own(UINT64 fence);
  bool isOwned() const { return m_isOwned; }
  /// True if the device owns the mutex, by this object or another one.
  bool isOwnedByDevice() const;
  /// Gives it back with a key. What the device drew has been submitted.
  HRESULT release(UINT64 key);

private:
  const runtime::KernelCalls &kernel() const { return m_device.adapter().kernelAdapter().kernel(); }

  DriverDevice &m_device;
  D3DKMT_HANDLE m_handle = 0, m_global = 0;
  UINT64 m_fence = 0;  ///< counts the releases of all owners
  bool m_isOwned = false;
};

}  // namespace aerogpu::runtime11
