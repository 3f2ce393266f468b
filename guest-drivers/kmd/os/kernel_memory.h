// SPDX-License-Identifier: MIT
// kernel_memory.h: allocates kernel memory: contiguous memory, which the device reads, and pool.
#pragma once

#include <stdint.h>

#include <new>  // placement: the driver has no C++ heap, objects are made in pool memory

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

/** Physically contiguous memory, zeroed. PASSIVE_LEVEL to allocate and free. */
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

/** Allocates nonpaged pool, zeroed; null if there is none. At most DISPATCH_LEVEL. */
void *poolAllocate(SIZE_T bytes);
void poolFree(void *memory);

}  // namespace aero
