// SPDX-License-Identifier: MIT
// context.h: the context of a device and the batch that is being filled: packets in the runtime's command buffer, and
// the list of allocations that they touch. A batch goes to the kernel when it is full or wanted; state and objects
// outlive it, so that it may end between any two packets.
#pragma once

#include "aerogpu/packet_types.hpp"
#include "guest-drivers/umd-d3d9/base/heap.h"
#include "guest-drivers/umd-d3d9/submit/allocation.h"

namespace aero {

class Context {
public:
  explicit Context(const Runtime &runtime) : m_runtime(runtime) {}

  HRESULT open();
  void close();
  const Runtime &runtime() const { return m_runtime; }
  HANDLE handle() const { return m_context; }

  /** Room for `bytes` of packets and for `allocations` more entries of the list, if need be in a new batch. False when
   *  there is none: error() says why. */
  bool ensure(size_t bytes, uint32_t allocations = 0) {
    if (bytes <= room() && allocations <= m_listRoom - m_listed) return true;
    return makeRoom(bytes, allocations);
  }
  /** Lists an allocation that packets of this batch touch. ensure() has made room, and nothing was sent since. */
  void use(Allocation &allocation, bool write);

  /** A packet in place, zeroed; null when there is no room for it. */
  template <class Wire> Wire *append() { return ensure(sizeof(Wire)) ? appendFitting<Wire>() : nullptr; }
  /** The same where room() is known to be enough. */
  template <class Wire> Wire *appendFitting() {
    auto *packet = new (m_at) Wire{};
    packet->hdr = {aerogpu::PacketType<Wire>::kOpcode, sizeof(Wire)};
    m_at += sizeof(Wire);
    return packet;
  }
  /** The same with room for `count` elements after it, which hold anything: the caller writes all of them. */
  template <class Wire> Wire *append(size_t count) {
    auto *packet = appendBytes<Wire>(count * sizeof(typename aerogpu::PacketType<Wire>::Element));
    if (packet) aerogpu::PacketType<Wire>::setCount(*packet, count);
    return packet;
  }
  /** Whether the batch has room for that. */
  template <class Wire> bool fits(size_t count) const {
    return sizeof(Wire) + ((count * sizeof(typename aerogpu::PacketType<Wire>::Element) + 3) & ~size_t{3}) <= room();
  }
  /** The same where it fits(). */
  template <class Wire> Wire *appendFitting(size_t count) {
    auto *packet = appendFittingBytes<Wire>(count * sizeof(typename aerogpu::PacketType<Wire>::Element));
    aerogpu::PacketType<Wire>::setCount(*packet, count);
    return packet;
  }
  /** The same with `bytes` of any kind after it. */
  template <class Wire> Wire *appendBytes(size_t bytes) {
    return ensure(sizeof(Wire) + ((bytes + 3) & ~size_t{3})) ? appendFittingBytes<Wire>(bytes) : nullptr;
  }
  template <class Wire> Wire *appendFittingBytes(size_t bytes) {
    static_assert(sizeof(Wire) % 4 == 0);
    const size_t whole = sizeof(Wire) + ((bytes + 3) & ~size_t{3});
    auto *packet = new (m_at) Wire{};
    packet->hdr = {aerogpu::PacketType<Wire>::kOpcode, static_cast<uint32_t>(whole)};
    m_at += whole;
    if (bytes % 4) memset(m_at - 4, 0, 4);
    return packet;
  }
  template <class Wire> static auto *elementsOf(Wire *packet) {
    return reinterpret_cast<typename aerogpu::PacketType<Wire>::Element *>(packet + 1);
  }
  template <class Wire> bool send(const Wire &packet) {
    auto *out = append<Wire>();
    if (!out) return false;
    const aerogpu_cmd_hdr hdr = out->hdr;
    *out = packet;
    out->hdr = hdr;
    return true;
  }

  /** Text for whoever reads the stream on the host, if there are packets in the batch and it fits: what is noted
   * changes nothing of when a batch ends. */
  void note(const char *text, size_t size) {
    if (!isEmpty() && sizeof(aerogpu_cmd_hdr) + ((size + 3) & ~size_t{3}) <= room()) noteText(text, size);
  }

  /** Bytes of packets that still fit. */
  size_t room() const { return static_cast<size_t>(m_end - m_at); }
  /** The most that a packet can have, when nothing is in the batch. */
  size_t capacity() const { return m_bufferBytes > kHeaderBytes ? (m_bufferBytes - kHeaderBytes) & ~size_t{3} : 0; }
  /** The number of the batch that is being filled, from 1 on. */
  uint64_t batch() const { return m_batch; }
  bool isEmpty() const { return !used() && !m_listed; }
  /** Whether packets that are not submitted yet touch the allocation. */
  bool isPending(const Allocation &allocation) const { return allocation.batch == m_batch; }

  /** The next submitAtFlush() goes to the kernel even if there is nothing in it: the runtime attaches a token to the
   *  submission that its Flush makes, whatever else submitted before. */
  void demandSubmit() { m_demanded = true; }
  /** Hands the batch to the kernel. An empty one is left as it is, and fine. When it fails the batch is lost: its
   *  packets will never run, which lost() counts. */
  HRESULT submit();
  /** submit() for a Flush of the runtime's, with what demandSubmit() asked for. */
  HRESULT submitAtFlush();
  uint32_t lost() const { return m_lost; }

  /** The first error since the last call of this, of what had to be submitted on the way. A removed device stays one.
   */
  HRESULT takeError() {
    const HRESULT error = m_error;
    if (error != kOk && error != kDeviceRemoved) m_error = kOk;
    return error;
  }
  HRESULT error() const { return m_error; }
  void fail(HRESULT error) {
    if (!failed(m_error)) m_error = error;
  }

  /** Frees private memory, at once or as soon as the batch that lists it has been submitted. Forgets it in any case. */
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
  uint8_t *m_buffer = nullptr;  // of the runtime; another after each batch
  size_t m_bufferBytes = 0;
  D3DDDI_ALLOCATIONLIST *m_list = nullptr;
  uint32_t m_listRoom = 0, m_listed = 0;
  uint8_t *m_begin = nullptr, *m_at = nullptr, *m_end = nullptr;  // of packets: the first one, the next one, their end
  uint64_t m_batch = 1;
  uint32_t m_lost = 0;
  bool m_demanded = false;
  HRESULT m_error = kOk;
  Array<D3DKMT_HANDLE> m_retired;
};

}  // namespace aero
