// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/pipeline_state.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "aerogpu/d3d9/states.h"

namespace aerogpu::runtime {
namespace {

constexpr D3DMATRIX kIdentity{{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};

}  // namespace

UINT constantCount(Constants kind) {
  switch (kind) {
  case Constants::VertexFloat:
    return kVertexFloats;
  case Constants::PixelFloat:
    return kPixelFloats;
  default:
    return kIntegers;
  }
}

UINT constantWords(Constants kind) {
  return kind == Constants::VertexBoolean || kind == Constants::PixelBoolean ? 1 : 4;
}

DWORD *StateValues::constants(Constants kind) {
  switch (kind) {
  case Constants::VertexFloat:
    return vertexFloat[0];
  case Constants::VertexInteger:
    return vertexInteger[0];
  case Constants::VertexBoolean:
    return vertexBoolean;
  case Constants::PixelFloat:
    return pixelFloat[0];
  case Constants::PixelInteger:
    return pixelInteger[0];
  case Constants::PixelBoolean:
    break;
  }
  return pixelBoolean;
}

UINT samplerSlot(DWORD sampler) {
  if (sampler < 16) return sampler;
  if (sampler >= D3DDMAPSAMPLER && sampler <= D3DVERTEXTEXTURESAMPLER3) return 16 + (sampler - D3DDMAPSAMPLER);
  return kSamplers;
}

DWORD samplerOfSlot(UINT slot) {
  return slot < 16 ? slot : D3DDMAPSAMPLER + (slot - 16);
}

UINT transformSlot(D3DTRANSFORMSTATETYPE state) {
  const UINT number = static_cast<UINT>(state);
  if (number == D3DTS_VIEW || number == D3DTS_PROJECTION) return number;
  if (number >= D3DTS_TEXTURE0 && number <= D3DTS_TEXTURE7) return number;
  if (number >= 256 && number < 512) return 24 + (number - 256);
  return kTransforms;
}

bool isSentToDriver(UINT state) {
  switch (state) {
  case D3DRS_VERTEXBLEND:
  case D3DRS_INDEXEDVERTEXBLENDENABLE:
  case D3DRS_TWEENFACTOR:
  case D3DRS_FOGVERTEXMODE:
  case D3DRS_LIGHTING:
  case D3DRS_AMBIENT:
  case D3DRS_COLORVERTEX:
  case D3DRS_LOCALVIEWER:
  case D3DRS_DIFFUSEMATERIALSOURCE:
  case D3DRS_SPECULARMATERIALSOURCE:
  case D3DRS_AMBIENTMATERIALSOURCE:
  case D3DRS_EMISSIVEMATERIALSOURCE:
  case D3DRS_POINTSCALEENABLE:
  case D3DRS_POINTSCALE_A:
  case D3DRS_POINTSCALE_B:
  case D3DRS_POINTSCALE_C:
  case D3DRS_NORMALIZENORMALS:
  case D3DDDIRS_SOFTWAREVERTEXPROCESSING:
    return false;
  default:
    return true;
  }
}

UINT stageStateOfSampler(UINT state) {
  // By D3DSAMPLERSTATETYPE; page d3dddiarg_texturestagestate.
  constexpr UINT kNumbers[kSamplerStates] = {0,
                                             D3DDDITSS_ADDRESSU,
                                             D3DDDITSS_ADDRESSV,
                                             D3DDDITSS_ADDRESSW,
                                             D3DDDITSS_BORDERCOLOR,
                                             D3DDDITSS_MAGFILTER,
                                             D3DDDITSS_MINFILTER,
                                             D3DDDITSS_MIPFILTER,
                                             D3DDDITSS_MIPMAPLODBIAS,
                                             D3DDDITSS_MAXMIPLEVEL,
                                             D3DDDITSS_MAXANISOTROPY,
                                             D3DDDITSS_SRGBTEXTURE,
                                             D3DDDITSS_ELEMENTINDEX,
                                             D3DDDITSS_DMAPOFFSET};
  return kNumbers[state];
}

HRESULT PipelineState::sendRender(UINT state, DWORD value) {
  D3DDDIARG_RENDERSTATE argument{};
  argument.State = static_cast<D3DDDIRENDERSTATETYPE>(state);
  argument.Value = value;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetRenderState>(&argument);
}

HRESULT PipelineState::sendStage(UINT stage, UINT state, DWORD value) {
  D3DDDIARG_TEXTURESTAGESTATE argument{};
  argument.Stage = stage;
  argument.State = static_cast<D3DDDITEXTURESTAGESTATETYPE>(state);
  argument.Value = value;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetTextureStageState>(&argument);
}

HRESULT PipelineState::reset(bool depthStencil) {
  unbind();
  for (const d3d9::StateInfo &info : m_states.render()) {
    DWORD value = info.defaultValue;
    if (info.number == D3DRS_ZENABLE && depthStencil) value = D3DZB_TRUE;
    // Not the 64 of the page, but the largest size that the driver can draw.
    if (info.number == D3DRS_POINTSIZE_MAX) value = std::bit_cast<DWORD>(m_driver.adapter().caps().MaxPointSize);
    m_values.render[info.number] = value;
    if (isSentToDriver(info.number)) sendRender(info.number, value);
  }
  for (UINT stage = 0; stage < kStages; ++stage) {
    for (const d3d9::StateInfo &info : m_states.stage()) {
      // Windows' runtime begins with constant 0, whatever the page says.
      const DWORD value = info.number == D3DTSS_CONSTANT
                              ? 0
                              : d3d9::textureStageDefault(static_cast<d3d9::TextureStageStateType>(info.number), stage);
      m_values.stage[stage][info.number] = value;
      sendStage(stage, info.number, value);
    }
  }
  for (UINT slot = 0; slot < m_states.samplers(); ++slot) {
    for (const d3d9::StateInfo &info : m_states.sampler()) {
      m_values.sampler[slot][info.number] = info.defaultValue;
      sendStage(samplerOfSlot(slot), stageStateOfSampler(info.number), info.defaultValue);
    }
    m_sentLargestLevel[slot] = m_values.sampler[slot][D3DSAMP_MAXMIPLEVEL];
  }
  for (D3DMATRIX &matrix : m_values.transform) matrix = kIdentity;
  std::memset(m_values.clipPlane, 0, sizeof m_values.clipPlane);
  m_values.material = {};
  m_values.lights.clear();
  for (Stream &stream : m_values.stream) stream.frequency = 1;
  for (Constants kind : {Constants::VertexFloat, Constants::VertexInteger, Constants::VertexBoolean,
                         Constants::PixelFloat, Constants::PixelInteger, Constants::PixelBoolean})
    std::memset(m_values.constants(kind), 0, sizeof(DWORD) * constantCount(kind) * constantWords(kind));
  D3DDDIARG_WINFO affine{1.0f, 1.0f};
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnUpdateWInfo>(&affine);
}

void PipelineState::unbind() {
  for (UINT slot = 0; slot < kSamplers; ++slot)
    if (m_values.texture[slot]) setTexture(slot, nullptr);
  for (UINT stream = 0; stream < kStreams; ++stream)
    if (m_values.stream[stream].buffer) setStream(stream, nullptr, 0, 0);
  if (m_values.indices) setIndices(nullptr, 0);
  if (m_values.vertexShader) m_values.vertexShader.reset();
  if (m_sentVertexShader) {
    m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderFunc>(HANDLE{});
    m_sentVertexShader = nullptr;
  }
  if (m_values.pixelShader) setPixelShader(nullptr);
  if (m_sentPixelShader) {
    m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShader>(HANDLE{});
    m_sentPixelShader = nullptr;
  }
  m_fixed.touch();
  m_values.declaration.reset();
  m_sentDeclaration = nullptr;
  m_values.fvf = 0;
}

HRESULT PipelineState::flush(bool indexed) {
  HRESULT result = D3D_OK;
  // A shader with more registers than the hardware: Windows' runtime fails the first draw, and from then on draws as if
  // it were not set.
  const VertexShader *program = m_values.vertexShader.get();
  if (program && program->isSoftwareOnly()) {
    if (!std::exchange(m_refused, true)) return D3DERR_INVALIDCALL;
    program = nullptr;
  }
  const auto note = [&](HRESULT one) {
    if (FAILED(one)) result = one;
  };
  const HANDLE declaration = m_values.declaration->handle();
  if (declaration != m_sentDeclaration) {
    note(m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderDecl>(declaration));
    m_sentDeclaration = declaration;
  }
  // Transformed vertices bypass the vertex shader.
  const bool transformed = m_values.declaration->isTransformed();
  const bool fixedVertex = !program && !transformed, fixedPixel = !m_values.pixelShader;
  if (fixedVertex || fixedPixel) {
    const HRESULT made = m_fixed.prepare(m_values, fixedVertex, fixedPixel);
    if (FAILED(made)) return made;
  }
  note(restoreRegisters(!fixedVertex && !transformed, !fixedPixel));
  if (!transformed) note(sendClipPlanes(fixedVertex));
  note(sendLargestLevels());
  const HANDLE shader = transformed ? nullptr : fixedVertex ? m_fixed.vertexShader() : program->handle();
  if (shader != m_sentVertexShader) {
    note(m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderFunc>(shader));
    m_sentVertexShader = shader;
  }
  const HANDLE pixelShader = fixedPixel ? m_fixed.pixelShader() : m_values.pixelShader->handle();
  if (pixelShader != m_sentPixelShader) {
    note(m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShader>(pixelShader));
    m_sentPixelShader = pixelShader;
  }
  for (const Ref<AnyTexture> &texture : m_values.texture)
    if (texture) note(texture->image().upload());
  for (const Stream &stream : m_values.stream)
    if (stream.buffer) note(stream.buffer->memory().upload());
  if (indexed && m_values.indices) note(m_values.indices->memory().upload());
  return result;
}

HRESULT PipelineState::restoreRegisters(bool vertex, bool pixel) {
  HRESULT result = D3D_OK;
  if (vertex && m_fixed.ownsVertexRegisters()) {
    m_fixed.releaseVertexRegisters();
    result = sendConstants(Constants::VertexFloat, 0, kVertexFloats, m_values.vertexFloat);
    const HRESULT integers = sendConstants(Constants::VertexInteger, 0, kIntegers, m_values.vertexInteger);
    if (FAILED(integers)) result = integers;
  }
  if (pixel && m_fixed.ownsPixelRegisters()) {
    m_fixed.releasePixelRegisters();
    const HRESULT floats = sendConstants(Constants::PixelFloat, 0, kPixelFloats, m_values.pixelFloat);
    if (FAILED(floats)) result = floats;
  }
  return result;
}

HRESULT PipelineState::sendClipPlanes(bool fixed) {
  HRESULT result = D3D_OK;
  for (UINT i = 0; i < kClipPlanes; ++i) {
    if (!(m_values.render[D3DRS_CLIPPLANEENABLE] >> i & 1)) continue;
    float plane[4];
    std::memcpy(plane, m_values.clipPlane[i], sizeof plane);
    if (fixed)
      d3d9::fixedClipPlane(m_values.clipPlane[i], m_values.transform[D3DTS_VIEW].m[0],
                           m_values.transform[D3DTS_PROJECTION].m[0], plane);
    if (std::equal(plane, plane + 4, m_sentPlane[i])) continue;
    const HRESULT one = sendClipPlane(i, plane);
    if (FAILED(one)) result = one;
  }
  return result;
}

HRESULT PipelineState::sendLargestLevels() {
  HRESULT result = D3D_OK;
  for (UINT slot = 0; slot < kSamplers; ++slot) {
    if (!m_values.texture[slot]) continue;
    const DWORD *sampler = m_values.sampler[slot];
    // Without a filter between levels the sampler's value does not count.
    const DWORD own = sampler[D3DSAMP_MIPFILTER] == D3DTEXF_NONE ? 0 : sampler[D3DSAMP_MAXMIPLEVEL];
    const DWORD level = std::max(own, m_values.texture[slot]->lod());
    if (std::exchange(m_sentLargestLevel[slot], level) == level) continue;
    const HRESULT one = sendStage(samplerOfSlot(slot), D3DDDITSS_MAXMIPLEVEL, level);
    if (FAILED(one)) result = one;
  }
  return result;
}

HRESULT PipelineState::restoreStreams(bool indexed) {
  // DrawPrimitiveUP unsets stream 0, and its indexed form the indices.
  m_values.stream[0].buffer.reset();
  m_values.stream[0].offset = m_values.stream[0].stride = 0;
  const HRESULT result = sendStream(0);
  if (!indexed) return result;
  m_values.indices.reset();
  m_values.baseVertex = 0;
  return sendIndices();
}

HRESULT PipelineState::setRender(UINT state, DWORD value) {
  if (m_values.render[state] == value && !m_pure) return D3D_OK;
  m_values.render[state] = value;
  m_fixed.touch();
  return isSentToDriver(state) ? sendRender(state, value) : D3D_OK;
}

HRESULT PipelineState::setSampler(UINT slot, UINT state, DWORD value) {
  if (m_values.sampler[slot][state] == value && !m_pure) return D3D_OK;
  m_values.sampler[slot][state] = value;
  if (state == D3DSAMP_MAXMIPLEVEL) m_sentLargestLevel[slot] = value;
  return sendStage(samplerOfSlot(slot), stageStateOfSampler(state), value);
}

HRESULT PipelineState::setStage(UINT stage, UINT state, DWORD value) {
  if (m_values.stage[stage][state] == value && !m_pure) return D3D_OK;
  m_values.stage[stage][state] = value;
  m_fixed.touch();
  return sendStage(stage, state, value);
}

HRESULT PipelineState::setTexture(UINT slot, AnyTexture *texture) {
  if (m_values.texture[slot].get() == texture) return D3D_OK;
  const Ref<AnyTexture> previous = std::move(m_values.texture[slot]);  // outlives the change at the driver
  m_values.texture[slot] = Ref<AnyTexture>(texture);
  m_fixed.touch();
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetTexture>(samplerOfSlot(slot),
                                                           texture ? texture->image().handle() : nullptr);
}

HRESULT PipelineState::sendStream(UINT index) {
  const Stream &stream = m_values.stream[index];
  D3DDDIARG_SETSTREAMSOURCE argument{};
  argument.Stream = index;
  argument.hVertexBuffer = stream.buffer ? stream.buffer->memory().handle() : nullptr;
  argument.Offset = stream.offset;
  argument.Stride = stream.stride;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetStreamSource>(&argument);
}

HRESULT PipelineState::setStream(UINT index, VertexBuffer *buffer, UINT offset, UINT stride) {
  Stream &stream = m_values.stream[index];
  const Ref<VertexBuffer> previous = std::move(stream.buffer);
  stream.buffer = Ref<VertexBuffer>(buffer);
  stream.offset = offset;
  stream.stride = stride;
  return sendStream(index);
}

HRESULT PipelineState::setFrequency(UINT index, UINT frequency) {
  m_values.stream[index].frequency = frequency;
  D3DDDIARG_SETSTREAMSOURCEFREQ argument{};
  argument.Stream = index;
  argument.Divider = frequency;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetStreamSourceFreq>(&argument);
}

HRESULT PipelineState::sendIndices() {
  D3DDDIARG_SETINDICES argument{};
  argument.hIndexBuffer = m_values.indices ? m_values.indices->memory().handle() : nullptr;
  argument.Stride = m_values.indices ? m_values.indices->stride() : 2;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetIndices>(&argument);
}

HRESULT PipelineState::setIndices(IndexBuffer *buffer, UINT baseVertex) {
  const Ref<IndexBuffer> previous = std::move(m_values.indices);
  m_values.indices = Ref<IndexBuffer>(buffer);
  m_values.baseVertex = baseVertex;
  return sendIndices();
}

// The declaration and the vertex shader are sent with the draw, because they depend on each other.
HRESULT PipelineState::setDeclaration(Declaration *declaration, DWORD fvf) {
  m_values.declaration = Ref<Declaration>(declaration);
  m_values.fvf = fvf;
  m_fixed.touch();
  return D3D_OK;
}

HRESULT PipelineState::setVertexShader(VertexShader *shader) {
  m_refused = false;
  m_values.vertexShader = Ref<VertexShader>(shader);
  return D3D_OK;
}

void PipelineState::setSoftwareFloats(UINT first, UINT count, const float *data) {
  m_softwareFloats.resize(kSoftwareFloats - kVertexFloats);
  std::memcpy(m_softwareFloats[first - kVertexFloats].c, data, count * sizeof(Float4));
}

void PipelineState::forget(HANDLE handle) {
  if (m_sentDeclaration == handle) m_sentDeclaration = nullptr;
  if (m_sentVertexShader == handle) m_sentVertexShader = nullptr;
}

HRESULT PipelineState::setPixelShader(PixelShader *shader) {
  if (m_values.pixelShader.get() == shader && !m_pure) return D3D_OK;
  const Ref<PixelShader> previous = std::move(m_values.pixelShader);
  m_values.pixelShader = Ref<PixelShader>(shader);
  m_sentPixelShader = shader ? shader->handle() : HANDLE{};
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShader>(m_sentPixelShader);
}

HRESULT PipelineState::setConstants(Constants kind, UINT first, UINT count, const void *data) {
  const UINT words = constantWords(kind);
  DWORD *to = m_values.constants(kind) + size_t{first} * words;
  std::memcpy(to, data, sizeof(DWORD) * count * words);
  // If the fixed function owns the registers, they get the program's values with its next shader.
  const bool vertex = kind == Constants::VertexFloat || kind == Constants::VertexInteger;
  if (vertex && m_fixed.ownsVertexRegisters()) return D3D_OK;
  if (kind == Constants::PixelFloat && m_fixed.ownsPixelRegisters()) return D3D_OK;
  return sendConstants(kind, first, count, data);
}

HRESULT PipelineState::sendConstants(Constants kind, UINT first, UINT count, const void *data) {
  // One structure under six names.
  switch (kind) {
  case Constants::VertexFloat: {
    D3DDDIARG_SETVERTEXSHADERCONST argument{first, count};
    return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderConst>(&argument, static_cast<const VOID *>(data));
  }
  case Constants::VertexInteger: {
    D3DDDIARG_SETVERTEXSHADERCONSTI argument{first, count};
    return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderConstI>(&argument, static_cast<const INT *>(data));
  }
  case Constants::VertexBoolean: {
    D3DDDIARG_SETVERTEXSHADERCONSTB argument{first, count};
    return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderConstB>(&argument, static_cast<const BOOL *>(data));
  }
  case Constants::PixelFloat: {
    D3DDDIARG_SETPIXELSHADERCONST argument{first, count};
    return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShaderConst>(&argument, static_cast<const FLOAT *>(data));
  }
  case Constants::PixelInteger: {
    D3DDDIARG_SETPIXELSHADERCONSTI argument{first, count};
    return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShaderConstI>(&argument, static_cast<const INT *>(data));
  }
  case Constants::PixelBoolean:
    break;
  }
  D3DDDIARG_SETPIXELSHADERCONSTB argument{first, count};
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShaderConstB>(&argument, static_cast<const BOOL *>(data));
}

HRESULT PipelineState::setViewport(const D3DVIEWPORT9 &viewport) {
  m_values.viewport = viewport;
  m_fixed.touch();
  D3DDDIARG_VIEWPORTINFO area{viewport.X, viewport.Y, viewport.Width, viewport.Height};
  m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetViewport>(&area);
  // The driver never gets an empty or reversed range, as with Windows' runtime; the program gets back what it set.
  constexpr float kLeastRange = 0.001f;
  D3DDDIARG_ZRANGE range{viewport.MinZ, viewport.MinZ < viewport.MaxZ ? viewport.MaxZ : viewport.MinZ + kLeastRange};
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetZRange>(&range);
}

HRESULT PipelineState::setScissor(const RECT &rect) {
  m_values.scissor = rect;
  if (!m_states.hasScissor()) return D3D_OK;
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetScissorRect>(&rect);
}

HRESULT PipelineState::setClipPlane(UINT index, const float *plane) {
  std::memcpy(m_values.clipPlane[index], plane, sizeof m_values.clipPlane[index]);
  return sendClipPlane(index, plane);
}

HRESULT PipelineState::sendClipPlane(UINT index, const float *plane) {
  std::memcpy(m_sentPlane[index], plane, sizeof m_sentPlane[index]);
  D3DDDIARG_SETCLIPPLANE argument{};
  argument.Index = index;
  std::memcpy(argument.Plane, plane, sizeof argument.Plane);
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetClipPlane>(&argument);
}

// Transforms, materials and lights go into the fixed function's shaders, which the runtime makes; from the projection
// the driver only learns how far w goes, for fog ("Eye-Relative vs. Z-Based Depth").
HRESULT PipelineState::setTransform(UINT slot, const D3DMATRIX &matrix) {
  m_values.transform[slot] = matrix;
  m_fixed.touch();
  return slot == D3DTS_PROJECTION ? sendDepthRange() : D3D_OK;
}

HRESULT PipelineState::sendDepthRange() {
  const D3DMATRIX &m = m_values.transform[D3DTS_PROJECTION];
  D3DDDIARG_WINFO argument{1.0f, 1.0f};
  if (m._34 != 0.0f && m._33 != 0.0f && m._33 != m._34) {
    argument.WNear = m._44 - m._43 / m._33 * m._34;
    argument.WFar = (m._44 - m._43) / (m._33 - m._34) * m._34 + m._44;
  }
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnUpdateWInfo>(&argument);
}

HRESULT PipelineState::setMaterial(const D3DMATERIAL9 &material) {
  m_values.material = material;
  m_fixed.touch();
  return D3D_OK;
}

HRESULT PipelineState::setLight(DWORD index, const D3DLIGHT9 &light) {
  m_values.lights[index].light = light;
  m_fixed.touch();
  return D3D_OK;
}

HRESULT PipelineState::enableLight(DWORD index, BOOL enable) {
  const bool known = m_values.lights.contains(index);
  Light &light = m_values.lights[index];
  // LightEnable: a light that was never set is white and shines along z.
  if (!known) {
    light.light.Type = D3DLIGHT_DIRECTIONAL;
    light.light.Diffuse = {1, 1, 1, 0};
    light.light.Direction = {0, 0, 1};
  }
  light.enabled = enable;
  m_fixed.touch();
  return D3D_OK;
}

}  // namespace aerogpu::runtime
