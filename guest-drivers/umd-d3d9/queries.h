// SPDX-License-Identifier: MIT
// queries.h: queries, and how a program learns that the device has come so far. An event lists a small allocation in
// its batch; while the kernel says that this allocation is in use, the batch is not done (EX-21: a value of one's own
// context, not the number of the newest submission). A few allocations serve all batches in turn.
#pragma once

#include "wire.h"

namespace aero {

/** Tells which batches the device has finished. */
class Progress {
public:
  explicit Progress(Wire &wire) : m_wire(wire) {}
  void destroy();

  /** Makes the end of the current batch one that isDone() can see. */
  HRESULT mark();
  /** Whether a batch that was marked is done; never waits. Errors are those of the kernel's, WASSTILLDRAWING is none.
   */
  HRESULT isDone(uint64_t batch, bool &done);

private:
  static constexpr uint32_t kMarks = 8;
  struct Mark {
    Allocation memory;
    uint64_t batch = 0;  // the last one that it marks, 0: none
  };

  Wire &m_wire;
  Mark m_marks[kMarks];
  uint32_t m_newest = 0;
  uint64_t m_done = 0;  // this batch and all before it
};

/** D3DDEVINFO_VCACHE: pattern, method, size, magic number. */
struct VertexCacheAnswer {
  uint32_t pattern, optMethod, cacheSize, magicNumber;
};
/** There is no vertex cache that meshes could be optimised for. */
inline constexpr VertexCacheAnswer kNoVertexCache = {0x48434143u, 0, 0, 0};  // "CACH"

/** A query of the runtime's. */
class Query {
public:
  explicit Query(D3DDDIQUERYTYPE type) : m_type(type) {}
  static Query *from(HANDLE handle) { return static_cast<Query *>(handle); }

  HRESULT issue(Wire &wire, Progress &progress, D3DDDI_ISSUEQUERYFLAGS flags);
  /** S_FALSE while the answer is not there; never waits. `data`: of the size that the type has. */
  HRESULT data(Wire &wire, Progress &progress, void *data);

  Query *previous = nullptr, *next = nullptr;  // of the device's

private:
  D3DDDIQUERYTYPE m_type;
  uint64_t m_batch = 0;  // that its end is in; 0: not issued
};

}  // namespace aero
