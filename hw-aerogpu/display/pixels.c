/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts rows of the scanout formats to the console's 32-bit pixels. SCAN-8,
 * CUR-3: X8 formats are opaque, _SRGB formats have the layout of their plain
 * twins and no gamma is applied.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "hw-aerogpu/display/pixels.h"

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/aerogpu_scanout_extension.h"

typedef enum AeroGPULayout {
    LAYOUT_NONE,
    LAYOUT_BGR,  /* bytes B, G, R, A or X */
    LAYOUT_RGB,  /* bytes R, G, B, A or X */
    LAYOUT_565,  /* 16 bits, blue in the low ones */
    LAYOUT_5551, /* 16 bits, blue in the low ones, alpha on top */
} AeroGPULayout;

static const struct {
    AeroGPULayout layout;
    bool opaque;
} aerogpu_layouts[] = {
    [AEROGPU_FORMAT_B8G8R8A8_UNORM] = { LAYOUT_BGR, false },
    [AEROGPU_FORMAT_B8G8R8X8_UNORM] = { LAYOUT_BGR, true },
    [AEROGPU_FORMAT_R8G8B8A8_UNORM] = { LAYOUT_RGB, false },
    [AEROGPU_FORMAT_R8G8B8X8_UNORM] = { LAYOUT_RGB, true },
    [AEROGPU_FORMAT_B5G6R5_UNORM] = { LAYOUT_565, true },
    [AEROGPU_FORMAT_B5G5R5A1_UNORM] = { LAYOUT_5551, false },
    [AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB] = { LAYOUT_BGR, false },
    [AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB] = { LAYOUT_BGR, true },
    [AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB] = { LAYOUT_RGB, false },
    [AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB] = { LAYOUT_RGB, true },
};

uint32_t aerogpu_format_bytes(uint32_t format)
{
    if (format >= ARRAY_SIZE(aerogpu_layouts)) {
        return 0;
    }
    switch (aerogpu_layouts[format].layout) {
    case LAYOUT_BGR:
    case LAYOUT_RGB:
        return 4;
    case LAYOUT_565:
    case LAYOUT_5551:
        return 2;
    default:
        return 0;
    }
}

bool aerogpu_format_is_indexed(uint32_t format)
{
    return format == AEROGPU_EXT_SCANOUT_P8 || format == AEROGPU_FORMAT_D3D9_L8;
}

void aerogpu_convert_indices(const uint32_t *palette, const void *from,
                             uint32_t *to, uint32_t pixels)
{
    const uint8_t *p = from;
    uint32_t i;

    for (i = 0; i < pixels; i++) {
        to[i] = palette[p[i]] | 0xff000000u;
    }
}

/* Widen a field of 5 or 6 bits to 8, so that all ones become 255. */
static inline uint32_t widen5(uint32_t v)
{
    return v << 3 | v >> 2;
}

static inline uint32_t widen6(uint32_t v)
{
    return v << 2 | v >> 4;
}

static void convert(uint32_t format, const void *from, uint32_t *to,
                    uint32_t pixels, bool alpha)
{
    const uint8_t *p = from;
    uint32_t i, v;
    uint32_t opaque;

    if (!aerogpu_format_bytes(format)) {
        memset(to, 0, (size_t)pixels * 4);
        return;
    }
    opaque = !alpha || aerogpu_layouts[format].opaque ? 0xff000000u : 0;
    switch (aerogpu_layouts[format].layout) {
    case LAYOUT_BGR:
        for (i = 0; i < pixels; i++, p += 4) {
            to[i] = ldl_le_p(p) | opaque;
        }
        break;
    case LAYOUT_RGB:
        for (i = 0; i < pixels; i++, p += 4) {
            v = ldl_le_p(p);
            to[i] = (v & 0xff00ff00u) | (v >> 16 & 0xff) | (v & 0xff) << 16 |
                    opaque;
        }
        break;
    case LAYOUT_565:
        for (i = 0; i < pixels; i++, p += 2) {
            v = lduw_le_p(p);
            to[i] = opaque | widen5(v >> 11) << 16 | widen6(v >> 5 & 63) << 8 |
                    widen5(v & 31);
        }
        break;
    case LAYOUT_5551:
        for (i = 0; i < pixels; i++, p += 2) {
            v = lduw_le_p(p);
            to[i] = opaque | (v & 0x8000 ? 0xff000000u : 0) |
                    widen5(v >> 10 & 31) << 16 | widen5(v >> 5 & 31) << 8 |
                    widen5(v & 31);
        }
        break;
    default:
        g_assert_not_reached();
    }
}

/* For the screen: makes every pixel opaque. */
void aerogpu_convert_row(uint32_t format, const void *from, uint32_t *to,
                         uint32_t pixels)
{
    convert(format, from, to, pixels, false);
}

/* For the cursor: keeps the format's alpha. */
void aerogpu_convert_alpha_row(uint32_t format, const void *from, uint32_t *to,
                               uint32_t pixels)
{
    convert(format, from, to, pixels, true);
}
