// SPDX-License-Identifier: MIT
// The qtest protocol (QEMU: docs/devel/qtest.rst; softmmu/qtest.c lists the commands): a command per line, an
// answer that begins with OK, and between answers "IRQ raise N" and "IRQ lower N". Several threads use one
// socket. The device's tests have a client of their own (tests-qtest/qemu_process.h), which throws where this
// one ends the process, and which testbed/ must not include.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "guest-drivers/linux/device/status.h"
#include "testbed/kernel/core/clock.h"

namespace aerogpu::host {

/// One connection. QEMU is part of the machine: if it is gone, or reports that a command failed, the process
/// prints a line and ends, since it cannot continue.
class QtestSocket {
public:
  QtestSocket() = default;
  QtestSocket(const QtestSocket&) = delete;
  QtestSocket& operator=(const QtestSocket&) = delete;
  ~QtestSocket();

  /// Connects to QEMU's qtest server, which answers one connection at a time.
  guest::Status connect(const std::string& path);
  /// Connects to another QEMU's server in place of the first one's, which has ended. That QEMU's clock is at
  /// 0; followClock() goes on with it.
  guest::Status reconnect(const std::string& path);
  /// Keeps other threads from sending commands while the result lives.
  std::unique_lock<std::recursive_mutex> hold() { return std::unique_lock(m_mutex); }
  /// Starts the thread that reads reports while no thread sends commands. The socket then lives until the
  /// process ends.
  void startWatching();

  // Each sends one command, any thread. `bytes` is 1, 2, 4 or 8.
  uint64_t read(uint64_t address, unsigned bytes);
  void write(uint64_t address, uint64_t value, unsigned bytes);
  /// Writes, and returns QEMU's clock at that time.
  int64_t writeAtClock(uint64_t address, uint64_t value, unsigned bytes);
  void readBlock(uint64_t address, void* to, uint64_t bytes);
  void writeBlock(uint64_t address, const void* from, uint64_t bytes);
  /// Access ports; 4 bytes.
  uint32_t in(uint16_t port);
  void out(uint16_t port, uint32_t value);
  void out16(uint16_t port, uint32_t value);
  /// Returns QEMU's virtual clock, in nanoseconds.
  int64_t clock();
  /// Keeps QEMU's clock at most kLagNs before clockNow() from now on: each command first steps the clock over
  /// the difference, with the timers that expire.
  void followClock();
  /// Brings QEMU's clock up to clockNow().
  void catchUp();
  /// Makes QEMU report, from now on, changes of the input lines of the device at this QOM path.
  void interceptInterrupts(const std::string& path);

  /// Returns the level of line `number`, 0 to 31, by the reports.
  bool level(unsigned number) const { return m_levels >> number & 1; }
  /// Sleeps until the line is high or the deadline (clockNow()) has passed; returns whether it is.
  bool waitLevel(unsigned number, int64_t deadline);
  /// Sets the line's initial level, before any report.
  void setLevel(unsigned number, bool level);

  uint64_t commands() const { return m_commands; }

private:
  /// Sends a line, with its end; returns the text after OK.
  std::string command(const std::string& text, int64_t* clock = nullptr);
  __attribute__((format(printf, 2, 3))) std::string commandf(const char* format, ...);
  std::string readAnswer();
  /// Returns false if the line is an answer.
  bool takeReport(const std::string& line);
  bool takeLine(std::string& line);
  /// Returns a connection, or -1 with `status`.
  static int open(const std::string& path, guest::Status& status);
  void greet();
  void fill(bool wait);
  void send(const std::string& text);
  /// Returns the command that brings QEMU's clock up to clockNow(); empty if it is at most `lag` behind.
  std::string stepCommand(int64_t lag);
  void takeStepAnswer();
  void watch();

  int m_socket = -1, m_stop = -1;  // m_stop: an event that ends the watching thread
  std::thread m_watcher;
  std::recursive_mutex m_mutex;  // a command and its answer; the buffer
  std::string m_buffer;          // received, not yet taken
  bool m_follows = false;
  int64_t m_clock = 0;  // QEMU's clock
  std::atomic<uint64_t> m_commands{0};
  std::mutex m_levelMutex;
  ClockCondition m_raised;
  std::atomic<uint32_t> m_levels{0};
};

}  // namespace aerogpu::host
