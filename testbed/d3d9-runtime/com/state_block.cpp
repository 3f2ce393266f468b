// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/state_block.h"

#include <cstring>

#include "aerogpu/d3d9/states.h"
#include "testbed/d3d9-runtime/com/device.h"

namespace aerogpu::runtime {
namespace {

/// Classify render states as vertex states and pixel states, by their part of the pipeline. The tables of
/// D3DSBT_VERTEXSTATE and D3DSBT_PIXELSTATE have D3DRS_SHADEMODE and fog's start, end and density in common.
bool isVertexState(const d3d9::StateInfo &info) {
  switch (info.part) {
  case d3d9::StatePart::VertexProcessing:
  case d3d9::StatePart::Tessellation:
  case d3d9::StatePart::Points:
  case d3d9::StatePart::Fog:
    return true;
  case d3d9::StatePart::Rasterizer:
    return info.number == D3DRS_CULLMODE || info.number == D3DRS_SHADEMODE || info.number == D3DRS_CLIPPING ||
           info.number == D3DRS_CLIPPLANEENABLE || info.number == D3DRS_MULTISAMPLEANTIALIAS;
  default:
    return info.number == D3DRS_SPECULARENABLE || info.number == D3DRS_MULTISAMPLEMASK;
  }
}

bool isPixelState(const d3d9::StateInfo &info) {
  switch (info.part) {
  case d3d9::StatePart::TextureBlending:
  case d3d9::StatePart::AlphaTest:
  case d3d9::StatePart::DepthStencil:
  case d3d9::StatePart::Blending:
    return info.number != D3DRS_SPECULARENABLE && info.number != D3DRS_MULTISAMPLEMASK;
  case d3d9::StatePart::Fog:
    return info.number == D3DRS_FOGSTART || info.number == D3DRS_FOGEND || info.number == D3DRS_FOGDENSITY;
  case d3d9::StatePart::Rasterizer:
    return info.number == D3DRS_FILLMODE || info.number == D3DDDIRS_LINEPATTERN || info.number == D3DRS_SHADEMODE ||
           info.number == D3DRS_LASTPIXEL || info.number == D3DRS_SCISSORTESTENABLE || info.number == D3DRS_DEPTHBIAS ||
           info.number == D3DRS_SLOPESCALEDEPTHBIAS || info.number == D3DRS_ANTIALIASEDLINEENABLE ||
           (info.number >= D3DRS_WRAP0 && info.number <= D3DRS_WRAP7) ||
           (info.number >= D3DRS_WRAP8 && info.number <= D3DRS_WRAP15);
  default:
    return false;
  }
}

}  // namespace

void StateBlock::take(D3DSTATEBLOCKTYPE type) {
  const bool all = type == D3DSBT_ALL, vertex = all || type == D3DSBT_VERTEXSTATE,
             pixel = all || type == D3DSBT_PIXELSTATE;
  const ApiStates &states = device().pipeline().states();
  for (const d3d9::StateInfo &info : states.render())
    m_mask.render[info.number] = all || (vertex && isVertexState(info)) || (pixel && isPixelState(info));
  for (UINT slot = 0; slot < states.samplers(); ++slot)
    for (const d3d9::StateInfo &info : states.sampler())
      m_mask.sampler[slot * kSamplerStates + info.number] = pixel || (vertex && info.number == D3DSAMP_DMAPOFFSET);
  for (UINT stage = 0; stage < kStages; ++stage)
    for (const d3d9::StateInfo &info : states.stage())
      m_mask.stage[stage * kStageStates + info.number] =
          pixel || (vertex && (info.number == D3DTSS_TEXCOORDINDEX || info.number == D3DTSS_TEXTURETRANSFORMFLAGS));
  if (vertex) {
    if (states.hasStreamFrequency()) m_mask.frequency.set();
    m_mask.declaration = m_mask.vertexShader = m_mask.lights = true;
    for (Constants kind : {Constants::VertexFloat, Constants::VertexInteger, Constants::VertexBoolean})
      for (UINT i = 0; i < states.constants(kind); ++i) m_mask.constants[static_cast<size_t>(kind)].set(i);
  }
  if (pixel) {
    m_mask.pixelShader = true;
    for (Constants kind : {Constants::PixelFloat, Constants::PixelInteger, Constants::PixelBoolean})
      for (UINT i = 0; i < states.constants(kind); ++i) m_mask.constants[static_cast<size_t>(kind)].set(i);
  }
  if (all) {
    m_mask.texture.set();
    m_mask.stream.set();
    m_mask.clipPlane.set();
    m_mask.transform.set();
    m_mask.indices = m_mask.viewport = m_mask.material = true;
    m_mask.scissor = states.hasScissor();
  }
  copy(device().pipeline().values(), *this);
  m_hasAll = all;
}

HRESULT StateBlock::Capture() {
  const Lock lock(device());
  if (device().isRecording()) return D3DERR_INVALIDCALL;
  UINT offsets[kStreams];
  for (UINT i = 0; i < kStreams; ++i) offsets[i] = m_values.stream[i].offset;
  copy(device().pipeline().values(), *this);
  // In Windows' runtime a block of all states keeps the offsets from when it was made.
  if (m_hasAll)
    for (UINT i = 0; i < kStreams; ++i) m_values.stream[i].offset = offsets[i];
  return D3D_OK;
}

HRESULT StateBlock::Apply() {
  const Lock lock(device());
  if (device().isRecording()) return D3DERR_INVALIDCALL;
  copy(m_values, device().pipeline());
  return D3D_OK;
}

void StateBlock::copy(const StateValues &from, StateSink &to) const {
  const Mask mask = m_mask;  // `to` may be this block, which records what it gets
  for (UINT i = 0; i < kRenderStates; ++i)
    if (mask.render[i]) to.setRender(i, from.render[i]);
  for (UINT i = 0; i < kSamplers * kSamplerStates; ++i)
    if (mask.sampler[i])
      to.setSampler(i / kSamplerStates, i % kSamplerStates, from.sampler[i / kSamplerStates][i % kSamplerStates]);
  for (UINT i = 0; i < kStages * kStageStates; ++i)
    if (mask.stage[i]) to.setStage(i / kStageStates, i % kStageStates, from.stage[i / kStageStates][i % kStageStates]);
  for (UINT i = 0; i < kSamplers; ++i)
    if (mask.texture[i]) to.setTexture(i, from.texture[i].get());
  for (UINT i = 0; i < kStreams; ++i) {
    if (mask.stream[i]) to.setStream(i, from.stream[i].buffer.get(), from.stream[i].offset, from.stream[i].stride);
    if (mask.frequency[i]) to.setFrequency(i, from.stream[i].frequency);
  }
  if (mask.indices) to.setIndices(from.indices.get(), from.baseVertex);
  // The lack of a declaration is captured, but not applied, except that it is a vertex shader's in Direct3D 8.
  if (mask.declaration && (from.declaration || &to != &device().pipeline() || device().version() == 8))
    to.setDeclaration(from.declaration.get(), from.fvf);
  if (mask.vertexShader) to.setVertexShader(from.vertexShader.get());
  if (mask.pixelShader) to.setPixelShader(from.pixelShader.get());
  for (Constants kind : {Constants::VertexFloat, Constants::VertexInteger, Constants::VertexBoolean,
                         Constants::PixelFloat, Constants::PixelInteger, Constants::PixelBoolean}) {
    const auto &bits = mask.constants[static_cast<size_t>(kind)];
    const DWORD *words = from.constants(kind);
    for (UINT first = 0; first < constantCount(kind);) {
      UINT end = first;
      while (end < constantCount(kind) && bits[end]) ++end;
      if (end > first) to.setConstants(kind, first, end - first, words + size_t{first} * constantWords(kind));
      first = end + 1;
    }
  }
  if (mask.viewport) to.setViewport(from.viewport);
  if (mask.scissor) to.setScissor(from.scissor);
  for (UINT i = 0; i < kClipPlanes; ++i)
    if (mask.clipPlane[i]) to.setClipPlane(i, from.clipPlane[i]);
  for (UINT i = 0; i < kTransforms; ++i)
    if (mask.transform[i]) to.setTransform(i, from.transform[i]);
  if (mask.material) to.setMaterial(from.material);
  if (mask.lights) {
    const std::map<DWORD, Light> lights = from.lights;
    for (const auto &[index, light] : lights) {
      to.setLight(index, light.light);
      to.enableLight(index, light.enabled);
    }
  }
}

HRESULT StateBlock::setRender(UINT state, DWORD value) {
  m_values.render[state] = value;
  m_mask.render.set(state);
  return D3D_OK;
}

HRESULT StateBlock::setSampler(UINT slot, UINT state, DWORD value) {
  m_values.sampler[slot][state] = value;
  m_mask.sampler.set(slot * kSamplerStates + state);
  return D3D_OK;
}

HRESULT StateBlock::setStage(UINT stage, UINT state, DWORD value) {
  m_values.stage[stage][state] = value;
  m_mask.stage.set(stage * kStageStates + state);
  return D3D_OK;
}

HRESULT StateBlock::setTexture(UINT slot, AnyTexture *texture) {
  m_values.texture[slot] = Ref<AnyTexture>(texture);
  m_mask.texture.set(slot);
  return D3D_OK;
}

HRESULT StateBlock::setStream(UINT stream, VertexBuffer *buffer, UINT offset, UINT stride) {
  m_values.stream[stream].buffer = Ref<VertexBuffer>(buffer);
  m_values.stream[stream].offset = offset;
  m_values.stream[stream].stride = stride;
  m_mask.stream.set(stream);
  return D3D_OK;
}

HRESULT StateBlock::setFrequency(UINT stream, UINT frequency) {
  m_values.stream[stream].frequency = frequency;
  m_mask.frequency.set(stream);
  return D3D_OK;
}

HRESULT StateBlock::setIndices(IndexBuffer *buffer, UINT baseVertex) {
  m_values.indices = Ref<IndexBuffer>(buffer);
  m_values.baseVertex = baseVertex;
  m_mask.indices = true;
  return D3D_OK;
}

HRESULT StateBlock::setDeclaration(Declaration *declaration, DWORD fvf) {
  m_values.declaration = Ref<Declaration>(declaration);
  m_values.fvf = fvf;
  m_mask.declaration = true;
  return D3D_OK;
}

HRESULT StateBlock::setVertexShader(VertexShader *shader) {
  m_values.vertexShader = Ref<VertexShader>(shader);
  m_mask.vertexShader = true;
  return D3D_OK;
}

HRESULT StateBlock::setPixelShader(PixelShader *shader) {
  m_values.pixelShader = Ref<PixelShader>(shader);
  m_mask.pixelShader = true;
  return D3D_OK;
}

HRESULT StateBlock::setConstants(Constants kind, UINT first, UINT count, const void *data) {
  const UINT words = constantWords(kind);
  std::memcpy(m_values.constants(kind) + size_t{first} * words, data, sizeof(DWORD) * count * words);
  for (UINT i = 0; i < count; ++i) m_mask.constants[static_cast<size_t>(kind)].set(first + i);
  return D3D_OK;
}

HRESULT StateBlock::setViewport(const D3DVIEWPORT9 &viewport) {
  m_values.viewport = viewport;
  m_mask.viewport = true;
  return D3D_OK;
}

HRESULT StateBlock::setScissor(const RECT &rect) {
  m_values.scissor = rect;
  m_mask.scissor = true;
  return D3D_OK;
}

HRESULT StateBlock::setClipPlane(UINT index, const float *plane) {
  std::memcpy(m_values.clipPlane[index], plane, sizeof m_values.clipPlane[index]);
  m_mask.clipPlane.set(index);
  return D3D_OK;
}

HRESULT StateBlock::setTransform(UINT slot, const D3DMATRIX &matrix) {
  m_values.transform[slot] = matrix;
  m_mask.transform.set(slot);
  return D3D_OK;
}

HRESULT StateBlock::setMaterial(const D3DMATERIAL9 &material) {
  m_values.material = material;
  m_mask.material = true;
  return D3D_OK;
}

HRESULT StateBlock::setLight(DWORD index, const D3DLIGHT9 &light) {
  m_values.lights[index].light = light;
  m_mask.lights = true;
  return D3D_OK;
}

HRESULT StateBlock::enableLight(DWORD index, BOOL enable) {
  m_values.lights[index].enabled = enable;
  m_mask.lights = true;
  return D3D_OK;
}

}  // namespace aerogpu::runtime
