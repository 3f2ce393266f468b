// SPDX-License-Identifier: MIT
// create.cpp: makes and opens resources.
#include "guest-drivers/umd-d3d10/resources/resource.h"

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "guest-drivers/common/allocation_private.h"
#include "guest-drivers/common/device_format.h"
#include "guest-drivers/umd-d3d10/resources/update.h"

namespace aero {
namespace {

constexpr uint32_t kSharedPitchAlign = 64;   // of surfaces that others read; Windows' own surfaces have it too
constexpr uint32_t kStagingPitchAlign = 16;  // programs copy rows with SSE
constexpr uint32_t kMostLayers = 512, kMostBufferBytes = 1u << 30;
// What the caps and formats do not offer.
constexpr UINT kUnknownMisc = D3D11_DDI_RESOURCE_MISC_DRAWINDIRECT_ARGS |
                              D3D11_DDI_RESOURCE_MISC_BUFFER_ALLOW_RAW_VIEWS |
                              D3D11_DDI_RESOURCE_MISC_BUFFER_STRUCTURED | D3D11_DDI_RESOURCE_MISC_RESOURCE_CLAMP;
constexpr UINT kUnknownBinds = D3D11_DDI_BIND_UNORDERED_ACCESS;

uint32_t usageFlags(UINT bind) {
  uint32_t out = 0;
  if (bind & D3D10_DDI_BIND_VERTEX_BUFFER) out |= AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
  if (bind & D3D10_DDI_BIND_INDEX_BUFFER) out |= AEROGPU_RESOURCE_USAGE_INDEX_BUFFER;
  if (bind & D3D10_DDI_BIND_CONSTANT_BUFFER) out |= AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER;
  if (bind & D3D10_DDI_BIND_SHADER_RESOURCE) out |= AEROGPU_RESOURCE_USAGE_TEXTURE;
  if (bind & D3D10_DDI_BIND_RENDER_TARGET) out |= AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  if (bind & D3D10_DDI_BIND_DEPTH_STENCIL) out |= AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL;
  return out;
}

/** Returns the D3DFORMAT by which the kernel driver knows textures of this format. */
uint32_t kernelFormat(const FormatRow &format) {
  return d3dFormatOfDxgi(format.linear);
}

}  // namespace

HRESULT Resource::create(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args, D3D10DDI_HRTRESOURCE runtime) {
  m_usage = args.Usage;
  if (args.MiscFlags & kUnknownMisc || args.BindFlags & kUnknownBinds) return kNotAvailable;
  if (args.BindFlags & D3D10_DDI_BIND_STREAM_OUTPUT && !objects.formats.hasStreams()) return kNotAvailable;
  const bool isBuffer = args.ResourceDimension == D3D10DDIRESOURCE_BUFFER;
  HRESULT result = isBuffer ? createBuffer(objects, args) : createTexture(objects, args, runtime);
  if (!failed(result) && isDynamic()) {
    maps.copy = static_cast<uint8_t *>(heapAllocate(isBuffer ? m_bytes : static_cast<size_t>(m_layout.bytes())));
    if (!maps.copy) result = kOutOfMemory;
  }
  if (!failed(result) && args.pInitialDataUP) result = fill(objects, args.pInitialDataUP);
  // Another device may import the texture as soon as it has the handle, which it gets after this call.
  if (!failed(result) && identity.memory.token) result = objects.context.submit();
  return result;
}

bool Resource::canShow(const FormatRow &view) const {
  if (view.isTypeless() || view.family != m_format->family) return false;
  if (m_format->isDepth) return view.isDepth || view.showsDepth;
  // Texels as they are or as sRGB; as any format of the family only where the device has a typeless one.
  return !view.isDepth && ((m_format->isTypeless() && !m_isShown) || view.linear == m_format->linear);
}

HRESULT Resource::createBuffer(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args) {
  const UINT bytes = args.pMipInfoList[0].TexelWidth;
  if (!bytes || bytes > kMostBufferBytes || args.MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED) return kNotAvailable;
  m_bytes = bytes;
  const uint32_t whole = (bytes + 3) & ~3u;
  if (isStaging()) {
    const HRESULT result = allocateStaging(objects, whole);
    if (failed(result)) return result;
  }
  identity.handle = objects.take();
  if (!identity.handle || !objects.context.ensure(sizeof(aerogpu_cmd_create_buffer), 1)) return kOutOfMemory;
  if (identity.memory) objects.context.use(identity.memory, false);
  aerogpu_cmd_create_buffer create = {};
  create.buffer_handle = identity.handle;
  create.usage_flags = usageFlags(args.BindFlags);
  create.size_bytes = whole;
  create.backing_alloc_id = identity.memory.id;
  return objects.context.send(create) ? kOk : kOutOfMemory;
}

HRESULT Resource::describe(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args) {
  m_isCube = args.ResourceDimension == D3D10DDIRESOURCE_TEXTURECUBE;
  m_isRow = args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE1D;
  const bool isVolume = args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE3D;
  const bool isFlat = args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D || m_isCube;
  if (!isFlat && !((m_isRow || isVolume) && objects.formats.hasShapes())) return kNotAvailable;
  const bool isDepth = args.BindFlags & D3D10_DDI_BIND_DEPTH_STENCIL;
  const FormatRow *format = objects.formats.find(args.Format, isDepth);
  if (!format || format->isViewOnly) return kNotAvailable;
  m_samples = args.SampleDesc.Count ? args.SampleDesc.Count : 1;
  if (!objects.formats.qualities(args.Format, m_samples)) return kNotAvailable;
  if (isVolume && !objects.formats.hasVolumes(*format)) return kNotAvailable;
  if (m_isRow && (format->isDepth || format->block > 1)) return kNotAvailable;
  if (!isFlat && m_samples > 1) return kNotAvailable;
  const bool isShared = args.MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED || args.pPrimaryDesc;
  if (!isFlat && isShared) return kNotAvailable;
  const uint32_t align = isStaging() ? kStagingPitchAlign : isShared ? kSharedPitchAlign : 1;
  const D3D10DDI_MIPINFO &size = args.pMipInfoList[0];
  if (!m_layout.set(*format, size.TexelWidth, m_isRow ? 1 : size.TexelHeight, isVolume ? size.TexelDepth : 0,
                    args.MipLevels, args.ArraySize, align, kMostLayers) ||
      m_layout.isVolume() != isVolume)
    return kNotAvailable;
  m_format = format;
  // Samples are drawn to and resolved, and never read by shaders.
  if (m_samples > 1 && (args.BindFlags & D3D10_DDI_BIND_SHADER_RESOURCE || isShared || subresources() != 1 ||
                        isStaging() || isDynamic()))
    return kNotAvailable;
  return isShared && subresources() != 1 ? kNotAvailable : kOk;
}

HRESULT Resource::allocateStaging(DeviceObjects &objects, uint64_t bytes) {
  AllocationRequest request;
  request.bytes = bytes;
  request.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING;
  HRESULT result = allocate(objects.context.runtime(), request, identity.memory);
  if (!isOutOfMemory(result)) return result;
  objects.context.submit();  // frees retired memory, which may be enough
  return allocate(objects.context.runtime(), request, identity.memory);
}

/** Allocates the memory of a texture that others see: shared, scanned out, or presented. */
HRESULT Resource::allocateShown(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args,
                                D3D10DDI_HRTRESOURCE runtime) {
  const Runtime &callbacks = objects.context.runtime();
  const bool isShared = args.MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED;
  const uint32_t d3dFormat = kernelFormat(*m_format);
  bool isPrimary = args.pPrimaryDesc != nullptr;
  if (isPrimary && m_format->linear != DXGI_FORMAT_B8G8R8A8_UNORM &&
      m_format->linear != DXGI_FORMAT_B8G8R8X8_UNORM) {  // PRIV-16
    if (!(args.pPrimaryDesc->Flags & DXGI_DDI_PRIMARY_OPTIONAL)) {
      args.pPrimaryDesc->DriverFlags |= DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
      return kDxgiUnsupported;
    }
    isPrimary = false;
  }
  const bool isKnown = m_format->shared();
  const bool isPresented = !isShared && !isPrimary && args.BindFlags & D3D10_DDI_BIND_PRESENT && isKnown &&
                           subresources() == 1 && m_samples == 1;
  if (!isShared && !isPrimary && !isPresented) return kOk;
  if (!isKnown) return kNotAvailable;
  m_isShown = true;
  AllocationRequest request;
  request.bytes = m_layout.bytes();
  request.width = m_layout.level(0).width;
  request.height = m_layout.level(0).height;
  request.pitch = m_layout.level(0).pitch;
  request.d3dFormat = d3dFormat;
  if (isShared) request.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
  if (isPresented)
    request.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED |
                     (callbacks.spaces() ? AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY : 0);
  AllocationOwner owner;
  if (isShared || isPrimary) {
    owner = {runtime.handle, isPrimary, isPrimary ? args.pPrimaryDesc->VidPnSourceId : 0};
    identity.owner = runtime.handle;
    identity.crossesContexts = true;
  }
  HRESULT result = allocate(callbacks, owner, &request, 1, &identity.memory);
  if (isOutOfMemory(result)) {
    objects.context.submit();
    result = allocate(callbacks, owner, &request, 1, &identity.memory);
  }
  if (failed(result)) identity.owner = nullptr;
  return result;
}

HRESULT Resource::createTexture(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args,
                                D3D10DDI_HRTRESOURCE runtime) {
  HRESULT result = describe(objects, args);
  if (failed(result)) return result;
  if (isStaging()) return allocateStaging(objects, m_layout.bytes());
  result = allocateShown(objects, args, runtime);
  if (failed(result)) return result;
  if (identity.memory.imported) return import(objects);
  return makeTexture(objects, usageFlags(args.BindFlags) | (args.pPrimaryDesc ? AEROGPU_RESOURCE_USAGE_SCANOUT : 0));
}

HRESULT Resource::makeTexture(DeviceObjects &objects, uint32_t usage) {
  identity.handle = objects.take();
  if (!identity.handle || !objects.context.ensure(sizeof(aerogpu_cmd_ext_create_texture), 1)) return kOutOfMemory;
  if (identity.memory) objects.context.use(identity.memory, false);
  aerogpu_cmd_ext_create_texture create = {};
  create.texture_handle = identity.handle;
  create.usage_flags = usage;
  create.format = deviceFormat();
  create.kind = isVolume()                           ? AEROGPU_EXT_TEXTURE_VOLUME
                : m_isRow                            ? AEROGPU_EXT_TEXTURE_1D
                : m_isCube && m_layout.layers() == 6 ? AEROGPU_EXT_TEXTURE_CUBE
                                                     : AEROGPU_EXT_TEXTURE_2D;
  create.width = m_layout.level(0).width;
  create.height = m_layout.level(0).height;
  create.depth = m_layout.level(0).depth;
  create.mip_levels = m_layout.levels();
  create.array_layers = m_layout.layers();
  create.sample_count = m_samples;
  create.row_pitch_bytes = identity.memory ? m_layout.level(0).pitch : 0;
  create.backing_alloc_id = identity.memory.id;
  if (!objects.context.send(create)) return kOutOfMemory;
  if (!identity.memory.token) return kOk;
  aerogpu_cmd_export_shared_surface share = {};
  share.resource_handle = identity.handle;
  share.share_token = identity.memory.token;
  return objects.context.send(share) ? kOk : kOutOfMemory;
}

HRESULT Resource::import(DeviceObjects &objects) {
  identity.handle = objects.take();
  if (!identity.handle || !objects.context.ensure(sizeof(aerogpu_cmd_import_shared_surface), 1)) return kOutOfMemory;
  objects.context.use(identity.memory, false);
  aerogpu_cmd_import_shared_surface import = {};
  import.out_resource_handle = identity.handle;
  import.share_token = identity.memory.token;
  return objects.context.send(import) ? kOk : kOutOfMemory;
}

HRESULT Resource::open(DeviceObjects &objects, const D3D10DDIARG_OPENRESOURCE &args) {
  if (args.NumAllocations != 1 || !args.pOpenAllocationInfo) return kNotAvailable;
  const D3DDDI_OPENALLOCATIONINFO &info = args.pOpenAllocationInfo[0];
  AllocationPrivate priv;
  if (!readAllocationPrivate(info.pPrivateDriverData, info.PrivateDriverDataSize, priv) || !priv.share_token)
    return kNotAvailable;
  const DescribedSurface surface = describedSurface(priv);
  m_format = objects.formats.findD3d(surface.format);
  if (!m_format || !m_layout.set(*m_format, surface.width, surface.height, 0, 1, 1, 1)) return kNotAvailable;
  m_isShown = true;
  identity.memory.handle = info.hAllocation;
  identity.memory.id = priv.alloc_id;
  identity.memory.token = priv.share_token;
  identity.memory.bytes = priv.size_bytes;
  identity.memory.ofResource = true;
  identity.isOpened = identity.crossesContexts = true;
  return import(objects);
}

HRESULT Resource::fill(DeviceObjects &objects, const D3D10_DDIARG_SUBRESOURCE_UP *data) {
  for (uint32_t i = 0; i < subresources(); i++) {
    const auto *bytes = static_cast<const uint8_t *>(data[i].pSysMem);
    const HRESULT result =
        isMemory() || (isBuffer() && isStaging())
            ? writeMemory(objects, *this, i, bytes, data[i].SysMemPitch, data[i].SysMemSlicePitch)
            : updateSubresource(objects, *this, i, nullptr, bytes, data[i].SysMemPitch, data[i].SysMemSlicePitch);
    if (failed(result)) return result;
    if (!maps.copy) continue;
    if (isBuffer())
      memcpy(maps.copy, bytes, m_bytes);
    else
      copyLevel(maps.copy + offsetOf(i), m_layout.level(levelOf(i)), bytes, data[i].SysMemPitch,
                data[i].SysMemSlicePitch);
  }
  return kOk;
}

}  // namespace aero
