// SPDX-License-Identifier: MIT
// Makes a finished SPIR-V module of a vertex or geometry shader write some of its outputs to transform
// feedback buffers (Vulkan 1.3, "Transform Feedback"; SPIR-V 1.6, the capability TransformFeedback), and a
// vertex shader the size of points. Works on the words alone. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::shader {

/// A word that is streamed out for each vertex.
struct StreamedWord {
  uint32_t builtIn = 0;    ///< 1: `number` is a BuiltIn; 0: a location
  uint32_t number = 0;     ///< of the output
  uint32_t component = 0;  ///< of that location's vector, or of a built-in's vector or array
  uint32_t buffer = 0;     ///< that it goes to
  uint32_t stride = 0;     ///< from vertex to vertex there, bytes
  uint32_t offset = 0;     ///< from the vertex's begin, bytes
  bool operator==(const StreamedWord&) const = default;
};

/// Returns the module with the words streamed out, from the last vertex processing stage; they are in the
/// order of their buffers and offsets. A word that the module has no output for is 0. Outputs that go as a
/// whole are decorated, others get a copy. A vertex shader without a size of points gets 1, which Direct3D 10
/// draws and Vulkan does not (Vulkan 1.3, "Points"). Fails with CmdDecode if the module is not understood,
/// with Backend if it would have more outputs than there are. The input need not be valid, but then the
/// output is not either: validate the output.
Result<std::vector<uint32_t>> streamOut(std::span<const uint32_t> words,
                                        std::span<const StreamedWord> streamed);

}  // namespace aerogpu::shader
