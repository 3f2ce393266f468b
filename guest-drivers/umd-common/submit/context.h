// SPDX-License-Identifier: MIT
// context.h: the context of a device and its current batch: packets in the runtime's command buffer, and the list of
// allocations that they touch. A batch goes to the kernel when it is full or when a caller submits it; state and
// objects outlive it, so it may end between any two packets.
#pragma once

#include "aerogpu/packet_types.hpp"
#include "guest-drivers/umd-common/base/heap.h"
#include "guest-drivers/umd-common/submit/allocation.h"

namespace aero {

class Context {
public:
  explicit Context(const Runtime &runtime) : m_runtime(runtime) {}

  HRESULT open();
  void close();
  const Runtime &runtime() const { return m_runtime; }
  HANDLE handle() const { return m_context; }

  /** Makes room for `bytes` of packets and for `allocations` more entries of the list, if necessary in a new batch.
   * Returns false on failure; error() is the reason. */
  bool ensure(size_t bytes, uint32_t allocations = 0) {
    if (bytes <= room() && allocations <= m_listRoom - m_listed) return true;
    return makeRoom(bytes, allocations);
  }
  /** Lists an allocation that packets of this batch touch. The caller has made room with ensure(), and the batch was
   * not submitted since. */
  void use(Allocation &allocation, bool write);

  /** Appends a packet in place, zeroed; may submit. Returns null if there is no room for it. */
  template <class Packet> Packet *append() { return ensure(sizeof(Packet)) ? appendFitting<Packet>() : nullptr; }
  /** Appends a packet, zeroed; the caller has checked that room() suffices. */
  template <class Packet> Packet *appendFitting() {
    auto *packet = new (m_at) Packet{};
    packet->hdr = {aerogpu::PacketType<Packet>::kOpcode, sizeof(Packet)};
    m_at += sizeof(Packet);
    return packet;
  }
  /** Appends a packet with `count` elements after it, which are uninitialised: the caller writes all of them. May
   * submit. */
  template <class Packet> Packet *append(size_t count) {
    auto *packet = appendBytes<Packet>(count * sizeof(typename aerogpu::PacketType<Packet>::Element));
    if (packet) aerogpu::PacketType<Packet>::setCount(*packet, count);
    return packet;
  }
  /** True if the batch has room for a packet with `count` elements. */
  template <class Packet> bool fits(size_t count) const {
    return sizeof(Packet) + ((count * sizeof(typename aerogpu::PacketType<Packet>::Element) + 3) & ~size_t{3}) <=
           room();
  }
  /** Appends a packet with `count` elements; the caller has checked fits(). */
  template <class Packet> Packet *appendFitting(size_t count) {
    auto *packet = appendFittingBytes<Packet>(count * sizeof(typename aerogpu::PacketType<Packet>::Element));
    aerogpu::PacketType<Packet>::setCount(*packet, count);
    return packet;
  }
  /** Appends a packet with `bytes` bytes of any kind after it; may submit. */
  template <class Packet> Packet *appendBytes(size_t bytes) {
    return ensure(sizeof(Packet) + ((bytes + 3) & ~size_t{3})) ? appendFittingBytes<Packet>(bytes) : nullptr;
  }
  template <class Packet> Packet *appendFittingBytes(size_t bytes) {
    static_assert(sizeof(Packet) % 4 == 0);
    const size_t whole = sizeof(Packet) + ((bytes + 3) & ~size_t{3});
    auto *packet = new (m_at) Packet{};
    packet->hdr = {aerogpu::PacketType<Packet>::kOpcode, static_cast<uint32_t>(whole)};
    m_at += whole;
    if (bytes % 4) memset(m_at - 4, 0, 4);
    return packet;
  }
  template <class Packet> static auto *elementsOf(Packet *packet) {
    return reinterpret_cast<typename aerogpu::PacketType<Packet>::Element *>(packet + 1);
  }
  template <class Packet> bool send(const Packet &packet) {
    auto *out = append<Packet>();
    if (!out) return false;
    const aerogpu_cmd_hdr hdr = out->hdr;
    *out = packet;
    out->hdr = hdr;
    return true;
  }

  /** Adds text for readers of the stream on the host. Drops it if the batch is empty or has no room: a note must not
   * change when batches end. */
  void note(const char *text, size_t size) {
    if (!isEmpty() && sizeof(aerogpu_cmd_hdr) + ((size + 3) & ~size_t{3}) <= room()) noteText(text, size);
  }

  /** Returns the bytes of packets that still fit. */
  size_t room() const { return static_cast<size_t>(m_end - m_at); }
  /** Returns the largest size of a packet, in an empty batch. */
  size_t capacity() const { return m_bufferBytes > kHeaderBytes ? (m_bufferBytes - kHeaderBytes) & ~size_t{3} : 0; }
  /** Returns the number of the current batch, from 1 on. */
  uint64_t batch() const { return m_batch; }
  bool isEmpty() const { return !used() && !m_listed; }
  /** True if packets that are not submitted yet touch the allocation. */
  bool isPending(const Allocation &allocation) const { return allocation.batch == m_batch; }

  /** Makes the next submitAtFlush() go to the kernel even if the batch is empty: the runtime attaches a token to the
   * submission that its Flush makes, whatever was submitted before. */
  void demandSubmit() { m_demanded = true; }
  /** Submits the batch to the kernel. An empty batch is left as it is, which is no error. On failure the batch is
   * lost: its packets never run, and lost() counts it. */
  HRESULT submit();
  /** Does the same for a Flush by the runtime, and honours demandSubmit(). */
  HRESULT submitAtFlush();
  uint32_t lost() const { return m_lost; }

  /** Returns and clears the first error since the last call, from submissions and fail(). The error of a removed device
   * stays. */
  HRESULT takeError() {
    const HRESULT error = m_error;
    if (error != kOk && error != kDeviceRemoved) m_error = kOk;
    return error;
  }
  HRESULT error() const { return m_error; }
  /** Returns what a function of the DDI returns: takeError(), or kOutOfMemory if packets were not `sent` for another
   *  reason. */
  HRESULT result(bool sent) {
    const HRESULT error = takeError();
    return aero::failed(error) || sent ? error : kOutOfMemory;
  }
  void fail(HRESULT error) {
    if (!failed(m_error)) m_error = error;
  }

  /** Takes over a lock of an allocation, which lasts until the batch is submitted or another allocation is kept locked:
   * the kernel may not be able to render with locked memory (page "PFND3DDDI_LOCKCB"). */
  void keepLocked(D3DKMT_HANDLE allocation, void *memory) {
    unlockKept();
    m_kept = allocation;
    m_keptMemory = memory;
  }
  /** Returns the memory of an allocation that is kept locked; null for others. */
  void *keptMemory(D3DKMT_HANDLE allocation) const { return allocation == m_kept ? m_keptMemory : nullptr; }
  /** Ends the lock that keepLocked() took over, if there is one. */
  void unlockKept();

  /** Frees an allocation at once or, if the current batch lists it, after the batch has been submitted. An allocation
   * of a runtime's resource is not freed here. Clears `allocation` in any case. */
  void release(Allocation &allocation);

private:
  static constexpr size_t kHeaderBytes = sizeof(aerogpu_cmd_stream_header);

  size_t used() const { return static_cast<size_t>(m_at - m_begin); }
  void adopt(void *buffer, UINT bytes, D3DDDI_ALLOCATIONLIST *list, UINT entries);
  bool makeRoom(size_t bytes, uint32_t allocations);
  HRESULT render(size_t wishBytes);
  void retire(const Allocation &allocation);
  void freeRetired();
  void noteText(const char *text, size_t size);

  const Runtime &m_runtime;
  HANDLE m_context = nullptr;
  uint8_t *m_buffer = nullptr;  // from the runtime; replaced after each batch
  size_t m_bufferBytes = 0;
  D3DDDI_ALLOCATIONLIST *m_list = nullptr;
  uint32_t m_listRoom = 0, m_listed = 0;
  uint8_t *m_begin = nullptr, *m_at = nullptr, *m_end = nullptr;  // packets: the first one, the next one, their end
  uint64_t m_batch = 1;
  uint32_t m_lost = 0;
  bool m_demanded = false;
  HRESULT m_error = kOk;
  D3DKMT_HANDLE m_kept = 0;  // kept locked; 0: none
  void *m_keptMemory = nullptr;
  Array<D3DKMT_HANDLE> m_retired;
};

}  // namespace aero
