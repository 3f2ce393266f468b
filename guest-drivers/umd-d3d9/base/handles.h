// SPDX-License-Identifier: MIT
// handles.h: numbers for the objects that a device makes on the wire. They are the guest's own, but one space for all
// of it (docs/abi/commands.md OBJ-1): a device takes them from ranges that nobody else has. One device's thread.
#pragma once

#include <stdint.h>

#include "guest-drivers/umd-d3d9/base/heap.h"

namespace aero {

/** `count` numbers from `first` on. */
struct HandleRange {
  uint32_t first = 0, count = 0;
};

/** Where ranges come from; a range is never given twice. */
class HandleSource {
public:
  /** Another range; one without numbers when there is none. */
  virtual HandleRange next() = 0;

protected:
  ~HandleSource() = default;
};

/** Hands out handles and takes them back. */
class HandleAllocator {
public:
  explicit HandleAllocator(HandleSource &source) : m_source(source) {}

  /** A handle that nothing has, or 0. */
  uint32_t take() {
    if (m_free.size()) return m_free.pop();
    if (!m_range.count) m_range = m_source.next();
    if (!m_range.count) return 0;
    m_range.count--;
    return m_range.first++;
  }

  /** `handle` has been destroyed by a packet that is written already, so that whatever takes it comes after. 0 is fine.
   *  Without memory the number is lost, and nothing else. */
  void give(uint32_t handle) {
    if (handle) m_free.push(handle);
  }

private:
  HandleSource &m_source;
  HandleRange m_range;
  Array<uint32_t> m_free;
};

}  // namespace aero
