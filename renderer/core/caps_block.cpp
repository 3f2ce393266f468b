// SPDX-License-Identifier: MIT
#include "renderer/core/caps_block.h"

#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_extension.h"

namespace aerogpu::core {

Result<CapsBlock, std::string> parseCaps(std::span<const uint8_t> block) {
  CapsBlock out;
  aerogpu_caps& caps = out.caps;
  constexpr size_t kFirst = offsetof(aerogpu_caps, device_name_offset);
  const std::string none = "no capability block";
  if (block.size() < kFirst || block.size() > AEROGPU_EXT_REG_CAPS_BYTES) return none;
  std::memcpy(&caps, block.data(), kFirst);
  if (caps.magic != AEROGPU_CAPS_MAGIC || caps.size_bytes != block.size() || caps.struct_bytes < kFirst ||
      caps.struct_bytes > block.size())
    return none;
  if (caps.version > AEROGPU_CAPS_VERSION)
    return "the capability block's version is " + std::to_string(caps.version) + ", " +
           std::to_string(AEROGPU_CAPS_VERSION) + " is known";
  std::memcpy(&caps, block.data(), std::min<size_t>(caps.struct_bytes, sizeof caps));
  if (caps.format_count == 0) return out;
  if (caps.format_entry_bytes < sizeof(aerogpu_format_caps) || caps.formats_offset > block.size() ||
      caps.format_count > (block.size() - caps.formats_offset) / caps.format_entry_bytes)
    return std::string("the capability block's formats lie outside of it");
  for (uint32_t i = 0; i < caps.format_count; ++i) {
    aerogpu_format_caps entry;
    std::memcpy(&entry, block.data() + caps.formats_offset + size_t{i} * caps.format_entry_bytes,
                sizeof entry);
    out.formats.emplace(entry.format, FormatCaps{entry.caps, entry.samples});
  }
  return out;
}

}  // namespace aerogpu::core
