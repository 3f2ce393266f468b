// SPDX-License-Identifier: MIT
// Tests DxgkDdiEscape on the display: compares answers with the registers, with the values that were set, and
// with the screen.
#include <cstring>

#include "aerogpu/aerogpu_escape_extension.h"
#include "tests-qtest/driver/escapes.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

namespace {

/// ESC-3, ESC-4: tests the answers of QUERY_VBLANK and QUERY_SCANOUT.
void displayAnswers() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto& r = adapter.registers();
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  Escapes escapes(adapter, *client);
  aerogpu_escape_query_vblank_out vblank{};
  vblank.vidpn_source_id = 1;
  expect(escapes.ask(AEROGPU_ESCAPE_OP_QUERY_VBLANK, vblank) == kInvalidParameter,
         "QUERY_VBLANK of another source");
  uint64_t first = 0;
  for (int i = 0; i < 5; ++i) {
    const uint64_t sequence = r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO),
                   time = r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
    const uint32_t status = r.read(AEROGPU_MMIO_REG_IRQ_STATUS);
    vblank = escapes.answer<aerogpu_escape_query_vblank_out>(AEROGPU_ESCAPE_OP_QUERY_VBLANK);
    expect(vblank.flags == (AEROGPU_DBGCTL_QUERY_VBLANK_FLAGS_VALID |
                            AEROGPU_DBGCTL_QUERY_VBLANK_FLAG_VBLANK_SUPPORTED |
                            AEROGPU_DBGCTL_QUERY_VBLANK_FLAG_INTERRUPT_TYPE_VALID) &&
               vblank.vblank_interrupt_type == DXGK_INTERRUPT_CRTC_VSYNC,
           "QUERY_VBLANK: flags 0x%08x, interrupt type %u", vblank.flags, vblank.vblank_interrupt_type);
    expect(vblank.vblank_seq >= sequence &&
               vblank.vblank_seq <= r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO) &&
               vblank.last_vblank_time_ns >= time &&
               vblank.last_vblank_time_ns <= r.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO) &&
               vblank.vblank_period_ns == r.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS),
           "QUERY_VBLANK: number, time and period");
    expect(vblank.irq_enable == r.read(AEROGPU_MMIO_REG_IRQ_ENABLE) && (status & ~vblank.irq_status) == 0 &&
               (vblank.irq_status & ~r.read(AEROGPU_MMIO_REG_IRQ_STATUS)) == 0,
           "QUERY_VBLANK: the interrupt registers (0x%08x, 0x%08x)", vblank.irq_enable, vblank.irq_status);
    if (i == 0) first = vblank.vblank_seq;
    sleepMs(40);
  }
  expect(vblank.vblank_seq > first, "QUERY_VBLANK: it counts");
  const uint32_t masked = vblank.irq_enable;
  expect(ntSuccess(adapter.display().controlVsync(true)), "vertical sync on");
  vblank = escapes.answer<aerogpu_escape_query_vblank_out>(AEROGPU_ESCAPE_OP_QUERY_VBLANK);
  expect(vblank.irq_enable == (masked | AEROGPU_IRQ_SCANOUT_VBLANK), "QUERY_VBLANK: its interrupt is on");
  expect(ntSuccess(adapter.display().controlVsync(false)), "vertical sync off");

  const auto scanoutIsTrue = [&](bool enabled, UINT width, UINT height) {
    const auto v2 = escapes.answer<aerogpu_escape_query_scanout_out_v2>(AEROGPU_ESCAPE_OP_QUERY_SCANOUT);
    const auto v1 = escapes.answer<aerogpu_escape_query_scanout_out>(AEROGPU_ESCAPE_OP_QUERY_SCANOUT);
    const Allocation& primary = *adapter.display().primary();
    const uint64_t address = addressOf(adapter, primary);
    expect(v2.base.cached_enable == enabled && v2.base.cached_width == width &&
               v2.base.cached_height == height && v2.base.cached_format == AEROGPU_FORMAT_B8G8R8X8_UNORM &&
               v2.base.cached_pitch_bytes >= width * 4 && v2.cached_fb_gpa == address,
           "QUERY_SCANOUT: what the driver shows (%ux%u)", v2.base.cached_width, v2.base.cached_height);
    expect(v2.base.reserved0 == (AEROGPU_DBGCTL_QUERY_SCANOUT_FLAGS_VALID | AEROGPU_EXT_QUERY_FLAG_DEVICE |
                                 AEROGPU_DBGCTL_QUERY_SCANOUT_FLAG_CACHED_FB_GPA_VALID) &&
               v1.reserved0 == (AEROGPU_DBGCTL_QUERY_SCANOUT_FLAGS_VALID | AEROGPU_EXT_QUERY_FLAG_DEVICE),
           "QUERY_SCANOUT: flags 0x%x, 0x%x", v2.base.reserved0, v1.reserved0);
    expect(v2.base.mmio_enable == r.read(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) &&
               v2.base.mmio_enable == enabled &&
               v2.base.mmio_width == r.read(AEROGPU_MMIO_REG_SCANOUT0_WIDTH) &&
               v2.base.mmio_height == r.read(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT) &&
               v2.base.mmio_format == r.read(AEROGPU_MMIO_REG_SCANOUT0_FORMAT) &&
               v2.base.mmio_pitch_bytes == r.read(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES) &&
               v2.base.mmio_fb_gpa == r.read64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO),
           "QUERY_SCANOUT: the registers");
    constexpr size_t kHeader = offsetof(aerogpu_escape_query_scanout_out, cached_enable);
    expect(std::memcmp(reinterpret_cast<const uint8_t*>(&v1) + kHeader,
                       reinterpret_cast<const uint8_t*>(&v2) + kHeader, sizeof v1 - kHeader) == 0,
           "QUERY_SCANOUT: both forms say one thing");
  };
  scanoutIsTrue(true, 1024, 768);
  expect(ntSuccess(adapter.display().setVisible(false)), "hidden");
  scanoutIsTrue(false, 1024, 768);
  expect(ntSuccess(adapter.display().setVisible(true)), "visible");
  if (!expect(session.setMode(800, 600), "another mode")) return;
  scanoutIsTrue(true, 800, 600);
  // ESC-11: without the privilege to debug programs a caller gets what the driver set, without addresses and
  // without a query of the device.
  setCallerPrivileged(false);
  const auto reads = adapter.machine().registerReads();
  const auto told = escapes.answer<aerogpu_escape_query_scanout_out_v2>(AEROGPU_ESCAPE_OP_QUERY_SCANOUT);
  expect(told.base.reserved0 == AEROGPU_DBGCTL_QUERY_SCANOUT_FLAGS_VALID && told.base.cached_enable == 1 &&
             told.base.cached_width == 800 && told.base.cached_height == 600 &&
             told.base.cached_format == AEROGPU_FORMAT_B8G8R8X8_UNORM && told.base.cached_pitch_bytes >= 3200,
         "QUERY_SCANOUT of anybody: what the driver shows (flags 0x%x)", told.base.reserved0);
  expect(!told.cached_fb_gpa && !told.base.mmio_fb_gpa && !told.base.mmio_enable && !told.base.mmio_width &&
             !told.base.mmio_height && !told.base.mmio_format && !told.base.mmio_pitch_bytes,
         "neither registers nor addresses");
  expect(adapter.machine().registerReads() == reads, "and no register is read");
  // QUERY_VBLANK and QUERY_PERF read the device once a millisecond, however often they are called.
  const int64_t from = nowNs();
  constexpr unsigned kAsked = 200;
  for (unsigned i = 0; i < kAsked; ++i) {
    escapes.answer<aerogpu_escape_query_vblank_out>(AEROGPU_ESCAPE_OP_QUERY_VBLANK);
    escapes.answer<aerogpu_escape_query_perf_out>(AEROGPU_ESCAPE_OP_QUERY_PERF);
  }
  // 13 reads each time: number, time and number again, four each, and IRQ_STATUS. All but that one are
  // repeated if a vblank comes between. Times are rounded up.
  const auto spent = static_cast<uint64_t>((nowNs() - from) / 1'000'000);
  if (reads) {
    const uint64_t read = *adapter.machine().registerReads() - *reads;
    expect(read <= 13 * (spent + 2) + 12 * (spent / 16 + 2),
           "%llu registers are read for %u answers in %llu ms", static_cast<unsigned long long>(read),
           2 * kAsked, static_cast<unsigned long long>(spent));
  }
  setCallerPrivileged(true);
  aerogpu_escape_query_scanout_out other{};
  other.vidpn_source_id = 1;
  expect(escapes.ask(AEROGPU_ESCAPE_OP_QUERY_SCANOUT, other) == kInvalidParameter,
         "QUERY_SCANOUT of another source");
}

/// ESC-3, ESC-4: tests SET_CURSOR_* and QUERY_CURSOR.
void cursor() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto& r = adapter.registers();
  auto client = Client::create(adapter, 100);
  if (!expect(client != nullptr, "a device")) return;
  Escapes escapes(adapter, *client);
  constexpr uint32_t kWidth = 16, kHeight = 8, kPitch = 80, kHotX = 3, kHotY = 4;
  struct Shape {
    aerogpu_escape_set_cursor_shape_in in;
    uint8_t rest[kPitch * kHeight - 1];
  } __attribute__((packed)) shape{};
  shape.in.width = kWidth;
  shape.in.height = kHeight;
  shape.in.hot_x = kHotX;
  shape.in.hot_y = kHotY;
  shape.in.pitch_bytes = kPitch;
  shape.in.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  const auto pixel = [](uint32_t x, uint32_t y) { return 0xFF000000 | x << 16 | y << 8 | 0x40; };
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      const uint32_t color = pixel(x, y);
      std::memcpy(reinterpret_cast<uint8_t*>(&shape) + offsetof(aerogpu_escape_set_cursor_shape_in, pixels) +
                      y * kPitch + x * 4,
                  &color, 4);
    }
  aerogpu_escape_set_cursor_position_in position{};
  position.x = 200;
  position.y = 100;
  aerogpu_escape_set_cursor_visibility_in visibility{};
  visibility.visible = 1;
  expect(ntSuccess(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, shape)), "a shape");
  expect(ntSuccess(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, position)), "a position");
  expect(ntSuccess(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, visibility)), "shown");
  const auto ask = [&] {
    return escapes.answer<aerogpu_escape_query_cursor_out>(AEROGPU_ESCAPE_OP_QUERY_CURSOR);
  };
  auto c = ask();
  expect(c.flags == (AEROGPU_DBGCTL_QUERY_CURSOR_FLAGS_VALID |
                     AEROGPU_DBGCTL_QUERY_CURSOR_FLAG_CURSOR_SUPPORTED | AEROGPU_EXT_QUERY_FLAG_DEVICE),
         "QUERY_CURSOR: flags 0x%08x", c.flags);
  expect(c.enable == 1 && c.x == 200 && c.y == 100 && c.hot_x == kHotX && c.hot_y == kHotY &&
             c.width == kWidth && c.height == kHeight && c.format == AEROGPU_FORMAT_B8G8R8A8_UNORM,
         "QUERY_CURSOR: what was set (%ux%u at (%d, %d))", c.width, c.height, c.x, c.y);
  const auto registersAre = [&](const aerogpu_escape_query_cursor_out& q) {
    return q.enable == r.read(AEROGPU_MMIO_REG_CURSOR_ENABLE) &&
           static_cast<uint32_t>(q.x) == r.read(AEROGPU_MMIO_REG_CURSOR_X) &&
           static_cast<uint32_t>(q.y) == r.read(AEROGPU_MMIO_REG_CURSOR_Y) &&
           q.hot_x == r.read(AEROGPU_MMIO_REG_CURSOR_HOT_X) &&
           q.hot_y == r.read(AEROGPU_MMIO_REG_CURSOR_HOT_Y) &&
           q.width == r.read(AEROGPU_MMIO_REG_CURSOR_WIDTH) &&
           q.height == r.read(AEROGPU_MMIO_REG_CURSOR_HEIGHT) &&
           q.format == r.read(AEROGPU_MMIO_REG_CURSOR_FORMAT) &&
           q.fb_gpa == r.read64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO) &&
           q.pitch_bytes == r.read(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES);
  };
  expect(registersAre(c), "QUERY_CURSOR: the registers");
  const uint8_t* picture = adapter.memory().at(c.fb_gpa);
  bool same = picture != nullptr;
  for (uint32_t y = 0; same && y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      uint32_t color;
      std::memcpy(&color, picture + uint64_t{y} * c.pitch_bytes + x * 4, 4);
      same &= color == pixel(x, y);
    }
  expect(same, "the picture at the cursor's address");
  // The position is the hot spot's.
  expectScreen({{200 - 3 + 5, 100 - 4 + 6}, {200 - 3 + 15, 100 - 4}}, {0x050640, 0x0F0040}, "the cursor");

  // Refusals change nothing.
  setCallerPrivileged(false);
  auto moved = position;
  moved.x = 300;
  auto hidden = visibility;
  hidden.visible = 0;
  auto larger = shape;
  larger.in.width = kWidth - 1;
  expect(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, moved) == kAccessDenied &&
             escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, hidden) == kAccessDenied &&
             escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, larger) == kAccessDenied,
         "the cursor is not everybody's");
  const auto reads = adapter.machine().registerReads();
  auto told = ask();
  expect(adapter.machine().registerReads() == reads, "QUERY_CURSOR of anybody reads no register");
  expect(told.fb_gpa == 0 && told.flags == (AEROGPU_DBGCTL_QUERY_CURSOR_FLAGS_VALID |
                                            AEROGPU_DBGCTL_QUERY_CURSOR_FLAG_CURSOR_SUPPORTED),
         "nor tells an address (flags 0x%x)", told.flags);
  told.fb_gpa = c.fb_gpa;
  told.flags = c.flags;
  expect(std::memcmp(&told, &c, sizeof c) == 0, "all else is as it was set");
  setCallerPrivileged(true);
  larger = shape;
  larger.in.pitch_bytes = kPitch + 1;
  expect(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, larger) == kInvalidParameter,
         "pixels past the end are refused");
  larger = shape;
  larger.in.format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  expect(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, larger) == kInvalidParameter,
         "another format is refused");
  larger = shape;
  larger.in.height = 0x80000000;
  expect(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, larger) == kInvalidParameter,
         "2^31 lines are refused");
  const auto after = ask();
  expect(std::memcmp(&after, &c, sizeof c) == 0, "nothing has changed");
  expect(ntSuccess(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, moved)) &&
             ntSuccess(escapes.ask(AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, hidden)),
         "moved and hidden");
  c = ask();
  expect(c.x == 300 && c.enable == 0 && registersAre(c), "QUERY_CURSOR: moved and hidden");
}

const TestCase kEscapeDisplayTests[] = {
    {"escape-display", 90, displayAnswers, Runs::kBesideQemu},
    {"escape-cursor", 60, cursor, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> escapeDisplayTests() {
  return kEscapeDisplayTests;
}

}  // namespace aerogpu::host
