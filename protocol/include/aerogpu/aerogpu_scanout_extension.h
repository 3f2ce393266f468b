/* SPDX-License-Identifier: MIT */
/* What the screen shows beyond ABI 1.4. docs/abi/present.md. */
#ifndef AEROGPU_SCANOUT_EXTENSION_H
#define AEROGPU_SCANOUT_EXTENSION_H

#define AEROGPU_EXT_FEATURE_HI_FOLLOW 0x10000000U /* feature bit 60: AEROGPU_EXT_REG_SCANOUT0_FOLLOW works */
#define AEROGPU_EXT_REG_SCANOUT0_FOLLOW 0x8570U   /* RW, 1: what is drawn is shown without a present */

#endif /* AEROGPU_SCANOUT_EXTENSION_H */
