// SPDX-License-Identifier: MIT
// QEMU's monitor (QEMU: docs/interop/qmp-spec.rst), as far as questions about the device and its picture need
// it.
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

  /// QEMU answers one connection at a time.
  guest::Status connect(const std::string& path);
  /// The text of "return" of a command whose "arguments" are JSON; any thread. Fails when QEMU says so, or
  /// does not answer for a minute.
  guest::Status execute(const std::string& command, const std::string& arguments, std::string& result);
  /// A property of the device as JSON.
  guest::Status property(const std::string& name, std::string& json);
  /// One that is a whole number.
  guest::Status property(const std::string& name, uint64_t& value);
  /// Events of this name so far, as far as answers were read.
  uint64_t events(const std::string& name);
  /// Returns when there are more than `before`.
  guest::Status waitForEvent(const std::string& name, uint64_t before);
  /// The picture on the device's console as a PPM file.
  guest::Status screendump(const std::string& path);

private:
  guest::Status readLine(std::string& line);

  std::mutex m_mutex;
  std::map<std::string, uint64_t> m_events;
  int m_socket = -1;
  std::string m_buffer;
};

}  // namespace aerogpu::host
