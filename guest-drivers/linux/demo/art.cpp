// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/art.h"

#include <algorithm>
#include <cmath>

namespace aerogpu::guest {

namespace {

constexpr Color kWhite{1, 1, 1, 1}, kBlack{0, 0, 0, 1};
constexpr Color kText{0.07f, 0.09f, 0.13f, 1};

void paintButton(Canvas& canvas, RectF r, Color top, Color bottom, int symbol) {
  canvas.fill(r, 3, top, bottom);
  canvas.fill({r.x, r.y, r.w, r.h * 0.48f}, 3, kWhite.alpha(0.55f), kWhite.alpha(0.20f));
  canvas.stroke(r, 3, 1, kBlack.alpha(0.55f), kBlack.alpha(0.55f));
  canvas.stroke(r.inset(1), 2, 1, kWhite.alpha(0.55f), kWhite.alpha(0.25f));
  const float cx = r.x + r.w / 2, cy = r.y + r.h / 2;
  const Color ink = kWhite, edge = kBlack.alpha(0.6f);
  for (const auto& [grow, color] : {std::pair{1.6f, edge}, std::pair{0.0f, ink}}) {
    if (symbol == 0) canvas.line(cx - 4, cy + 3, cx + 4, cy + 3, 2.0f + grow, color);
    if (symbol == 1) {
      canvas.stroke({cx - 5 - grow / 2, cy - 4 - grow / 2, 10 + grow, 8 + grow}, 1, 1.8f + grow, color,
                    color);
    }
    if (symbol == 2) {
      canvas.line(cx - 3.5f, cy - 3.5f, cx + 3.5f, cy + 3.5f, 2.0f + grow, color);
      canvas.line(cx + 3.5f, cy - 3.5f, cx - 3.5f, cy + 3.5f, 2.0f + grow, color);
    }
  }
}

void paintFrame(Canvas& canvas, const char* title, bool active) {
  const float w = real(canvas.width()), h = real(canvas.height());
  const RectF all{0, 0, w, h};
  // Light from above on the caption, fading; a faint gleam along the bottom.
  canvas.fill({0, 0, w, real(kCaption)}, 8, kWhite.alpha(active ? 0.42f : 0.30f), kWhite.alpha(0.05f));
  canvas.fill({0, 0, w, 13}, 8, kWhite.alpha(0.16f), kWhite.alpha(0.07f));
  canvas.fill({0, h - 24, w, 24}, 8, kWhite.alpha(0), kWhite.alpha(0.12f));
  canvas.stroke(all, 8, 1, kBlack.alpha(0.62f), kBlack.alpha(0.70f));
  canvas.stroke(all.inset(1), 7, 1, kWhite.alpha(0.85f), kWhite.alpha(0.42f));
  // The icon is a small bright square with a gloss.
  const RectF icon{11, 8, 15, 15};
  canvas.fill(icon, 3, {0.30f, 0.80f, 0.95f, 1}, {0.05f, 0.32f, 0.70f, 1});
  canvas.fill({11, 8, 15, 7}, 3, kWhite.alpha(0.6f), kWhite.alpha(0.12f));
  canvas.stroke(icon, 3, 1, kBlack.alpha(0.5f), kBlack.alpha(0.5f));
  canvas.glowText(34, 20, boldFont(), title, kText, kWhite.alpha(0.85f), 4);
  // The buttons hang from the upper edge.
  const Color glassTop{0.75f, 0.84f, 0.93f, 0.55f}, glassBottom{0.42f, 0.55f, 0.70f, 0.55f};
  paintButton(canvas, {w - 112, 1, 30, 19}, glassTop, glassBottom, 0);
  paintButton(canvas, {w - 82, 1, 28, 19}, glassTop, glassBottom, 1);
  paintButton(canvas, {w - 54, 1, 46, 19}, {0.93f, 0.48f, 0.40f, 0.95f}, {0.72f, 0.13f, 0.07f, 0.95f}, 2);
}

void paintClientEdge(Canvas& canvas, const Rect& client) {
  const RectF r{real(client.x), real(client.y), real(client.w), real(client.h)};
  canvas.stroke(r.inset(-2), 2, 1, kWhite.alpha(0.35f), kWhite.alpha(0.5f));
  canvas.stroke(r.inset(-1), 1, 1, kBlack.alpha(0.55f), kBlack.alpha(0.55f));
}

void paintModelPane(Canvas& canvas) {
  paintFrame(canvas, "Torus knot - Direct3D 9", false);
  const Rect client = clientRect({0, 0, canvas.width(), canvas.height()});
  paintClientEdge(canvas, client);
  canvas.fill({real(client.x), real(client.y), real(client.w), real(client.h)}, 0, kBlack);
}

void paintStatsPane(Canvas& canvas) {
  paintFrame(canvas, "Frame statistics", false);
  const Rect client = clientRect({0, 0, canvas.width(), canvas.height()});
  paintClientEdge(canvas, client);
  // Frosted: most of the light is held back, the colours still come through.
  canvas.fill({real(client.x), real(client.y), real(client.w), real(client.h)}, 0,
              {0.02f, 0.05f, 0.09f, 0.80f}, {0.03f, 0.08f, 0.14f, 0.70f});
  const int graphTop = client.y + 128, graphHeight = client.h - 128 - 38;
  canvas.fill({real(client.x + 14), real(graphTop), real(client.w - 28), real(graphHeight)}, 4,
              kBlack.alpha(0.35f));
  canvas.stroke({real(client.x + 14), real(graphTop), real(client.w - 28), real(graphHeight)}, 4, 1,
                kWhite.alpha(0.16f), kWhite.alpha(0.22f));
  canvas.text(real(client.x + 14), real(client.y + client.h - 14), bodyFont(),
              "frame time, 0 to 33.3 ms; the line is one vblank", {0.70f, 0.80f, 0.88f, 1});
}

void paintAboutPane(Canvas& canvas) {
  paintFrame(canvas, "About aerogpu", true);
  const float w = real(canvas.width());
  // An emblem: two panes of glass, one behind the other.
  canvas.fill({34, 66, 54, 54}, 8, {0.10f, 0.45f, 0.85f, 0.85f}, {0.03f, 0.18f, 0.48f, 0.85f});
  canvas.stroke({34, 66, 54, 54}, 8, 1.2f, kWhite.alpha(0.7f), kWhite.alpha(0.25f));
  canvas.fill({52, 84, 54, 54}, 8, {0.35f, 0.90f, 0.80f, 0.72f}, {0.05f, 0.50f, 0.62f, 0.72f});
  canvas.fill({52, 84, 54, 25}, 8, kWhite.alpha(0.50f), kWhite.alpha(0.12f));
  canvas.stroke({52, 84, 54, 54}, 8, 1.2f, kWhite.alpha(0.9f), kWhite.alpha(0.35f));
  canvas.glowText(126, 100, titleFont(), "aerogpu", {0.03f, 0.10f, 0.20f, 1}, kWhite.alpha(0.75f), 7);
  canvas.glowText(128, 124, bodyFont(), "A GPU for virtual machines", kText, kWhite.alpha(0.7f), 5);
  const char* lines[] = {"Every pixel here is drawn by the virtual device:",
                         "Direct3D 9 shaders, translated to Vulkan on the host.",
                         "Glass: quarter size, Gaussian blur, live."};
  for (int i = 0; i < 3; ++i)
    canvas.glowText(34, real(168 + i * 20), bodyFont(), lines[i], kText, kWhite.alpha(0.65f), 5);
  canvas.fill({w - 10, 0, 1, 1}, 0, kWhite.alpha(0));
}

void paintTaskbarPane(Canvas& canvas) {
  const float w = real(canvas.width()), h = real(canvas.height());
  canvas.fill({0, 0, w, h}, 0, {0.02f, 0.05f, 0.10f, 0.30f}, {0.0f, 0.02f, 0.05f, 0.48f});
  canvas.fill({0, 0, w, h * 0.45f}, 0, kWhite.alpha(0.22f), kWhite.alpha(0.07f));
  canvas.fill({0, 0, w, 1}, 0, kBlack.alpha(0.65f));
  canvas.fill({0, 1, w, 1}, 0, kWhite.alpha(0.42f));
  const char* titles[] = {"Torus knot", "Frame statistics", "About aerogpu"};
  for (int i = 0; i < 3; ++i) {
    const RectF r{real(66 + i * 168), 3, 162, h - 5};
    const float strength = i == 2 ? 1.0f : 0.55f;
    canvas.fill(r, 3, kWhite.alpha(0.30f * strength), kWhite.alpha(0.06f * strength));
    canvas.fill({r.x, r.y, r.w, r.h * 0.48f}, 3, kWhite.alpha(0.26f * strength),
                kWhite.alpha(0.10f * strength));
    canvas.stroke(r, 3, 1, kBlack.alpha(0.5f), kBlack.alpha(0.5f));
    canvas.stroke(r.inset(1), 2, 1, kWhite.alpha(0.5f * strength), kWhite.alpha(0.2f * strength));
    const RectF icon{r.x + 10, r.y + 9, 17, 17};
    const Color tints[] = {{0.98f, 0.66f, 0.20f, 1}, {0.35f, 0.85f, 0.42f, 1}, {0.30f, 0.72f, 0.98f, 1}};
    canvas.fill(icon, 3, tints[i], mix(tints[i], kBlack, 0.5f));
    canvas.fill({icon.x, icon.y, icon.w, 8}, 3, kWhite.alpha(0.55f), kWhite.alpha(0.12f));
    canvas.stroke(icon, 3, 1, kBlack.alpha(0.5f), kBlack.alpha(0.5f));
    canvas.text(r.x + 36, 25, bodyFont(), titles[i], kBlack.alpha(0.6f));
    canvas.text(r.x + 35, 24, bodyFont(), titles[i], kWhite);
  }
  // Show-desktop strip at the far end.
  canvas.fill({w - 14, 2, 13, h - 3}, 0, kWhite.alpha(0.25f), kWhite.alpha(0.05f));
  canvas.stroke({w - 14, 1, 14, h}, 0, 1, kBlack.alpha(0.45f), kBlack.alpha(0.45f));
  // The orb: a ball lit from above left, a gleam, an aurora wave in it.
  const float cx = 31, cy = h / 2 + 0.5f, radius = 17.5f;
  canvas.disc(cx, cy, radius + 2, {0.45f, 0.85f, 1.0f, 0.35f}, {0.3f, 0.7f, 1.0f, 0}, cx, cy);
  canvas.disc(cx, cy, radius, {0.36f, 0.78f, 0.98f, 1}, {0.02f, 0.13f, 0.34f, 1}, cx, cy + 9);
  for (int i = 0; i < 3; ++i)
    for (int x = -11; x < 11; ++x) {
      const auto wave = [&](int at) {
        return cy - 3 + real(i * 5) + 3.2f * std::sin(real(at) * 0.30f + real(i) * 0.9f) - real(at) * 0.15f;
      };
      const Color tints[] = {
          {0.55f, 1.0f, 0.75f, 0.85f}, {0.85f, 1.0f, 1.0f, 0.85f}, {1.0f, 0.85f, 0.45f, 0.85f}};
      canvas.line(cx + real(x), wave(x), cx + real(x + 1), wave(x + 1), 2.2f, tints[i].alpha(0.7f));
    }
  canvas.disc(cx, cy - 8, 11.5f, kWhite.alpha(0.60f), kWhite.alpha(0.05f), cx, cy - 16);
  canvas.ring(cx, cy, radius, 1.2f, kBlack.alpha(0.6f));
  canvas.ring(cx, cy, radius - 1.2f, 1.0f, kWhite.alpha(0.45f));
}

}  // namespace

void paintPane(Canvas& canvas, Pane pane) {
  switch (pane) {
    case kModelPane:
      return paintModelPane(canvas);
    case kStatsPane:
      return paintStatsPane(canvas);
    case kAboutPane:
      return paintAboutPane(canvas);
    case kTaskbarPane:
      return paintTaskbarPane(canvas);
    case kPaneCount:
      return;
  }
}

Atlas paintAtlas(Canvas& canvas) {
  Atlas atlas;
  // The shadow of a rounded box: the normal distribution's edge, close to 1 / (1 + e^x), in both directions.
  const float tile = real(kShadowTile), sigma = real(kShadow) / 5.5f;
  const auto edge = [&](float x) { return 1 / (1 + std::exp(-(x - real(kShadow) * 0.62f) / sigma)); };
  for (int y = 0; y < kShadowTile; ++y)
    for (int x = 0; x < kShadowTile; ++x) {
      const float px = real(x) + 0.5f, py = real(y) + 0.5f;
      canvas.blend(x, y, kBlack, 0.62f * edge(std::min(px, tile - px)) * edge(std::min(py, tile - py)));
    }
  int x = kShadowTile + 2, y = 1;
  atlas.whiteX = x + 1;
  atlas.whiteY = y + 1;
  canvas.fill({real(x), real(y), 3, 3}, 0, kWhite);
  x += 5;
  for (const auto& [font, places] : {std::pair{&bodyFont(), atlas.body}, std::pair{&boldFont(), atlas.bold}})
    for (int i = 0; i < 95; ++i) {
      const Glyph& g = font->glyphs[i];
      if (x + g.width + 1 > kAtlasWidth) {
        x = y + font->lineHeight < kShadowTile + 2 ? kShadowTile + 2 : 1;
        y += font->lineHeight + 2;
      }
      places[i] = {x, y};
      for (int row = 0; row < g.height; ++row)
        for (int column = 0; column < g.width; ++column)
          canvas.blend(x + column, y + row, kWhite,
                       real(font->bits[g.offset + static_cast<uint32_t>(row * g.width + column)]) / 255);
      x += g.width + 1;
    }
  return atlas;
}

void paintBackdrop(Canvas& canvas) {
  const float w = real(canvas.width()), h = real(canvas.height());
  for (int y = 0; y < canvas.height(); ++y)
    for (int x = 0; x < canvas.width(); ++x) {
      const float dx = (real(x) + 0.5f) / w - 0.5f, dy = (real(y) + 0.5f) / h - 0.42f;
      const float t = std::min(1.0f, std::sqrt(dx * dx + dy * dy) * 1.5f);
      canvas.blend(x, y, mix({0.16f, 0.25f, 0.36f, 1}, {0.015f, 0.025f, 0.05f, 1}, t), 1);
    }
}

void paintStreaks(Canvas& canvas) {
  const float w = real(canvas.width());
  for (int y = 0; y < canvas.height(); ++y)
    for (int x = 0; x < canvas.width(); ++x) {
      // Along the diagonal, with a whole number of periods so that the picture tiles.
      const float t = std::fmod((real(x) + real(y)) / w, 1.0f) * 6.2831853f;
      float light = 0.55f * std::pow(0.5f + 0.5f * std::sin(t), 3.0f) +
                    0.30f * std::pow(0.5f + 0.5f * std::sin(2 * t + 1.3f), 6.0f) +
                    0.22f * std::pow(0.5f + 0.5f * std::sin(5 * t + 0.4f), 12.0f);
      light = std::min(1.0f, light);
      canvas.blend(x, y, {light, light, light, 1}, 1);
    }
}

void paintSurface(Canvas& canvas) {
  const float w = real(canvas.width()), h = real(canvas.height());
  for (int y = 0; y < canvas.height(); ++y)
    for (int x = 0; x < canvas.width(); ++x) {
      const float u = real(x) / w, v = real(y) / h;
      // Two bands of colour with a bright seam, and fine brushing along them.
      const float band = 0.5f + 0.5f * std::sin(6.2831853f * (u + 0.08f * std::sin(6.2831853f * v)));
      Color c = mix({0.92f, 0.42f, 0.10f, 1}, {0.98f, 0.80f, 0.32f, 1}, band * band);
      const float line = std::fabs(std::fmod(v * 2 + 0.5f, 1.0f) - 0.5f);
      if (line < 0.07f) c = mix({0.10f, 0.16f, 0.24f, 1}, c, line < 0.045f ? 0.0f : (line - 0.045f) / 0.025f);
      const float brush = 0.94f + 0.06f * std::sin(6.2831853f * 16 * v) * std::sin(6.2831853f * (3 * u));
      canvas.blend(x, y, {c.r * brush, c.g * brush, c.b * brush, 1}, 1);
    }
}

void paintMip(const uint32_t* source, Canvas& canvas) {
  const int w = canvas.width() * 2;
  for (int y = 0; y < canvas.height(); ++y)
    for (int x = 0; x < canvas.width(); ++x) {
      float sum[3] = {};
      for (int i = 0; i < 4; ++i) {
        const uint32_t p = source[(2 * y + i / 2) * w + 2 * x + i % 2];
        for (int c = 0; c < 3; ++c) sum[c] += real(static_cast<int>(p >> (8 * c) & 0xFF)) / (4 * 255);
      }
      canvas.blend(x, y, {sum[2], sum[1], sum[0], 1}, 1);
    }
}

void paintCursor(uint32_t* pixels) {
  std::fill(pixels, pixels + kCursorSize * kCursorSize, 0u);
  Canvas canvas(pixels, kCursorSize, kCursorSize, kCursorSize);
  const std::vector<std::pair<float, float>> arrow{{0, 0},        {0, 17},       {4, 13.2f},    {6.8f, 19.5f},
                                                   {9.6f, 18.2f}, {6.9f, 12.2f}, {12.3f, 12.2f}};
  const auto placed = [&](float dx, float dy, float grow) {
    auto points = arrow;
    for (auto& [x, y] : points) {
      x = (x - 4.5f) * grow + 4.5f + kCursorHot + dx;
      y = (y - 9) * grow + 9 + kCursorHot + dy;
    }
    return points;
  };
  for (int i = 0; i < 4; ++i)
    canvas.polygon(placed(1.5f + real(i) * 0.4f, 1.5f + real(i) * 0.4f, 1.0f + real(i) * 0.02f),
                   kBlack.alpha(0.12f));
  canvas.polygon(placed(0, 0, 1), kBlack.alpha(0.9f));
  const std::vector<std::pair<float, float>> inner{{1.1f, 2.6f},  {1.1f, 14.6f}, {4.4f, 11.5f}, {7.3f, 18.0f},
                                                   {8.2f, 17.6f}, {5.3f, 11.1f}, {9.7f, 11.1f}};
  auto white = inner;
  for (auto& [x, y] : white) {
    x += kCursorHot;
    y += kCursorHot;
  }
  canvas.polygon(white, kWhite);
  for (int i = 0; i < kCursorSize * kCursorSize; ++i) {
    const uint32_t p = pixels[i], a = p >> 24;
    if (a == 0) continue;
    const auto straight = [&](int shift) {
      return std::min(255u, ((p >> shift & 0xFF) * 255 + a / 2) / a) << shift;
    };
    pixels[i] = a << 24 | straight(16) | straight(8) | straight(0);
  }
}

}  // namespace aerogpu::guest
