// SPDX-License-Identifier: MIT
// Resources that another device or process made.
#include <algorithm>

#include "testbed/runtime-kernel/kernel_device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

HRESULT KernelDevice::openShared(D3DKMT_HANDLE global, OpenedResource &out) {
  const KernelCalls &kernel = m_adapter.kernel();
  out = {};
  D3DKMT_QUERYRESOURCEINFO info{};
  info.hDevice = m_kernelHandle;
  info.hGlobalShare = global;
  info.pPrivateRuntimeData = &out.description;
  info.PrivateRuntimeDataSize = sizeof out.description;
  HRESULT result = resultOfStatus(kernel.QueryResourceInfo(&info));
  if (FAILED(result)) {
    logLine("shared handle 0x%08x cannot be opened: 0x%08lx", global, static_cast<unsigned long>(result));
    return result;
  }
  constexpr UINT kMostAllocations = 64, kMostPrivateBytes = 1u << 20;
  if (!info.NumAllocations || info.NumAllocations > kMostAllocations ||
      info.TotalPrivateDriverDataSize > kMostPrivateBytes || info.ResourcePrivateDriverDataSize > kMostPrivateBytes) {
    logLine("shared handle 0x%08x: %u allocations, %u bytes of private data", global, info.NumAllocations,
            info.TotalPrivateDriverDataSize);
    return E_INVALIDARG;
  }
  out.allocations.resize(info.NumAllocations);
  out.resourceData.resize(info.ResourcePrivateDriverDataSize);
  out.allocationData.resize(info.TotalPrivateDriverDataSize);
  D3DKMT_OPENRESOURCE call{};
  call.hDevice = m_kernelHandle;
  call.hGlobalShare = global;
  call.NumAllocations = info.NumAllocations;
  call.pOpenAllocationInfo = out.allocations.data();
  call.pPrivateRuntimeData = &out.description;
  call.PrivateRuntimeDataSize = std::min<UINT>(info.PrivateRuntimeDataSize, sizeof out.description);
  call.pResourcePrivateDriverData = out.resourceData.empty() ? nullptr : out.resourceData.data();
  call.ResourcePrivateDriverDataSize = info.ResourcePrivateDriverDataSize;
  call.pTotalPrivateDriverDataBuffer = out.allocationData.empty() ? nullptr : out.allocationData.data();
  call.TotalPrivateDriverDataBufferSize = info.TotalPrivateDriverDataSize;
  result = resultOfStatus(kernel.OpenResource(&call));
  if (FAILED(result)) return result;
  out.kernelHandle = call.hResource;
  for (const D3DDDI_OPENALLOCATIONINFO &allocation : out.allocations) m_opened.push_back(allocation.hAllocation);
  return S_OK;
}

void KernelDevice::closeResource(KernelResource &resource) const {
  if (!resource.kernelHandle) return;
  D3DKMT_DESTROYALLOCATION argument{};
  argument.hDevice = m_kernelHandle;
  argument.hResource = resource.kernelHandle;
  m_adapter.kernel().DestroyAllocation(&argument);
  resource.kernelHandle = 0;
}

}  // namespace aerogpu::runtime
