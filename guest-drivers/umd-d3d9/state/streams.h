// SPDX-License-Identifier: MIT
// streams.h: what draws read vertices and indices from: buffers that are bound, or the program's own memory.
#pragma once

#include <bit>

#include "guest-drivers/umd-d3d9/resources/buffers.h"
#include "guest-drivers/umd-d3d9/state/states.h"

namespace aero {

constexpr uint32_t kMaxStreams = StreamSteps::kStreams;

/** A vertex buffer, which B names, as a stream. All are of one size, so that a draw finds both of a number by one
 * offset. */
template <class B> struct alignas(16) StreamOf {
  B buffer = {};
  uint32_t offset = 0, stride = 0;  // bytes
  bool operator==(const StreamOf &) const = default;
};
/** A stream as the runtime sets it, and as the device has it: by a handle. */
using Stream = StreamOf<Resource *>;
using StreamBinding = StreamOf<uint32_t>;

/** Where a draw finds its vertices: in the program's memory, or else in stream 0. */
struct VertexSource {
  const uint8_t *user;  // null: stream 0
  BufferStore *buffer;  // of stream 0; null without one
  uint32_t offset;      // of stream 0, in bytes; 0 in the program's memory
  uint32_t stride;      // bytes

  bool isThere() const { return user || buffer; }
};

/** Where a draw finds its indices: in the program's memory, or else in a buffer. */
struct IndexSource {
  const uint8_t *user;  // null: the buffer
  BufferStore *buffer;  // null without one
  uint32_t size;        // of an index, 2 or 4 bytes

  bool isThere() const { return user || buffer; }
};

/** Where a draw reads from, as it is set now. */
struct DrawSource {
  VertexSource vertices;
  IndexSource indices;
  uint32_t streams;  // bit n: it reads stream n

  /** True if it reads vertices from the program's memory. */
  bool readsUser() const { return vertices.user && streams & 1; }
  /** True if it reads vertices from nowhere else. */
  bool readsUserOnly() const { return vertices.user && streams == 1; }
};

/** How often an indexed draw repeats, and which of its streams (a bit each) go on by instances. */
struct Instances {
  uint32_t count = 1, stepping = 0;
};

/** The streams that are wanted, how they go on, and what the device has. Setters only note; one device's thread. */
class Streams {
public:
  void set(uint32_t index, Resource *buffer, uint32_t offset, uint32_t stride);
  /** The program's memory, until the next set() of the same number. The runtime uses no stream but 0 (page
   *  "PFND3DDDI_SETSTREAMSOURCEUM"). */
  void setUser(uint32_t index, const void *bytes, uint32_t stride);
  /** `frequency`: as SetStreamSourceFreq has it. */
  void setFrequency(uint32_t index, uint32_t frequency) {
    if (index < kMaxStreams) m_frequencies[index] = frequency;
  }
  const Stream &wanted(uint32_t index) const { return m_wanted[index]; }
  /** True if vertices come from the program's memory. */
  bool hasUser() const { return m_user != nullptr; }
  VertexSource source() const {
    if (m_user) return {m_user, nullptr, 0, m_userStride};
    const Stream &stream = m_wanted[0];
    return {nullptr, stream.buffer ? &stream.buffer->buffer() : nullptr, stream.offset, stream.stride};
  }
  /** `read`: the streams that the draw reads. */
  Instances instances(uint32_t read) const;
  /** After how many instances a stream goes on that does. */
  uint32_t step(uint32_t index) const {
    const uint32_t step = m_frequencies[index] & ~kFrequencyFlags;
    return step ? step : 1;
  }

  /** Sends the buffers of the streams `read` that the runtime set, with what the program wrote to them, and has all go
   *  on with each vertex. A draw reads vertices [first, first + count) of each. The program's memory is left alone. */
  bool emit(DeviceObjects &objects, UploadMemory &uploads, uint32_t read, uint64_t first, uint64_t count) {
    return isEmitted(read) || emit(objects, uploads, read, first, count, {});
  }
  /** Sends the streams of a draw that repeats. */
  bool emit(DeviceObjects &objects, UploadMemory &uploads, uint32_t read, uint64_t first, uint64_t count,
            const Instances &instances);
  /** Has the device read this as stream `index`. A later emit() puts the wanted one back. */
  bool force(Context &context, uint32_t index, const StreamBinding &binding) {
    return m_sent[index] == binding || send(context, index, binding);
  }
  /** The device may have any buffers. */
  void forgetBuffers();
  /** The device may have anything. */
  void forget() {
    forgetBuffers();
    m_steps.forget();
  }
  /** The resource is about to end. */
  void unbind(const Resource *resource);

private:
  static constexpr uint32_t kIndexedData = 1u << 30, kInstanceData = 1u << 31;  // D3DSTREAMSOURCE_*
  static constexpr uint32_t kFrequencyFlags = kIndexedData | kInstanceData;

  /** Whether emit() has nothing to do, which is common. */
  bool isEmitted(uint32_t read) const {
    if (m_steps.stepping()) return false;
    for (uint32_t rest = read; rest; rest &= rest - 1) {
      const auto index = static_cast<uint32_t>(std::countr_zero(rest));
      const Stream &stream = m_wanted[index];
      const StreamBinding &sent = m_sent[index];
      if (!stream.buffer || stream.buffer->buffer().isBehind() || sent.buffer != stream.buffer->buffer().handle ||
          sent.offset != stream.offset || sent.stride != stream.stride)
        return false;
    }
    return true;
  }
  bool send(Context &context, uint32_t index, const StreamBinding &binding);

  StreamSteps m_steps;
  Stream m_wanted[kMaxStreams];
  StreamBinding m_sent[kMaxStreams];
  uint32_t m_frequencies[kMaxStreams] = {};
  const uint8_t *m_user = nullptr;  // in place of stream 0
  uint32_t m_userStride = 0;
};

/** The indices that are wanted, and those that the device has. Setters only note; one device's thread. */
class Indices {
public:
  /** `size`: of an index, 2 or 4 bytes. */
  void set(Resource *buffer, uint32_t size);
  /** The program's memory, until the next set(). */
  void setUser(const void *bytes, uint32_t size);
  IndexSource source() const { return {m_user, m_wanted.buffer ? &m_wanted.buffer->buffer() : nullptr, m_wanted.size}; }

  /** Has the device read indices of `size` bytes from byte `offset` of a buffer on. */
  bool force(Context &context, uint32_t buffer, uint32_t size, uint32_t offset) {
    return (m_sent.buffer == buffer && m_sent.size == size && m_sentOffset == offset) ||
           send(context, buffer, size, offset);
  }
  /** The device may have any buffer. */
  void forget() { m_sent.buffer = 0xFFFFFFFF; }
  /** The resource is about to end. */
  void unbind(const Resource *resource) {
    if (m_wanted.buffer == resource) m_wanted.buffer = nullptr;
  }

private:
  template <class B> struct Of {
    B buffer = {};
    uint32_t size = 0;
  };
  bool send(Context &context, uint32_t buffer, uint32_t size, uint32_t offset);

  Of<Resource *> m_wanted{nullptr, 2};
  Of<uint32_t> m_sent;
  uint32_t m_sentOffset = 0;
  const uint8_t *m_user = nullptr;  // in place of the buffer
};

}  // namespace aero
