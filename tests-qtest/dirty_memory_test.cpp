// SPDX-License-Identifier: MIT
// Tests that QEMU knows which guest memory the device writes: a migration sends such pages once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

using Bytes = std::vector<uint8_t>;

/// A page for each way in which the device writes without a renderer, away from what the test writes itself.
constexpr uint64_t kFillGpa = 0x600000, kCopyGpa = 0x610000, kValueGpa = 0x620000;
/// QEMU sends RAM by address. These bytes come after the pages above, and keep the migration busy.
constexpr uint64_t kLateGpa = 0x2000000;
constexpr size_t kLateBytes = size_t{4} << 20;
constexpr uint64_t kSlow = 1 << 20;  ///< bytes a second
enum : uint32_t { kFilled = 1, kCopied, kValue };

std::string exec(const std::string& shell) {
  return "{\"uri\": \"exec:" + shell + "\"}";
}

void setBandwidth(AeroGpuDev& dev, uint64_t bytes) {
  dev.qemu.qmp("migrate-set-parameters", "{\"max-bandwidth\": " + std::to_string(bytes) + "}");
}

bool hasStatus(AeroGpuDev& dev, const char* query, const char* status) {
  return dev.qemu.qmp(query).find("\"status\": \"" + std::string(status) + "\"") != std::string::npos;
}

/// Returns a number of query-migrate's answer; 0 before it is there.
uint64_t sent(AeroGpuDev& dev) {
  const std::string answer = dev.qemu.qmp("query-migrate"), name = "\"transferred\": ";
  const size_t at = answer.find(name);
  return at == std::string::npos ? 0 : std::stoull(answer.substr(at + name.size()));
}

/// Has the device write each page, the fence page and the ring's head.
void writeAll(AeroGpuDev& dev) {
  const aerogpu_alloc_entry entries[] = {{kFilled, 0, kFillGpa, 0x1000, 0},
                                         {kCopied, 0, kCopyGpa, 0x1000, 0},
                                         {kValue, 0, kValueGpa, 0x1000, 0}};
  CommandWriter w;
  w.packet(aerogpu_cmd_ext_fill_memory{
      .alloc_id = kFilled, .pattern = 0xA5A5A5A5, .offset_bytes = 0, .size_bytes = 0x1000});
  w.packet(
      aerogpu_cmd_ext_copy_memory{.dst_alloc_id = kCopied, .src_alloc_id = kFilled, .size_bytes = 0x1000});
  packets::writeValue(w, kValue, 8, 77);
  const auto table = AeroGpuDev::allocTable(entries);
  dev.waitFence(dev.submit(w, {.table = table}));
}

// PCI-9
TEST(DirtyMemory, WhatTheDeviceWritesDuringAMigrationArrives) {
  AeroGpuDev source;
  source.useFencePage();
  source.startRing();
  source.waitFence(source.submitEmpty());
  std::mt19937 random(1);
  Bytes late(kLateBytes);
  std::generate(late.begin(), late.end(), [&] { return static_cast<uint8_t>(random()); });
  source.qemu.write(kLateGpa, late);

  setBandwidth(source, kSlow);
  const std::filesystem::path file = source.qemu.folder() / "state";
  source.qemu.qmp("migrate", exec("cat >" + file.string()));
  source.waitUntil([&] { return sent(source) > kLateBytes / 8; }, "the pages before the late ones");
  writeAll(source);
  ASSERT_TRUE(hasStatus(source, "query-migrate", "active"))
      << "the migration was over before the device wrote";
  setBandwidth(source, 0);
  source.waitUntil([&] { return hasStatus(source, "query-migrate", "completed"); },
                   "the end of the migration");

  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.loadFrom(file);
  target.goOnFrom(source);
  for (const uint64_t gpa : {kFillGpa, kCopyGpa})
    EXPECT_EQ(target.qemu.read(gpa, 0x1000), Bytes(0x1000, 0xA5)) << std::hex << gpa;
  EXPECT_EQ(target.qemu.readl(kValueGpa + 8), 77u);
  EXPECT_EQ(target.fencePage().completed_fence, source.fencePage().completed_fence);
  EXPECT_EQ(target.ringHeader().head, 2u);
  EXPECT_EQ(target.qemu.read(kLateGpa, kLateBytes), late);
}

}  // namespace
