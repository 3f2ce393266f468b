// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/test/program.h"

#include "guest-drivers/common/surface_format.h"

namespace aero::test {
namespace {

constexpr uint8_t kGarbage = 0xA5, kGone = 0xDB;

UINT levelSize(UINT size, UINT level) {
  return std::max(1u, size >> level);
}

}  // namespace

UINT unitBytes(DXGI_FORMAT format) {
  return formatBlock(static_cast<uint32_t>(format), true).bytes;
}

UINT rowBytes(const ResourceDesc &desc, UINT level) {
  if (desc.dimension == D3D10DDIRESOURCE_BUFFER) return desc.width;
  const FormatBlock block = formatBlock(static_cast<uint32_t>(desc.format), true);
  return (levelSize(desc.width, level) + block.width - 1) / block.width * block.bytes;
}

UINT rowCount(const ResourceDesc &desc, UINT level) {
  if (desc.dimension == D3D10DDIRESOURCE_BUFFER) return 1;
  const FormatBlock block = formatBlock(static_cast<uint32_t>(desc.format), true);
  return (levelSize(desc.height, level) + block.height - 1) / block.height;
}

Program::~Program() {
  EXPECT_TRUE(m_memory.empty() || ::testing::Test::HasFailure()) << m_memory.size() << " objects were not destroyed";
}

void *Program::memory(SIZE_T bytes) {
  auto memory = std::make_unique<Guarded>((bytes + 15) / 16 * 16, kGarbage);
  void *address = memory->as<void>();
  m_memory[address] = std::move(memory);
  return address;
}

void Program::free(void *memory) {
  m_memory.erase(memory);
}

HRESULT Program::tryResource(const ResourceDesc &desc, D3D10DDI_HRESOURCE &out) {
  std::vector<D3D10DDI_MIPINFO> mips(desc.levels);
  for (UINT i = 0; i < desc.levels; i++) {
    const UINT width = levelSize(desc.width, i), height = levelSize(desc.height, i);
    mips[i] = {width, height, 1, width, height, 1};
  }
  std::vector<D3D10_DDIARG_SUBRESOURCE_UP> data;
  std::vector<std::vector<uint8_t>> copies = desc.data;
  for (size_t i = 0; i < copies.size(); i++)
    data.push_back({copies[i].data(), rowBytes(desc, static_cast<UINT>(i) % desc.levels), 0});
  D3D11DDIARG_CREATERESOURCE args = {};
  args.pMipInfoList = mips.data();
  args.pInitialDataUP = data.empty() ? nullptr : data.data();
  args.ResourceDimension = desc.dimension;
  args.Usage = desc.usage;
  args.BindFlags = desc.bind;
  args.MapFlags = desc.map;
  args.MiscFlags = desc.misc;
  args.Format = desc.format;
  args.SampleDesc = {desc.samples, 0};
  args.MipLevels = desc.levels;
  args.ArraySize = desc.layers;
  args.pPrimaryDesc = desc.primary;
  D3D10DDIARG_CREATERESOURCE older;
  memcpy(static_cast<void *>(&older), &args, sizeof older);
  const SIZE_T bytes = rt.is11() ? rt.size(rt.functions11().pfnCalcPrivateResourceSize, &args)
                                 : rt.size(rt.functions10().pfnCalcPrivateResourceSize, &older);
  out.pDrvPrivate = memory(bytes);
  const D3D10DDI_HRTRESOURCE runtime = {runtimeHandle()};
  const HRESULT result = rt.is11()
                             ? rt.call("CreateResource", rt.functions11().pfnCreateResource, &args, out, runtime)
                             : rt.call("CreateResource", rt.functions10().pfnCreateResource, &older, out, runtime);
  for (std::vector<uint8_t> &copy : copies) std::fill(copy.begin(), copy.end(), kGone);
  memset(static_cast<void *>(mips.data()), kGone, mips.size() * sizeof mips[0]);
  if (result) {
    free(out.pDrvPrivate);
    out = {};
  }
  return result;
}

D3D10DDI_HRESOURCE Program::resource(const ResourceDesc &desc) {
  D3D10DDI_HRESOURCE out;
  EXPECT_EQ(tryResource(desc, out), 0);
  return out;
}

D3D10DDI_HRESOURCE Program::buffer(UINT bytes, UINT bind, UINT usage, const void *data) {
  ResourceDesc desc;
  desc.dimension = D3D10DDIRESOURCE_BUFFER;
  desc.format = DXGI_FORMAT_UNKNOWN;
  desc.width = bytes;
  desc.height = 1;
  desc.bind = bind;
  desc.usage = usage;
  const auto *from = static_cast<const uint8_t *>(data);
  if (data) desc.data = {{from, from + bytes}};
  return resource(desc);
}

D3D10DDI_HRESOURCE Program::staging(const ResourceDesc &like, UINT access) {
  ResourceDesc desc = like;
  desc.usage = D3D10_DDI_USAGE_STAGING;
  desc.bind = desc.misc = 0;
  desc.map = access;
  desc.samples = 1;
  desc.data.clear();
  desc.primary = nullptr;
  return resource(desc);
}

HRESULT Program::tryOpen(D3DKMT_HANDLE allocation, D3D10DDI_HRESOURCE &out) {
  std::vector<uint8_t> priv = rt.kernel.allocations.at(allocation).priv;
  D3DDDI_OPENALLOCATIONINFO info = {};
  info.hAllocation = allocation;
  info.pPrivateDriverData = priv.data();
  info.PrivateDriverDataSize = static_cast<UINT>(priv.size());
  D3D10DDIARG_OPENRESOURCE args = {};
  args.NumAllocations = 1;
  args.pOpenAllocationInfo = &info;
  out.pDrvPrivate = memory(rt.size(rt.functions10().pfnCalcPrivateOpenedResourceSize, &args));
  const HRESULT result = AERO_CALL(rt, OpenResource, &args, out, D3D10DDI_HRTRESOURCE{runtimeHandle()});
  if (result) {
    free(out.pDrvPrivate);
    out = {};
  }
  return result;
}

void Program::destroy(D3D10DDI_HRESOURCE resource) {
  EXPECT_EQ(AERO_CALL(rt, DestroyResource, resource), 0);
  free(resource.pDrvPrivate);
}

HRESULT Program::tryTarget(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, D3D10DDI_HRENDERTARGETVIEW &out, UINT level,
                           UINT layer, UINT layers) {
  D3D10DDIARG_CREATERENDERTARGETVIEW args = {};
  args.hDrvResource = resource;
  args.Format = format;
  args.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
  args.Tex2D = {level, layer, layers};
  out.pDrvPrivate = memory(rt.size(rt.functions10().pfnCalcPrivateRenderTargetViewSize, &args));
  const HRESULT result =
      AERO_CALL(rt, CreateRenderTargetView, &args, out, D3D10DDI_HRTRENDERTARGETVIEW{runtimeHandle()});
  memset(static_cast<void *>(&args), kGone, sizeof args);
  if (result) {
    free(out.pDrvPrivate);
    out = {};
  }
  return result;
}

D3D10DDI_HRENDERTARGETVIEW Program::target(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, UINT level, UINT layer,
                                           UINT layers) {
  D3D10DDI_HRENDERTARGETVIEW out;
  EXPECT_EQ(tryTarget(resource, format, out, level, layer, layers), 0);
  return out;
}

D3D10DDI_HDEPTHSTENCILVIEW Program::depth(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format) {
  D3D11DDIARG_CREATEDEPTHSTENCILVIEW args = {};
  args.hDrvResource = resource;
  args.Format = format;
  args.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
  args.Tex2D = {0, 0, 1};
  D3D10DDIARG_CREATEDEPTHSTENCILVIEW older = {};
  older.hDrvResource = resource;
  older.Format = format;
  older.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
  older.Tex2D = {0, 0, 1};
  D3D10DDI_HDEPTHSTENCILVIEW out;
  out.pDrvPrivate = memory(rt.is11() ? rt.size(rt.functions11().pfnCalcPrivateDepthStencilViewSize, &args)
                                     : rt.size(rt.functions10().pfnCalcPrivateDepthStencilViewSize, &older));
  const D3D10DDI_HRTDEPTHSTENCILVIEW runtime = {runtimeHandle()};
  EXPECT_EQ(rt.is11()
                ? rt.call("CreateDepthStencilView", rt.functions11().pfnCreateDepthStencilView, &args, out, runtime)
                : rt.call("CreateDepthStencilView", rt.functions10().pfnCreateDepthStencilView, &older, out, runtime),
            0);
  return out;
}

HRESULT Program::tryTexture(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, D3D10DDI_HSHADERRESOURCEVIEW &out,
                            UINT levels, bool isCube) {
  D3D11DDIARG_CREATESHADERRESOURCEVIEW args = {};
  args.hDrvResource = resource;
  args.Format = format;
  args.ResourceDimension = isCube ? D3D10DDIRESOURCE_TEXTURECUBE : D3D10DDIRESOURCE_TEXTURE2D;
  if (isCube)
    args.TexCube = {0, levels, 0, 1};
  else
    args.Tex2D = {0, 0, levels, 1};
  D3D10_1DDIARG_CREATESHADERRESOURCEVIEW middle;
  D3D10DDIARG_CREATESHADERRESOURCEVIEW older;
  memcpy(static_cast<void *>(&middle), &args, sizeof middle);
  memcpy(static_cast<void *>(&older), &args, sizeof older);
  if (isCube) {
    memset(static_cast<void *>(&older.Tex2D), 0x77, sizeof older.Tex2D);
    older.TexCube = {0, levels};
  }
  const D3D10DDI_HRTSHADERRESOURCEVIEW runtime = {runtimeHandle()};
  HRESULT result;
  if (rt.is11()) {
    out.pDrvPrivate = memory(rt.size(rt.functions11().pfnCalcPrivateShaderResourceViewSize, &args));
    result = rt.call("CreateShaderResourceView", rt.functions11().pfnCreateShaderResourceView, &args, out, runtime);
  } else if (rt.is10()) {
    out.pDrvPrivate = memory(rt.size(rt.functions10().pfnCalcPrivateShaderResourceViewSize, &older));
    result = rt.call("CreateShaderResourceView", rt.functions10().pfnCreateShaderResourceView, &older, out, runtime);
  } else {
    out.pDrvPrivate = memory(rt.size(rt.functions101().pfnCalcPrivateShaderResourceViewSize, &middle));
    result = rt.call("CreateShaderResourceView", rt.functions101().pfnCreateShaderResourceView, &middle, out, runtime);
  }
  if (result) {
    free(out.pDrvPrivate);
    out = {};
  }
  return result;
}

D3D10DDI_HSHADERRESOURCEVIEW Program::texture(D3D10DDI_HRESOURCE resource, DXGI_FORMAT format, UINT levels,
                                              bool isCube) {
  D3D10DDI_HSHADERRESOURCEVIEW out;
  EXPECT_EQ(tryTexture(resource, format, out, levels, isCube), 0);
  return out;
}

void Program::destroy(D3D10DDI_HRENDERTARGETVIEW view) {
  EXPECT_EQ(AERO_CALL(rt, DestroyRenderTargetView, view), 0);
  free(view.pDrvPrivate);
}

void Program::destroy(D3D10DDI_HDEPTHSTENCILVIEW view) {
  EXPECT_EQ(AERO_CALL(rt, DestroyDepthStencilView, view), 0);
  free(view.pDrvPrivate);
}

void Program::destroy(D3D10DDI_HSHADERRESOURCEVIEW view) {
  EXPECT_EQ(AERO_CALL(rt, DestroyShaderResourceView, view), 0);
  free(view.pDrvPrivate);
}

HRESULT Program::tryShader(const std::vector<uint32_t> &code, const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &inputs,
                           const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &outputs, D3D10DDI_HSHADER &made) {
  std::vector<UINT> tokens(code.begin(), code.end());
  std::vector<D3D10DDIARG_SIGNATURE_ENTRY> in = inputs, out = outputs;
  D3D10DDIARG_STAGE_IO_SIGNATURES signatures = {in.data(), static_cast<UINT>(in.size()), out.data(),
                                                static_cast<UINT>(out.size())};
  made.pDrvPrivate = memory(rt.size(rt.functions10().pfnCalcPrivateShaderSize, tokens.data(), &signatures));
  const D3D10DDI_HRTSHADER runtime = {runtimeHandle()};
  HRESULT result = 0;
  switch (tokens[0] >> 16) {
  case D3D10_SB_VERTEX_SHADER:
    result = AERO_CALL(rt, CreateVertexShader, tokens.data(), made, runtime, &signatures);
    break;
  case D3D10_SB_GEOMETRY_SHADER:
    result = AERO_CALL(rt, CreateGeometryShader, tokens.data(), made, runtime, &signatures);
    break;
  default:
    result = AERO_CALL(rt, CreatePixelShader, tokens.data(), made, runtime, &signatures);
  }
  std::fill(tokens.begin(), tokens.end(), 0xDBDBDBDB);
  memset(static_cast<void *>(in.data()), kGone, in.size() * sizeof in[0]);
  memset(static_cast<void *>(out.data()), kGone, out.size() * sizeof out[0]);
  if (!result) return 0;
  free(made.pDrvPrivate);
  made = {};
  return result;
}

D3D10DDI_HSHADER Program::shader(const std::vector<uint32_t> &code,
                                 const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &inputs,
                                 const std::vector<D3D10DDIARG_SIGNATURE_ENTRY> &outputs) {
  D3D10DDI_HSHADER made;
  EXPECT_EQ(tryShader(code, inputs, outputs, made), 0);
  return made;
}

D3D10DDI_HELEMENTLAYOUT Program::layout(const std::vector<D3D10DDIARG_INPUT_ELEMENT_DESC> &elements) {
  std::vector<D3D10DDIARG_INPUT_ELEMENT_DESC> copy = elements;
  D3D10DDIARG_CREATEELEMENTLAYOUT args = {copy.data(), static_cast<UINT>(copy.size())};
  D3D10DDI_HELEMENTLAYOUT made;
  made.pDrvPrivate = memory(rt.size(rt.functions10().pfnCalcPrivateElementLayoutSize, &args));
  EXPECT_EQ(AERO_CALL(rt, CreateElementLayout, &args, made, D3D10DDI_HRTELEMENTLAYOUT{runtimeHandle()}), 0);
  memset(static_cast<void *>(copy.data()), kGone, copy.size() * sizeof copy[0]);
  return made;
}

template <class Handle, class Runtime, class Desc>
HRESULT Program::tryState(const char *name, SIZE_T(APIENTRY *size)(D3D10DDI_HDEVICE, const Desc *),
                          VOID(APIENTRY *create)(D3D10DDI_HDEVICE, const Desc *, Handle, Runtime), const Desc &desc,
                          Handle &out) {
  Desc copy = desc;
  out.pDrvPrivate = memory(rt.size(size, &copy));
  const HRESULT result = rt.call(name, create, &copy, out, Runtime{runtimeHandle()});
  memset(static_cast<void *>(&copy), kGone, sizeof copy);
  if (result) {
    free(out.pDrvPrivate);
    out = {};
  }
  return result;
}

HRESULT Program::tryBlend(const D3D10_1_DDI_BLEND_DESC &desc, D3D10DDI_HBLENDSTATE &out) {
  if (!rt.is10())
    return tryState("CreateBlendState", rt.functions101().pfnCalcPrivateBlendStateSize,
                    rt.functions101().pfnCreateBlendState, desc, out);
  const D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &first = desc.RenderTarget[0];
  D3D10_DDI_BLEND_DESC older = {};
  older.AlphaToCoverageEnable = desc.AlphaToCoverageEnable;
  older.SrcBlend = first.SrcBlend;
  older.DestBlend = first.DestBlend;
  older.BlendOp = first.BlendOp;
  older.SrcBlendAlpha = first.SrcBlendAlpha;
  older.DestBlendAlpha = first.DestBlendAlpha;
  older.BlendOpAlpha = first.BlendOpAlpha;
  for (UINT i = 0; i < 8; i++) {
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &of = desc.RenderTarget[desc.IndependentBlendEnable ? i : 0];
    older.BlendEnable[i] = of.BlendEnable;
    older.RenderTargetWriteMask[i] = of.RenderTargetWriteMask;
  }
  return tryState("CreateBlendState", rt.functions10().pfnCalcPrivateBlendStateSize,
                  rt.functions10().pfnCreateBlendState, older, out);
}

D3D10DDI_HDEPTHSTENCILSTATE Program::depthState(const D3D10_DDI_DEPTH_STENCIL_DESC &desc) {
  D3D10DDI_HDEPTHSTENCILSTATE out;
  EXPECT_EQ(tryState("CreateDepthStencilState", rt.functions10().pfnCalcPrivateDepthStencilStateSize,
                     rt.functions10().pfnCreateDepthStencilState, desc, out),
            0);
  return out;
}

HRESULT Program::tryRasterizer(const D3D10_DDI_RASTERIZER_DESC &desc, D3D10DDI_HRASTERIZERSTATE &out) {
  return tryState("CreateRasterizerState", rt.functions10().pfnCalcPrivateRasterizerStateSize,
                  rt.functions10().pfnCreateRasterizerState, desc, out);
}

HRESULT Program::trySampler(const D3D10_DDI_SAMPLER_DESC &desc, D3D10DDI_HSAMPLER &out) {
  return tryState("CreateSampler", rt.functions10().pfnCalcPrivateSamplerSize, rt.functions10().pfnCreateSampler, desc,
                  out);
}

#define AERO_DESTROY(HANDLE, NAME)                      \
  void Program::destroy(HANDLE handle) {                \
    EXPECT_EQ(AERO_CALL(rt, Destroy##NAME, handle), 0); \
    free(handle.pDrvPrivate);                           \
  }
AERO_DESTROY(D3D10DDI_HSHADER, Shader)
AERO_DESTROY(D3D10DDI_HELEMENTLAYOUT, ElementLayout)
AERO_DESTROY(D3D10DDI_HBLENDSTATE, BlendState)
AERO_DESTROY(D3D10DDI_HDEPTHSTENCILSTATE, DepthStencilState)
AERO_DESTROY(D3D10DDI_HRASTERIZERSTATE, RasterizerState)
AERO_DESTROY(D3D10DDI_HSAMPLER, Sampler)
#undef AERO_DESTROY

void Program::setTargets(const std::vector<D3D10DDI_HRENDERTARGETVIEW> &views, D3D10DDI_HDEPTHSTENCILVIEW depth) {
  const UINT count = static_cast<UINT>(views.size());
  EXPECT_EQ(rt.is11() ? rt.call("SetRenderTargets", rt.functions11().pfnSetRenderTargets, views.data(), count,
                                8 - count, depth, nullptr, nullptr, count, 0u, 0u, 0u)
                      : rt.call("SetRenderTargets", rt.functions10().pfnSetRenderTargets, views.data(), count,
                                8 - count, depth),
            0);
}

void Program::viewport(float x, float y, float width, float height) {
  const D3D10_DDI_VIEWPORT viewport = {x, y, width, height, 0, 1};
  EXPECT_EQ(AERO_CALL(rt, SetViewports, 1u, 0u, &viewport), 0);
}

void Program::stream(D3D10DDI_HRESOURCE buffer, UINT stride, UINT offset) {
  EXPECT_EQ(AERO_CALL(rt, IaSetVertexBuffers, 0u, 1u, &buffer, &stride, &offset), 0);
}

D3D10_1_DDI_BLEND_DESC defaultBlend() {
  D3D10_1_DDI_BLEND_DESC out = {};
  for (D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &target : out.RenderTarget)
    target = {FALSE,
              D3D10_DDI_BLEND_ONE,
              D3D10_DDI_BLEND_ZERO,
              D3D10_DDI_BLEND_OP_ADD,
              D3D10_DDI_BLEND_ONE,
              D3D10_DDI_BLEND_ZERO,
              D3D10_DDI_BLEND_OP_ADD,
              15};
  return out;
}

D3D10_DDI_DEPTH_STENCIL_DESC defaultDepth() {
  const D3D10_DDI_DEPTH_STENCILOP_DESC keep = {D3D10_DDI_STENCIL_OP_KEEP, D3D10_DDI_STENCIL_OP_KEEP,
                                               D3D10_DDI_STENCIL_OP_KEEP, D3D10_DDI_COMPARISON_ALWAYS};
  return {TRUE, D3D10_DDI_DEPTH_WRITE_MASK_ALL, D3D10_DDI_COMPARISON_LESS, FALSE, TRUE, TRUE, 0xFF, 0xFF, keep, keep};
}

D3D10_DDI_RASTERIZER_DESC defaultRasterizer() {
  return {D3D10_DDI_FILL_SOLID, D3D10_DDI_CULL_BACK, FALSE, 0, 0, 0, TRUE, FALSE, FALSE, FALSE};
}

D3D10_DDI_SAMPLER_DESC defaultSampler() {
  return {D3D10_DDI_FILTER_MIN_MAG_MIP_LINEAR,
          D3D10_DDI_TEXTURE_ADDRESS_CLAMP,
          D3D10_DDI_TEXTURE_ADDRESS_CLAMP,
          D3D10_DDI_TEXTURE_ADDRESS_CLAMP,
          0,
          16,
          D3D10_DDI_COMPARISON_NEVER,
          {0, 0, 0, 0},
          -3.402823466e+38f,
          3.402823466e+38f};
}

void Program::clear(D3D10DDI_HRENDERTARGETVIEW view, float r, float g, float b, float a) {
  FLOAT color[4] = {r, g, b, a};
  EXPECT_EQ(AERO_CALL(rt, ClearRenderTargetView, view, color), 0);
}

std::vector<uint8_t> Program::readStaging(D3D10DDI_HRESOURCE staging, const ResourceDesc &like, UINT subresource) {
  D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
  EXPECT_EQ(AERO_CALL(rt, StagingResourceMap, staging, subresource, D3D10_DDI_MAP_READ, 0u, &mapped), 0);
  const UINT level = subresource % like.levels, bytes = rowBytes(like, level);
  std::vector<uint8_t> out;
  for (UINT row = 0; mapped.pData && row < rowCount(like, level); row++) {
    const auto *from = static_cast<const uint8_t *>(mapped.pData) + size_t{row} * mapped.RowPitch;
    out.insert(out.end(), from, from + bytes);
  }
  EXPECT_EQ(AERO_CALL(rt, StagingResourceUnmap, staging, subresource), 0);
  return out;
}

std::vector<uint8_t> Program::read(D3D10DDI_HRESOURCE resource, const ResourceDesc &like, UINT subresource) {
  const D3D10DDI_HRESOURCE copy = staging(like);
  EXPECT_EQ(AERO_CALL(rt, ResourceCopy, copy, resource), 0);
  std::vector<uint8_t> out = readStaging(copy, like, subresource);
  destroy(copy);
  return out;
}

std::vector<uint32_t> Program::pixels(D3D10DDI_HRESOURCE resource, const ResourceDesc &like, UINT subresource) {
  const std::vector<uint8_t> bytes = read(resource, like, subresource);
  std::vector<uint32_t> out(bytes.size() / 4);
  memcpy(out.data(), bytes.data(), out.size() * 4);
  return out;
}

}  // namespace aero::test
