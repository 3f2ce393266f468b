// SPDX-License-Identifier: MIT
// level9.exe: the user-mode driver as Windows 7's compositor most likely meets it, through Microsoft's 10-level-9
// layer, in a process other than the application's. docs/d3d9/testbed.md, "The 10-level-9 layer".
//
//   level9.exe WINDOW-SURFACE PRODUCER   plays the compositor. WINDOW-SURFACE: global handle of a surface that the
//                                        kernel side made for a window (X8R8G8B8, 96x64). PRODUCER: a program that
//                                        draws with Direct3D 9Ex (producer.exe)
//   level9.exe --application HANDLE      plays the application of that window: presents to the compositor when told
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "guest-drivers/programs/child.h"
#include "guest-drivers/programs/contents.h"
#include "testbed/d3d9-runtime/level9/front.h"
#include "testbed/d3d9-runtime/level9/points.h"
#include "testbed/runtime-kernel/log.h"
#include "testbed/runtime-kernel/settings.h"

namespace aerogpu::level9 {
namespace {

constexpr UINT kWindowWidth = 96, kWindowHeight = 64;      // size of the window surface
constexpr UINT kContentWidth = 160, kContentHeight = 144;  // size of the producer's surface, in texels

D3DDDI_BLTFLAGS present(bool begin, bool proceed, bool end) {
  D3DDDI_BLTFLAGS flags{};
  flags.BeginPresentToDwm = begin;
  flags.ContinuePresentToDwm = proceed;
  flags.EndPresentToDwm = end;
  return flags;
}

/** Opens and closes adapters and devices, several at once, as happens at logon. */
bool openAndClose() {
  Front kept;
  if (!kept.open()) return false;
  for (int i = 0; i < 5; ++i) {
    Front one, other;
    if (!one.open() || !other.open()) return false;
  }
  auto target = kept.target(kSize, kSize);
  Pixels got;
  return target && kept.fill(*target, box(kSize, kSize), 0xFF204060) && kept.read(*target, kSize, kSize, got) &&
         same("the device that was there first", got, ~0u, 0, [](UINT, UINT) { return 0xFF204060u; });
}

/** Draws a ramp whose texels map to pixels: with the offset each pixel is its texel, without it lies between two. */
bool offsetConstant(Front &front) {
  auto ramp = front.systemTexture(kSize, kSize), texture = front.target(kSize, kSize),
       target = front.target(kSize, kSize);
  if (!ramp || !texture || !target) return false;
  const auto colour = [](UINT x, UINT y) { return x * 4 << 16 | y * 4 << 8 | kOpaque; };
  write(*ramp, kSize, kSize, colour);
  Pixels got;
  if (!front.texBlt(*ramp, box(kSize, kSize), *texture, 0, 0) ||
      !front.draw(*target, kSize, kSize, box(kSize, kSize), *texture, true) ||
      !front.read(*target, kSize, kSize, got) || !same("with the offset", got, ~0u, 0, colour))
    return false;
  // Without the constant a pixel has half of the texel before it: the constant makes the difference.
  if (!front.draw(*target, kSize, kSize, box(kSize, kSize), *texture, true, false) ||
      !front.read(*target, kSize, kSize, got))
    return false;
  return same("without the offset", got, 0xFFFF00, 1,
              [](UINT x, UINT y) { return (x ? x * 4 - 2 : 0) << 16 | (y ? y * 4 - 2 : 0) << 8; });
}

/** Copies a window's picture from system memory by TexBlt into a target of the same size, and draws it. The second time
 * the picture has changed without notice, the third time only a part is copied. */
bool windowUpdate(Front &front) {
  auto window = front.systemTexture(kSize, kSize), surface = front.target(kSize, kSize),
       screen = front.target(kSize, kSize);
  if (!window || !surface || !screen) return false;
  Pixels got;
  for (uint32_t round = 0; round < 3; ++round) {
    write(*window, kSize, kSize, [&](UINT x, UINT y) { return pattern(x, y, round); });
    const RECT part = round == 2 ? RECT{8, 16, 40, 48} : box(kSize, kSize);
    if (!front.texBlt(*window, part, *surface, part.left, part.top) ||
        !front.draw(*screen, kSize, kSize, box(kSize, kSize), *surface) || !front.read(*screen, kSize, kSize, got) ||
        !same("the window", got, ~0u, 0, [&](UINT x, UINT y) {
          const bool inside = x >= 8 && x < 40 && y >= 16 && y < 48;
          return pattern(x, y, round == 2 && !inside ? 1 : round);
        }))
      return false;
  }
  return true;
}

/** Writes part of a dynamic texture by Lock. */
bool lockAndWrite(const DriverResource &texture, const RECT &where, D3DDDI_LOCKFLAGS flags, uint32_t round) {
  D3DDDIARG_LOCK lock{};
  lock.Flags = flags;
  lock.Flags.WriteOnly = lock.Flags.AreaValid = 1;
  lock.Area = where;
  if (!succeeded(texture.lock(lock), "Lock")) return false;
  for (LONG y = where.top; y < where.bottom; ++y)
    for (LONG x = where.left; x < where.right; ++x) {
      const uint32_t value = pattern(static_cast<UINT>(x), static_cast<UINT>(y), round);
      std::memcpy(static_cast<BYTE *>(lock.pSurfData) + static_cast<size_t>(y - where.top) * lock.Pitch +
                      static_cast<size_t>(x - where.left) * 4,
                  &value, 4);
    }
  return succeeded(texture.unlock(0, false), "Unlock");
}

/** Writes a dynamic texture for frame after frame, as Map of level 9 does: all of it anew, or a part that no draw has
 * used. Earlier draws keep what they saw, though none of them was waited for. */
bool lockPatterns(Front &front) {
  constexpr uint32_t kFrames = 6;
  const RECT left{0, 0, kSize / 2, kSize}, right{kSize / 2, 0, kSize, kSize};
  D3DDDI_LOCKFLAGS discard{}, keep{};
  discard.Discard = 1;
  keep.NoOverwrite = 1;
  auto texture = front.dynamicTexture(kSize, kSize);
  std::unique_ptr<DriverResource> screens[2 * kFrames];
  if (!texture) return false;
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    if (!lockAndWrite(*texture, box(kSize, kSize), discard, frame)) return false;
    for (uint32_t half = 0; half < 2; ++half) {
      auto &screen = screens[2 * frame + half];
      screen = front.target(kSize, kSize);
      // The second draw sees another right half. The first must not have read that half, so it draws the left one
      // alone.
      if (!screen || (half && !lockAndWrite(*texture, right, keep, frame + 100)) ||
          !front.draw(*screen, half ? kSize : kSize / 2, kSize, box(kSize, kSize), *texture))
        return false;
    }
  }
  Pixels got;
  for (uint32_t frame = 0; frame < kFrames; ++frame)
    if (!front.read(*screens[2 * frame + 1], kSize, kSize, got) ||
        !same("a texture written by Lock", got, ~0u, 0,
              [&](UINT x, UINT y) { return pattern(x, y, x < kSize / 2 ? frame : frame + 100); }))
      return false;
  return lockAndWrite(*texture, left, discard, 7);
}

/** A frame reaches the compositor with the submission that a Flush makes, even if that is empty. A Flush without a
 * frame makes no submission if there is no work. */
bool presentFlushes(Front &front) {
  auto back = front.target(kSize, kSize), surface = front.sharedTarget(kSize, kSize, D3DFMT_X8R8G8B8);
  if (!back || !surface || !front.fill(*back, box(kSize, kSize), 0xFF102030) || !front.flush()) return false;
  const auto flushes = [&](const char *what, bool expected) {
    const unsigned before = submissions();
    if (!front.flush()) return false;
    const unsigned made = submissions() - before;
    return expected ? made >= 1 || fail("%s: Flush submitted nothing, so no frame comes", what)
                    : made == 0 || fail("%s: Flush submitted %u times", what, made);
  };
  const RECT left{0, 0, kSize / 2, kSize}, right{kSize / 2, 0, kSize, kSize}, all = box(kSize, kSize);
  return flushes("nothing to do", false) &&  //
         front.blt(*back, all, *surface, all, present(true, false, true)) && flushes("one rectangle", true) &&
         flushes("after it", false) &&
         // The rectangles lie in two submissions: the last one announces the frame.
         front.blt(*back, left, *surface, left, present(true, false, false)) && front.flush() &&
         front.blt(*back, right, *surface, right, present(false, true, false)) && front.flush() &&
         front.blt(*back, left, *surface, left, present(false, false, true)) && flushes("the last of three", true) &&
         // All of the frame was submitted for another reason before the Flush comes.
         front.blt(*back, all, *surface, all) && front.poll() && flushes("after a polled query", false) &&
         front.blt(*back, all, *surface, all, present(true, false, true)) && front.poll() &&
         flushes("the empty one of a frame that a polled query submitted", true) && flushes("after that", false) &&
         front.fill(*surface, all, 0xFF335577, true) && front.poll() && flushes("a fill's", true) &&
         flushes("after the fill", false);
}

/** Another device sees the draws once the resource was resolved, without a Flush. */
bool resolveShared(Front &front) {
  Front other;
  auto shared = front.sharedTarget(kSize, kSize, D3DFMT_A8R8G8B8);
  if (!other.open() || !shared || !front.fill(*shared, box(kSize, kSize), 0xFF111111) || !front.flush()) return false;
  auto opened = other.openShared(shared->globalHandle());
  Pixels got;
  if (!opened || !other.read(*opened, kSize, kSize, got) ||
      !same("before", got, ~0u, 0, [](UINT, UINT) { return 0xFF111111u; }) ||
      !front.fill(*shared, box(kSize, kSize), 0x80ABCDEF))
    return false;
  const unsigned before = submissions();
  if (!front.resolve(*shared)) return false;
  if (submissions() == before) return fail("ResolveSharedResource submitted nothing of what was drawn");
  return other.read(*opened, kSize, kSize, got) &&
         same("resolved", got, ~0u, 0, [](UINT, UINT) { return 0x80ABCDEFu; });
}

uint32_t windowColour(UINT x, UINT y, uint32_t frame) {
  return x < kWindowWidth / 2 ? pattern(x, y, frame) : 0xFF000000 | (0x202020 + frame * 0x102010);
}

/** Samples the surface of a GDI window: a standard allocation without user-mode data, to which an application in
 * another process presents. X8R8G8B8 reads alpha as 1. */
bool windowSurface(Front &front, D3DKMT_HANDLE handle, const char *self) {
  programs::Child application;
  char arguments[64];
  std::snprintf(arguments, sizeof arguments, "--application %u", handle);
  auto window = front.openShared(handle), screen = front.target(kWindowWidth, kWindowHeight);
  if (!window || !screen || !application.start(self, arguments)) return false;
  Pixels got;
  for (uint32_t frame = 0; frame < 3; ++frame) {
    if (!application.tell("present %u", frame) || !application.hear("presented", nullptr, 0) ||
        !front.fill(*screen, box(kWindowWidth, kWindowHeight), 0) ||
        !front.draw(*screen, kWindowWidth, kWindowHeight, box(kWindowWidth, kWindowHeight), *window) ||
        !front.read(*screen, kWindowWidth, kWindowHeight, got) ||
        !same("the window's surface", got, ~0u, 0, [&](UINT x, UINT y) { return windowColour(x, y, frame); }))
      return false;
  }
  if (!application.finish()) return false;
  // The application is gone, the compositor still has the surface open: it repeatedly opens and closes it again.
  for (int i = 0; i < 50; ++i)
    if (!front.openShared(handle)) return false;
  return front.read(*window, kWindowWidth, kWindowHeight, got) &&
         same("after the application's end", got, 0xFFFFFF, 0, [](UINT x, UINT y) { return windowColour(x, y, 2); });
}

/** Opens and reads the surface of a program that draws with Direct3D 9Ex. */
bool programSurface(Front &front, const char *producer) {
  programs::Child program;
  char arguments[64], said[32];
  std::snprintf(arguments, sizeof arguments, "waves %ux%u", kContentWidth, kContentHeight);
  if (!program.start(producer, arguments) || !program.hear("surface", said, sizeof said)) return false;
  auto surface = front.openShared(static_cast<D3DKMT_HANDLE>(std::strtoull(said, nullptr, 16)));
  auto screen = front.target(kContentWidth, kContentHeight);
  if (!surface || !screen) return false;
  Pixels got;
  for (uint32_t frame = 5; frame < 8; ++frame) {
    const programs::Picture expected =
        programs::contentPicture(programs::ContentKind::kWaves, kContentWidth, kContentHeight, frame);
    if (!program.tell("draw %u", frame) || !program.hear("drawn", nullptr, 0) ||
        !front.draw(*screen, kContentWidth, kContentHeight, box(kContentWidth, kContentHeight), *surface) ||
        !front.read(*screen, kContentWidth, kContentHeight, got) ||
        !same("the program's surface", got, ~0u, programs::kContentTolerance,
              [&](UINT x, UINT y) { return expected.at(x, y); }))
      return false;
  }
  return program.finish();
}

int compositor(const char *handle, const char *producer) {
  char self[MAX_PATH];
  Front front;
  if (!point("open and close", openAndClose()) || !front.open() || !GetModuleFileNameA(nullptr, self, sizeof self))
    return 1;
  point("offset constant", offsetConstant(front));
  point("window update", windowUpdate(front));
  point("lock patterns", lockPatterns(front));
  point("present flushes", presentFlushes(front));
  point("resolve shared", resolveShared(front));
  point("window surface", windowSurface(front, static_cast<D3DKMT_HANDLE>(std::strtoul(handle, nullptr, 0)), self));
  point("program surface", programSurface(front, producer));
  point("level 9 tables", levelTables(front));
  point("interfaces", interfaces());
  point("two threads", twoThreads());
  point("unknown states", unknownStates(front));
  point("shared primary", sharedPrimary(front));
  point("lost screen", lostScreen(front));
  point("desktop", desktop(front, producer));
  std::printf("level9: %s\n", failures() ? "not ok" : "ok");
  return failures() ? 1 : 0;
}

/** Draws frames into its own back buffer and presents them to the compositor: one rectangle, or two in two
 * submissions. */
int application(const char *handle) {
  Front front;
  if (!front.open()) return 1;
  auto window = front.openShared(static_cast<D3DKMT_HANDLE>(std::strtoul(handle, nullptr, 0)));
  auto memory = front.systemTexture(kWindowWidth, kWindowHeight, D3DFMT_X8R8G8B8);
  auto back = front.target(kWindowWidth, kWindowHeight, D3DFMT_X8R8G8B8);
  if (!window || !memory || !back) return 1;
  const RECT left{0, 0, kWindowWidth / 2, kWindowHeight}, right{kWindowWidth / 2, 0, kWindowWidth, kWindowHeight};
  char line[64];
  while (std::fgets(line, sizeof line, stdin)) {
    unsigned frame = 0;
    if (std::sscanf(line, "present %u", &frame) != 1) return 1;
    // Whatever alpha says, the window is opaque.
    write(*memory, kWindowWidth, kWindowHeight, [&](UINT x, UINT y) { return pattern(x, y, frame) & 0xFFFFFF; });
    const bool split = frame % 2;
    if (!front.texBlt(*memory, box(kWindowWidth, kWindowHeight), *back, 0, 0) ||
        !front.fill(*back, right, 0x202020 + frame * 0x102010) ||
        !front.blt(*back, left, *window, left, present(true, false, false)) || (split && !front.flush()) ||
        !front.blt(*back, right, *window, right, present(false, false, true)) || !front.flush())
      return 1;
    std::printf("presented\n");
  }
  return 0;
}

}  // namespace
}  // namespace aerogpu::level9

int main(int argc, char **argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  programs::speaker = "#";
  programs::speakerEnd = " ";
  aerogpu::runtime::nameRuntime("d3d9");
  aerogpu::runtime::openLog();
  int code = 2;
  if (argc == 3 && std::strcmp(argv[1], "--application") == 0)
    code = aerogpu::level9::application(argv[2]);
  else if (argc == 3)
    code = aerogpu::level9::compositor(argv[1], argv[2]);
  else
    std::printf("usage: level9.exe WINDOW-SURFACE PRODUCER; scripts/run-d3d9-tests level9 starts it\n");
  return code ? code : aerogpu::runtime::brokenRules() ? 3 : 0;
}
