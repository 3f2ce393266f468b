// SPDX-License-Identifier: MIT
// video_texture.cpp: textures of video (UYVY, YUY2), which the device does not sample: a twin has their colours, and is
// made anew by a blit before a draw samples it if the texture was written (docs/abi/blit.md BLIT-15).
#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

/** Makes the twin. `width` and `height` are those of the picture; the image is wider by half a pair of an odd width. */
HRESULT Resource::makeColors(DeviceObjects &objects, uint32_t width, uint32_t height) {
  D3DDDI_SURFACEINFO size = {};
  size.Width = width;
  size.Height = height;
  D3DDDIARG_CREATERESOURCE args = {};
  args.Format = D3DDDIFMT_X8R8G8B8;
  args.Pool = D3DDDIPOOL_VIDEOMEMORY;
  args.pSurfList = &size;
  args.SurfCount = args.MipLevels = 1;
  args.Flags.Texture = 1;
  args.Flags.RenderTarget = 1;
  m_twin = heapCreate<Resource>();
  if (!m_twin) return kOutOfMemory;
  m_convertedWrites = m_surfaces[0].writes - 1;
  const HRESULT result = m_twin->create(objects, args);
  if (!failed(result)) noteImages();
  return result;
}

HRESULT Resource::convert(DeviceObjects &objects) {
  if (m_surfaces[0].writes == m_convertedWrites) return kOk;
  auto *packet = objects.context.append<aerogpu_cmd_ext_blit>(1);
  if (!packet) return objects.context.takeError();
  packet->dst_texture = m_twin->m_images[0].handle;
  packet->src_texture = m_images[0].handle;
  const aerogpu_ext_rect whole = {0, 0, m_twin->m_surfaces[0].width, m_twin->m_surfaces[0].height};
  *Context::elementsOf(packet) = {whole, whole};
  m_convertedWrites = m_surfaces[0].writes;
  return kOk;
}

}  // namespace aero
