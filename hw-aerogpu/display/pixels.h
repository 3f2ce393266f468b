/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts scanout formats to the pixels of QEMU's surfaces (pixels.c). */
#ifndef HW_AEROGPU_PIXELS_H
#define HW_AEROGPU_PIXELS_H

/* Returns the bytes of a pixel; 0 if the format cannot be scanned out. */
uint32_t aerogpu_format_bytes(uint32_t format);
/* Converts to 0xFFRRGGBB. */
void aerogpu_convert_row(uint32_t format, const void *from, uint32_t *to,
                         uint32_t pixels);
/* Converts to 0xAARRGGBB. */
void aerogpu_convert_alpha_row(uint32_t format, const void *from, uint32_t *to,
                               uint32_t pixels);

#endif /* HW_AEROGPU_PIXELS_H */
