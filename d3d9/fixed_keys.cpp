// SPDX-License-Identifier: MIT
// Turns states into keys (fixed_function.h) and omits states without effect, so that states which draw alike
// share a shader. Sources: the pages D3DTEXTURESTAGESTATETYPE, D3DTEXTUREOP, D3DTA, D3DTEXTURETRANSFORMFLAGS,
// D3DTSS_TCI, D3DMATERIALCOLORSOURCE, D3DVERTEXBLENDFLAGS and D3DRENDERSTATETYPE of the Direct3D 9 reference;
// where those are silent, the behaviour of Windows drivers: Wine's d3d9 tests (visual.c,
// texture_transform_flags_test).
#include "aerogpu/d3d9/fixed_function.h"
#include "aerogpu/d3d9/states.h"

namespace aerogpu::d3d9 {
namespace {

uint32_t rs(const FixedStates& s, RenderStateType type) {
  return s.render[static_cast<uint32_t>(type)];
}
uint32_t tss(const FixedStates& s, uint32_t stage, TextureStageStateType type) {
  return s.stage[stage][static_cast<uint32_t>(type)];
}

/// Returns the D3DTEXTUREOP; Disable for numbers outside of the enumeration.
TextureOp operation(uint32_t value) {
  return value >= 1 && value <= static_cast<uint32_t>(TextureOp::Lerp) ? static_cast<TextureOp>(value)
                                                                       : TextureOp::Disable;
}

bool isBump(TextureOp op) {
  return op == TextureOp::BumpEnvMap || op == TextureOp::BumpEnvMapLuminance;
}

uint8_t argument(uint32_t value) {
  const uint32_t select = value & kTextureArgMask;
  const uint32_t known = select <= static_cast<uint32_t>(TextureArg::Constant) ? select : uint32_t{1};
  return static_cast<uint8_t>(known | (value & (kTextureArgComplement | kTextureArgReplicate)));
}

constexpr uint8_t kCurrent = static_cast<uint8_t>(TextureArg::Current);

bool isTexture(uint8_t arg) {
  return (arg & kTextureArgMask) == static_cast<uint8_t>(TextureArg::Texture);
}

/// An operation with its arguments, simplified.
struct Operation {
  TextureOp op;
  uint8_t arg[3];

  void select(uint8_t what) {
    op = TextureOp::SelectArg1;
    arg[0] = arg[2] = 0;
    arg[1] = what;
  }
  bool readsTexture() const {
    if (op == TextureOp::BlendTextureAlpha || op == TextureOp::BlendTextureAlphaPm || isBump(op)) return true;
    for (uint32_t i = 0; i < 3; ++i)
      if (argumentsOf(op) >> i & 1 && isTexture(arg[i])) return true;
    return false;
  }
};

Operation simplified(const FixedStates& s, uint32_t stage, bool alpha, bool textured, bool nextTextured) {
  using enum TextureStageStateType;
  Operation o{operation(tss(s, stage, alpha ? AlphaOp : ColorOp)),
              {argument(tss(s, stage, alpha ? AlphaArg0 : ColorArg0)),
               argument(tss(s, stage, alpha ? AlphaArg1 : ColorArg1)),
               argument(tss(s, stage, alpha ? AlphaArg2 : ColorArg2))}};
  if (alpha && isBump(o.op)) o.op = TextureOp::Disable;  // "color operations only"
  if (o.op == TextureOp::Premodulate && !nextTextured) o.op = TextureOp::SelectArg1;
  for (uint32_t i = 0; i < 3; ++i) {
    if (!(argumentsOf(o.op) >> i & 1)) o.arg[i] = 0;
    if (alpha && o.op != TextureOp::DotProduct3)
      o.arg[i] &= static_cast<uint8_t>(~kTextureArgReplicate);  // alpha is selected anyway
  }
  if (o.op == TextureOp::SelectArg2) o.select(o.arg[2]);
  if (!textured) {
    // Without a texture, an operation that reads it passes on the current colour; a missing texture's alpha
    // is 1.
    if (o.op == TextureOp::BlendTextureAlpha || o.op == TextureOp::BlendTextureAlphaPm) o.select(o.arg[1]);
    if (o.readsTexture()) o.select(kCurrent);
  }
  return o;
}

/// Returns the components that a stage's D3DTSS_TEXTURETRANSFORMFLAGS ask for; 0 for no matrix. COUNT1 works
/// as DISABLE does, and so do numbers outside of the enumeration.
uint8_t transformCount(uint32_t flags) {
  const uint32_t count = flags & ~kTextureTransformProjected;
  return count >= 2 && count <= 4 ? static_cast<uint8_t>(count) : uint8_t{0};
}

FixedCoordinates stageCoordinates(const FixedStates& states, uint32_t stage, const FixedVertexInputs& in) {
  FixedCoordinates c;
  const uint32_t index = tss(states, stage, TextureStageStateType::TexCoordIndex);
  const uint32_t flags = tss(states, stage, TextureStageStateType::TextureTransformFlags);
  c.transform = transformCount(flags);
  const uint32_t generated = index >> 16;
  if (generated >= 1 && generated <= static_cast<uint32_t>(TexCoordGen::SphereMap)) {
    c.source = static_cast<uint8_t>(FixedCoordinates::kNormal + generated - 1);
  } else {
    const uint32_t set = index & 0xFFFF;
    c.components = set < kFixedStages ? in.coordinates[set] : uint8_t{0};
    c.source =
        c.components ? static_cast<uint8_t>(FixedCoordinates::kSet0 + set) : uint8_t{FixedCoordinates::kSet0};
    if (!c.components) c.transform = 0;
  }
  // The divisor is the last component: of the result, or of a set that no matrix changes.
  if (flags & kTextureTransformProjected) c.divisor = c.transform ? c.transform : c.components;
  return c;
}

void put(FixedStage& stage, const Operation& color, const Operation& alpha) {
  stage.colorOp = static_cast<uint8_t>(color.op);
  stage.alphaOp = static_cast<uint8_t>(alpha.op);
  for (uint32_t i = 0; i < 3; ++i) {
    stage.colorArg[i] = color.arg[i];
    stage.alphaArg[i] = alpha.arg[i];
  }
}

template <class Key>
uint64_t hashBytes(const Key& key) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&key);
  uint64_t h = 0xCBF29CE484222325u;
  for (size_t i = 0; i < sizeof key; ++i) h = (h ^ bytes[i]) * 0x100000001B3u;
  return h;
}

/// Returns the colour that a D3DRS_xMATERIALSOURCE means: the material's if vertices lack the one it names.
uint8_t materialSource(const FixedStates& s, RenderStateType state, const FixedVertexInputs& in) {
  if (!rs(s, RenderStateType::ColorVertex)) return 0;
  const uint32_t source = rs(s, state);
  if (source == 1 && in.color0) return 1;
  return source == 2 && in.color1 ? 2 : 0;
}

}  // namespace

FixedVertexInputs fixedVertexInputs(const VertexElement* elements, size_t count) {
  FixedVertexInputs in;
  for (size_t i = 0; i < count; ++i) {
    const VertexElement& e = elements[i];
    const DeclTypeInfo* type = findDeclType(static_cast<uint32_t>(e.type));
    if (!type) continue;
    const uint32_t index = e.usageIndex;
    switch (e.usage) {
      case Usage::PositionT:
        in.transformed |= index == 0;
        break;
      case Usage::Position:
        in.position1 |= index == 1;
        break;
      case Usage::Normal:
        in.normal |= index == 0;
        in.normal1 |= index == 1;
        break;
      case Usage::PointSize:
        in.pointSize |= index == 0;
        break;
      case Usage::Color:
        in.color0 |= index == 0;
        in.color1 |= index == 1;
        break;
      case Usage::BlendWeight:
        if (index == 0) in.weights = type->components;
        break;
      case Usage::BlendIndices:
        if (index == 0)
          in.indices = e.type == DeclType::D3dColor ? BlendIndices::Color : BlendIndices::Integers;
        break;
      case Usage::TexCoord:
        if (index < kFixedStages) in.coordinates[index] = type->components;
        break;
      default:
        break;
    }
  }
  return in;
}

FixedPixelKey fixedPixelKey(const FixedStates& states, const FixedVertexInputs* inputs) {
  using enum TextureStageStateType;
  FixedPixelKey key;
  key.specular = rs(states, RenderStateType::SpecularEnable) != 0;
  uint32_t count = 0;
  while (count < kFixedStages && operation(tss(states, count, ColorOp)) != TextureOp::Disable) ++count;
  bool wanted = false;  // the previous stage reads this one's texture
  for (uint32_t i = 0; i < count; ++i) {
    FixedStage& stage = key.stages[i];
    const bool textured = states.textures[i] != SamplerType::Unknown;
    const bool nextTextured = i + 1 < count && states.textures[i + 1] != SamplerType::Unknown;
    const Operation color = simplified(states, i, false, textured, nextTextured);
    Operation alpha = simplified(states, i, true, textured, nextTextured);
    // "D3DTOP_DOTPRODUCT3": the sum goes to all channels, including alpha. A bump map has no result of its
    // own.
    if (color.op == TextureOp::DotProduct3 || isBump(color.op)) alpha = {TextureOp::Disable, {}};
    put(stage, color, alpha);
    stage.temp = !isBump(color.op) &&
                 (tss(states, i, ResultArg) & kTextureArgMask) == static_cast<uint32_t>(TextureArg::Temp);
    const bool next = color.op == TextureOp::Premodulate || alpha.op == TextureOp::Premodulate;
    if (color.readsTexture() || alpha.readsTexture() || wanted) {
      stage.sampler = static_cast<uint8_t>(states.textures[i]);
      const uint32_t flags = tss(states, i, TextureTransformFlags);
      // A direction is not divided.
      if (flags & kTextureTransformProjected && states.textures[i] != SamplerType::TextureCube) {
        if (inputs && !inputs->transformed)
          stage.projection =
              stageCoordinates(states, i, *inputs).divisor ? FixedProjection::ByW : FixedProjection::None;
        else
          stage.projection = transformCount(flags) == 3   ? FixedProjection::ByZ
                             : transformCount(flags) == 2 ? FixedProjection::ByY
                                                          : FixedProjection::ByW;
      }
    }
    wanted = next;
  }
  return key;
}

uint8_t fixedCoordinatesRead(const FixedPixelKey& key) {
  uint8_t read = 0;
  for (uint32_t i = 0; i < kFixedStages; ++i)
    if (key.stages[i].sampler) read |= static_cast<uint8_t>(1u << i);
  return read;
}

bool fixedSpecularRead(const FixedPixelKey& key) {
  constexpr auto kSpecular = static_cast<uint8_t>(TextureArg::Specular);
  if (key.specular) return true;
  for (const FixedStage& stage : key.stages)
    for (uint32_t i = 0; i < 3; ++i)
      if ((stage.colorArg[i] & kTextureArgMask) == kSpecular ||
          (stage.alphaArg[i] & kTextureArgMask) == kSpecular)
        return true;
  return false;
}

FixedVertexKey fixedVertexKey(const FixedStates& states, const FixedVertexInputs& in, uint8_t coordinates,
                              bool specular) {
  using enum RenderStateType;
  FixedVertexKey key;
  const uint32_t blend = rs(states, VertexBlend);
  if (blend == kVertexBlendTweening) {
    if (in.position1) key.tweening = 1;
  } else {
    const bool indexed = rs(states, IndexedVertexBlendEnable) && in.indices != BlendIndices::None;
    if (blend >= 1 && blend <= 3) {
      key.blending = 1;
      key.matrices = static_cast<uint8_t>(blend + 1);
      key.weights = in.weights < blend ? in.weights : static_cast<uint8_t>(blend);
    } else if (blend == kVertexBlend0Weights && indexed) {
      key.blending = 1;
    }
    if (key.blending && indexed) key.indices = static_cast<uint8_t>(in.indices);
  }

  bool readsNormal = false;
  for (uint32_t i = 0; i < kFixedStages; ++i) {
    if (!(coordinates >> i & 1)) continue;
    key.coordinates[i] = stageCoordinates(states, i, in);
    const uint8_t source = key.coordinates[i].source;
    readsNormal |= source == FixedCoordinates::kNormal || source == FixedCoordinates::kReflection ||
                   source == FixedCoordinates::kSphere;
  }

  key.lighting = rs(states, Lighting) != 0;
  if (key.lighting) {
    key.specular = specular && in.normal;
    key.localViewer = key.specular && rs(states, LocalViewer);
    if (key.specular) key.specularSource = materialSource(states, SpecularMaterialSource, in);
    key.diffuseSource = materialSource(states, DiffuseMaterialSource, in);
    key.ambientSource = materialSource(states, AmbientMaterialSource, in);
    key.emissiveSource = materialSource(states, EmissiveMaterialSource, in);
    // Sources 1 and 2 have the values of the bits in `colors` too.
    key.colors = key.diffuseSource | key.ambientSource | key.specularSource | key.emissiveSource;
    readsNormal = true;
  } else {
    key.colors = static_cast<uint8_t>(in.color0 | (specular && in.color1) << 1);
  }
  if (readsNormal && in.normal) {
    key.normal = rs(states, NormalizeNormals) ? 2 : 1;
    if (key.tweening && in.normal1) key.tweening = 2;
  }

  // Table fog, which the driver computes for each pixel, overrides vertex fog.
  if (rs(states, FogEnable) && !rs(states, FogTableMode)) {
    switch (rs(states, FogVertexMode)) {
      case static_cast<uint32_t>(FogMode::Exp):
        key.fog = FixedVertexKey::kExp;
        break;
      case static_cast<uint32_t>(FogMode::Exp2):
        key.fog = FixedVertexKey::kExp2;
        break;
      case static_cast<uint32_t>(FogMode::Linear):
        key.fog = FixedVertexKey::kLinear;
        break;
      default:
        key.fog = FixedVertexKey::kSpecularAlpha;
        if (in.color1) key.colors |= 2;
        break;
    }
    key.rangeFog = key.fog > FixedVertexKey::kSpecularAlpha && rs(states, RangeFogEnable);
  }

  if (rs(states, PointScaleEnable))
    key.points = in.pointSize ? FixedVertexKey::kScaledVertexSize : FixedVertexKey::kScaled;
  else if (in.pointSize)
    key.points = FixedVertexKey::kVertexSize;
  return key;
}

uint64_t hash(const FixedVertexKey& key) {
  return hashBytes(key);
}
uint64_t hash(const FixedPixelKey& key) {
  return hashBytes(key);
}

}  // namespace aerogpu::d3d9
