// SPDX-License-Identifier: MIT
// call_log.h: the log of calls of one adapter (docs/d3d9/testbed.md, "The log of calls"): a ring of lines in a file, of
// what the runtime calls, what the callbacks answer, and what failed. While it is off it has no memory, and no function
// of a device knows of it: the table has other functions while it is on. Any thread: a line belongs to who takes its
// number.
#pragma once

#include "guest-drivers/umd-d3d9/base/ddi.h"
#include "guest-drivers/umd-d3d9/log/call_text.h"

namespace aero {

enum class LogLevel : uint8_t {
  Off,
  Errors,    // calls and callbacks that fail
  Refusals,  // also what is not there: E_NOTIMPL, "not available", "unsupported"
  Calls,     // all
};

class CallLog {
public:
  CallLog() = default;
  CallLog(const CallLog &) = delete;
  CallLog &operator=(const CallLog &) = delete;
  ~CallLog() { close(); }

  /** Makes the ring. Without a file it is memory of the process, which a dump has; without that it stays off. */
  void open(LogLevel level);
  void close();

  bool isOn() const { return m_lines != nullptr; }
  /** All calls are logged, from their beginning on. */
  bool hasCalls() const { return m_level == LogLevel::Calls; }
  /** Whether a call is logged that ends so. */
  bool wants(HRESULT result) const;
  /** Devices count from 1; 0 is the adapter. */
  uint32_t nextDevice() { return __atomic_add_fetch(&m_devices, 1, __ATOMIC_RELAXED); }

  /** One more line; gives its number. */
  uint32_t write(uint32_t device, const CallText &text);
  /** The line with that number again: the call has ended. Where the ring has come round it is a new line. */
  void rewrite(uint32_t number, uint32_t device, const CallText &text);
  /** An answer of the runtime's, within the call before it. */
  void writeCallback(uint32_t device, const char *callback, uint32_t what, HRESULT result);
  /** Memory, 32 bits each, in lines of its own. */
  void dump(uint32_t device, const void *memory, size_t bytes);

  static constexpr uint32_t kAllLines = 16384, kFewLines = 2048;  // of rings with calls, without

private:
  void put(uint32_t number, uint32_t device, const CallText &text);

  uint8_t *m_lines = nullptr;  // behind the line that says what the file is
  uint8_t *m_file = nullptr, *m_heap = nullptr;
  uint32_t m_count = 0, m_next = 0, m_devices = 0;
  LogLevel m_level = LogLevel::Off;
};

}  // namespace aero
