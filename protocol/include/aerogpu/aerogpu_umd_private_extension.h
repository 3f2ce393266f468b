/* SPDX-License-Identifier: MIT */
/* Fields of the kernel driver's answer to user mode (aerogpu_umd_private.h) beyond revision 1.4.
 * docs/abi/driver-data.md. */
#ifndef AEROGPU_UMD_PRIVATE_EXTENSION_H
#define AEROGPU_UMD_PRIVATE_EXTENSION_H

#include "aerogpu_umd_private.h"

#pragma pack(push, 1)

#define AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2 2U
#define AEROGPU_UMDPRIV_EXT_FLAG_APERTURE 1U   /* system memory can back allocations */
#define AEROGPU_UMDPRIV_EXT_FLAG_GDI 2U        /* GDI is accelerated: DxgkDdiRenderKm is offered */
#define AEROGPU_UMDPRIV_EXT_FLAG_SPACES 4U     /* handles are each WDDM device's own; shared ones are imported */
#define AEROGPU_UMDPRIV_EXT_FLAG_NO_BUFFERS 8U /* vertex and index buffers are to stay in the runtime's memory */

#define AEROGPU_UMDPRIV_EXT_LOG_UNIT 0x100U /* ext_flags: UserModeLog, 0 to 3, times this */
#define AEROGPU_UMDPRIV_EXT_LOG_MASK 0x300U

/** Version 2. The device's capability block follows, as many of its bytes as the caller asked for. */
struct aerogpu_umd_ext_private_v2 {
  struct aerogpu_umd_private_v1 v1; /* struct_version 2; size_bytes of all that was written, the block included */
  uint32_t ext_flags;               /* AEROGPU_UMDPRIV_EXT_FLAG_* */
  uint32_t max_texture_edge;        /* pixels */
  uint64_t driver_version;          /* the kernel driver's, from its file: four parts of 16 bits */
  uint64_t vram_bytes;              /* of the segment in the device's memory */
  uint64_t aperture_bytes;          /* of the segment in system memory; 0: there is none */
  uint32_t dma_buffer_bytes;        /* a stream's packets and its allocation table */
  uint32_t allocation_list_entries; /* of one submission */
  uint32_t ranged_handles_first;    /* RESERVE_HANDLES gives ranges of these, */
  uint32_t ranged_handles_last;     /* this one included, */
  uint32_t handle_range_unit;       /* in multiples of this unit, */
  uint32_t handles_max;             /* at most this many for a device */
  uint32_t block_bytes;             /* size of the whole capability block; 0: the device has none */
  uint32_t block_written;           /* bytes of it that follow */
};
AEROGPU_ABI_SIZE(aerogpu_umd_ext_private_v2, 128);

#pragma pack(pop)

#endif /* AEROGPU_UMD_PRIVATE_EXTENSION_H */
