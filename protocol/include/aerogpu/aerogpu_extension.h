/* SPDX-License-Identifier: MIT */
/* The extension space of this project: numbers that no later ABI made elsewhere can claim. docs/abi/extensions.md. A
 * feature bit announces each extension, and its documentation comes before its use. Feature bits and packets are in
 * aerogpu_cmd_extension.h. */
#ifndef AEROGPU_EXTENSION_H
#define AEROGPU_EXTENSION_H

#include "aerogpu_cmd_extension.h"
#include "aerogpu_error_records.h"
#include "aerogpu_gamma.h"
#include "aerogpu_scanout_extension.h"
#include "aerogpu_spaces.h"

#define AEROGPU_EXT_OPCODE_FIRST 0x8000U
#define AEROGPU_EXT_OPCODE_LAST 0xFFFFU
#define AEROGPU_EXT_FORMAT_FIRST 0x1000U
#define AEROGPU_EXT_FEATURE_BIT_FIRST 32U
#define AEROGPU_EXT_FEATURE_BIT_LAST 63U
#define AEROGPU_EXT_REG_FIRST 0x8000U
#define AEROGPU_EXT_REG_LAST 0xFFFFU
#define AEROGPU_EXT_REG_EDID 0x8000U /* RO, the monitor's EDID, in accesses of 1, 2 or 4 bytes; zero after its end */
#define AEROGPU_EXT_REG_EDID_BYTES 0x400U /* room for it */
#define AEROGPU_EXT_REG_EDID_SIZE 0x8400U /* RO, its bytes, a multiple of 128 */
#define AEROGPU_EXT_REG_VGA 0x8404U       /* WO, any write gives the display back to VGA */

/* Loss and return of the GPU, feature bit 51. docs/abi/recovery.md. */
#define AEROGPU_EXT_REG_GPU_STATE 0x8520U      /* RO, AEROGPU_EXT_GPU_* */
#define AEROGPU_EXT_REG_GPU_ENABLE 0x8524U     /* RW, 1: nothing completes while the GPU is lost */
#define AEROGPU_EXT_REG_GPU_RESTART 0x8528U    /* WO, 1: drops every object, brings a lost GPU back */
#define AEROGPU_EXT_REG_GPU_GENERATION 0x852CU /* RO, counts how often every object was dropped */
#define AEROGPU_EXT_GPU_WORKS 0U               /* GPU_STATE */
#define AEROGPU_EXT_GPU_LOST 1U                /* GPU_STATE */
#define AEROGPU_EXT_GPU_GONE 2U                /* GPU_STATE: the host could not bring it back */

/* Objects that outlast the machine's sleep, feature bit 52. docs/abi/recovery.md. */
#define AEROGPU_EXT_REG_KEEP_KEY_LO 0x8530U /* WO */
#define AEROGPU_EXT_REG_KEEP_KEY_HI 0x8534U /* WO */
#define AEROGPU_EXT_REG_KEEP 0x8538U        /* RW, AEROGPU_EXT_KEEP_*; takes the key that was written before */
#define AEROGPU_EXT_KEEP_NO 0U              /* KEEP: read and written, nothing is kept */
#define AEROGPU_EXT_KEEP_WILL 1U            /* KEEP: written, keep over the next sleep; read, the device will */
#define AEROGPU_EXT_KEEP_CLAIM 2U           /* KEEP: written, give them back */
#define AEROGPU_EXT_KEEP_HELD 2U            /* KEEP: read, the objects were kept and wait to be claimed */

/* The host's wishes to the driver, feature bit 53. */
#define AEROGPU_EXT_REG_POLICY 0x8540U    /* RO, AEROGPU_EXT_POLICY_* */
#define AEROGPU_EXT_POLICY_ESCAPES_OFF 1U /* POLICY: no escapes for debugging */

/* The host's GPU, feature bit 36: struct aerogpu_caps of aerogpu_caps.h. */
#define AEROGPU_EXT_REG_CAPS_SIZE 0x8408U  /* RO, bytes of the block */
#define AEROGPU_EXT_REG_CAPS 0x9000U       /* RO, the block, in accesses of 1, 2 or 4 bytes; zero after its end */
#define AEROGPU_EXT_REG_CAPS_BYTES 0x1000U /* room for it */

/* The device's clock, feature bit 42. docs/abi/queries.md. */
#define AEROGPU_EXT_REG_TIMESTAMP_LO 0x8410U /* RO, ns of the clock of VBLANK_TIME_NS, latches HI */
#define AEROGPU_EXT_REG_TIMESTAMP_HI 0x8414U /* RO */

/* Allocation tables, feature bit 33: a flag of aerogpu_alloc_entry beside enum aerogpu_alloc_flags. With it, gpa is the
 * address of a page list of ceil(size_bytes / 4096) 64-bit addresses of 4096-byte pages; byte k of the allocation is
 * byte k % 4096 of page list[k / 4096]. */
#define AEROGPU_ALLOC_FLAG_EXT_SCATTER 0x80000000U /* aerogpu_alloc_entry.flags: gpa is the address of a page list */
#define AEROGPU_EXT_SCATTER_PAGE_BYTES 4096U       /* bytes of memory for each address in a page list */
#define AEROGPU_EXT_SCATTER_LIST_ALIGN 8U          /* a page list's own alignment, bytes */

#endif /* AEROGPU_EXTENSION_H */
