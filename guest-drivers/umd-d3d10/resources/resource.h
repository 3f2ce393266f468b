// SPDX-License-Identifier: MIT
// resource.h: a buffer or texture, in the runtime's memory. A texture or buffer that the GPU uses is an object of the
// device without guest memory; a staging texture is guest memory alone. Programs write dynamic resources in the
// process' heap, and unmapping sends the bytes: no map of them waits.
#pragma once

#include "guest-drivers/umd-common/base/texture_layout.h"
#include "guest-drivers/umd-d3d10/submit/device_objects.h"

namespace aero {

/** What RotateResourceIdentities moves from resource to resource. */
struct Identity {
  uint32_t handle = 0;  // on the device
  Allocation memory;
  HANDLE owner = nullptr;        // the runtime's resource that frees the memory; null: its handle does
  bool isOpened = false;         // another device's memory, which is not freed here
  bool crossesContexts = false;  // shared or scanned out: every batch that touches it lists its memory
};

class Resource {
public:
  static Resource *from(D3D10DDI_HRESOURCE handle) { return static_cast<Resource *>(handle.pDrvPrivate); }
  static Resource *from(DXGI_DDI_HRESOURCE handle) { return reinterpret_cast<Resource *>(handle); }

  // create.cpp
  HRESULT create(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args, D3D10DDI_HRTRESOURCE runtime);
  HRESULT open(DeviceObjects &objects, const D3D10DDIARG_OPENRESOURCE &args);
  /** Frees all that it has, also after a creation that failed. */
  void destroy(DeviceObjects &objects);

  bool isBuffer() const { return !m_format; }
  bool isStaging() const { return m_usage == D3D10_DDI_USAGE_STAGING; }
  /** True if it lies in guest memory alone. */
  bool isMemory() const { return isStaging() && !isBuffer(); }
  bool isDynamic() const { return m_usage == D3D10_DDI_USAGE_DYNAMIC; }
  bool isCube() const { return m_isCube; }
  bool isVolume() const { return m_layout.isVolume(); }
  bool isRow() const { return m_isRow; }  // 1D, or an array of them
  const FormatRow &format() const { return *m_format; }
  /** Returns enum aerogpu_format of a texture. */
  uint32_t deviceFormat() const { return m_isShown ? m_format->shared() : m_format->texture(); }
  /** True if a view can show the texture in that format. */
  bool canShow(const FormatRow &view) const;
  const TextureLayout &layout() const { return m_layout; }
  uint32_t bytes() const { return m_bytes; }  // of a buffer
  uint32_t samples() const { return m_samples; }
  uint32_t subresources() const { return isBuffer() ? 1 : m_layout.levels() * m_layout.layers(); }
  uint32_t levelOf(uint32_t subresource) const { return subresource % m_layout.levels(); }
  uint32_t layerOf(uint32_t subresource) const { return subresource / m_layout.levels(); }
  /** Returns where a subresource lies in its memory or copy. */
  uint64_t offsetOf(uint32_t subresource) const {
    return isBuffer() ? 0 : m_layout.offset(levelOf(subresource), layerOf(subresource));
  }

  Identity identity;
  uint32_t generation = 0;  // changes with the identity

  /** What programs have mapped (map.cpp). */
  struct Maps {
    uint32_t count = 0;
    bool writes = false, promises = false;  // a map for writing; NO_OVERWRITE
    void *locked = nullptr;                 // guest memory
    uint8_t *copy = nullptr;                // the bytes of a dynamic resource, in the heap
    uint8_t *sent = nullptr;                // those that the device has; null: never mapped with NO_OVERWRITE
  } maps;

private:
  HRESULT createBuffer(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args);
  HRESULT createTexture(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args, D3D10DDI_HRTRESOURCE runtime);
  HRESULT describe(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args);
  HRESULT allocateStaging(DeviceObjects &objects, uint64_t bytes);
  HRESULT allocateShown(DeviceObjects &objects, const D3D11DDIARG_CREATERESOURCE &args, D3D10DDI_HRTRESOURCE runtime);
  HRESULT makeTexture(DeviceObjects &objects, uint32_t usage);
  HRESULT import(DeviceObjects &objects);
  HRESULT fill(DeviceObjects &objects, const D3D10_DDIARG_SUBRESOURCE_UP *data);

  const FormatRow *m_format = nullptr;  // null: a buffer
  TextureLayout m_layout;
  uint32_t m_bytes = 0;
  uint32_t m_usage = D3D10_DDI_USAGE_DEFAULT;
  uint32_t m_samples = 1;
  bool m_isCube = false, m_isRow = false;
  bool m_isShown = false;  // others know it, by Direct3D 9's number of its format
};

/** Makes room for `bytes` of packets that touch resources, and lists those that cross contexts. */
bool touch(Context &context, size_t bytes, Resource &written, Resource *read = nullptr);

}  // namespace aero
