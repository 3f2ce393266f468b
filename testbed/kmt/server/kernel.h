// SPDX-License-Identifier: MIT
// dxgkrnl as programs see it: the D3DKMT calls, over the adapter that the rest of the host has started. Pages
// "D3DKMT..." of d3dkmthk.h. Each call may come on any thread, and many at a time; locks are taken in the
// order gate, device's calls, screen, sharing, the tables' own.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "testbed/kernel/dxgk/adapter.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kmt/server/keyed_mutexes.h"
#include "testbed/kmt/server/message.h"
#include "testbed/kmt/server/objects.h"
#include "testbed/kmt/status.h"

namespace aerogpu::host {

template <kmt::Call call>
using CallTag = std::integral_constant<kmt::Call, call>;

/// Calls of programs pass it, many at a time. A thread that closes it waits until those that have passed are
/// done, and keeps others out. For std::shared_lock and std::lock_guard.
class Gate {
public:
  void lock_shared() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return !m_closed; });
    ++m_inside;
  }
  void unlock_shared() {
    std::lock_guard lock(m_mutex);
    if (--m_inside == 0) m_changed.notify_all();
  }
  void lock() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return !m_closed; });
    m_closed = true;
    m_changed.wait(lock, [this] { return m_inside == 0; });
  }
  void unlock() {
    std::lock_guard lock(m_mutex);
    m_closed = false;
    m_changed.notify_all();
  }

private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  unsigned m_inside = 0;
  bool m_closed = false;
};

/// The answers of UMDRIVERNAME: Windows paths, each empty where there is no such driver.
struct UserModeDrivers {
  struct Files {
    std::string d3d9, d3d10;  // the latter for Direct3D 11 too
  };
  Files x64, x86;  // by the kind of program
};

class Kernel {
public:
  static constexpr unsigned kMaxProcesses = 64;

  /// Serves an adapter, which must be up.
  Kernel(Adapter& adapter, UserModeDrivers drivers);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  /// No process may be left.
  ~Kernel();

  /// Sets the desktop's mode; 0 by 0 is the preferred one. Returns false after a broken rule, or if there is
  /// no such mode.
  bool start(UINT width, UINT height);

  /// Returns a connection's process: a new one for id 0, else the one with this id and cookie. `pointerBits`:
  /// a new one's, 32 or 64. Returns null after one line.
  std::shared_ptr<Process> enter(uint32_t id, uint64_t cookie, uint32_t pointerBits);
  /// Called when a connection has ended. With the last one the process dies: contexts, allocations, devices.
  void leave(const std::shared_ptr<Process>& process);
  size_t processes();
  /// The current holdings of all processes and of the desktop. Any thread.
  struct Holdings {
    size_t processes, handles, shares, allocations;
    uint64_t poolBytes;  // held by the driver
  };
  Holdings holdings();
  /// Creates a surface into which GDI draws a window while a compositor runs: the standard allocation for
  /// textures, whose only description is each allocation's private data. Returns its global handle; 0 after
  /// one line. Any thread.
  uint32_t createWindowSurface(UINT width, UINT height, D3DDDIFORMAT format);
  /// Destroys the surface of a window that is gone; programs that have the surface open keep it. Returns
  /// false if there is no such surface.
  bool destroyWindowSurface(uint32_t globalShare);

  /// Lets the machine sleep and wake: calls under way end first, later ones wait. Returns false if the
  /// machine cannot sleep.
  bool sleep();
  /// Returns the gate that is held around each call, and around leave().
  Gate& awake() { return m_awake; }

  /// The calls. Each fills `reply` and `out` as far as it gets, whatever it returns.
#define AEROGPU_KMT_CALL(NUMBER, NAME, REQUEST, REQUEST_BYTES, REPLY, ...)                              \
  NTSTATUS run(CallTag<kmt::Call::NAME>, Process& process, const kmt::REQUEST& request, TailReader& in, \
               kmt::REPLY& reply, TailWriter& out);
  AEROGPU_KMT_CALLS(AEROGPU_KMT_CALL)
#undef AEROGPU_KMT_CALL

private:
  /// Returns an unused global handle. Under m_sharing.
  uint32_t newGlobalShare();
  /// Waits until the GPU is done with the allocations. Holds no lock, so they may be used again meanwhile.
  void waitFor(const AllocationGroup& group);
  /// The device, with its calls locked; an empty lock if there is none.
  struct DeviceCalls {
    std::shared_ptr<KmtDevice> device;
    std::unique_lock<std::mutex> lock;
    explicit operator bool() const { return device != nullptr; }
    KmtDevice* operator->() const { return device.get(); }
    KmtDevice& operator*() const { return *device; }
  };
  DeviceCalls enterDevice(Process& process, uint32_t handle);
  static std::shared_ptr<KmtAllocation> allocationOf(Process& process, const KmtDevice& device,
                                                     uint32_t handle);
  /// Returns STATUS_DEVICE_REMOVED once the GPU was reset since the device was made.
  bool isLost(const KmtDevice& device) const;
  bool isAdapter(Process& process, uint32_t handle) const {
    return process.handles.find<KmtAdapter>(handle) != nullptr;
  }

  // Under the device's calls.
  void destroyContext(Process& process, KmtDevice& device, uint32_t handle);
  /// Closes the allocations of the handles, all of one group, and destroys the group if no device has it open
  /// any more.
  void closeAllocations(Process& process, KmtDevice& device, const std::vector<uint32_t>& handles);
  void destroyResource(Process& process, KmtDevice& device, uint32_t handle);
  void destroyDevice(Process& process, uint32_t handle);
  struct Opened {
    NTSTATUS status;
    std::vector<std::shared_ptr<KmtAllocation>> allocations;
    uint32_t resource;
  };
  /// Opens a group for the device and gives handles to all; undoes everything after a failure.
  Opened openGroup(Process& process, KmtDevice& device, const std::shared_ptr<AllocationGroup>& group,
                   bool create, bool asResource);

  // Presents (present_calls.cpp, flips.cpp), under the device's calls.
  NTSTATUS presentBlt(KmtDevice& device, KmtContext& context, const kmt::PresentRequest& request,
                      KmtAllocation* source, KmtAllocation* destination, const std::vector<RECT>& subRects,
                      uint32_t count);
  NTSTATUS presentFlip(DeviceCalls& device, KmtContext& context, const kmt::PresentRequest& request,
                       KmtAllocation& source, uint32_t count);
  /// Waits until fewer presents are under way than the device's limit allows, and releases the lock
  /// meanwhile. Fails with STATUS_GRAPHICS_ALLOCATION_BUSY in place of a wait if `doNotWait`.
  NTSTATUS waitForPresents(DeviceCalls& device, bool doNotWait);
  /// Notes which blits are done.
  void countBlits(KmtDevice& device);
  /// Waits until all flips of the device are on the screen; releases the lock meanwhile.
  void drainFlips(DeviceCalls& device);
  /// Waits until no flip is going to show one of the frames, and none is shown that another will replace, as
  /// the GPU's scheduler lets work wait that draws to such a frame. Releases `calls` meanwhile; returns true
  /// if it did, after which everything may have changed.
  bool waitForFrames(const std::vector<const Allocation*>& frames, std::unique_lock<std::mutex>& calls);
  bool describe(const Allocation& allocation, DXGKARG_DESCRIBEALLOCATION& out);

  // The screen (display_calls.cpp).
  /// Called with true before a call needs the vertical sync interrupt, and with false after it; the interrupt
  /// is on while some call needs it.
  void useVsync(bool use);
  /// Fails with STATUS_GRAPHICS_INVALID_ALLOCATION_USAGE if the frame cannot be scanned out in the mode.
  NTSTATUS checkFrame(const Allocation& frame, const DisplayMode& mode);
  /// Restores the desktop's mode and primary, if they are not shown. Under m_screen.
  void showDesktop();
  // Flips that are queued (flips.cpp), under m_screen.
  struct Flip {
    std::shared_ptr<KmtDevice> device;
    std::shared_ptr<Allocation> frame;
    uint64_t number;     // what the scheduler has to finish before: its drawing
    uint32_t interval;   // in vertical syncs, since the flip before
    uint32_t count;      // the program's
    bool given = false;  // to the driver; it is done at the next vertical sync
  };
  /// Gives flips to the driver, each when it is drawn and the one before has been shown for its interval.
  /// Runs on a thread of its own.
  void showFlips();
  /// Returns false if the thread has to wait for something: until the work `number` is done, or, if that is
  /// 0, for the vertical sync after `vsync`.
  bool showNextFlip(uint64_t& number, uint64_t& vsync);
  void endFlip(const Flip& flip, uint32_t refresh);
  /// Drops the flips that `belongs` chooses; they count as done.
  template <class Belongs>
  void dropFlips(Belongs belongs);
  void dropFlipsOf(const KmtDevice& device);
  size_t flipsUnderWay(const KmtDevice& device) const;

  /// Shows the desktop if the device owns the screen.
  void releaseScreen(const KmtDevice& device);
  /// Called before the allocation is destroyed: shows the desktop if the screen shows the allocation.
  void hide(const Allocation& allocation);
  NTSTATUS displayModes(TailWriter& out, uint32_t capacity, uint32_t& total);

  Adapter& m_adapter;
  const UserModeDrivers m_drivers;
  Gate m_awake;

  std::mutex m_mutex;  // processes
  std::map<uint32_t, std::shared_ptr<Process>> m_processes;
  uint32_t m_nextProcess = 1000;

  std::mutex m_sharing;  // for opening and closing groups with a global handle
  std::map<uint32_t, std::shared_ptr<AllocationGroup>> m_shares;
  uint32_t m_nextShare = 0;
  std::shared_ptr<AllocationGroup> m_desktop;

  KeyedMutexes m_keyedMutexes;

  std::mutex m_screen;                 // the one video present source
  const KmtDevice* m_owner = nullptr;  // owns the screen exclusively
  Allocation* m_shown = nullptr;       // the owner's frame; null: the desktop's primary
  bool m_hasGammaRamp = false;         // the owner's
  uint64_t m_flipVsync = 0;            // count of vertical syncs at the last flip
  std::deque<Flip> m_flips;
  bool m_stopping = false;
  std::condition_variable m_flipsChanged;
  std::mutex m_vsync;
  unsigned m_vsyncUsers = 0;
  std::thread m_flipThread;  // the last member: it uses the others
};

}  // namespace aerogpu::host
