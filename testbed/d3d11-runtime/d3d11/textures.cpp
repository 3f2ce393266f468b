// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/textures.h"

#include <algorithm>
#include <new>

#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

/// Checks what both kinds have, and makes `d.levels` definite (API pages D3D11_TEXTURE1D_DESC, D3D11_TEXTURE3D_DESC).
HRESULT check(const Core &core, ResourceDescription &d, const D3D11_SUBRESOURCE_DATA *initial) {
  if (!hasFormat(core, d.format) || !isUsable(d.usage, d.bind, d.cpuAccess, initial != nullptr)) return E_INVALIDARG;
  UINT levels = 1;
  while (levels < 32 && (std::max({d.width, d.height, d.depth}) >> levels)) ++levels;
  if (d.levels > levels) return E_INVALIDARG;
  if (!d.levels) d.levels = levels;
  const FormatInfo format = formatInfo(d.format);
  if (format.blockSize > 1 && (d.width % format.blockSize || d.height % format.blockSize)) return E_INVALIDARG;
  if ((d.bind & D3D11_BIND_RENDER_TARGET) && ((format.flags & (kDepth | kDepthRead)) || format.blockSize > 1))
    return E_INVALIDARG;
  if ((d.bind & D3D11_BIND_DEPTH_STENCIL) &&
      (d.bind & D3D11_BIND_RENDER_TARGET || !(format.flags & (kDepth | kTypeless))))
    return E_INVALIDARG;
  constexpr UINT kDrawnAndRead = D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_RENDER_TARGET;
  if ((d.misc & D3D11_RESOURCE_MISC_GENERATE_MIPS) && (d.bind & kDrawnAndRead) != kDrawnAndRead) return E_INVALIDARG;
  for (UINT i = 0; initial && i < d.levels * d.slices; ++i)
    if (!initial[i].pSysMem) return E_INVALIDARG;
  if (d.bind & D3D11_BIND_UNORDERED_ACCESS) {
    runtime::notImplemented("ID3D11Device::CreateTexture1D and CreateTexture3D for unordered access");
    return E_NOTIMPL;
  }
  constexpr UINT kShared = D3D11_RESOURCE_MISC_SHARED | D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX;
  return d.misc & ~UINT{D3D11_RESOURCE_MISC_GENERATE_MIPS | kShared | D3D11_RESOURCE_MISC_RESOURCE_CLAMP} ||
                 d.misc & kShared
             ? E_INVALIDARG
             : S_OK;
}

template <class Texture, class Api>
HRESULT make(Core &core, const ResourceDescription &description, const D3D11_SUBRESOURCE_DATA *initial, Api **out) {
  const Lock lock(core.lock);
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  Ref<Texture> texture(new (std::nothrow) Texture(core));
  if (!texture) return E_OUTOFMEMORY;
  const HRESULT result = texture->driver().create(description, initial);
  if (FAILED(result)) return result;
  *out = texture.get();
  (*out)->AddRef();
  return S_OK;
}

template <class Desc> ResourceDescription described(const Desc &d, D3D11_RESOURCE_DIMENSION dimension) {
  ResourceDescription out;
  out.dimension = dimension;
  out.width = d.Width;
  out.levels = d.MipLevels;
  out.format = d.Format;
  out.usage = d.Usage;
  out.bind = d.BindFlags;
  out.cpuAccess = d.CPUAccessFlags;
  out.misc = d.MiscFlags;
  return out;
}

}  // namespace

HRESULT createTexture1D(Core &core, const D3D11_TEXTURE1D_DESC *d, const D3D11_SUBRESOURCE_DATA *initial,
                        ID3D11Texture1D **out) {
  if (out) *out = nullptr;
  const bool isEleven = core.level >= D3D_FEATURE_LEVEL_11_0;
  if (!d || !d->Width || !d->ArraySize || d->Width > (isEleven ? 16384u : 8192u) ||
      d->ArraySize > (isEleven ? 2048u : 512u))
    return E_INVALIDARG;
  ResourceDescription description = described(*d, D3D11_RESOURCE_DIMENSION_TEXTURE1D);
  description.slices = d->ArraySize;
  if (const HRESULT checked = check(core, description, initial); FAILED(checked)) return checked;
  if (formatInfo(d->Format).blockSize > 1) return E_INVALIDARG;
  return out ? make<Texture1D>(core, description, initial, out) : S_FALSE;
}

HRESULT createTexture3D(Core &core, const D3D11_TEXTURE3D_DESC *d, const D3D11_SUBRESOURCE_DATA *initial,
                        ID3D11Texture3D **out) {
  if (out) *out = nullptr;
  constexpr UINT kMost = 2048;
  if (!d || !d->Width || !d->Height || !d->Depth || std::max({d->Width, d->Height, d->Depth}) > kMost)
    return E_INVALIDARG;
  ResourceDescription description = described(*d, D3D11_RESOURCE_DIMENSION_TEXTURE3D);
  description.height = d->Height;
  description.depth = d->Depth;
  if (d->BindFlags & D3D11_BIND_DEPTH_STENCIL || formatInfo(d->Format).flags & kDepth) return E_INVALIDARG;
  if (const HRESULT checked = check(core, description, initial); FAILED(checked)) return checked;
  return out ? make<Texture3D>(core, description, initial, out) : S_FALSE;
}

void Texture1D::GetDesc(D3D11_TEXTURE1D_DESC *out) {
  if (!out) return;
  const ResourceDescription &d = description();
  *out = {d.width, d.levels, d.slices, d.format, d.usage, d.bind, d.cpuAccess, d.misc};
}

void Texture3D::GetDesc(D3D11_TEXTURE3D_DESC *out) {
  if (!out) return;
  const ResourceDescription &d = description();
  *out = {d.width, d.height, d.depth, d.levels, d.format, d.usage, d.bind, d.cpuAccess, d.misc};
}

}  // namespace aerogpu::runtime11
