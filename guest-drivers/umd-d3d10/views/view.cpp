// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/views/view.h"

namespace aero {
namespace {

constexpr UINT kMostCubes = 85;  // of 512 layers

}  // namespace

HRESULT View::set(DeviceObjects &objects, D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, const Range &range,
                  bool isTarget) {
  m_resource = Resource::from(resource);
  if (m_resource->isBuffer()) return kNotAvailable;
  m_format = objects.formats.find(format);
  if (!m_format || !m_resource->canShow(*m_format)) return kNotAvailable;
  const TextureLayout &layout = m_resource->layout();
  m_level = range.level;
  m_layer = range.layer;
  if (m_level >= layout.levels()) return kInvalidArgument;
  const bool slices = isTarget && m_resource->isVolume();
  const uint32_t layers = slices ? layout.level(m_level).depth : layout.layers();
  if (m_layer >= layers) return kInvalidArgument;
  m_levels = range.levels < layout.levels() - m_level ? range.levels : layout.levels() - m_level;
  m_layers = range.layers < layers - m_layer ? range.layers : layers - m_layer;
  if (!m_levels || !m_layers) return kInvalidArgument;
  // A texture that is a target without a view is its first layer (LAYER-1).
  m_isAll = !slices && m_levels == layout.levels() && m_layers == layout.layers() && (!isTarget || m_layers == 1);
  return kOk;
}

HRESULT View::setBuffer(DeviceObjects &objects, DXGI_FORMAT format, UINT first, UINT count) {
  if (!m_resource->isBuffer() || !objects.formats.hasShapes()) return kNotAvailable;
  m_format = objects.formats.find(format);
  if (!m_format || !objects.formats.hasBuffers(*m_format)) return kNotAvailable;
  const uint64_t texel = m_format->blockBytes, begin = first * texel, bytes = count * texel;
  if (!count || begin + bytes > m_resource->bytes()) return kInvalidArgument;
  m_firstByte = static_cast<uint32_t>(begin);
  m_bytes = static_cast<uint32_t>(bytes);
  return kOk;
}

aerogpu_shader_resource_buffer_binding View::buffer() const {
  return {m_resource->identity.handle, m_firstByte, m_bytes, m_format->view()};
}

HRESULT View::create(DeviceObjects &objects, const D3D11DDIARG_CREATESHADERRESOURCEVIEW &args) {
  Range range;
  m_resource = Resource::from(args.hDrvResource);
  if (args.ResourceDimension == D3D10DDIRESOURCE_BUFFER)
    return setBuffer(objects, args.Format, args.Buffer.FirstElement, args.Buffer.NumElements);
  if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE1D) {
    range = {args.Tex1D.MostDetailedMip, args.Tex1D.MipLevels, args.Tex1D.FirstArraySlice, args.Tex1D.ArraySize};
  } else if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE3D) {
    range = {args.Tex3D.MostDetailedMip, args.Tex3D.MipLevels, 0, 1};
  } else if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D) {
    range = {args.Tex2D.MostDetailedMip, args.Tex2D.MipLevels, args.Tex2D.FirstArraySlice, args.Tex2D.ArraySize};
  } else if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURECUBE) {
    range = {args.TexCube.MostDetailedMip, args.TexCube.MipLevels, args.TexCube.First2DArrayFace,
             args.TexCube.NumCubes < kMostCubes ? args.TexCube.NumCubes * 6 : kMostCubes * 6};
  } else {
    return kNotAvailable;
  }
  const HRESULT result = set(objects, args.hDrvResource, args.Format, range, false);
  return failed(result) || !m_format->isDepth ? result : kNotAvailable;
}

HRESULT View::create(DeviceObjects &objects, const D3D10DDIARG_CREATERENDERTARGETVIEW &args) {
  Range range;
  if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURECUBE)
    range = {args.TexCube.MipSlice, 1, args.TexCube.FirstArraySlice, args.TexCube.ArraySize};
  else if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D)
    range = {args.Tex2D.MipSlice, 1, args.Tex2D.FirstArraySlice, args.Tex2D.ArraySize};
  else if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE3D)
    range = {args.Tex3D.MipSlice, 1, args.Tex3D.FirstW, args.Tex3D.WSize};
  else if (args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE1D)
    range = {args.Tex1D.MipSlice, 1, args.Tex1D.FirstArraySlice, args.Tex1D.ArraySize};
  else
    return kNotAvailable;
  const HRESULT result = set(objects, args.hDrvResource, args.Format, range, true);
  const bool isColor = !m_resource->isBuffer() && !m_resource->format().isDepth;
  return failed(result) || (isColor && m_format->block == 1) ? result : kNotAvailable;
}

HRESULT View::create(DeviceObjects &objects, const D3D11DDIARG_CREATEDEPTHSTENCILVIEW &args) {
  const bool isCube = args.ResourceDimension == D3D10DDIRESOURCE_TEXTURECUBE;
  if (args.ResourceDimension != D3D10DDIRESOURCE_TEXTURE2D && !isCube) return kNotAvailable;
  const Range range = isCube ? Range{args.TexCube.MipSlice, 1, args.TexCube.FirstArraySlice, args.TexCube.ArraySize}
                             : Range{args.Tex2D.MipSlice, 1, args.Tex2D.FirstArraySlice, args.Tex2D.ArraySize};
  if (args.Flags) return kNotAvailable;
  const HRESULT result = set(objects, args.hDrvResource, args.Format, range, true);
  return failed(result) || m_format->isDepth ? result : kNotAvailable;
}

uint32_t View::handle(DeviceObjects &objects) {
  if (m_isAll && m_format->view() == m_resource->deviceFormat()) return m_resource->identity.handle;
  if (m_view && m_generation == m_resource->generation) return m_view;
  destroy(objects);
  m_view = objects.take();
  if (!m_view) return 0;
  m_generation = m_resource->generation;
  aerogpu_cmd_create_texture_view create = {};
  create.view_handle = m_view;
  create.texture_handle = m_resource->identity.handle;
  create.format = m_format->view();
  create.base_mip_level = m_level;
  create.mip_level_count = m_levels;
  create.base_array_layer = m_layer;
  create.array_layer_count = m_layers;
  if (objects.context.send(create)) return m_view;
  objects.handles.give(m_view);
  m_view = 0;
  return 0;
}

namespace {

/** Appends the fill of the view's layer or slice of that number. */
aerogpu_cmd_ext_fill *fill(DeviceObjects &objects, View &view, uint32_t layer) {
  if (!touch(objects.context, sizeof(aerogpu_cmd_ext_fill), view.resource())) return nullptr;
  auto *packet = objects.context.appendFitting<aerogpu_cmd_ext_fill>();
  packet->texture = view.resource().identity.handle;
  packet->mip_level = view.level();
  packet->array_layer = view.layer() + layer;
  return packet;
}

}  // namespace

HRESULT clearColor(DeviceObjects &objects, View &view, const FLOAT *color) {
  // By the view's format, which may be another one of the texture's family.
  const uint32_t handle = view.handle(objects);
  for (uint32_t i = 0; i < view.layers(); i++) {
    auto *packet = handle ? fill(objects, view, i) : nullptr;
    if (!packet) return objects.context.result(false);
    packet->texture = handle;
    packet->mip_level = 0;
    packet->array_layer = i;
    packet->flags = AEROGPU_EXT_FILL_COLOR;
    memcpy(packet->color_rgba_f32, color, sizeof packet->color_rgba_f32);
  }
  return kOk;
}

HRESULT clearDepthStencil(DeviceObjects &objects, View &view, UINT flags, FLOAT depth, UINT8 stencil) {
  uint32_t planes = 0;
  if (flags & D3D10_DDI_CLEAR_DEPTH) planes |= AEROGPU_EXT_FILL_DEPTH;
  if (flags & D3D10_DDI_CLEAR_STENCIL && view.format().hasStencil) planes |= AEROGPU_EXT_FILL_STENCIL;
  if (!planes) return kOk;
  for (uint32_t i = 0; i < view.layers(); i++) {
    auto *packet = fill(objects, view, i);
    if (!packet) return objects.context.result(false);
    packet->flags = planes;
    memcpy(&packet->depth_f32, &depth, sizeof depth);
    packet->stencil = stencil;
  }
  return kOk;
}

}  // namespace aero
