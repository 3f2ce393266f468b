/* SPDX-License-Identifier: MIT */
/* Ring, submissions, fence page and allocation table. docs/abi/ring.md, docs/abi/allocation-table.md. */
#ifndef AEROGPU_RING_H
#define AEROGPU_RING_H

#include "aerogpu_base.h"

#pragma pack(push, 1)

/* Magic words. */
#define AEROGPU_ALLOC_TABLE_MAGIC 0x434F4C41U
#define AEROGPU_RING_MAGIC 0x474E5241U
#define AEROGPU_FENCE_PAGE_MAGIC 0x434E4546U

/** aerogpu_submit_desc.flags. */
enum aerogpu_submit_flags {
  AEROGPU_SUBMIT_FLAG_NONE = 0,
  AEROGPU_SUBMIT_FLAG_PRESENT = 1, /* the submission holds a present */
  AEROGPU_SUBMIT_FLAG_NO_IRQ = 2,  /* no FENCE interrupt on completion */
};

/** aerogpu_submit_desc.engine_id. */
enum aerogpu_engine_id {
  AEROGPU_ENGINE_0 = 0,
};

/** aerogpu_alloc_entry.flags. */
enum aerogpu_alloc_flags {
  AEROGPU_ALLOC_FLAG_NONE = 0,
  AEROGPU_ALLOC_FLAG_READONLY = 1, /* the device never writes there */
};

/** Start of the ring in guest memory; entry_count slots of entry_stride_bytes follow. */
struct aerogpu_ring_header {
  uint32_t magic;
  uint32_t abi_version;
  uint32_t size_bytes;         /* header and all slots; at most RING_SIZE_BYTES */
  uint32_t entry_count;        /* a power of two */
  uint32_t entry_stride_bytes; /* at least 64 */
  uint32_t flags;
  uint32_t head; /* written by the device, counts up, wraps at 2^32 */
  uint32_t tail; /* written by the driver, counts up, wraps at 2^32 */
  uint32_t reserved0;
  uint32_t reserved1;
  uint64_t reserved2[3];
};
AEROGPU_ABI_SIZE(aerogpu_ring_header, 64);

/** One slot. Address and size of a range are both zero (absent) or both non-zero. */
struct aerogpu_submit_desc {
  uint32_t desc_size_bytes; /* at least 64, at most the stride */
  uint32_t flags;           /* enum aerogpu_submit_flags */
  uint32_t context_id;
  uint32_t engine_id; /* enum aerogpu_engine_id */
  uint64_t cmd_gpa;
  uint32_t cmd_size_bytes;
  uint32_t cmd_reserved0;
  uint64_t alloc_table_gpa;
  uint32_t alloc_table_size_bytes;
  uint32_t alloc_table_reserved0;
  uint64_t signal_fence; /* completed fence becomes max(old, this) */
  uint64_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_submit_desc, 64);

/** The device mirrors COMPLETED_FENCE here, as one 64-bit store. */
struct aerogpu_fence_page {
  uint32_t magic;
  uint32_t abi_version;
  uint64_t completed_fence;
  uint64_t reserved0[5];
};
AEROGPU_ABI_SIZE(aerogpu_fence_page, 56);

/** Start of an allocation table; entry_count entries of entry_stride_bytes follow. */
struct aerogpu_alloc_table_header {
  uint32_t magic;
  uint32_t abi_version;
  uint32_t size_bytes; /* at most the size in the descriptor */
  uint32_t entry_count;
  uint32_t entry_stride_bytes; /* at least 32 */
  uint32_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_alloc_table_header, 24);

/** The place of an allocation for this submission. */
struct aerogpu_alloc_entry {
  uint32_t alloc_id;   /* non-zero, once per table */
  uint32_t flags;      /* enum aerogpu_alloc_flags */
  uint64_t gpa;        /* 0 is a valid address */
  uint64_t size_bytes; /* non-zero */
  uint64_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_alloc_entry, 32);

#pragma pack(pop)

#endif /* AEROGPU_RING_H */
