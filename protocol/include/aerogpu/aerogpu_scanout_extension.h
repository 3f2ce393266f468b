/* SPDX-License-Identifier: MIT */
/* What the screen shows beyond ABI 1.4. docs/abi/present.md. */
#ifndef AEROGPU_SCANOUT_EXTENSION_H
#define AEROGPU_SCANOUT_EXTENSION_H

#define AEROGPU_EXT_FEATURE_HI_FOLLOW 0x10000000U /* feature bit 60: AEROGPU_EXT_REG_SCANOUT0_FOLLOW works */
#define AEROGPU_EXT_REG_SCANOUT0_FOLLOW 0x8570U   /* RW, 1: what is drawn is shown without a present */

#define AEROGPU_EXT_FEATURE_HI_PALETTE 0x20000000U /* feature bit 61: the palette and AEROGPU_EXT_SCANOUT_P8 work */
#define AEROGPU_EXT_SCANOUT_P8 0x1029U             /* SCANOUT0_FORMAT: a byte for each pixel, an index of the palette */
#define AEROGPU_EXT_REG_PALETTE 0xA000U            /* RW, entry n at 0xA000 + 4 n: 0x00RRGGBB */
#define AEROGPU_EXT_PALETTE_ENTRIES 256U           /* entries of the palette */

#endif /* AEROGPU_SCANOUT_EXTENSION_H */
