// SPDX-License-Identifier: MIT
// The pixel shader of the fixed function (fixed_function.h). Formulas: the pages "D3DTEXTUREOP", "D3DTA",
// "Texture Blending Operations", "Bump Mapping Formulas" and "Specular Lighting" of the Direct3D 9 reference;
// "texbeml - ps" says that luminance modulates all four channels and is clamped. ps_2_0 reads at most one v#
// and two c# in an instruction and knows few swizzles: x, y, z, w four times, yzxw, zxyw, wzyx.
#include "aerogpu/d3d9/fixed_constants.h"
#include "d3d9/fixed_emitter.h"

namespace aerogpu::d3d9 {
namespace {

// Temporaries. The texture of stage n is in kTexture + n % 2, so that a stage and the next one keep theirs at
// the same time.
constexpr uint32_t kPixelCurrent = 0, kTemp = 1, kTexture = 2, kPixelScratch = 4, kPixelScratch2 = 5;
constexpr uint32_t kPrepared = 6, kPreparedCount = 6;  // complemented or copied arguments of a stage

constexpr FixedSource kLiterals = constant(kFixedPixelLiterals);
constexpr FixedSource kPixelOne = kLiterals.x(), kPixelHalf = kLiterals.y(), kTwo = kLiterals.z(),
                      kFour = kLiterals.w();
constexpr FixedSource kPixelZero = constant(kFixedPixelLiterals + 1).x();

constexpr uint32_t kMaxArithmetic = 64, kMaxTexture = 32, kMaxDependent = 4;  // ps_2_0

class PixelGenerator {
public:
  PixelGenerator(const FixedPixelKey& key, bool model2x, uint32_t* tokens, size_t capacity)
      : m_key(key), m_e(tokens, capacity), m_model2x(model2x) {}

  FixedShader run() {
    TokenWriter& w = m_e.writer();
    FixedShader out;
    out.version = {Stage::Pixel, 2, static_cast<uint8_t>(m_model2x ? 1 : 0)};
    w.version(out.version);
    declare();
    if (reads(TextureArg::Temp)) m_e.emit(Opcode::Mov, toTemp(kTemp), kPixelZero);
    for (m_stage = 0; m_stage < kFixedStages && m_key.stages[m_stage].colorOp; ++m_stage) stage();
    if (m_key.specular) {
      // Specular is added before fog, and the sum clamped like all colours.
      own();
      m_e.emit(Opcode::Add, saturate(toTemp(kPixelCurrent, kXyz)), temp(kPixelCurrent), m_specular);
    }
    m_e.emit(Opcode::Mov, {RegisterType::ColorOut, 0}, current());
    w.end();
    out.tokens = static_cast<uint32_t>(w.size());
    out.arithmeticSlots = m_e.slots() - m_reads;
    out.textureSlots = m_reads;
    out.dependentReads = m_deepest;
    if (!w.ok()) out.error = FixedError::NoRoom;
    return out;
  }

private:
  static constexpr bool selects(uint8_t arg, TextureArg what) {
    return (arg & kTextureArgMask) == static_cast<uint8_t>(what);
  }
  bool reads(TextureArg what) const {
    for (const FixedStage& s : m_key.stages)
      for (uint32_t i = 0; i < 3; ++i)
        if ((argumentsOf(static_cast<TextureOp>(s.colorOp)) >> i & 1 && selects(s.colorArg[i], what)) ||
            (argumentsOf(static_cast<TextureOp>(s.alphaOp)) >> i & 1 && selects(s.alphaArg[i], what)))
          return true;
    return false;
  }
  void declare() {
    TokenWriter& w = m_e.writer();
    w.dcl(Usage::Position, 0, destinationToken(RegisterType::Input, 0));
    if (m_key.specular || reads(TextureArg::Specular))
      w.dcl(Usage::Position, 0, destinationToken(RegisterType::Input, 1));
    for (uint32_t i = 0; i < kFixedStages; ++i)
      if (m_key.stages[i].sampler) {
        w.dcl(Usage::Position, 0, destinationToken(RegisterType::AddressOrTexture, i));
        w.dclSampler(static_cast<SamplerType>(m_key.stages[i].sampler), i);
      }
    w.def(kFixedPixelLiterals, 0x3F800000, 0x3F000000, 0x40000000, 0x40800000);
    w.def(kFixedPixelLiterals + 1, 0, 0, 0, 0);
  }

  static bool isBump(uint8_t op) {
    return op == static_cast<uint8_t>(TextureOp::BumpEnvMap) ||
           op == static_cast<uint8_t>(TextureOp::BumpEnvMapLuminance);
  }

  FixedSource current() const { return m_written ? temp(kPixelCurrent) : m_diffuse; }
  /// Copies the current colour to its register. It is the diffuse colour until a stage writes it.
  void own() {
    if (!m_written) m_e.emit(Opcode::Mov, toTemp(kPixelCurrent), m_diffuse);
    m_written = true;
  }

  /// Reads the texture of stage `n` once.
  void sample(uint32_t n) {
    const FixedStage& s = m_key.stages[n];
    if (m_sampled >> n & 1 || !s.sampler) return;
    m_sampled |= 1u << n;
    const FixedSource t{RegisterType::AddressOrTexture, n};
    FixedSource at = t;
    bool projected = s.projection != FixedProjection::None;
    const bool bump = n && isBump(m_key.stages[n - 1].colorOp);
    uint32_t depth = 1;
    if (s.projection == FixedProjection::ByZ || s.projection == FixedProjection::ByY || (bump && projected)) {
      m_e.emit(Opcode::Mov, toTemp(kPixelScratch), t);
      if (s.projection == FixedProjection::ByZ) m_e.emit(Opcode::Mov, toTemp(kPixelScratch, kW), t.z());
      if (s.projection == FixedProjection::ByY) m_e.emit(Opcode::Mov, toTemp(kPixelScratch, kW), t.y());
      at = temp(kPixelScratch);
      depth = 2;
    }
    if (bump) {
      // Du' = Du * M00 + Dv * M10, Dv' = Du * M01 + Dv * M11; only the coordinates are divided, not the
      // difference.
      const FixedSource map = temp(kTexture + (n - 1) % 2), row0 = constant(kFixedBumpRow0 + n - 1),
                        row1 = constant(kFixedBumpRow1 + n - 1);
      depth = m_depth[n - 1] + 1;
      if (projected) {
        m_e.emit(Opcode::Mul, toTemp(kPixelScratch2, kX | kY), map.x(), row0);
        m_e.emit(Opcode::Mad, toTemp(kPixelScratch2, kX | kY), map.y(), row1, temp(kPixelScratch2));
        m_e.emit(Opcode::Mad, toTemp(kPixelScratch, kX | kY), temp(kPixelScratch2), temp(kPixelScratch).w(),
                 temp(kPixelScratch));
      } else {
        m_e.emit(Opcode::Mad, toTemp(kPixelScratch), map.x(), row0, t);
        m_e.emit(Opcode::Mad, toTemp(kPixelScratch, kX | kY), map.y(), row1, temp(kPixelScratch));
      }
      at = temp(kPixelScratch);
    }
    m_depth[n] = depth;
    if (depth > m_deepest) m_deepest = depth;
    const uint32_t to = kTexture + n % 2;
    m_e.texture(toTemp(to), at, n, projected);
    ++m_reads;
    if (bump && m_key.stages[n - 1].colorOp == static_cast<uint8_t>(TextureOp::BumpEnvMapLuminance)) {
      // L' = L * scale + offset
      const FixedSource row1 = constant(kFixedBumpRow1 + n - 1);
      m_e.emit(Opcode::Mad, saturate(toTemp(kPixelScratch, kX)), temp(kTexture + (n - 1) % 2).z(), row1.z(),
               row1.w());
      m_e.emit(Opcode::Mul, toTemp(to), temp(to), temp(kPixelScratch).x());
    }
  }

  /// The colour that an argument selects, without its modifiers.
  FixedSource selected(uint8_t arg) const {
    switch (static_cast<TextureArg>(arg & kTextureArgMask)) {
      case TextureArg::Diffuse:
        return m_diffuse;
      case TextureArg::Texture:
        return temp(kTexture + m_stage % 2);
      case TextureArg::TFactor:
        return constant(kFixedFactor);
      case TextureArg::Specular:
        return m_specular;
      case TextureArg::Temp:
        return temp(kTemp);
      case TextureArg::Constant:
        return constant(kFixedConstant + m_stage);
      default:
        return current();
    }
  }

  /// Returns a value of this stage that more than one argument may need: 1 - source, or a copy.
  FixedSource prepared(const FixedSource& source, bool complement) {
    for (uint32_t i = 0; i < m_preparedCount; ++i)
      if (m_prepared[i].type == source.type && m_prepared[i].number == source.number &&
          m_prepared[i].complement == complement)
        return temp(kPrepared + i);
    const uint32_t n = m_preparedCount++;  // six arguments ask for six values at most
    m_prepared[n] = {source.type, source.number, complement};
    if (complement)
      m_e.emit(Opcode::Add, toTemp(kPrepared + n), kPixelOne, -source);
    else
      m_e.emit(Opcode::Mov, toTemp(kPrepared + n), source);
    return temp(kPrepared + n);
  }

  FixedSource value(uint8_t arg) {
    FixedSource s = selected(arg);
    if (arg & kTextureArgComplement) s = prepared(s, true);
    return arg & kTextureArgReplicate ? s.w() : s;
  }
  static bool complemented(uint8_t arg) { return arg & kTextureArgComplement; }
  static uint8_t plain(uint8_t arg) { return arg & static_cast<uint8_t>(~kTextureArgComplement); }

  /// Separates two arguments that may be the two inputs, of which an instruction reads one.
  void apart(const FixedSource& a, FixedSource& b) {
    if (a.type != RegisterType::Input || b.type != RegisterType::Input || a.number == b.number) return;
    const uint8_t swizzle = b.swizzle;
    const bool negated = b.negated;
    b = prepared({b.type, b.number}, false).swizzled(swizzle);
    b.negated = negated;
  }

  /// Writes f * a + (1 - f) * b; a and b are separate.
  void mix(FixedTarget to, FixedSource f, const FixedSource& a, const FixedSource& b) {
    m_e.emit(Opcode::Add, toTemp(kPixelScratch, to.mask), a, -b);
    apart(b, f);
    m_e.emit(Opcode::Mad, to, f, temp(kPixelScratch), b);
  }

  /// Of an operation.
  struct Operands {
    FixedTarget to, clamped;
    FixedTarget half;     ///< for what is not the result yet
    FixedSource scratch;  ///< reads that
    FixedSource a, b;     ///< the arguments, apart
  };

  /// An operation that multiplies its two arguments. False: it is another kind.
  bool modulation(TextureOp op, const Operands& o) {
    switch (op) {
      case TextureOp::Premodulate:  // "Modulate this texture stage with the next texture stage"
        sample(m_stage + 1);
        m_e.emit(Opcode::Mul, o.to, o.a, temp(kTexture + (m_stage + 1) % 2));
        return true;
      case TextureOp::Modulate:
        m_e.emit(Opcode::Mul, o.to, o.a, o.b);
        return true;
      case TextureOp::Modulate2x:
        m_e.emit(Opcode::Mul, o.half, o.a, o.b);
        m_e.emit(Opcode::Add, o.clamped, o.scratch, o.scratch);
        return true;
      case TextureOp::Modulate4x:
        m_e.emit(Opcode::Mul, o.half, o.a, o.b);
        m_e.emit(Opcode::Mul, o.clamped, o.scratch, kFour);
        return true;
      case TextureOp::ModulateAlphaAddColor:
        m_e.emit(Opcode::Mad, o.clamped, o.a.w(), o.b, o.a);
        return true;
      case TextureOp::ModulateColorAddAlpha:
        m_e.emit(Opcode::Mad, o.clamped, o.a, o.b, o.a.w());
        return true;
      case TextureOp::ModulateInvAlphaAddColor:
        m_e.emit(Opcode::Mad, o.half, -o.a.w(), o.b, o.b);
        m_e.emit(Opcode::Add, o.clamped, o.scratch, o.a);
        return true;
      case TextureOp::ModulateInvColorAddAlpha:
        m_e.emit(Opcode::Mad, o.half, -o.a, o.b, o.b);
        m_e.emit(Opcode::Add, o.clamped, o.scratch, o.a.w());
        return true;
      case TextureOp::DotProduct3:  // 4 * (a - 0.5) . (b - 0.5)
        m_e.emit(Opcode::Mad, toTemp(kPixelScratch, kXyz), o.a, kTwo, -kPixelOne);
        m_e.emit(Opcode::Mad, toTemp(kPixelScratch2, kXyz), o.b, kTwo, -kPixelOne);
        m_e.emit(Opcode::Dp3, o.clamped, o.scratch, temp(kPixelScratch2));
        return true;
      default:
        return false;
    }
  }

  /// An operation that adds, subtracts or selects. False: it is another kind.
  bool addition(TextureOp op, const Operands& o) {
    switch (op) {
      case TextureOp::SelectArg1:
        m_e.emit(Opcode::Mov, o.to, o.a);
        return true;
      case TextureOp::Add:
        m_e.emit(Opcode::Add, o.clamped, o.a, o.b);
        return true;
      case TextureOp::AddSigned:
        m_e.emit(Opcode::Add, o.half, o.a, o.b);
        m_e.emit(Opcode::Add, o.clamped, o.scratch, -kPixelHalf);
        return true;
      case TextureOp::AddSigned2x:
        m_e.emit(Opcode::Add, o.half, o.a, o.b);
        m_e.emit(Opcode::Mad, o.clamped, o.scratch, kTwo, -kPixelOne);
        return true;
      case TextureOp::Subtract:
        m_e.emit(Opcode::Add, o.clamped, o.a, -o.b);
        return true;
      case TextureOp::AddSmooth:  // Arg1 + (1 - Arg1) * Arg2
        m_e.emit(Opcode::Mad, o.half, -o.a, o.b, o.b);
        m_e.emit(Opcode::Add, o.clamped, o.scratch, o.a);
        return true;
      default:
        return false;
    }
  }

  /// Any other, most of which have a factor between their arguments.
  void blending(TextureOp op, const uint8_t* arg, const Operands& o) {
    switch (op) {
      case TextureOp::BlendDiffuseAlpha:
        mix(o.to, m_diffuse.w(), o.a, o.b);
        break;
      case TextureOp::BlendTextureAlpha:
        mix(o.to, temp(kTexture + m_stage % 2).w(), o.a, o.b);
        break;
      case TextureOp::BlendFactorAlpha:
        mix(o.to, constant(kFixedFactor).w(), o.a, o.b);
        break;
      case TextureOp::BlendCurrentAlpha:
        mix(o.to, current().w(), o.a, o.b);
        break;
      case TextureOp::BlendTextureAlphaPm:  // Arg1 + Arg2 * (1 - alpha)
        m_e.emit(Opcode::Mad, o.half, -o.b, temp(kTexture + m_stage % 2).w(), o.b);
        m_e.emit(Opcode::Add, o.clamped, o.scratch, o.a);
        break;
      case TextureOp::MultiplyAdd: {
        FixedSource c = value(arg[0]);
        apart(o.a, c);
        apart(o.b, c);
        m_e.emit(Opcode::Mad, o.clamped, o.a, o.b, c);
        break;
      }
      case TextureOp::Lerp:
        if (complemented(arg[0]))
          mix(o.to, value(plain(arg[0])), o.b, o.a);
        else
          mix(o.to, value(arg[0]), o.a, o.b);
        break;
      default:
        break;
    }
  }

  void operation(uint8_t opcode, const uint8_t* arg, FixedTarget to) {
    const auto op = static_cast<TextureOp>(opcode);
    if (op == TextureOp::Modulate && complemented(arg[1]) != complemented(arg[2])) {
      // (1 - a) * b = b - a * b
      const bool first = complemented(arg[1]);
      const FixedSource b = value(arg[first ? 2 : 1]);
      FixedSource a = value(plain(arg[first ? 1 : 2]));
      apart(b, a);
      m_e.emit(Opcode::Mad, to, -a, b, b);
      return;
    }
    const FixedSource a = op == TextureOp::Disable ? FixedSource{} : value(arg[1]);
    FixedSource b = argumentsOf(op) & 4 ? value(arg[2]) : FixedSource{};
    if (argumentsOf(op) & 4) apart(a, b);
    const Operands o{to, saturate(to), toTemp(kPixelScratch, to.mask), temp(kPixelScratch), a, b};
    if (!modulation(op, o) && !addition(op, o)) blending(op, arg, o);
  }

  void stage() {
    const FixedStage& s = m_key.stages[m_stage];
    m_preparedCount = 0;
    sample(m_stage);
    if (isBump(s.colorOp)) return;  // the next stage's coordinates are its only result
    const uint32_t to = s.temp ? kTemp : kPixelCurrent;
    const auto dot = static_cast<uint8_t>(TextureOp::DotProduct3);
    if (s.colorOp == dot || same(s)) {
      operation(s.colorOp, s.colorArg, toTemp(to));
    } else if (s.alphaOp == dot) {
      // Alpha reads colours, which the colour operation may overwrite, and the colour operation reads alpha.
      operation(s.alphaOp, s.alphaArg, toTemp(kAside, kW));
      operation(s.colorOp, s.colorArg, toTemp(to, kXyz));
      m_e.emit(Opcode::Mov, toTemp(to, kW), temp(kAside));
    } else {
      operation(s.colorOp, s.colorArg, toTemp(to, kXyz));
      if (s.alphaOp != static_cast<uint8_t>(TextureOp::Disable))
        operation(s.alphaOp, s.alphaArg, toTemp(to, kW));
      else if (!s.temp && !m_written)
        m_e.emit(Opcode::Mov, toTemp(kPixelCurrent, kW), m_diffuse);  // alpha does not change
    }
    if (!s.temp) m_written = true;
  }

  /// True if one instruction computes both colour and alpha.
  static bool same(const FixedStage& s) {
    if (s.colorOp != s.alphaOp) return false;
    for (uint32_t i = 0; i < 3; ++i)
      if ((s.colorArg[i] ^ s.alphaArg[i]) & ~kTextureArgReplicate) return false;
    return true;
  }

  const FixedPixelKey& m_key;
  FixedEmitter m_e;
  bool m_model2x;
  uint32_t m_stage = 0;
  bool m_written = false;  ///< by a stage: the current colour
  const FixedSource m_diffuse{RegisterType::Input, 0}, m_specular{RegisterType::Input, 1};
  uint32_t m_sampled = 0, m_reads = 0, m_deepest = 0;
  uint32_t m_depth[kFixedStages] = {};
  struct {
    RegisterType type;
    uint32_t number;
    bool complement;
  } m_prepared[kPreparedCount];
  uint32_t m_preparedCount = 0;
  static constexpr uint32_t kAside = kPrepared + kPreparedCount - 1;
};

}  // namespace

FixedShader writeFixedPixelShader(const FixedPixelKey& key, bool model2x, uint32_t* tokens, size_t capacity) {
  FixedShader out = PixelGenerator(key, false, tokens, capacity).run();
  if (out.error != FixedError::None) return out;
  if (out.arithmeticSlots <= kMaxArithmetic && out.textureSlots <= kMaxTexture &&
      out.dependentReads <= kMaxDependent)
    return out;
  if (model2x) return PixelGenerator(key, true, tokens, capacity).run();
  out.error = FixedError::TooMany;
  return out;
}

}  // namespace aerogpu::d3d9
