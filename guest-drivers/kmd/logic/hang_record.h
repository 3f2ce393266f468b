// SPDX-License-Identifier: MIT
// hang_record.h: records the processes whose work the OS' scheduler found hanging, and for how long they get no new
// device. Not locked: the owner serialises. Any IRQL.
#pragma once

#include <stdint.h>

namespace aero {

/**
 * Processes are numbers that are never reused (Processes::current()). Ids are, and a process that gets the id of one
 * that has ended must not inherit its record. A record does not depend on whether the process has a device or still
 * exists; it ends only when it expires or when it makes room for others.
 *
 * A time-out loses the devices of all programs, and the program that caused it could start again at once and cause the
 * next. One time-out may happen to any program (a slow host, one frame that was too large), and its devices are gone
 * with it already: that is no reason to refuse it another, since few programs would recover from that. A second
 * time-out within ten minutes is a reason.
 */
class HangRecord {
public:
  static constexpr uint64_t kSecond = 10'000'000;  // times are in 100 ns, as KeQueryInterruptTime gives them
  static constexpr uint64_t kRemembered = 600 * kSecond;
  static constexpr uint32_t kFirstRefusal = 30, kLongestRefusal = 480;  // seconds
  static constexpr uint32_t kProcesses = 16;

  /** Work of `process`, not 0, timed out. */
  void timedOut(uint64_t process, uint64_t now) {
    Entry *entry = find(process);
    if (!entry || now - entry->last > kRemembered) {
      if (!entry) entry = leastNeeded(now);
      *entry = {process, 0, now, 0, false};
    }
    entry->last = now;
    if (entry->count++) {
      entry->seconds = entry->seconds ? entry->seconds * 2 : kFirstRefusal;
      if (entry->seconds > kLongestRefusal) entry->seconds = kLongestRefusal;
      entry->told = false;
    }
  }

  struct Refusal {
    uint64_t left;     // time until it gets a device; 0: it gets one now
    uint32_t count;    // number of its time-outs
    uint32_t seconds;  // length of the refusal, from the last time-out on
    bool tell;         // this refusal has not been logged yet
  };
  /** Returns how long the process is refused a device. Marks the refusal as logged. */
  Refusal refusal(uint64_t process, uint64_t now) {
    Entry *entry = find(process);
    const uint64_t end = entry ? endOf(*entry) : 0;
    if (now >= end) return {};
    const bool tell = !entry->told;
    entry->told = true;
    return {end - now, entry->count, entry->seconds, tell};
  }

private:
  struct Entry {
    uint64_t process;  // 0: the entry is free
    uint32_t count;
    uint64_t last;     // time of its last time-out
    uint32_t seconds;  // length of its refusal after that
    bool told;
  };
  static uint64_t endOf(const Entry &entry) { return entry.last + entry.seconds * kSecond; }
  Entry *find(uint64_t process) {
    for (Entry &entry : m_entries)
      if (entry.process == process) return &entry;
    return nullptr;
  }
  /** Returns the entry to replace: the oldest, preferring one whose process is not refused now. */
  Entry *leastNeeded(uint64_t now) {
    Entry *least = nullptr;
    for (Entry &entry : m_entries) {
      if (!entry.process) return &entry;
      const bool refuses = now < endOf(entry);
      if (!least || refuses < (now < endOf(*least)) || (refuses == (now < endOf(*least)) && entry.last < least->last))
        least = &entry;
    }
    return least;
  }

  Entry m_entries[kProcesses] = {};
};

}  // namespace aero
