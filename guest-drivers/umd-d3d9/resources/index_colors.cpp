// SPDX-License-Identifier: MIT
// index_colors.cpp: textures of indices (P8): brings the texture up to date that draws sample in place of one.
#include "guest-drivers/umd-d3d9/resources/surface_copies.h"

namespace aero {

/** Writes the colours of a surface of indices to the same surface of the twin. */
HRESULT Resource::writeColors(DeviceObjects &objects, uint32_t index, const uint32_t (&argb)[Palette::kColors]) {
  Surface &from = m_surfaces[index];
  const uint32_t width = from.width, height = from.height;
  auto *colors = static_cast<uint32_t *>(heapAllocate(size_t{width} * height * sizeof(uint32_t)));
  uint8_t *read = nullptr;
  const uint8_t *rows = from.system;
  uint32_t pitch = from.systemPitch;
  HRESULT result = colors ? kOk : kOutOfMemory;
  if (colors && from.image && from.image->isSmall && from.image->bytes && !from.memoryStale) {
    rows = from.image->processBytes(from.level, from.layer);
    pitch = from.image->layout.level(from.level).pitch;
  } else if (colors && from.image) {
    rows = read = static_cast<uint8_t *>(heapAllocate(size_t{width} * height));
    pitch = width;
    result = read ? readSurface(objects, from, from.whole().rect, read, width) : kOutOfMemory;
  }
  if (!failed(result)) {
    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < width; x++) colors[size_t{y} * width + x] = argb[rows[size_t{y} * pitch + x]];
    Surface &to = *m_twin->surface(index);
    result = writeSurface(objects, to, to.whole().rect, reinterpret_cast<const uint8_t *>(colors),
                          width * static_cast<uint32_t>(sizeof(uint32_t)));
  }
  heapFree(read);
  heapFree(colors);
  return result;
}

HRESULT Resource::refreshIndices(DeviceObjects &objects) {
  const bool isNew = !m_twin;
  if (isNew) {
    const HRESULT made = makeTwin(objects);
    if (failed(made) || !m_twin) return made;
  }
  bool changed = isNew || m_palette != m_coloredBy || (m_palette && m_palette->changes != m_coloredChanges);
  uint32_t writes = 0;
  uint8_t *known = m_twinBytes;
  for (uint32_t i = 0; i < m_surfaceCount; i++) {
    const Surface &surface = m_surfaces[i];
    writes += surface.writes;
    if (!m_isSystemMemory) continue;
    // Programs may write to the runtime's memory without a lock.
    const size_t bytes = size_t{surface.systemPitch} * surface.height;
    changed |= isNew || memcmp(known, surface.system, bytes) != 0;
    memcpy(known, surface.system, bytes);
    known += bytes;
  }
  if (!changed && writes == m_coloredWrites) return kOk;
  uint32_t argb[Palette::kColors];
  Palette black;
  (m_palette ? *m_palette : black).copyTo(argb);
  for (uint32_t i = 0; i < m_surfaceCount; i++) {
    const HRESULT result = writeColors(objects, i, argb);
    if (failed(result)) return result;
  }
  m_coloredBy = m_palette;
  m_coloredChanges = m_palette ? m_palette->changes : 0;
  m_coloredWrites = writes;
  return kOk;
}

}  // namespace aero
