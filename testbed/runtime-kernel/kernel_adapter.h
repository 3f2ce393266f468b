// SPDX-License-Identifier: MIT
// An adapter as the runtime has it from the kernel side: its handles, the name of its driver, its modes. Also the
// adapter callbacks of the driver, which get `this` as the runtime's handle.
#pragma once

#include <vector>

#include "testbed/runtime-kernel/kernel_calls.h"
#include "testbed/runtime-kernel/windows_headers.h"

namespace aerogpu::runtime {

class KernelAdapter {
public:
  KernelAdapter() = default;
  ~KernelAdapter();
  KernelAdapter(const KernelAdapter &) = delete;
  KernelAdapter &operator=(const KernelAdapter &) = delete;

  /// Opens the adapter of the display `name` (L"\\\\.\\DISPLAY1"). Returns false, and logs what failed, if there is
  /// none.
  bool open(const WCHAR *name);
  /// Returns the file of the driver of this version of Direct3D.
  HRESULT driverFile(KMTUMDVERSION version, WCHAR (&file)[MAX_PATH]) const;
  bool readModes();

  HANDLE runtimeHandle() { return this; }
  const KernelCalls &kernel() const { return *m_kernel; }
  D3DKMT_HANDLE kernelHandle() const { return m_kernelHandle; }
  LUID luid() const { return m_luid; }
  UINT vidPnSource() const { return m_source; }
  /// Returns every mode that the kernel side lists for the adapter's source.
  const std::vector<D3DKMT_DISPLAYMODE> &modes() const { return m_modes; }
  /// Returns the current mode in `mode`; false if the kernel side does not know it.
  bool currentMode(D3DKMT_DISPLAYMODE &mode) const;
  HRESULT queryAdapterInfo(KMTQUERYADAPTERINFOTYPE type, void *data, UINT size) const;

  /// Returns the callbacks that OpenAdapter gets.
  static D3DDDI_ADAPTERCALLBACKS callbacks();

private:
  static HRESULT APIENTRY queryAdapterInfoCb(HANDLE adapter, D3DDDICB_QUERYADAPTERINFO *argument);
  static HRESULT APIENTRY getMultisampleMethodListCb(HANDLE adapter, D3DDDICB_GETMULTISAMPLEMETHODLIST *argument);

  const KernelCalls *m_kernel = nullptr;
  D3DKMT_HANDLE m_kernelHandle = 0;
  LUID m_luid{};
  UINT m_source = 0;
  std::vector<D3DKMT_DISPLAYMODE> m_modes;
};

}  // namespace aerogpu::runtime
