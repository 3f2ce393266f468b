// SPDX-License-Identifier: MIT
// Tests locks of drawn surfaces with D3DLOCK_DONOTWAIT: they request the content, answer that it is still being drawn,
// and get it later. Pages "D3DDDI_LOCKFLAGS" and "PFND3DDDI_LOCK".
#include "guest-drivers/umd-d3d9/test/umd_test.h"

namespace aero::test {
namespace {

class UmdLocks : public Umd {
protected:
  HRESULT tryLock(HANDLE resource, uint32_t subresource = 0) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = resource;
    lock.SubResourceIndex = subresource;
    lock.Flags.DoNotWait = lock.Flags.ReadOnly = 1;
    return p.fn.pfnLock(p.dev(), &lock);
  }
  size_t reads() { return rt.takePackets(AEROGPU_CMD_EXT_READ_TEXTURE).size(); }
};

TEST_F(UmdLocks, AReadThatDoesNotWaitIsAskedForOnce) {
  prepare();
  p.clear(0xFF00FF00);
  rt.allBusy = true;
  for (int i = 0; i < 5; i++) EXPECT_EQ(tryLock(target), kWasStillDrawing);
  EXPECT_EQ(reads(), 1u) << "and it was submitted, so that it gets done";
  EXPECT_EQ(rt.waits, 0);
  rt.allBusy = false;
  EXPECT_EQ(tryLock(target), 0);
  p.unlock(target);
  EXPECT_EQ(reads(), 0u);
}

TEST_F(UmdLocks, WhatIsDrawnInBetweenIsRead) {
  prepare();
  rt.allBusy = true;
  EXPECT_EQ(tryLock(target), kWasStillDrawing);
  p.clear(0xFF00FF00);
  EXPECT_EQ(tryLock(target), kWasStillDrawing);
  EXPECT_EQ(reads(), 2u) << "the first copy is one of before the clear";
  // The target is no longer bound: draws now go elsewhere.
  HANDLE other = p.bindTarget(64, 64);
  EXPECT_EQ(tryLock(target), kWasStillDrawing);
  EXPECT_EQ(reads(), 1u) << "it could have been drawn to before";
  for (int i = 0; i < 5; i++) {
    p.clear(0xFF0000FF);
    p.flush();
    EXPECT_EQ(tryLock(target), kWasStillDrawing);
  }
  EXPECT_EQ(reads(), 0u);
  // A copy to the target is a write. All memory for reads is in use by now.
  const RECT all = {0, 0, 64, 64};
  EXPECT_EQ(p.blt(other, all, target, all), 0);
  EXPECT_EQ(tryLock(target), kWasStillDrawing);
  EXPECT_EQ(reads(), 0u);
  EXPECT_EQ(rt.waits, 0);
  rt.allBusy = false;
  EXPECT_EQ(tryLock(target), 0);
  p.unlock(target);
  EXPECT_EQ(reads(), 1u) << "what was asked for before the copy is not given";
}

TEST_F(UmdLocks, AskingForManyLeavesNobodyWithAnothersPixels) {
  // There are more faces than memory for staging: a lock succeeds only if its copy was the last into its memory.
  HANDLE cube =
      p.resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::cube() | Program::target(), D3DDDIPOOL_VIDEOMEMORY, 1, 6);
  rt.allBusy = true;
  for (uint32_t face = 0; face < 6; face++) EXPECT_EQ(tryLock(cube, face), kWasStillDrawing);
  EXPECT_EQ(rt.waits, 0);
  rt.allBusy = false;
  for (uint32_t face = 0; face < 6; face++) {
    rt.takePackets();
    HRESULT result = tryLock(cube, face);
    if (result == kWasStillDrawing) result = tryLock(cube, face);
    EXPECT_EQ(result, 0) << face;
    p.unlock(cube, face);
  }
  // A lock that waits gets its memory, whatever was requested before.
  rt.allBusy = true;
  for (uint32_t face = 0; face < 3; face++) tryLock(cube, face);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = cube;
  lock.SubResourceIndex = 5;
  EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  p.unlock(cube, 5);
}

/** A call of the kernel costs more than a small copy. */
TEST_F(UmdLocks, AReadBackAndAnUpdateLockTheirMemoryOnce) {
  prepare();
  constexpr UINT kSide = 256;
  std::vector<uint32_t> texels(size_t{kSide} * kSide, 0xFF336699);
  HANDLE memory = p.resource(D3DDDIFMT_X8R8G8B8, kSide, kSide, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, texels.data(), kSide * 4);
  HANDLE drawn = p.bindTarget(kSide, kSide);
  const RECT all = {0, 0, kSide, kSide};
  const auto expectOne = [&](HANDLE from, HANDLE to, const char *what) {
    for (int round = 0; round < 4; round++) {
      p.clear(0xFF00FF00 + round);  // the target is in use again
      rt.calls.clear();
      EXPECT_EQ(p.blt(from, all, to, all), 0);
      p.flush();
      if (round == 0) continue;  // makes its memory
      EXPECT_EQ(rt.calls["Lock"], 1) << what << ", round " << round;
      EXPECT_EQ(rt.calls["Unlock"], 1) << what << ", round " << round;
    }
  };
  expectOne(drawn, memory, "read-back");
  expectOne(memory, drawn, "update");
}

// Page "PFND3DDDI_LOCKCB": a driver keeps the pointer, and unlocks before it renders.
TEST_F(UmdLocks, UpdatesOfABatchShareALock) {
  prepare();
  constexpr uint32_t kBytes = 40 * 1024;  // more than packets carry well
  const std::vector<uint8_t> content(kBytes, 0x5A);
  rt.commandBytes = 65536;  // room for all of them
  rt.listEntries = 64;
  HANDLE buffer = p.buffer(kBytes, nullptr, Program::vertices() | Program::dynamic());
  p.stream(buffer, sizeof(Vertex));
  D3DDDI_LOCKFLAGS discard = {};
  discard.Discard = 1;
  const auto update = [&] {
    p.fill(buffer, 0, kBytes, content.data(), discard.Value);
    EXPECT_EQ(p.draw(D3DPT_TRIANGLELIST, 1), 0);
  };
  update();
  p.flush();
  rt.calls.clear();
  for (int i = 0; i < 8; i++) update();
  EXPECT_EQ(rt.calls["Render"], 0);
  EXPECT_EQ(rt.calls["Lock"], 1);
  EXPECT_EQ(rt.calls["Unlock"], 0);
  p.flush();
  EXPECT_EQ(rt.calls["Unlock"], 1) << "before the kernel renders";
  update();
  p.stream(nullptr, 0);
  p.destroy(buffer);
}

// The device copies while the program prepares its next update, and no update goes through the kernel's buffers.
TEST_F(UmdLocks, LargeUpdatesGoThroughMemoryAndStartAtOnce) {
  constexpr uint32_t kSide = 512;  // 1 MiB
  std::vector<uint32_t> content(kSide * kSide, 0xFF123456);
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, kSide, kSide, Program::texture());
  HANDLE memory = p.resource(D3DDDIFMT_A8R8G8B8, kSide, kSide, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1,
                             content.data(), kSide * 4);
  D3DDDIARG_TEXBLT update = {};
  update.hDstResource = texture;
  update.hSrcResource = memory;
  update.SrcRect = {0, 0, kSide, kSide};
  p.flush();
  rt.takePackets();
  rt.calls.clear();
  rt.allBusy = true;  // the device is behind
  constexpr int kUpdates = 12;
  for (int i = 1; i <= kUpdates; i++) {
    EXPECT_EQ(p.fn.pfnTexBlt(p.dev(), &update), 0);
    EXPECT_EQ(rt.calls["Render"], i);
  }
  EXPECT_EQ(rt.takePackets(AEROGPU_CMD_UPLOAD_RESOURCE).size(), 0u);
  EXPECT_EQ(rt.calls["Allocate"], 3) << "no more pieces of memory for an image";
  rt.allBusy = false;
  p.destroy(memory);
  p.destroy(texture);
}

TEST_F(UmdLocks, ARemovedDeviceIsOne) {
  prepare();
  p.clear(0xFF00FF00);
  rt.errors["Render"] = kDeviceRemoved;
  EXPECT_EQ(tryLock(target), kDeviceRemoved);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = target;
  EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), kDeviceRemoved);
  rt.errors.clear();
}

TEST_F(Umd, LocksNestAndOneUnlockTooManyIsAnError) {
  for (const bool isBuffer : {false, true}) {
    HANDLE resource = isBuffer ? p.buffer(100, nullptr) : p.resource(D3DDDIFMT_A8R8G8B8, 8, 8, Program::texture());
    D3DDDIARG_LOCK lock = {};
    lock.hResource = resource;
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
    EXPECT_NE(lock.pSurfData, nullptr);
    p.unlock(resource);
    p.unlock(resource);
    D3DDDIARG_UNLOCK unlock = {};
    unlock.hResource = resource;
    EXPECT_EQ(p.fn.pfnUnlock(p.dev(), &unlock), kInvalidArgument);
    p.destroy(resource);
  }
}

TEST_F(Umd, RangesPastTheEndAreClampedAndPointersBeginAtTheRange) {
  HANDLE buffer = p.buffer(100, nullptr);
  D3DDDIARG_LOCK whole = {};
  whole.hResource = buffer;
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &whole), 0);
  auto *base = static_cast<uint8_t *>(whole.pSurfData);
  p.unlock(buffer);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = buffer;
  lock.Flags.RangeValid = 1;
  lock.Range = {40, 5000};
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  EXPECT_EQ(lock.pSurfData, base + 40);
  EXPECT_EQ(lock.Pitch, 60u);
  p.unlock(buffer);
  HANDLE texture = p.resource(D3DDDIFMT_DXT1, 16, 16, Program::texture(), D3DDDIPOOL_VIDEOMEMORY, 5);
  D3DDDIARG_LOCK area = {};
  area.hResource = texture;
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &area), 0);
  EXPECT_EQ(area.Pitch, 4u * 8) << "bytes of a row of blocks";
  base = static_cast<uint8_t *>(area.pSurfData);
  p.unlock(texture);
  area.Flags.AreaValid = 1;
  area.Area = {4, 8, 8, 12};
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &area), 0);
  EXPECT_EQ(area.pSurfData, base + 72) << "the third row of blocks, the second of them";
  p.unlock(texture);
  area = {};
  area.hResource = texture;
  area.SubResourceIndex = 4;  // one pixel
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &area), 0);
  EXPECT_EQ(area.Pitch, 8u);
  p.unlock(texture, 4);
}

TEST_F(Umd, DoNotWaitSaysSoAndDiscardNeverWaits) {
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 128, 64, Program::texture() | Program::dynamic());
  p.flush();
  rt.busy.insert(kernel.allocations.begin()->first);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = texture;
  lock.Flags.DoNotWait = 1;
  EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), kWasStillDrawing);
  lock.Flags.Discard = 1;
  EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  memset(lock.pSurfData, 1, 4);
  p.unlock(texture);
  p.flush();
  EXPECT_EQ(rt.takePackets(AEROGPU_CMD_EXT_UPDATE_TEXTURE).size(), 1u) << "through another memory";
}

// Pages "PFND3DDDI_LOCKCB" and "D3DDDICB_LOCKFLAGS". The fake kernel checks the flags of each lock, and that no batch
// lists locked memory where there is no aperture.
TEST(UmdApertures, LocksThatOverwriteNothingDoNotWaitWhereThereIsOne) {
  for (const bool aperture : {false, true}) {
    SCOPED_TRACE(aperture);
    FakeKernel kernel;
    kernel.aperture = aperture;
    FakeRuntime rt(kernel);
    rt.open();
    Program p(rt);
    HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 128, 64, Program::texture() | Program::dynamic());
    p.flush();
    rt.allBusy = true;
    D3DDDIARG_LOCK lock = {};
    lock.hResource = texture;
    lock.Flags.NoOverwrite = 1;
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
    EXPECT_EQ(rt.waits, aperture ? 0 : 1);
    p.unlock(texture);
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0) << "the batch lists its memory";
    p.flush();
    p.unlock(texture);
    EXPECT_EQ(rt.waits, aperture ? 0 : 2);
    rt.close();
  }
}

TEST_F(UmdLocks, ABatchListsNoMemoryOfWhichALevelIsLocked) {
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 128, 128, Program::texture(), D3DDDIPOOL_VIDEOMEMORY, 2);
  p.flush();
  rt.takePackets();
  D3DDDIARG_LOCK locks[2] = {};
  for (UINT level = 0; level < 2; level++) {
    locks[level].hResource = texture;
    locks[level].SubResourceIndex = level;
    ASSERT_EQ(p.fn.pfnLock(p.dev(), &locks[level]), 0);
  }
  memset(locks[0].pSurfData, 0x11, size_t{128} * 128 * 4);
  memset(locks[1].pSurfData, 0x22, size_t{64} * 64 * 4);
  p.unlock(texture, 0);
  size_t bytes = 0;
  for (const Packet &packet : flushed())
    if (packet.opcode == AEROGPU_CMD_UPLOAD_RESOURCE) {
      const auto upload = packet.as<aerogpu_cmd_upload_resource>();
      EXPECT_EQ(upload.offset_bytes, bytes);
      for (size_t i = 0; i < upload.size_bytes; i++) EXPECT_EQ(packet.bytes[sizeof upload + i], 0x11);
      bytes += upload.size_bytes;
    }
  EXPECT_EQ(bytes, size_t{128} * 128 * 4) << "draws see the level that was unlocked";
  p.unlock(texture, 1);
  const auto packets = flushed();
  ASSERT_EQ(count(packets, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 1u);
  EXPECT_EQ(packets[0].as<aerogpu_cmd_resource_dirty_range>().offset_bytes, size_t{128} * 128 * 4);
}

// The last written content of a small texture is in the process' memory, until the device writes to the texture.
TEST_F(UmdLocks, OfSmallTexturesAskTheDeviceForWhatItWroteOnly) {
  HANDLE texture = p.resource(D3DDDIFMT_A8R8G8B8, 16, 8, Program::texture() | Program::dynamic());
  rt.allBusy = true;
  const auto word = [&](bool write, uint32_t value, uint32_t flags = 0) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = texture;
    lock.Flags.Value = flags;
    lock.Flags.ReadOnly = !write;
    lock.Flags.AreaValid = 1;
    lock.Area = {4, 2, 6, 3};
    EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
    EXPECT_EQ(lock.Pitch, 64u);
    uint32_t out = 0;
    memcpy(&out, lock.pSurfData, sizeof out);
    if (write) memcpy(lock.pSurfData, &value, sizeof value);
    p.unlock(texture);
    return out;
  };
  EXPECT_EQ(word(true, 0x11111111), 0u);
  EXPECT_EQ(word(true, 0x22222222), 0x11111111u);
  EXPECT_EQ(count(flushed(), AEROGPU_CMD_UPLOAD_RESOURCE), 2u);
  EXPECT_EQ(word(false, 0), 0x22222222u) << "the device reads its own copy";
  EXPECT_EQ(rt.waits, 0);
  ASSERT_EQ(count(flushed(), AEROGPU_CMD_UPLOAD_RESOURCE), 0u) << "a lock that reads sends nothing";
  // The device does a fill, so the next lock has to request the content, unless it discards.
  D3DDDIARG_COLORFILL fill = {};
  fill.hResource = texture;
  fill.DstRect = {0, 0, 16, 8};
  ASSERT_EQ(p.fn.pfnColorFill(p.dev(), &fill), 0);
  p.flush();
  EXPECT_EQ(tryLock(texture), kWasStillDrawing);
  EXPECT_EQ(reads(), 1u);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = texture;
  lock.Flags.Discard = lock.Flags.DoNotWait = 1;
  ASSERT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  memset(lock.pSurfData, 0x33, size_t{16} * 8 * 4);
  p.unlock(texture);
  EXPECT_EQ(word(false, 0), 0x33333333u) << "all of it was written";
  EXPECT_EQ(rt.waits, 0);
}

}  // namespace
}  // namespace aero::test
