// SPDX-License-Identifier: MIT
// desktop.cpp: level9.exe as a compositor that has the screen: it draws the surfaces of programs over a wallpaper and
// flips, while windows change their size, modes change, another thread works, and programs die.
#include <cstdio>

#include "guest-drivers/programs/child.h"
#include "guest-drivers/programs/contents.h"
#include "testbed/d3d9-runtime/level9/points.h"
#include "testbed/d3d9-runtime/level9/screens.h"

namespace aerogpu::level9 {
namespace {

using programs::ContentKind;

constexpr uint32_t kWallpaper = 0xFF203A58;
constexpr UINT kBuffers = 2;

/** A program's window: its surface, as the compositor has it open, and where it is. */
class AppWindow {
public:
  AppWindow(Front &front, const char *producer) : m_front(front), m_producer(producer) {}

  bool start(ContentKind kind, const char *name, UINT width, UINT height, LONG x, LONG y) {
    m_kind = kind;
    m_program = std::make_unique<programs::Child>();
    m_width = width;
    m_height = height;
    m_x = x;
    m_y = y;
    char arguments[64], said[32];
    std::snprintf(arguments, sizeof arguments, "%s %ux%u", name, width, height);
    if (!m_program->start(m_producer, arguments) || !m_program->hear("surface", said, sizeof said)) return false;
    m_surface = m_front.openShared(static_cast<D3DKMT_HANDLE>(std::strtoull(said, nullptr, 16)));
    return m_surface != nullptr;
  }
  bool draw(uint32_t frame) {
    m_expected = programs::contentPicture(m_kind, m_width, m_height, frame);
    return m_program->tell("draw %u", frame) && m_program->hear("drawn", nullptr, 0);
  }
  /** Tells the program to draw, and ends it while it does. */
  bool die(uint32_t frame) {
    const bool told = m_program->tell("draw %u", frame);
    m_program->kill();
    return told;
  }
  bool finish() { return m_program->finish(); }
  void close() { m_surface.reset(); }

  bool contains(UINT x, UINT y) const {
    const LONG px = static_cast<LONG>(x) - m_x, py = static_cast<LONG>(y) - m_y;
    return px >= 0 && py >= 0 && px < static_cast<LONG>(m_width) && py < static_cast<LONG>(m_height);
  }
  uint32_t at(UINT x, UINT y) const { return m_expected.at(x - static_cast<UINT>(m_x), y - static_cast<UINT>(m_y)); }
  RECT place() const { return {m_x, m_y, m_x + static_cast<LONG>(m_width), m_y + static_cast<LONG>(m_height)}; }
  const DriverResource &surface() const { return *m_surface; }

private:
  Front &m_front;
  const char *m_producer;
  ContentKind m_kind = ContentKind::kWaves;
  std::unique_ptr<programs::Child> m_program;
  std::unique_ptr<DriverResource> m_surface;
  programs::Picture m_expected;
  UINT m_width = 0, m_height = 0;
  LONG m_x = 0, m_y = 0;
};

/** Draws wallpaper and windows, the last one on top, into a buffer, and flips to it. */
bool compose(Front &front, Screen &screen, UINT buffer, std::initializer_list<const AppWindow *> windows) {
  if (!front.fill(screen.buffers(), box(screen.width(), screen.height()), kWallpaper, false, buffer)) return false;
  for (const AppWindow *window : windows)
    if (!front.draw(screen.buffers(), screen.width(), screen.height(), window->place(), window->surface(), false, true,
                    buffer))
      return false;
  return screen.flip(buffer);
}

/** Compares a composed buffer with what programs and wallpaper look like. */
bool check(const char *what, Front &front, const Screen &screen, UINT buffer,
           std::initializer_list<const AppWindow *> windows) {
  Pixels got;
  return front.read(screen.buffers(), screen.width(), screen.height(), got, buffer) &&
         same(what, got, 0xFFFFFF, programs::kContentTolerance, [&](UINT x, UINT y) {
           uint32_t colour = kWallpaper;
           for (const AppWindow *window : windows)
             if (window->contains(x, y)) colour = window->at(x, y);
           return colour;
         });
}

bool flips(Front &front, Screen &screen, AppWindow &lower, AppWindow &upper) {
  for (uint32_t frame = 0; frame < 6; ++frame) {
    if (!lower.draw(frame) || (frame % 2 == 0 && !upper.draw(frame)) ||
        !compose(front, screen, frame % kBuffers, {&lower, &upper}) ||
        !check("a flipped frame", front, screen, frame % kBuffers, {&lower, &upper}))
      return false;
  }
  return look("size=1024x768 0,0=203a58 1023,767=203a58");
}

/** The window's program makes a larger surface; until then the compositor draws the old one. */
bool resize(Front &front, Screen &screen, AppWindow &window, const char *producer) {
  AppWindow larger(front, producer);
  if (!window.draw(20) || !larger.start(ContentKind::kWaves, "waves", 300, 220, 60, 40) ||
      !compose(front, screen, 0, {&window}) || !check("before a new size", front, screen, 0, {&window}))
    return false;
  if (!window.finish() || !larger.draw(21)) return false;
  window.close();
  return compose(front, screen, 1, {&larger}) && check("a new size", front, screen, 1, {&larger}) && larger.finish();
}

/** Other modes need other buffers; the windows' surfaces stay. */
bool modes(Front &front, Screen &screen, AppWindow &window) {
  constexpr UINT kModes[][2] = {{800, 600}, {1280, 1024}, {1024, 768}};
  uint32_t frame = 30;
  for (const auto &mode : kModes) {
    char size[64];
    std::snprintf(size, sizeof size, "size=%ux%u 0,0=203a58 %u,%u=203a58", mode[0], mode[1], mode[0] - 1, mode[1] - 1);
    if (!screen.make(mode[0], mode[1], kBuffers) ||
        !front.fill(screen.buffers(), box(mode[0], mode[1]), kWallpaper, false, 1) || !screen.show(1) ||
        !window.draw(++frame) || !compose(front, screen, 0, {&window}) ||
        !check("another mode", front, screen, 0, {&window}) || !look(size))
      return false;
  }
  return true;
}

/** A thread that updates a shared surface on a device of its own, until it is told to stop. */
struct Updates {
  Front front;
  std::unique_ptr<DriverResource> memory, surface;
  volatile LONG stop = 0, rounds = 0;

  static DWORD WINAPI run(void *context) {
    auto &self = *static_cast<Updates *>(context);
    do {
      const auto round = static_cast<uint32_t>(self.rounds);
      write(*self.memory, kSize, kSize, [round](UINT x, UINT y) { return pattern(x, y, round); });
      if (!self.front.texBlt(*self.memory, box(kSize, kSize), *self.surface, 0, 0) ||
          !self.front.resolve(*self.surface) || !self.front.poll())
        return 0;
      InterlockedIncrement(&self.rounds);
    } while (!InterlockedCompareExchange(&self.stop, 0, 0));
    return 1;
  }
};

bool secondThread(Front &front, Screen &screen, AppWindow &window) {
  constexpr LONG kLeastRounds = 20;
  Updates updates;
  if (!updates.front.open()) return false;
  updates.memory = updates.front.systemTexture(kSize, kSize, D3DFMT_X8R8G8B8);
  updates.surface = updates.front.sharedTarget(kSize, kSize, D3DFMT_X8R8G8B8);
  if (!updates.memory || !updates.surface || !updates.front.flush()) return false;
  auto opened = front.openShared(updates.surface->globalHandle());
  if (!opened) return false;
  HANDLE thread = CreateThread(nullptr, 0, Updates::run, &updates, 0, nullptr);
  if (!thread) return fail("CreateThread failed: error %lu", GetLastError());
  const RECT place{700, 500, 700 + LONG{kSize}, 500 + LONG{kSize}};
  bool right = true;
  DWORD code = STILL_ACTIVE;
  const auto draws = [&](UINT buffer) {
    return front.fill(screen.buffers(), box(screen.width(), screen.height()), kWallpaper, false, buffer) &&
           front.draw(screen.buffers(), screen.width(), screen.height(), place, *opened, false, true, buffer) &&
           screen.flip(buffer);
  };
  for (uint32_t frame = 0; right && (frame < 20 || updates.rounds < kLeastRounds); ++frame) {
    right = draws(frame % kBuffers);
    if (WaitForSingleObject(thread, 0) == WAIT_OBJECT_0) break;
  }
  InterlockedExchange(&updates.stop, 1);
  WaitForSingleObject(thread, INFINITE);
  GetExitCodeThread(thread, &code);
  CloseHandle(thread);
  if (!right || code != 1) return fail("a thread beside the compositor failed");
  // What the thread did last is there; so is a program's window that nobody has looked at meanwhile.
  const auto last = static_cast<uint32_t>(updates.rounds - 1);
  Pixels got;
  return draws(0) && front.read(screen.buffers(), screen.width(), screen.height(), got, 0) &&
         same("what another thread drew", got, 0xFFFFFF, 0,
              [&](UINT x, UINT y) {
                const bool inside = x >= 700 && x < 700 + kSize && y >= 500 && y < 500 + kSize;
                return inside ? pattern(x - 700, y - 500, last) : kWallpaper;
              }) &&
         window.draw(50) && compose(front, screen, 1, {&window}) &&
         check("after another thread", front, screen, 1, {&window});
}

/** Programs are killed while they draw: their windows stay drawable, and others are right. */
bool deaths(Front &front, Screen &screen, AppWindow &window, const char *producer) {
  for (uint32_t round = 0; round < 3; ++round) {
    AppWindow victim(front, producer);
    if (!victim.start(ContentKind::kBubbles, "bubbles", 200, 160, 500, 60) || !victim.draw(round) ||
        !victim.die(round + 1) || !window.draw(60 + round))
      return false;
    for (UINT buffer = 0; buffer < kBuffers; ++buffer)
      if (!compose(front, screen, buffer, {&victim, &window})) return false;
    victim.close();
    if (!compose(front, screen, 0, {&window}) || !check("after a program's death", front, screen, 0, {&window}))
      return false;
  }
  return true;
}

}  // namespace

bool desktop(Front &front, const char *producer) {
  Screen screen(front);
  AppWindow lower(front, producer), upper(front, producer);
  if (!screen.take() || !screen.make(1024, 768, kBuffers) ||
      !front.fill(screen.buffers(), box(1024, 768), kWallpaper, false, 0) || !screen.show(0) ||
      !lower.start(ContentKind::kWaves, "waves", 320, 240, 40, 60) ||
      !upper.start(ContentKind::kChart, "chart", 200, 180, 250, 200))
    return false;
  return point("flips", flips(front, screen, lower, upper)) &&
         point("resize", resize(front, screen, lower, producer)) && point("modes", modes(front, screen, upper)) &&
         point("second thread", secondThread(front, screen, upper)) &&
         point("deaths", deaths(front, screen, upper, producer)) && upper.finish();
}

}  // namespace aerogpu::level9
