// SPDX-License-Identifier: MIT
// Makes random legal calls, thousands of them, from a seed: no rule is broken, pixels are right after each,
// fences advance, and at the end nothing is left. docs/windows/driver-host.md, "Random calls".
#include <string>

#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/random_walk.h"

namespace aerogpu::host {

namespace {

constexpr unsigned kManyMoves = 10000, kFewMoves = 1200;
/// Size of each segment: room for the primaries of two modes and two frames of a full-screen program,
/// wherever they are pinned, but less than programs need.
constexpr uint64_t kSegmentBytes = 8 << 20;

}  // namespace

/// Weights: how many of about twelve hundred moves are of each kind.
const Walk::Move Walk::kMoves[] = {
    {"processes begin", 25, &Walk::beginProcess},
    {"end", 8, &Walk::endSomeProcess},
    {"are killed", 8, &Walk::killSomeProcess},
    {"items made", 90, &Walk::addItem},
    {"dropped", 35, &Walk::removeItem},
    {"contexts", 25, &Walk::changeContexts},
    {"fills", 190, &Walk::fillItem},
    {"copies", 40, &Walk::copyItem},
    {"writes", 40, &Walk::writeItem},
    {"checks", 100, &Walk::checkItem},
    {"evictions", 60, &Walk::evictItem},
    {"of everything", 8, &Walk::evictAll},
    {"segments preferred", 10, &Walk::preferSegment},
    {"contexts held", 35, &Walk::hold},
    {"released", 30, &Walk::releaseSome},
    {"shares", 15, &Walk::share},
    {"opened", 20, &Walk::openShare},
    {"filled", 25, &Walk::fillShare},
    {"looked at", 25, &Walk::lookShare},
    {"closed", 15, &Walk::closeShare},
    {"GDI draws", 30, &Walk::gdiDraw},
    {"is looked at", 10, &Walk::gdiLook},
    {"presents", 35, &Walk::present},
    {"of colours", 12, &Walk::presentFill},
    {"screen looked at", 8, &Walk::lookAtScreen},
    {"flips", 20, &Walk::flip},
    {"frames dropped", 4, &Walk::dropFrames},
    {"modes", 5, &Walk::changeMode},
    {"reconnections", 2, &Walk::reconnect},
    {"sleeps", 3, &Walk::sleep},
    {"pointers", 15, &Walk::pointer},
    {"scan lines", 10, &Walk::scanLine},
    {"vertical syncs", 6, &Walk::vsync},
    {"preemptions", 10, &Walk::preempt},
    {"hangs", 1, &Walk::hang},
    {"losses at rest", 1, &Walk::lose},
    {"amid all", 2, &Walk::loseAmid},
    {"memory taken", 2, &Walk::take},
    {"given back", 5, &Walk::giveBack},
    {"fences", 8, &Walk::queryFence},
    {"waits", 8, &Walk::waitIdle},
    {"questions", 15, &Walk::ask},
    {"reports", 3, &Walk::debugInfo},
    {"others' interrupts", 2, &Walk::lineNoise},
};

Walk::Walk(Session& session, uint64_t seed) : m_adapter(session.adapter()), m_random(seed), m_seed(seed) {
  for (const DisplayMode& mode : m_adapter.display().modes())
    if (mode.format == D3DDDIFMT_X8R8G8B8 && mode.width <= 800 && mode.height <= 600) m_modes.push_back(mode);
  for (int y = 5; y < 480; y += 67)
    for (int x = 3; x < 640; x += 91) m_points.emplace_back(x, y);
  m_desktop.resize(m_points.size());
  m_made.resize(std::size(kMoves));
  // Without time jumps, a minute takes a minute.
  if (!m_adapter.machine().clockJumps())
    note("this machine's time does not jump: the GPU does not hang and is not lost, and no memory is taken");
  else if (!hasSpaces(m_adapter))
    note("this device counts no memory by process: none is taken");
  else
    m_limit = deviceCounter("max_hostmem").value_or(0);
}

void Walk::move() {
  static const unsigned total = [] {
    unsigned sum = 0;
    for (const Move& one : kMoves) sum += one.weight;
    return sum;
  }();
  const unsigned before = brokenRules();
  logMove();
  lookAtMemory();
  uint32_t what = below(total);
  for (const Move& one : kMoves) {
    if (what < one.weight) {
      ++m_made[static_cast<size_t>(&one - kMoves)];
      (this->*one.make)();
      break;
    }
    what -= one.weight;
  }
  // The recovery would hide others.
  const TdrRecord& tdr = m_adapter.scheduler().tdr();
  expect(tdr.timeouts == m_resets && tdr.resets == m_resets,
         "%u time-outs, those that were made (%u, %u resets)", m_resets, tdr.timeouts, tdr.resets);
  if (brokenRules() == before) return;
  m_stop = true;  // later failures would follow from this one
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
  note(
      "the host's memory used up %u times, a process' share %u times: %u packets refused, none of %u pagings",
      m_shortages, m_shares, m_refusals, m_pagings);
  note("%u losses amid all, %u of a GPU that was gone; %u items with their content after them", m_amid,
       m_gone, m_survivors);
  tellMoves();
  expectVariety();
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

void Walk::tellMoves() const {
  std::string line;
  for (size_t i = 0; i < std::size(kMoves); ++i) {
    line += (line.empty() ? "" : ", ") + std::string(kMoves[i].name) + " " + std::to_string(m_made[i]);
    if (line.size() < 90 && i + 1 < std::size(kMoves)) continue;
    note("%s", line.c_str());
    line.clear();
  }
}

void Walk::expectVariety() {
  if (m_stop || m_done < kManyMoves || !m_adapter.machine().clockJumps()) return;
  for (size_t i = 0; i < std::size(kMoves); ++i) expect(m_made[i] != 0, "there are %s", kMoves[i].name);
  expect(m_losses && m_amid && m_gone && m_survivors, "losses of the GPU, amid all, and of one that is gone");
  if (hasSpaces(m_adapter))
    expect(m_shortages && m_shares && m_refusals && m_pagings,
           "memory that is used up, and paging without it");
}

// Makes everything that the driver creates at first use, so that states can be compared.
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
  settle();
}

namespace {

/// Runs a random walk from `seed`. `moves`: 0 for a short test.
void walk(uint64_t seed, unsigned moves) {
  Vidmm::limitAllSegments(kSegmentBytes);
  Session session;
  if (!session.ok() || !expect(session.setMode(640, 480), "a mode")) return;
  beginCallLog("random", seed);
  // In a VM register accesses are slow, and time does not jump.
  if (!moves) moves = session.adapter().machine().clockJumps() ? kFewMoves : kFewMoves / 4;
  Walk(session, seed).run(moves);
}

template <uint64_t seed>
void few() {
  walk(seed, 0);
}

void many() {
  note("seed %llu", static_cast<unsigned long long>(options().seed));
  walk(options().seed, options().iterations ? options().iterations : kManyMoves);
}

const TestCase kRandomTests[] = {
    {"random-1", 300, few<1>},
    {"random-2", 300, few<2>},
    {"random-3", 300, few<3>},
    {"random", 3600, many, Runs::kOnDemand},
};

}  // namespace

std::span<const TestCase> randomTests() {
  return kRandomTests;
}

}  // namespace aerogpu::host
