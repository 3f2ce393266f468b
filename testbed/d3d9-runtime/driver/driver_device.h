// SPDX-License-Identifier: MIT
// A device of the user-mode driver: its function table, called with checks, and the callbacks that it is given. One
// call at a time: callers hold the lock of the Device. Pages pfnd3dddi_createdevice, d3dddi_devicecallbacks.
#pragma once

#include <memory>
#include <vector>

#include "testbed/d3d9-runtime/base/log.h"
#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/driver/driver_adapter.h"
#include "testbed/d3d9-runtime/driver/driver_call.h"
#include "testbed/d3d9-runtime/driver/driver_context.h"

namespace aerogpu::runtime {

class DriverResource;

/// What a present is about, for pfnPresentCb: Windows 7's interface hands none of it to the driver.
struct PresentRequest {
  HWND window = nullptr;    ///< null for flips
  RECT source{};            ///< in the back buffer
  RECT destination{};       ///< in the window's client area
  std::vector<RECT> dirty;  ///< parts of the source; empty: all of it
  UINT count = 0;           ///< number of this present
  bool flip = false;
  bool doNotWait = false;
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_IMMEDIATE;
};

namespace detail {

/// The name of a function of D3DDDI_DEVICEFUNCS, without its "pfn".
struct FunctionName {
  char text[48]{};
};

/// It, cut out of how the compiler spells this function.
template <auto kMember> consteval FunctionName functionName() {
  const char *at = __PRETTY_FUNCTION__, *found = at;
  for (; *at; ++at)
    if (at[0] == 'p' && at[1] == 'f' && at[2] == 'n') found = at + 3;
  FunctionName name;
  for (unsigned n = 0; n + 1 < sizeof name.text && found[n] && found[n] != ']' && found[n] != ';' && found[n] != ')';
       ++n)
    name.text[n] = found[n];
  return name;
}

}  // namespace detail

class DriverDevice {
public:
  /// What resources take of the memory for textures, as GetAvailableTextureMem counts it.
  void countVideoBytes(INT64 change) { m_videoBytes += static_cast<UINT64>(change); }
  UINT64 videoBytes() const { return m_videoBytes; }
  explicit DriverDevice(const DriverAdapter &adapter) : m_adapter(adapter) {}
  ~DriverDevice();
  DriverDevice(const DriverDevice &) = delete;
  DriverDevice &operator=(const DriverDevice &) = delete;

  /// `callbacks`: what the driver calls of the runtime's (callbacks.h).
  HRESULT create(bool multithreaded, const D3DDDI_DEVICECALLBACKS &callbacks);

  /// Calls `m_functions.*kMember` with the driver's device handle and `arguments`. E_NOTIMPL, and a broken rule, where
  /// the driver left the function out.
  template <auto kMember, Results kAllowed = Results::Ordinary, class... Arguments>
  HRESULT call(Arguments... arguments) {
    const auto function = m_functions.*kMember;
    constexpr detail::FunctionName spelled = detail::functionName<kMember>();
    const char *name = spelled.text;  // good for as long as the call
    if (!function) {
      brokenRule("the driver has no %s", name);
      return E_NOTIMPL;
    }
    const FloatControl before = beginCall(name);
    const HRESULT result = function(m_driverHandle, arguments...);
    endCall(name, before, result, kAllowed);
    return result;
  }

  const DriverAdapter &adapter() const { return m_adapter; }
  D3DKMT_HANDLE kernelHandle() const { return m_kernelHandle; }
  /// Runs pfnPresent with `request` at hand for the callback.
  HRESULT present(const D3DDDIARG_PRESENT &argument, const PresentRequest &request);
  /// Whether the last present was accepted but cannot be seen.
  bool wasOccluded() const { return m_occluded; }
  /// Whether a callback reported that the device was removed; nothing brings it back.
  bool isRemoved() const { return m_removed; }

  /// Resources of the runtime announce themselves: callbacks bring back the handles.
  void addResource(DriverResource *resource) { m_resources.push_back(resource); }
  void removeResource(DriverResource *resource);
  /// Allocations that were opened, not created here: locking them is their creator's right only.
  void addOpened(D3DKMT_HANDLE allocation) { m_opened.push_back(allocation); }

private:
  UINT64 m_videoBytes = 0;
  friend struct Callbacks;

  FloatControl beginCall(const char *name);
  void endCall(const char *name, const FloatControl &before, HRESULT result, Results allowed);
  /// The device of a callback's handle; null, and a broken rule, for a wrong handle or outside of a call.
  static DriverDevice *fromCallback(HANDLE handle, const char *callback);
  HRESULT returned(HRESULT result);
  DriverResource *findResource(HANDLE handle) const;
  DriverContext *findContext(HANDLE handle) const;

  const DriverAdapter &m_adapter;
  D3DKMT_HANDLE m_kernelHandle = 0;
  HANDLE m_driverHandle = nullptr;
  D3DDDI_DEVICEFUNCS m_functions{};
  std::vector<std::unique_ptr<DriverContext>> m_contexts;
  std::vector<DriverResource *> m_resources;
  std::vector<D3DKMT_HANDLE> m_opened;
  const PresentRequest *m_request = nullptr;
  const char *m_call = nullptr;  ///< the driver's function that runs
  DWORD m_callThread = 0;
  HRESULT m_callbackError = S_OK;  ///< the last one in the call that runs
  bool m_async = false;            ///< the driver calls back from a thread of its own
  bool m_removed = false;
  bool m_occluded = false;
};

}  // namespace aerogpu::runtime
