// SPDX-License-Identifier: MIT
// Tests everything at once: a seeded sequence of random actions of guest and host against the device; after
// each it checks what must hold in any order. AEROGPU_STRESS_SEED and AEROGPU_STRESS_STEPS run other
// sequences.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "tests-qtest/aerogpu_dev.h"
#include "tests-qtest/replay.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 64, kHeight = 48, kPitch = kWidth * 4, kTextures = 6, kEntries = 16;
constexpr uint64_t kTextureBytes = 0x10000, kMsiGpa = 0x600000, kCursorGpa = 0x610000, kPeriod = 16'666'667;
constexpr uint64_t kBar1Homes[] = {AeroGpuDev::kBar1, 0xD0000000};
constexpr uint32_t kUntouched = 0xDEADBEEF;
constexpr uint16_t kMsiData = 0x4321;
constexpr uint32_t kNoMemory = kTextures + 1;  ///< an allocation without memory
constexpr uint32_t kVertices = 3 * 256;
// Textures whose transfers happen in guest memory itself if the GPU can
// (renderer/vulkan/device/host_import.h).
constexpr uint32_t kBig[] = {21, 22}, kBigWidth = 256, kBigHeight = 128, kBigPitch = kBigWidth * 4;
constexpr uint64_t kBigBytes = kBigPitch * kBigHeight, kBigOffset = 0x1000000;
enum Handle : uint32_t { kBuffer = 101, kVs, kPs, kLayout };

uint64_t fromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

void createTarget(CommandWriter& w, uint32_t handle, uint32_t allocId) {
  packets::createShown(w, handle, kWidth, kHeight, allocId);
}

/// Creates and binds the objects that a draw of kVertices reads.
void usePipeline(CommandWriter& w) {
  packets::createBuffer(w, kBuffer, uint64_t{kVertices} * 12, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  // vs_2_0: dcl_position v0; mov oPos, v0. ps_2_0: mov oC0, c0.
  const uint32_t vs[] = {0xFFFE0200, 0x0200001F, 0x80000000, 0x900F0000,
                         0x02000001, 0xC00F0000, 0x90E40000, 0x0000FFFF};
  const uint32_t ps[] = {0xFFFF0200, 0x02000001, 0x800F0800, 0xA0E40000, 0x0000FFFF};
  packets::createShader(w, kVs, AEROGPU_SHADER_STAGE_VERTEX, vs);
  packets::createShader(w, kPs, AEROGPU_SHADER_STAGE_PIXEL, ps);
  packets::bindShaders(w, kVs, kPs);
  // D3DVERTEXELEMENT9: stream 0, FLOAT3 POSITION; D3DDECL_END.
  const uint8_t elements[] = {0, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
  packets::useInputLayout(w, kLayout, elements);
  packets::setVertexBuffer(w, 0, kBuffer, 12);
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
}

class Stress {
public:
  Stress(const std::string& options, uint64_t seed, const std::vector<std::string>& extra = {})
      : m_dev(options, extra), m_random(seed) {
    m_dev.interceptIntx();
    startAgain();
  }

  void run(uint32_t steps) {
    for (m_step = 0; m_step < steps && !testing::Test::HasFailure(); ++m_step) {
      if (!m_running && pick(3) == 0)
        resume();
      else
        (this->*(m_running ? action() : hostAction()))();
      if (m_running) check();
      if (m_step % 100 == 99) settle();
    }
    settle();
  }
  AeroGpuDev& device() { return m_dev; }

private:
  using Action = void (Stress::*)();

  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(m_random() % below); }
  float fraction() { return static_cast<float>(pick(256)) / 255.0f; }

  Action action() {
    static constexpr Action kActions[] = {&Stress::submitEmpty,
                                          &Stress::submitEmpty,
                                          &Stress::submitJob,
                                          &Stress::submitJob,
                                          &Stress::submitJob,
                                          &Stress::submitTransfers,
                                          &Stress::submitTransfers,
                                          &Stress::submitDraws,
                                          &Stress::submitJunk,
                                          &Stress::ringBell,
                                          &Stress::ringOnOff,
                                          &Stress::ringReset,
                                          &Stress::deviceReset,
                                          &Stress::busMaster,
                                          &Stress::memoryOff,
                                          &Stress::moveBar0,
                                          &Stress::moveBar1,
                                          &Stress::interrupts,
                                          &Stress::interrupts,
                                          &Stress::msi,
                                          &Stress::flip,
                                          &Stress::flip,
                                          &Stress::scanout,
                                          &Stress::cursor,
                                          &Stress::giveToVga,
                                          &Stress::fencePage,
                                          &Stress::stop,
                                          &Stress::clock,
                                          &Stress::clock};
    return pick(4) == 0 ? hostAction() : kActions[pick(std::size(kActions))];
  }
  Action hostAction() {
    static constexpr Action kActions[] = {&Stress::screendump, &Stress::counters, &Stress::counters};
    return kActions[pick(std::size(kActions))];
  }

  // ---- the guest ----

  /// True if a slot is free.
  bool room() {
    const aerogpu_ring_header header = m_dev.ringHeader();
    return header.tail - header.head < kEntries;
  }
  uint32_t submitFlags() { return pick(4) == 0 ? AEROGPU_SUBMIT_FLAG_NO_IRQ : 0; }
  uint64_t backing(uint32_t texture) const {
    const bool inBar1 = texture % 2 == 0;
    return (inBar1 ? m_bar1 + 0x200000 : kSurfaceGpa) + texture * kTextureBytes;
  }

  void submit(const CommandWriter& w) {
    if (!room()) return;
    aerogpu_alloc_entry entries[kTextures + 3];
    for (uint32_t i = 0; i < kTextures; ++i) entries[i] = {i + 1, 0, backing(i + 1), kTextureBytes, 0};
    entries[kTextures + 1] = {kBig[0], 0, kBigOffset, kBigBytes, 0};
    entries[kTextures + 2] = {kBig[1], 0, m_bar1 + kBigOffset, kBigBytes, 0};
    entries[kTextures] = {kNoMemory, 0, 0x30000000, kTextureBytes, 0};
    // A slot's stream and table stay as they are until it is executed.
    const uint64_t at = m_dev.ringHeader().tail % kEntries * 0x8000;
    const auto table = AeroGpuDev::allocTable(entries);
    m_dev.qemu.write(0x2000000 + at, {w.data(), w.size()});
    m_dev.qemu.write(0x2100000 + at, table);
    aerogpu_submit_desc desc{};
    desc.desc_size_bytes = sizeof desc;
    desc.flags = submitFlags();
    desc.context_id = pick(3);
    desc.cmd_gpa = 0x2000000 + at;
    desc.cmd_size_bytes = static_cast<uint32_t>(w.size());
    desc.alloc_table_gpa = 0x2100000 + at;
    desc.alloc_table_size_bytes = static_cast<uint32_t>(table.size());
    desc.signal_fence = m_dev.nextFence();
    m_dev.setNextFence(desc.signal_fence + 1);
    m_dev.push(desc, pick(3) != 0);
  }
  void submitEmpty() {
    if (room()) m_dev.submitEmpty(submitFlags(), pick(3) != 0);
  }
  void submitJob() {
    CommandWriter w;
    for (uint32_t n = pick(12) + 1; n > 0; --n) {
      const uint32_t texture = pick(kTextures) + 1;
      switch (pick(8)) {
        case 0:
        case 1:
          createTarget(w, texture, pick(16) ? texture : kNoMemory);
          break;
        case 2:
          packets::destroyResource(w, texture);
          break;
        case 3:
          packets::dirtyRange(w, texture, kPitch * pick(8), kPitch * pick(16));
          break;
        case 4:
          packets::copyTexture(w, texture, pick(kTextures) + 1, pick(kWidth) + 1, pick(kHeight) + 1);
          break;
        case 5:
          w.packet(aerogpu_cmd_flush{});
          break;
        default:
          packets::setTarget(w, texture);
          packets::clearColor(w, {fraction(), fraction(), fraction()});
          break;
      }
    }
    if (pick(2)) packets::present(w, pick(2) ? AEROGPU_PRESENT_FLAG_VSYNC : 0);
    submit(w);
  }
  void submitDraws() {
    CommandWriter w;
    createTarget(w, 1, 1);
    packets::setTarget(w, 1);
    packets::clearColor(w, {fraction(), fraction(), fraction()});
    usePipeline(w);
    for (uint32_t n = pick(64) + 1; n > 0; --n) packets::draw(w, kVertices);
    packets::present(w);
    packets::destroyResource(w, kBuffer);
    packets::destroyShader(w, kVs);
    packets::destroyShader(w, kPs);
    packets::destroyInputLayout(w, kLayout);
    submit(w);
  }
  void submitTransfers() {
    CommandWriter w;
    for (const uint32_t texture : kBig) {
      packets::createTexture(w, {.handle = texture,
                                 .width = kBigWidth,
                                 .height = kBigHeight,
                                 .usage = AEROGPU_RESOURCE_USAGE_TEXTURE,
                                 .rowPitch = kBigPitch,
                                 .allocId = texture});
    }
    const uint32_t from = pick(2);
    packets::dirtyRange(w, kBig[from], 0, kBigBytes);
    packets::copyTexture(w, kBig[1 - from], kBig[from], kBigWidth, kBigHeight);
    if (pick(2)) packets::destroyResource(w, kBig[pick(2)]);
    submit(w);
  }
  void submitJunk() {
    CommandWriter w;
    uint8_t bytes[64];
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(m_random());
    w.raw(bytes, sizeof bytes);
    submit(w);
  }
  void ringBell() { m_dev.ringBell(); }
  void ringOnOff() { m_dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, pick(2) ? AEROGPU_RING_CONTROL_ENABLE : 0); }
  /// Resets the ring: head equals tail when the write is over, and dropped work stays dropped.
  void ringReset() {
    if (!m_busMaster) return;
    m_dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
    const aerogpu_ring_header header = m_dev.ringHeader();
    EXPECT_EQ(header.head, header.tail) << where();
    const uint64_t fence = m_dev.completedFence();
    counters();
    EXPECT_EQ(m_dev.completedFence(), fence) << where() << ": a dropped submission completed";
  }

  /// Resets the device: nothing that was under way shows afterwards, neither as a fence nor as an interrupt
  /// or a write to guest memory.
  void deviceReset() {
    const bool msi = m_msi;
    m_dev.qemu.writel(kMsiGpa, kUntouched);
    if (pick(2)) {
      m_dev.qemu.qmp("system_reset");
    } else {
      m_dev.qemu.outb(0xCF9, 0x06);  // PIIX3, RST_CPU
      // The main loop carries out the request, before it gives the next answer.
      m_dev.qemu.qmp("query-status");
    }
    const uint32_t atReset = m_dev.qemu.readl(kMsiGpa);
    EXPECT_TRUE(atReset == kUntouched || (msi && atReset == kMsiData)) << where();
    m_dev.qemu.writel(kMsiGpa, kUntouched);
    const auto ring = m_dev.qemu.read(kRingGpa, 64), page = m_dev.qemu.read(kFenceGpa, 64);
    m_dev.setUpPci();
    for (int look = 0; look < 2; ++look) {
      EXPECT_EQ(m_dev.completedFence(), 0u) << where();
      EXPECT_EQ(m_dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS), 0u) << where();
      EXPECT_EQ(m_dev.reg(AEROGPU_MMIO_REG_IRQ_ENABLE), 0u) << where();
      EXPECT_EQ(m_dev.reg(AEROGPU_MMIO_REG_ERROR_COUNT), 0u) << where();
      EXPECT_EQ(m_dev.reg64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO), 0u) << where();
      EXPECT_EQ(m_dev.qemu.property("resources"), 0) << where();
      EXPECT_EQ(m_dev.qemu.property("queue-depth"), 0) << where();
      counters();
    }
    EXPECT_FALSE(m_dev.intxLevel()) << where();
    EXPECT_EQ(m_dev.qemu.readl(kMsiGpa), kUntouched) << where();
    EXPECT_EQ(m_dev.qemu.read(kRingGpa, 64), ring) << where();
    EXPECT_EQ(m_dev.qemu.read(kFenceGpa, 64), page) << where();
    startAgain();
  }

  /// Takes a driver's steps from a reset to a running ring.
  void startAgain() {
    m_busMaster = true;
    m_msi = false;
    m_bar1 = kBar1Homes[0];
    m_fence = 0;
    m_headFloor = pick(2) ? 0 : 0u - pick(64);
    m_dev.interceptIntx();
    m_dev.startRing({.entries = kEntries, .first = m_headFloor});
    m_fencePage = pick(2);
    fencePage();
    interrupts();
    if (pick(2)) flip();
  }

  void command(uint32_t bits) { m_dev.setConfig(0x04, bits); }
  void busMaster() {
    m_busMaster = !m_busMaster;
    command(m_busMaster ? 7 : 3);
    if (!m_busMaster) {
      const auto ring = m_dev.qemu.read(kRingGpa, 64), page = m_dev.qemu.read(kFenceGpa, 64);
      counters();
      EXPECT_EQ(m_dev.qemu.read(kRingGpa, 64), ring) << where() << ": a write without bus mastering";
      EXPECT_EQ(m_dev.qemu.read(kFenceGpa, 64), page) << where() << ": a write without bus mastering";
    }
  }
  void memoryOff() {
    command(m_busMaster ? 5 : 1);
    (this->*hostAction())();
    command(m_busMaster ? 7 : 3);
  }
  void moveBar0() {
    constexpr uint64_t kElsewhere = 0xFD000000;
    m_dev.setConfig(0x10, kElsewhere);
    EXPECT_EQ(m_dev.qemu.readl(kElsewhere + AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC) << where();
    m_dev.qemu.writel(kElsewhere + AEROGPU_MMIO_REG_DOORBELL, 1);
    m_dev.setConfig(0x10, AeroGpuDev::kBar0);
  }
  void moveBar1() {
    m_bar1 = kBar1Homes[m_bar1 == kBar1Homes[0] ? 1 : 0];
    m_dev.setConfig(0x14, static_cast<uint32_t>(m_bar1));
  }
  void interrupts() {
    constexpr uint32_t kBits = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR;
    if (pick(2))
      m_dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, static_cast<uint32_t>(m_random()) & kBits);
    else
      m_dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, m_dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS));
  }
  void msi() {
    m_msi = !m_msi;
    m_dev.enableMsi(kMsiGpa, kMsiData, m_msi);
  }
  void flip() {
    m_dev.setScanout(
        {.width = kWidth, .height = kHeight, .pitch = kPitch, .gpa = backing(pick(kTextures) + 1)});
  }
  void scanout() {
    static constexpr uint32_t kRegisters[] = {
        AEROGPU_MMIO_REG_SCANOUT0_ENABLE,      AEROGPU_MMIO_REG_SCANOUT0_WIDTH,
        AEROGPU_MMIO_REG_SCANOUT0_HEIGHT,      AEROGPU_MMIO_REG_SCANOUT0_FORMAT,
        AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
        AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI};
    m_dev.setReg(kRegisters[pick(std::size(kRegisters))],
                 pick(3) ? pick(100) : static_cast<uint32_t>(m_random()));
  }
  void cursor() {
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, pick(100) - 20);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_Y, pick(100) - 20);
    if (pick(2)) return;
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_WIDTH, pick(70));
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_HEIGHT, pick(70));
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_HOT_X, pick(40));
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_HOT_Y, pick(40));
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 4 * pick(80));
    m_dev.setReg64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, pick(2) ? kCursorGpa : backing(2));
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, pick(4));
  }
  void giveToVga() { m_dev.setReg(AEROGPU_EXT_REG_VGA, 1); }
  void fencePage() {
    m_fencePage = !m_fencePage;
    m_dev.qemu.write(kFenceGpa, std::vector<uint8_t>(64));
    m_dev.setReg64(AEROGPU_MMIO_REG_FENCE_GPA_LO, m_fencePage ? kFenceGpa : 0);
  }
  void clock() { m_dev.qemu.clockStep(pick(2) ? kPeriod : pick(3 * kPeriod)); }

  // ---- the host ----

  void screendump() {
    const Picture picture = m_dev.qemu.screendump();
    EXPECT_GT(picture.width * picture.height, 0u) << where();
  }
  void counters() {
    static constexpr const char* kNames[] = {"submissions", "completions", "draws",   "host-memory",
                                             "queue-depth", "errors",      "presents"};
    EXPECT_GE(m_dev.qemu.property(kNames[pick(std::size(kNames))]), 0) << where();
  }
  /// Stops the VM, in which guest memory then does not change.
  void stop() {
    m_dev.qemu.qmp("stop");
    m_running = false;
    m_ringAtStop = m_dev.qemu.read(kRingGpa, 64);
    m_pageAtStop = m_dev.qemu.read(kFenceGpa, 64);
  }
  void resume() {
    EXPECT_EQ(m_dev.qemu.read(kRingGpa, 64), m_ringAtStop) << where();
    EXPECT_EQ(m_dev.qemu.read(kFenceGpa, 64), m_pageAtStop) << where();
    m_dev.qemu.qmp("cont");
    m_running = true;
  }

  // ---- what must hold ----

  std::string where() const { return "step " + std::to_string(m_step); }

  void check() {
    const uint64_t page = m_dev.fencePage().completed_fence;
    const uint64_t fence = m_dev.completedFence();
    EXPECT_GE(fence, m_fence) << where() << ": the completed fence went back";
    EXPECT_LT(fence, m_dev.nextFence()) << where() << ": a fence that was never asked for";
    EXPECT_LE(page, fence) << where() << ": the fence page is ahead of the register";
    m_fence = fence;
    const aerogpu_ring_header header = m_dev.ringHeader();
    EXPECT_LE(header.tail - header.head, kEntries) << where() << ": head passed tail";
    EXPECT_LE(header.head - m_headFloor, kEntries) << where() << ": head went back";
    m_headFloor = header.head;
  }

  /// Continues as a driver that does everything right, which gets every fence and every interrupt.
  void settle() {
    if (!m_running) resume();
    command(7);
    m_busMaster = true;
    m_dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
    m_dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    m_dev.ringBell();
    const auto completed = [&](uint64_t fence) {
      m_dev.waitUntil(
          [&] {
            m_dev.qemu.clockStep(kPeriod);
            return m_dev.completedFence() == fence;
          },
          (where() + ": a fence was lost").c_str());
      // The register is first of a completion's marks, head is the last one (FENCE-1).
      m_dev.waitUntil(
          [&] {
            const aerogpu_ring_header header = m_dev.ringHeader();
            return header.head == header.tail;
          },
          (where() + ": head stands still").c_str());
      check();
      if (m_fencePage) {
        EXPECT_EQ(m_dev.fencePage().completed_fence, fence) << where();
      }
    };
    m_dev.waitUntil(
        [&] {
          m_dev.qemu.clockStep(kPeriod);
          return room();
        },
        (where() + ": head stands still").c_str());
    check();
    m_dev.submitEmpty();
    completed(m_dev.nextFence() - 1);
    m_dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
    m_dev.qemu.writel(kMsiGpa, kUntouched);
    m_dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
    m_dev.submitEmpty();
    completed(m_dev.nextFence() - 1);
    m_dev.waitUntil([&] { return m_msi ? m_dev.qemu.readl(kMsiGpa) == kMsiData : m_dev.intxLevel(); },
                    (where() + ": an interrupt was lost").c_str());
    EXPECT_EQ(m_dev.qemu.property("queue-depth"), 0) << where();
  }

  AeroGpuDev m_dev;
  std::mt19937_64 m_random;
  uint32_t m_step = 0;
  bool m_running = true, m_busMaster = true, m_msi = false, m_fencePage = false;
  uint64_t m_bar1 = kBar1Homes[0];
  uint64_t m_fence = 0;      ///< last value of the register
  uint32_t m_headFloor = 0;  ///< last head in the header
  std::vector<uint8_t> m_ringAtStop, m_pageAtStop;
};

void stress(const std::string& options, uint32_t steps, const std::vector<std::string>& extra = {}) {
  const uint64_t seed = fromEnvironment("AEROGPU_STRESS_SEED", 1);
  SCOPED_TRACE("AEROGPU_STRESS_SEED=" + std::to_string(seed));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Stress run(options, seed, extra);
  run.run(static_cast<uint32_t>(fromEnvironment("AEROGPU_STRESS_STEPS", steps)));
  EXPECT_EQ(run.device().qemu.quit(), 0) << run.device().qemu.output();
}

TEST(Stress, Null) {
  stress("renderer=null", 2500);
}

TEST(Stress, Vulkan) {
  stress("renderer=vulkan", 2500);
}

/// Runs with a display that shows the cursor itself, and with a capture of everything, which must be
/// readable.
TEST(Stress, WithDisplayAndCapture) {
  const std::string trace = capturePath("stress"), vnc = trace + ".vnc";
  stress("renderer=vulkan,capture=" + trace, 1000, {"-vnc", "unix:" + vnc});
  const char* replay = std::getenv("AEROGPU_REPLAY");
  ASSERT_NE(replay, nullptr);
  EXPECT_EQ(std::system((std::string(replay) + " --dump " + trace + " >/dev/null").c_str()), 0);
  for (const std::string& path : {trace, vnc}) std::filesystem::remove(path);
}

}  // namespace
