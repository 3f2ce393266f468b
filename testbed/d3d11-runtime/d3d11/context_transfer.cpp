// SPDX-License-Identifier: MIT
// Maps, updates and copies. Copies that the API forbids do nothing, with a line in the log.
#include "testbed/d3d11-runtime/d3d11/context.h"
#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

bool isBuffer(const ResourceDescription &d) {
  return d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER;
}

bool sameFamily(DXGI_FORMAT a, DXGI_FORMAT b) {
  return a == b || formatInfo(a).family == formatInfo(b).family;
}

/// Size of a subresource, in texels or bytes.
struct Extent {
  UINT width, height, depth;
};

Extent extentOf(const ResourceDescription &d, UINT subresource) {
  const UINT level = subresource % d.levels;
  return {levelSize(d.width, level), levelSize(d.height, level), levelSize(d.depth, level)};
}

bool isInside(const D3D11_BOX &box, const Extent &extent) {
  return box.right <= extent.width && box.bottom <= extent.height && box.back <= extent.depth;
}
bool isEmpty(const D3D11_BOX &box) {
  return box.left >= box.right || box.top >= box.bottom || box.front >= box.back;
}

bool isAligned(const D3D11_BOX &box, const Extent &extent, UINT block) {
  return box.left % block == 0 && box.top % block == 0 && (box.right % block == 0 || box.right == extent.width) &&
         (box.bottom % block == 0 || box.bottom == extent.height);
}

}  // namespace

HRESULT Context::Map(ID3D11Resource *api, UINT subresource, D3D11_MAP type, UINT flags, D3D11_MAPPED_SUBRESOURCE *out) {
  const Lock lock(core().lock);
  if (out) out->pData = nullptr;  // and the pitches stay
  Resource *resource = resourceOf(api);
  if (!resource || !out || subresource >= resource->driver().subresources() ||
      (flags & ~UINT{D3D11_MAP_FLAG_DO_NOT_WAIT}) || type < D3D11_MAP_READ || type > D3D11_MAP_WRITE_NO_OVERWRITE)
    return E_INVALIDARG;
  const bool discards = type == D3D11_MAP_WRITE_DISCARD || type == D3D11_MAP_WRITE_NO_OVERWRITE;
  if (discards && flags) return E_INVALIDARG;  // such a map never waits
  if (!isMappable(resource->description(), type) || resource->driver().isMapped(subresource)) return E_INVALIDARG;
  if (isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  const HRESULT result = resource->driver().map(subresource, type, flags != 0, *out);
  if (result == DXGI_DDI_ERR_WASSTILLDRAWING) return DXGI_ERROR_WAS_STILL_DRAWING;
  return FAILED(result) && isLost() ? DXGI_ERROR_DEVICE_REMOVED : result;
}

void Context::Unmap(ID3D11Resource *api, UINT subresource) {
  const Lock lock(core().lock);
  Resource *resource = resourceOf(api);
  if (!resource || subresource >= resource->driver().subresources() || !resource->driver().isMapped(subresource))
    return;
  resource->driver().unmap(subresource);
}

void Context::UpdateSubresource(ID3D11Resource *api, UINT subresource, const D3D11_BOX *box, const void *data,
                                UINT rowPitch, UINT depthPitch) {
  const Lock lock(core().lock);
  Resource *resource = resourceOf(api);
  if (!resource || !data || subresource >= resource->driver().subresources() || isLost()) return;
  const ResourceDescription &d = resource->description();
  const Extent extent = extentOf(d, subresource);
  const UINT block = isBuffer(d) ? 1 : formatInfo(d.format).blockSize;
  if (d.usage != D3D11_USAGE_DEFAULT || (d.bind & D3D11_BIND_DEPTH_STENCIL) || d.samples.Count > 1 ||
      (box && (d.bind & D3D11_BIND_CONSTANT_BUFFER)) ||
      (box && !isEmpty(*box) && (!isInside(*box, extent) || !isAligned(*box, extent, block)))) {
    runtime::logLine("UpdateSubresource: refused");
    return;
  }
  if (box && isEmpty(*box)) return;
  resource->driver().update(subresource, box, data, rowPitch, depthPitch);
}

void Context::CopyResource(ID3D11Resource *to, ID3D11Resource *from) {
  const Lock lock(core().lock);
  Resource *destination = resourceOf(to), *source = resourceOf(from);
  if (!destination || !source || isLost()) return;
  const ResourceDescription &d = destination->description(), &s = source->description();
  if (destination == source || d.usage == D3D11_USAGE_IMMUTABLE || d.dimension != s.dimension || d.width != s.width ||
      d.height != s.height || d.depth != s.depth || d.levels != s.levels || d.slices != s.slices ||
      d.samples.Count != s.samples.Count || (!isBuffer(d) && !sameFamily(d.format, s.format))) {
    runtime::logLine("CopyResource: refused");
    return;
  }
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnResourceCopy>(destination->driver().handle(), source->driver().handle());
}

void Context::CopySubresourceRegion(ID3D11Resource *to, UINT toSubresource, UINT x, UINT y, UINT z,
                                    ID3D11Resource *from, UINT fromSubresource, const D3D11_BOX *box) {
  const Lock lock(core().lock);
  Resource *destination = resourceOf(to), *source = resourceOf(from);
  if (!destination || !source || isLost()) return;
  const ResourceDescription &d = destination->description(), &s = source->description();
  if (toSubresource >= destination->driver().subresources() || fromSubresource >= source->driver().subresources() ||
      d.usage == D3D11_USAGE_IMMUTABLE || isBuffer(d) != isBuffer(s) || d.samples.Count != s.samples.Count ||
      (!isBuffer(d) && !sameFamily(d.format, s.format)) ||
      (destination == source && toSubresource == fromSubresource && !isBuffer(d))) {
    runtime::logLine("CopySubresourceRegion: refused");
    return;
  }
  const Extent toExtent = extentOf(d, toSubresource), fromExtent = extentOf(s, fromSubresource);
  const D3D11_BOX whole = {0, 0, 0, fromExtent.width, fromExtent.height, fromExtent.depth};
  const D3D11_BOX &used = box ? *box : whole;
  if (isEmpty(used)) return;
  const UINT block = isBuffer(s) ? 1 : formatInfo(s.format).blockSize;
  const auto fits = [](UINT at, UINT begin, UINT end, UINT room) { return UINT64{at} + (end - begin) <= room; };
  const bool depthOrSamples = ((d.bind | s.bind) & D3D11_BIND_DEPTH_STENCIL) || d.samples.Count > 1;
  if (!isInside(used, fromExtent) || !isAligned(used, fromExtent, block) || x % block || y % block ||
      !fits(x, used.left, used.right, toExtent.width) || !fits(y, used.top, used.bottom, toExtent.height) ||
      !fits(z, used.front, used.back, toExtent.depth) || (depthOrSamples && (box || x || y || z))) {
    runtime::logLine("CopySubresourceRegion: refused");
    return;
  }
  Lent<D3D10_DDI_BOX> lent(D3D10_DDI_BOX{static_cast<LONG>(used.left), static_cast<LONG>(used.top),
                                         static_cast<LONG>(used.front), static_cast<LONG>(used.right),
                                         static_cast<LONG>(used.bottom), static_cast<LONG>(used.back)});
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnResourceCopyRegion>(
      destination->driver().handle(), toSubresource, x, y, z, source->driver().handle(), fromSubresource,
      box ? static_cast<const D3D10_DDI_BOX *>(lent.data()) : nullptr);
}

void Context::ResolveSubresource(ID3D11Resource *to, UINT toSubresource, ID3D11Resource *from, UINT fromSubresource,
                                 DXGI_FORMAT format) {
  const Lock lock(core().lock);
  Resource *destination = resourceOf(to), *source = resourceOf(from);
  if (!destination || !source || isLost()) return;
  const ResourceDescription &d = destination->description(), &s = source->description();
  if (toSubresource >= destination->driver().subresources() || fromSubresource >= source->driver().subresources() ||
      d.samples.Count != 1 || s.samples.Count < 2 || isBuffer(d) || has(format, kTypeless) ||
      !sameFamily(d.format, format) || !sameFamily(s.format, format)) {
    runtime::logLine("ResolveSubresource: refused");
    return;
  }
  driver().call<&D3D11DDI_DEVICEFUNCS::pfnResourceResolveSubresource>(
      destination->driver().handle(), toSubresource, source->driver().handle(), fromSubresource, format);
}

}  // namespace aerogpu::runtime11
