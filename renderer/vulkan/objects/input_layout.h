// SPDX-License-Identifier: MIT
// Vertex input: element types in Vulkan's terms, and the match of a layout's elements with the inputs of a
// vertex shader.
#pragma once

#include <array>
#include <vector>

#include "renderer/core/backend.h"
#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/objects/shader.h"

namespace aerogpu::vk {

/// shader::EmitOptions::inputTypes.
using InputTypes = shader::PerRegister<shader::InputType>;

class InputLayoutObject final : public core::GpuInputLayout {
public:
  struct Element {
    core::InputElement source;
    VkFormat format = VK_FORMAT_UNDEFINED;
    /// If not Float: whole numbers that the GPU cannot fetch as floats; the shader has to convert them.
    shader::InputType type = shader::InputType::Float;
  };
  /// Fails with CmdDecode for unknown types, with Backend for those the GPU cannot fetch.
  static Result<std::unique_ptr<core::GpuInputLayout>> create(const Device& device,
                                                              std::span<const core::InputElement> elements);
  static const InputLayoutObject& of(const core::InputLayout& layout) {
    return static_cast<const InputLayoutObject&>(*layout.gpu);
  }
  /// Returns bit n if elements of D3DDECLTYPE n are refused.
  static uint32_t missingTypes(const Device& device);
  const std::vector<Element>& elements() const { return m_elements; }
  bool hasWholeNumbers() const { return m_wholeNumbers; }
  bool byRegister() const { return !m_elements.empty() && m_elements.front().source.byRegister; }
  /// Returns the types that its formats have for a shader; all floats where elements name no registers.
  shader::RegisterClasses classes() const { return m_classes; }
  /// Returns the element that feeds an input; null = none.
  const Element* elementFor(const VertexInput& in) const;

private:
  std::vector<Element> m_elements;
  bool m_wholeNumbers = false;  ///< some Element::type is not Float
  shader::RegisterClasses m_classes = 0;
};

/// The fetches of one vertex shader with one layout. Vulkan's bindings are numbered densely; `streams` gives
/// the vertex stream of each, kNoStream = zeros.
struct VertexFetch {
  static constexpr uint32_t kMax = 32;
  static constexpr uint32_t kNoStream = ~0u;
  struct Attribute {
    uint32_t location, binding, format, offset;
  };
  uint32_t attributeCount = 0, bindingCount = 0;
  std::array<Attribute, kMax> attributes{};
  std::array<uint32_t, kMax> streams{};
  std::array<uint32_t, kMax> extents{};   ///< bytes fetched of one vertex or instance, from its begin
  std::array<uint32_t, kMax> divisors{};  ///< 0xFFFFFFFF = per vertex; 0 = the same element for all instances
  std::array<uint32_t, kMax> steps{};     ///< VertexStream::step from which divisors come
};

/// The layout of `state` may be null: every input then reads zero.
Result<VertexFetch> matchInputs(const Device& device, const ShaderCode& vs, const core::DrawState& state);

/// Returns the types in which the bound layout feeds the inputs of a vertex shader of tokens; 0 for others.
inline shader::RegisterClasses inputClassesOf(const core::DrawState& state, const ShaderCode& vs) {
  return state.inputLayout ? InputLayoutObject::of(*state.inputLayout).classes() & vs.typedRegisters : 0;
}

/// Returns the types in which the bound layout feeds the inputs of a D3D9 vertex shader.
InputTypes inputTypesOf(const core::DrawState& state, const ShaderCode& vs);

}  // namespace aerogpu::vk
