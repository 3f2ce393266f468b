// SPDX-License-Identifier: MIT
// Test support: the display on a fake device and a fake kernel, with the boot display still shown.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/kmd/device/device_features.h"
#include "guest-drivers/kmd/display/display.h"
#include "guest-drivers/kmd/memory/segments.h"
#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/test/fake_device.h"

namespace aero::test {

using Told = std::vector<std::string>;
using Writes = std::vector<RegisterWrite>;

inline constexpr uint64_t kVramGpa = 0x1F0000000, kVramBytes = uint64_t{64} << 20;
/** The boot display keeps the first 16 MiB. */
inline constexpr uint64_t kFrame = kVramGpa + (uint64_t{16} << 20), kOtherFrame = kFrame + (uint64_t{4} << 20);
inline constexpr Mode kMode = {1024, 768};
inline constexpr uint32_t kPitch = 4096;
inline constexpr uint32_t kPeriod = 16666667;
/** VESA DMT 1.13: 1024 x 768 at 60 Hz with reduced blanking has 790 lines. */
inline constexpr uint32_t kBlankLines = 790 - 768;

class DisplayTest : public testing::Test {
protected:
  DisplayTest() {
    m_kernel.counterFrequency = 1000000000;  // a tick is a nanosecond
    m_registers.map(m_device.bar0());
    m_device.setValue(AEROGPU_MMIO_REG_FEATURES_HI, AEROGPU_EXT_FEATURE_HI_VGA);
    m_features.high = AEROGPU_EXT_FEATURE_HI_VGA;
    EXPECT_EQ(m_segments.start(m_registers, kVramGpa, kVramBytes, 0), STATUS_SUCCESS);
    EXPECT_EQ(m_display.start(), STATUS_SUCCESS);
    EXPECT_EQ(m_device.takeWrites(), Writes{}) << "the boot display stays";
  }
  ~DisplayTest() override {
    m_display.stop();
    m_segments.stop();
  }

  NTSTATUS flipTo(uint64_t address, const Surface *surface = nullptr, UINT segment = kSegmentVram,
                  uint32_t allocId = 0) {
    DXGKARG_SETVIDPNSOURCEADDRESS args = {};
    args.PrimarySegment = segment;
    args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(address);
    return m_display.setAddress(args, surface, allocId);
  }
  /** Shows a mode as Windows does: CommitVidPn, the first address, then visible. */
  void show(uint64_t address = kFrame) {
    ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch), STATUS_SUCCESS);
    ASSERT_EQ(flipTo(address), STATUS_SUCCESS);
    m_display.setVisible(true);
  }
  void showAndForget() {
    show();
    m_device.takeWrites();
  }
  /** Expects that the writes switch on a scanout of `address`: each register once, the address last except for
   * ENABLE, its HI half after its LO half, so that no half-written configuration is visible. */
  void expectSwitchedOn(const Writes &writes, uint64_t address, uint32_t format = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                        uint32_t pitch = kPitch, Mode mode = kMode) {
    ASSERT_EQ(writes.size(), 7u);
    const RegisterWrite described[] = {{AEROGPU_MMIO_REG_SCANOUT0_WIDTH, mode.width},
                                       {AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, mode.height},
                                       {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, format},
                                       {AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, pitch}};
    for (const RegisterWrite &write : described)
      EXPECT_EQ(std::count(writes.begin(), writes.begin() + 4, write), 1) << write;
    expectFlip(Writes(writes.begin() + 4, writes.begin() + 6), address);
    EXPECT_EQ(writes[6], (RegisterWrite{AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1}));
  }
  static void expectFlip(const Writes &writes, uint64_t address) {
    EXPECT_EQ(writes, (Writes{{AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, static_cast<uint32_t>(address)},
                              {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, static_cast<uint32_t>(address >> 32)}}));
  }

  /** Takes the device's vblank interrupt as AeroAdapter::interrupt() does; returns whether a DPC was needed. */
  bool vblank() {
    return m_kernel.interrupt([&] { return m_display.interrupt(); });
  }
  /** Returns DxgkDdiGetScanLine's line, or -1 in the blank. */
  int scanLine() {
    DXGKARG_GETSCANLINE args = {};
    args.InVerticalBlank = 77;
    args.ScanLine = 0xFFFFFFFF;
    m_kernel.atDispatch([&] { m_display.scanLine(args); });
    EXPECT_TRUE(args.InVerticalBlank == TRUE || args.InVerticalBlank == FALSE);
    EXPECT_TRUE(!args.InVerticalBlank || args.ScanLine == 0) << "Direct3D's raster status";
    return args.InVerticalBlank ? -1 : static_cast<int>(args.ScanLine);
  }
  /** Returns the line `ns` nanoseconds after the vblank began: 790 lines of equal length, the blank first. */
  static int lineAfter(uint64_t ns) {
    const uint64_t line = ns % kPeriod * 790 / kPeriod;
    return line < kBlankLines ? -1 : static_cast<int>(line - kBlankLines);
  }

  FakeKernel m_kernel;
  FakeDevice m_device{m_kernel};
  Registers m_registers;
  Features m_features;
  Segments m_segments;
  Counters m_counters = {};
  Display m_display{m_registers, m_features, m_segments, m_counters, m_kernel.dxgk};
};

}  // namespace aero::test
