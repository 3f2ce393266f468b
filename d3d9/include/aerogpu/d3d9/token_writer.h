// SPDX-License-Identifier: MIT
// Writes token streams (tokens.h) into a buffer of fixed size. It checks no rules of shader models: the
// assembler does. No heap; drivers may include and link it. One thread an object.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "aerogpu/d3d9/tokens.h"

namespace aerogpu::d3d9 {

/// Returns the token of a register that an instruction writes: components of `mask` (bit 0 = x), result
/// modifiers (kSaturate, ...), and the result shift of ps_1_x as its 4-bit field. For relative addressing add
/// kRelativeBit and, from shader model 2 on, the index register as the next token.
constexpr uint32_t destinationToken(RegisterType type, uint32_t number, uint32_t mask = 0xF,
                                    uint32_t modifiers = 0, uint32_t shift = 0) {
  return kParameterBit | registerTypeBits(type) | (number & kRegisterNumberMask) |
         (mask << kWriteMaskShift & kWriteMaskMask) |
         (modifiers << kResultModifierShift & kResultModifierMask) |
         (shift << kResultShiftShift & kResultShiftMask);
}

/// Returns the token of a register that an instruction reads. Relative addressing as in destinationToken().
constexpr uint32_t sourceToken(RegisterType type, uint32_t number, uint32_t swizzle = kIdentitySwizzle,
                               SourceModifier modifier = SourceModifier::None) {
  return kParameterBit | registerTypeBits(type) | (number & kRegisterNumberMask) |
         (swizzle << kSwizzleShift & kSwizzleMask) |
         (static_cast<uint32_t>(modifier) << kSourceModifierShift & kSourceModifierMask);
}

/// Returns the swizzle that reads component `c` (0 = x) four times.
constexpr uint32_t replicate(uint32_t c) {
  return (c & 3) * 0x55;
}

class TokenWriter {
public:
  /// Writes to `buffer`, which has room for `capacity` tokens and has to outlive the writer.
  TokenWriter(uint32_t* buffer, size_t capacity) : m_tokens(buffer), m_capacity(capacity) {}

  /// False once a value did not fit the buffer or its field: then size() is meaningless.
  bool ok() const { return m_ok; }
  size_t size() const { return m_size; }
  const uint32_t* data() const { return m_tokens; }

  /// Writes the version token; from shader model 2 on, instruction tokens get their length.
  void version(Version version);
  /// Uses the instruction format of `version` without writing it: for part of a stream.
  void setVersion(Version version) { m_writesLengths = version.major >= 2; }

  // An instruction in steps: begin(), its parameters, finish().
  void begin(Opcode opcode, uint32_t control = 0, uint32_t flags = 0) {
    m_first = m_size;
    put(static_cast<uint32_t>(opcode) | (control << kControlShift & kControlMask) | flags);
  }
  void parameter(uint32_t token) { put(token); }
  void finish();

  /// Writes a whole instruction; `parameters` are tokens.
  template <class... Tokens>
  void instruction(Opcode opcode, Tokens... parameters) {
    begin(opcode);
    (put(parameters), ...);
    finish();
  }

  void dcl(Usage usage, uint32_t usageIndex, uint32_t destination) {
    instruction(Opcode::Dcl,
                kParameterBit | static_cast<uint32_t>(usage) |
                    (usageIndex << kDclUsageIndexShift & kDclUsageIndexMask),
                destination);
  }
  void dclSampler(SamplerType type, uint32_t number) {
    instruction(Opcode::Dcl, kParameterBit | static_cast<uint32_t>(type) << kDclSamplerShift,
                destinationToken(RegisterType::Sampler, number));
  }
  /// Defines constants as bits, so that no caller needs floating-point numbers.
  void def(uint32_t number, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
    instruction(Opcode::Def, destinationToken(RegisterType::Const, number), x, y, z, w);
  }
  void defI(uint32_t number, int32_t x, int32_t y, int32_t z, int32_t w) {
    instruction(Opcode::DefI, destinationToken(RegisterType::ConstInt, number), static_cast<uint32_t>(x),
                static_cast<uint32_t>(y), static_cast<uint32_t>(z), static_cast<uint32_t>(w));
  }
  void defB(uint32_t number, bool value) {
    instruction(Opcode::DefB, destinationToken(RegisterType::ConstBool, number), uint32_t{value});
  }
  /// Writes a comment of at most 0x7FFF words.
  void comment(const uint32_t* words, size_t count);
  void end() { put(kEndToken); }

private:
  void put(uint32_t token) {
    if (m_size < m_capacity)
      m_tokens[m_size++] = token;
    else
      m_ok = false;
  }

  uint32_t* m_tokens;
  size_t m_capacity;
  size_t m_size = 0;
  size_t m_first = 0;  ///< position of the instruction after begin()
  bool m_ok = true;
  bool m_writesLengths = false;
};

}  // namespace aerogpu::d3d9
