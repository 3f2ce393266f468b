// SPDX-License-Identifier: MIT
// Creating textures, surfaces, buffers, shaders and declarations.
#include "aerogpu/d3d9/declaration.h"
#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

constexpr DWORD kTextureUsages = D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL | D3DUSAGE_DYNAMIC |
                                 D3DUSAGE_AUTOGENMIPMAP | D3DUSAGE_DMAP | D3DUSAGE_SOFTWAREPROCESSING;

/// Usages that surfaces of Direct3D 9Ex may have in addition to their kind.
constexpr DWORD kExUsages =
    D3DUSAGE_RESTRICTED_CONTENT | D3DUSAGE_RESTRICT_SHARED_RESOURCE | D3DUSAGE_RESTRICT_SHARED_RESOURCE_DRIVER;

/// True if targets of the format support such samples, in this quality.
bool hasSamples(const DriverAdapter &adapter, D3DFORMAT format, D3DMULTISAMPLE_TYPE type, DWORD quality) {
  DWORD levels = 0;
  return type == D3DMULTISAMPLE_NONE ||
         (SUCCEEDED(checkMultisample(adapter, format, true, type, &levels)) && quality < levels);
}

/// True if surfaces of a format may have this size: compressed formats need whole blocks, those of two pixels (YUY2) do
/// not.
bool hasWholeBlocks(const DriverAdapter &adapter, D3DFORMAT format, UINT width, UINT height) {
  FormatLayout layout;
  if (!formatLayout(adapter, format, layout)) return false;
  return layout.blockHeight == 1 || (width % layout.blockWidth == 0 && height % layout.blockHeight == 0);
}

/// True if the API keeps a format out of programs' memory: depth (test_resource_access in Wine's
/// dlls/d3d9/tests/device.c), and the formats of a driver that did not tell the size of a pixel, whose MANAGED,
/// SYSTEMMEM and SCRATCH surfaces Windows does not make (D3D9On12, include/9on12Caps.h, on D3DFORMAT_OP_PIXELSIZE).
bool isForDriverAlone(const DriverAdapter &adapter, D3DFORMAT format) {
  return isDriverFormat(format) ? !hasRuntimeMemory(adapter, format) : isDepthFormat(format);
}

/// Checks the API's own rules for textures of any kind.
HRESULT checkTexture(const DriverAdapter &adapter, const ImageDescription &d) {
  const DWORD target = d.usage & (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL);
  if (d.usage & ~kTextureUsages) return D3DERR_INVALIDCALL;
  if (target && d.pool != D3DPOOL_DEFAULT) return D3DERR_INVALIDCALL;
  if (target == (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL)) return D3DERR_INVALIDCALL;
  if ((d.usage & D3DUSAGE_DYNAMIC) && (d.pool == D3DPOOL_MANAGED || target)) return D3DERR_INVALIDCALL;
  if ((d.usage & D3DUSAGE_AUTOGENMIPMAP) && (d.pool == D3DPOOL_SYSTEMMEM || d.pool == D3DPOOL_SCRATCH))
    return D3DERR_INVALIDCALL;
  if ((d.usage & D3DUSAGE_AUTOGENMIPMAP) && d.type == D3DRTYPE_VOLUMETEXTURE) return D3DERR_INVALIDCALL;
  if ((d.usage & D3DUSAGE_DYNAMIC) && d.pool == D3DPOOL_SCRATCH) return D3DERR_INVALIDCALL;
  if (d.pool != D3DPOOL_DEFAULT && isForDriverAlone(adapter, d.format)) return D3DERR_INVALIDCALL;
  if (!hasWholeBlocks(adapter, d.format, d.width, d.height)) return D3DERR_INVALIDCALL;
  if (d.pool == D3DPOOL_SCRATCH) return D3D_OK;
  D3DKMT_DISPLAYMODE mode{};
  if (!adapter.currentMode(mode)) return D3DERR_NOTAVAILABLE;
  const HRESULT result = checkDeviceFormat(adapter, static_cast<D3DFORMAT>(mode.Format),
                                           d.usage & ~DWORD{D3DUSAGE_AUTOGENMIPMAP}, d.type, d.format);
  if (FAILED(result)) return D3DERR_INVALIDCALL;
  const D3DCAPS9 &caps = adapter.caps();
  const DWORD most = d.type == D3DRTYPE_VOLUMETEXTURE ? caps.MaxVolumeExtent : caps.MaxTextureWidth;
  if (d.width > most || d.height > (d.type == D3DRTYPE_VOLUMETEXTURE ? most : caps.MaxTextureHeight) ||
      (d.type == D3DRTYPE_VOLUMETEXTURE && d.depth > most))
    return D3DERR_INVALIDCALL;
  return D3D_OK;
}

template <class Made, class Interface> HRESULT publish(Made *made, Interface **out) {
  made->AddRef();
  *out = made;
  return D3D_OK;
}

}  // namespace

HRESULT Device::checkShared(const HANDLE *shared, D3DPOOL pool) const {
  if (!shared) return D3D_OK;
  if (!m_ex) return E_NOTIMPL;
  return pool == D3DPOOL_DEFAULT ? D3D_OK : D3DERR_INVALIDCALL;
}

HRESULT Device::checkBufferShared(const HANDLE *shared, D3DPOOL pool) const {
  const HRESULT result = checkShared(shared, pool);
  return result == D3DERR_INVALIDCALL ? static_cast<HRESULT>(D3DERR_NOTAVAILABLE) : result;  // no memory of programs
}

HRESULT Device::CreateTexture(UINT width, UINT height, UINT levels, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                              IDirect3DTexture9 **texture, HANDLE *shared) {
  if (!texture) return D3DERR_INVALIDCALL;
  *texture = nullptr;
  const Lock lock(*this);
  if (m_ex && pool == D3DPOOL_MANAGED) return D3DERR_INVALIDCALL;
  ImageDescription description;
  description.type = D3DRTYPE_TEXTURE;
  description.format = format;
  description.width = width;
  description.height = height;
  description.levels = levels;
  description.usage = usage;
  description.pool = pool;
  HRESULT result = checkTexture(m_driver.adapter(), description);
  // A program's own memory for a texture: Direct3D 9Ex, system memory, one level.
  if (SUCCEEDED(result) && m_ex && shared && pool == D3DPOOL_SYSTEMMEM) {
    if (levels != 1) return D3DERR_INVALIDCALL;
    description.userMemory = *shared;
    shared = nullptr;
  }
  if (SUCCEEDED(result)) result = checkShared(shared, pool);
  if (FAILED(result)) return result;
  if (shared && levels != 1) return D3DERR_INVALIDCALL;  // a shared resource is one allocation
  std::shared_ptr<Image> image = Image::create(*this, description, shared, result);
  if (!image) return result;
  return publish(new Texture(*this, std::move(image)), texture);
}

HRESULT Device::CreateCubeTexture(UINT edge, UINT levels, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                  IDirect3DCubeTexture9 **texture, HANDLE *shared) {
  if (!texture) return D3DERR_INVALIDCALL;
  *texture = nullptr;
  const Lock lock(*this);
  if (m_ex && pool == D3DPOOL_MANAGED) return D3DERR_INVALIDCALL;
  ImageDescription description;
  description.type = D3DRTYPE_CUBETEXTURE;
  description.format = format;
  description.width = description.height = edge;
  description.levels = levels;
  description.layers = 6;
  description.usage = usage;
  description.pool = pool;
  HRESULT result = checkTexture(m_driver.adapter(), description);
  if (SUCCEEDED(result) && shared) result = m_ex ? D3DERR_INVALIDCALL : E_NOTIMPL;
  if (FAILED(result)) return result;
  std::shared_ptr<Image> image = Image::create(*this, description, nullptr, result);
  if (!image) return result;
  return publish(new CubeTexture(*this, std::move(image)), texture);
}

HRESULT Device::CreateVolumeTexture(UINT width, UINT height, UINT depth, UINT levels, DWORD usage, D3DFORMAT format,
                                    D3DPOOL pool, IDirect3DVolumeTexture9 **texture, HANDLE *shared) {
  if (!texture) return D3DERR_INVALIDCALL;
  *texture = nullptr;
  const Lock lock(*this);
  if (m_ex && pool == D3DPOOL_MANAGED) return D3DERR_INVALIDCALL;
  ImageDescription description;
  description.type = D3DRTYPE_VOLUMETEXTURE;
  description.format = format;
  description.width = width;
  description.height = height;
  description.depth = depth;
  description.levels = levels;
  description.usage = usage;
  description.pool = pool;
  HRESULT result = checkTexture(m_driver.adapter(), description);
  if (SUCCEEDED(result) && shared) result = m_ex ? D3DERR_INVALIDCALL : E_NOTIMPL;
  if (FAILED(result)) return result;
  std::shared_ptr<Image> image = Image::create(*this, description, nullptr, result);
  if (!image) return result;
  return publish(new VolumeTexture(*this, std::move(image)), texture);
}

HRESULT Device::CreateVertexBuffer(UINT size, DWORD usage, DWORD fvf, D3DPOOL pool, IDirect3DVertexBuffer9 **buffer,
                                   HANDLE *shared) {
  if (!buffer) return D3DERR_INVALIDCALL;
  *buffer = nullptr;
  const Lock lock(*this);
  if (m_ex && pool == D3DPOOL_MANAGED) return D3DERR_INVALIDCALL;
  HRESULT result = checkBufferShared(shared, pool);
  if (FAILED(result)) return result;
  const Ref<VertexBuffer> made(new VertexBuffer(*this, fvf));
  result = made->memory().create(size, usage, D3DFMT_VERTEXDATA, fvf, pool, shared);
  return FAILED(result) ? result : publish(made.get(), buffer);
}

HRESULT Device::CreateIndexBuffer(UINT size, DWORD usage, D3DFORMAT format, D3DPOOL pool,
                                  IDirect3DIndexBuffer9 **buffer, HANDLE *shared) {
  if (!buffer) return D3DERR_INVALIDCALL;
  *buffer = nullptr;
  const Lock lock(*this);
  if (m_ex && pool == D3DPOOL_MANAGED) return D3DERR_INVALIDCALL;
  HRESULT result = checkBufferShared(shared, pool);
  if (FAILED(result)) return result;
  if (format != D3DFMT_INDEX16 && format != D3DFMT_INDEX32) return D3DERR_INVALIDCALL;
  const Ref<IndexBuffer> made(new IndexBuffer(*this, format));
  result = made->memory().create(size, usage, format, 0, pool, shared);
  return FAILED(result) ? result : publish(made.get(), buffer);
}

HRESULT Device::createSurface(ImageDescription &description, IDirect3DSurface9 **out, HANDLE *shared) {
  HRESULT result = checkShared(shared, description.pool);
  if (FAILED(result)) return result;
  std::shared_ptr<Image> image = Image::create(*this, description, shared, result);
  if (!image) return result;
  return publish(new Surface(*this, std::move(image), 0, nullptr, nullptr), out);
}

HRESULT Device::createTarget(ImageDescription &description, DWORD usage, IDirect3DSurface9 **out, HANDLE *shared) {
  const DriverAdapter &adapter = m_driver.adapter();
  D3DKMT_DISPLAYMODE mode{};
  if (!adapter.currentMode(mode)) return D3DERR_NOTAVAILABLE;
  if (usage == D3DUSAGE_DEPTHSTENCIL && !isDepthFormat(description.format)) return D3DERR_INVALIDCALL;
  if (FAILED(
          checkDeviceFormat(adapter, static_cast<D3DFORMAT>(mode.Format), usage, D3DRTYPE_SURFACE, description.format)))
    return D3DERR_INVALIDCALL;
  if (!hasSamples(adapter, description.format, description.multisample, description.quality) ||
      (description.multisample && description.lockable))
    return D3DERR_INVALIDCALL;
  return createSurface(description, out, shared);
}

HRESULT Device::CreateRenderTargetEx(UINT width, UINT height, D3DFORMAT format, D3DMULTISAMPLE_TYPE multisample,
                                     DWORD quality, BOOL lockable, IDirect3DSurface9 **surface, HANDLE *shared,
                                     DWORD usage) {
  if (!surface || (usage & ~kExUsages)) return D3DERR_INVALIDCALL;
  *surface = nullptr;
  const Lock lock(*this);
  ImageDescription description;
  description.format = format;
  description.width = width;
  description.height = height;
  description.usage = D3DUSAGE_RENDERTARGET | usage;
  description.multisample = multisample;
  description.quality = quality;
  description.lockable = lockable;
  return createTarget(description, D3DUSAGE_RENDERTARGET, surface, shared);
}

HRESULT Device::CreateDepthStencilSurfaceEx(UINT width, UINT height, D3DFORMAT format, D3DMULTISAMPLE_TYPE multisample,
                                            DWORD quality, BOOL discard, IDirect3DSurface9 **surface, HANDLE *shared,
                                            DWORD usage) {
  if (!surface || (usage & ~kExUsages)) return D3DERR_INVALIDCALL;
  *surface = nullptr;
  const Lock lock(*this);
  ImageDescription description;
  description.format = format;
  description.width = width;
  description.height = height;
  description.usage = D3DUSAGE_DEPTHSTENCIL | usage;
  description.multisample = multisample;
  description.quality = quality;
  description.discard = discard;
  return createTarget(description, D3DUSAGE_DEPTHSTENCIL, surface, shared);
}

HRESULT Device::CreateOffscreenPlainSurfaceEx(UINT width, UINT height, D3DFORMAT format, D3DPOOL pool,
                                              IDirect3DSurface9 **surface, HANDLE *shared, DWORD usage) {
  if (!surface) return D3DERR_INVALIDCALL;
  *surface = nullptr;
  const Lock lock(*this);
  if (pool == D3DPOOL_MANAGED || usage) return D3DERR_INVALIDCALL;
  ImageDescription description;
  description.format = format;
  description.width = width;
  description.height = height;
  description.usage = usage;
  description.pool = pool;
  if (m_ex && shared && pool == D3DPOOL_SYSTEMMEM) {
    description.userMemory = *shared;
    shared = nullptr;
  }
  const DriverAdapter &adapter = m_driver.adapter();
  if (!hasWholeBlocks(adapter, format, width, height)) return D3DERR_INVALIDCALL;
  if (pool == D3DPOOL_DEFAULT && !(adapter.operations(format) & FORMATOP_OFFSCREENPLAIN)) return D3DERR_INVALIDCALL;
  if (pool != D3DPOOL_DEFAULT && !hasRuntimeMemory(adapter, format)) return D3DERR_INVALIDCALL;
  if (pool == D3DPOOL_SYSTEMMEM || (pool == D3DPOOL_SCRATCH && isForDriverAlone(adapter, format))) {
    D3DKMT_DISPLAYMODE mode{};
    if (!adapter.currentMode(mode)) return D3DERR_NOTAVAILABLE;
    if (FAILED(checkDeviceFormat(adapter, static_cast<D3DFORMAT>(mode.Format), 0, D3DRTYPE_SURFACE, format)))
      return D3DERR_INVALIDCALL;
  }
  return createSurface(description, surface, shared);
}

HRESULT Device::CreateRenderTarget(UINT width, UINT height, D3DFORMAT format, D3DMULTISAMPLE_TYPE multisample,
                                   DWORD quality, BOOL lockable, IDirect3DSurface9 **surface, HANDLE *shared) {
  return CreateRenderTargetEx(width, height, format, multisample, quality, lockable, surface, shared, 0);
}

HRESULT Device::CreateDepthStencilSurface(UINT width, UINT height, D3DFORMAT format, D3DMULTISAMPLE_TYPE multisample,
                                          DWORD quality, BOOL discard, IDirect3DSurface9 **surface, HANDLE *shared) {
  return CreateDepthStencilSurfaceEx(width, height, format, multisample, quality, discard, surface, shared, 0);
}

HRESULT Device::CreateOffscreenPlainSurface(UINT width, UINT height, D3DFORMAT format, D3DPOOL pool,
                                            IDirect3DSurface9 **surface, HANDLE *shared) {
  return CreateOffscreenPlainSurfaceEx(width, height, format, pool, surface, shared, 0);
}

HRESULT Device::CreateVertexShader(const DWORD *code, IDirect3DVertexShader9 **shader) {
  if (!code || !shader) return D3DERR_INVALIDCALL;
  *shader = nullptr;
  const Lock lock(*this);
  const size_t tokens = shaderTokens(code, 0xFFFE);
  if (!tokens || *code > m_driver.adapter().caps().VertexShaderVersion) return D3DERR_INVALIDCALL;
  // If the processor may shade vertices it has more registers (page "Vertex Shader Limitations").
  constexpr ShaderLimits kSoftware{kSoftwareFloats, 2048, 2048};
  const ShaderLimits hardware{m_driver.adapter().caps().MaxVertexShaderConst, kIntegers, kBooleans};
  const bool software =
      m_creation.BehaviorFlags & (D3DCREATE_SOFTWARE_VERTEXPROCESSING | D3DCREATE_MIXED_VERTEXPROCESSING);
  const bool fits = hasValidRegisters(code, hardware);
  if (!fits && !(software && hasValidRegisters(code, kSoftware))) return D3DERR_INVALIDCALL;
  const Ref<VertexShader> made(new VertexShader(*this, code, tokens, !fits));
  const HRESULT result = made->create();
  return FAILED(result) ? result : publish(made.get(), shader);
}

HRESULT Device::CreatePixelShader(const DWORD *code, IDirect3DPixelShader9 **shader) {
  if (!code || !shader) return D3DERR_INVALIDCALL;
  *shader = nullptr;
  const Lock lock(*this);
  const size_t tokens = shaderTokens(code, 0xFFFF);
  if (!tokens || *code > m_driver.adapter().caps().PixelShaderVersion) return D3DERR_INVALIDCALL;
  // By the model: 1 has 8, 2 has 32, 3 has 224; ps_2_0 has no flow control that could use the other two kinds.
  const UINT model = LOWORD(*code) >> 8;
  const bool control = LOWORD(*code) > 0x0200;
  const ShaderLimits limits{model == 1   ? 8u
                            : model == 2 ? 32u
                                         : kPixelFloats,
                            control ? kIntegers : 0, control ? kBooleans : 0};
  if (!hasValidRegisters(code, limits)) return D3DERR_INVALIDCALL;
  const Ref<PixelShader> made(new PixelShader(*this, code, tokens));
  const HRESULT result = made->create();
  return FAILED(result) ? result : publish(made.get(), shader);
}

HRESULT Device::CreateVertexDeclaration(const D3DVERTEXELEMENT9 *elements, IDirect3DVertexDeclaration9 **declaration) {
  if (!elements || !declaration) return D3DERR_INVALIDCALL;
  *declaration = nullptr;
  const Lock lock(*this);
  std::vector<D3DVERTEXELEMENT9> list;
  for (; elements->Stream != d3d9::kDeclEndStream; ++elements) {
    if (list.size() == d3d9::kMaxDeclElements) return D3DERR_INVALIDCALL;
    if (elements->Type == D3DDECLTYPE_UNUSED) return E_FAIL;  // the API's answer to it
    const d3d9::DeclTypeInfo *type = d3d9::findDeclType(elements->Type);
    if (!type || elements->Stream >= kStreams || elements->Usage > MAXD3DDECLUSAGE || elements->UsageIndex > 15 ||
        elements->Method > MAXD3DDECLMETHOD)
      return D3DERR_INVALIDCALL;
    if (elements->Offset % 4) return E_FAIL;  // the API's answer to it
    list.push_back(*elements);
  }
  const Ref<Declaration> made(new Declaration(*this, std::move(list)));
  const HRESULT result = made->create();
  return FAILED(result) ? result : publish(made.get(), declaration);
}

}  // namespace aerogpu::runtime
