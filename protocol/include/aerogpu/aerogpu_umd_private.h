/* SPDX-License-Identifier: MIT */
/* The UMDRIVERPRIVATE answer and the per-DMA-buffer private data of the Windows 7 drivers. */
#ifndef AEROGPU_UMD_PRIVATE_H
#define AEROGPU_UMD_PRIVATE_H

#include "aerogpu_base.h"

#pragma pack(push, 1)

#define AEROGPU_UMDPRIV_MMIO_MAGIC_LEGACY_ARGP 0x41524750U
#define AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU 0x55504741U
#define AEROGPU_UMDPRIV_MMIO_REG_MAGIC 0x0000U
#define AEROGPU_UMDPRIV_MMIO_REG_ABI_VERSION 0x0004U
#define AEROGPU_UMDPRIV_MMIO_REG_FEATURES_LO 0x0008U
#define AEROGPU_UMDPRIV_MMIO_REG_FEATURES_HI 0x000CU
#define AEROGPU_UMDPRIV_FEATURE_FENCE_PAGE 1U
#define AEROGPU_UMDPRIV_FEATURE_CURSOR 2U
#define AEROGPU_UMDPRIV_FEATURE_SCANOUT 4U
#define AEROGPU_UMDPRIV_FEATURE_VBLANK 8U
#define AEROGPU_UMDPRIV_FEATURE_TRANSFER 16U
#define AEROGPU_UMDPRIV_FEATURE_ERROR_INFO 32U
#define AEROGPU_UMDPRIV_STRUCT_VERSION_V1 1U
#define AEROGPU_UMDPRIV_FLAG_IS_LEGACY 1U
#define AEROGPU_UMDPRIV_FLAG_HAS_VBLANK 2U
#define AEROGPU_UMDPRIV_FLAG_HAS_FENCE_PAGE 4U

/** Describes the device to the user-mode driver. */
struct aerogpu_umd_private_v1 {
  uint32_t size_bytes;
  uint32_t struct_version;
  uint32_t device_mmio_magic;
  uint32_t device_abi_version_u32;
  uint32_t reserved0;
  uint64_t device_features;
  uint32_t flags; /* AEROGPU_UMDPRIV_FLAG_* */
  uint32_t reserved1;
  uint32_t reserved2;
  uint64_t reserved3[3];
};
AEROGPU_ABI_SIZE(aerogpu_umd_private_v1, 64);

/* Private data of one DMA buffer. */
#define AEROGPU_WIN7_DMA_BUFFER_PRIVATE_DATA_SIZE_BYTES 16U

/* AEROGPU_DMA_PRIV.Type. */
#define AEROGPU_SUBMIT_RENDER 1U
#define AEROGPU_SUBMIT_PRESENT 2U
#define AEROGPU_SUBMIT_PAGING 3U

/** Per-DMA-buffer private data. */
struct AEROGPU_DMA_PRIV {
  uint32_t Type;
  uint32_t Reserved0;
  uint64_t MetaHandle;
};
AEROGPU_ABI_SIZE(AEROGPU_DMA_PRIV, 16);

#pragma pack(pop)

#endif /* AEROGPU_UMD_PRIVATE_H */
