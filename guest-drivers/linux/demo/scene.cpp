// SPDX-License-Identifier: MIT
// Draws the frame: model, panes from the bottom up over their blurred background, texts and bars.
#include "guest-drivers/linux/demo/scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "aerogpu/aerogpu.h"
#include "aerogpu/d3d9/state_values.h"
#include "guest-drivers/linux/demo/handles.h"
#include "guest-drivers/linux/demo/knot.h"

namespace aerogpu::guest {

namespace {

constexpr Color kPale{0.93f, 0.97f, 1, 1}, kDim{0.66f, 0.76f, 0.85f, 1};
constexpr float kGlassTint[kPaneCount][4] = {{0.46f, 0.64f, 0.84f, 0.34f},
                                             {0.46f, 0.64f, 0.84f, 0.34f},
                                             {0.58f, 0.76f, 0.92f, 0.36f},
                                             {0.12f, 0.22f, 0.34f, 0.42f}};
constexpr float kStreakStrength[kPaneCount] = {0.13f, 0.13f, 0.17f, 0.06f};
constexpr float kStreakPeriod = 620;  // pixels

}  // namespace

void Scene::flatStates(Encoder& e, bool blend) {
  e.renderState(RenderStateType::ZEnable, 0);
  e.renderState(RenderStateType::ZWriteEnable, 0);
  e.renderState(RenderStateType::CullMode, d3d9::CullMode::None);
  e.renderState(RenderStateType::AlphaBlendEnable, blend ? 1 : 0);
  e.renderState(RenderStateType::SrcBlend, d3d9::Blend::One);
  e.renderState(RenderStateType::DestBlend, d3d9::Blend::InvSrcAlpha);
  e.sampler(0, SamplerMode::ClampLinear);
}

void Scene::beginQuads(Encoder& e, uint32_t pixelShader, bool blend) {
  flatStates(e, blend);
  e.bindShaders(handle::kQuadVs, pixelShader);
  e.inputLayout(handle::kQuadLayout);
  e.vertexBuffer(handle::kUnitSquare, 8);
  e.topology(AEROGPU_TOPOLOGY_TRIANGLESTRIP);
}

void Scene::quad(Encoder& e, RectF r, float w, float h, Coordinates a, Coordinates b, Coordinates c) {
  // D3D9 has pixel centres at whole numbers, so the edges are moved half a pixel up and left, between pixels.
  const float constants[16] = {2 * r.w / w,
                               -2 * r.h / h,
                               (2 * r.x - 1) / w - 1,
                               1 - (2 * r.y - 1) / h,
                               a.u1 - a.u0,
                               a.v1 - a.v0,
                               a.u0,
                               a.v0,
                               b.u1 - b.u0,
                               b.v1 - b.v0,
                               b.u0,
                               b.v0,
                               c.u1 - c.u0,
                               c.v1 - c.v0,
                               c.u0,
                               c.v0};
  e.vertexConstants(0, constants);
  e.draw(4);
}

void Scene::layOutStatistics(const FrameStats& stats, const Rect& pane) {
  const Rect client = clientRect(pane);
  const float x = real(pane.x + client.x) + 14, top = real(pane.y + client.y);
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", stats.fps);
  m_sprites.text(x, top + 27, true, "frames per second", kDim);
  m_sprites.text(x + 150, top + 27, true, text, kPale);
  const auto line = [&](int row, const char* name, const char* value) {
    m_sprites.text(x, top + 52 + real(row) * 21, false, name, kDim);
    m_sprites.text(x + 150, top + 52 + real(row) * 21, false, value, kPale);
  };
  std::snprintf(text, sizeof text, "%u", stats.frame);
  line(0, "frame", text);
  std::snprintf(text, sizeof text, "%llu   (%llu interrupts)",
                static_cast<unsigned long long>(stats.submissions),
                static_cast<unsigned long long>(stats.interrupts));
  line(1, "submissions", text);
  std::snprintf(text, sizeof text, "%.2f ms", stats.frameMs);
  line(2, "frame time", text);
  std::snprintf(text, sizeof text, "%.1f KiB", static_cast<double>(stats.commandBytes) / 1024);
  line(3, "command stream", text);

  // One bar for each frame, the newest at the right: green up to about one vblank, red at two.
  const float graphX = x + 4, graphTop = top + 132, graphHeight = real(client.h) - 128 - 38 - 8;
  const float step = (real(client.w) - 28 - 8) / static_cast<float>(m_history.size());
  for (size_t i = 0; i < m_history.size(); ++i) {
    const float share = std::clamp(m_history[i] / 33.3f, 0.0f, 1.0f);
    if (share <= 0) continue;
    const float late = std::clamp((share - 0.55f) / 0.45f, 0.0f, 1.0f);
    const Color c = mix({0.25f, 0.92f, 0.62f, 0.95f}, {1.0f, 0.38f, 0.22f, 0.95f}, late);
    const float h = share * graphHeight;
    m_sprites.bar({graphX + static_cast<float>(i) * step, graphTop + graphHeight - h, step - 1, h}, c,
                  mix(c, {0.05f, 0.20f, 0.35f, 0.75f}, 0.75f));
  }
  m_sprites.bar({graphX, graphTop + graphHeight / 2, step * static_cast<float>(m_history.size()), 1},
                {1, 1, 1, 0.40f}, {1, 1, 1, 0.40f});
}

void Scene::layOutTaskbar(const FrameStats& stats, const Rect& pane) {
  char text[32];
  const auto seconds = static_cast<unsigned>(stats.seconds);
  std::snprintf(text, sizeof text, "%u:%02u", seconds / 60, seconds % 60);
  const float right = real(pane.x + pane.w) - 26;
  const auto aligned = [&](float y, const char* string) {
    const float x = right - real(bodyFont().width(string));
    m_sprites.text(x + 1, y + 1, false, string, {0, 0, 0, 0.6f});
    m_sprites.text(x, y, false, string, {1, 1, 1, 1});
  };
  aligned(real(pane.y) + 17, text);
  std::snprintf(text, sizeof text, "%.1f fps", stats.fps);
  aligned(real(pane.y) + 33, text);
}

void Scene::layOut(const FrameStats& stats) {
  std::rotate(m_history.begin(), m_history.begin() + 1, m_history.end());
  m_history.back() = static_cast<float>(stats.frameMs);
  m_sprites.clear();
  for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
    PaneState& state = m_panes[pane];
    state.firstSprite = m_sprites.count();
    if (pane != kTaskbarPane && !(m_stillDrawn && state.settled)) m_sprites.shadow(state.rect);
    state.shadowSprites = m_sprites.count() - state.firstSprite;
    if (pane == kStatsPane) layOutStatistics(stats, state.rect);
    if (pane == kTaskbarPane) layOutTaskbar(stats, state.rect);
    state.sprites = m_sprites.count() - state.firstSprite - state.shadowSprites;
  }
}

// A pane settles if it never moves and nothing that changes lies below it. The panes below a settled pane are
// settled too, so all of them can be drawn once and copied.
void Scene::settlePanes() {
  const auto grown = [](Rect r) {
    return Rect{r.x - kShadow, r.y - kShadow, r.w + 2 * kShadow, r.h + 2 * kShadow};
  };
  for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
    PaneState& state = m_panes[pane];
    state.settled = pane != kAboutPane;
    const Rect behind = blurRect(state.rect);
    for (uint32_t below = 0; below < pane; ++below) {
      const Rect all = paneSweep(m_mode, static_cast<Pane>(below)), client = clientRect(all);
      const Rect changing =
          m_panes[below].settled ? Rect{all.x + client.x, all.y + client.y, client.w, client.h} : grown(all);
      if (behind.overlaps(changing)) state.settled = false;
    }
  }
}

Rect Scene::clientOnScreen(uint32_t pane) const {
  const Rect &r = m_panes[pane].rect, client = clientRect(r);
  return {r.x + client.x, r.y + client.y, client.w, client.h};
}

std::vector<Rect> Scene::restored() const {
  std::vector<Rect> out;
  for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
    const PaneState& state = m_panes[pane];
    if (state.settled) {
      // The model pane needs nothing, because the copy of the model covers its client area. The taskbar's
      // text lies on its frame, so all of the taskbar is restored.
      if (pane == kStatsPane) out.push_back(clientOnScreen(pane));
      if (pane == kTaskbarPane) out.push_back(state.rect);
      continue;
    }
    // Restores the pane's present and previous areas, with shadows, and the area that its blur reads, so that
    // the glass does not show its own previous picture.
    const auto width = static_cast<int>(m_mode.width), height = static_cast<int>(m_mode.height);
    int left = width, top = height, right = 0, bottom = 0;
    const auto add = [&](const Rect& r, int margin) {
      left = std::max(std::min(left, r.x - margin), 0);
      top = std::max(std::min(top, r.y - margin), 0);
      right = std::min(std::max(right, r.x + r.w + margin), width);
      bottom = std::min(std::max(bottom, r.y + r.h + margin), height);
    };
    add(state.before, kShadow);
    add(state.rect, kShadow);
    add(blurRect(state.rect), 0);
    out.push_back({left, top, right - left, bottom - top});
  }
  return out;
}

void Scene::renderModel(Encoder& e, double seconds) {
  const Rect client = clientRect(m_panes[kModelPane].rect);
  const float w = real(client.w), h = real(client.h);
  e.copyTexture(handle::kModelColor, handle::kBackdrop, static_cast<uint32_t>(client.w),
                static_cast<uint32_t>(client.h));
  e.target(handle::kModelColor, handle::kModelDepth, static_cast<uint32_t>(client.w),
           static_cast<uint32_t>(client.h));
  e.clear(AEROGPU_CLEAR_DEPTH, {}, 1.0f);
  const auto t = static_cast<float>(seconds);
  const Matrix view =
      multiply(translation(0, 0, 5.0f), rotation(-0.55f + 0.30f * std::sin(t * 0.43f), t * 0.70f));
  Matrix clip = multiply(perspective(0.82f, w / h, 1, 20), view);
  // Pixel centres, as in quad().
  for (size_t i = 0; i < 4; ++i) {
    clip[i] -= clip[12 + i] / w;
    clip[4 + i] += clip[12 + i] / h;
  }
  float constants[28];
  std::copy(clip.begin(), clip.end(), constants);
  std::copy(view.begin(), view.begin() + 12, constants + 16);
  e.renderState(RenderStateType::AlphaBlendEnable, 0);
  e.bindShaders(handle::kModelVs, handle::kModelPs);
  e.inputLayout(handle::kModelLayout);
  e.vertexBuffer(handle::kMeshVertices, sizeof(KnotVertex));
  e.indexBuffer(handle::kMeshIndices);
  e.topology(AEROGPU_TOPOLOGY_TRIANGLELIST);
  e.renderState(RenderStateType::ZEnable, 1);
  e.renderState(RenderStateType::ZWriteEnable, 1);
  e.renderState(RenderStateType::ZFunc, d3d9::CompareFunc::LessEqual);
  e.renderState(RenderStateType::CullMode, d3d9::CullMode::Cw);
  e.vertexConstants(0, constants);
  const float light[] = {-0.424f, 0.636f, -0.645f, 0, 0.16f, 0.92f, 48, 0.85f, 1.0f, 0.97f, 0.92f, 1};
  e.pixelConstants(0, light);
  e.sampler(0, SamplerMode::WrapMip);
  e.sampler(1, SamplerMode::ClampLinear);
  e.texture(0, handle::kSurface);
  e.texture(1, handle::kReflection);
  e.drawIndexed(m_meshIndices);
  e.texture(0, 0);
  e.texture(1, 0);
}

void Scene::renderBlur(Encoder& e, uint32_t pane, uint32_t source) {
  const Rect area = blurRect(m_panes[pane].rect);
  const float w = real(static_cast<int>(m_mode.width)), h = real(static_cast<int>(m_mode.height));
  const auto bw = static_cast<uint32_t>(area.w / kBlurScale), bh = static_cast<uint32_t>(area.h / kBlurScale);
  const RectF all{0, 0, static_cast<float>(bw), static_cast<float>(bh)};
  beginQuads(e, handle::kDownsamplePs, false);
  e.target(handle::kBlurA + pane, 0, bw, bh);
  e.texture(0, source);
  const float taps[] = {1 / w, 1 / h, 1 / w, -1 / h};
  e.pixelConstants(0, taps);
  quad(e, all, all.w, all.h,
       {real(area.x) / w, real(area.y) / h, real(area.x + area.w) / w, real(area.y + area.h) / h});
  beginQuads(e, handle::kBlurPs, false);
  for (const bool across : {true, false}) {
    e.target((across ? handle::kBlurB : handle::kBlurA) + pane, 0, bw, bh);
    e.texture(0, (across ? handle::kBlurA : handle::kBlurB) + pane);
    const float step[] = {across ? 1 / all.w : 0, across ? 0 : 1 / all.h, 0, 0};
    e.pixelConstants(0, step);
    quad(e, all, all.w, all.h);
  }
  e.texture(0, 0);
}

void Scene::drawSprites(Encoder& e, uint32_t first, uint32_t count) {
  if (count == 0) return;
  const float w = real(static_cast<int>(m_mode.width)), h = real(static_cast<int>(m_mode.height));
  flatStates(e, true);
  e.bindShaders(handle::kSpriteVs, handle::kSpritePs);
  e.inputLayout(handle::kSpriteLayout);
  e.topology(AEROGPU_TOPOLOGY_TRIANGLELIST);
  const float scale[] = {2 / w, -2 / h, -1 / w - 1, 1 + 1 / h};
  e.vertexConstants(0, scale);
  e.texture(0, handle::kAtlas);
  e.drawQuadsInline(m_sprites.vertices().data() + size_t{first} * 4, count, sizeof(SpriteVertex));
}

void Scene::renderGlass(Encoder& e, uint32_t pane) {
  const PaneState& state = m_panes[pane];
  const Rect& r = state.rect;
  const Rect blur = blurRect(r), client = clientRect(r);
  const float w = real(static_cast<int>(m_mode.width)), h = real(static_cast<int>(m_mode.height));
  drawSprites(e, state.firstSprite, state.shadowSprites);

  beginQuads(e, handle::kGlassPs, true);
  e.sampler(1, SamplerMode::ClampPoint);  // its pixels map to the screen's one to one
  e.sampler(2, SamplerMode::WrapLinear);
  e.texture(0, handle::kBlurA + pane);
  e.texture(1, handle::kPaneArt + pane);
  e.texture(2, handle::kStreaks);
  const float radius = 8, pw = real(r.w), ph = real(r.h);
  const bool rounded = pane != kTaskbarPane;
  const float* tint = kGlassTint[pane];
  const float constants[] = {tint[0],
                             tint[1],
                             tint[2],
                             tint[3],
                             pw,
                             ph,
                             pw / 2,
                             ph / 2,
                             rounded ? pw / 2 - radius : pw,
                             rounded ? ph / 2 - radius : ph,
                             rounded ? radius + 0.5f : 2,
                             kStreakStrength[pane]};
  e.pixelConstants(0, constants);
  // The streaks move more slowly than the pane: by 0.65 of its motion.
  const float shiftX = real(r.x) * 0.35f, shiftY = real(r.y) * 0.35f;
  const auto part = [&](int x, int y, int pieceW, int pieceH) {
    const float x0 = real(x), y0 = real(y), x1 = real(x + pieceW), y1 = real(y + pieceH);
    const float bx = real(r.x - blur.x), by = real(r.y - blur.y);
    quad(e, {real(r.x) + x0, real(r.y) + y0, x1 - x0, y1 - y0}, w, h, {x0 / pw, y0 / ph, x1 / pw, y1 / ph},
         {(bx + x0) / real(blur.w), (by + y0) / real(blur.h), (bx + x1) / real(blur.w),
          (by + y1) / real(blur.h)},
         {(shiftX + x0) / kStreakPeriod, (shiftY + y0) / kStreakPeriod, (shiftX + x1) / kStreakPeriod,
          (shiftY + y1) / kStreakPeriod});
  };
  if (pane == kModelPane) {
    // The model covers its client area: only the frame is glass.
    part(0, 0, r.w, client.y);
    part(0, client.y, client.x, client.h);
    part(client.x + client.w, client.y, r.w - client.x - client.w, client.h);
    part(0, client.y + client.h, r.w, r.h - client.y - client.h);
  } else {
    part(0, 0, r.w, r.h);
  }
  for (uint32_t slot = 0; slot < 3; ++slot) e.texture(slot, 0);
}

void Scene::renderContent(Encoder& e, uint32_t pane, uint32_t target) {
  const PaneState& state = m_panes[pane];
  if (pane == kModelPane) {
    const Rect client = clientRect(state.rect);
    e.copyTexture(target, handle::kModelColor, static_cast<uint32_t>(client.w),
                  static_cast<uint32_t>(client.h), static_cast<uint32_t>(state.rect.x + client.x),
                  static_cast<uint32_t>(state.rect.y + client.y));
  }
  drawSprites(e, state.firstSprite + state.shadowSprites, state.sprites);
  e.texture(0, 0);
}

void Scene::renderStill(Encoder& e) {
  e.copyTexture(handle::kStill, handle::kWallpaper, m_mode.width, m_mode.height);
  for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
    if (!m_panes[pane].settled) continue;
    renderBlur(e, pane, handle::kStill);
    e.target(handle::kStill, 0, m_mode.width, m_mode.height);
    renderGlass(e, pane);
  }
  m_stillDrawn = true;
}

void Scene::frame(const FrameStats& stats, CommandWriter& out) {
  Encoder e(out);
  for (uint32_t pane = 0; pane < kPaneCount; ++pane)
    m_panes[pane].rect = paneRect(m_mode, static_cast<Pane>(pane), stats.seconds);
  if (!m_stillDrawn) settlePanes();
  layOut(stats);
  std::vector<Rect> changed;
  if (m_stillDrawn) {
    changed = restored();
  } else {
    renderStill(e);
    changed = {{0, 0, static_cast<int>(m_mode.width), static_cast<int>(m_mode.height)}};
  }
  for (PaneState& state : m_panes) state.before = state.rect;
  renderModel(e, stats.seconds);

  const uint32_t target = handle::kShown;
  for (const Rect& rect : changed) e.copyRect(target, handle::kStill, rect);
  changed.push_back(clientOnScreen(kModelPane));
  e.target(target, 0, m_mode.width, m_mode.height);
  for (uint32_t pane = 0; pane < kPaneCount; ++pane) {
    if (!m_panes[pane].settled) {
      renderBlur(e, pane, target);
      e.target(target, 0, m_mode.width, m_mode.height);
      renderGlass(e, pane);
    }
    renderContent(e, pane, target);
  }
  e.presentVsync(changed);
}

}  // namespace aerogpu::guest
