// SPDX-License-Identifier: MIT
// Tests modes, flips, vertical sync, pointer. The outside of the VM reports what the screen shows.
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

uint32_t bytesPerPixel(D3DDDIFORMAT format) {
  return format == D3DDDIFMT_P8 ? 1 : format == D3DDDIFMT_R5G6B5 || format == D3DDDIFMT_X1R5G5B5 ? 2 : 4;
}

/// Paints four quarters in four colours.
void paint(Adapter& adapter, Allocation& primary, const DisplayMode& mode, const uint32_t (&colors)[4]) {
  const uint32_t pitch = adapter.registers().read(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES);
  expect(pitch >= mode.width * bytesPerPixel(mode.format), "a pitch of %u for %u pixels", pitch, mode.width);
  std::vector<uint32_t> row(mode.width);
  for (uint32_t y = 0; y < mode.height; ++y) {
    for (uint32_t x = 0; x < mode.width; ++x)
      row[x] = colors[(y >= mode.height / 2) * 2 + (x >= mode.width / 2)];
    adapter.vidmm().write(primary, uint64_t{y} * pitch, row.data(), row.size() * 4);
  }
}

std::vector<std::pair<int, int>> quarterPoints(const DisplayMode& mode) {
  const int w = static_cast<int>(mode.width), h = static_cast<int>(mode.height);
  return {{w / 4, h / 4}, {3 * w / 4, h / 4}, {w / 4, 3 * h / 4}, {3 * w / 4, 3 * h / 4},
          {0, 0},         {w - 1, h - 1}};
}
std::vector<uint32_t> quarterColors(const uint32_t (&c)[4]) {
  return {c[0], c[1], c[2], c[3], c[0], c[3]};
}

void modes() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  if (!expect(display.enumerate(), "the driver offers modes")) return;
  const DisplayMode preferred = display.preferred();
  note("%zu modes, preferred %ux%u", display.modes().size(), preferred.width, preferred.height);
  bool vga = false, xga = false;
  for (const DisplayMode& mode : display.modes()) {
    vga |= mode.width == 800 && mode.height == 600;
    xga |= mode.width == 1024 && mode.height == 768;
  }
  expect(vga && xga, "800x600 and 1024x768 are among the modes");
  uint32_t n = 0;
  for (const DisplayMode& mode : display.modes()) {
    if (!display.setMode(mode)) {
      expect(false, "mode %ux%u, format %d is set", mode.width, mode.height, mode.format);
      continue;
    }
    auto& registers = adapter.registers();
    expect(registers.read(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 1, "the scanout runs in %ux%u", mode.width,
           mode.height);
    expect(registers.read(AEROGPU_MMIO_REG_SCANOUT0_WIDTH) == mode.width &&
               registers.read(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT) == mode.height,
           "the registers say %ux%u", mode.width, mode.height);
    const Allocation& primary = *display.primary();
    const uint64_t address = addressOf(adapter, primary);
    expect(registers.read64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) == address, "the scanout shows the primary");
    if (bytesPerPixel(mode.format) != 4) continue;
    const uint32_t colors[4] = {0xC02040 + n, 0x20C040, 0x2040C0, 0xE0E0E0};
    paint(adapter, *display.primary(), mode, colors);
    expectScreen(quarterPoints(mode), quarterColors(colors), "the picture of a mode");
    expectScreenSize(static_cast<int>(mode.width), static_cast<int>(mode.height));
    n += 0x10;
  }
  // Hidden, then visible again.
  if (!expect(display.modeSet(), "a mode is left")) return;
  expect(ntSuccess(display.setVisible(false)), "hidden");
  expectScreen({{10, 10}}, {0}, "a hidden source shows nothing");
  expect(ntSuccess(display.setVisible(true)), "visible");
}

void flips() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  const DisplayMode mode = display.mode();
  // Two more surfaces like the primary.
  std::vector<std::shared_ptr<Allocation>> surfaces;
  for (int i = 0; i < 2; ++i) {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA data{
        mode.width, mode.height, mode.format, {mode.refreshNumerator, mode.refreshDenominator}, 0};
    auto created =
        adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, &data, true);
    if (!expect(ntSuccess(created.status), "a flip surface")) return;
    surfaces.push_back(created.allocations[0]);
    display.pin(*surfaces.back());
    const auto c = static_cast<uint32_t>(0x40 + 0x60 * i);
    const uint32_t colors[4] = {c, c << 8, c << 16, c * 0x10101};
    paint(adapter, *surfaces.back(), mode, colors);
  }
  expect(ntSuccess(display.controlVsync(true)), "vertical sync on");
  expect(adapter.scheduler().waitVsync(3, 5000), "vertical syncs arrive");
  for (int i = 0; i < 20; ++i) {
    Allocation& next = *surfaces[static_cast<size_t>(i % 2)];
    expect(ntSuccess(display.flip(next)), "flip %d", i);
    const uint64_t address = addressOf(adapter, next);
    bool reported = false;
    for (int tries = 0; tries < 5 && !reported; ++tries) {
      if (!adapter.scheduler().waitVsync(1, 2000)) break;
      reported = adapter.scheduler().lastVsyncAddress() == address;
    }
    expect(reported, "the vertical sync after flip %d reports its address", i);
  }
  const uint32_t c = 0xA0;
  const uint32_t colors[4] = {c, c << 8, c << 16, c * 0x10101};
  expectScreen(quarterPoints(mode), quarterColors(colors), "the last flip's picture");
  expect(ntSuccess(display.controlVsync(false)), "vertical sync off");
  adapter.scheduler().waitVsync(1, 200);  // one may have been under way
  expect(!adapter.scheduler().waitVsync(1, 300), "no vertical syncs after they were turned off");
  expect(ntSuccess(display.flip(*display.primary())), "back to the primary");
  for (auto& surface : surfaces) {
    display.unpin(*surface);
    adapter.vidmm().destroy({surface});
  }
}

/// Page "DxgkDdiSetVidPnSourceAddress": a flip shows at the next vertical sync, and is reported then. A
/// vertical sync that the driver had not yet reported when the flip came belongs to the previous picture.
void flipOrder() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  const DisplayMode mode = display.mode();
  D3DKMDT_SHAREDPRIMARYSURFACEDATA data{
      mode.width, mode.height, mode.format, {mode.refreshNumerator, mode.refreshDenominator}, 0};
  auto created = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, &data, true);
  if (!expect(ntSuccess(created.status), "a flip surface")) return;
  const auto other = created.allocations[0];
  display.pin(*other);
  Allocation* surfaces[] = {display.primary(), other.get()};
  expect(ntSuccess(display.controlVsync(true)), "vertical sync on");
  expect(adapter.scheduler().waitVsync(2, 5000), "vertical syncs arrive");
  Scheduler& scheduler = adapter.scheduler();
  unsigned rounds = 0;
  for (unsigned i = 1; i <= 20; ++i) {
    Allocation &before = *surfaces[(i + 1) % 2], &next = *surfaces[i % 2];
    uint64_t reported = 0;
    {
      // Holds the interrupt back until the flip is made.
      std::lock_guard interrupt(adapter.interruptLock());
      const auto pending = [&] {
        return adapter.registers().read(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_SCANOUT_VBLANK;
      };
      if (!expect(comes(pending), "a vblank waits to be reported")) return;
      reported = scheduler.vsyncsReported();
      expect(ntSuccess(display.flip(next)), "flip %u", i);
    }
    while (scheduler.vsyncsReported() < reported + 2)
      if (!expect(scheduler.waitVsync(1, 5000), "vertical syncs after flip %u", i)) return;
    expect(scheduler.reportedAddress(reported + 1) == addressOf(adapter, before),
           "the vertical sync before flip %u is of the picture before", i);
    expect(scheduler.reportedAddress(reported + 2) == addressOf(adapter, next), "the one after it shows it");
    ++rounds;
  }
  expect(rounds == 20, "%u flips", rounds);
  expect(ntSuccess(display.controlVsync(false)), "vertical sync off");
  expect(ntSuccess(display.flip(*display.primary())), "back to the primary");
  display.unpin(*other);
  adapter.vidmm().destroy({other});
}

/// Makes flips that cannot be shown, because the mode changed meanwhile or the address is invalid. The last
/// picture stays, and vertical syncs report these flips, so that the OS goes on to the next ones.
void lateFlips() {
  Session session;
  if (!session.ok() || !expect(session.setMode(800, 600), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  Scheduler& scheduler = adapter.scheduler();
  D3DKMDT_SHAREDPRIMARYSURFACEDATA data{800, 600, D3DDDIFMT_X8R8G8B8, {60, 1}, 0};
  auto created = adapter.vidmm().createStandard(D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, &data, true);
  if (!expect(ntSuccess(created.status), "a flip surface")) return;
  const auto small = created.allocations[0];
  display.pin(*small);
  expect(ntSuccess(display.controlVsync(true)) && scheduler.waitVsync(2, 5000), "vertical syncs");
  expect(ntSuccess(display.flip(*small)), "a flip in the mode");
  if (!expect(session.setMode(1024, 768), "a larger mode")) return;
  const uint32_t colors[4] = {0x204060, 0x602040, 0x406020, 0x808080};
  paint(adapter, *display.primary(), display.mode(), colors);
  const auto reported = [&](uint64_t address, const char* what) {
    bool seen = false;
    for (int tries = 0; tries < 5 && !seen && scheduler.waitVsync(1, 2000); ++tries)
      seen = scheduler.lastVsyncAddress() == address;
    expect(seen, "the vertical syncs report %s", what);
  };
  const auto picture = [&](const char* when) {
    expect(adapter.registers().read64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) ==
               addressOf(adapter, *display.primary()),
           "the scanout stays, %s", when);
    expectScreen(quarterPoints(display.mode()), quarterColors(colors), when);
  };
  const uint64_t shown = addressOf(adapter, *display.primary());
  expect(ntSuccess(display.flip(*small)), "a flip of before the change of the mode");
  reported(addressOf(adapter, *small), "it");
  picture("after a flip that is too small");
  expect(ntSuccess(display.flip(*display.primary())), "the next flip");
  reported(shown, "the next one");

  const Allocation& primary = *display.primary();
  const auto& segment = adapter.vidmm().segment(primary.segment).descriptor;
  const auto end = static_cast<uint64_t>(segment.BaseAddress.QuadPart) + segment.Size;
  const std::tuple<UINT, uint64_t, const char*> places[] = {
      {2, shown, "a flip into the other segment"},
      {9, shown, "a flip into no segment"},
      {primary.segment, 0x1000, "a flip in front of the segment"},
      {primary.segment, uint64_t(-4096), "a flip that wraps"},
      {primary.segment, end - 4096, "a flip past its end"}};
  for (const auto& [number, place, what] : places) {
    DXGKARG_SETVIDPNSOURCEADDRESS args{};
    args.PrimarySegment = number;
    args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(place);
    args.hAllocation = primary.driver;
    args.Flags.FlipOnNextVSync = 1;
    expect(ntSuccess(display.flipAtDirql(args)), "%s", what);
    reported(place, what);
    picture(what);
    expect(ntSuccess(display.flip(*display.primary())), "the next flip");
    reported(shown, "the next one");
  }

  // No mode, so no picture.
  expect(display.disconnect(), "the display is stopped");
  expect(ntSuccess(display.flip(*small)), "a flip of nothing");
  reported(addressOf(adapter, *small), "a flip without a mode");
  if (!expect(session.setMode(1024, 768), "the mode is back")) return;
  reported(addressOf(adapter, *display.primary()), "the new primary");
  paint(adapter, *display.primary(), display.mode(), colors);
  picture("after flips without a mode");
  expect(ntSuccess(display.controlVsync(false)), "vertical sync off");
  display.unpin(*small);
  adapter.vidmm().destroy({small});
}

/// The session moves to another machine and comes back, in the same mode and in another one.
void remoteSession() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  const std::pair<UINT, UINT> sizes[] = {{1024, 768}, {1280, 1024}, {1024, 768}};
  for (const auto& [width, height] : sizes) {
    const uint32_t colors[4] = {0x204060, 0x602040, 0x406020, 0x808080};
    paint(adapter, *display.primary(), display.mode(), colors);
    expectScreen(quarterPoints(display.mode()), quarterColors(colors), "the picture");
    const DisplayMode before = display.mode();
    expect(ntSuccess(display.controlVsync(false)), "nobody waits for vertical syncs");
    expect(display.disconnect(), "the display is stopped");
    expect(adapter.registers().read(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 0, "nothing is scanned out");
    const ScreenPoints points = quarterPoints(before);
    expectScreen(points, std::vector<uint32_t>(points.size(), 0), "nothing is shown of the session");
    // The memory that was shown may have any content now, and programs continue.
    std::vector<uint8_t> garbage(1 << 20, 0xD3);
    adapter.vidmm().write(*display.primary(), 0, garbage.data(), garbage.size());
    expectRendering(adapter, *client, *context, 0xFF123456);
    expect(ntSuccess(display.setPointerPosition(5, 5, true)), "the pointer of no display");
    DXGKARG_GETSCANLINE line{};
    expect(ntSuccess(display.getScanLine(line)) && line.InVerticalBlank, "a display that is off is blank");
    expect(session.setMode(width, height), "it comes back as %ux%u", width, height);
    paint(adapter, *display.primary(), display.mode(), colors);
    expectScreen(quarterPoints(display.mode()), quarterColors(colors), "the picture when it is back");
    expect(ntSuccess(display.controlVsync(true)) && adapter.scheduler().waitVsync(2, 5000),
           "and its vertical syncs");
  }
  expectNoDeviceErrors(adapter);
}

/// Pages "DXGKARG_SETVIDPNSOURCEVISIBILITY" (a hidden source has vertical syncs too) and
/// "DxgkDdiSetVidPnSourceAddress" (the reported address is the scanned-out one).
void verticalSyncs() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  if (!expect(session.setMode(1024, 768), "a mode")) return;
  expect(ntSuccess(display.controlVsync(true)), "vertical sync on");
  expect(adapter.scheduler().waitVsync(2, 5000), "vertical syncs of the picture");
  expect(adapter.scheduler().lastVsyncAddress() == addressOf(adapter, *display.primary()),
         "with the primary's address");
  for (int round = 0; round < 3; ++round) {
    expect(ntSuccess(display.setVisible(false)), "hidden");
    expect(adapter.scheduler().waitVsync(3, 5000), "vertical syncs while nothing is shown");
    expect(ntSuccess(display.setVisible(true)), "visible");
    expect(adapter.scheduler().waitVsync(3, 5000), "and when it is shown again");
  }
  const uint64_t old = addressOf(adapter, *display.primary());
  if (!expect(session.setMode(800, 600), "another mode")) return;
  expect(adapter.scheduler().waitVsync(2, 5000), "vertical syncs of the new mode");
  const uint64_t now = addressOf(adapter, *display.primary());
  note("primaries at 0x%llx, then 0x%llx", static_cast<unsigned long long>(old),
       static_cast<unsigned long long>(now));
  expect(adapter.scheduler().lastVsyncAddress() == now, "with the new primary's address");
  expect(ntSuccess(display.controlVsync(false)), "vertical sync off");
  expect(ntSuccess(display.setVisible(false)), "hidden");
  adapter.scheduler().waitVsync(1, 200);  // one may have been under way
  expect(!adapter.scheduler().waitVsync(1, 300), "none when nobody waits, hidden or not");
  expect(ntSuccess(display.setVisible(true)), "visible");
}

/// On a machine whose clock jumps, time in which all threads wait is skipped, but the vblanks in that time
/// come.
void timeJumps() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  if (!adapter.machine().clockJumps()) {
    skipTest("this machine's clock does not jump");
    return;
  }
  auto& r = adapter.registers();
  const auto sequence = [&] { return r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO); };
  const int64_t period = r.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
  constexpr int64_t kHour = 3'600'000'000'000;
  int64_t real = realNs(), from = nowNs();
  uint64_t first = sequence();
  sleepMs(3'600'000);
  expect(nowNs() - from >= kHour && nowNs() - from < kHour + kHour / 60, "an hour has passed");
  expect(realNs() - real < kHour / 60, "in less than a minute");
  const auto ticks = static_cast<int64_t>(sequence() - first);
  expect(std::abs(ticks - kHour / period) < 60, "the device's clock has gone with it (%lld vblanks)",
         static_cast<long long>(ticks));

  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical sync on");
  Scheduler& scheduler = adapter.scheduler();
  expect(scheduler.waitVsync(2, 5000), "vertical syncs");
  constexpr unsigned kSyncs = 1200;
  real = realNs(), from = nowNs(), first = sequence();
  const uint64_t seen = scheduler.vsyncs();
  for (unsigned i = 0; i < kSyncs; ++i)
    if (!expect(scheduler.waitVsync(1, 5000), "a vertical sync")) break;
  // While a thread is busy time advances by itself, and a busy computer may miss one.
  const uint64_t vblanks = sequence() - first, syncs = scheduler.vsyncs() - seen;
  expect(syncs <= vblanks && syncs * 10 >= vblanks * 9, "the vblanks are noticed (%llu of %llu)",
         static_cast<unsigned long long>(syncs), static_cast<unsigned long long>(vblanks));
  expect(realNs() - real < nowNs() - from, "sooner than by themselves");
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");
}

/// Tests DxgkDdiResetDevice: it shows VGA again, whatever the driver is doing. If the system survives, the
/// driver's picture comes back.
void bugCheck() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  const auto boot = screenSize();
  if (!expect(session.setMode(1280, 1024), "a mode")) return;
  Display& display = adapter.display();
  const uint32_t colors[4] = {0x204060, 0x602040, 0x406020, 0x808080};
  paint(adapter, *display.primary(), display.mode(), colors);
  expectScreen(quarterPoints(display.mode()), quarterColors(colors), "the picture");
  callDdi("DxgkDdiResetDevice", kHighLevel, adapter.ddi.DxgkDdiResetDevice, adapter.context());
  expect(adapter.registers().read(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 0, "the scanout is off");
  expectScreenSize(boot.first, boot.second);
  expect(ntSuccess(display.setVisible(false)) && ntSuccess(display.setVisible(true)), "shown again");
  expectScreen(quarterPoints(display.mode()), quarterColors(colors), "the same picture");
}

void pointer() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  const uint32_t background[4] = {0x204060, 0x204060, 0x204060, 0x204060};
  paint(adapter, *display.primary(), display.mode(), background);
  auto& registers = adapter.registers();
  const auto shape = [&](DXGK_POINTERFLAGS flags, UINT width, UINT height, UINT pitch, const void* pixels,
                         UINT hotX, UINT hotY) {
    DXGKARG_SETPOINTERSHAPE args{};
    args.Flags = flags;
    args.Width = width;
    args.Height = height;
    args.Pitch = pitch;
    args.pPixels = pixels;
    args.XHot = hotX;
    args.YHot = hotY;
    return display.setPointerShape(args);
  };
  const UINT maxWidth = adapter.caps.MaxPointerWidth, maxHeight = adapter.caps.MaxPointerHeight;
  expect(maxWidth >= 32 && maxHeight >= 32, "pointers of at least 32x32 (%ux%u)", maxWidth, maxHeight);

  std::vector<uint32_t> color(1024, 0xFFCC8822);
  DXGK_POINTERFLAGS flags{};
  flags.Color = 1;
  if (adapter.caps.PointerCaps.Color) {
    expect(ntSuccess(shape(flags, 32, 32, 128, color.data(), 3, 5)), "a colour pointer");
    expect(ntSuccess(display.setPointerPosition(200, 150, true)), "shown at (200, 150)");
    expect(registers.read(AEROGPU_MMIO_REG_CURSOR_ENABLE) == 1, "the cursor is on");
    expect(registers.read(AEROGPU_MMIO_REG_CURSOR_WIDTH) == 32 &&
               registers.read(AEROGPU_MMIO_REG_CURSOR_HEIGHT) == 32,
           "32x32");
    // DXGKARG_SETPOINTERPOSITION: X and Y are of the upper left corner; the device's are of the hot spot.
    const int x = static_cast<int32_t>(registers.read(AEROGPU_MMIO_REG_CURSOR_X)) -
                  static_cast<int32_t>(registers.read(AEROGPU_MMIO_REG_CURSOR_HOT_X));
    const int y = static_cast<int32_t>(registers.read(AEROGPU_MMIO_REG_CURSOR_Y)) -
                  static_cast<int32_t>(registers.read(AEROGPU_MMIO_REG_CURSOR_HOT_Y));
    expect(x == 200 && y == 150, "the corner is at (%d, %d)", x, y);
    expectScreen({{216, 166}, {190, 140}}, {0xCC8822, 0x204060}, "the colour pointer on the screen");
    expect(ntSuccess(display.setPointerPosition(-16, -16, true)), "partly off the screen");
    expect(ntSuccess(display.setPointerPosition(0, 0, false)), "hidden");
    expect(registers.read(AEROGPU_MMIO_REG_CURSOR_ENABLE) == 0, "the cursor is off");
  }
  flags.Value = 0;
  flags.Monochrome = 1;
  if (adapter.caps.PointerCaps.Monochrome) {
    // AND mask over XOR mask: left half black, right half white, below transparent and inverted.
    std::vector<uint8_t> masks(256);
    for (unsigned y = 0; y < 32; ++y)
      for (unsigned b = 0; b < 4; ++b) {
        masks[y * 4 + b] = y < 16 ? 0x00 : 0xFF;
        masks[(32 + y) * 4 + b] = y < 16 ? (b < 2 ? 0x00 : 0xFF) : 0x00;
      }
    expect(ntSuccess(shape(flags, 32, 32, 4, masks.data(), 0, 0)), "a monochrome pointer");
    expect(ntSuccess(display.setPointerPosition(300, 300, true)), "shown");
    expectScreen({{304, 304}, {328, 304}, {310, 325}}, {0x000000, 0xFFFFFF, 0x204060},
                 "the monochrome pointer on the screen");
  }
  flags.Value = 0;
  flags.MaskedColor = 1;
  if (adapter.caps.PointerCaps.MaskedColor) {
    // Alpha 0: copied; alpha 0xFF: XORed, so 0 is transparent.
    std::vector<uint32_t> masked(1024);
    for (unsigned i = 0; i < masked.size(); ++i) masked[i] = i / 32 < 16 ? 0x00118844 : 0xFF000000;
    expect(ntSuccess(shape(flags, 32, 32, 128, masked.data(), 0, 0)), "a masked colour pointer");
    expect(ntSuccess(display.setPointerPosition(400, 400, true)), "shown");
    expectScreen({{410, 405}, {410, 428}}, {0x118844, 0x204060}, "the masked pointer on the screen");
  }
  // Sizes: one pixel, the largest, one past it.
  flags.Value = 0;
  flags.Color = 1;
  std::vector<uint32_t> large(size_t{maxWidth + 1} * (maxHeight + 1), 0xFF00FF00);
  expect(ntSuccess(shape(flags, 1, 1, 4, large.data(), 0, 0)), "a pointer of 1x1");
  expect(ntSuccess(shape(flags, maxWidth, maxHeight, maxWidth * 4, large.data(), 0, 0)),
         "a pointer of the largest size");
  expect(!ntSuccess(shape(flags, maxWidth + 1, maxHeight + 1, (maxWidth + 1) * 4, large.data(), 0, 0)),
         "a larger one is refused");
  display.setPointerPosition(0, 0, false);
}

void vidPnRefusals() {
  Session session;
  if (!session.ok() || !expect(session.adapter().display().enumerate(), "modes")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  VidPn empty;
  expect(display.isSupported(empty),
         "the VidPN without paths is supported (page \"DxgkDdiIsSupportedVidPn\")");
  VidPn wrongTarget;
  wrongTarget.addPath(0, adapter.targetId() + 1);
  expect(!display.isSupported(wrongTarget), "a path to an unknown target is not supported");
  VidPn twoPaths;
  twoPaths.addPath(0, adapter.targetId());
  twoPaths.addPath(1, adapter.targetId());
  expect(!display.isSupported(twoPaths), "two sources on one target are not supported");
  VidPn rotated;
  rotated.addPath(0, adapter.targetId());
  display.enumModality(rotated, D3DKMDT_EPT_NOPIVOT, UINT32_MAX, UINT32_MAX);
  auto& path = *rotated.topology.paths[0];
  if (!path.ContentTransformation.RotationSupport.Rotate90) {
    path.ContentTransformation.Rotation = D3DKMDT_VPPR_ROTATE90;
    expect(!display.isSupported(rotated), "a rotation that is not offered is not supported");
  }
}

/// Calls small entries of the driver, and makes calls that Windows does not make or that name things which do
/// not exist: the driver refuses those, without effect.
void displayRefusals() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  const DRIVER_INITIALIZATION_DATA& ddi = adapter.ddi;
  const Allocation& primary = *display.primary();
  const auto address = [&](auto change) {
    DXGKARG_SETVIDPNSOURCEADDRESS args{};
    args.PrimarySegment = primary.segment;
    args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(addressOf(adapter, primary));
    args.hAllocation = primary.driver;
    args.Flags.ModeChange = 1;
    change(args);
    return callDdi("DxgkDdiSetVidPnSourceAddress", kPassiveLevel, ddi.DxgkDdiSetVidPnSourceAddress,
                   adapter.context(), &args);
  };
  expect(ntSuccess(address([](auto&) {})), "the primary's address");
  expect(!ntSuccess(address([](auto& a) { a.VidPnSourceId = 1; })), "another source");
  expect(!ntSuccess(address([](auto& a) { a.PrimarySegment = 2; })), "an address of the other segment");
  expect(!ntSuccess(address([](auto& a) { a.PrimarySegment = 9; })), "no segment");
  expect(!ntSuccess(address([](auto& a) { a.PrimaryAddress.QuadPart = 0; })), "an address outside of it");
  expect(!ntSuccess(address([](auto& a) { a.PrimaryAddress.QuadPart = -4096; })), "an address that wraps");
  expect(!ntSuccess(address([&](auto& a) {
    const auto& d = adapter.vidmm().segment(primary.segment).descriptor;
    a.PrimaryAddress.QuadPart = d.BaseAddress.QuadPart + static_cast<LONGLONG>(d.Size) - 4096;
  })),
         "a frame that runs past the end");
  auto& registers = adapter.registers();
  expect(registers.read(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO) ==
             static_cast<uint32_t>(addressOf(adapter, primary)),
         "the primary is still shown");

  DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH update{};
  const auto updatePath = [&] {
    return callDdi("DxgkDdiUpdateActiveVidPnPresentPath", kPassiveLevel,
                   ddi.DxgkDdiUpdateActiveVidPnPresentPath, adapter.context(), &update);
  };
  auto& path = update.VidPnPresentPathInfo;
  path.VidPnTargetId = adapter.targetId();
  path.ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
  path.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
  path.GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  expect(ntSuccess(updatePath()), "the path as it is");
  path.ContentTransformation.Rotation = D3DKMDT_VPPR_ROTATE180;
  expect(updatePath() == ntStatus(0xC01E0346),
         "a rotation: STATUS_GRAPHICS_PATH_CONTENT_GEOMETRY_TRANSFORMATION_NOT_SUPPORTED");
  path.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
  path.VidPnTargetId = adapter.targetId() + 1;
  expect(updatePath() == ntStatus(0xC01E0327), "another path: STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY");

  DXGKARG_QUERYVIDPNHWCAPABILITY capability{};
  capability.TargetId = adapter.targetId();
  std::memset(&capability.VidPnHWCaps, 0xFF, sizeof capability.VidPnHWCaps);
  expect(ntSuccess(callDdi("DxgkDdiQueryVidPnHWCapability", kPassiveLevel, ddi.DxgkDdiQueryVidPnHWCapability,
                           adapter.context(), &capability)),
         "hardware capabilities");
  UINT bits;
  std::memcpy(&bits, &capability.VidPnHWCaps, sizeof bits);
  expect(bits == 0, "the driver does nothing in the display's place (0x%x)", bits);

  D3DKMDT_PALETTEDATA color{};
  const auto palette = [&](UINT source, UINT first, UINT count) {
    const DXGKARG_SETPALETTE args{source, first, count, &color};
    return callDdi("DxgkDdiSetPalette", kPassiveLevel, ddi.DxgkDdiSetPalette, adapter.context(), &args);
  };
  expect(!ntSuccess(palette(1, 0, 1)), "a palette of another source");
  expect(!ntSuccess(palette(0, 256, 1)), "a colour that the palette does not have");
  expect(!ntSuccess(palette(0, 1, 0xFFFFFFFF)), "more colours than there are");
  DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT format{};
  const auto setFormat = [&] {
    return callDdi("DxgkDdiSetDisplayPrivateDriverFormat", kPassiveLevel,
                   ddi.DxgkDdiSetDisplayPrivateDriverFormat, adapter.context(), &format);
  };
  expect(ntSuccess(setFormat()), "the private format that there is");
  format.PrivateDriverFormatAttribute = 1;
  expect(setFormat() == kUnsuccessful, "another one: STATUS_UNSUCCESSFUL");
  DXGKARG_STOPCAPTURE capture{primary.driver};
  expect(ntSuccess(callDdi("DxgkDdiStopCapture", kPassiveLevel, ddi.DxgkDdiStopCapture, adapter.context(),
                           &capture)),
         "a capture that was never begun is ignored");
  expect(callDdi("DxgkDdiControlInterrupt", kPassiveLevel, ddi.DxgkDdiControlInterrupt, adapter.context(),
                 DXGK_INTERRUPT_DMA_COMPLETED, BOOLEAN{1}) == kNotImplemented,
         "only CRTC_VSYNC is controlled");

  const std::vector<uint32_t> pixels(256, 0xFFFFFFFF);
  const auto shape = [&](auto change) {
    DXGKARG_SETPOINTERSHAPE args{};
    args.Flags.Color = 1;
    args.Width = args.Height = 16;
    args.Pitch = 64;
    args.pPixels = pixels.data();
    change(args);
    return display.setPointerShape(args);
  };
  expect(ntSuccess(shape([](auto&) {})), "a pointer");
  expect(!ntSuccess(shape([](auto& a) { a.Width = 0; })), "a pointer without width");
  expect(!ntSuccess(shape([](auto& a) { a.Height = 0xFFFFFFFF; })), "a pointer of 2^32 lines");
  expect(!ntSuccess(shape([&](auto& a) { a.Width = adapter.caps.MaxPointerWidth + 1; })),
         "a pointer above the caps");
  expect(!ntSuccess(shape([](auto& a) { a.Pitch = 60; })), "a pitch under the width");
  expect(!ntSuccess(shape([](auto& a) { a.Flags.Value = 0; })), "no kind of pointer");
  expect(!ntSuccess(shape([](auto& a) { a.Flags.Value = 3; })), "two kinds of pointer");
  expect(ntSuccess(shape([](auto& a) { a.XHot = a.YHot = 1000; })), "a hot spot outside is moved in");
}

/// DXGK_DRIVERCAPS announces no overlays and no swizzling ranges. A caller that calls these anyway gets an
/// answer from their pages, without effect: a null slot would be a jump to address 0.
void unannounced() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  const DRIVER_INITIALIZATION_DATA& ddi = adapter.ddi;
  const Allocation& primary = *adapter.display().primary();
  expect(adapter.caps.MaxOverlays == 0 && adapter.caps.NumberOfSwizzlingRanges == 0, "none are announced");

  DXGKARG_ACQUIRESWIZZLINGRANGE range{};
  range.hAllocation = primary.driver;
  range.SegmentId = primary.segment;
  range.RangeSize = 4096;
  range.CPUTranslatedAddress.QuadPart = 0x1234000;
  const auto acquire = [&] {
    return callDdi("DxgkDdiAcquireSwizzlingRange", kPassiveLevel, ddi.DxgkDdiAcquireSwizzlingRange,
                   adapter.context(), &range);
  };
  const NTSTATUS status = acquire();
  expect(status == ntStatus(0xC01E0108),
         "STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED, which is not tried again (0x%08x)", status);
  expect(range.RangeSize == 4096 && range.CPUTranslatedAddress.QuadPart == 0x1234000, "nothing is said");
  // There are none to release, so this succeeds at once: also in the clean-up of a time-out.
  const DXGKARG_RELEASESWIZZLINGRANGE released{primary.driver, 0, 0};
  const auto release = [&] {
    return callDdi("DxgkDdiReleaseSwizzlingRange", kPassiveLevel, ddi.DxgkDdiReleaseSwizzlingRange,
                   adapter.context(), &released);
  };
  expect(ntSuccess(release()), "there is nothing to release");

  DXGKARG_CREATEOVERLAY create{};
  create.OverlayInfo.hAllocation = primary.driver;
  create.hOverlay = nullptr;
  const NTSTATUS created =
      callDdi("DxgkDdiCreateOverlay", kPassiveLevel, ddi.DxgkDdiCreateOverlay, adapter.context(), &create);
  expect(created == kInsufficientResources && !create.hOverlay, "no overlay hardware (0x%08x)", created);
  const DXGKARG_UPDATEOVERLAY update{};
  const DXGKARG_FLIPOVERLAY flip{};
  for (HANDLE overlay : {static_cast<HANDLE>(nullptr), primary.driver}) {
    expect(callDdi("DxgkDdiUpdateOverlay", kPassiveLevel, ddi.DxgkDdiUpdateOverlay, overlay, &update) ==
               kInvalidParameter,
           "no overlay to update");
    expect(callDdi("DxgkDdiFlipOverlay", kPassiveLevel, ddi.DxgkDdiFlipOverlay, overlay, &flip) ==
               kInvalidParameter,
           "no overlay to flip");
    expect(callDdi("DxgkDdiDestroyOverlay", kPassiveLevel, ddi.DxgkDdiDestroyOverlay, overlay) ==
               kInvalidParameter,
           "no overlay to destroy");
  }
}

const TestCase kDisplayTests[] = {
    {"unannounced", 60, unannounced},
    {"modes", 300, modes},
    {"flips", 120, flips},
    {"pointer", 120, pointer},
    {"vidpn", 60, vidPnRefusals},
    {"vertical-syncs", 120, verticalSyncs},
    {"flip-order", 120, flipOrder},
    {"flips-late", 120, lateFlips},
    {"remote-session", 120, remoteSession},
    {"time-jumps", 120, timeJumps, Runs::kBesideQemu},
    {"bug-check", 60, bugCheck},
    {"display-refusals", 60, displayRefusals},
};

}  // namespace

std::span<const TestCase> displayTests() {
  return kDisplayTests;
}

}  // namespace aerogpu::host
