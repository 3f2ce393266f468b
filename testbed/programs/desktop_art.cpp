// SPDX-License-Identifier: MIT
// The still pictures of the desktop: wallpaper, frames, light on glass, shadows. Painted once, by the CPU.
#include <algorithm>
#include <cmath>

#include "guest-drivers/linux/demo/canvas.h"
#include "testbed/programs/desktop_model.h"

namespace programs {

namespace {

using aerogpu::guest::Color;
using ArtCanvas = aerogpu::guest::Canvas;

constexpr Color kWhite{1, 1, 1, 1}, kBlack{0, 0, 0, 1}, kInk{0.05f, 0.08f, 0.12f, 1};
constexpr int kShadowReach = 22, kShadowDrop = 5;

double smooth(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

float f(int value) {
  return static_cast<float>(value);
}

ArtCanvas canvasOf(Picture &picture) {
  const int width = static_cast<int>(picture.width);
  return {picture.pixels.data(), width, static_cast<int>(picture.height), width};
}

/** Returns the distance of a point to a rounded box of this size, in pixels; negative inside. */
double outside(double x, double y, double width, double height, double radius) {
  const double dx = std::fabs(x - width / 2) - (width / 2 - radius),
               dy = std::fabs(y - height / 2) - (height / 2 - radius);
  if (dx <= 0 || dy <= 0) return std::max(dx, dy) - radius;
  return std::sqrt(dx * dx + dy * dy) - radius;
}

void captionButton(ArtCanvas &canvas, float x, float width, Color top, Color bottom, int symbol) {
  const aerogpu::guest::RectF r{x, 1, width, 18};
  canvas.fill(r, 3, top, bottom);
  canvas.fill({r.x, r.y, r.w, 9}, 3, kWhite.alpha(0.45f), kWhite.alpha(0.12f));
  canvas.stroke(r, 3, 1, kBlack.alpha(0.5f), kBlack.alpha(0.5f));
  const float cx = r.x + r.w / 2, cy = r.y + r.h / 2;
  for (const auto &[grow, colour] : {std::pair{1.6f, kBlack.alpha(0.55f)}, std::pair{0.0f, kWhite}}) {
    if (symbol == 0) canvas.line(cx - 4, cy + 3, cx + 4, cy + 3, 2 + grow, colour);
    if (symbol == 1)
      canvas.stroke({cx - 5 - grow / 2, cy - 4 - grow / 2, 10 + grow, 8 + grow}, 1, 1.8f + grow, colour, colour);
    if (symbol == 2) {
      canvas.line(cx - 3.5f, cy - 3.5f, cx + 3.5f, cy + 3.5f, 2 + grow, colour);
      canvas.line(cx + 3.5f, cy - 3.5f, cx - 3.5f, cy + 3.5f, 2 + grow, colour);
    }
  }
}

void icon(ArtCanvas &canvas, float x, float y) {
  canvas.fill({x, y, 16, 16}, 3, {0.30f, 0.62f, 0.95f, 1}, {0.05f, 0.25f, 0.62f, 1});
  canvas.fill({x, y, 16, 8}, 3, kWhite.alpha(0.5f), kWhite.alpha(0.15f));
  canvas.stroke({x, y, 16, 16}, 3, 1, kBlack.alpha(0.55f), kBlack.alpha(0.55f));
}

}  // namespace

DesktopBox shadowBox(const DesktopBox &frame) {
  return {frame.x - kShadowReach, frame.y - kShadowReach + kShadowDrop, frame.width + 2 * kShadowReach,
          frame.height + 2 * kShadowReach};
}

Picture shadowPicture(int frameWidth, int frameHeight) {
  Picture picture(static_cast<uint32_t>(frameWidth + 2 * kShadowReach),
                  static_cast<uint32_t>(frameHeight + 2 * kShadowReach));
  for (uint32_t y = 0; y < picture.height; ++y)
    for (uint32_t x = 0; x < picture.width; ++x) {
      const double distance = outside(x + 0.5 - kShadowReach, y + 0.5 - kShadowReach, frameWidth, frameHeight, kCorner);
      const double share = 1 - std::clamp((distance + 6) / (kShadowReach + 6), 0.0, 1.0);
      picture.at(x, y) = argb(unorm8(0.60 * share * share), 0, 0, 0);
    }
  return picture;
}

Picture glassPicture(int width, int height, bool window) {
  Picture picture(static_cast<uint32_t>(width), static_cast<uint32_t>(height));
  for (uint32_t y = 0; y < picture.height; ++y)
    for (uint32_t x = 0; x < picture.width; ++x) {
      const double cover = window ? std::clamp(0.5 - outside(x + 0.5, y + 0.5, width, height, kCorner), 0.0, 1.0) : 1.0;
      const double t = (x + y * 1.0) * 6.2831853 / 420;
      double light =
          0.10 * std::pow(0.5 + 0.5 * std::sin(t), 3) + 0.06 * std::pow(0.5 + 0.5 * std::sin(2 * t + 1.3), 6);
      if (y < kCaption / 2) light += 0.10 * (1 - y / (kCaption / 2.0));
      if (!window) light *= 0.6;
      picture.at(x, y) = argb(unorm8(cover), unorm8(light), unorm8(light), unorm8(light));
    }
  return picture;
}

Picture framePicture(uint32_t window, const std::string &title) {
  const DesktopBox box = frameBox(window, 0), inside = clientBox(window, 0);
  const int width = box.width, height = box.height;
  const bool active = window + 1 == kDesktopWindows;
  Picture picture(static_cast<uint32_t>(width), static_cast<uint32_t>(height));
  ArtCanvas canvas = canvasOf(picture);
  const float w = f(width), h = f(height);
  canvas.stroke({0, 0, w, h}, kCorner, 1, kBlack.alpha(0.75f), kBlack.alpha(0.75f));
  canvas.stroke({1, 1, w - 2, h - 2}, kCorner - 1, 1, kWhite.alpha(0.75f), kWhite.alpha(0.35f));
  const aerogpu::guest::RectF client{f(kBorder) - 1, f(kCaption) - 1, f(inside.width) + 2, f(inside.height) + 2};
  canvas.stroke(client.inset(-1), 1, 1, kWhite.alpha(0.55f), kWhite.alpha(0.55f));
  canvas.stroke(client, 0, 1, kBlack.alpha(0.65f), kBlack.alpha(0.65f));
  if (desktopWindows[window].glass) {
    const float line = f(kCaption + inside.height);
    canvas.glowText(20, line + 27, aerogpu::guest::boldFont(), "Glass", kInk, kWhite.alpha(0.8f), 4);
    canvas.glowText(20, line + 46, aerogpu::guest::bodyFont(), "What lies behind, blurred in every frame", kInk,
                    kWhite.alpha(0.8f), 4);
  }
  icon(canvas, 9, 8);
  canvas.glowText(31, 21, aerogpu::guest::boldFont(), title, active ? kInk : kInk.alpha(0.8f), kWhite.alpha(0.75f), 4);
  const Color top{0.60f, 0.72f, 0.84f, 0.55f}, bottom{0.25f, 0.40f, 0.55f, 0.60f};
  captionButton(canvas, w - 108, 28, top, bottom, 0);
  captionButton(canvas, w - 80, 26, top, bottom, 1);
  if (active)
    captionButton(canvas, w - 54, 44, {0.92f, 0.45f, 0.35f, 0.95f}, {0.62f, 0.10f, 0.06f, 0.95f}, 2);
  else
    captionButton(canvas, w - 54, 44, top, bottom, 2);
  return picture;
}

Picture taskbarPicture(const std::vector<std::string> &titles) {
  const DesktopBox box = taskbarBox();
  Picture picture(static_cast<uint32_t>(box.width), static_cast<uint32_t>(box.height));
  ArtCanvas canvas = canvasOf(picture);
  const float w = f(box.width);
  canvas.fill({0, 0, w, 1}, 0, kBlack.alpha(0.7f));
  canvas.fill({0, 1, w, 1}, 0, kWhite.alpha(0.4f));
  canvas.disc(28, 20, 15, {0.55f, 0.90f, 1, 1}, {0.03f, 0.22f, 0.48f, 1}, 28, 26);
  canvas.ring(28, 20, 15.5f, 1.2f, kBlack.alpha(0.6f));
  canvas.disc(28, 14, 9, kWhite.alpha(0.55f), kWhite.alpha(0.05f), 28, 8);
  float x = 58;
  for (size_t i = 0; i < titles.size(); ++i) {
    const std::string name = titles[i].substr(0, titles[i].find(" - "));
    const bool active = i + 1 == titles.size();
    canvas.fill({x, 4, 138, 34}, 3, kWhite.alpha(active ? 0.42f : 0.20f), kWhite.alpha(active ? 0.22f : 0.06f));
    canvas.stroke({x, 4, 138, 34}, 3, 1, kBlack.alpha(0.55f), kBlack.alpha(0.55f));
    canvas.stroke({x + 1, 5, 136, 32}, 2, 1, kWhite.alpha(0.35f), kWhite.alpha(0.15f));
    icon(canvas, x + 9, 13);
    canvas.text(x + 33, 26, aerogpu::guest::bodyFont(), name, kBlack.alpha(0.5f));
    canvas.text(x + 32, 25, aerogpu::guest::bodyFont(), name, kWhite);
    x += 144;
  }
  const std::string own = "Direct3D 9Ex";
  canvas.text(w - 18 - f(aerogpu::guest::bodyFont().width(own)), 25, aerogpu::guest::bodyFont(), own,
              kWhite.alpha(0.9f));
  return picture;
}

Picture wallpaperPicture() {
  Picture picture(kDesktopWidth, kDesktopHeight);
  const double ratio = static_cast<double>(kDesktopWidth) / kDesktopHeight;
  struct Ribbon {
    double height, swing, bend, phase, width;
    double colour[3];
  };
  constexpr Ribbon kRibbons[] = {{0.60, 0.16, 2.1, 0.4, 0.10, {0.10, 0.65, 0.80}},
                                 {0.46, 0.13, 2.8, 2.0, 0.055, {0.25, 0.85, 0.55}},
                                 {0.72, 0.10, 1.7, 4.1, 0.16, {0.15, 0.35, 0.85}},
                                 {0.36, 0.09, 3.4, 5.2, 0.035, {0.75, 0.50, 0.90}}};
  for (uint32_t y = 0; y < picture.height; ++y)
    for (uint32_t x = 0; x < picture.width; ++x) {
      const double u = (x + 0.5) / kDesktopWidth, v = (y + 0.5) / kDesktopHeight;
      const double depth = smooth(0, 1, v);
      double colour[3] = {0.02 + 0.03 * depth, 0.13 + 0.14 * depth, 0.34 + 0.20 * depth};
      const double gx = (u - 0.62) * ratio, gy = v - 0.34, glow = std::exp(-3.2 * (gx * gx + gy * gy));
      const double sky[3] = {0.10, 0.36, 0.52};
      for (int k = 0; k < 3; ++k) colour[k] += sky[k] * glow;
      for (const Ribbon &ribbon : kRibbons) {
        const double middle = ribbon.height + ribbon.swing * std::sin(ribbon.bend * u * 3 + ribbon.phase) +
                              0.03 * std::sin(9 * u + 2 * ribbon.phase);
        const double away = (v - middle) / ribbon.width;
        // A sharp upper edge with light, and a soft fall-off below it.
        const double light = away < 0 ? std::exp(-40 * away * away) : std::exp(-1.1 * away);
        const double along = 0.30 + 0.25 * std::sin(5 * u + ribbon.phase * 3);
        for (int k = 0; k < 3; ++k) colour[k] += ribbon.colour[k] * light * along * 0.62;
      }
      const double corner = 1.04 - 0.75 * ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5));
      picture.at(x, y) = argb(255, unorm8(colour[0] * corner), unorm8(colour[1] * corner), unorm8(colour[2] * corner));
    }
  return picture;
}

}  // namespace programs
