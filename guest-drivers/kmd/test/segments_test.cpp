// SPDX-License-Identifier: MIT
// Tests the aperture's page list as the device reads it (docs/abi/allocation-table.md, LIST): it has what the OS maps
// and unmaps (pages "DxgkDdiBuildPagingBuffer", "DXGKARG_BUILDPAGINGBUFFER") as soon as the call returns.
#include "guest-drivers/kmd/memory/segments.h"

#include <gtest/gtest.h>

#include <vector>

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/kmd/device/words.h"
#include "guest-drivers/kmd/test/fake_device.h"

namespace aero::test {
namespace {

constexpr uint64_t kVramGpa = 0x1F0000000, kVramBytes = uint64_t{64} << 20;
constexpr uint64_t kPages = (uint64_t{64} << 20) / kPageBytes;  // half of the memory
constexpr uint64_t kDummy = 0x13579000;

class SegmentsTest : public testing::Test {
protected:
  SegmentsTest() {
    m_registers.map(m_device.bar0());
    m_device.setValue(AEROGPU_MMIO_REG_FEATURES_HI, AEROGPU_EXT_FEATURE_HI_SCATTER);
    EXPECT_EQ(m_segments.start(m_registers, kVramGpa, kVramBytes, uint64_t{128} << 20), STATUS_SUCCESS);
    EXPECT_EQ(m_segments.apertureBytes(), kPages * kPageBytes);
    m_expected.assign(kPages, kNowhere);
  }
  ~SegmentsTest() override { m_segments.stop(); }

  uint64_t base() const {
    DXGK_SEGMENTDESCRIPTOR descriptor;
    m_segments.describe(kSegmentAperture, descriptor);
    return static_cast<uint64_t>(descriptor.BaseAddress.QuadPart);
  }
  /** Returns where the device looks for page `first` of the aperture. */
  uint64_t entryGpa(uint64_t first) const {
    aerogpu_alloc_entry entry = {};
    entry.size_bytes = kPageBytes;
    m_segments.locate(kSegmentAperture, base() + first * kPageBytes, entry);
    EXPECT_EQ(entry.flags, AEROGPU_ALLOC_FLAG_EXT_SCATTER);
    return entry.gpa;
  }
  void expectList() const {
    const auto *list = static_cast<const uint64_t *>(m_kernel.memoryAt(entryGpa(0), kPages * sizeof(uint64_t)));
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(entryGpa(0) % sizeof(uint64_t), 0u);
    EXPECT_EQ(entryGpa(7), entryGpa(0) + 7 * sizeof(uint64_t));
    for (uint64_t i = 0; i < kPages; i++) ASSERT_EQ(list[i], m_expected[i]) << "entry " << i;
  }
  bool map(uint64_t first, const std::vector<uintptr_t> &frames) {
    return m_segments.map(first, frames.size(), frames.data());
  }

  FakeKernel m_kernel;
  FakeDevice m_device{m_kernel};
  Registers m_registers;
  Segments m_segments;
  std::vector<uint64_t> m_expected;
};

TEST_F(SegmentsTest, NamesNoMemoryBeforeAnythingIsMapped) {
  EXPECT_EQ(kNowhere % kPageBytes, 0u);
  expectList();
}

TEST_F(SegmentsTest, MapsFramesAndUnmapsToTheDummyPage) {
  const std::vector<uintptr_t> frames = {0x300, 0xFFFFF, 5, 6, 0x123456, 4};
  ASSERT_TRUE(map(10, frames));
  for (size_t i = 0; i < frames.size(); i++) m_expected[10 + i] = uint64_t{frames[i]} << 12;
  expectList();
  // The middle goes, the ends stay.
  ASSERT_TRUE(m_segments.unmap(11, 4, kDummy));
  for (size_t i = 11; i < 15; i++) m_expected[i] = kDummy;
  expectList();
  ASSERT_TRUE(map(12, {0x77}));
  m_expected[12] = 0x77000;
  ASSERT_TRUE(map(kPages - 1, {0x88}));
  m_expected[kPages - 1] = 0x88000;
  expectList();
}

TEST_F(SegmentsTest, TouchesNothingThatIsNotThere) {
  const uintptr_t frame = 1;
  for (const auto &[first, count] :
       std::vector<std::pair<uint64_t, uint64_t>>{{kPages, 1}, {kPages - 1, 2}, {~uint64_t{0}, 2}, {2, ~uint64_t{0}}}) {
    EXPECT_FALSE(m_segments.map(first, count, &frame));
    EXPECT_FALSE(m_segments.unmap(first, count, kDummy));
  }
  EXPECT_TRUE(m_segments.map(kPages, 0, nullptr));
  EXPECT_TRUE(m_segments.unmap(0, 0, kDummy));
  expectList();
  m_segments.stop();
  EXPECT_FALSE(m_segments.map(0, 1, &frame));
  EXPECT_FALSE(m_segments.unmap(0, 1, kDummy));
}

// A paging operation gets the mapped pages; where nothing was ever mapped it gets none.
TEST_F(SegmentsTest, TransfersFindThePages) {
  MemoryRef ref;
  EXPECT_FALSE(m_segments.locate(kSegmentAperture, base(), kPageBytes, ref));
  ASSERT_TRUE(map(20, {9, 8, 7}));
  ASSERT_TRUE(m_segments.locate(kSegmentAperture, base() + 20 * kPageBytes, 3 * kPageBytes, ref));
  ASSERT_TRUE(ref.isPages());
  for (uint64_t i = 0; i < 3; i++) EXPECT_EQ(ref.page(i), (9 - i) << 12);
  EXPECT_TRUE(m_segments.locate(kSegmentAperture, base() + 21 * kPageBytes, kPageBytes + 4, ref));
  EXPECT_FALSE(m_segments.locate(kSegmentAperture, base() + 20 * kPageBytes, 3 * kPageBytes + 1, ref));
  EXPECT_FALSE(m_segments.locate(kSegmentAperture, base() + 19 * kPageBytes, kPageBytes, ref));
  ASSERT_TRUE(m_segments.unmap(20, 3, kDummy));
  ASSERT_TRUE(m_segments.locate(kSegmentAperture, base() + 20 * kPageBytes, 3 * kPageBytes, ref));
  EXPECT_EQ(ref.page(2), kDummy);
}

TEST(Words, AreStoredAndLoadedWhole) {
  alignas(8) uint64_t word = 0x1111222233334444;
  storeWord(&word, 0xFFFFFFFF00000001);
  EXPECT_EQ(loadWord(&word), 0xFFFFFFFF00000001);
  storeWord(&word, 0);
  EXPECT_EQ(loadWord(&word), 0u);
  EXPECT_EQ(word, 0u);
}

}  // namespace
}  // namespace aero::test
