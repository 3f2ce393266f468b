// SPDX-License-Identifier: MIT
// A device of the user-mode driver: its function table, called with checks, and the callbacks that it is given. One
// call at a time: callers hold the lock of the Device. Pages pfnd3dddi_createdevice, d3dddi_devicecallbacks.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "testbed/d3d9-runtime/base/log.h"
#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/driver/driver_adapter.h"
#include "testbed/d3d9-runtime/driver/driver_call.h"
#include "testbed/d3d9-runtime/driver/driver_context.h"

namespace aerogpu::runtime {

class DriverResource;

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

namespace detail {

/// The name of a function of D3DDDI_DEVICEFUNCS, without its "pfn".
struct FunctionName {
  char text[48]{};
};

/// Returns the name, cut out of this function's spelling by the compiler.
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
  /// Counts the texture memory that resources take, for GetAvailableTextureMem.
  void countVideoBytes(INT64 change) { m_videoBytes += static_cast<UINT64>(change); }
  UINT64 videoBytes() const { return m_videoBytes; }
  explicit DriverDevice(const DriverAdapter &adapter) : m_adapter(adapter) {}
  ~DriverDevice();
  DriverDevice(const DriverDevice &) = delete;
  DriverDevice &operator=(const DriverDevice &) = delete;

  /// Creates the device. `callbacks`: the runtime's callbacks (callbacks.h).
  HRESULT create(bool multithreaded, const D3DDDI_DEVICECALLBACKS &callbacks);

  /// Calls `m_functions.*kMember` with the driver's device handle and `arguments`. Returns E_NOTIMPL, and reports a
  /// broken rule, if the driver left the function out.
  template <auto kMember, Results kAllowed = Results::Ordinary, class... Arguments>
  HRESULT call(Arguments... arguments) {
    const auto function = m_functions.*kMember;
    constexpr detail::FunctionName spelled = detail::functionName<kMember>();
    const char *name = spelled.text;  // valid during the call
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
  /// Returns how many presents of this device the kernel side took.
  UINT presents() const { return m_presents; }
  /// Returns how often the driver has called pfnRenderCb.
  UINT submissions() const { return m_submissions; }
  /// Returns the kernel side's statistics of presents; false if there are none.
  bool presentStatistics(D3DKMT_PRESENT_STATS &out) const;
  /// Runs pfnPresent and keeps `request` for the callback.
  HRESULT present(const D3DDDIARG_PRESENT &argument, const PresentRequest &request);
  /// True if the last present was accepted but is not visible.
  bool wasOccluded() const { return m_occluded; }
  /// True if a callback reported that the device was removed; nothing brings it back.
  bool isRemoved() const { return m_removed; }

  /// Returns the last error of a callback during the last call, which a driver passes on.
  HRESULT callbackError() const { return m_callbackError; }

  /// Registers a resource of the runtime, so that it is found when the driver names it in a callback.
  void addResource(DriverResource *resource) { m_resources.push_back(resource); }
  void removeResource(DriverResource *resource);
  /// Notes an allocation that was opened, not created here: only its creator may lock it.
  void addOpened(D3DKMT_HANDLE allocation) { m_opened.push_back(allocation); }

private:
  UINT64 m_videoBytes = 0;
  friend struct Callbacks;

  FloatControl beginCall(const char *name);
  void endCall(const char *name, const FloatControl &before, HRESULT result, Results allowed);
  /// Returns the device for a callback's handle; null, and reports a broken rule, for a wrong handle or outside a call.
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
  /// The allocations that the driver made: the resource of each, and how often it is locked.
  struct Made {
    HANDLE resource;
    bool shared;
    UINT locks;
  };
  std::map<D3DKMT_HANDLE, Made> m_made;
  const PresentRequest *m_request = nullptr;
  UINT m_presents = 0, m_submissions = 0;
  const char *m_call = nullptr;  ///< the driver's function that is running
  DWORD m_callThread = 0;
  HRESULT m_callbackError = S_OK;  ///< the last one in the running call
  bool m_async = false;            ///< the driver calls back from another thread
  bool m_removed = false;
  bool m_occluded = false;
};

}  // namespace aerogpu::runtime
