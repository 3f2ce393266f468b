// SPDX-License-Identifier: MIT
// context.h: the context of a device and the batch that is being filled: packets in the runtime's command buffer, and
// the list of allocations that they touch. A batch goes to the kernel when it is full or wanted; state and objects
// outlive it, so that it may end between any two packets.
#pragma once

#include "aerogpu/packet_writer.hpp"
#include "allocation.h"
#include "heap.h"

namespace aero {

class Context {
public:
  explicit Context(const Runtime &runtime) : m_runtime(runtime), m_packets(nullptr, 0) {}

  HRESULT open();
  void close();
  const Runtime &runtime() const { return m_runtime; }
  HANDLE handle() const { return m_context; }

  /** Room for `bytes` of packets and for `allocations` more entries of the list, if need be in a new batch. False when
   *  there is none: error() says why. */
  bool ensure(size_t bytes, uint32_t allocations = 0) {
    if (bytes <= m_packets.room() && allocations <= m_listRoom - m_listed) return true;
    return makeRoom(bytes, allocations);
  }
  /** Lists an allocation that packets of this batch touch. ensure() has made room, and nothing was sent since. */
  void use(Allocation &allocation, bool write);

  /** A packet in place, zeroed; null when there is no room for it. */
  template <class Wire> Wire *append() { return ensure(sizeof(Wire)) ? m_packets.append<Wire>() : nullptr; }
  /** The same with room for `count` elements after it. */
  template <class Wire> Wire *append(size_t count) {
    const size_t bytes =
        sizeof(Wire) + ((count * sizeof(typename aerogpu::PacketType<Wire>::Element) + 3) & ~size_t{3});
    return ensure(bytes) ? m_packets.append<Wire>(count) : nullptr;
  }
  template <class Wire> static auto *elementsOf(Wire *packet) { return aerogpu::PacketWriter::elementsOf(packet); }
  template <class Wire> bool send(const Wire &packet) { return ensure(sizeof packet) && m_packets.packet(packet); }

  /** Bytes of packets that still fit. */
  size_t room() const { return m_packets.room(); }
  /** The most that a packet can have, when nothing is in the batch. */
  size_t capacity() const { return m_bufferBytes > kHeaderBytes ? (m_bufferBytes - kHeaderBytes) & ~size_t{3} : 0; }
  /** The number of the batch that is being filled, from 1 on. */
  uint64_t batch() const { return m_batch; }
  bool isEmpty() const { return !m_packets.used() && !m_listed; }
  /** Whether packets that are not submitted yet touch the allocation. */
  bool isPending(const Allocation &allocation) const { return allocation.batch == m_batch; }

  /** The next submit() goes to the kernel even if there is nothing in it: the runtime attaches a token to it. */
  void demandSubmit() { m_demanded = true; }
  /** Hands the batch to the kernel. An empty one is left as it is, and fine. When it fails the batch is lost: its
   *  packets will never run, which lost() counts. */
  HRESULT submit();
  uint32_t lost() const { return m_lost; }

  /** The first error since the last call of this, of what had to be submitted on the way. A removed device stays one.
   */
  HRESULT takeError() {
    const HRESULT error = m_error;
    if (error != kDeviceRemoved) m_error = kOk;
    return error;
  }
  HRESULT error() const { return m_error; }
  void fail(HRESULT error) {
    if (!failed(m_error)) m_error = error;
  }

  /** Frees an allocation: at once, or after the batch that lists it. */
  void retire(const Allocation &allocation);

private:
  static constexpr size_t kHeaderBytes = sizeof(aerogpu_cmd_stream_header);

  void adopt(void *buffer, UINT bytes, D3DDDI_ALLOCATIONLIST *list, UINT entries);
  bool makeRoom(size_t bytes, uint32_t allocations);
  HRESULT render(size_t wishBytes);
  void freeRetired();

  const Runtime &m_runtime;
  HANDLE m_context = nullptr;
  uint8_t *m_buffer = nullptr;  // of the runtime; another after each batch
  size_t m_bufferBytes = 0;
  D3DDDI_ALLOCATIONLIST *m_list = nullptr;
  uint32_t m_listRoom = 0, m_listed = 0;
  aerogpu::PacketWriter m_packets;
  uint64_t m_batch = 1;
  uint32_t m_lost = 0;
  bool m_demanded = false;
  HRESULT m_error = kOk;
  Array<D3DKMT_HANDLE> m_retired;
};

}  // namespace aero
