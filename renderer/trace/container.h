// SPDX-License-Identifier: MIT
// The .aerogputrace container, versions 1 and 2, as structures on disk. docs/abi/trace.md, "Container".
// Little-endian.
#pragma once

#include <cstdint>

namespace aerogpu::trace {

inline constexpr char kHeaderMagic[8] = {'A', 'E', 'R', 'O', 'G', 'P', 'U', 'T'};
inline constexpr char kFooterMagic[8] = {'A', 'E', 'R', 'O', 'G', 'P', 'U', 'F'};
inline constexpr char kTocMagic[8] = {'A', 'E', 'R', 'O', 'T', 'O', 'C', '\0'};
inline constexpr uint32_t kContainerVersion = 2;

#pragma pack(push, 1)
struct Header {
  char magic[8];
  uint32_t headerSize, containerVersion, abiVersion, flags, metadataLength, reserved;
};
static_assert(sizeof(Header) == 32);

struct Footer {
  char magic[8];
  uint32_t footerSize, containerVersion;
  uint64_t tocOffset, tocLength;
};
static_assert(sizeof(Footer) == 32);

struct RecordHeader {
  uint8_t type, flags;
  uint16_t reserved;
  uint32_t payloadLength;
};
static_assert(sizeof(RecordHeader) == 8);

struct BlobHeader {
  uint64_t id;
  uint32_t kind, reserved;
};
static_assert(sizeof(BlobHeader) == 16);

struct SubmissionRecord {
  uint32_t version, fixedSize, flags, context, engine, reserved0;
  uint64_t fence, commandBlob, allocTableBlob;
  uint32_t rangeCount, reserved1;
};
static_assert(sizeof(SubmissionRecord) == 56);

struct MemoryRange {
  uint32_t allocId, flags;
  uint64_t address, size, blob;
};
static_assert(sizeof(MemoryRange) == 32);

struct UnreadableRange {
  uint64_t address, size;
};
static_assert(sizeof(UnreadableRange) == 16);

struct TocHeader {
  char magic[8];
  uint32_t version, frameCount;
};
struct TocEntry {
  uint32_t index, flags;
  uint64_t begin, present, end;
};
static_assert(sizeof(TocHeader) == 16 && sizeof(TocEntry) == 32);
#pragma pack(pop)

/// From 0x80 on: this project's extensions (docs/abi/extensions.md); other readers skip them.
enum class RecordType : uint8_t {
  BeginFrame = 1,
  Present = 2,
  Packet = 3,
  Blob = 4,
  Submission = 5,
  DeviceReset = 0x80,       ///< no payload; between frames
  UnreadableMemory = 0x81,  ///< UnreadableRange...; what the next submission could not read
};
enum class BlobKind : uint32_t { CommandStream = 0x100, AllocTable = 0x101, AllocMemory = 0x102 };

}  // namespace aerogpu::trace
