// SPDX-License-Identifier: MIT
// Paging buffers as the video memory manager fills and submits them: operations one after the other until a
// buffer is full, submitted at once or in parts, in the system context or in none. Pages
// "DxgkDdiBuildPagingBuffer", "DXGKARG_BUILDPAGINGBUFFER", "DXGKARG_SUBMITCOMMAND".
#pragma once

#include <cstdint>
#include <vector>

#include "d3dkmddi.h"
#include "testbed/kernel/dxgk/aperture_list.h"
#include "testbed/kernel/dxgk/dma_memory.h"
#include "testbed/kernel/nt/nt.h"

namespace aerogpu::host {

class AdapterCore;

/// Not thread-safe: the caller holds the video memory manager's lock.
class PagingQueue {
public:
  explicit PagingQueue(AdapterCore& adapter) : m_adapter(adapter) {}

  /// Sizes as in DXGK_QUERYSEGMENTOUT; returns false if memory is short.
  bool start(HANDLE systemContext, UINT bufferBytes, UINT privateBytes);
  void stop();
  /// Checks, from now on, that the driver keeps the page list of an aperture of `pages` pages in line with
  /// the operations.
  void watch(UINT segment, uint64_t pages);

  /// Builds the operation after the waiting ones; its MDL and structures are not needed afterwards. Returns
  /// false after a broken rule or if the GPU lost work.
  bool add(DXGKARG_BUILDPAGINGBUFFER operation);
  /// Submits the waiting operations and waits until they are done. No page says whether operations that built
  /// nothing are submitted, so an empty buffer is submitted every other time. Between the reset and the
  /// restart of a timeout nothing is submitted ("Thread Synchronization and TDR": the driver is told, and
  /// need not touch the GPU).
  bool flush();
  /// Sets whether empty submissions occur.
  void setEmptySubmissions(bool empty) { m_emptySubmissions = empty; }
  /// Sets whether submissions have a context from now on; around changes of power they have none.
  void setInContext(bool in) { m_inContext = in; }

  /// Returns the bytes of the waiting operations.
  UINT waiting() const { return m_used.end; }

  /// Returns the target of unmapped aperture pages: its content must stay as it is.
  uint64_t dummyPage() const { return m_dummy.gpa; }

  uint64_t buffers() const { return m_buffers; }
  /// Counts operations that did not fit into one buffer.
  uint64_t multipass() const { return m_multipass; }
  /// Returns the most operations of one submission.
  uint64_t mostInOne() const { return m_mostInOne; }
  /// Counts submissions that began inside their buffers.
  uint64_t parts() const { return m_parts; }
  /// Counts submissions without a byte.
  uint64_t emptySubmissions() const { return m_empty; }
  const std::vector<ApertureList>& apertures() const { return m_apertures; }

private:
  struct Mark {  // where an operation ends
    UINT end, privateEnd;
  };
  void begin();
  uint64_t submit(Mark from, Mark to);
  void checkDummyPage() const;

  AdapterCore& m_adapter;
  HANDLE m_context = nullptr;
  DmaMemory m_memory;
  guest::Block m_dummy{};
  std::vector<uint8_t> m_private;
  std::vector<ApertureList> m_apertures;
  UINT m_bytes = 0, m_privateBytes = 0, m_privateRoom = 0;
  std::vector<Mark> m_marks;
  Mark m_used{};
  bool m_begun = false;    // the buffer is in use
  bool m_unbuilt = false;  // some operations since then built nothing
  bool m_inContext = true, m_emptySubmissions = true;
  uint64_t m_buffers = 0, m_multipass = 0, m_mostInOne = 0, m_parts = 0, m_empty = 0, m_emptyTurn = 0;
};

}  // namespace aerogpu::host
