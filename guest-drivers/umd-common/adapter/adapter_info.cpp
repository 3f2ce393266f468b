// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/adapter/adapter_info.h"

#include "aerogpu/aerogpu_base.h"
#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-common/base/heap.h"
#include "guest-drivers/umd-common/log/describe.h"
#include "guest-drivers/umd-common/log/log_file.h"

namespace aero {
namespace {

/** Tells a debugger why the kernel driver's answer is refused, and returns the error. The log is not open yet: the
 * answer itself switches it on. */
HRESULT refuse(const char *export_, const char *what, uint64_t value) {
  CallText line;
  line.text("aerogpu: ").text(export_).text(": the kernel driver's answer has ").text(what).text(" ").hex(value);
  line.text(", which this driver does not know");
  debugOutput(line.ended());
  return kNotAvailable;
}

}  // namespace

AdapterInfo::~AdapterInfo() {
  heapFree(m_answer);
}

HRESULT AdapterInfo::open(HANDLE runtime, const D3DDDI_ADAPTERCALLBACKS &callbacks, const char *export_) {
  // The largest possible answer: the block follows the fixed part (docs/abi/driver-data.md PRIV-29).
  constexpr UINT kBytes = sizeof m_info + AEROGPU_EXT_REG_CAPS_BYTES;
  m_answer = static_cast<uint8_t *>(heapAllocate(kBytes));
  if (!m_answer) return kOutOfMemory;
  D3DDDICB_QUERYADAPTERINFO query = {};
  query.pPrivateDriverData = m_answer;
  query.PrivateDriverDataSize = kBytes;
  const HRESULT result = callbacks.pfnQueryAdapterInfoCb(runtime, &query);
  if (!failed(result)) return take(kBytes, export_);
  CallText line;
  describeEnd(line.text("aerogpu: ").text(export_).text(": QueryAdapterInfoCb"), result);
  debugOutput(line.ended());
  return result;
}

HRESULT AdapterInfo::take(uint32_t room, const char *export_) {
  memcpy(&m_info, m_answer, sizeof m_info);
  const aerogpu_umd_private_v1 &v1 = m_info.v1;
  const bool extended = v1.struct_version >= AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;
  if (v1.device_mmio_magic != AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU)
    return refuse(export_, "magic", v1.device_mmio_magic);
  if (v1.struct_version < AEROGPU_UMDPRIV_STRUCT_VERSION_V1)
    return refuse(export_, "structure version", v1.struct_version);
  if (v1.size_bytes < (extended ? sizeof m_info : sizeof v1)) return refuse(export_, "size", v1.size_bytes);
  if (v1.device_abi_version_u32 >> 16 != AEROGPU_ABI_MAJOR)
    return refuse(export_, "ABI version", v1.device_abi_version_u32);
  if (!extended) memset(reinterpret_cast<uint8_t *>(&m_info) + sizeof v1, 0, sizeof m_info - sizeof v1);
  const uint32_t most = room - static_cast<uint32_t>(sizeof m_info);
  const uint32_t bytes = m_info.block_written < most ? m_info.block_written : most;
  m_block = DeviceBlock(m_answer + sizeof m_info, featuresHigh() & AEROGPU_EXT_FEATURE_HI_CAPS ? bytes : 0);
  return kOk;
}

}  // namespace aero
