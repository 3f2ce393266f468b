/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pixels of the scanout formats as QEMU's surfaces have them (pixels.c). */
#ifndef HW_AEROGPU_PIXELS_H
#define HW_AEROGPU_PIXELS_H

/* Bytes of a pixel; 0 = no format of a scanout. */
uint32_t aerogpu_format_bytes(uint32_t format);
/* To 0xFFRRGGBB. */
void aerogpu_convert_row(uint32_t format, const void *from, uint32_t *to,
                         uint32_t pixels);
/* To 0xAARRGGBB. */
void aerogpu_convert_alpha_row(uint32_t format, const void *from, uint32_t *to,
                               uint32_t pixels);

#endif /* HW_AEROGPU_PIXELS_H */
