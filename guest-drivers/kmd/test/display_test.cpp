// SPDX-License-Identifier: MIT
// Tests the display on a fake device and a fake kernel: which registers it writes, in which order
// (docs/abi/present.md), and what it reports to dxgkrnl (pages "DxgkDdiCommitVidPn", "DxgkDdiSetVidPnSourceAddress",
// "DxgkDdiSetVidPnSourceVisibility", "DxgkDdiControlInterrupt", "DxgkDdiGetScanLine", "DXGKARG_GETSCANLINE").
#include <algorithm>
#include <vector>

#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/kmd/test/display_fixture.h"

namespace aero::test {
namespace {

TEST_F(DisplayTest, AModeIsShownWithItsFirstAddressWhenItIsVisible) {
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "there is nothing to show, the boot display stays";
  ASSERT_EQ(flipTo(kFrame), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "not visible yet";
  m_display.setVisible(true);
  expectSwitchedOn(m_device.takeWrites(), kFrame);
}

// SPACE-18
TEST_F(DisplayTest, WithHandleSpacesTheAllocationComesWithEachAddressBeforeIt) {
  m_features.high |= AEROGPU_EXT_FEATURE_HI_SPACES;
  const auto flipOf = [](uint64_t address, uint32_t allocId) {
    return Writes{{AEROGPU_EXT_REG_SCANOUT0_ALLOC, allocId},
                  {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, static_cast<uint32_t>(address)},
                  {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, static_cast<uint32_t>(address >> 32)}};
  };
  const auto contains = [](const Writes &all, const Writes &part) {
    return std::search(all.begin(), all.end(), part.begin(), part.end()) != all.end();
  };
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch), STATUS_SUCCESS);
  ASSERT_EQ(flipTo(kFrame, nullptr, kSegmentVram, 7), STATUS_SUCCESS);
  m_display.setVisible(true);
  EXPECT_TRUE(contains(m_device.takeWrites(), flipOf(kFrame, 7)));
  ASSERT_EQ(flipTo(kFrame + 0x400000, nullptr, kSegmentVram, 8), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), flipOf(kFrame + 0x400000, 8));
  ASSERT_EQ(flipTo(kFrame), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), flipOf(kFrame, 0)) << "memory that is nobody's texture";
  // After a sleep it works as before.
  ASSERT_EQ(flipTo(kFrame, nullptr, kSegmentVram, 9), STATUS_SUCCESS);
  m_display.suspend();
  m_device.takeWrites();
  m_display.restore();
  EXPECT_TRUE(contains(m_device.takeWrites(), flipOf(kFrame, 9)));
}

TEST_F(DisplayTest, AddressAndVisibilityComeInEitherOrder) {
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B5G6R5_UNORM, 2048), STATUS_SUCCESS);
  m_display.setVisible(true);
  EXPECT_EQ(m_device.takeWrites(), Writes{});
  ASSERT_EQ(flipTo(kFrame), STATUS_SUCCESS);
  expectSwitchedOn(m_device.takeWrites(), kFrame, AEROGPU_FORMAT_B5G6R5_UNORM, 2048);
}

TEST_F(DisplayTest, AlphaIsNotGivenToTheScreen) {
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8A8_UNORM, kPitch), STATUS_SUCCESS);
  m_display.setVisible(true);
  ASSERT_EQ(flipTo(kFrame), STATUS_SUCCESS);
  expectSwitchedOn(m_device.takeWrites(), kFrame, AEROGPU_FORMAT_B8G8R8X8_UNORM);
}

TEST_F(DisplayTest, AModeThatCannotBeScannedOutIsRefused) {
  EXPECT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_R8G8B8A8_UNORM, kPitch), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch - 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(m_display.setMode({1 << 30, 768}, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch), STATUS_INVALID_PARAMETER)
      << "a row of 2^32 bytes";
  EXPECT_FALSE(m_display.hasMode());
  EXPECT_EQ(flipTo(kFrame), STATUS_INVALID_PARAMETER) << "no mode, no address";
}

TEST_F(DisplayTest, ANewModeIsBlankUntilItsFirstAddress) {
  showAndForget();
  ASSERT_EQ(m_display.setMode({800, 600}, AEROGPU_FORMAT_B8G8R8X8_UNORM, 3200), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0}}))
      << "the old frame may be gone, and is not shown in the new mode";
  m_display.setVisible(true);
  EXPECT_EQ(m_device.takeWrites(), Writes{});
  ASSERT_EQ(flipTo(kOtherFrame), STATUS_SUCCESS);
  expectSwitchedOn(m_device.takeWrites(), kOtherFrame, AEROGPU_FORMAT_B8G8R8X8_UNORM, 3200, {800, 600});
}

TEST_F(DisplayTest, NoModeIsABlankScreen) {
  showAndForget();
  ASSERT_EQ(m_display.setMode({}, 0, 0), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0}}));
  EXPECT_FALSE(m_display.hasMode());
  EXPECT_EQ(flipTo(kFrame), STATUS_INVALID_PARAMETER);
}

TEST_F(DisplayTest, AFlipIsTheAddressAlone) {
  showAndForget();
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kOtherFrame), STATUS_SUCCESS); });
  expectFlip(m_device.takeWrites(), kOtherFrame);
  EXPECT_EQ(flipTo(kFrame), STATUS_SUCCESS) << "at PASSIVE_LEVEL, for a mode change";
  expectFlip(m_device.takeWrites(), kFrame);
}

TEST_F(DisplayTest, AFlipToAnotherPitchTellsItFirst) {
  showAndForget();
  const Surface wide = {1100, 768, AEROGPU_FORMAT_B8G8R8A8_UNORM, 4416};
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kOtherFrame, &wide), STATUS_SUCCESS); });
  const Writes writes = m_device.takeWrites();
  ASSERT_EQ(writes.size(), 4u);
  EXPECT_EQ(std::count(writes.begin(), writes.begin() + 2, RegisterWrite{AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 4416}),
            1);
  EXPECT_EQ(std::count(writes.begin(), writes.begin() + 2,
                       RegisterWrite{AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM}),
            1);
  expectFlip(Writes(writes.begin() + 2, writes.end()), kOtherFrame);
}

TEST_F(DisplayTest, WhatCannotBeShownIsRefusedAndTouchesNothing) {
  showAndForget();
  const uint64_t bytes = uint64_t{kPitch} * 767 + 4096;
  EXPECT_EQ(flipTo(kFrame - 4096), STATUS_INVALID_PARAMETER) << "the boot display's memory";
  EXPECT_EQ(flipTo(kVramGpa + kVramBytes - bytes + 1), STATUS_INVALID_PARAMETER) << "its last pixel lies outside";
  EXPECT_EQ(flipTo(~uint64_t{0} - 100), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(flipTo(kFrame, nullptr, kSegmentAperture), STATUS_INVALID_PARAMETER) << "no linear memory";
  const Surface narrow = {1023, 768, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch};
  const Surface low = {1024, 767, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch};
  const Surface tight = {1024, 768, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch - 4};
  const Surface foreign = {1024, 768, AEROGPU_FORMAT_R8G8B8A8_UNORM, kPitch};
  for (const Surface *surface : {&narrow, &low, &tight, &foreign})
    EXPECT_EQ(flipTo(kFrame, surface), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(m_device.takeWrites(), Writes{});
  EXPECT_EQ(flipTo(kVramGpa + kVramBytes - bytes), STATUS_SUCCESS) << "the last place that holds it";
}

// No caller can act on a failure at DIRQL, and an unreported flip holds up all that follow.
TEST_F(DisplayTest, AFlipThatCannotBeShownIsReportedAndTheLastPictureStays) {
  show();
  m_display.enableVsync(true);
  EXPECT_TRUE(vblank());
  m_kernel.take();
  m_device.takeWrites();
  const auto flipAtDirql = [&](uint64_t address, const Surface *surface = nullptr, UINT segment = kSegmentVram) {
    m_kernel.atDirql([&] { EXPECT_EQ(flipTo(address, surface, segment, 7), STATUS_SUCCESS); });
  };
  const Surface narrow = {800, 600, AEROGPU_FORMAT_B8G8R8X8_UNORM, 3200};
  const Surface foreign = {1024, 768, AEROGPU_FORMAT_R8G8B8A8_UNORM, kPitch};
  flipAtDirql(kOtherFrame, &narrow);
  EXPECT_TRUE(vblank());
  flipAtDirql(kOtherFrame + 0x1000, &foreign);
  EXPECT_TRUE(vblank());
  flipAtDirql(kVramGpa);
  EXPECT_TRUE(vblank());
  flipAtDirql(kFrame, nullptr, kSegmentAperture);
  EXPECT_TRUE(vblank());
  flipAtDirql(0xABCDEF, nullptr, 9);
  EXPECT_TRUE(vblank());
  EXPECT_EQ(m_kernel.take(), (Told{"vsync 1F1400000", "dpc", "vsync 1F1401000", "dpc", "vsync 1F0000000", "dpc",
                                   "vsync 1F1000000", "dpc", "vsync ABCDEF", "dpc"}));
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "the last picture stays";
  EXPECT_EQ(m_display.shownAt(7), 0u);
  EXPECT_EQ(m_display.shownAt(0), kFrame);
  // A vblank that waits to be reported belongs to the flip before.
  m_device.setValue(AEROGPU_MMIO_REG_IRQ_STATUS, AEROGPU_IRQ_SCANOUT_VBLANK);
  flipAtDirql(kOtherFrame, &narrow);
  flipAtDirql(kOtherFrame);
  m_device.setValue(AEROGPU_MMIO_REG_IRQ_STATUS, 0);
  expectFlip(m_device.takeWrites(), kOtherFrame);
  EXPECT_TRUE(vblank());
  EXPECT_TRUE(vblank());
  EXPECT_EQ(m_kernel.take(), (Told{"vsync ABCDEF", "dpc", "vsync 1F1400000", "dpc"}));
  // Hidden and shown again: the last picture.
  flipAtDirql(kFrame, &narrow);
  m_display.setVisible(false);
  m_device.takeWrites();
  m_display.setVisible(true);
  expectSwitchedOn(m_device.takeWrites(), kOtherFrame);
}

TEST_F(DisplayTest, AFlipOfTheModeBeforeShowsNothingInTheNewOne) {
  ASSERT_EQ(m_display.setMode({800, 600}, AEROGPU_FORMAT_B8G8R8X8_UNORM, 3200), STATUS_SUCCESS);
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch), STATUS_SUCCESS);
  m_display.setVisible(true);
  const Surface old = {800, 600, AEROGPU_FORMAT_B8G8R8X8_UNORM, 3200};
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kOtherFrame, &old), STATUS_SUCCESS); });
  EXPECT_EQ(m_device.takeWrites(), Writes{});
  ASSERT_EQ(flipTo(kFrame), STATUS_SUCCESS);
  expectSwitchedOn(m_device.takeWrites(), kFrame);
  ASSERT_EQ(m_display.setMode({}, 0, 0), STATUS_SUCCESS);
  m_device.takeWrites();
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kFrame), STATUS_SUCCESS); });
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "no mode";
}

TEST_F(DisplayTest, InvisibleIsBlankAndVisibleIsAsBefore) {
  showAndForget();
  m_display.setVisible(false);
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0}}));
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kOtherFrame), STATUS_SUCCESS); });
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "a flip shows nothing that is hidden";
  m_display.setVisible(true);
  expectSwitchedOn(m_device.takeWrites(), kOtherFrame);
}

TEST_F(DisplayTest, APathWithoutPowerIsBlankAndComesBackAsItWas) {
  using Path = Display::Path;
  showAndForget();
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch, Path::Off), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0}}));
  m_display.setVisible(true);
  EXPECT_EQ(flipTo(kFrame), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "neither brings the path its power back";
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_FORMAT_B8G8R8X8_UNORM, kPitch, Path::Restored), STATUS_SUCCESS);
  expectSwitchedOn(m_device.takeWrites(), kFrame);
}

TEST_F(DisplayTest, PowerBlanksAndTheNextPowerUpShowsTheOldPicture) {
  showAndForget();
  m_display.suspend();
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0}}));
  m_display.setVisible(true);
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "nothing is programmed without power";
  m_device.resetMachine();
  m_display.restore();
  expectSwitchedOn(m_device.takeWrites(), kFrame);
}

TEST_F(DisplayTest, VgaIsGivenTheDisplayAndTheNextFlipTakesItBack) {
  showAndForget();
  m_kernel.atDirql([&] { m_display.returnToVga(); });
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_EXT_REG_VGA, 1}}));
  ASSERT_EQ(flipTo(kFrame), STATUS_SUCCESS);
  expectSwitchedOn(m_device.takeWrites(), kFrame);
  m_features.high = 0;
  m_display.returnToVga();
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "a device that cannot keeps the last picture";
}

// Vertical syncs.

TEST_F(DisplayTest, TheInterruptIsEnabledWhenItIsWantedAndTellsOfLaterTicksOnly) {
  showAndForget();
  EXPECT_EQ(m_display.interruptMask(), AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
  m_device.setValue(AEROGPU_MMIO_REG_IRQ_STATUS, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK);
  m_display.enableVsync(true);
  EXPECT_EQ(m_device.value(AEROGPU_MMIO_REG_IRQ_STATUS), AEROGPU_IRQ_FENCE) << "a fence is not lost for it";
  EXPECT_EQ(
      m_device.takeWrites().back(),
      (RegisterWrite{AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR | AEROGPU_IRQ_SCANOUT_VBLANK}));
  m_display.enableVsync(true);
  EXPECT_EQ(m_device.takeWrites(), Writes{});
  m_display.enableVsync(false);
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR}}));
  EXPECT_FALSE(vblank()) << "nobody wants it";
}

TEST_F(DisplayTest, EachVblankTellsTheAddressThatIsShown) {
  show();
  m_display.enableVsync(true);
  EXPECT_TRUE(vblank());
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kOtherFrame), STATUS_SUCCESS); });
  EXPECT_TRUE(vblank());
  EXPECT_TRUE(vblank());
  EXPECT_EQ(m_kernel.take(), (Told{"vsync 1F1000000", "dpc", "vsync 1F1400000", "dpc", "vsync 1F1400000", "dpc"}));
  m_display.setVisible(false);
  EXPECT_FALSE(vblank()) << "one that was on its way";
  EXPECT_EQ(m_kernel.take(), Told{});
}

// Page "DxgkDdiSetVidPnSourceAddress": a flip is done at the vertical sync after it.
TEST_F(DisplayTest, AVblankThatWaitsToBeReportedIsOfThePictureBeforeTheFlip) {
  show();
  m_display.enableVsync(true);
  EXPECT_TRUE(vblank());
  m_kernel.take();
  // The next vblank comes before the interrupt of the previous flip is taken; then another flip follows.
  m_device.setValue(AEROGPU_MMIO_REG_IRQ_STATUS, AEROGPU_IRQ_SCANOUT_VBLANK);
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kOtherFrame), STATUS_SUCCESS); });
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kFrame), STATUS_SUCCESS); });
  m_kernel.atDirql([&] { EXPECT_EQ(flipTo(kOtherFrame), STATUS_SUCCESS); });
  m_device.setValue(AEROGPU_MMIO_REG_IRQ_STATUS, 0);  // the routine acknowledges first
  EXPECT_TRUE(vblank());
  EXPECT_TRUE(vblank());
  EXPECT_EQ(m_kernel.take(), (Told{"vsync 1F1000000", "dpc", "vsync 1F1400000", "dpc"}));
}

TEST_F(DisplayTest, TheTimersVerticalSyncsKeepTheirRateWhateverATickLasts) {
  show();
  m_display.enableVsync(true);
  m_display.setVisible(false);
  m_kernel.clockTick = 15625000;  // Windows' usual tick
  size_t syncs = 0;
  for (int i = 0; i < 640; i++) {  // ten seconds
    m_kernel.pass(m_kernel.clockTick);
    syncs += m_kernel.take().size() / 2;
  }
  EXPECT_GE(syncs, 595u);
  EXPECT_LE(syncs, 605u);
}

TEST_F(DisplayTest, WhileNothingIsShownATimerGivesVerticalSyncs) {
  show();
  m_display.enableVsync(true);
  EXPECT_FALSE(m_kernel.timerIsSet()) << "the device has the clock";
  m_display.setVisible(false);
  // Timers count 100 ns: 166666 of them are the device's period.
  m_kernel.pass(16666600);
  EXPECT_EQ(m_kernel.take(), (Told{"vsync 1F1000000", "dpc"}));
  m_kernel.pass(3 * 16666600);
  EXPECT_EQ(m_kernel.take().size(), 6u);
  m_display.setVisible(true);
  m_kernel.pass(100000000);
  EXPECT_EQ(m_kernel.take(), Told{}) << "the device's again";
  EXPECT_FALSE(m_kernel.timerIsSet());
  // A new mode without an address: there is none to report.
  ASSERT_EQ(m_display.setMode({800, 600}, AEROGPU_FORMAT_B8G8R8X8_UNORM, 3200), STATUS_SUCCESS);
  m_kernel.pass(16666600);
  EXPECT_EQ(m_kernel.take(), (Told{"vsync 0", "dpc"}));
  m_display.enableVsync(false);
  m_kernel.pass(100000000);
  EXPECT_EQ(m_kernel.take(), Told{});
}

TEST_F(DisplayTest, NoVerticalSyncComesWithoutPowerOrAfterAStop) {
  show();
  m_display.enableVsync(true);
  m_display.setVisible(false);
  m_display.suspend();
  EXPECT_FALSE(m_kernel.timerIsSet());
  EXPECT_FALSE(vblank());
  m_display.restore();
  EXPECT_TRUE(m_kernel.timerIsSet());
  m_device.takeWrites();
  m_display.stop();
  EXPECT_FALSE(m_kernel.timerIsSet());
  EXPECT_EQ(m_device.takeWrites(), (Writes{{AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR}}));
  EXPECT_FALSE(vblank());
  EXPECT_EQ(m_kernel.take(), Told{});
}

TEST_F(DisplayTest, WithoutAnInterruptThereIsNothingToBeInStepWith) {
  m_kernel.interruptConnected = false;
  show();
  expectSwitchedOn(m_device.takeWrites(), kFrame);
}

TEST_F(DisplayTest, TicksAreCountedAndNeverGoBackThroughTheWrapOf32Bits) {
  m_device.setVblankSequence(0xFFFFFFFF);
  show();
  m_kernel.pass(kPeriod - 1);
  EXPECT_EQ(m_display.vblankSequence(), 0xFFFFFFFFu);
  m_kernel.pass(1);
  EXPECT_EQ(m_display.vblankSequence(), 0x100000000u);
  m_kernel.pass(5 * uint64_t{kPeriod});
  EXPECT_EQ(m_display.vblankSequence(), 0x100000005u);
  EXPECT_EQ(m_display.vblankPeriodNs(), kPeriod);
}

TEST_F(DisplayTest, ATickBetweenTwoReadsOfTheCounterGivesNoThirdValue) {
  // Whichever read the tick precedes, the answer is the old value or the new one.
  for (int at = 0; at < 8; at++) {
    m_device.setVblankSequence(0x1FFFFFFFF);
    int reads = 0;
    m_device.beforeRead = [&](uint32_t) {
      if (reads++ == at) m_device.setVblankSequence(0x200000000);
    };
    const uint64_t ticks = m_display.vblankSequence();
    EXPECT_TRUE(ticks == 0x1FFFFFFFF || ticks == 0x200000000) << at << ' ' << std::hex << ticks;
    m_device.beforeRead = nullptr;
  }
}

TEST_F(DisplayTest, ATickBetweenNumberAndTimeGivesBothOfOneBlank) {
  m_device.setVblankSequence(0);
  show();
  const uint64_t enabled = m_kernel.now();
  m_kernel.pass(3 * uint64_t{kPeriod});
  for (int at = 0; at < 16; at++) {
    int reads = 0;
    m_device.beforeRead = [&](uint32_t) {
      if (reads++ == at) m_kernel.pass(kPeriod);
    };
    const auto [ticks, ns] = m_display.lastVblank();
    m_device.beforeRead = nullptr;
    EXPECT_EQ(ns, enabled + ticks * kPeriod + m_device.clockOffset) << at << ": " << ticks;
  }
}

TEST_F(DisplayTest, AnotherReaderOfTheCounterDoesNotSpoilThisOne) {
  // Before each driver read in turn, another reader latches a newer HI half.
  for (int at = 0; at < 8; at++) {
    m_device.setVblankSequence(0x1FFFFFFFF);
    int reads = 0;
    m_device.beforeRead = [&](uint32_t) {
      if (reads++ != at) return;
      m_device.setVblankSequence(0x200000000);
      m_device.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
    };
    const uint64_t ticks = m_display.vblankSequence();
    EXPECT_TRUE(ticks == 0x1FFFFFFFF || ticks == 0x200000000) << at << ' ' << std::hex << ticks;
    m_device.beforeRead = nullptr;
  }
}

// The scan line. Expected lines are those of equal parts of the period; the borders are worked out by hand:
// 22 * 16666667 / 790 = 464135.03, 395 * 16666667 / 790 = 8333333.5,
// 789 * 16666667 / 790 = 16645569.95.

class ScanLine : public DisplayTest {
protected:
  ScanLine() {
    show();
    m_display.enableVsync(true);
    m_kernel.pass(12345);
    vblank();
    m_kernel.take();
  }
};

// EX-27
TEST_F(ScanLine, IsExactSinceTheLastInterrupt) {
  struct {
    uint64_t ns;
    int line;
  } const cases[] = {
      {0, -1},         {464135, -1},
      {464136, 0},     {485232, 0},
      {485233, 1},     {8333333, 372},
      {8333334, 373},  {16645569, 766},
      {16645570, 767}, {16666666, 767},
      {16666667, -1},  {17130802, -1},
      {17130803, 0},   {2 * 16666667 - 1, 767},
  };
  uint64_t passed = 0;
  for (const auto &[ns, line] : cases) {
    m_kernel.pass(ns - passed);
    passed = ns;
    EXPECT_EQ(scanLine(), line) << ns;
    EXPECT_EQ(scanLine(), lineAfter(ns)) << ns;
  }
  EXPECT_EQ(m_device.reads(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO), 0u) << "the interrupt says it all";
  EXPECT_EQ(m_counters.scanLineFromDevice, 0u);
}

TEST_F(ScanLine, StartsAnewAtEveryInterrupt) {
  m_kernel.pass(9000000);
  EXPECT_EQ(scanLine(), lineAfter(9000000));
  m_kernel.pass(kPeriod - 9000000 + 777);  // the interrupt is late
  vblank();
  EXPECT_EQ(scanLine(), -1);
  m_kernel.pass(464136);
  EXPECT_EQ(scanLine(), 0);
}

TEST_F(ScanLine, IsInBlankWithoutAMode) {
  m_kernel.pass(8333334);
  EXPECT_EQ(scanLine(), 373);
  ASSERT_EQ(m_display.setMode({}, 0, 0), STATUS_SUCCESS);
  EXPECT_EQ(scanLine(), -1);
}

TEST_F(DisplayTest, TheScanLineIsExactWhenTheCountersLowHalfWraps) {
  m_kernel.counterFrequency = 10000000;  // 100 ns a tick, as Windows 7 has it on many machines
  m_display.stop();
  m_kernel.counterStart = 0x1FFFFFFF0;
  ASSERT_EQ(m_display.start(), STATUS_SUCCESS);
  show();
  m_display.enableVsync(true);
  vblank();
  m_kernel.pass(464000);
  EXPECT_EQ(scanLine(), -1);
  m_kernel.pass(200);
  EXPECT_EQ(scanLine(), 0);
}

TEST_F(DisplayTest, WithoutTheInterruptTheLineFollowsTheDevicesClock) {
  show();
  const uint64_t shownAt = m_kernel.now();
  // A program that polls: after some periods the driver knows the raster to a 32nd of the period, and the largest error
  // is half of that.
  uint64_t passed = 0;
  int polls = 0, wrong = 0;
  for (int i = 0; i < 20000; i++) {
    m_kernel.pass(9973);
    passed = m_kernel.now() - shownAt;
    const int line = scanLine();
    if (passed < 4 * uint64_t{kPeriod}) continue;
    polls++;
    bool near = false;
    for (int64_t off = -int64_t{kPeriod} / 64; off <= kPeriod / 64 && !near; off += 5000)
      near = line == lineAfter(static_cast<uint64_t>(static_cast<int64_t>(passed) + off));
    near |= line == lineAfter(passed);
    wrong += !near;
  }
  EXPECT_GT(polls, 10000);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(m_counters.scanLineFromDevice, 0u);
  EXPECT_LT(m_counters.scanLineFromDevice, 300u) << "a reading leaves the guest; most lines need none";
}

}  // namespace
}  // namespace aero::test
