// SPDX-License-Identifier: MIT
// Tests the registers that the display writes where the device has more than ABI 1.4: a screen that follows its
// texture, and a palette (docs/abi/present.md).
#include <algorithm>

#include "guest-drivers/kmd/test/display_fixture.h"

namespace aero::test {
namespace {

// PRES-11, EXT-2
TEST_F(DisplayTest, TheScreenFollowsWhatIsDrawnFromItsFirstPictureToTheDriversEnd) {
  m_features.high |= AEROGPU_EXT_FEATURE_HI_FOLLOW;
  show();
  const Writes writes = m_device.takeWrites();
  ASSERT_EQ(writes.size(), 8u);
  EXPECT_EQ(writes[6], (RegisterWrite{AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 1}));
  EXPECT_EQ(writes[7], (RegisterWrite{AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1}));
  ASSERT_EQ(flipTo(kOtherFrame), STATUS_SUCCESS);
  expectFlip(m_device.takeWrites(), kOtherFrame);
  // A sleep may have reset the device.
  m_display.suspend();
  m_device.takeWrites();
  m_display.restore();
  const Writes again = m_device.takeWrites();
  EXPECT_EQ(std::count(again.begin(), again.end(), RegisterWrite{AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 1}), 1);
  m_display.stop();
  const Writes last = m_device.takeWrites();
  EXPECT_EQ(std::count(last.begin(), last.end(), RegisterWrite{AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 0}), 1)
      << "for a driver that knows ABI 1.4 alone";
}

// PAL-1, PAL-2; pages "DxgkDdiSetPalette", "DXGKARG_SETPALETTE"
TEST_F(DisplayTest, APaletteIsWrittenWhenItIsSetAndWithEachMode) {
  constexpr uint32_t kLine = 1024;
  ASSERT_EQ(m_display.setMode(kMode, AEROGPU_EXT_SCANOUT_P8, kLine), STATUS_SUCCESS);
  Writes all;
  for (uint32_t i = 0; i < 256; i++) all.push_back({AEROGPU_EXT_REG_PALETTE + 4 * i, 0});
  EXPECT_EQ(m_device.takeWrites(), all) << "black, whatever a driver before has left";
  EXPECT_EQ(m_display.setMode(kMode, AEROGPU_EXT_SCANOUT_P8, kLine - 1), STATUS_INVALID_PARAMETER);
  const D3DKMDT_PALETTEDATA colors[] = {{0x12, 0x34, 0x56, 0xFF}, {0x78, 0x9A, 0xBC, 0}};
  ASSERT_EQ(m_display.setPalette(254, 2, colors), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(),
            (Writes{{AEROGPU_EXT_REG_PALETTE + 4 * 254, 0x123456}, {AEROGPU_EXT_REG_PALETTE + 4 * 255, 0x789ABC}}));
  EXPECT_EQ(m_display.setPalette(255, 2, colors), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(m_display.setPalette(257, 0, colors), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(m_display.setPalette(1, ~0u, colors), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(m_display.setPalette(0, 1, nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(m_display.setPalette(256, 0, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(m_device.takeWrites(), Writes{});
  // The primary's texture has the indices; a surface of colours is none for this mode's pitch.
  const Surface indices = {1024, 768, AEROGPU_FORMAT_D3D9_L8, kLine};
  ASSERT_EQ(flipTo(kFrame, &indices), STATUS_SUCCESS);
  m_display.setVisible(true);
  expectSwitchedOn(m_device.takeWrites(), kFrame, AEROGPU_EXT_SCANOUT_P8, kLine);
  // A sleep may have reset the device. What is set meanwhile is written afterwards.
  m_display.suspend();
  ASSERT_EQ(m_display.setPalette(0, 1, colors), STATUS_SUCCESS);
  const Writes asleep = m_device.takeWrites();
  EXPECT_EQ(std::count_if(asleep.begin(), asleep.end(),
                          [](const RegisterWrite &write) { return write.offset >= AEROGPU_EXT_REG_PALETTE; }),
            0);
  m_display.restore();
  all[0].value = 0x123456;
  all[254].value = 0x123456;
  all[255].value = 0x789ABC;
  const Writes awake = m_device.takeWrites();
  ASSERT_GE(awake.size(), all.size());
  EXPECT_EQ(Writes(awake.begin(), awake.begin() + 256), all);
}

}  // namespace
}  // namespace aero::test
