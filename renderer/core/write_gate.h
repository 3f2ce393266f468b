// SPDX-License-Identifier: MIT
// Whether guest memory may be written, and what a GPU may still do in memory that it was lent. An
// interruption shuts the gate: once shut() has returned nothing of before is written by this process, however
// long its work goes on. docs/develop/architecture.md, "Nothing old writes". Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "renderer/base/mutex.h"

namespace aerogpu::core {

class WriteGate {
public:
  /// Bytes that are written in one go at most: shut() waits for them.
  static constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

  /// A write that is under way while this lives; it calls nobody and waits for nothing.
  class Pass {
  public:
    explicit Pass(WriteGate& gate) : m_gate(gate), m_open(gate.enter()) {}
    ~Pass() {
      if (m_open) m_gate.leave();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    /// False: the gate is shut, and nothing may be written.
    explicit operator bool() const { return m_open; }

  private:
    WriteGate& m_gate;
    const bool m_open;
  };

  /// Waits for the writes that are under way, and lets nobody in from here on. What is lent now is of before
  /// from here on.
  void shut() EXCLUDES(m_mutex);
  /// What wrote before has come to its end, but for a GPU that hangs.
  void open() { m_state.fetch_and(~kShut, std::memory_order_release); }
  bool isShut() const { return (m_state.load(std::memory_order_acquire) & kShut) != 0; }

  /// Memory is lent to the GPU, which may write there if `write` is set. Within a Pass. Returns what
  /// giveBack() is told, once the GPU touches it no more.
  uint64_t lend(bool write) EXCLUDES(m_mutex);
  void giveBack(uint64_t lent, bool write) EXCLUDES(m_mutex);
  /// Whether a GPU may still write, or read, what it was lent before the gate was last shut.
  bool oldIsWritten() const { return m_old[1].load(std::memory_order_acquire) != 0; }
  bool oldIsRead() const { return m_old[0].load(std::memory_order_acquire) != 0; }

private:
  static constexpr uint32_t kShut = uint32_t{1} << 31;  ///< below: how many are within

  bool enter() {
    if ((m_state.fetch_add(1, std::memory_order_acquire) & kShut) == 0) return true;
    leave();
    return false;
  }
  void leave() {
    if (m_state.fetch_sub(1, std::memory_order_release) == (kShut | 1)) m_state.notify_all();
  }

  std::atomic<uint32_t> m_state{0};
  Mutex m_mutex;
  uint64_t m_shuts GUARDED_BY(m_mutex) = 0;
  uint64_t m_lent[2] GUARDED_BY(m_mutex) = {};  ///< since the gate was last shut; to read, to write
  std::atomic<uint64_t> m_old[2]{};             ///< before; changed under m_mutex
};

}  // namespace aerogpu::core
