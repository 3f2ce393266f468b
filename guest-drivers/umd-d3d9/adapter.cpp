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
  const aerogpu_umd_private_v1 &v1 = m_info.v1;
  const bool extended = v1.struct_version >= AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2;
  if (v1.size_bytes < (extended ? sizeof m_info : sizeof v1) || v1.struct_version < AEROGPU_UMDPRIV_STRUCT_VERSION_V1 ||
      v1.device_mmio_magic != AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU ||
      v1.device_abi_version_u32 >> 16 != AEROGPU_ABI_MAJOR)
    return kNotAvailable;
  return kOk;
}

}  // namespace aero
