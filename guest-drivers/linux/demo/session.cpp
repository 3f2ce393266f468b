// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/session.h"

#include <cstdio>

#include "aerogpu/aerogpu_pci.h"
#include "guest-drivers/linux/init/init.h"

namespace aerogpu::guest {

namespace {
constexpr uint32_t kRingEntries = 16;

// The kernel may not be able to reserve as many pages as asked for; mmap then fails.
void reserveHugePages(unsigned pages) {
  if (std::FILE* file = std::fopen("/proc/sys/vm/nr_hugepages", "r+e")) {
    unsigned have = 0;
    if (std::fscanf(file, "%u", &have) != 1) have = 0;
    if (have < pages) {
      std::rewind(file);
      std::fprintf(file, "%u\n", pages);
    }
    std::fclose(file);
  }
}
}  // namespace

Status Session::open(uint64_t memoryBytes, uint32_t commandBytes) {
  Status status = m_function.find(AEROGPU_PCI_VENDOR_ID, AEROGPU_PCI_DEVICE_ID);
  if (!status.ok()) return status;
  std::printf("aerogpu-demo: device %s\n", m_function.address().c_str());
  const unsigned pages = static_cast<unsigned>((memoryBytes + kHugePageBytes - 1) / kHugePageBytes);
  reserveHugePages(pages);
  status = m_function.bindDriver("uio_pci_generic", AEROGPU_PCI_VENDOR_ID, AEROGPU_PCI_DEVICE_ID);
  if (status.ok()) status = m_function.enable();
  if (status.ok())
    status = m_bar0.map(m_function.resourcePath(AEROGPU_PCI_BAR0_INDEX), AEROGPU_PCI_BAR0_SIZE_BYTES);
  if (status.ok()) status = m_line.open(m_function.path());
  if (status.ok()) status = m_memory.create(pages, kHugePageMount);
  if (status.ok()) status = m_device.start(kRingEntries, commandBytes);
  return status;
}

}  // namespace aerogpu::guest
