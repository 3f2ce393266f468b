// SPDX-License-Identifier: MIT
// contents.h: models what the desktop's windows show, frame by frame. It includes no Windows header; producer.exe draws
// it with Direct3D (contents_draw.cpp), compositor.exe computes from it what must be on the screen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "guest-drivers/programs/picture.h"
#include "guest-drivers/programs/raster.h"

namespace programs {

enum class ContentKind { kTorus, kWaves, kBubbles, kChart, kLife };

/** Returns false if no content has this name. */
bool contentKind(std::string_view name, ContentKind *kind);

/** Returns the picture of a frame, opaque. A drawn picture's channels may differ by kContentTolerance. */
Picture contentPicture(ContentKind kind, uint32_t width, uint32_t height, uint32_t frame);
inline constexpr uint32_t kContentTolerance = 2;  // up to four blends over each other, each of which rounds

// The parts. Colours are r, g, b, a of 0..1.

/** A rectangle whose colour changes from top to bottom. */
struct Gradient {
  int x, y, width, height;
  double top[4], bottom[4];
};
/** The parts of a chart, from back to front. */
std::vector<Gradient> chartParts(uint32_t width, uint32_t height, uint32_t frame);
/** The backgrounds of the torus and of the bubbles. */
Gradient torusGround(uint32_t width, uint32_t height);
Gradient bubblesGround(uint32_t width, uint32_t height);

/** Returns triangles from back to front, three corners each, whose positions are whole sixteenths of pixels: both
 * sides round them to the same points. `value` is the colour. */
std::vector<Corner> torusTriangles(uint32_t width, uint32_t height, uint32_t frame);

inline constexpr uint32_t kBubbles = 9, kBubbleSize = 72;
/** A glass ball, straight alpha. */
Picture bubblePicture();
struct Place {
  uint32_t x, y;
};
/** Returns the upper left pixel of a bubble; the content is larger than a bubble. */
Place bubblePlace(uint32_t bubble, uint32_t width, uint32_t height, uint32_t frame);

/** c0 of waves.psa. */
void wavePhases(uint32_t frame, float phases[4]);
/** scale of t0.xy: whole waves a pixel. */
inline constexpr float kWaveScale = 1.0f / 160;

inline constexpr uint32_t kCell = 4;  // pixels
/** Conway's Game of Life on a torus of width/kCell x height/kCell cells, coloured by age, one texel a cell. */
Picture lifePicture(uint32_t width, uint32_t height, uint32_t frame);

}  // namespace programs
