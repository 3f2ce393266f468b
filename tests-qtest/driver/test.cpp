// SPDX-License-Identifier: MIT
#include "tests-qtest/driver/test.h"

#include "aerogpu/aerogpu_extension.h"

#include <time.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace aerogpu::host {

namespace {
std::string s_skipReason;
uint32_t s_errorsBefore;  // ERROR_COUNT is never reset
unsigned s_gpuDelayMs = 0;
bool s_gpuSticks = false;
}  // namespace

bool expect(bool condition, const char* format, ...) {
  if (condition) return true;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  brokenRule("expected: %s", text);
  return false;
}

void setGpuDelay(unsigned ms) {
  s_gpuDelayMs = ms;
}

void setGpuSticks() {
  s_gpuSticks = true;
}

void stopGpu(Adapter& adapter) {
  if (s_gpuSticks)
    adapter.machine().stickGpu();
  else
    adapter.registers().write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
}

Session::Session(bool start) {
  m_adapter = std::make_unique<Adapter>();
  setPrintDebugLines(options().debugLines);
  guest::Status status = m_adapter->openDevice(kHugePages);
  if (status.ok()) s_errorsBefore = m_adapter->registers().read(AEROGPU_MMIO_REG_ERROR_COUNT);
  if (status.ok()) status = m_adapter->loadDriver(options().driver);
  if (!status.ok()) {
    brokenRule("%s", status.text().c_str());
    return;
  }
  // Set also if 0: the previous test may have died.
  const bool played = m_adapter->machine().slowGpu(s_gpuDelayMs);
  if (!played && (s_gpuDelayMs || s_gpuSticks)) {
    skipTest("this machine's GPU cannot be made slow");
    return;
  }
  m_ok = true;
  if (start) m_ok = this->start();
}

bool Session::start() {
  m_up = m_ok = m_adapter->bringUp();
  return m_ok;
}

Session::~Session() {
  if (m_up) note("%llu evictions", static_cast<unsigned long long>(m_adapter->vidmm().evictions()));
  if (m_up) m_adapter->bringDown();
  // The driver could not clean up a device that was removed, so it is reset.
  if (m_adapter->removed()) m_adapter->machine().sleepAndWake(true);
  // Of the 12 KiB that a thread has on x86 (page "Using the Kernel Stack"), win32k and dxgkrnl use a part.
  constexpr uint64_t kMostStack = 3 << 10;
  const auto stack = stackUse();
  for (const auto& [ddi, bytes] : stack)
    if (bytes > kMostStack)
      brokenRule("%llu bytes of stack in %s", static_cast<unsigned long long>(bytes), ddi.c_str());
  for (const auto& [name, count] : ddiCounts().all()) {
    const auto used = stack.find(name);
    std::printf("# ddi %s %llu, %llu bytes of stack\n", name.c_str(), static_cast<unsigned long long>(count),
                used == stack.end() ? 0ull : static_cast<unsigned long long>(used->second));
  }
  std::fflush(stdout);
  // The interrupt thread uses the adapter until the process ends.
  (void)m_adapter.release();
}

bool Session::setMode(UINT width, UINT height) {
  Display& display = m_adapter->display();
  if (display.modes().empty() && !display.enumerate()) return false;
  DisplayMode mode = display.preferred();
  for (const DisplayMode& m : display.modes())
    if (m.width == width && m.height == height && m.format == D3DDDIFMT_X8R8G8B8) mode = m;
  return display.setMode(mode);
}

void runInProcess(ProcessBody* body, bool withMode, UINT width, UINT height) {
  Session session;
  if (!session.ok() || (withMode && !expect(session.setMode(width, height), "a mode"))) return;
  auto client = Client::create(session.adapter(), 100);
  auto context = client ? client->createContext() : nullptr;
  if (expect(context != nullptr, "a context")) body(session.adapter(), *client, *context);
}

void skipTest(const char* format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  s_skipReason = text;
}

const std::string& skipReason() {
  return s_skipReason;
}

uint64_t addressOf(Adapter& adapter, const Allocation& allocation) {
  return static_cast<uint64_t>(adapter.vidmm().segment(allocation.segment).descriptor.BaseAddress.QuadPart) +
         allocation.offset;
}

bool hasSpaces(Adapter& adapter) {
  return (adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_SPACES) != 0;
}

bool driverChecks(Adapter& adapter) {
  if (!hasSpaces(adapter)) return true;
  skipTest("the device keeps processes apart, so the driver reads no stream (handle_spaces=off shows it)");
  return false;
}

uint32_t deviceErrors(Adapter& adapter) {
  const uint32_t count = adapter.registers().read(AEROGPU_MMIO_REG_ERROR_COUNT);
  if (count < s_errorsBefore) s_errorsBefore = 0;  // the device was reset in between, as in a sleep
  return count - s_errorsBefore;
}

bool expectDeviceErrors(Adapter& adapter, uint32_t count) {
  auto& r = adapter.registers();
  const uint32_t found = deviceErrors(adapter);
  return expect(found == count, "the device finds %u errors (%u, the last is code %u at fence 0x%llx)", count,
                found, r.read(AEROGPU_MMIO_REG_ERROR_CODE),
                static_cast<unsigned long long>(r.read64(AEROGPU_MMIO_REG_ERROR_FENCE_LO)));
}

bool gpuBecomes(Adapter& adapter, uint32_t state) {
  const auto now = [&] { return adapter.registers().read(AEROGPU_EXT_REG_GPU_STATE); };
  const bool is = comes([&] { return now() == state; });
  return expect(is, "the GPU's state is %u (%u)", state, now());
}

unsigned loggedEvents(uint32_t code) {
  const auto log = errorLogEntries();
  return static_cast<unsigned>(
      std::count_if(log.begin(), log.end(), [code](const auto& e) { return e.errorCode == code; }));
}

void sleepMs(int ms) {
  clockSleepUntil(clockNow() + ms * 1'000'000ll);
}

int64_t nowNs() {
  return clockNow();
}

int64_t realNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

}  // namespace aerogpu::host
