// SPDX-License-Identifier: MIT
// A device as the runtime has it from the kernel side, for the driver's callbacks (callbacks.h): contexts, allocations,
// and which of the driver's functions is running. One call at a time: callers hold a lock.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "testbed/runtime-kernel/kernel_adapter.h"
#include "testbed/runtime-kernel/kernel_context.h"
#include "testbed/runtime-kernel/shared_resource.h"
#include "testbed/runtime-kernel/windows_headers.h"

namespace aerogpu::runtime {

/// The request of a present, for pfnPresentCb: Windows 7's interface passes none of it to the driver.
struct PresentRequest {
  HWND window = nullptr;    ///< null for flips
  RECT source{};            ///< in the back buffer
  RECT destination{};       ///< in the window's client area
  std::vector<RECT> dirty;  ///< changed parts of the source; empty: all of it
  bool flip = false;
  bool fill = false;  ///< of `destination`
  UINT color = 0;
  bool doNotWait = false;
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_IMMEDIATE;
};

/// A resource, for the driver's callbacks; its address is the runtime's handle.
struct KernelResource {
  D3DKMT_HANDLE kernelHandle = 0, globalHandle = 0;
  const void *shared = nullptr;  ///< the runtime's private data of a resource to be shared; only during creation
  UINT sharedBytes = 0;
  bool primary = false;  ///< the driver may scan its allocations out
};

class KernelDevice {
public:
  KernelDevice(const KernelAdapter &adapter, D3DKMT_CLIENTHINT hint) : m_adapter(adapter), m_clientHint(hint) {}
  KernelDevice(const KernelDevice &) = delete;
  KernelDevice &operator=(const KernelDevice &) = delete;

  HANDLE runtimeHandle() { return this; }
  D3DKMT_HANDLE kernelHandle() const { return m_kernelHandle; }
  const KernelAdapter &kernelAdapter() const { return m_adapter; }
  /// Returns how many presents of this device the kernel side took.
  UINT presents() const { return m_presents; }
  /// Returns how often the driver has called pfnRenderCb.
  UINT submissions() const { return m_submissions; }
  /// Returns the kernel side's statistics of presents; false if there are none.
  bool presentStatistics(D3DKMT_PRESENT_STATS &out) const;
  /// True if the last present was accepted but is not visible.
  bool wasOccluded() const { return m_occluded; }
  /// True if a callback reported that the device was removed; nothing brings it back.
  bool isRemoved() const { return m_removed; }
  /// Returns the last error of a callback during the last call, which a driver passes on.
  HRESULT callbackError() const { return m_callbackError; }

  /// Registers a resource of the runtime, so that it is found when the driver names it in a callback.
  void addResource(KernelResource *resource) { m_resources.push_back(resource); }
  void removeResource(KernelResource *resource);
  /// True if an allocation is one of a resource that the driver may not scan out.
  bool isNoPrimary(D3DKMT_HANDLE allocation) const;
  /// True if the driver has made allocations for a resource and not freed them.
  bool hasAllocations(const KernelResource *resource) const;
  /// Opens a resource that another device or process made, by its global handle (open_resource.cpp). Its allocations
  /// may be locked by their creator alone.
  HRESULT openShared(D3DKMT_HANDLE global, OpenedResource &out);
  /// Gives back what the kernel side still has of a resource.
  void closeResource(KernelResource &resource) const;

protected:
  /// The destructor of the runtime's device has destroyed the driver's.
  ~KernelDevice();
  HRESULT createKernelDevice();
  bool hasContexts() const { return !m_contexts.empty(); }
  void enterCall(const char *name);
  void leaveCall() { m_call = nullptr; }
  /// Returns the driver's function that is running; null: none.
  const char *runningCall() const { return m_call; }
  /// What pfnPresentCb is to do in the next call; null: it is not expected.
  void setPresentRequest(const PresentRequest *request);
  /// Returns how often the driver has called pfnPresentCb.
  UINT presentCalls() const { return m_presentCalls; }
  /// Returns how often the driver has called pfnSetDisplayModeCb.
  UINT modeCalls() const { return m_modeCalls; }
  void countPresent(bool succeeded) { m_presents += succeeded && !m_occluded; }
  void setRemoved() { m_removed = true; }

private:
  friend struct Callbacks;

  /// Called at the begin of each callback.
  virtual void onCallback() {}
  /// Returns the device for a callback's handle; null, and reports a broken rule, for a wrong handle or outside a call.
  static KernelDevice *fromCallback(HANDLE handle, const char *callback);
  HRESULT returned(HRESULT result);
  KernelResource *findResource(HANDLE handle) const;
  KernelContext *findContext(HANDLE handle) const;

  const KernelAdapter &m_adapter;
  const D3DKMT_CLIENTHINT m_clientHint;
  D3DKMT_HANDLE m_kernelHandle = 0;
  std::vector<std::unique_ptr<KernelContext>> m_contexts;
  std::vector<KernelResource *> m_resources;
  std::vector<D3DKMT_HANDLE> m_opened;
  /// The allocations that the driver made: the resource of each, and how often it is locked.
  struct Made {
    HANDLE resource;
    bool shared;
    UINT locks;
  };
  std::map<D3DKMT_HANDLE, Made> m_made;
  const PresentRequest *m_request = nullptr;
  UINT m_presents = 0, m_presentCalls = 0, m_modeCalls = 0, m_submissions = 0;
  const char *m_call = nullptr;
  DWORD m_callThread = 0;
  HRESULT m_callbackError = S_OK;  ///< the last one in the running call
  bool m_async = false;            ///< the driver calls back from another thread
  bool m_removed = false;
  bool m_occluded = false;
};

}  // namespace aerogpu::runtime
