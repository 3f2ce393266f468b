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

/** What a stream does that the driver keeps track of. Handles are those of the stream. */
struct StreamEvent {
  enum Kind { TextureCreated, ResourceDestroyed, TokenExported, TokenImported } kind;
  uint32_t handle;
  uint32_t allocId;  // TextureCreated: its backing, 0 = none
  uint32_t width, height, format, rowPitch;  // TextureCreated
  uint64_t token;    // TokenExported, TokenImported
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

/** Opcodes whose first field is the handle that they create, change or destroy. */
constexpr bool changesFirstHandle(uint32_t opcode) {
  switch (opcode) {
  case AEROGPU_CMD_CREATE_BUFFER:
  case AEROGPU_CMD_CREATE_TEXTURE2D:
  case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
  case AEROGPU_CMD_DESTROY_RESOURCE:
  case AEROGPU_CMD_DESTROY_TEXTURE_VIEW:
  case AEROGPU_CMD_RESOURCE_DIRTY_RANGE:
  case AEROGPU_CMD_UPLOAD_RESOURCE:
  case AEROGPU_CMD_COPY_BUFFER:
  case AEROGPU_CMD_COPY_TEXTURE2D:
  case AEROGPU_CMD_CREATE_SHADER_DXBC:
  case AEROGPU_CMD_DESTROY_SHADER:
  case AEROGPU_CMD_CREATE_INPUT_LAYOUT:
  case AEROGPU_CMD_DESTROY_INPUT_LAYOUT:
  case AEROGPU_CMD_CREATE_SAMPLER:
  case AEROGPU_CMD_DESTROY_SAMPLER:
  case AEROGPU_CMD_EXPORT_SHARED_SURFACE:
  case AEROGPU_CMD_IMPORT_SHARED_SURFACE:
    return true;
  default:
    return false;
  }
}

}  // namespace detail

/** Checks a stream header and gives the bytes of packets that it announces, at most what `bytes` holds behind it.
 *  A stream may be longer than its header says; what follows is ignored. */
inline StreamFault checkStreamHeader(const uint8_t *data, size_t bytes, uint32_t &packetBytes) {
  aerogpu_cmd_stream_header header;
  if (bytes < sizeof header) return StreamFault::Header;
  memcpy(&header, data, sizeof header);
  if (header.magic != AEROGPU_CMD_STREAM_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_VERSION_U32 >> 16)
    return StreamFault::Header;
  if (header.size_bytes < sizeof header || header.size_bytes % 4 || header.size_bytes > bytes)
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

    if (detail::changesFirstHandle(header.opcode)) {
      uint32_t handle;
      if (header.size_bytes < sizeof header + sizeof handle) return fail(StreamFault::Framing);
      memcpy(&handle, at + sizeof header, sizeof handle);
      if (handle >= kKernelHandleFirst) return fail(StreamFault::Privileged);
    }

    StreamEvent event = {};
    bool tracked = true;
    switch (header.opcode) {
    case AEROGPU_CMD_CREATE_TEXTURE2D: {
      aerogpu_cmd_create_texture2d packet;
      if (!detail::load(packet, at, header.size_bytes)) return fail(StreamFault::Framing);
      event.kind = StreamEvent::TextureCreated;
      event.handle = packet.texture_handle;
      // Only a texture that is the allocation, from its first byte, stands for it.
      event.allocId = packet.backing_offset_bytes ? 0 : packet.backing_alloc_id;
      event.width = packet.width;
      event.height = packet.height;
      event.format = packet.format;
      event.rowPitch = packet.row_pitch_bytes;
      tracked = event.allocId != 0;
      break;
    }
    case AEROGPU_CMD_DESTROY_RESOURCE:
      event.kind = StreamEvent::ResourceDestroyed;
      memcpy(&event.handle, at + sizeof header, sizeof event.handle);
      break;
    case AEROGPU_CMD_EXPORT_SHARED_SURFACE:
    case AEROGPU_CMD_IMPORT_SHARED_SURFACE: {
      static_assert(sizeof(aerogpu_cmd_export_shared_surface) == sizeof(aerogpu_cmd_import_shared_surface));
      aerogpu_cmd_export_shared_surface packet;
      if (!detail::load(packet, at, header.size_bytes)) return fail(StreamFault::Framing);
      event.kind = header.opcode == AEROGPU_CMD_EXPORT_SHARED_SURFACE ? StreamEvent::TokenExported
                                                                     : StreamEvent::TokenImported;
      event.handle = packet.resource_handle;
      event.token = packet.share_token;
      break;
    }
    case AEROGPU_CMD_RELEASE_SHARED_SURFACE:  // ends a token for every process: EX-44 makes it the kernel's
      return fail(StreamFault::Privileged);
    case AEROGPU_CMD_PRESENT:
    case AEROGPU_CMD_PRESENT_EX:
      check.present = true;
      tracked = false;
      break;
    default:
      tracked = false;
    }
    if (tracked && !sink(event)) return fail(StreamFault::Privileged);
    check.acceptedBytes += header.size_bytes;
  }
  return check;
}

}  // namespace aero
