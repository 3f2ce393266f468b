// SPDX-License-Identifier: MIT
// Test support: a device of the driver whose packets a renderer runs, on a Vulkan driver, for each interface version.
#pragma once

#include "guest-drivers/umd-common/linux/linux_heap.h"
#include "guest-drivers/umd-d3d10/test/program.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aero::test {

class Umd10Pixels : public aerogpu::test::GpuTest, public ::testing::WithParamInterface<UINT> {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    kernel = std::make_unique<FakeKernel>(s_gpu);
    kernel->nextRange = s_nextRange;
    kernel->nextContext = 100 + s_nextRange / 0x10000 % 0x1000;
    kernel->nextToken = s_nextRange;
    kernel->giveBlock(*s_gpu);
    rt = std::make_unique<FakeRuntime>(*kernel, GetParam());
    rt->open();
    ASSERT_NE(rt->device.pDrvPrivate, nullptr);
    p = std::make_unique<Program>(*rt);
  }
  void TearDown() override {
    p.reset();
    rt->close();
    EXPECT_TRUE(kernel->allocations.empty()) << kernel->allocations.size() << " allocations are left";
    EXPECT_EQ(heapBlocks(), 0u);
    EXPECT_EQ(rt->gpuErrors, 0u);
    s_nextRange = kernel->nextRange;
    GpuTest::TearDown();
  }

  std::unique_ptr<FakeKernel> kernel;
  std::unique_ptr<FakeRuntime> rt;
  std::unique_ptr<Program> p;
  static inline uint32_t s_nextRange = 0xE0000000u;
};

inline std::vector<uint8_t> pattern(size_t bytes, uint32_t seed = 1) {
  std::vector<uint8_t> out(bytes);
  for (size_t i = 0; i < bytes; i++) out[i] = static_cast<uint8_t>((i + seed) * 2654435761u >> 13);
  return out;
}

}  // namespace aero::test
