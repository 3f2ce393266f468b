// SPDX-License-Identifier: MIT
// video_texture.cpp: textures of video (UYVY, YUY2), which the device does not sample: a twin has their colours, and is
// made anew by a blit before a draw samples it if the texture was written (docs/abi/blit.md BLIT-15).
#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

/** Makes the twin, in the picture's sizes; an image is wider by half a pair of an odd width. */
HRESULT Resource::makeColors(DeviceObjects &objects, const D3DDDIARG_CREATERESOURCE &video) {
  D3DDDI_SURFACEINFO sizes[kMaxAllocations] = {};
  for (uint32_t i = 0; i < m_surfaceCount; i++) {
    sizes[i].Width = video.pSurfList[i].Width;
    sizes[i].Height = video.pSurfList[i].Height;
  }
  D3DDDIARG_CREATERESOURCE args = {};
  args.Format = D3DDDIFMT_X8R8G8B8;
  args.Pool = D3DDDIPOOL_VIDEOMEMORY;
  args.pSurfList = sizes;
  args.SurfCount = args.MipLevels = m_surfaceCount;
  args.Flags.Texture = 1;
  args.Flags.RenderTarget = 1;
  m_twin = heapCreate<Resource>();
  if (!m_twin) return kOutOfMemory;
  m_convertedWrites = writeCount() - 1;
  const HRESULT result = m_twin->create(objects, args);
  if (!failed(result)) noteImages();
  return result;
}

uint32_t Resource::writeCount() const {
  uint32_t count = 0;
  for (uint32_t i = 0; i < m_surfaceCount; i++) count += m_surfaces[i].writes;
  return count;
}

HRESULT Resource::convert(DeviceObjects &objects) {
  const uint32_t writes = writeCount();
  if (writes == m_convertedWrites) return kOk;
  for (uint32_t i = 0; i < m_surfaceCount; i++) {
    auto *packet = objects.context.append<aerogpu_cmd_ext_blit>(1);
    if (!packet) return objects.context.takeError();
    packet->dst_texture = m_twin->m_images[0].handle;
    packet->dst_mip_level = i;
    packet->src_texture = m_images[i].handle;
    const aerogpu_ext_rect whole = {0, 0, m_twin->m_surfaces[i].width, m_twin->m_surfaces[i].height};
    *Context::elementsOf(packet) = {whole, whole};
  }
  m_convertedWrites = writes;
  return kOk;
}

}  // namespace aero
