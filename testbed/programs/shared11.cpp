// SPDX-License-Identifier: MIT
// shared11.exe: textures that devices of Direct3D 9Ex, 10.1 and 11 share. One makes a texture and draws in it, another
// one, in a process of its own, opens it, reads each pixel and draws, and the first reads each pixel and draws with it.
//
//   shared11.exe [--one-process | --alone | --other PROGRAM] [--only MAKER,OPENER,FORMAT]
//
//   --one-process     both devices are in this process
//   --alone           one device does both parts, and nothing is shared
//   --other PROGRAM   the second process is this program: shared11.exe for the other kind of processor
//   --only MAKER,OPENER,FORMAT   one of kPairs alone: versions of Direct3D, and a DXGI_FORMAT as a number
#include "testbed/programs/shared11.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "guest-drivers/programs/fail.h"

namespace programs {

const CornerColours &gradientOf(bool second) {
  constexpr float kLow = -0.5f / 255, kHigh = 255.5f / 255;
  static constexpr CornerColours kFirst = {
      {kHigh, kLow, kLow, 1}, {kLow, kLow, kHigh, 1}, {kHigh, kHigh, kLow, 1}, {kLow, kHigh, kHigh, 1}};
  static constexpr CornerColours kSecond = {
      {kLow, kHigh, kLow, 1}, {kHigh, kHigh, kLow, 1}, {kLow, kLow, kHigh, 1}, {kHigh, kLow, kHigh, 1}};
  return second ? kSecond : kFirst;
}

namespace {

/** What a side of this version draws. */
Picture pictureOf(int version, bool second) {
  if (version == 10) return {kSharedSize, kSharedSize, second ? kSecondFill : kFirstFill};
  Picture out(kSharedSize, kSharedSize);
  for (uint32_t y = 0; y < kSharedSize; ++y)
    for (uint32_t x = 0; x < kSharedSize; ++x)
      out.at(x, y) = second ? argb(255, x, 255 - y, y) : argb(255, 255 - x, y, x);
  for (uint32_t y = 0; y < kCornerHeight; ++y)
    for (uint32_t x = 0; x < kCornerWidth; ++x) out.at(kCornerX + x, kCornerY + y) = kCornerColour;
  return out;
}

constexpr DWORD kChildLimitMs = 240000;  // long enough for Wine on an emulated processor of a busy machine

struct Pair {
  int maker, opener;
  DXGI_FORMAT format;
  bool operator==(const Pair &) const = default;
};
constexpr Pair kPairs[] = {
    {11, 9, DXGI_FORMAT_B8G8R8A8_UNORM},  {9, 11, DXGI_FORMAT_B8G8R8A8_UNORM},  {11, 9, DXGI_FORMAT_B8G8R8X8_UNORM},
    {9, 11, DXGI_FORMAT_B8G8R8X8_UNORM},  {11, 9, DXGI_FORMAT_R8G8B8A8_UNORM},  {9, 11, DXGI_FORMAT_R8G8B8A8_UNORM},
    {11, 11, DXGI_FORMAT_R8G8B8A8_UNORM}, {10, 9, DXGI_FORMAT_B8G8R8A8_UNORM},  {9, 10, DXGI_FORMAT_B8G8R8A8_UNORM},
    {10, 11, DXGI_FORMAT_B8G8R8A8_UNORM}, {11, 10, DXGI_FORMAT_B8G8R8A8_UNORM},
};

struct Way {
  bool alone = false, oneProcess = false;
  const char *program = nullptr;  // of the second process
  Pair only{};                    // without a maker: all of kPairs
};

std::unique_ptr<Side> makeSide(int version) {
  return version == 9 ? makeSide9() : version == 10 ? makeSide10() : makeSide11();
}

bool hasAlpha(DXGI_FORMAT format) {
  return format != DXGI_FORMAT_B8G8R8X8_UNORM;
}

bool check(const char *what, Side &side, const Picture &expected, DXGI_FORMAT format) {
  Picture found;
  return side.read(found) && samePicture(what, found, expected, 0, hasAlpha(format));
}

/** The second side's part, on what the first one has drawn. */
bool openAndDraw(const Pair &pair, HANDLE handle) {
  const std::unique_ptr<Side> side = makeSide(pair.opener);
  return side && side->open(pair.format, handle) &&
         check("what the second device finds", *side, pictureOf(pair.maker, false), pair.format) && side->draw(true);
}

/** Runs this program, or its twin, as the second process and waits for its end. */
bool runChild(const char *program, const Pair &pair, HANDLE handle) {
  char line[MAX_PATH + 64];
  std::snprintf(line, sizeof line, "\"%s\" --child %d,%d,%d,%" PRIxPTR, program, pair.maker, pair.opener, pair.format,
                reinterpret_cast<uintptr_t>(handle));
  STARTUPINFOA startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  if (!CreateProcessA(program, line, nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &process))
    return fail("CreateProcess(%s) failed: error %lu", program, GetLastError());
  DWORD exitCode = STILL_ACTIVE;
  const bool ended = WaitForSingleObject(process.hProcess, kChildLimitMs) == WAIT_OBJECT_0;
  if (!ended) TerminateProcess(process.hProcess, 3);
  GetExitCodeProcess(process.hProcess, &exitCode);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  if (!ended) return fail("the second process did not end in %lu s", kChildLimitMs / 1000);
  return exitCode == 0 || fail("the second process ended with %lu", exitCode);
}

bool share(const Pair &pair, const Way &way) {
  const std::unique_ptr<Side> maker = makeSide(pair.maker);
  HANDLE handle = nullptr;
  if (!maker || !maker->make(pair.format, way.alone ? nullptr : &handle) || !maker->draw(false)) return false;
  if (!way.alone && !handle) return fail("there is no handle: this Direct3D does not share");
  if (way.alone &&
      (!check("what it has drawn", *maker, pictureOf(pair.maker, false), pair.format) || !maker->draw(true)))
    return false;
  if (!way.alone && !(way.oneProcess ? openAndDraw(pair, handle) : runChild(way.program, pair, handle))) return false;
  const Picture expected = pictureOf(way.alone ? pair.maker : pair.opener, true);
  Picture drawn;
  return check("what the first device reads", *maker, expected, pair.format) && maker->drawWith(drawn) &&
         samePicture("what the first device draws with it", drawn, expected, 0, hasAlpha(pair.format));
}

int child(const char *text) {
  Pair pair{};
  int format = 0;
  uintptr_t handle = 0;
  if (std::sscanf(text, "%d,%d,%d,%" SCNxPTR, &pair.maker, &pair.opener, &format, &handle) != 4) {
    fail("'%s' is no texture", text);
    return 2;
  }
  pair.format = static_cast<DXGI_FORMAT>(format);
  return openAndDraw(pair, reinterpret_cast<HANDLE>(handle)) ? 0 : 1;
}

int run(int argc, char **argv) {
  speaker = "shared11";
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (argc == 3 && std::strcmp(argv[1], "--child") == 0) {
    speaker = "shared11: second process";
    return child(argv[2]);
  }
  char self[MAX_PATH];
  if (!GetModuleFileNameA(nullptr, self, sizeof self)) return 1;
  Way way;
  way.program = self;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--alone")) {
      way.alone = true;
    } else if (!std::strcmp(argv[i], "--one-process")) {
      way.oneProcess = true;
    } else if (!std::strcmp(argv[i], "--other") && i + 1 < argc) {
      way.program = argv[++i];
    } else if (!std::strcmp(argv[i], "--only") && i + 1 < argc) {
      int format = 0;
      std::sscanf(argv[++i], "%d,%d,%d", &way.only.maker, &way.only.opener, &format);
      way.only.format = static_cast<DXGI_FORMAT>(format);
      if (std::find(std::begin(kPairs), std::end(kPairs), way.only) == std::end(kPairs)) {
        fail("there is no pair '%s'", argv[i]);
        return 2;
      }
    } else {
      fail("what is '%s'?", argv[i]);
      return 2;
    }
  }
  bool right = true;
  for (const Pair &pair : kPairs) {
    if (way.only.maker && !(pair == way.only)) continue;
    const bool one = share(pair, way);
    std::printf("%s %d to %d, format %d\n", one ? "ok" : "not ok", pair.maker, pair.opener, pair.format);
    right = right && one;
  }
  if (right) std::printf("shared11: ok\n");
  return right ? 0 : 1;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
