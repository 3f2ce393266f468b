// SPDX-License-Identifier: MIT
// Tests guest memory through changes of the memory map: present memory is found, removed memory is not.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint64_t kBytes = 64;

std::vector<uint8_t> pattern(uint32_t seed) {
  return aerogpu::qtest::pattern(kBytes, seed);
}

class Memory : public ::testing::Test {
protected:
  void start(const std::vector<std::string>& extra = {}) {
    m_dev = std::make_unique<AeroGpuDev>("renderer=null", extra);
    m_dev->startRing();
  }

  /// Makes the device read kBytes at `from` and write them to `to`; returns the error that it latched.
  uint32_t copy(uint64_t from, uint64_t to) {
    const aerogpu_alloc_entry entries[] = {{1, 0, from, kBytes, 0}, {2, 0, to, kBytes, 0}};
    const auto table = AeroGpuDev::allocTable(entries);
    CommandWriter w;
    for (const uint32_t i : {1, 2}) packets::createBuffer(w, m_handle + i, kBytes, 0, i);
    packets::dirtyRange(w, m_handle + 1, 0, kBytes);
    packets::copyBuffer(w, m_handle + 2, m_handle + 1, kBytes);
    m_handle += 2;
    const uint32_t errors = m_dev->errorCount();
    m_dev->waitFence(m_dev->submit(w, {.table = table}));
    return m_dev->errorCount() == errors ? uint32_t{AEROGPU_ERROR_NONE}
                                         : m_dev->reg(AEROGPU_MMIO_REG_ERROR_CODE);
  }

  std::unique_ptr<AeroGpuDev> m_dev;
  uint32_t m_handle = 0;
};

// PCI-4
TEST_F(Memory, FollowsBar1WhereItIsMoved) {
  start();
  constexpr uint64_t kMoved = 0xD0000000, kOffset = 0x100000;
  m_dev->qemu.write(AeroGpuDev::kBar1 + kOffset, pattern(1));
  EXPECT_EQ(copy(AeroGpuDev::kBar1 + kOffset, kSurfaceGpa), uint32_t{AEROGPU_ERROR_NONE});
  EXPECT_EQ(m_dev->qemu.read(kSurfaceGpa, kBytes), pattern(1));
  for (const uint64_t at : {kMoved, AeroGpuDev::kBar1, kMoved}) {
    const uint64_t left = at == kMoved ? AeroGpuDev::kBar1 : kMoved;
    m_dev->setConfig(0x14, static_cast<uint32_t>(at));
    EXPECT_EQ(copy(left + kOffset, kSurfaceGpa), uint32_t{AEROGPU_ERROR_OOB}) << std::hex << left;
    m_dev->qemu.write(kSurfaceGpa, std::vector<uint8_t>(kBytes));
    EXPECT_EQ(copy(at + kOffset, kSurfaceGpa), uint32_t{AEROGPU_ERROR_NONE}) << std::hex << at;
    EXPECT_EQ(m_dev->qemu.read(kSurfaceGpa, kBytes), pattern(1));
    // Also as a destination.
    m_dev->qemu.write(kSurfaceGpa + 0x1000, pattern(2));
    EXPECT_EQ(copy(kSurfaceGpa + 0x1000, at + 2 * kOffset), uint32_t{AEROGPU_ERROR_NONE});
    EXPECT_EQ(m_dev->qemu.read(at + 2 * kOffset, kBytes), pattern(2));
  }
}

// PCI-3
TEST_F(Memory, EndsWhereTheRamEndsAndRegistersAreNone) {
  start();
  constexpr uint64_t kRamEnd = 64 << 20;
  m_dev->qemu.write(kRamEnd - kBytes, pattern(3));
  EXPECT_EQ(copy(kRamEnd - kBytes, kSurfaceGpa), uint32_t{AEROGPU_ERROR_NONE});
  EXPECT_EQ(m_dev->qemu.read(kSurfaceGpa, kBytes), pattern(3));
  for (const uint64_t bad : {kRamEnd - kBytes + 4, kRamEnd, AeroGpuDev::kBar0, AeroGpuDev::kBar1 - 4,
                             AeroGpuDev::kBar1 + (64 << 20) - kBytes + 4, ~uint64_t{0} - kBytes})
    EXPECT_EQ(copy(bad, kSurfaceGpa), uint32_t{AEROGPU_ERROR_OOB}) << std::hex << bad;
  // The system ROM can be read but not written.
  EXPECT_EQ(copy(0xFFFFFF00, kSurfaceGpa), uint32_t{AEROGPU_ERROR_NONE});
  EXPECT_EQ(copy(kSurfaceGpa, 0xFFFFFF00), uint32_t{AEROGPU_ERROR_OOB});
}

// PCI-4
TEST_F(Memory, FindsMemoryThatIsPluggedIn) {
  start({"-m", "64M,slots=2,maxmem=1G"});
  constexpr uint64_t kPlugged = uint64_t{1} << 32;
  EXPECT_EQ(copy(kPlugged, kSurfaceGpa), uint32_t{AEROGPU_ERROR_OOB});
  m_dev->qemu.qmp("object-add", R"({"qom-type": "memory-backend-ram", "id": "more", "size": 134217728})");
  m_dev->qemu.qmp("device_add",
                  R"({"driver": "pc-dimm", "id": "dimm", "memdev": "more", "addr": 4294967296})");
  m_dev->qemu.write(kPlugged + 0x1000, pattern(4));
  EXPECT_EQ(copy(kPlugged + 0x1000, kSurfaceGpa), uint32_t{AEROGPU_ERROR_NONE});
  EXPECT_EQ(m_dev->qemu.read(kSurfaceGpa, kBytes), pattern(4));
  EXPECT_EQ(copy(kSurfaceGpa, kPlugged + (128 << 20) - kBytes), uint32_t{AEROGPU_ERROR_NONE});
  EXPECT_EQ(m_dev->qemu.read(kPlugged + (128 << 20) - kBytes, kBytes), pattern(4));
}

}  // namespace
