// SPDX-License-Identifier: MIT
// A device of the user-mode driver: its function table, called with checks, and the callbacks that it is given. One
// call at a time: callers hold the lock of the Device. Pages pfnd3dddi_createdevice, d3dddi_devicecallbacks.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/driver/driver_adapter.h"
#include "testbed/d3d9-runtime/driver/driver_call.h"
#include "testbed/runtime-kernel/function_name.h"
#include "testbed/runtime-kernel/kernel_device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

class DriverDevice final : public KernelDevice {
public:
  /// Counts the texture memory that resources take, for GetAvailableTextureMem.
  void countVideoBytes(INT64 change) { m_videoBytes += static_cast<UINT64>(change); }
  UINT64 videoBytes() const { return m_videoBytes; }
  explicit DriverDevice(const DriverAdapter &adapter)
      : KernelDevice(adapter.kernelAdapter(), adapter.version() == 8 ? D3DKMT_CLIENTHINT_DX8 : D3DKMT_CLIENTHINT_DX9),
        m_adapter(adapter) {}
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
    constexpr FunctionName spelled = functionName<kMember>();
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
  /// Runs pfnPresent and keeps `request` for the callback.
  HRESULT present(const D3DDDIARG_PRESENT &argument, const PresentRequest &request);

private:
  UINT64 m_videoBytes = 0;
  FloatControl beginCall(const char *name);
  void endCall(const char *name, const FloatControl &before, HRESULT result, Results allowed);
  void onCallback() override;

  const DriverAdapter &m_adapter;
  HANDLE m_driverHandle = nullptr;
  D3DDDI_DEVICEFUNCS m_functions{};
};

}  // namespace aerogpu::runtime
