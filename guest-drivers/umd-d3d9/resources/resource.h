// SPDX-License-Identifier: MIT
// resource.h: the runtime's resources: a texture, cube or volume with its levels, surfaces, a vertex or index buffer;
// in the runtime's memory or on the device. The runtime numbers the parts: surface(i) is subresource i.
#pragma once

#include "guest-drivers/umd-common/submit/upload_memory.h"
#include "guest-drivers/umd-d3d9/resources/image.h"
#include "guest-drivers/umd-d3d9/resources/palettes.h"

namespace aero {

/** The state between Lock and Unlock. Locks nest; the first one's flags count. */
struct SurfaceLock {
  enum class Where : uint8_t { Memory, Process, Staging, Copy, Runtime };
  uint32_t count = 0;
  Where where = Where::Runtime;
  bool writes = false;
  bool stale = false;  // the memory was old when it was locked
  Box area;
  Staging *staging = nullptr;
  uint8_t *bytes = nullptr;  // the surface's first pixel
  uint32_t pitch = 0;
  uint64_t slicePitch = 0;
};

/** One subresource. */
struct Surface {
  uint32_t width = 0, height = 0;
  uint32_t depth = 1;  // slices
  // The runtime's memory (for bitmaps on the device, the resource's own), or an image's level; never both.
  uint8_t *system = nullptr;
  uint32_t systemPitch = 0, systemSlicePitch = 0;
  Image *image = nullptr;
  uint32_t level = 0, layer = 0;
  Image *shown = nullptr;    // what a present shows in place of the image; null: the image itself, or none yet
  uint32_t view = 0;         // handle of a view of this surface alone; 0: not needed yet
  bool memoryStale = false;  // the image has newer pixels than its memory
  uint32_t bindings = 0;     // number of bindings as a target or depth
  uint32_t writes = 0;       // number of writes by other packets than draws and clears
  SurfaceLock lock;
  // Staging that receives a copy for a lock that does not wait; null: none. The members below are from the time of that
  // request.
  Staging *asked = nullptr;
  Box askedArea;
  uint32_t askedWrites = 0;
  uint64_t askedBatch = 0;

  /** Notes that the image changes, and that its memory does not. */
  void markWritten() {
    memoryStale = true;
    writes++;
  }
  void bind(bool bound) {
    bound ? bindings++ : bindings--;
    writes++;  // it is or was drawn to in between
  }
  Box whole() const { return {{0, 0, width, height}, 0, depth}; }
  ImagePart part(const Box &box) const { return {level, layer + box.front, box.rect, box.back - box.front}; }
};

/** A vertex or index buffer. The program writes to a copy in the process (or in the runtime's memory), and the
 * changed bytes go to the device with the packets of the draw that reads them: no lock ever waits, and no draw sees
 * bytes of a later one, unless the program promised that no draw reads them (D3DLOCK_NOOVERWRITE). */
struct BufferStore {
  uint8_t *bytes = nullptr;
  uint32_t size = 0;
  bool ofRuntime = false;  // POOL_SYSTEMMEM: it may change without notice
  uint32_t handle = 0;     // the buffer on the device; 0: no draw has used it yet
  uint32_t dirtyBegin = 0, dirtyEnd = 0;
  uint32_t locks = 0, lockBegin = 0, lockEnd = 0;
  bool lockWrites = false;
  bool lockPromises = false;                     // D3DLOCK_NOOVERWRITE
  bool isPromised = false, isDiscarded = false;  // no draw uses the dirty bytes; no draw needs the other bytes
  SentBytes sent;                                // the newest

  /** True if the device lacks the buffer or bytes of it. */
  bool isBehind() const { return !handle || dirtyBegin != dirtyEnd || ofRuntime || locks; }

  /** Adds a range to the dirty bytes. `promised`: no draw so far has read these bytes. */
  void markDirty(uint32_t begin, uint32_t end, bool promised = false) {
    if (begin >= end) return;
    isPromised = promised && (isPromised || dirtyBegin == dirtyEnd);
    if (dirtyBegin == dirtyEnd) {
      dirtyBegin = begin;
      dirtyEnd = end;
      return;
    }
    if (begin < dirtyBegin) dirtyBegin = begin;
    if (end > dirtyEnd) dirtyEnd = end;
  }
};

class Resource {
public:
  Resource() = default;
  Resource(const Resource &) = delete;
  Resource &operator=(const Resource &) = delete;
  ~Resource();

  static Resource *from(HANDLE handle) { return static_cast<Resource *>(handle); }

  HRESULT create(DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &args);
  HRESULT open(DeviceObjects &objects, const D3DDDIARG_OPENRESOURCE &args);
  /** Sets `allocation` to what the kernel presents for a surface: its own memory, or that of another image, with one
   * sample a pixel and a format of the screen, to which this copies it. 0 if there is none. */
  HRESULT show(DeviceObjects &objects, Surface &surface, D3DKMT_HANDLE &allocation);
  /** Destroys it on the device and frees its memory. Nothing may be bound any more. */
  HRESULT destroy(DeviceObjects &objects);

  const FormatRow *format() const { return m_format; }
  D3DDDI_RESOURCEFLAGS flags() const { return m_flags; }
  bool isBuffer() const { return m_isBuffer; }
  BufferStore &buffer() { return m_buffer; }
  const BufferStore &buffer() const { return m_buffer; }
  bool isSystemMemory() const { return m_isSystemMemory; }
  /** True for surfaces of one bit a texel (D3DFMT_A1), which have no format on the device and no image: bitmap.h. */
  bool isBitmap() const { return m_isBitmap; }
  /** True for such surfaces on the device, whose memory is the resource's own. */
  bool ownsBits() const { return m_isBitmap && !m_isSystemMemory; }
  uint32_t surfaceCount() const { return m_surfaceCount; }
  /** Returns the levels that the runtime sees; levels that the driver generates from the first do not count. */
  uint32_t levels() const { return m_levels; }
  /** Returns null past the end, and for buffers. */
  Surface *surface(uint32_t index) { return index < m_surfaceCount ? &m_surfaces[index] : nullptr; }
  /** Returns the image of a texture; null without one on the device. */
  Image *texture() { return m_imageCount ? &m_images[0] : nullptr; }
  Image *image(uint32_t index) { return index < m_imageCount ? &m_images[index] : nullptr; }
  uint32_t imageCount() const { return m_imageCount; }
  /** True if another device or process, or the screen, sees it. */
  bool crossesContexts() const { return m_crossesContexts; }
  /** Returns the handle that samples it: the texture, or a view of it that reads alpha as one. 0: there is none. */
  uint32_t sampled() const { return m_sampled; }
  /** True if a draw that samples it has to call refresh() first: it is in the runtime's memory, has levels that the
   * driver makes, is a texture of video, or has indices of a palette. */
  bool needsRefresh() const {
    return m_flags.AutogenMipmap || m_isConverted || ((m_isSystemMemory || holdsIndices()) && m_surfaceCount);
  }
  /** True for D3DDDIFMT_P8. Draws sample the colours of its palette. */
  bool holdsIndices() const { return m_format && m_format->d3d == D3DDDIFMT_P8; }
  /** Sets the palette of a texture of indices; null: it has none, and is black. */
  void setPalette(const Palette *palette) { m_palette = palette; }
  /** Brings sampled() up to date with the surfaces' current content; cheap if nothing has changed. */
  HRESULT refresh(DeviceObjects &objects);
  /** Generates the levels below the first of a resource with AutogenMipmap. `point`: picks texels instead of averaging
   * them. */
  HRESULT generateLevels(DeviceObjects &objects, bool point);

  Resource *previous = nullptr, *next = nullptr;  // in the device's list

private:
  HRESULT createBuffer(const D3DDDIARG_CREATERESOURCE &args);
  HRESULT createSystem(const D3DDDIARG_CREATERESOURCE &args);
  HRESULT createNull(const D3DDDIARG_CREATERESOURCE &args);
  HRESULT createBitmap(const D3DDDIARG_CREATERESOURCE &args);
  HRESULT createVideo(DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &args);
  HRESULT describe(const DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &args, ImageUse &use, ImageSize &size);
  HRESULT makeShown(DeviceObjects &objects, Surface &surface);
  HRESULT showCopy(DeviceObjects &objects, Surface &surface, const Surface &from, D3DKMT_HANDLE &allocation);
  HRESULT makeTwin(DeviceObjects &objects);
  HRESULT makeColors(DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &video);
  uint32_t writeCount() const;
  HRESULT convert(DeviceObjects &objects);
  HRESULT refreshIndices(DeviceObjects &objects);
  HRESULT writeColors(DeviceObjects &objects, uint32_t index, const uint32_t (&argb)[Palette::kColors]);
  bool makeSurfaces(uint32_t count);
  bool makeImages(uint32_t count);
  /** Sets m_crossesContexts and m_sampled, once the images are made. */
  void noteImages();

  HANDLE m_runtime = nullptr;
  D3DDDI_RESOURCEFLAGS m_flags = {};
  const FormatRow *m_format = nullptr;
  bool m_isBuffer = false, m_isSystemMemory = false, m_isBitmap = false;
  bool m_ofRuntime = false;  // its memory was allocated or opened with m_runtime
  bool m_crossesContexts = false;
  bool m_isConverted = false;      // a texture of video on the device: draws sample m_twin, which has its colours
  uint32_t m_convertedWrites = 0;  // writes of its surfaces when they were converted
  uint32_t m_sampled = 0;
  BufferStore m_buffer;
  uint32_t m_levels = 1;
  uint32_t m_surfaceCount = 0, m_imageCount = 0;
  Surface *m_surfaces = nullptr;
  Image *m_images = nullptr;
  uint32_t m_opaqueView = 0;
  uint32_t m_levelsMade = 0;  // sum of m_surfaces[...].writes when the levels of AutogenMipmap were made
  // For textures in the runtime's memory, and for those of indices: the texture that draws sample instead, and the
  // bytes of the runtime's memory that it was made from.
  Resource *m_twin = nullptr;
  uint8_t *m_twinBytes = nullptr;
  bool m_hasNoTwin = false;
  // For textures of indices: the palette, and that of the twin with its `changes` and the sum of
  // m_surfaces[...].writes.
  const Palette *m_palette = nullptr, *m_coloredBy = nullptr;
  uint32_t m_coloredChanges = 0, m_coloredWrites = 0;
};

/** True for a resource that other contexts see. */
inline bool crosses(const Resource *resource) {
  return resource && resource->crossesContexts();
}

/** Returns the handle by which a draw uses a surface as a target, or samples it alone: the texture, or a view of its
 * part. 0 if it has no image, is in a volume, or if no view could be made. */
uint32_t surfaceView(DeviceObjects &objects, Surface &surface);

}  // namespace aero
