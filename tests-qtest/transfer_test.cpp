// SPDX-License-Identifier: MIT
// Tests bytes between guest memory and resources: write-backs, backings in BAR1, scatter lists.
// docs/abi/allocation-table.md.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

/// Creates a texture of 8-bit BGRA over an allocation.
void createTexture(CommandWriter& w, uint32_t handle, uint32_t width, uint32_t height, uint32_t pitch,
                   uint32_t allocId) {
  packets::createTexture(w, {.handle = handle,
                             .format = AEROGPU_FORMAT_B8G8R8A8_UNORM,
                             .width = width,
                             .height = height,
                             .rowPitch = pitch,
                             .allocId = allocId});
}

// FENCE-1, COPY-6
TEST(Transfers, WriteBacksAreInGuestMemoryBeforeTheFence) {
  AeroGpuDev dev;
  dev.startRing();
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 4096, 0}, {2, 0, kSurfaceGpa + 4096, 4096, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  const auto bytes = pattern(256, 1);
  dev.qemu.write(kSurfaceGpa, bytes);
  CommandWriter w;
  packets::createBuffer(w, 1, 256, 0, 1);
  packets::createBuffer(w, 2, 256, 0, 2);
  packets::dirtyRange(w, 1, 0, 256);
  packets::copyBuffer(w, 2, 1, 256);
  dev.waitFence(dev.submit(w, {.table = table}));
  EXPECT_EQ(dev.errorCount(), 0u);
  EXPECT_EQ(dev.qemu.read(kSurfaceGpa + 4096, 256), bytes);
}

// ATTACH-1, ATTACH-3: made without memory, given RAM, then BAR1, each in a separate submission.
TEST(Transfers, AResourceGetsItsMemoryLater) {
  constexpr uint64_t kInBar1 = AeroGpuDev::kBar1 + 0x200000;
  constexpr uint32_t kBytes = 16 * 16 * 4;
  for (const char* options : {"renderer=null", "renderer=vulkan"}) {
    SCOPED_TRACE(options);
    AeroGpuDev dev(options);
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_ATTACH_BACKING);
    dev.startRing();
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 4096, 0}, {2, 0, kInBar1, 4096, 0}};
    const auto table = AeroGpuDev::allocTable(entries);
    const auto bytes = pattern(kBytes, 3);
    CommandWriter w;
    createTexture(w, 1, 16, 16, 0, 0);
    createTexture(w, 2, 16, 16, 0, 0);
    dev.waitFence(dev.submit(w, {.table = table}));
    dev.qemu.write(kSurfaceGpa, bytes);
    w.reset();
    packets::attachBacking(w, 1, 1, 64);
    packets::dirtyRange(w, 1, 0, kBytes);
    dev.waitFence(dev.submit(w, {.table = table}));
    dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(kBytes, 0));
    w.reset();
    packets::attachBacking(w, 2, 2, 64);
    packets::copyTexture(w, 2, 1, 16, 16);
    dev.waitFence(dev.submit(w, {.table = table}));
    EXPECT_EQ(dev.qemu.read(kInBar1, kBytes), bytes);
    EXPECT_EQ(dev.qemu.read(kSurfaceGpa, kBytes), std::vector<uint8_t>(kBytes, 0));
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
    // Without memory it has nothing to write to.
    w.reset();
    packets::attachBacking(w, 2, 0, 0);
    packets::copyTexture(w, 2, 1, 16, 16);
    dev.waitFence(dev.submit(w, {.table = table}));
    EXPECT_EQ(dev.errorCount(), 1u);
  }
}

TEST(Transfers, TexturesBackedByBar1AndRam) {
  constexpr uint64_t kInBar1 = AeroGpuDev::kBar1 + 0x200000;
  const struct {
    uint64_t from, to;
    uint32_t width, height, pitch;
  } cases[] = {{kInBar1, kInBar1 + 0x100000, 20, 9, 128},
               // Large enough for the GPU to work in guest memory itself.
               {kInBar1 + 0x204, kInBar1 + 0x100ffc, 301, 203, 1216},
               {kInBar1, kSurfaceGpa + 0x10, 301, 203, 1204},
               {kSurfaceGpa + 0x44, kInBar1 + 0x8, 301, 203, 1300}};
  for (const char* options : {"renderer=null", "renderer=vulkan"}) {
    AeroGpuDev dev(options);
    dev.startRing();
    for (const auto& c : cases) {
      const aerogpu_alloc_entry entries[] = {{1, 0, c.from, 0x80000, 0}, {2, 0, c.to, 0x80000, 0}};
      const auto table = AeroGpuDev::allocTable(entries);
      const auto bytes = pattern(c.pitch * c.height, c.pitch);
      dev.qemu.write(c.from, bytes);
      dev.qemu.write(c.to, std::vector<uint8_t>(bytes.size(), 0));
      CommandWriter w;
      createTexture(w, 1, c.width, c.height, c.pitch, 1);
      createTexture(w, 2, c.width, c.height, c.pitch, 2);
      packets::dirtyRange(w, 1, 0, bytes.size());
      packets::copyTexture(w, 2, 1, c.width, c.height);
      packets::destroyResource(w, 1);
      packets::destroyResource(w, 2);
      dev.waitFence(dev.submit(w, {.table = table}));
      EXPECT_EQ(dev.errorCount(), 0u) << options << "\n" << dev.qemu.output();
      const auto back = dev.qemu.read(c.to, bytes.size());
      for (uint32_t y = 0; y < c.height; ++y)
        for (uint32_t x = 0; x < c.pitch; ++x)
          ASSERT_EQ(back[y * c.pitch + x], x < c.width * 4 ? bytes[y * c.pitch + x] : 0)
              << options << " " << x << "," << y << " at " << std::hex << c.from;
    }
  }
}

/// A page list in guest memory; pages are given by address.
struct PageList {
  static constexpr uint64_t kPage = 4096;
  PageList(AeroGpuDev& device, uint64_t at, std::vector<uint64_t> addresses)
      : dev(device), gpa(at), pages(std::move(addresses)) {
    for (size_t i = 0; i < pages.size(); ++i) dev.qemu.writeq(gpa + i * 8, pages[i]);
  }
  aerogpu_alloc_entry entry(uint32_t id, uint32_t flags = 0) const {
    return {id, flags | AEROGPU_ALLOC_FLAG_EXT_SCATTER, gpa, pages.size() * kPage, 0};
  }
  void write(std::span<const uint8_t> bytes) {
    for (size_t i = 0; i * kPage < bytes.size(); ++i)
      dev.qemu.write(pages[i], bytes.subspan(i * kPage, std::min<size_t>(kPage, bytes.size() - i * kPage)));
  }
  std::vector<uint8_t> read(size_t size) {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; bytes.size() < size; ++i) {
      const auto page = dev.qemu.read(pages[i], std::min<size_t>(kPage, size - bytes.size()));
      bytes.insert(bytes.end(), page.begin(), page.end());
    }
    return bytes;
  }
  AeroGpuDev& dev;
  const uint64_t gpa;
  const std::vector<uint64_t> pages;
};

// EXT-1
TEST(Scatter, IsAnnounced) {
  AeroGpuDev dev;
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_SCATTER,
            uint32_t{AEROGPU_EXT_FEATURE_HI_SCATTER});
}

// LIST-2
TEST(Scatter, UploadsAndWriteBacksThroughPagesInRamAndBar1) {
  for (const char* options : {"renderer=null", "renderer=vulkan"}) {
    AeroGpuDev dev(options);
    dev.startRing();
    constexpr uint64_t kBar1 = AeroGpuDev::kBar1;
    PageList from(dev, 0x500000, {0x700000, 0x702000, 0x703000, kBar1 + 0x5000, 0x701000, kBar1 + 0x6000});
    PageList to(dev, kBar1 + 0x10008,
                {kBar1 + 0x9000, 0x812000, 0x811000, 0x810000, 0x80F000, kBar1 + 0x8000});
    constexpr uint32_t kWidth = 200, kHeight = 25, kPitch = 900;
    const aerogpu_alloc_entry entries[] = {from.entry(1, AEROGPU_ALLOC_FLAG_READONLY), to.entry(2)};
    const auto table = AeroGpuDev::allocTable(entries);
    const auto bytes = pattern(6 * PageList::kPage, 3);
    from.write(bytes);
    CommandWriter w;
    createTexture(w, 1, kWidth, kHeight, kPitch, 1);
    createTexture(w, 2, kWidth, kHeight, kPitch, 2);
    packets::dirtyRange(w, 1, 0, kPitch * kHeight);
    packets::copyTexture(w, 2, 1, kWidth, kHeight);
    dev.waitFence(dev.submit(w, {.table = table}));
    EXPECT_EQ(dev.errorCount(), 0u) << options << "\n" << dev.qemu.output();
    const auto back = to.read(kPitch * kHeight);
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kPitch; ++x)
        ASSERT_EQ(back[y * kPitch + x], x < kWidth * 4 ? bytes[y * kPitch + x] : 0)
            << options << " " << x << "," << y;
    // In the other direction the destination is read-only.
    w.reset();
    packets::copyTexture(w, 1, 2, kWidth, kHeight);
    dev.waitFence(dev.submit(w, {.table = table}));
    EXPECT_EQ(dev.errorCount(), 1u);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_OOB});
  }
}

// LIST-4
TEST(Scatter, AnEarlierSubmissionCanWriteTheList) {
  for (const char* options : {"renderer=null", "renderer=vulkan"}) {
    AeroGpuDev dev(options);
    dev.startRing({.enable = false});
    PageList list(dev, 0x500000, {0x700000});
    const auto old = pattern(4096, 4), fresh = pattern(4096, 5);
    dev.qemu.write(0x700000, old);
    dev.qemu.write(0x701000, fresh);
    dev.qemu.writeq(0x600000, 0x701000);
    const aerogpu_alloc_entry entries[] = {
        list.entry(1), {2, 0, list.gpa, 8, 0}, {3, 0, 0x600000, 8, 0}, {4, 0, kSurfaceGpa, 4096, 0}};
    const auto table = AeroGpuDev::allocTable(entries);
    CommandWriter w;
    packets::createBuffer(w, 2, 8, 0, 2);
    packets::createBuffer(w, 3, 8, 0, 3);
    packets::createBuffer(w, 4, 4096, 0, 4);
    packets::dirtyRange(w, 3, 0, 8);
    packets::copyBuffer(w, 2, 3, 8);
    dev.submit(w, {.table = table, .ring = false});
    w.reset();
    packets::createBuffer(w, 1, 4096, 0, 1);
    packets::dirtyRange(w, 1, 0, 4096);
    packets::copyBuffer(w, 4, 1, 4096);
    const uint64_t fence =
        dev.submit(w, {.commandGpa = kCommandGpa + 0x10000, .table = table, .ring = false});
    dev.enableRing();
    dev.ringBell();
    dev.waitFence(fence);
    EXPECT_EQ(dev.errorCount(), 0u) << options << "\n" << dev.qemu.output();
    EXPECT_EQ(dev.qemu.read(kSurfaceGpa, 4096), fresh) << options;
  }
}

// LIST-3, LIST-5
TEST(Scatter, BadListsAreErrorsOfThePacketAndBadEntriesOfTheTable) {
  AeroGpuDev dev;
  dev.startRing();
  CommandWriter create;
  packets::createBuffer(create, 1, 8192, 0, 1);
  CommandWriter use;
  packets::dirtyRange(use, 1, 4096, 4096);
  PageList good(dev, 0x500000, {0x700000, 0x701000});
  const aerogpu_alloc_entry first[] = {good.entry(1)};
  dev.waitFence(dev.submit(create, {.table = AeroGpuDev::allocTable(first)}));
  uint32_t errors = 0;
  const auto expectOob = [&](const aerogpu_alloc_entry& entry, const char* what) {
    const aerogpu_alloc_entry entries[] = {entry};
    dev.waitFence(dev.submit(use, {.table = AeroGpuDev::allocTable(entries)}));
    EXPECT_EQ(dev.errorCount(), ++errors) << what;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_OOB}) << what;
  };
  const struct {
    uint64_t page;
    const char* what;
  } pages[] = {{0x701008, "unaligned"},
               {64 << 20, "past the RAM"},
               {AeroGpuDev::kBar0, "registers"},
               {uint64_t{0} - 4096, "the last page there is"}};
  for (const auto& page : pages) {
    PageList bad(dev, 0x500000, {0x700000, page.page});
    expectOob(bad.entry(1), page.what);
  }
  aerogpu_alloc_entry entry = good.entry(1);
  for (const uint64_t gpa : {uint64_t{AeroGpuDev::kBar0}, uint64_t{(64 << 20) - 8}, uint64_t{0} - 16}) {
    entry.gpa = gpa;
    expectOob(entry, "list outside memory");
  }
  entry.gpa = 0x500004;
  expectOob(entry, "list not aligned");
  entry.gpa = uint64_t{0} - 8;
  expectOob(entry, "list wraps");
  PageList again(dev, 0x500000, {0x700000, 0x701000});
  const aerogpu_alloc_entry last[] = {again.entry(1)};
  dev.waitFence(dev.submit(use, {.table = AeroGpuDev::allocTable(last)}));
  EXPECT_EQ(dev.errorCount(), errors);
}

}  // namespace
