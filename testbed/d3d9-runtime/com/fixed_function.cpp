// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/fixed_function.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "testbed/d3d9-runtime/com/pipeline_state.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

/// D3DTRANSFORMSTATETYPEs as numbers of transformSlot().
constexpr UINT kView = 2, kProjection = 3, kTexture0 = 16, kWorld0 = 24;

static_assert(kStages == d3d9::kFixedStages && kStageStates == d3d9::kFixedStageStates &&
              kRenderStates == d3d9::kFixedRenderStates);
static_assert(sizeof(D3DMATRIX) == 16 * sizeof(float) && sizeof(d3d9::FixedLight) == sizeof(D3DLIGHT9) &&
              sizeof(d3d9::FixedMaterial) == sizeof(D3DMATERIAL9) && sizeof(DWORD) == sizeof(uint32_t));

const float *floats(const D3DMATRIX &matrix) {
  return matrix.m[0];
}
const float (*matrices(const D3DMATRIX &first))[16] {
  return reinterpret_cast<const float(*)[16]>(&first);
}

d3d9::SamplerType samplerType(const Ref<AnyTexture> &texture) {
  if (!texture || !texture->image().handle()) return d3d9::SamplerType::Unknown;
  switch (texture->image().description().type) {
  case D3DRTYPE_CUBETEXTURE:
    return d3d9::SamplerType::TextureCube;
  case D3DRTYPE_VOLUMETEXTURE:
    return d3d9::SamplerType::TextureVolume;
  default:
    return d3d9::SamplerType::Texture2D;
  }
}

/// True if the device has the model that the largest of these shaders need.
bool hasLargerModel(const D3DCAPS9 &caps) {
  return caps.PS20Caps.NumInstructionSlots >= D3DPS20_MAX_NUMINSTRUCTIONSLOTS &&
         caps.PS20Caps.Caps & D3DPS20CAPS_NODEPENDENTREADLIMIT;
}

/// True if a register with these values would hold the same: zeros of different sign differ, a NaN equals itself.
bool sameBits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

}  // namespace

FixedFunction::~FixedFunction() {
  for (const auto &[key, shader] : m_vertexShaders)
    m_driver.call<&D3DDDI_DEVICEFUNCS::pfnDeleteVertexShaderFunc>(shader);
  for (const auto &[key, shader] : m_pixelShaders) m_driver.call<&D3DDDI_DEVICEFUNCS::pfnDeletePixelShader>(shader);
}

void FixedFunction::readStates(const StateValues &values) {
  std::memcpy(m_render, values.render, sizeof m_render);
  std::memcpy(m_stage, values.stage, sizeof m_stage);
  m_states.render = m_render;
  m_states.stage = m_stage;
  for (UINT i = 0; i < d3d9::kFixedStages; ++i) m_states.textures[i] = samplerType(values.texture[i]);
}

HRESULT FixedFunction::prepare(const StateValues &values, bool vertex, bool pixel) {
  const bool registers = (!vertex || m_ownsVertex) && (!pixel || m_ownsPixel);
  if (!m_touched && vertex == m_vertex && pixel == m_pixel && registers) return D3D_OK;
  readStates(values);
  const d3d9::FixedVertexInputs inputs = values.declaration->fixedInputs();
  d3d9::FixedPixelKey pixelKey;
  HRESULT result = D3D_OK;
  m_pixelShader = m_vertexShader = nullptr;
  if (pixel) {
    pixelKey = d3d9::fixedPixelKey(m_states, vertex ? &inputs : nullptr);
    result = makePixelShader(pixelKey);
    if (SUCCEEDED(result)) result = sendPixelRegisters(pixelKey);
  }
  if (vertex && SUCCEEDED(result)) {
    // A program's pixel shader may read everything.
    const d3d9::FixedVertexKey key =
        d3d9::fixedVertexKey(m_states, inputs, pixel ? d3d9::fixedCoordinatesRead(pixelKey) : uint8_t{0xFF},
                             !pixel || d3d9::fixedSpecularRead(pixelKey));
    result = makeVertexShader(key);
    if (SUCCEEDED(result)) result = sendVertexRegisters(values, key);
  }
  m_touched = FAILED(result);
  m_vertex = vertex;
  m_pixel = pixel;
  return result;
}

HRESULT FixedFunction::makeVertexShader(const d3d9::FixedVertexKey &key) {
  if (const auto known = m_vertexShaders.find(key); known != m_vertexShaders.end()) {
    m_vertexShader = known->second;
    return D3D_OK;
  }
  std::vector<uint32_t> code(d3d9::kFixedShaderTokens);
  const d3d9::FixedShader made = d3d9::writeFixedVertexShader(key, code.data(), code.size());
  if (made.error != d3d9::FixedError::None) return D3DERR_DRIVERINTERNALERROR;  // never: there is room for all
  D3DDDIARG_CREATEVERTEXSHADERFUNC argument{};
  argument.Size = static_cast<UINT>(made.tokens * sizeof(uint32_t));
  const HRESULT result =
      m_driver.call<&D3DDDI_DEVICEFUNCS::pfnCreateVertexShaderFunc>(&argument, static_cast<const UINT *>(code.data()));
  std::memset(code.data(), 0xDB, argument.Size);  // the driver must have copied it
  if (FAILED(result)) return result;
  m_vertexShader = argument.ShaderHandle;
  m_vertexShaders.emplace(key, m_vertexShader);
  return D3D_OK;
}

HRESULT FixedFunction::makePixelShader(const d3d9::FixedPixelKey &key) {
  if (const auto known = m_pixelShaders.find(key); known != m_pixelShaders.end()) {
    m_pixelShader = known->second;
    return D3D_OK;
  }
  std::vector<uint32_t> code(d3d9::kFixedShaderTokens);
  const d3d9::FixedShader made =
      d3d9::writeFixedPixelShader(key, hasLargerModel(m_driver.adapter().caps()), code.data(), code.size());
  if (made.error == d3d9::FixedError::TooMany) {
    logOnce("fixed function: stages",
            "texture stages that need %u arithmetic slots and %u dependent reads do not fit ps_2_0, and the driver's "
            "ps_2_x does not hold them: such draws fail",
            made.arithmeticSlots, made.dependentReads);
    return D3DERR_TOOMANYOPERATIONS;
  }
  if (made.error != d3d9::FixedError::None) return D3DERR_DRIVERINTERNALERROR;  // never: there is room for all
  D3DDDIARG_CREATEPIXELSHADER argument{};
  argument.CodeSize = static_cast<UINT>(made.tokens * sizeof(uint32_t));
  const HRESULT result =
      m_driver.call<&D3DDDI_DEVICEFUNCS::pfnCreatePixelShader>(&argument, static_cast<const UINT *>(code.data()));
  std::memset(code.data(), 0xDB, argument.CodeSize);
  if (FAILED(result)) return result;
  m_pixelShader = argument.ShaderHandle;
  m_pixelShaders.emplace(key, m_pixelShader);
  return D3D_OK;
}

HRESULT FixedFunction::sendFloats(bool vertex, UINT first, UINT count, const float (*values)[4]) {
  if (vertex) {
    D3DDDIARG_SETVERTEXSHADERCONST argument{first, count};
    return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderConst>(&argument,
                                                                       static_cast<const VOID *>(values[first]));
  }
  D3DDDIARG_SETPIXELSHADERCONST argument{first, count};
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetPixelShaderConst>(&argument,
                                                                    static_cast<const FLOAT *>(values[first]));
}

HRESULT FixedFunction::sendChanges(bool vertex, bool all, UINT count, const float (*values)[4], float (*sent)[4]) {
  HRESULT result = D3D_OK;
  const auto differs = [&](UINT n) { return all || !std::equal(values[n], values[n] + 4, sent[n], sameBits); };
  for (UINT first = 0; first < count;) {
    if (!differs(first)) {
      ++first;
      continue;
    }
    UINT end = first + 1;
    while (end < count && differs(end)) ++end;
    const HRESULT one = sendFloats(vertex, first, end - first, values);
    if (FAILED(one)) result = one;
    first = end;
  }
  std::memcpy(sent, values, count * sizeof values[0]);
  return result;
}

HRESULT FixedFunction::generate(const StateValues &values, std::vector<uint32_t> &code,
                                d3d9::FixedVertexConstants &constants) {
  readStates(values);
  const d3d9::FixedVertexKey key = d3d9::fixedVertexKey(m_states, values.declaration->fixedInputs(), 0xFF, true);
  code.resize(d3d9::kFixedShaderTokens);
  const d3d9::FixedShader made = d3d9::writeFixedVertexShader(key, code.data(), code.size());
  if (made.error != d3d9::FixedError::None) return D3DERR_DRIVERINTERNALERROR;  // never: there is room for all
  code.resize(made.tokens);
  constants = {};
  fillConstants(values, key, constants);
  return D3D_OK;
}

void FixedFunction::fillConstants(const StateValues &values, const d3d9::FixedVertexKey &key,
                                  d3d9::FixedVertexConstants &constants) {
  m_lights.clear();
  m_lightPointers.clear();
  for (const auto &[index, light] : values.lights) {
    if (light.enabled) m_lights.push_back(std::bit_cast<d3d9::FixedLight>(light.light));
  }
  for (const d3d9::FixedLight &light : m_lights) m_lightPointers.push_back(&light);
  d3d9::FixedVertexValues v;
  v.render = m_render;
  v.world = matrices(values.transform[kWorld0]);
  v.worlds = kTransforms - kWorld0;
  v.view = floats(values.transform[kView]);
  v.projection = floats(values.transform[kProjection]);
  v.texture = matrices(values.transform[kTexture0]);
  v.lights = m_lightPointers.data();
  v.lightCount = static_cast<uint32_t>(m_lightPointers.size());
  v.material = std::bit_cast<d3d9::FixedMaterial>(values.material);
  v.viewportHeight = static_cast<float>(values.viewport.Height);
  d3d9::fillFixedVertexConstants(key, v, constants);
}

HRESULT FixedFunction::sendVertexRegisters(const StateValues &values, const d3d9::FixedVertexKey &key) {
  d3d9::FixedVertexConstants now = m_sentVertex;
  fillConstants(values, key, now);
  HRESULT result = sendChanges(true, !m_ownsVertex, kVertexFloats, now.c, m_sentVertex.c);
  if (!m_ownsVertex || std::memcmp(now.i, m_sentVertex.i, sizeof now.i) != 0) {
    D3DDDIARG_SETVERTEXSHADERCONSTI argument{0, 2};
    const HRESULT integers =
        m_driver.call<&D3DDDI_DEVICEFUNCS::pfnSetVertexShaderConstI>(&argument, reinterpret_cast<const INT *>(now.i));
    if (FAILED(integers)) result = integers;
    std::memcpy(m_sentVertex.i, now.i, sizeof now.i);
  }
  m_ownsVertex = true;
  return result;
}

HRESULT FixedFunction::sendPixelRegisters(const d3d9::FixedPixelKey &key) {
  float now[d3d9::kFixedPixelConstants][4];
  std::memcpy(now, m_sentPixel, sizeof now);
  d3d9::fillFixedPixelConstants(key, m_states, now);
  const HRESULT result = sendChanges(false, !m_ownsPixel, d3d9::kFixedPixelConstants, now, m_sentPixel);
  m_ownsPixel = true;
  return result;
}

}  // namespace aerogpu::runtime
