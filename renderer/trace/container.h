// SPDX-License-Identifier: MIT
// Short names for the parts of a trace file, which aerogpu/aerogpu_trace.h describes.
#pragma once

#include "aerogpu/aerogpu_trace.h"

namespace aerogpu::trace {

using Header = aerogpu_trace_header;
using Footer = aerogpu_trace_footer;
using RecordHeader = aerogpu_trace_record;
using BlobHeader = aerogpu_trace_blob;
using SubmissionRecord = aerogpu_trace_submission;
using MemoryRange = aerogpu_trace_memory_range;
using UnreadableRange = aerogpu_trace_unreadable_range;
using SpaceRecord = aerogpu_trace_space;
using SnapshotRecord = aerogpu_trace_snapshot;
using LoadRecord = aerogpu_trace_load;
using AheadRecord = aerogpu_trace_ahead;
using DrawsRecord = aerogpu_trace_draws;
using SnapshotEndRecord = aerogpu_trace_snapshot_end;
using TocHeader = aerogpu_trace_toc_header;
using TocEntry = aerogpu_trace_toc_entry;

enum class RecordType : uint8_t {
  BeginFrame = AEROGPU_TRACE_RECORD_BEGIN_FRAME,
  Present = AEROGPU_TRACE_RECORD_PRESENT,
  Packet = AEROGPU_TRACE_RECORD_PACKET,
  Blob = AEROGPU_TRACE_RECORD_BLOB,
  Submission = AEROGPU_TRACE_RECORD_SUBMISSION,
  DeviceReset = AEROGPU_TRACE_RECORD_DEVICE_RESET,
  UnreadableMemory = AEROGPU_TRACE_RECORD_UNREADABLE_MEMORY,
  Space = AEROGPU_TRACE_RECORD_SPACE,
  Snapshot = AEROGPU_TRACE_RECORD_SNAPSHOT,
  Load = AEROGPU_TRACE_RECORD_LOAD,
  SnapshotEnd = AEROGPU_TRACE_RECORD_SNAPSHOT_END,
  Ahead = AEROGPU_TRACE_RECORD_AHEAD,
  Draws = AEROGPU_TRACE_RECORD_DRAWS,
};
enum class BlobKind : uint32_t {
  CommandStream = AEROGPU_TRACE_BLOB_COMMAND_STREAM,
  AllocTable = AEROGPU_TRACE_BLOB_ALLOC_TABLE,
  AllocMemory = AEROGPU_TRACE_BLOB_ALLOC_MEMORY,
};

}  // namespace aerogpu::trace
