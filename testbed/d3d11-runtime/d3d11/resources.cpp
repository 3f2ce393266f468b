// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/resources.h"

#include <algorithm>
#include <new>

#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

constexpr UINT kAllBinds = D3D11_BIND_VERTEX_BUFFER | D3D11_BIND_INDEX_BUFFER | D3D11_BIND_CONSTANT_BUFFER |
                           D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_STREAM_OUTPUT | D3D11_BIND_RENDER_TARGET |
                           D3D11_BIND_DEPTH_STENCIL | D3D11_BIND_UNORDERED_ACCESS;
constexpr UINT kMostConstantBytes = 65536;
constexpr UINT kSharing = D3D11_RESOURCE_MISC_SHARED | D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX;

bool isForGdi(DXGI_FORMAT format) {
  return format == DXGI_FORMAT_B8G8R8A8_UNORM || format == DXGI_FORMAT_B8G8R8A8_TYPELESS ||
         format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB;
}

}  // namespace

bool isUsable(D3D11_USAGE usage, UINT bind, UINT access, bool hasData) {
  if (access & ~UINT{D3D11_CPU_ACCESS_READ | D3D11_CPU_ACCESS_WRITE}) return false;
  constexpr UINT kOutputs =
      D3D11_BIND_STREAM_OUTPUT | D3D11_BIND_RENDER_TARGET | D3D11_BIND_DEPTH_STENCIL | D3D11_BIND_UNORDERED_ACCESS;
  switch (usage) {
  case D3D11_USAGE_DEFAULT:
    return !access;  // what is bound nowhere can be copied
  case D3D11_USAGE_IMMUTABLE:
    return bind && !access && hasData && !(bind & kOutputs);
  case D3D11_USAGE_DYNAMIC:
    return bind && access == D3D11_CPU_ACCESS_WRITE && !(bind & kOutputs);
  case D3D11_USAGE_STAGING:
    return !bind && access;
  }
  return false;
}

bool hasFormat(const Core &core, DXGI_FORMAT format) {
  const FormatInfo info = formatInfo(format);
  if (!info.blockBytes || (info.flags & kWddm12)) return false;
  if ((info.flags & kLevel11) && core.level < D3D_FEATURE_LEVEL_11_0) return false;
  return !(info.flags & kExtended) || core.driver.choice().extendedFormats;
}

bool isMappable(const ResourceDescription &d, D3D11_MAP type) {
  switch (d.usage) {
  case D3D11_USAGE_DYNAMIC:
    if (type == D3D11_MAP_WRITE_DISCARD) return true;
    // Only vertex and index buffers can be written while the GPU uses them.
    return type == D3D11_MAP_WRITE_NO_OVERWRITE && d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER &&
           !(d.bind & (D3D11_BIND_CONSTANT_BUFFER | D3D11_BIND_SHADER_RESOURCE));
  case D3D11_USAGE_STAGING:
    if (type == D3D11_MAP_READ) return d.cpuAccess & D3D11_CPU_ACCESS_READ;
    if (type == D3D11_MAP_WRITE) return d.cpuAccess & D3D11_CPU_ACCESS_WRITE;
    return type == D3D11_MAP_READ_WRITE && d.cpuAccess == (D3D11_CPU_ACCESS_READ | D3D11_CPU_ACCESS_WRITE);
  default:
    return false;
  }
}

void Resource::setEvictionPriority(UINT priority) {
  m_evictionPriority = priority;
  m_driver.setPriority(priority);
}

Resource *resourceOf(ID3D11Resource *resource) {
  if (!resource) return nullptr;
  D3D11_RESOURCE_DIMENSION kind = D3D11_RESOURCE_DIMENSION_UNKNOWN;
  resource->GetType(&kind);
  if (kind == D3D11_RESOURCE_DIMENSION_BUFFER) return static_cast<Buffer *>(static_cast<ID3D11Buffer *>(resource));
  if (kind == D3D11_RESOURCE_DIMENSION_TEXTURE1D)
    return static_cast<Texture1D *>(static_cast<ID3D11Texture1D *>(resource));
  if (kind == D3D11_RESOURCE_DIMENSION_TEXTURE3D)
    return static_cast<Texture3D *>(static_cast<ID3D11Texture3D *>(resource));
  return static_cast<Texture2D *>(static_cast<ID3D11Texture2D *>(resource));
}

HRESULT createBuffer(Core &core, const D3D11_BUFFER_DESC *d, const D3D11_SUBRESOURCE_DATA *initial,
                     ID3D11Buffer **out) {
  if (out) *out = nullptr;
  if (!d || !d->ByteWidth || (d->BindFlags & ~kAllBinds) || (initial && !initial->pSysMem)) return E_INVALIDARG;
  if (!isUsable(d->Usage, d->BindFlags, d->CPUAccessFlags, initial != nullptr)) return E_INVALIDARG;
  if (d->BindFlags & D3D11_BIND_DEPTH_STENCIL || d->MiscFlags & D3D11_RESOURCE_MISC_GENERATE_MIPS) return E_INVALIDARG;
  if ((d->BindFlags & D3D11_BIND_CONSTANT_BUFFER) &&
      (d->BindFlags != D3D11_BIND_CONSTANT_BUFFER || d->ByteWidth % 16 || d->ByteWidth > kMostConstantBytes))
    return E_INVALIDARG;
  if ((d->MiscFlags & D3D11_RESOURCE_MISC_BUFFER_STRUCTURED) &&
      (!d->StructureByteStride || d->StructureByteStride % 4 || d->StructureByteStride > 2048))
    return E_INVALIDARG;
  if (d->MiscFlags & (kSharing | D3D11_RESOURCE_MISC_GDI_COMPATIBLE)) {
    runtime::notImplemented("ID3D11Device::CreateBuffer of a shared buffer");
    return E_NOTIMPL;
  }
  if (d->BindFlags & D3D11_BIND_UNORDERED_ACCESS) {
    runtime::notImplemented("ID3D11Device::CreateBuffer for unordered access");
    return E_NOTIMPL;
  }
  if (!out) return S_FALSE;
  ResourceDescription description;
  description.dimension = D3D11_RESOURCE_DIMENSION_BUFFER;
  description.width = d->ByteWidth;
  description.usage = d->Usage;
  description.bind = d->BindFlags;
  description.cpuAccess = d->CPUAccessFlags;
  description.misc = d->MiscFlags;
  description.stride = d->StructureByteStride;
  const Lock lock(core.lock);
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  Ref<Buffer> buffer(new (std::nothrow) Buffer(core));
  if (!buffer) return E_OUTOFMEMORY;
  const HRESULT result = buffer->driver().create(description, initial);
  if (FAILED(result)) return result;
  *out = buffer.get();
  (*out)->AddRef();
  return S_OK;
}

HRESULT createTexture2D(Core &core, const D3D11_TEXTURE2D_DESC *d, const D3D11_SUBRESOURCE_DATA *initial,
                        ID3D11Texture2D **out) {
  if (out) *out = nullptr;
  if (!d || !d->Width || !d->Height || !d->ArraySize || (d->BindFlags & ~kAllBinds)) return E_INVALIDARG;
  const UINT most = core.level >= D3D_FEATURE_LEVEL_11_0 ? 16384 : 8192;
  const UINT mostSlices = core.level >= D3D_FEATURE_LEVEL_11_0 ? 2048 : 512;
  if (d->Width > most || d->Height > most || d->ArraySize > mostSlices) return E_INVALIDARG;
  if (!hasFormat(core, d->Format)) return E_INVALIDARG;
  const FormatInfo format = formatInfo(d->Format);
  UINT levels = 1;
  while (levels < 32 && (std::max(d->Width, d->Height) >> levels)) ++levels;
  if (d->MipLevels > levels) return E_INVALIDARG;
  if (d->MipLevels) levels = d->MipLevels;
  if (format.blockSize > 1 && (d->Width % format.blockSize || d->Height % format.blockSize)) return E_INVALIDARG;
  if (!isUsable(d->Usage, d->BindFlags, d->CPUAccessFlags, initial != nullptr)) return E_INVALIDARG;
  constexpr UINT kTextureBinds =
      D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_RENDER_TARGET | D3D11_BIND_DEPTH_STENCIL | D3D11_BIND_UNORDERED_ACCESS;
  if (d->BindFlags & ~kTextureBinds) return E_INVALIDARG;
  if ((d->BindFlags & D3D11_BIND_DEPTH_STENCIL) &&
      (d->BindFlags & D3D11_BIND_RENDER_TARGET || !(format.flags & (kDepth | kTypeless))))
    return E_INVALIDARG;
  if ((d->BindFlags & D3D11_BIND_RENDER_TARGET) && ((format.flags & (kDepth | kDepthRead)) || format.blockSize > 1))
    return E_INVALIDARG;
  const bool cube = d->MiscFlags & D3D11_RESOURCE_MISC_TEXTURECUBE;
  if (cube && (d->Width != d->Height || d->ArraySize % 6 || d->SampleDesc.Count != 1)) return E_INVALIDARG;
  if (cube && core.level < D3D_FEATURE_LEVEL_10_1 && d->ArraySize != 6) return E_INVALIDARG;
  constexpr UINT kDrawnAndRead = D3D11_BIND_SHADER_RESOURCE | D3D11_BIND_RENDER_TARGET;
  if ((d->MiscFlags & D3D11_RESOURCE_MISC_GENERATE_MIPS) && (d->BindFlags & kDrawnAndRead) != kDrawnAndRead)
    return E_INVALIDARG;
  if (!d->SampleDesc.Count) return E_INVALIDARG;
  if (d->SampleDesc.Count > 1) {
    UINT qualities = 0;
    const Lock lock(core.lock);
    core.driver.call<&D3D11DDI_DEVICEFUNCS::pfnCheckMultisampleQualityLevels, Errors::None>(
        d->Format, d->SampleDesc.Count, &qualities);
    if (d->SampleDesc.Quality >= qualities || levels != 1 || initial || d->Usage != D3D11_USAGE_DEFAULT)
      return E_INVALIDARG;
  } else if (d->SampleDesc.Quality) {
    return E_INVALIDARG;
  }
  // API page D3D11_RESOURCE_MISC_FLAG: one way of sharing, for textures with one level; page "D3D11_USAGE": what the
  // GPU alone writes.
  const UINT sharing = d->MiscFlags & kSharing;
  if (sharing && (sharing == kSharing || levels != 1 || d->Usage != D3D11_USAGE_DEFAULT)) return E_INVALIDARG;
  // Page D3D11_RESOURCE_MISC_FLAG: what GDI may draw to.
  if ((d->MiscFlags & D3D11_RESOURCE_MISC_GDI_COMPATIBLE) &&
      (!isForGdi(d->Format) || !(d->BindFlags & D3D11_BIND_RENDER_TARGET) || d->Usage != D3D11_USAGE_DEFAULT ||
       (d->MiscFlags & D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX)))
    return E_INVALIDARG;
  if (d->BindFlags & D3D11_BIND_UNORDERED_ACCESS) {
    runtime::notImplemented("ID3D11Device::CreateTexture2D for unordered access");
    return E_NOTIMPL;
  }
  for (UINT i = 0; initial && i < levels * d->ArraySize; ++i)
    if (!initial[i].pSysMem) return E_INVALIDARG;
  if (!out) return S_FALSE;
  ResourceDescription description;
  description.dimension = D3D11_RESOURCE_DIMENSION_TEXTURE2D;
  description.width = d->Width;
  description.height = d->Height;
  description.levels = levels;
  description.slices = d->ArraySize;
  description.format = d->Format;
  description.samples = d->SampleDesc;
  description.usage = d->Usage;
  description.bind = d->BindFlags;
  description.cpuAccess = d->CPUAccessFlags;
  description.misc = d->MiscFlags;
  const Lock lock(core.lock);
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  Ref<Texture2D> texture(new (std::nothrow) Texture2D(core));
  if (!texture) return E_OUTOFMEMORY;
  const HRESULT result = texture->driver().create(description, initial);
  if (FAILED(result)) return result;
  *out = texture.get();
  (*out)->AddRef();
  return S_OK;
}

void Buffer::GetDesc(D3D11_BUFFER_DESC *out) {
  if (!out) return;
  const ResourceDescription &d = description();
  *out = {d.width, d.usage, d.bind, d.cpuAccess, d.misc, d.stride};
}

void Texture2D::GetDesc(D3D11_TEXTURE2D_DESC *out) {
  if (!out) return;
  const ResourceDescription &d = description();
  *out = {d.width, d.height, d.levels, d.slices, d.format, d.samples, d.usage, d.bind, d.cpuAccess, d.misc};
}

HRESULT Texture2D::queryMore(REFIID id, void **out) {
  if (IsEqualIID(id, __uuidof(IDXGIKeyedMutex)) && driver().keyedMutex()) {
    *out = static_cast<IDXGIKeyedMutex *>(&m_keyedMutex);
    AddRef();
    return S_OK;
  }
  if (!IsEqualIID(id, __uuidof(IDXGISurface)) && !IsEqualIID(id, __uuidof(IDXGISurface1)))
    return ResourceChild::queryMore(id, out);
  // Only what has one image is a surface.
  if (description().levels != 1 || description().slices != 1) return E_NOINTERFACE;
  *out = static_cast<IDXGISurface1 *>(&m_surface);
  AddRef();
  return S_OK;
}

}  // namespace aerogpu::runtime11
