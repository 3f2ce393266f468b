// SPDX-License-Identifier: MIT
// dxgkrnl's view of one adapter: loads the driver, handles PnP, power and the interrupt, and owns the parts
// that do the rest.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "testbed/kernel/core/pe_image.h"
#include "testbed/kernel/dxgk/adapter_core.h"

namespace aerogpu::host {

class Vidmm;
class Display;

class Adapter final : public AdapterCore {
public:
  Adapter();
  ~Adapter();

  /// Takes a machine from the factory and its device: PCI function, BARs, interrupt, and contiguous memory of
  /// `hugePages` pages of 2 MiB.
  guest::Status openDevice(unsigned hugePages);
  /// Loads the driver, runs DriverEntry and receives its registration.
  guest::Status loadDriver(const std::string& path);

  // PnP. Each returns the driver's result; the caller or stop() checks for leaks.
  NTSTATUS addDevice();
  NTSTATUS startDevice();
  /// Calls StopDevice, then checks that mappings, timers and interrupts are gone, and that the registers are
  /// quiet.
  NTSTATUS stopDevice();
  NTSTATUS removeDevice();
  void unload();
  /// Runs everything from addDevice() to segments and scheduler; returns false after a broken rule.
  bool bringUp();
  /// Shuts everything down again, leak checks included.
  void bringDown();
  /// Called when the device is about to be removed, or is: the host neither waits for it nor reads it any
  /// more.
  void setRemoved() { m_removed = true; }
  /// Removes the device from the bus as far as a driver can see: no memory decoding (reads are all ones), no
  /// bus mastering, no interrupts. QEMU's display adapters cannot be unplugged.
  void detach();

  NTSTATUS setPower(ULONG deviceUid, DEVICE_POWER_STATE state, POWER_ACTION action);

  Vidmm& vidmm() { return *m_vidmm; }
  Scheduler& scheduler() override { return *m_scheduler; }
  Display& display() { return *m_display; }
  PeImage& image() { return *m_image; }

  /// Sets whether another device on the shared line interrupts every millisecond, so that the interrupt
  /// routine is called without work to do.
  void setSharedLineNoise(bool noise) { m_noise = noise; }

  /// Called when the driver registers itself.
  NTSTATUS registerMiniport(const DRIVER_INITIALIZATION_DATA& data);
  DXGKRNL_INTERFACE& dxgkInterface() { return m_interface; }
  static const char* registryKey();

private:
  guest::Status readCaps();
  void interruptLoop();
  void startInterruptThread();
  void disconnectInterrupt();
  NTSTATUS queryChildren();

  std::u16string m_driverName, m_busDriverName;
  DRIVER_OBJECT m_driverObject{}, m_busDriver{};
  DEVICE_OBJECT m_physicalDevice{};
  std::unique_ptr<PeImage> m_image;
  std::unique_ptr<Scheduler> m_scheduler;
  std::unique_ptr<Vidmm> m_vidmm;
  std::unique_ptr<Display> m_display;
  DXGKRNL_INTERFACE m_interface{};
  bool m_registered = false, m_interruptThread = false;
  std::atomic<bool> m_noise{false};
};

/// Returns the one adapter of this process; null if no Adapter lives.
Adapter* theAdapter();

}  // namespace aerogpu::host
