// SPDX-License-Identifier: MIT
// Test support: a device of the driver on the tests' runtime and kernel, without a GPU, for each interface version.
#pragma once

#include "guest-drivers/umd-common/linux/linux_heap.h"
#include "guest-drivers/umd-common/linux/linux_log.h"
#include "guest-drivers/umd-d3d10/test/program.h"

namespace aero::test {

inline constexpr UINT kInterfaces[] = {D3D10_0_DDI_INTERFACE_VERSION, D3D10_0_x_DDI_INTERFACE_VERSION,
                                       D3D10_1_DDI_INTERFACE_VERSION, D3D10_1_x_DDI_INTERFACE_VERSION,
                                       D3D11_0_DDI_INTERFACE_VERSION};

class Umd10 : public ::testing::TestWithParam<UINT> {
protected:
  Umd10() {
    static aerogpu::test::Harness s_harness;
    kernel.giveBlock(s_harness);
  }
  void start() {
    rt.open();
    ASSERT_NE(rt.device.pDrvPrivate, nullptr);
  }
  void TearDown() override {
    failHeapAfter(-1);
    rt.errors.clear();
    if (rt.device.pDrvPrivate) rt.close();
    EXPECT_TRUE(kernel.allocations.empty()) << kernel.allocations.size() << " allocations are left";
    EXPECT_EQ(heapBlocks(), 0u);
  }

  FakeKernel kernel;
  FakeRuntime rt{kernel, GetParam()};
};

}  // namespace aero::test
