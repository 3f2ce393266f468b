// SPDX-License-Identifier: MIT
// Tests the property vulkan-device of a running machine: everything goes to the GPU that it names, and the
// guest sees nothing of it. On a host with one GPU that is the same one, opened anew.
#include <gtest/gtest.h>

#include <bit>

#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4, kBytes = kPitch * kHeight;
constexpr uint32_t kShown = 1, kOther = 2, kBack = 3;  // textures
constexpr uint64_t kOtherGpa = kSurfaceGpa + 0x10000, kBackGpa = kSurfaceGpa + 0x20000;
constexpr uint64_t kPeriod = 16'666'667;

class GpuMove : public testing::Test {
protected:
  explicit GpuMove(const char* options = "renderer=vulkan") : dev(options) {
    dev.startRing();
    dev.useFencePage();
    dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
    dev.qemu.write(kOtherGpa, bytes);
    CommandWriter w;
    packets::createShown(w, kShown, kWidth, kHeight, 1);
    packets::createShown(w, kOther, kWidth, kHeight, 2);
    packets::createShown(w, kBack, kWidth, kHeight, 3);
    packets::dirtyRange(w, kOther, 0, kBytes);
    packets::setTarget(w, kShown);
    packets::clearColor(w, {1, 0, 0});
    packets::present(w);
    submit(w);
    dev.qemu.write(kOtherGpa, Bytes(kBytes));
  }
  uint64_t push(const CommandWriter& w) {
    const aerogpu_alloc_entry entries[] = {
        {1, 0, kSurfaceGpa, 0x1000, 0}, {2, 0, kOtherGpa, 0x1000, 0}, {3, 0, kBackGpa, 0x1000, 0}};
    return dev.submit(w, {.table = AeroGpuDev::allocTable(entries)});
  }
  void submit(const CommandWriter& w) {
    dev.waitFence(push(w));
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  }
  Bytes read(uint32_t texture) {
    CommandWriter w;
    packets::copyTexture(w, kBack, texture, kWidth, kHeight);
    submit(w);
    return dev.qemu.read(kBackGpa, kBytes);
  }
  uint32_t pixel() { return dev.qemu.screendump().at(kWidth / 2, kHeight / 2); }
  /// Moves to the GPU of that name; returns what QEMU said.
  std::string move(const std::string& name) {
    return errorOf([&] {
      dev.qemu.qmp(
          "qom-set",
          R"({"path": "/machine/peripheral/gpu0", "property": "vulkan-device", "value": ")" + name + "\"}");
    });
  }
  static constexpr const char* kMoved = "(accepted)";

  AeroGpuDev dev;
  const Bytes bytes = pattern(kBytes, 5);
};

TEST_F(GpuMove, TheGuestSeesNothingOfIt) {
  const std::string gpu = dev.qemu.stringProperty("gpu");
  const Seen before = look(dev);
  const uint32_t generation = dev.reg(AEROGPU_EXT_REG_GPU_GENERATION);
  const Bytes picture = dev.qemu.screendump().rgb, shown = read(kShown), other = read(kOther);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(move(gpu), kMoved);
    EXPECT_EQ(dev.qemu.property("gpu-moves"), i);
    EXPECT_EQ(dev.qemu.screendump().rgb, picture);
    EXPECT_EQ(read(kShown), shown);
    EXPECT_EQ(read(kOther), other);
  }
  for (size_t i = 0; i < kBytes; ++i) ASSERT_TRUE(i % 4 == 3 || other[i] == bytes[i]) << i;
  const Seen after = look(dev);
  EXPECT_EQ(after.caps, before.caps);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_GENERATION), generation);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_WORKS});
  EXPECT_EQ(dev.qemu.property("gpu-move-objects"), 4);
  EXPECT_GT(dev.qemu.property("gpu-move-bytes"), int64_t{2} * kBytes);
  EXPECT_GT(dev.qemu.property("gpu-move-ns"), 0);
  EXPECT_EQ(dev.qemu.stringProperty("vulkan-device"), gpu);
  EXPECT_EQ(dev.qemu.stringProperty("gpu"), gpu);
  EXPECT_NE(dev.qemu.output().find(" moved to " + gpu + " in "), std::string::npos) << dev.qemu.output();
  CommandWriter w;
  packets::clearColor(w, {0, 1, 0});
  packets::present(w);
  submit(w);
  EXPECT_EQ(pixel(), 0x00FF00u) << "the target is bound";
}

TEST_F(GpuMove, ANameThatIsNotThere) {
  const std::string gpu = dev.qemu.stringProperty("gpu"), said = move("GeForce 256");
  EXPECT_NE(said.find("no Vulkan device matches"), std::string::npos) << said;
  EXPECT_NE(said.find("0 = " + gpu), std::string::npos) << said;
  EXPECT_EQ(dev.qemu.stringProperty("vulkan-device"), "");
  EXPECT_EQ(dev.qemu.property("gpu-moves"), 0);
  EXPECT_EQ(pixel(), 0xFF0000u);
  CommandWriter w;
  packets::clearColor(w, {0, 1, 0});
  packets::present(w);
  submit(w);
  EXPECT_EQ(pixel(), 0x00FF00u);
}

/// The frame of a present that waits for its vblank, and what the screen shows meanwhile.
TEST_F(GpuMove, APresentWaits) {
  dev.qemu.clockStep(kPeriod + kPeriod / 2);
  CommandWriter w;
  packets::clearColor(w, {0, 1, 0});
  packets::present(w, AEROGPU_PRESENT_FLAG_VSYNC);
  const uint64_t waits = push(w);
  dev.waitUntil([&] { return dev.qemu.property("presents-done") == 2; }, "the present's work");
  for (int i = 0; i < 4; ++i) ASSERT_EQ(move(""), kMoved);
  EXPECT_EQ(pixel(), 0xFF0000u);
  EXPECT_LT(dev.completedFence(), waits);
  dev.qemu.clockStep(kPeriod);
  dev.waitFence(waits);
  EXPECT_EQ(pixel(), 0x00FF00u);
}

TEST_F(GpuMove, OfAMachineThatStandsStill) {
  dev.qemu.qmp("stop");
  ASSERT_EQ(move("0"), kMoved);
  EXPECT_EQ(pixel(), 0xFF0000u);
  const auto file = dev.qemu.folder() / "state";
  migrateTo(dev, file);
  AeroGpuDev target("renderer=vulkan", {"-incoming", "defer"});
  target.loadFrom(file, "paused");
  EXPECT_EQ(target.qemu.screendump().rgb, dev.qemu.screendump().rgb);
  EXPECT_TRUE(look(target) == look(dev));
  EXPECT_EQ(target.qemu.property("held-objects"), 4);
}

TEST_F(GpuMove, NotDuringAMigration) {
  dev.qemu.qmp("migrate-set-parameters", R"({"max-bandwidth": 65536})");
  dev.qemu.qmp("migrate", exec("cat > /dev/null"));
  std::string said;
  dev.waitUntil([&] { return (said = move("0")) != kMoved; }, "the begin of the migration");
  EXPECT_NE(said.find("a save or load is under way"), std::string::npos) << said;
  dev.qemu.qmp("migrate_cancel");
  dev.waitUntil([&] { return move("0") == kMoved; }, "the end of the migration");
  EXPECT_EQ(pixel(), 0xFF0000u);
}

/// A lost GPU has nothing that could move: the driver's restart opens the other one.
TEST_F(GpuMove, OfALostGpu) {
  dev.qemu.setProperty("x-gpu-fault", 1);
  CommandWriter w;
  packets::clearColor(w, {0, 1, 0});
  push(w);
  dev.waitUntil([&] { return dev.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_LOST; }, "the loss");
  ASSERT_EQ(move("0"), kMoved);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
  dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
  dev.waitUntil([&] { return dev.reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS; }, "the restart");
  w.reset();
  packets::createShown(w, kShown, kWidth, kHeight, 1);
  packets::setTarget(w, kShown);
  packets::clearColor(w, {0, 0, 1});
  packets::present(w);
  dev.waitFence(push(w));
  EXPECT_EQ(pixel(), 0x0000FFu);
}

class NullMove : public GpuMove {
protected:
  NullMove() : GpuMove("renderer=null") {}
};

TEST_F(NullMove, IsRefused) {
  const std::string said = move("0");
  EXPECT_NE(said.find("the back end null has no GPU"), std::string::npos) << said;
  EXPECT_EQ(dev.qemu.property("held-objects"), 4);
  read(kOther);
}

}  // namespace
