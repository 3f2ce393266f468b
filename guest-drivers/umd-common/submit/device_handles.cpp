// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/submit/device_handles.h"

#include "aerogpu/aerogpu_escape_extension.h"

namespace aero {

HandleRange DeviceHandles::next() {
  if (m_context.runtime().spaces()) {
    if (m_all) return {};
    m_all = true;
    return {1, 0xFFFFFFFE};
  }
  aerogpu_escape_ext_reserve_handles_inout data = {};
  data.hdr.version = AEROGPU_ESCAPE_VERSION;
  data.hdr.op = AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES;
  data.hdr.size = sizeof data;
  data.count = AEROGPU_EXT_HANDLE_RANGE_UNIT;
  const HRESULT result = m_context.runtime().escape(&data, sizeof data);
  if (failed(result)) {
    m_context.fail(result);
    return {};
  }
  return {data.first, data.count};
}

}  // namespace aero
