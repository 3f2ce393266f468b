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

/// Not thread-safe: the video memory manager's lock is held.
class PagingQueue {
public:
  explicit PagingQueue(AdapterCore& adapter) : m_adapter(adapter) {}

  /// Sizes as DXGK_QUERYSEGMENTOUT gives them; false when there is no memory.
  bool start(HANDLE systemContext, UINT bufferBytes, UINT privateBytes);
  void stop();
  /// The driver keeps the list of an aperture of so many pages as the operations say, from now on.
  void watch(UINT segment, uint64_t pages);

  /// Builds the operation behind those that wait; whatever its MDL and structures point to is not needed
  /// afterwards. False after a broken rule or when the GPU lost work.
  bool add(DXGKARG_BUILDPAGINGBUFFER operation);
  /// Submits what waits and waits until it is done. Of operations that built nothing no page says whether
  /// they are submitted: an empty buffer is, by turns. Between the reset and the restart of a timeout nothing
  /// is ("Thread Synchronization and TDR": the driver is told, and need not touch the GPU).
  bool flush();
  /// Whether there are submissions of nothing at all.
  void setEmptySubmissions(bool empty) { m_emptySubmissions = empty; }
  /// What is submitted from now on has a context; around changes of power it has none.
  void setInContext(bool in) { m_inContext = in; }

  /// Bytes of what waits.
  UINT waiting() const { return m_used.end; }

  /// Where unmapped pages of an aperture point: its content must stay as it is.
  uint64_t dummyPage() const { return m_dummy.gpa; }

  uint64_t buffers() const { return m_buffers; }
  /// Operations that did not fit into one buffer.
  uint64_t multipass() const { return m_multipass; }
  /// Operations of one submission, at most.
  uint64_t mostInOne() const { return m_mostInOne; }
  /// Submissions that began inside of their buffers.
  uint64_t parts() const { return m_parts; }
  /// Submissions without a byte.
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
  bool m_unbuilt = false;  // there were operations since that built nothing
  bool m_inContext = true, m_emptySubmissions = true;
  uint64_t m_buffers = 0, m_multipass = 0, m_mostInOne = 0, m_parts = 0, m_empty = 0, m_emptyTurn = 0;
};

}  // namespace aerogpu::host
