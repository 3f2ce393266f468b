// SPDX-License-Identifier: MIT
// Visible moves of a random walk (random_walk.h): presents, flips of a full-screen program, modes, pointer,
// Remote Desktop, sleep.
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/random_walk.h"

namespace aerogpu::host {

OpenAllocation* Walk::primaryOf(WalkProcess& process) {
  if (!process.primary) {
    std::vector<OpenAllocation*> opened;
    const uint32_t refused = refusalsOf(m_primaryUnseen || mayRefuse(process), [&] {
      opened = process.client->open({m_adapter.display().sharedPrimary()}, false);
    });
    // The driver makes its texture when a program first opens it.
    if (!m_primaryMade) m_primaryUnseen = refused != 0;
    m_primaryMade = true;
    if (expect(!opened.empty(), "the shared primary opens")) process.primary = opened[0];
  }
  return process.primary;
}

void Walk::closePrimary(WalkProcess& process) {
  if (process.primary) process.client->close(process.primary);
  process.primary = nullptr;
}

void Walk::paint(const RECT& rect, Color color) {
  for (size_t i = 0; i < m_points.size(); ++i) {
    const auto [x, y] = m_points[i];
    if (x >= rect.left && x < rect.right && y >= rect.top && y < rect.bottom) m_desktop[i] = color;
  }
}

void Walk::unpaintAll() {
  std::fill(m_desktop.begin(), m_desktop.end(), Color());
}

/// Presents a picture of a program, or of GDI, to the desktop.
void Walk::present() {
  WalkProcess& process = anyProcess();
  OpenAllocation* primary = primaryOf(process);
  const Item item = anyItem(process, [](const WalkItem& i) { return !i.buffer && !i.frame; });
  if (!primary || !item) return;
  const DisplayMode& mode = m_adapter.display().desktopMode();
  const auto width = static_cast<LONG>(item->surface.width), height = static_cast<LONG>(item->surface.height);
  const auto x = static_cast<LONG>(below(mode.width - item->surface.width)),
             y = static_cast<LONG>(below(mode.height - item->surface.height));
  const RECT from{0, 0, width, height}, to{x, y, x + width, y + height};
  WalkContext& context = anyContext(process);
  logCall("%llu presents item %u at %d, %d%s", static_cast<unsigned long long>(process.id),
          item->surface.allocId, static_cast<int>(x), static_cast<int>(y), context.holds ? ", held" : "");
  // With handle spaces a program's drawing is private: presents read the memory (PRIV-30).
  present(context, item, from, to, 0, [this, to, item](bool done) {
    paint(to, !done ? Color() : hasSpaces(m_adapter) ? item->memory : item->gpu);
  });
}

NTSTATUS Walk::present(WalkContext& context, const Item& source, const RECT& from, const RECT& to,
                       uint32_t color, Effect effect) {
  if (context.effects.size() >= 4) releaseHeld(context);
  DXGK_PRESENTFLAGS flags{};
  if (source)
    flags.Blt = 1;
  else
    flags.ColorFill = 1;
  WalkProcess& process = *context.process;
  const bool possible = m_short || m_primaryUnseen || (source && (source->unseen || mayRefuse(process)));
  const uint32_t before = m_refusals;
  const NTSTATUS status = act(
      context, possible,
      [&] {
        return context.context->present(source ? source->surface.opened : nullptr, process.primary, from, to,
                                        {}, flags, color);
      },
      std::move(effect));
  // The device may have refused the texture that the driver makes once for the source.
  if (source && m_refusals != before) source->unseen = true;
  return status;
}

void Walk::presentFill() {
  WalkProcess& process = anyProcess();
  OpenAllocation* primary = primaryOf(process);
  if (!primary) return;
  const DisplayMode& mode = m_adapter.display().desktopMode();
  RECT to{0, 0, static_cast<LONG>(mode.width), static_cast<LONG>(mode.height)};
  if (below(3)) {
    to.left = static_cast<LONG>(below(mode.width / 2));
    to.top = static_cast<LONG>(below(mode.height / 2));
  }
  const uint32_t color = 0xFF000000 | m_random.next();
  WalkContext& context = anyContext(process);
  logCall("%llu fills the desktop from %d, %d with %08x%s", static_cast<unsigned long long>(process.id),
          static_cast<int>(to.left), static_cast<int>(to.top), color, context.holds ? ", held" : "");
  present(context, nullptr, to, to, color,
          [this, to, color](bool done) { paint(to, done ? Color(color) : Color()); });
}

void Walk::lookAtScreen() {
  ScreenPoints points;
  std::vector<uint32_t> colors;
  for (size_t i = 0; i < m_points.size(); ++i) {
    const Color color = m_shown ? m_shown->memory : m_desktop[i];
    if (!color) continue;
    points.push_back(m_points[i]);
    colors.push_back(*color & 0xFFFFFF);
  }
  logCall("the screen is looked at: %s", m_shown ? "a full-screen program" : "the desktop");
  m_adapter.scheduler().waitIdle();
  // It would be in the picture.
  expect(ntSuccess(m_adapter.display().setPointerPosition(0, 0, false)), "the pointer is hidden");
  if (!points.empty()) expectScreen(points, colors, "what was drawn");
}

/// Flips to the next frame of a full-screen program, at once or with a vertical sync.
void Walk::flip() {
  Display& display = m_adapter.display();
  if (!m_frameOwner) {
    m_frameOwner = &anyProcess();
    releaseHeld(*m_frameOwner);
    const DisplayMode& mode = display.desktopMode();
    for (Item& frame : m_frames) {
      aerogpu_wddm_alloc_priv_v2 data{};
      data.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC;
      data.version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2;
      data.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY;
      data.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
      data.alloc_id = newAllocId();
      data.width = mode.width;
      data.height = mode.height;
      data.format = static_cast<uint32_t>(mode.format);
      data.row_pitch_bytes = mode.width * 4;
      data.size_bytes = uint64_t{data.row_pitch_bytes} * mode.height;
      std::vector<uint8_t> raw(sizeof data);
      std::memcpy(raw.data(), &data, sizeof data);
      auto made = m_adapter.vidmm().create({}, {std::move(raw)}, false, true);
      if (!expect(ntSuccess(made.status), "a primary (0x%08x)", made.status)) return;
      frame = std::make_shared<WalkItem>();
      frame->frame = true;
      Surface& s = frame->surface;
      s = {mode.width,  mode.height, allocIdOf(made.allocations[0]->privateData),
           newHandle(), newHandle(), made.allocations[0],
           nullptr};
      std::vector<OpenAllocation*> opened;  // the driver makes the texture that is shown
      frame->missing = refusalsOf(mayRefuse(*m_frameOwner),
                                  [&] { opened = m_frameOwner->client->open(made.allocations, true); });
      if (!expect(!opened.empty(), "it opens")) return;
      s.opened = opened[0];
      Stream make;
      if (hasSpaces(m_adapter))  // PRIV-30
        make.importSurface(s.backed, shareTokenOf(s.opened->privateData));
      else
        make.createTexture(s.backed, s.width, s.height, AEROGPU_FORMAT_B8G8R8X8_UNORM, s.allocId);
      make.createTexture(s.target, s.width, s.height, AEROGPU_FORMAT_B8G8R8X8_UNORM, 0);
      act(m_frameOwner->contexts.front(), make, {{s.opened, true}},
          [frame](bool done) { frame->missing |= !done; });
    }
  }
  const Item& next = m_shown == m_frames[0] ? m_frames[1] : m_frames[0];
  const bool immediate = below(2);
  const uint32_t color = 0xFF000000 | m_random.next();
  logCall("%llu draws %08x and flips to it%s", static_cast<unsigned long long>(m_frameOwner->id), color,
          immediate ? " at once" : "");
  WalkContext& context = runningContext(*m_frameOwner);
  if (!next->missing && !ntSuccess(fill(context, next, color))) return;
  m_adapter.scheduler().waitIdle();
  if (!m_vsync) vsync();
  Allocation& allocation = *next->surface.allocation;
  if (!expect(ntSuccess(display.flip(allocation, immediate)), "a flip")) return;
  const uint64_t address = addressOf(m_adapter, allocation);
  bool reported = false;
  for (int tries = 0; tries < 5 && !reported; ++tries) {
    if (!m_adapter.scheduler().waitVsync(1, 2000)) break;
    reported = m_adapter.scheduler().lastVsyncAddress() == address;
  }
  expect(reported, "the vertical sync after a flip reports its address");
  if (m_shown && m_shown != next) display.unpin(*m_shown->surface.allocation);
  m_shown = next;
}

void Walk::dropFrames() {
  if (!m_frameOwner) return;
  logCall("the full-screen program gives the screen up");
  Display& display = m_adapter.display();
  if (m_shown) expect(ntSuccess(display.flip(*display.primary())), "back to the desktop");
  releaseHeld(*m_frameOwner);
  for (Item& frame : m_frames) {
    if (!frame) continue;
    display.unpin(*frame->surface.allocation);
    dropItem(*m_frameOwner, m_frameOwner->contexts.front(), frame);
    frame.reset();
  }
  m_frameOwner = nullptr;
  m_shown.reset();
}

void Walk::changeMode() {
  dropFrames();
  releaseAll();
  for (const auto& process : m_processes) closePrimary(*process);
  const DisplayMode& mode = any(m_modes);
  logCall("mode %ux%u", mode.width, mode.height);
  refusalsOf(m_short || m_primaryUnseen, [&] { expect(m_adapter.display().setMode(mode), "a mode"); });
  m_primaryMade = m_primaryUnseen = false;
  unpaintAll();
}

/// Moves the session to Remote Desktop and back.
void Walk::reconnect() {
  dropFrames();
  releaseAll();
  m_adapter.scheduler().waitIdle();
  for (const auto& process : m_processes) closePrimary(*process);
  logCall("the session goes elsewhere and comes back");
  expect(m_adapter.display().disconnect(), "the display stops");
  const DisplayMode& mode = any(m_modes);
  refusalsOf(m_short || m_primaryUnseen,
             [&] { expect(m_adapter.display().setMode(mode), "and comes back"); });
  m_primaryMade = m_primaryUnseen = false;
  unpaintAll();
}

void Walk::sleep() {
  enum { kStays, kSleeps, kReboots };
  const uint32_t device = m_adapter.machine().canReset() ? below(3) : uint32_t{kStays};
  dropFrames();
  releaseAll();
  // The driver makes its own drawing objects again when the machine wakes, and does not learn that they are
  // refused (docs/windows/driver.md, "Handle spaces").
  for (const auto& process : m_processes)
    if (!process->hoard.empty()) give(*process, 0);
  logCall("sleep%s", device == kStays    ? ""
                     : device == kSleeps ? ", the device is reset"
                                         : ", the device starts anew");
  Display& display = m_adapter.display();
  display.setVisible(false);
  m_adapter.scheduler().waitIdle();
  display.unpin(*display.primary());
  expect(page([&] { return m_adapter.vidmm().evictAll(); }), "everything can be evicted");
  if (device == kReboots) m_errors = 0;  // its counter is reset too
  const POWER_ACTION action = below(2) ? PowerActionSleep : PowerActionHibernate;
  (void)m_adapter.setPower(kAdapterUid, PowerDeviceD3, action);
  if (device != kStays) expect(m_adapter.machine().sleepAndWake(device == kReboots), "the machine sleeps");
  (void)m_adapter.setPower(kAdapterUid, PowerDeviceD0, action);
  expect(display.recommit(), "the mode comes back");
  if (m_vsync) display.controlVsync(true);
  ++m_sleeps;
  if (device == kSleeps) m_errors = 0;
  if (device == kReboots) everybodyBeginsAnew();
}

void Walk::pointer() {
  const std::vector<uint32_t> pixels(4096, 0xFF00FFFF);
  if (below(4) == 0) {
    DXGKARG_SETPOINTERSHAPE shape{};
    shape.Flags.Color = 1;
    shape.Width = 1 + below(std::min(64u, m_adapter.caps.MaxPointerWidth));
    shape.Height = 1 + below(std::min(64u, m_adapter.caps.MaxPointerHeight));
    shape.Pitch = shape.Width * 4;
    shape.pPixels = pixels.data();
    shape.XHot = below(shape.Width);
    shape.YHot = below(shape.Height);
    logCall("a pointer of %ux%u", shape.Width, shape.Height);
    expect(ntSuccess(m_adapter.display().setPointerShape(shape)), "a pointer of %ux%u", shape.Width,
           shape.Height);
  }
  const int x = static_cast<int>(below(3000)) - 500, y = static_cast<int>(below(2000)) - 500;
  logCall("the pointer at %d, %d", x, y);
  expect(ntSuccess(m_adapter.display().setPointerPosition(x, y, below(2) != 0)), "a pointer position");
}

void Walk::scanLine() {
  logCall("which line is scanned out");
  DXGKARG_GETSCANLINE line{};
  expect(ntSuccess(m_adapter.display().getScanLine(line)), "a scan line");
}

void Walk::vsync() {
  m_vsync = !m_vsync;
  logCall("vertical syncs %s", m_vsync ? "on" : "off");
  expect(ntSuccess(m_adapter.display().controlVsync(m_vsync)), "vertical syncs");
}

}  // namespace aerogpu::host
