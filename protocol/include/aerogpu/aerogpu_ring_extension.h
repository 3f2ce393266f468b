/* SPDX-License-Identifier: MIT */
/* What a ring slot may say beyond ABI 1.4. docs/abi/ring.md (RING-10), docs/abi/memory.md. */
#ifndef AEROGPU_RING_EXTENSION_H
#define AEROGPU_RING_EXTENSION_H

#include "aerogpu_ring.h"

#define AEROGPU_EXT_FEATURE_HI_AGAIN 0x400000U /* feature bit 54: AEROGPU_SUBMIT_FLAG_EXT_AGAIN works */
#define AEROGPU_SUBMIT_FLAG_EXT_AGAIN \
  0x80000000U /* aerogpu_submit_desc.flags: its packets may have run before a reset */
#define AEROGPU_SUBMIT_FLAG_EXT_HOLD \
  0x40000000U /* aerogpu_submit_desc.flags, feature bit 56: if it fails the ring stops (MEM-10) */

#endif /* AEROGPU_RING_EXTENSION_H */
