// SPDX-License-Identifier: MIT
#include "testbed/programs/desktop_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "guest-drivers/programs/raster.h"

namespace programs {

// Clients of life are whole cells.
const std::array<DesktopWindow, kDesktopWindows> desktopWindows{{
    {"chart", ContentKind::kChart, "Monitor", false, 530, 34, 430, 212, 0},
    {"bubbles", ContentKind::kBubbles, "Bubbles", false, 26, 424, 348, 238, 0},
    {"life", ContentKind::kLife, "Life", true, 596, 406, 384, 252, 0},
    {"torus", ContentKind::kTorus, "Torus", false, 54, 40, 452, 336, 0},
    {"waves", ContentKind::kWaves, "Waves", true, 280, 262, 320, 180, 58},
}};

const std::array<double, kBlurReach + 1> kBlurWeights{0.1552852, 0.1442141, 0.1155156, 0.0798047,
                                                      0.0475524, 0.0244383, 0.0108324};

DesktopBox frameBox(uint32_t window, uint32_t frame) {
  const DesktopWindow &it = desktopWindows[window];
  DesktopBox box{it.x, it.y, static_cast<int>(it.width) + 2 * kBorder,
                 static_cast<int>(it.height) + kCaption + it.glass + kBorder};
  if (window == kDesktopWindows - 1) {  // back and forth
    const int at = static_cast<int>(frame % 240);
    box.x += at < 120 ? at : 240 - at;
    box.y += (at < 120 ? at : 240 - at) / 3;
  }
  return box;
}

DesktopBox clientBox(uint32_t window, uint32_t frame) {
  const DesktopBox box = frameBox(window, frame);
  return {box.x + kBorder, box.y + kCaption, static_cast<int>(desktopWindows[window].width),
          static_cast<int>(desktopWindows[window].height)};
}

DesktopBox taskbarBox() {
  return {0, static_cast<int>(kDesktopHeight) - kTaskbarHeight, static_cast<int>(kDesktopWidth), kTaskbarHeight};
}

std::vector<std::string> desktopTitles(int own, int other) {
  std::vector<std::string> titles;
  titles.reserve(std::size(desktopWindows));
  for (const DesktopWindow &window : desktopWindows)
    titles.push_back(std::string(window.title) + " - " + std::to_string(window.other ? other : own) + "-bit program");
  return titles;
}

namespace {

struct Colours {
  double channel[3];
};
Colours channels(uint32_t pixel) {
  return {{(pixel >> 16 & 255) / 255.0, (pixel >> 8 & 255) / 255.0, (pixel & 255) / 255.0}};
}
uint32_t packed(const Colours &colours) {
  return argb(255, unorm8(colours.channel[0]), unorm8(colours.channel[1]), unorm8(colours.channel[2]));
}

/** Calls `work(x, y, column, row)` for the pixels of a box that lie on the screen. */
template <class Work> void eachPixel(const DesktopBox &box, Work &&work) {
  for (int row = 0; row < box.height; ++row)
    for (int column = 0; column < box.width; ++column) {
      const int x = box.x + column, y = box.y + row;
      if (x < 0 || y < 0 || x >= static_cast<int>(kDesktopWidth) || y >= static_cast<int>(kDesktopHeight)) continue;
      work(static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(column),
           static_cast<uint32_t>(row));
    }
}

/** Blends as D3DBLEND_ONE and D3DBLEND_INVSRCALPHA do. */
void blendPremultiplied(Picture &scene, const DesktopBox &box, const Picture &over) {
  eachPixel(box, [&](uint32_t x, uint32_t y, uint32_t column, uint32_t row) {
    const uint32_t source = over.at(column, row);
    const double keep = 1 - (source >> 24) / 255.0;
    Colours sum = channels(source), below = channels(scene.at(x, y));
    for (int k = 0; k < 3; ++k) sum.channel[k] += below.channel[k] * keep;
    scene.at(x, y) = packed(sum);
  });
}

Picture reduced(const Picture &scene) {
  Picture small(scene.width / kReduce, scene.height / kReduce);
  for (uint32_t y = 0; y < small.height; ++y)
    for (uint32_t x = 0; x < small.width; ++x) {
      Colours sum{};
      for (uint32_t i = 0; i < kReduce * kReduce; ++i) {
        const Colours one = channels(scene.at(x * kReduce + i % kReduce, y * kReduce + i / kReduce));
        for (int k = 0; k < 3; ++k) sum.channel[k] += one.channel[k] / (kReduce * kReduce);
      }
      small.at(x, y) = packed(sum);
    }
  return small;
}

Picture blurred(const Picture &from, int stepX, int stepY) {
  Picture to(from.width, from.height);
  const int w = static_cast<int>(from.width), h = static_cast<int>(from.height);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      Colours sum{};
      for (int i = -kBlurReach; i <= kBlurReach; ++i) {
        const Colours one = channels(from.at(static_cast<uint32_t>(std::clamp(x + i * stepX, 0, w - 1)),
                                             static_cast<uint32_t>(std::clamp(y + i * stepY, 0, h - 1))));
        for (int k = 0; k < 3; ++k) sum.channel[k] += one.channel[k] * kBlurWeights[static_cast<size_t>(std::abs(i))];
      }
      to.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y)) = packed(sum);
    }
  return to;
}

/** Returns what a linear filter finds in a picture of a quarter of the size, at the centre of a pixel. */
Colours enlarged(const Picture &small, uint32_t x, uint32_t y) {
  const double u = (x + 0.5) / kReduce - 0.5, v = (y + 0.5) / kReduce - 0.5;
  const int left = static_cast<int>(std::floor(u)), top = static_cast<int>(std::floor(v));
  Colours sum{};
  for (int i = 0; i < 4; ++i) {
    const int column = left + i % 2, row = top + i / 2;
    const double weight = (i % 2 ? u - left : 1 - (u - left)) * (i / 2 ? v - top : 1 - (v - top));
    const Colours one =
        channels(small.at(static_cast<uint32_t>(std::clamp(column, 0, static_cast<int>(small.width) - 1)),
                          static_cast<uint32_t>(std::clamp(row, 0, static_cast<int>(small.height) - 1))));
    for (int k = 0; k < 3; ++k) sum.channel[k] += one.channel[k] * weight;
  }
  return sum;
}

void layGlass(Picture &scene, const DesktopBox &box, const Picture &glass, const Tint &tint) {
  const Picture behind = blurred(blurred(reduced(scene), 1, 0), 0, 1);
  const double colour[3] = {tint.r, tint.g, tint.b};
  eachPixel(box, [&](uint32_t x, uint32_t y, uint32_t column, uint32_t row) {
    const uint32_t surface = glass.at(column, row);
    const double share = (surface >> 24) / 255.0;
    Colours sum = enlarged(behind, x, y);
    const Colours light = channels(surface), below = channels(scene.at(x, y));
    for (int k = 0; k < 3; ++k) {
      const double own = sum.channel[k] + (colour[k] - sum.channel[k]) * tint.share + light.channel[k];
      sum.channel[k] = std::min(own, 1.0) * share + below.channel[k] * (1 - share);
    }
    scene.at(x, y) = packed(sum);
  });
}

}  // namespace

Picture desktopPicture(uint32_t frame, const std::vector<std::string> &titles) {
  Picture scene = wallpaperPicture();
  for (uint32_t i = 0; i < kDesktopWindows; ++i) {
    const DesktopBox box = frameBox(i, frame), client = clientBox(i, frame);
    blendPremultiplied(scene, shadowBox(box), shadowPicture(box.width, box.height));
    layGlass(scene, box, glassPicture(box.width, box.height, true), kWindowTint);
    const Picture content =
        contentPicture(desktopWindows[i].content, desktopWindows[i].width, desktopWindows[i].height, frame);
    eachPixel(client,
              [&](uint32_t x, uint32_t y, uint32_t column, uint32_t row) { scene.at(x, y) = content.at(column, row); });
    blendPremultiplied(scene, box, framePicture(i, titles[i]));
  }
  layGlass(scene, taskbarBox(), glassPicture(taskbarBox().width, taskbarBox().height, false), kTaskbarTint);
  blendPremultiplied(scene, taskbarBox(), taskbarPicture(titles));
  return scene;
}

}  // namespace programs
