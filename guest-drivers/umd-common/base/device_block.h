// SPDX-License-Identifier: MIT
// device_block.h: reads the device's capability block, which the kernel driver hands on (docs/abi/extensions.md CAPS-1
// to CAPS-6, docs/abi/driver-data.md PRIV-29). It checks that data lies inside the block before it uses it. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/aerogpu_caps.h"

namespace aero {

class DeviceBlock {
public:
  /** Makes an empty object, for a device without a block. */
  DeviceBlock() = default;
  /** Reads the block of `bytes` bytes at `data`, which must outlive this object. Data that is no valid block, or has no
   * valid list of formats, counts as no block. */
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
  /** Returns the limits; all zero without a block. A field that an older device does not have is zero. */
  const aerogpu_caps &limits() const { return m_caps; }
  /** Returns the device's abilities with textures of a format (enum aerogpu_format); zero if it lacks the format. */
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
