// SPDX-License-Identifier: MIT
// What a shader streams out, as words of its outputs.
#include <algorithm>
#include <array>
#include <bit>
#include <spirv/unified1/spirv.hpp11>

#include "renderer/core/stream_output.h"
#include "renderer/vulkan/objects/shader.h"

namespace aerogpu::vk {
namespace {

using shader::SignatureElement;

// D3D_NAME.
constexpr uint32_t kPosition = 1, kClipDistance = 2, kCullDistance = 3, kRenderTargetIndex = 4,
                   kViewportIndex = 5, kPrimitiveId = 7;

uint32_t builtInOf(uint32_t systemValue) {
  switch (systemValue) {
    case kPosition:
      return static_cast<uint32_t>(spv::BuiltIn::Position);
    case kClipDistance:
      return static_cast<uint32_t>(spv::BuiltIn::ClipDistance);
    case kCullDistance:
      return static_cast<uint32_t>(spv::BuiltIn::CullDistance);
    case kRenderTargetIndex:
      return static_cast<uint32_t>(spv::BuiltIn::Layer);
    case kViewportIndex:
      return static_cast<uint32_t>(spv::BuiltIn::ViewportIndex);
    default:
      return static_cast<uint32_t>(spv::BuiltIn::PrimitiveId);
  }
}

/// Returns the number of distances that come before an element's in their array.
uint32_t distancesBefore(const std::vector<SignatureElement>& outputs, const SignatureElement& element) {
  uint32_t count = 0;
  for (const SignatureElement& e : outputs) {
    if (&e == &element) break;
    if (e.systemValue == element.systemValue) count += static_cast<uint32_t>(std::popcount(e.mask));
  }
  return count;
}

/// Returns where the module has a component of an output; vkd3d-shader has a location for each register.
shader::StreamedWord sourceOf(const std::vector<SignatureElement>& outputs, const SignatureElement& e,
                              uint32_t component) {
  shader::StreamedWord word;
  if (e.systemValue == 0) {
    word.number = e.registerIndex;
    word.component = component;
    return word;
  }
  word.builtIn = 1;
  word.number = builtInOf(e.systemValue);
  const bool distance = e.systemValue == kClipDistance || e.systemValue == kCullDistance;
  const auto first = static_cast<uint32_t>(std::countr_zero(e.mask));
  if (e.systemValue == kPosition) word.component = component;
  if (distance) word.component = distancesBefore(outputs, e) + component - first;
  return word;
}

}  // namespace

Result<std::vector<shader::StreamedWord>> ShaderStore::streamedWords(
    std::span<const uint8_t> bytes, const ShaderCode& code, const core::StreamOutput& streams) const {
  auto container = shader::parseDxbc(bytes);
  if (!container) return container.error();
  const auto outputs = shader::readOutputSignature(*container);
  if (!outputs) return outputs.error();
  std::vector<shader::StreamedWord> words;
  std::array<uint32_t, core::kMaxStreamTargets> offsets{};
  for (const core::StreamElement& e : streams.elements)
    for (uint32_t component = 0; component < 4; ++component) {
      if (!(e.mask >> component & 1)) continue;
      const uint32_t offset = std::exchange(offsets[e.slot], offsets[e.slot] + 4);
      if (e.reg == core::StreamElement::kGap) continue;
      const auto found = std::ranges::find_if(*outputs, [&](const SignatureElement& o) {
        return o.stream == 0 && o.registerIndex == e.reg && (o.mask >> component & 1);
      });
      if (found == outputs->end())
        return refused(ErrorCode::CmdDecode, "what is streamed out is no output of the shader",
                       {{"register_index", e.reg}, {"component", component}});
      shader::StreamedWord word = sourceOf(*outputs, *found, component);
      word.buffer = e.slot;
      word.stride = streams.strides[e.slot];
      word.offset = offset;
      words.push_back(word);
    }
  std::ranges::stable_sort(words, {}, &shader::StreamedWord::buffer);
  const DeviceCaps& caps = m_gpu.device->caps();
  const uint32_t stride = std::ranges::max(streams.strides);
  if (words.size() * 4 > caps.streamBytes || stride > caps.streamStride)
    return refused(ErrorCode::Backend, "this GPU streams out fewer bytes of a vertex",
                   {{"bytes", words.size() * 4},
                    {"limit of them", caps.streamBytes},
                    {"stride_bytes", stride},
                    {"limit", caps.streamStride}});
  // Copies of outputs count as outputs: at worst all of them.
  uint64_t components = words.size();
  for (const SignatureElement& o : *outputs) components += std::popcount(o.mask);
  const VkPhysicalDeviceLimits& limits = m_gpu.device->limits();
  const uint64_t most =
      code.geometry.inputVertices ? limits.maxGeometryOutputComponents : limits.maxVertexOutputComponents;
  if (components > most)
    return refused(ErrorCode::Backend, "this GPU's shaders have fewer outputs to stream out",
                   {{"components", components}, {"limit", most}});
  return words;
}

}  // namespace aerogpu::vk
