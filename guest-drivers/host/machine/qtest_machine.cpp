// SPDX-License-Identifier: MIT
#include "machine/qtest_machine.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "aerogpu/aerogpu_pci.h"

namespace aerogpu::host {

namespace {

// Where firmware would put it: -machine pc has RAM below the hole, which ends at the IOAPIC.
constexpr uint64_t kBarAddress[2] = {0xFE000000, 0xE0000000};
constexpr uint32_t kGpu = 4, kIsaBridge = 1;  // PCI devices; the host gives QEMU addr=4
constexpr unsigned kInterrupt = 11;
// The first megabytes hold what a PC keeps there: vectors, VGA's window, ROMs.
constexpr uint64_t kMemoryBegin = 16 << 20;
constexpr int64_t kStepNs = 1'000'000;

}  // namespace

guest::Status QtestMachine::Line::wait(int64_t timeoutNs, bool& fired) {
  fired = m_socket.waitLevel(kInterrupt, std::max<int64_t>(timeoutNs, 0));
  return {};
}

QtestMachine::Ram::~Ram() {
  if (m_base) munmap(m_base, m_bytes);
}

guest::Status QtestMachine::Ram::create(const Qemu& qemu, uint64_t bytes) {
  if (bytes > qemu.memoryBytes() || qemu.memoryBytes() - bytes < kMemoryBegin)
    return guest::Status::failure("%llu bytes of %llu of guest RAM are asked for",
                                  static_cast<unsigned long long>(bytes),
                                  static_cast<unsigned long long>(qemu.memoryBytes()));
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, qemu.memoryFile(),
                    static_cast<off_t>(kMemoryBegin));
  if (base == MAP_FAILED) return guest::Status::systemFailure("cannot map guest RAM");
  m_base = base;
  m_bytes = bytes;
  addExtent(static_cast<uint8_t*>(base), kMemoryBegin, bytes);
  return {};
}

QtestMachine::QtestMachine(Qemu& qemu) : m_qemu(qemu) {}
QtestMachine::~QtestMachine() = default;

// Configuration mechanism #1 (PCI Local Bus Specification 3.0, 3.2.2.3.2). Under m_configMutex.
uint32_t QtestMachine::config(uint32_t device, uint32_t offset) {
  m_socket.out(0xCF8, 0x80000000u | device << 11 | (offset & 0xFC));
  return m_socket.in(0xCFC);
}
void QtestMachine::setConfig(uint32_t device, uint32_t offset, uint32_t value) {
  m_socket.out(0xCF8, 0x80000000u | device << 11 | (offset & 0xFC));
  m_socket.out(0xCFC, value);
}

// What firmware and a kernel would have done: BARs, command register, interrupt routing.
void QtestMachine::setUpFunction() {
  std::lock_guard lock(m_configMutex);
  setConfig(kGpu, 0x04, 0);
  for (unsigned i = 0; i < 2; ++i) {
    const uint32_t at = 0x10 + 4 * i;
    setConfig(kGpu, at, 0xFFFFFFFF);  // PCI 3.0, 6.2.5.1: the bits that stay give the size
    m_bars[i] = {kBarAddress[i], uint64_t{~(config(kGpu, at) & 0xFFFFFFF0u)} + 1};
    setConfig(kGpu, at, static_cast<uint32_t>(kBarAddress[i]));
  }
  setConfig(kGpu, 0x04, 0x0007);  // I/O, memory, bus master
  // PIIX3: PIRQA..D route control at 60h, one byte each.
  setConfig(kIsaBridge, 0x60, kInterrupt * 0x01010101u);
}

guest::Status QtestMachine::openRegisters() {
  const guest::Status status = m_socket.connect(m_qemu.qtestPath());
  if (status.ok()) setUpFunction();
  return status;
}

guest::Status QtestMachine::open(uint64_t memoryBytes) {
  guest::Status status = openRegisters();
  if (status.ok()) status = m_memory.create(m_qemu, memoryBytes);
  if (!status.ok()) return status;
  m_socket.interceptInterrupts("ioapic");
  // The line may be high from before; reports are of changes.
  m_socket.setLevel(kInterrupt, registers().read(AEROGPU_MMIO_REG_IRQ_STATUS) &
                                    registers().read(AEROGPU_MMIO_REG_IRQ_ENABLE));
  m_socket.startWatching();
  std::thread([this] { followTime(); }).detach();
  return {};
}

void QtestMachine::followTime() {
  timespec last{};
  clock_gettime(CLOCK_MONOTONIC, &last);
  for (;;) {
    const timespec pause{0, kStepNs};
    nanosleep(&pause, nullptr);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    m_socket.stepClock((now.tv_sec - last.tv_sec) * 1'000'000'000ll + now.tv_nsec - last.tv_nsec);
    last = now;
  }
}

void QtestMachine::readVideoMemory(uint64_t offset, void* to, uint64_t bytes) {
  m_videoMemory.readBlock(offset, to, bytes);
}

void QtestMachine::writeVideoMemory(uint64_t offset, const void* from, uint64_t bytes) {
  m_videoMemory.writeBlock(offset, from, bytes);
}

void* QtestMachine::map(unsigned bar, uint64_t offset, uint64_t bytes) {
  return mapDevicePages(bar ? m_videoMemory : m_registers, offset, bytes);
}

void QtestMachine::unmap(void* address, uint64_t) {
  forgetDevicePages(address);
}

guest::Status QtestMachine::readConfig(uint32_t offset, void* to, uint32_t bytes) {
  if (offset > 256 || bytes > 256 - offset)
    return guest::Status::failure("%u bytes at %u of the configuration space", bytes, offset);
  std::lock_guard lock(m_configMutex);
  auto* out = static_cast<uint8_t*>(to);
  for (uint32_t i = 0; i < bytes; ++i)
    out[i] = static_cast<uint8_t>(config(kGpu, offset + i) >> (offset + i) % 4 * 8);
  return {};
}

guest::Status QtestMachine::writeConfig(uint32_t offset, const void* from, uint32_t bytes) {
  if (offset > 256 || bytes > 256 - offset)
    return guest::Status::failure("%u bytes at %u of the configuration space", bytes, offset);
  std::lock_guard lock(m_configMutex);
  const auto* in = static_cast<const uint8_t*>(from);
  for (uint32_t at = offset & ~3u; at < offset + bytes; at += 4) {
    // Status bits in the half that is not meant are cleared by ones.
    uint32_t value = config(kGpu, at);
    if (at == 4) value &= 0xFFFF;
    for (uint32_t k = 0; k < 4; ++k)
      if (at + k >= offset && at + k < offset + bytes)
        value = (value & ~(0xFFu << k * 8)) | static_cast<uint32_t>(in[at + k - offset]) << k * 8;
    setConfig(kGpu, at, value);
  }
  return {};
}

bool QtestMachine::memoryFileOffset(uint64_t gpa, uint64_t& offset) const {
  if (!m_memory.at(gpa)) return false;
  offset = gpa;
  return true;
}

}  // namespace aerogpu::host
