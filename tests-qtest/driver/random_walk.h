// SPDX-License-Identifier: MIT
// A walk of random legal calls: what processes, GDI and the desktop have at a moment, what their pixels are
// by then, and the moves that are legal in it. Everything follows from a seed. The order of the GPU's work is
// that of the submissions, so what a move does to pixels takes effect when its buffer is submitted
// (Walk::act). Where the device may refuse what it needs memory for (random_shortage.cpp), what a refused
// submission has done is not known; where it may not, an error is a broken rule.
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
/// What a submission does to pixels, given that it was done; else they are not known.
using Effect = std::function<void(bool done)>;

/// After how long a submission counts as hung: while a walk makes the GPU hang on purpose, and otherwise.
inline constexpr int kShortTimeoutMs = 2000, kTimeoutMs = 10000;

/// A texture or a buffer with an allocation of its own.
struct WalkItem {
  Surface surface;  // a buffer is one row of a surface
  bool buffer = false, frame = false;
  bool missing = false;  // the device refused a texture of its
  bool unseen = false;   // or the one that the driver presents it from
  Color memory, gpu;     // what the allocation holds, and the texture over it
  bool resident() const { return surface.allocation->resident(); }
};

struct WalkContext {
  struct WalkProcess* process = nullptr;
  std::unique_ptr<Context> context;
  bool holds = false, doubtful = false;  // whether some of what it holds may be refused
  std::vector<Effect> effects;           // of the buffers that it holds
};

/// A shared surface of 64x64 pixels, opened by one process.
struct WalkShare {
  std::shared_ptr<struct WalkShared> shared;
  OpenAllocation* opened = nullptr;
  uint32_t handle = 0;
  bool missing = false;  // the device refused the handle
  bool usable() const;
};
struct WalkShared {
  std::shared_ptr<Allocation> allocation;
  Color gpu;
  bool missing = false;  // the device refused the texture
};
inline bool WalkShare::usable() const {
  return !missing && !shared->missing;
}

struct WalkProcess {
  uint64_t id = 0;
  std::unique_ptr<Client> client;
  std::list<WalkContext> contexts;
  std::vector<std::shared_ptr<WalkItem>> items;
  std::vector<WalkShare> shares;
  OpenAllocation* primary = nullptr;  // the desktop's
  std::vector<uint32_t> hoard;        // it takes memory with them, and may be refused more meanwhile
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
    const char* name;
    unsigned weight;
    void (Walk::*make)();
  };
  static const Move kMoves[];

  void move();
  void tellMoves() const;
  /// What a walk is for happened in it; of one that is long enough.
  void expectVariety();
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

  // random_shortage.cpp: programs that take all memory of the host's.
  void take();
  void giveBack();

  // random_losses.cpp: the GPU is lost in the middle of all.
  void loseAmid();

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
  NTSTATUS act(WalkContext& context, const Stream& stream, const Context::List& list, Effect effect);
  /// The same with whatever `submits`; `possible`: it may be refused. What is submitted in vain may also
  /// fail.
  NTSTATUS act(WalkContext& context, bool possible, const std::function<NTSTATUS()>& submits, Effect effect);
  /// A copy to the desktop, or with no source a fill.
  NTSTATUS present(WalkContext& context, const Item& source, const RECT& from, const RECT& to, uint32_t color,
                   Effect effect);
  NTSTATUS fill(WalkContext& context, const Item& item, uint32_t color);
  NTSTATUS gdiFill(size_t window, uint32_t color);
  /// A command of GDI's that leaves `color` in the window; the status of the call.
  NTSTATUS gdiAct(size_t window, Color color, const std::function<NTSTATUS()>& submits);
  bool makeGdi();
  void releaseHeld(WalkContext& context);
  void releaseHeld(WalkProcess& process);
  void releaseAll();
  /// Everything of a process goes: in order, or as it is killed.
  void endProcess(size_t index, bool killed);
  void dropItem(WalkProcess& process, WalkContext& context, const Item& item);
  void dropShare(WalkShare& share, WalkProcess& process, bool destroys);
  void closePrimary(WalkProcess& process);
  OpenAllocation* primaryOf(WalkProcess& process);
  void paint(const RECT& rect, Color color);
  void unpaintAll();
  /// GPU work that will be lost, of whoever has something in place for it, and of GDI; after rest().
  void drawInVain();
  void rest();
  /// Waits until another time-out is allowed (five a minute).
  bool mayReset();

  /// Everything that was submitted, by the driver itself too, is done.
  void settle();
  /// Whether the device may refuse what this process asks for.
  bool mayRefuse(const WalkProcess& process) const { return m_short || !process.hoard.empty(); }
  /// Whether it, or the driver for it, ends what the device has refused to make: that is an error too.
  bool missesSomething(const WalkProcess& process) const;
  /// Whether anything that is submitted now may be an error.
  bool anyMayRefuse() const;
  /// The error of a loss (LOSS-3); `refused`: others may have come before it.
  void countLoss(bool refused);
  /// How much the device refuses of what `submits` does; 0 unless that is `possible`.
  uint32_t refusalsOf(bool possible, const std::function<void()>& submits);
  /// Paging, of which the device refuses nothing.
  bool page(const std::function<bool()>& pages);
  /// Textures until the device refuses one of so many pixels a side.
  void takeAll(WalkProcess& process, uint32_t smallest);
  /// All but so many of what it has taken.
  void give(WalkProcess& process, size_t keeps);
  /// How much memory is left, after it has changed much.
  void lookAtMemory();

  bool canLose();
  bool waitForGpu(uint32_t state);
  /// What is held goes with the devices of its programs.
  void dropHeld();
  void moveAmidLoss();
  void moveWithoutGpu();
  void withoutGpu();
  Item evenLostItem(WalkProcess& process);
  /// The CPU fills the allocation; what the GPU has of it stays as it is.
  void writeMemory(const Item& item, uint32_t color);
  /// What the losses left has its content: all that a program's memory held and nobody was writing to.
  void expectSurvivors();
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
  uint64_t m_limit = 0;          // of the host's memory; 0: nobody tells
  bool m_short = false;          // it is nearly used up
  bool m_vain = false;           // what is submitted is lost
  bool m_primaryMade = false;    // the texture of the desktop's primary
  bool m_primaryUnseen = false;  // it was refused
  std::vector<unsigned> m_made;  // moves of each row of kMoves
  unsigned m_shortages = 0, m_shares = 0, m_refusals = 0, m_pagings = 0, m_amid = 0, m_gone = 0,
           m_survivors = 0;
};

}  // namespace aerogpu::host
