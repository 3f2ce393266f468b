// SPDX-License-Identifier: MIT
// Random states of the stages after the pixel shader, one pixel each, against a model written from the
// Direct3D 9 pages D3DRENDERSTATETYPE, D3DBLEND, D3DBLENDOP, D3DSTENCILOP, D3DCMPFUNC, "Alpha Testing State",
// "Fog Formulas". AEROGPU_ORACLE_SEED and AEROGPU_ORACLE_COUNT choose other images than the first few.
#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

using Color = std::array<double, 4>;  // RGBA

constexpr uint32_t kSide = 16, kCells = kSide * kSide, kMaxTargets = 4, kStyles = 8;

struct CellVertex {
  float x, y, z;
  uint32_t color;  ///< D3DCOLOR
  float fog;
};

/// A format's channels: levels of R, G, B, A; 0 = alpha is always one.
struct TargetFormat {
  aerogpu_format format;
  uint32_t levels[4];
  bool srgb;  ///< D3DRS_SRGBWRITEENABLE has an effect
};
constexpr TargetFormat kFormats[] = {{AEROGPU_FORMAT_B8G8R8A8_UNORM, {255, 255, 255, 255}, true},
                                     {AEROGPU_FORMAT_R8G8B8A8_UNORM, {255, 255, 255, 255}, true},
                                     {AEROGPU_FORMAT_B8G8R8X8_UNORM, {255, 255, 255, 0}, true},
                                     {AEROGPU_FORMAT_B5G6R5_UNORM, {31, 63, 31, 0}, false},
                                     {AEROGPU_FORMAT_B5G5R5A1_UNORM, {31, 31, 31, 1}, false}};

struct Face {
  uint32_t fail = 1, depthFail = 1, pass = 1, func = 8;
};

/// One pixel's worth of states, by their D3D9 values.
struct Cell {
  Color below, source;  ///< multiples of 1/255
  uint32_t stencil = 0;
  double zBelow = 0, z = 0;
  bool clockwise = true;
  float fogFactor = 0;
  bool blend = false, separate = false;
  uint32_t src = 2, dst = 1, op = 1, srcAlpha = 2, dstAlpha = 1, opAlpha = 1;
  Color factor;
  uint32_t masks[kMaxTargets] = {15, 15, 15, 15};
  bool alphaTest = false;
  uint32_t alphaFunc = 8, alphaRef = 0;
  bool depthTest = false, depthWrite = true;
  uint32_t depthFunc = 4;
  bool stencilTest = false, twoSided = false;
  Face front, back;
  uint32_t stencilRef = 0, stencilMask = 0xFF, stencilWriteMask = 0xFF;
  bool fog = false;
  uint32_t fogMode = 0;
  float fogStart = 0, fogEnd = 1, fogDensity = 1;
  uint32_t fogColor = 0, cull = 1;
  bool scissor = false, insideScissor = true;
};

/// D3DBLEND SRCCOLOR, INVSRCCOLOR, SRCALPHA, INVSRCALPHA, SRCALPHASAT, BOTHSRCALPHA, BOTHINVSRCALPHA.
bool ofTheSource(uint32_t factor) {
  return (factor >= 3 && factor <= 6) || (factor >= 11 && factor <= 13);
}

bool passes(uint32_t func, double a, double b) {
  const bool results[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
  return results[func - 1];
}

uint32_t stencilResult(uint32_t op, uint32_t old, uint32_t ref) {
  switch (op) {
    case 2:
      return 0;
    case 3:
      return ref;
    case 4:
      return std::min(old + 1, 255u);
    case 5:
      return old ? old - 1 : 0;
    case 6:
      return ~old & 0xFF;
    case 7:
      return (old + 1) & 0xFF;
    case 8:
      return (old - 1) & 0xFF;
    default:
      return old;
  }
}

double blendFactorOf(uint32_t f, size_t channel, const Color& s, const Color& d, const Color& constant) {
  switch (f) {
    case 2:
      return 1;
    case 3:
      return s[channel];
    case 4:
      return 1 - s[channel];
    case 5:
      return s[3];
    case 6:
      return 1 - s[3];
    case 7:
      return d[3];
    case 8:
      return 1 - d[3];
    case 9:
      return d[channel];
    case 10:
      return 1 - d[channel];
    case 11:
      return channel == 3 ? 1 : std::min(s[3], 1 - d[3]);
    case 14:
      return constant[channel];
    case 15:
      return 1 - constant[channel];
    default:
      return 0;
  }
}

double blended(uint32_t op, double s, double d, double sf, double df) {
  switch (op) {
    case 1:
      return s * sf + d * df;
    case 2:
      return s * sf - d * df;
    case 3:
      return d * df - s * sf;
    case 4:
      return std::min(s, d);
    default:
      return std::max(s, d);
  }
}

/// Returns the color that the shader below writes to each target.
Color shaderOutput(uint32_t target, const Color& c) {
  switch (target) {
    case 0:
      return c;
    case 1:
      return {c[3], c[2], c[1], c[0]};
    case 2:
      return {1 - c[0], 1 - c[1], 1 - c[2], 1 - c[3]};
    default:
      return {c[0] * c[3], c[1] * c[2], c[2] * c[1], c[3] * c[0]};
  }
}
constexpr const char* kFourColors =
    "ps_2_0\ndef c0, 1, 1, 1, 1\ndcl v0\nmov r0, v0\nmov r1, v0.wzyx\nsub r2, c0, r0\nmul r3, r0, r1\nmov "
    "oC0, r0\n"
    "mov oC1, r1\nmov oC2, r2\nmov oC3, r3\n";

double srgbEncoded(double l) {
  return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
}

/// Returns a value as the format stores it; alpha is one if the format has none.
Color stored(const TargetFormat& f, const Color& c) {
  Color out;
  for (size_t i = 0; i < 4; ++i)
    out[i] = f.levels[i] ? std::round(std::clamp(c[i], 0.0, 1.0) * f.levels[i]) / f.levels[i] : 1;
  return out;
}

struct Expected {
  bool drawn = false;  ///< colours change
  Color color[kMaxTargets];
  uint32_t stencil = 0;
  double z = 0;
};

Expected model(const Cell& c, const TargetFormat* formats, uint32_t targets, bool srgb) {
  Expected e;
  e.stencil = c.stencil;
  e.z = c.zBelow;
  for (uint32_t t = 0; t < targets; ++t) {
    e.color[t] = shaderOutput(t, c.below);
    if (srgb && formats[t].srgb)
      for (size_t i = 0; i < 3; ++i) e.color[t][i] = srgbEncoded(e.color[t][i]);
  }
  if ((c.cull == 2 && c.clockwise) || (c.cull == 3 && !c.clockwise)) return e;
  if (c.scissor && !c.insideScissor) return e;
  if (c.alphaTest && !passes(c.alphaFunc, std::round(c.source[3] * 255), c.alphaRef)) return e;
  const Face& face = c.twoSided && !c.clockwise ? c.back : c.front;
  const bool depthPasses = !c.depthTest || passes(c.depthFunc, c.z, c.zBelow);
  if (c.stencilTest) {
    const bool ok = passes(face.func, c.stencilRef & c.stencilMask, c.stencil & c.stencilMask);
    const uint32_t op = !ok ? face.fail : depthPasses ? face.pass : face.depthFail;
    const uint32_t value = stencilResult(op, c.stencil, c.stencilRef);
    e.stencil = (c.stencil & ~c.stencilWriteMask) | (value & c.stencilWriteMask);
    if (!ok) return e;
  }
  if (!depthPasses) return e;
  if (c.depthTest && c.depthWrite) e.z = c.z;
  e.drawn = true;
  for (uint32_t t = 0; t < targets; ++t) {
    Color s = shaderOutput(t, c.source);
    if (c.fog && t == 0) {
      const double d = c.z * c.fogDensity;
      double f = c.fogMode == 0   ? c.fogFactor
                 : c.fogMode == 1 ? std::exp(-d)
                 : c.fogMode == 2 ? std::exp(-d * d)
                                  : (c.fogEnd - c.z) / (c.fogEnd - c.fogStart);
      f = std::clamp(f, 0.0, 1.0);
      for (size_t i = 0; i < 3; ++i) s[i] = f * s[i] + (1 - f) * (c.fogColor >> (16 - 8 * i) & 0xFF) / 255.0;
    }
    for (double& x : s) x = std::clamp(x, 0.0, 1.0);
    if (srgb && formats[t].srgb)
      for (size_t i = 0; i < 3; ++i) s[i] = srgbEncoded(s[i]);
    const Color d = stored(formats[t], e.color[t]);
    Color out = s;
    if (c.blend) {
      uint32_t src = c.src, dst = c.dst;
      if (src == 12) src = 5, dst = 6;
      if (src == 13) src = 6, dst = 5;
      for (size_t i = 0; i < 4; ++i) {
        const bool own = i == 3 && c.separate;
        const uint32_t sf = own ? c.srcAlpha : src, df = own ? c.dstAlpha : dst;
        out[i] = blended(own ? c.opAlpha : c.op, s[i], d[i], blendFactorOf(sf, i, s, d, c.factor),
                         blendFactorOf(df, i, s, d, c.factor));
      }
    }
    for (size_t i = 0; i < 4; ++i)
      if (c.masks[t] >> i & 1) e.color[t][i] = out[i];
  }
  return e;
}

class OutputOracle : public GpuTest {
protected:
  using Random = std::mt19937;
  static uint32_t below(Random& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }
  static bool chance(Random& random, uint32_t percent) { return below(random, 100) < percent; }

  static Color color(Random& random) {
    Color c;
    for (double& x : c)
      x = chance(random, 15)   ? 0
          : chance(random, 15) ? 1
          : chance(random, 20) ? 128 / 255.0
                               : below(random, 256) / 255.0;
    return c;
  }
  static uint32_t d3dColor(const Color& c) {
    const auto byte = [](double f) { return static_cast<uint32_t>(std::lround(f * 255)); };
    return byte(c[3]) << 24 | byte(c[0]) << 16 | byte(c[1]) << 8 | byte(c[2]);
  }
  static Face face(Random& random) {
    return {1 + below(random, 8), 1 + below(random, 8), 1 + below(random, 8), 1 + below(random, 8)};
  }

  static Cell cell(Random& random, bool srgb) {
    constexpr double kDepths[] = {0, 0.25, 0.3, 0.5, 0.75, 1};
    constexpr uint32_t kSources[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    constexpr uint32_t kOthers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15};
    const auto source = [&] { return kSources[below(random, 15)]; };
    const auto other = [&] { return kOthers[below(random, 12)]; };
    const auto byte = [&] { return chance(random, 30) ? 128 : below(random, 256); };
    Cell c;
    c.below = color(random);
    c.source = color(random);
    c.stencil = chance(random, 40) ? below(random, 2) * 255 : byte();
    c.zBelow = kDepths[below(random, 6)];
    c.z = kDepths[below(random, 6)];
    c.clockwise = chance(random, 50);
    c.fogFactor = static_cast<float>(below(random, 11)) / 8 - 0.125f;
    c.blend = !srgb && chance(random, 75);
    c.separate = chance(random, 50);
    c.src = source();
    c.dst = other();
    c.op = 1 + below(random, 5);
    c.srcAlpha = other();
    c.dstAlpha = other();
    c.opAlpha = 1 + below(random, 5);
    c.factor = color(random);
    for (uint32_t& m : c.masks) m = chance(random, 60) ? 15 : below(random, 16);
    c.alphaTest = chance(random, 30);
    c.alphaFunc = 1 + below(random, 8);
    c.alphaRef = byte();
    if (chance(random, 40)) c.alphaRef = static_cast<uint32_t>(std::lround(c.source[3] * 255));
    c.depthTest = chance(random, 50);
    c.depthWrite = chance(random, 70);
    c.depthFunc = 1 + below(random, 8);
    c.stencilTest = chance(random, 50);
    c.twoSided = chance(random, 50);
    c.front = face(random);
    c.back = face(random);
    c.stencilRef = byte();
    c.stencilMask = chance(random, 60) ? 0xFF : byte();
    c.stencilWriteMask = chance(random, 60) ? 0xFF : byte();
    c.fog = chance(random, 25);
    c.fogMode = below(random, 4);
    c.fogStart = static_cast<float>(below(random, 5)) / 8;
    c.fogEnd = c.fogStart + 0.25f + static_cast<float>(below(random, 5)) / 8;
    c.fogDensity = static_cast<float>(below(random, 9)) / 4;
    c.fogColor = static_cast<uint32_t>(random());
    c.cull = chance(random, 70) ? 1 : 2 + below(random, 2);
    c.scissor = chance(random, 20);
    c.insideScissor = chance(random, 50);
    return c;
  }

  /// Keeps switches and operations, changes numbers.
  static Cell withValues(Cell c, Random& random) {
    const Cell other = cell(random, false);
    c.below = other.below;
    c.source = other.source;
    c.stencil = other.stencil;
    c.zBelow = other.zBelow;
    c.z = other.z;
    c.clockwise = other.clockwise;
    c.fogFactor = other.fogFactor;
    c.factor = other.factor;
    c.alphaRef = other.alphaRef;
    c.stencilRef = other.stencilRef;
    c.stencilMask = other.stencilMask;
    c.stencilWriteMask = other.stencilWriteMask;
    c.fogColor = other.fogColor;
    c.insideScissor = other.insideScissor;
    return c;
  }

  static void addQuad(std::vector<CellVertex>& out, uint32_t cell, double z, const Color& c, float fog,
                      bool clockwise) {
    const auto x = static_cast<float>(cell % kSide), y = static_cast<float>(cell / kSide);
    // Corners half a pixel up and left of the centre, which lies on whole numbers.
    const auto corner = [&](float dx, float dy) {
      return CellVertex{(x - 0.5f + dx) / (kSide / 2.0f) - 1, 1 - (y - 0.5f + dy) / (kSide / 2.0f),
                        static_cast<float>(z), d3dColor(c), fog};
    };
    const CellVertex a = corner(0, 0), b = corner(1, 0), l = corner(0, 1), r = corner(1, 1);
    if (clockwise)
      out.insert(out.end(), {a, b, l, l, b, r});
    else
      out.insert(out.end(), {a, l, b, l, r, b});
  }

  void plainStates(CommandWriter& w) {
    for (const uint32_t off : {kAlphaBlendEnable, kSeparateAlphaBlendEnable, kAlphaTestEnable, kFogEnable,
                               kScissorTestEnable, kTwoSidedStencilMode})
      renderState(w, off, 0u);
    for (const uint32_t on : {kZEnable, kZWriteEnable, kStencilEnable, kCullMode}) renderState(w, on, 1u);
    renderState(w, kZFunc, 8u);
    renderState(w, kStencilFunc, 8u);
    renderState(w, kStencilPass, 3u);
    renderState(w, kStencilMask, 0xFFu);
    renderState(w, kStencilWriteMask, 0xFFu);
    renderState(w, kColorWriteEnable, 15u);
    for (uint32_t i = 0; i < 3; ++i) renderState(w, kColorWriteEnable1 + i, 15u);
  }

  void states(CommandWriter& w, const Cell& c, uint32_t n) {
    renderState(w, kAlphaBlendEnable, uint32_t{c.blend});
    renderState(w, kSeparateAlphaBlendEnable, uint32_t{c.separate});
    renderState(w, kSrcBlend, c.src);
    renderState(w, kDestBlend, c.dst);
    renderState(w, kBlendOp, c.op);
    renderState(w, kSrcBlendAlpha, c.srcAlpha);
    renderState(w, kDestBlendAlpha, c.dstAlpha);
    renderState(w, kBlendOpAlpha, c.opAlpha);
    renderState(w, kBlendFactor, d3dColor(c.factor));
    renderState(w, kColorWriteEnable, c.masks[0]);
    for (uint32_t i = 1; i < kMaxTargets; ++i) renderState(w, kColorWriteEnable1 + i - 1, c.masks[i]);
    renderState(w, kAlphaTestEnable, uint32_t{c.alphaTest});
    renderState(w, kAlphaFunc, c.alphaFunc);
    renderState(w, kAlphaRef, c.alphaRef);
    renderState(w, kZEnable, uint32_t{c.depthTest});
    renderState(w, kZWriteEnable, uint32_t{c.depthWrite});
    renderState(w, kZFunc, c.depthFunc);
    renderState(w, kStencilEnable, uint32_t{c.stencilTest});
    renderState(w, kTwoSidedStencilMode, uint32_t{c.twoSided});
    renderState(w, kStencilFail, c.front.fail);
    renderState(w, kStencilZFail, c.front.depthFail);
    renderState(w, kStencilPass, c.front.pass);
    renderState(w, kStencilFunc, c.front.func);
    renderState(w, kCcwStencilFail, c.back.fail);
    renderState(w, kCcwStencilZFail, c.back.depthFail);
    renderState(w, kCcwStencilPass, c.back.pass);
    renderState(w, kCcwStencilFunc, c.back.func);
    renderState(w, kStencilRef, c.stencilRef);
    renderState(w, kStencilMask, c.stencilMask);
    renderState(w, kStencilWriteMask, c.stencilWriteMask);
    renderState(w, kFogEnable, uint32_t{c.fog});
    renderState(w, kFogTableMode, c.fogMode);
    renderState(w, kFogStart, c.fogStart);
    renderState(w, kFogEnd, c.fogEnd);
    renderState(w, kFogDensity, c.fogDensity);
    renderState(w, kFogColor, c.fogColor);
    renderState(w, kCullMode, c.cull);
    renderState(w, kScissorTestEnable, uint32_t{c.scissor});
    const auto x = static_cast<int32_t>(n % kSide), y = static_cast<int32_t>(n / kSide);
    if (c.insideScissor)
      scissor(w, x, y, 1, 1);
    else
      scissor(w, x + 1, y, 2, 1);
  }

  static std::string text(const Cell& c) {
    std::ostringstream s;
    const auto rgba = [&](const char* name, const Color& k) {
      s << name << " " << k[0] * 255 << "," << k[1] * 255 << "," << k[2] * 255 << "," << k[3] * 255 << " ";
    };
    rgba("below", c.below);
    rgba("source", c.source);
    rgba("factor", c.factor);
    s << "\nblend " << c.blend << " separate " << c.separate << ": " << c.src << " " << c.dst << " op "
      << c.op << ", " << c.srcAlpha << " " << c.dstAlpha << " op " << c.opAlpha << "; alpha test "
      << c.alphaTest << " " << c.alphaFunc << " " << c.alphaRef << "; depth " << c.depthTest << " "
      << c.depthFunc << " write " << c.depthWrite << " " << c.z << " over " << c.zBelow << "; stencil "
      << c.stencilTest << " of " << c.stencil << " ref " << c.stencilRef << " masks " << c.stencilMask << " "
      << c.stencilWriteMask << " two sides " << c.twoSided << " clockwise " << c.clockwise << " front "
      << c.front.fail << c.front.depthFail << c.front.pass << c.front.func << " back " << c.back.fail
      << c.back.depthFail << c.back.pass << c.back.func << "; fog " << c.fog << " " << c.fogMode << " "
      << c.fogFactor << " " << c.fogStart << " " << c.fogEnd << " " << c.fogDensity << " " << std::hex
      << c.fogColor << "; cull " << c.cull << "; scissor " << c.scissor << c.insideScissor << "; masks "
      << c.masks[0] << c.masks[1] << c.masks[2] << c.masks[3];
    return s.str();
  }

  static Color unpack(const TargetFormat& f, const uint8_t* bytes) {
    uint32_t word = 0;
    const bool small = f.levels[0] == 31;
    std::memcpy(&word, bytes, small ? 2 : 4);
    const auto field = [&](uint32_t shift, uint32_t levels) {
      return static_cast<double>(word >> shift & levels);
    };
    if (f.format == AEROGPU_FORMAT_B5G6R5_UNORM) return {field(11, 31), field(5, 63), field(0, 31), 0};
    if (f.format == AEROGPU_FORMAT_B5G5R5A1_UNORM)
      return {field(10, 31), field(5, 31), field(0, 31), field(15, 1)};
    if (f.format == AEROGPU_FORMAT_R8G8B8A8_UNORM)
      return {field(0, 255), field(8, 255), field(16, 255), field(24, 255)};
    return {field(16, 255), field(8, 255), field(0, 255), field(24, 255)};
  }

  void image(uint32_t seed) {
    Random random(seed);
    const bool srgb = chance(random, 25);
    const uint32_t targets = 1 + below(random, kMaxTargets);
    TargetFormat formats[kMaxTargets];
    uint32_t handles[kMaxTargets];
    CommandWriter w;
    for (uint32_t t = 0; t < targets; ++t) {
      formats[t] = kFormats[deviceIsBare() ? below(random, 3) : below(random, std::size(kFormats))];
      handles[t] = texture(w, formats[t].format, kSide, kSide);
    }
    const uint32_t depth = texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide, 1, 1,
                                   AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
    std::vector<Cell> cells;
    std::vector<CellVertex> vertices;
    // Software rasterisers compile code for each combination of states: so a few of them, each with many
    // values.
    std::vector<Cell> styles;
    for (uint32_t n = 0; n < kStyles; ++n) styles.push_back(cell(random, srgb));
    for (uint32_t n = 0; n < kCells; ++n) cells.push_back(withValues(styles[n % kStyles], random));
    for (uint32_t n = 0; n < kCells; ++n) addQuad(vertices, n, cells[n].zBelow, cells[n].below, 0, true);
    for (uint32_t n = 0; n < kCells; ++n)
      addQuad(vertices, n, cells[n].z, cells[n].source, cells[n].fogFactor, cells[n].clockwise);
    packets::setTargets(w, std::span(handles, targets), depth);
    viewport(w, 0, 0, kSide, kSide);
    layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}, {0, 16, 0, 0, 5, 0}});
    bindShaders(w,
                shader(w,
                       "vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nmov oPos, v0\nmov oD0, v1\n"
                       "mov oFog, v2.x\n"),
                shader(w, kFourColors));
    stream(w, 0, vertexBuffer(w, vertices), sizeof(CellVertex));
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    renderState(w, kSrgbWriteEnable, uint32_t{srgb});
    plainStates(w);
    for (uint32_t n = 0; n < kCells; ++n) {
      renderState(w, kStencilRef, cells[n].stencil);
      draw(w, 6, 1, n * 6);
    }
    for (uint32_t n = 0; n < kCells; ++n) {
      states(w, cells[n], n);
      draw(w, 6, 1, (kCells + n) * 6);
    }
    run(w);
    compareImage(seed, cells, formats, handles, targets, depth, srgb);
    for (uint32_t t = 0; t < targets; ++t) packets::destroyResource(w, handles[t]);
    packets::destroyResource(w, depth);
    run(w);
  }

  void compareImage(uint32_t seed, const std::vector<Cell>& cells, const TargetFormat* formats,
                    const uint32_t* handles, uint32_t targets, uint32_t depth, bool srgb) {
    std::vector<Expected> expected;
    for (const Cell& c : cells) expected.push_back(model(c, formats, targets, srgb));
    const auto where = [&](uint32_t n) {
      return "image " + std::to_string(seed) + " cell " + std::to_string(n) + ", drawn " +
             std::to_string(expected[n].drawn) + "\n" + text(cells[n]);
    };
    for (uint32_t t = 0; t < targets; ++t) {
      const Bytes got = read(handles[t], formats[t].format, kSide, kSide);
      const size_t bytes = formats[t].levels[0] == 31 ? 2 : 4;
      ASSERT_GE(got.size(), kCells * bytes);
      for (uint32_t n = 0; n < kCells && !HasFailure(); ++n) {
        const Color value = unpack(formats[t], got.data() + n * bytes);
        for (size_t i = 0; i < 4; ++i) {
          const uint32_t levels = formats[t].levels[i];
          if (!levels) continue;
          // One step for two products in eight bits, one more if the pixel below is a rounded product or has
          // fewer bits; a single bit is right unless it is on the edge.
          const Cell& c = cells[n];
          const bool twice = c.blend && ofTheSource(i == 3 && c.separate ? c.srcAlpha : c.src);
          // Blending need not be finer than the target (Vulkan 1.3, "Blend Operations"): the source that fog
          // has mixed is rounded too, by half a step, which a factor may double.
          const double source = twice ? 1 : c.blend && c.fog ? 0.5 : 0;
          const double allowed = levels == 1 ? 0.51 : (t == 3 || bytes == 2 ? 2.01 : 1.01) + source;
          EXPECT_NEAR(value[i], std::clamp(expected[n].color[t][i], 0.0, 1.0) * levels, allowed)
              << "target " << t << " format " << formats[t].format << " channel " << i << " of " << where(n);
        }
      }
    }
    const Bytes ds = read(depth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide);
    ASSERT_GE(ds.size(), size_t{kCells} * 4);
    for (uint32_t n = 0; n < kCells && !HasFailure(); ++n) {
      uint32_t word;
      std::memcpy(&word, ds.data() + size_t{n} * 4, 4);
      EXPECT_EQ(word >> 24, expected[n].stencil) << "stencil of " << where(n);
      EXPECT_NEAR(static_cast<double>(word & 0xFFFFFF) / 0xFFFFFF, expected[n].z, 1e-6)
          << "depth of " << where(n);
    }
  }
};

TEST_F(OutputOracle, RandomStates) {
  forSeeds(3, [&](uint32_t seed) { image(seed); });
}

}  // namespace
}  // namespace aerogpu::test
