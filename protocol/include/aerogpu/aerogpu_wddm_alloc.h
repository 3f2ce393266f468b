/* SPDX-License-Identifier: MIT */
/* Private data of WDDM allocations. docs/abi/driver-data.md. */
#ifndef AEROGPU_WDDM_ALLOC_H
#define AEROGPU_WDDM_ALLOC_H

#include "aerogpu_base.h"

#pragma pack(push, 1)

#define AEROGPU_WDDM_ALLOC_PRIV_MAGIC 0x414C4C4FU
#define AEROGPU_WDDM_ALLOC_PRIV_VERSION 1U
#define AEROGPU_WDDM_ALLOC_PRIV_VERSION_2 2U
#define AEROGPU_WDDM_ALLOC_PRIVATE_DATA_MAGIC 0x414C4C4FU
#define AEROGPU_WDDM_ALLOC_PRIVATE_DATA_VERSION 1U
#define AEROGPU_WDDM_ALLOC_ID_UMD_MAX 0x7FFFFFFFU
#define AEROGPU_WDDM_ALLOC_ID_KMD_MIN 0x80000000U
#define AEROGPU_WDDM_ALLOC_PRIV_FLAG_SHARED 1U
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_MARKER 0x8000000000000000ULL
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_WIDTH 0xFFFFU
#define AEROGPU_WDDM_ALLOC_PRIV_DESC_MAX_HEIGHT 0x7FFFU

/** flags of the private data. */
enum aerogpu_wddm_alloc_private_flags {
  AEROGPU_WDDM_ALLOC_PRIV_FLAG_NONE = 0,
  AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED = 1,
  AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE = 2,
  AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING = 4,
};

/** aerogpu_wddm_alloc_priv_v2.kind. */
enum aerogpu_wddm_alloc_kind {
  AEROGPU_WDDM_ALLOC_KIND_UNKNOWN = 0,
  AEROGPU_WDDM_ALLOC_KIND_BUFFER = 1,
  AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D = 2,
};

/** Version 1. */
struct aerogpu_wddm_alloc_priv {
  uint32_t magic;
  uint32_t version;
  uint32_t alloc_id;
  uint32_t flags;
  uint64_t share_token; /* non-zero exactly for shared allocations */
  uint64_t size_bytes;
  uint64_t reserved0; /* surface description (bit 63 set) or row pitch */
};
AEROGPU_ABI_SIZE(aerogpu_wddm_alloc_priv, 40);

/** Version 2. */
struct aerogpu_wddm_alloc_priv_v2 {
  uint32_t magic;
  uint32_t version;
  uint32_t alloc_id;
  uint32_t flags;
  uint64_t share_token;
  uint64_t size_bytes;
  uint64_t reserved0;
  uint32_t kind; /* enum aerogpu_wddm_alloc_kind */
  uint32_t width;
  uint32_t height;
  uint32_t format; /* D3DFORMAT or DXGI_FORMAT, as the user-mode driver wrote it */
  uint32_t row_pitch_bytes;
  uint32_t reserved1;
};
AEROGPU_ABI_SIZE(aerogpu_wddm_alloc_priv_v2, 64);

#pragma pack(pop)

#endif /* AEROGPU_WDDM_ALLOC_H */
