// SPDX-License-Identifier: MIT
// resource_ddi.cpp: entry points of resources: create, open, lock, update from memory, destroy.
#include "guest-drivers/umd-d3d9/ddi/entry_points.h"
#include "guest-drivers/umd-d3d9/device/device.h"
#include "guest-drivers/umd-d3d9/resources/lock.h"
#include "guest-drivers/umd-d3d9/transfers/tex_blt.h"

namespace aero::ddi {
namespace {

template <class Make> HRESULT makeResource(Device &device, HANDLE &handle, Make make) {
  auto *resource = heapCreate<Resource>();
  if (!resource) return kOutOfMemory;
  const HRESULT result = make(*resource);
  if (failed(result)) {
    resource->destroy(device.objects);
    heapDestroy(resource);
    return result;
  }
  device.resources.add(resource);
  handle = resource;
  return kOk;
}

}  // namespace

HRESULT APIENTRY CreateResource(HANDLE handle, D3DDDIARG_CREATERESOURCE *args) {
  Device &device = *Device::from(handle);
  return makeResource(device, args->hResource,
                      [&](Resource &resource) { return resource.create(device.objects, *args); });
}

HRESULT APIENTRY OpenResource(HANDLE handle, D3DDDIARG_OPENRESOURCE *args) {
  Device &device = *Device::from(handle);
  return makeResource(device, args->hResource,
                      [&](Resource &resource) { return resource.open(device.objects, *args); });
}

HRESULT APIENTRY DestroyResource(HANDLE device, HANDLE resource) {
  return resource ? Device::from(device)->end(Resource::from(resource)) : kOk;
}

HRESULT APIENTRY Lock(HANDLE device, D3DDDIARG_LOCK *args) {
  Resource *resource = Resource::from(args->hResource);
  return resource ? lockResource(Device::from(device)->objects, *resource, *args) : kNotAvailable;
}

HRESULT APIENTRY Unlock(HANDLE device, const D3DDDIARG_UNLOCK *args) {
  Resource *resource = Resource::from(args->hResource);
  if (!resource) return kInvalidArgument;
  Device &of = *Device::from(device);
  return unlockResource(of.objects, of.pipeline.uploads, *resource, *args);
}

HRESULT APIENTRY TexBlt(HANDLE device, const D3DDDIARG_TEXBLT *args) {
  return texBlt(Device::from(device)->objects, *args);
}

HRESULT APIENTRY VolBlt(HANDLE device, const D3DDDIARG_VOLUMEBLT *args) {
  return volBlt(Device::from(device)->objects, *args);
}

HRESULT APIENTRY GenerateMipSubLevels(HANDLE device, const D3DDDIARG_GENERATEMIPSUBLEVELS *args) {
  return generateMips(Device::from(device)->objects, *args);
}

HRESULT APIENTRY ResolveSharedResource(HANDLE device, const D3DDDIARG_RESOLVESHAREDRESOURCE *) {
  // Draws to the resource must be submitted before other devices read it (page "PFND3DDDI_RESOLVESHAREDRESOURCE").
  return Device::from(device)->flush();
}

}  // namespace aero::ddi
