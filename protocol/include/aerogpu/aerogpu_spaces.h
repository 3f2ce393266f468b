/* SPDX-License-Identifier: MIT */
/* Handle spaces, feature bit 48: registers, and the part of a ring slot after its descriptor. docs/abi/spaces.md. */
#ifndef AEROGPU_SPACES_H
#define AEROGPU_SPACES_H

#include "aerogpu_base.h"

#pragma pack(push, 1)

#define AEROGPU_EXT_REG_SPACES 0x8500U          /* RW while the ring is disabled, bit 0 ENABLE */
#define AEROGPU_EXT_REG_SPACE_COUNT 0x8504U     /* RO, spaces beside 0 that may live at once */
#define AEROGPU_EXT_REG_SPACE_CONTEXTS 0x8508U  /* RO, contexts that one space may have */
#define AEROGPU_EXT_REG_SPACE_OBJECTS 0x850CU   /* RO, handles that one space may have */
#define AEROGPU_EXT_REG_SPACE_MEMORY_MB 0x8510U /* RO, MiB of host memory for one process, SPACE-22 */
#define AEROGPU_EXT_REG_SCANOUT0_ALLOC 0x8514U  /* RW, allocation whose texture is shown, 0: memory; taken by a flip */
#define AEROGPU_EXT_SPACES_ENABLE 1U            /* SPACES: submissions are in spaces */
#define AEROGPU_EXT_SPACE_FLAG_KERNEL 1U        /* aerogpu_submit_space.flags: the kernel driver's own packets */

/** Follows aerogpu_submit_desc in every slot of a ring, while spaces are enabled. */
struct aerogpu_submit_space {
  uint32_t space;
  uint32_t flags; /* AEROGPU_EXT_SPACE_FLAG_*; unknown ones are refused */
  uint64_t reserved0;
};
AEROGPU_ABI_SIZE(aerogpu_submit_space, 16);

#pragma pack(pop)

#endif /* AEROGPU_SPACES_H */
