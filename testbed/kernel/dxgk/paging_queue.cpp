// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/paging_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "testbed/kernel/core/page.h"
#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

namespace {
constexpr uint8_t kDummyPattern = 0x6D;
}  // namespace

bool PagingQueue::start(HANDLE systemContext, UINT bufferBytes, UINT privateBytes) {
  m_context = systemContext;
  m_bytes = bufferBytes;
  m_privateBytes = privateBytes;
  m_private.assign((privateBytes + kPage - 1) / kPage * kPage, 0);
  if (!allocateDmaMemory(m_adapter, std::max<uint64_t>(bufferBytes, kPage), m_memory) ||
      !m_adapter.memory().allocate(kPage, m_dummy).ok())
    return false;
  std::memset(m_dummy.cpu, kDummyPattern, kPage);
  return true;
}

void PagingQueue::stop() {
  if (!m_marks.empty()) brokenRule("paging operations were never submitted");
  if (m_dummy.cpu) {
    checkDummyPage();
    m_adapter.memory().release(m_dummy);
  }
  m_dummy = {};
  releaseDmaMemory(m_adapter, m_memory);
}

void PagingQueue::watch(UINT segment, uint64_t pages) {
  for (ApertureList& list : m_apertures)
    if (list.segment() == segment) return list.start(segment, pages);
  m_apertures.emplace_back().start(segment, pages);
}

void PagingQueue::begin() {
  m_begun = true;
  std::memset(m_memory.block.cpu, 0xCD, m_bytes);
  std::fill(m_private.begin(), m_private.end(), uint8_t{0xCD});
  // No page says whether Windows gives a driver more private data than it asked for: this does both,
  // alternately.
  m_privateRoom = m_buffers % 2 ? static_cast<UINT>(m_private.size()) : m_privateBytes;
  ++m_buffers;
}

bool PagingQueue::add(DXGKARG_BUILDPAGINGBUFFER operation) {
  if (m_adapter.removed()) return true;
  operation.MultipassOffset = 0;
  operation.hSystemContext = m_context;
  for (unsigned pass = 0; pass < 4096; ++pass) {
    const bool fresh = m_marks.empty();
    if (!m_begun) begin();
    auto* const at = m_memory.view + m_used.end;
    auto* const privateAt = m_private.data() + m_used.privateEnd;
    operation.pDmaBuffer = at;
    operation.DmaSize = m_bytes - m_used.end;
    operation.pDmaBufferPrivateData = privateAt;
    operation.DmaBufferPrivateDataSize = m_privateRoom - m_used.privateEnd;
    NTSTATUS status;
    {
      std::shared_lock exclusion(m_adapter.exclusion());
      std::lock_guard memory(m_adapter.memoryClass());
      status = callDdi("DxgkDdiBuildPagingBuffer", kPassiveLevel, m_adapter.ddi.DxgkDdiBuildPagingBuffer,
                       m_adapter.context(), &operation);
    }
    const auto* end = static_cast<uint8_t*>(operation.pDmaBuffer);
    const auto* privateEnd = static_cast<uint8_t*>(operation.pDmaBufferPrivateData);
    if (end < at || end > m_memory.view + m_bytes) {
      brokenRule("DxgkDdiBuildPagingBuffer moves pDmaBuffer out of the buffer");
      return false;
    }
    if (privateEnd < privateAt || privateEnd > m_private.data() + m_privateRoom) {
      brokenRule("DxgkDdiBuildPagingBuffer moves pDmaBufferPrivateData out of the private data");
      return false;
    }
    // Page "DxgkDdiBuildPagingBuffer": the call may only fail for lack of room; another error is a bug-check.
    if (status != kSuccess && status != kInsufficientDmaBuffer) {
      brokenRule("DxgkDdiBuildPagingBuffer, operation %d: 0x%08x", operation.Operation, status);
      return false;
    }
    const bool built = end != at;
    if (built) {
      m_used = {static_cast<UINT>(end - m_memory.view), static_cast<UINT>(privateEnd - m_private.data())};
      m_marks.push_back(m_used);
    } else if (privateEnd != privateAt) {
      brokenRule("DxgkDdiBuildPagingBuffer builds private data of nothing");
    }
    if (status == kSuccess) {
      m_unbuilt |= !built;
      for (ApertureList& list : m_apertures) list.built(operation);
      return true;
    }
    if (built) ++m_multipass;
    if (fresh && !built) {
      brokenRule("DxgkDdiBuildPagingBuffer makes no progress with a buffer of %u bytes", m_bytes);
      return false;
    }
    if (!flush()) return false;
  }
  brokenRule("DxgkDdiBuildPagingBuffer never finishes");
  return false;
}

bool PagingQueue::flush() {
  if (!m_begun) return true;
  const bool nothing = m_marks.empty();
  m_begun = false;
  const bool unbuilt = std::exchange(m_unbuilt, false);
  if (m_adapter.scheduler().resetting()) {
    m_marks.clear();
    m_used = {};
    return true;
  }
  if (nothing) {
    if (!unbuilt || !m_emptySubmissions || ++m_emptyTurn % 2) return true;
    ++m_empty;
  }
  m_mostInOne = std::max<uint64_t>(m_mostInOne, m_marks.size());
  uint64_t number, first = 0;
  if (m_marks.size() > 1 &&
      m_buffers % 3 == 0) {  // "a single paging buffer is used for multiple submissions"
    const Mark middle = m_marks[m_marks.size() / 2 - 1];
    first = submit({}, middle);
    number = submit(middle, m_used);
    ++m_parts;
  } else {
    number = submit({}, m_used);
  }
  m_marks.clear();
  m_used = {};
  // If the first of two parts hung while the second one still waited for room, only the first one was lost.
  // So both are waited for.
  const bool done =
      m_adapter.scheduler().waitIdle(number) && (!first || m_adapter.scheduler().waitIdle(first));
  checkDummyPage();
  return done;
}

uint64_t PagingQueue::submit(Mark from, Mark to) {
  Submission submission;
  submission.context = m_inContext ? m_context : nullptr;
  submission.buffer = m_memory.block;
  submission.view = m_memory.view;
  submission.bufferBytes = m_bytes;
  submission.start = from.end;
  submission.end = to.end;
  submission.privateData = m_private.data();
  submission.privateBytes = m_privateRoom;
  submission.privateStart = from.privateEnd;
  submission.privateEnd = to.privateEnd;
  submission.paging = true;
  return m_adapter.scheduler().submit(submission);
}

void PagingQueue::checkDummyPage() const {
  const uint8_t* const end = m_dummy.cpu + kPage;
  const auto* const changed =
      std::find_if(m_dummy.cpu, m_dummy.cpu + kPage, [](uint8_t byte) { return byte != kDummyPattern; });
  if (changed != end)
    bugCheck(0x10E, {0x25, static_cast<uint64_t>(changed - m_dummy.cpu), *changed, 0},
             "#   the dummy page of an aperture was written\n");
}

}  // namespace aerogpu::host
