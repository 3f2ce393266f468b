// SPDX-License-Identifier: MIT
// adapter.h: the object that OpenAdapter makes: the runtime's handle and callbacks, and the kernel driver's description
// of the device. A process may open several adapters side by side; they share nothing. Read-only once it is open,
// except for its log, so devices of several threads use it without a lock.
#pragma once

#include "guest-drivers/umd-common/adapter/adapter_info.h"
#include "guest-drivers/umd-d3d9/base/formats.h"

namespace aero {

class Adapter : public AdapterInfo {
public:
  /** The interface level that the driver was written for. */
  static constexpr UINT kInterfaceVersion = D3D_UMD_INTERFACE_VERSION_WIN7;

  explicit Adapter(const D3DDDIARG_OPENADAPTER &args)
      : m_runtime(args.hAdapter),
        m_interface(args.Interface),
        m_version(args.Version && args.Version < kInterfaceVersion ? args.Version : kInterfaceVersion),
        m_callbacks(*args.pAdapterCallbacks) {}
  static Adapter *from(HANDLE handle) { return static_cast<Adapter *>(handle); }

  /** Asks the kernel driver for the description of the device. Fails if the answer is not from aerogpu's kernel driver,
   * or has a version that this driver does not know. */
  HRESULT open();
  HANDLE runtime() const { return m_runtime; }
  /** Returns 9 for d3d9, 8 for d3d8, 7 and less for earlier interfaces. */
  UINT interfaceNumber() const { return m_interface; }
  /** Returns the interface level that runtime and driver both know. */
  UINT version() const { return m_version; }
  /** True unless the user wants vertex and index buffers to stay in the runtime's memory (docs/abi/driver-data.md
   * PRIV-31). */
  bool allocatesBuffers() const { return !(details().ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_NO_BUFFERS); }
  /** Returns the limits in the device's capability block, without its formats; all zero without a block. */
  const aerogpu_caps &limits() const { return block().limits(); }
  const FormatTable &formats() const { return m_formats; }
  CallLog &log() { return m_log; }

private:
  HANDLE m_runtime;
  UINT m_interface, m_version;
  D3DDDI_ADAPTERCALLBACKS m_callbacks;
  FormatTable m_formats{0, {}, 0};
  CallLog m_log;
};

}  // namespace aero
