// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/test/fake_device.h"

#include <gtest/gtest.h>

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/kmd/device/registers.h"

namespace aero::test {
namespace {

FakeDevice *g;

constexpr uint32_t kPeriodNs = 16666667;
constexpr uint32_t kFeatures = AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT |
                               AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO;

bool advances(uint32_t lo) {
  return lo == AEROGPU_MMIO_REG_COMPLETED_FENCE_LO || lo == AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO ||
         lo == AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO;
}

bool readOnly(uint32_t offset) {
  return offset <= AEROGPU_MMIO_REG_FEATURES_HI || advances(offset) || advances(offset - 4) ||
         offset == AEROGPU_MMIO_REG_IRQ_STATUS ||
         (offset >= AEROGPU_MMIO_REG_ERROR_CODE && offset <= AEROGPU_MMIO_REG_ERROR_COUNT) ||
         offset == AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS;
}

}  // namespace

std::ostream &operator<<(std::ostream &out, const RegisterWrite &write) {
  return out << std::hex << "0x" << write.offset << " = 0x" << write.value << std::dec;
}

FakeDevice::FakeDevice(FakeKernel &kernel)
    : m_kernel(kernel),
      m_bar0(AEROGPU_PCI_BAR0_SIZE_BYTES),
      m_registers(m_bar0.size() / 4),
      m_reads(m_bar0.size() / 4) {
  g = this;
  resetMachine();
}

FakeDevice::~FakeDevice() {
  g = nullptr;
}

void FakeDevice::resetMachine() {
  m_registers.assign(m_registers.size(), 0);
  setValue(AEROGPU_MMIO_REG_MAGIC, AEROGPU_MMIO_MAGIC);
  setValue(AEROGPU_MMIO_REG_ABI_VERSION, AEROGPU_ABI_VERSION_U32);
  setValue(AEROGPU_MMIO_REG_FEATURES_LO, kFeatures);
  setValue(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS, kPeriodNs);
  queue.clear();
  m_errorRecords.clear();
  m_errorRecordsWanted = false;
  m_errorsLost = 0;
  m_fetched = 0;
  m_completed = 0;
  m_ticksBefore = m_tickBefore = 0;
}

uint64_t FakeDevice::lastTick() const {
  if (!value(AEROGPU_MMIO_REG_SCANOUT0_ENABLE)) return m_tickBefore;
  const uint64_t period = value(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
  const uint64_t ticks = (m_kernel.now() - m_enabledAt) / period;
  return ticks ? m_enabledAt + ticks * period : m_tickBefore;
}

uint64_t FakeDevice::vblankSequence() const {
  if (!value(AEROGPU_MMIO_REG_SCANOUT0_ENABLE)) return m_ticksBefore;
  return m_ticksBefore + (m_kernel.now() - m_enabledAt) / value(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
}

uint64_t FakeDevice::advancing(uint32_t lo) const {
  switch (lo) {
  case AEROGPU_MMIO_REG_COMPLETED_FENCE_LO:
    return m_completed;
  case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO:
    return vblankSequence();
  default:
    return lastTick() ? lastTick() + clockOffset : 0;
  }
}

uint32_t FakeDevice::read(uint32_t offset) {
  EXPECT_EQ(offset % 4, 0u);
  if (beforeRead) beforeRead(offset);
  if (gone) return 0xFFFFFFFFu;
  m_reads[offset / 4]++;
  if (advances(offset)) {
    const uint64_t now = advancing(offset);
    setValue(offset, static_cast<uint32_t>(now));
    setValue(offset + 4, static_cast<uint32_t>(now >> 32));  // latched until LO is read again
  }
  if (offset == AEROGPU_MMIO_REG_DOORBELL || offset == AEROGPU_MMIO_REG_IRQ_ACK) return 0;
  return value(offset);
}

void FakeDevice::write(uint32_t offset, uint32_t value) {
  EXPECT_EQ(offset % 4, 0u);
  if (gone) return;
  writes.push_back({offset, value});
  EXPECT_FALSE(readOnly(offset)) << writes.back();
  switch (offset) {
  case AEROGPU_MMIO_REG_IRQ_ACK:
    setValue(AEROGPU_MMIO_REG_IRQ_STATUS, this->value(AEROGPU_MMIO_REG_IRQ_STATUS) & ~value);
    return;
  case AEROGPU_MMIO_REG_DOORBELL:
    if (this->value(AEROGPU_MMIO_REG_RING_CONTROL) & AEROGPU_RING_CONTROL_ENABLE) fetch();
    return;
  case AEROGPU_MMIO_REG_RING_CONTROL: {
    const uint32_t before = this->value(offset);
    setValue(offset, value & AEROGPU_RING_CONTROL_ENABLE);
    if (value & AEROGPU_RING_CONTROL_RESET && !hangs && header()) {
      header()->head = header()->tail;
      queue.clear();
      m_fetched = header()->tail;
    }
    if ((before ^ value) & AEROGPU_RING_CONTROL_ENABLE && value & AEROGPU_RING_CONTROL_ENABLE) {
      writeFencePage();
      if (header()) {
        m_fetched = header()->head;
        fetch();
      }
    }
    return;
  }
  case AEROGPU_MMIO_REG_FENCE_GPA_HI:
    setValue(offset, value);
    writeFencePage();
    return;
  case AEROGPU_MMIO_REG_SCANOUT0_ENABLE: {
    if (this->value(offset) && !value) {
      m_ticksBefore = vblankSequence();
      m_tickBefore = lastTick();
      setValue(AEROGPU_MMIO_REG_IRQ_STATUS,
               this->value(AEROGPU_MMIO_REG_IRQ_STATUS) & ~uint32_t{AEROGPU_IRQ_SCANOUT_VBLANK});
    }
    if (!this->value(offset) && value) m_enabledAt = m_kernel.now();
    setValue(offset, value ? 1 : 0);
    return;
  }
  case AEROGPU_EXT_REG_SPACES:
    EXPECT_FALSE(this->value(AEROGPU_MMIO_REG_RING_CONTROL) & AEROGPU_RING_CONTROL_ENABLE) << "SPACE-1";
    setValue(offset, value & AEROGPU_EXT_SPACES_ENABLE);
    return;
  case AEROGPU_EXT_REG_ERROR_NEXT:
    takeErrorRecord();
    return;
  case AEROGPU_EXT_REG_VGA:
    setValue(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    return;
  default:
    setValue(offset, value);
  }
}

aerogpu_ring_header *FakeDevice::header() {
  return static_cast<aerogpu_ring_header *>(
      m_kernel.memoryAt(pair(AEROGPU_MMIO_REG_RING_GPA_LO), value(AEROGPU_MMIO_REG_RING_SIZE_BYTES)));
}

const aerogpu_ring_header *FakeDevice::ring() const {
  return const_cast<FakeDevice *>(this)->header();
}

const aerogpu_fence_page *FakeDevice::fencePage() const {
  return static_cast<const aerogpu_fence_page *>(
      m_kernel.memoryAt(pair(AEROGPU_MMIO_REG_FENCE_GPA_LO), sizeof(aerogpu_fence_page)));
}

void FakeDevice::writeFencePage() {
  auto *page = const_cast<aerogpu_fence_page *>(fencePage());
  if (page) *page = {AEROGPU_FENCE_PAGE_MAGIC, AEROGPU_ABI_VERSION_U32, m_completed, {}};
}

void FakeDevice::fetch() {
  const aerogpu_ring_header *ring = header();
  ASSERT_TRUE(ring) << "the ring is not in memory";
  ASSERT_EQ(ring->magic, AEROGPU_RING_MAGIC);
  ASSERT_LE(ring->tail - m_fetched, ring->entry_count) << "the tail is too far ahead";
  for (; m_fetched != ring->tail; m_fetched++) {
    aerogpu_submit_desc desc;
    memcpy(
        &desc,
        reinterpret_cast<const uint8_t *>(ring + 1) + size_t{m_fetched % ring->entry_count} * ring->entry_stride_bytes,
        sizeof desc);
    if (value(AEROGPU_EXT_REG_SPACES) & AEROGPU_EXT_SPACES_ENABLE) {  // SPACE-5
      ASSERT_GE(ring->entry_stride_bytes, sizeof desc + sizeof newestSpace);
      EXPECT_GE(desc.desc_size_bytes, sizeof desc + sizeof newestSpace);
      memcpy(&newestSpace,
             reinterpret_cast<const uint8_t *>(ring + 1) +
                 size_t{m_fetched % ring->entry_count} * ring->entry_stride_bytes + sizeof desc,
             sizeof newestSpace);
    }
    m_spaces[desc.signal_fence] = value(AEROGPU_EXT_REG_SPACES) ? newestSpace.space : 0;
    queue.push_back(desc);
  }
}

void FakeDevice::complete(size_t count) {
  for (size_t i = 0; i < count; i++) {
    ASSERT_FALSE(queue.empty()) << "nothing is queued";
    ASSERT_FALSE(hangs);
    const aerogpu_submit_desc desc = queue.front();
    queue.pop_front();
    if (desc.signal_fence > m_completed) m_completed = desc.signal_fence;
    if (auto *page = const_cast<aerogpu_fence_page *>(fencePage())) page->completed_fence = m_completed;
    header()->head++;
    if (!(desc.flags & AEROGPU_SUBMIT_FLAG_NO_IRQ))
      setValue(AEROGPU_MMIO_REG_IRQ_STATUS, value(AEROGPU_MMIO_REG_IRQ_STATUS) | AEROGPU_IRQ_FENCE);
  }
}

void FakeDevice::takeErrorRecord() {
  m_errorRecordsWanted = true;
  ErrorRecord taken = {};
  if (!m_errorRecords.empty()) {
    taken = m_errorRecords.front();
    m_errorRecords.pop_front();
  }
  setValue(AEROGPU_EXT_REG_ERROR_TAKEN,
           taken.code | m_errorsLost | (m_errorRecords.empty() ? 0 : uint32_t{AEROGPU_EXT_ERROR_MORE}));
  setValue(AEROGPU_EXT_REG_ERROR_TAKEN_COUNT, taken.code ? 1 : 0);
  setValue(AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_LO, static_cast<uint32_t>(taken.fence));
  setValue(AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_HI, static_cast<uint32_t>(taken.fence >> 32));
  setValue(AEROGPU_EXT_REG_ERROR_TAKEN_SPACE, taken.space);
  setValue(AEROGPU_EXT_REG_ERROR_TAKEN_CONTEXT, taken.context);
  m_errorsLost = 0;
}

void FakeDevice::fail(uint32_t code, bool lost) {
  ASSERT_FALSE(queue.empty());
  const uint64_t fence = queue.front().signal_fence;
  const uint32_t context = queue.front().context_id;
  complete();
  if (m_errorRecordsWanted && lost)
    m_errorsLost |=
        AEROGPU_EXT_ERROR_LOST | (code == AEROGPU_ERROR_INTERNAL ? uint32_t{AEROGPU_EXT_ERROR_LOST_INTERNAL} : 0);
  else if (m_errorRecordsWanted)
    m_errorRecords.push_back({fence, code, m_spaces[fence], context});
  setValue(AEROGPU_MMIO_REG_ERROR_CODE, code);
  setValue(AEROGPU_MMIO_REG_ERROR_FENCE_LO, static_cast<uint32_t>(fence));
  setValue(AEROGPU_MMIO_REG_ERROR_FENCE_HI, static_cast<uint32_t>(fence >> 32));
  setValue(AEROGPU_MMIO_REG_ERROR_COUNT, value(AEROGPU_MMIO_REG_ERROR_COUNT) + 1);
  setValue(AEROGPU_MMIO_REG_IRQ_STATUS, value(AEROGPU_MMIO_REG_IRQ_STATUS) | AEROGPU_IRQ_ERROR);
}

std::vector<RegisterWrite> FakeDevice::takeWrites() {
  std::vector<RegisterWrite> out;
  out.swap(writes);
  return out;
}

}  // namespace aero::test

uint32_t aero::Registers::load(const volatile uint8_t *at) {
  const auto *base = static_cast<const uint8_t *>(aero::test::g->bar0());
  return aero::test::g->read(static_cast<uint32_t>(const_cast<const uint8_t *>(at) - base));
}

void aero::Registers::store(volatile uint8_t *at, uint32_t value) {
  const auto *base = static_cast<const uint8_t *>(aero::test::g->bar0());
  aero::test::g->write(static_cast<uint32_t>(const_cast<const uint8_t *>(at) - base), value);
}
