// SPDX-License-Identifier: MIT
// The services that the parts of dxgkrnl need from their adapter: the driver's table and its answers, the
// machine, the locks that order the calls into the driver. Only the adapter knows all parts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "dispmprt.h"
#include "guest-drivers/linux/device/bar.h"
#include "guest-drivers/linux/device/memory.h"
#include "testbed/kernel/dxgk/ddi_call.h"
#include "testbed/kernel/machine/machine.h"

namespace aerogpu::host {

class Scheduler;

class AdapterCore {
public:
  AdapterCore(const AdapterCore&) = delete;
  AdapterCore& operator=(const AdapterCore&) = delete;
  /// Returns this process' adapter, whose handle the driver has; null if there is none.
  static AdapterCore* current();

  // The driver's answers.
  DRIVER_INITIALIZATION_DATA ddi{};
  DXGK_DRIVERCAPS caps{};
  ULONG sources = 0, children = 0;
  std::vector<DXGK_CHILD_DESCRIPTOR> childDescriptors;
  HANDLE context() const { return m_context; }  // MiniportDeviceContext, hAdapter of the DDIs
  ULONG targetId() const;

  bool started() const { return m_started; }
  bool removed() const { return m_removed; }

  /// Returns the scheduler, once the device was started.
  virtual Scheduler& scheduler() = 0;

  /// Returns the registers for the test's own access to the device, which bypasses the driver.
  guest::Registers& registers() { return m_machine->registers(); }
  const BarInfo& bar(unsigned index) const { return m_machine->bar(index); }
  guest::Memory& memory() { return m_machine->memory(); }
  Machine& machine() { return *m_machine; }
  CM_RESOURCE_LIST& resources() { return m_resources; }
  const std::u16string& registryPath() const { return m_registryPath; }

  // Synchronization levels of the DDIs (page "Threading and synchronization first level" and its neighbours):
  // Reentrant rendering calls share the lock; memory management and display calls exclude their own kind;
  // PnP, power and timeout recovery exclude everything.
  std::shared_mutex& exclusion() { return m_exclusion; }
  std::mutex& memoryClass() { return m_memoryClass; }
  std::recursive_mutex& displayClass() { return m_displayClass; }
  /// Returns the lock that the interrupt routine and DxgkCbSynchronizeExecution hold.
  std::recursive_mutex& interruptLock() { return m_interruptLock; }

  void requestDpc();
  /// Count how often the ISR answered TRUE, and FALSE.
  uint64_t interruptsTaken() const { return m_interruptsTaken; }
  uint64_t interruptsRefused() const { return m_interruptsRefused; }
  int64_t lastInterruptNs() const { return m_lastInterruptNs; }

protected:
  AdapterCore();
  ~AdapterCore();

  std::unique_ptr<Machine> m_machine;
  CM_RESOURCE_LIST m_resources{};
  std::u16string m_registryPath;
  PVOID m_context = nullptr;
  std::atomic<bool> m_started{false}, m_removed{false};
  std::shared_mutex m_exclusion;
  std::mutex m_memoryClass;
  std::recursive_mutex m_displayClass, m_interruptLock;
  std::atomic<uint64_t> m_interruptsTaken{0}, m_interruptsRefused{0};
  std::atomic<int64_t> m_lastInterruptNs{0};

private:
  void runDpc();
};

}  // namespace aerogpu::host
