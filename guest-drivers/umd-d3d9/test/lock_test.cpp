// SPDX-License-Identifier: MIT
// Locks of what the device has drawn, with D3DLOCK_DONOTWAIT: they ask, say that it is still drawn, and get it later.
// Pages "D3DDDI_LOCKFLAGS" and "PFND3DDDI_LOCK".
#include "umd_test.h"

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
  // It is bound no more: what is drawn now is drawn elsewhere.
  HANDLE other = p.bindTarget(64, 64);
  EXPECT_EQ(tryLock(target), kWasStillDrawing);
  EXPECT_EQ(reads(), 1u) << "it could have been drawn to before";
  for (int i = 0; i < 5; i++) {
    p.clear(0xFF0000FF);
    p.flush();
    EXPECT_EQ(tryLock(target), kWasStillDrawing);
  }
  EXPECT_EQ(reads(), 0u);
  // A copy to it is a write. All memory for reads is in use by now.
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
  // More faces than there is memory to stage: each lock that succeeds is one whose copy was the last into its memory.
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
  // One that waits gets its memory whoever has asked before.
  rt.allBusy = true;
  for (uint32_t face = 0; face < 3; face++) tryLock(cube, face);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = cube;
  lock.SubResourceIndex = 5;
  EXPECT_EQ(p.fn.pfnLock(p.dev(), &lock), 0);
  p.unlock(cube, 5);
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

}  // namespace
}  // namespace aero::test
