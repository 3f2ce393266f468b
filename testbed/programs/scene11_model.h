// SPDX-License-Identifier: MIT
// scene11_model.h: the scene of scene11.exe, and what Direct3D 11 draws of it, computed on the CPU. No Windows header.
//
// The rules are those of the Direct3D 11.3 Functional Specification:
//  - 3.4.1 "Coordinate Snapping" (to 1/256 pixel), 3.4.2 "Triangle Rasterization Rules" (top-left): raster.h has both;
//    its pixel centres are at whole numbers, those of Direct3D 11 at halves (3.3.1);
//  - 16.4 "Rasterizer / Pixel Shader Attribute Interpolation Modes": x/w and 1/w are linear on the screen;
//  - 7.18.8 "Linear Sample Addressing": texel centres at halves, each coordinate wrapped by itself; with 8 bits of
//    fraction at least (7.18.16.1), so neighbouring texels differ little;
//  - 7.18.11 "LOD Calculations": log2 of the longer of the two derivatives of the coordinates, in texels;
//  - 15.7 "Scissor Test", 17.11 "Depth Comparison", 17.3 "Interaction of Blend with Multiple RenderTargets";
//  - 3.2.3.6 "FLOAT -> UNORM": to the nearest of 255 steps.
// Values that implementations may round are kept out of the scene: levels of detail are whole or halfway between two
// levels, no pixel's centre lies near an edge or near the line where two planes cross, and nothing is added to a colour
// that was rounded before.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "guest-drivers/programs/picture.h"

namespace programs::scene11 {

constexpr uint32_t kWidth = 320, kHeight = 240;
constexpr uint32_t kBackground = argb(255, 48, 56, 64), kSecondBackground = argb(128, 200, 100, 50);

using Texel = std::array<double, 4>;  // red, green, blue, alpha; 0..1

/** The texture: each level has a pattern of its own, so that a wrong level shows. */
constexpr uint32_t kTextureSize = 64, kLevels = 4;
struct Level {
  uint32_t size;
  std::vector<uint32_t> texels;  ///< R8G8B8A8: red in the lowest byte
};
std::vector<Level> textureLevels();

enum class Address { Wrap, Mirror, Clamp };
/** Samplers of the scene; `levels`: how many levels they may use. */
struct Sampler {
  Address address;
  bool linear;
  uint32_t levels;
};
constexpr Sampler kSamplers[] = {
    {Address::Wrap, true, kLevels}, {Address::Mirror, true, 1}, {Address::Clamp, false, 1}};

/** A corner: its place in pixels, depth, the w by which x, y and z are divided, texture coordinates. */
struct Vertex {
  double x, y, z, w, u, v;
};

enum class Blend { None, Over, Add };
/** A quad of two triangles; corners 0, 1, 2 and 0, 2, 3. */
struct Quad {
  Vertex corners[4];
  Texel tint;
  uint32_t sampler;
  Blend blend;
  bool depthWrite;
  bool scissor;
};
const std::vector<Quad> &quads();
struct Rect {
  uint32_t left, top, right, bottom;
};
constexpr Rect kScissor = {17, 118, 58, 141};

/** What both targets show: the second gets the colour with the second tint, blended in the same way, and of it red and
 * green alone. */
constexpr Texel kSecondTint = {0.5, 0.9, 0.75, 0.8};
struct Pictures {
  Picture first{kWidth, kHeight, kBackground}, second{kWidth, kHeight, kSecondBackground};
  bool clear = true;  ///< false: some pixel is too near to a crossing to be compared
};
Pictures expectation();

}  // namespace programs::scene11
