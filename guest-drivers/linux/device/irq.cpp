// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/irq.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "aerogpu/aerogpu_pci.h"

namespace aerogpu::guest {

namespace {
// The command register; bit 10 is Interrupt Disable (PCI 3.0, 6.2.2). The whole register is written: QEMU
// raises a line that is asserted already only when the write covers the register's first byte
// (pci_default_write_config), and an interrupt that came before the unmasking would be lost.
constexpr off_t kCommandOffset = 4;
constexpr uint16_t kInterruptDisable = 1u << 10;
}  // namespace

UioLine::~UioLine() {
  if (m_uio >= 0) close(m_uio);
  if (m_config >= 0) close(m_config);
}

Status UioLine::open(const std::string& functionPath) {
  const std::string folder = functionPath + "/uio";
  DIR* dir = opendir(folder.c_str());
  if (!dir) return Status::systemFailure("%s: no UIO device (is uio_pci_generic bound?)", folder.c_str());
  std::string name;
  while (const dirent* entry = readdir(dir))
    if (entry->d_name[0] != '.') name = entry->d_name;
  closedir(dir);
  if (name.empty()) return Status::failure("%s is empty", folder.c_str());
  m_uio = ::open(("/dev/" + name).c_str(), O_RDWR | O_CLOEXEC);
  if (m_uio < 0) return Status::systemFailure("cannot open /dev/%s", name.c_str());
  m_config = ::open((functionPath + "/config").c_str(), O_RDWR | O_CLOEXEC);
  if (m_config < 0) return Status::systemFailure("cannot open %s/config", functionPath.c_str());
  return unmask();
}

Status UioLine::wait(int64_t timeoutNs, bool& fired) {
  fired = false;
  if (timeoutNs < 0) timeoutNs = 0;
  const timespec timeout{static_cast<time_t>(timeoutNs / 1'000'000'000),
                         static_cast<long>(timeoutNs % 1'000'000'000)};
  pollfd fd{m_uio, POLLIN, 0};
  const int n = ppoll(&fd, 1, &timeout, nullptr);
  if (n == 0 || (n < 0 && errno == EINTR)) return {};
  if (n < 0) return Status::systemFailure("waiting for an interrupt");
  int32_t count = 0;
  if (read(m_uio, &count, sizeof count) != sizeof count)
    return Status::systemFailure("reading the interrupt count");
  fired = true;
  return {};
}

Status UioLine::unmask() {
  uint16_t command = 0;
  if (pread(m_config, &command, sizeof command, kCommandOffset) != sizeof command)
    return Status::systemFailure("reading the PCI command");
  command = static_cast<uint16_t>(command & ~kInterruptDisable);
  if (pwrite(m_config, &command, sizeof command, kCommandOffset) != sizeof command)
    return Status::systemFailure("unmasking INTx");
  return {};
}

void Interrupts::enable(uint32_t bits) {
  const uint32_t added = bits & ~m_enabled;
  if (!added) return;
  m_registers.write(AEROGPU_MMIO_REG_IRQ_ACK, added);
  m_enabled |= added;
  m_registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, m_enabled);
}

void Interrupts::disable(uint32_t bits) {
  if (!(bits & m_enabled)) return;
  m_enabled &= ~bits;
  m_registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, m_enabled);
}

Status Interrupts::wait(int64_t timeoutNs, uint32_t& bits) {
  bits = 0;
  bool fired = false;
  Status status = m_line.wait(timeoutNs, fired);
  if (!status.ok() || !fired) return status;
  ++m_count;
  // Acknowledges before the line is unmasked, or it would fire again for the same cause. A cause that comes
  // after the read of IRQ_STATUS keeps its bit and asserts the line anew.
  bits = m_registers.read(AEROGPU_MMIO_REG_IRQ_STATUS) & m_enabled;
  if (bits) m_registers.write(AEROGPU_MMIO_REG_IRQ_ACK, bits);
  return m_line.unmask();
}

}  // namespace aerogpu::guest
