// SPDX-License-Identifier: MIT
// Compares capability blocks: a guest that has read one goes on where another holds.
#include <bit>
#include <cstring>
#include <map>
#include <tuple>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/caps.h"
#include "renderer/core/caps_block.h"

namespace aerogpu::core {

namespace {

/// How a member of the block promises something.
enum class Promise : uint8_t {
  Most,       ///< values up to it
  MostFloat,  ///< the same, a float
  Bits,       ///< each bit that is set
  NotBits,    ///< each bit that is not set
};

struct Member {
  const char* name;
  size_t offset;
  Promise promise;
};

#define MEMBER(name, promise) \
  { #name, offsetof(aerogpu_caps, name), Promise::promise }
/// All members but the block's own description and those of 64 bits.
constexpr Member kMembers[] = {
    MEMBER(max_texture_2d, Most),
    MEMBER(max_texture_volume, Most),
    MEMBER(max_texture_cube, Most),
    MEMBER(max_array_layers, Most),
    MEMBER(max_anisotropy, Most),
    MEMBER(color_samples, Bits),
    MEMBER(depth_samples, Bits),
    MEMBER(max_objects, Most),
    MEMBER(flags, Bits),
    MEMBER(max_vertex_streams, Most),
    MEMBER(max_clip_planes, Most),
    MEMBER(max_color_targets, Most),
    MEMBER(max_point_size_f32, MostFloat),
    MEMBER(missing_vertex_types, NotBits),
};
#undef MEMBER

/// Collects what is missing.
class Lines {
public:
  void add(const std::string& line) { m_text += (m_text.empty() ? "" : "; ") + line; }
  void add(const std::string& name, const std::string& promised, const std::string& own) {
    add(name + " " + promised + ", here " + own);
  }
  const std::string& text() const { return m_text; }

private:
  std::string m_text;
};

std::string hex(uint32_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[value % 16]);
  while (value /= 16);
  return "0x" + text;
}

uint32_t wordAt(std::span<const uint8_t> block, size_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, block.data() + offset, sizeof word);
  return word;
}

void compareMember(const Member& member, uint32_t promised, uint32_t own, Lines& lines) {
  switch (member.promise) {
    case Promise::Most:
      if (promised > own) lines.add(member.name, std::to_string(promised), std::to_string(own));
      return;
    case Promise::MostFloat: {
      const float wanted = std::bit_cast<float>(promised), there = std::bit_cast<float>(own);
      if (!(wanted <= there)) lines.add(member.name, std::to_string(wanted), std::to_string(there));
      return;
    }
    case Promise::Bits:
      if (promised & ~own) lines.add(member.name, hex(promised), hex(own));
      return;
    case Promise::NotBits:
      if (~promised & own) lines.add(member.name, hex(promised), hex(own));
      return;
  }
}

#define USE(name) \
  { #name, AEROGPU_FORMAT_CAP_##name }
constexpr struct {
  const char* name;
  uint32_t bit;
} kUses[] = {
    USE(SAMPLE),   USE(FILTER),   USE(VERTEX_SAMPLE), USE(TARGET),     USE(BLEND),  USE(DEPTH),
    USE(COMPARE),  USE(STENCIL),  USE(SRGB_READ),     USE(SRGB_WRITE), USE(VOLUME), USE(CUBE),
    USE(BLIT_SRC), USE(BLIT_DST), USE(AUTO_MIPS),     USE(BORDER),     USE(GATHER), USE(VERTEX),
};
#undef USE

std::string nameOfUse(uint32_t bit) {
  for (const auto& use : kUses)
    if (use.bit == bit) return use.name;
  return "use " + hex(bit);
}

std::string nameOfFormat(uint32_t format) {
  const FormatInfo* info = findFormat(format);
  return info ? info->name : "format " + std::to_string(format);
}

/// What a format lacks.
struct Lack {
  uint32_t uses, samples;
  bool all;  ///< no texture of it can be made
  bool operator<(const Lack& other) const {
    return std::tie(uses, samples, all) < std::tie(other.uses, other.samples, other.all);
  }
};

std::string nameOf(const Lack& lack) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : " ") + one; };
  if (lack.all) return "all uses";
  for (uint32_t bits = lack.uses; bits != 0; bits &= bits - 1) add(nameOfUse(bits & -bits));
  for (uint32_t bits = lack.samples; bits != 0; bits &= bits - 1)
    add(std::to_string(uint64_t{1} << std::countr_zero(bits)) + "-samples");
  return text;
}

/// Adds a line for all formats that lack the same.
void addFormats(const std::map<uint32_t, FormatCaps>& promised, const std::map<uint32_t, FormatCaps>& own,
                Lines& lines) {
  std::map<Lack, std::string> lists;
  for (const auto& [format, wanted] : promised) {
    const auto found = own.find(format);
    const FormatCaps here = found == own.end() ? FormatCaps{} : found->second;
    const uint32_t uses = wanted.caps & ~here.caps, samples = wanted.samples & ~here.samples;
    if (uses == 0 && samples == 0) continue;
    const bool all = here.caps == 0;
    std::string& list = lists[all ? Lack{0, 0, true} : Lack{uses, samples, false}];
    list += (list.empty() ? "" : ", ") + nameOfFormat(format);
  }
  for (const auto& [lack, list] : lists) lines.add(nameOf(lack) + " of " + list);
}

}  // namespace

std::string missingCaps(std::span<const uint8_t> promised, std::span<const uint8_t> own) {
  const auto block = parseCaps(promised), ownBlock = parseCaps(own);
  if (!block) return block.error();
  if (!ownBlock) return ownBlock.error();
  const aerogpu_caps &wanted = block->caps, &here = ownBlock->caps;
  Lines lines;
  const std::span<const uint8_t> wantedBytes{reinterpret_cast<const uint8_t*>(&wanted), sizeof wanted};
  const std::span<const uint8_t> ownBytes{reinterpret_cast<const uint8_t*>(&here), sizeof here};
  for (const Member& member : kMembers)
    compareMember(member, wordAt(wantedBytes, member.offset), wordAt(ownBytes, member.offset), lines);
  if (wanted.max_buffer_bytes > here.max_buffer_bytes)
    lines.add("max_buffer_bytes", std::to_string(wanted.max_buffer_bytes),
              std::to_string(here.max_buffer_bytes));
  if (wanted.max_host_bytes > here.max_host_bytes)
    lines.add("max_host_bytes", std::to_string(wanted.max_host_bytes), std::to_string(here.max_host_bytes));
  addFormats(block->formats, ownBlock->formats, lines);
  return lines.text();
}

}  // namespace aerogpu::core
