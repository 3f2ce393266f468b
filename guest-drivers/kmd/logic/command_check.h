// SPDX-License-Identifier: MIT
// command_check.h: the kernel driver's checks of a user-mode command stream, in its own copy (PRIV-6 to
// PRIV-8, PRIV-12). The device validates every packet again. These checks decide what one process may do to
// others, and tell the driver what it must know of resources. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/packet_rights.hpp"

namespace aero {

/** Handles from here up belong to the kernel driver; user-mode streams may not name them as objects to
 * change. */
constexpr uint32_t kKernelHandleFirst = 0xF0000000u;

enum class StreamFault {
  None,
  Header,      // not a stream of the same major ABI version
  Framing,     // a packet's size is under its header or structure, past the end, or no multiple of 4
  Unknown,     // an opcode without a row, or of an extension that the device does not announce
  Privileged,  // a packet, handle or token that only the kernel driver may use
};

/** The kind of object that a handle names. */
using StreamObject = aerogpu::PacketObject;

/** An action of a stream that the driver keeps track of. Handles are those of the stream. */
struct StreamEvent {
  enum Kind {
    Created,    // `handle` names a new `object`
    Destroyed,  // `handle` is given up
    Exported,   // the resource `handle` gets `token`
    Imported,   // `handle` names a new resource, imported by `token`
    Used,       // the packet reads, changes or binds what `handle` names
  } kind;
  uint32_t handle;
  StreamObject object;
  uint32_t allocId;  // Created textures: the allocation that this texture covers from its first byte on, 0 = none
  uint32_t width, height, format, rowPitch;  // with allocId: in pixels, enum aerogpu_format, in bytes
  bool single;                               // with allocId: the texture has one level and one layer
  uint64_t token;
};

struct StreamCheck {
  StreamFault fault = StreamFault::None;
  uint32_t faultOffset = 0;    // offset of the packet, from the first packet
  uint32_t acceptedBytes = 0;  // whole packets, from the first one
  bool present = false;        // one of them is a present
};

namespace detail {

/** Maps an opcode to its row of the rights table: one look-up for each packet. */
class RightsIndex {
public:
  constexpr RightsIndex() {
    for (size_t i = 0; i < kRows; i++) m_rows[placeOf(aerogpu::kPacketRights[i].opcode)] = static_cast<uint8_t>(i + 1);
  }
  /** Returns null for an unknown packet. */
  const aerogpu::PacketRights *of(uint32_t opcode) const {
    const uint32_t place = placeOf(opcode);
    return place < kPlaces && m_rows[place] ? &aerogpu::kPacketRights[m_rows[place] - 1] : nullptr;
  }

private:
  static constexpr size_t kRows = sizeof aerogpu::kPacketRights / sizeof aerogpu::kPacketRights[0];
  static_assert(kRows < 256);
  // The opcodes of ABI 1.4 lie under 0x800, those of the extension space from 0x8000 up, without gaps.
  static constexpr uint32_t kAbiOpcodes = 0x800, kExtensionFirst = 0x8000;
  static constexpr uint32_t kLast = aerogpu::kPacketRights[kRows - 1].opcode;
  static constexpr uint32_t kPlaces = kAbiOpcodes + (kLast < kExtensionFirst ? 0 : kLast - kExtensionFirst + 1);
  static constexpr uint32_t placeOf(uint32_t opcode) {
    if (opcode < kAbiOpcodes) return opcode;
    return opcode < kExtensionFirst ? kPlaces : opcode - kExtensionFirst + kAbiOpcodes;
  }
  uint8_t m_rows[kPlaces] = {};
};
inline constexpr RightsIndex kRightsIndex;

/** Calls `use(handle)` for each handle that the packet of `size` bytes at `at` reads, changes or binds, also in the
 * data after the structure; returns false as soon as one call does. */
template <class Use>
bool eachUsedHandle(const aerogpu::PacketRights &rights, const uint8_t *at, uint32_t size, Use &&use) {
  const auto check = [&](uint32_t words, uint32_t base) {
    for (uint32_t offset = base; words; words >>= 1, offset += 4) {
      uint32_t handle;
      if (!(words & 1) || offset + sizeof handle > size) continue;
      memcpy(&handle, at + offset, sizeof handle);
      if (handle && !use(handle)) return false;
    }
    return true;
  };
  if (!check(rights.usedWords, sizeof(aerogpu_cmd_hdr))) return false;
  for (uint32_t offset = rights.bytes; rights.elementWords && offset < size; offset += rights.elementWords * 4u)
    if (!check(rights.elementUsedWords, offset)) return false;
  return true;
}

/** Returns the packet's event according to its row, with the packet's handle and token. */
inline StreamEvent eventOf(const aerogpu::PacketRights &rights, const uint8_t *at) {
  using aerogpu::PacketEvent;
  StreamEvent event = {};
  event.kind = rights.event == PacketEvent::Creates    ? StreamEvent::Created
               : rights.event == PacketEvent::Destroys ? StreamEvent::Destroyed
               : rights.event == PacketEvent::Exports  ? StreamEvent::Exported
                                                       : StreamEvent::Imported;
  event.object = rights.object;
  memcpy(&event.handle, at + sizeof(aerogpu_cmd_hdr) + rights.handleWord * size_t{4}, sizeof event.handle);
  if (event.kind == StreamEvent::Exported || event.kind == StreamEvent::Imported)
    memcpy(&event.token, at + sizeof(aerogpu_cmd_hdr) + rights.tokenWord * size_t{4}, sizeof event.token);
  return event;
}

}  // namespace detail

/** Checks a stream's header and returns the bytes of packets that it announces. `available` bytes are
 * there, header included; a stream may be shorter than that, and what follows it is ignored. */
inline StreamFault checkStreamHeader(const aerogpu_cmd_stream_header &header, size_t available, uint32_t &packetBytes) {
  if (header.magic != AEROGPU_CMD_STREAM_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_VERSION_U32 >> 16)
    return StreamFault::Header;
  if (header.size_bytes < sizeof header || header.size_bytes % 4 || header.size_bytes > available)
    return StreamFault::Framing;
  packetBytes = header.size_bytes - static_cast<uint32_t>(sizeof header);
  return StreamFault::None;
}

/** Returns how many of `bytes` bytes at `data` are whole packets, from the first one on; 0 also if a
 * packet's size makes no sense (CMD-3), because the start of the next one is then unknown. */
inline uint32_t wholePackets(const uint8_t *data, uint32_t bytes) {
  uint32_t at = 0;
  while (bytes - at >= sizeof(aerogpu_cmd_hdr)) {
    aerogpu_cmd_hdr header;
    memcpy(&header, data + at, sizeof header);
    if (header.size_bytes < sizeof header || header.size_bytes % 4) return 0;
    if (header.size_bytes > bytes - at) break;
    at += header.size_bytes;
  }
  return at;
}

/**
 * Walks the packets in `data`. With `more` the buffer may end inside a packet (the rest comes in another
 * pass), and only whole packets count. `featuresHi`: the device's features; an extension's packet passes only
 * if its bit is set. `sink(event)` is called for each event that the driver tracks, in order, and returns
 * false to refuse the packet as privileged.
 */
template <class Sink>
StreamCheck checkPackets(const uint8_t *data, uint32_t bytes, bool more, uint32_t featuresHi, Sink &&sink) {
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

    const aerogpu::PacketRights *rights = detail::kRightsIndex.of(header.opcode);
    if (!rights || rights->featureHi & ~featuresHi) return fail(StreamFault::Unknown);
    if (rights->kernelOnly) return fail(StreamFault::Privileged);
    if (header.size_bytes < rights->bytes) return fail(StreamFault::Framing);
    if (rights->usedWords | rights->elementUsedWords) {
      const auto use = [&](uint32_t handle) {
        StreamEvent used = {};
        used.kind = StreamEvent::Used;
        used.handle = handle;
        return handle < kKernelHandleFirst && sink(used);
      };
      if (!detail::eachUsedHandle(*rights, at, header.size_bytes, use)) return fail(StreamFault::Privileged);
    }
    if (rights->event != aerogpu::PacketEvent::None) {
      StreamEvent event = detail::eventOf(*rights, at);
      if (event.handle >= kKernelHandleFirst) return fail(StreamFault::Privileged);
      if (header.opcode == AEROGPU_CMD_CREATE_TEXTURE2D) {
        aerogpu_cmd_create_texture2d packet;
        memcpy(&packet, at, sizeof packet);
        event.allocId = packet.backing_offset_bytes ? 0 : packet.backing_alloc_id;
        event.width = packet.width;
        event.height = packet.height;
        event.format = packet.format;
        event.rowPitch = packet.row_pitch_bytes;
        event.single = packet.mip_levels == 1 && packet.array_layers == 1;
      }
      if (!sink(event)) return fail(StreamFault::Privileged);
    }
    if (header.opcode == AEROGPU_CMD_PRESENT || header.opcode == AEROGPU_CMD_PRESENT_EX ||
        header.opcode == AEROGPU_CMD_EXT_PRESENT_RECTS)
      check.present = true;
    check.acceptedBytes += header.size_bytes;
  }
  return check;
}

}  // namespace aero
