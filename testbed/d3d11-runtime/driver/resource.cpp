// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/resource.h"

#include <algorithm>
#include <utility>

#include "testbed/d3d11-runtime/formats/formats.h"

namespace aerogpu::runtime11 {
namespace {

constexpr UINT kSharing = D3D11_RESOURCE_MISC_SHARED | D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX;
constexpr UINT64 kMostLent = 1u << 22;  // bytes of the program's data that are copied, to be poisoned afterwards

UINT bindFlags(const ResourceDescription &d) {
  UINT flags = d.bind & D3D10_DDI_BIND_PIPELINE_MASK;
  if (d.bind & D3D11_BIND_UNORDERED_ACCESS) flags |= D3D11_DDI_BIND_UNORDERED_ACCESS;
  if (d.present) flags |= D3D10_DDI_BIND_PRESENT;
  return flags;
}

UINT mapFlags(UINT access) {
  return (access & D3D11_CPU_ACCESS_WRITE ? UINT{D3D10_DDI_CPU_ACCESS_WRITE} : 0) |
         (access & D3D11_CPU_ACCESS_READ ? UINT{D3D10_DDI_CPU_ACCESS_READ} : 0);
}

UINT miscFlags(UINT misc) {
  constexpr UINT kSame = D3D11_RESOURCE_MISC_GENERATE_MIPS | D3D11_RESOURCE_MISC_SHARED |
                         D3D11_RESOURCE_MISC_DRAWINDIRECT_ARGS | D3D11_RESOURCE_MISC_BUFFER_ALLOW_RAW_VIEWS |
                         D3D11_RESOURCE_MISC_BUFFER_STRUCTURED | D3D11_RESOURCE_MISC_RESOURCE_CLAMP;
  // The other ways to share are the runtime's and the kernel's: the driver sees that others have the resource.
  return (misc & kSame) | (misc & kSharing ? UINT{D3D10_DDI_RESOURCE_MISC_SHARED} : 0);
}

D3D10DDIRESOURCE_TYPE dimensionOf(const ResourceDescription &d) {
  if (d.misc & D3D11_RESOURCE_MISC_TEXTURECUBE) return D3D10DDIRESOURCE_TEXTURECUBE;
  return static_cast<D3D10DDIRESOURCE_TYPE>(d.dimension - D3D11_RESOURCE_DIMENSION_BUFFER + D3D10DDIRESOURCE_BUFFER);
}

/// Returns the bytes of a box of `format`, whose rows and slices lie `rowPitch` and `depthPitch` apart.
UINT64 bytesOf(const FormatInfo &format, UINT width, UINT height, UINT depth, UINT rowPitch, UINT depthPitch) {
  const UINT64 row = UINT64{blocksOf(format, width)} * format.blockBytes;
  return UINT64{depthPitch} * (depth - 1) + UINT64{rowPitch} * (blocksOf(format, height) - 1) + row;
}

runtime::SharedDescription describeShared(const ResourceDescription &d) {
  runtime::SharedDescription out{};
  out.size = sizeof out;
  out.version = runtime::kSharedVersion;
  out.type = D3DRTYPE_TEXTURE;
  // A texture that has its mutex to be used is none for Direct3D 9, which has no such thing.
  if (d.misc & D3D11_RESOURCE_MISC_SHARED && d.slices == 1) out.format = runtime::sharedD3dFormat(d.format);
  out.width = d.width;
  out.height = d.height;
  out.usage = d.bind & D3D11_BIND_RENDER_TARGET ? D3DUSAGE_RENDERTARGET : 0;
  out.dxgiFormat = d.format;
  out.bind = d.bind;
  out.misc = d.misc;
  return out;
}

DXGI_DDI_PRIMARY_DESC describePrimary(const DXGI_MODE_DESC &mode, UINT vidPnSource) {
  DXGI_DDI_PRIMARY_DESC out{};
  out.VidPnSourceId = vidPnSource;
  out.ModeDesc.Width = mode.Width;
  out.ModeDesc.Height = mode.Height;
  out.ModeDesc.Format = mode.Format;
  out.ModeDesc.RefreshRate = {mode.RefreshRate.Numerator, mode.RefreshRate.Denominator};
  out.ModeDesc.ScanlineOrdering = DXGI_DDI_MODE_SCANLINE_ORDER_PROGRESSIVE;
  out.ModeDesc.Rotation = DXGI_DDI_MODE_ROTATION_IDENTITY;
  return out;
}

}  // namespace

DriverResource::DriverResource(DriverDevice &device) : m_kernel(device), m_object(device) {}

HRESULT DriverResource::create(const ResourceDescription &d, const D3D11_SUBRESOURCE_DATA *initial) {
  const bool isShared = d.misc & kSharing;
  runtime::SharedDescription shared = isShared ? describeShared(d) : runtime::SharedDescription{};
  if (d.misc & D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX) {
    m_keyedMutex = std::make_unique<KeyedMutex>(m_object.device());
    if (const HRESULT made = m_keyedMutex->create(); FAILED(made)) return made;
    shared.keyedMutex = m_keyedMutex->globalHandle();
  }
  m_kernel->shared = isShared ? &shared : nullptr;
  m_kernel->sharedBytes = isShared ? sizeof shared : 0;
  m_kernel->primary = d.scanOut != nullptr;
  const HRESULT result = createAtDriver(d, initial);
  m_kernel->shared = nullptr;
  if (FAILED(result) || !isShared || m_kernel->globalHandle) return result;
  runtime::brokenRule("CreateResource of a shared resource allocated nothing");
  return E_OUTOFMEMORY;
}

HRESULT DriverResource::createAtDriver(const ResourceDescription &d, const D3D11_SUBRESOURCE_DATA *initial) {
  m_description = d;
  m_description.scanOut = nullptr;  // the caller's
  m_mapped.assign(subresources(), 0);
  const bool buffer = d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER;
  const FormatInfo format = buffer ? FormatInfo{1, 1, 0, 0} : formatInfo(d.format);
  std::vector<D3D10DDI_MIPINFO> levels(d.levels);
  for (UINT i = 0; i < d.levels; ++i) {
    D3D10DDI_MIPINFO &level = levels[i];
    level.TexelWidth = levelSize(d.width, i);
    level.TexelHeight = levelSize(d.height, i);
    level.TexelDepth = levelSize(d.depth, i);
    level.PhysicalWidth = blocksOf(format, level.TexelWidth) * format.blockSize;
    level.PhysicalHeight = blocksOf(format, level.TexelHeight) * format.blockSize;
    level.PhysicalDepth = level.TexelDepth;
  }
  // The program's memory is copied if it is small, so that a driver that reads it later gets garbage.
  std::vector<D3D10_DDIARG_SUBRESOURCE_UP> data;
  std::vector<std::unique_ptr<Lent<BYTE>>> copies;
  for (UINT i = 0; initial && i < subresources(); ++i) {
    const D3D10DDI_MIPINFO &level = levels[i % d.levels];
    D3D10_DDIARG_SUBRESOURCE_UP entry{const_cast<void *>(initial[i].pSysMem), initial[i].SysMemPitch,
                                      initial[i].SysMemSlicePitch};
    const UINT64 bytes = bytesOf(format, level.TexelWidth, level.TexelHeight, level.TexelDepth, entry.SysMemPitch,
                                 entry.SysMemSlicePitch);
    if (bytes <= kMostLent) {
      copies.push_back(
          std::make_unique<Lent<BYTE>>(static_cast<const BYTE *>(entry.pSysMem), static_cast<size_t>(bytes)));
      entry.pSysMem = copies.back()->data();
    }
    data.push_back(entry);
  }
  Lent<D3D10DDI_MIPINFO> lentLevels(levels);
  Lent<D3D10_DDIARG_SUBRESOURCE_UP> lentData(data);
  D3D11DDIARG_CREATERESOURCE argument{};
  argument.pMipInfoList = lentLevels.data();
  argument.pInitialDataUP = lentData.data();
  argument.ResourceDimension = dimensionOf(d);
  argument.Usage = d.usage;
  argument.BindFlags = bindFlags(d);
  argument.MapFlags = mapFlags(d.cpuAccess);
  argument.MiscFlags = miscFlags(d.misc);
  argument.Format = d.format;
  argument.SampleDesc = d.samples;
  argument.MipLevels = d.levels;
  argument.ArraySize = d.slices;
  argument.ByteStride = d.misc & D3D11_RESOURCE_MISC_BUFFER_STRUCTURED ? d.stride : 0;
  if (!d.scanOut) return passToDriver<Errors::OutOfMemory>(argument);
  Lent<DXGI_DDI_PRIMARY_DESC> primary(
      describePrimary(*d.scanOut, m_object.device().adapter().kernelAdapter().vidPnSource()));
  argument.pPrimaryDesc = primary.data();
  const HRESULT result = passToDriver<Errors::Primary>(argument);
  const UINT answer = (*primary).DriverFlags;
  // Page DXGI_DDI_PRIMARY_DESC: both or none.
  if ((answer == DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT) != (result == DXGI_DDI_ERR_UNSUPPORTED) ||
      (answer & ~DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT))
    runtime::brokenRule("CreateResource of a primary gave 0x%08lx and driver flags 0x%x",
                        static_cast<unsigned long>(result), answer);
  return result;
}

template <Errors kErrors> HRESULT DriverResource::passToDriver(const D3D11DDIARG_CREATERESOURCE &argument) {
  if (m_object.device().shape() == Shape::Eleven) {
    Lent<D3D11DDIARG_CREATERESOURCE> lent(argument);
    return m_object.createFor<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateResourceSize,
                              &D3D11DDI_DEVICEFUNCS::pfnCreateResource, kErrors>(
        m_kernel.handle(), static_cast<const D3D11DDIARG_CREATERESOURCE *>(lent.data()));
  }
  D3D10DDIARG_CREATERESOURCE ten;
  std::memcpy(static_cast<void *>(&ten), &argument, sizeof ten);  // all but the last member are the same
  Lent<D3D10DDIARG_CREATERESOURCE> lent(ten);
  return m_object
      .createFor<&D3D10DDI_DEVICEFUNCS::pfnCalcPrivateResourceSize, &D3D10DDI_DEVICEFUNCS::pfnCreateResource, kErrors>(
          m_kernel.handle(), static_cast<const D3D10DDIARG_CREATERESOURCE *>(lent.data()));
}

HRESULT DriverResource::open(D3DKMT_HANDLE global) {
  DriverDevice &device = m_object.device();
  runtime::OpenedResource opened;
  HRESULT result = device.openShared(global, opened);
  if (FAILED(result)) return result;
  m_kernel->kernelHandle = opened.kernelHandle;
  m_kernel->globalHandle = global;
  m_kernel.isOpened = true;
  const runtime::SharedDescription &shared = opened.description;
  if (shared.size != sizeof shared || shared.version != runtime::kSharedVersion || !shared.dxgiFormat) {
    runtime::logLine("shared handle 0x%08x: Direct3D 10 and 11 open no resource of type %u and format %u", global,
                     shared.type, shared.format);
    return E_INVALIDARG;
  }
  if (shared.keyedMutex) {
    m_keyedMutex = std::make_unique<KeyedMutex>(device);
    result = m_keyedMutex->open(shared.keyedMutex);
    if (FAILED(result)) return result;
  }
  ResourceDescription &d = m_description;
  d.dimension = D3D11_RESOURCE_DIMENSION_TEXTURE2D;
  d.width = shared.width;
  d.height = shared.height;
  d.format = static_cast<DXGI_FORMAT>(shared.dxgiFormat);
  d.bind = shared.bind;
  d.misc = shared.misc;
  if (!d.misc) {  // of Direct3D 9, whose textures are all for shaders
    d.misc = D3D11_RESOURCE_MISC_SHARED;
    d.bind = (shared.type == D3DRTYPE_TEXTURE ? UINT{D3D11_BIND_SHADER_RESOURCE} : 0) |
             (shared.usage & D3DUSAGE_RENDERTARGET ? UINT{D3D11_BIND_RENDER_TARGET} : 0);
  }
  m_mapped.assign(subresources(), 0);
  Lent<BYTE> allocationData(opened.allocationData), resourceData(opened.resourceData);
  const auto moved = [&](void *data) {  // from the kernel side's answer to the copy of it
    return data ? allocationData.data() + (static_cast<BYTE *>(data) - opened.allocationData.data()) : nullptr;
  };
  Lent<D3DDDI_OPENALLOCATIONINFO> allocations(opened.allocations);
  for (UINT i = 0; i < allocations.count(); ++i) {
    D3DDDI_OPENALLOCATIONINFO &info = allocations.data()[i];
    info.pPrivateDriverData = moved(const_cast<void *>(info.pPrivateDriverData));
  }
  D3D10DDIARG_OPENRESOURCE argument{};
  argument.NumAllocations = allocations.count();
  argument.pOpenAllocationInfo = allocations.data();
  argument.hKMResource.handle = opened.kernelHandle;
  argument.pPrivateDriverData = resourceData.data();
  argument.PrivateDriverDataSize = resourceData.count();
  Lent<D3D10DDIARG_OPENRESOURCE> lent(argument);
  return m_object.createFor<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateOpenedResourceSize,
                            &D3D11DDI_DEVICEFUNCS::pfnOpenResource, Errors::OutOfMemory>(
      m_kernel.handle(), static_cast<const D3D10DDIARG_OPENRESOURCE *>(lent.data()));
}

DriverResource::Kind DriverResource::kind() const {
  if (m_description.usage == D3D11_USAGE_STAGING) return Kind::Staging;
  if (m_description.usage != D3D11_USAGE_DYNAMIC) return Kind::Other;
  if (m_description.bind & D3D11_BIND_SHADER_RESOURCE) return Kind::Dynamic;
  if (m_description.bind & D3D11_BIND_CONSTANT_BUFFER) return Kind::ConstantBuffer;
  return Kind::VertexBuffer;
}

template <auto kMap>
HRESULT DriverResource::mapBy(UINT subresource, D3D11_MAP type, bool doNotWait, D3D11_MAPPED_SUBRESOURCE &out) {
  D3D10DDI_MAPPED_SUBRESOURCE mapped{};
  const auto ddi = static_cast<D3D10_DDI_MAP>(type);
  DriverDevice &device = m_object.device();
  const HRESULT result = doNotWait ? device.call<kMap, Errors::MapDoNotWait>(
                                         handle(), subresource, ddi, UINT{D3D10_DDI_MAP_FLAG_DONOTWAIT}, &mapped)
                                   : device.call<kMap, Errors::Map>(handle(), subresource, ddi, 0u, &mapped);
  if (FAILED(result)) return result;
  if (!mapped.pData) {
    runtime::brokenRule("a map gave no pointer and no error");
    return E_OUTOFMEMORY;
  }
  out.pData = mapped.pData;
  out.RowPitch = mapped.RowPitch;
  out.DepthPitch = mapped.DepthPitch;
  m_mapped[subresource] = static_cast<BYTE>(type);
  return S_OK;
}

HRESULT DriverResource::map(UINT subresource, D3D11_MAP type, bool doNotWait, D3D11_MAPPED_SUBRESOURCE &out) {
  const bool noOverwrite = type == D3D11_MAP_WRITE_NO_OVERWRITE;
  switch (kind()) {
  case Kind::ConstantBuffer:
    return mapBy<&D3D11DDI_DEVICEFUNCS::pfnDynamicConstantBufferMapDiscard>(subresource, type, doNotWait, out);
  case Kind::VertexBuffer:
    return noOverwrite
               ? mapBy<&D3D11DDI_DEVICEFUNCS::pfnDynamicIABufferMapNoOverwrite>(subresource, type, doNotWait, out)
               : mapBy<&D3D11DDI_DEVICEFUNCS::pfnDynamicIABufferMapDiscard>(subresource, type, doNotWait, out);
  case Kind::Dynamic:
    return mapBy<&D3D11DDI_DEVICEFUNCS::pfnDynamicResourceMapDiscard>(subresource, type, doNotWait, out);
  case Kind::Staging:
    return mapBy<&D3D11DDI_DEVICEFUNCS::pfnStagingResourceMap>(subresource, type, doNotWait, out);
  case Kind::Other:
    break;
  }
  return mapBy<&D3D11DDI_DEVICEFUNCS::pfnResourceMap>(subresource, type, doNotWait, out);
}

void DriverResource::unmap(UINT subresource) {
  DriverDevice &device = m_object.device();
  m_mapped[subresource] = 0;
  if (device.isLost()) return;  // no unmap after a removal
  switch (kind()) {
  case Kind::ConstantBuffer:
    device.call<&D3D11DDI_DEVICEFUNCS::pfnDynamicConstantBufferUnmap>(handle(), subresource);
    break;
  case Kind::VertexBuffer:
    device.call<&D3D11DDI_DEVICEFUNCS::pfnDynamicIABufferUnmap>(handle(), subresource);
    break;
  case Kind::Dynamic:
    device.call<&D3D11DDI_DEVICEFUNCS::pfnDynamicResourceUnmap>(handle(), subresource);
    break;
  case Kind::Staging:
    device.call<&D3D11DDI_DEVICEFUNCS::pfnStagingResourceUnmap>(handle(), subresource);
    break;
  case Kind::Other:
    device.call<&D3D11DDI_DEVICEFUNCS::pfnResourceUnmap>(handle(), subresource);
    break;
  }
}

UINT64 DriverResource::updateBytes(UINT subresource, const D3D11_BOX *box, UINT rowPitch, UINT depthPitch) const {
  const ResourceDescription &d = m_description;
  const bool buffer = d.dimension == D3D11_RESOURCE_DIMENSION_BUFFER;
  const FormatInfo format = buffer ? FormatInfo{1, 1, 0, 0} : formatInfo(d.format);
  const UINT level = subresource % d.levels;
  const UINT width = box ? box->right - box->left : levelSize(d.width, level);
  const UINT height = box ? box->bottom - box->top : levelSize(d.height, level);
  const UINT depth = box ? box->back - box->front : levelSize(d.depth, level);
  return bytesOf(format, width, height, depth, rowPitch, depthPitch);
}

void DriverResource::rotateIdentities(const std::vector<DriverResource *> &resources) {
  for (size_t i = 0; i + 1 < resources.size(); ++i)
    std::swap(resources[i]->m_kernel.identity, resources[i + 1]->m_kernel.identity);
}

void DriverResource::setPriority(UINT priority) {
  DriverDevice &device = m_object.device();
  if (device.isLost()) return;
  DXGI_DDI_ARG_SETRESOURCEPRIORITY argument{};
  argument.hResource = dxgiHandle();
  argument.Priority = priority;
  const HRESULT result = device.dxgi<&DXGI_DDI_BASE_FUNCTIONS::pfnSetResourcePriority>(argument);
  if (result != S_OK) runtime::logLine("SetResourcePriority gave 0x%08lx", static_cast<unsigned long>(result));
}

void DriverResource::update(UINT subresource, const D3D11_BOX *box, const void *data, UINT rowPitch, UINT depthPitch) {
  const ResourceDescription &d = m_description;
  const UINT64 bytes = updateBytes(subresource, box, rowPitch, depthPitch);
  std::unique_ptr<Lent<BYTE>> copy;
  if (bytes <= kMostLent) {
    copy = std::make_unique<Lent<BYTE>>(static_cast<const BYTE *>(data), static_cast<size_t>(bytes));
    data = copy->data();
  }
  D3D10_DDI_BOX ddi{};
  if (box)
    ddi = {static_cast<LONG>(box->left),  static_cast<LONG>(box->top),    static_cast<LONG>(box->front),
           static_cast<LONG>(box->right), static_cast<LONG>(box->bottom), static_cast<LONG>(box->back)};
  Lent<D3D10_DDI_BOX> lentBox(ddi);
  const D3D10_DDI_BOX *given = box ? lentBox.data() : nullptr;
  DriverDevice &device = m_object.device();
  if (d.bind & D3D11_BIND_CONSTANT_BUFFER)
    device.call<&D3D11DDI_DEVICEFUNCS::pfnDefaultConstantBufferUpdateSubresourceUP>(handle(), subresource, given, data,
                                                                                    rowPitch, depthPitch);
  else
    device.call<&D3D11DDI_DEVICEFUNCS::pfnResourceUpdateSubresourceUP>(handle(), subresource, given, data, rowPitch,
                                                                       depthPitch);
}

}  // namespace aerogpu::runtime11
