// SPDX-License-Identifier: MIT
#include "testbed/kernel/machine/vm_machine.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "aerogpu/aerogpu_pci.h"

namespace aerogpu::host {

VmMachine::~VmMachine() {
  for (const int file : m_barFiles)
    if (file >= 0) close(file);
}

guest::Status VmMachine::openRegisters() {
  guest::Status status = m_function.find(AEROGPU_PCI_VENDOR_ID, AEROGPU_PCI_DEVICE_ID);
  if (status.ok()) status = m_registers.map(m_function.resourcePath(0), AEROGPU_PCI_BAR0_SIZE_BYTES);
  return status;
}

guest::Status VmMachine::open(uint64_t memoryBytes) {
  guest::Status status = m_function.find(AEROGPU_PCI_VENDOR_ID, AEROGPU_PCI_DEVICE_ID);
  if (status.ok()) status = m_function.enable();
  if (status.ok())
    status = m_function.bindDriver("uio_pci_generic", AEROGPU_PCI_VENDOR_ID, AEROGPU_PCI_DEVICE_ID);
  if (status.ok()) status = m_registers.map(m_function.resourcePath(0), AEROGPU_PCI_BAR0_SIZE_BYTES);
  if (status.ok()) status = m_videoMemory.map(m_function.resourcePath(1), 1 << 20);
  if (status.ok()) status = m_line.open(m_function.path());
  if (status.ok()) status = readBars();
  if (status.ok())
    status = m_memory.create(static_cast<unsigned>(memoryBytes / guest::kHugePageBytes), "/dev/hugepages");
  return status;
}

// Documentation/ABI/testing/sysfs-bus-pci, "resource": start, end, flags of each BAR.
guest::Status VmMachine::readBars() {
  std::FILE* file = std::fopen((m_function.path() + "/resource").c_str(), "re");
  if (!file) return guest::Status::systemFailure("cannot read the BARs");
  guest::Status status;
  for (unsigned i = 0; i < 2; ++i) {
    unsigned long long start = 0, end = 0, flags = 0;
    if (std::fscanf(file, "%llx %llx %llx", &start, &end, &flags) != 3 || end <= start)
      status = guest::Status::failure("no BAR%u", i);
    m_bars[i] = {start, end - start + 1};
    m_barFiles[i] = ::open(m_function.resourcePath(i).c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
    if (m_barFiles[i] < 0) status = guest::Status::systemFailure("cannot open BAR%u", i);
  }
  std::fclose(file);
  return status;
}

void VmMachine::readVideoMemory(uint64_t offset, void* to, uint64_t bytes) {
  std::memcpy(to, m_videoMemory.bytes() + offset, bytes);
}

void VmMachine::writeVideoMemory(uint64_t offset, const void* from, uint64_t bytes) {
  std::memcpy(m_videoMemory.bytes() + offset, from, bytes);
}

void* VmMachine::map(unsigned bar, uint64_t offset, uint64_t bytes) {
  void* base =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m_barFiles[bar], static_cast<off_t>(offset));
  return base == MAP_FAILED ? nullptr : base;
}

void VmMachine::unmap(void* address, uint64_t bytes) {
  // The address stays taken, so that a late access faults and hits nothing new.
  if (mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
      MAP_FAILED)
    munmap(address, bytes);
}

// Documentation/admin-guide/pm/sleep-states.rst: the write returns when the machine is awake again. The
// kernel restores configuration space, except bus mastering, which uio_pci_generic does not know of.
bool VmMachine::sleepAndWake(bool reboot) {
  constexpr uint32_t kCommand = 4;
  uint16_t command = 0;
  if (reboot || !readConfig(kCommand, &command, sizeof command).ok()) return false;
  const int fd = ::open("/sys/power/state", O_WRONLY | O_CLOEXEC);
  const bool slept = fd >= 0 && write(fd, "mem", 3) == 3;
  if (!slept) std::printf("# /sys/power/state does not take 'mem': %m\n");
  if (fd >= 0) close(fd);
  return slept && writeConfig(kCommand, &command, sizeof command).ok();
}

guest::Status VmMachine::readConfig(uint32_t offset, void* to, uint32_t bytes) {
  const std::string path = m_function.path() + "/config";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return guest::Status::systemFailure("cannot open %s", path.c_str());
  const bool ok = pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  close(fd);
  return ok ? guest::Status() : guest::Status::systemFailure("reading %u bytes of %s", bytes, path.c_str());
}

guest::Status VmMachine::writeConfig(uint32_t offset, const void* from, uint32_t bytes) {
  const std::string path = m_function.path() + "/config";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return guest::Status::systemFailure("cannot open %s", path.c_str());
  const bool ok = pwrite(fd, from, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  close(fd);
  return ok ? guest::Status() : guest::Status::systemFailure("writing %u bytes of %s", bytes, path.c_str());
}

}  // namespace aerogpu::host
