// SPDX-License-Identifier: MIT
#include "aerogpu/d3d9/declaration.h"

namespace aerogpu::d3d9 {
namespace {

// D3DVERTEXELEMENT9 as bytes, little-endian.
constexpr size_t kElementBytes = 8;

}  // namespace

bool DeclReader::next(VertexElement& out) {
  if (m_ended || m_error != DeclError::None) return false;
  if (m_left < kElementBytes) return fail(DeclError::NoEnd);
  const uint8_t* b = m_at;
  const auto stream = static_cast<uint16_t>(b[0] | b[1] << 8);
  if (stream == kDeclEndStream) {
    m_ended = true;
    return false;
  }
  if (m_count == kMaxDeclElements) return fail(DeclError::TooLong);
  if (b[4] >= kDeclTypeCount) return fail(DeclError::UnknownType);
  if (b[6] >= kUsageCount) return fail(DeclError::UnknownUsage);
  out.stream = stream;
  out.offset = static_cast<uint16_t>(b[2] | b[3] << 8);
  out.type = static_cast<DeclType>(b[4]);
  out.method = static_cast<DeclMethod>(b[5]);
  out.usage = static_cast<Usage>(b[6]);
  out.usageIndex = b[7];
  m_at += kElementBytes;
  m_left -= kElementBytes;
  ++m_count;
  return true;
}

}  // namespace aerogpu::d3d9
