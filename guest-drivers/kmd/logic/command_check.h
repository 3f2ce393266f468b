// SPDX-License-Identifier: MIT
// command_check.h: what the kernel driver checks of a user-mode command stream, in its own copy (docs/abi/commands.md).
// The device validates every packet again; here it is decided what one process may do to others, and the driver learns
// what it must know of resources. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/aerogpu_cmd_binding.h"
#include "aerogpu/aerogpu_cmd_draw.h"
#include "aerogpu/aerogpu_cmd_resource.h"
#include "aerogpu/aerogpu_cmd_shader.h"
#include "aerogpu/aerogpu_cmd_state.h"

namespace aero {

/** Handles from here up are the kernel driver's own; user-mode streams may not name them as what they change. */
constexpr uint32_t kKernelHandleFirst = 0xF0000000u;

enum class StreamFault {
  None,
  Header,      // not a stream of this ABI's major version
  Framing,     // a packet's size is under its header or structure, past the end, or no multiple of 4
  Privileged,  // a packet, handle or token that only the kernel driver may use
};

/** What kind of thing a handle names. */
enum class StreamObject : uint32_t { Resource, View, Shader, InputLayout, Sampler };

/** What a stream does that the driver keeps track of. Handles are those of the stream. */
struct StreamEvent {
  enum Kind {
    Created,    // `handle` names a new `object`
    Destroyed,  // `handle` is given up
    Exported,   // the resource `handle` gets `token`
    Imported,   // `handle` names a new resource: the one behind `token`
    Used,       // the packet reads, changes or binds what `handle` names
  } kind;
  uint32_t handle;
  StreamObject object;
  uint32_t allocId;  // Created textures: the allocation that this texture is from its first byte on, 0 = none
  uint32_t width, height, format, rowPitch;  // with allocId: pixels, enum aerogpu_format, bytes
  uint64_t token;
};

struct StreamCheck {
  StreamFault fault = StreamFault::None;
  uint32_t faultOffset = 0;    // of the packet, from the first packet
  uint32_t acceptedBytes = 0;  // whole packets, from the first one
  bool present = false;        // one of them is a present
};

namespace detail {

template <class Packet> bool load(Packet &out, const uint8_t *at, uint32_t size) {
  if (size < sizeof out) return false;
  memcpy(&out, at, sizeof out);
  return true;
}

/** Opcodes that change what exists; the handle is their first field. */
struct HandleRule {
  uint32_t opcode;
  bool creates;  // else it destroys
  StreamObject object;
};
constexpr HandleRule kHandleRules[] = {
    {AEROGPU_CMD_CREATE_BUFFER, true, StreamObject::Resource},
    {AEROGPU_CMD_CREATE_TEXTURE2D, true, StreamObject::Resource},
    {AEROGPU_CMD_CREATE_TEXTURE_VIEW, true, StreamObject::View},
    {AEROGPU_CMD_CREATE_SHADER_DXBC, true, StreamObject::Shader},
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, true, StreamObject::InputLayout},
    {AEROGPU_CMD_CREATE_SAMPLER, true, StreamObject::Sampler},
    {AEROGPU_CMD_IMPORT_SHARED_SURFACE, true, StreamObject::Resource},
    {AEROGPU_CMD_DESTROY_RESOURCE, false, StreamObject::Resource},
    {AEROGPU_CMD_DESTROY_TEXTURE_VIEW, false, StreamObject::View},
    {AEROGPU_CMD_DESTROY_SHADER, false, StreamObject::Shader},
    {AEROGPU_CMD_DESTROY_INPUT_LAYOUT, false, StreamObject::InputLayout},
    {AEROGPU_CMD_DESTROY_SAMPLER, false, StreamObject::Sampler},
};

/** Where else a packet names things: bit n of `words` is the n-th 32-bit word behind the header; elements follow from
 *  `tail` bytes on, `stride` bytes apart, each beginning with a handle (stride 0: none). 0 names nothing. */
struct HandleWords {
  uint32_t opcode;
  uint32_t words;
  uint32_t tail;
  uint32_t stride;
};
constexpr HandleWords kHandleWords[] = {
    {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0x1, 0, 0},
    {AEROGPU_CMD_UPLOAD_RESOURCE, 0x1, 0, 0},
    {AEROGPU_CMD_COPY_BUFFER, 0x3, 0, 0},
    {AEROGPU_CMD_COPY_TEXTURE2D, 0x3, 0, 0},
    {AEROGPU_CMD_CREATE_TEXTURE_VIEW, 0x2, 0, 0},
    {AEROGPU_CMD_BIND_SHADERS, 0x7F, 0, 0},
    {AEROGPU_CMD_SET_INPUT_LAYOUT, 0x1, 0, 0},
    {AEROGPU_CMD_SET_RENDER_TARGETS, 0x3FE, 0, 0},
    {AEROGPU_CMD_SET_INDEX_BUFFER, 0x1, 0, 0},
    {AEROGPU_CMD_SET_TEXTURE, 0x4, 0, 0},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, 0, sizeof(aerogpu_cmd_set_vertex_buffers), sizeof(aerogpu_vertex_buffer_binding)},
    {AEROGPU_CMD_SET_SAMPLERS, 0, sizeof(aerogpu_cmd_set_samplers), sizeof(uint32_t)},
    {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 0, sizeof(aerogpu_cmd_set_constant_buffers),
     sizeof(aerogpu_constant_buffer_binding)},
    {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 0, sizeof(aerogpu_cmd_set_shader_resource_buffers),
     sizeof(aerogpu_shader_resource_buffer_binding)},
    {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 0, sizeof(aerogpu_cmd_set_unordered_access_buffers),
     sizeof(aerogpu_unordered_access_buffer_binding)},
};

/** Which row belongs to an opcode: one look for each packet, most of which have none. */
class RowIndex {
public:
  template <class Row, size_t N> constexpr explicit RowIndex(const Row (&rows)[N]) {
    for (size_t i = 0; i < N; i++) m_rows[rows[i].opcode] = static_cast<uint8_t>(i + 1);
  }
  /** 0: none, else the row's number counted from 1. */
  constexpr uint32_t of(uint32_t opcode) const { return opcode < kOpcodes ? m_rows[opcode] : 0; }

private:
  static constexpr uint32_t kOpcodes = 0x800;  // what lies above names nothing
  uint8_t m_rows[kOpcodes] = {};
};
inline constexpr RowIndex kHandleRuleIndex(kHandleRules);
inline constexpr RowIndex kHandleWordsIndex(kHandleWords);

template <class Row, size_t N> const Row *rowOf(const Row (&rows)[N], const RowIndex &index, uint32_t opcode) {
  const uint32_t row = index.of(opcode);
  return row ? &rows[row - 1] : nullptr;
}

/** Calls `use(handle)` for each handle of the row in a packet of `size` bytes at `at`; false when one call says so. */
template <class Use> bool eachHandle(const HandleWords &row, const uint8_t *at, uint32_t size, Use &&use) {
  const auto check = [&](uint32_t offset) {
    uint32_t handle;
    memcpy(&handle, at + offset, sizeof handle);
    return !handle || use(handle);
  };
  for (uint32_t word = 0; row.words >> word; word++) {
    const uint32_t offset = static_cast<uint32_t>(sizeof(aerogpu_cmd_hdr)) + word * 4;
    if (row.words >> word & 1 && offset + 4 <= size && !check(offset)) return false;
  }
  for (uint32_t offset = row.tail; row.stride && offset + 4 <= size; offset += row.stride)
    if (!check(offset)) return false;
  return true;
}

}  // namespace detail

/** Checks a stream's header and gives the bytes of packets that it announces. `available` bytes are there, header
 *  included; a stream may be shorter than that, and what follows it is ignored. */
inline StreamFault checkStreamHeader(const aerogpu_cmd_stream_header &header, size_t available, uint32_t &packetBytes) {
  if (header.magic != AEROGPU_CMD_STREAM_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_VERSION_U32 >> 16)
    return StreamFault::Header;
  if (header.size_bytes < sizeof header || header.size_bytes % 4 || header.size_bytes > available)
    return StreamFault::Framing;
  packetBytes = header.size_bytes - static_cast<uint32_t>(sizeof header);
  return StreamFault::None;
}

/**
 * Walks the packets in `data`. With `more` the buffer may end inside a packet (the rest comes in another pass), and
 * only whole packets count. `sink(event)` is called for what the driver tracks, in order, and returns false to refuse
 * the packet as privileged.
 */
template <class Sink> StreamCheck checkPackets(const uint8_t *data, uint32_t bytes, bool more, Sink &&sink) {
  StreamCheck check;
  auto fail = [&](StreamFault fault) {
    check.fault = fault;
    check.faultOffset = check.acceptedBytes;
    return check;
  };
  while (check.acceptedBytes < bytes) {
    const uint8_t *at = data + check.acceptedBytes;
    const uint32_t left = bytes - check.acceptedBytes;
    aerogpu_cmd_hdr header;
    if (left < sizeof header) {
      if (more) return check;
      return fail(StreamFault::Framing);
    }
    memcpy(&header, at, sizeof header);
    if (header.size_bytes < sizeof header || header.size_bytes % 4) return fail(StreamFault::Framing);
    if (header.size_bytes > left) {
      if (more) return check;
      return fail(StreamFault::Framing);
    }

    if (const detail::HandleWords *row =
            detail::rowOf(detail::kHandleWords, detail::kHandleWordsIndex, header.opcode)) {
      const auto use = [&](uint32_t handle) {
        StreamEvent used = {};
        used.kind = StreamEvent::Used;
        used.handle = handle;
        return handle < kKernelHandleFirst && sink(used);
      };
      if (!detail::eachHandle(*row, at, header.size_bytes, use)) return fail(StreamFault::Privileged);
    }
    StreamEvent event = {};
    bool tracked = false;
    if (const detail::HandleRule *rule = detail::rowOf(detail::kHandleRules, detail::kHandleRuleIndex, header.opcode)) {
      if (!detail::load(event.handle, at + sizeof header, header.size_bytes - static_cast<uint32_t>(sizeof header)))
        return fail(StreamFault::Framing);
      if (event.handle >= kKernelHandleFirst) return fail(StreamFault::Privileged);
      event.object = rule->object;
      event.kind = rule->creates ? StreamEvent::Created : StreamEvent::Destroyed;
      tracked = true;
    }

    switch (header.opcode) {
    case AEROGPU_CMD_CREATE_TEXTURE2D: {
      aerogpu_cmd_create_texture2d packet;
      if (!detail::load(packet, at, header.size_bytes)) return fail(StreamFault::Framing);
      event.allocId = packet.backing_offset_bytes ? 0 : packet.backing_alloc_id;
      event.width = packet.width;
      event.height = packet.height;
      event.format = packet.format;
      event.rowPitch = packet.row_pitch_bytes;
      break;
    }
    case AEROGPU_CMD_EXPORT_SHARED_SURFACE:
    case AEROGPU_CMD_IMPORT_SHARED_SURFACE: {
      static_assert(sizeof(aerogpu_cmd_export_shared_surface) == sizeof(aerogpu_cmd_import_shared_surface));
      aerogpu_cmd_export_shared_surface packet;
      if (!detail::load(packet, at, header.size_bytes)) return fail(StreamFault::Framing);
      event.kind = header.opcode == AEROGPU_CMD_EXPORT_SHARED_SURFACE ? StreamEvent::Exported : StreamEvent::Imported;
      event.handle = packet.resource_handle;
      if (event.handle >= kKernelHandleFirst) return fail(StreamFault::Privileged);
      event.token = packet.share_token;
      tracked = true;
      break;
    }
    case AEROGPU_CMD_RELEASE_SHARED_SURFACE:  // ends a token for every process: EX-44 makes it the kernel's
      return fail(StreamFault::Privileged);
    case AEROGPU_CMD_PRESENT:
    case AEROGPU_CMD_PRESENT_EX:
      check.present = true;
      break;
    default:
      break;
    }
    if (tracked && !sink(event)) return fail(StreamFault::Privileged);
    check.acceptedBytes += header.size_bytes;
  }
  return check;
}

}  // namespace aero
