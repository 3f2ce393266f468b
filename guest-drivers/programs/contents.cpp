// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/contents.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace programs {

namespace {

constexpr double kPi = 3.14159265358979323846;

uint32_t packed(const double rgba[4]) {
  return argb(unorm8(rgba[3]), unorm8(rgba[0]), unorm8(rgba[1]), unorm8(rgba[2]));
}

void paint(Picture &picture, const Gradient &part) {
  for (int row = 0; row < part.height; ++row) {
    double colour[4];
    const double share = (row + 0.5) / part.height;
    for (int k = 0; k < 4; ++k) colour[k] = part.top[k] + (part.bottom[k] - part.top[k]) * share;
    for (int column = 0; column < part.width; ++column)
      picture.at(static_cast<uint32_t>(part.x + column), static_cast<uint32_t>(part.y + row)) = packed(colour);
  }
}

struct Vector {
  double x, y, z;
};
Vector operator*(const Vector &v, double k) {
  return {v.x * k, v.y * k, v.z * k};
}
Vector operator+(const Vector &a, const Vector &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
double dot(const Vector &a, const Vector &b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector unit(const Vector &v) {
  return v * (1 / std::sqrt(dot(v, v)));
}
Vector turned(const Vector &v, double aboutY, double aboutX) {
  const double x = v.x * std::cos(aboutY) + v.z * std::sin(aboutY), z = v.z * std::cos(aboutY) - v.x * std::sin(aboutY);
  return {x, v.y * std::cos(aboutX) - z * std::sin(aboutX), v.y * std::sin(aboutX) + z * std::cos(aboutX)};
}

/** Computes the light on a surface with this normal, seen along -z. */
void shade(const Vector &normal, double band, double colour[4]) {
  const Vector light = unit({-0.45, 0.6, -0.66}), half = unit(light + Vector{0, 0, -1});
  const double diffuse = std::max(0.0, dot(normal, light));
  const double shine = std::pow(std::max(0.0, dot(normal, half)), 42);
  const double rim = std::pow(1 - std::max(0.0, -normal.z), 3);
  const double first[3] = {0.98, 0.55, 0.12}, second[3] = {0.86, 0.20, 0.16};
  const double sky[3] = {0.25, 0.5, 0.75};
  for (int k = 0; k < 3; ++k) {
    const double own = first[k] * band + second[k] * (1 - band);
    colour[k] = std::clamp(own * (0.16 + 0.86 * diffuse) + 0.75 * shine + sky[k] * rim * 0.7, 0.0, 1.0);
  }
  colour[3] = 1;
}

double sixteenths(double value) {
  return std::floor(value * 16 + 0.5) / 16;
}

/** Returns a position that moves back and forth between 0 and `room`. */
uint32_t bounce(uint32_t position, uint32_t room) {
  const uint32_t at = position % (2 * room);
  return at < room ? at : 2 * room - at;
}

/** Returns 0..255, without a visible pattern. */
uint32_t scattered(uint32_t a, uint32_t b) {
  uint32_t bits = a * 0x9E3779B1u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
  bits = (bits ^ bits >> 15) * 0xC2B2AE35u;
  return bits >> 24;
}

float wave(float u) {
  const float w = std::fabs(2 * (u - std::floor(u)) - 1);
  return w * w * (3 - 2 * w);
}

Picture wavesPicture(uint32_t width, uint32_t height, uint32_t frame) {
  Picture picture(width, height);
  float phases[4];
  wavePhases(frame, phases);
  for (uint32_t row = 0; row < height; ++row)
    for (uint32_t column = 0; column < width; ++column) {
      const float x = (static_cast<float>(column) + 0.5f) * kWaveScale,
                  y = (static_cast<float>(row) + 0.5f) * kWaveScale;
      const float a = wave(x + phases[0]);
      const float b = wave(y * 0.9f + phases[1] + a * 0.35f);
      const float c = wave((x + y) * 0.6f + phases[2] + b * 0.8f);
      const double colour[4] = {0.04 + 0.15 * a + 0.10 * b + 0.85 * c, 0.10 + 0.15 * a + 0.55 * b + 0.25 * c,
                                0.30 + 0.45 * a + 0.15 * b + 0.10 * c, 1};
      picture.at(column, row) = packed(colour);
    }
  return picture;
}

}  // namespace

bool contentKind(std::string_view name, ContentKind *kind) {
  constexpr std::pair<std::string_view, ContentKind> kNames[] = {{"torus", ContentKind::kTorus},
                                                                 {"waves", ContentKind::kWaves},
                                                                 {"bubbles", ContentKind::kBubbles},
                                                                 {"chart", ContentKind::kChart},
                                                                 {"life", ContentKind::kLife}};
  for (const auto &[known, value] : kNames) {
    if (known != name) continue;
    *kind = value;
    return true;
  }
  return false;
}

std::vector<Gradient> chartParts(uint32_t width, uint32_t height, uint32_t frame) {
  const int w = static_cast<int>(width), h = static_cast<int>(height);
  std::vector<Gradient> parts{{0, 0, w, h, {0.05, 0.08, 0.12, 1}, {0.02, 0.03, 0.06, 1}}};
  const auto line = [&](int x, int y, int lineWidth, int lineHeight) {
    parts.push_back({x, y, lineWidth, lineHeight, {0.13, 0.20, 0.26, 1}, {0.13, 0.20, 0.26, 1}});
  };
  for (int y = h / 6; y < h; y += h / 6) line(0, y, w, 1);
  for (int x = w - static_cast<int>(frame) % 40; x > 0; x -= 40)
    if (x < w) line(x, 0, 1, h);
  // A column is one frame wide and moves left; its height is two waves and some noise.
  constexpr int kColumn = 4;
  for (int x = 0; x + kColumn <= w; x += kColumn) {
    const uint32_t when = frame / 2 + static_cast<uint32_t>(x / kColumn);
    const int slow = static_cast<int>(bounce(when, 60)), fast = static_cast<int>(bounce(when * 5, 70));
    const int top = h * (18 + slow / 2 + fast / 3 + static_cast<int>(scattered(when, 1)) / 16) / 110;
    const int low = h * (6 + slow / 5 + static_cast<int>(scattered(when, 2)) / 24) / 110;
    parts.push_back({x, h - top, kColumn - 1, top - low, {0.45, 0.95, 0.60, 1}, {0.05, 0.32, 0.30, 1}});
    parts.push_back({x, h - low, kColumn - 1, low, {1.0, 0.75, 0.25, 1}, {0.55, 0.20, 0.05, 1}});
  }
  return parts;
}

Gradient torusGround(uint32_t width, uint32_t height) {
  return {0, 0, static_cast<int>(width), static_cast<int>(height), {0.03, 0.05, 0.09, 1}, {0.13, 0.20, 0.30, 1}};
}

Gradient bubblesGround(uint32_t width, uint32_t height) {
  return {0, 0, static_cast<int>(width), static_cast<int>(height), {0.10, 0.45, 0.62, 1}, {0.02, 0.10, 0.25, 1}};
}

std::vector<Corner> torusTriangles(uint32_t width, uint32_t height, uint32_t frame) {
  constexpr int kAround = 56, kTube = 22;  // two triangles each, of which about half are visible
  constexpr double kRadius = 1.0, kThickness = 0.42, kDistance = 3.6;
  const double turnY = frame * 0.021, turnX = 0.72 + 0.22 * std::sin(frame * 0.013 + 2);
  const double scale = std::min(width, height) * 1.12;
  struct Point {
    Corner corner;
    double depth;
  };
  std::vector<Point> points;
  for (int i = 0; i < kAround; ++i)
    for (int k = 0; k < kTube; ++k) {
      const double a = 2 * kPi * i / kAround, b = 2 * kPi * k / kTube;
      const Vector out{std::cos(a), 0, std::sin(a)};
      const Vector normal = turned(out * std::cos(b) + Vector{0, std::sin(b), 0}, turnY, turnX);
      const Vector place =
          turned(out * (kRadius + kThickness * std::cos(b)) + Vector{0, kThickness * std::sin(b), 0}, turnY, turnX);
      const double z = place.z + kDistance;
      Point point{{sixteenths(width / 2.0 + scale * place.x / z), sixteenths(height / 2.0 - scale * place.y / z), {}},
                  z};
      shade(normal, 0.5 + 0.5 * std::sin(3 * a), point.corner.value);
      points.push_back(point);
    }
  struct Triangle {
    std::array<int, 3> point;
    double depth;
  };
  std::vector<Triangle> triangles;
  const auto add = [&](int a, int b, int c) {
    const auto at = [&](int i) -> const Corner & { return points[static_cast<size_t>(i)].corner; };
    const double area = (at(b).x - at(a).x) * (at(c).y - at(a).y) - (at(b).y - at(a).y) * (at(c).x - at(a).x);
    if (area >= 0) return;  // facing away
    const auto depth = [&](int i) { return points[static_cast<size_t>(i)].depth; };
    triangles.push_back({{a, b, c}, depth(a) + depth(b) + depth(c)});
  };
  for (int i = 0; i < kAround; ++i)
    for (int k = 0; k < kTube; ++k) {
      const int next = (i + 1) % kAround, up = (k + 1) % kTube;
      add(i * kTube + k, next * kTube + k, next * kTube + up);
      add(i * kTube + k, next * kTube + up, i * kTube + up);
    }
  std::stable_sort(triangles.begin(), triangles.end(),
                   [](const Triangle &a, const Triangle &b) { return a.depth > b.depth; });
  std::vector<Corner> corners;
  for (const Triangle &triangle : triangles)
    for (const int i : triangle.point) corners.push_back(points[static_cast<size_t>(i)].corner);
  return corners;
}

Picture bubblePicture() {
  Picture picture(kBubbleSize, kBubbleSize);
  for (uint32_t y = 0; y < kBubbleSize; ++y)
    for (uint32_t x = 0; x < kBubbleSize; ++x) {
      const double dx = (2 * x + 1.0) / kBubbleSize - 1, dy = (2 * y + 1.0) / kBubbleSize - 1;
      const double distance = std::sqrt(dx * dx + dy * dy);
      const double inside = std::clamp((0.96 - distance) * kBubbleSize / 2 + 0.5, 0.0, 1.0);
      const double rim = distance * distance * distance * distance;
      const double shineX = dx + 0.36, shineY = dy + 0.42, spotX = dx - 0.35, spotY = dy - 0.45;
      const double shine = std::clamp(1.15 - 4.5 * std::sqrt(shineX * shineX + shineY * shineY * 1.6), 0.0, 1.0);
      const double spot = std::clamp(0.7 - 5 * std::sqrt(spotX * spotX + spotY * spotY), 0.0, 1.0);
      const double light = std::max(shine, 0.6 * spot);
      const double colour[4] = {std::min(1.0, 0.35 + 0.45 * rim + light), std::min(1.0, 0.75 + 0.2 * rim + light),
                                std::min(1.0, 0.95 + light), inside * std::min(1.0, 0.14 + 0.62 * rim + 0.85 * light)};
      picture.at(x, y) = packed(colour);
    }
  return picture;
}

Place bubblePlace(uint32_t bubble, uint32_t width, uint32_t height, uint32_t frame) {
  return {bounce(bubble * 97 + frame * (1 + bubble % 2), width - kBubbleSize),
          bounce(bubble * 61 + 7 + frame * (1 + bubble % 3), height - kBubbleSize)};
}

void wavePhases(uint32_t frame, float phases[4]) {
  phases[0] = static_cast<float>(frame) / 256;
  phases[1] = static_cast<float>(frame) / 384;
  phases[2] = static_cast<float>(frame) / 192;
  phases[3] = 0;
}

Picture lifePicture(uint32_t width, uint32_t height, uint32_t frame) {
  const uint32_t w = width / kCell, h = height / kCell;
  std::vector<uint8_t> age(size_t{w} * h), next(age.size());
  for (uint32_t i = 0; i < age.size(); ++i) age[i] = scattered(i, 3) < 84;
  for (uint32_t step = 0; step < frame / 4; ++step) {
    for (uint32_t y = 0; y < h; ++y)
      for (uint32_t x = 0; x < w; ++x) {
        unsigned neighbours = 0;
        for (uint32_t k = 0; k < 9; ++k)
          if (k != 4) neighbours += age[size_t{(y + h + k / 3 - 1) % h} * w + (x + w + k % 3 - 1) % w] != 0;
        const unsigned own = age[size_t{y} * w + x];
        const bool lives = neighbours == 3 || (own && neighbours == 2);
        next[size_t{y} * w + x] = static_cast<uint8_t>(lives ? std::min(own + 1, 200u) : 0);
      }
    age.swap(next);
  }
  Picture picture(w, h);
  for (uint32_t i = 0; i < age.size(); ++i) {
    const uint32_t old = std::min<uint32_t>(age[i], 24);
    picture.pixels[i] = age[i] ? argb(255, 255 - old * 9, 235 - old * 5, 90 + old * 6) : argb(255, 16, 22, 40);
  }
  return picture;
}

Picture contentPicture(ContentKind kind, uint32_t width, uint32_t height, uint32_t frame) {
  Picture picture(width, height, argb(255, 0, 0, 0));
  switch (kind) {
  case ContentKind::kWaves:
    return wavesPicture(width, height, frame);
  case ContentKind::kChart:
    for (const Gradient &part : chartParts(width, height, frame)) paint(picture, part);
    return picture;
  case ContentKind::kTorus: {
    paint(picture, torusGround(width, height));
    const std::vector<Corner> corners = torusTriangles(width, height, frame);
    for (size_t i = 0; i + 2 < corners.size(); i += 3) {
      const Corner triangle[3] = {corners[i], corners[i + 1], corners[i + 2]};
      rasterize(width, height, triangle,
                [&](uint32_t x, uint32_t y, const double *value) { picture.at(x, y) = packed(value); });
    }
    return picture;
  }
  case ContentKind::kBubbles: {
    paint(picture, bubblesGround(width, height));
    const Picture bubble = bubblePicture();
    for (uint32_t i = 0; i < kBubbles; ++i) {
      const Place place = bubblePlace(i, width, height, frame);
      for (uint32_t y = 0; y < kBubbleSize; ++y)
        for (uint32_t x = 0; x < kBubbleSize; ++x) {
          uint32_t &pixel = picture.at(place.x + x, place.y + y);
          pixel = blendOver(bubble.at(x, y), pixel) | argb(255, 0, 0, 0);
        }
    }
    return picture;
  }
  case ContentKind::kLife: {
    const Picture cells = lifePicture(width, height, frame);
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) picture.at(x, y) = cells.at(x / kCell, y / kCell);
    return picture;
  }
  }
  return picture;
}

}  // namespace programs
