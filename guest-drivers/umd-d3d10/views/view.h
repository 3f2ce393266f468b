// SPDX-License-Identifier: MIT
// view.h: a view for shaders, or as a target, in the runtime's memory: a range of a texture's levels and layers (as a
// target: of a volume's slices), maybe in another format of the family; or texels of a buffer. The device's view object
// of a texture is made when it is first needed, and again after the resource's identity has changed.
#pragma once

#include "guest-drivers/umd-d3d10/resources/resource.h"

namespace aero {

class View {
public:
  template <class Handle> static View *from(Handle handle) { return static_cast<View *>(handle.pDrvPrivate); }

  HRESULT create(DeviceObjects &objects, const D3D11DDIARG_CREATESHADERRESOURCEVIEW &args);
  HRESULT create(DeviceObjects &objects, const D3D10DDIARG_CREATERENDERTARGETVIEW &args);
  HRESULT create(DeviceObjects &objects, const D3D11DDIARG_CREATEDEPTHSTENCILVIEW &args);
  void destroy(DeviceObjects &objects) { objects.destroy<aerogpu_cmd_destroy_texture_view>(m_view); }

  Resource &resource() const { return *m_resource; }
  const FormatRow &format() const { return *m_format; }
  uint32_t level() const { return m_level; }
  uint32_t layer() const { return m_layer; }
  uint32_t layers() const { return m_layers; }
  bool isAll() const { return m_isAll; }  // all levels and layers
  /** Returns the part of a buffer that it shows. */
  aerogpu_shader_resource_buffer_binding buffer() const;
  /** Returns the handle by which the device knows it: the texture's, or that of a view, which this makes. 0 on failure;
   * the context's error says why. */
  uint32_t handle(DeviceObjects &objects);

private:
  struct Range {
    UINT level, levels, layer, layers;
  };
  HRESULT set(DeviceObjects &objects, D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, const Range &range,
              bool isTarget);
  HRESULT setBuffer(DeviceObjects &objects, DXGI_FORMAT format, UINT first, UINT count);

  Resource *m_resource = nullptr;
  const FormatRow *m_format = nullptr;
  uint32_t m_level = 0, m_levels = 1, m_layer = 0, m_layers = 1;
  bool m_isAll = false;
  uint32_t m_view = 0, m_generation = 0;
  uint32_t m_firstByte = 0, m_bytes = 0;  // of a buffer
};

/** Clear all of a view, whatever is bound and set. `flags`: D3D10_DDI_CLEAR_*. */
HRESULT clearColor(DeviceObjects &objects, View &view, const FLOAT *color);
HRESULT clearDepthStencil(DeviceObjects &objects, View &view, UINT flags, FLOAT depth, UINT8 stencil);

}  // namespace aero
