// SPDX-License-Identifier: MIT
// A walk of random legal calls: what processes, GDI and the desktop have at a moment, what their pixels are
// by then, and the moves that are legal in it. Everything follows from a seed. The order of the GPU's work is
// that of the submissions, so what a move does to pixels takes effect when its buffer is submitted
// (Walk::act).
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "testbed/kernel/core/call_log.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

using Color = std::optional<uint32_t>;  // of all pixels; nothing: nobody knows

/// A texture or a buffer with an allocation of its own.
struct WalkItem {
  Surface surface;  // a buffer is one row of a surface
  bool buffer = false, frame = false;
  Color memory, gpu;  // what the allocation holds, and the texture over it
  bool resident() const { return surface.allocation->resident(); }
};

struct WalkContext {
  std::unique_ptr<Context> context;
  bool holds = false;
  std::vector<std::function<void()>> effects;  // of the buffers that it holds
};

/// A shared surface of 64x64 pixels, opened by one process.
struct WalkShare {
  std::shared_ptr<struct WalkShared> shared;
  OpenAllocation* opened = nullptr;
  uint32_t handle = 0;
};
struct WalkShared {
  std::shared_ptr<Allocation> allocation;
  Color gpu;
  bool exported = false;
};

struct WalkProcess {
  uint64_t id = 0;
  std::unique_ptr<Client> client;
  std::list<WalkContext> contexts;
  std::vector<std::shared_ptr<WalkItem>> items;
  std::vector<WalkShare> shares;
  OpenAllocation* primary = nullptr;  // the desktop's
};

/// GDI's textures, and the bitmap that the CPU reads.
struct WalkGdi {
  std::unique_ptr<Client> client;
  std::unique_ptr<Context> context;
  struct Window {
    std::shared_ptr<Allocation> allocation;
    OpenAllocation* opened = nullptr;
    Color gpu;
  };
  std::vector<Window> windows;  // the last one is the bitmap
  UINT pitch = 0;
};

class Walk {
public:
  Walk(Session& session, uint64_t seed);
  /// Makes so many moves, then ends everything and looks for what is left.
  void run(unsigned moves);

private:
  using Item = std::shared_ptr<WalkItem>;
  struct Move {
    unsigned weight;
    void (Walk::*make)();
  };
  static const Move kMoves[];

  void move();
  void makeSteady();

  // random_objects.cpp: processes, contexts, memory, drawing.
  void beginProcess();
  void endSomeProcess();
  void killSomeProcess();
  void addItem();
  void removeItem();
  void changeContexts();
  void fillItem();
  void copyItem();
  void writeItem();
  void checkItem();
  void evictItem();
  void evictAll();
  void preferSegment();
  void hold();
  void releaseSome();
  void share();
  void openShare();
  void fillShare();
  void lookShare();
  void closeShare();
  void gdiDraw();
  void gdiLook();

  // random_screen.cpp: presents, flips, modes, pointer, sleep.
  void present();
  void presentFill();
  void lookAtScreen();
  void flip();
  void dropFrames();
  void changeMode();
  void reconnect();
  void sleep();
  void pointer();
  void scanLine();
  void vsync();

  // random_faults.cpp: what goes wrong with the GPU, and questions.
  void preempt();
  void hang();
  void lose();
  void queryFence();
  void waitIdle();
  void ask();
  void debugInfo();
  void lineNoise();

  uint32_t below(uint32_t n) { return m_random.below(n); }
  template <class T>
  T& any(std::vector<T>& of) {
    return of[below(static_cast<uint32_t>(of.size()))];
  }
  WalkProcess& anyProcess();
  WalkContext& anyContext(WalkProcess& process);
  /// One whose buffers are submitted at once.
  WalkContext& runningContext(WalkProcess& process);
  /// Something of this process that `fits`; null: it has none.
  Item anyItem(WalkProcess& process, const std::function<bool(const WalkItem&)>& fits);
  /// Draws with `context`; the effect comes when the buffer is submitted.
  NTSTATUS act(WalkContext& context, const Stream& stream, const Context::List& list,
               std::function<void()> effect);
  void effectOf(WalkContext& context, std::function<void()> effect);
  NTSTATUS fill(WalkContext& context, const Item& item, uint32_t color);
  NTSTATUS gdiFill(size_t window, uint32_t color);
  bool makeGdi();
  void releaseHeld(WalkContext& context);
  void releaseHeld(WalkProcess& process);
  void releaseAll();
  /// Everything of a process goes: in order, or as it is killed.
  void endProcess(size_t index, bool killed);
  void dropShare(WalkShare& share, WalkProcess& process, bool destroys);
  void forgetClosed(const std::shared_ptr<WalkShared>& shared);
  void closePrimary(WalkProcess& process);
  OpenAllocation* primaryOf(WalkProcess& process);
  void paint(const RECT& rect, Color color);
  void unpaintAll();
  /// GPU work that will be lost, of whoever has something in place for it, and of GDI; after rest().
  void drawInVain();
  bool rest();
  /// Waits until another time-out is allowed (five a minute).
  bool mayReset();
  /// The device has forgotten everything: each program is told that its device is lost, and ends; GDI and the
  /// desktop draw anew.
  void everybodyBeginsAnew();

  Adapter& m_adapter;
  Random m_random;
  uint64_t m_seed;
  std::vector<std::unique_ptr<WalkProcess>> m_processes;
  WalkGdi m_gdi;
  std::vector<std::shared_ptr<WalkShared>> m_shared;
  std::vector<std::pair<int, int>> m_points;  // of the screen that are looked at
  std::vector<Color> m_desktop;               // at them
  WalkProcess* m_frameOwner = nullptr;
  Item m_frames[2], m_shown;  // of a full-screen program; what is on the screen, or the desktop
  std::vector<DisplayMode> m_modes;
  uint64_t m_nextProcess = 1000;
  unsigned m_done = 0, m_resets = 0, m_losses = 0, m_sleeps = 0;
  uint32_t m_errors = 0;
  std::vector<int64_t> m_resetTimes;
  bool m_noise = false, m_vsync = false, m_stop = false;
};

}  // namespace aerogpu::host
