// SPDX-License-Identifier: MIT
// Takes a shader's container ("DXBC") apart as Direct3D's runtime does: tokens of the program, which a driver gets as
// they are, and rows of the signatures. Nothing here decodes instructions. No Windows headers: unit tests run on Linux.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aerogpu::runtime11 {

enum class Stage : uint8_t { Pixel, Vertex, Geometry, Hull, Domain, Compute };

/// A row of a signature chunk.
struct Element {
  std::string name;
  uint32_t index = 0;        ///< of the semantic
  uint32_t systemValue = 0;  ///< as in the container: D3D_NAME
  uint32_t type = 0;         ///< 1 uint, 2 int, 3 float
  uint32_t reg = 0;          ///< 0xFFFFFFFF: none, such as depth
  uint8_t mask = 0, used = 0;
  uint32_t stream = 0;
};

struct Container {
  Stage stage = Stage::Pixel;
  uint32_t major = 0, minor = 0;  ///< of the shader model
  std::vector<uint32_t> tokens;   ///< version, length in words, and the program
  std::vector<Element> inputs, outputs, patch;
};

/// A row as drivers get it: D3D10DDIARG_SIGNATURE_ENTRY.
struct DriverElement {
  uint32_t name = 0;  ///< D3D10_SB_NAME
  uint32_t reg = 0;
  uint8_t mask = 0;
};

/// Returns the parts; nothing if the bytes are no container, their checksum is wrong, or they have no program of shader
/// model 4 or 5. `needsProgram`: false for an input signature alone, which CreateInputLayout takes.
std::optional<Container> takeApart(const void *bytes, size_t size, bool needsProgram = true);

/// Returns the rows as a driver gets them. Tessellation factors have a name for each edge there.
std::vector<DriverElement> driverElements(const std::vector<Element> &elements);

/// True if tokens declare raw or structured buffers, or unordered access: shaders of model 4 may where a device has
/// compute shaders of that model.
bool declaresBuffersOf11(const std::vector<uint32_t> &tokens);

}  // namespace aerogpu::runtime11
