// SPDX-License-Identifier: MIT
// Moves of a random walk (random_walk.h): programs that take all host memory that a process, or the guest,
// may use (LIM-14, SPACE-11, SPACE-22), keep it while all continue, and give it back. The effect on the other
// moves: the device may refuse a program's objects, and draws; it may not refuse paging (MEM-8).
#include <algorithm>

#include "aerogpu/aerogpu_format.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/random_walk.h"
#include "tests-qtest/driver/ring_view.h"

namespace aerogpu::host {

namespace {

constexpr uint32_t kLargest = 4096;       // pixels a side: 64 MiB
constexpr uint64_t kRoom = 128ull << 20;  // the system's part (SPACE-26), and enough for the moves in flight
constexpr unsigned kTakers = 4;

}  // namespace

void Walk::settle() {
  m_adapter.scheduler().waitIdle();
  const RingView ring(m_adapter);
  if (ring) ring.waitEmpty();
}

uint32_t Walk::refusalsOf(bool possible, const std::function<void()>& submits) {
  if (!possible || m_vain) {
    submits();
    return 0;
  }
  settle();
  const uint32_t before = deviceErrors(m_adapter);
  expectDeviceErrors(m_adapter, m_errors);  // nothing else was refused
  submits();
  settle();
  m_errors = deviceErrors(m_adapter);
  m_refusals += m_errors - before;
  return m_errors - before;
}

bool Walk::page(const std::function<bool()>& pages) {
  const bool full = std::any_of(m_processes.begin(), m_processes.end(),
                                [](const auto& process) { return !process->hoard.empty(); });
  bool ok = false;
  const uint32_t refused = refusalsOf(full, [&] { ok = pages(); });
  m_pagings += full;
  return expect(refused == 0, "paging is refused nothing (%u errors)", refused) && ok;
}

void Walk::lookAtMemory() {
  m_short = m_limit &&
            std::any_of(m_processes.begin(), m_processes.end(),
                        [](const auto& process) { return !process->hoard.empty(); }) &&
            deviceCounter("host-memory").value_or(m_limit) + kRoom > m_limit;
}

// Takes larger objects first, and of one size as many as the device makes. Nothing is drawn to them, so few
// of their bytes are committed.
void Walk::takeAll(WalkProcess& process, uint32_t smallest) {
  constexpr uint32_t kFirst = 16, kRest = 4;  // fewer than four of half the size fit after that
  // The context that gives back must exist before: the device may refuse a context that it has not made yet.
  WalkContext& context = process.contexts.front();
  releaseHeld(context);
  const bool buffers = below(2) != 0;
  if (refusalsOf(true, [&] { (void)context.context->render(Stream().flush().bytes(), {}); })) return;
  for (uint32_t edge = kLargest; edge >= smallest; edge /= 2) {
    const uint32_t count = edge == kLargest ? kFirst : kRest;
    std::vector<uint32_t> handles;
    Stream stream;
    for (uint32_t i = 0; i < count; ++i) {
      handles.push_back(newHandle());
      if (buffers)
        stream.createBuffer(handles.back(), uint64_t{edge} * edge * 4, 0);
      else
        stream.createTexture(handles.back(), edge, edge, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
    }
    NTSTATUS status = kSuccess;
    const uint32_t refused = refusalsOf(true, [&] { status = context.context->render(stream.bytes(), {}); });
    if (!expect(ntSuccess(status) && refused > 0 && refused <= count,
                "some of %u of %u pixels a side are refused (%u, 0x%08x)", count, edge, refused, status))
      return;
    process.hoard.insert(process.hoard.end(), handles.begin(),
                         handles.end() - static_cast<std::ptrdiff_t>(refused));
  }
  logCall("%llu has %zu %s", static_cast<unsigned long long>(process.id), process.hoard.size(),
          buffers ? "buffers more" : "textures more");
  m_shares += !process.hoard.empty();
}

/// Makes one process take all that it can get, or several processes until nothing is left: a single one may
/// not take all.
void Walk::take() {
  if (!m_limit) return;
  const uint32_t smallest = 1u << below(8);
  const bool all = below(2) != 0;
  logCall("%s memory is taken, down to %u pixels a side", all ? "all" : "a process' part of the", smallest);
  takeAll(anyProcess(), smallest);
  lookAtMemory();
  for (unsigned i = 1; all && i < kTakers && !m_short; ++i) {
    if (m_processes.size() < 6) beginProcess();
    const auto other = std::find_if(m_processes.rbegin(), m_processes.rend(),
                                    [](const auto& process) { return process->hoard.empty(); });
    if (other == m_processes.rend()) break;
    takeAll(**other, smallest);
    lookAtMemory();
  }
  m_shortages += m_short;
}

/// Makes one of the processes that hold memory give back all of it, or a part.
void Walk::giveBack() {
  std::vector<WalkProcess*> rich;
  for (const auto& process : m_processes)
    if (!process->hoard.empty()) rich.push_back(process.get());
  if (rich.empty()) return;
  WalkProcess& process = *any(rich);
  give(process, below(3) ? 0 : below(static_cast<uint32_t>(process.hoard.size())));
}

void Walk::give(WalkProcess& process, size_t keeps) {
  logCall("%llu gives memory back: %zu of %zu", static_cast<unsigned long long>(process.id),
          process.hoard.size() - keeps, process.hoard.size());
  Stream stream;
  for (; process.hoard.size() > keeps; process.hoard.pop_back()) stream.destroy(process.hoard.back());
  NTSTATUS status = kSuccess;
  WalkContext& context = process.contexts.front();
  releaseHeld(context);
  const uint32_t refused = refusalsOf(true, [&] { status = context.context->render(stream.bytes(), {}); });
  expect(ntSuccess(status) && refused == 0, "what is given back is not refused (0x%08x, %u errors)", status,
         refused);
  lookAtMemory();
}

}  // namespace aerogpu::host
