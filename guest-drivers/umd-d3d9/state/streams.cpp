// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/state/streams.h"

#include "aerogpu/aerogpu_extension.h"

namespace aero {

void Streams::set(uint32_t index, Resource *buffer, uint32_t offset, uint32_t stride) {
  if (index >= kMaxStreams) return;
  if (index == 0) m_user = nullptr;
  m_wanted[index] = {buffer && buffer->isBuffer() ? buffer : nullptr, offset, stride};
}

void Streams::setUser(uint32_t index, const void *bytes, uint32_t stride) {
  if (index != 0) return;
  m_user = static_cast<const uint8_t *>(bytes);
  m_userStride = stride;
}

Instances Streams::instances(uint32_t read) const {
  Instances instances;
  for (uint32_t rest = read & ~1u; rest; rest &= rest - 1)
    if (m_frequencies[std::countr_zero(rest)] & kInstanceData) instances.stepping |= rest & (0 - rest);
  const uint32_t frequency = m_frequencies[0];
  if (frequency & kIndexedData) instances.count = frequency & ~kFrequencyFlags;
  return instances;
}

bool Streams::emit(DeviceObjects &objects, UploadMemory &uploads, uint32_t read, uint64_t first, uint64_t count,
                   const Instances &instances) {
  const uint32_t stepping = instances.stepping;
  for (uint32_t rest = read; rest; rest &= rest - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(rest));
    if (index == 0 && m_user) continue;
    const Stream &stream = m_wanted[index];
    StreamBinding binding;
    if (stream.buffer && stream.offset <= stream.buffer->buffer().size) {
      BufferStore &buffer = stream.buffer->buffer();
      if (buffer.isBehind()) {
        uint64_t begin = first, end = first + count;
        if (stepping >> index & 1) {
          begin = 0;
          end = (uint64_t{instances.count} + step(index) - 1) / step(index);
        }
        if (!refreshBuffer(objects, uploads, buffer, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER,
                           stream.offset + begin * stream.stride,
                           stream.stride ? stream.offset + end * stream.stride : buffer.size))
          return false;
      }
      binding = {buffer.handle, stream.offset, stream.stride};
    }
    if (!force(objects.context, index, binding)) return false;
  }
  if (!(stepping | m_steps.stepping())) return true;
  if (!objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_STATES)) {
    m_steps = {};  // such a device cannot advance streams by instances
    return true;
  }
  uint32_t steps[kMaxStreams] = {};
  for (uint32_t rest = stepping; rest; rest &= rest - 1) {
    const auto index = static_cast<uint32_t>(std::countr_zero(rest));
    steps[index] = step(index);
  }
  return m_steps.emit(objects.context, read & (stepping | m_steps.stepping()), steps);
}

bool Streams::send(Context &context, uint32_t index, const StreamBinding &binding) {
  constexpr uint32_t kMaxWireStride = 2048;  // STATE-13
  auto *packet = context.append<aerogpu_cmd_set_vertex_buffers>(1);
  if (!packet) return false;
  packet->start_slot = index;
  *Context::elementsOf(packet) = {
      .buffer = binding.buffer,
      .stride_bytes = binding.stride < kMaxWireStride ? binding.stride : kMaxWireStride,
      .offset_bytes = binding.offset,
      .reserved0 = 0,
  };
  m_sent[index] = binding;
  return true;
}

void Streams::forgetBuffers() {
  constexpr uint32_t kUnknown = 0xFFFFFFFF;  // no buffer
  for (StreamBinding &stream : m_sent) stream.buffer = kUnknown;
}

void Streams::unbind(const Resource *resource) {
  for (Stream &stream : m_wanted)
    if (stream.buffer == resource) stream.buffer = nullptr;
}

void Indices::set(Resource *buffer, uint32_t size) {
  m_wanted = {buffer && buffer->isBuffer() ? buffer : nullptr, size == 4 ? 4u : 2u};
  m_user = nullptr;
}

void Indices::setUser(const void *bytes, uint32_t size) {
  m_user = static_cast<const uint8_t *>(bytes);
  m_wanted.size = size == 4 ? 4 : 2;
}

bool Indices::send(Context &context, uint32_t buffer, uint32_t size, uint32_t offset) {
  aerogpu_cmd_set_index_buffer packet = {};
  packet.buffer = buffer;
  packet.format = size == 4 ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
  packet.offset_bytes = offset;
  if (!context.send(packet)) return false;
  m_sent = {buffer, size};
  m_sentOffset = offset;
  return true;
}

}  // namespace aero
