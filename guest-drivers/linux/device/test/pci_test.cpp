// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/pci.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace aerogpu::guest {
namespace {

TEST(PciFunction, FindsTheFirstOfItsKind) {
  char name[] = "/tmp/aerogpu-pci-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const std::filesystem::path root = name;
  const auto add = [&](const char* address, const char* vendor, const char* device) {
    std::filesystem::create_directory(root / address);
    std::ofstream(root / address / "vendor") << vendor << "\n";
    std::ofstream(root / address / "device") << device << "\n";
  };
  add("0000:00:01.0", "0x8086", "0x0001");
  PciFunction function;
  EXPECT_FALSE(function.find(0xA3A0, 1, root).ok());
  add("0000:00:05.0", "0xa3a0", "0x0001");
  add("0000:00:03.0", "0xa3a0", "0x0001");
  ASSERT_TRUE(function.find(0xA3A0, 1, root).ok());
  EXPECT_EQ(function.address(), "0000:00:03.0");
  EXPECT_EQ(function.resourcePath(1), (root / "0000:00:03.0/resource1").string());
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace aerogpu::guest
