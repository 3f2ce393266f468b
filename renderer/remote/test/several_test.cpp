// SPDX-License-Identifier: MIT
// Four machines on one GPU, each renderer in a process of its own: they fill their memory and draw at once.
// Each stays within its max_hostmem, contents are right to the byte, and the death of one process is no
// matter of the others. A GPU with too little memory for all: renderer/vulkan/test/several_test.cpp.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "renderer/remote/remote.h"
#include "renderer/test/harness.h"

namespace aerogpu::remote {
namespace {

using test::FinishedSubmission;
using test::Harness;

constexpr uint32_t kMachines = 4, kKilled = 2, kSide = 512, kTargetSide = 64, kBytes = kSide * kSide * 4;
constexpr auto kFormat = AEROGPU_FORMAT_B8G8R8A8_UNORM;
constexpr uint64_t kMiB = uint64_t{1} << 20, kMaxHostmem = 24 * kMiB;

/// A texture's content: differs in each texture of each machine.
std::vector<uint8_t> texels(uint32_t machine, uint32_t texture) {
  std::vector<uint8_t> bytes(kBytes);
  uint32_t x = machine * 0x9E3779B9u + texture * 0x85EBCA6Bu + 1;
  for (size_t i = 0; i < bytes.size(); i += 4) {
    x = x * 1664525 + 1013904223;
    std::memcpy(&bytes[i], &x, 4);
  }
  return bytes;
}

/// Returns the bytes of memory that a process holds by itself, shared pages not counted.
uint64_t privateBytes(uint32_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    uint64_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib << 10;
  }
  return 0;
}

/// One machine, on the thread that made it.
class Machine {
public:
  explicit Machine(uint32_t number)
      : m_number(number), m_h({.backend = "vulkan", .maxHostmem = kMaxHostmem, .cacheDir = ""}) {}
  bool ok() const { return m_h.ok(); }
  const std::string& createError() const { return m_h.createError(); }
  uint32_t process() { return static_cast<RemoteRenderer*>(m_h.renderer())->processId(); }
  bool lost() { return aerogpu_renderer_gpu_lost(m_h.renderer()); }

  /// Makes textures, draws in between, until the next one does not fit.
  void fill() {
    m_target = m_h.handle();
    m_staging = m_h.handle();
    if (!m_back.id) m_back = m_h.allocate(kBytes);
    CommandWriter w;
    // To read the others back into, when there is no memory for more.
    Harness::createTexture(w, m_staging, kFormat, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1,
                           m_back.id, kSide * 4);
    Harness::createTexture(w, m_target, kFormat, kTargetSide, kTargetSide,
                           AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
    packets::setTarget(w, m_target);
    EXPECT_EQ(m_h.submit(w).result.error_count, 0u);
    while (add()) draw();
    const std::vector<std::string> lines = m_h.takeErrorLines();
    EXPECT_EQ(lines.size(), 1u) << "machine " << m_number;
    EXPECT_NE((lines.empty() ? "" : lines[0]).find("host memory limit reached"), std::string::npos);
  }
  void draw() {
    CommandWriter w;
    packets::clearColor(w, {0, 0, ++m_drawn % 2 ? 1.0f : 0.0f, 1});
    EXPECT_EQ(m_h.submit(w).result.error_count, 0u) << "machine " << m_number;
  }
  void expectAll() {
    for (const uint32_t t : m_textures)
      EXPECT_TRUE(read(t, kSide) == texels(m_number, t)) << "machine " << m_number << ", texture " << t;
    const std::vector<uint8_t> drawn = read(m_target, kTargetSide);
    for (uint32_t y = 0; y < kTargetSide; ++y)
      for (uint32_t x = 0; x < kTargetSide; ++x) {
        const uint8_t* pixel = &drawn[(size_t{y} * kSide + x) * 4];
        ASSERT_EQ(pixel[0], m_drawn % 2 ? 255 : 0) << "machine " << m_number;
        ASSERT_EQ(pixel[3], 255) << "machine " << m_number;
      }
    EXPECT_FALSE(lost()) << "machine " << m_number;
    EXPECT_EQ(m_h.takeErrorLines(), std::vector<std::string>()) << "machine " << m_number;
  }
  void expectFull() {
    const uint64_t held = m_h.stats().host_memory_bytes;
    EXPECT_LE(held, kMaxHostmem) << "machine " << m_number;
    EXPECT_GT(held + kBytes + kMiB, kMaxHostmem) << "machine " << m_number;
    EXPECT_LE(m_h.stats().host_memory_peak_bytes, kMaxHostmem) << "machine " << m_number;
  }
  void noticeEnd() {
    m_h.submitAsync(CommandWriter());
    m_h.waitIdle();
    EXPECT_TRUE(lost()) << "machine " << m_number;
  }
  /// Drops all and begins again.
  void begin() {
    EXPECT_TRUE(aerogpu_renderer_reset(m_h.renderer())) << "machine " << m_number;
    m_textures.clear();
    m_drawn = 0;
    m_h.takeErrorLines();
  }
  size_t textures() const { return m_textures.size(); }

private:
  /// Returns what the staging texture holds after a copy to its upper left.
  std::vector<uint8_t> read(uint32_t texture, uint32_t side) {
    CommandWriter w;
    packets::copyTexture(w, m_staging, texture, side, side, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    EXPECT_EQ(m_h.submit(w).result.error_count, 0u) << "machine " << m_number;
    const auto bytes = m_h.bytes(m_back);
    return {bytes.begin(), bytes.end()};
  }
  bool add() {
    CommandWriter w;
    const uint32_t texture = m_h.handle();
    Harness::createTexture(w, texture, kFormat, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, texture, 0, texels(m_number, texture));
    const FinishedSubmission made = m_h.submit(w);
    if (made.result.error_count == 0) m_textures.push_back(texture);
    return made.result.error_count == 0;
  }
  const uint32_t m_number;
  Harness m_h;
  test::Allocation m_back;
  uint32_t m_target = 0, m_staging = 0, m_drawn = 0;
  std::vector<uint32_t> m_textures;
};

TEST(Several, MachinesShareAGpu) {
  setenv("AEROGPU_TEST_PROCESS", "shared", 1);
  std::barrier together(kMachines);
  std::atomic<uint64_t> before{0}, after{0};
  std::atomic<int> started{0};
  const auto live = [&](uint32_t number) {
    Machine machine(number);
    EXPECT_TRUE(machine.ok()) << machine.createError();
    if (machine.ok()) ++started;
    together.arrive_and_wait();
    if (started != kMachines) return;
    before += privateBytes(machine.process());
    machine.fill();
    machine.expectFull();
    machine.expectAll();
    after += privateBytes(machine.process());

    // All are full and go on drawing, when one ends.
    const uint32_t process = machine.process();
    together.arrive_and_wait();
    if (number == kKilled) {
      kill(static_cast<pid_t>(process), SIGKILL);
      machine.noticeEnd();
      machine.begin();
      EXPECT_NE(machine.process(), process);
      machine.fill();
      machine.expectFull();
    } else {
      for (int i = 0; i < 100; ++i) machine.draw();
      EXPECT_EQ(machine.process(), process);
    }
    machine.expectAll();
    together.arrive_and_wait();
    // Nor is the end of its machine.
    if (number == kKilled) return;
    machine.draw();
    machine.expectAll();
  };
  std::vector<std::thread> machines;
  for (uint32_t i = 0; i < kMachines; ++i) machines.emplace_back(live, i);
  for (std::thread& machine : machines) machine.join();
  unsetenv("AEROGPU_TEST_PROCESS");
  ASSERT_EQ(started, kMachines);
  // What the host sees: beside what is counted, each has two spare blocks of 8 MiB, and what compiled clears
  // take.
  EXPECT_GT(before, 0u);
  EXPECT_LE(after - before, kMachines * (kMaxHostmem + 24 * kMiB));
}

}  // namespace
}  // namespace aerogpu::remote
