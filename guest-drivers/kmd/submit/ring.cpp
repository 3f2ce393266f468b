// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/submit/ring.h"

#include "aerogpu/aerogpu_ring_extension.h"
#include "guest-drivers/kmd/os/waiting.h"

namespace aero {
namespace {

constexpr uint32_t kMinEntries = 256;
constexpr uint32_t kMaxEntries = 8192;
constexpr uint32_t kFencePageBytes = 4096;
/** How long reset() waits for the device to accept the reset, and until it no longer reads memory. RING-6: the head
 *  moves at once. */
constexpr uint32_t kResetTimeoutMs = 100;
/** How long reset() waits in all while the GPU ends copies into memory, which takes tenths of a second (BUSY-2). */
constexpr uint32_t kWritesTimeoutMs = 450;

}  // namespace

bool Ring::allocate(uint32_t entries) {
  m_entries = kMinEntries;
  while (m_entries < entries && m_entries < kMaxEntries) m_entries *= 2;
  const SIZE_T bytes = sizeof(aerogpu_ring_header) + SIZE_T{m_entries} * sizeof(SpaceSlot);
  if (m_ring.allocate(bytes) && m_page.allocate(kFencePageBytes)) return true;
  free();
  return false;
}

void Ring::free() {
  m_ring.free();
  m_page.free();
  m_tail = 0;
}

void Ring::start(const Registers &registers, uint64_t completedFence, bool spaces) {
  m_stride = spaces ? sizeof(SpaceSlot) : sizeof(aerogpu_submit_desc);
  *m_page.as<aerogpu_fence_page>() = {AEROGPU_FENCE_PAGE_MAGIC, AEROGPU_ABI_VERSION_U32, completedFence, {}};
  *header() = {};
  header()->magic = AEROGPU_RING_MAGIC;
  header()->abi_version = AEROGPU_ABI_VERSION_U32;
  header()->size_bytes = bytes();
  header()->entry_count = m_entries;
  header()->entry_stride_bytes = m_stride;
  m_tail = 0;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  registers.write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, m_page.gpa());
  registers.write64(AEROGPU_MMIO_REG_RING_GPA_LO, m_ring.gpa());
  registers.write(AEROGPU_MMIO_REG_RING_SIZE_BYTES, bytes());
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
  // The register must be written while the ring is disabled (SPACE-1), which it is since the reset above.
  if (spaces) registers.write(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
}

void Ring::stop(const Registers &registers) {
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
  // The next driver may know ABI 1.4 only, which has no handle spaces.
  if (m_stride == sizeof(SpaceSlot)) registers.write(AEROGPU_EXT_REG_SPACES, 0);
  registers.write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
  registers.write64(AEROGPU_MMIO_REG_RING_GPA_LO, 0);
  registers.write(AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
}

Ring::Left Ring::reset(const Registers &registers) {
  registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
  const Deadline deadline(kResetTimeoutMs), last(kWritesTimeoutMs);
  const auto forgotten = [&] {
    return registers.read(AEROGPU_MMIO_REG_MAGIC) != AEROGPU_MMIO_MAGIC ||
           registers.read64(AEROGPU_MMIO_REG_RING_GPA_LO) != m_ring.gpa();
  };
  while (head() != m_tail) {
    if (forgotten()) return Left::Nothing;
    if (deadline.passed()) return Left::Untaken;
    sleepMs(1);
  }
  if (!(registers.read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_RING_BUSY)) return Left::Nothing;
  for (;;) {
    const uint32_t busy = registers.read(AEROGPU_EXT_REG_RING_BUSY);
    if (!busy || forgotten()) return Left::Nothing;
    if (!(busy & AEROGPU_EXT_RING_BUSY_WRITES) && deadline.passed()) return Left::Read;
    if (last.passed()) return Left::Written;
    sleepMs(1);
  }
}

const aerogpu_submit_desc &Ring::slot(uint32_t index) const {
  return *reinterpret_cast<const aerogpu_submit_desc *>(slotAt(index));
}

uint32_t Ring::spaceOf(uint32_t index) const {
  return m_stride == sizeof(SpaceSlot) ? reinterpret_cast<const SpaceSlot *>(slotAt(index))->space.space : 0;
}

}  // namespace aero
