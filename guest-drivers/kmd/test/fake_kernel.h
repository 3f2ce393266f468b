// SPDX-License-Identifier: MIT
// fake_kernel.h: a strict simulation of the kernel and dxgkrnl for parts of the driver. The running test fails at a
// call at an IRQL that the function's page forbids, a lock that is taken twice or kept, memory that is not freed, and a
// notification without a DPC after it. Time passes only while the driver waits, or with pass().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "guest-drivers/kmd/os/nt.h"

namespace aero::test {

/** Any level above DISPATCH_LEVEL that a device's interrupt may have. */
constexpr KIRQL kDirql = 7;

/** One exists at a time; a test's fixture owns it. */
class FakeKernel {
public:
  FakeKernel();
  ~FakeKernel();
  FakeKernel(const FakeKernel &) = delete;
  FakeKernel &operator=(const FakeKernel &) = delete;

  /** dxgkrnl's callbacks that the parts use. */
  DXGKRNL_INTERFACE dxgk = {};
  /** Notifications to dxgkrnl: "completed 5", "preempted 9 last 5", "faulted 3", "vsync 1F000000", "dpc". */
  std::vector<std::string> told;
  /** Returns the notifications since the last call. */
  std::vector<std::string> take();

  /** True if an interrupt is connected: without one DxgkCbSynchronizeExecution fails. */
  bool interruptConnected = true;
  /** The command register of the function (PCI 3.0, 6.2.2): I/O, memory, bus master. */
  uint16_t pciCommand = 7;
  /** Number of the allocation that fails: 1 is the next one; 0: none fails. */
  int failAllocation = 0;

  KIRQL irql() const { return m_irql; }
  /** Runs `action` at DISPATCH_LEVEL. */
  void atDispatch(const std::function<void()> &action);
  /** Runs `action` as dxgkrnl does at DIRQL, in step with the interrupt. */
  void atDirql(const std::function<void()> &action);
  /** Runs an interrupt routine, which returns whether a DPC is needed, and queues the DPC. */
  bool interrupt(const std::function<bool()> &routine);

  uint64_t now() const { return m_now; }  // nanoseconds
  /** Lets nanoseconds pass; runs timers that become due. */
  void pass(uint64_t nanoseconds);
  /** Called whenever the driver has waited. */
  std::function<void()> whenWaited;
  /** Nanoseconds between two ticks of the clock: delays end with a tick, and the interrupt time is that of the last
   * tick. */
  uint64_t clockTick = 100;
  uint64_t counterFrequency = 10000000;  // Hz
  uint64_t counterStart = 0;             // ticks at time 0
  bool timerIsSet() const { return m_timer != nullptr; }

  /** Returns the memory at a physical address, or null if there is none. */
  void *memoryAt(uint64_t gpa, size_t bytes) const;
  size_t allocations() const { return m_contiguous.size() + m_pool.size(); }

private:
  friend struct Wdm;
  struct Contiguous {
    uint64_t gpa;
    size_t bytes;
  };

  bool allocationFails();
  void toldDpc();

  KIRQL m_irql = PASSIVE_LEVEL;
  bool m_interruptLock = false;
  bool m_owesDpc = false;
  int m_locks = 0;
  uint64_t m_now = 1000;
  KTIMER *m_timer = nullptr;  // the one that is set
  uint64_t m_nextGpa = 0x123450000;
  std::map<void *, Contiguous> m_contiguous;
  std::map<void *, std::string> m_pool;
};

}  // namespace aero::test
