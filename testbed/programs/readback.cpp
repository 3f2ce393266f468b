// SPDX-License-Identifier: MIT
// readback.exe: draws into a target, reads it back and compares every pixel with the result that Direct3D 9 requires.
#include <cstdio>
#include <cstring>

#include "testbed/programs/readback_cases.h"

namespace programs {

namespace {

constexpr Case kCases[] = {
    {"clear", clearRects, 0},
    {"gradient", gradient, 0},
    {"fill-rule", fillRule, 0},
    {"indexed", indexed, 0},
    {"viewport", viewport, 0},
    {"scissor-mask", scissorAndMask, 0},
    {"culling", culling, 0},
    {"depth-functions", depthFunctions, 0},
    {"depth-gradient", depthGradient, 0},
    {"stencil", stencilCount, 0},
    {"blend", blendModes, 1},
    {"alpha-test", alphaTest, 0},
    {"occlusion", occlusion, 0, D3DQUERYTYPE_OCCLUSION, "OCCLUSION"},
    {"timestamps", timestamps, 0, D3DQUERYTYPE_TIMESTAMP, "TIMESTAMP"},
    {"user-pointers", userPointers, 0},
    {"rewritten-buffer", rewrittenBuffer, 0},
    {"instances", instances, 0},
    {"clip-planes", clipPlanes, 0},
    {"scaled-copies", scaledCopies, 0},
    {"fixed-lighting", fixedLighting, 1},
    {"fixed-stages", fixedStages, 1},
    {"fixed-coordinates", fixedCoordinates, 0},
    {"fixed-fog", fixedFog, 1},
    {"addressing", addressing, 0},
    {"bilinear", bilinear, 1},
    {"mip-levels", mipLevels, 0},
    {"copies", copies, 0},
    {"drawn-texture", drawnTexture, 0},
    {"formats", formats, 1},
    {"drawn-formats", drawnFormats, 2},
    {"volume", volume, 1, {}, nullptr, volumeMissing},
    {"cube", cube, 0},
    {"multisample", multisample, 1, {}, nullptr, samplesMissing},
    {"generated-levels", generatedLevels, 2, {}, nullptr, generatedMissing},
};

constexpr char kHelp[] =
    "readback.exe: pictures that are read back and compared, pixel by pixel. --frames and --draws mean "
    "nothing here.\n"
    "  --only CASE         one of them";

enum class Outcome { kRight, kWrong, kSkipped };

/** Draws one picture, and prints, as a line of TAP, whether it is right or why it cannot be tested. */
Outcome runCase(Canvas &canvas, const Case &one) {
  // The documented answer of a driver without this kind of query.
  if (one.query && canvas.device()->CreateQuery(one.query, nullptr) == D3DERR_NOTAVAILABLE) {
    std::printf("ok %s # SKIP CreateQuery(%s) answers D3DERR_NOTAVAILABLE: this driver has no such query\n", one.name,
                one.queryName);
    return Outcome::kSkipped;
  }
  if (const char *missing = one.missing ? one.missing(canvas) : nullptr) {
    std::printf("ok %s # SKIP this driver reports no %s\n", one.name, missing);
    return Outcome::kSkipped;
  }
  Picture expected(kCanvasSize, kCanvasSize), got;
  const bool right = canvas.reset() && one.run(canvas, &expected) && canvas.read(&got) &&
                     samePicture(one.name, got, expected, one.tolerance, true);
  std::printf("%s %s\n", right ? "ok" : "not ok", one.name);
  return right ? Outcome::kRight : Outcome::kWrong;
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "readback", .help = kHelp}, argc, argv, options, exitCode)) return exitCode;
  Window window;
  Device device;
  Canvas canvas;
  if (!window.open(options.x, options.y, kCanvasSize, kCanvasSize) ||
      !device.create(options, {.width = kCanvasSize, .height = kCanvasSize}, window.handle()) ||
      !canvas.create(device.device.get()))
    return 1;
  uint32_t count[3] = {};
  for (const Case &one : kCases) {
    if (options.only && std::strcmp(options.only, one.name) != 0) continue;
    ++count[static_cast<int>(runCase(canvas, one))];
  }
  const uint32_t right = count[static_cast<int>(Outcome::kRight)], wrong = count[static_cast<int>(Outcome::kWrong)],
                 skipped = count[static_cast<int>(Outcome::kSkipped)];
  if (right + wrong + skipped == 0) {
    fail("there is no case '%s'", options.only);
    return 2;
  }
  if (options.hold) holdPicture();
  std::printf("readback: %s, %u right, %u wrong, %u skipped\n", wrong ? "not ok" : "ok", right, wrong, skipped);
  return wrong ? 1 : 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
