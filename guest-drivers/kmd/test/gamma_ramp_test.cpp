// SPDX-License-Identifier: MIT
// Tests which registers a gamma ramp becomes (docs/abi/present.md SCAN-11, SCAN-12).
#include "guest-drivers/kmd/display/gamma_ramp.h"

#include <gtest/gtest.h>

#include <vector>

#include "aerogpu/aerogpu_gamma.h"
#include "guest-drivers/kmd/device/device_features.h"
#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/test/fake_device.h"

namespace aero::test {
namespace {

using Writes = std::vector<RegisterWrite>;

class GammaRampTest : public testing::Test {
protected:
  GammaRampTest() {
    m_registers.map(m_device.bar0());
    m_features.high = AEROGPU_EXT_FEATURE_HI_GAMMA;
    for (UINT i = 0; i < 256; i++) {
      m_linear.Red[i] = m_linear.Green[i] = m_linear.Blue[i] = static_cast<USHORT>(i * 257);
      m_dark.Red[i] = static_cast<USHORT>(i * 100);
      m_dark.Green[i] = static_cast<USHORT>(i * 50);
      m_dark.Blue[i] = static_cast<USHORT>(i * 25);
    }
  }
  static D3DKMDT_GAMMA_RAMP holding(D3DDDI_GAMMA_RAMP_RGB256x3x16 &ramp) {
    D3DKMDT_GAMMA_RAMP out = {};
    out.Type = D3DDDI_GAMMARAMP_RGB256x3x16;
    out.DataSize = sizeof ramp;
    out.Data.pRgb256x3x16 = &ramp;
    return out;
  }
  static D3DKMDT_GAMMA_RAMP standard() {
    D3DKMDT_GAMMA_RAMP out = {};
    out.Type = D3DDDI_GAMMARAMP_DEFAULT;
    return out;
  }
  static Writes switchedOff() { return {{AEROGPU_EXT_REG_GAMMA_ENABLE, 0}}; }
  /** Returns the registers of a ramp: its words, then the one that takes them. */
  static Writes written(const D3DDDI_GAMMA_RAMP_RGB256x3x16 &ramp) {
    Writes out;
    uint32_t offset = AEROGPU_EXT_REG_GAMMA_RAMP;
    for (const USHORT *color : {ramp.Red, ramp.Green, ramp.Blue})
      for (UINT i = 0; i < 256; i += 2, offset += 4)
        out.push_back({offset, color[i] | static_cast<uint32_t>(color[i + 1]) << 16});
    out.push_back({AEROGPU_EXT_REG_GAMMA_ENABLE, 1});
    return out;
  }

  FakeKernel m_kernel;
  FakeDevice m_device{m_kernel};
  Registers m_registers;
  Features m_features;
  GammaRamp m_gamma{m_registers, m_features};
  D3DDDI_GAMMA_RAMP_RGB256x3x16 m_linear = {}, m_dark = {};
};

TEST_F(GammaRampTest, IsWrittenAndThenTaken) {
  m_gamma.start();
  EXPECT_EQ(m_device.takeWrites(), switchedOff()) << "a ramp that another driver left";
  m_gamma.set(holding(m_dark));
  EXPECT_EQ(m_device.takeWrites(), written(m_dark));
  m_gamma.set(holding(m_linear));
  EXPECT_EQ(m_device.takeWrites(), switchedOff());
  m_gamma.set(holding(m_linear));
  EXPECT_EQ(m_device.takeWrites(), Writes{});
  m_gamma.set(holding(m_dark));
  m_device.takeWrites();
  m_gamma.set(standard());
  EXPECT_EQ(m_device.takeWrites(), switchedOff());
}

TEST_F(GammaRampTest, ComesBackAfterALossOfTheRegisters) {
  m_gamma.start();
  m_device.takeWrites();
  m_gamma.restore();
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "there was none";
  m_gamma.set(holding(m_dark));
  m_device.takeWrites();
  m_gamma.restore();
  EXPECT_EQ(m_device.takeWrites(), written(m_dark));
  m_gamma.start();
  m_device.takeWrites();
  m_gamma.restore();
  EXPECT_EQ(m_device.takeWrites(), Writes{}) << "a new start forgets it";
}

TEST_F(GammaRampTest, IsNothingToADeviceWithoutRamps) {
  m_features.high = 0;
  EXPECT_FALSE(m_gamma.isThere());
  m_gamma.start();
  m_gamma.set(holding(m_dark));
  m_gamma.restore();
  EXPECT_EQ(m_device.takeWrites(), Writes{});
}

}  // namespace
}  // namespace aero::test
