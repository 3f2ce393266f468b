// SPDX-License-Identifier: MIT
// readback.exe: draws into a target, reads it back and compares every pixel with what Direct3D 9 says it must be.
#include <cstdio>
#include <cstring>

#include "readback_cases.h"

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
    {"occlusion", occlusion, 0, D3DQUERYTYPE_OCCLUSION},
    {"addressing", addressing, 0},
    {"bilinear", bilinear, 1},
    {"mip-levels", mipLevels, 0},
    {"copies", copies, 0},
    {"drawn-texture", drawnTexture, 0},
};

constexpr char kHelp[] =
    "readback.exe: pictures that are read back and compared, pixel by pixel. --frames and --draws mean nothing here.\n"
    "  --only CASE         one of them";

bool runCase(Canvas &canvas, const Case &one) {
  // The documented answer of a driver without this kind of query.
  if (one.query && canvas.device()->CreateQuery(one.query, nullptr) == D3DERR_NOTAVAILABLE) {
    std::printf("ok %s # skip: this driver has no such query\n", one.name);
    return true;
  }
  Picture expected(kCanvasSize, kCanvasSize), got;
  const bool right = canvas.reset() && one.run(canvas, &expected) && canvas.read(&got) &&
                     samePicture(one.name, got, expected, one.tolerance, true);
  std::printf("%s %s\n", right ? "ok" : "not ok", one.name);
  return right;
}

int run(int argc, char **argv) {
  begin("readback");
  Options options;
  int exitCode = 0;
  if (!readOptions(argc, argv, kHelp, options, exitCode)) return exitCode;
  Window window;
  Device device;
  Canvas canvas;
  if (!window.open(options.x, options.y, kCanvasSize, kCanvasSize) ||
      !device.create(options, {.width = kCanvasSize, .height = kCanvasSize}, window.handle()) ||
      !canvas.create(device.device.get()))
    return 1;
  bool all = true, known = false;
  for (const Case &one : kCases) {
    if (options.only && std::strcmp(options.only, one.name) != 0) continue;
    known = true;
    all = runCase(canvas, one) && all;
  }
  if (!known) {
    fail("there is no case '%s'", options.only);
    return 2;
  }
  if (options.hold) holdPicture();
  std::printf("readback: %s\n", all ? "ok" : "not ok");
  return all ? 0 : 1;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
