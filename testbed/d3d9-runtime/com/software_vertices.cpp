// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/software_vertices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "aerogpu/d3d9/declaration.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

template <class Number> Number at(const BYTE *bytes, UINT index) {
  Number out;
  std::memcpy(&out, bytes + index * sizeof out, sizeof out);
  return out;
}

float halfFloat(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits >> 15 ? -1.0f : 1.0f;
  return exponent ? sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25)
                  : sign * std::ldexp(static_cast<float>(fraction), -24);
}

/// Returns 10 bits of a packed number, with their sign.
int signed10(uint32_t packed, UINT index) {
  const int value = static_cast<int>(packed >> 10 * index & 1023);
  return value > 511 ? value - 1024 : value;
}

/// Returns component `i` of an element, page "D3DDECLTYPE".
float component(BYTE type, const BYTE *bytes, UINT i) {
  switch (type) {
  case D3DDECLTYPE_D3DCOLOR: {
    constexpr UINT kOrder[] = {2, 1, 0, 3};
    return static_cast<float>(bytes[kOrder[i]]) / 255.0f;
  }
  case D3DDECLTYPE_UBYTE4:
    return bytes[i];
  case D3DDECLTYPE_UBYTE4N:
    return static_cast<float>(bytes[i]) / 255.0f;
  case D3DDECLTYPE_SHORT2:
  case D3DDECLTYPE_SHORT4:
    return at<int16_t>(bytes, i);
  case D3DDECLTYPE_SHORT2N:
  case D3DDECLTYPE_SHORT4N:
    return static_cast<float>(at<int16_t>(bytes, i)) / 32767.0f;
  case D3DDECLTYPE_USHORT2N:
  case D3DDECLTYPE_USHORT4N:
    return static_cast<float>(at<uint16_t>(bytes, i)) / 65535.0f;
  case D3DDECLTYPE_UDEC3:
    return static_cast<float>(at<uint32_t>(bytes, 0) >> 10 * i & 1023);
  case D3DDECLTYPE_DEC3N:
    return static_cast<float>(signed10(at<uint32_t>(bytes, 0), i)) / 511.0f;
  case D3DDECLTYPE_FLOAT16_2:
  case D3DDECLTYPE_FLOAT16_4:
    return halfFloat(at<uint16_t>(bytes, i));
  default:
    return at<float>(bytes, i);
  }
}

}  // namespace

VertexReader::~VertexReader() {
  for (const Source &source : m_sources)
    if (source.buffer) source.buffer->unlock();
}

HRESULT VertexReader::open(const StateValues &values, const void *user, size_t userBytes, UINT userStride) {
  m_declaration = values.declaration.get();
  if (!m_declaration) return D3DERR_INVALIDCALL;
  if (user) m_sources[0] = {nullptr, static_cast<const BYTE *>(user), userBytes, userStride};
  for (const D3DVERTEXELEMENT9 &e : m_declaration->elements()) {
    if (e.Stream >= kStreams) return D3DERR_INVALIDCALL;
    const Stream &stream = values.stream[e.Stream];
    Source &source = m_sources[e.Stream];
    if (source.bytes || !stream.buffer) continue;
    BufferMemory &memory = stream.buffer->memory();
    void *bytes = nullptr;
    if (stream.offset >= memory.bytes()) continue;
    const HRESULT result = memory.lock(stream.offset, 0, &bytes, D3DLOCK_READONLY);
    if (FAILED(result)) return result;
    source = {&memory, static_cast<const BYTE *>(bytes), memory.bytes() - stream.offset, stream.stride};
  }
  return D3D_OK;
}

bool VertexReader::read(UINT vertex, d3d9::Usage usage, UINT usageIndex, Float4 &out) const {
  for (const D3DVERTEXELEMENT9 &e : m_declaration->elements()) {
    if (e.Usage != static_cast<BYTE>(usage) || e.UsageIndex != usageIndex) continue;
    const d3d9::DeclTypeInfo *type = d3d9::findDeclType(e.Type);
    if (!type) return false;
    const Source &source = m_sources[e.Stream];
    const UINT64 offset = UINT64{vertex} * source.stride + e.Offset;
    const bool there = source.bytes && offset + type->bytes <= source.size;
    out = {};
    for (UINT i = 0; i < type->components; ++i) out.c[i] = there ? component(e.Type, source.bytes + offset, i) : 0.0f;
    return true;
  }
  return false;
}

HRESULT VertexProcessor::prepare(PipelineState &pipeline) {
  const StateValues &values = pipeline.values();
  if (!values.declaration || values.declaration->isTransformed()) return D3DERR_INVALIDCALL;
  std::memcpy(m_integers, values.vertexInteger, sizeof m_integers);
  std::memcpy(m_booleans, values.vertexBoolean, sizeof m_booleans);
  if (values.vertexShader) {
    m_code.assign(values.vertexShader->code().begin(), values.vertexShader->code().end());
    m_floats.resize(kVertexFloats);
    std::memcpy(m_floats.data(), values.vertexFloat, sizeof values.vertexFloat);
    m_floats.insert(m_floats.end(), pipeline.softwareFloats().begin(), pipeline.softwareFloats().end());
  } else {
    const HRESULT result = pipeline.fixed().generate(values, m_code, m_fixed);
    if (FAILED(result)) return result;
    m_floats.resize(kVertexFloats);
    std::memcpy(m_floats.data(), m_fixed.c, sizeof m_fixed.c);
    std::memcpy(m_integers, m_fixed.i, sizeof m_fixed.i);
  }
  m_shader = std::make_unique<VertexInterpreter>(m_code.data());
  if (!m_shader->error()) return D3D_OK;
  logOnce(m_shader->error(), "%s", m_shader->error());
  return D3DERR_INVALIDCALL;
}

bool VertexProcessor::process(const VertexReader &reader, UINT vertex, ShadedVertex &out) const {
  Float4 inputs[16];
  for (Float4 &input : inputs) input = {{0, 0, 0, 1}};
  for (const VertexInterpreter::Input &input : m_shader->inputs())
    reader.read(vertex, input.usage, input.usageIndex, inputs[input.number]);
  VertexRegisters registers;
  static_assert(sizeof(Float4) == sizeof(float[4]));
  registers.floats = reinterpret_cast<const float(*)[4]>(m_floats.data());
  registers.floatCount = static_cast<uint32_t>(m_floats.size());
  registers.integers = m_integers;
  registers.booleans = m_booleans;
  out = {};
  out.color[0] = {{1, 1, 1, 1}};
  out.color[1] = {{0, 0, 0, 0}};
  return m_shader->run(registers, inputs, out);
}

}  // namespace aerogpu::runtime
