// SPDX-License-Identifier: MIT
// SPIR-V 1.6, 2.4 (logical layout: entry points, decorations, types, variables, in this order) and 3.
#include "renderer/translator/spirv_interface.h"

#include <spirv/unified1/spirv.hpp>

#include <cstring>
#include <optional>
#include <unordered_map>

namespace aerogpu::translator {
namespace {

using Words = std::span<const uint32_t>;

spv::ExecutionModel modelOf(Stage stage) {
  switch (stage) {
    case Stage::Vertex:
      return spv::ExecutionModelVertex;
    case Stage::Pixel:
      return spv::ExecutionModelFragment;
    case Stage::Geometry:
      return spv::ExecutionModelGeometry;
    default:
      return spv::ExecutionModelGLCompute;
  }
}

struct ImageShape {
  uint32_t dim;
  bool arrayed;
};

std::optional<ImageShape> shapeOf(Dimension dimension) {
  switch (dimension) {
    case Dimension::Buffer:
      return ImageShape{spv::DimBuffer, false};
    case Dimension::Texture1D:
      return ImageShape{spv::Dim1D, false};
    case Dimension::Texture1DArray:
      return ImageShape{spv::Dim1D, true};
    case Dimension::Texture2D:
      return ImageShape{spv::Dim2D, false};
    case Dimension::Texture2DArray:
      return ImageShape{spv::Dim2D, true};
    case Dimension::TextureCube:
      return ImageShape{spv::DimCube, false};
    case Dimension::TextureCubeArray:
      return ImageShape{spv::DimCube, true};
    case Dimension::Texture3D:
      return ImageShape{spv::Dim3D, false};
    default:
      return std::nullopt;
  }
}

class Interface {
public:
  Interface(const DxbcRequest& request, std::span<const DxbcResource> resources)
      : m_request(request), m_resources(resources) {}

  /// Takes one instruction; `in[0]` is its opcode word.
  const char* take(Words in) {
    switch (in[0] & spv::OpCodeMask) {
      case spv::OpEntryPoint:
        return entryPoint(in);
      case spv::OpDecorate:
        if (in.size() >= 4 && in[2] == spv::DecorationBinding) return note(m_bindings, in[1], in[3]);
        if (in.size() >= 4 && in[2] == spv::DecorationDescriptorSet) return note(m_sets, in[1], in[3]);
        return nullptr;
      case spv::OpTypePointer:
        if (in.size() >= 4) m_pointees[in[1]] = in[3];
        return nullptr;
      case spv::OpTypeImage:
      case spv::OpTypeSampler:
      case spv::OpTypeStruct:
        if (in.size() >= 2) m_types[in[1]] = in;
        return nullptr;
      case spv::OpVariable:
        return in.size() >= 4 ? variable(in[1], in[2], in[3]) : "a variable is cut short";
      default:
        return nullptr;
    }
  }
  bool hasEntryPoint() const { return m_entryPoints == 1; }

private:
  const char* entryPoint(Words in) {
    ++m_entryPoints;
    static constexpr char kMain[8] = "main";
    if (in.size() < 5 || in[1] != static_cast<uint32_t>(modelOf(m_request.stage)))
      return "the entry point is of another stage";
    return std::memcmp(&in[3], kMain, sizeof kMain) == 0 ? nullptr : "the entry point has another name";
  }

  using Numbers = std::unordered_map<uint32_t, uint32_t>;

  static const char* note(Numbers& numbers, uint32_t id, uint32_t number) {
    return numbers.try_emplace(id, number).first->second == number ? nullptr : "a resource has two places";
  }

  const char* variable(uint32_t type, uint32_t id, uint32_t storage) {
    switch (storage) {
      case spv::StorageClassInput:
      case spv::StorageClassOutput:
      case spv::StorageClassPrivate:
      case spv::StorageClassFunction:
      case spv::StorageClassWorkgroup:
        return nullptr;
      case spv::StorageClassUniform:
      case spv::StorageClassUniformConstant:
        break;
      default:
        return "a variable lives where no resource does";
    }
    const auto set = m_sets.find(id), binding = m_bindings.find(id), pointee = m_pointees.find(type);
    if (set == m_sets.end() || binding == m_bindings.end() || set->second != m_request.set ||
        binding->second >= m_resources.size())
      return "a resource is none of those declared";
    const auto found = pointee == m_pointees.end() ? m_types.end() : m_types.find(pointee->second);
    const bool fits = found != m_types.end() && isOf(m_resources[binding->second], storage, found->second);
    return fits ? nullptr : "a resource is of another kind than declared";
  }

  static bool isOf(const DxbcResource& resource, uint32_t storage, Words type) {
    const uint32_t opcode = type[0] & spv::OpCodeMask;
    switch (resource.kind) {
      case ResourceKind::ConstantBuffer:
        return storage == spv::StorageClassUniform && opcode == spv::OpTypeStruct;
      case ResourceKind::Sampler:
        return storage == spv::StorageClassUniformConstant && opcode == spv::OpTypeSampler;
      case ResourceKind::ShaderResource:
      case ResourceKind::UnorderedAccess: {
        // Result, sampled type, dim, depth, arrayed, multisampled, sampled (1: with a sampler, 2: storage),
        // format.
        if (storage != spv::StorageClassUniformConstant || opcode != spv::OpTypeImage || type.size() < 9)
          return false;
        const auto shape = shapeOf(resource.dimension);
        const uint32_t sampled = resource.kind == ResourceKind::ShaderResource ? 1 : 2;
        return shape && type[3] == shape->dim && (type[5] == 1) == shape->arrayed && type[6] == 0 &&
               type[7] == sampled;
      }
      default:
        return false;
    }
  }

  const DxbcRequest& m_request;
  const std::span<const DxbcResource> m_resources;
  uint32_t m_entryPoints = 0;
  Numbers m_bindings, m_sets;  ///< by variable
  Numbers m_pointees;          ///< by pointer type
  std::unordered_map<uint32_t, Words> m_types;
};

}  // namespace

std::string interfaceDefect(std::span<const uint32_t> words, const DxbcRequest& request,
                            std::span<const DxbcResource> resources) {
  constexpr size_t kHeaderWords = 5;
  Interface interface(request, resources);
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t length = words[at] >> spv::WordCountShift;
    if (length == 0 || length > words.size() - at) return "an instruction is cut short";
    if (const char* defect = interface.take(words.subspan(at, length))) return defect;
    at += length;
  }
  return interface.hasEntryPoint() ? std::string() : "there is not one entry point";
}

}  // namespace aerogpu::translator
