// SPDX-License-Identifier: MIT
// device_handles.h: the handles of one device: all numbers if the device has a space of its own (docs/abi/spaces.md
// SPACE-7), else ranges that the kernel driver reserves for it (docs/abi/driver-data.md PRIV-13).
#pragma once

#include "guest-drivers/umd-common/base/handles.h"
#include "guest-drivers/umd-common/submit/context.h"

namespace aero {

class DeviceHandles : public HandleSource {
public:
  explicit DeviceHandles(Context &context) : m_context(context) {}
  HandleRange next() override;

private:
  Context &m_context;
  bool m_all = false;  // all numbers have been handed out
};

}  // namespace aero
