// SPDX-License-Identifier: MIT
// adapter.h: the object that OpenAdapter10 and OpenAdapter10_2 make: the runtime's handle and the kernel driver's
// description of the device. A process may open several side by side; they share nothing. Read-only once it is open,
// except for its log, so devices of several threads use it without a lock.
#pragma once

#include "guest-drivers/umd-common/adapter/adapter_info.h"
#include "guest-drivers/umd-d3d10/base/formats.h"

namespace aero {

class Adapter : public AdapterInfo {
public:
  explicit Adapter(const D3D10DDIARG_OPENADAPTER &args)
      : m_runtime(args.hRTAdapter.handle), m_callbacks(*args.pAdapterCallbacks) {}
  static Adapter *from(D3D10DDI_HADAPTER handle) { return static_cast<Adapter *>(handle.pDrvPrivate); }

  /** Asks the kernel driver for the description of the device. Fails if the answer is unknown, or if the device lacks
   * an extension that this driver needs. */
  HRESULT open(const char *export_);
  HANDLE runtime() const { return m_runtime; }
  const FormatTable &formats() const { return m_formats; }
  bool hasGeometryShaders() const { return block().limits().flags & AEROGPU_CAPS_GEOMETRY_SHADERS; }
  CallLog &log() { return m_log; }

private:
  HANDLE m_runtime;
  const D3DDDI_ADAPTERCALLBACKS &m_callbacks;  // the runtime's table, which may change
  FormatTable m_formats;
  CallLog m_log;
};

}  // namespace aero
