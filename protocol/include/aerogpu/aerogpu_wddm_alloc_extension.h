/* SPDX-License-Identifier: MIT */
/* Private data of a WDDM allocation (aerogpu_wddm_alloc.h) beyond revision 1.4. docs/abi/driver-data.md. */
#ifndef AEROGPU_WDDM_ALLOC_EXTENSION_H
#define AEROGPU_WDDM_ALLOC_EXTENSION_H

#include "aerogpu_wddm_alloc.h"

#pragma pack(push, 1)

/* Flags. Windows does not pass a user-mode driver's request on to the kernel driver, so the driver marks it here. */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY 0x80000000U     /* scanned out by a user-mode driver's flips */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY 0x40000000U    /* a texture on the host, without guest memory */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_EXISTING 0x20000000U    /* the program's own memory: pSystemMem */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_DXGI_FORMAT 0x10000000U /* format is a DXGI_FORMAT; without it a D3DFORMAT */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_MARKED 0x08000000U      /* primaries are marked: sizes need no guessing */
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED 0x04000000U   /* drawn to, and the source of presents */

/** Version 2 with which the kernel driver describes a standard allocation. */
struct aerogpu_wddm_alloc_ext_priv_sealed {
  struct aerogpu_wddm_alloc_priv_v2 base;
  uint64_t seal; /* the kernel driver's own; 0 once the allocation is made */
};
AEROGPU_ABI_SIZE(aerogpu_wddm_alloc_ext_priv_sealed, 72);

#pragma pack(pop)

#endif /* AEROGPU_WDDM_ALLOC_EXTENSION_H */
