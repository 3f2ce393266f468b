// SPDX-License-Identifier: MIT
// What the host has of a computer: the PCI function, its BARs and its interrupt, memory that the device
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

/// A BAR of the device as Windows' resource list has it.
struct BarInfo {
  uint64_t address = 0, bytes = 0;  // guest-physical
};

class Machine {
public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  /// Takes the device: function, BARs, interrupt, and `memoryBytes` that it can reach. Once per process.
  virtual guest::Status open(uint64_t memoryBytes) = 0;
  /// Only registers(), to quiet a device whose user died. Instead of open().
  virtual guest::Status openRegisters() = 0;

  /// BAR0, past the driver's own mapping. Any thread.
  virtual guest::Registers& registers() = 0;
  /// Valid after open().
  const BarInfo& bar(unsigned index) const { return m_bars[index]; }
  /// Copies out of and into BAR1. The range lies in it. Any thread.
  virtual void readVideoMemory(uint64_t offset, void* to, uint64_t bytes) = 0;
  virtual void writeVideoMemory(uint64_t offset, const void* from, uint64_t bytes) = 0;
  /// A new mapping of a BAR for driver code, which may be pages without access (core/device_pages.h);
  /// `offset` and `bytes` are multiples of the page size. Null when there is none to be had.
  virtual void* map(unsigned bar, uint64_t offset, uint64_t bytes) = 0;
  /// The driver gave back what map() returned. The addresses are not accessible any more and stay taken.
  virtual void unmap(void* address, uint64_t bytes) = 0;

  /// A register of BAR0 that is broken for the driver: it reads `value & readAnd | readOr`, and what it
  /// writes becomes `value & writeAnd`. registers() goes past this. A default Fault mends it. False where the
  /// driver's accesses are not seen.
  struct Fault {
    uint32_t readAnd = UINT32_MAX, readOr = 0, writeAnd = UINT32_MAX;
  };
  virtual bool breakRegister(uint32_t, const Fault&) { return false; }

  /// How often the driver has read BAR0; nothing where its accesses are not seen.
  virtual std::optional<uint64_t> registerReads() const { return {}; }

  /// The function's configuration space; little-endian as it lies there.
  virtual guest::Status readConfig(uint32_t offset, void* to, uint32_t bytes) = 0;
  virtual guest::Status writeConfig(uint32_t offset, const void* from, uint32_t bytes) = 0;

  /// Whether sleepAndWake() does anything.
  virtual bool canReset() const { return false; }
  /// What a sleep does to the machine's devices: a reset, after which the function is where it was. `reboot`:
  /// not a sleep to memory, but one that the devices cannot tell from a reboot. False when that cannot be
  /// done from here.
  virtual bool sleepAndWake(bool /*reboot*/) { return false; }
  /// The host's GPU is lost under the next submission (docs/develop/debugging.md, x-gpu-fault). False where
  /// that cannot be played.
  virtual bool loseGpu() { return false; }

  /// A GPU that is lost cannot be brought back from now on, or can again. False as above.
  virtual bool refuseGpu(bool /*refuses*/) { return false; }
  /// The next submission never ends, until a reset drops it. False as above.
  virtual bool stickGpu() { return false; }
  /// The GPU ends nothing that it is given from now on, or does again. False as above.
  virtual bool hangGpu(bool /*hangs*/) { return false; }
  /// There is no host memory for the copies of submissions from now on, or there is again: none of them runs.
  /// False as above.
  virtual bool starveFetches(bool /*starves*/) { return false; }
  /// Each submission takes so many milliseconds of the machine's clock from now on, one after the other; 0:
  /// as long as it takes. False as above.
  virtual bool slowGpu(unsigned /*ms*/) { return false; }

  virtual guest::InterruptLine& interruptLine() = 0;
  /// The machine's clock jumps over time in which everybody waits (core/clock.h).
  virtual bool clockJumps() const { return false; }

  /// Contiguous memory with guest-physical addresses, zeroed when it is handed out. Not thread-safe.
  virtual guest::Memory& memory() = 0;
  /// The file that memory() lies in, for mappings in other processes of this machine: a path to open, and
  /// where in the file a guest-physical address of memory() is. Offset and mapping keep to the file's page
  /// size, which is memoryFilePageBytes().
  virtual std::string memoryFile() const = 0;
  virtual bool memoryFileOffset(uint64_t gpa, uint64_t& offset) const = 0;
  virtual uint64_t memoryFilePageBytes() const = 0;

  /// What stands on the device's screen: red, green, blue of each pixel, `pitch` bytes a row.
  struct Picture {
    uint32_t width = 0, height = 0;
    size_t pitch = 0;
    std::vector<uint8_t> rgb;
    /// 0xRRGGBB; the point lies in the picture.
    uint32_t at(uint32_t x, uint32_t y) const {
      const uint8_t* p = rgb.data() + y * pitch + size_t{x} * 3;
      return static_cast<uint32_t>(p[0]) << 16 | static_cast<uint32_t>(p[1]) << 8 | p[2];
    }
  };
  /// Whether the host sees what is outside of this machine, by the next ones.
  virtual bool isSeen() const { return false; }
  virtual guest::Status screen(Picture&) { return unseen(); }
  /// A QEMU property of the device, docs/develop/debugging.md.
  virtual guest::Status deviceProperty(const std::string&, uint64_t&) { return unseen(); }
  /// One that is no number, as JSON.
  virtual guest::Status deviceProperty(const std::string&, std::string&) { return unseen(); }

protected:
  static guest::Status unseen() {
    return guest::Status::failure("this machine's outside cannot be seen from here");
  }
  BarInfo m_bars[2];
};

}  // namespace aerogpu::host
