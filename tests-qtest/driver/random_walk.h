// SPDX-License-Identifier: MIT
// A walk of random legal calls: the current objects of processes, GDI and the desktop, the expected values of
// their pixels, and the moves that are legal then. Everything follows from a seed. The GPU works in the order
// of the submissions, so a move affects pixels when its buffer is submitted (Walk::act). If the device may
// refuse work that needs memory (random_shortage.cpp), the effect of a refused submission is unknown;
// otherwise an error is a broken rule.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "testbed/kernel/core/call_log.h"
#include "tests-qtest/driver/sharing.h"

namespace aerogpu::host {

using Color = std::optional<uint32_t>;  // colour of all pixels; nothing: unknown
/// The effect of a submission on pixels if it was done; otherwise they are unknown.
using Effect = std::function<void(bool done)>;

/// After how long a submission counts as hung: while a walk makes the GPU hang on purpose, and otherwise.
inline constexpr int kShortTimeoutMs = 3500, kTimeoutMs = 10000;

/// A texture or a buffer with an allocation of its own.
struct WalkItem {
  Surface surface;  // a buffer is one row of a surface
  bool buffer = false, frame = false;
  bool missing = false;  // the device refused a texture over it
  bool unseen = false;   // or the one from which the driver presents it
  Color memory, gpu;     // contents of the allocation, and of the texture over it
  bool resident() const { return surface.allocation->resident(); }
};

struct WalkContext {
  struct WalkProcess* process = nullptr;
  std::unique_ptr<Context> context;
  bool holds = false, doubtful = false;  // holds buffers back; some of them may be refused
  std::vector<Effect> effects;           // of the buffers that it holds back
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
  std::vector<uint32_t> hoard;  // handles of textures or buffers that it holds to use up memory; the device
                                // may refuse further ones
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
  /// Makes `moves` moves, then destroys everything and checks for leftovers.
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
  /// Expects that a long walk has made every kind of move, and losses, shortages and paging among them.
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

  // random_shortage.cpp: programs that take all host memory.
  void take();
  void giveBack();

  // random_losses.cpp: the GPU is lost in the middle of everything.
  void loseAmid();

  // random_faults.cpp: failures of the GPU, and queries.
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
  /// Returns a context whose buffers are submitted at once.
  WalkContext& runningContext(WalkProcess& process);
  /// Returns an item of this process that `fits`; null: it has none.
  Item anyItem(WalkProcess& process, const std::function<bool(const WalkItem&)>& fits);
  /// Draws with `context`; the effect comes when the buffer is submitted.
  NTSTATUS act(WalkContext& context, const Stream& stream, const Context::List& list, Effect effect);
  /// Submits through `submits`; `possible`: the device may refuse it. While submissions are lost (m_vain),
  /// the call itself may also fail.
  NTSTATUS act(WalkContext& context, bool possible, const std::function<NTSTATUS()>& submits, Effect effect);
  /// Copies to the desktop, or fills it if there is no source.
  NTSTATUS present(WalkContext& context, const Item& source, const RECT& from, const RECT& to, uint32_t color,
                   Effect effect);
  NTSTATUS fill(WalkContext& context, const Item& item, uint32_t color);
  NTSTATUS gdiFill(size_t window, uint32_t color);
  /// Runs a GDI command that leaves `color` in the window; returns the call's status.
  NTSTATUS gdiAct(size_t window, Color color, const std::function<NTSTATUS()>& submits);
  bool makeGdi();
  void releaseHeld(WalkContext& context);
  void releaseHeld(WalkProcess& process);
  void releaseAll();
  /// Destroys everything of a process: in order, or as if it is killed.
  void endProcess(size_t index, bool killed);
  void dropItem(WalkProcess& process, WalkContext& context, const Item& item);
  void dropShare(WalkShare& share, WalkProcess& process, bool handleFirst);
  void closePrimary(WalkProcess& process);
  OpenAllocation* primaryOf(WalkProcess& process);
  void paint(const RECT& rect, Color color);
  void unpaintAll();
  /// Submits GPU work that will be lost, from any process that is ready for it, and from GDI; after rest().
  void drawInVain();
  void rest();
  /// Waits until another time-out is allowed (five a minute).
  bool mayReset();

  /// Waits until all submissions, including the driver's own, are done.
  void settle();
  /// True if the device may refuse requests of this process.
  bool mayRefuse(const WalkProcess& process) const { return m_short || !process.hoard.empty(); }
  /// True if the device has refused to make an object that the process, or the driver for it, will use or
  /// destroy: the device answers that with an error too.
  bool missesSomething(const WalkProcess& process) const;
  /// True if any submission may now be an error.
  bool anyMayRefuse() const;
  /// Expects that a loss made one error (LOSS-3) and one time-out; `refused`: the device may also have
  /// reported refusals as errors.
  void countLoss(bool refused);
  /// Returns how many requests of `submits` the device refuses; 0 unless that is `possible`.
  uint32_t refusalsOf(bool possible, const std::function<void()>& submits);
  /// Runs `pages`, which moves memory, and expects that the device refuses none of its requests.
  bool page(const std::function<bool()>& pages);
  /// Makes textures until the device refuses one of `smallest` pixels a side.
  void takeAll(WalkProcess& process, uint32_t smallest);
  /// Gives back all but `keeps` of the textures that it has taken.
  void give(WalkProcess& process, size_t keeps);
  /// Checks how much memory is left, after large changes.
  void lookAtMemory();

  bool canLose();
  bool waitForGpu(uint32_t state);
  /// Drops the held buffers with the devices of their programs.
  void dropHeld();
  void moveAmidLoss();
  void moveWithoutGpu();
  void withoutGpu();
  Item evenLostItem(WalkProcess& process);
  /// Fills the allocation by the CPU; the GPU's copy stays as it is.
  void writeMemory(const Item& item, uint32_t color);
  /// Expects that allocations which survive losses have their content: all memory of programs that no work
  /// was writing to.
  void expectSurvivors();
  /// Called when the device has forgotten everything: tells each program that its device is lost, and ends
  /// it; draws GDI and the desktop anew.
  void everybodyBeginsAnew();

  Adapter& m_adapter;
  Random m_random;
  uint64_t m_seed;
  std::vector<std::unique_ptr<WalkProcess>> m_processes;
  WalkGdi m_gdi;
  std::vector<std::shared_ptr<WalkShared>> m_shared;
  std::vector<std::pair<int, int>> m_points;  // checked points of the screen
  std::vector<Color> m_desktop;               // colours at them
  WalkProcess* m_frameOwner = nullptr;
  Item m_frames[2], m_shown;  // frames of a full-screen program; the one on the screen, or the desktop
  std::vector<DisplayMode> m_modes;
  uint64_t m_nextProcess = 1000;
  unsigned m_done = 0, m_resets = 0, m_losses = 0, m_sleeps = 0;
  uint32_t m_errors = 0;
  std::vector<int64_t> m_resetTimes;
  bool m_noise = false, m_vsync = false, m_stop = false;
  uint64_t m_limit = 0;          // limit of host memory; 0: unknown
  bool m_short = false;          // host memory is nearly used up
  bool m_vain = false;           // submissions are lost
  bool m_primaryMade = false;    // the desktop primary has its texture
  bool m_primaryUnseen = false;  // the device refused that texture
  std::vector<unsigned> m_made;  // moves of each row of kMoves
  unsigned m_shortages = 0, m_shares = 0, m_refusals = 0, m_pagings = 0, m_amid = 0, m_gone = 0,
           m_survivors = 0;
};

}  // namespace aerogpu::host
