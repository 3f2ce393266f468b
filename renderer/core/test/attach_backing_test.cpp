// SPDX-License-Identifier: MIT
// EXT_ATTACH_BACKING (docs/abi/extensions.md) over both back ends: the places of bytes before and after it,
// what is refused, which handles see it.
#include <cstring>

#include "renderer/test/expect.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::expectError;
using test::expectGood;
using test::Harness;

constexpr auto kFormat = AEROGPU_FORMAT_B8G8R8X8_UNORM;
constexpr uint32_t kSide = 8, kPitch = kSide * 4, kWide = kPitch + 16;
constexpr uint64_t kBytes = uint64_t{kPitch} * kSide;
using Bytes = std::vector<uint8_t>;

class AttachBackingTest : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { ASSERT_TRUE(h.ok()) << h.createError(); }

  test::FinishedSubmission submit() {
    const auto finished = h.submit(w);
    w.reset();
    return finished;
  }
  /// Returns guest memory full of `byte`.
  Allocation memory(uint64_t size, uint8_t byte) {
    const Allocation allocation = h.allocate(size);
    std::fill(h.bytes(allocation).begin(), h.bytes(allocation).end(), byte);
    return allocation;
  }
  uint32_t texture(uint32_t allocId = 0) {
    const uint32_t handle = h.handle();
    Harness::createTexture(w, handle, kFormat, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, allocId,
                           allocId ? kPitch : 0);
    return handle;
  }
  uint32_t buffer(uint64_t size, uint32_t allocId = 0) {
    const uint32_t handle = h.handle();
    packets::createBuffer(w, handle, size, 0, allocId);
    return handle;
  }
  /// Copies `from` to `to` with a write-back.
  void writeBack(uint32_t to, uint32_t from) { packets::copyTexture(w, to, from, kSide, kSide); }
  Bytes pixels(uint32_t handle) { return h.readTexture(handle, kFormat, kSide, kSide); }
  static bool all(std::span<const uint8_t> bytes, uint8_t wanted) {
    return std::all_of(bytes.begin(), bytes.end(), [=](uint8_t byte) { return byte == wanted; });
  }

  Harness h{Harness::Options{.backend = GetParam()}};
  CommandWriter w;
};

// ATTACH-1, ATTACH-3, COPY-1
TEST_P(AttachBackingTest, AResourceMadeWithoutMemoryGetsIt) {
  const Allocation a = memory(kBytes, 0x11), b = memory(4096, 0x22);
  const uint32_t t = texture(), other = texture();
  packets::dirtyRange(w, t, 0, kBytes);
  expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  packets::attachBacking(w, t, a.id, kPitch);
  expectGood(submit());
  EXPECT_TRUE(all(pixels(t), 0)) << "nothing is copied by itself";
  packets::dirtyRange(w, t, 0, kBytes);
  expectGood(submit());
  EXPECT_TRUE(all(pixels(t), 0x11));
  packets::attachBacking(w, other, b.id, kPitch, 4096 - kBytes);
  writeBack(other, t);
  expectGood(submit());
  EXPECT_TRUE(all(h.bytes(b).first(4096 - kBytes), 0x22));
  EXPECT_TRUE(all(h.bytes(b).last(kBytes), 0x11));
}

// ATTACH-1, ATTACH-3
TEST_P(AttachBackingTest, BuffersToo) {
  const Allocation a = memory(256, 0x11), b = memory(256, 0x22);
  const uint32_t from = buffer(64), to = buffer(64, a.id);
  packets::dirtyRange(w, to, 0, 64);
  packets::attachBacking(w, to, b.id, 0xFFFFFFFF, 192);  // the pitch is not read
  packets::attachBacking(w, from, a.id);
  packets::dirtyRange(w, from, 0, 32);
  expectGood(submit());
  EXPECT_TRUE(all(h.readBuffer(to, 64), 0x11)) << "it keeps what it holds";
  packets::copyBuffer(w, to, from, 64);
  expectGood(submit());
  EXPECT_TRUE(all(h.bytes(b).first(192), 0x22));
  EXPECT_TRUE(all(h.bytes(b).subspan(192, 32), 0x11));
  EXPECT_TRUE(all(h.bytes(b).subspan(224, 32), 0)) << "never written: zero";
  EXPECT_TRUE(all(h.bytes(a), 0x11));
}

// ATTACH-1
TEST_P(AttachBackingTest, AReplacedBackingIsLeftAloneAndContentsStay) {
  const Allocation a = memory(kBytes, 0x11), b = memory(kBytes, 0x22);
  const uint32_t t = texture(a.id);
  packets::dirtyRange(w, t, 0, kBytes);
  packets::attachBacking(w, t, b.id, kPitch);
  expectGood(submit());
  EXPECT_TRUE(all(pixels(t), 0x11));
  EXPECT_TRUE(all(h.bytes(a), 0x11));
  EXPECT_TRUE(all(h.bytes(b), 0x22));
  h.forget(a);  // ATTACH-4: no table lists it any more
  packets::dirtyRange(w, t, 0, kPitch);
  expectGood(submit());
  EXPECT_EQ(pixels(t)[0], 0x22);
  EXPECT_EQ(pixels(t)[kPitch], 0x11);
}

// ATTACH-1, ATTACH-3, COPY-1, COPY-6
TEST_P(AttachBackingTest, WithoutABackingNothingMoves) {
  const Allocation a = memory(kBytes, 0x11);
  const uint32_t t = texture(a.id), other = texture();
  packets::dirtyRange(w, t, 0, kBytes);
  packets::attachBacking(w, t, 0);
  expectGood(submit());
  packets::dirtyRange(w, t, 0, kBytes);
  expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  writeBack(t, other);
  expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  EXPECT_TRUE(all(pixels(t), 0x11));
  packets::attachBacking(w, t, 0);  // once more is fine
  packets::destroyResource(w, t);
  expectGood(submit());
}

// ATTACH-2, ALLOC-9, ALLOC-11
TEST_P(AttachBackingTest, IsCheckedAsAtCreation) {
  const Allocation good = memory(kBytes, 0x11), bad = memory(kBytes, 0x22);
  const uint32_t t = texture(good.id), b = buffer(64, good.id);
  expectGood(submit());
  const Allocation shortOne = h.name(bad.gpa, kBytes - 1), tiny = h.name(bad.gpa, 63);
  const struct {
    uint32_t handle, alloc, pitch, offset, code;
  } cases[] = {
      {t, shortOne.id, kPitch, 0, AEROGPU_ERROR_OOB},
      {t, bad.id, kPitch, 1, AEROGPU_ERROR_OOB},
      {t, bad.id, kPitch + 4, 0, AEROGPU_ERROR_OOB},
      {t, bad.id, kPitch, ~0u, AEROGPU_ERROR_OOB},
      {t, bad.id, 0, 0, AEROGPU_ERROR_CMD_DECODE},
      {t, bad.id, kPitch - 1, 0, AEROGPU_ERROR_CMD_DECODE},
      {t, 0, kPitch - 1, 0, AEROGPU_ERROR_CMD_DECODE},
      {t, 4711, kPitch, 0, AEROGPU_ERROR_CMD_DECODE},
      {b, tiny.id, 0, 0, AEROGPU_ERROR_OOB},
      {b, bad.id, 0, kBytes - 63, AEROGPU_ERROR_OOB},
      {b, 4711, 0, 0, AEROGPU_ERROR_CMD_DECODE},
      {0, bad.id, kPitch, 0, AEROGPU_ERROR_CMD_DECODE},
      {4711, bad.id, kPitch, 0, AEROGPU_ERROR_CMD_DECODE},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.handle << ", " << c.alloc << ", " << c.pitch << ", " << c.offset);
    packets::attachBacking(w, c.handle, c.alloc, c.pitch, c.offset);
    expectError(submit(), c.code);
  }
  packets::dirtyRange(w, t, 0, kBytes);
  packets::dirtyRange(w, b, 0, 64);
  expectGood(submit());
  EXPECT_TRUE(all(pixels(t), 0x11)) << "the old backing has stayed";
  EXPECT_TRUE(all(h.readBuffer(b, 64), 0x11));
}

// ATTACH-3, COPY-2
TEST_P(AttachBackingTest, TheNewPitchIsThatOfUploadsToo) {
  const Allocation a = memory(uint64_t{kWide} * kSide, 0x11);
  const uint32_t t = texture(), other = texture();
  packets::attachBacking(w, t, a.id, kWide);
  packets::upload(w, t, kWide, Bytes(kPitch, 0x44));  // row 1
  writeBack(other, t);
  expectError(submit(), AEROGPU_ERROR_CMD_DECODE);  // the other texture has no backing
  const Bytes got = pixels(t);
  EXPECT_TRUE(all({got.data() + kPitch, kPitch}, 0x44));
  EXPECT_TRUE(all({got.data(), kPitch}, 0));
  packets::attachBacking(w, other, a.id, kWide);
  writeBack(other, t);
  expectGood(submit());
  for (uint32_t y = 0; y < kSide; ++y) {
    EXPECT_TRUE(all(h.bytes(a).subspan(y * kWide, kPitch), y == 1 ? 0x44 : 0)) << y;
    EXPECT_TRUE(all(h.bytes(a).subspan(y * kWide + kPitch, kWide - kPitch), 0x11)) << y;
  }
}

// ATTACH-3: a write-back goes to the backing of the time when its packet ran.
TEST_P(AttachBackingTest, WriteBacksBeforeItGoToTheOldMemory) {
  const Allocation a = memory(kBytes, 0x11), b = memory(kBytes, 0x22), source = memory(kBytes, 0x55);
  const uint32_t t = texture(a.id), from = texture(source.id);
  packets::dirtyRange(w, from, 0, kBytes);
  writeBack(t, from);
  packets::attachBacking(w, t, b.id, kPitch);
  expectGood(submit());
  EXPECT_TRUE(all(h.bytes(a), 0x55));
  EXPECT_TRUE(all(h.bytes(b), 0x22));
}

// ATTACH-4, TOK-3
TEST_P(AttachBackingTest, EveryHandleOfTheResourceHasIt) {
  const Allocation a = memory(kBytes, 0x11), b = memory(kBytes, 0x22);
  const uint32_t t = texture(a.id), alias = h.handle();
  w.packet(aerogpu_cmd_export_shared_surface{.resource_handle = t, .share_token = 77});
  w.packet(aerogpu_cmd_import_shared_surface{.out_resource_handle = alias, .share_token = 77});
  packets::attachBacking(w, alias, b.id, kPitch);
  packets::dirtyRange(w, t, 0, kBytes);
  expectGood(submit());
  EXPECT_TRUE(all(pixels(t), 0x22));
  packets::destroyResource(w, alias);
  packets::attachBacking(w, t, a.id, kPitch);
  packets::dirtyRange(w, t, 0, kBytes);
  expectGood(submit());
  EXPECT_TRUE(all(pixels(t), 0x11));
}

// ATTACH-5, PRES-2
TEST_P(AttachBackingTest, ATextureIsShownWhereItLiesNow) {
  const Allocation a = memory(kBytes, 0x11), b = memory(kBytes, 0x22);
  const uint32_t first = texture(a.id), second = texture();
  packets::upload(w, first, 0, Bytes(kBytes, 0x33));
  packets::upload(w, second, 0, Bytes(kBytes, 0x44));
  expectGood(submit());
  const auto shown = [&](const Allocation& at) {
    h.setScanout(kFormat, kSide, kSide, kPitch, at.gpa);
    (void)h.takeFrames();
    (void)h.snapshotScanout();
    const auto frames = h.takeFrames();
    return frames.empty() ? -1 : int{frames.back().pixels[0]};
  };
  EXPECT_EQ(shown(a), 0x33);
  EXPECT_EQ(shown(b), -1) << "memory";
  packets::attachBacking(w, second, a.id, kPitch);
  expectGood(submit());
  EXPECT_EQ(shown(a), 0x44) << "the newest";
  packets::attachBacking(w, first, b.id, kPitch);
  expectGood(submit());
  EXPECT_EQ(shown(b), 0x33);
  packets::attachBacking(w, first, a.id, kPitch);
  expectGood(submit());
  EXPECT_EQ(shown(b), -1);
  EXPECT_EQ(shown(a), 0x33) << "the newest again";
  packets::attachBacking(w, first, 0);
  expectGood(submit());
  EXPECT_EQ(shown(a), 0x44);
  packets::destroyResource(w, second);
  packets::destroyResource(w, first);
  expectGood(submit());
  EXPECT_EQ(shown(a), -1);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, AttachBackingTest, ::testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
