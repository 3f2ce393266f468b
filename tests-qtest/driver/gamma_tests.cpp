// SPDX-License-Identifier: MIT
// Tests gamma ramps (pages "DXGK_GAMMARAMPCAPS", "DxgkDdiUpdateActiveVidPnPresentPath"): the outside of the
// VM reports what the screen shows.
#include "aerogpu/aerogpu_gamma.h"
#include "testbed/kernel/dxgk/power.h"
#include "tests-qtest/driver/outside.h"
#include "tests-qtest/driver/test.h"

namespace aerogpu::host {

namespace {

using Ramp = D3DDDI_GAMMA_RAMP_RGB256x3x16;

/// Returns a ramp of one straight line for each color.
Ramp lines(unsigned red, unsigned green, unsigned blue) {
  Ramp ramp;
  for (unsigned i = 0; i < 256; ++i) {
    ramp.Red[i] = static_cast<USHORT>(i * red);
    ramp.Green[i] = static_cast<USHORT>(i * green);
    ramp.Blue[i] = static_cast<USHORT>(65535 - i * blue);
  }
  return ramp;
}

/// Returns 0xRRGGBB as a display with this ramp shows it in eight bits.
uint32_t through(const Ramp* ramp, uint32_t color) {
  if (!ramp) return color;
  const auto eight = [](USHORT number) { return (uint32_t{number} * 255 + 32767) / 65535; };
  return eight(ramp->Red[color >> 16 & 255]) << 16 | eight(ramp->Green[color >> 8 & 255]) << 8 |
         eight(ramp->Blue[color & 255]);
}

constexpr uint32_t kColor = 0x20C0F0;

/// Fills the primary with one color.
void fill(Adapter& adapter) {
  Display& display = adapter.display();
  const std::vector<uint32_t> row(display.mode().width, kColor);
  const uint32_t pitch = adapter.registers().read(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES);
  for (uint32_t y = 0; y < display.mode().height; ++y)
    adapter.vidmm().write(*display.primary(), uint64_t{y} * pitch, row.data(), row.size() * 4);
}

void expectShown(const Ramp* ramp, const char* what) {
  expectScreen({{5, 5}, {400, 300}}, {through(ramp, kColor), through(ramp, kColor)}, what);
}

/// True if the driver has ramps, which is so where the device has them.
bool hasRamps(Adapter& adapter) {
  const bool device = adapter.registers().read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_GAMMA;
  const bool driver = adapter.caps.GammaRampCaps.Gamma_Rgb256x3x16;
  expect(device == driver, "the driver says what the device has: %d, %d", device, driver);
  return driver;
}

void ramps() {
  Session session;
  if (!session.ok() || !expect(session.setMode(1024, 768), "a mode")) return;
  Adapter& adapter = session.adapter();
  Display& display = adapter.display();
  fill(adapter);
  expectShown(nullptr, "no ramp");
  if (!hasRamps(adapter)) return;
  const Ramp first = lines(200, 100, 50), second = lines(30, 257, 257);
  for (const Ramp* ramp : {&first, &second}) {
    expect(ntSuccess(display.setGammaRamp(ramp)), "a ramp");
    expectShown(ramp, "a ramp");
  }
  if (adapter.machine().canReset()) {
    expect(sleepSystem(adapter, nullptr, [&] { return adapter.machine().sleepAndWake(false); }), "a sleep");
    fill(adapter);
    expectShown(&second, "a ramp after a sleep");
  }
  Ramp same = lines(257, 257, 0);
  for (unsigned i = 0; i < 256; ++i) same.Blue[i] = static_cast<USHORT>(i * 257);
  expect(ntSuccess(display.setGammaRamp(&same)), "the ramp that changes nothing");
  expectShown(nullptr, "the ramp that changes nothing");
  expect(ntSuccess(display.setGammaRamp(&first)) && ntSuccess(display.setGammaRamp(nullptr)), "the default");
  expectShown(nullptr, "the default ramp");
  expectNoDeviceErrors(adapter);
}

/// A ramp left over in a path that is committed is not applied, and is no reason to show nothing.
void left() {
  Session session;
  if (!session.ok()) return;
  session.adapter().display().leaveGammaRamp();
  if (!expect(session.setMode(1024, 768), "a mode with a ramp that was left over")) return;
  fill(session.adapter());
  expectShown(nullptr, "a ramp that was left over");
}

const TestCase kGammaTests[] = {
    {"gamma-ramps", 120, ramps},
    {"gamma-left", 60, left, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> gammaTests() {
  return kGammaTests;
}

}  // namespace aerogpu::host
