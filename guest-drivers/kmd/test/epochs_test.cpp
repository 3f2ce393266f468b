// SPDX-License-Identifier: MIT
// Tests which objects are still on the device after resets and sleeps (docs/windows/driver.md, "Preemption, hangs,
// power").
#include "guest-drivers/kmd/logic/epochs.h"

#include <gtest/gtest.h>

namespace {

using aero::Epochs;

TEST(Epochs, WhatIsMadeIsThereUntilSomethingIsLost) {
  const Epochs epochs;
  EXPECT_TRUE(epochs.stillThere(epochs.now(), false));
  EXPECT_TRUE(epochs.stillThere(epochs.now(), true));
  EXPECT_FALSE(epochs.stillThere(0, true)) << "0 is the stamp of what was never made";
}

TEST(Epochs, AResetKeepsWhatWasWaitedForAndDoubtsTheRest) {
  Epochs epochs;
  const uint32_t before = epochs.now();
  epochs.workLost();
  EXPECT_TRUE(epochs.stillThere(before, true));
  EXPECT_FALSE(epochs.stillThere(before, false));
  EXPECT_TRUE(epochs.stillThere(epochs.now(), false));
  EXPECT_EQ(epochs.deviceLosses(), 0u) << "a reset of the ring leaves programs their resources";
}

TEST(Epochs, ASleepTakesWhatWasQueuedAndEverythingOnlyWithTheDevice) {
  Epochs epochs;
  const uint32_t before = epochs.now();
  epochs.slept(false);
  EXPECT_TRUE(epochs.stillThere(before, true));
  EXPECT_FALSE(epochs.stillThere(before, false));
  EXPECT_EQ(epochs.deviceLosses(), 0u);
  const uint32_t between = epochs.now();
  EXPECT_TRUE(epochs.stillThere(between, false));
  epochs.slept(true);
  EXPECT_FALSE(epochs.stillThere(between, true));
  EXPECT_EQ(epochs.deviceLosses(), 1u);
}

}  // namespace
