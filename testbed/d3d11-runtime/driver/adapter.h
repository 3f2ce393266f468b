// SPDX-License-Identifier: MIT
// The driver as an adapter: its DLL, the two exports, versions and caps. Display DDI pages "Initializing Communication
// with the Direct3D Version 11 DDI", pfnd3d10ddi_openadapter, pfnd3d10_2ddi_getsupportedversions,
// pfnd3d10_2ddi_getcaps.
#pragma once

#include <vector>

#include "testbed/d3d11-runtime/driver/choice.h"
#include "testbed/d3d11-runtime/driver/table_guard.h"
#include "testbed/runtime-kernel/float_control.h"
#include "testbed/runtime-kernel/kernel_adapter.h"

namespace aerogpu::runtime11 {

class DriverAdapter {
public:
  DriverAdapter() = default;
  ~DriverAdapter();
  DriverAdapter(const DriverAdapter &) = delete;
  DriverAdapter &operator=(const DriverAdapter &) = delete;

  /// Opens the adapter of the display `name`, loads its driver and asks for versions and caps. Returns false, and logs
  /// what failed, if there is none.
  bool open(const WCHAR *name);
  /// Chooses the version for a level; false if the driver does not offer it.
  bool choose(D3D_FEATURE_LEVEL level, Choice &choice) const;

  const runtime::KernelAdapter &kernelAdapter() const { return m_kernelAdapter; }
  /// D3D11DDICAPS_THREADING and D3D11DDICAPS_SHADER of the driver.
  UINT threadingCaps() const { return m_threading; }
  UINT shaderCaps() const { return m_shader; }

  SIZE_T privateDeviceSize(const Choice &choice, UINT flags) const;
  HRESULT createDevice(D3D10DDIARG_CREATEDEVICE &argument) const;

private:
  bool loadDriver();
  bool openDriver(const char *exportName, bool second);
  bool readVersions();
  UINT cap(D3D10_2DDICAPS_TYPE type) const;

  runtime::KernelAdapter m_kernelAdapter;
  HMODULE m_module = nullptr;
  char m_file[MAX_PATH]{};
  D3DDDI_ADAPTERCALLBACKS m_callbacks{};  ///< the driver keeps a pointer to it
  TableGuard m_guard{"the adapter's table"};
  D3D10DDI_HADAPTER m_driver{};
  bool m_opened = false, m_second = false;  ///< by OpenAdapter10_2
  std::vector<UINT64> m_versions;
  UINT m_threading = 0, m_shader = 0, m_levels = 0;
};

/// Reports floating-point control words that a driver function changed, and restores them.
void checkControlWords(const char *function, const runtime::FloatControl &before);

}  // namespace aerogpu::runtime11
