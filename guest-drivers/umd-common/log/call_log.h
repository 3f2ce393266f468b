// SPDX-License-Identifier: MIT
// call_log.h: the log of calls of one adapter (docs/d3d9/testbed.md, "The log of calls"): a ring of lines in a file,
// with the runtime's calls, the results of callbacks, and failures; in front of it, lines that stay. While the log is
// off it has no memory, and the functions of a device do not check it: while it is on, the function table has wrappers
// instead (ddi/logged_call.h). Any thread: the thread that takes the number of a line writes the line.
#pragma once

#include "guest-drivers/umd-common/base/ddi.h"
#include "guest-drivers/umd-common/log/call_text.h"

namespace aero {

enum class LogLevel : uint8_t {
  Off,
  Errors,    // calls and callbacks that fail, except refusals and "still drawing"
  Refusals,  // also refusals: E_NOTIMPL, "not available", "unsupported"
  Calls,     // all
};

/** The interface whose calls are logged: for people, and within the file's name. */
struct ApiName {
  const char *text, *file;
};

class CallLog {
public:
  CallLog() = default;
  CallLog(const CallLog &) = delete;
  CallLog &operator=(const CallLog &) = delete;
  ~CallLog() { close(); }

  /** Makes the ring in a file; if that fails, in memory of the process, which a dump contains; if that fails too, the
   * log stays off. */
  void open(LogLevel level, const ApiName &api);
  void close();

  bool isOn() const { return m_lines != nullptr; }
  /** True if all calls are logged, each from its beginning. */
  bool hasCalls() const { return m_level == LogLevel::Calls; }
  /** True if a call with this result is logged. */
  bool wants(HRESULT result) const;
  /** Devices count from 1; 0 is the adapter. */
  uint32_t nextDevice() { return __atomic_add_fetch(&m_devices, 1, __ATOMIC_RELAXED); }

  /** Writes one more line; returns its number. */
  uint32_t write(uint32_t device, const CallText &text);
  /** Rewrites a line when its call has ended; if the ring has wrapped since, writes a new line. */
  void rewrite(uint32_t number, uint32_t device, const CallText &text);
  /** Writes the runtime's answer to a callback within the current call. */
  void writeCallback(uint32_t device, const char *callback, uint32_t what, HRESULT result);
  /** Writes a line that no later one replaces, unless there is one of this key already; `key` is not 0. Drops it when
   * all kFirstLines are taken. */
  void writeFirst(uint32_t device, uint64_t key, const CallText &text);
  /** Writes memory as 32-bit words, in separate lines. */
  void dump(uint32_t device, const void *memory, size_t bytes);

  static constexpr uint32_t kAllLines = 16384, kFewLines = 2048;  // lines of the ring at level Calls, and below
  static constexpr uint32_t kFirstLines = 255;                    // lines that stay

private:
  void put(uint8_t *line, uint32_t number, uint32_t device, const CallText &text);
  void put(uint32_t number, uint32_t device, const CallText &text);

  uint64_t m_firsts[kFirstLines] = {};  // keys of the lines that stay; 0 where there is none
  uint8_t *m_lines = nullptr;           // the ring, after the title line and the lines that stay
  uint8_t *m_file = nullptr, *m_heap = nullptr;
  uint32_t m_count = 0, m_next = 0, m_devices = 0;
  LogLevel m_level = LogLevel::Off;
};

}  // namespace aero
