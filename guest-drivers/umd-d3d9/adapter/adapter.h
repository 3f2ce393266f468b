// SPDX-License-Identifier: MIT
// adapter.h: the object that OpenAdapter makes: the runtime's handle and callbacks, and the kernel driver's description
// of the device. A process may open several adapters side by side; they share nothing. Read-only once it is open,
// except for its log, so devices of several threads use it without a lock.
#pragma once

#include "aerogpu/aerogpu_umd_private_extension.h"
#include "guest-drivers/umd-common/log/call_log.h"
#include "guest-drivers/umd-d3d9/base/formats.h"

namespace aero {

class Adapter {
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
  const aerogpu_umd_private_v1 &info() const { return m_info.v1; }
  /** Returns the fields that version 2 adds; all zero if the kernel driver is older. */
  const aerogpu_umd_ext_private_v2 &details() const { return m_info; }
  /** Returns the device's AEROGPU_EXT_FEATURE_HI_* (docs/abi/extensions.md). */
  uint32_t featuresHigh() const { return static_cast<uint32_t>(info().device_features >> 32); }
  /** True if the device keeps programs apart (docs/abi/driver-data.md PRIV-30). */
  bool spaces() const { return m_info.ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_SPACES; }
  /** True if the device uses system memory in place (PRIV-29). */
  bool hasAperture() const { return m_info.ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_APERTURE; }
  /** True unless the user wants vertex and index buffers to stay in the runtime's memory (docs/abi/driver-data.md
   * PRIV-31). */
  bool allocatesBuffers() const { return !(m_info.ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_NO_BUFFERS); }
  /** Returns the limits in the device's capability block, without its formats; all zero without a block. */
  const aerogpu_caps &limits() const { return m_limits; }
  const FormatTable &formats() const { return m_formats; }
  CallLog &log() { return m_log; }

private:
  HRESULT take(const uint8_t *answer, uint32_t room);
  HRESULT refuse(const char *what, uint64_t value) const;

  HANDLE m_runtime;
  UINT m_interface, m_version;
  D3DDDI_ADAPTERCALLBACKS m_callbacks;
  aerogpu_umd_ext_private_v2 m_info = {};
  aerogpu_caps m_limits = {};
  FormatTable m_formats{0, {}, 0};
  CallLog m_log;
};

}  // namespace aero
