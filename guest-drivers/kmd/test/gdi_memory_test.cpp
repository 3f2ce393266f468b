// SPDX-License-Identifier: MIT
// Tests GDI operations within one texture, over memory that the CPU reads and writes, and in buffers that are too small
// for the whole operation.
#include "guest-drivers/kmd/test/gdi_fixture.h"

namespace aero::test {
namespace {

class GdiMemory : public GdiTest {};

TEST_F(GdiMemory, ScrollsInAllDirectionsAcrossCells) {
  // Larger than scratch both ways, so that several cells read what others write.
  const Picture before = noise(1500, 700, 1);
  struct Case {
    int32_t dx, dy;
  };
  for (const Case c : {Case{0, 1}, Case{0, -3}, Case{17, 0}, Case{-1, 0}, Case{40, 30}, Case{40, -30}, Case{-40, 30},
                       Case{-40, -30}, Case{1100, 0}, Case{0, 600}}) {
    SCOPED_TRACE(testing::Message() << c.dx << "," << c.dy);
    const std::vector<GdiRect> rects = {{0, 0, 1500, 700}};
    GdiBlit blit;
    blit.dst = blit.src = surface(before);
    blit.dstRect = {c.dx, c.dy, 1500 + c.dx, 700 + c.dy};
    blit.srcRect = {0, 0, 1500, 700};
    blit.rects = list(rects);
    draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); });
    Picture want = before;
    for (int32_t y = 0; y < 700; y++)
      for (int32_t x = 0; x < 1500; x++)
        if (x - c.dx >= 0 && x - c.dx < 1500 && y - c.dy >= 0 && y - c.dy < 700)
          want.at(x, y) = before.at(x - c.dx, y - c.dy);
    expectPicture(result(blit.dst), want);
  }
}

TEST_F(GdiMemory, ScrollOfManyRectanglesReadsOnlyOldPixels) {
  const Picture before = noise(300, 200, 2);
  const std::vector<GdiRect> rects = checkers(300, 200, 8);  // many more than one draw takes
  ASSERT_GT(rects.size(), 4 * kGdiRectsPerDraw);
  struct Case {
    int32_t dx, dy;
  };
  for (const Case c : {Case{8, 0}, Case{-8, 0}, Case{3, 5}, Case{-5, -9}})
    for (const size_t room : {size_t{64} << 10, kGdiMinBytes}) {
      SCOPED_TRACE(testing::Message() << c.dx << "," << c.dy << " in " << room);
      GdiBlit blit;
      blit.dst = blit.src = surface(before);
      blit.dstRect = {c.dx, c.dy, 300 + c.dx, 200 + c.dy};
      blit.srcRect = {0, 0, 300, 200};
      blit.rects = list(rects);
      draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); }, room);
      Picture want = before;
      for (int32_t y = 0; y < 200; y++)
        for (int32_t x = 0; x < 300; x++)
          if (inside(rects, x, y) && x - c.dx >= 0 && x - c.dx < 300 && y - c.dy >= 0 && y - c.dy < 200)
            want.at(x, y) = before.at(x - c.dx, y - c.dy);
      expectPicture(result(blit.dst), want);
    }
}

TEST_F(GdiMemory, RasterOperationWithinOneTexture) {
  const Picture before = noise(200, 100, 3);
  const std::vector<GdiRect> rects = {{10, 10, 150, 90}};
  GdiBlit blit;
  blit.dst = blit.src = surface(before);
  blit.dstRect = rects[0];
  blit.srcRect = {5, 7, 145, 87};
  blit.rects = list(rects);
  draw([&](PacketWriter &p, uint32_t &steps) { return gdiRopBlit(p, kFirstHandle, blit, kRopSrcInvert, steps); });
  Picture want = before;
  for (int32_t y = 10; y < 90; y++)
    for (int32_t x = 10; x < 150; x++) want.at(x, y) = before.at(x, y) ^ before.at(x - 5, y - 3);
  expectPicture(result(blit.dst), want);
}

TEST_F(GdiMemory, StretchWithinOneTexture) {
  const Picture before = noise(300, 100, 4);
  const std::vector<GdiRect> rects = {{150, 0, 300, 100}};
  GdiBlit blit;
  blit.dst = blit.src = surface(before);
  blit.dstRect = rects[0];
  blit.srcRect = {10, 20, 81, 53};
  blit.rects = list(rects);
  blit.mirrorX = true;
  draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); });
  Picture want = before;
  for (int32_t y = 0; y < 100; y++)
    for (int32_t x = 150; x < 300; x++)
      want.at(x, y) = before.at(80 - (2 * (x - 150) + 1) * 71 / 300, 20 + (2 * y + 1) * 33 / 200);
  expectPicture(result(blit.dst), want);

  blit.srcRect = {10, 20, 181, 53};  // they overlap: such operations are not offered
  uint32_t steps = 0;
  std::vector<uint8_t> buffer(65536);
  PacketWriter packets(buffer.data(), buffer.size());
  EXPECT_EQ(gdiCopy(packets, kFirstHandle, blit, steps), GdiStatus::Unsupported);
  EXPECT_EQ(packets.used(), 0u);
}

TEST_F(GdiMemory, CellsOfADestinationThatIsRead) {
  const Picture before = noise(2100, 1100, 5);
  const std::vector<GdiRect> rects = {{3, 5, 2099, 600}, {100, 650, 1900, 1100}};
  const GdiSurface dst = surface(before, kBgrx);
  draw([&](PacketWriter &p, uint32_t &steps) {
    return gdiFill(p, kFirstHandle, dst, list(rects), 0x00123456, kRopPatInvert, steps);
  });
  Picture want = before;
  for (int32_t y = 0; y < 1100; y++)
    for (int32_t x = 0; x < 2100; x++)
      if (inside(rects, x, y)) want.at(x, y) ^= 0x00123456;
  expectPicture(result(dst), want, kBgrx);
}

TEST_F(GdiMemory, SmallBuffersGiveTheSamePixels) {
  const Picture before = noise(400, 300, 6), from = noise(400, 300, 7);
  const std::vector<GdiRect> rects = checkers(400, 300, 9);
  GdiBlit blit;
  blit.src = surface(from);
  blit.dst = surface(before);
  blit.dstRect = blit.srcRect = {0, 0, 400, 300};
  blit.rects = list(rects);
  const auto operation = [&](PacketWriter &p, uint32_t &steps) {
    return gdiRopBlit(p, kFirstHandle, blit, kRopSrcOr, steps);
  };
  const uint32_t buffers = draw(operation, kGdiMinBytes);
  EXPECT_GT(buffers, 1u);
  Picture want = before;
  for (int32_t y = 0; y < 300; y++)
    for (int32_t x = 0; x < 400; x++)
      if (inside(rects, x, y)) want.at(x, y) |= from.at(x, y);
  expectPicture(result(blit.dst), want);
}

TEST_F(GdiMemory, SourceInMemoryWithThePitchOfTheCommand) {
  // One staging buffer, read as rows of 200 bytes though its texture has rows of 256.
  Allocation memory;
  const Picture whole = noise(64, 32, 8);
  const GdiSurface src = staging(whole, memory, 256);
  const Picture before = noise(60, 40, 9);
  const std::vector<GdiRect> rects = {{4, 6, 44, 30}};
  for (const uint32_t pitch : {0u, 256u, 200u}) {
    const uint32_t rowBytes = pitch ? pitch : 256;
    for (const uint8_t operation : {kRopSrcCopy, kRopSrcAnd}) {
      SCOPED_TRACE(testing::Message() << pitch << " " << +operation);
      GdiBlit blit;
      blit.src = src;
      blit.dst = surface(before);
      blit.dstRect = rects[0];
      blit.srcRect = {2, 3, 42, 27};
      blit.srcPitch = pitch;
      blit.rects = list(rects);
      draw([&](PacketWriter &p, uint32_t &steps) { return gdiRopBlit(p, kFirstHandle, blit, operation, steps); });
      Picture want = before;
      for (int32_t y = 6; y < 30; y++)
        for (int32_t x = 4; x < 44; x++) {
          // Page "DXGK_GDIARG_BITBLT": base + top * pitch + left * 4.
          uint32_t s;
          std::memcpy(
              &s, gpu().bytes(memory).data() + static_cast<size_t>(y - 3) * rowBytes + static_cast<size_t>(x - 2) * 4,
              4);
          want.at(x, y) = operation == kRopSrcCopy ? s : s & before.at(x, y);
        }
      expectPicture(result(blit.dst), want);
    }
  }
  // Rows past the memory do not belong to the source: 8192 bytes are 20 rows of 400.
  const std::vector<GdiRect> tall = {{0, 0, 60, 40}};
  GdiBlit blit;
  blit.src = src;
  blit.dst = surface(before);
  blit.dstRect = {0, 0, 40, 40};
  blit.srcRect = {0, 16, 40, 56};
  blit.srcPitch = 400;
  blit.rects = list(tall);
  draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); });
  Picture want = before;
  for (int32_t y = 0; y < 4; y++)
    std::memcpy(&want.at(0, y), gpu().bytes(memory).data() + static_cast<size_t>(y + 16) * 400, 240);
  expectPicture(result(blit.dst), want);
}

TEST_F(GdiMemory, WhatIsDrawnReachesTheMemoryAndNothingBesideIt) {
  const Picture from = noise(64, 32, 10), before = noise(64, 32, 11);
  const std::vector<GdiRect> rects = checkers(64, 32, 5);
  for (const uint32_t pitch : {256u, 320u})
    for (const uint32_t format : {kBgra, kRgba}) {  // a copy, and a draw
      SCOPED_TRACE(testing::Message() << pitch << " " << format);
      Allocation memory;
      GdiBlit blit;
      blit.src = surface(from, format);
      blit.dst = staging(before, memory, 256);
      blit.dstRect = blit.srcRect = {0, 0, 64, 32};
      blit.dstPitch = pitch;
      blit.rects = list(rects);
      const std::vector<GdiRect> &listed = rects;
      if (pitch != 256) blit.dst.height = 32;
      // The CPU writes next to the drawn pixels.
      auto bytes = gpu().bytes(memory);
      const uint32_t rows = static_cast<uint32_t>(memory.size / pitch);
      std::vector<uint8_t> want(bytes.begin(), bytes.end());
      std::vector<GdiRect> fitting;
      for (const GdiRect &r : listed)
        if (r.bottom <= static_cast<int32_t>(rows)) fitting.push_back(r);
      blit.rects = list(fitting);
      draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); });
      for (int32_t y = 0; y < 32; y++)
        for (int32_t x = 0; x < 64; x++)
          if (inside(fitting, x, y)) {
            const uint32_t pixel = from.at(x, y);
            std::memcpy(&want[static_cast<size_t>(y) * pitch + static_cast<size_t>(x) * 4], &pixel, 4);
          }
      EXPECT_TRUE(std::equal(want.begin(), want.end(), gpu().bytes(memory).begin()));
      gpu().forget(memory);
    }
}

TEST_F(GdiMemory, WrittenBackAndReadInOneBuffer) {
  // The memory of a staging surface is written by one operation and read by the next, before any fence.
  const Picture from = noise(64, 32, 12);
  Allocation memory;
  const GdiSurface middle = staging(Picture(64, 32), memory, 256);
  GdiBlit first, second;
  const std::vector<GdiRect> rects = {{0, 0, 64, 32}};
  first.src = surface(from);
  first.dst = second.src = middle;
  second.dst = surface(Picture(64, 32));
  for (GdiBlit *blit : {&first, &second}) {
    blit->dstRect = blit->srcRect = rects[0];
    blit->rects = list(rects);
  }
  submit(65536, [&](PacketWriter &p) {
    uint32_t steps = 0;
    EXPECT_TRUE(gdiBegin(p, kFirstHandle));
    EXPECT_EQ(gdiCopy(p, kFirstHandle, first, steps), GdiStatus::Done);
    steps = 0;
    EXPECT_EQ(gdiCopy(p, kFirstHandle, second, steps), GdiStatus::Done);
    gdiEnd(p);
  });
  expectPicture(result(second.dst), from);
  expectPicture(memoryPicture(memory, 256, 64, 32), from);
}

TEST_F(GdiMemory, TeardownAndSetUpAgain) {
  submit(kGdiSetupBytes, [&](PacketWriter &p) { EXPECT_TRUE(gdiTeardown(p, kFirstHandle, kGdiSetupSteps)); });
  for (uint32_t step = 0; step < kGdiSetupSteps; step++)
    submit(kGdiSetupBytes, [&](PacketWriter &p) { EXPECT_TRUE(gdiSetup(p, kFirstHandle, step)); });
  const GdiSurface dst = surface(Picture(8, 8));
  const std::vector<GdiRect> rects = {{0, 0, 8, 8}};
  draw([&](PacketWriter &p, uint32_t &steps) {
    return gdiFill(p, kFirstHandle, dst, list(rects), 0xFF010203, kRopPatCopy, steps);
  });
  expectPicture(result(dst), Picture(8, 8, 0xFF010203));
}

}  // namespace
}  // namespace aero::test
