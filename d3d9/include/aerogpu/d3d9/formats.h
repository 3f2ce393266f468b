// SPDX-License-Identifier: MIT
// D3DFORMAT: number, name and bytes of each. Source: the page D3DFORMAT of the Direct3D 9 reference and
// d3d9types.h. Constants only, so drivers in user and kernel mode may include it. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aerogpu::d3d9 {

/// MAKEFOURCC.
constexpr uint32_t fourCc(char a, char b, char c, char d) {
  const auto byte = [](char ch) { return static_cast<uint32_t>(static_cast<unsigned char>(ch)); };
  return byte(a) | byte(b) << 8 | byte(c) << 16 | byte(d) << 24;
}

// clang-format off
// X(name, number, block width, block height, bytes of a block). Formats of no fixed size have 0 bytes.
#define AEROGPU_D3D9_FORMATS(X)                               \
  X(UNKNOWN,               0,                           1, 1,  0) \
  X(R8G8B8,               20,                           1, 1,  3) \
  X(A8R8G8B8,             21,                           1, 1,  4) \
  X(X8R8G8B8,             22,                           1, 1,  4) \
  X(R5G6B5,               23,                           1, 1,  2) \
  X(X1R5G5B5,             24,                           1, 1,  2) \
  X(A1R5G5B5,             25,                           1, 1,  2) \
  X(A4R4G4B4,             26,                           1, 1,  2) \
  X(R3G3B2,               27,                           1, 1,  1) \
  X(A8,                   28,                           1, 1,  1) \
  X(A8R3G3B2,             29,                           1, 1,  2) \
  X(X4R4G4B4,             30,                           1, 1,  2) \
  X(A2B10G10R10,          31,                           1, 1,  4) \
  X(A8B8G8R8,             32,                           1, 1,  4) \
  X(X8B8G8R8,             33,                           1, 1,  4) \
  X(G16R16,               34,                           1, 1,  4) \
  X(A2R10G10B10,          35,                           1, 1,  4) \
  X(A16B16G16R16,         36,                           1, 1,  8) \
  X(A8P8,                 40,                           1, 1,  2) \
  X(P8,                   41,                           1, 1,  1) \
  X(L8,                   50,                           1, 1,  1) \
  X(A8L8,                 51,                           1, 1,  2) \
  X(A4L4,                 52,                           1, 1,  1) \
  X(V8U8,                 60,                           1, 1,  2) \
  X(L6V5U5,               61,                           1, 1,  2) \
  X(X8L8V8U8,             62,                           1, 1,  4) \
  X(Q8W8V8U8,             63,                           1, 1,  4) \
  X(V16U16,               64,                           1, 1,  4) \
  X(A2W10V10U10,          67,                           1, 1,  4) \
  X(D16_LOCKABLE,         70,                           1, 1,  2) \
  X(D32,                  71,                           1, 1,  4) \
  X(D15S1,                73,                           1, 1,  2) \
  X(D24S8,                75,                           1, 1,  4) \
  X(D24X8,                77,                           1, 1,  4) \
  X(D24X4S4,              79,                           1, 1,  4) \
  X(D16,                  80,                           1, 1,  2) \
  X(L16,                  81,                           1, 1,  2) \
  X(D32F_LOCKABLE,        82,                           1, 1,  4) \
  X(D24FS8,               83,                           1, 1,  4) \
  X(D32_LOCKABLE,         84,                           1, 1,  4) \
  X(S8_LOCKABLE,          85,                           1, 1,  1) \
  X(VERTEXDATA,          100,                           1, 1,  0) \
  X(INDEX16,             101,                           1, 1,  2) \
  X(INDEX32,             102,                           1, 1,  4) \
  X(Q16W16V16U16,        110,                           1, 1,  8) \
  X(R16F,                111,                           1, 1,  2) \
  X(G16R16F,             112,                           1, 1,  4) \
  X(A16B16G16R16F,       113,                           1, 1,  8) \
  X(R32F,                114,                           1, 1,  4) \
  X(G32R32F,             115,                           1, 1,  8) \
  X(A32B32G32R32F,       116,                           1, 1, 16) \
  X(CxV8U8,              117,                           1, 1,  2) \
  X(A1,                  118,                           8, 1,  1) \
  X(A2B10G10R10_XR_BIAS, 119,                           1, 1,  4) \
  X(BINARYBUFFER,        199,                           1, 1,  0) \
  X(UYVY,                fourCc('U', 'Y', 'V', 'Y'),    2, 1,  4) \
  X(R8G8_B8G8,           fourCc('R', 'G', 'B', 'G'),    2, 1,  4) \
  X(YUY2,                fourCc('Y', 'U', 'Y', '2'),    2, 1,  4) \
  X(G8R8_G8B8,           fourCc('G', 'R', 'G', 'B'),    2, 1,  4) \
  X(DXT1,                fourCc('D', 'X', 'T', '1'),    4, 4,  8) \
  X(DXT2,                fourCc('D', 'X', 'T', '2'),    4, 4, 16) \
  X(DXT3,                fourCc('D', 'X', 'T', '3'),    4, 4, 16) \
  X(DXT4,                fourCc('D', 'X', 'T', '4'),    4, 4, 16) \
  X(DXT5,                fourCc('D', 'X', 'T', '5'),    4, 4, 16) \
  X(MULTI2_ARGB8,        fourCc('M', 'E', 'T', '1'),    1, 1,  0)
// clang-format on

/// D3DFORMAT. Names list the channels from the most significant bit down.
enum class Format : uint32_t {
#define AEROGPU_D3D9_FORMAT(NAME, NUMBER, ...) NAME = NUMBER,
  AEROGPU_D3D9_FORMATS(AEROGPU_D3D9_FORMAT)
#undef AEROGPU_D3D9_FORMAT
};

struct FormatInfo {
  Format format;
  const char* name;                 ///< "D3DFMT_A8R8G8B8"
  uint8_t blockWidth, blockHeight;  ///< pixels that are stored together
  uint8_t blockBytes;               ///< 0: of no fixed size
};

inline constexpr FormatInfo kFormats[] = {
#define AEROGPU_D3D9_FORMAT(NAME, NUMBER, WIDTH, HEIGHT, BYTES) \
  {Format::NAME, "D3DFMT_" #NAME, WIDTH, HEIGHT, BYTES},
    AEROGPU_D3D9_FORMATS(AEROGPU_D3D9_FORMAT)
#undef AEROGPU_D3D9_FORMAT
};

/// Returns the row of a number, or null for hardware vendors' own formats and for numbers that are no format.
constexpr const FormatInfo* findFormat(uint32_t number) {
  for (const FormatInfo& row : kFormats)
    if (static_cast<uint32_t>(row.format) == number) return &row;
  return nullptr;
}

}  // namespace aerogpu::d3d9
