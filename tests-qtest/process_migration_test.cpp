// SPDX-License-Identifier: MIT
// Tests migrations of a machine whose renderer's process is killed meanwhile: what it had written into guest
// memory arrives. docs/develop/renderer-process.md ("What crosses", "Death").
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>

#include "tests-qtest/renderer_process.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 2048, kHeight = 1024, kPitch = kWidth * 4, kBytes = kPitch * kHeight;
/// Sanitizers make each of them ten times as long.
#if defined(AEROGPU_ADDRESS_SANITIZER)
constexpr uint32_t kKills = 1;
#else
constexpr uint32_t kKills = 3;
#endif
/// Texture kSource is copied to the others, which lie in guest memory: one is written when the process dies,
/// and stays as it is then.
constexpr uint32_t kSource = 1, kLeft = 2, kRedone = 3;
constexpr uint64_t kLeftGpa = 0x1000000, kRedoneGpa = kLeftGpa + kBytes, kRamBytes = uint64_t{64} << 20;

class KilledMeanwhile : public testing::TestWithParam<std::vector<std::string>> {
protected:
  KilledMeanwhile() : dev("renderer=vulkan,process=on,process_deaths=0", GetParam()) {
    dev.startRing();
    dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
    dev.qemu.write(0x2000000, pattern(kRamBytes / 16, 1));  // so that the migration takes its time
    make();
  }

  uint64_t submit(const CommandWriter& w) {
    const aerogpu_alloc_entry entries[] = {{kLeft, 0, kLeftGpa, kBytes, 0},
                                           {kRedone, 0, kRedoneGpa, kBytes, 0}};
    return dev.submit(w, {.table = AeroGpuDev::allocTable(entries)});
  }
  void make() {
    CommandWriter w;
    packets::createTexture(w, {.handle = kSource,
                               .format = AEROGPU_FORMAT_B8G8R8A8_UNORM,
                               .width = kWidth,
                               .height = kHeight,
                               .usage = AEROGPU_RESOURCE_USAGE_RENDER_TARGET});
    for (const uint32_t texture : {kLeft, kRedone})
      packets::createTexture(w, {.handle = texture,
                                 .format = AEROGPU_FORMAT_B8G8R8A8_UNORM,
                                 .width = kWidth,
                                 .height = kHeight,
                                 .rowPitch = kPitch,
                                 .allocId = texture});
    packets::setTarget(w, kSource);
    dev.waitFence(submit(w));
  }
  /// Copies so much of blue.
  uint64_t copy(uint8_t blue, uint32_t texture) {
    CommandWriter w;
    packets::clearColor(w, {0, 0, blue / 255.0f});
    packets::copyTexture(w, texture, kSource, kWidth, kHeight);
    return submit(w);
  }
  /// The process dies once it has begun to write a picture; the guest brings the GPU back.
  void dies(uint8_t blue) {
    const pid_t process = renderersProcess(dev);
    ASSERT_GT(process, 0);
    copy(blue, kLeft);
    dev.waitUntil([&] { return dev.qemu.read(kLeftGpa, 1)[0] == blue; }, "the first of its bytes");
    kill(process, SIGKILL);
    submit(CommandWriter());
    dev.waitUntil([&] { return dev.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_LOST; }, "the loss");
    dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
    dev.waitUntil([&] { return dev.qemu.property("resting") == 1; }, "the restart");
    ASSERT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_WORKS}) << dev.qemu.output();
    make();
  }
  std::string state() { return dev.qemu.qmp("query-migrate"); }
  /// Memory of a machine that stands still.
  Bytes memoryOf(AeroGpuDev& of) {
    const auto file = dev.qemu.folder() / "memory";
    of.qemu.qmp("pmemsave", R"({"val": 0, "size": )" + std::to_string(kRamBytes) + R"(, "filename": ")" +
                                file.string() + "\"}");
    return readBytes(file);
  }

  AeroGpuDev dev;
};

TEST_P(KilledMeanwhile, AllThatItHasWrittenArrives) {
  const auto socket = "unix:" + (dev.qemu.folder() / "socket").string();
  std::vector<std::string> arguments = GetParam();
  arguments.insert(arguments.end(), {"-S", "-incoming", socket});
  AeroGpuDev target("renderer=vulkan,process=on", arguments);
  dev.qemu.qmp("migrate-set-parameters", R"({"max-bandwidth": 500000, "downtime-limit": 20})");
  dev.qemu.qmp("migrate", R"({"uri": ")" + socket + "\"}");
  dev.waitUntil([&] { return state().find("\"active\"") != std::string::npos; }, "the migration");
  for (uint8_t i = 0; i < kKills; ++i) dies(static_cast<uint8_t>(10 + i));
  dev.waitFence(copy(99, kRedone));
  EXPECT_NE(state().find("\"active\""), std::string::npos)
      << "it has ended too early for this test: " << state();
  dev.qemu.qmp("migrate-set-parameters", R"({"max-bandwidth": 1000000000, "downtime-limit": 2000})");
  dev.waitUntil([&] { return state().find("\"active\"") == std::string::npos; }, "the end of the migration");
  EXPECT_NE(state().find("\"completed\""), std::string::npos) << state() << dev.qemu.output();
  waitStatus(target, "paused");
  const Bytes here = memoryOf(dev), there = memoryOf(target);
  ASSERT_EQ(here.size(), there.size());
  size_t differ = 0;
  for (size_t at = 0; at < here.size(); at += 4096)
    differ += !std::equal(here.begin() + static_cast<ptrdiff_t>(at),
                          here.begin() + static_cast<ptrdiff_t>(at + 4096),
                          there.begin() + static_cast<ptrdiff_t>(at));
  EXPECT_EQ(differ, 0u) << "pages";
  for (size_t at = kRedoneGpa; at < kRedoneGpa + kBytes; at += 4) ASSERT_EQ(there[at], 99) << at;
}

INSTANTIATE_TEST_SUITE_P(Ram, KilledMeanwhile, testing::Values(std::vector<std::string>{}, sharedRam()),
                         [](const auto& ram) { return ram.param.empty() ? "Private" : "Shared"; });

}  // namespace
