// SPDX-License-Identifier: MIT
// A guest's shader that loops for ever, seen from QEMU: while the GPU is at it the monitor answers, a reset
// gives the device back, and QEMU ends.
#include <gtest/gtest.h>

#include "renderer/test/dxbc_builder.h"
#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using namespace aerogpu::test::dxbc;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kLoop = 0x30, kEndLoop = 0x16, kIadd = 0x1E;  // d3d10TokenizedProgramFormat.hpp
/// llvmpipe ends an invocation's loops after 65535 rounds: so many of them take it minutes.
constexpr uint32_t kGroups = 65535;

Tokens endlessCompute() {
  Tokens t;
  op(t, 0x9D, {handle(kUav, 0)});  // dcl_uav_raw
  op(t, 0x68, {{1}});              // dcl_temps
  op(t, 0x9B, {{4, 1, 1}});        // dcl_thread_group
  op(t, kMov, {dst(kTemp, 0, 1), immediate(0)});
  op(t, kLoop, {});
  op(t, kIadd, {dst(kTemp, 0, 1), scalar(kTemp, 0, 0), immediate(1)});
  op(t, kEndLoop, {});
  op(t, 0xA6, {dst(kUav, 0, 1), immediate(0), scalar(kTemp, 0, 0)});  // store_raw
  op(t, kRet, {});
  return container(kCs50, t, {}, {});
}

class Endless : public testing::Test {
protected:
  AeroGpuDev dev{"renderer=vulkan"};

  uint64_t submit() {
    constexpr uint32_t kShader = 1, kBuffer = 2;
    CommandWriter w;
    packets::createShader(w, kShader, AEROGPU_SHADER_STAGE_COMPUTE, endlessCompute());
    packets::createBuffer(w, kBuffer, 64, AEROGPU_RESOURCE_USAGE_STORAGE);
    packets::dispatch(w, kShader, kBuffer, kGroups);
    return dev.submit(w);
  }
  /// Submits it and waits until the GPU has it; the monitor is asked meanwhile.
  void begin() {
    dev.startRing();
    const uint64_t fence = submit();
    dev.waitUntil([&] { return dev.qemu.property("dispatches") > 0; }, "the dispatch");
    EXPECT_NE(dev.qemu.qmp("query-status").find("running"), std::string::npos);
    EXPECT_LT(dev.completedFence(), fence);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(dev.qemu.property("resting"), 0) << "the GPU is at work";
    EXPECT_EQ(dev.errorCount(), 0u);
  }
};

// PCI-8
TEST_F(Endless, ResetGivesTheDeviceBack) {
  begin();
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  dev.startRing();
  dev.setNextFence(1);
  CommandWriter w;
  packets::createBuffer(w, 2, 64);
  packets::upload(w, 2, 0, pattern(64, 1));
  dev.waitFence(dev.submit(w));
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
}

TEST_F(Endless, QemuEndsMeanwhile) {
  begin();
  // Before QEMU ends it stops the VM, for which it waits two seconds.
  EXPECT_EQ(dev.qemu.quit(), 0) << dev.qemu.output();
}

}  // namespace
