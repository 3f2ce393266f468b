// SPDX-License-Identifier: MIT
// Writes the instructions of both generators of the fixed function, and counts their slots. Private to this
// folder.
#pragma once

#include "aerogpu/d3d9/fixed_function.h"
#include "aerogpu/d3d9/token_writer.h"

namespace aerogpu::d3d9 {

/// A register that is read.
struct FixedSource {
  RegisterType type = RegisterType::Temp;
  uint32_t number = 0;
  uint8_t swizzle = kIdentitySwizzle;
  bool negated = false;
  RegisterType index = RegisterType::Temp;  ///< Loop or AddressOrTexture: relative to it
  uint8_t indexComponent = 0;

  constexpr FixedSource component(uint32_t c) const {
    FixedSource s = *this;
    s.swizzle = replicate(swizzle >> (2 * c));
    return s;
  }
  constexpr FixedSource swizzled(uint8_t by) const {
    FixedSource s = *this;
    s.swizzle = by;
    return s;
  }
  constexpr FixedSource x() const { return component(0); }
  constexpr FixedSource y() const { return component(1); }
  constexpr FixedSource z() const { return component(2); }
  constexpr FixedSource w() const { return component(3); }
  constexpr FixedSource operator-() const {
    FixedSource s = *this;
    s.negated = !negated;
    return s;
  }
  constexpr bool isRelative() const { return index != RegisterType::Temp; }
};

/// A register that is written.
struct FixedTarget {
  RegisterType type = RegisterType::Temp;
  uint32_t number = 0;
  uint8_t mask = 0xF;
  bool saturated = false;

  constexpr FixedTarget masked(uint8_t by) const {
    FixedTarget t = *this;
    t.mask = by;
    return t;
  }
};

inline constexpr uint8_t kX = 1, kY = 2, kZ = 4, kW = 8, kXyz = 7, kXyzw = 15;

constexpr FixedSource temp(uint32_t n) {
  return {RegisterType::Temp, n};
}
constexpr FixedSource constant(uint32_t n) {
  return {RegisterType::Const, n};
}
constexpr FixedTarget toTemp(uint32_t n, uint8_t mask = kXyzw) {
  return {RegisterType::Temp, n, mask};
}
constexpr FixedTarget saturate(FixedTarget t) {
  t.saturated = true;
  return t;
}

class FixedEmitter {
public:
  FixedEmitter(uint32_t* tokens, size_t capacity) : m_writer(tokens, capacity) {}

  TokenWriter& writer() { return m_writer; }
  uint32_t slots() const { return m_slots; }

  template <class... Sources>
  void emit(Opcode opcode, const FixedTarget& target, const Sources&... sources) {
    m_writer.begin(opcode);
    m_writer.parameter(
        destinationToken(target.type, target.number, target.mask, target.saturated ? kSaturate : 0));
    (source(sources), ...);
    m_writer.finish();
    m_slots += slotsOf(opcode);
  }
  /// Emits texld or, if `projected`, texldp.
  void texture(const FixedTarget& target, const FixedSource& at, uint32_t sampler, bool projected) {
    m_writer.begin(Opcode::Tex, projected ? kTexldProject : 0);
    m_writer.parameter(destinationToken(target.type, target.number, target.mask));
    source(at);
    source({RegisterType::Sampler, sampler});
    m_writer.finish();
    ++m_slots;
  }
  void loop(uint32_t integers) {
    m_writer.instruction(Opcode::Loop, sourceToken(RegisterType::Loop, 0),
                         sourceToken(RegisterType::ConstInt, integers));
    m_slots += 3;
  }
  void endLoop() {
    m_writer.instruction(Opcode::EndLoop);
    m_slots += 2;
  }

private:
  void source(const FixedSource& s) {
    const uint32_t token =
        sourceToken(s.type, s.number, s.swizzle, s.negated ? SourceModifier::Negate : SourceModifier::None);
    m_writer.parameter(s.isRelative() ? token | kRelativeBit : token);
    if (s.isRelative()) m_writer.parameter(sourceToken(s.index, 0, replicate(s.indexComponent)));
  }

  /// Slots from the tables "vs_2_0 instructions" and "ps_2_0 instructions" of the shader reference, for the
  /// instructions used here.
  static constexpr uint32_t slotsOf(Opcode opcode) {
    switch (opcode) {
      case Opcode::Nrm:
      case Opcode::Pow:
        return 3;
      default:
        return 1;
    }
  }

  TokenWriter m_writer;
  uint32_t m_slots = 0;
};

}  // namespace aerogpu::d3d9
