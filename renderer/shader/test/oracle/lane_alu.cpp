// SPDX-License-Identifier: MIT
// The result of each instruction (oracle.h). Source: the instruction pages of the Direct3D 9 "asm shader
// reference", one case a page.
#include <cmath>

#include "renderer/shader/test/oracle/oracle.h"

namespace aerogpu::shader::oracle {

using d3d9::Opcode;
using d3d9::RegisterType;

namespace {

/// Returns a sum of products in any order, fused or not.
Range sumOf(std::initializer_list<std::pair<Range, Range>> terms, const Range& last = 0) {
  Range sum = last;
  double size = last.magnitude(), quantum = kInf;
  bool exact = last.exact();
  const auto note = [&](double value) {
    if (value == 0) return;
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    auto bits = static_cast<int64_t>(std::ldexp(mantissa, 53));
    while (!(bits & 1)) bits /= 2, ++exponent;
    quantum = std::min(quantum, std::ldexp(1.0, exponent - 53));
  };
  if (exact) note(last.lo);
  for (const auto& [a, b] : terms) {
    const Range p = zeroWins(a, b);
    if (p.unknown()) return Range::any();
    sum = exactSum(sum, p);
    size += p.magnitude();
    exact = exact && p.exact();
    if (exact) note(p.lo);
  }
  // All partial sums are floats if the terms have a common step and stay below 2^24 of it.
  if (exact && (size == 0 || size / quantum <= 1 << 24)) return settled(sum);
  return widened(sum, kUlp, size * 4 * kUlp);
}

Range dot3(const Vector& a, const Vector& b) {
  return sumOf({{a[0], b[0]}, {a[1], b[1]}, {a[2], b[2]}});
}
Range dot4(const Vector& a, const Vector& b) {
  return sumOf({{a[0], b[0]}, {a[1], b[1]}, {a[2], b[2]}, {a[3], b[3]}});
}

/// Returns a * (b - c) + c, or a * b + (1 - a) * c.
Range interpolated(const Range& a, const Range& b, const Range& c) {
  // If the difference or a part of the sum overflows, the two forms differ: 0 * infinity is NaN.
  if (!(b.magnitude() + c.magnitude() <= kFloatMax)) return Range::any();
  if (a.exact() && a.lo == 0) return c;
  const Range value = exactSum(exactProduct(a, exactSum(b, negated(c))), c);
  const double size = a.magnitude() * (b.magnitude() + c.magnitude()) + c.magnitude();
  return value.unknown() || !(size <= kFloatMax) ? Range::any() : widened(value, kUlp, size * 4 * kUlp);
}

Vector lit(const Vector& s) {
  Vector out = {1, 0, 0, 1};
  const auto lit = less(0, s[0]), shining = less(0, s[1]);
  out[1] = maximum(s[0], 0);
  const Range exponent = clamped(s[3], -127.9961, 127.9961);
  const Range z = power(maximum(s[1], 0), exponent);
  if ((lit && !*lit) || (shining && !*shining))
    out[2] = 0;
  else
    out[2] = lit && shining ? z : hull(z, 0);
  return out;
}

Vector reflection(const Vector& n, const Vector& e) {
  const Range scale = multiply(multiply(2, dot3(n, e)), reciprocal(dot3(n, n)));
  Vector out = anyVector();
  for (size_t i = 0; i < 3; ++i) out[i] = add(multiply(scale, n[i]), negated(e[i]));
  return out;
}

template <class F>
Vector each(F f) {
  return {f(0), f(1), f(2), f(3)};
}

}  // namespace

bool Lane::needsGradient(const Instruction& in) const {
  switch (in.opcode) {
    case Opcode::Dsx:
    case Opcode::Dsy:
      return true;
    case Opcode::Tex:
      return m_code.version.major >= 2;
    default:
      return false;
  }
}

void Lane::execute(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::Nop:
    case Opcode::Label:
      return;
    case Opcode::Phase:  // phase page: alpha does not persist
      for (Vector& r : m_r) r[3] = Range::any();
      return;
    case Opcode::SetP: {
      const Vector a = read(in.sources[0]), b = read(in.sources[1]);
      const Flags p = in.predicated ? predicateOf(in.predicate) : Flags{true, true, true, true};
      for (uint32_t i = 0; i < 4; ++i) {
        if (!(in.destination.mask >> i & 1)) continue;
        const auto result = compare(in.control, a[i], b[i]);
        if (!p[i])
          m_p[i] = m_p[i] == result ? result : std::nullopt;
        else if (*p[i])
          m_p[i] = result;
      }
      return;
    }
    case Opcode::TexKill: {
      // 1.x: three components. From model 2 on hardware tests all components in the mask.
      const Vector value =
          m_code.pixel1() && m_code.version.minor < 4 ? t[in.destination.number] : fetch(in.destination);
      const uint32_t mask = m_code.pixel1() ? 7 : in.destination.mask;
      const Flags p = in.predicated ? predicateOf(in.predicate) : Flags{true, true, true, true};
      for (uint32_t i = 0; i < 4; ++i) {
        if (!(mask >> i & 1)) continue;
        const auto negative = less(value[i], 0);
        if ((negative && !*negative) || (p[i] && !*p[i])) continue;
        if (killed && *killed) continue;
        killed = negative && p[i] ? std::optional(true) : std::nullopt;
      }
      return;
    }
    case Opcode::MovA:
    case Opcode::Mov:
      if (!m_code.pixel() && in.destination.type == RegisterType::AddressOrTexture) {
        const Vector s = read(in.sources[0]);
        const Flags p = in.predicated ? predicateOf(in.predicate) : Flags{true, true, true, true};
        for (uint32_t i = 0; i < 4; ++i) {
          if (!(in.destination.mask >> i & 1)) continue;
          if (!p[i] || s[i].unknown() || s[i].magnitude() > 1e6) return giveUp();
          if (!*p[i]) continue;
          // mova rounds to nearest (a tie is unspecified), mov of vs_1_1 rounds down.
          const bool nearest = in.opcode == Opcode::MovA;
          const double low = nearest ? std::floor(s[i].lo + 0.5) : std::floor(s[i].lo);
          const double high = nearest ? std::ceil(s[i].hi - 0.5) : std::floor(s[i].hi);
          if (low != high) return giveUp();
          m_a[i] = static_cast<int32_t>(low);
        }
        return;
      }
      break;
    default:
      break;
  }
  if (m_code.pixel1()) return pixel1(in);
  write(in, in.opcode == Opcode::Tex || in.opcode == Opcode::TexLdl || in.opcode == Opcode::TexLdd
                ? texture(in)
                : arithmetic(in));
  // Scratch registers, and results that the instruction leaves undefined before model 3.
  if (in.opcode == Opcode::Sgn || (in.opcode == Opcode::SinCos && m_code.version.major < 3)) {
    for (size_t i = 1; i < in.sources.size(); ++i)
      if (in.sources[i].type == RegisterType::Temp) m_r[in.sources[i].number & 31] = anyVector();
    if (in.opcode == Opcode::SinCos && in.destination.type == RegisterType::Temp)
      for (uint32_t i = 0; i < 3; ++i)
        if (!(in.destination.mask >> i & 1)) m_r[in.destination.number & 31][i] = Range::any();
  }
}

Vector Lane::arithmetic(const Instruction& in) {
  std::array<Vector, 3> s;
  for (size_t i = 0; i < s.size() && i < in.sources.size(); ++i) s[i] = read(in.sources[i]);
  const auto &a = s[0], &b = s[1], &c = s[2];
  switch (in.opcode) {
    case Opcode::Mov:
      return a;
    case Opcode::Add:
      return each([&](size_t i) { return add(a[i], b[i]); });
    case Opcode::Sub:
      return each([&](size_t i) { return add(a[i], negated(b[i])); });
    case Opcode::Mul:
      return each([&](size_t i) { return rounded(zeroWins(a[i], b[i])); });
    case Opcode::Mad:
      return each([&](size_t i) { return sumOf({{a[i], b[i]}}, c[i]); });
    case Opcode::Rcp:
      return splat(reciprocal(a[0]));
    case Opcode::Rsq:
      return splat(reciprocalRoot(a[0]));
    case Opcode::Dp3:
      return splat(dot3(a, b));
    case Opcode::Dp4:
      return splat(dot4(a, b));
    case Opcode::Dp2Add:
      return splat(sumOf({{a[0], b[0]}, {a[1], b[1]}}, c[0]));
    case Opcode::Min:
      return each([&](size_t i) { return minimum(a[i], b[i]); });
    case Opcode::Max:
      return each([&](size_t i) { return maximum(a[i], b[i]); });
    case Opcode::Slt:
      return each([&](size_t i) { return select(less(a[i], b[i]), 1, 0); });
    case Opcode::Sge:
      return each([&](size_t i) { return select(less(a[i], b[i]), 0, 1); });
    case Opcode::Exp:
      return splat(power2(a[0]));
    case Opcode::Log:
      return splat(logarithm2(a[0]));
    case Opcode::ExpP:
      if (m_code.version.major == 1) {
        const bool jumps =
            a[0].unknown() || std::floor(a[0].lo) != std::floor(a[0].hi) || a[0].magnitude() > 120;
        return {jumps ? Range::any() : widened(std::exp2(std::floor(a[0].lo)), 4 * kUlp), fraction(a[0]),
                widened(power2(a[0]), 1.0 / 1024), 1};
      }
      return splat(widened(power2(a[0]), 1.0 / 1024));
    case Opcode::LogP: {
      const Range log = widened(logarithm2(a[0]), 1.0 / 1024, 1.0 / 1024);
      // vs_1_1 gives exponent and mantissa too: "logp" of the Direct3D 8 reference.
      if (m_code.version.major != 1) return splat(log);
      const Range x = absolute(a[0]);
      if (x.unknown() || x.lo < kFloatMin || std::ilogb(x.lo) != std::ilogb(x.hi))
        return {Range::any(), Range::any(), log, 1};
      const double exponent = std::ilogb(x.lo);
      return {exponent,
              widened({std::ldexp(x.lo, -static_cast<int>(exponent)),
                       std::ldexp(x.hi, -static_cast<int>(exponent))},
                      1e-3),
              log, 1};
    }
    case Opcode::Lit:
      return lit(a);
    case Opcode::Dst:
      return {1, multiply(a[1], b[1]), a[2], b[3]};
    case Opcode::Lrp:
      return each([&](size_t i) { return interpolated(a[i], b[i], c[i]); });
    case Opcode::Frc:
      return each([&](size_t i) { return fraction(a[i]); });
    case Opcode::Pow:
      return splat(power(a[0], b[0]));
    case Opcode::Crs:
      return {sumOf({{a[1], b[2]}, {negated(a[2]), b[1]}}), sumOf({{a[2], b[0]}, {negated(a[0]), b[2]}}),
              sumOf({{a[0], b[1]}, {negated(a[1]), b[0]}}), Range::any()};
    case Opcode::Sgn:
      return each([&](size_t i) {
        return select(less(a[i], 0), -1, select(less(0, a[i]), 1, a[i].exact() ? Range(0) : Range(-1, 1)));
      });
    case Opcode::Abs:
      return each([&](size_t i) { return absolute(a[i]); });
    case Opcode::Nrm: {
      const Range square = dot3(a, a);
      if (square.exact() && square.lo == 0) {  // FLT_MAX times the component
        return each([&](size_t i) { return a[i].exact() && a[i].lo == 0 ? Range(0) : Range::any(); });
      }
      if (square.lo < kFloatMin) return anyVector();
      const Range scale = reciprocalRoot(square);
      return each([&](size_t i) { return widened(exactProduct(a[i], scale), 4 * kUlp); });
    }
    case Opcode::SinCos: {
      if (a[0].unknown() || a[0].magnitude() > 3.1416) return anyVector();
      // Sin, Cos: 2^-11. The range's width moves the result by at most that width.
      const double middle = (a[0].lo + a[0].hi) / 2, error = (a[0].hi - a[0].lo) / 2 + 1.0 / 2048;
      const auto around = [&](double x) { return Range(x - error, x + error); };
      return {around(std::cos(middle)), around(std::sin(middle)), Range::any(), Range::any()};
    }
    case Opcode::M4x4:
    case Opcode::M4x3: {
      Vector out = anyVector();
      for (uint32_t i = 0; i < (in.opcode == Opcode::M4x4 ? 4u : 3u); ++i)
        out[i] = dot4(a, read(in.sources[1], i));
      return out;
    }
    case Opcode::M3x4:
    case Opcode::M3x3:
    case Opcode::M3x2: {
      const uint32_t rows = in.opcode == Opcode::M3x4 ? 4 : in.opcode == Opcode::M3x3 ? 3 : 2;
      Vector out = anyVector();
      for (uint32_t i = 0; i < rows; ++i) out[i] = dot3(a, read(in.sources[1], i));
      return out;
    }
    case Opcode::Cmp:
      return each([&](size_t i) { return select(less(a[i], 0), c[i], b[i]); });
    case Opcode::Cnd:
      return each([&](size_t i) { return select(less(0.5, a[i]), b[i], c[i]); });
    case Opcode::Dsx:
      return m_dx;
    case Opcode::Dsy:
      return m_dy;
    default:
      giveUp();
      return anyVector();
  }
}

/// Executes texld, texldp, texldb, texldl, texldd of models 2 and 3.
Vector Lane::texture(const Instruction& in) {
  Vector at = read(in.sources[0]);
  const Operand& sampler = in.sources[1];
  const d3d9::SamplerType type = m_code.samplers[sampler.number & 15];
  Range level;
  Vector dx = m_dx, dy = m_dy;
  if (in.opcode == Opcode::TexLdl) {
    level = at[3];
  } else if (in.opcode == Opcode::TexLdd) {
    level = m_levelOf(type, read(in.sources[2]), read(in.sources[3]));
  } else if (in.control == d3d9::kTexldProject) {
    const Range scale = reciprocal(at[3]);
    for (size_t i = 0; i < 3; ++i) at[i] = multiply(at[i], scale);
    // Its gradients are the quotient's; they are known here only if nothing changes.
    const bool constant = [&] {
      for (size_t i = 0; i < 4; ++i)
        if (!dx[i].exact() || dx[i].lo != 0 || !dy[i].exact() || dy[i].lo != 0) return false;
      return true;
    }();
    level = constant ? m_levelOf(type, dx, dy) : Range::any();
  } else {
    level = m_levelOf(type, dx, dy);
    if (in.control == d3d9::kTexldBias) {
      // A bias beyond the samplers' limits may meet a logarithm of 0 that is not infinite.
      const bool none = level.exact() && level.lo == -kInf;
      level = !(at[3].magnitude() <= 8) ? Range::any() : none ? level : exactSum(level, at[3]);
    }
  }
  const Vector texel = m_sample(type, at, level);
  Vector out;
  for (uint32_t i = 0; i < 4; ++i) out[i] = texel[sampler.swizzle >> (2 * i) & 3];
  return out;
}

/// Executes models 1.1 to 1.4: texture instructions, and arithmetic that differs.
void Lane::pixel1(const Instruction& in) {
  const uint32_t n = in.destination.number;
  const Vector& own = t[n & 7];  // coordinates of the texture that the result names
  // D3DTTFF_PROJECTED: divided before any other operation.
  const auto projected = [&] {
    const uint32_t by = n < m_constants.projectedBy.size() ? m_constants.projectedBy[n] : 0;
    if (by == 0) return own;
    if (own[by].unknown() || (own[by].lo <= 0 && own[by].hi >= 0)) return anyVector();
    Vector out;
    for (size_t i = 0; i < 4; ++i) out[i] = multiply(own[i], reciprocal(own[by]));
    return out;
  };
  // Du' = Du M00 + Dv M10, Dv' = Du M01 + Dv M11 ("Bump Mapping Formulas").
  const auto bumped = [&](const Vector& base, const Vector& d) {
    const auto& m = m_constants.stages[n & 7].matrix;
    return Vector{sumOf({{1, base[0]}, {m[0], d[0]}, {m[2], d[1]}}),
                  sumOf({{1, base[1]}, {m[1], d[0]}, {m[3], d[1]}}), base[2], base[3]};
  };
  const d3d9::SamplerType kind = d3d9::SamplerType::Texture2D, solid = d3d9::SamplerType::TextureCube;
  const Range largest = -kInf;
  const auto row = [&] { return dot3(own, read(in.sources[0])); };
  const auto pad = [&] {
    m_eye[m_rowCount % 3] = own[3];
    m_rows[m_rowCount++ % 3] = row();
  };
  switch (in.opcode) {
    case Opcode::TexCoord:
      if (m_code.version.minor == 4) {
        Vector value = read(in.sources[0]);
        value[3] = Range::any();
        return write(in, value);
      }
      return write(in, {clamped(own[0], 0, 1), clamped(own[1], 0, 1), clamped(own[2], 0, 1), 1});
    case Opcode::Tex:
      return write(in,
                   m_sample(kind, m_code.version.minor == 4 ? read(in.sources[0]) : projected(), largest));
    case Opcode::TexBem:
    case Opcode::TexBemL: {
      const Vector d = read(in.sources[0]);
      Vector texel = m_sample(kind, bumped(projected(), d), largest);
      if (in.opcode == Opcode::TexBemL) {
        const BumpStage& stage = m_constants.stages[n & 7];
        const Range luminance = add(multiply(d[2], stage.luminanceScale), stage.luminanceOffset);
        for (Range& x : texel) x = multiply(x, luminance);
      }
      return write(in, texel);
    }
    case Opcode::Bem:
      return write(in, bumped(read(in.sources[0]), read(in.sources[1])));
    case Opcode::TexReg2Ar: {
      const Vector s = read(in.sources[0]);
      return write(in, m_sample(kind, {s[3], s[0], 0, 0}, largest));
    }
    case Opcode::TexReg2Gb: {
      const Vector s = read(in.sources[0]);
      return write(in, m_sample(kind, {s[1], s[2], 0, 0}, largest));
    }
    case Opcode::TexReg2Rgb:
      return write(in, m_sample(kind, read(in.sources[0]), largest));
    case Opcode::TexDp3:
      return write(in, splat(row()));
    case Opcode::TexDp3Tex:
      return write(in, m_sample(kind, {row(), 0, 0, 0}, largest));
    case Opcode::TexM3x2Pad:
    case Opcode::TexM3x3Pad:
      return pad();
    case Opcode::TexM3x2Tex:
      pad();
      m_rowCount = 0;
      return write(in, m_sample(kind, {m_rows[0], m_rows[1], 0, 0}, largest));
    case Opcode::TexM3x2Depth:
      pad();
      m_rowCount = 0;
      depth = clamped(
          m_rows[1].exact() && m_rows[1].lo == 0 ? Range(1) : multiply(m_rows[0], reciprocal(m_rows[1])), 0,
          1);
      m_tValue[n & 7] = anyVector();
      return;
    case Opcode::TexM3x3:
      pad();
      m_rowCount = 0;
      return write(in, {m_rows[0], m_rows[1], m_rows[2], 1});
    case Opcode::TexM3x3Tex:
    case Opcode::TexM3x3Spec:
    case Opcode::TexM3x3VSpec: {
      pad();
      m_rowCount = 0;
      const Vector normal = {m_rows[0], m_rows[1], m_rows[2], 0};
      const Vector eye =
          in.opcode == Opcode::TexM3x3Spec ? read(in.sources[1]) : Vector{m_eye[0], m_eye[1], m_eye[2], 0};
      return write(
          in, m_sample(solid, in.opcode == Opcode::TexM3x3Tex ? normal : reflection(normal, eye), largest));
    }
    case Opcode::TexDepth: {
      const Vector r = m_r[5];
      depth = clamped(r[1].exact() && r[1].lo == 0 ? Range(1) : multiply(r[0], reciprocal(r[1])), 0, 1);
      m_r[5] = anyVector();
      return;
    }
    default:
      return write(in, arithmetic(in));
  }
}

}  // namespace aerogpu::shader::oracle
