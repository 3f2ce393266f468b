// SPDX-License-Identifier: MIT
// Tests on_load_failure=lost: a machine whose GPU state this host cannot take goes on with a lost GPU, which
// its driver brings back. LOSS-12 of docs/abi/recovery.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_trace.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4, kShown = 1, kLarge = 2;
constexpr uint64_t kKey = 0x123456789ABCDEF0;
constexpr const char* kLost = ",on_load_failure=lost";

void submit(AeroGpuDev& dev, const CommandWriter& w) {
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}};
  dev.waitFence(dev.submit(w, {.table = AeroGpuDev::allocTable(entries)}));
}

/// Makes a red picture that is shown, and 4 MiB beside it.
void draw(AeroGpuDev& dev) {
  dev.startRing();
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  CommandWriter w;
  packets::createShown(w, kShown, kWidth, kHeight, 1);
  packets::createTexture(w, {kLarge, AEROGPU_FORMAT_B8G8R8A8_UNORM, 1024, 1024});
  packets::upload(w, kLarge, 0, pattern(4096, 1));
  packets::setTarget(w, kShown);
  packets::clearColor(w, {1, 0, 0});
  packets::present(w);
  submit(dev, w);
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
}

uint32_t pixel(AeroGpuDev& dev) {
  return dev.qemu.screendump().at(kWidth / 2, kHeight / 2);
}

class LoadFailure : public testing::TestWithParam<const char*> {
protected:
  std::string options(const std::string& more = "") const {
    return std::string("renderer=") + GetParam() + more;
  }
  /// The source, of which the target has less memory than it holds.
  std::filesystem::path save() {
    auto file = source.qemu.folder() / "state";
    migrateTo(source, file);
    return file;
  }
  std::string status(AeroGpuDev& dev) {
    return dev.qemu.qmp("qom-get", R"({"path": "/machine/peripheral/gpu0", "property": "status"})");
  }
  /// Expects that the log and the status say why.
  void expectSaid(AeroGpuDev& dev) {
    const char* why = "lacks what the guest was told of: max_host_bytes 1073741824, here 2097152";
    EXPECT_NE(dev.qemu.output().find("the machine goes on with its GPU lost: "), std::string::npos)
        << dev.qemu.output();
    EXPECT_NE(dev.qemu.output().find(why), std::string::npos) << dev.qemu.output();
    EXPECT_NE(status(dev).find(why), std::string::npos) << status(dev);
  }
  /// Does what a driver does with a lost GPU, and expects that it draws.
  void expectComesBack(AeroGpuDev& dev) {
    const uint32_t generation = dev.reg(AEROGPU_EXT_REG_GPU_GENERATION);
    dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
    dev.waitUntil([&] { return dev.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS; }, "the restart");
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_GENERATION), generation + 1);
    const uint32_t errors = dev.errorCount();
    CommandWriter w;
    packets::createShown(w, kShown, kWidth, kHeight, 1);
    packets::setTarget(w, kShown);
    packets::clearColor(w, {0, 1, 0});
    packets::present(w);
    submit(dev, w);
    EXPECT_EQ(dev.errorCount(), errors) << dev.qemu.output();
    EXPECT_EQ(pixel(dev), 0x00FF00u);
  }
  AeroGpuDev source{options()};
};

// LOSS-12
TEST_P(LoadFailure, TheDriverBringsTheGpuBack) {
  source.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  draw(source);
  const uint32_t generation = source.reg(AEROGPU_EXT_REG_GPU_GENERATION);
  const auto file = save();
  AeroGpuDev target(options(std::string(",max_hostmem=2M") + kLost), {"-incoming", "defer"});
  target.loadFrom(file);
  target.goOnFrom(source);
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GPU_GENERATION), generation);
  EXPECT_EQ(target.qemu.property("held-objects"), 0);
  EXPECT_EQ(target.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(target.errorCount(), 1u);
  EXPECT_EQ(pixel(target), 0xFF0000u) << "the screen keeps its picture (LOSS-9)";
  expectSaid(target);
  const uint64_t held = target.submitEmpty();
  EXPECT_EQ(look(target).caps, look(source).caps) << "what the guest was told (CAPS-1)";
  EXPECT_LT(target.completedFence(), held) << "nothing completes (LOSS-3)";
  expectComesBack(target);
}

// LOSS-2, LOSS-8: a driver that does not wait gets errors, until a device reset.
TEST_P(LoadFailure, WithoutADriverThatWaits) {
  draw(source);
  const auto file = save();
  AeroGpuDev target(options(std::string(",max_hostmem=2M") + kLost), {"-incoming", "defer"});
  target.loadFrom(file);
  target.goOnFrom(source);
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
  CommandWriter w;
  packets::clearColor(w, {0, 1, 0});
  submit(target, w);
  EXPECT_EQ(target.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_BACKEND});
  target.qemu.qmp("system_reset");
  target.setUpPci();
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_WORKS});
  target.setNextFence(1);
  target.startRing();
  target.waitFence(target.submitEmpty());
}

// KEEP-4, KEEP-6: no driver has seen the GPU since the machine woke, so it gets one that works.
TEST_P(LoadFailure, HeldObjectsAreGone) {
  draw(source);
  source.setReg64(AEROGPU_EXT_REG_KEEP_KEY_LO, kKey);
  source.setReg(AEROGPU_EXT_REG_KEEP, AEROGPU_EXT_KEEP_WILL);
  suspend(source);
  wakeUp(source);
  ASSERT_EQ(source.reg(AEROGPU_EXT_REG_KEEP), uint32_t{AEROGPU_EXT_KEEP_HELD});
  const uint32_t generation = source.reg(AEROGPU_EXT_REG_GPU_GENERATION);
  const auto file = save();
  AeroGpuDev target(options(std::string(",max_hostmem=2M") + kLost), {"-incoming", "defer"});
  target.loadFrom(file);
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_KEEP), uint32_t{AEROGPU_EXT_KEEP_NO});
  EXPECT_EQ(target.reg(AEROGPU_EXT_REG_GPU_GENERATION), generation + 1);
  target.waitUntil([&] { return target.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS; }, "a GPU");
  target.startRing();
  target.waitFence(target.submitEmpty());
  EXPECT_EQ(target.errorCount(), 0u);
}

TEST_P(LoadFailure, OtherwiseItIsRefused) {
  EXPECT_NE(
      startRefused(options(",on_load_failure=maybe")).output.find("on_load_failure is 'maybe': refuse, lost"),
      std::string::npos);
  source.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  draw(source);
  const auto file = save();
  for (const char* how : {"", ",on_load_failure=refuse"}) {
    AeroGpuDev target(options(std::string(",max_hostmem=2M") + how), {"-incoming", "defer"});
    EXPECT_ANY_THROW(target.loadFrom(file)) << how;
  }
}

/// What is broken is the renderer's part, or not.
class BrokenPart : public testing::TestWithParam<const char*>, protected StateOnDisk {
protected:
  BrokenPart() : StateOnDisk(std::string("renderer=") + GetParam() + kLost + ",compress_state=off") {
    dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
    draw(dev);
    dev.qemu.qmp("stop");
    save();
  }
  size_t find(const std::string& text) {
    const auto at = std::search(good.begin(), good.end(), text.begin(), text.end());
    EXPECT_NE(at, good.end()) << text;
    return static_cast<size_t>(at - good.begin());
  }
};

TEST_P(BrokenPart, ASnapshotThatIsNoneLosesTheGpu) {
  const size_t snapshot = find(AEROGPU_TRACE_HEADER_MAGIC);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(loadWith(snapshot, {'?'})) << said;
    EXPECT_NE(said.find("its GPU lost: the renderer refuses it: not a trace file"), std::string::npos)
        << said;
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
    EXPECT_EQ(dev.qemu.property("held-objects"), 0);
    EXPECT_TRUE(loadGood()) << said;
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_WORKS});
    EXPECT_GT(dev.qemu.property("held-objects"), 0);
    EXPECT_EQ(pixel(dev), 0xFF0000u);
  }
}

TEST_P(BrokenPart, FramingThatIsBrokenIsRefused) {
  const size_t snapshot = find(AEROGPU_TRACE_HEADER_MAGIC);
  EXPECT_FALSE(loadWith(snapshot - 16, {0, 0, 0, 77})) << "the kind of the record";
  EXPECT_NE(said.find("a record of kind 77"), std::string::npos) << said;
  EXPECT_FALSE(loadWith(snapshot - 8, Bytes(8, 0xFF))) << "its length";
  EXPECT_NE(said.find("a record has 18446744073709551615 bytes"), std::string::npos) << said;
  useIt();
}

INSTANTIATE_TEST_SUITE_P(BackEnds, LoadFailure, testing::Values("null", "vulkan"),
                         [](const auto& renderer) { return std::string(renderer.param); });
INSTANTIATE_TEST_SUITE_P(BackEnds, BrokenPart, testing::Values("null", "vulkan"),
                         [](const auto& renderer) { return std::string(renderer.param); });

}  // namespace
