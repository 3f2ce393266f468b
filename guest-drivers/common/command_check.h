// SPDX-License-Identifier: MIT
// command_check.h: what the kernel driver checks of a user-mode command stream, in its own copy (ABI page, "Command
// stream"). The device validates every packet again; here it is decided what one process may do to others, and the
// driver learns what it must know of resources. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/aerogpu_cmd_draw.h"
#include "aerogpu/aerogpu_cmd_resource.h"

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
  } kind;
  uint32_t handle;
  StreamObject object;
  uint32_t allocId;  // Created textures: the allocation that this texture is from its first byte on, 0 = none
  uint32_t width, height, format, rowPitch;  // with allocId: pixels, enum aerogpu_format, bytes
  uint64_t token;
};

struct StreamCheck {
  StreamFault fault = StreamFault::None;
  uint32_t faultOffset = 0;   // of the packet, from the first packet
  uint32_t acceptedBytes = 0; // whole packets, from the first one
  bool present = false;       // one of them is a present
};

namespace detail {

template <class Packet> bool load(Packet &out, const uint8_t *at, uint32_t size) {
  if (size < sizeof out) return false;
  memcpy(&out, at, sizeof out);
  return true;
}

/** Opcodes that change what exists; their first field is the handle. */
struct HandleRule {
  uint32_t opcode;
  enum { Creates, Destroys, Changes } does;
  StreamObject object;
};
constexpr HandleRule kHandleRules[] = {
    {AEROGPU_CMD_CREATE_BUFFER, HandleRule::Creates, StreamObject::Resource},
    {AEROGPU_CMD_CREATE_TEXTURE2D, HandleRule::Creates, StreamObject::Resource},
    {AEROGPU_CMD_CREATE_TEXTURE_VIEW, HandleRule::Creates, StreamObject::View},
    {AEROGPU_CMD_CREATE_SHADER_DXBC, HandleRule::Creates, StreamObject::Shader},
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, HandleRule::Creates, StreamObject::InputLayout},
    {AEROGPU_CMD_CREATE_SAMPLER, HandleRule::Creates, StreamObject::Sampler},
    {AEROGPU_CMD_DESTROY_RESOURCE, HandleRule::Destroys, StreamObject::Resource},
    {AEROGPU_CMD_DESTROY_TEXTURE_VIEW, HandleRule::Destroys, StreamObject::View},
    {AEROGPU_CMD_DESTROY_SHADER, HandleRule::Destroys, StreamObject::Shader},
    {AEROGPU_CMD_DESTROY_INPUT_LAYOUT, HandleRule::Destroys, StreamObject::InputLayout},
    {AEROGPU_CMD_DESTROY_SAMPLER, HandleRule::Destroys, StreamObject::Sampler},
    {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, HandleRule::Changes, StreamObject::Resource},
    {AEROGPU_CMD_UPLOAD_RESOURCE, HandleRule::Changes, StreamObject::Resource},
    {AEROGPU_CMD_COPY_BUFFER, HandleRule::Changes, StreamObject::Resource},
    {AEROGPU_CMD_COPY_TEXTURE2D, HandleRule::Changes, StreamObject::Resource},
    {AEROGPU_CMD_EXPORT_SHARED_SURFACE, HandleRule::Changes, StreamObject::Resource},
    {AEROGPU_CMD_IMPORT_SHARED_SURFACE, HandleRule::Creates, StreamObject::Resource},
};

/** The rule of an opcode, or null; draws and state, the many, are decided by one comparison. */
inline const HandleRule *ruleOf(uint32_t opcode) {
  if (opcode >= AEROGPU_CMD_SET_BLEND_STATE && opcode <= AEROGPU_CMD_SET_RENDER_STATE) return nullptr;
  for (const HandleRule &rule : kHandleRules)
    if (rule.opcode == opcode) return &rule;
  return nullptr;
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
template <class Sink>
StreamCheck checkPackets(const uint8_t *data, uint32_t bytes, bool more, Sink &&sink) {
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

    StreamEvent event = {};
    bool tracked = false;
    if (const detail::HandleRule *rule = detail::ruleOf(header.opcode)) {
      if (!detail::load(event.handle, at + sizeof header, header.size_bytes - static_cast<uint32_t>(sizeof header)))
        return fail(StreamFault::Framing);
      if (event.handle >= kKernelHandleFirst) return fail(StreamFault::Privileged);
      event.object = rule->object;
      event.kind = rule->does == detail::HandleRule::Creates ? StreamEvent::Created : StreamEvent::Destroyed;
      tracked = rule->does != detail::HandleRule::Changes;
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
