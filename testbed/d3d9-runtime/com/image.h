// SPDX-License-Identifier: MIT
// The memory of textures and surfaces: a resource at the driver in video memory, one over system memory, or both
// (managed), and the locks of their subresources. Under the device's lock.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/driver/driver_resource.h"
#include "testbed/d3d9-runtime/driver/formats.h"

namespace aerogpu::runtime {

class Device;

struct ImageDescription {
  D3DRESOURCETYPE type = D3DRTYPE_SURFACE;
  D3DFORMAT format = D3DFMT_UNKNOWN;
  UINT width = 0, height = 0, depth = 1;
  UINT levels = 1;  ///< 0: the full chain; with D3DUSAGE_AUTOGENMIPMAP the program sees one level
  UINT layers = 1;  ///< 6 for cubes; for a swap chain the number of buffers
  DWORD usage = 0;
  D3DPOOL pool = D3DPOOL_DEFAULT;
  D3DMULTISAMPLE_TYPE multisample = D3DMULTISAMPLE_NONE;
  DWORD quality = 0;
  bool lockable = false;  ///< for render targets and depth stencils
  bool discard = false;   ///< a present may discard the content
  bool chain = false;     ///< the buffers of a swap chain
  bool primary = false;   ///< can be scanned out
  bool implicit = false;  ///< made by the device for itself: Reset does not count it
  bool video = false;     ///< holds frames of a video (D3DPRESENTFLAG_VIDEO)
  bool gdiMode = false;   ///< a primary like GDI's: same size, format and refresh rate
  D3DDDI_RATIONAL refreshRate{};
  void *userMemory = nullptr;
};

class Image {
public:
  /// Makes the resources. `shared` as the API's pSharedHandle: a null handle is filled in, another one is opened.
  static std::shared_ptr<Image> create(Device &device, const ImageDescription &description, HANDLE *shared,
                                       HRESULT &result);
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  Device &device() const { return m_device; }
  const ImageDescription &description() const { return m_description; }
  UINT levels() const { return m_description.levels; }
  UINT width(UINT level) const;
  UINT height(UINT level) const;
  UINT depth(UINT level) const;
  UINT level(UINT subresource) const { return m_description.chain ? 0 : subresource % m_description.levels; }

  /// Returns the handle for bindings and transfers: the video resource, or the one over system memory. Null for
  /// D3DPOOL_SCRATCH.
  HANDLE handle() const;
  /// Returns the resource over system memory, which managed and system memory images have.
  const DriverResource *system() const { return m_system.get(); }

  /// Locks a subresource as LockRect and LockBox do. `box` null: all of it.
  HRESULT lock(UINT subresource, const D3DBOX *box, DWORD flags, D3DLOCKED_BOX &out);
  HRESULT unlock(UINT subresource);
  bool isLocked(UINT subresource) const { return m_locks[subresource].locked; }
  bool isAnyLocked() const;
  /// Notes whether the program holds a device context for the image: then no subresource can be locked.
  void setHasDc(bool has) { m_hasDc = has; }
  /// Record the written part as boxes of level 0 of a face (layer): all, or a box inside.
  void markDirty();
  void markDirty(UINT layer);
  HRESULT markDirty(UINT layer, const D3DBOX &box);
  std::vector<D3DBOX> takeDirty(UINT layer) { return std::exchange(m_dirty[layer], {}); }
  /// Copies the written parts of a managed image to video memory.
  HRESULT upload();
  /// Called after level 0 of a D3DUSAGE_AUTOGENMIPMAP image changed.
  HRESULT generateLevels(D3DTEXTUREFILTERTYPE filter);

private:
  struct LockState {
    bool locked = false, notify = false;
  };

  Image(Device &device, const ImageDescription &description) : m_device(device), m_description(description) {}
  HRESULT createResources(HANDLE *shared);
  HRESULT openShared(HANDLE handle);
  bool isLockable() const;

  Device &m_device;
  ImageDescription m_description;
  std::unique_ptr<DriverResource> m_video, m_system;
  std::vector<BYTE> m_scratch;           ///< D3DPOOL_SCRATCH: the driver does not know of it
  std::vector<size_t> m_scratchOffsets;  ///< by subresource
  std::vector<LockState> m_locks;
  std::vector<std::vector<D3DBOX>> m_dirty;  ///< by layer
  UINT m_evictions = 0;                      ///< the device's count when this was uploaded
  bool m_counted = false;                    ///< counted in the default pool, where a Reset refuses it
  bool m_hasDc = false;
};

/// Copies a box of level 0 of a layer, and the matching boxes of lower levels, from the system memory of `from`.
HRESULT transferLevels(DriverDevice &driver, const Image &from, const Image &to, UINT layer, const D3DBOX &box);

/// Returns the D3DBOX of a rectangle.
D3DBOX boxOf(const RECT &rect);

}  // namespace aerogpu::runtime
