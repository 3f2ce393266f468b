// SPDX-License-Identifier: MIT
// Ring, descriptors, allocation tables, fences, errors. docs/abi/ring.md.
#include <gtest/gtest.h>

#include <cstring>

#include "aerogpu/aerogpu_ring_extension.h"
#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

// RING-1, FENCE-1
TEST(Ring, WrapsAroundItsSlotsAndAtTwoToTheThirtyTwo) {
  for (const uint32_t first : {0u, 0xFFFFFFF5u}) {
    AeroGpuDev dev;
    dev.useFencePage();
    dev.startRing({.entries = 8, .stride = 128, .first = first});
    uint64_t fence = 0;
    for (uint32_t i = 0; i < 40; ++i) {
      fence = dev.submitEmpty();
      dev.waitFence(fence);
    }
    EXPECT_EQ(dev.completedFence(), fence);
    EXPECT_EQ(dev.ringHeader().head, first + 40);
    EXPECT_EQ(dev.fencePage().completed_fence, fence);
    EXPECT_EQ(dev.errorCount(), 0u);
  }
}

// SUB-1, FENCE-9
TEST(Ring, AFullRingIsDrainedInOrder) {
  AeroGpuDev dev;
  dev.startRing({.entries = 16, .stride = 64, .first = 0, .enable = false});
  uint64_t fence = 0;
  for (uint32_t i = 0; i < 16; ++i) fence = dev.submitEmpty();
  EXPECT_EQ(dev.completedFence(), 0u) << "a disabled ring is not fetched";
  EXPECT_EQ(dev.ringHeader().head, 0u);
  dev.enableRing();
  dev.ringBell();
  dev.waitFence(fence);
  EXPECT_EQ(dev.ringHeader().head, 16u);
}

// RING-12, RING-13
TEST(Ring, BadHeadersAreRefusedAndTheDeviceGoesOnAfterTheyAreMended) {
  struct Case {
    const char* what;
    size_t offset;
    uint32_t value;
    bool good;
  };
  const Case cases[] = {
      {"magic", offsetof(aerogpu_ring_header, magic), 0, false},
      {"major", offsetof(aerogpu_ring_header, abi_version), 0x20000, false},
      {"newer minor", offsetof(aerogpu_ring_header, abi_version), 0x10009, true},
      {"size over RING_SIZE_BYTES", offsetof(aerogpu_ring_header, size_bytes), 1 << 20, false},
      {"size without room for the slots", offsetof(aerogpu_ring_header, size_bytes), 64 + 64, false},
      {"no power of two", offsetof(aerogpu_ring_header, entry_count), 12, false},
      {"no slots", offsetof(aerogpu_ring_header, entry_count), 0, false},
      {"huge count", offsetof(aerogpu_ring_header, entry_count), 0x80000000, false},
      {"stride under 64", offsetof(aerogpu_ring_header, entry_stride_bytes), 60, false},
      {"tail too far ahead", offsetof(aerogpu_ring_header, tail), 1000, false},
  };
  for (const Case& c : cases) {
    AeroGpuDev dev;
    dev.startRing({.enable = false});
    const uint64_t fence = dev.submitEmpty(0, false);
    const uint32_t right = dev.qemu.readl(kRingGpa + c.offset);
    dev.qemu.writel(kRingGpa + c.offset, c.value);
    dev.enableRing();
    dev.ringBell();
    if (c.good) {
      dev.waitFence(fence);
      EXPECT_EQ(dev.errorCount(), 0u) << c.what;
      continue;
    }
    dev.waitUntil([&] { return dev.errorCount() != 0; }, c.what);
    EXPECT_EQ(dev.completedFence(), 0u) << c.what;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << c.what;
    dev.qemu.writel(kRingGpa + c.offset, right);
    dev.ringBell();
    dev.waitFence(fence);
  }
}

// RING-6
TEST(Ring, ResetDropsWhatIsQueuedAndKeepsTheFence) {
  AeroGpuDev dev;
  dev.useFencePage();
  dev.startRing();
  const uint64_t done = dev.submitEmpty();
  dev.waitFence(done);
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  dev.submitEmpty();
  dev.submitEmpty();
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail);
  EXPECT_EQ(dev.completedFence(), done);
  EXPECT_EQ(dev.fencePage().completed_fence, done);
  const uint64_t next = dev.submitEmpty();
  dev.waitFence(next);
}

/// Submissions made again may already have run, wholly or in part: an object that exists already, or is gone
/// already, is then no error.
// RING-10, OBJ-1, OBJ-3
TEST(Ring, WhatComesAgainMayHaveRun) {
  for (const bool spaces : {false, true}) {
    AeroGpuDev dev;
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_AGAIN);
    std::optional<aerogpu_submit_space> space;
    if (spaces) {
      dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
      space = {0, AEROGPU_EXT_SPACE_FLAG_KERNEL, 0};
    }
    dev.startRing({.stride = spaces ? 80u : 64u});
    const auto errors = [&](const CommandWriter& w, uint32_t flags) {
      const uint32_t before = dev.errorCount();
      dev.waitFence(dev.submit(w, {.flags = flags, .space = space}));
      return dev.errorCount() - before;
    };
    CommandWriter half, whole;
    for (CommandWriter* w : {&half, &whole}) {
      aerogpu::packets::createBuffer(*w, 1, 16);
      aerogpu::packets::createBuffer(*w, 2, 16);
    }
    aerogpu::packets::destroyResource(whole, 1);
    aerogpu::packets::createBuffer(whole, 3, 16);
    EXPECT_EQ(errors(half, 0), 0u);
    EXPECT_EQ(errors(whole, AEROGPU_SUBMIT_FLAG_EXT_AGAIN), 0u) << dev.qemu.output();
    EXPECT_EQ(dev.qemu.property("resources"), 2);
    EXPECT_EQ(errors(whole, AEROGPU_SUBMIT_FLAG_EXT_AGAIN), 0u) << dev.qemu.output();
    EXPECT_EQ(dev.qemu.property("resources"), 2) << "as after the first time";
    EXPECT_EQ(errors(whole, 0), 2u) << "without the flag 2 and 3 are there already";
    // Other errors stay errors: out of range, and an invalid packet.
    CommandWriter outside;
    aerogpu::packets::upload(outside, 2, 16, std::vector<uint8_t>(4));
    EXPECT_EQ(errors(outside, AEROGPU_SUBMIT_FLAG_EXT_AGAIN), 1u);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_OOB});
    CommandWriter framing;
    const aerogpu_cmd_hdr odd{AEROGPU_CMD_NOP, 7};
    framing.raw(&odd, sizeof odd);
    EXPECT_EQ(errors(framing, AEROGPU_SUBMIT_FLAG_EXT_AGAIN), 1u);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  }
}

/// Wherever the submissions are when the ring is reset: head equals tail, their fences never come, the
/// previous fence stays, and the ring continues to work.
// RING-6
TEST(Ring, ResetAtEveryStage) {
  AeroGpuDev dev;
  dev.useFencePage();
  dev.setScanout({});
  dev.startRing();
  CommandWriter vsync;
  aerogpu::packets::present(vsync, AEROGPU_PRESENT_FLAG_VSYNC);
  CommandWriter longOne;  // a megabyte of packets
  for (int i = 0; i < 65536; ++i) longOne.packet(aerogpu_cmd_flush{});
  const struct {
    const char* stage;
    std::function<void()> arrive;
  } stages[] = {
      {"idle", [] {}},
      {"queued in a disabled ring",
       [&] {
         dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
         for (int i = 0; i < 5; ++i) dev.submitEmpty();
       }},
      {"queued behind others",
       [&] {
         for (int i = 0; i < 12; ++i) dev.submit(vsync);
       }},
      {"being executed", [&] { dev.submit(longOne, {.commandGpa = 0x1000000}); }},
      {"waiting for its vblank",
       [&] {
         const int64_t before = dev.qemu.property("presents-done");
         dev.submit(vsync);
         dev.waitUntil([&] { return dev.qemu.property("presents-done") > before; }, "the present's work");
       }},
      {"two presents, the first waits",
       [&] {
         const int64_t before = dev.qemu.property("presents-done");
         dev.submit(vsync);
         dev.submit(vsync);
         dev.waitUntil([&] { return dev.qemu.property("presents-done") == before + 2; }, "their work");
       }},
      {"ordinary work behind a present",
       [&] {
         dev.submit(vsync);
         dev.submitEmpty();
       }},
  };
  for (const auto& s : stages) {
    const uint64_t done = dev.submitEmpty();
    dev.waitFence(done);
    dev.setNextFence(done + 1000);
    s.arrive();
    const uint64_t after = dev.nextFence() + 1000;
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
    EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail) << s.stage;
    const uint64_t fence = dev.completedFence();  // the long one may just have completed
    EXPECT_TRUE(fence == done || std::strcmp(s.stage, "being executed") == 0) << s.stage;
    dev.qemu.clockStep(50'000'000);  // three vblanks: nothing that was dropped completes late
    EXPECT_EQ(dev.completedFence(), fence) << s.stage;
    EXPECT_EQ(dev.fencePage().completed_fence, fence) << s.stage;
    EXPECT_EQ(dev.qemu.property("queue-depth"), 0) << s.stage;
    dev.setNextFence(after);
    dev.waitFence(dev.submitEmpty());
    EXPECT_EQ(dev.ringHeader().head, dev.ringHeader().tail) << s.stage;
    EXPECT_EQ(dev.errorCount(), 0u) << s.stage;
  }
}

/// At most 128 submissions are fetched and not completed; the rest wait in the ring and come later, in order.
// RING-8
TEST(Ring, MoreThanTheDeviceTakesAtOnce) {
  AeroGpuDev dev;
  dev.setScanout({});
  dev.startRing({.entries = 256});
  CommandWriter vsync;
  aerogpu_cmd_present present{};
  present.flags = AEROGPU_PRESENT_FLAG_VSYNC;
  vsync.packet(present);
  const uint64_t held = dev.submit(vsync);
  uint64_t last = 0;
  for (int i = 0; i < 200; ++i) last = dev.submitEmpty();
  dev.waitUntil([&] { return dev.qemu.property("queue-depth") == 128; }, "a full queue");
  EXPECT_LT(dev.completedFence(), held);
  EXPECT_EQ(dev.qemu.property("submissions"), 128);
  dev.qemu.clockStep(50'000'000);
  dev.waitFence(last);
  dev.waitUntil([&] { return dev.ringHeader().head == 201; }, "head");
  EXPECT_EQ(dev.errorCount(), 0u);
}

// RING-13
TEST(Ring, AnAddressOrSizeThatIsNoneIsOutOfBounds) {
  AeroGpuDev dev;
  dev.startRing({.enable = false});
  const uint32_t size = dev.reg(AEROGPU_MMIO_REG_RING_SIZE_BYTES);
  const auto bell = [&](const char* what) {
    const uint32_t before = dev.errorCount();
    dev.enableRing();
    dev.ringBell();
    dev.waitUntil([&] { return dev.errorCount() > before; }, what);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_OOB}) << what;
    EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0u) << what;
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  };
  dev.setReg(AEROGPU_MMIO_REG_RING_SIZE_BYTES, 63);
  bell("no room for the header");
  dev.setReg(AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0xFFFFFFFF);
  bell("more than there is memory");
  dev.setReg(AEROGPU_MMIO_REG_RING_SIZE_BYTES, size);
  for (const uint64_t gpa : {uint64_t{0x4000000000}, AeroGpuDev::kBar0, ~uint64_t{63}}) {
    dev.setReg64(AEROGPU_MMIO_REG_RING_GPA_LO, gpa);
    bell("no memory");
  }
}

/// Head and tail are atomic words; a word that straddles two processor words is not atomic.
// RING-12, RING-13
TEST(Ring, AnAddressThatIsNotAlignedIsRefused) {
  AeroGpuDev dev;
  dev.startRing({.enable = false});
  const uint64_t fence = dev.submitEmpty(0, false);
  const auto header = dev.qemu.read(kRingGpa, 4096);
  for (const uint64_t skewed : {1, 2, 3, 5}) {
    const uint64_t there = kRingGpa + 0x8000 + skewed;
    dev.qemu.write(there, header);
    dev.setReg64(AEROGPU_MMIO_REG_RING_GPA_LO, there);
    const uint32_t before = dev.errorCount();
    dev.enableRing();
    dev.ringBell();
    dev.waitUntil([&] { return dev.errorCount() > before || dev.completedFence() != 0; }, "an error");
    EXPECT_EQ(dev.completedFence(), 0u) << skewed;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_OOB}) << skewed;
    EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0u) << skewed;
    dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
    EXPECT_EQ(dev.qemu.read(there, 4096), header) << "nothing is written there";
  }
  // One word is enough, for drivers that have no page there.
  const uint64_t there = kRingGpa + 0x8004;
  dev.qemu.write(there, header);
  dev.setReg64(AEROGPU_MMIO_REG_RING_GPA_LO, there);
  dev.enableRing();
  dev.ringBell();
  dev.waitFence(fence);
  dev.waitUntil([&] { return dev.qemu.readl(there + offsetof(aerogpu_ring_header, head)) == 1; }, "head");
}

/// The ring may also lie in BAR1, which is guest memory.
// RING-12, PCI-3
TEST(Ring, InBar1) {
  AeroGpuDev dev;
  dev.startRing({.enable = false});
  const uint64_t fence = dev.submitEmpty();
  constexpr uint64_t kThere = AeroGpuDev::kBar1 + 0x100000;
  dev.qemu.write(kThere, dev.qemu.read(kRingGpa, 4096));
  dev.setReg64(AEROGPU_MMIO_REG_RING_GPA_LO, kThere);
  dev.enableRing();
  dev.ringBell();
  dev.waitFence(fence);
  dev.waitUntil([&] { return dev.qemu.readl(kThere + offsetof(aerogpu_ring_header, head)) == 1; }, "head");
}

// FENCE-5
TEST(Fences, NoPageNoWrite) {
  AeroGpuDev dev;
  dev.useFencePage();
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.fencePage().completed_fence == 1; }, "the page");
  dev.setReg64(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
  const auto low = dev.qemu.read(0, 64);
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.ringHeader().head == 2; }, "head");
  EXPECT_EQ(dev.fencePage().completed_fence, 1u);
  EXPECT_EQ(dev.qemu.read(0, 64), low) << "address 0 is no page";
}

// FENCE-5
TEST(Fences, APageThatIsNotAlignedIsNone) {
  AeroGpuDev dev;
  dev.useFencePage();
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
  dev.waitUntil([&] { return dev.fencePage().completed_fence == 1; }, "the page");
  uint32_t head = 1;
  for (const uint64_t skewed : {1, 2, 4, 7}) {
    const uint64_t there = kFenceGpa + 0x1000;
    const auto before = dev.qemu.read(there, 128);
    dev.setReg64(AEROGPU_MMIO_REG_FENCE_GPA_LO, there + skewed);
    dev.waitFence(dev.submitEmpty());
    ++head;
    dev.waitUntil([&] { return dev.ringHeader().head == head; }, "head");
    EXPECT_EQ(dev.qemu.read(there, 128), before) << skewed;
  }
  EXPECT_EQ(dev.fencePage().completed_fence, 1u);
  EXPECT_EQ(dev.errorCount(), 0u);
}

// SUB-2, SUB-3, SUB-6, FENCE-3
TEST(Descriptors, DefectsAreErrorsButTheFenceAdvances) {
  struct Case {
    const char* what;
    void (*change)(aerogpu_submit_desc&);
    uint32_t code;
  };
  const Case cases[] = {
      {"command address alone", [](aerogpu_submit_desc& d) { d.cmd_gpa = kCommandGpa; },
       AEROGPU_ERROR_CMD_DECODE},
      {"command size alone", [](aerogpu_submit_desc& d) { d.cmd_size_bytes = 24; }, AEROGPU_ERROR_CMD_DECODE},
      {"table size alone", [](aerogpu_submit_desc& d) { d.alloc_table_size_bytes = 24; },
       AEROGPU_ERROR_CMD_DECODE},
      {"descriptor too small", [](aerogpu_submit_desc& d) { d.desc_size_bytes = 60; },
       AEROGPU_ERROR_CMD_DECODE},
      {"descriptor over the stride", [](aerogpu_submit_desc& d) { d.desc_size_bytes = 68; },
       AEROGPU_ERROR_CMD_DECODE},
      {"wraps", [](aerogpu_submit_desc& d) { d.cmd_gpa = UINT64_MAX - 8, d.cmd_size_bytes = 24; },
       AEROGPU_ERROR_OOB},
      {"outside memory", [](aerogpu_submit_desc& d) { d.cmd_gpa = 0x4000000000, d.cmd_size_bytes = 24; },
       AEROGPU_ERROR_OOB},
      {"the device's own registers",
       [](aerogpu_submit_desc& d) { d.cmd_gpa = AeroGpuDev::kBar0, d.cmd_size_bytes = 24; },
       AEROGPU_ERROR_OOB},
      {"half outside", [](aerogpu_submit_desc& d) { d.cmd_gpa = (64 << 20) - 12, d.cmd_size_bytes = 24; },
       AEROGPU_ERROR_OOB},
  };
  for (const Case& c : cases) {
    AeroGpuDev dev;
    dev.startRing();
    aerogpu_submit_desc desc{};
    desc.desc_size_bytes = sizeof desc;
    desc.signal_fence = 5;
    c.change(desc);
    dev.push(desc);
    dev.waitFence(5);
    EXPECT_EQ(dev.errorCount(), 1u) << c.what;
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), c.code) << c.what;
    EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), 5u) << c.what;
    EXPECT_EQ(dev.ringHeader().head, 1u) << c.what;
  }
}

// SUB-2
TEST(Descriptors, LargerOnesAreFine) {
  AeroGpuDev dev;
  dev.startRing({.entries = 4, .stride = 256, .first = 0});
  aerogpu_submit_desc desc{};
  desc.desc_size_bytes = 256;
  desc.signal_fence = 9;
  dev.push(desc);
  dev.waitFence(9);
  EXPECT_EQ(dev.errorCount(), 0u);
}

// SUB-6, ALLOC-4
TEST(AllocTables, ABadTableFailsTheSubmission) {
  AeroGpuDev dev;
  dev.startRing();
  CommandWriter w;
  w.packet(aerogpu_cmd_flush{});
  const aerogpu_alloc_entry twice[] = {{1, 0, kSurfaceGpa, 4096, 0}, {1, 0, kSurfaceGpa, 4096, 0}};
  const auto table = AeroGpuDev::allocTable(twice);
  dev.waitFence(dev.submit(w, {.table = table}));
  EXPECT_EQ(dev.errorCount(), 1u);
  const aerogpu_alloc_entry good[] = {{1, 0, kSurfaceGpa, 4096, 0}, {2, 0, 0, 4096, 0}};
  const auto goodTable = AeroGpuDev::allocTable(good);
  dev.waitFence(dev.submit(w, {.table = goodTable}));
  EXPECT_EQ(dev.errorCount(), 1u);
}

/// Tests every rejection of docs/abi/allocation-table.md, against a table of two good entries.
// ALLOC-1, ALLOC-2, ALLOC-3, FENCE-3
TEST(AllocTables, EachDefectFailsTheSubmissionAndTheFenceAdvances) {
  struct Case {
    const char* what;
    void (*change)(aerogpu_alloc_table_header&, aerogpu_alloc_entry*);
    bool good;
  };
  const Case cases[] = {
      {"magic", [](auto& h, auto*) { h.magic ^= 1; }, false},
      {"major", [](auto& h, auto*) { h.abi_version = 0x20000; }, false},
      {"newer minor", [](auto& h, auto*) { h.abi_version = 0x10009; }, true},
      {"size under the header's", [](auto& h, auto*) { h.size_bytes = 20; }, false},
      {"size over the descriptor's", [](auto& h, auto*) { h.size_bytes += 4; }, false},
      {"stride under 32", [](auto& h, auto*) { h.entry_stride_bytes = 28; }, false},
      {"entries do not fit", [](auto& h, auto*) { h.entry_count = 3; }, false},
      {"count * stride wraps", [](auto& h, auto*) { h.entry_count = 0x08000001; }, false},
      {"id 0", [](auto&, auto* e) { e[1].alloc_id = 0; }, false},
      {"an id twice", [](auto&, auto* e) { e[1].alloc_id = e[0].alloc_id; }, false},
      {"size 0", [](auto&, auto* e) { e[0].size_bytes = 0; }, false},
      {"wraps", [](auto&, auto* e) { e[0].gpa = UINT64_MAX - 4095, e[0].size_bytes = 8192; }, false},
      {"address 0", [](auto&, auto* e) { e[0].gpa = 0; }, true},
      {"an id of the kernel driver", [](auto&, auto* e) { e[0].alloc_id = 0x80000000; }, true},
  };
  AeroGpuDev dev;
  dev.startRing();
  CommandWriter w;
  w.packet(aerogpu_cmd_flush{});
  uint32_t errors = 0;
  for (const Case& c : cases) {
    aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 4096, 0}, {2, 0, kSurfaceGpa + 4096, 4096, 0}};
    auto table = AeroGpuDev::allocTable(entries);
    aerogpu_alloc_table_header header;
    std::memcpy(&header, table.data(), sizeof header);
    c.change(header, entries);
    std::memcpy(table.data(), &header, sizeof header);
    std::memcpy(table.data() + sizeof header, entries, sizeof entries);
    const uint64_t fence = dev.submit(w, {.table = table});
    dev.waitFence(fence);
    if (!c.good) {
      ++errors;
      dev.waitUntil([&] { return dev.errorCount() >= errors; }, c.what);
      EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), fence) << c.what;
      EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_ERROR, uint32_t{AEROGPU_IRQ_ERROR})
          << c.what;
      dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_ERROR);
    }
    EXPECT_EQ(dev.errorCount(), errors) << c.what;
  }
}

// FENCE-2
TEST(Fences, NeverGoBack) {
  AeroGpuDev dev;
  dev.useFencePage();
  dev.startRing();
  dev.setNextFence(0x1'0000'0005);
  dev.waitFence(dev.submitEmpty());
  dev.setNextFence(3);
  dev.submitEmpty();
  dev.waitUntil([&] { return dev.ringHeader().head == 2; }, "second submission");
  EXPECT_EQ(dev.completedFence(), 0x1'0000'0005u);
  EXPECT_EQ(dev.fencePage().completed_fence, 0x1'0000'0005u);
  EXPECT_EQ(dev.fencePage().magic, uint32_t{AEROGPU_FENCE_PAGE_MAGIC});
  EXPECT_EQ(dev.fencePage().abi_version, uint32_t{AEROGPU_ABI_VERSION_U32});
}

// REG-3
TEST(Fences, LoLatchesHi) {
  AeroGpuDev dev;
  dev.startRing();
  dev.setNextFence(0xFFFFFFFF);
  dev.waitFence(dev.submitEmpty());
  const uint32_t lo = dev.reg(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
  dev.submitEmpty();  // 0x100000000
  dev.waitUntil([&] { return dev.ringHeader().head == 2; }, "second submission");
  EXPECT_EQ(lo, 0xFFFFFFFFu);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_COMPLETED_FENCE_HI), 0u) << "HI as of the read of LO";
  EXPECT_EQ(dev.completedFence(), 0x1'0000'0000u);
}

// FENCE-7, FENCE-8, IRQ-2
TEST(Errors, AFailedCommandIsLatchedAndSticks) {
  AeroGpuDev dev;
  dev.startRing();
  CommandWriter w;
  for (int i = 0; i < 2; ++i) aerogpu::packets::destroyResource(w, 77);
  const uint64_t bad = dev.submit(w);
  dev.waitFence(bad);
  EXPECT_EQ(dev.errorCount(), 2u);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_ERROR, uint32_t{AEROGPU_IRQ_ERROR});
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ACK, 0xFFFFFFFF);
  dev.waitFence(dev.submitEmpty());
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  EXPECT_EQ(dev.reg64(AEROGPU_MMIO_REG_ERROR_FENCE_LO), bad);
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_RING_CONTROL), uint32_t{AEROGPU_RING_CONTROL_ENABLE}) << "RESET reads 0";
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), uint32_t{AEROGPU_ERROR_CMD_DECODE})
      << "a ring reset keeps it";
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(dev.errorCount(), 0u);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), 0u);
}

/// QEMU continues to answer, whatever random values a guest writes to registers and ring.
TEST(Hostile, RandomRegistersAndRings) {
  AeroGpuDev dev;
  uint32_t seed = 12345;
  const auto random = [&seed] { return seed = seed * 1664525 + 1013904223; };
  for (int i = 0; i < 3000; ++i) {
    switch (random() >> 28) {
      case 0:
      case 1:
      case 2:
        dev.setReg((random() >> 16) & 0x5FC, random());
        break;
      case 3:
        dev.setReg(0x100 + ((random() >> 20) & 0x3C), kRingGpa);
        break;
      case 4:
        dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, random() >> 30);
        break;
      case 5:
        dev.startRing({.entries = 1u << (random() >> 30), .stride = 64, .first = random()});
        break;
      case 6:
        dev.qemu.writel(kRingGpa + ((random() >> 20) & 0x1FC), random());
        break;
      case 7:
        dev.submitEmpty(random() >> 30);
        break;
      case 8:
        dev.qemu.clockStep(random() >> 6);
        break;
      case 9:
        dev.setScanout({.format = random() >> 28,
                        .width = random() >> 22,
                        .height = random() >> 22,
                        .pitch = random() >> 19,
                        .gpa = random() >> 6},
                       random() >> 31);
        break;
      case 10:
        dev.qemu.readl(AeroGpuDev::kBar0 + ((random() >> 16) & 0xFFFC));
        break;
      default:
        dev.ringBell();
        break;
    }
  }
  dev.qemu.screendump();
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_MAGIC), uint32_t{AEROGPU_MMIO_MAGIC});
  dev.startRing();
  dev.waitFence(dev.submitEmpty());
}

}  // namespace
