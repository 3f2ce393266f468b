// SPDX-License-Identifier: MIT
// resource_ddi.cpp: resources: created, opened, mapped, updated, copied.
#include "guest-drivers/umd-d3d10/ddi/create.h"
#include "guest-drivers/umd-d3d10/ddi/entry_points.h"
#include "guest-drivers/umd-d3d10/resources/copy.h"
#include "guest-drivers/umd-d3d10/resources/map.h"
#include "guest-drivers/umd-d3d10/resources/update.h"

namespace aero::ddi {

HRESULT CreateResource(Device &device, const D3D11DDIARG_CREATERESOURCE *args, D3D10DDI_HRESOURCE handle,
                       D3D10DDI_HRTRESOURCE runtime) {
  return make<Resource>(device, handle, *args, runtime);
}

HRESULT CreateResource(Device &device, const D3D10DDIARG_CREATERESOURCE *args, D3D10DDI_HRESOURCE handle,
                       D3D10DDI_HRTRESOURCE runtime) {
  D3D11DDIARG_CREATERESOURCE newer = {};
  static_assert(offsetof(D3D11DDIARG_CREATERESOURCE, pPrimaryDesc) ==
                offsetof(D3D10DDIARG_CREATERESOURCE, pPrimaryDesc));
  memcpy(&newer, args, offsetof(D3D10DDIARG_CREATERESOURCE, pPrimaryDesc) + sizeof(void *));
  return CreateResource(device, &newer, handle, runtime);
}

HRESULT OpenResource(Device &device, const D3D10DDIARG_OPENRESOURCE *args, D3D10DDI_HRESOURCE handle,
                     D3D10DDI_HRTRESOURCE) {
  auto *resource = new (handle.pDrvPrivate) Resource;
  const HRESULT result = resource->open(device.objects, *args);
  if (failed(result)) resource->destroy(device.objects);
  return result;
}

HRESULT DestroyResource(Device &device, D3D10DDI_HRESOURCE resource) {
  Resource::from(resource)->destroy(device.objects);
  return kOk;
}

// One pair of functions serves all kinds of maps: what differs is the resource.

HRESULT ResourceMap(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource, D3D10_DDI_MAP type, UINT flags,
                    D3D10DDI_MAPPED_SUBRESOURCE *out) {
  return mapResource(device.objects, *Resource::from(resource), subresource, type, flags, *out);
}

HRESULT ResourceUnmap(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource) {
  return unmapResource(device.objects, *Resource::from(resource), subresource);
}

HRESULT DynamicIABufferMapNoOverwrite(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource, D3D10_DDI_MAP type,
                                      UINT flags, D3D10DDI_MAPPED_SUBRESOURCE *out) {
  return ResourceMap(device, resource, subresource, type, flags, out);
}

HRESULT DynamicIABufferMapDiscard(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource, D3D10_DDI_MAP type,
                                  UINT flags, D3D10DDI_MAPPED_SUBRESOURCE *out) {
  return ResourceMap(device, resource, subresource, type, flags, out);
}

HRESULT DynamicIABufferUnmap(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource) {
  return ResourceUnmap(device, resource, subresource);
}

HRESULT DynamicConstantBufferMapDiscard(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource,
                                        D3D10_DDI_MAP type, UINT flags, D3D10DDI_MAPPED_SUBRESOURCE *out) {
  return ResourceMap(device, resource, subresource, type, flags, out);
}

HRESULT DynamicConstantBufferUnmap(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource) {
  return ResourceUnmap(device, resource, subresource);
}

HRESULT DynamicResourceMapDiscard(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource, D3D10_DDI_MAP type,
                                  UINT flags, D3D10DDI_MAPPED_SUBRESOURCE *out) {
  return ResourceMap(device, resource, subresource, type, flags, out);
}

HRESULT DynamicResourceUnmap(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource) {
  return ResourceUnmap(device, resource, subresource);
}

HRESULT StagingResourceMap(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource, D3D10_DDI_MAP type,
                           UINT flags, D3D10DDI_MAPPED_SUBRESOURCE *out) {
  return ResourceMap(device, resource, subresource, type, flags, out);
}

HRESULT StagingResourceUnmap(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource) {
  return ResourceUnmap(device, resource, subresource);
}

BOOL ResourceIsStagingBusy(Device &device, D3D10DDI_HRESOURCE resource) {
  return isBusy(device.objects, *Resource::from(resource));
}

HRESULT ResourceUpdateSubresourceUP(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource,
                                    const D3D10_DDI_BOX *box, const VOID *source, UINT rowPitch, UINT depthPitch) {
  return updateSubresource(device.objects, *Resource::from(resource), subresource, box,
                           static_cast<const uint8_t *>(source), rowPitch, depthPitch);
}

HRESULT DefaultConstantBufferUpdateSubresourceUP(Device &device, D3D10DDI_HRESOURCE resource, UINT subresource,
                                                 const D3D10_DDI_BOX *box, const VOID *source, UINT rowPitch,
                                                 UINT depthPitch) {
  return ResourceUpdateSubresourceUP(device, resource, subresource, box, source, rowPitch, depthPitch);
}

HRESULT ResourceCopy(Device &device, D3D10DDI_HRESOURCE target, D3D10DDI_HRESOURCE source) {
  return copyResource(device.objects, *Resource::from(target), *Resource::from(source));
}

HRESULT ResourceCopyRegion(Device &device, D3D10DDI_HRESOURCE target, UINT targetSubresource, UINT x, UINT y, UINT z,
                           D3D10DDI_HRESOURCE source, UINT sourceSubresource, const D3D10_DDI_BOX *box) {
  return copyRegion(device.objects, *Resource::from(target), targetSubresource, x, y, z, *Resource::from(source),
                    sourceSubresource, box);
}

HRESULT ResourceConvert(Device &device, D3D10DDI_HRESOURCE target, D3D10DDI_HRESOURCE source) {
  return ResourceCopy(device, target, source);
}

HRESULT ResourceConvertRegion(Device &device, D3D10DDI_HRESOURCE target, UINT targetSubresource, UINT x, UINT y, UINT z,
                              D3D10DDI_HRESOURCE source, UINT sourceSubresource, const D3D10_DDI_BOX *box) {
  return ResourceCopyRegion(device, target, targetSubresource, x, y, z, source, sourceSubresource, box);
}

HRESULT ResourceResolveSubresource(Device &device, D3D10DDI_HRESOURCE target, UINT targetSubresource,
                                   D3D10DDI_HRESOURCE source, UINT sourceSubresource, DXGI_FORMAT format) {
  const FormatRow *row = device.objects.formats.find(format);
  if (!row) return kNotAvailable;
  return resolveSubresource(device.objects, *Resource::from(target), targetSubresource, *Resource::from(source),
                            sourceSubresource, row->isSrgb());
}

}  // namespace aero::ddi
