// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/device/capability_block.h"

#include "aerogpu/aerogpu_caps.h"
#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {

NTSTATUS CapabilityBlock::read(const Registers &registers, uint32_t featuresHigh) {
  m_bytes = 0;
  m_hasFormats = false;
  if (!(featuresHigh & AEROGPU_EXT_FEATURE_HI_CAPS)) return STATUS_SUCCESS;
  if (!m_data) m_data = static_cast<uint8_t *>(poolAllocate(AEROGPU_EXT_REG_CAPS_BYTES));
  if (!m_data) return STATUS_INSUFFICIENT_RESOURCES;
  const uint32_t bytes = registers.read(AEROGPU_EXT_REG_CAPS_SIZE);
  if (bytes <= AEROGPU_EXT_REG_CAPS_BYTES) m_bytes = bytes;
  m_hasFormats = featuresHigh & AEROGPU_EXT_FEATURE_HI_FORMATS;
  RtlZeroMemory(m_data, AEROGPU_EXT_REG_CAPS_BYTES);
  for (uint32_t at = 0; at < m_bytes; at += 4) {
    const uint32_t word = registers.read(AEROGPU_EXT_REG_CAPS + at);
    RtlCopyMemory(m_data + at, &word, sizeof word);
  }
  return STATUS_SUCCESS;
}

void CapabilityBlock::free() {
  poolFree(m_data);
  m_data = nullptr;
  m_bytes = 0;
}

uint32_t CapabilityBlock::word(uint32_t offset) const {
  uint32_t word = 0;
  if (offset <= AEROGPU_EXT_REG_CAPS_BYTES - sizeof word) RtlCopyMemory(&word, m_data + offset, sizeof word);
  return word;
}

bool CapabilityBlock::knows(uint32_t bytes) const {
  return m_bytes >= bytes && word(offsetof(aerogpu_caps, magic)) == AEROGPU_CAPS_MAGIC &&
         word(offsetof(aerogpu_caps, struct_bytes)) >= bytes;
}

void CapabilityBlock::deviceName(wchar_t *out, uint32_t room) const {
  uint32_t count = 0;
  if (knows(offsetof(aerogpu_caps, device_name_offset) + sizeof(uint32_t))) {
    const uint32_t first = word(offsetof(aerogpu_caps, device_name_offset));
    for (uint32_t at = first; at < m_bytes && at >= first && count + 1 < room; at++) {
      const auto byte = static_cast<uint8_t>(word(at & ~3u) >> at % 4 * 8);
      if (!byte) break;
      if ((byte & 0xC0) == 0x80) continue;  // not the first byte of its character in UTF-8
      out[count++] = byte >= 0x20 && byte < 0x7F ? static_cast<wchar_t>(byte) : L'?';
    }
  }
  out[count] = 0;
}

FormatSet CapabilityBlock::formats() const {
  FormatSet formats;
  if (!m_hasFormats || !knows(offsetof(aerogpu_caps, format_entry_bytes) + sizeof(uint32_t))) return formats;
  const uint32_t first = word(offsetof(aerogpu_caps, formats_offset));
  const uint32_t stride = word(offsetof(aerogpu_caps, format_entry_bytes));
  if (first > m_bytes || (first | stride) % 4 || stride < sizeof(aerogpu_format_caps)) return formats;
  const uint32_t room = (m_bytes - first) / stride, said = word(offsetof(aerogpu_caps, format_count));
  const uint32_t count = said < room ? said : room;
  constexpr uint32_t kMade = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_DEPTH | AEROGPU_FORMAT_CAP_BLIT_SRC;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t entry = first + i * stride;
    if (word(entry + offsetof(aerogpu_format_caps, caps)) & kMade)
      formats.add(word(entry + offsetof(aerogpu_format_caps, format)));
  }
  return formats;
}

uint32_t CapabilityBlock::copy(uint8_t *out, uint32_t room) const {
  const uint32_t count = m_bytes < room ? m_bytes : room;
  if (count) RtlCopyMemory(out, m_data, count);
  return count;
}

}  // namespace aero
