// SPDX-License-Identifier: MIT
// Tests the numbers of device contexts: two live WDDM contexts never share one (docs/abi/driver-data.md: the kernel
// driver numbers them).
#include "guest-drivers/kmd/process/context.h"

#include <gtest/gtest.h>

#include <set>

#include "guest-drivers/kmd/test/fake_kernel.h"

namespace {

using namespace aero;
using test::FakeKernel;

class ContextIdsTest : public testing::Test {
protected:
  ContextIdsTest() { m_ids.start(); }
  FakeKernel m_kernel;
  ContextIds m_ids;
};

TEST_F(ContextIdsTest, AreDifferentAndLeaveRoomForTheDriversOwn) {
  std::set<uint32_t> taken;
  uint32_t id;
  while ((id = m_ids.take()) != 0) {
    EXPECT_TRUE(taken.insert(id).second) << id;
    EXPECT_NE(id, kInternalContext);
    EXPECT_NE(id, kAlternateContext);
  }
  // SUB-8: a device has 1024 contexts, two of which are the driver's.
  EXPECT_EQ(taken.size(), 1022u);
}

TEST_F(ContextIdsTest, ComeBackWhenTheirContextEnds) {
  const uint32_t first = m_ids.take(), second = m_ids.take();
  m_ids.give(first);
  std::set<uint32_t> taken = {second};
  for (uint32_t i = 0; i < 1021; i++) {
    const uint32_t id = m_ids.take();
    EXPECT_NE(id, 0u);
    EXPECT_TRUE(taken.insert(id).second) << id;
  }
  EXPECT_TRUE(taken.count(first));
  EXPECT_EQ(m_ids.take(), 0u);
}

TEST_F(ContextIdsTest, AStartForgetsThoseOfBefore) {
  while (m_ids.take()) continue;
  m_ids.start();
  EXPECT_NE(m_ids.take(), 0u);
}

}  // namespace
