/* SPDX-License-Identifier: MIT */
/* Trace files (.aerogputrace), container versions 1 and 2, as structures on disk. docs/abi/trace.md, "Container". */
#ifndef AEROGPU_TRACE_H
#define AEROGPU_TRACE_H

#include "aerogpu_base.h"

#pragma pack(push, 1)

/* The first eight bytes of header, footer and table of contents; the last byte of the third magic is zero. */
#define AEROGPU_TRACE_HEADER_MAGIC "AEROGPUT"
#define AEROGPU_TRACE_FOOTER_MAGIC "AEROGPUF"
#define AEROGPU_TRACE_TOC_MAGIC "AEROTOC"

#define AEROGPU_TRACE_CONTAINER_VERSION 2U  /* version that writers write; readers take 1 too */
#define AEROGPU_TRACE_TOC_VERSION 1U        /* of the table of contents */
#define AEROGPU_TRACE_SUBMISSION_VERSION 1U /* of submission records */
#define AEROGPU_TRACE_SNAPSHOT_FORMAT 3U    /* of snapshots */

/** aerogpu_trace_record.type. From 0x80 on: this project's extensions, which other readers skip. */
enum aerogpu_trace_record_type {
  AEROGPU_TRACE_RECORD_BEGIN_FRAME = 1,
  AEROGPU_TRACE_RECORD_PRESENT = 2,
  AEROGPU_TRACE_RECORD_PACKET = 3,
  AEROGPU_TRACE_RECORD_BLOB = 4,
  AEROGPU_TRACE_RECORD_SUBMISSION = 5,
  AEROGPU_TRACE_RECORD_DEVICE_RESET = 0x80,      /* no payload; between frames */
  AEROGPU_TRACE_RECORD_UNREADABLE_MEMORY = 0x81, /* one or more aerogpu_trace_unreadable_range */
  AEROGPU_TRACE_RECORD_SPACE = 0x82,             /* aerogpu_trace_space, for the next submission */
  AEROGPU_TRACE_RECORD_SNAPSHOT = 0x83,          /* aerogpu_trace_snapshot; loads follow, and blobs for them */
  AEROGPU_TRACE_RECORD_LOAD = 0x84,              /* aerogpu_trace_load */
  AEROGPU_TRACE_RECORD_SNAPSHOT_END = 0x85,      /* aerogpu_trace_snapshot_end */
  AEROGPU_TRACE_RECORD_AHEAD = 0x86,             /* aerogpu_trace_ahead, before a snapshot */
  AEROGPU_TRACE_RECORD_DRAWS = 0x87,             /* aerogpu_trace_draws, before a snapshot */
};

/** aerogpu_trace_blob.kind. */
enum aerogpu_trace_blob_kind {
  AEROGPU_TRACE_BLOB_COMMAND_STREAM = 0x100,
  AEROGPU_TRACE_BLOB_ALLOC_TABLE = 0x101,
  AEROGPU_TRACE_BLOB_ALLOC_MEMORY = 0x102,
};

/** Start of the file; metadata_length bytes of JSON follow, then records. */
struct aerogpu_trace_header {
  char magic[8];
  uint32_t header_size;
  uint32_t container_version;
  uint32_t abi_version;
  uint32_t flags;
  uint32_t metadata_length;
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_trace_header, 32);

/** End of the file. Offsets count from the file's start. */
struct aerogpu_trace_footer {
  char magic[8];
  uint32_t footer_size;
  uint32_t container_version;
  uint64_t toc_offset;
  uint64_t toc_length;
};
AEROGPU_ABI_SIZE(aerogpu_trace_footer, 32);

/** Start of a record; payload_length bytes follow. */
struct aerogpu_trace_record {
  uint8_t type; /* enum aerogpu_trace_record_type */
  uint8_t flags;
  uint16_t reserved0;
  uint32_t payload_length;
};
AEROGPU_ABI_SIZE(aerogpu_trace_record, 8);

/** Start of a Blob record's payload; the bytes follow. */
struct aerogpu_trace_blob {
  uint64_t id;   /* non-zero, once per file */
  uint32_t kind; /* enum aerogpu_trace_blob_kind */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_trace_blob, 16);

/** Start of a Submission record's payload; range_count memory ranges follow. */
struct aerogpu_trace_submission {
  uint32_t version;
  uint32_t fixed_size; /* of this structure */
  uint32_t flags;      /* enum aerogpu_submit_flags */
  uint32_t context_id;
  uint32_t engine_id;
  uint32_t reserved0;
  uint64_t signal_fence;
  uint64_t command_blob;
  uint64_t alloc_table_blob; /* 0: none */
  uint32_t range_count;
  uint32_t reserved1;
};
AEROGPU_ABI_SIZE(aerogpu_trace_submission, 56);

/** Guest memory as it is before a submission's commands run. */
struct aerogpu_trace_memory_range {
  uint32_t alloc_id;
  uint32_t flags; /* enum aerogpu_alloc_flags */
  uint64_t gpa;
  uint64_t size_bytes;
  uint64_t blob;
};
AEROGPU_ABI_SIZE(aerogpu_trace_memory_range, 32);

/** Guest memory that the commands of the next submission failed to read. */
struct aerogpu_trace_unreadable_range {
  uint64_t gpa;
  uint64_t size_bytes;
};
AEROGPU_ABI_SIZE(aerogpu_trace_unreadable_range, 16);

/** The handle space of the next submission. */
struct aerogpu_trace_space {
  uint32_t space;
  uint32_t flags;         /* of aerogpu_submit_space */
  uint32_t scanout_alloc; /* allocation whose texture presents show; 0: none */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_trace_space, 16);

/** Begins a snapshot: replaces all that the device holds. */
struct aerogpu_trace_snapshot {
  uint32_t format;
  uint32_t fixed_size;       /* of this structure */
  uint64_t features;         /* FEATURES_LO, then FEATURES_HI, of the packets */
  uint64_t content_bytes;    /* of all buffers and textures, zeros included */
  uint32_t scanout_enable;   /* what the scanout shows, as of the snapshot */
  uint32_t scanout_by_alloc; /* not 0: the texture of scanout_alloc_id, else the one at scanout_gpa */
  uint32_t scanout_alloc_id;
  uint32_t scanout_format;
  uint32_t scanout_width;
  uint32_t scanout_height;
  uint32_t scanout_pitch;
  uint32_t reserved0;
  uint64_t scanout_gpa;
};
AEROGPU_ABI_SIZE(aerogpu_trace_snapshot, 64);

/** A stream of a snapshot, run by the rules of the loader; or a table alone, for the addresses of allocations. */
struct aerogpu_trace_load {
  uint32_t fixed_size;
  uint32_t flags;            /* enum aerogpu_trace_load_flags; format 1: 0 */
  uint64_t command_blob;     /* 0: none */
  uint64_t alloc_table_blob; /* 0: none */
  uint64_t memory_blob;      /* what lies from address 0 on; 0: none. With AHEAD: a key */
};
AEROGPU_ABI_SIZE(aerogpu_trace_load, 32);

enum aerogpu_trace_load_flags {
  AEROGPU_TRACE_LOAD_AHEAD = 1u << 0, /* the memory came ahead of the snapshot */
};

/** Memory for a load of the snapshot that follows, which is kept under its key until then. The first one has no key. */
struct aerogpu_trace_ahead {
  uint32_t fixed_size;
  uint32_t reserved0;
  uint64_t key;         /* replaces what was kept under it; 0: a snapshot begins, with memory ahead of it */
  uint64_t memory_blob; /* 0: what was kept is not needed any more */
};
AEROGPU_ABI_SIZE(aerogpu_trace_ahead, 24);

/** Draws like the guest's latest, which whoever loads the snapshot may do in advance: objects, states and draws of
 * their own, gone when the snapshot begins. */
struct aerogpu_trace_draws {
  uint32_t fixed_size;
  uint32_t reserved0;
  uint64_t command_blob;
};
AEROGPU_ABI_SIZE(aerogpu_trace_draws, 16);

/** Ends a snapshot: how much of each there was. */
struct aerogpu_trace_snapshot_end {
  uint32_t fixed_size;
  uint32_t objects;
  uint32_t names;
  uint32_t contexts;
};
AEROGPU_ABI_SIZE(aerogpu_trace_snapshot_end, 16);

/** Start of the table of contents; frame_count entries follow. */
struct aerogpu_trace_toc_header {
  char magic[8];
  uint32_t version;
  uint32_t frame_count;
};
AEROGPU_ABI_SIZE(aerogpu_trace_toc_header, 16);

/** One frame: where its records lie, bytes from the file's start. */
struct aerogpu_trace_toc_entry {
  uint32_t index;
  uint32_t flags;
  uint64_t begin;
  uint64_t present; /* 0: none */
  uint64_t end;
};
AEROGPU_ABI_SIZE(aerogpu_trace_toc_entry, 32);

#pragma pack(pop)

#endif /* AEROGPU_TRACE_H */
