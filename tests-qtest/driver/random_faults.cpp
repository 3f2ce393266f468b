// SPDX-License-Identifier: MIT
// Moves of a random walk (random_walk.h): preemption, a GPU that hangs or is lost, the recovery from that,
// queries to the driver.
#include <algorithm>

#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_extension.h"
#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/random_walk.h"

namespace aerogpu::host {

namespace {

// Page "TDR Registry Keys": TdrLimitCount, TdrLimitTime; with room for the recovery's own resets.
constexpr size_t kResetsAllowed = 5;
constexpr int64_t kWithinNs = 65'000'000'000;

}  // namespace

void Walk::preempt() {
  logCall("what is queued is preempted");
  expect(m_adapter.scheduler().preempt(), "a preemption");
}

bool Walk::mayReset() {
  if (!m_adapter.machine().clockJumps()) return false;  // a minute takes a minute
  if (m_noise) lineNoise();                             // seconds of it would take too long
  const auto recent = [&] {
    std::erase_if(m_resetTimes, [](int64_t at) { return nowNs() - at > kWithinNs; });
    return m_resetTimes.size();
  };
  if (recent() >= kResetsAllowed) {
    if (m_vsync) vsync();  // a minute of them would take too long
    clockSleepUntil(m_resetTimes.front() + kWithinNs + 1);
    recent();
  }
  return true;
}

void Walk::drawInVain() {
  // Nothing is paged meanwhile; loseAmid() covers losses during paging.
  const auto fits = [](const WalkItem& item) { return !item.frame && !item.missing && item.resident(); };
  m_vain = true;
  const unsigned count = 1 + below(4);
  for (unsigned i = 0; i < count; ++i) {
    WalkProcess& process = anyProcess();
    const Item item = anyItem(process, fits);
    if (!item) continue;
    logCall("%llu draws in vain", static_cast<unsigned long long>(process.id));
    fill(runningContext(process), item, 0xFF777777);
    item->memory.reset();
    item->gpu.reset();
  }
  logCall("GDI draws in vain");
  gdiAct(0, {}, [&] { return gdiFill(0, 0xFF777777); });
  m_vain = false;
}

/// Makes the device idle, with GDI's first window ready for drawing.
void Walk::rest() {
  anyProcess();
  gdiAct(0, 0xFF000000, [&] { return gdiFill(0, 0xFF000000); });
  settle();
}

/// Stops the GPU until the time-out.
void Walk::hang() {
  if (!mayReset()) return;
  Scheduler& scheduler = m_adapter.scheduler();
  releaseAll();
  const bool refused = anyMayRefuse();
  rest();
  const bool sticks = below(2) != 0;
  logCall(sticks ? "a submission never ends" : "the GPU fetches nothing any more");
  scheduler.setTimeoutMs(kShortTimeoutMs);
  if (!sticks || !m_adapter.machine().stickGpu())
    m_adapter.registers().write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  drawInVain();
  scheduler.waitIdle();
  m_resetTimes.push_back(nowNs());
  scheduler.setTimeoutMs(kTimeoutMs);
  ++m_resets;
  if (refused) m_errors = deviceErrors(m_adapter);  // the part of it that ran
  expect(scheduler.resets() == m_resets, "a hang is one time-out (%u of %u)", scheduler.resets(), m_resets);
}

/// Loses the host's GPU while a program draws; the recovery brings it back.
void Walk::lose() {
  if (!canLose() || !mayReset()) return;
  Scheduler& scheduler = m_adapter.scheduler();
  dropFrames();
  // Buffers that programs have built but not submitted are dropped with their devices, or are submitted
  // before.
  if (below(2)) releaseAll();
  dropHeld();
  const bool refused = anyMayRefuse();
  rest();
  logCall("the host's GPU is lost");
  if (!expect(m_adapter.machine().loseGpu(), "a loss")) return;
  scheduler.setTimeoutMs(kShortTimeoutMs);
  drawInVain();
  scheduler.waitIdle();
  m_resetTimes.push_back(nowNs());
  scheduler.setTimeoutMs(kTimeoutMs);
  waitForGpu(AEROGPU_EXT_GPU_WORKS);
  countLoss(refused);
  everybodyBeginsAnew();
}

void Walk::everybodyBeginsAnew() {
  for (auto& window : m_gdi.windows) window.gpu.reset();
  m_primaryMade = m_primaryUnseen = false;
  unpaintAll();
  while (!m_processes.empty()) {
    WalkProcess& process = *m_processes.back();
    for (WalkContext& context : process.contexts) {
      const NTSTATUS status = context.context->render(Stream().flush().bytes(), {});
      expect(status == kGpuException, "a program is told that its device is lost (0x%08x)", status);
    }
    endProcess(m_processes.size() - 1, below(2) != 0);
  }
  // The driver makes the texture for GDI's bitmap at its next use: if the device refused it for lack of
  // memory, no later call would make it (docs/windows/driver.md, "Handle spaces").
  lookAtMemory();
  gdiLook();
}

void Walk::queryFence() {
  logCall("the fence is asked for");
  m_adapter.scheduler().waitIdle();
  m_adapter.scheduler().queryFence();
}

void Walk::waitIdle() {
  logCall("everything is waited for");
  const uint64_t submitted = m_adapter.scheduler().submitted();
  m_adapter.scheduler().waitIdle();
  expect(m_adapter.scheduler().completed(submitted), "fences go on");
}

/// Queries by a program that change nothing.
void Walk::ask() {
  WalkProcess& process = anyProcess();
  const auto operations = escapeOperations();
  const EscapeOperation& asked = operations[below(static_cast<uint32_t>(operations.size()))];
  switch (asked.op) {
    case AEROGPU_ESCAPE_OP_SELFTEST:
    case AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE:
    case AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION:
    case AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY:
    case AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES:
    case AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION:
      return;
    default:
      break;
  }
  logCall("%llu asks escape %u", static_cast<unsigned long long>(process.id), asked.op);
  std::vector<uint8_t> blob(asked.bytes);
  const aerogpu_escape_header header{AEROGPU_ESCAPE_VERSION, asked.op, asked.bytes, 0};
  std::memcpy(blob.data(), &header, sizeof header);
  setCallerPrivileged(true);
  const NTSTATUS status = Escapes(m_adapter, *process.client).raw(blob.data(), asked.bytes);
  expect(ntSuccess(status), "escape %u is answered (0x%08x)", asked.op, status);
}

void Walk::debugInfo() {
  logCall("the driver is asked what it knows, as before a bug-check");
  std::vector<uint8_t> buffer(1 + below(4096));
  DXGKARG_COLLECTDBGINFO_EXT extension{};
  DXGKARG_COLLECTDBGINFO info{};
  info.Reason = 0x119;  // VIDEO_SCHEDULER_INTERNAL_ERROR
  info.pBuffer = buffer.data();
  info.BufferSize = buffer.size();
  info.pExtension = &extension;
  const NTSTATUS status = callDdi("DxgkDdiCollectDbgInfo", kHighLevel, m_adapter.ddi.DxgkDdiCollectDbgInfo,
                                  m_adapter.context(), &info);
  expect(ntSuccess(status), "DxgkDdiCollectDbgInfo (0x%08x)", status);
}

/// Switches on or off another device that shares the interrupt.
void Walk::lineNoise() {
  m_noise = !m_noise;
  logCall("another device interrupts: %s", m_noise ? "yes" : "no");
  m_adapter.setSharedLineNoise(m_noise);
}

}  // namespace aerogpu::host
