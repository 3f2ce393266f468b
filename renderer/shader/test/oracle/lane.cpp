// SPDX-License-Identifier: MIT
// The interpreter's registers, writes and flow control (oracle.h). Source: the "registers" and "flow control"
// pages of the Direct3D 9 "asm shader reference".
#include <cmath>

#include "renderer/shader/test/oracle/oracle.h"

namespace aerogpu::shader::oracle {

using d3d9::Opcode;
using d3d9::RegisterType;
using d3d9::SourceModifier;

namespace {

constexpr uint64_t kMaxSteps = 200000;

Range modified(const Range& x, SourceModifier modifier) {
  switch (modifier) {
    case SourceModifier::Negate:
      return negated(x);
    case SourceModifier::Bias:
      return add(x, -0.5);
    case SourceModifier::BiasNegate:
      return negated(add(x, -0.5));
    case SourceModifier::Sign:
      return multiply(add(x, -0.5), 2);
    case SourceModifier::SignNegate:
      return negated(multiply(add(x, -0.5), 2));
    case SourceModifier::Complement:
      return add(1, negated(x));
    case SourceModifier::X2:
      return multiply(x, 2);
    case SourceModifier::X2Negate:
      return negated(multiply(x, 2));
    case SourceModifier::Abs:
      return absolute(x);
    case SourceModifier::AbsNegate:
      return negated(absolute(x));
    default:
      return x;
  }
}

/// Applies the texld and texcrd modifiers of ps_1_4: x and y by z or w, 1 if that is 0.
Vector divided(const Vector& x, uint32_t by) {
  const auto quotient = [&](const Range& a) {
    if (x[by].exact() && x[by].lo == 0) return Range(1);
    return multiply(a, reciprocal(x[by]));
  };
  return {quotient(x[0]), quotient(x[1]), Range::any(), Range::any()};
}

}  // namespace

std::optional<bool> compare(uint32_t comparison, const Range& a, const Range& b) {
  switch (static_cast<d3d9::Comparison>(comparison & 7)) {
    case d3d9::Comparison::Greater:
      return less(b, a);
    case d3d9::Comparison::Equal:
      return equal(a, b);
    case d3d9::Comparison::GreaterEqual:
      return inverted(less(a, b));
    case d3d9::Comparison::Less:
      return less(a, b);
    case d3d9::Comparison::NotEqual:
      return inverted(equal(a, b));
    case d3d9::Comparison::LessEqual:
      return inverted(less(b, a));
  }
  return std::nullopt;
}

Lane::Lane(const Code& code, const Constants& constants, Sample sample, LevelOf levelOf)
    : m_code(code), m_constants(constants), m_sample(sample), m_levelOf(levelOf) {
  v.fill(anyVector());
  t.fill(anyVector());
  o.fill(anyVector());
  d.fill(anyVector());
  color.fill(anyVector());
  m_r.fill(splat(0));  // the validator refuses reads of these; here they are zero, never old memory
  m_tValue.fill(anyVector());
}

bool Lane::decided(const std::optional<bool>& b) {
  if (!b) giveUp();
  return b.value_or(false);
}

int32_t Lane::index(const Operand& s) {
  if (s.byLoop) {
    for (size_t i = m_loops.size(); i-- > 0;)
      if (m_loops[i].countsLoop) return m_loops[i].counter;
    giveUp();
    return 0;
  }
  return m_a[s.indexComponent];
}

/// Returns an operand's register, or the one `offset` after it (a row of a matrix), without modifiers.
Vector Lane::fetch(const Operand& s, uint32_t offset) {
  const int64_t n = int64_t{s.number} + offset + (s.relative ? index(s) : 0);
  const auto of = [&](const auto& file) {
    return n >= 0 && n < static_cast<int64_t>(file.size()) ? file[static_cast<size_t>(n)] : anyVector();
  };
  switch (s.type) {
    case RegisterType::Temp:
      return of(m_r);
    case RegisterType::Input:
      return of(v);
    case RegisterType::Const: {
      if (n < 0 || n >= (m_code.pixel() ? 224 : 256)) return anyVector();
      const auto& f = m_constants.f[static_cast<size_t>(n)];
      return {f[0], f[1], f[2], f[3]};
    }
    case RegisterType::AddressOrTexture:
      return m_code.pixel1() && m_code.version.minor < 4 ? of(m_tValue) : of(t);
    case RegisterType::Misc:
      return s.number == d3d9::kMiscPosition ? position : splat(face);
    default:
      return anyVector();
  }
}

Vector Lane::read(const Operand& s, uint32_t offset) {
  const Vector whole = fetch(s, offset);
  Vector out;
  for (uint32_t i = 0; i < 4; ++i) out[i] = whole[s.swizzle >> (2 * i) & 3];
  if (s.modifier == SourceModifier::DivideZ) return divided(out, 2);
  // With a selector .xyw, w is the third component, and divides.
  if (s.modifier == SourceModifier::DivideW) return divided(out, (s.swizzle >> 4 & 3) == 3 ? 2 : 3);
  for (Range& x : out) x = modified(x, s.modifier);
  return out;
}

Vector* Lane::writable(const Operand& dst) {
  const int64_t n = int64_t{dst.number} + (dst.relative ? index(dst) : 0);
  const auto in = [&](auto& file) {
    return n >= 0 && n < static_cast<int64_t>(file.size()) ? &file[static_cast<size_t>(n)] : nullptr;
  };
  switch (dst.type) {
    case RegisterType::Temp:
      return in(m_r);
    case RegisterType::AddressOrTexture:
      return m_code.pixel() ? in(m_tValue) : nullptr;
    case RegisterType::RasterOut:
      return n == d3d9::kRasterPosition ? &oPosition : n == d3d9::kRasterFog ? &oFog : &oPointSize;
    case RegisterType::AttributeOut:
      return in(d);
    case RegisterType::Output:
      return in(o);
    case RegisterType::ColorOut:
      colorsWritten |= 1u << n;
      return in(color);
    default:
      return nullptr;
  }
}

Flags Lane::predicateOf(const Operand& p) const {
  Flags out;
  for (uint32_t i = 0; i < 4; ++i) {
    out[i] = m_p[p.swizzle >> (2 * i) & 3];
    if (p.modifier == SourceModifier::Not) out[i] = inverted(out[i]);
  }
  return out;
}

std::optional<bool> Lane::condition(const Operand& s) {
  if (s.type == RegisterType::Predicate) return predicateOf(s)[0];
  const bool b = m_constants.b >> (s.number & 15) & 1;
  return s.modifier == SourceModifier::Not ? !b : b;
}

/// Applies the result's modifiers, then writes the components of the mask; the first half of a co-issued pair
/// is written with the second.
void Lane::write(const Instruction& in, Vector value) {
  for (Range& x : value) {
    if (in.destination.shift) x = multiply(x, std::ldexp(1.0, in.destination.shift));
    if (in.destination.resultModifiers & d3d9::kSaturate) x = clamped(x, 0, 1);
  }
  const bool firstOfPair = m_pc + 1 < m_code.instructions.size() && m_code.instructions[m_pc + 1].coissued;
  if (firstOfPair) {
    m_delayed.emplace_back(&in, value);
    return;
  }
  for (const auto& [instruction, earlier] : m_delayed) put(*instruction, earlier);
  m_delayed.clear();
  put(in, value);
}

void Lane::put(const Instruction& in, const Vector& value) {
  const Operand& dst = in.destination;
  const Flags p = in.predicated ? predicateOf(in.predicate) : Flags{true, true, true, true};
  if (dst.type == RegisterType::DepthOut) {
    depth = p[0] && *p[0] ? value[0] : p[0] ? depth.value_or(Range::any()) : Range::any();
    return;
  }
  Vector* reg = writable(dst);
  if (!reg) return giveUp();
  for (uint32_t i = 0; i < 4; ++i)
    if (dst.mask >> i & 1) (*reg)[i] = select(p[i], value[i], (*reg)[i]);
}

/// Jumps past the end of the innermost loop.
void Lane::leaveLoop() {
  size_t i = m_loops.back().begin - 1;
  m_pc = m_code.instructions[i].jump;
  m_loops.pop_back();
}

/// Executes an instruction of flow control and sets m_pc; returns false for other instructions.
bool Lane::flow(const Instruction& in) {
  const auto branch = [&](std::optional<bool> taken) { m_pc = decided(taken) ? m_pc + 1 : in.jump; };
  const auto call = [&](const Operand& label) {
    for (size_t i = 0; i < m_code.instructions.size(); ++i)
      if (m_code.instructions[i].opcode == Opcode::Label &&
          m_code.instructions[i].sources[0].number == label.number) {
        m_calls.push_back(m_pc + 1);
        m_pc = i + 1;
        return;
      }
    giveUp();
  };
  switch (in.opcode) {
    case Opcode::If:
      branch(condition(in.sources[0]));
      return true;
    case Opcode::IfC:
      branch(compare(in.control, read(in.sources[0])[0], read(in.sources[1])[0]));
      return true;
    case Opcode::Else:
      m_pc = in.jump;
      return true;
    case Opcode::EndIf:
      ++m_pc;
      return true;
    case Opcode::Loop:
    case Opcode::Rep: {
      const bool loop = in.opcode == Opcode::Loop;
      const auto& i = m_constants.i[in.sources[loop ? 1 : 0].number & 15];
      if (i[0] <= 0) {
        m_pc = in.jump;
        return true;
      }
      m_loops.push_back({++m_pc, i[0], i[1], i[2], loop});
      return true;
    }
    case Opcode::EndLoop:
    case Opcode::EndRep: {
      Loop& loop = m_loops.back();
      loop.counter += loop.step;
      if (--loop.left > 0)
        m_pc = loop.begin;
      else
        leaveLoop();
      return true;
    }
    case Opcode::Break:
      leaveLoop();
      return true;
    case Opcode::BreakC:
    case Opcode::BreakP: {
      const auto leave = in.opcode == Opcode::BreakP
                             ? condition(in.sources[0])
                             : compare(in.control, read(in.sources[0])[0], read(in.sources[1])[0]);
      if (decided(leave))
        leaveLoop();
      else
        ++m_pc;
      return true;
    }
    case Opcode::Call:
      call(in.sources[0]);
      return true;
    case Opcode::CallNz:
      if (decided(condition(in.sources[1])))
        call(in.sources[0]);
      else
        ++m_pc;
      return true;
    case Opcode::Ret:
      if (m_calls.empty()) {
        m_pc = m_code.instructions.size();
      } else {
        m_pc = m_calls.back();
        m_calls.pop_back();
      }
      return true;
    default:
      return false;
  }
}

Lane::Stop Lane::run() {
  while (m_pc < m_code.instructions.size() && !gaveUp) {
    if (++m_steps > kMaxSteps) {
      giveUp();
      break;
    }
    const Instruction& in = m_code.instructions[m_pc];
    if (flow(in)) continue;
    if (needsGradient(in) && !m_haveGradients) {
      m_gradientSource = read(in.sources[0]);
      return Stop::Gradient;
    }
    execute(in);
    m_haveGradients = false;
    ++m_pc;
  }
  return Stop::Done;
}

void Lane::setGradients(const Vector& dx, const Vector& dy) {
  m_dx = dx;
  m_dy = dy;
  m_haveGradients = true;
}

void runAlone(Lane& lane) {
  while (lane.run() == Lane::Stop::Gradient) lane.setGradients(splat(0), splat(0));
}

void runQuad(std::array<Lane, 4>& lanes) {
  for (;;) {
    uint32_t waiting = 0;
    bool apart = false;
    for (Lane& lane : lanes) {
      waiting += lane.run() == Lane::Stop::Gradient;
      apart |= lane.gaveUp || lane.at() != lanes[0].at();
    }
    if (apart)  // gradients in flow control that pixels do not share are undefined
      for (Lane& lane : lanes) lane.gaveUp = true;
    if (apart || waiting < 4) return;
    // Differences between the two pixels of either row or column: implementations may take one for all four.
    const auto difference = [&](size_t a, size_t b, size_t c, size_t e) {
      Vector out;
      for (size_t i = 0; i < 4; ++i) {
        const auto at = [&](size_t lane) { return lanes[lane].gradientSource()[i]; };
        out[i] = hull(add(at(b), negated(at(a))), add(at(e), negated(at(c))));
      }
      return out;
    };
    const Vector dx = difference(0, 1, 2, 3), dy = difference(0, 2, 1, 3);
    for (Lane& lane : lanes) lane.setGradients(dx, dy);
  }
}

}  // namespace aerogpu::shader::oracle
