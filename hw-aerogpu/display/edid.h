/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The monitor that the guest sees (edid.c). */
#ifndef HW_AEROGPU_EDID_H
#define HW_AEROGPU_EDID_H

#include "hw/display/edid.h"
#include "hw-aerogpu/types.h"

#define AEROGPU_EDID_BYTES 384

/* Constant once the device is realized. */
typedef struct AeroGPUEdid {
    qemu_edid_info info;   /* xres and yres are properties */
    uint32_t refresh_rate; /* property, Hz or mHz, see edid.c */
    uint32_t refresh_mhz;  /* in mHz */
    uint8_t bytes[AEROGPU_EDID_BYTES];
    uint32_t size; /* bytes that are used */
} AeroGPUEdid;

/* Checks the properties and makes the EDID. */
bool aerogpu_edid_init(AeroGPUState *s, Error **errp);
/* Little-endian read of 1 to 4 bytes; zero after the end. */
uint32_t aerogpu_edid_read(AeroGPUState *s, uint32_t offset, unsigned size);

#endif /* HW_AEROGPU_EDID_H */
