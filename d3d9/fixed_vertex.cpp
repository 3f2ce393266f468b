// SPDX-License-Identifier: MIT
// The vertex shader of the fixed function (fixed_function.h). Formulas: the page "Mathematics of Lighting"
// and its subpages, "Fog Formulas", "Vertex Fog", "Geometry Blending", "Indexed Vertex Blending", "Vertex
// Tweening", "Automatically Generated Texture Coordinates", "Texture Coordinate Transformations" and "Point
// Sprites" of the Direct3D 9 reference. No instruction reads two different v# or two different c#, which
// vs_2_0 forbids.
#include "aerogpu/d3d9/fixed_constants.h"
#include "d3d9/fixed_emitter.h"

namespace aerogpu::d3d9 {
namespace {

// Temporaries. The first three live to the end.
constexpr uint32_t kPosition = 0;    // view space, w 1; at first tweened, in object space
constexpr uint32_t kNormal = 1;      // view space
constexpr uint32_t kEye = 2;         // from the eye to the vertex, length 1
constexpr uint32_t kAmbientSum = 3;  // sum over the lights
constexpr uint32_t kDiffuseSum = 4;
constexpr uint32_t kSpecularSum = 5;
constexpr uint32_t kTowards = 6;  // towards the light, length 1
constexpr uint32_t kScratchTemp = 7, kScratchTemp2 = 8;
constexpr uint32_t kReflected = 9;
constexpr uint32_t kSphereAt = 10;
constexpr uint32_t kWeights = 11;
// In use before the lights are computed:
constexpr uint32_t kBlended = 3, kBlendedNormal = 4, kObjectNormal = 5;

constexpr FixedSource kOne = constant(kFixedVertexLiterals).x(), kZero = constant(kFixedVertexLiterals).y(),
                      kHalf = constant(kFixedVertexLiterals).z();
/// 0 for z, 1 for w.
constexpr FixedSource kZeroOne = constant(kFixedVertexLiterals).swizzled(0x10);
constexpr FixedSource kTiny = constant(kFixedVertexLiterals + 1).x(),
                      kStride = constant(kFixedVertexLiterals + 1).y(),
                      kColorStride = constant(kFixedVertexLiterals + 1).z();

constexpr FixedTarget position() {
  return {RegisterType::RasterOut, kRasterPosition};
}

class VertexGenerator {
public:
  VertexGenerator(const FixedVertexKey& key, uint32_t* tokens, size_t capacity)
      : m_key(key), m_e(tokens, capacity) {}

  FixedShader run() {
    TokenWriter& w = m_e.writer();
    const Version version{Stage::Vertex, 2, 0};
    w.version(version);
    declare();
    // 1, 0, 0.5, 2; then a number with finite square root and logarithm, the number of registers of a matrix,
    // and 255 times that number.
    w.def(kFixedVertexLiterals, 0x3F800000, 0, 0x3F000000, 0x40000000);
    w.def(kFixedVertexLiterals + 1, 0x0DA24260, 0x40400000, 0x443F4000, 0);
    transform();
    if (m_key.normal == 2) m_e.emit(Opcode::Nrm, toTemp(kScratchTemp, kXyz), temp(kNormal));
    if (m_key.normal == 2) m_e.emit(Opcode::Mov, toTemp(kNormal, kXyz), temp(kScratchTemp));
    if (needsEye()) m_e.emit(Opcode::Nrm, toTemp(kEye, kXyz), temp(kPosition));
    colors();
    fog();
    points();
    coordinates();
    w.end();
    FixedShader out;
    if (!w.ok()) {
      out.error = FixedError::NoRoom;
      return out;
    }
    out.version = version;
    out.tokens = static_cast<uint32_t>(w.size());
    out.arithmeticSlots = m_e.slots();
    return out;
  }

private:
  bool reads(uint8_t source) const {
    for (const FixedCoordinates& c : m_key.coordinates)
      if (c.source == source) return true;
    return false;
  }
  bool readsReflection() const {
    return reads(FixedCoordinates::kReflection) || reads(FixedCoordinates::kSphere);
  }
  bool needsEye() const {
    return readsReflection() || (m_key.lighting && m_key.specular && m_key.localViewer && m_key.normal);
  }
  bool scales() const {
    return m_key.points == FixedVertexKey::kScaled || m_key.points == FixedVertexKey::kScaledVertexSize;
  }
  bool needsView() const {
    return m_key.blending || m_key.lighting || m_key.fog > FixedVertexKey::kSpecularAlpha || scales() ||
           readsReflection() || reads(FixedCoordinates::kPosition);
  }

  FixedSource declared(Usage usage, uint32_t index) {
    m_e.writer().dcl(usage, index, destinationToken(RegisterType::Input, m_inputs));
    return {RegisterType::Input, m_inputs++};
  }

  void declare() {
    m_in.position = declared(Usage::Position, 0);
    if (m_key.tweening) m_in.position1 = declared(Usage::Position, 1);
    if (m_key.normal) m_in.normal = declared(Usage::Normal, 0);
    if (m_key.tweening == 2) m_in.normal1 = declared(Usage::Normal, 1);
    if (m_key.weights) m_in.weights = declared(Usage::BlendWeight, 0);
    if (m_key.indices) m_in.indices = declared(Usage::BlendIndices, 0);
    if (m_key.points == FixedVertexKey::kVertexSize || m_key.points == FixedVertexKey::kScaledVertexSize)
      m_in.pointSize = declared(Usage::PointSize, 0);
    for (uint32_t i = 0; i < 2; ++i)
      if (m_key.colors >> i & 1) m_in.color[i] = declared(Usage::Color, i);
    for (uint32_t set = 0; set < kFixedStages; ++set)
      for (const FixedCoordinates& c : m_key.coordinates)
        if (c.source == FixedCoordinates::kSet0 + set && c.components) {
          m_in.set[set] = declared(Usage::TexCoord, set);
          break;
        }
  }

  /// Writes source * matrix to `target`, for `rows` components.
  void multiply(Opcode dot, FixedTarget target, const FixedSource& source, FixedSource matrix,
                uint32_t rows) {
    for (uint32_t i = 0; i < rows; ++i) {
      m_e.emit(dot, target.masked(static_cast<uint8_t>(1u << i)), source, matrix);
      ++matrix.number;
    }
  }

  void transform() {
    FixedSource at = m_in.position, normal = m_in.normal;
    if (m_key.tweening) {
      // Vposition = V1 * (1 - tween) + V2 * tween
      tween(kPosition, kXyzw, m_in.position, m_in.position1);
      at = temp(kPosition);
      if (m_key.tweening == 2 && m_key.normal) {
        tween(kObjectNormal, kXyz, m_in.normal, m_in.normal1);
        normal = temp(kObjectNormal);
      }
    }
    if (m_key.blending) return blend(at, normal);
    multiply(Opcode::Dp4, position(), at, constant(kFixedClipMatrix), 4);
    if (m_key.normal) multiply(Opcode::Dp3, toTemp(kNormal), normal, constant(kFixedNormalMatrix), 3);
    if (!needsView()) return;
    multiply(Opcode::Dp4, toTemp(kScratchTemp), at, constant(kFixedWorldView), 3);
    m_e.emit(Opcode::Mov, toTemp(kPosition, kXyz), temp(kScratchTemp));
    m_e.emit(Opcode::Mov, toTemp(kPosition, kW), kOne);
  }

  void tween(uint32_t target, uint8_t mask, const FixedSource& from, const FixedSource& to) {
    m_e.emit(Opcode::Mov, toTemp(kScratchTemp, mask), from);
    m_e.emit(Opcode::Add, toTemp(kScratchTemp2, mask), to, -temp(kScratchTemp));
    m_e.emit(Opcode::Mad, toTemp(target, mask), temp(kScratchTemp2), constant(kFixedTween).x(),
             temp(kScratchTemp));
  }

  /// Sums weight * (vertex * matrix). The last weight is 1 minus the others. Normals are blended by the same
  /// matrices: the reference says only that they are blended too.
  void blend(const FixedSource& at, const FixedSource& normal) {
    if (m_key.indices) {
      const bool color = m_key.indices == static_cast<uint8_t>(BlendIndices::Color);
      // A D3DCOLOR's first index is in its lowest byte, which is blue.
      const FixedSource indices = color ? m_in.indices.swizzled(0xC6) : m_in.indices;
      m_e.emit(Opcode::Mul, toTemp(kScratchTemp), indices, color ? kColorStride : kStride);
      m_e.emit(Opcode::MovA, {RegisterType::AddressOrTexture, 0}, temp(kScratchTemp));
    }
    const uint32_t last = m_key.matrices - 1u;
    const uint32_t given = m_key.weights < last ? m_key.weights : last;
    if (last) {
      if (given) m_e.emit(Opcode::Mov, toTemp(kWeights), m_in.weights);
      m_e.emit(Opcode::Mov, toTemp(kScratchTemp, kX), kOne);
      for (uint32_t i = 0; i < given; ++i)
        m_e.emit(Opcode::Add, toTemp(kScratchTemp, kX), temp(kScratchTemp), -temp(kWeights).component(i));
      m_e.emit(Opcode::Mov, toTemp(kWeights, static_cast<uint8_t>(1u << last)), temp(kScratchTemp).x());
    }
    bool first = true;
    for (uint32_t i = 0; i <= last; ++i) {
      if (i < last && i >= given) continue;  // a weight that the vertex does not have is 0
      FixedSource matrix = constant(kFixedWorldView + (m_key.indices ? 0 : 3 * i));
      if (m_key.indices) {
        matrix.index = RegisterType::AddressOrTexture;
        matrix.indexComponent = static_cast<uint8_t>(i);
      }
      multiply(Opcode::Dp4, toTemp(kScratchTemp), at, matrix, 3);
      weigh(kBlended, i, last, first);
      if (m_key.normal) {
        multiply(Opcode::Dp3, toTemp(kScratchTemp), normal, matrix, 3);
        weigh(kBlendedNormal, i, last, first);
      }
      first = false;
    }
    m_e.emit(Opcode::Mov, toTemp(kPosition, kXyz), temp(kBlended));
    m_e.emit(Opcode::Mov, toTemp(kPosition, kW), kOne);
    if (m_key.normal) m_e.emit(Opcode::Mov, toTemp(kNormal, kXyz), temp(kBlendedNormal));
    multiply(Opcode::Dp4, position(), temp(kPosition), constant(kFixedClipMatrix), 4);
  }

  void weigh(uint32_t sum, uint32_t i, uint32_t last, bool first) {
    const FixedSource weight = temp(kWeights).component(i);
    if (!last)
      m_e.emit(Opcode::Mov, toTemp(sum, kXyz), temp(kScratchTemp));
    else if (first)
      m_e.emit(Opcode::Mul, toTemp(sum, kXyz), temp(kScratchTemp), weight);
    else
      m_e.emit(Opcode::Mad, toTemp(sum, kXyz), temp(kScratchTemp), weight, temp(sum));
  }

  FixedSource materialColor(uint8_t source, uint32_t material) const {
    return source ? m_in.color[source - 1] : constant(material);
  }

  void colors() {
    const FixedTarget diffuse{RegisterType::AttributeOut, 0}, specular{RegisterType::AttributeOut, 1};
    if (!m_key.lighting) {
      m_e.emit(Opcode::Mov, diffuse, m_key.colors & 1 ? m_in.color[0] : kOne);
      m_e.emit(Opcode::Mov, specular, m_key.colors & 2 ? m_in.color[1] : kZero);
      return;
    }
    m_e.emit(Opcode::Mov, toTemp(kAmbientSum, kXyz), constant(kFixedGlobalAmbient));
    const bool lit = m_key.normal != 0;
    if (lit) m_e.emit(Opcode::Mov, toTemp(kDiffuseSum), kZero);
    if (lit && m_key.specular) m_e.emit(Opcode::Mov, toTemp(kSpecularSum), kZero);
    m_e.loop(kFixedDirectionalLights);
    directional();
    m_e.endLoop();
    m_e.loop(kFixedPositionalLights);
    positional();
    m_e.endLoop();
    // "Mathematics of Lighting": ambient + diffuse + emissive; alpha is the diffuse colour's.
    const FixedSource diffuseColor = materialColor(m_key.diffuseSource, kFixedDiffuse);
    m_e.emit(Opcode::Mul, toTemp(kAmbientSum, kXyz), temp(kAmbientSum),
             materialColor(m_key.ambientSource, kFixedAmbient));
    if (lit)
      m_e.emit(Opcode::Mad, toTemp(kAmbientSum, kXyz), temp(kDiffuseSum), diffuseColor, temp(kAmbientSum));
    m_e.emit(Opcode::Add, diffuse.masked(kXyz), temp(kAmbientSum),
             materialColor(m_key.emissiveSource, kFixedEmissive));
    m_e.emit(Opcode::Mov, diffuse.masked(kW), diffuseColor);
    if (lit && m_key.specular)
      m_e.emit(Opcode::Mul, specular, temp(kSpecularSum),
               materialColor(m_key.specularSource, kFixedSpecular));
    else
      m_e.emit(Opcode::Mov, specular, kZero);
  }

  static FixedSource light(uint32_t n) {
    FixedSource s = constant(kFixedLight + n);
    s.index = RegisterType::Loop;
    return s;
  }

  void directional() {
    m_e.emit(Opcode::Add, toTemp(kAmbientSum, kXyz), temp(kAmbientSum), light(kFixedLightAmbient));
    if (!m_key.normal) return;
    m_e.emit(Opcode::Mov, toTemp(kTowards, kXyz), light(kFixedLightPlace));
    shine(kOne, false);
  }

  /// Adds a positional light ("Attenuation and Spotlight Factor"). A point light has a cone that includes
  /// every direction.
  void positional() {
    const FixedSource place = light(kFixedLightPlace), s = temp(kScratchTemp), t = temp(kScratchTemp2);
    m_e.emit(Opcode::Add, toTemp(kTowards, kXyz), place, -temp(kPosition));
    m_e.emit(Opcode::Dp3, toTemp(kScratchTemp), temp(kTowards), temp(kTowards));
    m_e.emit(Opcode::Max, toTemp(kScratchTemp), s, kTiny);
    m_e.emit(Opcode::Rsq, toTemp(kScratchTemp2), s.x());
    m_e.emit(Opcode::Mul, toTemp(kTowards, kXyz), temp(kTowards), t);
    m_e.emit(Opcode::Dst, toTemp(kScratchTemp), s, t);  // 1, d, d * d, 1 / d
    m_e.emit(Opcode::Dp3, toTemp(kScratchTemp2, kX), s, light(kFixedLightAttenuation));
    m_e.emit(Opcode::Rcp, toTemp(kScratchTemp2, kX), t.x());
    m_e.emit(Opcode::Sge, toTemp(kScratchTemp2, kY), light(kFixedLightDiffuse).w(), s.y());  // in range
    m_e.emit(Opcode::Mul, toTemp(kScratchTemp2, kX), t.x(), t.y());
    // ((rho - cos(phi / 2)) / (cos(theta / 2) - cos(phi / 2))) ^ falloff
    m_e.emit(Opcode::Dp3, toTemp(kScratchTemp, kX), -temp(kTowards), light(kFixedLightAxis));
    m_e.emit(Opcode::Add, toTemp(kScratchTemp, kX), s.x(), -light(kFixedLightAmbient).w());
    m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kX), s.x(), light(kFixedLightAttenuation).w());
    m_e.emit(Opcode::Slt, toTemp(kScratchTemp, kY), kZero, s.x());
    m_e.emit(Opcode::Max, toTemp(kScratchTemp, kX), s.x(), kTiny);
    m_e.emit(Opcode::Min, toTemp(kScratchTemp, kX), s.x(), kOne);
    m_e.emit(Opcode::Pow, toTemp(kScratchTemp, kZ), s.x(), light(kFixedLightAxis).w());
    m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kZ), s.z(), s.y());
    m_e.emit(Opcode::Mul, toTemp(kTowards, kW), s.z(), t.x());
    const FixedSource factor = temp(kTowards).w();
    m_e.emit(Opcode::Mad, toTemp(kAmbientSum, kXyz), factor, light(kFixedLightAmbient), temp(kAmbientSum));
    if (m_key.normal) shine(factor, true);
  }

  /// Adds the light in the direction kTowards ("Diffuse Lighting", "Specular Lighting"). The highlight is on
  /// the lit side only, as in `lit`.
  void shine(const FixedSource& factor, bool weakens) {
    const FixedSource s = temp(kScratchTemp);
    m_e.emit(Opcode::Dp3, toTemp(kScratchTemp, kX), temp(kNormal), temp(kTowards));
    m_e.emit(Opcode::Max, toTemp(kScratchTemp, kZ), s.x(), kZero);
    if (weakens) m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kZ), s.z(), factor);
    m_e.emit(Opcode::Mad, toTemp(kDiffuseSum, kXyz), s.z(), light(kFixedLightDiffuse), temp(kDiffuseSum));
    if (!m_key.specular) return;
    // H = norm(norm(Cp - Vp) + Ldir); an eye that is far away is at (0, 0, -1).
    if (m_key.localViewer)
      m_e.emit(Opcode::Add, toTemp(kScratchTemp2, kXyz), temp(kTowards), -temp(kEye));
    else
      m_e.emit(Opcode::Add, toTemp(kScratchTemp2, kXyz), temp(kTowards),
               -constant(kFixedVertexLiterals).swizzled(0x45 /* yyx */));
    m_e.emit(Opcode::Nrm, toTemp(kReflected, kXyz), temp(kScratchTemp2));
    m_e.emit(Opcode::Dp3, toTemp(kScratchTemp, kY), temp(kNormal), temp(kReflected));
    m_e.emit(Opcode::Slt, toTemp(kScratchTemp2, kX | kY), kZero, s);
    m_e.emit(Opcode::Mul, toTemp(kScratchTemp2, kX), temp(kScratchTemp2).x(), temp(kScratchTemp2).y());
    if (weakens) m_e.emit(Opcode::Mul, toTemp(kScratchTemp2, kX), temp(kScratchTemp2).x(), factor);
    m_e.emit(Opcode::Max, toTemp(kScratchTemp, kY), s.y(), kTiny);
    m_e.emit(Opcode::Pow, toTemp(kScratchTemp, kZ), s.y(), constant(kFixedPower).x());
    m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kZ), s.z(), temp(kScratchTemp2).x());
    m_e.emit(Opcode::Mad, toTemp(kSpecularSum), s.z(), light(kFixedLightSpecular), temp(kSpecularSum));
  }

  /// Stores 1, d, d * d in kScratchTemp, with d the distance to the eye.
  void distances() {
    m_e.emit(Opcode::Dp3, toTemp(kScratchTemp), temp(kPosition), temp(kPosition));
    m_e.emit(Opcode::Max, toTemp(kScratchTemp), temp(kScratchTemp), kTiny);
    m_e.emit(Opcode::Rsq, toTemp(kScratchTemp2), temp(kScratchTemp).x());
    m_e.emit(Opcode::Dst, toTemp(kScratchTemp), temp(kScratchTemp), temp(kScratchTemp2));
  }

  /// Writes the fog factor: 1 is no fog. The pipeline clamps it.
  void fog() {
    const FixedTarget out{RegisterType::RasterOut, kRasterFog};
    const FixedSource s = temp(kScratchTemp), fog = constant(kFixedFog);
    if (m_key.fog == FixedVertexKey::kNoFog) return;
    if (m_key.fog == FixedVertexKey::kSpecularAlpha) {
      // Neither mode is set: the program supplies the factor in the alpha of the specular colour ("Fog
      // Formulas").
      m_e.emit(Opcode::Mov, out, m_key.colors & 2 ? m_in.color[1].w() : kZero);
      return;
    }
    if (m_key.rangeFog) {
      distances();
      m_e.emit(Opcode::Mov, toTemp(kScratchTemp, kX), s.y());
    } else {
      m_e.emit(Opcode::Max, toTemp(kScratchTemp, kX), temp(kPosition).z(), -temp(kPosition).z());
    }
    switch (m_key.fog) {
      case FixedVertexKey::kLinear:  // (end - d) / (end - start)
        m_e.emit(Opcode::Mad, out, s.x(), fog.x(), fog.y());
        break;
      case FixedVertexKey::kExp:  // e ^ -(d * density)
        m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kX), s.x(), fog.z());
        m_e.emit(Opcode::Exp, out, -s.x());
        break;
      default:  // e ^ -(d * density) ^ 2
        m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kX), s.x(), fog.w());
        m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kX), s.x(), s.x());
        m_e.emit(Opcode::Exp, out, -s.x());
        break;
    }
  }

  /// Writes the size of points ("Point Sprites"): size * height * sqrt(1 / (A + B * D + C * D * D)), from the
  /// smallest to the largest.
  void points() {
    const FixedTarget out{RegisterType::RasterOut, kRasterPointSize};
    if (m_key.points == FixedVertexKey::kVertexSize) m_e.emit(Opcode::Mov, out, m_in.pointSize.x());
    if (!scales()) return;
    const FixedSource s = temp(kScratchTemp), limits = constant(kFixedPoint);
    distances();
    m_e.emit(Opcode::Dp3, toTemp(kScratchTemp), s, constant(kFixedPointScale));
    m_e.emit(Opcode::Rsq, toTemp(kScratchTemp), s.x());
    m_e.emit(Opcode::Mul, toTemp(kScratchTemp), s,
             m_key.points == FixedVertexKey::kScaled ? limits.x() : m_in.pointSize.x());
    m_e.emit(Opcode::Max, toTemp(kScratchTemp), s, limits.y());
    m_e.emit(Opcode::Min, out, s.x(), limits.z());
  }

  void coordinates() {
    const FixedSource r = temp(kReflected), s = temp(kScratchTemp);
    if (readsReflection()) {
      // R = E - 2 (E . N) N, E from the eye to the vertex.
      m_e.emit(Opcode::Dp3, toTemp(kScratchTemp, kX), temp(kEye), normal());
      m_e.emit(Opcode::Add, toTemp(kScratchTemp, kX), s.x(), s.x());
      m_e.emit(Opcode::Mul, toTemp(kReflected, kXyz), normal(), s.x());
      m_e.emit(Opcode::Add, toTemp(kReflected, kXyz), temp(kEye), -r);
      m_e.emit(Opcode::Mov, toTemp(kReflected, kW), kOne);
    }
    if (reads(FixedCoordinates::kSphere)) {
      // The normal of the point on a sphere that reflects the same way is half way between R and the
      // direction to the eye.
      m_e.emit(Opcode::Mov, toTemp(kScratchTemp, kXyz), r);
      m_e.emit(Opcode::Add, toTemp(kScratchTemp, kZ), s, -kOne);
      m_e.emit(Opcode::Dp3, toTemp(kScratchTemp, kZ), s, s);
      m_e.emit(Opcode::Max, toTemp(kScratchTemp, kZ), s, kTiny);
      m_e.emit(Opcode::Rsq, toTemp(kScratchTemp, kZ), s.z());
      m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kZ), s, kHalf);
      m_e.emit(Opcode::Mul, toTemp(kScratchTemp, kX | kY), s, s.z());
      m_e.emit(Opcode::Add, toTemp(kSphereAt, kX | kY), s, kHalf);
      m_e.emit(Opcode::Mov, toTemp(kSphereAt, kZ | kW), kZeroOne);
    }
    for (uint32_t i = 0; i < kFixedStages; ++i) {
      const FixedCoordinates& c = m_key.coordinates[i];
      if (c.source) stage(i, c);
    }
  }

  FixedSource normal() const { return m_key.normal ? temp(kNormal) : kZero; }

  void stage(uint32_t i, const FixedCoordinates& c) {
    const FixedTarget out{RegisterType::Output, i};
    FixedSource from;
    uint32_t have = 3;  // components that are not 0 without a matrix
    Opcode dot = Opcode::Dp4;
    switch (c.source) {
      case FixedCoordinates::kNormal:
        m_e.emit(Opcode::Mov, toTemp(kScratchTemp), kOne);
        m_e.emit(Opcode::Mov, toTemp(kScratchTemp, kXyz), normal());
        from = temp(kScratchTemp);
        break;
      case FixedCoordinates::kPosition:
        from = temp(kPosition);
        break;
      case FixedCoordinates::kReflection:
        from = temp(kReflected);
        break;
      case FixedCoordinates::kSphere:
        from = temp(kSphereAt);
        have = 2;
        break;
      default:
        if (!c.components) {
          m_e.emit(Opcode::Mov, out, kZero);
          return;
        }
        have = c.components;
        from = m_in.set[c.source - FixedCoordinates::kSet0];
        // "Texture Coordinate Transformations": after the last component follow a 1, then 0s. A component
        // that a vertex lacks reads 0, 0, 1.
        if (c.transform && have == 1) from = from.swizzled(0xAC /* xwzz */);
        if (c.transform && have == 2) from = from.swizzled(0xF4 /* xyww */), dot = Opcode::Dp3;
        break;
    }
    if (c.transform) {
      have = c.transform;
      if (!c.divisor || c.divisor > have) {
        multiply(dot, out, from, constant(kFixedTextureMatrix + 4 * i), have);
      } else {
        multiply(dot, toTemp(kScratchTemp2), from, constant(kFixedTextureMatrix + 4 * i), have);
        m_e.emit(Opcode::Mov, out.masked(first(have) & kXyz), temp(kScratchTemp2));
        from = temp(kScratchTemp2);
      }
    } else {
      m_e.emit(Opcode::Mov, out.masked(c.divisor ? first(have) & kXyz : first(have)), from);
    }
    uint8_t rest = kXyzw & static_cast<uint8_t>(~first(have));
    if (c.divisor) {
      m_e.emit(Opcode::Mov, out.masked(kW), from.component(c.divisor - 1u));
      rest &= kXyz;
    }
    if (rest) m_e.emit(Opcode::Mov, out.masked(rest), kZero);
  }

  static constexpr uint8_t first(uint32_t components) { return static_cast<uint8_t>((1u << components) - 1); }

  const FixedVertexKey& m_key;
  FixedEmitter m_e;
  uint32_t m_inputs = 0;
  struct {
    FixedSource position, position1, normal, normal1, weights, indices, pointSize, color[2],
        set[kFixedStages];
  } m_in;
};

}  // namespace

FixedShader writeFixedVertexShader(const FixedVertexKey& key, uint32_t* tokens, size_t capacity) {
  return VertexGenerator(key, tokens, capacity).run();
}

}  // namespace aerogpu::d3d9
