// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/software/vertex_interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace aerogpu::runtime {

using d3d9::Opcode;
using d3d9::RegisterType;

namespace {

constexpr uint32_t kMostSteps = 1u << 20;
constexpr size_t kMostDepth = 32;  // limit of nested calls, loops

size_t parametersOfModel1(const uint32_t *at, Opcode opcode) {
  if (opcode == Opcode::Def) return 5;
  size_t count = 0;
  while (at[count] & d3d9::kParameterBit) ++count;
  return count;
}

bool compares(uint32_t control, float a, float b) {
  switch (static_cast<d3d9::Comparison>(control & 7)) {
  case d3d9::Comparison::Greater:
    return a > b;
  case d3d9::Comparison::Equal:
    return a == b;
  case d3d9::Comparison::GreaterEqual:
    return a >= b;
  case d3d9::Comparison::Less:
    return a < b;
  case d3d9::Comparison::NotEqual:
    return a != b;
  case d3d9::Comparison::LessEqual:
    return a <= b;
  }
  return false;
}

float dot(const Float4 &a, const Float4 &b, int components) {
  float sum = 0;
  for (int i = 0; i < components; ++i) sum += a.c[i] * b.c[i];
  return sum;
}

Float4 splat(float value) {
  return {{value, value, value, value}};
}

/// Computes "lit" from the dot products with the light and the half vector, and a power.
Float4 lit(const Float4 &s) {
  constexpr float kMostPower = 127.9961f;
  const float power = std::clamp(s.c[3], -kMostPower, kMostPower);
  const bool lights = s.c[0] > 0;
  return {{1, lights ? s.c[0] : 0.0f, lights && s.c[1] > 0 ? std::pow(s.c[1], power) : 0.0f, 1}};
}

/// Executes instructions with a result of four components from up to three sources, except matrices.
bool arithmetic(Opcode opcode, const Float4 *s, Float4 &out) {
  const auto each = [&](auto &&f) {
    for (int i = 0; i < 4; ++i) out.c[i] = f(i);
    return true;
  };
  const auto all = [&](float value) {
    out = splat(value);
    return true;
  };
  switch (opcode) {
  case Opcode::Mov:
    return each([&](int i) { return s[0].c[i]; });
  case Opcode::Add:
    return each([&](int i) { return s[0].c[i] + s[1].c[i]; });
  case Opcode::Sub:
    return each([&](int i) { return s[0].c[i] - s[1].c[i]; });
  case Opcode::Mul:
    return each([&](int i) { return s[0].c[i] * s[1].c[i]; });
  case Opcode::Mad:
    return each([&](int i) { return s[0].c[i] * s[1].c[i] + s[2].c[i]; });
  case Opcode::Lrp:
    return each([&](int i) { return s[2].c[i] + s[0].c[i] * (s[1].c[i] - s[2].c[i]); });
  case Opcode::Min:
    return each([&](int i) { return std::min(s[0].c[i], s[1].c[i]); });
  case Opcode::Max:
    return each([&](int i) { return std::max(s[0].c[i], s[1].c[i]); });
  case Opcode::Slt:
    return each([&](int i) { return s[0].c[i] < s[1].c[i] ? 1.0f : 0.0f; });
  case Opcode::Sge:
    return each([&](int i) { return s[0].c[i] >= s[1].c[i] ? 1.0f : 0.0f; });
  case Opcode::Frc:
    return each([&](int i) { return s[0].c[i] - std::floor(s[0].c[i]); });
  case Opcode::Abs:
    return each([&](int i) { return std::fabs(s[0].c[i]); });
  case Opcode::Sgn:
    return each([&](int i) { return s[0].c[i] > 0 ? 1.0f : s[0].c[i] < 0 ? -1.0f : 0.0f; });
  case Opcode::Rcp:
    return all(1.0f / s[0].c[0]);
  case Opcode::Rsq:
    return all(1.0f / std::sqrt(std::fabs(s[0].c[0])));
  case Opcode::Dp3:
    return all(dot(s[0], s[1], 3));
  case Opcode::Dp4:
    return all(dot(s[0], s[1], 4));
  case Opcode::Exp:
    return all(std::exp2(s[0].c[0]));
  case Opcode::Log:
  case Opcode::LogP:
    return all(std::log2(std::fabs(s[0].c[0])));
  case Opcode::ExpP: {
    const float floor = std::floor(s[0].c[0]);
    out = {{std::exp2(floor), s[0].c[0] - floor, std::exp2(s[0].c[0]), 1}};
    return true;
  }
  case Opcode::Pow:
    return all(std::pow(std::fabs(s[0].c[0]), s[1].c[0]));
  case Opcode::SinCos:
    out = {{std::cos(s[0].c[0]), std::sin(s[0].c[0]), 0, 0}};
    return true;
  case Opcode::Nrm: {
    const float length = std::sqrt(dot(s[0], s[0], 3));
    const float scale = length > 0 ? 1.0f / length : 0.0f;
    return each([&](int i) { return s[0].c[i] * scale; });
  }
  case Opcode::Crs:
    return each([&](int i) {
      if (i == 3) return 0.0f;
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      return s[0].c[j] * s[1].c[k] - s[0].c[k] * s[1].c[j];
    });
  case Opcode::Dst:
    out = {{1, s[0].c[1] * s[1].c[1], s[0].c[2], s[1].c[3]}};
    return true;
  case Opcode::Lit:
    out = lit(s[0]);
    return true;
  default:
    return false;
  }
}

/// Returns rows and columns of the matrix instructions, 0 for others.
int matrixRows(Opcode opcode) {
  switch (opcode) {
  case Opcode::M4x4:
  case Opcode::M3x4:
    return 4;
  case Opcode::M4x3:
  case Opcode::M3x3:
    return 3;
  case Opcode::M3x2:
    return 2;
  default:
    return 0;
  }
}

}  // namespace

struct VertexInterpreter::State {
  struct Loop {
    size_t begin;
    int32_t left, counter, step;
    bool counts;
  };
  const VertexInterpreter &code;
  const VertexRegisters &registers;
  const Float4 *inputs;
  Float4 temps[32];
  int32_t address[4]{};
  bool predicate[4]{};
  std::vector<Loop> loops;
  std::vector<size_t> calls;

  int32_t offset(const Operand &o) const {
    if (!o.relative) return 0;
    if (!o.byLoop) return address[o.indexComponent];
    for (size_t i = loops.size(); i-- > 0;)
      if (loops[i].counts) return loops[i].counter;
    return 0;
  }

  Float4 constant(int64_t number) const {
    if (number < 0) return {{0, 0, 0, 0}};
    if (const auto own = code.m_floats.find(static_cast<uint32_t>(number)); own != code.m_floats.end())
      return own->second;
    Float4 out{{0, 0, 0, 0}};
    if (number < registers.floatCount) std::memcpy(out.c, registers.floats[number], sizeof out.c);
    return out;
  }

  /// Reads an operand. `row`: offset in registers, for matrices.
  Float4 read(const Operand &o, uint32_t row = 0) const {
    const int64_t number = int64_t{o.number} + row + offset(o);
    Float4 value{{0, 0, 0, 0}};
    switch (o.type) {
    case RegisterType::Temp:
      if (number < 32) value = temps[number];
      break;
    case RegisterType::Input:
      if (number >= 0 && number < 16) value = inputs[number];
      break;
    case RegisterType::Const:
    case RegisterType::Const2:
    case RegisterType::Const3:
    case RegisterType::Const4: {
      constexpr int64_t kBank = 2048;
      const int64_t bank = o.type == RegisterType::Const ? 0 : static_cast<int>(o.type) - 10;
      value = constant(number + bank * kBank);
      break;
    }
    default:
      break;
    }
    Float4 out;
    for (int i = 0; i < 4; ++i) out.c[i] = modified(value.c[o.swizzle >> 2 * i & 3], o.modifier);
    return out;
  }

  static float modified(float value, d3d9::SourceModifier modifier) {
    switch (modifier) {
    case d3d9::SourceModifier::Negate:
      return -value;
    case d3d9::SourceModifier::Abs:
      return std::fabs(value);
    case d3d9::SourceModifier::AbsNegate:
      return -std::fabs(value);
    default:
      return value;
    }
  }

  bool flag(const Operand &o) const {
    bool value;
    if (o.type == RegisterType::Predicate) {
      value = predicate[o.swizzle & 3];
    } else {
      const auto own = code.m_booleans.find(o.number);
      value = own != code.m_booleans.end() ? own->second : o.number < 16 && registers.booleans[o.number];
    }
    return o.modifier == d3d9::SourceModifier::Not ? !value : value;
  }

  const int32_t *integer(const Operand &o) const {
    const auto own = code.m_integers.find(o.number);
    return own != code.m_integers.end() ? own->second.c : registers.integers[o.number & 15];
  }

  void write(const Instruction &in, const Float4 &value, ShadedVertex &out) {
    float *to = in.destination.type == RegisterType::Temp ? temps[in.destination.number & 31].c
                                                          : code.outputRegister(in.destination, out);
    for (int i = 0; i < 4; ++i) {
      if (!(in.destination.mask >> i & 1)) continue;
      if (in.predicated) {
        const bool allowed = predicate[in.predicate.swizzle >> 2 * i & 3];
        if (allowed == (in.predicate.modifier == d3d9::SourceModifier::Not)) continue;
      }
      float component = value.c[i];
      if (in.destination.resultModifiers & d3d9::kSaturate) component = std::clamp(component, 0.0f, 1.0f);
      if (in.destination.type == RegisterType::AddressOrTexture)
        address[i] = static_cast<int32_t>(component);
      else if (in.destination.type == RegisterType::Predicate)
        predicate[i] = component != 0;
      else if (to && !isScalar(in.destination))
        to[i] = component;
      else if (to)
        *to = component;
    }
  }
  bool isScalar(const Operand &o) const {
    return o.type == RegisterType::RasterOut && o.number != d3d9::kRasterPosition;
  }

  bool flow(const Instruction &in, size_t &at);
};

/// Returns true for an instruction of control flow; `at` is where execution continues.
bool VertexInterpreter::State::flow(const Instruction &in, size_t &at) {
  const auto enter = [&](bool counts) {
    const int32_t *values = integer(in.sources[counts ? 1 : 0]);
    if (values[0] <= 0 || loops.size() >= kMostDepth) {
      at = in.jump;
      return;
    }
    loops.push_back({at, values[0], values[1], values[2], counts});
  };
  const auto next = [&] {
    Loop &loop = loops.back();
    loop.counter += loop.step;
    if (--loop.left > 0)
      at = loop.begin;
    else
      loops.pop_back();
  };
  const auto leave = [&](bool really) {
    if (!really || loops.empty()) return;
    at = in.jump;
    loops.pop_back();
  };
  const auto call = [&] {
    const auto found = code.m_labels.find(in.sources[0].number);
    if (found == code.m_labels.end() || calls.size() >= kMostDepth) return;
    calls.push_back(at);
    at = found->second;
  };
  switch (in.opcode) {
  case Opcode::Loop:
    enter(true);
    return true;
  case Opcode::Rep:
    enter(false);
    return true;
  case Opcode::EndLoop:
  case Opcode::EndRep:
    if (!loops.empty()) next();
    return true;
  case Opcode::Break:
    leave(true);
    return true;
  case Opcode::BreakC:
    leave(compares(in.control, read(in.sources[0]).c[0], read(in.sources[1]).c[0]));
    return true;
  case Opcode::BreakP:
    leave(flag(in.sources[0]));
    return true;
  case Opcode::If:
    if (!flag(in.sources[0])) at = in.jump;
    return true;
  case Opcode::IfC:
    if (!compares(in.control, read(in.sources[0]).c[0], read(in.sources[1]).c[0])) at = in.jump;
    return true;
  case Opcode::Else:  // end of the executed branch
    at = in.jump;
    return true;
  case Opcode::EndIf:
  case Opcode::Nop:
    return true;
  case Opcode::Call:
    call();
    return true;
  case Opcode::CallNz:
    if (flag(in.sources[1])) call();
    return true;
  case Opcode::Ret:
  case Opcode::Label:
    if (calls.empty()) {
      at = code.m_instructions.size();
    } else {
      at = calls.back();
      calls.pop_back();
    }
    return true;
  default:
    return false;
  }
}

VertexInterpreter::VertexInterpreter(const uint32_t *code) {
  m_version = {d3d9::Stage::Vertex, static_cast<uint8_t>(code[0] >> 8), static_cast<uint8_t>(code[0])};
  for (size_t at = 1; code[at] != d3d9::kEndToken;) {
    const uint32_t token = code[at++];
    const auto opcode = static_cast<Opcode>(token & d3d9::kOpcodeMask);
    if (opcode == Opcode::Comment) {
      at += (token & d3d9::kCommentLengthMask) >> d3d9::kCommentLengthShift;
      continue;
    }
    const size_t count = m_version.major >= 2 ? (token & d3d9::kLengthMask) >> d3d9::kLengthShift
                                              : parametersOfModel1(code + at, opcode);
    const uint32_t *parameters = code + at;
    const uint32_t number = count ? parameters[0] & d3d9::kRegisterNumberMask : 0;
    at += count;
    switch (opcode) {
    case Opcode::Dcl:
      if (count >= 2) declare(parameters);
      continue;
    case Opcode::Def:
      if (count >= 5) std::memcpy(m_floats[number].c, parameters + 1, sizeof(Float4));
      continue;
    case Opcode::DefI:
      if (count >= 5) std::memcpy(m_integers[number].c, parameters + 1, sizeof(Int4));
      continue;
    case Opcode::DefB:
      if (count >= 2) m_booleans[number] = parameters[1] != 0;
      continue;
    default:
      break;
    }
    Instruction in;
    in.opcode = opcode;
    in.control = (token & d3d9::kControlMask) >> d3d9::kControlShift;
    in.predicated = token & d3d9::kPredicatedBit;
    if (!decode(parameters, count, in)) {
      m_error = "a vertex shader on the processor has an instruction that it may not have";
      return;
    }
    m_instructions.push_back(in);
  }
  if (!link()) m_error = "a vertex shader on the processor has blocks without an end";
}

void VertexInterpreter::declare(const uint32_t *at) {
  const auto usage = static_cast<d3d9::Usage>(at[0] & d3d9::kDclUsageMask);
  const uint32_t index = (at[0] & d3d9::kDclUsageIndexMask) >> d3d9::kDclUsageIndexShift;
  const uint32_t number = at[1] & d3d9::kRegisterNumberMask;
  if (d3d9::registerTypeOf(at[1]) == static_cast<uint32_t>(RegisterType::Input) && number < 16)
    m_inputs.push_back({number, usage, index});
  else if (d3d9::registerTypeOf(at[1]) == static_cast<uint32_t>(RegisterType::Output))
    m_outputs[number] = {usage, index};
}

bool VertexInterpreter::decode(const uint32_t *at, size_t count, Instruction &out) const {
  const d3d9::OpcodeInfo *info = d3d9::findOpcode(static_cast<uint32_t>(out.opcode));
  if (!info || !info->inModel(m_version)) return false;
  size_t i = 0;
  const auto operand = [&](Operand &o) {
    if (i >= count) return false;
    const uint32_t token = at[i++];
    if (d3d9::registerTypeOf(token) >= d3d9::kRegisterTypeCount) return false;
    o.type = static_cast<RegisterType>(d3d9::registerTypeOf(token));
    o.number = token & d3d9::kRegisterNumberMask;
    o.swizzle = static_cast<uint8_t>((token & d3d9::kSwizzleMask) >> d3d9::kSwizzleShift);
    o.mask = static_cast<uint8_t>((token & d3d9::kWriteMaskMask) >> d3d9::kWriteMaskShift);
    o.resultModifiers = static_cast<uint8_t>((token & d3d9::kResultModifierMask) >> d3d9::kResultModifierShift);
    o.modifier = static_cast<d3d9::SourceModifier>((token & d3d9::kSourceModifierMask) >> d3d9::kSourceModifierShift);
    o.relative = token & d3d9::kRelativeBit;
    if (!o.relative || m_version.major < 2) return true;
    if (i >= count) return false;
    const uint32_t index = at[i++];
    o.byLoop = d3d9::registerTypeOf(index) == static_cast<uint32_t>(RegisterType::Loop);
    o.indexComponent = static_cast<uint8_t>((index & d3d9::kSwizzleMask) >> d3d9::kSwizzleShift & 3);
    return true;
  };
  if (info->destinationCount(m_version) && !operand(out.destination)) return false;
  if (out.predicated && !operand(out.predicate)) return false;
  out.sourceCount = info->sourceCount(m_version);
  if (out.sourceCount > 4) return false;
  for (uint32_t n = 0; n < out.sourceCount; ++n)
    if (!operand(out.sources[n])) return false;
  Float4 unused, sources[4];
  const bool known = matrixRows(out.opcode) || out.opcode == Opcode::MovA || out.opcode == Opcode::SetP ||
                     (info->flags & d3d9::kFlow) || out.opcode == Opcode::Nop;
  return known || arithmetic(out.opcode, sources, unused);
}

bool VertexInterpreter::link() {
  std::vector<size_t> open, loops;
  std::vector<std::pair<size_t, size_t>> breaks;  // and the depth of loops there
  for (size_t at = 0; at < m_instructions.size(); ++at) {
    Instruction &in = m_instructions[at];
    switch (in.opcode) {
    case Opcode::If:
    case Opcode::IfC:
      open.push_back(at);
      break;
    case Opcode::Else:
    case Opcode::EndIf:
      if (open.empty()) return false;
      m_instructions[open.back()].jump = at + 1;
      open.pop_back();
      if (in.opcode == Opcode::Else) open.push_back(at);
      break;
    case Opcode::Loop:
    case Opcode::Rep:
      loops.push_back(at);
      break;
    case Opcode::EndLoop:
    case Opcode::EndRep:
      if (loops.empty()) return false;
      m_instructions[loops.back()].jump = at + 1;
      while (!breaks.empty() && breaks.back().second == loops.size()) {
        m_instructions[breaks.back().first].jump = at + 1;
        breaks.pop_back();
      }
      loops.pop_back();
      break;
    case Opcode::Break:
    case Opcode::BreakC:
    case Opcode::BreakP:
      if (loops.empty()) return false;
      breaks.emplace_back(at, loops.size());
      break;
    case Opcode::Label:
      m_labels[in.sources[0].number] = at + 1;
      break;
    default:
      break;
    }
  }
  return open.empty() && loops.empty();
}

float *VertexInterpreter::outputRegister(const Operand &o, ShadedVertex &out) const {
  const auto ofUsage = [&](d3d9::Usage usage, uint32_t index) -> float * {
    if (usage == d3d9::Usage::Position && index == 0) return out.position.c;
    if (usage == d3d9::Usage::Color && index < 2) return out.color[index].c;
    if (usage == d3d9::Usage::TexCoord && index < 8) return out.coordinates[index].c;
    return nullptr;
  };
  switch (o.type) {
  case RegisterType::RasterOut:
    return o.number == d3d9::kRasterPosition ? out.position.c
           : o.number == d3d9::kRasterFog    ? &out.fog
                                             : &out.pointSize;
  case RegisterType::AttributeOut:
    return o.number < 2 ? out.color[o.number].c : nullptr;
  case RegisterType::Output: {
    if (m_version.major < 3) return ofUsage(d3d9::Usage::TexCoord, o.number);
    const auto found = m_outputs.find(o.number);
    return found == m_outputs.end() ? nullptr : ofUsage(found->second.usage, found->second.usageIndex);
  }
  default:
    return nullptr;
  }
}

bool VertexInterpreter::run(const VertexRegisters &registers, const Float4 *inputs, ShadedVertex &out) const {
  State state{*this, registers, inputs, {}, {}, {}, {}, {}};
  uint32_t steps = 0;
  for (size_t at = 0; at < m_instructions.size();) {
    if (++steps > kMostSteps) return false;
    const Instruction &in = m_instructions[at++];
    if (state.flow(in, at)) continue;
    Float4 sources[4], value{{0, 0, 0, 0}};
    const int rows = matrixRows(in.opcode);
    if (rows) {
      const Float4 vector = state.read(in.sources[0]);
      const int columns = in.opcode == Opcode::M4x4 || in.opcode == Opcode::M4x3 ? 4 : 3;
      for (int row = 0; row < rows; ++row)
        value.c[row] = dot(vector, state.read(in.sources[1], static_cast<uint32_t>(row)), columns);
    } else {
      for (uint32_t i = 0; i < in.sourceCount; ++i) sources[i] = state.read(in.sources[i]);
      // An address is rounded to nearest, but the mov of vs_1_1 rounds down.
      const bool floor = in.opcode == Opcode::Mov && in.destination.type == RegisterType::AddressOrTexture;
      if (in.opcode == Opcode::SetP) {
        for (int i = 0; i < 4; ++i) value.c[i] = compares(in.control, sources[0].c[i], sources[1].c[i]) ? 1.0f : 0.0f;
      } else if (in.opcode == Opcode::MovA || floor) {
        for (int i = 0; i < 4; ++i)
          value.c[i] =
              std::clamp(floor ? std::floor(sources[0].c[i]) : std::round(sources[0].c[i]), -65536.0f, 65536.0f);
      } else {
        arithmetic(in.opcode, sources, value);
      }
    }
    state.write(in, value, out);
  }
  return true;
}

}  // namespace aerogpu::runtime
