// SPDX-License-Identifier: MIT
// An adapter as the user-mode driver sees it: the DLL, OpenAdapter, and the answers of GetCaps. One for each
// IDirect3D9. Pages pfnd3dddi_openadapter, pfnd3dddi_getcaps of the display DDI reference.
#pragma once

#include <vector>

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/runtime-kernel/kernel_adapter.h"

namespace aerogpu::runtime {

class DriverAdapter {
public:
  /// `version`: that of Direct3D, as which the runtime opens the driver's adapter.
  explicit DriverAdapter(UINT version) : m_version(version) {}
  ~DriverAdapter();
  DriverAdapter(const DriverAdapter &) = delete;
  DriverAdapter &operator=(const DriverAdapter &) = delete;

  /// Opens the adapter of the display `name` (L"\\\\.\\DISPLAY1"), loads its driver and asks for its capabilities.
  /// Returns false, and logs what failed, if there is none that the runtime accepts.
  bool open(const WCHAR *name);

  const KernelAdapter &kernelAdapter() const { return m_kernelAdapter; }
  const KernelCalls &kernel() const { return m_kernelAdapter.kernel(); }
  D3DKMT_HANDLE kernelHandle() const { return m_kernelAdapter.kernelHandle(); }
  LUID luid() const { return m_kernelAdapter.luid(); }
  UINT vidPnSource() const { return m_kernelAdapter.vidPnSource(); }
  const char *driverFile() const { return m_driverFile; }
  UINT driverVersion() const { return m_driverVersion; }

  UINT version() const { return m_version; }
  const D3DCAPS9 &caps() const { return m_caps; }
  /// Returns the driver's D3DCAPS8, which is D3DCAPS9 up to DevCaps2. Only for version 8.
  const D3DCAPS9 &caps8() const { return m_caps8; }
  /// Returns the FORMATOP bits of a format, all its entries together; 0: not in the list.
  DWORD operations(D3DFORMAT format) const;
  /// Returns the bits of a pixel that the driver told with FORMATOP_PIXELSIZE; 0: none.
  UINT pixelBits(D3DFORMAT format) const;
  /// Returns FORMATOP::FlipMsTypes (for a full screen) or BltMsTypes of a format: bit n - 1 stands for n samples,
  /// and bit 0 for D3DMULTISAMPLE_NONMASKABLE.
  DWORD multisampleTypes(D3DFORMAT format, bool flip) const;
  bool hasQuery(D3DDDIQUERYTYPE type) const;
  /// Returns the quality levels of a format and a number of samples, 0 for none.
  UINT qualityLevels(D3DFORMAT format, D3DMULTISAMPLE_TYPE type, bool flip) const;
  /// Returns every mode that the kernel side lists for the adapter's source.
  const std::vector<D3DKMT_DISPLAYMODE> &modes() const { return m_kernelAdapter.modes(); }
  /// Returns the current mode in `mode`; false if the kernel side does not know it.
  bool currentMode(D3DKMT_DISPLAYMODE &mode) const { return m_kernelAdapter.currentMode(mode); }

  /// True if the driver's screens have gamma ramps of 256 entries.
  bool hasGammaRamps() const;

  HMODULE module() const { return m_module; }
  HRESULT createDevice(D3DDDIARG_CREATEDEVICE &argument) const;

  /// Calls GetCaps for a type that the runtime here does not need itself.
  HRESULT ask(D3DDDICAPS_TYPE type, void *info, void *data, UINT size) const { return getCaps(type, info, data, size); }

private:
  bool loadDriver();
  bool readCaps();
  void checkMultisampling() const;
  bool checkFormats() const;
  bool checkCaps() const;
  void checkCaps8() const;
  void askForVideo() const;
  HRESULT getCaps(D3DDDICAPS_TYPE type, void *info, void *data, UINT size) const;

  const UINT m_version;
  KernelAdapter m_kernelAdapter;
  HMODULE m_module = nullptr;
  char m_driverFile[MAX_PATH]{};
  HANDLE m_driverHandle = nullptr;
  UINT m_driverVersion = 0;
  D3DDDI_ADAPTERFUNCS m_functions{};
  D3DCAPS9 m_caps{}, m_caps8{};
  std::vector<FORMATOP> m_formats;
  std::vector<D3DDDIQUERYTYPE> m_queries;
};

}  // namespace aerogpu::runtime
