// SPDX-License-Identifier: MIT
// trace_events.h: the ETW events of aerogpu.sys: provider, numbers, payloads. guest-drivers/package/disk/aerogpu.man
// describes them to Windows' tools; docs/windows/debugging.md, "Event traces", has a recipe. Windows stamps each event;
// the fields of its structure follow, little-endian, without gaps.
#pragma once

#include <stdint.h>

namespace aero::trace {

/** {9B365640-A505-4A04-943D-2656751472EB}, "aerogpu". */
constexpr struct {
  uint32_t a;
  uint16_t b, c;
  uint8_t d[8];
} kProvider = {0x9B365640, 0xA505, 0x4A04, {0x94, 0x3D, 0x26, 0x56, 0x75, 0x14, 0x72, 0xEB}};

/** Keywords: GPU work, and the display. */
constexpr uint64_t kGpu = 1, kDisplay = 2;
/** Levels (page "Event Levels"). */
constexpr uint8_t kError = 2, kWarning = 3, kInformation = 4, kVerbose = 5;

// Each structure is a row of a table: number, level and keyword of the event, then its fields.
#pragma pack(push, 1)
/** A submission was put into the ring. The host's trace events carry the same fence. */
struct Submit {
  static constexpr uint16_t kId = 1;
  static constexpr uint8_t kLevel = kInformation;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t fence;
  uint64_t commandAddress;
  uint32_t commandBytes;
  uint32_t context;
  uint32_t flags;  // enum aerogpu_submit_flags
};
/** The OS was told that all work up to this fence is done. */
struct Complete {
  static constexpr uint16_t kId = 2;
  static constexpr uint8_t kLevel = kInformation;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t fence;
};
/** The OS was told that a preemption is done, after this fence. */
struct Preempted {
  static constexpr uint16_t kId = 3;
  static constexpr uint8_t kLevel = kInformation;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t fence;
  uint32_t preemption;
};
/** The ring was emptied after a time-out; the work between the two fences is lost. */
struct Reset {
  static constexpr uint16_t kId = 4;
  static constexpr uint8_t kLevel = kWarning;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t completed;
  uint64_t submitted;
};
/** The device reported an error: enum aerogpu_error_code. */
struct DeviceError {
  static constexpr uint16_t kId = 5;
  static constexpr uint8_t kLevel = kError;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t fence;
  uint32_t code;
};
/** The OS flipped to this address. Also written if the driver could not show it. */
struct Flip {
  static constexpr uint16_t kId = 6;
  static constexpr uint8_t kLevel = kInformation;
  static constexpr uint64_t kKeyword = kDisplay;
  uint64_t address;
};
/** The OS was told of a vertical sync. Number of the device's last vertical blank, and its time on the machine's clock,
 * in ns; the host's trace has both. */
struct Vblank {
  static constexpr uint16_t kId = 7;
  static constexpr uint8_t kLevel = kVerbose;
  static constexpr uint64_t kKeyword = kDisplay;
  uint64_t sequence;
  uint64_t time;
};
#pragma pack(pop)

}  // namespace aero::trace
