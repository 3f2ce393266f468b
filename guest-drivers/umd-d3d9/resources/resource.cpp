// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/resources/resource.h"

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/common/allocation_private.h"
#include "guest-drivers/common/device_format.h"
#include "guest-drivers/umd-d3d9/resources/bitmap.h"

namespace aero {
namespace {

constexpr uint32_t kMaxSurfaces = 6 * kMaxLevels;
constexpr uint32_t kMaxBufferBytes = 1u << 30;
// Of textures and surfaces CreateResource may refuse none but for want of memory (page "PFND3DDDI_CREATERESOURCE"). So
// this is the answer where the capabilities promise something that the driver cannot do; what they do not promise, no
// runtime asks for.
constexpr HRESULT kPromised = kOutOfMemory;

/** True for kinds that the driver does not announce, so no program should ask for them. Video is none of them: it tells
 * that frames of a video are drawn to the surface, as to the swap chain of every player, and changes nothing here. */
bool isUnknownKind(D3DDDI_RESOURCEFLAGS flags) {
  return flags.CaptureBuffer || flags.DecodeCompressedBuffer || flags.Overlay || flags.RestrictedContent;
}

/** True for surfaces that a decoder or a video processor would draw to. Such a surface is a target like others. */
bool isOfVideoUnit(D3DDDI_RESOURCEFLAGS flags) {
  return flags.DecodeRenderTarget || flags.VideoProcessRenderTarget;
}

// A driver must not be influenced by what the page "PFND3DDDI_CREATERESOURCE" reserves: levels of what is no texture,
// samples of what is not drawn to (the page forgets depth), the source and refresh rate of what is no primary.

uint32_t levelCount(const D3DDDIARG_CREATERESOURCE &args) {
  const bool texture = args.Flags.Texture || args.Flags.CubeMap || args.Flags.Volume;
  return texture && args.MipLevels ? args.MipLevels : 1;
}

/** Returns the number of samples a pixel; 0 if CheckDeviceMultiSampleType announces none for this type and quality. */
uint32_t sampleCount(const FormatRow &format, D3DDDIMULTISAMPLE_TYPE type, uint32_t quality) {
  if (type == D3DDDIMULTISAMPLE_NONE) return 1;
  if (type == D3DDDIMULTISAMPLE_NONMASKABLE) {
    for (uint32_t log2 = 1; log2 <= kMaxSamplesLog2; log2++)
      if (format.samples >> log2 & 1 && !quality--) return 1u << log2;
    return 0;
  }
  const auto count = static_cast<uint32_t>(type);
  for (uint32_t log2 = 1; log2 <= kMaxSamplesLog2; log2++)
    if (count == 1u << log2) return format.samples >> log2 & 1 ? count : 0;
  return 0;
}

}  // namespace

Resource::~Resource() {
  if (m_surfaces)
    for (uint32_t i = 0; i < m_surfaceCount; i++)
      if (m_surfaces[i].lock.where == SurfaceLock::Where::Copy) heapFree(m_surfaces[i].lock.bytes);
  if (ownsBits())
    for (uint32_t i = 0; i < m_surfaceCount; i++) heapFree(m_surfaces[i].system);
  heapFree(m_surfaces);
  heapFree(m_images);
  if (!m_buffer.ofRuntime) heapFree(m_buffer.bytes);
  heapFree(m_twinBytes);
}

bool Resource::makeSurfaces(uint32_t count) {
  m_surfaces = static_cast<Surface *>(heapAllocate(sizeof(Surface) * count));
  if (!m_surfaces) return false;
  m_surfaceCount = count;
  for (uint32_t i = 0; i < count; i++) new (&m_surfaces[i]) Surface;
  return true;
}

bool Resource::makeImages(uint32_t count) {
  m_images = static_cast<Image *>(heapAllocate(sizeof(Image) * count));
  if (!m_images) return false;
  m_imageCount = count;
  for (uint32_t i = 0; i < count; i++) new (&m_images[i]) Image;
  return true;
}

void Resource::noteImages() {
  m_crossesContexts = m_surfaceCount && m_surfaces[0].image && m_surfaces[0].image->crossesContexts;
  m_sampled = m_opaqueView ? m_opaqueView : m_twin ? m_twin->sampled() : m_imageCount ? m_images[0].handle : 0;
}

HRESULT Resource::create(DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &args) {
  m_runtime = args.hResource;
  m_flags = args.Flags;
  m_isSystemMemory = args.Pool == D3DDDIPOOL_SYSTEMMEM;
  const auto format = static_cast<uint32_t>(args.Format);
  m_format = objects.formats.find(format);
  if (args.Flags.SharedResource || args.Flags.Primary) {
    // The kernel driver makes the textures of shared resources and primaries; they have the format that it chooses.
    const FormatRow *shared = objects.formats.findShared(format);
    if (shared || objects.context.runtime().spaces()) m_format = shared;
  }
  if (!args.SurfCount || !args.pSurfList) return kNotAvailable;
  if (args.Flags.VertexBuffer || args.Flags.IndexBuffer) return createBuffer(args);
  m_isBitmap = format == D3DDDIFMT_A1;
  if (m_isSystemMemory) return createSystem(args);
  if (m_isBitmap) return createBitmap(args);
  return createVideo(objects, args);
}

HRESULT Resource::createBuffer(const D3DDDIARG_CREATERESOURCE &args) {
  const D3DDDI_SURFACEINFO &info = args.pSurfList[0];
  m_isBuffer = true;
  if (!info.Width || info.Width > kMaxBufferBytes) return kNotAvailable;
  m_buffer.size = info.Width;
  if (m_isSystemMemory && info.pSysMem) {
    m_buffer.bytes = static_cast<uint8_t *>(const_cast<void *>(info.pSysMem));
    m_buffer.ofRuntime = true;
    return kOk;
  }
  m_buffer.bytes = static_cast<uint8_t *>(heapAllocate(m_buffer.size));
  return m_buffer.bytes ? kOk : kOutOfMemory;
}

HRESULT Resource::createSystem(const D3DDDIARG_CREATERESOURCE &args) {
  // This must succeed for any resource: the memory is the runtime's, and may be used for things that the driver is
  // never asked to examine (page "D3DDDI_POOL").
  if (!makeSurfaces(args.SurfCount)) return kOutOfMemory;
  m_levels = levelCount(args);
  for (uint32_t i = 0; i < args.SurfCount; i++) {
    const D3DDDI_SURFACEINFO &info = args.pSurfList[i];
    Surface &surface = m_surfaces[i];
    surface.width = info.Width;
    surface.height = info.Height;
    surface.depth = args.Flags.Volume && info.Depth ? info.Depth : 1;
    surface.system = static_cast<uint8_t *>(const_cast<void *>(info.pSysMem));
    surface.systemPitch = info.SysMemPitch;
    surface.systemSlicePitch = info.SysMemSlicePitch;
  }
  return kOk;
}

HRESULT Resource::describe(const DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &args, ImageUse &use,
                           ImageSize &size) {
  const D3DDDI_RESOURCEFLAGS flags = args.Flags;
  const D3DDDI_SURFACEINFO &first = args.pSurfList[0];
  if (!objects.formats.find(static_cast<uint32_t>(args.Format)) || isUnknownKind(flags) || flags.TextApi)
    return kNotAvailable;
  if (!m_format || args.SurfCount > kMaxSurfaces) return kPromised;  // a format that the kernel driver cannot share
  use.texture = flags.Texture || flags.CubeMap || flags.Volume;
  use.target = flags.RenderTarget || flags.Primary || isOfVideoUnit(flags);
  use.depth = flags.ZBuffer || m_format->depth;
  use.shared = flags.SharedResource;
  use.primary = flags.Primary;
  use.dynamic = flags.Dynamic;
  use.sampleCount = flags.RenderTarget || flags.ZBuffer || isOfVideoUnit(flags)
                        ? sampleCount(*m_format, args.MultisampleType, args.MultisampleQuality)
                        : 1;
  m_levels = levelCount(args);
  size = {first.Width, first.Height, flags.Volume ? first.Depth : 0, m_levels, flags.CubeMap ? 6u : 1u};
  if (use.texture &&
      (args.SurfCount != m_levels * size.layers || m_levels > fullChain(size.width, size.height, size.depth)))
    return kNotAvailable;
  // The format determines the possible uses, the device the largest size.
  const uint32_t operations = m_format->operations;
  const uint32_t kind = flags.Volume ? FORMATOP_VOLUMETEXTURE : flags.CubeMap ? FORMATOP_CUBETEXTURE : FORMATOP_TEXTURE;
  const TextureLimits &limits = objects.formats.limits();
  const uint32_t most = flags.Volume ? limits.volumeEdge : flags.CubeMap ? limits.cubeEdge : limits.edge;
  if (first.Width > most || first.Height > most || (flags.Volume && (!size.depth || size.depth > most)) ||
      (flags.Volume && (use.target || use.depth)) || (use.texture && !(operations & kind)) ||
      (flags.ZBuffer ? !m_format->depth : (flags.RenderTarget || isOfVideoUnit(flags)) && !m_format->isTarget()) ||
      (m_levels > 1 && operations & FORMATOP_NOTEXCOORDWRAPNORMIP))
    return kNotAvailable;
  if (!use.sampleCount || (use.sampleCount > 1 && (use.texture || !(flags.RenderTarget || flags.ZBuffer))))
    return kNotAvailable;
  // EX-45: a shared resource is one allocation with one level and one layer. Those who open it would not know when to
  // convert a texture of video.
  if (flags.SharedResource && (args.SurfCount != 1 || (use.texture && m_format->isYuv()))) return kPromised;
  if (flags.AutogenMipmap) {
    // The driver makes the levels below the first (page "D3DDDI_RESOURCEFLAGS").
    if (!use.texture || flags.Volume || flags.SharedResource || m_levels != 1 || !(operations & FORMATOP_AUTOGENMIPMAP))
      return kNotAvailable;
    size.levels = fullChain(size.width, size.height, 0);
  }
  return kOk;
}

/** Creates surfaces that have a size, and no pixels. */
HRESULT Resource::createNull(const D3DDDIARG_CREATERESOURCE &args) {
  if (args.Flags.SharedResource || args.Flags.Primary) return kPromised;
  if (!makeSurfaces(args.SurfCount)) return kOutOfMemory;
  for (uint32_t i = 0; i < args.SurfCount; i++) {
    m_surfaces[i].width = args.pSurfList[i].Width;
    m_surfaces[i].height = args.pSurfList[i].Height;
  }
  return kOk;
}

/** Creates surfaces of bits for ComposeRects. The device does not know them. */
HRESULT Resource::createBitmap(const D3DDDIARG_CREATERESOURCE &args) {
  const D3DDDI_RESOURCEFLAGS flags = args.Flags;
  if (isUnknownKind(flags) || isOfVideoUnit(flags) || flags.CubeMap || flags.Volume || flags.RenderTarget ||
      flags.ZBuffer || flags.Primary || flags.SharedResource || flags.AutogenMipmap || args.SurfCount > kMaxSurfaces)
    return kNotAvailable;
  m_levels = levelCount(args);
  if (flags.Texture && args.SurfCount != m_levels) return kNotAvailable;
  for (uint32_t i = 0; i < args.SurfCount; i++) {
    const D3DDDI_SURFACEINFO &info = args.pSurfList[i];
    if (!info.Width || !info.Height || info.Width > kMaxBitmapWidth || info.Height > kMaxBitmapHeight)
      return kNotAvailable;
  }
  if (!makeSurfaces(args.SurfCount)) return kOutOfMemory;
  for (uint32_t i = 0; i < args.SurfCount; i++) {
    Surface &surface = m_surfaces[i];
    surface.width = args.pSurfList[i].Width;
    surface.height = args.pSurfList[i].Height;
    surface.systemPitch = bitmapPitch(surface.width);
    surface.systemSlicePitch = surface.systemPitch * surface.height;
    surface.system = static_cast<uint8_t *>(heapAllocate(surface.systemSlicePitch));
    if (!surface.system) return kOutOfMemory;
  }
  return kOk;
}

HRESULT Resource::createVideo(DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &args) {
  ImageUse use;
  ImageSize size;
  const HRESULT described = describe(objects, args, use, size);
  if (failed(described)) return described;
  if (m_format->isNull()) return createNull(args);
  m_isConverted = use.texture && m_format->isYuv();
  if (m_isConverted) {  // each level is an image of even width
    use.texture = false;
    size.levels = 1;
  }
  const bool sampled = use.texture;
  // Surfaces that are no texture have an image each: back buffers come as several surfaces of one resource.
  const uint32_t images = sampled ? 1 : args.SurfCount;
  if (images > kMaxAllocations) return kPromised;
  // A screen shows one sample a pixel: a primary with several samples has, for each image that is shown, another one to
  // draw to.
  const bool twice = use.primary && use.sampleCount > 1;
  if (!makeSurfaces(args.SurfCount) || !makeImages(twice ? 2 * images : images)) return kOutOfMemory;
  ImageUse drawn;
  drawn.target = true;
  drawn.sampleCount = use.sampleCount;
  if (twice) use.sampleCount = 1;
  const Runtime &runtime = objects.context.runtime();
  AllocationRequest requests[kMaxAllocations];
  uint32_t owners[kMaxAllocations], allocations = 0;
  for (uint32_t i = 0; i < images; i++) {
    // The last pixel of an odd width is half of a pair (FMT-14).
    size.width = args.pSurfList[i].Width + (m_format->isYuv() ? args.pSurfList[i].Width % 2 : 0);
    size.height = args.pSurfList[i].Height;
    if (m_format->isPlanar) size.height += size.height % 2 + (size.height + 1) / 2;
    AllocationRequest none;
    if (!m_images[i].plan(runtime, *m_format, size, use, requests[allocations]) ||
        (twice && !m_images[images + i].plan(runtime, *m_format, size, drawn, none)))
      return kPromised;
    if (requests[allocations].bytes) owners[allocations++] = i;
  }
  AllocationOwner owner;
  if (use.shared || use.primary) owner = {m_runtime, use.primary, args.VidPnSourceId};
  Allocation memory[kMaxAllocations];
  HRESULT result = allocate(runtime, owner, requests, allocations, memory);
  if (isOutOfMemory(result)) {  // a submission frees retired memory, which may be enough
    objects.context.submit();
    result = allocate(runtime, owner, requests, allocations, memory);
  }
  if (failed(result)) return result;
  m_ofRuntime = owner.resource != nullptr;
  for (uint32_t i = 0; i < allocations; i++) m_images[owners[i]].memory = memory[i];
  for (uint32_t i = 0; i < images; i++) {
    result = m_images[i].create(objects, use);
    if (!failed(result) && twice) result = m_images[images + i].create(objects, drawn);
    if (failed(result)) return result;
  }
  for (uint32_t i = 0; i < args.SurfCount; i++) {
    Surface &surface = m_surfaces[i];
    surface.image = sampled ? &m_images[0] : &m_images[twice ? images + i : i];
    if (twice) surface.shown = &m_images[i];
    surface.level = sampled ? i % m_levels : 0;
    surface.layer = sampled ? i / m_levels : 0;
    surface.width = surface.image->layout.level(surface.level).width;
    surface.height = surface.image->layout.level(surface.level).height;
    surface.depth = surface.image->layout.level(surface.level).depth;
  }
  if (m_isConverted) return makeColors(objects, args);
  noteImages();
  // Another device may import the texture as soon as it has the handle, which it gets after this call.
  return use.shared ? objects.context.submit() : kOk;
}

HRESULT Resource::open(DeviceObjects &objects, const D3DDDIARG_OPENRESOURCE &args) {
  m_runtime = args.hResource;
  m_ofRuntime = true;
  if (args.NumAllocations != 1 || !args.pOpenAllocationInfo) return kNotAvailable;
  const D3DDDI_OPENALLOCATIONINFO &info = *args.pOpenAllocationInfo;
  AllocationPrivate priv;
  if (!readAllocationPrivate(info.pPrivateDriverData, info.PrivateDriverDataSize, priv)) return kNotAvailable;
  const DescribedSurface described = describedSurface(priv);
  m_format = objects.formats.findShared(described.format);
  if (!m_format) m_format = objects.formats.find(described.format);
  if (!m_format || !priv.share_token) return kNotAvailable;
  if (!makeSurfaces(1) || !makeImages(1)) return kOutOfMemory;
  Allocation memory;
  memory.handle = info.hAllocation;
  memory.id = priv.alloc_id;
  memory.token = priv.share_token;
  memory.bytes = priv.size_bytes;
  memory.ofResource = true;
  const HRESULT result = m_images[0].open(objects, *m_format, described.width, described.height, memory);
  if (failed(result)) return result;
  m_surfaces[0].width = described.width;
  m_surfaces[0].height = described.height;
  m_surfaces[0].image = &m_images[0];
  // Alpha counts as one, whatever was written (page "D3DDDI_OPENRESOURCEFLAGS").
  if (args.Flags.AlphaOverride && m_format->device == AEROGPU_FORMAT_B8G8R8A8_UNORM) {
    m_opaqueView = objects.take();
    aerogpu_cmd_create_texture_view view = {};
    view.view_handle = m_opaqueView;
    view.texture_handle = m_images[0].handle;
    view.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
    view.mip_level_count = 1;
    view.array_layer_count = 1;
    if (!m_opaqueView || !objects.context.send(view)) return objects.context.takeError();
  }
  noteImages();
  return kOk;
}

HRESULT Resource::makeShown(DeviceObjects &objects, Surface &surface) {
  const FormatRow *row = objects.formats.find(D3DDDIFMT_X8R8G8B8);
  Image *shown = row ? heapCreate<Image>() : nullptr;
  if (!shown) return kOutOfMemory;
  ImageUse use;
  use.target = true;
  AllocationRequest request;
  ImageSize size;
  size.width = surface.width;
  size.height = surface.height;
  HRESULT result = shown->plan(objects.context.runtime(), *row, size, use, request) ? kOk : kNotAvailable;
  if (!failed(result)) result = allocate(objects.context.runtime(), request, shown->memory);
  if (!failed(result)) result = shown->create(objects, use);
  if (failed(result)) {
    shown->destroy(objects);
    heapDestroy(shown);
    return result;
  }
  surface.shown = shown;
  return kOk;
}

HRESULT Resource::show(DeviceObjects &objects, Surface &surface, D3DKMT_HANDLE &allocation) {
  allocation = 0;
  if (!surface.image) {
    if (!m_isSystemMemory || m_isBitmap) return kOk;
    // The kernel driver shows allocations, and the runtime's memory is none.
    const HRESULT copied = refresh(objects);
    if (failed(copied) || !m_twin) return copied;
    return showCopy(objects, surface, *m_twin->surface(static_cast<uint32_t>(&surface - m_surfaces)), allocation);
  }
  const Image &image = *surface.image;
  const FormatRow &format = *image.format;
  // The kernel driver can show the formats that it knows.
  const bool direct = image.memory && (image.crossesContexts || !format.isTarget() ||
                                       deviceFormat(static_cast<uint32_t>(format.d3d)) == format.device);
  if (direct) {
    allocation = image.memory.handle;
    return kOk;
  }
  return showCopy(objects, surface, surface, allocation);
}

/** Copies the image of `from` to what is shown of `surface`, which this makes. */
HRESULT Resource::showCopy(DeviceObjects &objects, Surface &surface, const Surface &from, D3DKMT_HANDLE &allocation) {
  if (!from.image || from.image->format->depth || !objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_BLIT))
    return kOk;
  if (!surface.shown) {
    const HRESULT made = makeShown(objects, surface);
    if (failed(made)) return made;
  }
  Image &shown = *surface.shown;
  allocation = shown.memory.handle;
  if (!objects.context.ensure(sizeof(aerogpu_cmd_ext_blit) + sizeof(aerogpu_ext_blit_rect), 1))
    return objects.context.takeError();
  if (shown.crossesContexts) objects.context.use(shown.memory, true);
  auto *packet = objects.context.append<aerogpu_cmd_ext_blit>(1);
  if (!packet) return objects.context.takeError();
  packet->dst_texture = shown.handle;
  packet->src_texture = from.image->handle;
  packet->src_mip_level = from.level;
  packet->src_array_layer = from.layer;
  const aerogpu_ext_rect whole = {0, 0, surface.width, surface.height};
  *Context::elementsOf(packet) = {whole, whole};
  return kOk;
}

HRESULT Resource::destroy(DeviceObjects &objects) {
  bool pending = false;
  if (m_twin) m_twin->destroy(objects);
  heapDestroy(m_twin);
  m_twin = nullptr;
  for (uint32_t i = 0; i < m_surfaceCount; i++) {
    Surface &surface = m_surfaces[i];
    objects.destroy<aerogpu_cmd_destroy_texture_view>(surface.view);
    const bool own = surface.shown && !surface.shown->memory.ofResource;
    if (own) {
      surface.shown->destroy(objects);
      heapDestroy(surface.shown);
    }
    surface.shown = nullptr;
    if (surface.lock.count && surface.lock.where == SurfaceLock::Where::Memory)
      objects.context.runtime().unlock(surface.image->memory.handle);
    if (surface.lock.count && surface.lock.where == SurfaceLock::Where::Staging)
      objects.context.runtime().unlock(surface.lock.staging->memory.handle);
  }
  objects.destroy<aerogpu_cmd_destroy_texture_view>(m_opaqueView);
  for (uint32_t i = 0; i < m_imageCount; i++) {
    pending |= m_images[i].memory.ofResource && objects.context.isPending(m_images[i].memory);
    m_images[i].destroy(objects);
  }
  objects.destroy<aerogpu_cmd_destroy_resource>(m_buffer.handle);
  if (!m_ofRuntime) return kOk;
  // The runtime's handle is gone after this call, so the memory cannot wait for a later batch.
  m_ofRuntime = false;
  const HRESULT submitted = pending ? objects.context.submit() : kOk;
  const HRESULT freed = objects.context.runtime().deallocateResource(m_runtime);
  return failed(submitted) ? submitted : freed;
}

uint32_t surfaceView(DeviceObjects &objects, Surface &surface) {
  if (!surface.image) return 0;
  const TextureLayout &layout = surface.image->layout;
  if (layout.isVolume()) return 0;  // it is no target, and sampled as a whole
  if (layout.levels() == 1 && layout.layers() == 1) return surface.image->handle;
  if (surface.view) return surface.view;
  surface.view = objects.take();
  if (!surface.view) return 0;
  aerogpu_cmd_create_texture_view view = {};
  view.view_handle = surface.view;
  view.texture_handle = surface.image->handle;
  view.format = surface.image->format->device;
  view.base_mip_level = surface.level;
  view.mip_level_count = 1;
  view.base_array_layer = surface.layer;
  view.array_layer_count = 1;
  if (!objects.context.send(view)) {
    objects.handles.give(surface.view);
    surface.view = 0;
  }
  return surface.view;
}

}  // namespace aero
