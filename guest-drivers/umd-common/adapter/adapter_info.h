// SPDX-License-Identifier: MIT
// adapter_info.h: the kernel driver's description of the device, which each user-mode driver asks for when its adapter
// is opened (docs/abi/driver-data.md PRIV-26 to PRIV-30). Read-only once it is open; any thread.
#pragma once

#include "aerogpu/aerogpu_umd_private_extension.h"
#include "guest-drivers/umd-common/base/ddi.h"
#include "guest-drivers/umd-common/base/device_block.h"
#include "guest-drivers/umd-common/log/call_log.h"

namespace aero {

class AdapterInfo {
public:
  AdapterInfo() = default;
  AdapterInfo(const AdapterInfo &) = delete;
  AdapterInfo &operator=(const AdapterInfo &) = delete;
  ~AdapterInfo();

  /** Asks the kernel driver. Fails if the answer is not from aerogpu's kernel driver, or has a version that this driver
   * does not know. `export_`: the name of the DLL's function that was called, for a debugger. */
  HRESULT open(HANDLE runtime, const D3DDDI_ADAPTERCALLBACKS &callbacks, const char *export_);

  const aerogpu_umd_private_v1 &info() const { return m_info.v1; }
  /** Returns the fields that version 2 adds; all zero if the kernel driver is older. */
  const aerogpu_umd_ext_private_v2 &details() const { return m_info; }
  /** Returns the device's AEROGPU_EXT_FEATURE_HI_* (docs/abi/extensions.md). */
  uint32_t featuresHigh() const { return static_cast<uint32_t>(info().device_features >> 32); }
  /** True if the device keeps programs apart (docs/abi/driver-data.md PRIV-30). */
  bool spaces() const { return m_info.ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_SPACES; }
  /** True if the device uses system memory in place (PRIV-29). */
  bool hasAperture() const { return m_info.ext_flags & AEROGPU_UMDPRIV_EXT_FLAG_APERTURE; }
  LogLevel logLevel() const {
    return static_cast<LogLevel>((m_info.ext_flags & AEROGPU_UMDPRIV_EXT_LOG_MASK) / AEROGPU_UMDPRIV_EXT_LOG_UNIT);
  }
  /** Returns the device's capability block, which lives as long as this object; an empty one if there is none. */
  const DeviceBlock &block() const { return m_block; }

private:
  HRESULT take(uint32_t room, const char *export_);

  uint8_t *m_answer = nullptr;
  aerogpu_umd_ext_private_v2 m_info = {};
  DeviceBlock m_block;
};

}  // namespace aero
