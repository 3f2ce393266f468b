// SPDX-License-Identifier: MIT
// trace_events.h: the ETW events of aerogpu.sys: provider, numbers, payloads. guest-drivers/package/disk/aerogpu.man
// describes the same to Windows' tools; docs/windows/debugging.md, "Event traces", has a recipe. What follows the stamp
// that Windows gives each event are the fields of its structure, little-endian, without gaps.
#pragma once

#include <stdint.h>

namespace aero::trace {

/** {9B365640-A505-4A04-943D-2656751472EB}, "aerogpu". */
constexpr struct {
  uint32_t a;
  uint16_t b, c;
  uint8_t d[8];
} kProvider = {0x9B365640, 0xA505, 0x4A04, {0x94, 0x3D, 0x26, 0x56, 0x75, 0x14, 0x72, 0xEB}};

/** Keywords: what the work of the GPU is about, and the display. */
constexpr uint64_t kGpu = 1, kDisplay = 2;
/** Levels (page "Event Levels"). */
constexpr uint8_t kError = 2, kWarning = 3, kInformation = 4, kVerbose = 5;

// Each structure is a row of a table: number, level and keyword of the event, then its fields.
#pragma pack(push, 1)
/** A submission went into the ring. The fence is the one that the host's trace events have. */
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
/** The OS was told that all up to this fence is done. */
struct Complete {
  static constexpr uint16_t kId = 2;
  static constexpr uint8_t kLevel = kInformation;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t fence;
};
/** The OS was told that a preemption is done, behind this fence. */
struct Preempted {
  static constexpr uint16_t kId = 3;
  static constexpr uint8_t kLevel = kInformation;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t fence;
  uint32_t preemption;
};
/** The ring was emptied after a time-out; what lies between the fences is lost. */
struct Reset {
  static constexpr uint16_t kId = 4;
  static constexpr uint8_t kLevel = kWarning;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t completed;
  uint64_t submitted;
};
/** The device complained: enum aerogpu_error_code. */
struct DeviceError {
  static constexpr uint16_t kId = 5;
  static constexpr uint8_t kLevel = kError;
  static constexpr uint64_t kKeyword = kGpu;
  uint64_t fence;
  uint32_t code;
};
/** The scanout was given another address. */
struct Flip {
  static constexpr uint16_t kId = 6;
  static constexpr uint8_t kLevel = kInformation;
  static constexpr uint64_t kKeyword = kDisplay;
  uint64_t address;
};
/** A vertical blank interrupt: its number, and its time on the machine's clock, in ns, which the host's trace has too.
 */
struct Vblank {
  static constexpr uint16_t kId = 7;
  static constexpr uint8_t kLevel = kVerbose;
  static constexpr uint64_t kKeyword = kDisplay;
  uint64_t sequence;
  uint64_t time;
};
#pragma pack(pop)

}  // namespace aero::trace
