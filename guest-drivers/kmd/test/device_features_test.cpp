// SPDX-License-Identifier: MIT
// Tests which devices the driver accepts (REG-6).
#include "guest-drivers/kmd/device/device_features.h"

#include <gtest/gtest.h>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/kmd/device/capability_block.h"
#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/test/fake_device.h"

namespace aero::test {
namespace {

class DeviceFeatures : public testing::Test {
protected:
  DeviceFeatures() { m_registers.map(m_device.bar0()); }
  ~DeviceFeatures() override { m_block.free(); }
  NTSTATUS read() { return m_features.read(m_registers, m_block); }

  FakeKernel m_kernel;
  FakeDevice m_device{m_kernel};
  Registers m_registers;
  CapabilityBlock m_block;
  Features m_features;
};

TEST_F(DeviceFeatures, AreReadFromADeviceOfOurMajorVersion) {
  m_device.setValue(AEROGPU_MMIO_REG_FEATURES_HI, AEROGPU_EXT_FEATURE_HI_VGA);
  EXPECT_EQ(read(), STATUS_SUCCESS);
  EXPECT_EQ(m_features.abiVersion, 0x00010004u);
  EXPECT_EQ(m_features.low, 0x3Fu);
  EXPECT_EQ(m_features.high, uint32_t{AEROGPU_EXT_FEATURE_HI_VGA});
  for (const uint32_t minor : {0u, 3u, 5u, 0xFFFFu}) {
    m_device.setValue(AEROGPU_MMIO_REG_ABI_VERSION, 0x00010000 | minor);
    EXPECT_EQ(read(), STATUS_SUCCESS) << minor;
    EXPECT_EQ(m_features.abiVersion, 0x00010000 | minor);
  }
}

TEST_F(DeviceFeatures, SayHowMuchAProcessMayHave) {  // SPACE-4, SPACE-21
  constexpr uint32_t kSpaces = AEROGPU_EXT_FEATURE_HI_SPACES, kBoth = kSpaces | AEROGPU_EXT_FEATURE_HI_CHARGES;
  m_device.setValue(AEROGPU_EXT_REG_SPACE_MEMORY_MB, 4097);
  for (const uint32_t high : {0u, kSpaces, kBoth & ~kSpaces, kBoth}) {
    m_device.setValue(AEROGPU_MMIO_REG_FEATURES_HI, high);
    EXPECT_EQ(read(), STATUS_SUCCESS);
    EXPECT_EQ(m_features.charges(), high == kBoth) << std::hex << high;
    EXPECT_EQ(m_features.spaceBytes, high == kBoth ? uint64_t{4097} << 20 : 0) << std::hex << high;
  }
}

TEST_F(DeviceFeatures, OfAnotherMajorVersionAreRefused) {
  for (const uint32_t version : {0x00000004u, 0x00020000u, 0xFFFF0004u}) {
    m_device.setValue(AEROGPU_MMIO_REG_ABI_VERSION, version);
    EXPECT_EQ(read(), STATUS_REVISION_MISMATCH) << std::hex << version;
  }
}

TEST_F(DeviceFeatures, OfWhatIsNoSuchDeviceAreRefused) {
  m_device.setValue(AEROGPU_MMIO_REG_MAGIC, 0x55504742);
  EXPECT_EQ(read(), STATUS_NO_SUCH_DEVICE);
  m_device.gone = true;
  EXPECT_EQ(read(), STATUS_NO_SUCH_DEVICE) << "all ones: it has left the bus";
  m_registers.map(nullptr);
  EXPECT_EQ(read(), STATUS_NO_SUCH_DEVICE) << "not mapped";
}

TEST_F(DeviceFeatures, ThatTheDriverCannotDoWithoutAreDemanded) {
  for (const uint32_t missing : {AEROGPU_FEATURE_FENCE_PAGE, AEROGPU_FEATURE_SCANOUT, AEROGPU_FEATURE_VBLANK}) {
    m_device.setValue(AEROGPU_MMIO_REG_FEATURES_LO, 0x3F & ~missing);
    EXPECT_EQ(read(), STATUS_NOT_SUPPORTED) << missing;
  }
  m_device.setValue(AEROGPU_MMIO_REG_FEATURES_LO,
                    AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK);
  EXPECT_EQ(read(), STATUS_SUCCESS) << "the pointer, for one, Windows draws itself";
}

}  // namespace
}  // namespace aero::test
