// SPDX-License-Identifier: MIT
#include "ring.h"

#include "waiting.h"

namespace aero {
namespace {

constexpr uint32_t kMinEntries = 256;
constexpr uint32_t kMaxEntries = 8192;
constexpr uint32_t kFencePageBytes = 4096;
/** A reset waits for the device to let go of the command that it runs. RING-6: the head moves at once. */
constexpr uint32_t kResetTimeoutMs = 100;

}  // namespace

bool Ring::allocate(uint32_t entries) {
  m_entries = kMinEntries;
  while (m_entries < entries && m_entries < kMaxEntries) m_entries *= 2;
  const SIZE_T bytes = sizeof(aerogpu_ring_header) + SIZE_T{m_entries} * sizeof(aerogpu_submit_desc);
  if (m_ring.allocate(bytes) && m_page.allocate(kFencePageBytes)) return true;
  free();
  return false;
}

void Ring::free() {
  m_ring.free();
  m_page.free();
  m_tail = 0;
}

void Ring::start(const Registers &registers, uint64_t completedFence) {
  *m_page.as<aerogpu_fence_page>() = {AEROGPU_FENCE_PAGE_MAGIC, AEROGPU_ABI_VERSION_U32, completedFence, {}};
  *header() = {};
  header()->magic = AEROGPU_RING_MAGIC;
  header()->abi_version = AEROGPU_ABI_VERSION_U32;
  header()->size_bytes = bytes();
  header()->entry_count = m_entries;
  header()->entry_stride_bytes = sizeof(aerogpu_submit_desc);
  m_tail = 0;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  registers.write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, m_page.gpa());
  registers.write64(AEROGPU_MMIO_REG_RING_GPA_LO, m_ring.gpa());
  registers.write(AEROGPU_MMIO_REG_RING_SIZE_BYTES, bytes());
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
}

void Ring::stop(const Registers &registers) {
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
  registers.write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
  registers.write64(AEROGPU_MMIO_REG_RING_GPA_LO, 0);
  registers.write(AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
}

bool Ring::reset(const Registers &registers) {
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
  const Deadline deadline(kResetTimeoutMs);
  while (head() != m_tail) {
    if (registers.read(AEROGPU_MMIO_REG_MAGIC) != AEROGPU_MMIO_MAGIC ||
        registers.read64(AEROGPU_MMIO_REG_RING_GPA_LO) != m_ring.gpa())
      return true;
    if (deadline.passed()) return false;
    sleepMs(1);
  }
  return true;
}

bool Ring::push(const Registers &registers, const Submission &submission) {
  if (m_tail - head() >= m_entries) return false;
  const uint32_t commands = submission.commandBytes, table = submission.tableBytes;
  auto *slots = reinterpret_cast<aerogpu_submit_desc *>(header() + 1);
  slots[m_tail & (m_entries - 1)] = {
      sizeof(aerogpu_submit_desc),
      submission.flags,
      submission.contextId,
      AEROGPU_ENGINE_0,
      commands ? submission.commandGpa : 0,
      commands,
      0,
      table ? submission.tableGpa : 0,
      table,
      0,
      submission.fence,
      0,
  };
  m_tail++;
  // The slot is complete before the device can see the tail.
  uint32_t *tail = &header()->tail;
  __atomic_store_n(tail, m_tail, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  registers.write(AEROGPU_MMIO_REG_DOORBELL, m_tail);
  return true;
}

const aerogpu_submit_desc &Ring::slot(uint32_t index) const {
  return reinterpret_cast<const aerogpu_submit_desc *>(header() + 1)[index & (m_entries - 1)];
}

}  // namespace aero
