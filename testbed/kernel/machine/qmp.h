// SPDX-License-Identifier: MIT
// QEMU's monitor (QEMU: docs/interop/qmp-spec.rst), as far as needed for questions about the device and its
// picture.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "guest-drivers/linux/device/status.h"

namespace aerogpu::host {

class Qmp {
public:
  Qmp() = default;
  Qmp(const Qmp&) = delete;
  Qmp& operator=(const Qmp&) = delete;
  ~Qmp();

  /// Connects to QEMU's monitor, which answers one connection at a time. Again: to another QEMU's.
  guest::Status connect(const std::string& path);
  /// Keeps other threads from asking anything while the result lives.
  std::unique_lock<std::recursive_mutex> hold() { return std::unique_lock(m_mutex); }
  /// Runs a command whose "arguments" are JSON, and returns the text of "return"; any thread. Fails if QEMU
  /// reports an error, or does not answer for a minute.
  guest::Status execute(const std::string& command, const std::string& arguments, std::string& result);
  /// Reads a property of the device as JSON.
  guest::Status property(const std::string& name, std::string& json);
  /// Reads a property that is a whole number.
  guest::Status property(const std::string& name, uint64_t& value);
  /// Counts events of this name, as far as answers were read.
  uint64_t events(const std::string& name);
  /// Returns once there are more than `before`.
  guest::Status waitForEvent(const std::string& name, uint64_t before);
  /// Writes the picture on the device's console as a PPM file.
  guest::Status screendump(const std::string& path);

private:
  guest::Status readLine(std::string& line);

  std::recursive_mutex m_mutex;
  std::map<std::string, uint64_t> m_events;
  int m_socket = -1;
  std::string m_buffer;
};

}  // namespace aerogpu::host
