// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/level9/front.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "testbed/d3d9-runtime/level9/offset.vs.h"
#include "testbed/d3d9-runtime/level9/textured.ps.h"
#include "testbed/runtime-kernel/callbacks.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::level9 {

using runtime::DriverDevice;
using runtime::ResourceDescription;
using runtime::SharedDescription;

namespace {

unsigned failed;
std::atomic<unsigned> rendered;
PFND3DKMT_RENDER renderOfKernel;

NTSTATUS APIENTRY countedRender(D3DKMT_RENDER *argument) {
  ++rendered;
  return renderOfKernel(argument);
}

/** Counts the calls through the table of D3DKMT calls from now on. */
bool countSubmissions() {
  // The table is the runtime's own variable, which it returns as read-only.
  auto *calls = const_cast<runtime::KernelCalls *>(runtime::kernelCalls());
  if (!calls) return false;
  if (!renderOfKernel) {
    renderOfKernel = calls->Render;
    calls->Render = countedRender;
  }
  return true;
}

struct Vertex {
  float position[4], coordinates[2];
};
constexpr UINT kVertices = 4;

constexpr D3DDDIVERTEXELEMENT kElements[] = {
    {0, 0, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
    {0, 16, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 1}};

RECT whole(UINT width, UINT height) {
  return {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
}

}  // namespace

bool point(const char *name, bool good) {
  failed += !good;
  std::printf("%s %s\n", good ? "ok" : "not ok", name);
  return good;
}

bool succeeded(HRESULT result, const char *call) {
  return SUCCEEDED(result) || fail("%s failed: 0x%08lx", call, static_cast<unsigned long>(result));
}

unsigned failures() {
  return failed;
}

unsigned submissions() {
  return rendered;
}

Front::~Front() {
  m_vertices.reset();
  if (!m_device) return;
  if (m_declaration) m_device->call<&D3DDDI_DEVICEFUNCS::pfnDeleteVertexShaderDecl>(m_declaration);
  if (m_vertexShader) m_device->call<&D3DDDI_DEVICEFUNCS::pfnDeleteVertexShaderFunc>(m_vertexShader);
  if (m_pixelShader) m_device->call<&D3DDDI_DEVICEFUNCS::pfnDeletePixelShader>(m_pixelShader);
}

bool Front::open(UINT version) {
  if (!countSubmissions()) return fail("there is no kernel side");
  m_adapter = std::make_unique<runtime::DriverAdapter>(version);
  if (!m_adapter->open(L"\\\\.\\DISPLAY1")) return fail("the adapter does not open");
  m_device = std::make_unique<DriverDevice>(*m_adapter);
  return succeeded(m_device->create(false, runtime::deviceCallbacks()), "CreateDevice") &&
         (version < 9 || makePipeline());
}

bool Front::makePipeline() {
  D3DDDIARG_CREATEVERTEXSHADERDECL declaration{};
  declaration.NumVertexElements = std::size(kElements);
  D3DDDIARG_CREATEVERTEXSHADERFUNC vertex{};
  vertex.Size = sizeof offsetVs;
  D3DDDIARG_CREATEPIXELSHADER pixel{};
  pixel.CodeSize = sizeof texturedPs;
  if (!succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnCreateVertexShaderDecl>(&declaration, kElements),
                 "CreateVertexShaderDecl") ||
      !succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnCreateVertexShaderFunc>(
                     &vertex, reinterpret_cast<const UINT *>(offsetVs)),
                 "CreateVertexShaderFunc") ||
      !succeeded(
          m_device->call<&D3DDDI_DEVICEFUNCS::pfnCreatePixelShader>(&pixel, reinterpret_cast<const UINT *>(texturedPs)),
          "CreatePixelShader"))
    return false;
  m_declaration = declaration.ShaderHandle;
  m_vertexShader = vertex.ShaderHandle;
  m_pixelShader = pixel.ShaderHandle;
  ResourceDescription description;
  description.format = D3DFMT_VERTEXDATA;
  description.width = kVertices * sizeof(Vertex);
  description.flags.VertexBuffer = description.flags.Dynamic = description.flags.WriteOnly = 1;
  HRESULT result = S_OK;
  m_vertices = DriverResource::create(*m_device, description, nullptr, result);
  return succeeded(result, "CreateResource(vertices)");
}

std::unique_ptr<DriverResource> Front::create(UINT width, UINT height, D3DFORMAT format, bool system, bool shared) {
  ResourceDescription description;
  description.format = format;
  description.systemMemory = system;
  description.width = width;
  description.height = height;
  description.flags.Texture = 1;
  if (!system) description.flags.RenderTarget = description.flags.NotLockable = 1;
  description.flags.SharedResource = shared;
  const SharedDescription about = runtime::sharedOf9(D3DRTYPE_TEXTURE, format, width, height, D3DUSAGE_RENDERTARGET);
  HRESULT result = S_OK;
  auto resource = DriverResource::create(*m_device, description, shared ? &about : nullptr, result);
  if (!resource) succeeded(result, system ? "CreateResource(SYSTEMMEM)" : "CreateResource(target)");
  return resource;
}

std::unique_ptr<DriverResource> Front::target(UINT width, UINT height, D3DFORMAT format) {
  return create(width, height, format, false, false);
}
std::unique_ptr<DriverResource> Front::systemTexture(UINT width, UINT height, D3DFORMAT format) {
  return create(width, height, format, true, false);
}
std::unique_ptr<DriverResource> Front::dynamicTexture(UINT width, UINT height) {
  ResourceDescription description;
  description.format = D3DFMT_A8R8G8B8;
  description.width = width;
  description.height = height;
  description.flags.Texture = description.flags.Dynamic = description.flags.WriteOnly = 1;
  HRESULT result = S_OK;
  auto resource = DriverResource::create(*m_device, description, nullptr, result);
  if (!resource) succeeded(result, "CreateResource(Dynamic)");
  return resource;
}
std::unique_ptr<DriverResource> Front::sharedTarget(UINT width, UINT height, D3DFORMAT format) {
  return create(width, height, format, false, true);
}

std::unique_ptr<DriverResource> Front::openShared(D3DKMT_HANDLE global, D3DDDI_OPENRESOURCEFLAGS flags) {
  SharedDescription unused{};
  HRESULT result = S_OK;
  auto resource = DriverResource::open(*m_device, global, unused, result, flags);
  if (!resource) succeeded(result, "OpenResource");
  return resource;
}

bool Front::fill(const DriverResource &resource, const RECT &where, uint32_t argb, bool toCompositor, UINT sub) {
  D3DDDIARG_COLORFILL argument{};
  argument.hResource = resource.handle();
  argument.SubResourceIndex = sub;
  argument.DstRect = where;
  argument.Color = argb;
  argument.Flags.PresentToDwm = toCompositor;
  return succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnColorFill>(&argument), "ColorFill");
}

bool Front::blt(const DriverResource &source, const RECT &from, const DriverResource &destination, const RECT &to,
                D3DDDI_BLTFLAGS flags) {
  D3DDDIARG_BLT argument{};
  argument.hSrcResource = source.handle();
  argument.SrcRect = from;
  argument.hDstResource = destination.handle();
  argument.DstRect = to;
  argument.Flags = flags;
  return succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnBlt>(&argument), "Blt");
}

bool Front::texBlt(const DriverResource &source, const RECT &from, const DriverResource &destination, LONG x, LONG y) {
  D3DDDIARG_TEXBLT argument{};
  argument.hSrcResource = source.handle();
  argument.SrcRect = from;
  argument.hDstResource = destination.handle();
  argument.DstPoint = {x, y};
  return succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnTexBlt>(&argument), "TexBlt");
}

bool Front::draw(const DriverResource &target, UINT width, UINT height, const RECT &where,
                 const DriverResource &texture, bool linear, bool offset, UINT sub) {
  const float w = static_cast<float>(width), h = static_cast<float>(height);
  const auto clipX = [&](LONG x) { return static_cast<float>(x) * 2 / w - 1; };
  const auto clipY = [&](LONG y) { return 1 - static_cast<float>(y) * 2 / h; };
  const Vertex vertices[kVertices] = {{{clipX(where.left), clipY(where.top), 0, 1}, {0, 0}},
                                      {{clipX(where.right), clipY(where.top), 0, 1}, {1, 0}},
                                      {{clipX(where.left), clipY(where.bottom), 0, 1}, {0, 1}},
                                      {{clipX(where.right), clipY(where.bottom), 0, 1}, {1, 1}}};
  D3DDDIARG_LOCK lock{};
  lock.Flags.Discard = 1;
  if (!succeeded(m_vertices->lock(lock), "Lock(DISCARD)")) return false;
  std::memcpy(lock.pSurfData, vertices, sizeof vertices);
  if (!succeeded(m_vertices->unlock(0, false), "Unlock")) return false;

  const struct {
    D3DDDIRENDERSTATETYPE state;
    UINT value;
  } states[] = {{D3DDDIRS_CULLMODE, D3DCULL_NONE}, {D3DDDIRS_ZENABLE, FALSE}, {D3DDDIRS_ALPHABLENDENABLE, FALSE}};
  for (const auto &state : states) {
    const D3DDDIARG_RENDERSTATE argument{state.state, state.value};
    if (!succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetRenderState>(&argument), "SetRenderState")) return false;
  }
  const UINT filter = linear ? D3DTEXF_LINEAR : D3DTEXF_POINT;
  const struct {
    D3DDDITEXTURESTAGESTATETYPE state;
    UINT value;
  } samplers[] = {{D3DDDITSS_MINFILTER, filter},
                  {D3DDDITSS_MAGFILTER, filter},
                  {D3DDDITSS_MIPFILTER, D3DTEXF_NONE},
                  {D3DDDITSS_ADDRESSU, D3DTADDRESS_CLAMP},
                  {D3DDDITSS_ADDRESSV, D3DTADDRESS_CLAMP}};
  for (const auto &sampler : samplers) {
    const D3DDDIARG_TEXTURESTAGESTATE argument{0, sampler.state, sampler.value};
    if (!succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetTextureStageState>(&argument), "SetTextureStageState"))
      return false;
  }
  const float shift = offset ? 1.0f : 0.0f;
  const float constant[4] = {-shift / w, shift / h, 0, 0};
  const D3DDDIARG_SETRENDERTARGET onto{0, target.handle(), sub};
  const D3DDDIARG_VIEWPORTINFO area{0, 0, width, height};
  const D3DDDIARG_ZRANGE range{0, 1};
  const RECT all = whole(width, height);
  const D3DDDIARG_SETVERTEXSHADERCONST first{0, 1};
  const D3DDDIARG_SETSTREAMSOURCE stream{0, m_vertices->handle(), 0, sizeof(Vertex)};
  const D3DDDIARG_DRAWPRIMITIVE primitive{D3DPT_TRIANGLESTRIP, 0, 2};
  return succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetTexture>(UINT{0}, texture.handle()), "SetTexture") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetRenderTarget>(&onto), "SetRenderTarget") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetViewport>(&area), "SetViewport") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetZRange>(&range), "SetZRange") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetScissorRect>(&all), "SetScissorRect") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderDecl>(m_declaration), "SetVertexShaderDecl") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderFunc>(m_vertexShader),
                   "SetVertexShaderFunc") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShader>(m_pixelShader), "SetPixelShader") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderConst>(&first, constant),
                   "SetVertexShaderConst") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetStreamSource>(&stream), "SetStreamSource") &&
         succeeded(
             m_device->call<&D3DDDI_DEVICEFUNCS::pfnDrawPrimitive>(&primitive, static_cast<const UINT *>(nullptr)),
             "DrawPrimitive") &&
         succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnSetTexture>(UINT{0}, static_cast<HANDLE>(nullptr)),
                   "SetTexture(none)");
}

bool Front::flush() {
  return succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnFlush>(), "Flush");
}

bool Front::poll() {
  D3DDDIARG_CREATEQUERY query{};
  query.QueryType = D3DDDIQUERYTYPE_EVENT;
  if (!succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnCreateQuery>(&query), "CreateQuery(EVENT)")) return false;
  D3DDDIARG_ISSUEQUERY issue{};
  issue.hQuery = query.hQuery;
  issue.Flags.End = 1;
  BOOL done = FALSE;
  D3DDDIARG_GETQUERYDATA get{};
  get.hQuery = query.hQuery;
  get.pData = &done;
  HRESULT result = m_device->call<&D3DDDI_DEVICEFUNCS::pfnIssueQuery>(&issue);
  if (SUCCEEDED(result)) result = S_FALSE;
  while (result == S_FALSE) {
    result = m_device->call<&D3DDDI_DEVICEFUNCS::pfnGetQueryData, runtime::Results::QueryData>(&get);
    SwitchToThread();
  }
  m_device->call<&D3DDDI_DEVICEFUNCS::pfnDestroyQuery>(query.hQuery);
  return succeeded(result, "GetQueryData");
}

bool Front::resolve(const DriverResource &resource) {
  const D3DDDIARG_RESOLVESHAREDRESOURCE argument{resource.handle()};
  return succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnResolveSharedResource>(&argument), "ResolveSharedResource");
}

bool Front::read(const DriverResource &target, UINT width, UINT height, Pixels &out, UINT sub) {
  auto copy = systemTexture(width, height);
  if (!copy) return false;
  D3DDDIARG_BLT argument{};
  argument.hSrcResource = target.handle();
  argument.SrcSubResourceIndex = sub;
  argument.hDstResource = copy->handle();
  argument.SrcRect = argument.DstRect = whole(width, height);
  if (!succeeded(m_device->call<&D3DDDI_DEVICEFUNCS::pfnBlt>(&argument), "Blt(read)")) return false;
  D3DDDI_LOCKFLAGS flags{};
  flags.ReadOnly = 1;
  if (!succeeded(copy->notifyLock(flags), "Lock(NotifyOnly)")) return false;
  out = {width, height, std::vector<uint32_t>(size_t{width} * height)};
  for (UINT y = 0; y < height; ++y)
    std::memcpy(&out.argb[size_t{y} * width], copy->memory(0).bytes + size_t{y} * copy->memory(0).pitch,
                size_t{width} * 4);
  return succeeded(copy->notifyUnlock(), "Unlock(NotifyOnly)");
}

}  // namespace aerogpu::level9
