// SPDX-License-Identifier: MIT
// Tests migrations while the machine runs: contents go ahead, what changes meanwhile arrives too, and a
// migration that ends early leaves the machine as it was.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

#include "tests-qtest/saved_state.h"
#include "tests-qtest/slow_link.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kSide = 128, kPitch = kSide * 4, kBytes = kPitch * kSide, kTextures = 256;
constexpr uint32_t kBack = 1000;
/// Points at which a migration is broken off. Sanitizers, with which each takes ten seconds, see a few of
/// them.
#if defined(AEROGPU_ADDRESS_SANITIZER)
constexpr unsigned kPoints = 3;
#else
constexpr unsigned kPoints = 10;
#endif
constexpr uint64_t kBackGpa = kSurfaceGpa + 0x40000;

class Live : public testing::Test {
protected:
  enum class Contents { Random, Plain };
  explicit Live(const std::string& options = "renderer=vulkan", Contents contents = Contents::Random)
      : m_source(std::make_unique<AeroGpuDev>(options)), m_contents(contents) {
    m_source->startRing();
    CommandWriter w;
    packets::createTexture(w, {.handle = kBack,
                               .format = AEROGPU_FORMAT_B8G8R8A8_UNORM,
                               .width = kSide,
                               .height = kSide,
                               .rowPitch = kPitch,
                               .allocId = 1});
    submit(dev(), w);
    for (uint32_t i = 1; i <= kTextures; ++i) {
      CommandWriter make;
      packets::createTexture(make, {i, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide});
      submit(dev(), make);
      fill(i, static_cast<uint8_t>(i));
    }
  }
  AeroGpuDev& dev() { return *m_source; }
  AeroGpuDev& target() { return *m_target; }
  void submit(AeroGpuDev& on, const CommandWriter& w) {
    const aerogpu_alloc_entry entries[] = {{1, 0, kBackGpa, kBytes, 0}};
    on.waitFence(on.submit(w, {.table = AeroGpuDev::allocTable(entries)}));
    EXPECT_EQ(on.errorCount(), 0u) << on.qemu.output();
  }
  /// Fills the texture with a pattern of its own, which the test keeps. False if the machine stands still,
  /// since it is about to move: then the target has the work in its ring.
  bool fill(uint32_t texture, uint8_t seed) {
    Bytes& wanted = m_wanted[texture] = pattern(kBytes, seed);
    if (m_contents == Contents::Plain)
      for (uint32_t i = 0; i < kBytes; ++i) wanted[i] = static_cast<uint8_t>(seed + i / 100);
    CommandWriter w;
    packets::upload(w, texture, 0, m_wanted[texture]);
    const uint64_t fence = dev().submit(w, {});
    bool runs = true;
    dev().waitUntil([&] { return dev().completedFence() >= fence || !(runs = isRunning()); }, "a texture");
    EXPECT_EQ(dev().errorCount(), 0u) << dev().qemu.output();
    return runs;
  }
  bool isRunning() { return dev().qemu.qmp("query-status").find("\"running\": true") != std::string::npos; }
  void expectAll(AeroGpuDev& on) {
    for (const auto& [texture, wanted] : m_wanted) {
      CommandWriter w;
      packets::copyTexture(w, kBack, texture, kSide, kSide);
      submit(on, w);
      ASSERT_TRUE(on.qemu.read(kBackGpa, kBytes) == wanted) << "texture " << texture;
    }
  }
  /// Begins a migration to a machine with those options that takes two seconds, so that there is time to
  /// draw.
  void begin(const char* options = "renderer=vulkan") {
    dev().qemu.qmp("migrate-set-parameters", R"({"max-bandwidth": 4000000, "downtime-limit": 20})");
    startTarget(options);
    sendTo(socketOfTarget());
  }
  std::filesystem::path socketOfTarget() { return dev().qemu.folder() / "socket"; }
  void startTarget(const char* options) {
    m_target = std::make_unique<AeroGpuDev>(
        options, std::vector<std::string>{"-incoming", "unix:" + socketOfTarget().string()});
  }
  void sendTo(const std::filesystem::path& socket) {
    dev().qemu.qmp("migrate", R"({"uri": "unix:)" + socket.string() + "\"}");
    dev().waitUntil([&] { return !hasEnded("\"setup\""); }, "the begin of the migration");
  }
  std::string state() { return dev().qemu.qmp("query-migrate"); }
  bool hasEnded(const char* how) { return state().find(how) != std::string::npos; }
  void waitForTheEnd(const char* how) {
    dev().waitUntil(
        [&] { return hasEnded("\"completed\"") || hasEnded("\"failed\"") || hasEnded("\"cancelled\""); },
        "the end of the migration");
    EXPECT_TRUE(hasEnded(how)) << state() << dev().qemu.output() << target().qemu.output();
  }

  /// The target may still load what the source has sent.
  void waitForTheArrival() {
    target().waitUntil(
        [&] { return target().qemu.qmp("query-status").find("inmigrate") == std::string::npos; },
        "the machine's arrival");
  }

  std::map<uint32_t, Bytes> m_wanted;

private:
  std::unique_ptr<AeroGpuDev> m_source, m_target;
  const Contents m_contents;
};

TEST_F(Live, ContentsGoAheadWhileTheGuestDraws) {
  begin();
  std::mt19937 random(24);
  unsigned drawn = 0;
  while (drawn < 30 && fill(1 + random() % 8, static_cast<uint8_t>(random()))) ++drawn;
  EXPECT_GT(drawn, 0u);
  waitForTheEnd("\"completed\"");
  target().goOnFrom(dev());
  // 248 textures that nobody wrote went ahead.
  EXPECT_GT(dev().qemu.property("save-ahead-bytes"), int64_t{200} * kBytes);
  EXPECT_LT(dev().qemu.property("save-bytes"), int64_t{20} * kBytes);
  expectAll(target());
  EXPECT_NE(dev().qemu.output().find(" KiB went ahead"), std::string::npos) << dev().qemu.output();
}

TEST_F(Live, ACancelledOneLeavesTheMachineAsItWas) {
  for (unsigned round = 0; round < kPoints; ++round) {
    begin();
    fill(1 + round, static_cast<uint8_t>(100 + round));
    for (unsigned i = 0; i < 2 * round; ++i) fill(90, static_cast<uint8_t>(i));
    dev().qemu.qmp("migrate_cancel");
    waitForTheEnd("\"cancelled\"");
    fill(20, static_cast<uint8_t>(round));
  }
  expectAll(dev());
  begin();
  waitForTheEnd("\"completed\"");
  target().goOnFrom(dev());
  expectAll(target());
}

TEST_F(Live, ATargetThatDiesLeavesTheMachineAsItWas) {
  for (unsigned round = 0; round < kPoints; ++round) {
    begin();
    for (unsigned i = 0; i < 2 * round; ++i) fill(90, static_cast<uint8_t>(i));
    kill(target().qemu.pid(), SIGKILL);
    dev().waitUntil([&] { return hasEnded("\"failed\""); }, "the failure");
    fill(20, static_cast<uint8_t>(round));
  }
  expectAll(dev());
}

// The first part of the stream says what the guest was told.
TEST_F(Live, AHostThatLacksSomethingRefusesAtOnce) {
  begin("renderer=vulkan,max_hostmem=512M");
  waitForTheEnd("\"failed\"");
  EXPECT_NE(target().qemu.output().find(
                "this host lacks what the guest was told of: max_host_bytes 1073741824, here 536870912"),
            std::string::npos)
      << target().qemu.output();
  EXPECT_EQ(dev().qemu.property("save-ahead-bytes"), 0);
  fill(1, 77);
  expectAll(dev());
}

// LOSS-12: that host goes on with a lost GPU, and takes nothing of what goes ahead.
TEST_F(Live, AHostThatLacksSomethingMayLoseTheGpu) {
  dev().setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  begin("renderer=vulkan,max_hostmem=512M,on_load_failure=lost");
  for (uint8_t i = 0; i < 10 && fill(1 + i, i);) ++i;
  waitForTheEnd("\"completed\"");
  waitForTheArrival();
  target().goOnFrom(dev());
  EXPECT_GT(dev().qemu.property("save-ahead-bytes"), 0);
  EXPECT_NE(
      target().qemu.output().find("goes on with its GPU lost: this host lacks what the guest was told of: "
                                  "max_host_bytes 1073741824, here 536870912"),
      std::string::npos)
      << target().qemu.output();
  EXPECT_EQ(target().reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
  EXPECT_EQ(target().qemu.property("held-objects"), 0);
  target().setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
  target().waitUntil([&] { return target().reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_WORKS; },
                     "the restart");
  CommandWriter w;
  packets::createTexture(w, {1, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide});
  target().waitFence(target().submit(w, {}));
}

// CAPS-8: a host that may takes the machine without what is not needed.
TEST_F(Live, AHostThatMayTakesWhatIsUsed) {
  begin("renderer=vulkan,max_hostmem=512M,accept=used");
  waitForTheEnd("\"completed\"");
  waitForTheArrival();
  target().goOnFrom(dev());
  expectAll(target());
  EXPECT_NE(target().qemu.output().find("accept=used: the guest was told of what this host lacks, and fails "
                                        "where it uses that: max_host_bytes 1073741824, here 536870912"),
            std::string::npos)
      << target().qemu.output();
  // The guest sees the block that it read.
  EXPECT_TRUE(look(target()).caps == look(dev()).caps);
}

// ---- a slow link ----

/// A machine whose contents can be compressed to a fraction. The parameter is its property compress_state.
class SlowLive : public Live, public testing::WithParamInterface<const char*> {
protected:
  SlowLive() : Live(std::string("renderer=vulkan,compress_state=") + GetParam(), Contents::Plain) {}
  /// Sends the machine over a link that takes so much, and returns how many bytes that took.
  uint64_t travel(uint64_t bytesASecond) {
    const auto socket = dev().qemu.folder() / "link";
    startTarget("renderer=vulkan");
    SlowLink link(socket, socketOfTarget(), bytesASecond);
    sendTo(socket);
    waitForTheEnd("\"completed\"");
    waitForTheArrival();
    target().goOnFrom(dev());
    const std::string ended = state(), name = "\"downtime\": ";
    std::printf("compress_state=%s: %llu bytes, downtime %d ms\n", GetParam(),
                static_cast<unsigned long long>(link.bytes()),
                std::atoi(ended.c_str() + ended.find(name) + name.size()));
    return link.bytes();
  }
  bool compresses() { return std::string(GetParam()) != "off"; }
  void expectCompressed(uint64_t bytes) {
    constexpr uint64_t kAll = uint64_t{kTextures} * kBytes;
    const auto count = [&](const char* name) { return static_cast<uint64_t>(dev().qemu.property(name)); };
    EXPECT_EQ(count("save-raw-bytes") + count("save-unpacked-bytes"),
              count("save-bytes") + count("save-ahead-bytes"));
    EXPECT_GT(count("save-held-bytes"), kAll);
    if (compresses()) {
      EXPECT_LT(bytes, kAll / 4);
      EXPECT_GT(count("save-unpacked-bytes"), kAll / 10 * 8);
      EXPECT_LT(count("save-packed-bytes"), count("save-unpacked-bytes") / 8);
    } else {
      EXPECT_GT(bytes, kAll);
      EXPECT_EQ(count("save-unpacked-bytes"), 0u);
      EXPECT_EQ(count("save-packed-bytes"), 0u);
    }
    expectAll(target());
  }
};

TEST_P(SlowLive, WhatMaxBandwidthAllows) {
  dev().qemu.qmp("migrate-set-parameters", R"({"max-bandwidth": 8000000, "downtime-limit": 20})");
  expectCompressed(travel(uint64_t{1} << 40));
}

// Nothing limits the stop, in which all of this machine goes; the link is slow by itself.
TEST_P(SlowLive, WhatTheLinkTakes) {
  dev().qemu.qmp("migrate-set-parameters", R"({"max-bandwidth": 1000000000000})");
  dev().qemu.qmp("stop");
  const uint64_t bytes = travel(40'000'000);
  target().qemu.qmp("cont");
  expectCompressed(bytes);
}

INSTANTIATE_TEST_SUITE_P(Modes, SlowLive, testing::Values("off", "auto"),
                         [](const auto& mode) { return std::string(mode.param); });

// The objects are gone, and the target learns only that.
TEST_F(Live, AGpuThatIsLostMeanwhile) {
  dev().setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  begin();
  dev().qemu.setProperty("x-gpu-fault", 1);
  CommandWriter w;
  packets::upload(w, 1, 0, pattern(kBytes, 1));
  dev().submit(w, {});
  dev().waitUntil([&] { return dev().reg(AEROGPU_EXT_REG_GPU_STATE) == AEROGPU_EXT_GPU_LOST; }, "the loss");
  waitForTheEnd("\"completed\"");
  EXPECT_EQ(target().reg(AEROGPU_EXT_REG_GPU_STATE), uint32_t{AEROGPU_EXT_GPU_LOST});
  EXPECT_EQ(target().qemu.property("held-objects"), 0);
}

}  // namespace
