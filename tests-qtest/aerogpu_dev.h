// SPDX-License-Identifier: MIT
// The device as a test sees it: PCI set-up, registers, a ring in guest memory, submissions, fences. Most
// device tests here are built on it. It uses the ABI, but no internals of the device.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aerogpu/aerogpu.h"
#include "aerogpu/cmd_packets.hpp"
#include "tests-qtest/qemu_process.h"

namespace aerogpu::qtest {

/// Addresses at which tests put the ring and what it refers to. The guest has 64 MiB of RAM.
inline constexpr uint64_t kRingGpa = 0x100000, kFenceGpa = 0x180000, kCommandGpa = 0x200000,
                          kTableGpa = 0x300000, kSurfaceGpa = 0x400000;

/// Returns `size` pseudo-random bytes, the same for the same seed.
std::vector<uint8_t> pattern(size_t size, uint32_t seed);

/// Creates and binds the objects that a draw reads: a buffer of one triangle (zeroed: nothing is covered),
/// shaders that pass positions on and write constant c0, an input layout. Takes four handles from `first` on.
void usePlainPipeline(CommandWriter& w, uint32_t first);

class AeroGpuDev {
public:
  explicit AeroGpuDev(const std::string& deviceOptions = "renderer=null",
                      const std::vector<std::string>& extra = {})
      : qemu(deviceOptions, extra) {
    setUpPci();
  }
  /// A device plugged into a bridge at bus 0, slot `bridge`; see QemuProcess for `before`.
  struct Behind {
    uint32_t bridge, slot;
  };
  AeroGpuDev(const std::string& deviceOptions, const std::vector<std::string>& extra,
             const std::vector<std::string>& before, std::optional<Behind> behind = {})
      : qemu(deviceOptions, extra, before), m_behind(behind) {
    setUpPci();
  }

  QemuProcess qemu;

  static constexpr uint64_t kBar0 = 0xFE000000, kBar1 = 0xE0000000;
  uint32_t reg(uint32_t offset) { return qemu.readl(kBar0 + offset); }
  void setReg(uint32_t offset, uint32_t value) { qemu.writel(kBar0 + offset, value); }
  /// Reads a 64-bit register, LO first.
  uint64_t reg64(uint32_t lo) {
    const uint64_t low = reg(lo);
    return uint64_t{reg(lo + 4)} << 32 | low;
  }
  void setReg64(uint32_t lo, uint64_t value) {
    setReg(lo, static_cast<uint32_t>(value));
    setReg(lo + 4, static_cast<uint32_t>(value >> 32));
  }

  uint32_t config(uint32_t offset);
  void setConfig(uint32_t offset, uint32_t value);
  /// Assigns BARs, enables memory and bus mastering (for a bridge in front of it too); also after a system
  /// reset.
  void setUpPci();
  /// Routes INTx to ISA interrupt 11 and reports the interrupt controller's inputs.
  void interceptIntx();
  bool intxLevel() { return qemu.irqLevel(11); }
  /// Switches to MSI, which writes `data` to `address` in guest RAM, or, if `enable` is false, back to INTx.
  void enableMsi(uint64_t address, uint16_t data, bool enable = true);

  struct Ring {
    uint32_t entries = 16, stride = 64, first = 0;  ///< `first`: initial head and tail
    bool enable = true;
  };
  /// Writes a ring header and enables the ring. The device may read an enabled ring without a doorbell:
  /// submissions that must stay queued go into a disabled one.
  void startRing(const Ring& ring);
  void startRing() { startRing(Ring{}); }
  /// Loads the state that another machine has saved to `file`, and waits until this one, which was started
  /// with
  /// "-incoming defer", has the status that it had: running, or paused. A path without quotes or blanks.
  void loadFrom(const std::filesystem::path& file, const char* status = "running");
  /// Takes over the ring and the fences of `other`, whose saved state this device has loaded.
  void goOnFrom(const AeroGpuDev& other) {
    m_ring = other.m_ring;
    m_tail = other.m_tail;
    m_nextFence = other.m_nextFence;
  }
  void enableRing() { setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE); }
  aerogpu_ring_header ringHeader();
  void useFencePage();
  aerogpu_fence_page fencePage();

  /// Puts a descriptor into the next slot and moves the tail; rings the bell unless `ring` is false.
  void push(aerogpu_submit_desc desc, bool ring = true, std::optional<aerogpu_submit_space> space = {});
  void ringBell() { setReg(AEROGPU_MMIO_REG_DOORBELL, 1); }
  struct Submit {
    uint32_t flags = 0, context = 0;
    uint64_t commandGpa = kCommandGpa;
    std::span<const uint8_t> table = {};
    bool ring = true;
    std::optional<aerogpu_submit_space> space = {};  ///< after the descriptor, which is then longer
  };
  /// Copies a stream into guest memory and pushes it with the next fence; returns the fence.
  uint64_t submit(const CommandWriter& writer, const Submit& how);
  uint64_t submit(const CommandWriter& writer) { return submit(writer, Submit{}); }
  /// Pushes a submission without commands.
  uint64_t submitEmpty(uint32_t flags = 0, bool ring = true);
  static std::vector<uint8_t> allocTable(std::span<const aerogpu_alloc_entry> entries);

  uint64_t completedFence() { return reg64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO); }
  /// Polls until the fence is complete; throws at the deadline.
  void waitFence(uint64_t fence);
  /// Polls `done` with the same deadline: at first as fast as QEMU answers, then every millisecond.
  void waitUntil(const std::function<bool()>& done, const char* what);
  uint64_t nextFence() const { return m_nextFence; }
  void setNextFence(uint64_t fence) { m_nextFence = fence; }

  struct Scanout {
    uint32_t format = AEROGPU_FORMAT_B8G8R8X8_UNORM, width = 64, height = 48, pitch = 256;
    uint64_t gpa = kSurfaceGpa;
  };
  void setScanout(const Scanout& s, bool enable = true);
  uint32_t errorCount() { return reg(AEROGPU_MMIO_REG_ERROR_COUNT); }

private:
  uint32_t configAddress(uint32_t offset) const;

  std::optional<Behind> m_behind;
  Ring m_ring;
  uint32_t m_tail = 0;
  uint64_t m_nextFence = 1;
};

/// Waits until QEMU says that the machine has this status.
void waitStatus(AeroGpuDev& dev, const std::string& wanted);
/// Suspends the machine to RAM.
void suspend(AeroGpuDev& dev);
/// Ends that, with the reset that comes with it, and sets the device up again.
void wakeUp(AeroGpuDev& dev);

}  // namespace aerogpu::qtest
