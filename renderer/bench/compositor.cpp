// SPDX-License-Identifier: MIT
// A desktop compositor's work: a frame in which one window has changed, and blits of windows.
#include <cstdlib>
#include <cstring>
#include <string>

#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"
#include "renderer/bench/direct_compositor.h"
#include "renderer/bench/pair.h"

namespace aerogpu::bench {
namespace {

using test::Allocation;
using test::Harness;

DirectCompositor& directCompositor() {
  static DirectCompositor instance(kWidth, kHeight);
  return instance;
}

constexpr aerogpu_ext_rect rectOf(const Place& p) {
  return {p.x, p.y, p.x + p.width, p.y + p.height};
}

/// DirectCompositor's objects in one renderer, made once. Frames are shown and given back at once.
class Desktop {
public:
  Desktop();
  bool ok() const { return m_ready; }
  /// Submits and waits; false after an error.
  bool run(const CommandWriter& stream) {
    const bool good = m_harness.submit(stream).result.error_count == 0;
    m_harness.takeFinished();
    return good;
  }
  CommandWriter frame();
  CommandWriter blits(uint32_t flags, bool narrow);
  uint8_t* changedTexels() { return m_harness.bytes(m_changedMemory).data(); }
  /// Returns the visible pixels of window kChanged: BGRA, tight rows.
  std::vector<uint8_t> seen();

private:
  void makeObjects();
  void setState(CommandWriter& w) const;
  void target(CommandWriter& w, uint32_t texture, const Place& scissor) const;
  void quad(CommandWriter& w, uint32_t texture, uint32_t width, uint32_t height, const Place& place) const;

  Harness m_harness;
  bool m_ready = false;
  Allocation m_changedMemory, m_screenMemory, m_readMemory;
  uint32_t m_screen = 0, m_quad = 0, m_layout = 0, m_vs = 0, m_plain = 0, m_blur = 0;
  uint32_t m_windows[kWindows] = {}, m_narrow[kWindows] = {}, m_glass[2] = {};
};

Desktop::Desktop()
    : m_harness({.backend = "vulkan",
                 .flags = AEROGPU_RENDERER_LEND_GUEST_MEMORY,
                 .guestBytes = uint64_t{32} << 20}) {
  if (!m_harness.ok()) return;
  m_harness.keepsFrames = false;
  makeObjects();
}

void Desktop::makeObjects() {
  Harness& h = m_harness;
  m_changedMemory = h.allocate(kWindowBytes);
  m_screenMemory = h.allocate(uint64_t{kWidth} * kHeight * 4);
  m_readMemory = h.allocate(kWindowBytes);
  CommandWriter w;
  m_screen = h.handle();
  Harness::createTexture(w, m_screen, AEROGPU_FORMAT_B8G8R8A8_UNORM, kWidth, kHeight,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET | AEROGPU_RESOURCE_USAGE_SCANOUT, 1, 1,
                         m_screenMemory.id, kWidth * 4);
  h.setScanout(AEROGPU_FORMAT_B8G8R8A8_UNORM, kWidth, kHeight, kWidth * 4, m_screenMemory.gpa);
  for (uint32_t i = 0; i < kWindows; ++i) {
    const std::vector<uint32_t> texels = windowTexels(i);
    const auto* bytes = reinterpret_cast<const uint8_t*>(texels.data());
    m_windows[i] = h.handle();
    Harness::createTexture(w, m_windows[i], AEROGPU_FORMAT_B8G8R8A8_UNORM, kWindowWidth, kWindowHeight,
                           AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, m_windows[i], 0, {bytes, kWindowBytes});
    m_narrow[i] = h.handle();
    Harness::createTexture(w, m_narrow[i], AEROGPU_FORMAT_B5G6R5_UNORM, kWindowWidth, kWindowHeight,
                           AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, m_narrow[i], 0, {bytes, kWindowBytes / 2});
  }
  for (uint32_t& glass : m_glass) {
    glass = h.handle();
    Harness::createTexture(w, glass, AEROGPU_FORMAT_B8G8R8A8_UNORM, kWindowWidth / kBlurScale,
                           kWindowHeight / kBlurScale,
                           AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
  }
  m_quad = h.handle();
  packets::createBuffer(w, m_quad, sizeof kQuad, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::upload(w, m_quad, 0, {reinterpret_cast<const uint8_t*>(kQuad), sizeof kQuad});
  m_layout = createQuadLayout(w, h);
  m_vs = createQuadShader(w, h);
  m_plain = h.handle();
  packets::createShader(w, m_plain, AEROGPU_SHADER_STAGE_PIXEL,
                        assemble("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n"));
  m_blur = h.handle();
  packets::createShader(
      w, m_blur, AEROGPU_SHADER_STAGE_PIXEL,
      assemble("ps_2_0\ndef c1, 0.375, 0.25, 0.0625, 2\ndcl t0.xy\ndcl_2d s0\nadd r1.xy, t0, c0\n"
               "sub r2.xy, t0, c0\nmad r3.xy, c0, c1.w, t0\nmad r4.xy, c0, -c1.w, t0\ntexld r0, t0, s0\n"
               "texld r1, r1, s0\ntexld r2, r2, s0\ntexld r3, r3, s0\ntexld r4, r4, s0\nadd r1, r1, r2\n"
               "add r3, r3, r4\nmul r0, r0, c1.x\nmad r0, r1, c1.y, r0\nmad r0, r3, c1.z, r0\n"
               "mov oC0, r0\n"));
  m_ready = run(w);
}

void Desktop::setState(CommandWriter& w) const {
  using d3d9::RenderStateType;
  const auto set = [&](RenderStateType state, auto value) {
    packets::renderState(w, static_cast<uint32_t>(state), static_cast<uint32_t>(value));
  };
  set(RenderStateType::CullMode, d3d9::CullMode::None);
  set(RenderStateType::ScissorTestEnable, 1);
  set(RenderStateType::SrcBlend, d3d9::Blend::SrcAlpha);
  set(RenderStateType::DestBlend, d3d9::Blend::InvSrcAlpha);
  for (const auto state : {d3d9::SamplerStateType::AddressU, d3d9::SamplerStateType::AddressV})
    packets::samplerState(w, 0, static_cast<uint32_t>(state),
                          static_cast<uint32_t>(d3d9::TextureAddress::Clamp));
  aerogpu_cmd_set_input_layout layout{};
  layout.input_layout_handle = m_layout;
  w.packet(layout);
  packets::setVertexBuffer(w, 0, m_quad, sizeof kQuad[0]);
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
}

void Desktop::target(CommandWriter& w, uint32_t texture, const Place& s) const {
  packets::setTarget(w, texture);
  w.packet(aerogpu_cmd_set_scissor{{},
                                   static_cast<int32_t>(s.x),
                                   static_cast<int32_t>(s.y),
                                   static_cast<int32_t>(s.width),
                                   static_cast<int32_t>(s.height)});
}

void Desktop::quad(CommandWriter& w, uint32_t texture, uint32_t width, uint32_t height,
                   const Place& p) const {
  packets::setTexture(w, 0, texture);
  // Direct3D 9's pixels have their centres at whole numbers, and its y goes up.
  const auto fw = static_cast<float>(width), fh = static_cast<float>(height);
  const float place[4] = {static_cast<float>(p.width) * 2 / fw, static_cast<float>(p.height) * -2 / fh,
                          (static_cast<float>(p.x) - 0.5f) * 2 / fw - 1,
                          1 - (static_cast<float>(p.y) - 0.5f) * 2 / fh};
  packets::setConstantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 0, place);
  packets::draw(w, 6);
}

CommandWriter Desktop::frame() {
  constexpr Place kDamage = windowPlace(kChanged), kBehind = windowPlace(kGlass);
  constexpr uint32_t kGlassWidth = kWindowWidth / kBlurScale, kGlassHeight = kWindowHeight / kBlurScale;
  constexpr Place kAll{0, 0, kGlassWidth, kGlassHeight};
  CommandWriter w;
  const auto blends = [&](bool on) {
    packets::renderState(w, static_cast<uint32_t>(d3d9::RenderStateType::AlphaBlendEnable), on);
  };
  const auto filter = [&](d3d9::TextureFilter with) {
    for (const auto state : {d3d9::SamplerStateType::MagFilter, d3d9::SamplerStateType::MinFilter})
      packets::samplerState(w, 0, static_cast<uint32_t>(state), static_cast<uint32_t>(with));
  };
  const auto blur = [&](uint32_t to, uint32_t from, float x, float y) {
    target(w, to, kAll);
    const float step[4] = {x, y, 0, 0};
    packets::setConstantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0, step);
    quad(w, from, kGlassWidth, kGlassHeight, kAll);
  };
  setState(w);
  w.packet(aerogpu_cmd_ext_update_texture{.texture = m_windows[kChanged],
                                          .width = kWindowWidth,
                                          .height = kWindowHeight,
                                          .depth = 1,
                                          .src_alloc_id = m_changedMemory.id,
                                          .src_row_pitch_bytes = kWindowWidth * 4});
  packets::bindShaders(w, m_vs, m_plain);
  filter(d3d9::TextureFilter::Point);
  target(w, m_screen, kDamage);
  blends(false);
  quad(w, m_windows[0], kWidth, kHeight, {0, 0, kWidth, kHeight});
  blends(true);
  for (uint32_t i = 0; i < kGlass; ++i) quad(w, m_windows[i], kWidth, kHeight, windowPlace(i));
  const aerogpu_ext_blit_rect behind{rectOf(kAll), rectOf(kBehind)};
  w.packet(
      aerogpu_cmd_ext_blit{
          .dst_texture = m_glass[0], .src_texture = m_screen, .flags = AEROGPU_EXT_BLIT_LINEAR},
      &behind, 1);
  blends(false);
  filter(d3d9::TextureFilter::Linear);
  packets::bindShaders(w, m_vs, m_blur);
  blur(m_glass[1], m_glass[0], 1.0f / kGlassWidth, 0);
  packets::setTexture(w, 0, 0);
  blur(m_glass[0], m_glass[1], 0, 1.0f / kGlassHeight);
  packets::bindShaders(w, m_vs, m_plain);
  target(w, m_screen, kDamage);
  quad(w, m_glass[0], kWidth, kHeight, kBehind);
  filter(d3d9::TextureFilter::Point);
  blends(true);
  for (uint32_t i = kGlass; i < kWindows; ++i) quad(w, m_windows[i], kWidth, kHeight, windowPlace(i));
  const aerogpu_ext_rect damage = rectOf(kDamage);
  w.packet(aerogpu_cmd_ext_present_rects{}, &damage, 1);
  return w;
}

CommandWriter Desktop::blits(uint32_t flags, bool narrow) {
  CommandWriter w;
  const bool halves = (flags & AEROGPU_EXT_BLIT_LINEAR) != 0;
  for (uint32_t i = 0; i < kWindows; ++i) {
    const aerogpu_ext_blit_rect rect{rectOf(halves ? thumbnailPlace(i) : windowPlace(i)),
                                     {0, 0, kWindowWidth, kWindowHeight}};
    w.packet(aerogpu_cmd_ext_blit{.dst_texture = m_screen,
                                  .src_texture = narrow ? m_narrow[i] : m_windows[i],
                                  .flags = flags,
                                  .color_key = flags & AEROGPU_EXT_BLIT_SRC_COLOR_KEY ? kKeyColor : 0},
             &rect, 1);
  }
  return w;
}

std::vector<uint8_t> Desktop::seen() {
  constexpr Place kDamage = windowPlace(kChanged);
  CommandWriter w;
  w.packet(aerogpu_cmd_ext_read_texture{.texture = m_screen,
                                        .x = kDamage.x,
                                        .y = kDamage.y,
                                        .width = kDamage.width,
                                        .height = kDamage.height,
                                        .depth = 1,
                                        .dst_alloc_id = m_readMemory.id,
                                        .dst_row_pitch_bytes = kWindowWidth * 4});
  if (!run(w)) return {};
  const auto bytes = m_harness.bytes(m_readMemory);
  return {bytes.begin(), bytes.end()};
}

Desktop& desktop() {
  static Desktop instance;
  return instance;
}

void compositorFrame(benchmark::State& state) {
  if (!desktop().ok()) return state.SkipWithError("no Vulkan renderer, or not the objects");
  const CommandWriter frame = desktop().frame();
  const std::vector<uint32_t> texels = windowTexels(kChanged);
  std::memcpy(desktop().changedTexels(), texels.data(), kWindowBytes);
  pair(
      state, [&] { directCompositor().drawFrame(desktop().changedTexels()); },
      [&] {
        if (!desktop().run(frame)) state.SkipWithError("the frame had errors");
      });
  const std::vector<uint8_t> seen = desktop().seen();
  if (seen.size() != kWindowBytes) return state.SkipWithError("nothing was read");
  int most = 0;
  for (uint32_t i = 0; i < kWindowBytes; ++i)
    most = std::max(most, std::abs(int{seen[i]} - int{directCompositor().shown()[i]}));
  if (most > 2) state.SkipWithError(("the pictures differ by " + std::to_string(most)).c_str());
}
BENCHMARK(compositorFrame)->UseManualTime()->Unit(benchmark::kMillisecond);

void blits(benchmark::State& state, uint32_t flags, bool narrow, void (DirectCompositor::*direct)()) {
  if (!desktop().ok()) return state.SkipWithError("no Vulkan renderer, or not the objects");
  const CommandWriter stream = desktop().blits(flags, narrow);
  pair(
      state, [&] { (directCompositor().*direct)(); },
      [&] {
        if (!desktop().run(stream)) state.SkipWithError("the blits had errors");
      });
}
/// Draws 20 windows at half their size, filtered.
void blitStretch(benchmark::State& state) {
  blits(state, AEROGPU_EXT_BLIT_LINEAR, false, &DirectCompositor::stretch);
}
/// Draws 20 windows without the texels of one colour, over one another; direct Vulkan draws them.
void blitColorKey(benchmark::State& state) {
  blits(state, AEROGPU_EXT_BLIT_SRC_COLOR_KEY, false, &DirectCompositor::keyed);
}
/// Draws 20 windows from R5G6B5, over one another.
void blitConvert(benchmark::State& state) {
  blits(state, 0, true, &DirectCompositor::convert);
}
BENCHMARK(blitStretch)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(blitColorKey)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(blitConvert)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aerogpu::bench
