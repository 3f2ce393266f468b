// SPDX-License-Identifier: MIT
// handles.h: numbers for the objects that a device makes on the wire. The guest chooses them, from one space for the
// whole guest (docs/abi/commands.md OBJ-1): a device takes them from ranges that it has for itself. One device's
// thread.
#pragma once

#include <stdint.h>

#include "guest-drivers/umd-d3d9/base/heap.h"

namespace aero {

/** `count` numbers from `first` on. */
struct HandleRange {
  uint32_t first = 0, count = 0;
};

/** The source of ranges; it never gives a range twice. */
class HandleSource {
public:
  /** Returns another range; one without numbers if there is none. */
  virtual HandleRange next() = 0;

protected:
  ~HandleSource() = default;
};

/** Hands out handles and takes them back. */
class HandleAllocator {
public:
  explicit HandleAllocator(HandleSource &source) : m_source(source) {}

  /** Returns an unused handle, or 0. */
  uint32_t take() {
    if (m_free.size()) return m_free.pop();
    if (!m_range.count) m_range = m_source.next();
    if (!m_range.count) return 0;
    m_range.count--;
    return m_range.first++;
  }

  /** `handle` was destroyed by a packet that is already written, so that its next owner comes after. 0 is allowed.
   * If memory is short the number is lost, without further effect. */
  void give(uint32_t handle) {
    if (handle) m_free.push(handle);
  }

private:
  HandleSource &m_source;
  HandleRange m_range;
  Array<uint32_t> m_free;
};

}  // namespace aero
