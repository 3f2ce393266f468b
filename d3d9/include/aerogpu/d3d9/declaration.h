// SPDX-License-Identifier: MIT
// Vertex declarations: arrays of D3DVERTEXELEMENT9, ended by D3DDECL_END. Sources: the pages
// D3DVERTEXELEMENT9, D3DDECLTYPE, D3DDECLMETHOD and D3DDECLUSAGE of the Direct3D 9 reference, and
// d3d9types.h. No heap; drivers may include and link it. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "aerogpu/d3d9/tokens.h"

namespace aerogpu::d3d9 {

/// D3DDECLTYPE.
enum class DeclType : uint8_t {
  Float1 = 0,
  Float2,
  Float3,
  Float4,
  D3dColor,  ///< four bytes, blue first, each over 255
  UByte4,
  Short2,
  Short4,
  UByte4N,
  Short2N,
  Short4N,
  UShort2N,
  UShort4N,
  UDec3,
  Dec3N,
  Float16x2,
  Float16x4,
  Unused,  ///< of the end, and of elements that a tessellator makes up
};

/// Types that vertices can have: all but Unused.
inline constexpr uint32_t kDeclTypeCount = 17;

struct DeclTypeInfo {
  DeclType type;
  const char* name;  ///< "D3DDECLTYPE_FLOAT1"
  uint8_t bytes;
  uint8_t components;  ///< stored ones; a missing w is 1, other missing ones are 0
};

inline constexpr DeclTypeInfo kDeclTypes[] = {
    {DeclType::Float1, "D3DDECLTYPE_FLOAT1", 4, 1},
    {DeclType::Float2, "D3DDECLTYPE_FLOAT2", 8, 2},
    {DeclType::Float3, "D3DDECLTYPE_FLOAT3", 12, 3},
    {DeclType::Float4, "D3DDECLTYPE_FLOAT4", 16, 4},
    {DeclType::D3dColor, "D3DDECLTYPE_D3DCOLOR", 4, 4},
    {DeclType::UByte4, "D3DDECLTYPE_UBYTE4", 4, 4},
    {DeclType::Short2, "D3DDECLTYPE_SHORT2", 4, 2},
    {DeclType::Short4, "D3DDECLTYPE_SHORT4", 8, 4},
    {DeclType::UByte4N, "D3DDECLTYPE_UBYTE4N", 4, 4},
    {DeclType::Short2N, "D3DDECLTYPE_SHORT2N", 4, 2},
    {DeclType::Short4N, "D3DDECLTYPE_SHORT4N", 8, 4},
    {DeclType::UShort2N, "D3DDECLTYPE_USHORT2N", 4, 2},
    {DeclType::UShort4N, "D3DDECLTYPE_USHORT4N", 8, 4},
    {DeclType::UDec3, "D3DDECLTYPE_UDEC3", 4, 3},
    {DeclType::Dec3N, "D3DDECLTYPE_DEC3N", 4, 3},
    {DeclType::Float16x2, "D3DDECLTYPE_FLOAT16_2", 4, 2},
    {DeclType::Float16x4, "D3DDECLTYPE_FLOAT16_4", 8, 4},
};
static_assert(sizeof kDeclTypes / sizeof kDeclTypes[0] == kDeclTypeCount);

/// Returns the row of a number, or null for Unused and for numbers that are no D3DDECLTYPE.
constexpr const DeclTypeInfo* findDeclType(uint32_t type) {
  return type < kDeclTypeCount ? &kDeclTypes[type] : nullptr;
}

/// D3DDECLMETHOD: how a tessellator makes the element.
enum class DeclMethod : uint8_t { Default = 0, PartialU, PartialV, CrossUv, Uv, Lookup, LookupPresampled };

/// Names of usages in assembly, indexed by Usage; HLSL's semantics are the same words in upper case.
inline constexpr const char* kUsageNames[kUsageCount] = {
    "position", "blendweight", "blendindices", "normal", "psize", "texcoord", "tangent",
    "binormal", "tessfactor",  "positiont",    "color",  "fog",   "depth",    "sample"};

/// D3DVERTEXELEMENT9, as it lies in memory and in CREATE_INPUT_LAYOUT.
struct VertexElement {
  uint16_t stream;
  uint16_t offset;  ///< bytes
  DeclType type;
  DeclMethod method;
  Usage usage;
  uint8_t usageIndex;
};
static_assert(sizeof(VertexElement) == 8);

inline constexpr uint16_t kDeclEndStream = 0xFF;
/// D3DDECL_END.
inline constexpr VertexElement kDeclEnd{kDeclEndStream,  0, DeclType::Unused, DeclMethod::Default,
                                        Usage::Position, 0};
/// MAXD3DDECLLENGTH: elements, without the end.
inline constexpr uint32_t kMaxDeclElements = 64;

enum class DeclError : uint8_t {
  None,
  NoEnd,         ///< the bytes end before D3DDECL_END
  TooLong,       ///< more than kMaxDeclElements
  UnknownType,   ///< or Unused
  UnknownUsage,  ///< beyond D3DDECLUSAGE_SAMPLE
};

/// Reads a declaration from unchecked bytes, one element a call. The bytes have to outlive it and need no
/// alignment; it reads nothing beyond `size`.
class DeclReader {
public:
  DeclReader(const void* bytes, size_t size) : m_at(static_cast<const uint8_t*>(bytes)), m_left(size) {}

  /// Reads the next element. False at the end and at an error; error() tells which.
  bool next(VertexElement& out);
  DeclError error() const { return m_error; }

private:
  bool fail(DeclError error) {
    m_error = error;
    m_left = 0;
    return false;
  }

  const uint8_t* m_at;
  size_t m_left;
  uint32_t m_count = 0;
  bool m_ended = false;
  DeclError m_error = DeclError::None;
};

}  // namespace aerogpu::d3d9
