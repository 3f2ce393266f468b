// SPDX-License-Identifier: MIT
// readback_cases.h: the pictures of readback.exe. Each draws on the canvas and computes, from the rules of Direct3D 9,
// the expected value of every pixel.
#pragma once

#include "guest-drivers/programs/canvas.h"

namespace programs {

struct Case {
  const char *name;
  bool (*run)(Canvas &canvas, Picture *expected);  // false if a call failed, which it has printed
  uint32_t tolerance;                              // steps of 255 that a channel may differ
  D3DQUERYTYPE query = {};                         // a kind of query that it needs, if any
  const char *queryName = nullptr;
  const char *(*missing)(Canvas &canvas) =
      nullptr;  // names a required feature that the driver does not announce; null: none is missing
};

/** Gives each pixel of `area`, which lies inside of the picture, the colour. */
inline void fill(Picture *picture, const Area &area, uint32_t colour) {
  for (uint32_t y = 0; y < area.height; ++y)
    for (uint32_t x = 0; x < area.width; ++x) picture->at(area.x + x, area.y + y) = colour;
}

// readback_raster.cpp
bool clearRects(Canvas &canvas, Picture *expected);
bool gradient(Canvas &canvas, Picture *expected);
bool fillRule(Canvas &canvas, Picture *expected);
bool indexed(Canvas &canvas, Picture *expected);
bool viewport(Canvas &canvas, Picture *expected);
bool scissorAndMask(Canvas &canvas, Picture *expected);
bool culling(Canvas &canvas, Picture *expected);

// readback_output.cpp
bool depthFunctions(Canvas &canvas, Picture *expected);
bool depthGradient(Canvas &canvas, Picture *expected);
bool stencilCount(Canvas &canvas, Picture *expected);
bool blendModes(Canvas &canvas, Picture *expected);
bool alphaTest(Canvas &canvas, Picture *expected);
bool occlusion(Canvas &canvas, Picture *expected);

// readback_draws.cpp
bool userPointers(Canvas &canvas, Picture *expected);
bool rewrittenBuffer(Canvas &canvas, Picture *expected);
bool instances(Canvas &canvas, Picture *expected);
bool clipPlanes(Canvas &canvas, Picture *expected);
bool scaledCopies(Canvas &canvas, Picture *expected);
bool timestamps(Canvas &canvas, Picture *expected);

// readback_texture.cpp
bool addressing(Canvas &canvas, Picture *expected);
bool bilinear(Canvas &canvas, Picture *expected);
bool mipLevels(Canvas &canvas, Picture *expected);
bool copies(Canvas &canvas, Picture *expected);
bool drawnTexture(Canvas &canvas, Picture *expected);

// readback_formats.cpp
bool formats(Canvas &canvas, Picture *expected);
bool drawnFormats(Canvas &canvas, Picture *expected);

// readback_kinds.cpp
bool volume(Canvas &canvas, Picture *expected);
bool cube(Canvas &canvas, Picture *expected);
bool multisample(Canvas &canvas, Picture *expected);
bool generatedLevels(Canvas &canvas, Picture *expected);
const char *volumeMissing(Canvas &canvas);
const char *samplesMissing(Canvas &canvas);
const char *generatedMissing(Canvas &canvas);

// readback_fixed.cpp
bool fixedLighting(Canvas &canvas, Picture *expected);
bool fixedStages(Canvas &canvas, Picture *expected);
bool fixedCoordinates(Canvas &canvas, Picture *expected);
bool fixedFog(Canvas &canvas, Picture *expected);

}  // namespace programs
