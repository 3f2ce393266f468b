// SPDX-License-Identifier: MIT
// See geometry.h. Source: d3d11TokenizedProgramFormat.hpp of the Windows SDK (D3D10_SB_PRIMITIVE,
// D3D10_SB_PRIMITIVE_TOPOLOGY, and the declarations); limits:
// D3D11_GS_MAX_OUTPUT_VERTEX_COUNT_ACROSS_INSTANCES and D3D11_GS_MAX_INSTANCE_COUNT.
#include "renderer/shader/dxbc/geometry.h"

#include <optional>

#include "renderer/shader/dxbc/dxbc.h"
#include "renderer/shader/dxbc/token_walk.h"

namespace aerogpu::shader {
namespace {

constexpr uint32_t kDclOutputTopology = 0x5C, kDclInputPrimitive = 0x5D, kDclMaxOutputVertices = 0x5E,
                   kDclStream = 0x8F, kDclInstances = 0xCE, kDclOutputSiv = 0x67;
constexpr uint32_t kLayerIndex = 4, kViewportIndex = 5;  // D3D10_SB_NAME
constexpr uint32_t kMaxVertices = 1024, kMaxInstances = 32;

/// Returns a primitive's vertices; 0 if it is none of D3D10_SB_PRIMITIVE that a geometry shader takes.
uint8_t verticesOf(uint32_t primitive) {
  constexpr uint8_t kVertices[] = {0, 1, 2, 3, 0, 0, 4, 6};
  return primitive < sizeof kVertices ? kVertices[primitive] : 0;
}

std::optional<GeometryTraits::Output> outputOf(uint32_t topology) {
  switch (topology) {
    case 1:
      return GeometryTraits::Output::Points;
    case 3:
      return GeometryTraits::Output::Lines;
    case 5:
      return GeometryTraits::Output::Triangles;
    default:
      return std::nullopt;  // lists and others are not what geometry shaders emit
  }
}

}  // namespace

Result<GeometryTraits> geometryTraits(std::span<const uint8_t> program) {
  const ProgramWords words(program);
  GeometryTraits traits;
  std::optional<GeometryTraits::Output> output;
  bool otherStream = false;
  eachToken(words, [&](uint32_t opcode, size_t at, size_t length) {
    const uint32_t kind = words[at] >> 11 & 0x3F;
    const uint32_t value = length > 1 ? words[at + 1] : 0;
    if (opcode == kDclInputPrimitive) traits.inputVertices = verticesOf(kind);
    if (opcode == kDclOutputTopology) output = outputOf(kind);
    if (opcode == kDclMaxOutputVertices) traits.maxVertices = value;
    if (opcode == kDclInstances) traits.instances = value;
    if (opcode == kDclOutputSiv && length > 1) {
      const uint32_t name = words[at + length - 1] & 0xFFFF;
      traits.choosesLayer = traits.choosesLayer || name == kLayerIndex;
      traits.choosesViewport = traits.choosesViewport || name == kViewportIndex;
    }
    if (opcode == kDclStream && length > 2) otherStream = otherStream || words[at + 2] != 0;
  });
  if (traits.inputVertices == 0 || !output)
    return refused(ErrorCode::CmdDecode,
                   "a geometry shader declares no primitives that it could take or emit",
                   {{"vertices of a primitive", traits.inputVertices}});
  if (traits.maxVertices == 0 || traits.maxVertices > kMaxVertices)
    return refused(ErrorCode::CmdDecode, "a geometry shader emits more vertices than there may be, or none",
                   {{"vertices", traits.maxVertices}, {"limit", kMaxVertices}});
  if (traits.instances == 0 || traits.instances > kMaxInstances)
    return refused(ErrorCode::CmdDecode, "a geometry shader runs more often than it may, or never",
                   {{"instances", traits.instances}, {"limit", kMaxInstances}});
  if (otherStream)
    return Error{ErrorCode::Backend, "geometry shaders with several streams are not supported", {}};
  traits.output = *output;
  return traits;
}

Result<GeometryTraits> geometryTraitsOf(std::span<const uint8_t> container) {
  auto parsed = parseDxbc(container);
  if (!parsed) return parsed.error();
  const DxbcChunk* code = programOf(*parsed);
  if (!code) return Error{ErrorCode::CmdDecode, "DXBC container without shader code", {}};
  return geometryTraits(code->payload);
}

bool readsIndices(std::span<const uint8_t> program) {
  constexpr uint32_t kDclInputPsSgv = 0x63, kDclInputPsSiv = 0x64;
  const ProgramWords words(program);
  bool found = false;
  eachToken(words, [&](uint32_t opcode, size_t at, size_t length) {
    if ((opcode != kDclInputPsSgv && opcode != kDclInputPsSiv) || length < 2) return;
    const uint32_t name = words[at + length - 1] & 0xFFFF;
    found = found || name == kLayerIndex || name == kViewportIndex;
  });
  return found;
}

}  // namespace aerogpu::shader
