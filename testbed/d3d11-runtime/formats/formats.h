// SPDX-License-Identifier: MIT
// What the runtime knows of each DXGI_FORMAT. Numbers, not Windows' names: unit tests run on Linux.
#pragma once

#include <cstdint>

namespace aerogpu::runtime11 {

/// Properties of a format.
enum FormatFlags : uint16_t {
  kTypeless = 1,
  kDepth = 2,      ///< can be a depth-stencil view
  kDepthRead = 4,  ///< shows depth or stencil to shaders: R24_X8 and the like
  kInteger = 8,
  kExtended = 16,  ///< BGRA and its kin, XR_BIAS: not for every interface
  kVertex = 32,    ///< can be an element of a vertex
  kLevel11 = 64,
  kStencil = 128,  ///< a depth format with stencil
  kWddm12 = 256,   ///< never on Windows 7
};

struct FormatInfo {
  uint8_t blockBytes;  ///< of a texel, or a block; 0: no such format
  uint8_t blockSize;   ///< texels of a block in a row and in a column: 1 or 4
  uint8_t family;      ///< number of the first format of its family: formats of a family may be cast
  uint16_t flags;      ///< FormatFlags
};

/// Returns the properties of a format; blockBytes is 0 if there is no such format.
FormatInfo formatInfo(uint32_t format);

inline bool isFormat(uint32_t format) {
  return formatInfo(format).blockBytes != 0;
}
inline bool has(uint32_t format, FormatFlags flag) {
  return (formatInfo(format).flags & flag) != 0;
}
/// Returns how many blocks cover `texels` texels.
inline uint32_t blocksOf(const FormatInfo &info, uint32_t texels) {
  return (texels + info.blockSize - 1) / info.blockSize;
}
inline uint32_t levelSize(uint32_t size, uint32_t level) {
  const uint32_t shifted = level < 32 ? size >> level : 0;
  return shifted ? shifted : 1;
}

}  // namespace aerogpu::runtime11
