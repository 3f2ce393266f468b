// SPDX-License-Identifier: MIT
// Tests the device whose renderer runs in a process of its own, which is killed and stopped.
// docs/use/command-line.md (process, process_deaths), docs/abi/recovery.md.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests-qtest/renderer_process.h"
#include "tests-qtest/saved_state.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4, kTexture = 1;
constexpr uint64_t kWordGpa = 0x600000;

const std::vector<std::string> kShared = sharedRam();
const std::vector<std::string> kPrivate = {};
const std::vector<std::string> kSandbox = {
    "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"};

class RendererProcess {
public:
  RendererProcess(const std::string& options, const std::vector<std::string>& extra) : dev(options, extra) {
    dev.startRing();
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  }

  std::string about(const std::string& member) { return aboutProcess(dev, member); }
  pid_t id() { return renderersProcess(dev); }
  void signal(int number) { ASSERT_EQ(kill(id(), number), 0); }

  void set(const std::string& property, bool value) {
    dev.qemu.qmp("qom-set", R"({"path": "/machine/peripheral/gpu0", "property": ")" + property +
                                R"(", "value": )" + (value ? "true}" : "false}"));
  }
  void restartProcess() { set("renderer-restart", true); }

  uint32_t state() { return dev.reg(AEROGPU_EXT_REG_GPU_STATE); }
  void restart(uint32_t wanted) {
    dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
    dev.waitUntil([&] { return dev.qemu.property("resting") == 1; }, "the restart");
    EXPECT_EQ(state(), wanted);
  }
  uint64_t draw(float red, float green, uint64_t value) {
    CommandWriter w;
    if (!m_made) packets::createShown(w, kTexture, kWidth, kHeight, 1);
    m_made = true;
    packets::setTarget(w, kTexture);
    packets::clearColor(w, {red, green, 0});
    packets::present(w);
    packets::writeValue(w, 2, 0, value);
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}, {2, 0, kWordGpa, 0x1000, 0}};
    return dev.submit(w, {.table = AeroGpuDev::allocTable(entries)});
  }
  void forget() { m_made = false; }
  void draws(bool green, uint64_t value) {
    dev.waitFence(draw(!green, green, value));
    EXPECT_EQ(dev.qemu.screendump().at(kWidth / 2, kHeight / 2), green ? 0x00FF00u : 0xFF0000u);
    EXPECT_EQ(dev.qemu.readq(kWordGpa), value);
    EXPECT_EQ(state(), uint32_t{AEROGPU_EXT_GPU_WORKS});
  }

  AeroGpuDev dev;

private:
  bool m_made = false;
};

/// Where guest memory lies, and the sandbox of libvirt.
class Kinds : public testing::TestWithParam<std::vector<std::string>> {};

// LOSS-3, LOSS-4, LOSS-9
TEST_P(Kinds, AKilledProcessIsALostGpuAndARestartDrawsAgain) {
  RendererProcess p("renderer=vulkan,process=on", GetParam());
  ASSERT_GT(p.id(), 0);
  ASSERT_NE(p.id(), p.dev.qemu.pid());
  p.dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  p.draws(false, 1);
  for (uint64_t round = 0; round < 2; ++round) {
    const pid_t before = p.id();
    p.signal(SIGKILL);
    const uint64_t lost = p.draw(0, 1, 90 + round);
    p.dev.waitUntil([&] { return p.state() == AEROGPU_EXT_GPU_LOST; }, "the loss");
    EXPECT_EQ(p.dev.completedFence(), lost - 1);
    EXPECT_EQ(p.dev.qemu.readq(kWordGpa), round + 1);
    EXPECT_EQ(p.dev.qemu.screendump().at(kWidth / 2, kHeight / 2), round ? 0x00FF00u : 0xFF0000u)
        << "the picture stays";
    EXPECT_EQ(p.id(), 0);
    EXPECT_EQ(p.about("deaths"), std::to_string(round + 1));
    EXPECT_EQ(p.about("last-death"), "the renderer's process has ended: signal 9 (Killed)");
    p.restart(AEROGPU_EXT_GPU_WORKS);
    p.forget();
    p.draws(true, round + 2);
    EXPECT_NE(p.id(), before);
  }
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

INSTANTIATE_TEST_SUITE_P(Ram, Kinds, testing::Values(kPrivate, kShared, joined(kShared, kSandbox)));

// LOSS-6, and process_deaths
TEST(Deaths, TooManyInAMinuteAreAGpuThatIsGone) {
  RendererProcess p("renderer=null,process=on,process_deaths=2", kPrivate);
  p.dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  for (const uint32_t then : {AEROGPU_EXT_GPU_WORKS, AEROGPU_EXT_GPU_GONE}) {
    p.signal(SIGKILL);
    (void)p.dev.submitEmpty();
    p.dev.waitUntil([&] { return p.state() == AEROGPU_EXT_GPU_LOST; }, "the loss");
    p.restart(then);
  }
  for (int i = 0; i < 3; ++i) p.dev.waitFence(p.dev.submitEmpty());  // fences go on
  p.restart(AEROGPU_EXT_GPU_GONE);
  EXPECT_EQ(p.about("deaths"), "2");
}

/// A driver that knows nothing of losses goes on after a device reset.
TEST(Deaths, ADeviceResetStartsAnotherProcess) {
  RendererProcess p("renderer=null,process=on", kPrivate);
  p.signal(SIGKILL);
  p.dev.waitFence(p.dev.submitEmpty());
  p.dev.qemu.qmp("system_reset");
  p.dev.setUpPci();
  EXPECT_EQ(p.state(), uint32_t{AEROGPU_EXT_GPU_WORKS});
  EXPECT_GT(p.id(), 0);
}

TEST(Auto, TakesAProcessWhereRamIsSealedAndSaysWhyNot) {
  {
    RendererProcess p("renderer=null", kShared);  // auto is the default
    EXPECT_GT(p.id(), 0);
    p.draw(1, 0, 1);
  }
  RendererProcess unshared("renderer=null,process=auto", kPrivate);
  EXPECT_EQ(unshared.id(), 0);
  EXPECT_NE(unshared.dev.qemu.output().find(
                "process=auto: the renderer runs in QEMU's own process: RAM 'pc.ram' is "
                "private memory"),
            std::string::npos)
      << unshared.dev.qemu.output();
  RendererProcess cut("renderer=null,process=auto",
                      {"-object", "memory-backend-memfd,id=ram,size=64M,share=on,seal=off", "-machine",
                       "memory-backend=ram"});
  EXPECT_EQ(cut.id(), 0);
  EXPECT_NE(cut.dev.qemu.output().find("RAM 'ram' lies in a file that can be cut"), std::string::npos)
      << cut.dev.qemu.output();
}

/// The guest does not notice: objects, values and the picture stay.
TEST_P(Kinds, ARestartOfTheProcessKeepsEverything) {
  RendererProcess p("renderer=vulkan,process=on", GetParam());
  p.draws(false, 1);
  const uint32_t generation = p.dev.reg(AEROGPU_EXT_REG_GPU_GENERATION);
  for (uint64_t round = 0; round < 5; ++round) {
    const pid_t before = p.id();
    p.restartProcess();
    EXPECT_NE(p.id(), before);
    EXPECT_EQ(p.about("deaths"), "0");
    EXPECT_EQ(p.dev.reg(AEROGPU_EXT_REG_GPU_GENERATION), generation);
    EXPECT_EQ(p.dev.qemu.screendump().at(kWidth / 2, kHeight / 2), round % 2 ? 0x00FF00u : 0xFF0000u);
    p.draws(round % 2 == 0, round + 2);  // into the texture of before
  }
  EXPECT_EQ(p.dev.errorCount(), 0u);
  EXPECT_EQ(p.dev.qemu.property("gpu-moves"), 5);
}

TEST(Restarts, OneThatIsPreparedTakesTheProcessThatIsReady) {
  RendererProcess p("renderer=vulkan,process=on", kShared);
  p.dev.setReg(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  p.draws(false, 1);
  EXPECT_EQ(p.about("next"), "none");
  for (uint64_t round = 0; round < 2; ++round) {
    p.set("renderer-prepare", true);
    p.dev.waitUntil([&] { return p.about("next") == "ready"; }, "the process");
    p.draws(round % 2 == 0, round + 2);  // the one that there is goes on
    const std::string since = p.about("since-ms");
    const int64_t ready = std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
    p.restartProcess();
    EXPECT_EQ(p.about("next"), "none");
    EXPECT_NE(p.about("since-ms"), since);
    EXPECT_LE(std::stoll(p.about("since-ms")), ready);
    EXPECT_EQ(p.dev.qemu.screendump().at(kWidth / 2, kHeight / 2), round % 2 ? 0xFF0000u : 0x00FF00u);
  }
  p.draws(false, 9);
  p.set("renderer-prepare", true);
  p.set("renderer-prepare", false);
  EXPECT_EQ(p.about("next"), "none");
  EXPECT_EQ(p.dev.qemu.property("gpu-moves"), 2);
  EXPECT_EQ(p.dev.errorCount(), 0u);
}

/// What people and the device name as files is written by QEMU, in its folder; the process reaches none of
/// it.
// TRACE-11
TEST(Confined, FilesAreQemusAndTheRightsAreTold) {
  RendererProcess p(
      "process=on,renderer=vulkan,capture=whole.aerogputrace,failure_capture=newest.aerogputrace",
      joined(kShared, kSandbox));
#if defined(AEROGPU_ADDRESS_SANITIZER) || defined(AEROGPU_THREAD_SANITIZER)
  constexpr bool isSanitized = true;  // which needs what the process gives up (renderer/remote/confine.h)
#else
  constexpr bool isSanitized = false;
#endif
  EXPECT_EQ(p.about("calls"), isSanitized ? "all" : "listed");
  // Linux, include/uapi/linux/landlock.h: LANDLOCK_CREATE_RULESET_VERSION, of landlock_create_ruleset().
  const long known = std::min(std::max(syscall(444, nullptr, 0, 1), 0l), 7l);
  EXPECT_EQ(p.about("landlock"), std::to_string(isSanitized ? 0 : known));
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/" + std::to_string(p.dev.qemu.pid()) + "/cwd");
  EXPECT_TRUE(std::filesystem::exists(folder / "whole.aerogputrace"));
  CommandWriter bad;
  packets::createBuffer(bad, 2, 3);
  p.dev.waitFence(p.dev.submit(bad));
  p.dev.waitUntil([&] { return std::filesystem::exists(folder / "newest.aerogputrace"); }, "the file");
  std::ifstream in(folder / "newest.aerogputrace", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(bytes.find(std::string(reinterpret_cast<const char*>(bad.data()), bad.size())),
            std::string::npos);
  for (const char* name : {"whole.aerogputrace", "newest.aerogputrace"})
    std::filesystem::remove(folder / name);
}

TEST(Off, HasNoProcess) {
  RendererProcess p("renderer=null,process=off", kShared);
  EXPECT_EQ(p.id(), 0);
  EXPECT_EQ(p.about("since-ms"), "0");
  EXPECT_EQ(p.about("landlock"), "0");
  EXPECT_EQ(p.about("calls"), "");
  EXPECT_EQ(p.about("next"), "");
  for (const char* property : {"renderer-restart", "renderer-prepare"})
    EXPECT_NE(errorOf([&] {
                p.set(property, true);
              }).find(std::string(property) + ": the renderer has no process of its own (process=on)"),
              std::string::npos);
}

}  // namespace
