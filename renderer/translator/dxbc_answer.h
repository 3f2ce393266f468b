// SPDX-License-Identifier: MIT
// The jobs of the translator process (docs/develop/architecture.md, "The translator process"), their requests
// and answers, in words. The renderer trusts nothing in the answer: the process that wrote it parsed a
// guest's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aerogpu::translator {

/// A call of the process does one of these jobs; the values are indices into the program's table.
enum class Job : uint32_t {
  TranslateDxbc = 0,  ///< DxbcRequest and a container in; DxbcResources and SPIR-V words out
  FinishSpirv = 1,    ///< DxbcRequest, FinishRequest and TranslateDxbc's answer in; SPIR-V for a driver out
};

enum class Stage : uint32_t { Vertex = 0, Pixel = 1, Compute = 2, Geometry = 3 };

/// Precedes the container.
struct DxbcRequest {
  Stage stage;
  uint32_t set;             ///< descriptor set of every resource; resource n gets binding n
  uint32_t dualSource = 0;  ///< pixel: 1 = o1 is the second source colour of target 0
  /// Where a geometry shader puts the numbers that it chose as it wrote them, and a pixel shader reads them:
  /// 0 = nowhere, else 1 + 4 * location + component.
  uint32_t layerPlace = 0, viewportPlace = 0;
};

inline constexpr uint32_t kMaxResources = 256;

enum class ResourceKind : uint32_t { ConstantBuffer, Sampler, ShaderResource, UnorderedAccess, Unknown };
enum class Dimension : uint32_t {
  None,
  Buffer,
  Texture1D,
  Texture1DArray,
  Texture2D,
  Texture2DArray,
  TextureCube,
  TextureCubeArray,
  Texture3D,
  Other
};
enum class Texel : uint32_t { Float, Uint, Int };

/// A declared resource. The answer holds their number, the resources, and the module.
struct DxbcResource {
  ResourceKind kind;
  uint32_t reg;  ///< b#, s#, t# or u#
  Dimension dimension;
  Texel texel;
  uint32_t count;       ///< registers; 1 unless it is an array
  uint32_t comparison;  ///< sampler: 1 = compares
  uint32_t counter;     ///< unordered access: 1 = with a counter
};

/// A parsed answer.
struct DxbcAnswer {
  std::vector<DxbcResource> resources;
  std::vector<uint32_t> words;  ///< the module, unchecked
};
/// Returns nothing if the bytes do not have an answer's structure.
std::optional<DxbcAnswer> readAnswer(std::span<const uint8_t> bytes);

inline constexpr uint32_t kMaxStreamedWords = 512;

/// A request of Job::FinishSpirv consists of TranslateDxbc's request, this (shader::LoopGuard), the words
/// that are streamed out (shader::StreamedWord), and that job's answer. FinishSpirv's own answer is the
/// number of loops, and the module.
struct FinishRequest {
  uint32_t set;  ///< descriptor set of the word that ends loops, binding 0
  uint32_t interval;
  uint32_t streamedWords = 0;
};

}  // namespace aerogpu::translator
