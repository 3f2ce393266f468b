// SPDX-License-Identifier: MIT
// sampled_texture.cpp: textures that may need an update before a draw samples them: those in the runtime's memory,
// which programs may bind, those whose lower levels the driver generates, and those of indices (index_colors.cpp). What
// is presented from the runtime's memory is such a texture too.
#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-d3d9/resources/surface_copies.h"

namespace aero {
namespace {

/** Returns the bytes of a surface in the runtime's memory, from its first to its last. */
size_t systemBytes(const Surface &surface, const FormatRow &format) {
  const size_t rows = format.isTight ? surface.height : (surface.height + format.block - 1) / format.block;
  return surface.depth > 1 ? size_t{surface.systemSlicePitch} * surface.depth : size_t{surface.systemPitch} * rows;
}

}  // namespace

/** Makes a texture of the same kind on the device, and room for the bytes that it is made from. */
HRESULT Resource::makeTwin(DeviceObjects &objects) {
  m_hasNoTwin = true;  // unless this succeeds
  if (!m_format) return kOk;
  auto *sizes = static_cast<D3DDDI_SURFACEINFO *>(heapAllocate(sizeof(D3DDDI_SURFACEINFO) * m_surfaceCount));
  if (!sizes) return kOutOfMemory;
  size_t bytes = 0;
  bool isThere = true;
  for (uint32_t i = 0; i < m_surfaceCount; i++) {
    const Surface &surface = m_surfaces[i];
    sizes[i] = {};
    sizes[i].Width = surface.width;
    sizes[i].Height = surface.height;
    sizes[i].Depth = m_flags.Volume ? surface.depth : 0;
    isThere &= surface.system || surface.image;
    if (m_isSystemMemory) bytes += systemBytes(surface, *m_format);
  }
  D3DDDIARG_CREATERESOURCE args = {};
  args.Format = holdsIndices() ? D3DDDIFMT_A8R8G8B8 : m_format->d3d;
  args.Pool = D3DDDIPOOL_VIDEOMEMORY;
  args.pSurfList = sizes;
  args.SurfCount = m_surfaceCount;
  args.MipLevels = m_levels;
  args.Flags.Texture = 1;
  args.Flags.CubeMap = m_flags.CubeMap;
  args.Flags.Volume = m_flags.Volume;
  Resource *twin = isThere ? heapCreate<Resource>() : nullptr;
  HRESULT result = !isThere ? kOk : twin ? twin->create(objects, args) : kOutOfMemory;
  heapFree(sizes);
  if (twin && !failed(result) && m_isSystemMemory) {
    m_twinBytes = static_cast<uint8_t *>(heapAllocate(bytes));
    if (!m_twinBytes) result = kOutOfMemory;
  }
  if (failed(result) || !twin) {
    if (twin) twin->destroy(objects);
    heapDestroy(twin);
    // A texture that the device cannot have acts as if none were bound.
    return result == kNotAvailable ? kOk : result;
  }
  m_twin = twin;
  m_hasNoTwin = false;
  noteImages();
  return kOk;
}

HRESULT Resource::refresh(DeviceObjects &objects) {
  if (m_isConverted) return convert(objects);
  if (m_flags.AutogenMipmap && !m_isSystemMemory) {
    uint32_t writes = 0;
    for (uint32_t i = 0; i < m_surfaceCount; i++) writes += m_surfaces[i].writes;
    return writes == m_levelsMade ? kOk : generateLevels(objects, false);
  }
  if (m_hasNoTwin) return kOk;
  if (holdsIndices()) return refreshIndices(objects);
  const bool isNew = !m_twin;
  if (isNew) {
    const HRESULT made = makeTwin(objects);
    if (failed(made) || !m_twin) return made;
  }
  // Programs may write to this memory without a lock: they keep its address, or it is their own. So its bytes are
  // compared with those that were sent.
  uint8_t *known = m_twinBytes;
  for (uint32_t i = 0; i < m_surfaceCount; i++) {
    const Surface &surface = m_surfaces[i];
    const size_t bytes = systemBytes(surface, *m_format);
    if (isNew || memcmp(known, surface.system, bytes) != 0) {
      memcpy(known, surface.system, bytes);
      Surface &to = *m_twin->surface(i);
      const HRESULT result = writeSurface(objects, to, to.whole(), surface, *m_format, surface.whole());
      if (failed(result)) return result;
    }
    known += bytes;
  }
  return m_twin->needsRefresh() ? m_twin->refresh(objects) : kOk;
}

HRESULT Resource::generateLevels(DeviceObjects &objects, bool point) {
  if (!m_imageCount || !m_flags.AutogenMipmap) return kNotAvailable;
  uint32_t writes = 0;
  for (uint32_t i = 0; i < m_surfaceCount; i++) writes += m_surfaces[i].writes;
  aerogpu_cmd_ext_generate_mips packet = {};
  packet.texture = m_images[0].handle;
  packet.flags = point ? AEROGPU_EXT_MIPS_POINT : AEROGPU_EXT_MIPS_LINEAR;
  if (!objects.context.send(packet)) return objects.context.takeError();
  m_levelsMade = writes;
  return kOk;
}

}  // namespace aero
