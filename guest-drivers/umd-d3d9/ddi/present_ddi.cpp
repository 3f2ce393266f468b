// SPDX-License-Identifier: MIT
// present_ddi.cpp: presents, flushes, display modes, queries.
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/device/device.h"

namespace aero::ddi {
namespace {

/** Sets `allocation` to the one that the kernel presents for a surface, 0 if there is none. Adds the packets that bring
 * it up to date to the batch. */
HRESULT allocationOf(Device &device, HANDLE handle, UINT subresource, D3DKMT_HANDLE &allocation) {
  allocation = 0;
  Resource *resource = Resource::from(handle);
  Surface *surface = resource ? resource->surface(subresource) : nullptr;
  return surface ? resource->show(device.objects, *surface, allocation) : kOk;
}

}  // namespace

HRESULT APIENTRY Present(HANDLE handle, const D3DDDIARG_PRESENT *args) {
  Device &device = *Device::from(handle);
  D3DDDICB_PRESENT data = {};
  data.hContext = device.context.handle();
  HRESULT result = allocationOf(device, args->hSrcResource, args->SrcSubResourceIndex, data.hSrcAllocation);
  if (failed(result)) return result;
  result = allocationOf(device, args->hDstResource, args->DstSubResourceIndex, data.hDstAllocation);
  if (failed(result)) return result;
  // In full screen the runtime does not call Flush before Present (page "PFND3DDDI_PRESENT"). The kernel driver then
  // draws or flips what is presented.
  const HRESULT flushed = device.flush();
  if (flushed == kDeviceRemoved) return flushed;
  if (args->hSrcResource && !data.hSrcAllocation) return kNotAvailable;
  const HRESULT presented = device.runtime.present(data);
  return failed(presented) ? presented : flushed;
}

HRESULT APIENTRY Flush(HANDLE device) {
  return Device::from(device)->flush();
}

HRESULT APIENTRY SetDisplayMode(HANDLE handle, const D3DDDIARG_SETDISPLAYMODE *args) {
  Device &device = *Device::from(handle);
  D3DDDICB_SETDISPLAYMODE data = {};
  const HRESULT shown = allocationOf(device, args->hResource, args->SubResourceIndex, data.hPrimaryAllocation);
  if (failed(shown)) return shown;
  const HRESULT flushed = device.flush();
  if (failed(flushed)) return flushed;
  return data.hPrimaryAllocation ? device.runtime.setDisplayMode(data) : kNotAvailable;
}

HRESULT APIENTRY GetInfo(HANDLE, UINT id, VOID *data, UINT bytes) {
  if (id != D3DDDIDEVINFOID_VCACHE || !data || bytes < sizeof(VertexCacheAnswer)) return kNotImplemented;
  memcpy(data, &kNoVertexCache, sizeof kNoVertexCache);
  return kOk;
}

HRESULT APIENTRY CreateQuery(HANDLE device, D3DDDIARG_CREATEQUERY *args) {
  const QueryTypes offered = queryTypes(Device::from(device)->adapter().featuresHigh());
  uint32_t at = 0;
  while (at < offered.count && offered.types[at] != args->QueryType) at++;
  if (at == offered.count) return kNotAvailable;
  auto *query = heapCreate<Query>(args->QueryType);
  if (!query) return kOutOfMemory;
  Device::from(device)->queries.add(query);
  args->hQuery = query;
  return kOk;
}

HRESULT APIENTRY DestroyQuery(HANDLE device, HANDLE query) {
  if (query) Device::from(device)->end(Query::from(query));
  return kOk;
}

HRESULT APIENTRY IssueQuery(HANDLE handle, const D3DDDIARG_ISSUEQUERY *args) {
  Device &device = *Device::from(handle);
  return Query::from(args->hQuery)
      ->issue(device.objects, device.progress, args->Flags, device.pipeline.targets.samples());
}

HRESULT APIENTRY GetQueryData(HANDLE handle, D3DDDIARG_GETQUERYDATA *args) {
  Device &device = *Device::from(handle);
  return Query::from(args->hQuery)->data(device.objects, device.progress, args->pData);
}

}  // namespace aero::ddi
