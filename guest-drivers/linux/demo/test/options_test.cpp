// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/options.h"

#include <gtest/gtest.h>

namespace aerogpu::guest {
namespace {

TEST(Options, KernelCommandLine) {
  Options o;
  ASSERT_TRUE(
      o.parseKernelCommandLine("console=ttyS0 aerogpu.demo=desktop,mode=1024x768,frames=300,fixed quiet\n")
          .ok());
  EXPECT_EQ(o.task, Task::Desktop);
  EXPECT_EQ(o.mode.width, 1024u);
  EXPECT_EQ(o.mode.height, 768u);
  EXPECT_EQ(o.frames, 300u);
  EXPECT_TRUE(o.fixedStep);
  Options none;
  ASSERT_TRUE(none.parseKernelCommandLine("quiet").ok());
  EXPECT_EQ(none.mode.width, 1280u);
}

TEST(Options, ArgumentsAndErrors) {
  char program[] = "demo", latency[] = "--bench-latency", count[] = "--iterations=50", bad[] = "--mode=1x1";
  char* good[] = {program, latency, count};
  Options o;
  ASSERT_TRUE(o.parseArguments(3, good).ok());
  EXPECT_EQ(o.task, Task::Latency);
  EXPECT_EQ(o.iterations, 50u);
  char* wrong[] = {program, bad};
  EXPECT_FALSE(o.parseArguments(2, wrong).ok());
  for (const char* words :
       {"nonsense", "frames=", "frames=-1", "mode=1280", "iterations=0", "frames=99999999999"})
    EXPECT_FALSE(Options().parseWords(words).ok()) << words;
}

}  // namespace
}  // namespace aerogpu::guest
