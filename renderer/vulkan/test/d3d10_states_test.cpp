// SPDX-License-Identifier: MIT
// Direct3D 10's fixed state (docs/abi/d3d10-states.md) against the formulas of the Direct3D 11.3 functional
// specification: 17.6 (blending), 7.18 (samplers), 15.10 (depth bias).
#include "aerogpu/aerogpu_cmd_d3d10_states.h"
#include "renderer/vulkan/test/dxgi_fixture.h"

namespace aerogpu::test {
namespace {

using namespace dxbc;

// D3D10_BLEND, D3D10_BLEND_OP.
constexpr uint8_t kZero = 1, kOne = 2, kSrcColor = 3, kInvSrcColor = 4, kSrcAlpha = 5, kInvSrcAlpha = 6,
                  kDestAlpha = 7, kInvDestAlpha = 8, kDestColor = 9, kInvDestColor = 10, kSrcAlphaSat = 11,
                  kFactor = 14, kInvFactor = 15, kSrc1Color = 16, kInvSrc1Color = 17, kSrc1Alpha = 18,
                  kInvSrc1Alpha = 19;
constexpr uint8_t kOpAdd = 1, kSubtract = 2, kRevSubtract = 3, kMin = 4, kMax = 5;
constexpr uint8_t kFactors[] = {kZero,        kOne,         kSrcColor,     kInvSrcColor, kSrcAlpha,
                                kInvSrcAlpha, kDestAlpha,   kInvDestAlpha, kDestColor,   kInvDestColor,
                                kSrcAlphaSat, kFactor,      kInvFactor,    kSrc1Color,   kInvSrc1Color,
                                kSrc1Alpha,   kInvSrc1Alpha};

constexpr Color kSource{0.25, 0.5, 0.75, 0.375}, kSecond{0.5, 0.125, 0.875, 0.625},
    kDest{0.75, 0.25, 0.125, 0.5}, kConstant{0.125, 0.625, 0.375, 0.25};

/// Returns component `c` of a factor.
double factorOf(uint8_t factor, size_t c) {
  switch (factor) {
    case kZero:
      return 0;
    case kOne:
      return 1;
    case kSrcColor:
      return kSource[c];
    case kInvSrcColor:
      return 1 - kSource[c];
    case kSrcAlpha:
      return kSource[3];
    case kInvSrcAlpha:
      return 1 - kSource[3];
    case kDestAlpha:
      return kDest[3];
    case kInvDestAlpha:
      return 1 - kDest[3];
    case kDestColor:
      return kDest[c];
    case kInvDestColor:
      return 1 - kDest[c];
    case kSrcAlphaSat:
      return c == 3 ? 1 : std::min(kSource[3], 1 - kDest[3]);
    case kFactor:
      return kConstant[c];
    case kInvFactor:
      return 1 - kConstant[c];
    case kSrc1Color:
      return kSecond[c];
    case kInvSrc1Color:
      return 1 - kSecond[c];
    case kSrc1Alpha:
      return kSecond[3];
    default:
      return 1 - kSecond[3];
  }
}

double blended(const aerogpu_ext_target_blend& b, size_t c) {
  if (!(b.write_mask >> c & 1)) return kDest[c];
  if (!b.enable) return kSource[c];
  const double s = kSource[c], d = kDest[c], sf = factorOf(c == 3 ? b.src_alpha : b.src, c),
               df = factorOf(c == 3 ? b.dst_alpha : b.dst, c);
  switch (c == 3 ? b.op_alpha : b.op) {
    case kOpAdd:
      return s * sf + d * df;
    case kSubtract:
      return s * sf - d * df;
    case kRevSubtract:
      return d * df - s * sf;
    case kMin:
      return std::min(s, d);
    default:
      return std::max(s, d);
  }
}

class D3d10StatesTest : public DxgiTest {
protected:
  static constexpr auto kFormat = AEROGPU_FORMAT_DXGI_R32G32B32A32_FLOAT;

  void SetUp() override {
    DxgiTest::SetUp();
    m_flags = capsFlags();
    if (!(m_flags & AEROGPU_CAPS_D3D10_STATES)) GTEST_SKIP() << "the GPU lacks Direct3D 10's states";
  }
  static void setBlend(CommandWriter& w, const std::vector<aerogpu_ext_target_blend>& targets,
                       uint32_t flags = 0, uint32_t mask = ~0u) {
    aerogpu_cmd_ext_set_blend c{};
    c.flags = flags;
    c.sample_mask = mask;
    for (size_t i = 0; i < 4; ++i)
      c.blend_constant_rgba_f32[i] = std::bit_cast<uint32_t>(static_cast<float>(kConstant[i]));
    w.packet(c, targets.data(), targets.size());
  }
  static aerogpu_ext_sampler plainSampler() {
    aerogpu_ext_sampler s{};
    s.address_u = s.address_v = s.address_w = 3;
    s.max_lod_f32 = std::bit_cast<uint32_t>(1000.0f);
    return s;
  }
  static void setSampler(CommandWriter& w, const aerogpu_ext_sampler& sampler) {
    aerogpu_cmd_ext_set_samplers c{};
    c.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    w.packet(c, &sampler, 1);
  }
  /// Writes kSource to each of the first `targets`, or with `second` kSecond to o1.
  static TokenShader sourcePixels(uint32_t targets, bool second = false) {
    Tokens t;
    Entries outputs;
    for (uint32_t i = 0; i < targets; ++i) {
      op(t, 0x65, {dst(kOutput, i, 15)});
      outputs.push_back({0, i, 15});
    }
    for (uint32_t i = 0; i < targets; ++i) {
      Tokens values = {0x4002};
      for (const double c : second&& i == 1 ? kSecond : kSource)
        values.push_back(std::bit_cast<uint32_t>(static_cast<float>(c)));
      op(t, kMov, {dst(kOutput, i, 15), values});
    }
    op(t, kRet, {});
    return {program(kPs40, t), {{1, 0, 15}}, outputs, {}};
  }
  uint32_t destTexture(CommandWriter& w, aerogpu_format format = kFormat) {
    const uint32_t t = texture(w, format, kSide, kSide);
    fill(w, t,
         {static_cast<float>(kDest[0]), static_cast<float>(kDest[1]), static_cast<float>(kDest[2]),
          static_cast<float>(kDest[3])});
    return t;
  }
  Color texel(uint32_t t) {
    const Bytes bytes = read(t, kFormat, kSide, kSide);
    std::array<float, 4> values;
    std::memcpy(values.data(), bytes.data(), sizeof values);
    return {values[0], values[1], values[2], values[3]};
  }
  void expectBlended(uint32_t t, const aerogpu_ext_target_blend& b, const std::string& what) {
    const Color got = texel(t);
    for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(got[c], blended(b, c), 1e-5) << what << " channel " << c;
  }
  /// Draws what a sample instruction gives: sample with the coordinates (u, v), or sample_c_lz with
  /// `reference`.
  Color sampled(CommandWriter& w, uint32_t t, const aerogpu_ext_sampler& sampler, float u, float v,
                std::optional<float> level = {}, std::optional<float> reference = {}) {
    Tokens tokens;
    op(tokens, 0x5A | (reference ? 1u << 11 : 0), {handle(kSampler, 0)});
    op(tokens, 0x58 | kTexture2d << 11, {handle(kResource, 0), {0x5555}});
    op(tokens, 0x65, {dst(kOutput, 0, 15)});
    const auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
    const Tokens at = {0x4002, bits(u), bits(v), 0, 0};
    if (reference) {
      op(tokens, kMov, {dst(kOutput, 0, 15), {0x4002, 0, 0, 0, 0}});
      op(tokens, 0x47,  // sample_c_lz
         {dst(kOutput, 0, 1), at, src(kResource, 0, 0), handle(kSampler, 0), immediate(bits(*reference))});
    } else {
      op(tokens, 0x48,  // sample_l
         {dst(kOutput, 0, 15), at, src(kResource, 0), handle(kSampler, 0),
          immediate(bits(level.value_or(0)))});
    }
    op(tokens, kRet, {});
    const uint32_t out = texture(w, kFormat, kSide, kSide);
    target(w, out);
    setTexture(w, 0, t);
    setSampler(w, sampler);
    cover(w, {program(kPs40, tokens), {{1, 0, 15}}, {{0, 0, 15}}, {}});
    run(w);
    return texel(out);
  }
  uint32_t m_flags = 0;
};

// DXS-2, DXS-3, DXS-4: all factors as either factor of colour and of alpha; those of a second colour take o1.
TEST_F(D3d10StatesTest, EveryFactorAndOperation) {
  if (!can(kFormat, AEROGPU_FORMAT_CAP_BLEND)) GTEST_SKIP();
  CommandWriter w;
  const uint32_t t = destTexture(w);
  target(w, t);
  uint32_t number = 0;
  for (const uint8_t a : kFactors) {
    const uint8_t b = kFactors[(number * 5 + 3) % std::size(kFactors)];
    const auto op = static_cast<uint8_t>(1 + number % 3);
    ++number;
    const aerogpu_ext_target_blend blend{1, a, b, op, b, a, static_cast<uint8_t>(1 + number % 3), 15};
    fill(w, t, {0.75f, 0.25f, 0.125f, 0.5f});
    setBlend(w, {blend});
    cover(w, sourcePixels(2, true));
    run(w);
    expectBlended(t, blend, "factors " + std::to_string(a) + " and " + std::to_string(b));
  }
  for (const uint8_t op : {kMin, kMax}) {
    const aerogpu_ext_target_blend blend{1, kSrc1Color, kZero, op, kOne, kOne, op, 15};
    fill(w, t, {0.75f, 0.25f, 0.125f, 0.5f});
    setBlend(w, {blend});
    cover(w, sourcePixels(2, true));
    run(w);
    expectBlended(t, blend, "operation " + std::to_string(op));
  }
}

// DXS-1, DXS-3: each target has its own switch, function and mask; those beyond the last are as that is.
TEST_F(D3d10StatesTest, TargetsBlendEachInItsWay) {
  if (!can(kFormat, AEROGPU_FORMAT_CAP_BLEND)) GTEST_SKIP();
  const std::vector<aerogpu_ext_target_blend> blends = {
      {1, kOne, kOne, kOpAdd, kZero, kOne, kOpAdd, 15},
      {0, kOne, kZero, kOpAdd, kOne, kZero, kOpAdd, 5},
      {1, kSrcAlpha, kInvSrcAlpha, kRevSubtract, kOne, kOne, kSubtract, 11}};
  constexpr uint32_t kCount = 4;
  CommandWriter w;
  std::vector<uint32_t> targets;
  for (uint32_t i = 0; i < kCount; ++i) targets.push_back(destTexture(w));
  packets::setTargets(w, targets, 0);
  setBlend(w, blends);
  cover(w, sourcePixels(kCount));
  run(w);
  for (uint32_t i = 0; i < kCount; ++i)
    expectBlended(targets[i], blends[std::min<size_t>(i, blends.size() - 1)], "target " + std::to_string(i));
  // DXS-5: a render state of Direct3D 9 makes all targets alike.
  for (const uint32_t t : targets) fill(w, t, {0.75f, 0.25f, 0.125f, 0.5f});
  renderState(w, 20u, 1u);  // D3DRS_DESTBLEND, zero
  cover(w, sourcePixels(kCount));
  run(w);
  aerogpu_ext_target_blend alike = blends[0];
  alike.dst = kZero;
  for (uint32_t i = 0; i < kCount; ++i) {
    alike.write_mask = blends[std::min<size_t>(i, blends.size() - 1)].write_mask;
    expectBlended(targets[i], alike, "alike, target " + std::to_string(i));
  }
}

// DXS-4: a second colour goes with one target.
TEST_F(D3d10StatesTest, ASecondColorAndTwoTargetsAreRefused) {
  CommandWriter w;
  const std::array<uint32_t, 2> targets = {destTexture(w), destTexture(w)};
  packets::setTargets(w, targets, 0);
  setBlend(w, {{1, kOne, kSrc1Alpha, kOpAdd, kOne, kOne, kOpAdd, 15}});
  run(w);
  cover(w, sourcePixels(2, true));
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND});
  gpu().takeErrorLines();
}

// DXS-3: Direct3D 10's coverage counts with its shaders, and only in targets of several samples.
TEST_F(D3d10StatesTest, AlphaToCoverageAndSampleMask) {
  if (!(entryOf(AEROGPU_FORMAT_R8G8B8A8_UNORM).samples & 4)) GTEST_SKIP();
  CommandWriter w;
  const uint32_t many =
      create(w, AEROGPU_EXT_TEXTURE_2D, AEROGPU_FORMAT_R8G8B8A8_UNORM, kSide, kSide, 1, 1, 4);
  const uint32_t one = texture(w, AEROGPU_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  const auto redOf = [&](uint32_t flags, uint32_t mask, double alpha) {
    fill(w, many, {0, 0, 0, 0});
    target(w, many);
    const aerogpu_ext_target_blend off{0, kOne, kZero, kOpAdd, kOne, kZero, kOpAdd, 15};
    setBlend(w, {off}, flags, mask);
    cover(w, constantPixels(Numbers::Float, {1, 1, 1, alpha}));
    aerogpu_cmd_ext_blit c{};
    c.dst_texture = one;
    c.src_texture = many;
    c.rect_count = 1;
    const aerogpu_ext_blit_rect rect{{0, 0, kSide, kSide}, {0, 0, kSide, kSide}};
    w.packet(c, &rect, 1);
    run(w);
    return pixel(read(one, AEROGPU_FORMAT_R8G8B8A8_UNORM, kSide, kSide), kSide, 4, 4)[0];
  };
  EXPECT_EQ(redOf(0, ~0u, 0), 255);
  EXPECT_EQ(redOf(AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE, ~0u, 0), 0);
  EXPECT_EQ(redOf(AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE, ~0u, 1), 255);
  EXPECT_NEAR(redOf(0, 5, 0), 128, 1) << "two of four samples";
}

// DXS-6, DXS-7: levels are clamped as floats, the least one before the last one.
TEST_F(D3d10StatesTest, LevelsAreFloats) {
  constexpr uint32_t kLevels = 4;
  CommandWriter w;
  const uint32_t t = texture(w, kFormat, 8, 8, kLevels);
  uint32_t offset = 0;
  for (uint32_t level = 0; level < kLevels; ++level) {
    const uint32_t side = 8 >> level;
    std::vector<std::array<float, 4>> texels(size_t{side} * side, {static_cast<float>(level), 0, 0, 1});
    packets::upload(w, t, offset, {reinterpret_cast<const uint8_t*>(texels.data()), texels.size() * 16});
    offset += static_cast<uint32_t>(texels.size() * 16);
  }
  run(w);
  const bool filters = can(kFormat, AEROGPU_FORMAT_CAP_FILTER);
  const struct {
    float bias, least, most, level, want;
  } cases[] = {{0, 0, 1000, 1.25f, 1.25f}, {0, 1.5f, 1000, 0, 1.5f},    {0, 0, 0.75f, 3, 0.75f},
               {0.5f, 0, 1000, 1, 1.5f},   {-0.75f, 0, 1000, 2, 1.25f}, {0, 2.5f, 1, 0, 2.5f},
               {0, -5, 1000, 0, 0},        {0, 0.25f, 0.25f, 2, 0.25f}};
  for (const auto& c : cases) {
    aerogpu_ext_sampler s = plainSampler();
    if (filters) s.filter = AEROGPU_EXT_SAMPLER_MIP_LINEAR;
    s.mip_lod_bias_f32 = std::bit_cast<uint32_t>(c.bias);
    s.min_lod_f32 = std::bit_cast<uint32_t>(c.least);
    s.max_lod_f32 = std::bit_cast<uint32_t>(c.most);
    // The nearest level is that of the rounded number, a half either way.
    const double want = filters ? c.want : std::round(c.want);
    if (!filters && c.want - std::floor(c.want) == 0.5f) continue;
    EXPECT_NEAR(sampled(w, t, s, 0.5f, 0.5f, c.level)[0], want, 1.0 / 128)
        << c.bias << " " << c.least << " " << c.most << " at " << c.level;
  }
}

// DXS-7: a border has four floats; three filters count each by itself.
TEST_F(D3d10StatesTest, BorderColors) {
  CommandWriter w;
  const uint32_t t = texture(w, kFormat, 4, 4);
  fill(w, t, {0.5f, 0.5f, 0.5f, 0.5f});
  aerogpu_ext_sampler s = plainSampler();
  s.address_u = 4;
  const std::array<float, 4> border = {-3.5f, 1.0f / 3, 100, 0.7f};
  for (size_t i = 0; i < 4; ++i) s.border_color_rgba_f32[i] = std::bit_cast<uint32_t>(border[i]);
  const Color outside = sampled(w, t, s, 1.5f, 0.5f), inside = sampled(w, t, s, 0.5f, 0.5f);
  EXPECT_EQ(inside[0], 0.5);
  for (size_t i = 0; i < 4 && (m_flags & AEROGPU_CAPS_BORDER_COLORS); ++i)
    EXPECT_EQ(outside[i], double{border[i]}) << i;
}

// DXS-8: the result is 1 where `reference` compares so with the texel, and 0 elsewhere; filtered it is a
// mean.
TEST_F(D3d10StatesTest, ComparisonsByTheirFunction) {
  constexpr auto kDepth = AEROGPU_FORMAT_DXGI_D32_FLOAT;
  if (!can(kDepth, AEROGPU_FORMAT_CAP_SAMPLE) || !can(AEROGPU_FORMAT_D32_FLOAT, AEROGPU_FORMAT_CAP_COMPARE))
    GTEST_SKIP();
  CommandWriter w;
  const uint32_t t =
      texture(w, kDepth, 2, 2, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  const float depths[] = {0.25f, 0.75f, 0.25f, 0.75f};
  packets::upload(w, t, 0, {reinterpret_cast<const uint8_t*>(depths), sizeof depths});
  const uint32_t v = view(w, t, AEROGPU_FORMAT_DXGI_R32_FLOAT);
  run(w);
  const auto compare = [](uint32_t function, float a, float b) {
    const bool results[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
    return results[function - 1];
  };
  for (uint32_t function = 1; function <= 8; ++function)
    for (const float reference : {0.25f, 0.5f, 0.75f})
      for (const float u : {0.25f, 0.75f}) {
        aerogpu_ext_sampler s = plainSampler();
        s.compare_func = static_cast<uint8_t>(function);
        EXPECT_EQ(sampled(w, v, s, u, 0.25f, {}, reference)[0],
                  compare(function, reference, u < 0.5f ? 0.25f : 0.75f) ? 1 : 0)
            << "function " << function << " of " << reference << " at " << u;
      }
  aerogpu_ext_sampler s = plainSampler();
  s.filter = AEROGPU_EXT_SAMPLER_MIN_LINEAR | AEROGPU_EXT_SAMPLER_MAG_LINEAR;
  s.compare_func = 2;
  EXPECT_NEAR(sampled(w, v, s, 0.375f, 0.5f, {}, 0.5f)[0], 0.25, 1.0 / 128)
      << "a quarter of the weight is of the texel that is greater";
}

// DXS-9: slope and clamp of the bias, in depth.
TEST_F(D3d10StatesTest, ADepthBiasIsClamped) {
  constexpr auto kDepth = AEROGPU_FORMAT_DXGI_D32_FLOAT;
  CommandWriter w;
  const uint32_t color = texture(w, kFormat, kSide, kSide);
  const uint32_t depth = texture(w, kDepth, kSide, kSide, 1, 1,
                                 AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  const uint32_t v = gpu().handle(), p = gpu().handle(), l = gpu().handle();
  createShader(w, v, AEROGPU_SHADER_STAGE_VERTEX, vertexTokens());
  createShader(w, p, AEROGPU_SHADER_STAGE_PIXEL, pixelTokens());
  createLayout(w, l, {{0, 0, 6, 0, 0, 0}, {1, 0, 6, 0, 0, 0}});
  using Position = std::array<float, 3>;
  // Depth is 0.25 + x / 4 over the target: a slope of 0.25 / kSide.
  const uint32_t vertices = vertexBuffer<Position>(w, {{-1, 3, 0.25f}, {3, -1, 0.75f}, {-1, -1, 0.25f}});
  const auto depthAt = [&](float slope, float clamp) {
    target(w, color, depth);
    Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 1);
    bindShaders(w, v, p);
    w.packet(aerogpu_cmd_set_input_layout{{}, l, 0});
    states(w);
    renderState(w, kZEnable, 1u);
    renderState(w, kZFunc, 8u);
    w.packet(
        aerogpu_cmd_ext_set_depth_bias{{}, std::bit_cast<uint32_t>(slope), std::bit_cast<uint32_t>(clamp)});
    stream(w, 0, vertices, sizeof(Position));
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    draw(w, 3);
    run(w);
    const Bytes bytes = read(depth, kDepth, kSide, kSide);
    float value;
    std::memcpy(&value, bytes.data() + size_t{kSide} * 4 * 3 + 8 * 4, 4);
    return double{value};
  };
  const double plain = 0.25 + (8 + 0.5) / kSide * 0.25, slope = 0.25 / kSide;
  EXPECT_NEAR(depthAt(0, 0), plain, 1e-5);
  EXPECT_NEAR(depthAt(4, 0), plain + 4 * slope, 1e-5);
  EXPECT_NEAR(depthAt(4, 0.03125f), plain + 0.03125, 1e-5);
  EXPECT_NEAR(depthAt(-4, 0.03125f), plain - 4 * slope, 1e-5) << "a positive clamp is the most";
  EXPECT_NEAR(depthAt(-4, -0.03125f), plain - 0.03125, 1e-5);
  EXPECT_NEAR(depthAt(1, 0.5f), plain + slope, 1e-5) << "within the clamp";
}

// DXS-2, DXS-6: what Direct3D 10 lacks is CMD_DECODE, and nothing changes.
TEST_F(D3d10StatesTest, UnknownEnumeratorsAreRefused) {
  CommandWriter w;
  const aerogpu_ext_target_blend good{1, kOne, kZero, kOpAdd, kOne, kZero, kOpAdd, 15};
  for (const uint8_t bad : {0, 12, 13, 20, 255})
    for (int field = 0; field < 4; ++field) {
      aerogpu_ext_target_blend b = good;
      (field == 0 ? b.src : field == 1 ? b.dst : field == 2 ? b.src_alpha : b.dst_alpha) = bad;
      setBlend(w, {good, b});
      EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << int{bad} << " in " << field;
    }
  for (const uint8_t bad : {0, 6}) {
    aerogpu_ext_target_blend b = good;
    b.op = bad;
    setBlend(w, {b});
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  }
  setBlend(w, {});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "no target";
  setBlend(w, std::vector<aerogpu_ext_target_blend>(9, good));
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "nine targets";
  setBlend(w, {good}, 2);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "a flag";
  const auto refusedSampler = [&](auto change) {
    aerogpu_ext_sampler s = plainSampler();
    change(s);
    setSampler(w, s);
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  };
  refusedSampler([](aerogpu_ext_sampler& s) { s.filter = 16; });
  refusedSampler([](aerogpu_ext_sampler& s) { s.address_u = 0; });
  refusedSampler([](aerogpu_ext_sampler& s) { s.address_w = 6; });
  refusedSampler([](aerogpu_ext_sampler& s) { s.compare_func = 9; });
  for (const uint32_t nan : {0x7FC00000u, 0xFFFFFFFFu}) {
    refusedSampler([&](aerogpu_ext_sampler& s) { s.min_lod_f32 = nan; });
    refusedSampler([&](aerogpu_ext_sampler& s) { s.max_lod_f32 = nan; });
    refusedSampler([&](aerogpu_ext_sampler& s) { s.mip_lod_bias_f32 = nan; });
  }
  gpu().takeErrorLines();
}

}  // namespace
}  // namespace aerogpu::test
