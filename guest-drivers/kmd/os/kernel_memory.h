// SPDX-License-Identifier: MIT
// kernel_memory.h: memory of the kernel's: contiguous, which the device reads, and pool.
#pragma once

#include <stdint.h>

#include <new>  // placement: the driver has no heap of C++, objects are made in pool memory

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

/** Memory that lies together in physical memory, zeroed. PASSIVE_LEVEL to allocate and free. */
class Contiguous {
public:
  bool allocate(SIZE_T bytes);
  void free();
  void *data() const { return m_data; }
  uint64_t gpa() const { return m_gpa; }
  SIZE_T bytes() const { return m_bytes; }
  template <class T> T *as() const { return static_cast<T *>(m_data); }

private:
  void *m_data = nullptr;
  uint64_t m_gpa = 0;
  SIZE_T m_bytes = 0;
};

/** Nonpaged, zeroed; null when there is none. At most DISPATCH_LEVEL. */
void *poolAllocate(SIZE_T bytes);
void poolFree(void *memory);

}  // namespace aero
