// SPDX-License-Identifier: MIT
// device_objects.h: the common tools for making objects on the device, and the table of formats.
#pragma once

#include "guest-drivers/umd-common/submit/object_tools.h"
#include "guest-drivers/umd-d3d9/base/formats.h"

namespace aero {

struct DeviceObjects : ObjectTools {
  const FormatTable &formats;
};

}  // namespace aero
