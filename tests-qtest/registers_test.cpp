// SPDX-License-Identifier: MIT
// Identity, BARs and every register's access rule. docs/abi/pci.md.
#include <gtest/gtest.h>

#include <cstring>

#include "aerogpu/aerogpu_ring_extension.h"
#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;

enum class Access { ReadOnly, ReadWrite, WriteOnly };
struct Register {
  const char* name;
  uint32_t offset;
  Access access;
  uint32_t sample;  ///< a value that a read-write register keeps
  uint32_t reset;   ///< value after a device reset
};
#define REG(NAME, ACCESS, SAMPLE, ...) \
  { #NAME, AEROGPU_MMIO_REG_##NAME, Access::ACCESS, SAMPLE __VA_OPT__(, ) __VA_ARGS__ }
constexpr uint32_t kFeatures = AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT |
                               AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO;
constexpr uint32_t kExtensions =
    AEROGPU_EXT_FEATURE_HI_EDID | AEROGPU_EXT_FEATURE_HI_SCATTER | AEROGPU_EXT_FEATURE_HI_VGA |
    AEROGPU_EXT_FEATURE_HI_RESET_CONTEXT | AEROGPU_EXT_FEATURE_HI_POLICY |
    AEROGPU_EXT_FEATURE_HI_WRITE_VALUE | AEROGPU_EXT_FEATURE_HI_ATTACH_BACKING |
    AEROGPU_EXT_FEATURE_HI_GPU_LOSS | AEROGPU_EXT_FEATURE_HI_KEEP_OBJECTS | AEROGPU_EXT_FEATURE_HI_CAPS |
    AEROGPU_EXT_FEATURE_HI_SPACES | AEROGPU_EXT_FEATURE_HI_BLIT | AEROGPU_EXT_FEATURE_HI_QUERIES |
    AEROGPU_EXT_FEATURE_HI_TIMESTAMP | AEROGPU_EXT_FEATURE_HI_UPDATES | AEROGPU_EXT_FEATURE_HI_DRAW_INLINE |
    AEROGPU_EXT_FEATURE_HI_PRESENT_RECTS | AEROGPU_EXT_FEATURE_HI_FORMATS |
    AEROGPU_EXT_FEATURE_HI_CREATE_TEXTURE | AEROGPU_EXT_FEATURE_HI_STATES | AEROGPU_EXT_FEATURE_HI_AGAIN |
    AEROGPU_EXT_FEATURE_HI_CHARGES | AEROGPU_EXT_FEATURE_HI_MEMORY | AEROGPU_EXT_FEATURE_HI_PROCESSES |
    AEROGPU_EXT_FEATURE_HI_RING_BUSY | AEROGPU_EXT_FEATURE_HI_ERROR_RECORDS | AEROGPU_EXT_FEATURE_HI_FOLLOW |
    AEROGPU_EXT_FEATURE_HI_PALETTE | AEROGPU_EXT_FEATURE_HI_GAMMA | AEROGPU_EXT_FEATURE_HI_D3D10_SHADERS |
    AEROGPU_EXT_FEATURE_HI_D3D10;
constexpr Register kRegisters[] = {
    REG(MAGIC, ReadOnly, 0, AEROGPU_MMIO_MAGIC),
    REG(ABI_VERSION, ReadOnly, 0, AEROGPU_ABI_VERSION_U32),
    REG(FEATURES_LO, ReadOnly, 0, kFeatures),
    REG(FEATURES_HI, ReadOnly, 0, kExtensions),
    REG(RING_GPA_LO, ReadWrite, 0x12345000),
    REG(RING_GPA_HI, ReadWrite, 1),
    REG(RING_SIZE_BYTES, ReadWrite, 4096),
    REG(FENCE_GPA_LO, ReadWrite, 0x200000),
    REG(FENCE_GPA_HI, ReadWrite, 0),
    REG(COMPLETED_FENCE_LO, ReadOnly, 0),
    REG(COMPLETED_FENCE_HI, ReadOnly, 0),
    REG(DOORBELL, WriteOnly, 1),
    REG(IRQ_STATUS, ReadOnly, 0),
    REG(IRQ_ENABLE, ReadWrite, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR),
    REG(IRQ_ACK, WriteOnly, 3),
    REG(ERROR_CODE, ReadOnly, 0),
    REG(ERROR_FENCE_LO, ReadOnly, 0),
    REG(ERROR_FENCE_HI, ReadOnly, 0),
    REG(ERROR_COUNT, ReadOnly, 0),
    REG(SCANOUT0_WIDTH, ReadWrite, 640),
    REG(SCANOUT0_HEIGHT, ReadWrite, 480),
    REG(SCANOUT0_FORMAT, ReadWrite, AEROGPU_FORMAT_B8G8R8X8_UNORM),
    REG(SCANOUT0_PITCH_BYTES, ReadWrite, 2560),
    REG(SCANOUT0_FB_GPA_LO, ReadWrite, 0x400000),
    REG(SCANOUT0_FB_GPA_HI, ReadWrite, 0),
    REG(SCANOUT0_VBLANK_SEQ_LO, ReadOnly, 0),
    REG(SCANOUT0_VBLANK_SEQ_HI, ReadOnly, 0),
    REG(SCANOUT0_VBLANK_TIME_NS_LO, ReadOnly, 0),
    REG(SCANOUT0_VBLANK_TIME_NS_HI, ReadOnly, 0),
    REG(SCANOUT0_VBLANK_PERIOD_NS, ReadOnly, 0, 16'666'667),
    REG(CURSOR_ENABLE, ReadWrite, 0),
    REG(CURSOR_X, ReadWrite, 0xFFFFFFF0),
    REG(CURSOR_Y, ReadWrite, 20),
    REG(CURSOR_HOT_X, ReadWrite, 3),
    REG(CURSOR_HOT_Y, ReadWrite, 4),
    REG(CURSOR_WIDTH, ReadWrite, 32),
    REG(CURSOR_HEIGHT, ReadWrite, 32),
    REG(CURSOR_FORMAT, ReadWrite, AEROGPU_FORMAT_B8G8R8A8_UNORM),
    REG(CURSOR_FB_GPA_LO, ReadWrite, 0x500000),
    REG(CURSOR_FB_GPA_HI, ReadWrite, 0),
    REG(CURSOR_PITCH_BYTES, ReadWrite, 128),
};

// PCI-1
TEST(Pci, IdentityAndBars) {
  AeroGpuDev dev;
  EXPECT_EQ(dev.config(0x00), uint32_t{AEROGPU_PCI_DEVICE_ID} << 16 | AEROGPU_PCI_VENDOR_ID);
  EXPECT_EQ(dev.config(0x08) >> 8, 0x030000u);
  EXPECT_EQ(dev.config(0x2C), uint32_t{AEROGPU_PCI_SUBSYSTEM_ID} << 16 | AEROGPU_PCI_SUBSYSTEM_VENDOR_ID);
  EXPECT_NE(dev.config(0x3C) >> 8 & 0xFF, 0u) << "an interrupt pin";
  for (const auto& [bar, size, prefetch] : {std::tuple{0x10u, uint32_t{AEROGPU_PCI_BAR0_SIZE_BYTES}, false},
                                            std::tuple{0x14u, uint32_t{AEROGPU_PCI_BAR1_SIZE_BYTES}, true}}) {
    dev.setConfig(bar, 0xFFFFFFFF);
    const uint32_t value = dev.config(bar);
    EXPECT_EQ(~(value & ~0xFu) + 1, size);
    EXPECT_EQ(value & 1, 0u) << "memory";
    EXPECT_EQ(value >> 1 & 3, 0u) << "32-bit";
    EXPECT_EQ(value >> 3 & 1, prefetch ? 1u : 0u);
  }
}

// REG-4, EXT-1
TEST(Registers, IdentityValues) {
  AeroGpuDev dev;
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ABI_VERSION), uint32_t{AEROGPU_ABI_VERSION_U32});
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_FEATURES_LO), kFeatures);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI), kExtensions);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS), 16'666'667u) << "60 Hz by default";
}

/// A bit is announced if device and renderer both implement their part, with any back end.
TEST(Registers, FeaturesAreThoseOfDeviceAndBackEnd) {
  for (const char* backend : {"null", "vulkan"}) {
    AeroGpuDev dev(std::string("renderer=") + backend);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_FEATURES_LO), kFeatures) << backend;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI), kExtensions) << backend;
  }
}

// REG-2, REG-5
TEST(Registers, EachKeepsItsAccessRule) {
  AeroGpuDev dev;
  for (const Register& r : kRegisters) {
    const uint32_t before = dev.reg(r.offset);
    switch (r.access) {
      case Access::ReadOnly:
        dev.setReg(r.offset, ~before);
        EXPECT_EQ(dev.reg(r.offset), before) << r.name;
        break;
      case Access::ReadWrite:
        dev.setReg(r.offset, r.sample);
        EXPECT_EQ(dev.reg(r.offset), r.sample) << r.name;
        break;
      case Access::WriteOnly:
        dev.setReg(r.offset, r.sample);
        EXPECT_EQ(dev.reg(r.offset), 0u) << r.name;
        break;
    }
  }
}

/// Registers have their reset values after start and after a reset, with everything that can change changed
/// in between.
// REG-4
TEST(Registers, ResetValues) {
  AeroGpuDev dev;
  const auto expectReset = [&](const char* when) {
    for (const Register& r : kRegisters) EXPECT_EQ(dev.reg(r.offset), r.reset) << r.name << " " << when;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_RING_CONTROL), 0u) << when;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 0u) << when;
  };
  expectReset("at start");
  dev.startRing();
  dev.setScanout({});
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR | AEROGPU_IRQ_SCANOUT_VBLANK);
  dev.setNextFence(0x7'0000'0003);
  aerogpu::CommandWriter bad;
  bad.packet(aerogpu_cmd_destroy_resource{});
  dev.waitFence(dev.submit(bad));
  dev.qemu.clockStep(10'000'000'000);
  constexpr uint32_t kDeviceWrites[] = {AEROGPU_MMIO_REG_COMPLETED_FENCE_LO,
                                        AEROGPU_MMIO_REG_COMPLETED_FENCE_HI,
                                        AEROGPU_MMIO_REG_IRQ_STATUS,
                                        AEROGPU_MMIO_REG_ERROR_CODE,
                                        AEROGPU_MMIO_REG_ERROR_FENCE_LO,
                                        AEROGPU_MMIO_REG_ERROR_FENCE_HI,
                                        AEROGPU_MMIO_REG_ERROR_COUNT,
                                        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO,
                                        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO,
                                        AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI};
  for (const uint32_t offset : kDeviceWrites) EXPECT_NE(dev.reg(offset), 0u) << offset;
  for (const Register& r : kRegisters)
    if (r.access == Access::ReadWrite) dev.setReg(r.offset, r.sample);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  expectReset("after a reset");
}

// REG-2
TEST(Registers, UnknownOnesReadZero) {
  AeroGpuDev dev;
  for (const uint32_t offset : {0x10u, 0x1FCu, 0x204u, 0x44Cu, 0x52Cu, 0x7FFCu, 0xFFFCu}) {
    dev.setReg(offset, 0xFFFFFFFF);
    EXPECT_EQ(dev.reg(offset), 0u) << offset;
  }
}

// REG-1
TEST(Registers, AccessesThatAreNoAlignedWordsDoNoHarm) {
  AeroGpuDev dev;
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 640);
  const uint64_t width = AeroGpuDev::kBar0 + AEROGPU_MMIO_REG_SCANOUT0_WIDTH;
  dev.qemu.writeb(width, 0xFF);
  dev.qemu.writew(width, 0xFFFF);
  dev.qemu.writel(width + 2, 0xFFFFFFFF);
  dev.qemu.writew(width + 1, 0xFFFF);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_WIDTH), 640u);
  for (uint32_t offset = 0; offset < 0x600; offset += 3) {
    dev.qemu.readb(AeroGpuDev::kBar0 + offset);
    dev.qemu.readw(AeroGpuDev::kBar0 + offset);
    dev.qemu.readq(AeroGpuDev::kBar0 + offset);
  }
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
}

// EXT-3, EXT-4
TEST(Edid, SaysThePreferredModeOfTheProperties) {
  AeroGpuDev dev("renderer=null,xres=1600,yres=900");
  ASSERT_EQ(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & 1, 1u);
  const auto edid = dev.qemu.read(AeroGpuDev::kBar0 + 0x8000, 128);
  const std::vector<uint8_t> header = {0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0};  // VESA E-EDID 3.3
  EXPECT_TRUE(std::equal(header.begin(), header.end(), edid.begin()));
  uint8_t sum = 0;
  for (const uint8_t byte : edid) sum = static_cast<uint8_t>(sum + byte);
  EXPECT_EQ(sum, 0);
  // First detailed timing descriptor at byte 54 (VESA E-EDID 3.10.2).
  EXPECT_EQ(edid[56] | (edid[58] & 0xF0u) << 4, 1600u);
  EXPECT_EQ(edid[59] | (edid[61] & 0xF0u) << 4, 900u);
}

// EXT-3, EXT-4
TEST(Edid, IsReadInPiecesAndIsZeroPastItsEnd) {
  AeroGpuDev dev("renderer=null");
  const uint64_t base = AeroGpuDev::kBar0 + 0x8000;
  const uint32_t size = dev.qemu.readl(AeroGpuDev::kBar0 + 0x8400);
  ASSERT_GT(size, 0u);
  ASSERT_EQ(size % 128, 0u);
  ASSERT_LT(size, uint32_t{AEROGPU_EXT_REG_EDID_BYTES});
  const uint32_t word = dev.qemu.readl(base + 8);  // the maker and the product, never all zero
  ASSERT_NE(word, 0u);
  EXPECT_EQ(dev.qemu.readw(base + 8) | uint32_t{dev.qemu.readw(base + 10)} << 16, word);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(dev.qemu.readb(base + 8 + i), word >> 8 * i & 0xFF) << i;
  for (uint32_t offset = size; offset < AEROGPU_EXT_REG_EDID_BYTES; offset += 4)
    ASSERT_EQ(dev.qemu.readl(base + offset), 0u) << offset;
  EXPECT_EQ(dev.qemu.readb(base + size), 0u);
  EXPECT_EQ(dev.qemu.readw(base + size), 0u);
}

// QUERY-12
TEST(Timestamp, IsTheClockOfTheVblankAndLatchesItsUpperHalf) {
  AeroGpuDev dev("renderer=null,refresh_rate=60");
  ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_TIMESTAMP);
  const auto now = [&] { return dev.reg64(AEROGPU_EXT_REG_TIMESTAMP_LO); };
  const auto step = [&](uint64_t ns) { dev.qemu.clockStep(static_cast<int64_t>(ns)); };
  const uint64_t begin = now();
  EXPECT_EQ(now(), begin) << "the clock stands";
  step(1'000'000);
  EXPECT_EQ(now(), begin + 1'000'000);
  dev.setScanout({});
  const uint64_t enabled = now(), period = dev.reg(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
  step(period + 1000);
  EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO), enabled + period);
  EXPECT_EQ(now(), enabled + period + 1000);
  // Across 2^32 ns between the reads of the two halves.
  constexpr uint64_t kWrap = uint64_t{1} << 32;
  step(kWrap - 1 - now());
  const uint32_t low = dev.reg(AEROGPU_EXT_REG_TIMESTAMP_LO);
  step(1);
  EXPECT_EQ(low, 0xFFFFFFFFu);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_TIMESTAMP_HI), 0u);
  EXPECT_EQ(now(), kWrap);
  dev.setReg(AEROGPU_EXT_REG_TIMESTAMP_LO, 77);
  EXPECT_EQ(now(), kWrap);
}

// CAPS-1, CAPS-2, CAPS-3
TEST(Capabilities, AreReadInPiecesAndSayWhichGpuItIs) {
  for (const char* backend : {"null", "vulkan"}) {
    AeroGpuDev dev(std::string("renderer=") + backend + ",max_hostmem=123M");
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_CAPS);
    const uint64_t base = AeroGpuDev::kBar0 + AEROGPU_EXT_REG_CAPS;
    const uint32_t size = dev.reg(AEROGPU_EXT_REG_CAPS_SIZE);
    ASSERT_GE(size, sizeof(aerogpu_caps));
    ASSERT_LE(size, uint32_t{AEROGPU_EXT_REG_CAPS_BYTES});
    std::vector<uint8_t> block;
    for (uint32_t i = 0; i < size; ++i) block.push_back(dev.qemu.readb(base + i));
    aerogpu_caps caps;
    std::memcpy(&caps, block.data(), sizeof caps);
    EXPECT_EQ(caps.magic, 0x53504143u);
    EXPECT_EQ(caps.version, AEROGPU_CAPS_VERSION);
    EXPECT_EQ(caps.size_bytes, size);
    EXPECT_EQ(caps.struct_bytes, sizeof caps);
    EXPECT_EQ(caps.max_host_bytes, uint64_t{123} << 20);
    ASSERT_GE(caps.device_name_offset, caps.struct_bytes);
    ASSERT_LT(caps.device_name_offset, caps.driver_name_offset);
    ASSERT_LT(caps.driver_name_offset, size);
    ASSERT_EQ(block.back(), 0);
    EXPECT_EQ(reinterpret_cast<const char*>(block.data() + caps.device_name_offset),
              dev.qemu.stringProperty("gpu"));
    EXPECT_EQ(block[caps.driver_name_offset] != 0, std::string(backend) == "vulkan");
    EXPECT_EQ(dev.qemu.readl(base + 4), AEROGPU_CAPS_VERSION);
    EXPECT_EQ(dev.qemu.readw(base), 0x4143u);
    for (uint32_t i = size; i < size + 64; ++i) EXPECT_EQ(dev.qemu.readb(base + i), 0u);
    EXPECT_EQ(dev.qemu.readl(base + AEROGPU_EXT_REG_CAPS_BYTES - 4), 0u);
    dev.qemu.writel(base, 0);
    EXPECT_EQ(dev.qemu.readl(base), 0x53504143u);
  }
}

// POLICY-1
TEST(Policy, SaysWhatThePropertySays) {
  const std::pair<const char*, uint32_t> cases[] = {
      {"", 0}, {",escapes=on", 0}, {",escapes=off", AEROGPU_EXT_POLICY_ESCAPES_OFF}};
  for (const auto& [option, policy] : cases) {
    AeroGpuDev dev(std::string("renderer=null") + option);
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_POLICY);
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_POLICY), policy) << option;
    dev.setReg(AEROGPU_EXT_REG_POLICY, ~policy);
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_POLICY), policy) << option;
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_POLICY), policy) << option;
  }
}

}  // namespace
