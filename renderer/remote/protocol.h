// SPDX-License-Identifier: MIT
// What QEMU's side (the client) and the renderer's process (the server) say to each other
// (docs/develop/renderer-process.md). Both come from one build, which the greeting checks; the structures
// never leave the machine. Neither side believes the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "aerogpu/renderer.h"

namespace aerogpu::remote {

/// First word of the greeting.
inline constexpr uint32_t kMagic = 0x4E524741;
/// Changes with each change of this file.
inline constexpr uint32_t kVersion = 6;

/// The greeting goes over the control socket, with the descriptors attached: the channel's memory, the
/// frames', and the server's end of a pair of sockets for each Bell. The answer is the server's process
/// number. The first three words of both never change: after a package's update the two may come from
/// different builds.
struct Greeting {
  uint32_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t layout = 0;  ///< kLayout
  uint32_t reserved0 = 0;
  uint64_t channelBytes = 0, frameBytes = 0;
};
struct GreetingAnswer {
  uint32_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t layout = 0;
  uint32_t processId = 0;
};

/// What wakes a side, by who sleeps on it (doorbell.h).
enum class Bell : uint32_t {
  CallsMore,
  CallsRoom,
  RepliesMore,
  RepliesRoom,
  EventsMore,
  EventsRoom,
  UrgentAsked,
  UrgentAnswered,
  MemoryAsked,
  MemoryAnswered,
  Count,
};
inline constexpr size_t kDescriptors = 2 + static_cast<size_t>(Bell::Count);

/// Frames that may be with the client at one time.
inline constexpr uint32_t kFrameSlots = 1024;

/// Words that both sides may read at any time. Zero at first.
struct ControlWords {
  alignas(64) std::atomic<uint64_t> progress;  ///< grows while the server does something
  std::atomic<uint32_t> gpuLost;
  alignas(64) std::atomic<uint32_t> sinkRefuses;  ///< the client's, during a save
  /// The client's: aerogpu_renderer_hold_values, from the next call on. A word, since QEMU's device has a
  /// lock when it says so, and must not wait for the server then.
  std::atomic<uint32_t> holdsValues;
  /// The client's: how often it has given a frame back, and the frame of each slot.
  alignas(64) std::atomic<uint32_t> framesBack;
  std::atomic<uint32_t> framesReleased[kFrameSlots];
};

/// Calls of the render thread, in their order (ring "calls").
enum class Call : uint32_t {
  Part = 1,         ///< bytes of the call that follows, before its own
  Create,           ///< configuration; answered with a Created
  Submit,           ///< SubmitCall, stream, allocation table
  SetScanout,       ///< aerogpu_scanout_config
  SnapshotScanout,  ///< u64 cookie
  // Calls from here on are answered with one Reply::Done.
  WaitIdle,  ///< u64 nanoseconds
  Resume,
  Reset,
  Lose,
  Save,
  SaveBegin,
  SaveAhead,  ///< u64 budget; answered with two u64
  SaveEnd,
  SaveCancel,
  LoadBytes,   ///< bytes
  LoadFinish,  ///< answered with an aerogpu_scanout_config
  Move,        ///< answered with u32: kept
  Holds,       ///< answered with u32: whether it holds (AEROGPU_SUBMIT_FLAG_EXT_HOLD)
  Hold,
  CaptureStart,  ///< path, for people; the file comes over the control socket, open and empty
  CaptureStop,
  SetRegions,  ///< RegionRecords; their files come over the control socket
};

/// Ring "replies": what comes while the render thread waits for the end of a call.
enum class Reply : uint32_t {
  Part = 1,  ///< bytes of the Done that follows, before its own
  Bytes,     ///< for the sink of a save
  Done,      ///< u32: whether it succeeded; text of the failure; what the call is answered with
};

/// Ring "events": what comes by itself.
enum class Event : uint32_t {
  Finished = 1,  ///< FinishedEvent
  Log,           ///< u32 level, text
  Write,         ///< WriteEvent
  Failure,       ///< u32 FailureStep, and what that says
};

/// The file of the newest submissions, after a failure.
enum class FailureStep : uint32_t {
  Begin = 1,
  Bytes,  ///< bytes of it
  End,    ///< u32: submissions in it; text: why
  Drop,   ///< there is no file after all
};

/// Line "urgent": calls of any thread of the client.
enum class Urgent : uint32_t {
  Interrupt = 1,
  Shutdown,
  Leftovers,
  PlayFaults,  ///< value 0: the faults
  Stats,       ///< answered with an aerogpu_renderer_stats
  NextSpace,   ///< value 0: from; answered with 1 and an aerogpu_renderer_space, or 0
  AdoptCaps,  ///< values: partly, whether there is a block; with the block. Answered with whether it is taken
};

/// Line "memory": calls of any thread of the server.
enum class MemoryAsk : uint32_t {
  /// Address, size, whether to write, place of the staging: answered with the bytes that are memory, which
  /// are copied to the staging unless they are for writing; 0: there is none.
  Map = 1,
  /// Address, size, place: bytes of the staging go into memory. Answered with 1, or 0 if it is none any more.
  Write,
  WaitingSpaces,  ///< value 0: the most; 1: submissions and snapshots that the server has taken; answered
                  ///< with u32 numbers
};

inline constexpr uint64_t kCallsBytes = uint64_t{4} << 20;
inline constexpr uint64_t kRepliesBytes = uint64_t{1} << 20;
inline constexpr uint64_t kEventsBytes = uint64_t{1} << 20;
inline constexpr uint32_t kUrgentBytes = uint32_t{64} << 10;
inline constexpr uint32_t kMemoryAskBytes = uint32_t{64} << 10;

/// Staging, for guest memory that goes by request: pieces of it, each for one mapping.
inline constexpr uint64_t kStagingPiece = uint64_t{256} << 10;
inline constexpr uint64_t kStagingPieces = 64;

/// Most bytes that Parts and the message after them may have together: of a call, and of an answer. No part
/// is empty.
inline constexpr uint64_t kMostBytes = uint64_t{1} << 30;
inline constexpr uint64_t kMostAnswer = uint64_t{1} << 20;
/// Most bytes of a text of the other side that is shown.
inline constexpr size_t kMostText = 4096;
inline constexpr size_t kMostName = 256;

/// The times within which a side that lives says something (docs/develop/renderer-process.md, "Limits").
inline constexpr uint64_t kSilenceNs = 15'000'000'000;
inline constexpr uint64_t kUrgentNs = 15'000'000'000;

struct SubmitCall {
  uint32_t flags, contextId, engineId, descriptorError;
  uint64_t cookie, signalFence;
  uint64_t streamBytes, tableBytes;
  uint32_t inSpace, space, spaceFlags, reserved;
};

/// A range of guest memory that lies in a file. Records are in the order of their addresses, and apart.
struct RegionRecord {
  uint64_t gpa, size, offset;
  uint32_t file;  ///< number of the descriptor
  uint32_t writable;
};

/// Most records of a table.
inline constexpr size_t kMostRegions = 4096;
/// Address, size and place in the file of a region are multiples of it: so atomic accesses stay aligned.
inline constexpr uint64_t kRegionAlign = 4096;

/// A write of guest memory that the server maps: before it, with the bytes that it may change, and after it,
/// with those that it has.
struct WriteEvent {
  uint64_t gpa, size;
  uint64_t ended;  ///< whether it is after the write
};

/// Most bytes of one mapping of a region.
inline constexpr uint64_t kMostMapped = uint64_t{1} << 30;

/// Most writes that may be under way.
inline constexpr size_t kMostWrites = size_t{1} << 16;

struct FinishedEvent {
  enum Flags : uint32_t {
    PresentVsync = 1u << 0,
    Dropped = 1u << 1,
    ScanoutIsTexture = 1u << 2,
    FrameUnchanged = 1u << 3,
    GpuLost = 1u << 4,
    ScanoutChanged = 1u << 5,
    HasFrame = 1u << 6,
  };
  uint64_t cookie, signalFence;
  uint32_t errorCount, lastErrorCode, presentCount, flags;
  // The frame's.
  uint32_t slot, width, height, strideBytes, format, damageCount;
  uint64_t offset;  ///< of its pixels in the frames' memory
  uint64_t sequence, damageSince;
  aerogpu_frame_rect damage[AEROGPU_FRAME_DAMAGE_MAX];  ///< only `damageCount` of them are sent

  /// Bytes that are sent; more than the event has if a count is nonsense.
  uint64_t bytes() const {
    return offsetof(FinishedEvent, damage) + uint64_t{damageCount} * sizeof damage[0];
  }
};

/// Returns the bytes of a value, which outlives them.
template <class T>
std::span<const uint8_t> bytesOf(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const uint8_t*>(&value), sizeof value};
}
inline std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// Returns a text of the other side for people: one line, of `most` bytes at most, that no terminal obeys.
inline std::string shownText(std::span<const uint8_t> bytes, size_t most = kMostText) {
  const auto begin = bytes.begin(), end = begin + static_cast<ptrdiff_t>(std::min(bytes.size(), most));
  std::string text(begin, std::find(begin, end, uint8_t{0}));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < ' ' || c == 127; }, '?');
  return text;
}

/// Puts values and strings one after the other.
class Packer {
public:
  template <class T>
  Packer& value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    return raw(bytesOf(v));
  }
  Packer& raw(std::span<const uint8_t> bytes) {
    m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Packer& block(std::span<const uint8_t> bytes) {
    return value(static_cast<uint32_t>(bytes.size())).raw(bytes);
  }
  Packer& text(std::string_view t) { return block(bytesOf(t)); }
  /// A text, or null, which differs from an empty one.
  Packer& maybe(const char* t) { return t ? value(uint32_t{1}).text(t) : value(uint32_t{0}); }

  const std::vector<uint8_t>& bytes() const { return m_bytes; }

private:
  std::vector<uint8_t> m_bytes;
};

/// Takes them apart again. Values that are missing are zero, and ok() is false then.
class Unpacker {
public:
  explicit Unpacker(std::span<const uint8_t> bytes) : m_rest(bytes) {}

  template <class T>
  T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T v{};
    const auto bytes = raw(sizeof v);
    if (bytes.size() == sizeof v) std::memcpy(&v, bytes.data(), sizeof v);
    return v;
  }
  std::span<const uint8_t> raw(uint64_t size) {
    if (size > m_rest.size()) {
      m_ok = false;
      m_rest = {};
      return {};
    }
    const auto bytes = m_rest.first(size);
    m_rest = m_rest.subspan(size);
    return bytes;
  }
  std::span<const uint8_t> block() { return raw(value<uint32_t>()); }
  std::string text() {
    const auto bytes = block();
    return {bytes.begin(), bytes.end()};
  }
  std::optional<std::string> maybe() {
    if (value<uint32_t>() == 0) return std::nullopt;
    return text();
  }
  std::span<const uint8_t> rest() { return raw(m_rest.size()); }
  /// True if nothing was missing so far.
  bool ok() const { return m_ok; }
  /// True if nothing was missing and nothing is left.
  bool whole() const { return m_ok && m_rest.empty(); }

private:
  std::span<const uint8_t> m_rest;
  bool m_ok = true;
};

/// Most bytes of a block of capabilities, far more than any build has.
inline constexpr size_t kMostCaps = kUrgentBytes;

/// How far the process is confined (confine.h).
struct Rights {
  uint32_t landlock = 0;  ///< version of its interface that is in force; 0: none
  uint32_t calls = 0;     ///< enum aerogpu_renderer_calls
  bool operator==(const Rights&) const = default;
};

/// What a client keeps of its renderer; the answer to Create.
struct Created {
  std::string backendName, deviceName, driverName;
  uint64_t features = 0;
  std::vector<uint8_t> caps;
  aerogpu_renderer_space_limits limits{};
  Rights rights;

  void pack(Packer& to) const {
    to.text(backendName).text(deviceName).text(driverName).value(features).block(caps).value(limits);
    to.value(rights);
  }
  /// Nothing if this is none. Names are for people (shownText()).
  static std::optional<Created> unpack(Unpacker from) {
    Created made;
    for (std::string* name : {&made.backendName, &made.deviceName, &made.driverName})
      *name = shownText(from.block(), kMostName);
    made.features = from.value<uint64_t>();
    const auto caps = from.block();
    if (caps.size() > kMostCaps) return std::nullopt;
    made.caps.assign(caps.begin(), caps.end());
    made.limits = from.value<aerogpu_renderer_space_limits>();
    made.rights = from.value<Rights>();
    if (!from.whole()) return std::nullopt;
    return made;
  }
  bool operator==(const Created& other) const {
    return backendName == other.backendName && deviceName == other.deviceName &&
           driverName == other.driverName && features == other.features && caps == other.caps &&
           std::memcmp(&limits, &other.limits, sizeof limits) == 0 && rights == other.rights;
  }
};

/// Differs between builds whose structures have other sizes, in case that kVersion was forgotten.
template <class... T>
constexpr uint32_t layoutOf() {
  uint32_t layout = 0;
  ((layout = layout * 31 + static_cast<uint32_t>(sizeof(T))), ...);
  return layout;
}
inline constexpr uint32_t kLayout =
    layoutOf<ControlWords, SubmitCall, RegionRecord, WriteEvent, FinishedEvent, aerogpu_scanout_config,
             aerogpu_renderer_stats, aerogpu_renderer_space, aerogpu_renderer_space_limits,
             aerogpu_frame_rect, Rights>();

}  // namespace aerogpu::remote
