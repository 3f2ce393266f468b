/* SPDX-License-Identifier: MIT */
/* The gamma ramp of the screen. docs/abi/present.md (SCAN-11, SCAN-12). */
#ifndef AEROGPU_GAMMA_H
#define AEROGPU_GAMMA_H

#define AEROGPU_EXT_FEATURE_HI_GAMMA 0x40000000U /* feature bit 62: the registers AEROGPU_EXT_REG_GAMMA_* work */
#define AEROGPU_EXT_REG_GAMMA_ENABLE 0x8574U     /* RW, bit 0: the screen shows its colors through the ramp */
#define AEROGPU_EXT_REG_GAMMA_RAMP 0xB000U       /* RW, 256 numbers of 16 bits for red, then for green, then for blue */
#define AEROGPU_EXT_REG_GAMMA_RAMP_BYTES 0x600U  /* the ramp, in accesses of 4 bytes */
#define AEROGPU_EXT_GAMMA_ENTRIES 256U           /* numbers for each color */

#endif /* AEROGPU_GAMMA_H */
