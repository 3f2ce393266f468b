// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/device.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>

#include "aerogpu/aerogpu_pci.h"

namespace aerogpu::guest {

namespace {
// How long waitFence() polls before it sleeps: long enough for a device that answers at once, and cheap if
// the device does not.
constexpr int64_t kPollNs = 30'000;
// The longest time that a fence goes unnoticed if its interrupt is late or lost.
constexpr int64_t kInterruptSliceNs = 200'000'000;

const char* errorName(uint32_t code) {
  switch (code) {
    case AEROGPU_ERROR_NONE:
      return "none";
    case AEROGPU_ERROR_CMD_DECODE:
      return "CMD_DECODE";
    case AEROGPU_ERROR_OOB:
      return "OOB";
    case AEROGPU_ERROR_BACKEND:
      return "BACKEND";
    case AEROGPU_ERROR_INTERNAL:
      return "INTERNAL";
  }
  return "unknown";
}
}  // namespace

int64_t nowNs() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Status Device::start(uint32_t entries, uint32_t commandBytes) {
  const uint32_t magic = m_registers.read(AEROGPU_MMIO_REG_MAGIC);
  if (magic != AEROGPU_MMIO_MAGIC) return Status::failure("BAR0 has magic 0x%08x, not AGPU", magic);
  const uint32_t abi = m_registers.read(AEROGPU_MMIO_REG_ABI_VERSION);
  if (abi >> 16 != AEROGPU_ABI_MAJOR)
    return Status::failure("ABI %u.%u is not ours", abi >> 16, abi & 0xFFFF);
  const uint32_t features = m_registers.read(AEROGPU_MMIO_REG_FEATURES_LO);
  if (!(features & AEROGPU_FEATURE_FENCE_PAGE)) return Status::failure("the device has no fence page");

  m_commandBytes = static_cast<uint32_t>((uint64_t{commandBytes} + kPageBytes - 1) / kPageBytes * kPageBytes);
  m_slotBytes = m_commandBytes + kTableBytes;
  for (const auto& [bytes, block] :
       {std::pair{Ring::bytesFor(entries), &m_ringMemory}, std::pair{kPageBytes, &m_fencePage},
        std::pair{uint64_t{m_slotBytes} * entries, &m_slotMemory}}) {
    Status status = m_memory.allocate(bytes, *block);
    if (!status.ok()) return status;
  }
  m_registers.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  m_registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
  m_registers.write(AEROGPU_MMIO_REG_IRQ_ACK, 0xFFFFFFFFu);
  m_ring.create(m_ringMemory, entries);
  m_registers.write64(AEROGPU_MMIO_REG_RING_GPA_LO, m_ring.gpa());
  m_registers.write(AEROGPU_MMIO_REG_RING_SIZE_BYTES, m_ring.sizeBytes());
  m_registers.write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, m_fencePage.gpa);
  m_registers.write(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
  // A device that was used before continues its count.
  m_lastFence = m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
  m_errorsSeen = error().count;
  m_interrupts.enable(AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
  return {};
}

void Device::stop() {
  m_interrupts.disable(0xFFFFFFFFu);
  m_registers.write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  m_registers.write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
}

uint64_t Device::completedFence() const {
  auto* fence = reinterpret_cast<uint64_t*>(m_fencePage.cpu + offsetof(aerogpu_fence_page, completed_fence));
  return std::atomic_ref<uint64_t>(*fence).load(std::memory_order_acquire);
}

DeviceError Device::error() {
  return {m_registers.read(AEROGPU_MMIO_REG_ERROR_CODE), m_registers.read(AEROGPU_MMIO_REG_ERROR_COUNT),
          m_registers.read64(AEROGPU_MMIO_REG_ERROR_FENCE_LO)};
}

Status Device::checkError() {
  const DeviceError e = error();
  if (e.count == m_errorsSeen) return {};
  const uint32_t before = m_errorsSeen;
  m_errorsSeen = e.count;
  return Status::failure("the device reports %u error(s), the last one %s (0x%x) in fence %llu",
                         e.count - before, errorName(e.code), e.code,
                         static_cast<unsigned long long>(e.fence));
}

Status Device::timeoutStatus(const char* what, uint64_t fence, int64_t timeoutNs) {
  const DeviceError e = error();
  return Status::failure(
      "%s: fence %llu not reached in %lld ms (completed %llu, register %llu, ring head %u tail %u, IRQ "
      "status 0x%x "
      "enable 0x%x, error %s 0x%x fence %llu count %u)",
      what, static_cast<unsigned long long>(fence), static_cast<long long>(timeoutNs / 1'000'000),
      static_cast<unsigned long long>(completedFence()),
      static_cast<unsigned long long>(m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO)), m_ring.head(),
      m_ring.tail(), m_registers.read(AEROGPU_MMIO_REG_IRQ_STATUS),
      m_registers.read(AEROGPU_MMIO_REG_IRQ_ENABLE), errorName(e.code), e.code,
      static_cast<unsigned long long>(e.fence), e.count);
}

Status Device::submit(std::span<const uint8_t> commands, const AllocTable& table, uint32_t flags,
                      uint64_t& fence) {
  if (commands.size() > m_commandBytes)
    return Status::failure("a command stream of %zu bytes; slots have %u", commands.size(), m_commandBytes);
  if (table.sizeBytes() > kTableBytes)
    return Status::failure("an allocation table of %u bytes; slots have %u", table.sizeBytes(), kTableBytes);
  // A slot's buffers may be reused once head has passed the slot, because its fence is complete then
  // (FENCE-1).
  const int64_t deadline = nowNs() + kSlotTimeoutNs;
  while (m_ring.full()) {
    uint32_t bits = 0;
    Status status = m_interrupts.wait(1'000'000, bits);
    if (!status.ok()) return status;
    if (m_ring.full() && nowNs() > deadline)
      return timeoutStatus("waiting for a free slot", m_lastFence, kSlotTimeoutNs);
  }
  const uint64_t slot = m_ring.tail() & (m_ring.entries() - 1);
  uint8_t* cpu = m_slotMemory.cpu + slot * m_slotBytes;
  const uint64_t gpa = m_slotMemory.gpa + slot * m_slotBytes;

  aerogpu_submit_desc desc{};
  desc.desc_size_bytes = sizeof desc;
  desc.flags = flags;
  if (!commands.empty()) {
    std::memcpy(cpu, commands.data(), commands.size());
    desc.cmd_gpa = gpa;
    desc.cmd_size_bytes = static_cast<uint32_t>(commands.size());
  }
  if (!table.empty()) {
    table.write(cpu + m_commandBytes);
    desc.alloc_table_gpa = gpa + m_commandBytes;
    desc.alloc_table_size_bytes = table.sizeBytes();
  }
  desc.signal_fence = fence = ++m_lastFence;
  if (!m_ring.push(desc)) return Status::failure("the ring filled up under our hands");
  m_registers.write(AEROGPU_MMIO_REG_DOORBELL, 1);
  ++m_submissions;
  return {};
}

Status Device::waitFence(uint64_t fence, int64_t timeoutNs, WaitMode mode) {
  const int64_t begin = nowNs(), deadline = begin + timeoutNs;
  if (mode != WaitMode::InterruptOnly) {
    const int64_t pollEnd = mode == WaitMode::PollOnly ? deadline : std::min(deadline, begin + kPollNs);
    while (completedFence() < fence)
      if (nowNs() > pollEnd) break;
    if (mode == WaitMode::PollOnly && completedFence() < fence)
      return timeoutStatus("polling", fence, timeoutNs);
  }
  // InterruptOnly takes an interrupt before the first check, because the device raises it after it has
  // written the fence.
  bool taken = mode != WaitMode::InterruptOnly;
  while (!taken || completedFence() < fence) {
    taken = true;
    const int64_t left = deadline - nowNs();
    if (left <= 0) return timeoutStatus("waiting", fence, timeoutNs);
    uint32_t bits = 0;
    Status status = m_interrupts.wait(std::min(left, kInterruptSliceNs), bits);
    if (!status.ok()) return status;
    // The fence is complete, but its interrupt is late or lost: counts that, and continues.
    if (bits == 0 && completedFence() >= fence) ++m_lateInterrupts;
    if (bits & AEROGPU_IRQ_ERROR) {
      status = checkError();
      if (!status.ok()) return status;
    }
  }
  return {};
}

Status Device::waitVblank(int64_t timeoutNs, uint64_t& sequence) {
  const int64_t deadline = nowNs() + timeoutNs;
  const uint64_t before = m_registers.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
  m_interrupts.enable(AEROGPU_IRQ_SCANOUT_VBLANK);
  Status status;
  for (;;) {
    sequence = m_registers.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
    if (sequence != before) break;
    const int64_t left = deadline - nowNs();
    if (left <= 0) {
      status = Status::failure("no vblank in %lld ms (sequence %llu)",
                               static_cast<long long>(timeoutNs / 1'000'000),
                               static_cast<unsigned long long>(sequence));
      break;
    }
    uint32_t bits = 0;
    status = m_interrupts.wait(left, bits);
    if (!status.ok()) break;
  }
  m_interrupts.disable(AEROGPU_IRQ_SCANOUT_VBLANK);
  return status;
}

}  // namespace aerogpu::guest
