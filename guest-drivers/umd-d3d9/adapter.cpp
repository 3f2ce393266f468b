// SPDX-License-Identifier: MIT
#include "adapter.h"

#include "aerogpu/aerogpu_base.h"

namespace aero {

HRESULT Adapter::open() {
  D3DDDICB_QUERYADAPTERINFO query = {};
  query.pPrivateDriverData = &m_info;
  query.PrivateDriverDataSize = sizeof m_info;
  const HRESULT result = m_callbacks.pfnQueryAdapterInfoCb(m_runtime, &query);
  if (failed(result)) return result;
  if (m_info.size_bytes < sizeof m_info || m_info.struct_version < AEROGPU_UMDPRIV_STRUCT_VERSION_V1 ||
      m_info.device_mmio_magic != AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU ||
      m_info.device_abi_version_u32 >> 16 != AEROGPU_ABI_MAJOR)
    return kNotAvailable;
  return kOk;
}

}  // namespace aero
