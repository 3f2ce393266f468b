// SPDX-License-Identifier: MIT
// Random legal calls, thousands of them, from a seed: no rule is broken, pixels are right after each, fences
// go on, and at the end nothing is left. docs/windows/driver-host.md, "Random calls".
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/random_walk.h"
#include "tests-qtest/driver/ring_view.h"

namespace aerogpu::host {

namespace {

constexpr unsigned kMoves = 10000, kFewMoves = 1200;
/// Two modes' primaries and two frames of a full-screen program, wherever they are pinned; less than programs
/// have.
constexpr uint64_t kSegmentBytes = 8 << 20;

}  // namespace

/// Weights: how many of a thousand moves are these.
const Walk::Move Walk::kMoves[] = {
    {25, &Walk::beginProcess},  {8, &Walk::endSomeProcess}, {8, &Walk::killSomeProcess},
    {90, &Walk::addItem},       {35, &Walk::removeItem},    {25, &Walk::changeContexts},
    {190, &Walk::fillItem},     {40, &Walk::copyItem},      {40, &Walk::writeItem},
    {100, &Walk::checkItem},    {60, &Walk::evictItem},     {8, &Walk::evictAll},
    {10, &Walk::preferSegment}, {35, &Walk::hold},          {30, &Walk::releaseSome},
    {15, &Walk::share},         {20, &Walk::openShare},     {25, &Walk::fillShare},
    {25, &Walk::lookShare},     {15, &Walk::closeShare},    {30, &Walk::gdiDraw},
    {10, &Walk::gdiLook},       {35, &Walk::present},       {12, &Walk::presentFill},
    {8, &Walk::lookAtScreen},   {20, &Walk::flip},          {4, &Walk::dropFrames},
    {5, &Walk::changeMode},     {2, &Walk::reconnect},      {3, &Walk::sleep},
    {15, &Walk::pointer},       {10, &Walk::scanLine},      {6, &Walk::vsync},
    {10, &Walk::preempt},       {2, &Walk::hang},           {2, &Walk::lose},
    {8, &Walk::queryFence},     {8, &Walk::waitIdle},       {15, &Walk::ask},
    {3, &Walk::debugInfo},      {2, &Walk::lineNoise},
};

Walk::Walk(Session& session, uint64_t seed) : m_adapter(session.adapter()), m_random(seed), m_seed(seed) {
  for (const DisplayMode& mode : m_adapter.display().modes())
    if (mode.format == D3DDDIFMT_X8R8G8B8 && mode.width <= 800 && mode.height <= 600) m_modes.push_back(mode);
  for (int y = 5; y < 480; y += 67)
    for (int x = 3; x < 640; x += 91) m_points.emplace_back(x, y);
  m_desktop.resize(m_points.size());
}

void Walk::move() {
  static const unsigned total = [] {
    unsigned sum = 0;
    for (const Move& one : kMoves) sum += one.weight;
    return sum;
  }();
  const unsigned before = brokenRules();
  logMove();
  uint32_t what = below(total);
  for (const Move& one : kMoves) {
    if (what < one.weight) {
      (this->*one.make)();
      break;
    }
    what -= one.weight;
  }
  // Others would be hidden by the recovery.
  const TdrRecord& tdr = m_adapter.scheduler().tdr();
  expect(tdr.timeouts == m_resets && tdr.resets == m_resets,
         "%u time-outs, those that were made (%u, %u resets)", m_resets, tdr.timeouts, tdr.resets);
  if (brokenRules() == before) return;
  m_stop = true;  // what follows would be its consequence
}

void Walk::run(unsigned moves) {
  if (!expect(!m_modes.empty(), "modes of up to 800x600") || !makeGdi()) return;
  makeSteady();
  const auto resources = deviceCounter("resources");
  const uint64_t pool = poolBytes();
  const size_t allocations = m_adapter.vidmm().liveAllocations();

  for (m_done = 0; m_done < moves && !m_stop; ++m_done) move();
  note("%u moves; %llu submissions, %llu evictions, %u preemptions, %u losses, %u other time-outs, %u sleeps",
       m_done, static_cast<unsigned long long>(m_adapter.scheduler().submitted()),
       static_cast<unsigned long long>(m_adapter.vidmm().evictions()),
       m_adapter.scheduler().tdr().preemptions, m_losses, m_resets - m_losses, m_sleeps);
  logCall("the end");
  while (!m_processes.empty()) endProcess(m_processes.size() - 1, false);
  makeSteady();
  expectDeviceCounter("resources", resources, "when everything has ended");
  expect(m_adapter.vidmm().liveAllocations() == allocations, "no allocation is left");
  expect(poolBytes() <= pool + 4096, "no pool is left: %llu bytes at first, %llu at the end",
         static_cast<unsigned long long>(pool), static_cast<unsigned long long>(poolBytes()));
  expectDeviceErrors(m_adapter, m_errors);
  m_gdi.context.reset();
  m_gdi.client->closeAll();
  for (const auto& window : m_gdi.windows) m_adapter.vidmm().destroy({window.allocation});
  m_gdi.client.reset();
}

// A state that can be compared: what the driver makes when it is first needed is made.
void Walk::makeSteady() {
  changeMode();
  beginProcess();
  addItem();
  share();
  presentFill();
  while (!m_processes.empty()) endProcess(0, false);
  for (size_t i = 0; i + 1 < m_gdi.windows.size(); ++i) {
    expect(ntSuccess(gdiFill(i, 0xFF102030)), "a fill of GDI's");
    m_gdi.windows[i].gpu = 0xFF102030;
  }
  gdiLook();
  m_adapter.scheduler().waitIdle();
  const RingView ring(m_adapter);
  if (ring) ring.waitEmpty();
}

namespace {

/// `moves`: 0 for as many as a short test takes.
void walk(uint64_t seed, unsigned moves) {
  Vidmm::limitAllSegments(kSegmentBytes);
  Session session;
  if (!session.ok() || !expect(session.setMode(640, 480), "a mode")) return;
  beginCallLog("random", seed);
  // In a VM a register costs what it costs, and time does not jump.
  if (!moves) moves = session.adapter().machine().clockJumps() ? kFewMoves : kFewMoves / 4;
  Walk(session, seed).run(moves);
}

template <uint64_t seed>
void few() {
  walk(seed, 0);
}

void many() {
  note("seed %llu", static_cast<unsigned long long>(options().seed));
  walk(options().seed, options().iterations ? options().iterations : kMoves);
}

const TestCase kTests[] = {
    {"random-1", 300, few<1>},
    {"random-2", 300, few<2>},
    {"random-3", 300, few<3>},
    {"random", 3600, many, true},
};

}  // namespace

std::span<const TestCase> randomTests() {
  return kTests;
}

}  // namespace aerogpu::host
