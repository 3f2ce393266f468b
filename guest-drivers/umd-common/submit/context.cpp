// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/submit/context.h"

namespace aero {

HRESULT Context::open() {
  D3DDDICB_CREATECONTEXT data = {};
  const HRESULT result = m_runtime.createContext(data);
  if (failed(result)) return result;
  m_context = data.hContext;
  adopt(data.pCommandBuffer, data.CommandBufferSize, data.pAllocationList, data.AllocationListSize);
  return kOk;
}

void Context::close() {
  if (!m_context) return;
  submit();
  freeRetired();
  m_runtime.destroyContext(m_context);
  m_context = nullptr;
  adopt(nullptr, 0, nullptr, 0);
}

void Context::adopt(void *buffer, UINT bytes, D3DDDI_ALLOCATIONLIST *list, UINT entries) {
  m_buffer = static_cast<uint8_t *>(buffer);
  m_bufferBytes = buffer ? bytes : 0;
  m_list = list;
  m_listRoom = list ? entries : 0;
  m_listed = 0;
  m_begin = m_at = capacity() ? m_buffer + kHeaderBytes : nullptr;
  m_end = m_begin + capacity();
}

bool Context::makeRoom(size_t bytes, uint32_t allocations) {
  const auto fits = [&] { return bytes <= room() && allocations <= m_listRoom - m_listed; };
  if (isEmpty() && bytes <= capacity()) {  // a new batch would have no longer list either
    fail(kOutOfMemory);
    return false;
  }
  if (failed(render(bytes))) return false;
  if (fits()) return true;
  // The runtime was told how much is needed, and returned less.
  fail(kOutOfMemory);
  return false;
}

void Context::use(Allocation &allocation, bool write) {
  if (allocation.batch != m_batch) {
    if (m_listed == m_listRoom) return;  // the caller did not call ensure()
    allocation.batch = m_batch;
    allocation.listed = m_listed++;
    m_list[allocation.listed] = {};
    m_list[allocation.listed].hAllocation = allocation.handle;
  }
  if (write) m_list[allocation.listed].WriteOperation = 1;
}

HRESULT Context::submit() {
  if (isEmpty()) {
    freeRetired();
    return kOk;
  }
  return render(0);
}

HRESULT Context::submitAtFlush() {
  const bool demanded = m_demanded;
  m_demanded = false;
  return demanded ? render(0) : submit();
}

void Context::unlockKept() {
  if (!m_kept) return;
  const HRESULT result = m_runtime.unlock(m_kept);
  if (failed(result)) fail(result);
  m_kept = 0;
  m_keptMemory = nullptr;
}

HRESULT Context::render(size_t wishBytes) {
  unlockKept();
  if (!m_buffer || m_bufferBytes < kHeaderBytes) {
    fail(kOutOfMemory);
    return m_error;
  }
  aerogpu_cmd_stream_header header = {};
  header.magic = AEROGPU_CMD_STREAM_MAGIC;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.size_bytes = static_cast<uint32_t>(kHeaderBytes + used());
  memcpy(m_buffer, &header, sizeof header);

  D3DDDICB_RENDER data = {};
  data.CommandLength = header.size_bytes;
  data.NumAllocations = m_listed;
  data.hContext = m_context;
  // The runtime need not grant the sizes that this asks for; it returns the actual ones.
  data.NewCommandBufferSize = static_cast<UINT>(m_bufferBytes);
  data.NewAllocationListSize = m_listRoom;
  if (wishBytes > capacity() && wishBytes < (size_t{1} << 24)) {
    data.Flags.ResizeCommandBuffer = 1;
    data.NewCommandBufferSize = static_cast<UINT>(wishBytes + kHeaderBytes);
  }
  const HRESULT result = m_runtime.render(data);
  // The old buffers belong to the kernel now, whether it took the batch or not (page "PFND3DDDI_RENDERCB").
  adopt(data.pNewCommandBuffer, data.NewCommandBufferSize, data.pNewAllocationList, data.NewAllocationListSize);
  m_batch++;
  if (failed(result)) {
    m_lost++;
    fail(result);
  }
  freeRetired();
  return result;
}

void Context::noteText(const char *text, size_t size) {
  const size_t bytes = (size + 3) & ~size_t{3};
  const aerogpu_cmd_hdr hdr = {AEROGPU_CMD_DEBUG_MARKER, static_cast<uint32_t>(sizeof hdr + bytes)};
  memcpy(m_at, &hdr, sizeof hdr);
  memcpy(m_at + sizeof hdr, text, size);
  memset(m_at + sizeof hdr + size, 0, bytes - size);
  m_at += sizeof hdr + bytes;
}

void Context::release(Allocation &allocation) {
  if (allocation && allocation.handle == m_kept) unlockKept();
  if (allocation && !allocation.ofResource) retire(allocation);
  allocation = {};
}

void Context::retire(const Allocation &allocation) {
  if (isPending(allocation) && m_retired.push(allocation.handle)) return;
  if (isPending(allocation)) submit();
  m_runtime.deallocate(&allocation.handle, 1);
}

void Context::freeRetired() {
  if (!m_retired.size()) return;
  m_runtime.deallocate(m_retired.data(), static_cast<UINT>(m_retired.size()));
  m_retired.clear();
}

}  // namespace aero
