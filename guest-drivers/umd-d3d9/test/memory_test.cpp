// SPDX-License-Identifier: MIT
// Tests allocations: their descriptions, their writers, their lifetime, sharing, handles. docs/abi/driver-data.md.
#include <array>
#include <tuple>

#include "aerogpu/aerogpu.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

TEST_F(Umd, ReadBacksWriteToAListedAllocationAndNothingElseDoes) {
  prepare();
  p.clear(0xFF00FF00);
  p.read(target, 64, 64);
  size_t copies = 0;
  for (const Submission &submission : rt.submissions) {
    bool back = false;
    for (const Packet &packet : submission.packets) back |= packet.opcode == AEROGPU_CMD_EXT_READ_TEXTURE;
    copies += back;
    size_t written = 0;
    for (const auto &entry : submission.allocations) written += entry.WriteOperation;
    EXPECT_EQ(written, back ? 1u : 0u);
  }
  EXPECT_EQ(copies, 1u);
}

TEST_F(Umd, AnAllocationInTheBatchIsFreedAfterItOnly) {
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 256, 256, Program::texture());
  EXPECT_EQ(kernel.allocations.size(), 1u);
  rt.calls.clear();
  p.destroy(texture);
  EXPECT_EQ(rt.calls["Deallocate"], 0);
  p.flush();  // the fake kernel fails the test if a listed allocation is gone
  EXPECT_EQ(rt.calls["Deallocate"], 1);
  EXPECT_TRUE(kernel.allocations.empty());
}

TEST_F(Umd, PrivateDataSaysWhatAnAllocationIs) {
  HANDLE texture = p.resource(D3DDDIFMT_X8R8G8B8, 30, 20, Program::target() | Program::primary());
  aerogpu_wddm_alloc_priv_v2 priv;
  memcpy(&priv, kernel.allocations.rbegin()->second.priv.data(), sizeof priv);
  EXPECT_EQ(priv.magic, AEROGPU_WDDM_ALLOC_PRIV_MAGIC);
  EXPECT_EQ(priv.version, 2u);
  EXPECT_EQ(priv.kind, uint32_t{AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D});
  EXPECT_EQ(priv.width, 30u);
  EXPECT_EQ(priv.height, 20u);
  EXPECT_EQ(priv.format, 22u);
  EXPECT_GE(priv.row_pitch_bytes, 120u);
  EXPECT_GE(priv.size_bytes, uint64_t{priv.row_pitch_bytes} * 20);
  EXPECT_EQ(priv.flags, AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED)
      << "docs/abi/driver-data.md PRIV-16, PRIV-17";
  EXPECT_EQ(priv.reserved1, 0u);
  EXPECT_TRUE(kernel.allocations.rbegin()->second.primary);
  p.destroy(texture);
}

TEST_F(Umd, SharedIsOneLevelOfOneLayer) {  // EX-45
  HANDLE out;
  const uint32_t shape = Program::texture() | Program::shared();
  for (const auto &[flags, levels, faces] : {std::tuple{shape, 2u, 1u}, std::tuple{shape | Program::cube(), 1u, 6u},
                                             std::tuple{shape | Program::cube(), 5u, 6u}})
    EXPECT_EQ(p.tryResource(D3DDDIFMT_A8R8G8B8, 16, 16, flags, out, D3DDDIPOOL_VIDEOMEMORY, levels, faces),
              kOutOfMemory)  // the one error that textures have
        << levels << " levels of " << faces << " layers";
  rt.takePackets();
  HANDLE shared = p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, shape);
  // EX-41: it is exported before any program can name its token.
  EXPECT_EQ(rt.takePackets(AEROGPU_CMD_EXPORT_SHARED_SURFACE).size(), 1u);
  p.destroy(shared);
}

// docs/abi/driver-data.md PRIV-30: with handle spaces the kernel driver has made each texture with a token.
TEST(UmdSpaces, WhatOthersSeeIsImportedAndNumbersBeginAtOne) {
  for (const bool spaces : {false, true}) {
    SCOPED_TRACE(spaces);
    FakeKernel kernel;
    kernel.spaces = spaces;
    FakeRuntime rt(kernel);
    rt.open();
    Program p(rt);
    const struct {
      const char *what;
      uint32_t flags;
      uint32_t kind;  // kind in the private data
      bool exported;  // without spaces
      bool memory;    // it has an allocation
      uint32_t edge = 256;
    } rows[] = {
        {"shared", Program::texture() | Program::shared(), AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED, true, true},
        {"scanned out", Program::target() | Program::primary(), AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY, false, true},
        {"a back buffer", Program::target(), AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED, false, true},
        {"a texture", Program::texture(), 0, false, true},
        {"a small texture", Program::texture(), 0, false, false, 16},
        {"a texture that is drawn to", Program::texture() | Program::target(), 0, false, false},
    };
    constexpr uint32_t kKinds = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED | AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY |
                                AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED;
    for (const auto &row : rows) {
      SCOPED_TRACE(row.what);
      const size_t before = kernel.allocations.size();
      HANDLE resource = p.resource(D3DDDIFMT_X8R8G8B8, row.edge, row.edge, row.flags);
      aerogpu_wddm_alloc_priv_v2 priv = {};
      const bool memory = kernel.allocations.size() > before;
      EXPECT_EQ(memory, row.memory);
      if (memory) memcpy(&priv, kernel.allocations.rbegin()->second.priv.data(), sizeof priv);
      EXPECT_EQ(priv.flags & kKinds, row.kind);
      // PRIV-28: a surface that the GPU draws and the kernel driver presents takes no guest memory of its size.
      EXPECT_EQ((priv.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY) != 0,
                spaces && row.kind == AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED);
      EXPECT_EQ(p.fn.pfnFlush(p.dev()), 0);
      const auto packets = rt.takePackets();
      size_t created = 0, imported = 0, exported = 0;
      for (const Packet &packet : packets) {
        created += packet.opcode == AEROGPU_CMD_CREATE_TEXTURE2D;
        exported += packet.opcode == AEROGPU_CMD_EXPORT_SHARED_SURFACE;
        if (packet.opcode != AEROGPU_CMD_IMPORT_SHARED_SURFACE) continue;
        const auto import = packet.as<aerogpu_cmd_import_shared_surface>();
        EXPECT_EQ(import.share_token, priv.share_token);
        EXPECT_LT(import.out_resource_handle, 100u) << "a number of the device's own";
        imported++;
      }
      EXPECT_EQ(imported, spaces && row.kind ? 1u : 0u);
      EXPECT_EQ(created, spaces && row.kind ? 0u : 1u);
      EXPECT_EQ(exported, !spaces && row.exported ? 1u : 0u);
      p.destroy(resource);
    }
    rt.close();
  }
}

// PRIV-28: a program with three 1080p back buffers, a texture of that size that it draws to, and depth.
TEST(UmdSpaces, WhatIsDrawnToCostsNoGuestMemory) {
  for (const bool spaces : {false, true}) {
    SCOPED_TRACE(spaces);
    FakeKernel kernel;
    kernel.spaces = spaces;
    FakeRuntime rt(kernel);
    rt.open();
    Program p(rt);
    const size_t before = kernel.allocations.size();
    constexpr uint64_t kPixels = uint64_t{1920} * 1080, kPage = 4096;
    const std::array<HANDLE, 5> made = {
        p.resource(D3DDDIFMT_X8R8G8B8, 1920, 1080, Program::target()),
        p.resource(D3DDDIFMT_X8R8G8B8, 1920, 1080, Program::target()),
        p.resource(D3DDDIFMT_X8R8G8B8, 1920, 1080, Program::target()),
        p.resource(D3DDDIFMT_A8R8G8B8, 1920, 1080, Program::texture() | Program::target()),
        p.resource(D3DDDIFMT_D24S8, 1920, 1080, Program::depth())};
    EXPECT_EQ(kernel.allocations.size() - before, 3u) << "of the back buffers, which the kernel driver presents";
    uint64_t bytes = 0;
    for (const auto &[handle, allocation] : kernel.allocations)
      if (allocation.bytes > kPixels)
        bytes += allocation.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY ? kPage : allocation.bytes;
    EXPECT_EQ(bytes, spaces ? 3 * kPage : 3 * kPixels * 4);
    for (HANDLE resource : made) p.destroy(resource);
    rt.close();
  }
}

// A small texture needs no kernel call: neither to make it, nor to write to it, nor to destroy it.
TEST_F(Umd, TenThousandSmallTexturesAreNoAllocation) {
  constexpr uint32_t kCount = 10000, kEdge = 64;
  rt.commandBytes = size_t{256} * 1024;
  rt.listEntries = 1024;
  p.flush();
  const size_t before = kernel.allocations.size();
  rt.calls.clear();
  rt.allBusy = true;  // no lock waits for the device either
  std::vector<HANDLE> made;
  for (uint32_t i = 0; i < kCount; i++) {
    const uint32_t use = i % 3 ? Program::texture() | (i % 2 ? Program::dynamic() : 0) : 0;  // every third is a surface
    made.push_back(p.resource(D3DDDIFMT_A8R8G8B8, kEdge, kEdge, use));
    if (i % 100 == 0) p.write(made.back(), 0, kEdge, kEdge, std::vector<uint32_t>(size_t{kEdge} * kEdge, i));
  }
  EXPECT_EQ(kernel.allocations.size(), before);
  for (HANDLE each : made) p.destroy(each);
  p.flush();
  for (const char *call : {"Allocate", "Deallocate", "Lock", "Unlock"}) EXPECT_EQ(rt.calls[call], 0) << call;
  EXPECT_EQ(rt.waits, 0);
  // The packets have the written bytes.
  std::vector<uint32_t> sent, wanted;
  for (const Packet &packet : rt.takePackets(AEROGPU_CMD_UPLOAD_RESOURCE)) {
    const auto upload = packet.as<aerogpu_cmd_upload_resource>();
    const size_t at = sent.size();
    sent.resize(at + upload.size_bytes / 4);
    memcpy(&sent[at], &packet.bytes[sizeof upload], upload.size_bytes);
  }
  for (uint32_t i = 0; i < kCount; i += 100) wanted.insert(wanted.end(), size_t{kEdge} * kEdge, i);
  EXPECT_EQ(sent, wanted);
}

TEST_F(Umd, WhatIsSmallEndsAtItsBytes) {
  const struct {
    uint32_t width, height, levels, flags;
    bool memory;
  } rows[] = {
      {128, 128, 1, Program::texture(), false},                     // 64 KiB
      {128, 129, 1, Program::texture(), true},                      // one row more
      {128, 128, 2, Program::texture(), true},                      // one level more
      {64, 64, 1, Program::texture() | Program::dynamic(), false},  // 16 KiB
      {64, 65, 1, Program::texture() | Program::dynamic(), true},
      {16, 16, 1, Program::texture() | Program::shared(), true},  // shared with others
      {16, 16, 1, Program::target() | Program::primary(), true},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(::testing::Message() << row.width << "x" << row.height << ", flags " << row.flags);
    const size_t before = kernel.allocations.size();
    HANDLE made = p.resource(D3DDDIFMT_X8R8G8B8, row.width, row.height, row.flags, D3DDDIPOOL_VIDEOMEMORY, row.levels);
    EXPECT_EQ(kernel.allocations.size() - before, row.memory ? 1u : 0u);
    p.destroy(made);
    p.flush();
  }
}

/** A present without EXT_BLIT shows a surface's own memory. */
TEST(UmdPlain, ASurfaceThatMayBePresentedHasMemory) {
  FakeKernel kernel;
  kernel.featuresHigh = 0;
  FakeRuntime rt(kernel);
  rt.open();
  Program p(rt);
  const size_t before = kernel.allocations.size();
  p.destroy(p.resource(D3DDDIFMT_X8R8G8B8, 16, 16, Program::texture()));
  EXPECT_EQ(kernel.allocations.size(), before);
  HANDLE surface = p.resource(D3DDDIFMT_X8R8G8B8, 16, 16, 0);
  EXPECT_EQ(kernel.allocations.size(), before + 1);
  p.destroy(surface);
  rt.close();
}

TEST(UmdHandles, OfTwoDevicesNeverMeet) {  // PRIV-27
  FakeKernel kernel;
  FakeRuntime a(kernel), b(kernel);
  a.open();
  b.open();
  std::set<uint32_t> seen[2];
  int i = 0;
  for (FakeRuntime *rt : {&a, &b}) {
    Program p(*rt);
    for (int n = 0; n < 50; n++) p.resource(D3DDDIFMT_A8R8G8B8, 4, 4, Program::texture());
    p.flush();
    for (const Packet &packet : rt->takePackets(AEROGPU_CMD_CREATE_TEXTURE2D)) {
      EXPECT_TRUE(seen[i].insert(packet.as<aerogpu_cmd_create_texture2d>().texture_handle).second);
    }
    i++;
  }
  for (const uint32_t handle : seen[0]) {
    EXPECT_FALSE(seen[1].count(handle));
  }
  EXPECT_EQ(seen[0].size() + seen[1].size(), 100u);
  a.close();
  b.close();
}

TEST_F(Umd, AHandleThatIsUsedAgainIsBoundAgain) {
  prepare();
  const auto drawWith = [&] {
    HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 4, 4, Program::texture());
    p.fn.pfnSetTexture(p.dev(), 0, texture);
    EXPECT_EQ(p.draw(D3DPT_POINTLIST, 1), 0);
    p.fn.pfnSetTexture(p.dev(), 0, nullptr);
    p.destroy(texture);
    const auto packets = flushed();
    EXPECT_EQ(count(packets, AEROGPU_CMD_CREATE_TEXTURE2D), 1u);
    for (const Packet &packet : packets)
      if (packet.opcode == AEROGPU_CMD_SET_TEXTURE && packet.as<aerogpu_cmd_set_texture>().texture)
        return packet.as<aerogpu_cmd_set_texture>().texture;
    return 0u;
  };
  flushed();
  const uint32_t first = drawWith(), second = drawWith();
  EXPECT_NE(first, 0u);
  EXPECT_EQ(first, second) << "the number comes again, and so does its packet";
}

}  // namespace
}  // namespace aero::test
