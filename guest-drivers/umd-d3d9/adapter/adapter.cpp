// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/adapter/adapter.h"

#include "aerogpu/aerogpu_base.h"
#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-common/base/heap.h"
#include "guest-drivers/umd-common/log/log_file.h"
#include "guest-drivers/umd-d3d9/log/call_arguments.h"

namespace aero {

HRESULT Adapter::open() {
  // The largest possible answer: the block follows the fixed part (docs/abi/driver-data.md PRIV-29).
  constexpr UINT kBytes = sizeof m_info + AEROGPU_EXT_REG_CAPS_BYTES;
  auto *answer = static_cast<uint8_t *>(heapAllocate(kBytes));
  if (!answer) return kOutOfMemory;
  D3DDDICB_QUERYADAPTERINFO query = {};
  query.pPrivateDriverData = answer;
  query.PrivateDriverDataSize = kBytes;
  HRESULT result = m_callbacks.pfnQueryAdapterInfoCb(m_runtime, &query);
  if (failed(result)) {
    CallText line;
    describeEnd(line.text("aerogpu: OpenAdapter: QueryAdapterInfoCb"), result);
    debugOutput(line.ended());
  } else {
    result = take(answer, kBytes);
  }
  heapFree(answer);
  return result;
}

HRESULT Adapter::take(const uint8_t *answer, uint32_t room) {
  memcpy(&m_info, answer, sizeof m_info);
  const aerogpu_umd_private_v1 &v1 = m_info.v1;
  const bool extended = v1.struct_version >= AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;
  if (v1.device_mmio_magic != AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU) return refuse("magic", v1.device_mmio_magic);
  if (v1.struct_version < AEROGPU_UMDPRIV_STRUCT_VERSION_V1) return refuse("structure version", v1.struct_version);
  if (v1.size_bytes < (extended ? sizeof m_info : sizeof v1)) return refuse("size", v1.size_bytes);
  if (v1.device_abi_version_u32 >> 16 != AEROGPU_ABI_MAJOR) return refuse("ABI version", v1.device_abi_version_u32);
  if (!extended) memset(reinterpret_cast<uint8_t *>(&m_info) + sizeof v1, 0, sizeof m_info - sizeof v1);
  const uint32_t most = room - static_cast<uint32_t>(sizeof m_info);
  const uint32_t bytes = m_info.block_written < most ? m_info.block_written : most;
  const DeviceBlock block(answer + sizeof m_info, featuresHigh() & AEROGPU_EXT_FEATURE_HI_CAPS ? bytes : 0);
  m_limits = block.limits();
  m_formats = FormatTable(featuresHigh(), block, m_interface);
  m_log.open(static_cast<LogLevel>((m_info.ext_flags & AEROGPU_UMDPRIV_EXT_LOG_MASK) / AEROGPU_UMDPRIV_EXT_LOG_UNIT),
             {"Direct3D 9", "d3d9"});
  return kOk;
}

/** Tells a debugger why the kernel driver's answer is refused, and returns the error. The log is not open yet: the
 * answer itself switches it on. */
HRESULT Adapter::refuse(const char *what, uint64_t value) const {
  CallText line;
  line.text("aerogpu: OpenAdapter: the kernel driver's answer has ").text(what).text(" ").hex(value);
  line.text(", which this driver does not know");
  debugOutput(line.ended());
  return kNotAvailable;
}

}  // namespace aero
