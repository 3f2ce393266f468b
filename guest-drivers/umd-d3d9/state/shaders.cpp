// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/shaders.h"

#include "aerogpu/d3d9/token_writer.h"

namespace aero {

using aerogpu::d3d9::DeclReader;
using aerogpu::d3d9::Opcode;
using aerogpu::d3d9::RegisterType;
using aerogpu::d3d9::Usage;

HRESULT Shader::create(DeviceObjects &objects, uint32_t stage, const void *tokens, size_t bytes) {
  if (!tokens || bytes < 8) return kNotAvailable;
  uint32_t version;
  memcpy(&version, tokens, sizeof version);
  m_major = version >> 8 & 0xFF;
  m_handle = objects.take();
  if (!m_handle) return objects.context.takeError();
  auto *packet = objects.context.append<aerogpu_cmd_create_shader_dxbc>(bytes & ~size_t{3});
  if (!packet) {
    objects.handles.give(m_handle);
    m_handle = 0;
    const HRESULT error = objects.context.takeError();
    return failed(error) ? error : kOutOfMemory;
  }
  packet->shader_handle = m_handle;
  packet->stage = stage;
  memcpy(Context::elementsOf(packet), tokens, bytes & ~size_t{3});
  return kOk;
}

void Shader::keepTokens(const void *tokens, size_t bytes) {
  m_tokens = static_cast<uint32_t *>(heapAllocate(bytes));
  if (!m_tokens) return;
  memcpy(m_tokens, tokens, bytes);
  m_tokenCount = bytes / sizeof(uint32_t);
}

HRESULT Declaration::create(DeviceObjects &objects, const D3DDDIVERTEXELEMENT *elements, uint32_t count) {
  constexpr uint32_t kMaxStreams = 16;
  for (uint32_t i = 0; elements && i < count && m_count < aerogpu::d3d9::kMaxDeclElements; i++) {
    // Reads the element as the device does, with an end after it.
    Element one[2] = {{}, aerogpu::d3d9::kDeclEnd};
    static_assert(sizeof elements[i] == sizeof one[0]);
    memcpy(&one[0], &elements[i], sizeof one[0]);
    DeclReader reader(one, sizeof one);
    Element element;
    if (!reader.next(element) || element.stream >= kMaxStreams) continue;
    m_elements[m_count++] = element;
    m_streams |= 1u << element.stream;
    m_transformed |= element.usage == Usage::PositionT;
    if (element.usage == Usage::TexCoord && element.usageIndex < 8) m_coordinates |= 1u << element.usageIndex;
  }
  m_elements[m_count] = aerogpu::d3d9::kDeclEnd;
  m_handle = objects.take();
  if (!m_handle) return objects.context.takeError();
  const size_t bytes = (m_count + 1) * sizeof(Element);
  auto *packet = objects.context.append<aerogpu_cmd_create_input_layout>(bytes);
  if (!packet) return objects.context.takeError();
  packet->input_layout_handle = m_handle;
  memcpy(Context::elementsOf(packet), m_elements, bytes);
  return kOk;
}

void Declaration::destroy(DeviceObjects &objects) {
  objects.destroy<aerogpu_cmd_destroy_input_layout>(m_handle);
  for (ScreenShader &screen : m_screenShaders) screen.shader.destroy(objects);
}

uint32_t Declaration::screenShader(DeviceObjects &objects, uint32_t coordinates) {
  // Stages whose coordinates the vertices do not have are all the same.
  constexpr uint32_t kNone = 8;
  for (uint32_t shift = 0; shift < 32; shift += 4)
    if (!(m_coordinates >> (coordinates >> shift & 0xF) & 1))
      coordinates = (coordinates & ~(0xFu << shift)) | kNone << shift;
  for (const ScreenShader &screen : m_screenShaders)
    if (screen.shader.handle() && screen.coordinates == coordinates) return screen.shader.handle();
  uint32_t tokens[256];
  const size_t count = writeScreenShader(m_elements, m_count, coordinates, tokens, sizeof tokens / sizeof tokens[0]);
  ScreenShader made = {coordinates, {}};
  if (!count || failed(made.shader.create(objects, AEROGPU_SHADER_STAGE_VERTEX, tokens, count * sizeof tokens[0])))
    return 0;
  // The old one ends after the new one has its handle: the device may have the old one bound.
  ScreenShader &replaced = m_screenShaders[m_nextReplaced++ % kScreenShaders];
  replaced.shader.destroy(objects);
  replaced = made;
  return made.shader.handle();
}

size_t writeScreenShader(const Declaration::Element *elements, uint32_t count, uint32_t stages, uint32_t *tokens,
                         size_t room) {
  using namespace aerogpu::d3d9;
  constexpr uint32_t kX = 1, kXy = 3, kZ = 4, kXyz = 7, kW = 8;
  const auto temp = [](uint32_t number, uint32_t mask) { return destinationToken(RegisterType::Temp, number, mask); };
  const auto input = [](uint32_t number, uint32_t swizzle = kIdentitySwizzle) {
    return sourceToken(RegisterType::Input, number, swizzle);
  };
  const auto read = [](uint32_t number, uint32_t swizzle = kIdentitySwizzle) {
    return sourceToken(RegisterType::Temp, number, swizzle);
  };
  // c(n): 2 / width, -2 / height, and the offset that moves the viewport's centre to 0; c(n + 1): 0, 1.
  const auto screen = [](uint32_t swizzle) {
    return sourceToken(RegisterType::Const, Declaration::kScreenConstants, swizzle);
  };
  const auto number = [](uint32_t component) {
    return sourceToken(RegisterType::Const, Declaration::kScreenConstants + 1, replicate(component));
  };
  constexpr uint32_t kSwizzleZw = 2 | 3 << 2 | 2 << 4 | 3 << 6;

  TokenWriter writer(tokens, room);
  writer.version({Stage::Vertex, 2, 0});
  // v0 is the position; the others follow in the order of their elements.
  uint32_t inputs = 1, colors[2] = {}, coordinates[8] = {}, pointSize = 0, fog = 0;
  bool hasPosition = false;
  for (uint32_t i = 0; i < count; i++) {
    const Declaration::Element &element = elements[i];
    uint32_t *seen = nullptr;
    if (element.usage == Usage::PositionT && element.usageIndex == 0 && !hasPosition) {
      hasPosition = true;
      writer.dcl(Usage::PositionT, 0, destinationToken(RegisterType::Input, 0));
    } else if (element.usage == Usage::Color && element.usageIndex < 2) {
      seen = &colors[element.usageIndex];
    } else if (element.usage == Usage::TexCoord && element.usageIndex < 8) {
      seen = &coordinates[element.usageIndex];
    } else if (element.usage == Usage::PointSize && element.usageIndex == 0) {
      seen = &pointSize;
    } else if (element.usage == Usage::Fog && element.usageIndex == 0) {
      seen = &fog;
    }
    if (!seen || *seen || inputs == 16) continue;
    *seen = inputs++;
    writer.dcl(element.usage, element.usageIndex, destinationToken(RegisterType::Input, *seen));
  }

  writer.instruction(Opcode::Mad, temp(0, kXy), input(0), screen(kIdentitySwizzle), screen(kSwizzleZw));
  writer.instruction(Opcode::Mov, temp(0, kZ), input(0));
  // w is 1 / rhw, and 1 where rhw is 0.
  writer.instruction(Opcode::Mul, temp(1, kX), input(0, replicate(3)), input(0, replicate(3)));
  writer.instruction(Opcode::Sge, temp(1, kX), number(0), read(1, replicate(0)));
  writer.instruction(Opcode::Add, temp(1, kX), read(1, replicate(0)), input(0, replicate(3)));
  writer.instruction(Opcode::Rcp, temp(0, kW), read(1, replicate(0)));
  writer.instruction(Opcode::Mul, temp(0, kXyz), read(0), read(0, replicate(3)));
  writer.instruction(Opcode::Mov, destinationToken(RegisterType::RasterOut, kRasterPosition), read(0));
  // Without a colour the diffuse one is white and the specular one black (page "D3DFVF_XYZRHW").
  writer.instruction(Opcode::Mov, destinationToken(RegisterType::AttributeOut, 0),
                     colors[0] ? input(colors[0]) : number(1));
  writer.instruction(Opcode::Mov, destinationToken(RegisterType::AttributeOut, 1),
                     colors[1] ? input(colors[1]) : number(0));
  // The fog factor of such vertices is their own (D3DDECLUSAGE_FOG), or else the alpha of their specular colour.
  writer.instruction(Opcode::Mov, destinationToken(RegisterType::RasterOut, kRasterFog, kX),
                     fog         ? input(fog, replicate(0))
                     : colors[1] ? input(colors[1], replicate(3))
                                 : number(0));
  if (pointSize)
    writer.instruction(Opcode::Mov, destinationToken(RegisterType::RasterOut, kRasterPointSize, kX),
                       input(pointSize, replicate(0)));
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t from = stages >> i * 4 & 0xF;
    if (from < 8 && coordinates[from])
      writer.instruction(Opcode::Mov, destinationToken(RegisterType::Output, i), input(coordinates[from]));
  }
  writer.end();
  return writer.ok() ? writer.size() : 0;
}

}  // namespace aero
