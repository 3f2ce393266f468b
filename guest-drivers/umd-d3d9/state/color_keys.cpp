// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/color_keys.h"

#include <bit>

#include "aerogpu/d3d9/token_writer.h"

namespace aero {
namespace {

using aerogpu::d3d9::Opcode;
using aerogpu::d3d9::RegisterType;

/** Bits of a channel in a texel: its lowest, and how many. */
struct Channel {
  uint8_t first, bits;
};
/** The channels of a format, red to alpha. */
struct Channels {
  uint32_t d3d;
  Channel rgba[4];  // alpha without bits reads as 1
};
constexpr Channels kChannels[] = {
    {D3DDDIFMT_A8R8G8B8, {{16, 8}, {8, 8}, {0, 8}, {24, 8}}}, {D3DDDIFMT_X8R8G8B8, {{16, 8}, {8, 8}, {0, 8}, {}}},
    {D3DDDIFMT_A8B8G8R8, {{0, 8}, {8, 8}, {16, 8}, {24, 8}}}, {D3DDDIFMT_X8B8G8R8, {{0, 8}, {8, 8}, {16, 8}, {}}},
    {D3DDDIFMT_R8G8B8, {{16, 8}, {8, 8}, {0, 8}, {}}},        {D3DDDIFMT_R5G6B5, {{11, 5}, {5, 6}, {0, 5}, {}}},
    {D3DDDIFMT_X1R5G5B5, {{10, 5}, {5, 5}, {0, 5}, {}}},      {D3DDDIFMT_A1R5G5B5, {{10, 5}, {5, 5}, {0, 5}, {15, 1}}},
    {D3DDDIFMT_A4R4G4B4, {{8, 4}, {4, 4}, {0, 4}, {12, 4}}},  {D3DDDIFMT_X4R4G4B4, {{8, 4}, {4, 4}, {0, 4}, {}}},
};

/** Sets the colour that a texel has when it is sampled. Returns false for formats without keys. */
bool colorOf(uint32_t texel, uint32_t d3d, float (&rgba)[4]) {
  for (const Channels &format : kChannels) {
    if (format.d3d != d3d) continue;
    for (uint32_t i = 0; i < 4; i++) {
      const Channel channel = format.rgba[i];
      const uint32_t most = (1u << channel.bits) - 1;
      rgba[i] = most ? static_cast<float>(texel >> channel.first & most) / static_cast<float>(most) : 1.0f;
    }
    return true;
  }
  return false;
}

/** The numbers of a file of registers that a shader uses. */
class UsedRegisters {
public:
  static constexpr uint32_t kCount = 256;
  void add(uint32_t number) {
    if (number < kCount) m_bits[number / 32] |= 1u << number % 32;
  }
  bool has(uint32_t number) const { return m_bits[number / 32] >> number % 32 & 1; }

private:
  uint32_t m_bits[kCount / 32] = {};
};

/** An instruction of a token stream. */
struct Instruction {
  Opcode opcode;
  const uint32_t *at;
  size_t length;  // tokens, its own included
};

/** Walks the instructions of models 2 and 3, without the version and the end. Stops at what is no instruction. */
class InstructionReader {
public:
  InstructionReader(const uint32_t *tokens, size_t count) : m_at(tokens + 1), m_left(count - 1) {}
  bool next(Instruction &out) {
    using namespace aerogpu::d3d9;
    if (!m_left || (*m_at & kOpcodeMask) == static_cast<uint32_t>(Opcode::End)) return false;
    const bool isComment = (*m_at & kOpcodeMask) == static_cast<uint32_t>(Opcode::Comment);
    const size_t length = 1 + size_t{isComment ? (*m_at & kCommentLengthMask) >> kCommentLengthShift
                                               : (*m_at & kLengthMask) >> kLengthShift};
    if (length > m_left) return false;
    out = {static_cast<Opcode>(*m_at & kOpcodeMask), m_at, length};
    m_at += length;
    m_left -= length;
    return true;
  }
  /** True if the end has been reached, and nothing else. */
  bool isAtEnd() const { return m_left && *m_at == aerogpu::d3d9::kEndToken; }

private:
  const uint32_t *m_at;
  size_t m_left;
};

bool isSample(Opcode opcode) {
  return opcode == Opcode::Tex || opcode == Opcode::TexLdd || opcode == Opcode::TexLdl;
}

/** Returns the sampler that a sample reads; kStages or more if there is none. */
uint32_t samplerOf(const Instruction &sample) {
  using namespace aerogpu::d3d9;
  for (size_t i = 2; i < sample.length; i++)
    if (registerTypeOf(sample.at[i]) == static_cast<uint32_t>(RegisterType::Sampler))
      return sample.at[i] & kRegisterNumberMask;
  return KeyColors::kStages;
}

/** Adds the registers that an instruction names. */
void addRegisters(const Instruction &instruction, UsedRegisters &temps, UsedRegisters &constants) {
  using namespace aerogpu::d3d9;
  if (instruction.opcode == Opcode::Comment || instruction.opcode == Opcode::DefI ||
      instruction.opcode == Opcode::DefB || instruction.opcode == Opcode::Dcl)
    return;
  // The tokens after the register of a definition are its value.
  const size_t end = instruction.opcode == Opcode::Def ? 2 : instruction.length;
  for (size_t i = 1; i < end && i < instruction.length; i++) {
    const uint32_t token = instruction.at[i], type = registerTypeOf(token), number = token & kRegisterNumberMask;
    if (type == static_cast<uint32_t>(RegisterType::Temp)) temps.add(number);
    if (type == static_cast<uint32_t>(RegisterType::Const)) constants.add(number);
  }
}

}  // namespace

size_t writeKeyedShader(const uint32_t *tokens, size_t count, const KeyColors &keys, uint32_t *to, size_t room) {
  using namespace aerogpu::d3d9;
  if (count < 2 || (tokens[0] & 0xFFFF0000) != kPixelVersionTag) return 0;
  const uint32_t major = tokens[0] >> 8 & 0xFF, minor = tokens[0] & 0xFF;
  if (major != 2 && major != 3) return 0;
  UsedRegisters temps, constants;
  InstructionReader reader(tokens, count);
  Instruction instruction;
  while (reader.next(instruction)) addRegisters(instruction, temps, constants);
  if (!reader.isAtEnd()) return 0;
  const uint32_t tempCount = major == 2 && minor == 0 ? 12 : 32, constantCount = major == 2 ? 32 : 224;
  uint32_t temp = 0;
  while (temp < tempCount && temps.has(temp)) temp++;
  // Constants from the highest on, since programs use the lowest: one a key, and one for the distance.
  uint32_t numbers[KeyColors::kStages + 1] = {}, found = 0;
  const uint32_t needed = static_cast<uint32_t>(std::popcount(keys.stages)) + 1;
  for (uint32_t number = constantCount; number-- && found < needed;)
    if (!constants.has(number)) numbers[found++] = number;
  if (temp == tempCount || found < needed) return 0;

  TokenWriter writer(to, room);
  writer.version({Stage::Pixel, static_cast<uint8_t>(major), static_cast<uint8_t>(minor)});
  const uint32_t distance = numbers[0];
  // Half a step of 8 bits, squared: GPUs differ in how they round fewer bits to floats.
  constexpr float kDistance = 0.25f / 255 / 255;
  writer.def(distance, std::bit_cast<uint32_t>(kDistance), 0, 0, 0);
  uint32_t ofStage[KeyColors::kStages] = {}, next = 1;
  for (uint32_t stage = 0; stage < KeyColors::kStages; stage++) {
    if (!(keys.stages >> stage & 1)) continue;
    ofStage[stage] = numbers[next++];
    const auto &key = keys.rgba[stage];
    writer.def(ofStage[stage], std::bit_cast<uint32_t>(key[0]), std::bit_cast<uint32_t>(key[1]),
               std::bit_cast<uint32_t>(key[2]), std::bit_cast<uint32_t>(key[3]));
  }
  const uint32_t written = destinationToken(RegisterType::Temp, temp), read = sourceToken(RegisterType::Temp, temp);
  InstructionReader again(tokens, count);
  while (again.next(instruction)) {
    for (size_t i = 0; i < instruction.length; i++) writer.parameter(instruction.at[i]);
    if (!isSample(instruction.opcode)) continue;
    const uint32_t stage = samplerOf(instruction);
    if (stage >= KeyColors::kStages || !(keys.stages >> stage & 1)) continue;
    const uint32_t texel = instruction.at[1] & kRegisterNumberMask;
    writer.instruction(Opcode::Add, written, sourceToken(RegisterType::Temp, texel),
                       sourceToken(RegisterType::Const, ofStage[stage], kIdentitySwizzle, SourceModifier::Negate));
    writer.instruction(Opcode::Dp4, written, read, read);
    // Ends the pixel where this is negative.
    writer.instruction(Opcode::Add, written, read,
                       sourceToken(RegisterType::Const, distance, replicate(0), SourceModifier::Negate));
    writer.instruction(Opcode::TexKill, written);
  }
  writer.end();
  return writer.ok() ? writer.size() : 0;
}

void ColorKeys::destroy(DeviceObjects &objects) {
  for (Keyed &keyed : m_keyed) {
    keyed.shader.destroy(objects);
    keyed.source = nullptr;
  }
}

void ColorKeys::enable(bool on) {
  if (m_isOn == on) return;
  m_isOn = on;
  m_shaders.set();
}

bool ColorKeys::setStage(uint32_t stage, uint32_t state, uint32_t value) {
  const bool isValue = state == D3DDDITSS_TEXTURECOLORKEYVAL;
  if (!isValue && state != D3DDDITSS_DISABLETEXTURECOLORKEY) return false;
  if (stage >= KeyColors::kStages) return true;
  // A stage has no key until one is set, which turns it on (DDrawCompat, D3dDdi/DeviceState.cpp).
  const uint32_t bit = 1u << stage;
  m_stages = isValue || !value ? m_stages | bit : m_stages & ~bit;
  if (isValue) m_keys[stage] = value;
  if (m_isOn) m_shaders.set();
  return true;
}

KeyColors ColorKeys::wanted(const Textures &textures) const {
  KeyColors keys;
  for (uint32_t stage = 0; stage < KeyColors::kStages; stage++) {
    const Resource *texture = m_stages >> stage & 1 ? textures.wanted(stage) : nullptr;
    const FormatRow *format = texture ? texture->format() : nullptr;
    if (format && colorOf(m_keys[stage], static_cast<uint32_t>(format->d3d), keys.rgba[stage]))
      keys.stages |= 1u << stage;
  }
  return keys;
}

uint32_t ColorKeys::keyed(DeviceObjects &objects, const Shader &shader, const Textures &textures) {
  const KeyColors keys = wanted(textures);
  if (!keys.stages || !shader.tokens()) return shader.handle();
  for (const Keyed &keyed : m_keyed)
    if (keyed.source == &shader && keyed.keys == keys)
      return keyed.shader.handle() ? keyed.shader.handle() : shader.handle();
  // Each sample gets four instructions of at most four tokens, and each key a definition.
  const size_t room = shader.tokenCount() * 5 + (KeyColors::kStages + 1) * 6 + 16;
  auto *tokens = static_cast<uint32_t *>(heapAllocate(room * sizeof(uint32_t)));
  if (!tokens) return shader.handle();
  const size_t count = writeKeyedShader(shader.tokens(), shader.tokenCount(), keys, tokens, room);
  Keyed made;
  made.source = &shader;
  made.keys = keys;
  if (count) made.shader.create(objects, AEROGPU_SHADER_STAGE_PIXEL, tokens, count * sizeof(uint32_t));
  heapFree(tokens);
  // The old one ends after the new one has its handle: the device may have the old one bound.
  Keyed &replaced = m_keyed[m_nextReplaced++ % kMostKeyed];
  replaced.shader.destroy(objects);
  replaced = made;
  return made.shader.handle() ? made.shader.handle() : shader.handle();
}

void ColorKeys::drop(DeviceObjects &objects, const Shader &shader) {
  for (Keyed &keyed : m_keyed) {
    if (keyed.source != &shader) continue;
    keyed.shader.destroy(objects);
    keyed.source = nullptr;
  }
}

}  // namespace aero
