// SPDX-License-Identifier: MIT
// dxgkrnl's view of one adapter: loading the driver, PnP and power, what the driver says about itself, and
// the locks that order the calls into it.
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
#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/dxgk/ddi_call.h"
#include "testbed/kernel/machine/machine.h"

namespace aerogpu::host {

class Vidmm;
class Scheduler;
class Display;

class Adapter {
public:
  Adapter();
  ~Adapter();
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  /// Takes a machine from the factory and its device: PCI function, BARs, interrupt, contiguous memory of so
  /// many pages of 2 MiB.
  guest::Status openDevice(unsigned hugePages);
  /// Loads the driver, runs DriverEntry and takes its registration.
  guest::Status loadDriver(const std::string& path);

  // PnP. Each returns what the driver returned; the books are checked by the caller or by stop().
  NTSTATUS addDevice();
  NTSTATUS startDevice();
  /// StopDevice, then: mappings, timers, interrupts must be gone, and the registers quiet.
  NTSTATUS stopDevice();
  NTSTATUS removeDevice();
  void unload();
  /// addDevice to running with segments and scheduler; false after a broken rule.
  bool bringUp();
  /// Everything down again, leak checks included.
  void bringDown();
  /// The device is about to go, or is gone: nothing of the host waits for it or looks at it any more.
  void setRemoved() { m_removed = true; }
  /// The device leaves the bus as far as a driver can see: no memory decoding (reads are all ones), no bus
  /// mastering, no interrupts. QEMU's display adapters cannot be pulled.
  void detach();
  bool removed() const { return m_removed; }

  NTSTATUS setPower(ULONG deviceUid, DEVICE_POWER_STATE state, POWER_ACTION action);

  // What the driver said.
  DRIVER_INITIALIZATION_DATA ddi{};
  DXGK_DRIVERCAPS caps{};
  ULONG sources = 0, children = 0;
  std::vector<DXGK_CHILD_DESCRIPTOR> childDescriptors;
  HANDLE context() const { return m_context; }  // MiniportDeviceContext, hAdapter of the DDIs
  bool started() const { return m_started; }
  ULONG targetId() const;

  Vidmm& vidmm() { return *m_vidmm; }
  Scheduler& scheduler() { return *m_scheduler; }
  Display& display() { return *m_display; }
  PeImage& image() { return *m_image; }

  /// The test's own look at the device, past the driver.
  guest::Registers& registers() { return m_machine->registers(); }
  const BarInfo& bar(unsigned index) const { return m_machine->bar(index); }
  guest::Memory& memory() { return m_machine->memory(); }
  Machine& machine() { return *m_machine; }

  // Synchronization levels of the DDIs (page "Threading and synchronization first level" and its neighbours):
  // Reentrant rendering calls share, memory management and display calls exclude their own kind, PnP, power
  // and timeout recovery exclude everything.
  std::shared_mutex& exclusion() { return m_exclusion; }
  std::mutex& memoryClass() { return m_memoryClass; }
  std::recursive_mutex& displayClass() { return m_displayClass; }
  /// Held by the interrupt routine and by DxgkCbSynchronizeExecution.
  std::recursive_mutex& interruptLock() { return m_interruptLock; }

  /// Another device on the shared line fires every millisecond: the interrupt routine is called, and has
  /// nothing to do.
  void setSharedLineNoise(bool noise) { m_noise = noise; }

  // Called by the callbacks.
  NTSTATUS registerMiniport(const DRIVER_INITIALIZATION_DATA& data);
  void requestDpc();
  void runDpc();
  /// How many times the ISR answered TRUE, FALSE.
  uint64_t interruptsTaken() const { return m_interruptsTaken; }
  uint64_t interruptsRefused() const { return m_interruptsRefused; }
  DXGKRNL_INTERFACE& dxgkInterface() { return m_interface; }
  int64_t lastInterruptNs() const { return m_lastInterruptNs; }
  CM_RESOURCE_LIST& resources() { return m_resources; }
  const std::u16string& registryPath() const { return m_registryPath; }
  static const char* registryKey();

private:
  guest::Status readCaps();
  void interruptLoop();
  void startInterruptThread();
  void fillInterface();
  NTSTATUS queryChildren();

  std::unique_ptr<Machine> m_machine;
  CM_RESOURCE_LIST m_resources{};
  std::u16string m_registryPath, m_driverName, m_busDriverName;
  DRIVER_OBJECT m_driverObject{}, m_busDriver{};
  DEVICE_OBJECT m_physicalDevice{};
  std::unique_ptr<PeImage> m_image;
  std::unique_ptr<Vidmm> m_vidmm;
  std::unique_ptr<Scheduler> m_scheduler;
  std::unique_ptr<Display> m_display;
  DXGKRNL_INTERFACE m_interface{};
  PVOID m_context = nullptr;
  bool m_registered = false, m_interruptThread = false;
  std::atomic<bool> m_started{false}, m_removed{false}, m_noise{false};
  std::shared_mutex m_exclusion;
  std::mutex m_memoryClass;
  std::recursive_mutex m_displayClass, m_interruptLock;
  std::atomic<uint64_t> m_interruptsTaken{0}, m_interruptsRefused{0};
  std::atomic<int64_t> m_lastInterruptNs{0};
};

/// The one adapter of this process; set while an Adapter lives.
Adapter* theAdapter();

}  // namespace aerogpu::host
