// SPDX-License-Identifier: MIT
// bench_scenes.h: the scenes of bench.exe as numbers: the same picture is drawn in direct Vulkan calls
// (testbed/direct-scenes/direct_scenes.cpp). No Windows header.
#pragma once

#include <cstdint>
#include <cstdio>

#include "guest-drivers/programs/picture.h"

namespace programs::bench {

constexpr uint32_t kWidth = 1024, kHeight = 768;
constexpr uint32_t kBackground = 0xFF102030;
/** How many frames come before those that count; the number of the frame whose picture is printed, and how many frames
 * are drawn for it, itself included, because windows that did not change show what earlier frames drew. */
constexpr uint32_t kWarmFrames = 10, kShownFrame = 1000, kShownFrames = 5;

struct Vertex {
  float x, y, z;
  float value[4];  // texture coordinates, or a colour
};
constexpr uint32_t kQuadVertices = 6, kQuadBytes = kQuadVertices * sizeof(Vertex);

struct Corner {
  float x, y, u, v;
};

/** Writes two triangles between two corners, in pixels. */
inline void writeQuad(Vertex *out, const Corner &first, const Corner &last) {
  const Corner corners[4] = {first, {last.x, first.y, last.u, first.v}, {first.x, last.y, first.u, last.v}, last};
  for (const int i : {0, 1, 2, 2, 1, 3})
    *out++ = {corners[i].x - 0.5f, corners[i].y - 0.5f, 0.5f, {corners[i].u, corners[i].v, 0.25f, 0.5f}};
}

inline uint32_t texel(uint32_t x, uint32_t y, uint32_t seed) {
  return argb(96 + (x * 7 + y * 5) % 128, (x * 3 + seed * 40) & 255, (y * 2 + seed * 25) & 255, ((x ^ y) + seed) & 255);
}

/** 5000 draws of a small quad: each has its own constants, and some change texture, shader or blending. */
struct DrawsScene {
  static constexpr uint32_t kDraws = 5000, kTextures = 8, kTextureSide = 32;
  static uint32_t texture(uint32_t draw) { return draw / 4 % kTextures; }
  static bool isTextured(uint32_t draw) { return draw / 250 % 2 == 0; }
  static bool isBlended(uint32_t draw) { return draw / 100 % 2 != 0; }
  static void write(Vertex *out) { writeQuad(out, {0, 0, 0, 0}, {12, 12, 1, 1}); }
  /** Computes four registers; `toClip` transforms pixels to clip space. */
  static void constants(uint32_t draw, uint32_t frame, const float toClip[4], float out[4][4]) {
    out[0][0] = toClip[0];
    out[0][1] = toClip[1];
    out[0][2] = toClip[2] + toClip[0] * static_cast<float>(draw % 84 * 12 + frame % 12);
    const uint32_t row = draw / 84;
    out[0][3] = toClip[3] + toClip[1] * static_cast<float>(row * 12);
    out[3][0] = static_cast<float>(draw);
  }
};

/** 4000 blended, moving sprites of four textures: 50 in a draw, written before it. */
struct SpritesScene {
  static constexpr uint32_t kSprites = 4000, kBatch = 50, kBatches = kSprites / kBatch;
  static constexpr uint32_t kTextures = 4, kTextureSide = 64;
  static uint32_t texture(uint32_t batch) { return batch % kTextures; }
  static void write(Vertex *out, uint32_t sprite, uint32_t frame) {
    const auto x = static_cast<float>((sprite * 97 + frame * (1 + sprite % 3)) % (kWidth - 24));
    const auto y = static_cast<float>((sprite * 61 + frame * (1 + sprite % 2)) % (kHeight - 24));
    writeQuad(out, {x, y, 0, 0}, {x + 24, y + 24, 1, 1});
  }
};

/** Eight textures of 256x256 that are rewritten in each frame, 2 MiB, like video and interfaces. */
struct TexturesScene {
  static constexpr uint32_t kSide = 256, kTextures = 8;
  static uint32_t seed(uint32_t texture, uint32_t frame) { return frame + texture; }
  static void write(Vertex *out, uint32_t texture) {
    const uint32_t row = texture / 4;
    const auto x = static_cast<float>(texture % 4 * kSide), y = static_cast<float>(row * kSide);
    writeQuad(out, {x, y, 0, 0}, {x + kSide, y + kSide, 1, 1});
  }
};

/** 20 windows, render targets of 320x240 of which four draw a new picture in each frame; all are composed over a
 * background, each with a blended frame, like glass. */
struct WindowsScene {
  static constexpr uint32_t kWindows = 20, kChanging = 4, kParts = 8;
  static constexpr uint32_t kWindowWidth = 320, kWindowHeight = 240;
  static constexpr uint32_t kPictureSide = 128, kPictureSeed = 3, kGlassSide = 64, kGlassSeed = 5;
  static constexpr uint32_t kEmpty = 0xFF405060, kDesktop = 0xFF204060;
  // Quads: frames and contents of the windows, and the parts that changing windows draw.
  static constexpr uint32_t kFramesAt = 0, kContentsAt = kWindows, kPartsAt = 2 * kWindows, kQuads = kPartsAt + kParts;

  static uint32_t changing(uint32_t index, uint32_t frame) { return (frame * kChanging + index) % kWindows; }
  static uint32_t background(uint32_t window, uint32_t frame) { return 0xFF000000 | (frame * 5 + window * 11) % 256; }
  static void write(Vertex *out, uint32_t quad, uint32_t frame) {
    if (quad >= kPartsAt) {
      const auto at = static_cast<float>((quad - kPartsAt) * 120);
      writeQuad(out, {at, at / 2, 0, 0}, {at + 200, at / 2 + 200, 1, 1});
      return;
    }
    const uint32_t window = quad % kWindows;
    const auto x = static_cast<float>((window * 131 + frame) % 680 + 8), y = static_cast<float>(window * 23 + 24);
    if (quad < kContentsAt)
      writeQuad(out, {x - 6, y - 20, 0, 0}, {x + kWindowWidth + 6, y + kWindowHeight + 6, 4, 4});
    else
      writeQuad(out, {x, y, 0, 0}, {x + kWindowWidth, y + kWindowHeight, 1, 1});
  }
};

/** A picture of 1024x1024, 4 MiB, or of 128x128, 64 KiB, on its way to a texture or back from a target, and nothing
 * else: a frame is one such way, which shows nothing. Direct Vulkan has no such scene. */
struct TransferScene {
  static constexpr uint32_t kSide = 1024, kSmallSide = 128;
  static uint32_t color(uint32_t frame) { return 0xFF000000 | (frame * 2654435761u) >> 8; }
};

/** Prints means of 8x8 fields of a picture, one line: different stacks round differently, but not by much. `at(x,
 * y)` returns an A8R8G8B8. */
template <class Pixels> void tellPicture(const Pixels &at) {
  constexpr uint32_t kFields = 8, kAcross = kWidth / kFields, kDown = kHeight / kFields;
  std::printf("picture");
  for (uint32_t field = 0; field < kFields * kFields; ++field) {
    uint64_t sums[3] = {};
    for (uint32_t y = 0; y < kDown; ++y)
      for (uint32_t x = 0; x < kAcross; ++x) {
        const uint32_t pixel = at(field % kFields * kAcross + x, field / kFields * kDown + y);
        for (int channel = 0; channel < 3; ++channel) sums[channel] += pixel >> (8 * channel) & 255;
      }
    for (const uint64_t sum : sums) std::printf(" %u", static_cast<unsigned>(sum / (uint64_t{kAcross} * kDown)));
  }
  std::printf("\n");
}

}  // namespace programs::bench
