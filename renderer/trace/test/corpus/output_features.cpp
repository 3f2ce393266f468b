// SPDX-License-Identifier: MIT
// The stages after the pixel shader: tests, fog, blending, encoding, samples.
#include <algorithm>
#include <bit>
#include <cmath>

#include "renderer/trace/test/corpus/recorder.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kRed = argb(255, 255, 0, 0), kGreen = argb(255, 0, 255, 0), kBlue = argb(255, 0, 64, 255);

uint32_t bindDepth(Recorder& r) {
  const uint32_t depth = r.handle();
  Harness::createTexture(r.w, depth, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSide, kSide,
                         AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  const uint32_t target = r.target();
  packets::setTargets(r.w, {&target, 1}, depth);
  packets::clear(r.w, AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, {}, 1, 0);
  return depth;
}

Picture blending(Recorder& r) {
  r.showColors();
  packets::clearColor(r.w, {0.2f, 0.4f, 0.6f, 1});
  r.renderState(kAlphaBlendEnable, 1u);
  r.renderState(kSrcBlend, 5u);   // SRCALPHA
  r.renderState(kDestBlend, 6u);  // INVSRCALPHA
  r.draw(Recorder::quad(4, 4, 30, 30, argb(64, 255, 128, 0)));
  r.renderState(kSrcBlend, 2u);  // ONE
  r.renderState(kDestBlend, 2u);
  r.renderState(kBlendOp, 3u);  // REVSUBTRACT: destination - source
  r.draw(Recorder::quad(34, 4, 60, 30, argb(255, 20, 30, 200)));
  r.renderState(kBlendOp, 5u);  // MAX
  r.draw(Recorder::quad(4, 34, 30, 60, argb(255, 20, 200, 30)));
  Picture out;
  const Rgb base{51 / 255.0, 102 / 255.0, 153 / 255.0};
  out.fill(0, 0, kSide, kSide, base);
  const double a = 64 / 255.0;
  out.fill(4, 4, 30, 30, {a + base[0] * (1 - a), 128 / 255.0 * a + base[1] * (1 - a), base[2] * (1 - a)});
  out.fill(34, 4, 60, 30, {31 / 255.0, 72 / 255.0, 0});
  out.fill(4, 34, 30, 60, {51 / 255.0, 200 / 255.0, 153 / 255.0});
  return out;
}

Picture writeMask(Recorder& r) {
  r.showColors();
  packets::clearColor(r.w, {0.2f, 0.4f, 0.6f, 1});
  r.renderState(kColorWriteEnable, 1u | 4u);  // red and blue
  r.draw(Recorder::quad(10, 10, 40, 40, argb(255, 255, 255, 0)));
  Picture out;
  out.fill(0, 0, kSide, kSide, {0.2, 0.4, 0.6});
  out.fill(10, 10, 40, 40, {1, 0.4, 0});
  return out;
}

/// Draws alpha from 0 to 255 over the columns; columns of at least 128 pass.
Picture alphaTest(Recorder& r) {
  r.showColors();
  r.renderState(kAlphaTestEnable, 1u);
  r.renderState(kAlphaRef, 128u);
  r.renderState(kAlphaFunc, 7u);  // GREATEREQUAL
  Picture out;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t alpha = i < 8 ? 120 + i : 128 + (i - 8);
    r.draw(Recorder::quad(i * 4, 0, i * 4 + 4, kSide, argb(alpha, 200, 100, 10 * i)));
    if (alpha >= 128) out.fill(i * 4, 0, i * 4 + 4, kSide, rgbOf(argb(0, 200, 100, 10 * i)));
  }
  return out;
}

Picture depthTest(Recorder& r) {
  bindDepth(r);
  r.showColors();
  r.renderState(kZEnable, 1u);
  r.draw(Recorder::quad(8, 8, 40, 40, kRed, 0.5));
  r.draw(Recorder::quad(20, 20, 60, 60, kGreen, 0.75));  // occluded
  r.renderState(kZWriteEnable, 0u);
  r.draw(Recorder::quad(0, 0, 16, 16, kBlue, 0.25));  // in front, and leaves no depth
  r.renderState(kZWriteEnable, 1u);
  r.draw(Recorder::quad(0, 0, 8, 64, kGreen, 0.9));
  Picture out;
  out.fill(20, 20, 60, 60, rgbOf(kGreen));
  out.fill(8, 8, 40, 40, rgbOf(kRed));
  out.fill(0, 0, 16, 16, rgbOf(kBlue));
  out.fill(0, 0, 8, 64, rgbOf(kGreen));
  return out;
}

Picture stencil(Recorder& r) {
  bindDepth(r);
  r.showColors();
  r.renderState(kStencilEnable, 1u);
  r.renderState(kStencilPass, 7u);  // INCR
  r.draw(Recorder::quad(0, 0, 40, 40, kRed));
  r.draw(Recorder::quad(20, 20, 60, 60, kRed));
  r.renderState(kStencilPass, 1u);  // KEEP
  r.renderState(kStencilFunc, 3u);  // EQUAL
  r.renderState(kStencilRef, 2u);
  r.draw(Recorder::quad(0, 0, 64, 64, kBlue));
  Picture out;
  out.fill(0, 0, 40, 40, rgbOf(kRed));
  out.fill(20, 20, 60, 60, rgbOf(kRed));
  out.fill(20, 20, 40, 40, rgbOf(kBlue));
  return out;
}

Picture scissorAndViewport(Recorder& r) {
  r.showColors();
  packets::setViewport(r.w, {16, 8, 32, 40});
  r.renderState(kScissorTestEnable, 1u);
  aerogpu_cmd_set_scissor scissor{};
  scissor.x = 20;
  scissor.y = 0;
  scissor.width = 100;
  scissor.height = 20;
  r.w.packet(scissor);
  // All of the viewport: corners of clip space, half a viewport pixel up and left.
  auto v = Recorder::quad(0, 0, kSide, kSide, kGreen);
  for (Vertex& each : v) {
    each.x = (each.x > 0 ? 1.0f : -1.0f) - 1.0f / 32;
    each.y = (each.y > 0 ? 1.0f : -1.0f) + 1.0f / 40;
  }
  r.draw(v);
  Picture out;
  out.fill(20, 8, 48, 20, rgbOf(kGreen));
  return out;
}

/// Draws with linear fog in z from 0.2 to 0.8: f = (0.8 - z) / 0.6.
Picture tableFog(Recorder& r) {
  r.showColors();
  r.renderState(kFogEnable, 1u);
  r.renderState(kFogTableMode, 3u);  // LINEAR
  r.renderState(kFogColor, argb(0, 255, 255, 0));
  r.renderState(kFogStart, 0.2f);
  r.renderState(kFogEnd, 0.8f);
  Picture out;
  for (uint32_t i = 0; i < 8; ++i) {
    const double z = 0.1 + i * 0.1, f = std::clamp((0.8 - z) / 0.6, 0.0, 1.0);
    r.draw(Recorder::quad(i * 8, 4, i * 8 + 8, 60, kBlue, z));
    const Rgb color = rgbOf(kBlue);
    out.fill(i * 8, 4, i * 8 + 8, 60, {color[0] * f + 1 - f, color[1] * f + 1 - f, color[2] * f});
  }
  return out;
}

double encoded(double linear) {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

Picture srgbWrite(Recorder& r) {
  r.showColors();
  r.renderState(kSrgbWriteEnable, 1u);
  Picture out;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t color = argb(255, i * 17, 255 - i * 17, 3 * i);
    r.draw(Recorder::quad(i * 4, 0, i * 4 + 4, kSide, color));
    const Rgb linear = rgbOf(color);
    out.fill(i * 4, 0, i * 4 + 4, kSide, {encoded(linear[0]), encoded(linear[1]), encoded(linear[2])});
  }
  return out;
}

/// Draws with linear fog in w, which is 10 times z; after that, in z again.
Picture fogInW(Recorder& r) {
  r.shaders(
      "vs_2_0\ndcl_position v0\ndcl_color v1\ndef c0, 10, 0, 0, 0\nmul r0.w, v0.z, c0.x\n"
      "mul r0.xyz, v0, r0.w\nmov oPos, r0\nmov oD0, v1\n",
      "ps_2_0\ndcl v0\nmov oC0, v0\n");
  r.renderState(kFogEnable, 1u);
  r.renderState(kFogTableMode, 3u);  // LINEAR
  r.renderState(kFogColor, argb(0, 255, 255, 0));
  r.renderState(kFogStart, 2.0f);
  r.renderState(kFogEnd, 8.0f);
  aerogpu_cmd_ext_set_state state{};
  state.state = AEROGPU_EXT_STATE_FOG_W;
  state.value = 1;
  r.w.packet(state);
  Picture out;
  const Rgb color = rgbOf(kBlue);
  for (uint32_t i = 0; i < 8; ++i) {
    const double z = 0.1 + i * 0.1, f = std::clamp((8 - 10 * z) / 6, 0.0, 1.0);
    r.draw(Recorder::quad(i * 8, 4, i * 8 + 8, 40, kBlue, z));
    out.fill(i * 8, 4, i * 8 + 8, 40, {color[0] * f + 1 - f, color[1] * f + 1 - f, color[2] * f});
  }
  state.value = 0;
  r.w.packet(state);
  r.draw(Recorder::quad(0, 48, 64, 60, kBlue, 0.8));  // before the fog
  out.fill(0, 48, 64, 60, color);
  return out;
}

/// Binds a target of four samples in place of the shown one; resolve() binds that again.
uint32_t bindSamples(Recorder& r) {
  aerogpu_cmd_ext_create_texture create{};
  create.texture_handle = r.handle();
  create.usage_flags = AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  create.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  create.width = create.height = kSide;
  create.depth = create.mip_levels = create.array_layers = 1;
  create.sample_count = 4;
  r.w.packet(create);
  packets::setTarget(r.w, create.texture_handle);
  packets::clearColor(r.w, {0, 0, 0, 1});
  return create.texture_handle;
}
void resolve(Recorder& r, uint32_t samples) {
  aerogpu_cmd_ext_blit blit{};
  blit.dst_texture = r.target();
  blit.src_texture = samples;
  blit.rect_count = 1;
  const aerogpu_ext_blit_rect all{{0, 0, kSide, kSide}, {0, 0, kSide, kSide}};
  r.w.packet(blit, &all, 1);
  packets::setTarget(r.w, r.target());
}

/// Draws to four samples at Vulkan's standard locations, some of them masked out; shows their mean.
Picture samples(Recorder& r) {
  constexpr double kPlaces[4][2] = {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}};
  const uint32_t thick = bindSamples(r);
  r.showColors();
  const double edge = 20.6, slope = 0.3;  // the part right of x = edge + slope * y
  r.draw({Recorder::vertex(edge, 0, kRed), Recorder::vertex(200, 0, kRed),
          Recorder::vertex(edge + slope * 64, 64, kRed), Recorder::vertex(edge + slope * 64, 64, kRed),
          Recorder::vertex(200, 0, kRed), Recorder::vertex(200, 64, kRed)});
  r.renderState(kMultisampleMask, 5u);  // samples 0 and 2
  r.draw(Recorder::quad(0, 40, 16, 56, kGreen));
  resolve(r, thick);
  Picture out;
  out.paint(0, 0, kSide, kSide, [&](uint32_t x, uint32_t y) {
    double covered = 0;
    for (const auto& place : kPlaces)
      if (x + place[0] > edge + slope * (y + place[1])) covered += 0.25;
    return Rgb{covered, 0, 0};
  });
  out.fill(0, 40, 16, 56, {0, 0.5, 0});
  return out;
}

/// Only alphas 0 and 1 cover a number of samples that the GPU cannot choose.
Picture alphaToCoverage(Recorder& r) {
  const uint32_t thick = bindSamples(r);
  r.showColors();
  aerogpu_cmd_ext_set_state state{};
  state.state = AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE;
  state.value = 1;
  r.w.packet(state);
  r.draw(Recorder::quad(4, 4, 30, 60, argb(255, 255, 0, 0)));
  r.draw(Recorder::quad(20, 20, 60, 40, argb(0, 0, 255, 0)));
  state.value = 0;
  r.w.packet(state);
  r.draw(Recorder::quad(40, 44, 60, 60, argb(0, 0, 64, 255)));
  resolve(r, thick);
  Picture out;
  out.fill(4, 4, 30, 60, rgbOf(kRed));
  out.fill(40, 44, 60, 60, rgbOf(kBlue));
  return out;
}

}  // namespace

std::vector<Feature> outputFeatures() {
  return {
      {"blending", blending, 1},    {"write_mask", writeMask}, {"alpha_test", alphaTest},
      {"depth_test", depthTest},    {"stencil", stencil},      {"scissor_and_viewport", scissorAndViewport},
      {"table_fog", tableFog, 1},   {"fog_in_w", fogInW, 1},   {"alpha_to_coverage", alphaToCoverage, 1},
      {"srgb_write", srgbWrite, 1}, {"samples", samples, 1}};
}

}  // namespace aerogpu::test
