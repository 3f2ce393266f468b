/* SPDX-License-Identifier: MIT */
/* The extension space of this project: numbers that no later ABI made elsewhere can claim. ABI page, "Extension
 * space". An extension is announced by its feature bit and documented in docs/abi.md before it is used. */
#ifndef AEROGPU_EXTENSION_H
#define AEROGPU_EXTENSION_H

#include "aerogpu_base.h"

#define AEROGPU_EXT_OPCODE_FIRST 0x8000U
#define AEROGPU_EXT_OPCODE_LAST 0xFFFFU
#define AEROGPU_EXT_FORMAT_FIRST 0x1000U
#define AEROGPU_EXT_FEATURE_BIT_FIRST 32U
#define AEROGPU_EXT_FEATURE_BIT_LAST 63U
#define AEROGPU_EXT_REG_FIRST 0x8000U
#define AEROGPU_EXT_REG_LAST 0xFFFFU
#define AEROGPU_EXT_FEATURE_HI_EDID 0x1U /* FEATURES_HI bit 0 = feature bit 32: the EDID registers exist */
#define AEROGPU_EXT_REG_EDID 0x8000U /* RO, the monitor's EDID, in accesses of 1, 2 or 4 bytes; zero behind its end */
#define AEROGPU_EXT_REG_EDID_BYTES 0x400U /* room for it */
#define AEROGPU_EXT_REG_EDID_SIZE 0x8400U /* RO, bytes of it, a multiple of 128 */

#endif /* AEROGPU_EXTENSION_H */
