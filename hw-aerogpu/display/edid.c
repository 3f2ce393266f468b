/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EDID of the monitor that xres, yres and refresh_rate describe, readable in
 * the extension registers (EXT-3, EXT-4) and, through them, by the video BIOS
 * for VBE DDC.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/display/edid.h"

/*
 * A refresh_rate below this is in Hz, any other in mHz as in QEMU's other
 * displays. The two ranges of useful rates do not touch.
 */
#define AEROGPU_MHZ_FROM 1000

bool aerogpu_edid_init(AeroGPUState *s, Error **errp)
{
    uint32_t mhz = s->edid.refresh_rate < AEROGPU_MHZ_FROM
                       ? s->edid.refresh_rate * 1000
                       : s->edid.refresh_rate;

    if (mhz < 10 * 1000 || mhz > 500 * 1000) {
        error_setg(errp,
                   "aerogpu: refresh_rate=%u: must be 10 to 500 Hz, or "
                   "10000 to 500000 mHz",
                   s->edid.refresh_rate);
        return false;
    }
    s->edid.refresh_mhz = mhz;
    if (s->edid.info.prefx < 64 || s->edid.info.prefy < 64 ||
        s->edid.info.prefx > AEROGPU_MAX_SCANOUT ||
        s->edid.info.prefy > AEROGPU_MAX_SCANOUT) {
        error_setg(errp, "aerogpu: xres=%u, yres=%u: must be 64 to %u each",
                   s->edid.info.prefx, s->edid.info.prefy, AEROGPU_MAX_SCANOUT);
        return false;
    }
    s->edid.info.refresh_rate = mhz;
    s->edid.info.vendor = "AGP";
    s->edid.info.name = "AeroGPU";
    memset(s->edid.bytes, 0, sizeof(s->edid.bytes));
    qemu_edid_generate(s->edid.bytes, sizeof(s->edid.bytes), &s->edid.info);
    s->edid.size = qemu_edid_size(s->edid.bytes);
    return true;
}

/* Little-endian read of 1 to 4 bytes; zero after the end. */
uint32_t aerogpu_edid_read(AeroGPUState *s, uint32_t offset, unsigned size)
{
    uint32_t value = 0;
    unsigned i;

    for (i = 0; i < size; i++) {
        if (offset + i < s->edid.size) {
            value |= (uint32_t)s->edid.bytes[offset + i] << (8 * i);
        }
    }
    return value;
}
