// SPDX-License-Identifier: MIT
// Tests objects that outlast the machine's sleep, and what must not keep them. docs/abi/recovery.md.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4, kTexture = 1;
constexpr uint64_t kKey = 0x123456789ABCDEF0;

void setKeepOf(AeroGpuDev& dev, uint32_t value, uint64_t key = kKey) {
  dev.setReg64(AEROGPU_EXT_REG_KEEP_KEY_LO, key);
  dev.setReg(AEROGPU_EXT_REG_KEEP, value);
}

class Sleep : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_KEEP_OBJECTS);
    start();
    CommandWriter w;
    packets::createShown(w, kTexture, kWidth, kHeight, 1);
    packets::setTarget(w, kTexture);
    packets::clearColor(w, {1, 0, 0});
    submit(w);
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  }

  void start() {
    dev.startRing();
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  }
  void submit(const CommandWriter& w) {
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
    dev.waitFence(dev.submit(w, {.table = AeroGpuDev::allocTable(entries)}));
  }
  uint32_t shown() { return dev.qemu.screendump().at(kWidth / 2, kHeight / 2); }

  uint32_t keep() { return dev.reg(AEROGPU_EXT_REG_KEEP); }
  void setKeep(uint32_t value, uint64_t key = kKey) { setKeepOf(dev, value, key); }
  uint32_t generation() { return dev.reg(AEROGPU_EXT_REG_GPU_GENERATION); }
  int64_t resources() { return dev.qemu.property("resources"); }

  void sleep() {
    suspend(dev);
    wakeUp(dev);
  }
  void reboot() {
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    dev.setNextFence(1);
  }
  void expectNothingLeft(uint32_t before) {
    EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
    EXPECT_EQ(generation(), before + 1);
    dev.waitUntil([&] { return resources() == 0; }, "the objects' end");
    start();
    CommandWriter w;
    packets::createShown(w, kTexture, kWidth, kHeight, 1);
    submit(w);
    EXPECT_EQ(dev.errorCount(), 0u) << "the handle is free; " << dev.qemu.output();
  }

  AeroGpuDev dev{std::string("renderer=") + GetParam()};
};

// KEEP-1, KEEP-2, KEEP-4, KEEP-7
TEST_P(Sleep, ObjectsAreThereAfterwards) {
  const uint32_t before = generation();
  const int64_t held = dev.qemu.property("host-memory");
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
  setKeep(AEROGPU_EXT_KEEP_WILL);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_WILL});
  sleep();
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_HELD});
  EXPECT_EQ(generation(), before);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_WIDTH), 0u) << "all else was reset";
  EXPECT_EQ(dev.completedFence(), 0u);
  EXPECT_LE(dev.qemu.property("host-memory"), held);
  EXPECT_EQ(resources(), 1);
  setKeep(AEROGPU_EXT_KEEP_CLAIM);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
  EXPECT_EQ(generation(), before);
  start();
  EXPECT_EQ(shown(), 0xFF0000u) << "the texture, with what it held, as soon as it is shown";
  CommandWriter w;
  packets::clearColor(w, {0, 1, 0});  // it is still bound
  packets::present(w);
  submit(w);
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  EXPECT_EQ(shown(), 0x00FF00u);
}

// KEEP-1
TEST_P(Sleep, TheDeviceSaysNo) {
  const uint32_t before = generation();
  setKeep(AEROGPU_EXT_KEEP_WILL, 0);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
  setKeep(AEROGPU_EXT_KEEP_WILL);
  setKeep(AEROGPU_EXT_KEEP_NO);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
  setKeep(AEROGPU_EXT_KEEP_CLAIM);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_KEEP_KEY_LO), 0u);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_KEEP_KEY_HI), 0u);
  sleep();
  expectNothingLeft(before);
}

// KEEP-3: the next driver does not know of them.
TEST_P(Sleep, WhoDoesNotClaimThemGetsNone) {
  const uint32_t before = generation();
  setKeep(AEROGPU_EXT_KEEP_WILL);
  sleep();
  dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(kPitch * kHeight, 0x55));
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  EXPECT_EQ(shown(), 0x555555u) << "no texture is shown";
  dev.startRing();
  expectNothingLeft(before);
}

// KEEP-3, KEEP-4
TEST_P(Sleep, AnotherKeyOrWordDropsThem) {
  const std::function<void()> words[] = {
      [&] { setKeep(AEROGPU_EXT_KEEP_CLAIM, kKey ^ 1); },
      [&] { setKeep(AEROGPU_EXT_KEEP_CLAIM, kKey ^ uint64_t{1} << 63); },
      [&] {
        dev.setReg(AEROGPU_EXT_REG_KEEP, AEROGPU_EXT_KEEP_CLAIM);
      },  // no key: the earlier one is forgotten
      [&] { setKeep(AEROGPU_EXT_KEEP_NO); },
      [&] { dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1); },
  };
  for (const auto& word : words) {
    const uint32_t before = generation();
    setKeep(AEROGPU_EXT_KEEP_WILL);
    sleep();
    EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_HELD});
    word();
    EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
    setKeep(AEROGPU_EXT_KEEP_CLAIM);
    expectNothingLeft(before);
  }
}

// KEEP-8
TEST_P(Sleep, ARebootKeepsNothing) {
  uint32_t before = generation();
  setKeep(AEROGPU_EXT_KEEP_WILL);
  reboot();
  setKeep(AEROGPU_EXT_KEEP_CLAIM);
  expectNothingLeft(before);
  // Also from sleep.
  before = generation();
  setKeep(AEROGPU_EXT_KEEP_WILL);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_WILL});
  suspend(dev);
  reboot();
  setKeep(AEROGPU_EXT_KEEP_CLAIM);
  EXPECT_EQ(generation(), before + 1);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO});
  EXPECT_EQ(resources(), 0);
}

// KEEP-8
TEST_P(Sleep, ItIsForOneReset) {
  uint32_t before = generation();
  setKeep(AEROGPU_EXT_KEEP_WILL);
  sleep();
  setKeep(AEROGPU_EXT_KEEP_CLAIM);
  EXPECT_EQ(generation(), before);
  sleep();
  setKeep(AEROGPU_EXT_KEEP_CLAIM);
  expectNothingLeft(before);
  before = generation();
  setKeep(AEROGPU_EXT_KEEP_WILL);
  sleep();
  reboot();  // before they are claimed
  setKeep(AEROGPU_EXT_KEEP_CLAIM);
  expectNothingLeft(before);
}

// KEEP-6, KEEP-1
TEST_P(Sleep, ALostGpuKeepsNothing) {
  const uint32_t before = generation();
  setKeep(AEROGPU_EXT_KEEP_WILL);
  dev.qemu.setProperty("x-gpu-fault", 1);
  CommandWriter w;
  packets::clearColor(w, {0, 0, 1});
  submit(w);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
  sleep();
  expectNothingLeft(before);
  dev.qemu.setProperty("x-gpu-fault", 1);
  submit(w);
  setKeep(AEROGPU_EXT_KEEP_WILL);
  EXPECT_EQ(keep(), uint32_t{AEROGPU_EXT_KEEP_NO}) << "a no";
}

INSTANTIATE_TEST_SUITE_P(BackEnds, Sleep, testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
