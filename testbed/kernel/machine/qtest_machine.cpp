// SPDX-License-Identifier: MIT
#include "testbed/kernel/machine/qtest_machine.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "aerogpu/aerogpu_pci.h"
#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/report.h"

namespace aerogpu::host {

namespace {

// BARs are where firmware would put them: -machine pc has RAM below the hole, which ends at the IOAPIC.
constexpr uint64_t kBarAddress[2] = {0xFE000000, 0xE0000000};
constexpr uint32_t kIsaBridge = 1;  // a PCI device
// The first megabytes hold a PC's usual contents: vectors, VGA's window, ROMs.
constexpr uint64_t kMemoryBegin = 16 << 20;
// While some thread is busy, QEMU's clock is stepped at each vblank, or at this interval without.
constexpr int64_t kStepNs = 20'000'000;
// While all wait for the device: the first and the last interval of the checks whether the device itself
// waits.
constexpr int64_t kFirstLookNs = 100'000, kLastLookNs = 1'000'000;

}  // namespace

guest::Status QtestMachine::Line::wait(int64_t timeoutNs, bool& fired) {
  fired = m_socket.waitLevel(kInterrupt, clockNow() + std::max<int64_t>(timeoutNs, 0));
  return {};
}

QtestMachine::Ram::~Ram() {
  if (m_base) munmap(m_base, m_bytes);
}

guest::Status QtestMachine::Ram::create(const Qemu& qemu, uint64_t bytes) {
  if (bytes > qemu.memoryBytes() || qemu.memoryBytes() - bytes < kMemoryBegin)
    return guest::Status::failure("%llu bytes of %llu of guest RAM are asked for",
                                  static_cast<unsigned long long>(bytes),
                                  static_cast<unsigned long long>(qemu.memoryBytes()));
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, qemu.memoryFile(),
                    static_cast<off_t>(kMemoryBegin));
  if (base == MAP_FAILED) return guest::Status::systemFailure("cannot map guest RAM");
  m_base = base;
  m_bytes = bytes;
  addExtent(static_cast<uint8_t*>(base), kMemoryBegin, bytes);
  return {};
}

QtestMachine::QtestMachine(Qemu& qemu) : m_qemu(qemu) {}
QtestMachine::~QtestMachine() {
  m_ending = true;
  if (m_keeper.joinable()) m_keeper.join();
}

// Configuration mechanism #1 (PCI Local Bus Specification 3.0, 3.2.2.3.2). Under m_configMutex.
uint32_t QtestMachine::config(uint32_t device, uint32_t offset) {
  m_socket.out(0xCF8, 0x80000000u | device << 11 | (offset & 0xFC));
  return m_socket.in(0xCFC);
}
void QtestMachine::setConfig(uint32_t device, uint32_t offset, uint32_t value) {
  m_socket.out(0xCF8, 0x80000000u | device << 11 | (offset & 0xFC));
  m_socket.out(0xCFC, value);
}

// Does the work of firmware and a kernel: BARs, command register, interrupt routing.
void QtestMachine::setUpFunction() {
  std::lock_guard lock(m_configMutex);
  setConfig(kGpu, 0x04, 0);
  for (unsigned i = 0; i < 2; ++i) {
    const uint32_t at = 0x10 + 4 * i;
    setConfig(kGpu, at, 0xFFFFFFFF);  // PCI 3.0, 6.2.5.1: the bits that stay set give the size
    m_bars[i] = {kBarAddress[i], uint64_t{~(config(kGpu, at) & 0xFFFFFFF0u)} + 1};
    setConfig(kGpu, at, static_cast<uint32_t>(kBarAddress[i]));
  }
  setConfig(kGpu, 0x04, 0x0007);  // I/O, memory, bus master
  // PIIX3: PIRQA..D route control at 60h, one byte each.
  setConfig(kIsaBridge, 0x60, kInterrupt * 0x01010101u);
}

bool QtestMachine::sleepAndWake(bool reboot) {
  const auto run = [&](const char* command, const char* event) {
    const uint64_t before = m_qmp.events(event);
    std::string ignored;
    guest::Status status;
    if (command) {
      status = m_qmp.execute(command, "{}", ignored);
    } else {
      // ACPI's PM1a_CNT of the PIIX4: SLP_EN, and QEMU's SLP_TYP of S3.
      constexpr uint32_t kPm = 0x80000000u | 1u << 11 | 3u << 8;
      constexpr uint16_t kPorts = 0x600;
      std::lock_guard lock(m_configMutex);
      m_socket.out(0xCF8, kPm | 0x40);
      m_socket.out(0xCFC, kPorts | 1);
      m_socket.out(0xCF8, kPm | 0x80);
      m_socket.out(0xCFC, 1);
      m_socket.out16(kPorts + 4, 1u << 13 | 1u << 10);
    }
    if (status.ok()) status = m_qmp.waitForEvent(event, before);
    if (!status.ok()) brokenRule("%s: %s", event, status.text().c_str());
    return status.ok();
  };
  std::lock_guard asleep(m_sleepMutex);
  if (reboot ? !run("system_reset", "RESET") : !(run(nullptr, "SUSPEND") && run("system_wakeup", "WAKEUP")))
    return false;
  setUpFunction();
  m_registers.forget();
  return true;
}

void QtestMachine::RegisterWindow::forget() {
  std::lock_guard lock(m_mutex);
  m_scanout = false;
  m_vblankStart = -1;
  m_irqEnable = 0;
}

guest::Status QtestMachine::openRegisters() {
  guest::Status status = m_socket.connect(m_qemu.qtestPath());
  if (status.ok()) setUpFunction();
  return status;
}

guest::Status QtestMachine::open(uint64_t memoryBytes) {
  guest::Status status = openRegisters();
  if (status.ok()) status = m_memory.create(m_qemu, memoryBytes);
  if (!status.ok()) return status;
  m_socket.interceptInterrupts("ioapic");
  // The line may still be high; only changes are reported.
  m_socket.setLevel(kInterrupt, registers().read(AEROGPU_MMIO_REG_IRQ_STATUS) &
                                    registers().read(AEROGPU_MMIO_REG_IRQ_ENABLE));
  if (status = m_qmp.connect(m_qemu.qmpPath()); !status.ok()) return status;
  clockJoin();
  clockTakeOver(m_socket.clock());
  m_socket.followClock();
  m_socket.startWatching();
  m_keeper = std::thread([this] { keepTime(); });
  return {};
}

QtestMachine::Fault QtestMachine::RegisterWindow::faultOf(uint64_t offset) {
  std::lock_guard lock(m_faultMutex);
  const auto found = m_faults.find(offset);
  return found == m_faults.end() ? Fault() : found->second;
}

void QtestMachine::RegisterWindow::breakRegister(uint64_t offset, const Fault& fault) {
  std::lock_guard lock(m_faultMutex);
  m_faults[offset] = fault;
}

uint64_t QtestMachine::RegisterWindow::read(uint64_t offset, unsigned bytes) {
  ++m_reads;
  const Fault fault = faultOf(offset);
  return (Window::read(offset, bytes) & (fault.readAnd | ~uint64_t{UINT32_MAX})) | fault.readOr;
}

void QtestMachine::RegisterWindow::write(uint64_t offset, uint64_t value, unsigned bytes) {
  writeRegister(offset, value & (faultOf(offset).writeAnd | ~uint64_t{UINT32_MAX}), bytes);
}

// VBL-1: ticks are counted from the moment that the scanout is enabled.
void QtestMachine::RegisterWindow::writeRegister(uint64_t offset, uint64_t value, unsigned bytes) {
  if (offset != AEROGPU_MMIO_REG_SCANOUT0_ENABLE) {
    if (offset == AEROGPU_MMIO_REG_IRQ_ENABLE)
      m_irqEnable = static_cast<uint32_t>(value);
    else if (offset != AEROGPU_MMIO_REG_IRQ_ACK)
      ++m_works;
    Window::write(offset, value, bytes);
    return;
  }
  std::lock_guard lock(m_mutex);
  ++m_works;
  if (value && !m_scanout) {
    m_vblankPeriod = std::max<int64_t>(read(uint32_t{AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS}), 1);
    m_vblankStart = m_socket.writeAtClock(barAddress() + offset, value, bytes);
  } else {
    Window::write(offset, value, bytes);
  }
  m_scanout = value != 0;
  if (!m_scanout) m_vblankStart = -1;
  clockKick();
}

int64_t QtestMachine::RegisterWindow::nextVblank(int64_t now) const {
  const int64_t start = m_vblankStart, period = m_vblankPeriod;
  if (start < 0 || now < start) return kNever;
  return start + ((now - start) / period + 1) * period;
}

/// True if nothing happens in QEMU before its clock advances, and no interrupt is under way.
bool QtestMachine::deviceRests() {
  const uint64_t works = m_registers.works();
  if (works != m_restsSince) {
    uint64_t resting = 0, depth = 0;
    if (!m_qmp.property("resting", resting).ok() || !resting) return false;
    if (m_qmp.property("queue-depth", depth).ok() && depth == 0) m_restsSince = works;
  }
  // A completion raises the bit, then QEMU's main loop raises the line. The line's report comes before this
  // answer.
  const uint32_t pending = registers().read(AEROGPU_MMIO_REG_IRQ_STATUS);
  return !pending || !(pending & registers().read(AEROGPU_MMIO_REG_IRQ_ENABLE));
}

// Keeps the clock (core/clock.h): QEMU's clock follows the host's, and both jump when no thread has anything
// to do.
void QtestMachine::keepTime() {
  int64_t stepped = clockNow(), look = kFirstLookNs;
  uint64_t wakes = 0;
  while (!m_ending) {
    keepSaves();
    const ClockState state = clockState();
    if (state.wakes != wakes) look = kFirstLookNs;
    wakes = state.wakes;
    // The first vblank that QEMU has not been stepped over: stepping over it lets its timer expire.
    const int64_t vblank = m_registers.nextVblank(stepped), due = std::min(stepped + kStepNs, vblank);
    const bool empty = m_registers.works() == m_restsSince;
    int64_t target = state.allWait ? state.nextDeadline : kNever, until = due;
    // A vblank matters to the guest if it interrupts, or if a present waits for it.
    if (state.allWait && (!empty || m_registers.vblanksInterrupt())) target = std::min(target, vblank);
    bool jumped = false;
    if (target != kNever) {
      // Asking the device costs time, and most work ends, and with it the waiting, before that is worthwhile.
      const bool ask = look > kFirstLookNs || empty;
      jumped = ask && deviceRests() && clockJump(state, target);
      until = std::min(until, clockNow() + look);
      look = std::min(look * 2, kLastLookNs);
    }
    if (!jumped) clockKeeperWait(until);
    const int64_t now = clockNow();
    if (!jumped && now < due && now < state.nextDeadline) continue;
    m_socket.catchUp();
    stepped = clockNow();
    clockExpire();
  }
}

void QtestMachine::readVideoMemory(uint64_t offset, void* to, uint64_t bytes) {
  m_videoMemory.readBlock(offset, to, bytes);
}

void QtestMachine::writeVideoMemory(uint64_t offset, const void* from, uint64_t bytes) {
  m_videoMemory.writeBlock(offset, from, bytes);
}

void* QtestMachine::map(unsigned bar, uint64_t offset, uint64_t bytes) {
  return mapDevicePages(bar ? m_videoMemory : m_registers, offset, bytes);
}

void QtestMachine::unmap(void* address, uint64_t) {
  forgetDevicePages(address);
}

guest::Status QtestMachine::readConfig(uint32_t offset, void* to, uint32_t bytes) {
  if (offset > 256 || bytes > 256 - offset)
    return guest::Status::failure("%u bytes at %u of the configuration space", bytes, offset);
  std::lock_guard lock(m_configMutex);
  auto* out = static_cast<uint8_t*>(to);
  for (uint32_t i = 0; i < bytes; ++i)
    out[i] = static_cast<uint8_t>(config(kGpu, offset + i) >> (offset + i) % 4 * 8);
  return {};
}

guest::Status QtestMachine::writeConfig(uint32_t offset, const void* from, uint32_t bytes) {
  if (offset > 256 || bytes > 256 - offset)
    return guest::Status::failure("%u bytes at %u of the configuration space", bytes, offset);
  std::lock_guard lock(m_configMutex);
  const auto* in = static_cast<const uint8_t*>(from);
  for (uint32_t at = offset & ~3u; at < offset + bytes; at += 4) {
    // Ones would clear status bits in the other half.
    uint32_t value = config(kGpu, at);
    if (at == 4) value &= 0xFFFF;
    for (uint32_t k = 0; k < 4; ++k)
      if (at + k >= offset && at + k < offset + bytes)
        value = (value & ~(0xFFu << k * 8)) | static_cast<uint32_t>(in[at + k - offset]) << k * 8;
    setConfig(kGpu, at, value);
  }
  return {};
}

bool QtestMachine::setProperty(const char* name, uint64_t value) {
  std::string ignored;
  const std::string arguments = std::string(R"({"path": "/machine/peripheral/gpu0", "property": ")") + name +
                                R"(", "value": )" + std::to_string(value) + "}";
  return m_qmp.execute("qom-set", arguments, ignored).ok();
}

guest::Status QtestMachine::screen(Picture& picture) {
  const std::string path = m_qemu.folder() + "/screen";
  guest::Status status = m_qmp.screendump(path);
  if (!status.ok()) return status;
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (!file) return guest::Status::systemFailure("cannot open %s", path.c_str());
  bool ok = std::fscanf(file, "P6 %u %u 255", &picture.width, &picture.height) == 2 &&
            picture.width - 1 < 16384 && picture.height - 1 < 16384 && std::fgetc(file) != EOF;
  if (ok) {
    // QEMU 7.2 pads the rows of its PPM files to a multiple of 4 bytes.
    const size_t bytes = size_t{picture.width} * 3, padded = (bytes + 3) & ~size_t{3};
    picture.rgb.resize(padded * picture.height);
    const size_t read = std::fread(picture.rgb.data(), 1, picture.rgb.size(), file);
    picture.pitch = read / picture.height;
    ok = read == picture.rgb.size() || read == bytes * picture.height;
  }
  std::fclose(file);
  return ok ? guest::Status() : guest::Status::failure("QEMU's picture %s is no PPM", path.c_str());
}

bool QtestMachine::memoryFileOffset(uint64_t gpa, uint64_t& offset) const {
  if (!m_memory.at(gpa)) return false;
  offset = gpa;
  return true;
}

}  // namespace aerogpu::host
