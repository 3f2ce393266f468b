// SPDX-License-Identifier: MIT
// Tests resets while the GPU is busy with a long submission, as a driver's watchdog does them.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr uint64_t kWatchdogNs = 2'000'000'000;  // TdrDelay's default: 2 seconds

/// Returns a stream: target 1, cleared and shown; `draws` draws of 2^20 vertices into it.
CommandWriter job(uint32_t draws) {
  CommandWriter w;
  packets::createShown(w, 1, kWidth, kHeight, 1);
  packets::setTarget(w, 1);
  packets::clearColor(w, {0, 1, 0});
  usePlainPipeline(w, 2);
  for (uint32_t i = 0; i < draws; ++i) packets::draw(w, 1u << 20);
  packets::present(w);
  return w;
}

void resetsALongJob(bool deviceReset) {
  AeroGpuDev dev("renderer=vulkan");
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  constexpr uint32_t kDraws = 1023;  // under the limit of 2^30 vertices
  dev.startRing();
  const uint64_t fence = dev.submit(job(kDraws), {.table = table});
  dev.waitUntil([&] { return dev.qemu.property("draws") >= 4; }, "the job never began");
  dev.qemu.clockStep(kWatchdogNs);
  ASSERT_LT(dev.completedFence(), fence) << "the job is too short for this test";
  if (deviceReset) {
    dev.qemu.qmp("system_reset");
    dev.setUpPci();
    dev.startRing();
  } else {
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
    EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail);
  }
  EXPECT_LT(dev.qemu.property("draws"), kDraws / 2) << "it was not interrupted between its packets";
  // The device continues. After a ring reset the objects are still there, after a device reset they are not.
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  if (!deviceReset) {
    CommandWriter drop;
    for (const uint32_t handle : {1, 2}) packets::destroyResource(drop, handle);
    for (const uint32_t handle : {3, 4}) packets::destroyShader(drop, handle);
    packets::destroyInputLayout(drop, 5);
    dev.waitFence(dev.submit(drop, {.table = table}));
  }
  dev.waitFence(dev.submit(job(1), {.table = table}));
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0x00FF00u);
}

// RING-7
TEST(Reset, ARingResetInterruptsALongSubmission) {
  resetsALongJob(false);
}
TEST(Reset, ADeviceResetInterruptsALongSubmission) {
  resetsALongJob(true);
}

}  // namespace
