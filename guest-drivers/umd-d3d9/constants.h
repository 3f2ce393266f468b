// SPDX-License-Identifier: MIT
// constants.h: one file of shader constants: what the runtime wants, and which registers the device does not have yet.
// A draw sends runs of registers; gaps that cost less than another packet are sent along.
#pragma once

#include <stdint.h>

#include <bit>

#include "context.h"

namespace aero {

/** `kCount` registers of four words each, sent by packets of the structure `Packet`. */
template <class Packet, uint32_t kCount> class ConstantFile {
public:
  using Register = aerogpu_constant_register;

  explicit ConstantFile(uint32_t stage) : m_stage(stage) {}

  /** Registers from `first` on; what is past the end is left out. `registers` needs no alignment. */
  void set(uint32_t first, uint32_t count, const void *registers) {
    if (first >= kCount) return;
    if (count > kCount - first) count = kCount - first;
    const auto *from = static_cast<const uint8_t *>(registers);
    for (uint32_t i = 0; i < count; i++) setOne(first + i, from + size_t{i} * sizeof(Register));
  }
  /** Booleans: true for all but 0. */
  void setBools(uint32_t first, uint32_t count, const BOOL *values) {
    for (uint32_t i = 0; i < count && first < kCount && i < kCount - first; i++) {
      const Register value = {{values[i] ? 1u : 0u, 0, 0, 0}};
      setOne(first + i, &value);
    }
  }

  bool isDirty() const { return m_isDirty; }
  bool emit(Context &context) { return m_isDirty ? emitDirty(context) : true; }

  /** Sends registers now, whatever is wanted; the next emit() puts the wanted ones back. */
  bool force(Context &context, uint32_t first, uint32_t count, const Register *registers);

  /** The device may have anything. */
  void forget() {
    for (uint32_t i = 0; i < kCount; i++) m_dirty[i / 64] |= uint64_t{1} << i % 64;
    m_isDirty = true;
  }

private:
  static constexpr uint32_t kWords = (kCount + 63) / 64;

  void setOne(uint32_t index, const void *value) {
    uint64_t words[2], have[2];
    memcpy(words, value, sizeof words);
    memcpy(have, &m_registers[index], sizeof have);
    if (words[0] == have[0] && words[1] == have[1]) return;
    memcpy(&m_registers[index], words, sizeof words);
    m_dirty[index / 64] |= uint64_t{1} << index % 64;
    m_isDirty = true;
  }
  /** How many registers from one that is dirty on go together, in the same word. A gap of one is sent along: a packet's
   *  own bytes are those of a register and a half. */
  uint32_t runAt(uint32_t index) const {
    const uint64_t dirty = m_dirty[index / 64], filled = dirty | (dirty << 1 & dirty >> 1);
    return static_cast<uint32_t>(std::countr_one(filled >> index % 64));
  }
  bool emitDirty(Context &context);

  uint32_t m_stage;
  bool m_isDirty = false;
  uint64_t m_dirty[kWords] = {};
  Register m_registers[kCount] = {};
};

template <class Packet, uint32_t kCount> bool ConstantFile<Packet, kCount>::emitDirty(Context &context) {
  for (uint32_t word = 0; word < kWords; word++) {
    while (m_dirty[word]) {
      const auto begin = word * 64 + static_cast<uint32_t>(std::countr_zero(m_dirty[word]));
      uint32_t end = begin + runAt(begin);
      while (end % 64 == 0 && end < kCount && m_dirty[end / 64] & 1) end += runAt(end);
      auto *packet = context.append<Packet>(end - begin);
      if (!packet) return false;
      packet->stage = m_stage;
      packet->start_register = begin;
      memcpy(Context::elementsOf(packet), &m_registers[begin], (end - begin) * sizeof(Register));
      for (uint32_t at = begin; at < end; at = (at / 64 + 1) * 64) {
        const uint32_t count = (end < (at / 64 + 1) * 64 ? end : (at / 64 + 1) * 64) - at;
        m_dirty[at / 64] &= ~(~uint64_t{0} >> (64 - count) << at % 64);
      }
    }
  }
  m_isDirty = false;
  return true;
}

template <class Packet, uint32_t kCount>
bool ConstantFile<Packet, kCount>::force(Context &context, uint32_t first, uint32_t count, const Register *registers) {
  auto *packet = context.append<Packet>(count);
  if (!packet) return false;
  packet->stage = m_stage;
  packet->start_register = first;
  memcpy(Context::elementsOf(packet), registers, count * sizeof(Register));
  for (uint32_t i = first; i < first + count; i++) m_dirty[i / 64] |= uint64_t{1} << i % 64;
  m_isDirty = true;
  return true;
}

using VertexFloats = ConstantFile<aerogpu_cmd_set_shader_constants_f, 256>;
using PixelFloats = ConstantFile<aerogpu_cmd_set_shader_constants_f, 224>;
using Ints = ConstantFile<aerogpu_cmd_set_shader_constants_i, 16>;
using Bools = ConstantFile<aerogpu_cmd_set_shader_constants_b, 16>;

}  // namespace aero
