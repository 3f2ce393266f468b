// SPDX-License-Identifier: MIT
// device_objects.h: the common tools for making and filling objects on the device, and the table of formats.
#pragma once

#include "guest-drivers/umd-common/submit/upload_memory.h"
#include "guest-drivers/umd-d3d10/base/formats.h"

namespace aero {

struct DeviceObjects : ObjectTools {
  const FormatTable &formats;
  UploadMemory &uploads;
};

}  // namespace aero
