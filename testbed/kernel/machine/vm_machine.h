// SPDX-License-Identifier: MIT
// The Linux guest that the host runs in: accesses the function through sysfs and uio, takes memory from huge
// pages, and uses the kernel's clocks. Root only.
#pragma once

#include "guest-drivers/linux/device/pci.h"
#include "testbed/kernel/machine/machine.h"

namespace aerogpu::host {

class VmMachine final : public Machine {
public:
  ~VmMachine() override;
  guest::Status open(uint64_t memoryBytes) override;
  guest::Status openRegisters() override;
  guest::Registers& registers() override { return m_registers; }
  void readVideoMemory(uint64_t offset, void* to, uint64_t bytes) override;
  void writeVideoMemory(uint64_t offset, const void* from, uint64_t bytes) override;
  void* map(unsigned bar, uint64_t offset, uint64_t bytes) override;
  void unmap(void* address, uint64_t bytes) override;
  bool sleepAndWake(bool reboot) override;  // something outside has to wake it
  guest::Status readConfig(uint32_t offset, void* to, uint32_t bytes) override;
  guest::Status writeConfig(uint32_t offset, const void* from, uint32_t bytes) override;
  guest::InterruptLine& interruptLine() override { return m_line; }
  guest::Memory& memory() override { return m_memory; }
  std::string memoryFile() const override { return m_memory.path(); }
  bool memoryFileOffset(uint64_t gpa, uint64_t& offset) const override {
    return m_memory.fileOffset(gpa, offset);
  }
  uint64_t memoryFilePageBytes() const override { return guest::kHugePageBytes; }

private:
  guest::Status readBars();

  guest::PciFunction m_function;
  guest::MappedBar m_registers, m_videoMemory;
  guest::UioLine m_line;
  guest::HugePageMemory m_memory;
  int m_barFiles[2] = {-1, -1};
};

}  // namespace aerogpu::host
