// SPDX-License-Identifier: MIT
// Tests modes and their timing against VESA's tables, EDID, pointer shapes, the raster. Expected values come from VESA
// DMT 1.13, CVT 1.2, E-EDID 1.4 and Microsoft's page "DXGKARG_SETPOINTERSHAPE".
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "guest-drivers/kmd/logic/edid.h"
#include "guest-drivers/kmd/logic/modes.h"
#include "guest-drivers/kmd/logic/pointer.h"
#include "guest-drivers/kmd/logic/vblank_clock.h"

namespace {

using namespace aero;

constexpr Rational kSixty = {60, 1};

// ---- timing ----

/** DMT 1.13: its 60 Hz modes marked "CVT reduced blanking", and 1920x1080 and 1366x768's neighbours by CVT.
 */
struct DmtMode {
  Mode mode;
  uint32_t totalWidth, totalHeight, clockKhz, syncLines;
};
constexpr DmtMode kDmt[] = {
    {{1280, 768}, 1440, 790, 68250, 7},    {{1280, 800}, 1440, 823, 71000, 6},    {{1400, 1050}, 1560, 1080, 101000, 4},
    {{1440, 900}, 1600, 926, 88750, 6},    {{1680, 1050}, 1840, 1080, 119000, 6}, {{1920, 1080}, 2080, 1111, 138500, 5},
    {{1920, 1200}, 2080, 1235, 154000, 6}, {{2560, 1600}, 2720, 1646, 268500, 6},
};

TEST(Timing, IsVesasReducedBlanking) {
  for (const DmtMode &row : kDmt) {
    const Timing timing = timingOf(row.mode, kSixty);
    SCOPED_TRACE(row.mode.width);
    EXPECT_EQ(timing.totalWidth, row.totalWidth);
    EXPECT_EQ(timing.totalHeight, row.totalHeight);
    EXPECT_EQ(timing.syncLines, row.syncLines);
    // CVT rounds the clock down to 250 kHz at the cost of the refresh rate; the device's rate is exact.
    EXPECT_EQ(timing.pixelRate / 250000 * 250, row.clockKhz);
    EXPECT_EQ(timing.pixelRate, uint64_t{row.totalWidth} * row.totalHeight * 60);
    EXPECT_EQ(timing.vsync.numerator, 60u);
    EXPECT_EQ(timing.vsync.denominator, 1u);
    EXPECT_EQ(timing.hsync.numerator / timing.hsync.denominator, row.totalHeight * 60);
  }
}

/** CVT 1.2: the vertical blank lasts at least 460 us, and less than a line longer. It has at least 3 lines, the lines
 * of the sync and 6 lines. */
TEST(Timing, BlankIsLongEnoughAtEveryRate) {
  for (const uint32_t rate : {24u, 50u, 60u, 75u, 100u, 144u, 240u})
    for (const Mode mode : {Mode{640, 480}, Mode{800, 600}, Mode{1280, 1024}, Mode{1366, 768}, Mode{3840, 2160}}) {
      const Timing timing = timingOf(mode, {rate, 1});
      const uint32_t blank = timing.totalHeight - mode.height;
      const double lineUs = (1e6 / rate - 460) / mode.height;
      SCOPED_TRACE(testing::Message() << mode.width << "x" << mode.height << " at " << rate);
      EXPECT_GE(blank, 3 + timing.syncLines + 6);
      EXPECT_GE(blank * lineUs, 460);
      if (blank > 3 + timing.syncLines + 6) {
        EXPECT_LE((blank - 1) * lineUs, 460.01);
      }
      EXPECT_EQ(timing.totalWidth, mode.width + 160);
    }
}

TEST(Timing, RatesComeFromPeriods) {
  const struct {
    uint32_t periodNs, numerator, denominator;
  } rows[] = {{16666667, 60, 1},    {20000000, 50, 1}, {6944444, 144, 1},
              {16683350, 2997, 50}, {13333333, 75, 1}, {0, 60, 1}};
  for (const auto &row : rows) {
    EXPECT_EQ(refreshFromPeriod(row.periodNs).numerator, row.numerator) << row.periodNs;
    EXPECT_EQ(refreshFromPeriod(row.periodNs).denominator, row.denominator) << row.periodNs;
  }
}

// ---- mode list ----

constexpr uint64_t kPlenty = uint64_t{1} << 30;

TEST(Modes, PreferredComesFirstAndNothingTwice) {
  ModeList list;
  list.fill({1920, 1080}, kPlenty);
  ASSERT_GT(list.count(), 10u);
  EXPECT_EQ(list[0], (Mode{1920, 1080}));
  for (size_t i = 0; i < list.count(); i++)
    for (size_t j = 0; j < i; j++) EXPECT_FALSE(list[i] == list[j]);
  for (const Mode mode : {Mode{640, 480}, Mode{800, 600}, Mode{1024, 768}, Mode{1280, 1024}})
    EXPECT_TRUE(list.contains(mode));
  EXPECT_FALSE(list.contains({1921, 1080}));
}

TEST(Modes, AnOddPreferredModeIsOffered) {
  ModeList list;
  list.fill({1111, 777}, kPlenty);
  EXPECT_EQ(list[0], (Mode{1111, 777}));
}

TEST(Modes, OnlyWhatFitsIsOffered) {
  const uint64_t room = uint64_t{framePitch(1280)} * 1024;
  ModeList list;
  list.fill({1920, 1080}, room);
  EXPECT_EQ(list[0], (Mode{640, 480}));
  EXPECT_TRUE(list.contains({1280, 1024}));
  for (size_t i = 0; i < list.count(); i++) EXPECT_LE(uint64_t{list[i].width} * 4 * list[i].height, room);
  list.fill({1920, 1080}, room - 1);
  EXPECT_FALSE(list.contains({1280, 1024}));
}

TEST(Modes, TheSmallestIsAlwaysThere) {
  ModeList list;
  list.fill({0, 0}, 0);
  ASSERT_EQ(list.count(), 1u);
  EXPECT_EQ(list[0], (Mode{640, 480}));
}

TEST(Modes, AbsurdPreferredModesAreNotOffered) {
  ModeList list;
  for (const Mode mode : {Mode{0xFFFFFFFF, 0xFFFFFFFF}, Mode{0, 768}, Mode{1024, 0}, Mode{20000, 1}, Mode{1, 20000}}) {
    list.fill(mode, UINT64_MAX);
    EXPECT_EQ(list[0], (Mode{640, 480}));
  }
}

TEST(Modes, PitchesAreWholeCacheLines) {
  EXPECT_EQ(framePitch(1), 64u);
  EXPECT_EQ(framePitch(16), 64u);
  EXPECT_EQ(framePitch(17), 128u);
  EXPECT_EQ(framePitch(1366), 5504u);
  EXPECT_EQ(framePitch(1366, 2), 2752u);
}

// ---- EDID ----

std::vector<uint8_t> edidOf(uint32_t width, uint32_t height) {
  std::vector<uint8_t> block(kEdidBlock, 0xAA);
  edidBuild(block.data(), {width, height});
  return block;
}

TEST(Edid, IsWhatTheStandardAsksFor) {
  const auto block = edidOf(1280, 800);
  const uint8_t header[] = {0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00};  // 3.3
  EXPECT_EQ(memcmp(block.data(), header, sizeof header), 0);
  EXPECT_EQ(block[18], 1);  // 3.5: version 1.4
  EXPECT_EQ(block[19], 4);
  EXPECT_TRUE(block[20] & 0x80);  // 3.6: digital
  EXPECT_TRUE(block[24] & 0x02);  // the first timing is the native one
  EXPECT_EQ(block[126], 0);       // no extension blocks
  int sum = 0;
  for (const uint8_t byte : block) sum += byte;
  EXPECT_EQ(sum % 256, 0);
  EXPECT_TRUE(edidValid(block.data()));
  // 3.4.1: three letters of five bits, A = 1.
  const int id = block[8] << 8 | block[9];
  for (int shift = 0; shift <= 10; shift += 5) {
    EXPECT_GE(id >> shift & 31, 1);
    EXPECT_LE(id >> shift & 31, 26);
  }
}

/** 3.10.2, against DMT's 1280x800 with reduced blanking. */
TEST(Edid, DetailedTimingIsTheMode) {
  const auto block = edidOf(1280, 800);
  const uint8_t *at = block.data() + 54;
  EXPECT_NEAR((at[0] | at[1] << 8) * 10, 71000, 250);  // kHz
  EXPECT_EQ(at[2] | (at[4] & 0xF0) << 4, 1280);
  EXPECT_EQ(at[3] | (at[4] & 0x0F) << 8, 160);
  EXPECT_EQ(at[5] | (at[7] & 0xF0) << 4, 800);
  EXPECT_EQ(at[6] | (at[7] & 0x0F) << 8, 23);
  EXPECT_EQ(at[8] | (at[11] & 0xC0) << 2, 48);
  EXPECT_EQ(at[9] | (at[11] & 0x30) << 4, 32);
  EXPECT_EQ(at[10] >> 4 | (at[11] & 0x0C) << 2, 3);
  EXPECT_EQ((at[10] & 0x0F) | (at[11] & 0x03) << 4, 6);
  EXPECT_EQ(at[17] & 0x9E, 0x1A);  // not interlaced; separate sync, vertical negative, horizontal positive
}

TEST(Edid, PreferredModeIsReadBack) {
  for (const Mode mode : {Mode{640, 480}, Mode{1024, 768}, Mode{1366, 768}, Mode{3840, 2160}}) {
    const EdidMode got = edidPreferred(edidOf(mode.width, mode.height).data());
    EXPECT_EQ(got.width, mode.width);
    EXPECT_EQ(got.height, mode.height);
  }
}

TEST(Edid, AMonitorWithoutATimingHasNoPreferredMode) {
  auto block = edidOf(1024, 768);
  memset(block.data() + 54, 0, 18);
  block[54 + 3] = 0xFC;  // a name, 3.10.3
  block[54 + 5] = 'x';
  EXPECT_EQ(edidPreferred(block.data()).width, 0u);
}

TEST(Edid, DamageIsNoticed) {
  const auto good = edidOf(1024, 768);
  for (size_t i = 0; i < kEdidBlock; i++) {
    auto bad = good;
    bad[i] ^= 0x10;
    EXPECT_FALSE(edidValid(bad.data())) << i;
  }
  const std::vector<uint8_t> zero(kEdidBlock, 0);  // its sum is right, its header is not
  EXPECT_FALSE(edidValid(zero.data()));
}

// ---- pointer ----

struct Converted {
  std::vector<uint32_t> pixels;
  uint32_t width;
  uint32_t at(uint32_t x, uint32_t y) const { return pixels[y * width + x]; }
};

/** Converts with padding around the picture, which must stay unchanged. */
Converted convert(const PointerShape &shape) {
  const uint32_t pitch = (shape.width + 3) * 4;
  std::vector<uint32_t> out(size_t{shape.width + 3} * (shape.height + 1), 0xDEADBEEF);
  convertPointer(shape, reinterpret_cast<uint8_t *>(out.data()), pitch);
  Converted converted{{}, shape.width};
  for (uint32_t y = 0; y <= shape.height; y++)
    for (uint32_t x = 0; x < shape.width + 3; x++) {
      const uint32_t pixel = out[y * (shape.width + 3) + x];
      if (x < shape.width && y < shape.height)
        converted.pixels.push_back(pixel);
      else
        EXPECT_EQ(pixel, 0xDEADBEEF) << x << "," << y;
    }
  return converted;
}

TEST(Pointer, MonochromeMasks) {
  // AND above XOR, most significant bit first. Columns: black, white, screen, screen, and far from any inverted pixel.
  const uint8_t bits[] = {0b00110000, 0b01000000};
  const Converted got = convert({PointerKind::Monochrome, 4, 1, 1, bits});
  EXPECT_EQ(got.at(0, 0), 0xFF000000u);
  EXPECT_EQ(got.at(1, 0), 0xFFFFFFFFu);
  EXPECT_EQ(got.at(2, 0), 0u);
  EXPECT_EQ(got.at(3, 0), 0u);
}

TEST(Pointer, MonochromeLinesArePitchApart) {
  // 9 pixels wide, two lines, 4 bytes a line: white at (8, 0) and (0, 1), the rest is the screen.
  const uint8_t bits[] = {0xFF, 0x00, 9, 9, 0x7F, 0x80, 9, 9, 0x00, 0x80, 9, 9, 0x80, 0x00, 9, 9};
  const PointerShape shape = {PointerKind::Monochrome, 9, 2, 4, bits};
  EXPECT_EQ(pointerBytes(shape), sizeof bits);
  const Converted got = convert(shape);
  for (uint32_t y = 0; y < 2; y++)
    for (uint32_t x = 0; x < 9; x++)
      EXPECT_EQ(got.at(x, y), (x == 8 && y == 0) || (x == 0 && y == 1) ? 0xFFFFFFFFu : 0u) << x << "," << y;
}

/** The device cannot invert: such a pixel is black with white around it, whatever lies under it. */
TEST(Pointer, InvertedPixelsAreSeenOnAnyGround) {
  // 5x3, all "screen" but the middle pixel, which is inverted (AND 1, XOR 1).
  const uint8_t bits[] = {0xF8, 0xF8, 0xF8, 0x00, 0x20, 0x00};
  const Converted got = convert({PointerKind::Monochrome, 5, 3, 1, bits});
  for (uint32_t y = 0; y < 3; y++)
    for (uint32_t x = 0; x < 5; x++) {
      const uint32_t want = x == 2 && y == 1 ? 0xFF000000u : x >= 1 && x <= 3 ? 0xFFFFFFFFu : 0u;
      EXPECT_EQ(got.at(x, y), want) << x << "," << y;
    }
}

TEST(Pointer, ColorKeepsStraightAlpha) {
  const uint32_t pixels[] = {0xFF112233, 0x80FF0000, 0x01FFFFFF, 0x00FFFFFF};
  const Converted got = convert({PointerKind::Color, 2, 2, 8, reinterpret_cast<const uint8_t *>(pixels)});
  EXPECT_EQ(got.at(0, 0), 0xFF112233u);
  EXPECT_EQ(got.at(1, 0), 0x80FF0000u);
  EXPECT_EQ(got.at(0, 1), 0x01FFFFFFu);
  EXPECT_EQ(got.at(1, 1) >> 24, 0u);
}

TEST(Pointer, MaskedColor) {
  // Mask 0: the colour replaces. Mask 0xFF: XOR; with black that leaves the screen, with white it inverts.
  const uint32_t pixels[] = {0x00000000, 0x00123456, 0xFF000000, 0xFF000000, 0xFF000000, 0xFFFFFFFF};
  const Converted got = convert({PointerKind::MaskedColor, 6, 1, 24, reinterpret_cast<const uint8_t *>(pixels)});
  EXPECT_EQ(got.at(0, 0), 0xFF000000u);
  EXPECT_EQ(got.at(1, 0), 0xFF123456u);
  EXPECT_EQ(got.at(2, 0), 0u);
  EXPECT_EQ(got.at(3, 0), 0u);
  EXPECT_EQ(got.at(4, 0), 0xFFFFFFFFu);  // next to the inverted one
  EXPECT_EQ(got.at(5, 0), 0xFF000000u);
}

// ---- raster ----

// EX-27
TEST(Raster, BlankComesFirstThenEveryLine) {
  const uint32_t active = 800, total = 823, period = 16666667;
  EXPECT_TRUE(rasterAt(active, total, 0, period).inBlank);
  EXPECT_EQ(rasterAt(active, total, 0, period).line, 0u);
  // 23 of 823 lines are blank.
  const uint32_t blankNs = static_cast<uint32_t>(uint64_t{period} * 23 / 823);
  EXPECT_TRUE(rasterAt(active, total, blankNs - 1000, period).inBlank);
  const Raster first = rasterAt(active, total, blankNs + 1000, period);
  EXPECT_FALSE(first.inBlank);
  EXPECT_EQ(first.line, 0u);
  const Raster last = rasterAt(active, total, period - 1, period);
  EXPECT_FALSE(last.inBlank);
  EXPECT_EQ(last.line, active - 1);
  uint32_t line = 0;
  for (uint32_t ns = blankNs + 1000; ns < period; ns += 10000) {
    const Raster raster = rasterAt(active, total, ns, period);
    EXPECT_LE(raster.line - line, 1u);
    line = raster.line;
  }
}

TEST(Raster, CounterTicksAreNanoseconds) {
  EXPECT_EQ(counterNs(0, 3579545), 0u);
  EXPECT_EQ(counterNs(3579545, 3579545), 1000000000u);
  EXPECT_EQ(counterNs(1, 10000000), 100u);
  // A year at 3 GHz: no overflow on the way.
  const uint64_t year = 365ull * 24 * 3600;
  EXPECT_EQ(counterNs(year * 3000000000u, 3000000000u), year * 1000000000u);
}

constexpr uint32_t kPeriod = 16666667;

/** A device whose vblanks are at multiples of kPeriod of its clock, which shows guest time + offset. */
struct FakeDevice {
  int64_t offset;
  uint64_t deviceTime(uint64_t guestNs) const { return guestNs + static_cast<uint64_t>(offset); }
  uint64_t vblank(uint64_t guestNs) const { return deviceTime(guestNs) / kPeriod * kPeriod; }
  uint32_t phase(uint64_t guestNs) const { return static_cast<uint32_t>(deviceTime(guestNs) % kPeriod); }
};

uint32_t distance(uint32_t a, uint32_t b) {
  const uint32_t d = a > b ? a - b : b - a;
  return d > kPeriod / 2 ? kPeriod - d : d;
}

// EX-27
TEST(VblankClock, APollerSoonKnowsTheRaster) {
  for (const int64_t offset : {int64_t{0}, int64_t{123456789}, int64_t{-98765432}, int64_t{5000000000000}}) {
    const FakeDevice device{offset};
    VblankClock clock;
    uint64_t now = 200000000;
    EXPECT_EQ(clock.uncertainty(now), UINT64_MAX);
    const uint64_t step = 100000;  // each 0.1 ms has one reading, which takes 2000 ns
    for (int i = 0; i < 2 * 167; i++, now += step) {
      clock.observe(device.vblank(now + 700), now, now + 2000, kPeriod);
      ASSERT_LE(distance(clock.phase(now, kPeriod), device.phase(now)), clock.uncertainty(now));
    }
    EXPECT_LE(clock.uncertainty(now), 2 * step);
    EXPECT_LE(distance(clock.phase(now, kPeriod), device.phase(now)), step);
    // The clock still knows it a second later, without a reading: 50 ppm of a second each way.
    now += 1000000000;
    EXPECT_LE(clock.uncertainty(now), 2 * (step + 50000));
    EXPECT_LE(distance(clock.phase(now, kPeriod), device.phase(now)), step + 50000);
  }
}

TEST(VblankClock, AJumpOfOneClockIsFollowed) {
  FakeDevice device{0};
  VblankClock clock;
  uint64_t now = 1000000000;
  for (int i = 0; i < 400; i++, now += 100000) clock.observe(device.vblank(now), now, now, kPeriod);
  device.offset -= 7 * int64_t{1000000000} + kPeriod / 3;  // the VM was stopped, the counter was not
  for (int i = 0; i < 400; i++, now += 100000) clock.observe(device.vblank(now), now, now, kPeriod);
  EXPECT_LE(distance(clock.phase(now, kPeriod), device.phase(now)), 200000u);
}

TEST(VblankClock, WithoutAReadingTimeStillPasses) {
  const VblankClock clock;
  EXPECT_NE(clock.phase(1000000, kPeriod), clock.phase(2000000, kPeriod));
  EXPECT_LT(clock.phase(UINT64_MAX, kPeriod), kPeriod);
}

}  // namespace
