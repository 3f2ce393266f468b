// SPDX-License-Identifier: MIT
// Tests that DxgkDdiGetScanLine follows the raster: each answer is compared with the raster's position during
// the call, by the device's clock (page "DxgkDdiGetScanLine").
#include <algorithm>

#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

/// Bounds of a moment in the raster: nanoseconds since the start of a vertical blank, not taken modulo the
/// period.
struct Phase {
  int64_t low, high;
};

/// How far the device's clock is from ours: each reading of the last vblank time means that the device's
/// clock was between that time and one period later. Readings at all moments of the period narrow that down.
class DeviceClock {
public:
  /// Make it when the vblank clock has ticked: before that the register has an old time.
  explicit DeviceClock(Adapter& adapter)
      : m_registers(adapter.registers()),
        m_period(m_registers.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS)) {}

  int64_t period() const { return m_period; }
  void read() {
    const int64_t before = nowNs();
    m_vblank = static_cast<int64_t>(m_registers.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO));
    const int64_t after = nowNs();
    // The guest's kernel calibrated its clock against the processor's: it may drift by 0.01 %.
    const int64_t drift = (after - m_at) / 10000;
    m_low = std::max(m_low - drift, m_vblank - after);
    m_high = std::min(m_high + drift, m_vblank + m_period - before);
    m_at = after;
    expect(m_low <= m_high, "the device's clock goes as ours does (%lld ns apart)",
           static_cast<long long>(m_low - m_high));
  }
  Phase phase(int64_t from, int64_t to) const { return {from + m_low - m_vblank, to + m_high - m_vblank}; }

private:
  guest::Registers& m_registers;
  int64_t m_period, m_vblank = 0, m_at = nowNs();
  int64_t m_low = INT64_MIN / 2, m_high = INT64_MAX / 2;  // the device's minus ours, ns
};

constexpr unsigned kWanted = 400;

/// Counts answers and how many of them were right.
class Raster {
public:
  /// Computes the raster for a mode of `active` lines. VESA CVT 1.2, reduced blanking (section 3.4.2): the
  /// blank is at least 460 us, in whole lines.
  Raster(UINT active, int64_t period)
      : m_active(active),
        m_total(active + static_cast<UINT>(460000 / ((period - 460000) / active)) + 1),
        m_period(period) {}

  /// Adds one answer to a call during `truth`. Calls that took too long prove nothing.
  void add(const DXGKARG_GETSCANLINE& line, Phase truth) {
    if (!expect(line.InVerticalBlank <= 1, "InVerticalBlank is set") ||
        !expect(line.InVerticalBlank ? line.ScanLine == 0 : line.ScanLine < m_active, "line %u of %u",
                line.ScanLine, m_active))
      return;
    if (truth.high - truth.low > tolerance()) return;
    ++m_sharp;
    const UINT blank = m_total - m_active;
    const int64_t begin = line.InVerticalBlank ? 0 : timeOf(blank + line.ScanLine),
                  end = timeOf(line.InVerticalBlank ? blank : blank + line.ScanLine + 1);
    // The answer's time and the truth lie on a circle of one period.
    int64_t ahead = (begin - (truth.high + tolerance())) % m_period;
    if (ahead < 0) ahead += m_period;
    const int64_t width = (end - begin) + (truth.high - truth.low) + 2 * tolerance();
    const bool apart = ahead > 0 && ahead < m_period - width;
    m_wrong += apart;
    ++m_seen[line.InVerticalBlank ? 0 : 1 + line.ScanLine * 4 / m_active];
  }

  /// True if there are enough answers to judge by, from the blank and from each quarter of the picture. On a
  /// busy machine the interrupt's threads may miss blanks, repeatedly.
  bool enough() const { return m_sharp >= kWanted && sawAll(); }
  bool sawAll() const {
    return std::all_of(std::begin(m_seen), std::end(m_seen), [](unsigned n) { return n != 0; });
  }
  void check(const char* when) const {
    note("%s: %u answers, %u wrong; blank %u, quarters %u, %u, %u, %u", when, m_sharp, m_wrong, m_seen[0],
         m_seen[1], m_seen[2], m_seen[3], m_seen[4]);
    expect(sawAll(), "%s: blank and each quarter of the picture come round", when);
    // A machine that stops for a while between the driver's two readings may spoil a few.
    expect(m_wrong * 50 <= m_sharp, "%s: the lines are where the raster is (%u of %u are not)", when, m_wrong,
           m_sharp);
  }

private:
  int64_t tolerance() const { return m_period / 12; }
  int64_t timeOf(UINT line) const { return m_period * line / m_total; }

  UINT m_active, m_total;
  int64_t m_period;
  unsigned m_sharp = 0, m_wrong = 0, m_seen[5] = {};
};

constexpr int64_t kDeadlineNs = 30'000'000'000;

void scanLine() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  const auto sequence = [&] { return adapter.registers().read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO); };
  const uint64_t atFirst = sequence();
  expect(comes([&] { return sequence() >= atFirst + 3; }), "the vblank clock runs");
  DeviceClock clock(adapter);
  Random random(options().seed);
  const auto ask = [&](DXGKARG_GETSCANLINE& line) {
    line.InVerticalBlank = 0xEE;
    line.ScanLine = 0xEEEEEEEE;
    const NTSTATUS status = adapter.display().getScanLine(line);
    return expect(ntSuccess(status), "GetScanLine (0x%08x)", status);
  };
  DXGKARG_GETSCANLINE line{};
  // Asks at moments all over the period, from which this clock and the driver's become exact.
  for (unsigned i = 0; i < 300; ++i) {
    clock.read();
    if (!ask(line)) return;
    const int64_t until = nowNs() + random.below(1'000'000);
    while (nowNs() < until) {
    }
  }
  Raster raster(768, clock.period());
  for (int64_t end = nowNs() + kDeadlineNs; !raster.enough() && nowNs() < end;) {
    clock.read();
    const int64_t before = nowNs();
    if (!ask(line)) return;
    raster.add(line, clock.phase(before, nowNs()));
    const int64_t until = nowNs() + random.below(500'000);
    while (nowNs() < until) {
    }
  }
  raster.check("by the device's clock");

  // While a program waits for vertical syncs, the lines are counted from their interrupts.
  Scheduler& scheduler = adapter.scheduler();
  expect(ntSuccess(adapter.display().controlVsync(true)) && scheduler.waitVsync(2, 5000), "vertical syncs");
  Raster synchronized(768, clock.period());
  for (int64_t end = nowNs() + kDeadlineNs; !synchronized.enough() && nowNs() < end;) {
    const int64_t vsync = scheduler.lastVsyncNs(), interrupt = scheduler.lastVsyncInterruptNs();
    const int64_t before = nowNs();
    if (!ask(line)) return;
    const int64_t after = nowNs();
    if (scheduler.lastVsyncNs() == vsync && after - vsync < 2 * clock.period())
      synchronized.add(line, {before - vsync, after - interrupt});
    const int64_t until = nowNs() + random.below(500'000);
    while (nowNs() < until) {
    }
  }
  synchronized.check("by the last vertical sync");
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
}

const TestCase kRasterTests[] = {{"scan-line", 120, scanLine}};

}  // namespace

std::span<const TestCase> rasterTests() {
  return kRasterTests;
}

}  // namespace aerogpu::host
