// SPDX-License-Identifier: MIT
// device_block.h: a look into the device's capability block, which the kernel driver hands on (docs/abi/extensions.md
// CAPS-1 to CAPS-6, docs/abi/driver-data.md PRIV-23). Nothing of it is believed before it is known to lie inside. Any
// thread.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/aerogpu_caps.h"

namespace aero {

class DeviceBlock {
public:
  /** No block: the device has none. */
  DeviceBlock() = default;
  /** `bytes` bytes at `data`, which outlive this. What is no block, or one without formats, is none. */
  DeviceBlock(const uint8_t *data, size_t bytes) {
    constexpr size_t kFirst = offsetof(aerogpu_caps, struct_bytes) + sizeof m_caps.struct_bytes;
    if (!data || bytes < kFirst) return;
    memcpy(&m_caps, data, kFirst);
    const size_t known = m_caps.struct_bytes < sizeof m_caps ? m_caps.struct_bytes : sizeof m_caps;
    const bool taken = m_caps.magic == AEROGPU_CAPS_MAGIC && m_caps.version >= 2 && known > kFirst && known <= bytes;
    if (taken) memcpy(&m_caps, data, known);
    if (!taken || m_caps.format_entry_bytes < sizeof(aerogpu_format_caps) || m_caps.formats_offset > bytes) {
      m_caps = {};
      return;
    }
    const size_t room = (bytes - m_caps.formats_offset) / m_caps.format_entry_bytes;
    m_formats = data + m_caps.formats_offset;
    m_count = m_caps.format_count < room ? m_caps.format_count : room;
  }

  explicit operator bool() const { return m_formats != nullptr; }
  /** The limits; all zero without a block, and what an older device does not say is zero. */
  const aerogpu_caps &limits() const { return m_caps; }
  /** What the device does with textures of a format (enum aerogpu_format); nothing when it has none. */
  aerogpu_format_caps format(uint32_t number) const {
    for (size_t i = 0; i < m_count; i++) {
      aerogpu_format_caps entry;
      memcpy(&entry, m_formats + i * m_caps.format_entry_bytes, sizeof entry);
      if (entry.format == number) return entry;
    }
    return {};
  }

private:
  aerogpu_caps m_caps = {};
  const uint8_t *m_formats = nullptr;
  size_t m_count = 0;
};

}  // namespace aero
