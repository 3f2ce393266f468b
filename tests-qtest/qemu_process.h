// SPDX-License-Identifier: MIT
// One QEMU under test: the distribution's binary with the device loaded and no CPU running (-accel qtest),
// driven over the qtest and QMP sockets. A lost QEMU or a missed deadline is an exception, which fails the
// test. The driver host has a qtest client of its own (testbed/kernel/machine/qtest_socket.h): it is compiled
// without exceptions, its threads share the socket and its clock is QEMU's. These tests continue after a lost
// QEMU, use one thread, and step the clock themselves.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace aerogpu::qtest {

/// QEMU is gone or did not answer in time.
struct QemuError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An 8-bit RGB picture.
struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgb;
  /// Returns 0xRRGGBB.
  uint32_t at(uint32_t x, uint32_t y) const {
    const uint8_t* p = rgb.data() + (size_t{y} * width + x) * 3;
    return uint32_t{p[0]} << 16 | uint32_t{p[1]} << 8 | p[2];
  }
};

/// A QEMU process. It is killed at the end unless quit() ended it; with AEROGPU_QTEST_ORDERLY in the
/// environment it exits by itself instead, as a coverage build needs it.
class QemuProcess {
public:
  /// Starts QEMU with `before` (devices that the device is plugged into), "-device
  /// aerogpu,addr=4,`deviceOptions`" and `extra` arguments.
  /// The accelerator is qtest unless `before` names another.
  explicit QemuProcess(const std::string& deviceOptions = "renderer=null",
                       const std::vector<std::string>& extra = {},
                       const std::vector<std::string>& before = {});
  ~QemuProcess();
  QemuProcess(const QemuProcess&) = delete;
  QemuProcess& operator=(const QemuProcess&) = delete;

  // Guest-physical memory and ports.
  uint32_t readl(uint64_t address);
  void writel(uint64_t address, uint32_t value);
  uint8_t readb(uint64_t address);
  uint16_t readw(uint64_t address);
  uint64_t readq(uint64_t address);
  void writeb(uint64_t address, uint8_t value);
  void writew(uint64_t address, uint16_t value);
  void writeq(uint64_t address, uint64_t value);
  std::vector<uint8_t> read(uint64_t address, size_t size);
  void write(uint64_t address, std::span<const uint8_t> bytes);
  /// Sets bytes of memory to `value`.
  void fill(uint64_t address, uint64_t size, uint8_t value);
  void outb(uint16_t port, uint8_t value);
  void outw(uint16_t port, uint16_t value);
  void outl(uint16_t port, uint32_t value);
  uint8_t inb(uint16_t port);
  uint16_t inw(uint16_t port);
  uint32_t inl(uint16_t port);

  /// Moves the virtual clock on by `ns` nanoseconds and runs what is due.
  void clockStep(uint64_t ns);

  /// Reports the input lines of a qdev from now on.
  void interceptIrqs(const std::string& path);
  /// Returns the last reported level of an intercepted line.
  bool irqLevel(int line);

  /// Runs a QMP command and returns its answer's text; throws on an error answer.
  std::string qmp(const std::string& command, const std::string& arguments = "{}");
  /// Runs a command of the human monitor and returns its answer, as it stands in JSON.
  std::string monitor(const std::string& command);
  /// Returns a property of the device that is a whole number, possibly negative; throws for any other.
  int64_t property(const std::string& name);
  /// Sets a property of the device.
  void setProperty(const std::string& name, uint32_t value);
  /// Returns a property that is text; throws for any other.
  std::string stringProperty(const std::string& name);
  /// Returns the picture that a display would show.
  Picture screendump();

  pid_t pid() const { return m_pid; }
  const std::filesystem::path& folder() const { return m_folder; }
  /// Ends QEMU in an orderly way and waits for it; returns its exit status.
  int quit();
  /// Returns QEMU's output so far.
  std::string output() const;

private:
  std::string propertyAnswer(const std::string& name);
  std::string qtestCommand(const std::string& line);
  std::string readLine(int fd, std::string& buffer, const char* what);
  void noteIrq(const std::string& line);
  int acceptOne(int listener);
  void reap();

  std::filesystem::path m_folder;
  pid_t m_pid = -1;
  int m_exitStatus = -1;
  int m_qtest = -1, m_qmp = -1;
  std::string m_qtestBuffer, m_qmpBuffer;
  std::vector<bool> m_irqs = std::vector<bool>(64);
};

/// Return the value of a QMP answer {"return": VALUE...}, as a whole number and as text; throw QemuError if
/// it is neither.
int64_t qmpNumber(const std::string& answer);
std::string qmpString(const std::string& answer);

/// Starts QEMU with options that it must refuse; returns its exit status and its output.
struct Refusal {
  int status;
  std::string output;
};
Refusal startRefused(const std::string& deviceOptions);
/// Runs QEMU with just these arguments until it ends; returns its exit status (-1: a signal ended it, perhaps
/// ours at the deadline) and its output.
Refusal runToExit(const std::vector<std::string>& arguments);

/// Deadline of every wait on QEMU.
inline constexpr int kDeadlineMs = 30'000;

}  // namespace aerogpu::qtest
