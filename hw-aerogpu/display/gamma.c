/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gamma ramp of the scanout: the last step before the console, behind the
 * cursor, as in a display's lookup table. SCAN-11, SCAN-12.
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/display/gamma.h"

uint32_t aerogpu_gamma_read(AeroGPUState *s, uint32_t offset)
{
    return s->gamma.words[offset / 4];
}

void aerogpu_gamma_write(AeroGPUState *s, uint32_t offset, uint32_t value)
{
    s->gamma.words[offset / 4] = value;
}

void aerogpu_gamma_enable(AeroGPUState *s, bool on)
{
    AeroGPUGamma *gamma = &s->gamma;
    size_t i;

    if (!on && !gamma->on) {
        return;
    }
    gamma->on = on;
    for (i = 0; on && i < ARRAY_SIZE(gamma->shown); i++) {
        uint32_t number = gamma->words[i / 2] >> (i % 2 * 16) & 0xffff;

        gamma->shown[i] = (number * 255 + 32767) / 65535; /* to nearest */
    }
    s->scanout.full_update = true;
}

void aerogpu_gamma_reset(AeroGPUState *s)
{
    aerogpu_gamma_enable(s, false);
    memset(s->gamma.words, 0, sizeof(s->gamma.words));
}

void aerogpu_gamma_apply(AeroGPUState *s, uint32_t *pixels, uint32_t count)
{
    const uint8_t *red = s->gamma.shown;
    const uint8_t *green = red + AEROGPU_EXT_GAMMA_ENTRIES;
    const uint8_t *blue = green + AEROGPU_EXT_GAMMA_ENTRIES;
    uint32_t i;

    if (!s->gamma.on) {
        return;
    }
    for (i = 0; i < count; i++) {
        uint32_t p = pixels[i];

        pixels[i] = (p & 0xff000000u) | red[p >> 16 & 0xff] << 16 |
                    green[p >> 8 & 0xff] << 8 | blue[p & 0xff];
    }
}

/* ---- saved state ---- */

static bool aerogpu_gamma_needed(void *opaque)
{
    AeroGPUState *s = opaque;

    return s->gamma.on ||
           !buffer_is_zero(s->gamma.words, sizeof(s->gamma.words));
}

const VMStateDescription aerogpu_gamma_vmstate = {
    .name = TYPE_AEROGPU "/gamma",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_gamma_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_BOOL(gamma.on, AeroGPUState),
            VMSTATE_UINT32_ARRAY(gamma.words, AeroGPUState,
                                 AEROGPU_EXT_REG_GAMMA_RAMP_BYTES / 4),
            VMSTATE_BUFFER(gamma.shown, AeroGPUState), VMSTATE_END_OF_LIST() },
};
