// SPDX-License-Identifier: MIT
// Decides whether guest memory may be written, and tracks what a GPU may still do in memory that it was lent.
// An interruption shuts the gate: once shut() has returned, this process writes nothing for earlier work,
// however long that work takes. docs/develop/architecture.md, "Nothing old writes". Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "renderer/base/mutex.h"

namespace aerogpu::core {

class WriteGate {
public:
  /// The most bytes that are written in one go: shut() waits for them.
  static constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

  /// A write that is under way while this lives; it calls no embedder and waits for nothing.
  class Pass {
  public:
    explicit Pass(WriteGate& gate) : m_gate(gate), m_open(gate.enter()) {}
    ~Pass() {
      if (m_open) m_gate.leave();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    /// False: the gate is shut, and the holder must not write.
    explicit operator bool() const { return m_open; }

  private:
    WriteGate& m_gate;
    const bool m_open;
  };

  /// Waits for the writes that are under way, and lets none in from here on. Memory lent so far counts as
  /// old.
  void shut() EXCLUDES(m_mutex);
  /// Opens the gate. Call it once earlier writers have ended, except for a GPU that hangs.
  void open() { m_state.fetch_and(~kShut, std::memory_order_release); }
  bool isShut() const { return (m_state.load(std::memory_order_acquire) & kShut) != 0; }

  /// Lends memory to the GPU, which may write there if `write` is set. Call within a Pass. Returns the value
  /// for giveBack(), which is called once the GPU no longer touches it.
  uint64_t lend(bool write) EXCLUDES(m_mutex);
  void giveBack(uint64_t lent, bool write) EXCLUDES(m_mutex);
  /// True if a GPU may still write, or read, memory that it was lent before the gate was last shut.
  bool oldIsWritten() const { return m_old[1].load(std::memory_order_acquire) != 0; }
  bool oldIsRead() const { return m_old[0].load(std::memory_order_acquire) != 0; }

private:
  static constexpr uint32_t kShut = uint32_t{1} << 31;  ///< bits below it: number of passes

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
  uint64_t m_lent[2] GUARDED_BY(m_mutex) = {};  ///< since the gate was last shut: to read, to write
  std::atomic<uint64_t> m_old[2]{};             ///< lent before that; changed under m_mutex
};

}  // namespace aerogpu::core
