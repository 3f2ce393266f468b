// SPDX-License-Identifier: MIT
// Common parts of the driver host's tests: the table, the session with a started adapter, and expectations. A
// test runs in a separate process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aerogpu/aerogpu_pci.h"
#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/adapter.h"
#include "testbed/kernel/dxgk/client.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kernel/nt/nt_state.h"

namespace aerogpu::host {

struct Options {
  std::string driver = "/aerogpu.sys";
  uint64_t seed = 1;
  unsigned iterations = 0;  // 0 = the test's own
  bool debugLines = false;
  bool outside = true;  // the second serial line has answers (tests-qtest/driver/outside.h)
};
const Options& options();

/// Where a test runs that is not named on the command line.
enum class Runs : uint8_t {
  kEverywhere,
  /// Not in a booted VM, which needs some seconds for each test: tests that run others again under other
  /// conditions, answers to the OS that do not depend on the computer, faults that only a QEMU beside the
  /// test can play, time-outs, which take real time in a VM, and clocks that jump.
  kBesideQemu,
  /// Only where it is named: what takes long, and what needs a device with other properties.
  kOnDemand,
};

struct TestCase {
  const char* name;
  int timeoutSeconds;
  void (*run)();
  Runs runs = Runs::kEverywhere;
};

std::span<const TestCase> pnpTests();
std::span<const TestCase> displayTests();
std::span<const TestCase> gammaTests();
std::span<const TestCase> rasterTests();
std::span<const TestCase> renderTests();
std::span<const TestCase> pagingTests();
std::span<const TestCase> pageListTests();
std::span<const TestCase> sharedTests();
std::span<const TestCase> processTests();
std::span<const TestCase> primaryTests();
std::span<const TestCase> paletteTests();
std::span<const TestCase> allocationTests();
std::span<const TestCase> budgetTests();
std::span<const TestCase> sleepTests();
std::span<const TestCase> handleRangeTests();
std::span<const TestCase> escapeTests();
std::span<const TestCase> escapeDisplayTests();
std::span<const TestCase> escapeRightsTests();
std::span<const TestCase> selfTestTests();
std::span<const TestCase> eventTests();
std::span<const TestCase> escapeRingTests();
std::span<const TestCase> memoryTests();
std::span<const TestCase> recoveryTests();
std::span<const TestCase> timeoutTests();
std::span<const TestCase> busyTests();
std::span<const TestCase> presentTests();
std::span<const TestCase> refusalTests();
std::span<const TestCase> gdiTests();
std::span<const TestCase> randomTests();
std::span<const TestCase> contextTests();
std::span<const TestCase> pressureTests();
std::span<const TestCase> writeCombinedTests();
std::span<const TestCase> savedTests();
std::span<const TestCase> slowTests();
std::span<const TestCase> spaceTests();
std::span<const TestCase> shareTests();
std::span<const TestCase> instructionTests();
std::span<const TestCase> benchmarks();

/// Marks the test as skipped, whole or in part, because this machine or device lacks what the reason (one
/// line) names; the caller then returns, or goes on with what can be tested. A test that breaks a rule counts
/// as failed nevertheless.
__attribute__((format(printf, 1, 2))) void skipTest(const char* format, ...);
/// Returns the reason that skipTest() got in this process; empty if it was not called.
const std::string& skipReason();

/// Reports a broken rule if `condition` is false. Returns `condition`.
__attribute__((format(printf, 2, 3))) bool expect(bool condition, const char* format, ...);

inline constexpr NTSTATUS kGpuException = ntStatus(0xC01E0200);  ///< STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE
inline constexpr NTSTATUS kCannotColorConvert = ntStatus(0xC01E0008);  ///< STATUS_GRAPHICS_CANNOTCOLORCONVERT
inline constexpr uint32_t kMiB = 1 << 20;
inline constexpr ULONG kAdapterUid = 0xFFFFFFFF;  ///< DISPLAY_ADAPTER_HW_ID

/// Kernel memory for the host: 2 MiB pages.
inline constexpr unsigned kHugePages = 160;

/// The adapter, loaded and started; its destructor shuts it down with all checks.
class Session {
public:
  /// Loads the driver; with `start` also calls start(). A test that sets hooks in between passes false, and
  /// uses adapter().
  explicit Session(bool start = true);
  ~Session();
  Adapter& adapter() { return *m_adapter; }
  bool ok() const { return m_ok; }
  /// Brings the adapter up to a running scheduler. Returns false after a broken rule.
  bool start();
  /// Enumerates and sets a mode, the preferred one by default.
  bool setMode(UINT width = 0, UINT height = 0);

private:
  std::unique_ptr<Adapter> m_adapter;
  bool m_ok = false, m_up = false;
};

/// Runs `body` for one process (id 100) with its own device and context on a started adapter, after setting a
/// mode if `withMode`. Templates, so that a row of a table is a plain function.
using ProcessBody = void(Adapter& adapter, Client& client, Context& context);
void runInProcess(ProcessBody* body, bool withMode, UINT width, UINT height);
template <ProcessBody* body>
void inProcess() {
  runInProcess(body, false, 0, 0);
}
template <ProcessBody* body, UINT width = 0, UINT height = 0>
void inProcessWithMode() {
  runInProcess(body, true, width, height);
}

/// Called before a session: in the session the GPU takes `ms` milliseconds for each submission. The test is
/// skipped if the machine cannot simulate that.
void setGpuDelay(unsigned ms);
/// Makes stopGpu() make the next submission endless, from now on.
void setGpuSticks();
/// Stops the GPU until it is reset: disables the ring without the driver's knowledge, so that the device
/// fetches nothing; after setGpuSticks(), makes the next submission endless instead.
void stopGpu(Adapter& adapter);

/// Returns the GPU address at which an allocation lies in its segment.
uint64_t addressOf(Adapter& adapter, const Allocation& allocation);
/// True if the device keeps processes apart (docs/abi/spaces.md); else the driver does.
bool hasSpaces(Adapter& adapter);
/// Returns false, with a note, if the device has handle spaces: for tests of the checks that the driver makes
/// on devices without them. space_tests.cpp tests devices with spaces.
bool driverChecks(Adapter& adapter);

/// Returns how many errors the device has found since the session began (ERROR_COUNT is never reset). The
/// work concerned must be complete: call waitIdle() before.
uint32_t deviceErrors(Adapter& adapter);
/// Expects exactly this count; else reports a broken rule with the error registers.
bool expectDeviceErrors(Adapter& adapter, uint32_t count);
inline bool expectNoDeviceErrors(Adapter& adapter) {
  return expectDeviceErrors(adapter, 0);
}

/// Expects that the GPU's state becomes this (AEROGPU_EXT_GPU_*).
bool gpuBecomes(Adapter& adapter, uint32_t state);

/// Returns how many entries with this code the driver has written to the event log
/// (guest-drivers/package/resources/aerogpu_events.mc).
unsigned loggedEvents(uint32_t code);
inline constexpr uint32_t kEventGpuLost = 0xA0A3000A, kEventGpuBack = 0x60A3000B, kEventGpuGone = 0xE0A3000C,
                          kEventRefused = 0xA0A3000D;

/// Sleeps by the machine's clock (core/clock.h).
void sleepMs(int ms);
/// Asks every few milliseconds whether it is so, at most `limitMs` by the machine's clock. Returns the last
/// answer.
template <class Condition>
bool comes(const Condition& isSo, int limitMs = 20'000) {
  constexpr int kStepMs = 5;
  for (int waited = 0; !isSo(); waited += kStepMs) {
    if (waited >= limitMs) return false;
    sleepMs(kStepMs);
  }
  return true;
}
int64_t nowNs();
/// Returns real time, which the machine's clock may run ahead of.
int64_t realNs();

/// A small generator whose numbers follow from the seed.
class Random {
public:
  explicit Random(uint64_t seed) : m_state(seed * 2 + 1) { next(); }
  uint32_t next() {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(m_state >> 33);
  }
  uint32_t below(uint32_t n) { return next() % n; }

private:
  uint64_t m_state;
};

}  // namespace aerogpu::host
