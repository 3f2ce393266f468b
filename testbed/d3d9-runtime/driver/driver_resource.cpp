// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/driver/driver_resource.h"

#include <algorithm>
#include <cstring>

#include "testbed/d3d9-runtime/driver/formats.h"

namespace aerogpu::runtime {
namespace {

constexpr UINT64 kMostBytes = 1ull << 31;
/// alignment of rows of system memory, as on Windows: programs that ignore the pitch of 32-bit formats work there.
constexpr UINT kPitchAlignment = 4;
constexpr size_t kImageAlignment = 64;  ///< alignment of the first; levels follow each other without gaps

UINT64 alignUp(UINT64 value, UINT64 alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

UINT levelSize(UINT size, UINT level) {
  return std::max(1u, size >> level);
}

/// Gives the members that are reserved for this kind of resource values as another kind would have them: no driver may
/// do anything by them (page "PFND3DDDI_CREATERESOURCE").
void fillReserved(D3DDDIARG_CREATERESOURCE &argument) {
  const D3DDDI_RESOURCEFLAGS flags = argument.Flags;
  // The page does not name ZBuffer, but nothing else tells the samples of depth.
  if (!flags.RenderTarget && !flags.DecodeRenderTarget && !flags.VideoProcessRenderTarget && !flags.ZBuffer) {
    argument.MultisampleType = D3DDDIMULTISAMPLE_4_SAMPLES;
    argument.MultisampleQuality = 1;
  }
  if (!flags.Texture && !flags.CubeMap && !flags.Volume) argument.MipLevels = 3;
  if (!flags.VertexBuffer) argument.Fvf = D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1;
  if (flags.Primary) return;
  argument.VidPnSourceId = 7;
  argument.RefreshRate = {59, 1};
}

}  // namespace

std::unique_ptr<DriverResource> DriverResource::create(DriverDevice &device, const ResourceDescription &description,
                                                       const SharedDescription *shared, HRESULT &result) {
  std::unique_ptr<DriverResource> resource(new DriverResource(device));
  device.addResource(&resource->m_kernel);
  resource->m_kernel.shared = shared;
  resource->m_kernel.sharedBytes = shared ? sizeof *shared : 0;
  resource->m_kernel.primary = description.flags.Primary;
  result = resource->createAtDriver(description);
  resource->m_kernel.shared = nullptr;
  if (FAILED(result)) return nullptr;
  if (shared && !resource->m_kernel.globalHandle) {
    brokenRule("CreateResource of a shared resource allocated nothing");
    result = D3DERR_NOTAVAILABLE;
    return nullptr;
  }
  return resource;
}

HRESULT DriverResource::createAtDriver(const ResourceDescription &description) {
  FormatLayout layout;
  if (!formatLayout(m_device.adapter(), description.format, layout)) return D3DERR_INVALIDCALL;
  const UINT levels = description.sublevels ? std::max(1u, description.levels) : 1;
  m_subresources = levels * description.layers;

  std::vector<D3DDDI_SURFACEINFO> surfaces(m_subresources);
  std::vector<UINT64> offsets(m_subresources);
  UINT64 total = 0;
  for (UINT i = 0; i < m_subresources; ++i) {
    const UINT level = i % levels;
    D3DDDI_SURFACEINFO &surface = surfaces[i];
    surface.Width = levelSize(description.width, level);
    surface.Height = levelSize(description.height, level);
    surface.Depth = description.flags.Volume ? levelSize(description.depth, level) : 0;
    if (!description.systemMemory) {
      m_videoBytes += description.flags.VertexBuffer || description.flags.IndexBuffer
                          ? description.width
                          : imageBytes(layout, surface.Width, surface.Height, std::max(1u, surface.Depth));
      continue;
    }
    const bool buffer = description.flags.VertexBuffer || description.flags.IndexBuffer;
    const UINT row = buffer ? description.width : rowBytes(layout, surface.Width);
    const UINT64 pitch = buffer || description.userMemory ? row : alignUp(row, kPitchAlignment);
    const UINT64 slice = pitch * (buffer ? 1 : rowCount(layout, surface.Height));
    if (slice > kMostBytes || pitch > kMostBytes) return E_OUTOFMEMORY;
    surface.SysMemPitch = static_cast<UINT>(pitch);
    surface.SysMemSlicePitch = description.flags.Volume ? static_cast<UINT>(slice) : 0;
    if (level == 0) total = alignToFace(total);
    offsets[i] = total;
    total += alignUp(slice * std::max(1u, surface.Depth), kPitchAlignment);
    if (total > kMostBytes) return E_OUTOFMEMORY;
    m_memory.push_back({nullptr, surface.SysMemPitch, static_cast<UINT>(slice)});
  }
  if (description.systemMemory) {
    BYTE *base = static_cast<BYTE *>(description.userMemory);
    if (!base) {
      m_bytes.resize(static_cast<size_t>(total) + kImageAlignment);
      base = m_bytes.data() + (kImageAlignment - reinterpret_cast<UINT_PTR>(m_bytes.data()) % kImageAlignment);
    }
    for (UINT i = 0; i < m_subresources; ++i) {
      m_memory[i].bytes = base + offsets[i];
      surfaces[i].pSysMem = m_memory[i].bytes;
    }
  }

  D3DDDIARG_CREATERESOURCE argument{};
  argument.Format = static_cast<D3DDDIFORMAT>(description.format);
  argument.Pool = description.systemMemory ? D3DDDIPOOL_SYSTEMMEM : D3DDDIPOOL_VIDEOMEMORY;
  argument.MultisampleType = static_cast<D3DDDIMULTISAMPLE_TYPE>(description.multisample);
  argument.MultisampleQuality = description.quality;
  argument.pSurfList = surfaces.data();
  argument.SurfCount = m_subresources;
  argument.MipLevels = description.levels;
  argument.Fvf = description.fvf;
  argument.VidPnSourceId = description.vidPnSource;
  argument.RefreshRate = description.refreshRate;
  argument.hResource = &m_kernel;
  argument.Flags = description.flags;
  argument.Rotation = description.flags.Primary ? D3DDDI_ROTATION_IDENTITY : static_cast<D3DDDI_ROTATION>(0);
  fillReserved(argument);
  const HRESULT result = m_device.call<&D3DDDI_DEVICEFUNCS::pfnCreateResource>(&argument);
  std::memset(static_cast<void *>(surfaces.data()), 0xDB, surfaces.size() * sizeof surfaces[0]);
  if (SUCCEEDED(result)) m_driverHandle = argument.hResource;
  if (SUCCEEDED(result)) m_device.countVideoBytes(static_cast<INT64>(m_videoBytes));
  if (SUCCEEDED(result) && (!m_driverHandle || m_driverHandle == &m_kernel)) {
    brokenRule("CreateResource gave no handle of the driver's");
    m_driverHandle = nullptr;
    return E_OUTOFMEMORY;
  }
  // The runtime asks for what the capabilities promise, so all but buffers can only fail for want of memory (page
  // "PFND3DDDI_CREATERESOURCE"), or because a callback failed.
  const bool buffer = (description.flags.VertexBuffer || description.flags.IndexBuffer) && !description.systemMemory;
  if (FAILED(result) && !buffer && result != E_OUTOFMEMORY && result != m_device.callbackError())
    brokenRule("CreateResource of format 0x%x, flags 0x%x, pool %u gave 0x%08lx",
               static_cast<unsigned>(description.format), description.flags.Value, argument.Pool,
               static_cast<unsigned long>(result));
  return result;
}

std::unique_ptr<DriverResource> DriverResource::open(DriverDevice &device, D3DKMT_HANDLE global,
                                                     SharedDescription &description, HRESULT &result,
                                                     D3DDDI_OPENRESOURCEFLAGS flags) {
  OpenedResource opened;
  result = device.openShared(global, opened);
  if (FAILED(result)) return nullptr;
  description = opened.description;
  std::unique_ptr<DriverResource> resource(new DriverResource(device));
  resource->m_kernel.kernelHandle = opened.kernelHandle;
  resource->m_kernel.globalHandle = global;
  resource->m_subresources = 1;
  device.addResource(&resource->m_kernel);
  D3DDDIARG_OPENRESOURCE argument{};
  argument.NumAllocations = static_cast<UINT>(opened.allocations.size());
  argument.pOpenAllocationInfo = opened.allocations.data();
  argument.hKMResource = opened.kernelHandle;
  argument.pPrivateDriverData = opened.resourceData.empty() ? nullptr : opened.resourceData.data();
  argument.PrivateDriverDataSize = static_cast<UINT>(opened.resourceData.size());
  argument.hResource = &resource->m_kernel;
  argument.Rotation = D3DDDI_ROTATION_IDENTITY;
  argument.Flags = flags;
  result = device.call<&D3DDDI_DEVICEFUNCS::pfnOpenResource>(&argument);
  if (FAILED(result)) return nullptr;
  resource->m_driverHandle = argument.hResource;
  return resource;
}

DriverResource::~DriverResource() {
  if (m_driverHandle) {
    m_device.countVideoBytes(-static_cast<INT64>(m_videoBytes));
    m_device.call<&D3DDDI_DEVICEFUNCS::pfnDestroyResource>(m_driverHandle);
    if (m_kernel.kernelHandle) brokenRule("DestroyResource left the allocations of the resource");
  }
  m_device.closeResource(m_kernel);
  m_device.removeResource(&m_kernel);
  // A driver that still reads it gets garbage.
  std::fill(m_bytes.begin(), m_bytes.end(), BYTE{0xDB});
}

HRESULT DriverResource::lock(D3DDDIARG_LOCK &argument) const {
  argument.hResource = m_driverHandle;
  argument.pSurfData = nullptr;
  const HRESULT result = m_device.call<&D3DDDI_DEVICEFUNCS::pfnLock, Results::Lock>(&argument);
  if (SUCCEEDED(result) && !argument.Flags.NotifyOnly && !argument.pSurfData) {
    brokenRule("Lock gave no pointer");
    return E_OUTOFMEMORY;
  }
  return result;
}

HRESULT DriverResource::unlock(UINT subresource, bool notifyOnly) const {
  D3DDDIARG_UNLOCK argument{};
  argument.hResource = m_driverHandle;
  argument.SubResourceIndex = subresource;
  argument.Flags.NotifyOnly = notifyOnly;
  return m_device.call<&D3DDDI_DEVICEFUNCS::pfnUnlock, Results::Lock>(&argument);
}

HRESULT DriverResource::notifyLock(D3DDDI_LOCKFLAGS flags) const {
  D3DDDIARG_LOCK argument{};
  argument.Flags = flags;
  argument.Flags.NotifyOnly = 1;
  return lock(argument);
}

}  // namespace aerogpu::runtime
