// SPDX-License-Identifier: MIT
// The host's view of a computer: the PCI function, its BARs and its interrupt, memory that the device
// reaches, and time. docs/windows/driver-host.md, "Machines".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "guest-drivers/linux/device/bar.h"
#include "guest-drivers/linux/device/irq.h"
#include "guest-drivers/linux/device/memory.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::host {

/// A BAR of the device as in Windows' resource list.
struct BarInfo {
  uint64_t address = 0, bytes = 0;  // guest-physical
};

class Machine {
public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  /// Takes the device: function, BARs, interrupt, and `memoryBytes` that it can reach. Called once per
  /// process.
  virtual guest::Status open(uint64_t memoryBytes) = 0;
  /// Opens registers() only, to quiet a device whose user died. Instead of open().
  virtual guest::Status openRegisters() = 0;

  /// Returns BAR0's registers, bypassing the driver's mapping. Any thread.
  virtual guest::Registers& registers() = 0;
  /// Returns a BAR, after open().
  const BarInfo& bar(unsigned index) const { return m_bars[index]; }
  /// Copy out of and into BAR1. The range must lie in it. Any thread.
  virtual void readVideoMemory(uint64_t offset, void* to, uint64_t bytes) = 0;
  virtual void writeVideoMemory(uint64_t offset, const void* from, uint64_t bytes) = 0;
  /// Makes a new mapping of a BAR for driver code, which may be pages without access (core/device_pages.h);
  /// `offset` and `bytes` are multiples of the page size. Returns null if none is available.
  virtual void* map(unsigned bar, uint64_t offset, uint64_t bytes) = 0;
  /// Releases a result of map(). The addresses become inaccessible and stay reserved.
  virtual void unmap(void* address, uint64_t bytes) = 0;

  /// Breaks a register of BAR0 for the driver: it reads `value & readAnd | readOr`, and a write becomes
  /// `value & writeAnd`. registers() bypasses this. A default Fault repairs it. Returns false if the machine
  /// does not see the driver's accesses.
  struct Fault {
    uint32_t readAnd = UINT32_MAX, readOr = 0, writeAnd = UINT32_MAX;
  };
  virtual bool breakRegister(uint32_t, const Fault&) { return false; }

  /// Counts the driver's reads of BAR0; nothing if the machine does not see its accesses.
  virtual std::optional<uint64_t> registerReads() const { return {}; }

  /// Access the function's configuration space; little-endian as it lies there.
  virtual guest::Status readConfig(uint32_t offset, void* to, uint32_t bytes) = 0;
  virtual guest::Status writeConfig(uint32_t offset, const void* from, uint32_t bytes) = 0;

  /// True if sleepAndWake() has an effect.
  virtual bool canReset() const { return false; }
  /// Does what a sleep does to the machine's devices: a reset, after which the function is where it was.
  /// `reboot`: not a sleep to memory, but one that the devices cannot distinguish from a reboot. Returns
  /// false if the machine cannot do that.
  virtual bool sleepAndWake(bool /*reboot*/) { return false; }
  /// Saves the machine's devices into a file, kills the machine, and has another one load the file: the same
  /// as seen from inside, and no time has passed. A broken rule says what could not be saved, and the machine
  /// goes on; where it cannot go on, the process ends. Returns false if it was not saved.
  virtual bool saveAndRestore() { return false; }
  /// Does that from now on whenever `seconds` have passed since the last time.
  virtual void saveEvery(unsigned /*seconds*/) {}
  /// Loses the host's GPU during the next submission (docs/develop/debugging.md, x-gpu-fault). Returns false
  /// if the machine cannot simulate that.
  virtual bool loseGpu() { return false; }

  /// Sets whether a lost GPU stays lost from now on, because the host cannot bring it back. Returns false if
  /// the machine cannot simulate that.
  virtual bool refuseGpu(bool /*refuses*/) { return false; }
  /// Makes the next submission endless, until a reset drops it. Returns false if the machine cannot simulate
  /// that.
  virtual bool stickGpu() { return false; }
  /// Sets whether the GPU completes nothing from now on. Returns false if the machine cannot simulate that.
  virtual bool hangGpu(bool /*hangs*/) { return false; }
  /// Sets whether host memory is missing from now on for the copies of submissions, so that none of them
  /// runs. Returns false if the machine cannot simulate that.
  virtual bool starveFetches(bool /*starves*/) { return false; }
  /// Makes each submission take `ms` milliseconds by the machine's clock from now on, one after the other; 0:
  /// as long as it needs. Returns false if the machine cannot simulate that.
  virtual bool slowGpu(unsigned /*ms*/) { return false; }

  virtual guest::InterruptLine& interruptLine() = 0;
  /// True if the machine's clock jumps over time in which all threads wait (core/clock.h).
  virtual bool clockJumps() const { return false; }

  /// Contiguous memory with guest-physical addresses, zeroed when it is handed out. Not thread-safe.
  virtual guest::Memory& memory() = 0;
  /// Describe the file of memory(), which other processes of this machine map: the path to open, and the
  /// position in the file of a guest-physical address of memory(). Offset and mapping must be multiples of
  /// memoryFilePageBytes(), the file's page size.
  virtual std::string memoryFile() const = 0;
  virtual bool memoryFileOffset(uint64_t gpa, uint64_t& offset) const = 0;
  virtual uint64_t memoryFilePageBytes() const = 0;

  /// The picture on the device's screen: red, green, blue of each pixel, `pitch` bytes a row.
  struct Picture {
    uint32_t width = 0, height = 0;
    size_t pitch = 0;
    std::vector<uint8_t> rgb;
    /// Returns 0xRRGGBB; the point must lie in the picture.
    uint32_t at(uint32_t x, uint32_t y) const {
      const uint8_t* p = rgb.data() + y * pitch + size_t{x} * 3;
      return static_cast<uint32_t>(p[0]) << 16 | static_cast<uint32_t>(p[1]) << 8 | p[2];
    }
  };
  /// True if the host can look at this machine from outside, through the following functions.
  virtual bool isSeen() const { return false; }
  virtual guest::Status screen(Picture&) { return unseen(); }
  /// Reads a QEMU property of the device, docs/develop/debugging.md.
  virtual guest::Status deviceProperty(const std::string&, uint64_t&) { return unseen(); }
  /// Reads a property other than a number, as JSON.
  virtual guest::Status deviceProperty(const std::string&, std::string&) { return unseen(); }

protected:
  static guest::Status unseen() {
    return guest::Status::failure("this machine's outside cannot be seen from here");
  }
  BarInfo m_bars[2];
};

}  // namespace aerogpu::host
