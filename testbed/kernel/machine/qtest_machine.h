// SPDX-License-Identifier: MIT
// A machine that consists of the device only: QEMU without a processor, driven over its qtest socket, on the
// computer that the host itself runs on. docs/windows/driver-host.md, "Machines".
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "aerogpu/aerogpu_pci.h"
#include "testbed/kernel/core/device_pages.h"
#include "testbed/kernel/machine/machine.h"
#include "testbed/kernel/machine/qemu.h"
#include "testbed/kernel/machine/qmp.h"
#include "testbed/kernel/machine/qtest_socket.h"

namespace aerogpu::host {

class QtestMachine final : public Machine {
public:
  /// `qemu` has started, and outlives this object. One machine at a time is connected to it.
  explicit QtestMachine(Qemu& qemu);
  ~QtestMachine() override;
  guest::Status open(uint64_t memoryBytes) override;
  guest::Status openRegisters() override;
  guest::Registers& registers() override { return m_registers; }
  void readVideoMemory(uint64_t offset, void* to, uint64_t bytes) override;
  void writeVideoMemory(uint64_t offset, const void* from, uint64_t bytes) override;
  void* map(unsigned bar, uint64_t offset, uint64_t bytes) override;
  void unmap(void* address, uint64_t bytes) override;
  guest::Status readConfig(uint32_t offset, void* to, uint32_t bytes) override;
  guest::Status writeConfig(uint32_t offset, const void* from, uint32_t bytes) override;
  guest::InterruptLine& interruptLine() override { return m_line; }
  bool clockJumps() const override { return true; }
  guest::Memory& memory() override { return m_memory; }
  std::string memoryFile() const override { return m_qemu.memoryPath(); }
  bool memoryFileOffset(uint64_t gpa, uint64_t& offset) const override;
  uint64_t memoryFilePageBytes() const override { return guest::kPageBytes; }
  bool canReset() const override { return true; }
  bool sleepAndWake(bool reboot) override;
  bool saveAndRestore() override;
  void saveEvery(unsigned seconds) override;
  bool loseGpu() override { return setProperty("x-gpu-fault", m_faults | 1); }
  bool stickGpu() override { return setProperty("x-gpu-fault", m_faults | 4); }
  bool hangGpu(bool hangs) override { return setProperty("x-gpu-fault", m_faults = hangs ? 8 : 0); }
  bool refuseGpu(bool refuses) override { return setProperty("x-gpu-fault", m_faults = refuses ? 2 : 0); }
  bool starveFetches(bool starves) override {
    return setProperty("x-gpu-fault", m_faults | (starves ? 32 : 0));
  }
  bool slowGpu(unsigned ms) override { return setProperty("x-gpu-delay-ms", ms); }
  bool isSeen() const override { return true; }
  bool breakRegister(uint32_t offset, const Fault& fault) override {
    m_registers.breakRegister(offset, fault);
    return true;
  }
  std::optional<uint64_t> registerReads() const override { return m_registers.reads(); }
  guest::Status screen(Picture& picture) override;
  guest::Status deviceProperty(const std::string& name, uint64_t& value) override;
  guest::Status deviceProperty(const std::string& name, std::string& json) override {
    return m_qmp.property(name, json);
  }

private:
  static constexpr uint32_t kGpu = 4;         // a PCI device; Qemu gives it addr=4
  static constexpr unsigned kInterrupt = 11;  // of the IOAPIC
  /// Sets a property of the device.
  bool setProperty(const char* name, uint64_t value);
  uint64_t m_faults = 0;  // faults that persist
  /// A BAR, accessed through device pages.
  class Window : public DeviceWindow {
  public:
    Window(QtestSocket& socket, const BarInfo& bar) : m_socket(socket), m_bar(bar) {}
    uint64_t read(uint64_t offset, unsigned bytes) override {
      return m_socket.read(m_bar.address + offset, bytes);
    }
    void write(uint64_t offset, uint64_t value, unsigned bytes) override {
      m_socket.write(m_bar.address + offset, value, bytes);
    }
    void readBlock(uint64_t offset, void* to, uint64_t bytes) override {
      m_socket.readBlock(m_bar.address + offset, to, bytes);
    }
    void writeBlock(uint64_t offset, const void* from, uint64_t bytes) override {
      m_socket.writeBlock(m_bar.address + offset, from, bytes);
    }

  protected:
    uint64_t barAddress() const { return m_bar.address; }
    QtestSocket& m_socket;

  private:
    const BarInfo& m_bar;
  };
  /// BAR0, also for the tests. It watches writes that determine the next vblank, and writes that start work.
  class RegisterWindow final : public Window, public guest::Registers {
  public:
    using Window::Window;
    /// Make the driver's accesses.
    uint64_t read(uint64_t offset, unsigned bytes) override;
    void write(uint64_t offset, uint64_t value, unsigned bytes) override;
    /// Make the host's accesses.
    uint32_t read(uint32_t offset) override { return static_cast<uint32_t>(Window::read(offset, 4)); }
    void write(uint32_t offset, uint32_t value) override { writeRegister(offset, value, 4); }
    void breakRegister(uint64_t offset, const Fault& fault);
    /// Counts the driver's reads.
    uint64_t reads() const { return m_reads; }
    /// Returns the first vblank after `now`, by clockNow(); kNever while the scanout is off.
    int64_t nextVblank(int64_t now) const;
    /// True if vblanks interrupt.
    bool vblanksInterrupt() const { return m_irqEnable & AEROGPU_IRQ_SCANOUT_VBLANK; }
    /// Called when the device was reset: forgets the scanout and the enabled interrupts.
    void forget();
    /// Counts writes that may have given the device something to do.
    uint64_t works() const { return m_works; }

  private:
    void writeRegister(uint64_t offset, uint64_t value, unsigned bytes);
    Fault faultOf(uint64_t offset);

    std::mutex m_faultMutex;
    std::map<uint64_t, Fault> m_faults;
    std::mutex m_mutex;
    bool m_scanout = false;
    std::atomic<int64_t> m_vblankStart{-1}, m_vblankPeriod{1};
    std::atomic<uint64_t> m_works{0}, m_reads{0};
    std::atomic<uint32_t> m_irqEnable{0};
  };
  /// The input of the IOAPIC that the function's INTA# reaches.
  class Line final : public guest::InterruptLine {
  public:
    explicit Line(QtestSocket& socket) : m_socket(socket) {}
    guest::Status wait(int64_t timeoutNs, bool& fired) override;
    guest::Status unmask() override { return {}; }

  private:
    QtestSocket& m_socket;
  };
  /// Guest RAM above the first 16 MiB.
  class Ram final : public guest::Memory {
  public:
    ~Ram() override;
    guest::Status create(const Qemu& qemu, uint64_t bytes);

  private:
    void* m_base = nullptr;
    uint64_t m_bytes = 0;
  };

  uint32_t config(uint32_t device, uint32_t offset);
  void setConfig(uint32_t device, uint32_t offset, uint32_t value);
  void setUpFunction();
  void keepTime();
  bool deviceRests();
  // qtest_saves.cpp
  void keepSaves();
  bool saveNow();
  guest::Status save(const std::string& path);
  guest::Status restore(const std::string& path);
  guest::Status noteCounters();
  guest::Status shareMemory();
  void reportLine();

  Qemu& m_qemu;
  QtestSocket m_socket;
  Qmp m_qmp;
  RegisterWindow m_registers{m_socket, m_bars[0]};
  Window m_videoMemory{m_socket, m_bars[1]};
  Line m_line{m_socket};
  Ram m_memory;
  std::mutex m_configMutex;  // address port and data port must be used together
  std::atomic<bool> m_ending{false};
  std::thread m_keeper;
  std::mutex m_sleepMutex;  // a machine that sleeps, or falls asleep, is not saved
  std::mutex m_savesMutex;  // under it: the requests of saveAndRestore(), and how many are done and went well
  std::condition_variable m_saved;
  uint64_t m_savesAsked = 0, m_savesDone = 0;
  bool m_lastSaved = false;
  std::atomic<int64_t> m_saveEveryNs{0};
  int64_t m_lastSaveNs = 0;                         // of the monotonic clock; the keeper's
  unsigned m_saves = 0;                             // the keeper's
  std::map<std::string, uint64_t> m_countedBefore;  // by QEMUs that were killed; with m_qmp held
  uint64_t m_restsSince =
      UINT64_MAX;  // works() when the device was last seen empty and at rest; used by the keeper
};

}  // namespace aerogpu::host
