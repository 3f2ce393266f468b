// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/image.h"

#include <algorithm>

#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

/// Limit of boxes of a layer; with more, all of it is dirty.
constexpr size_t kMostDirtyBoxes = 16;

constexpr DWORD kLockFlags = D3DLOCK_READONLY | D3DLOCK_DISCARD | D3DLOCK_NOOVERWRITE | D3DLOCK_NOSYSLOCK |
                             D3DLOCK_DONOTWAIT | D3DLOCK_NO_DIRTY_UPDATE;

UINT fullChain(UINT width, UINT height, UINT depth) {
  UINT levels = 1;
  for (UINT size = std::max({width, height, depth}); size > 1; size /= 2) ++levels;
  return levels;
}

bool isLockableDepth(D3DFORMAT format) {
  return format == D3DFMT_D16_LOCKABLE || format == D3DFMT_D32F_LOCKABLE || format == D3DFMT_D32_LOCKABLE ||
         format == D3DFMT_S8_LOCKABLE;
}

bool isInside(const D3DBOX &box, const D3DBOX &all) {
  return box.Left < box.Right && box.Top < box.Bottom && box.Front < box.Back && box.Left >= all.Left &&
         box.Top >= all.Top && box.Front >= all.Front && box.Right <= all.Right && box.Bottom <= all.Bottom &&
         box.Back <= all.Back;
}

}  // namespace

D3DBOX boxOf(const RECT &rect) {
  return {static_cast<UINT>(rect.left),
          static_cast<UINT>(rect.top),
          static_cast<UINT>(rect.right),
          static_cast<UINT>(rect.bottom),
          0,
          1};
}

std::shared_ptr<Image> Image::create(Device &device, const ImageDescription &description, HANDLE *shared,
                                     HRESULT &result) {
  std::shared_ptr<Image> image(new Image(device, description));
  result = image->createResources(shared);
  if (FAILED(result)) return nullptr;
  if (description.pool == D3DPOOL_DEFAULT && !description.implicit) {
    image->m_counted = true;
    device.countDefaultPool(+1);
  }
  return image;
}

Image::~Image() {
  if (m_counted) m_device.countDefaultPool(-1);
}

UINT Image::width(UINT level) const {
  return std::max(1u, m_description.width >> level);
}
UINT Image::height(UINT level) const {
  return std::max(1u, m_description.height >> level);
}
UINT Image::depth(UINT level) const {
  return m_description.type == D3DRTYPE_VOLUMETEXTURE ? std::max(1u, m_description.depth >> level) : 1;
}

HANDLE Image::handle() const {
  const DriverResource *resource = m_video ? m_video.get() : m_system.get();
  return resource ? resource->handle() : nullptr;
}

HRESULT Image::createResources(HANDLE *shared) {
  ImageDescription &d = m_description;
  FormatLayout layout;
  if (!formatLayout(m_device.driver().adapter(), d.format, layout) || !d.width || !d.height || !d.depth)
    return D3DERR_INVALIDCALL;
  const UINT most = fullChain(d.width, d.height, d.type == D3DRTYPE_VOLUMETEXTURE ? d.depth : 1);
  const bool autogen = d.usage & D3DUSAGE_AUTOGENMIPMAP;
  // If the driver cannot generate (D3DOK_NOAUTOGEN) there is one level.
  const bool generates = autogen && (m_device.driver().adapter().operations(d.format) & FORMATOP_AUTOGENMIPMAP);
  if (autogen && d.levels > 1) return D3DERR_INVALIDCALL;
  if (autogen)
    d.levels = 1;
  else if (!d.levels)
    d.levels = most;
  if (d.levels > most) return D3DERR_INVALIDCALL;
  const UINT subresources = d.levels * d.layers;
  m_locks.resize(subresources);
  m_dirty.resize(d.layers);
  markDirty();
  m_evictions = m_device.evictions();
  if (shared && *shared) return openShared(*shared);

  if (d.pool == D3DPOOL_SCRATCH) {
    UINT64 total = 0;
    for (UINT i = 0; i < subresources; ++i) {
      if (level(i) == 0) total = alignToFace(total);
      m_scratchOffsets.push_back(static_cast<size_t>(total));
      total += imageBytes(layout, width(level(i)), height(level(i)), depth(level(i)));
      if (total > 1u << 30) return E_OUTOFMEMORY;
    }
    m_scratch.resize(static_cast<size_t>(total));
    return D3D_OK;
  }

  ResourceDescription resource;
  resource.format = d.format;
  resource.multisample = d.multisample;
  resource.quality = d.quality;
  resource.width = d.width;
  resource.height = d.height;
  resource.depth = d.depth;
  resource.layers = d.layers;
  resource.levels = d.chain && d.layers > 1 ? 0 : d.levels;
  resource.sublevels = !d.chain;
  resource.refreshRate = d.refreshRate;
  D3DDDI_RESOURCEFLAGS &flags = resource.flags;
  const bool isTexture =
      d.type == D3DRTYPE_TEXTURE || d.type == D3DRTYPE_CUBETEXTURE || d.type == D3DRTYPE_VOLUMETEXTURE;
  flags.Texture = isTexture;
  flags.CubeMap = d.type == D3DRTYPE_CUBETEXTURE;
  flags.Volume = d.type == D3DRTYPE_VOLUMETEXTURE;

  HRESULT result = D3D_OK;
  if (d.pool == D3DPOOL_SYSTEMMEM || d.pool == D3DPOOL_MANAGED) {
    ResourceDescription twin = resource;
    twin.systemMemory = true;
    twin.userMemory = d.userMemory;
    m_system = DriverResource::create(m_device.driver(), twin, nullptr, result);
    if (!m_system) return result;
  }
  if (d.pool == D3DPOOL_SYSTEMMEM) return D3D_OK;

  flags.AutogenMipmap = generates;
  flags.RenderTarget = (d.usage & D3DUSAGE_RENDERTARGET) != 0;
  flags.ZBuffer = (d.usage & D3DUSAGE_DEPTHSTENCIL) != 0;
  flags.Dynamic = (d.usage & D3DUSAGE_DYNAMIC) != 0;
  flags.WriteOnly = (d.usage & D3DUSAGE_WRITEONLY) != 0;
  flags.DMap = (d.usage & D3DUSAGE_DMAP) != 0;
  flags.DiscardRenderTarget = d.discard;
  flags.NotLockable = !isLockable();
  flags.Video = d.video;
  flags.MatchGdiPrimary = d.primary && d.gdiMode;
  // No page says for which targets Windows sets it. Programs that want to lock a target read or write it with the CPU.
  flags.CpuOptimized = flags.RenderTarget && d.lockable;
  if (d.primary) {
    flags.Primary = 1;
    resource.vidPnSource = m_device.driver().adapter().vidPnSource();
  }
  SharedDescription description{};
  if (shared) {
    flags.SharedResource = 1;
    description = sharedOf9(d.type, d.format, d.width, d.height, d.usage, d.multisample, d.quality);
  }
  m_video = DriverResource::create(m_device.driver(), resource, shared ? &description : nullptr, result);
  if (!m_video) return result;
  if (shared) *shared = reinterpret_cast<HANDLE>(static_cast<UINT_PTR>(m_video->globalHandle()));
  return D3D_OK;
}

HRESULT Image::openShared(HANDLE handle) {
  SharedDescription found{};
  HRESULT result = D3D_OK;
  const D3DKMT_HANDLE global = static_cast<D3DKMT_HANDLE>(reinterpret_cast<UINT_PTR>(handle));
  m_video = DriverResource::open(m_device.driver(), global, found, result);
  if (!m_video) return result;
  const ImageDescription &d = m_description;
  // A surface that Windows itself made (a GDI window) has no description of the runtime.
  if (found.size == sizeof found &&
      (found.version != kSharedVersion || found.format != static_cast<UINT32>(d.format) || found.width != d.width ||
       found.height != d.height || found.type != static_cast<UINT32>(d.type))) {
    logLine("shared handle 0x%08x is a %ux%u resource of type %u and format %u, opened as %ux%u, %u, %u", global,
            found.width, found.height, found.type, found.format, d.width, d.height, static_cast<unsigned>(d.type),
            static_cast<unsigned>(d.format));
    return D3DERR_INVALIDCALL;
  }
  return D3D_OK;
}

bool Image::isLockable() const {
  const ImageDescription &d = m_description;
  if (d.pool != D3DPOOL_DEFAULT) return true;
  if (d.multisample != D3DMULTISAMPLE_NONE) return false;
  if (d.usage & D3DUSAGE_DEPTHSTENCIL) return isLockableDepth(d.format);
  if (d.usage & D3DUSAGE_RENDERTARGET) return d.lockable;
  return d.type == D3DRTYPE_SURFACE || (d.usage & D3DUSAGE_DYNAMIC) || isDriverFormat(d.format);
}

HRESULT Image::lock(UINT subresource, const D3DBOX *box, DWORD flags, D3DLOCKED_BOX &out) {
  if (subresource >= m_locks.size() || (flags & ~kLockFlags) || !isLockable() || m_hasDc) return D3DERR_INVALIDCALL;
  if ((flags & D3DLOCK_READONLY) && (flags & D3DLOCK_DISCARD)) return D3DERR_INVALIDCALL;
  LockState &state = m_locks[subresource];
  if (state.locked) return D3DERR_INVALIDCALL;
  const UINT at = level(subresource);
  const D3DBOX all{0, 0, width(at), height(at), 0, depth(at)};
  const D3DBOX region = box ? *box : all;
  FormatLayout layout;
  formatLayout(m_device.driver().adapter(), m_description.format, layout);
  // Rectangles are not checked if the runtime owns the memory: programs rely on it. In Direct3D 8 that is so of 2D
  // textures only.
  const D3DRESOURCETYPE type = m_description.type;
  const bool lenient = (m_system || !m_scratch.empty()) &&
                       (m_device.version() == 8 ? type == D3DRTYPE_TEXTURE : type != D3DRTYPE_VOLUMETEXTURE);
  if (!lenient && !isInside(region, all)) return D3DERR_INVALIDCALL;
  const auto splits = [](UINT edge, UINT block, UINT end) { return edge % block != 0 && edge != end; };
  if (!lenient &&
      (splits(region.Left, layout.blockWidth, 0) || splits(region.Top, layout.blockHeight, 0) ||
       splits(region.Right, layout.blockWidth, all.Right) || splits(region.Bottom, layout.blockHeight, all.Bottom)))
    return D3DERR_INVALIDCALL;

  BYTE *bytes = nullptr;
  UINT pitch = 0, slice = 0;
  if (!m_scratch.empty()) {
    bytes = m_scratch.data() + m_scratchOffsets[subresource];
    pitch = rowBytes(layout, all.Right);
    slice = pitch * rowCount(layout, all.Bottom);
  } else if (m_system) {
    D3DDDI_LOCKFLAGS driverFlags{};
    driverFlags.ReadOnly = (flags & D3DLOCK_READONLY) != 0;
    driverFlags.DoNotWait = (flags & D3DLOCK_DONOTWAIT) != 0;
    const HRESULT result = m_system->notifyLock(driverFlags);
    if (FAILED(result)) return result;
    state.notify = true;
    const DriverResource::Memory &memory = m_system->memory(subresource);
    bytes = memory.bytes;
    pitch = memory.pitch;
    slice = memory.slicePitch;
    if (!(flags & (D3DLOCK_READONLY | D3DLOCK_NO_DIRTY_UPDATE))) {
      const UINT layer = subresource / m_description.levels;
      if (at || FAILED(markDirty(layer, region))) markDirty(layer);
    }
  } else {
    D3DDDIARG_LOCK argument{};
    argument.SubResourceIndex = subresource;
    argument.Flags.ReadOnly = (flags & D3DLOCK_READONLY) != 0;
    argument.Flags.DoNotWait = (flags & D3DLOCK_DONOTWAIT) != 0;
    argument.Flags.NoOverwrite = (flags & D3DLOCK_NOOVERWRITE) != 0;
    // Only a whole level 0 can be renamed.
    argument.Flags.Discard = (flags & D3DLOCK_DISCARD) && !box && at == 0 && (m_description.usage & D3DUSAGE_DYNAMIC);
    argument.Flags.WriteOnly = argument.Flags.Discard;
    if (m_description.type == D3DRTYPE_VOLUMETEXTURE) {
      argument.Flags.BoxValid = box != nullptr;
      argument.Box = {region.Left, region.Top, region.Right, region.Bottom, region.Front, region.Back};
    } else {
      argument.Flags.AreaValid = box != nullptr;
      argument.Area = {static_cast<LONG>(region.Left), static_cast<LONG>(region.Top), static_cast<LONG>(region.Right),
                       static_cast<LONG>(region.Bottom)};
    }
    const HRESULT result = m_video->lock(argument);
    if (FAILED(result)) return result;
    state.locked = true;
    state.notify = false;
    out.pBits = argument.pSurfData;  // where the region begins
    out.RowPitch = static_cast<INT>(argument.Pitch);
    out.SlicePitch = static_cast<INT>(argument.SlicePitch);
    return D3D_OK;
  }
  state.locked = true;
  // Edges may be negative if rectangles are not checked.
  out.pBits = bytes + size_t{slice} * region.Front +
              ptrdiff_t{static_cast<INT>(region.Top)} / static_cast<INT>(layout.blockHeight) * static_cast<INT>(pitch) +
              ptrdiff_t{static_cast<INT>(region.Left)} / static_cast<INT>(layout.blockWidth) *
                  static_cast<INT>(layout.blockBytes);
  out.RowPitch = static_cast<INT>(pitch);
  out.SlicePitch = static_cast<INT>(slice);
  return D3D_OK;
}

HRESULT Image::unlock(UINT subresource) {
  if (subresource >= m_locks.size()) return D3DERR_INVALIDCALL;
  // An extra Unlock is tolerated for levels of 2D textures, and while GDI has the surface.
  if (m_hasDc && !m_locks[subresource].locked) return D3D_OK;
  if (!m_locks[subresource].locked) return m_description.type == D3DRTYPE_TEXTURE ? D3D_OK : D3DERR_INVALIDCALL;
  LockState &state = m_locks[subresource];
  state.locked = false;
  if (!m_scratch.empty()) return D3D_OK;
  return state.notify ? m_system->notifyUnlock() : m_video->unlock(subresource, false);
}

bool Image::isAnyLocked() const {
  return std::any_of(m_locks.begin(), m_locks.end(), [](const LockState &state) { return state.locked; });
}

void Image::markDirty() {
  for (UINT layer = 0; layer < m_dirty.size(); ++layer) markDirty(layer);
}

void Image::markDirty(UINT layer) {
  m_dirty[layer] = {{0, 0, width(0), height(0), 0, depth(0)}};
}

HRESULT Image::markDirty(UINT layer, const D3DBOX &box) {
  const D3DBOX all{0, 0, width(0), height(0), 0, depth(0)};
  if (!isInside(box, all)) return D3DERR_INVALIDCALL;
  FormatLayout layout;
  formatLayout(m_device.driver().adapter(), m_description.format, layout);
  const auto down = [](UINT edge, UINT block) { return edge / block * block; };
  const auto up = [](UINT edge, UINT block, UINT end) { return std::min((edge + block - 1) / block * block, end); };
  for (const D3DBOX &known : m_dirty[layer])
    if (isInside(box, known)) return D3D_OK;
  if (m_dirty[layer].size() < kMostDirtyBoxes)
    m_dirty[layer].push_back({down(box.Left, layout.blockWidth), down(box.Top, layout.blockHeight),
                              up(box.Right, layout.blockWidth, all.Right),
                              up(box.Bottom, layout.blockHeight, all.Bottom), box.Front, box.Back});
  else
    markDirty(layer);
  return D3D_OK;
}

HRESULT Image::upload() {
  if (m_description.pool != D3DPOOL_MANAGED) return D3D_OK;
  if (std::exchange(m_evictions, m_device.evictions()) != m_device.evictions()) markDirty();
  HRESULT result = D3D_OK;
  for (UINT layer = 0; layer < m_dirty.size() && SUCCEEDED(result); ++layer) {
    const std::vector<D3DBOX> boxes = takeDirty(layer);
    for (const D3DBOX &box : boxes)
      if (SUCCEEDED(result)) result = transferLevels(m_device.driver(), *this, *this, layer, box);
    if (FAILED(result)) markDirty(layer);
  }
  return result;
}

HRESULT transferLevels(DriverDevice &driver, const Image &from, const Image &to, UINT layer, const D3DBOX &box) {
  if (from.description().type == D3DRTYPE_VOLUMETEXTURE) {
    D3DDDIARG_VOLUMEBLT argument{};
    argument.hSrcResource = from.system()->handle();
    argument.hDstResource = to.handle();
    argument.DstX = box.Left;
    argument.DstY = box.Top;
    argument.DstZ = box.Front;
    argument.SrcBox = {box.Left, box.Top, box.Right, box.Bottom, box.Front, box.Back};
    return driver.call<&D3DDDI_DEVICEFUNCS::pfnVolBlt>(&argument);
  }
  D3DDDIARG_TEXBLT argument{};
  argument.hSrcResource = from.system()->handle();
  argument.hDstResource = to.handle();
  argument.CubeMapFace = layer;
  argument.DstPoint = {static_cast<LONG>(box.Left), static_cast<LONG>(box.Top)};
  argument.SrcRect = {static_cast<LONG>(box.Left), static_cast<LONG>(box.Top), static_cast<LONG>(box.Right),
                      static_cast<LONG>(box.Bottom)};
  return driver.call<&D3DDDI_DEVICEFUNCS::pfnTexBlt>(&argument);
}

HRESULT Image::generateLevels(D3DTEXTUREFILTERTYPE filter) {
  if (!(m_device.driver().adapter().operations(m_description.format) & FORMATOP_AUTOGENMIPMAP)) return D3D_OK;
  D3DDDIARG_GENERATEMIPSUBLEVELS argument{};
  argument.hResource = handle();
  argument.Filter = static_cast<decltype(argument.Filter)>(filter);
  return m_device.driver().call<&D3DDDI_DEVICEFUNCS::pfnGenerateMipSubLevels>(&argument);
}

}  // namespace aerogpu::runtime
