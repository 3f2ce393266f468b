// SPDX-License-Identifier: MIT
#include "aerogpu/d3d9/token_writer.h"

namespace aerogpu::d3d9 {

void TokenWriter::version(Version version) {
  setVersion(version);
  put(version.token());
}

void TokenWriter::finish() {
  if (!m_ok || !m_writesLengths) return;
  const size_t length = m_size - m_first - 1;
  if (length > kLengthMask >> kLengthShift)
    m_ok = false;
  else
    m_tokens[m_first] |= static_cast<uint32_t>(length) << kLengthShift;
}

void TokenWriter::comment(const uint32_t* words, size_t count) {
  if (count > kCommentLengthMask >> kCommentLengthShift) {
    m_ok = false;
    return;
  }
  put(static_cast<uint32_t>(Opcode::Comment) | static_cast<uint32_t>(count) << kCommentLengthShift);
  for (size_t i = 0; i < count; ++i) put(words[i]);
}

}  // namespace aerogpu::d3d9
