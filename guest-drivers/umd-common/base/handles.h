// SPDX-License-Identifier: MIT
// handles.h: hands out handles, by which packets name the objects of a device. The guest chooses these numbers
// (docs/abi/commands.md OBJ-1). A device takes them from ranges that no other device uses, or has a handle space of its
// own (docs/abi/spaces.md SPACE-7). Only one call of a device at a time uses this.
#pragma once

#include <stdint.h>

#include "guest-drivers/umd-common/base/heap.h"

namespace aero {

/** `count` numbers from `first` on. */
struct HandleRange {
  uint32_t first = 0, count = 0;
};

/** The source of ranges; it never gives a range twice. */
class HandleSource {
public:
  /** Returns a new range; its count is 0 if there is none. */
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

  /** Takes back the handle of an object whose destroying packet is already in the batch, so packets that use it again
   * come later. 0 is allowed. If memory is short, the handle is never used again. */
  void give(uint32_t handle) {
    if (handle) m_free.push(handle);
  }

private:
  HandleSource &m_source;
  HandleRange m_range;
  Array<uint32_t> m_free;
};

}  // namespace aero
