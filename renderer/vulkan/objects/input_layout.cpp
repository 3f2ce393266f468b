// SPDX-License-Identifier: MIT
// The tables of vertex element types (see input_layout.h). Sources: D3DDECLTYPE (d3d9types.h), DXGI_FORMAT
// (dxgiformat.h).
#include "renderer/vulkan/objects/input_layout.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "renderer/vulkan/objects/dxgi_format.h"

namespace aerogpu::vk {
namespace {

/// Indexed by D3DDECLTYPE. D3DCOLOR is stored blue first; integers without "N" become floats of the same
/// value.
constexpr VkFormat kDeclTypes[] = {
    VK_FORMAT_R32_SFLOAT,                  // FLOAT1
    VK_FORMAT_R32G32_SFLOAT,               // FLOAT2
    VK_FORMAT_R32G32B32_SFLOAT,            // FLOAT3
    VK_FORMAT_R32G32B32A32_SFLOAT,         // FLOAT4
    VK_FORMAT_B8G8R8A8_UNORM,              // D3DCOLOR
    VK_FORMAT_R8G8B8A8_USCALED,            // UBYTE4
    VK_FORMAT_R16G16_SSCALED,              // SHORT2
    VK_FORMAT_R16G16B16A16_SSCALED,        // SHORT4
    VK_FORMAT_R8G8B8A8_UNORM,              // UBYTE4N
    VK_FORMAT_R16G16_SNORM,                // SHORT2N
    VK_FORMAT_R16G16B16A16_SNORM,          // SHORT4N
    VK_FORMAT_R16G16_UNORM,                // USHORT2N
    VK_FORMAT_R16G16B16A16_UNORM,          // USHORT4N
    VK_FORMAT_A2B10G10R10_USCALED_PACK32,  // UDEC3
    VK_FORMAT_A2B10G10R10_SNORM_PACK32,    // DEC3N
    VK_FORMAT_R16G16_SFLOAT,               // FLOAT16_2
    VK_FORMAT_R16G16B16A16_SFLOAT,         // FLOAT16_4
};

VkFormat elementFormat(const core::InputElement& e) {
  if (e.isD3d9Type) return e.format < std::size(kDeclTypes) ? kDeclTypes[e.format] : VK_FORMAT_UNDEFINED;
  return dxgiVertexFormat(e.format);
}

/// Returns the bytes of an element; an upper bound for formats that are not listed.
uint32_t vertexFormatBytes(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_UNORM:
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_R8_SNORM:
    case VK_FORMAT_R8_SINT:
      return 1;
    case VK_FORMAT_R8G8_UNORM:
    case VK_FORMAT_R8G8_UINT:
    case VK_FORMAT_R8G8_SNORM:
    case VK_FORMAT_R8G8_SINT:
    case VK_FORMAT_R16_SFLOAT:
    case VK_FORMAT_R16_UNORM:
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R16_SNORM:
    case VK_FORMAT_R16_SINT:
      return 2;
    case VK_FORMAT_R32G32B32A32_SFLOAT:
    case VK_FORMAT_R32G32B32A32_UINT:
    case VK_FORMAT_R32G32B32A32_SINT:
      return 16;
    case VK_FORMAT_R32G32B32_SFLOAT:
    case VK_FORMAT_R32G32B32_UINT:
    case VK_FORMAT_R32G32B32_SINT:
      return 12;
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_R8G8B8A8_SNORM:
    case VK_FORMAT_R8G8B8A8_UINT:
    case VK_FORMAT_R8G8B8A8_SINT:
    case VK_FORMAT_R8G8B8A8_USCALED:
    case VK_FORMAT_B8G8R8A8_UNORM:
    case VK_FORMAT_R16G16_UNORM:
    case VK_FORMAT_R16G16_SNORM:
    case VK_FORMAT_R16G16_SFLOAT:
    case VK_FORMAT_R16G16_SSCALED:
    case VK_FORMAT_R16G16_UINT:
    case VK_FORMAT_R16G16_SINT:
    case VK_FORMAT_A2B10G10R10_USCALED_PACK32:
    case VK_FORMAT_A2B10G10R10_SNORM_PACK32:
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
    case VK_FORMAT_A2B10G10R10_UINT_PACK32:
      return 4;
    case VK_FORMAT_R32G32_SFLOAT:
    case VK_FORMAT_R32G32_UINT:
    case VK_FORMAT_R32G32_SINT:
    case VK_FORMAT_R16G16B16A16_UNORM:
    case VK_FORMAT_R16G16B16A16_SNORM:
    case VK_FORMAT_R16G16B16A16_SFLOAT:
    case VK_FORMAT_R16G16B16A16_SSCALED:
    case VK_FORMAT_R16G16B16A16_UINT:
    case VK_FORMAT_R16G16B16A16_SINT:
      return 8;
    default:
      return 16;
  }
}

/// The integer format with the same bits, for formats that a GPU need not fetch (Vulkan 1.3, "Required Format
/// Support").
struct WholeNumbers {
  VkFormat scaled, whole;
  shader::InputType type;
};
constexpr WholeNumbers kWholeNumbers[] = {
    {VK_FORMAT_R8G8B8A8_USCALED, VK_FORMAT_R8G8B8A8_UINT, shader::InputType::Uint},
    {VK_FORMAT_R16G16_SSCALED, VK_FORMAT_R16G16_SINT, shader::InputType::Int},
    {VK_FORMAT_R16G16B16A16_SSCALED, VK_FORMAT_R16G16B16A16_SINT, shader::InputType::Int},
    {VK_FORMAT_A2B10G10R10_USCALED_PACK32, VK_FORMAT_A2B10G10R10_UINT_PACK32, shader::InputType::Uint},
};

/// Finds the format that this GPU fetches for `format`; false if there is none.
bool fetchable(const Device& device, VkFormat& format, shader::InputType& type) {
  const auto fetches = [&](VkFormat f) {
    return (device.bufferFormatFeatures(f) & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) != 0;
  };
  type = shader::InputType::Float;
  if (fetches(format)) return true;
  for (const WholeNumbers& row : kWholeNumbers) {
    if (row.scaled != format || !fetches(row.whole)) continue;
    format = row.whole;
    type = row.type;
    return true;
  }
  return false;
}

/// Returns what a shader gets of a DXGI_FORMAT.
shader::NumberClass classOf(uint32_t dxgi) {
  constexpr uint32_t kUint[] = {3, 7, 12, 17, 25, 30, 36, 42, 50, 57, 62};
  constexpr uint32_t kSint[] = {4, 8, 14, 18, 32, 38, 43, 52, 59, 64};
  if (std::ranges::binary_search(kUint, dxgi)) return shader::NumberClass::Uint;
  return std::ranges::binary_search(kSint, dxgi) ? shader::NumberClass::Int : shader::NumberClass::Float;
}

VkFormat zeroFormat(VertexInput::Type type) {
  switch (type) {
    case VertexInput::Type::Uint:
      return VK_FORMAT_R32G32B32A32_UINT;
    case VertexInput::Type::Int:
      return VK_FORMAT_R32G32B32A32_SINT;
    default:
      return VK_FORMAT_R32G32B32A32_SFLOAT;
  }
}

}  // namespace

uint32_t InputLayoutObject::missingTypes(const Device& device) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < std::size(kDeclTypes); ++i) {
    VkFormat format = kDeclTypes[i];
    shader::InputType type;
    if (!fetchable(device, format, type)) missing |= 1u << i;
  }
  return missing;
}

Result<std::unique_ptr<core::GpuInputLayout>> InputLayoutObject::create(
    const Device& device, std::span<const core::InputElement> elements) {
  auto self = std::make_unique<InputLayoutObject>();
  for (const core::InputElement& e : elements) {
    VkFormat format = elementFormat(e);
    auto type = shader::InputType::Float;
    if (format == VK_FORMAT_UNDEFINED)
      return refused(ErrorCode::CmdDecode, "unknown type of a vertex element", {{"type", e.format}});
    if (!fetchable(device, format, type))
      return refused(ErrorCode::Backend, "this GPU cannot fetch that type of vertex element",
                     {{"type", e.format}});
    if (e.offset > device.limits().maxVertexInputAttributeOffset)
      return refused(ErrorCode::OutOfBounds, "offset of a vertex element is too large",
                     {{"offset", e.offset}, {"limit", device.limits().maxVertexInputAttributeOffset}});
    self->m_wholeNumbers |= type != shader::InputType::Float;
    if (e.byRegister) self->m_classes |= shader::classesOf(e.semanticIndex, classOf(e.format));
    self->m_elements.push_back({e, format, type});
  }
  return std::unique_ptr<core::GpuInputLayout>(std::move(self));
}

const InputLayoutObject::Element* InputLayoutObject::elementFor(const VertexInput& in) const {
  for (const Element& e : m_elements)
    if (e.source.semanticHash == in.semanticHash && e.source.semanticIndex == in.semanticIndex) return &e;
  return nullptr;
}

InputTypes inputTypesOf(const core::DrawState& state, const ShaderCode& vs) {
  InputTypes out{};
  if (!state.inputLayout) return out;
  const InputLayoutObject& layout = InputLayoutObject::of(*state.inputLayout);
  if (!layout.hasWholeNumbers()) return out;
  for (const VertexInput& in : vs.inputs)
    if (const InputLayoutObject::Element* element = layout.elementFor(in);
        element && in.location < out.size())
      out[in.location] = element->type;
  return out;
}

Result<VertexFetch> matchInputs(const Device& device, const ShaderCode& vs, const core::DrawState& state) {
  const InputLayoutObject* layout = state.inputLayout ? &InputLayoutObject::of(*state.inputLayout) : nullptr;
  const bool byRegister = vs.counts.tokens != 0;
  if (layout && !layout->elements().empty() && layout->byRegister() != byRegister)
    return refused(ErrorCode::CmdDecode,
                   byRegister ? "the input layout names semantics, the vertex shader has registers"
                              : "the input layout names registers, the vertex shader has semantics",
                   {{"elements", layout->elements().size()}});
  VertexFetch out;
  const uint32_t maxBindings = std::min(device.limits().maxVertexInputBindings, VertexFetch::kMax);
  const auto bindingFor = [&](uint32_t stream, uint32_t divisor) {
    for (uint32_t i = 0; i < out.bindingCount; ++i)
      if (out.streams[i] == stream && out.divisors[i] == divisor) return i;
    if (out.bindingCount == maxBindings) return maxBindings;
    out.streams[out.bindingCount] = stream;
    out.divisors[out.bindingCount] = divisor;
    if (stream < core::kMaxVertexStreams) out.steps[out.bindingCount] = state.vertexStreams[stream].step;
    return out.bindingCount++;
  };
  for (const VertexInput& in : vs.inputs) {
    if (out.attributeCount == VertexFetch::kMax)
      return refused(ErrorCode::Backend, "too many vertex inputs",
                     {{"inputs", vs.inputs.size()}, {"limit", VertexFetch::kMax}});
    const InputLayoutObject::Element* element = layout ? layout->elementFor(in) : nullptr;
    uint32_t stream = VertexFetch::kNoStream, divisor = ~0u, offset = 0;
    VkFormat format = zeroFormat(in.type);
    if (element) {
      stream = element->source.stream;
      if (element->source.perInstance) divisor = element->source.stepRate;
      // Stream frequencies apply to Direct3D 9's own declarations only.
      if (element->source.isD3d9Type && state.vertexStreams[stream].step != 0)
        divisor = state.vertexStreams[stream].step;
      if (element->type != shader::InputType::Float && !vs.program)
        return refused(ErrorCode::Backend, "this GPU cannot fetch that type of vertex element",
                       {{"type", element->source.format}});
      offset = element->source.offset;
      format = element->format;
    }
    if (divisor != ~0u && divisor != 1 &&
        !(divisor == 0 ? device.caps().zeroDivisor : device.caps().instanceDivisor))
      return refused(ErrorCode::Backend, "this GPU has no such instance step rate", {{"step", divisor}});
    const uint32_t binding = bindingFor(stream, divisor);
    if (binding == maxBindings)
      return refused(ErrorCode::Backend, "too many vertex streams",
                     {{"stream", stream}, {"limit", maxBindings}});
    out.attributes[out.attributeCount++] = {in.location, binding, static_cast<uint32_t>(format), offset};
    out.extents[binding] = std::max(out.extents[binding], offset + vertexFormatBytes(format));
  }
  return out;
}

}  // namespace aerogpu::vk
