/* SPDX-License-Identifier: MIT */
/* Fields of a ring slot beyond ABI 1.4, and the activity of a ring that outlasts its reset. docs/abi/ring.md
 * (RING-10, BUSY), docs/abi/memory.md. */
#ifndef AEROGPU_RING_EXTENSION_H
#define AEROGPU_RING_EXTENSION_H

#include "aerogpu_ring.h"

#define AEROGPU_EXT_FEATURE_HI_AGAIN 0x400000U /* feature bit 54: AEROGPU_SUBMIT_FLAG_EXT_AGAIN works */
#define AEROGPU_SUBMIT_FLAG_EXT_AGAIN \
  0x80000000U /* aerogpu_submit_desc.flags: its packets may have run before a reset */
#define AEROGPU_SUBMIT_FLAG_EXT_HOLD \
  0x40000000U /* aerogpu_submit_desc.flags, feature bit 56: if it fails the ring stops (MEM-10) */

#define AEROGPU_EXT_FEATURE_HI_RING_BUSY 0x4000000U /* feature bit 58: AEROGPU_EXT_REG_RING_BUSY works */
#define AEROGPU_EXT_REG_RING_BUSY 0x8544U /* RO, AEROGPU_EXT_RING_BUSY_*; 0: no work from before the last reset */
#define AEROGPU_EXT_RING_BUSY_WRITES 1U   /* RING_BUSY: old work may still write guest memory */
#define AEROGPU_EXT_RING_BUSY_READS 2U    /* RING_BUSY: old work may still read guest memory */

#endif /* AEROGPU_RING_EXTENSION_H */
