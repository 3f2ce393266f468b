/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gamma ramp of the scanout (gamma.c). Everything here runs under the BQL.
 */
#ifndef HW_AEROGPU_GAMMA_H
#define HW_AEROGPU_GAMMA_H

#include "hw-aerogpu/types.h"
#include "aerogpu/aerogpu_gamma.h"

typedef struct AeroGPUGamma {
    bool on;
    uint32_t words[AEROGPU_EXT_REG_GAMMA_RAMP_BYTES / 4]; /* as written */
    /* What each value of red, green and blue is shown as while it is on. */
    uint8_t shown[3 * AEROGPU_EXT_GAMMA_ENTRIES];
} AeroGPUGamma;

/* Return and store a word of the ramp; `offset` counts from its begin. */
uint32_t aerogpu_gamma_read(AeroGPUState *s, uint32_t offset);
void aerogpu_gamma_write(AeroGPUState *s, uint32_t offset, uint32_t value);
/* Shows the screen through the ramp as it is now, or without one. */
void aerogpu_gamma_enable(AeroGPUState *s, bool on);
/* Device reset. */
void aerogpu_gamma_reset(AeroGPUState *s);
/* Replaces the colours of pixels 0xFFRRGGBB by those that are shown. */
void aerogpu_gamma_apply(AeroGPUState *s, uint32_t *pixels, uint32_t count);

extern const VMStateDescription aerogpu_gamma_vmstate;

#endif /* HW_AEROGPU_GAMMA_H */
