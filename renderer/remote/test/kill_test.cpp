// SPDX-License-Identifier: MIT
// A renderer's process is killed at any moment of what it does: each submission is finished, once and in its
// turn, the next reset brings another process, and nothing is left behind. AEROGPU_TEST_KILLS: how often in
// each stage.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "renderer/remote/remote.h"
#include "renderer/test/harness.h"

namespace aerogpu::remote {
namespace {

using test::Harness;

constexpr uint64_t kBytes = uint64_t{2} << 20;

int kills() {
  const char* asked = std::getenv("AEROGPU_TEST_KILLS");
  return asked ? std::atoi(asked) : 5;
}

size_t countIn(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

class Kills : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { setenv("AEROGPU_TEST_PROCESS", GetParam(), 1); }
  void TearDown() override { unsetenv("AEROGPU_TEST_PROCESS"); }
};

/// What the process does when it is killed.
struct Stage {
  const char* name;
  std::function<void()> act;
};

TEST_P(Kills, AtEachStageCostALostGpu) {
  Harness h;
  ASSERT_TRUE(h.ok()) << h.createError();
  auto& remote = *static_cast<RemoteRenderer*>(h.renderer());
  const test::Allocation backing = h.allocate(kBytes);
  std::vector<uint8_t> saved;
  size_t given = 0;
  uint32_t buffer = 0;
  const auto submit = [&](const CommandWriter& w) {
    h.submitAsync(w);
    ++given;
  };
  const auto make = [&] {
    CommandWriter w;
    buffer = h.handle();
    packets::createBuffer(w, buffer, kBytes, 0, backing.id);
    submit(w);
  };
  const auto upload = [&] {
    CommandWriter w;
    packets::dirtyRange(w, buffer, 0, kBytes);
    submit(w);
  };
  const auto sink = [](void* to, const void* bytes, size_t size) {
    auto& all = *static_cast<std::vector<uint8_t>*>(to);
    all.insert(all.end(), static_cast<const uint8_t*>(bytes), static_cast<const uint8_t*>(bytes) + size);
    return true;
  };
  char error[256];
  const auto save = [&](std::vector<uint8_t>& to) {
    const aerogpu_bytes_sink taker{sizeof taker, sink, &to};
    return aerogpu_renderer_save(h.renderer(), &taker, error, sizeof error);
  };
  const auto load = [&] {
    aerogpu_scanout_config scanout{};
    scanout.struct_size = sizeof scanout;
    if (aerogpu_renderer_load_bytes(h.renderer(), saved.data(), saved.size(), error, sizeof error))
      aerogpu_renderer_load_finish(h.renderer(), &scanout, error, sizeof error);
  };
  make();
  upload();
  ASSERT_TRUE(save(saved)) << error;
  bool kept = false;
  const Stage stages[] = {
      {"at rest", [] {}},
      {"many submissions",
       [&] {
         for (int i = 0; i < 100; ++i) submit(CommandWriter());
       }},
      {"uploads",
       [&] {
         for (int i = 0; i < 4; ++i) upload();
       }},
      {"waiting",
       [&] {
         upload();
         h.waitIdle();
       }},
      {"a save",
       [&] {
         std::vector<uint8_t> unused;
         save(unused);
       }},
      {"a load",
       [&] {
         aerogpu_renderer_reset(h.renderer());
         load();
       }},
      {"a reset", [&] { aerogpu_renderer_reset(h.renderer()); }},
      {"a move",
       [&] { aerogpu_renderer_move_to(h.renderer(), "", nullptr, nullptr, &kept, error, sizeof error); }},
      {"statistics", [&] { (void)h.stats(); }},
  };
  std::mt19937 random(1);
  size_t descriptors = 0, threads = 0;
  for (int round = 0; round < kills(); ++round) {
    for (const Stage& stage : stages) {
      SCOPED_TRACE(stage.name);
      make();
      h.waitIdle();
      const std::chrono::microseconds when(random() % 3000);
      std::thread killer([&remote, when] {
        std::this_thread::sleep_for(when);  // any moment will do
        if (const uint32_t process = remote.processId()) kill(static_cast<pid_t>(process), SIGKILL);
      });
      stage.act();
      killer.join();
      submit(CommandWriter());
      h.waitIdle();
      EXPECT_EQ(h.takeFinished().size(), given);
      given = 0;
      EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
      EXPECT_FALSE(aerogpu_renderer_gpu_lost(h.renderer()));
      EXPECT_EQ(h.mappingsHeld(), 0);
      h.takeErrorLines();
    }
    if (round == 0) {
      descriptors = countIn("/proc/self/fd");
      threads = countIn("/proc/self/task");
    }
  }
  EXPECT_EQ(countIn("/proc/self/fd"), descriptors);
  EXPECT_EQ(countIn("/proc/self/task"), threads);
}

INSTANTIATE_TEST_SUITE_P(Memory, Kills, testing::Values("asked", "shared"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace aerogpu::remote
