/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts scanout formats to the pixels of QEMU's surfaces (pixels.c). */
#ifndef HW_AEROGPU_PIXELS_H
#define HW_AEROGPU_PIXELS_H

/* Returns the bytes of a pixel; 0 if pixels of the format are no colours that a
 * screen or a cursor shows. */
uint32_t aerogpu_format_bytes(uint32_t format);
/* True for formats of palette indices, a byte each: the scanout's, and that of
 * its frames. */
bool aerogpu_format_is_indexed(uint32_t format);
/* Converts indices of `palette`, entries 0x00RRGGBB, to 0xFFRRGGBB. */
void aerogpu_convert_indices(const uint32_t *palette, const void *from,
                             uint32_t *to, uint32_t pixels);
/* Converts to 0xFFRRGGBB. */
void aerogpu_convert_row(uint32_t format, const void *from, uint32_t *to,
                         uint32_t pixels);
/* Converts to 0xAARRGGBB. */
void aerogpu_convert_alpha_row(uint32_t format, const void *from, uint32_t *to,
                               uint32_t pixels);

#endif /* HW_AEROGPU_PIXELS_H */
