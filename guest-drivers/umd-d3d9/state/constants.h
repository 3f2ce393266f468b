// SPDX-License-Identifier: MIT
// constants.h: one file of shader constants: the runtime's values, and which registers the device does not have yet. A
// draw sends runs of registers; gaps that cost less than another packet are sent along.
#pragma once

#include <stdint.h>

#include <bit>

#include "guest-drivers/umd-common/base/dirty_bit.h"
#include "guest-drivers/umd-common/submit/context.h"

namespace aero {

/** `kCount` registers of four words each, sent by packets of the structure `Packet`. */
template <class Packet, uint32_t kCount> class ConstantFile {
public:
  using Register = aerogpu_constant_register;

  ConstantFile(uint32_t stage, DirtyBit dirty) : m_stage(stage), m_isDirty(dirty) {}

  /** Sets registers from `first` on; those past the end are left out. `registers` needs no alignment. */
  void set(uint32_t first, uint32_t count, const void *registers) {
    if (first >= kCount) return;
    if (count > kCount - first) count = kCount - first;
    const auto *from = static_cast<const uint8_t *>(registers);
    if (first % 64 + count <= 64)
      setInWord(first, count, from);
    else
      setAcross(first, count, from);
  }
  /** Sets booleans: true for any value but 0. */
  void setBools(uint32_t first, uint32_t count, const BOOL *values) {
    for (uint32_t i = 0; i < count && first < kCount && i < kCount - first; i++) {
      const Register value = {{values[i] ? 1u : 0u, 0, 0, 0}};
      if (keep(m_registers[first + i], &value)) mark((first + i) / 64, uint64_t{1} << (first + i) % 64);
    }
  }

  bool emit(Context &context);

  /** Sends registers now, whatever the runtime's values are; the next emit() restores those. */
  bool force(Context &context, uint32_t first, uint32_t count, const Register *registers);

  /** Forgets what the device has, so that the next emit() sends all registers. */
  void forget() {
    for (uint32_t i = 0; i < kCount; i++) mark(i / 64, uint64_t{1} << i % 64);
  }

private:
  static constexpr uint32_t kWords = (kCount + 63) / 64;
  static constexpr uint32_t kFew = 8;  // not worth a call of memcpy

  /** Stores a value; returns true if it differs. */
  static bool keep(Register &have, const void *value) {
    uint64_t words[2], old[2];
    memcpy(words, value, sizeof words);
    memcpy(old, &have, sizeof old);
    if (words[0] == old[0] && words[1] == old[1]) return false;
    memcpy(&have, words, sizeof words);
    return true;
  }
  /** Sets registers whose bits are in one word. */
  void setInWord(uint32_t first, uint32_t count, const uint8_t *from) {
    uint64_t changed = 0, bit = 1;
    Register *at = &m_registers[first];
    for (const Register *end = at + count; at != end; at++, from += sizeof(Register), bit <<= 1)
      if (keep(*at, from)) changed |= bit;
    if (changed) mark(first / 64, changed << first % 64);
  }
  [[gnu::noinline]] void setAcross(uint32_t first, uint32_t count, const uint8_t *from) {
    while (count) {
      const uint32_t left = 64 - first % 64, here = count < left ? count : left;
      setInWord(first, here, from);
      first += here;
      from += size_t{here} * sizeof(Register);
      count -= here;
    }
  }
  void mark(uint32_t word, uint64_t registers) {
    m_dirty[word] |= registers;
    m_dirtyWords |= 1u << word;
    m_isDirty.set();
  }
  void clear(uint32_t word, uint64_t left) {
    m_dirty[word] &= left;
    if (!m_dirty[word]) m_dirtyWords &= ~(1u << word);
  }
  /** Returns the registers of a word to send, a bit each, if `dirty` ones differ. A gap of one register is sent too,
   * because a packet's header costs as much as a register and a half. */
  static uint64_t filled(uint64_t dirty) { return dirty | (dirty << 1 & dirty >> 1); }
  static uint32_t runAt(uint64_t dirty, uint32_t begin) {
    return static_cast<uint32_t>(std::countr_one(filled(dirty) >> begin));
  }
  void write(Packet *packet, uint32_t first, uint32_t count) {
    packet->stage = m_stage;
    packet->start_register = first;
    Register *to = Context::elementsOf(packet);
    if (count > kFew) {
      memcpy(to, &m_registers[first], count * sizeof(Register));
      return;
    }
    for (const Register *from = &m_registers[first], *end = from + count; from != end; from++, to++) {
      uint64_t words[2];
      memcpy(words, from, sizeof words);
      memcpy(to, words, sizeof words);
    }
  }
  bool emitRuns(Context &context);

  uint32_t m_stage;
  uint32_t m_dirtyWords = 0;  // a bit for each word of m_dirty that is not 0
  DirtyBit m_isDirty;
  uint64_t m_dirty[kWords] = {};
  Register m_registers[kCount] = {};
};

template <class Packet, uint32_t kCount> bool ConstantFile<Packet, kCount>::emit(Context &context) {
  // One run in one word, with room for it, is the usual case. The values whose zeros are counted are never 0, so that
  // takes no branch.
  if (!m_dirtyWords || m_dirtyWords & (m_dirtyWords - 1)) return emitRuns(context);
  const auto word = static_cast<uint32_t>(__builtin_ctz(m_dirtyWords));
  const auto bit = static_cast<uint32_t>(__builtin_ctzll(m_dirty[word]));
  const uint64_t run = filled(m_dirty[word]) >> bit, behind = run + 1;
  if (!behind || run & behind) return emitRuns(context);
  const auto count = static_cast<uint32_t>(__builtin_ctzll(behind));
  if (!context.fits<Packet>(count)) return emitRuns(context);
  write(context.appendFitting<Packet>(count), word * 64 + bit, count);
  m_dirty[word] = 0;
  m_dirtyWords = 0;
  m_isDirty.clear();
  return true;
}

template <class Packet, uint32_t kCount> bool ConstantFile<Packet, kCount>::emitRuns(Context &context) {
  while (m_dirtyWords) {
    const auto word = static_cast<uint32_t>(std::countr_zero(m_dirtyWords));
    const uint64_t dirty = m_dirty[word];
    const auto bit = static_cast<uint32_t>(std::countr_zero(dirty));
    const uint32_t run = runAt(dirty, bit), begin = word * 64 + bit;
    uint32_t end = begin + run;
    // Runs continue in the next words.
    for (uint32_t next = word + 1; end == next * 64 && next < kWords && m_dirty[next] & 1; next++)
      end += runAt(m_dirty[next], 0);
    auto *packet = context.append<Packet>(end - begin);
    if (!packet) return false;
    write(packet, begin, end - begin);
    // Everything before the end of the run is sent.
    clear(word, ~uint64_t{0} << bit << (run - 1) << 1);
    for (uint32_t next = word + 1; next * 64 < end; next++)
      clear(next, end - next * 64 < 64 ? ~uint64_t{0} << (end - next * 64) : 0);
  }
  m_isDirty.clear();
  return true;
}

template <class Packet, uint32_t kCount>
bool ConstantFile<Packet, kCount>::force(Context &context, uint32_t first, uint32_t count, const Register *registers) {
  auto *packet = context.append<Packet>(count);
  if (!packet) return false;
  packet->stage = m_stage;
  packet->start_register = first;
  memcpy(Context::elementsOf(packet), registers, count * sizeof(Register));
  for (uint32_t i = first; i < first + count; i++) mark(i / 64, uint64_t{1} << i % 64);
  return true;
}

using VertexFloats = ConstantFile<aerogpu_cmd_set_shader_constants_f, 256>;
using PixelFloats = ConstantFile<aerogpu_cmd_set_shader_constants_f, 224>;
using Ints = ConstantFile<aerogpu_cmd_set_shader_constants_i, 16>;
using Bools = ConstantFile<aerogpu_cmd_set_shader_constants_b, 16>;

}  // namespace aero
