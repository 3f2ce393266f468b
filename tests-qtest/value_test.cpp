// SPDX-License-Identifier: MIT
// Tests EXT_WRITE_VALUE as a driver sees it: together with fences, vblanks and resets.
// docs/abi/extensions.md.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint64_t kWordGpa = 0x600000;

std::vector<uint8_t> wordTable() {
  const aerogpu_alloc_entry entries[] = {{1, 0, kWordGpa, 4096, 0}};
  return AeroGpuDev::allocTable(entries);
}

// VALUE-1, FENCE-1
TEST(Value, IsThereBeforeTheFence) {
  for (const char* options : {"renderer=null", "renderer=vulkan"}) {
    AeroGpuDev dev(options);
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_WRITE_VALUE);
    dev.startRing();
    for (uint64_t i = 1; i <= 20; ++i) {
      CommandWriter w;
      packets::createBuffer(w, static_cast<uint32_t>(i), 4096);
      packets::upload(w, static_cast<uint32_t>(i), 0, pattern(4096, 1));
      packets::writeValue(w, 1, 8, i << 40 | i);
      dev.waitFence(dev.submit(w, {.table = wordTable()}));
      EXPECT_EQ(dev.qemu.readq(kWordGpa + 8), i << 40 | i);
    }
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  }
}

// VALUE-1, VALUE-6, PRES-5
TEST(Value, DoesNotWaitForTheVblankThatItsFenceWaitsFor) {
  AeroGpuDev dev;
  dev.startRing();
  dev.setScanout({});
  CommandWriter w;
  packets::writeValue(w, 1, 0, 1);
  packets::present(w, AEROGPU_PRESENT_FLAG_VSYNC);
  packets::writeValue(w, 1, 8, 2);
  const uint64_t fence = dev.submit(w, {.table = wordTable()});
  dev.waitUntil([&] { return dev.qemu.readq(kWordGpa + 8) == 2; }, "the second value");
  EXPECT_EQ(dev.qemu.readq(kWordGpa), 1u);
  EXPECT_LT(dev.completedFence(), fence) << "no vblank has come";
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  dev.qemu.clockStep(1'000'000'000);
  EXPECT_LT(dev.completedFence(), fence) << "it was dropped, its work was not";
}

// VALUE-2, PCI-3: a word among the registers, at an address without memory, and in BAR1.
TEST(Value, IsWrittenToMemoryAlone) {
  AeroGpuDev dev;
  dev.startRing();
  uint32_t errors = 0;
  for (const uint64_t gpa : {uint64_t{AeroGpuDev::kBar0}, uint64_t{64} << 20, uint64_t{0xF0000}}) {
    const aerogpu_alloc_entry entries[] = {{1, 0, gpa, 4096, 0}};
    CommandWriter w;
    packets::writeValue(w, 1, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 0x1234);
    dev.waitFence(dev.submit(w, {.table = AeroGpuDev::allocTable(entries)}));
    EXPECT_EQ(dev.errorCount(), ++errors) << gpa;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_OOB}) << gpa;
  }
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT), 0u);
  const aerogpu_alloc_entry entries[] = {{1, 0, AeroGpuDev::kBar1 + 0x100000, 4096, 0}};
  CommandWriter w;
  packets::writeValue(w, 1, 16, 0x1234);
  dev.waitFence(dev.submit(w, {.table = AeroGpuDev::allocTable(entries)}));
  EXPECT_EQ(dev.errorCount(), errors);
  EXPECT_EQ(dev.qemu.readq(AeroGpuDev::kBar1 + 0x100010), 0x1234u);
}

}  // namespace
