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

#endif /* AEROGPU_EXTENSION_H */
