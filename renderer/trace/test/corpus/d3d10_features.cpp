// SPDX-License-Identifier: MIT
// Direct3D 10's fixed state (docs/abi/d3d10-states.md), which other shaders' draws have too.
#include <bit>

#include "aerogpu/aerogpu_cmd_d3d10_states.h"
#include "renderer/trace/test/corpus/recorder.h"

namespace aerogpu::test {

namespace {

constexpr uint32_t kRed = argb(255, 255, 0, 0), kGreen = argb(255, 0, 255, 0), kBlue = argb(255, 0, 0, 255);

uint32_t bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

/// Adds what is there times the alpha of oC1; then masks and takes the greatest.
Picture targetBlend(Recorder& r) {
  r.shaders(kPassThrough, "ps_2_0\ndcl v0\ndef c0, 1, 1, 1, 0.5\nmov oC0, v0\nmov r0, c0\nmov oC1, r0\n");
  packets::clearColor(r.w, {0.2f, 0.4f, 0.6f, 1});
  // D3D10_BLEND: 2 ONE, 18 SRC1_ALPHA; D3D10_BLEND_OP: 1 ADD, 5 MAX.
  const aerogpu_ext_target_blend add{1, 2, 18, 1, 2, 2, 1, 15}, most{1, 2, 2, 5, 2, 2, 5, 5};
  aerogpu_cmd_ext_set_blend c{};
  c.sample_mask = ~0u;
  r.w.packet(c, &add, 1);
  r.draw(Recorder::quad(4, 4, 30, 30, argb(255, 51, 0, 102)));
  r.w.packet(c, &most, 1);
  r.showColors();
  r.draw(Recorder::quad(34, 34, 60, 60, argb(255, 102, 255, 102)));
  Picture out;
  out.fill(0, 0, kSide, kSide, {0.2, 0.4, 0.6});
  out.fill(4, 4, 30, 30, {0.3, 0.2, 0.7});
  out.fill(34, 34, 60, 60, {0.4, 0.4, 0.6});
  return out;
}

/// A border with parts that no D3DCOLOR has, which the target clamps, and one level of two.
Picture floatSampler(Recorder& r) {
  r.showTexture();
  std::vector<uint8_t> texels(4 * 4 * 4 + 2 * 2 * 4);
  for (size_t i = 0; i < texels.size(); i += 4) texels[i + (i < 64 ? 0 : 1)] = 255;  // blue, then green
  r.bindTexture(r.texture(AEROGPU_FORMAT_B8G8R8X8_UNORM, 4, 4, texels, 2));
  aerogpu_ext_sampler s{};
  s.address_u = 4;                // BORDER
  s.address_v = s.address_w = 3;  // CLAMP
  s.min_lod_f32 = bits(0.75f);
  s.max_lod_f32 = bits(1000);
  s.border_color_rgba_f32[0] = bits(3);
  s.border_color_rgba_f32[1] = bits(-2);
  aerogpu_cmd_ext_set_samplers c{};
  c.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
  r.w.packet(c, &s, 1);
  r.draw(Recorder::quad(0, 0, 64, 64, kRed, 0.5, 2, 1));
  Picture out;
  out.fill(0, 0, 32, kSide, rgbOf(kGreen));
  out.fill(32, 0, kSide, kSide, rgbOf(kRed));
  return out;
}

/// A quad whose depth goes from 0.25 to 0.75 down the picture.
std::vector<Vertex> slope(double x0, double x1, uint32_t color, double further) {
  std::vector<Vertex> quad = Recorder::quad(x0, 0, x1, kSide, color);
  for (Vertex& v : quad) v.z = static_cast<float>((v.y > 0 ? 0.25 : 0.75) + further);
  return quad;
}

/// What comes closer by its slope, by no more than the clamp.
Picture clampedBias(Recorder& r) {
  const uint32_t depth = r.handle(), target = r.target();
  Harness::createTexture(r.w, depth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide,
                         AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  packets::setTargets(r.w, {&target, 1}, depth);
  packets::clear(r.w, AEROGPU_CLEAR_DEPTH, {}, 1, 0);
  r.showColors();
  r.renderState(kZEnable, 1u);
  r.draw(slope(0, 64, kRed, 0));
  r.w.packet(aerogpu_cmd_ext_set_depth_bias{{}, bits(-2), 0});
  r.draw(slope(0, 20, kGreen, 0.005));  // 2 of 0.5 / 64
  r.w.packet(aerogpu_cmd_ext_set_depth_bias{{}, bits(-2), bits(-0.001f)});
  r.draw(slope(20, 40, kBlue, 0.005));
  r.draw(slope(40, 64, kBlue, 0.0005));
  Picture out;
  out.fill(0, 0, kSide, kSide, rgbOf(kRed));
  out.fill(0, 0, 20, kSide, rgbOf(kGreen));
  out.fill(40, 0, kSide, kSide, rgbOf(kBlue));
  return out;
}

/// Draws without a geometry shader go to the first of several viewports, and have its rectangle.
Picture severalViewports(Recorder& r) {
  r.showColors();
  const auto half = [](float x) { return aerogpu_ext_viewport{bits(x), 0, bits(32), bits(64), 0, bits(1)}; };
  const aerogpu_ext_viewport viewports[] = {half(32), half(0)};
  r.w.packet(aerogpu_cmd_ext_set_viewports{}, viewports, 2);
  r.draw(Recorder::quad(0, 0, 64, 64, kRed));
  const aerogpu_ext_scissor rects[] = {{0, 16, 48, 8}, {0, 0, 64, 64}};
  r.w.packet(aerogpu_cmd_ext_set_scissors{}, rects, 2);
  r.renderState(kScissorTestEnable, 1u);
  r.draw(Recorder::quad(0, 0, 64, 64, kBlue));
  Picture out;
  out.fill(32, 0, 64, 64, rgbOf(kRed));
  out.fill(32, 16, 48, 24, rgbOf(kBlue));
  return out;
}

}  // namespace

std::vector<Feature> d3d10Features() {
  return {{"target_blend", targetBlend, 1},
          {"float_sampler", floatSampler},
          {"clamped_bias", clampedBias},
          {"several_viewports", severalViewports}};
}

}  // namespace aerogpu::test
