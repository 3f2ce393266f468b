/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drawing to the console: converts rows of guest memory or of a frame to the
 * surface, lays the cursor over them, and tells displays what changed.
 * Everything runs under the BQL.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/main-loop.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/display/console.h"
#include "hw-aerogpu/display/gamma.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/display/pixels.h"
#include "hw-aerogpu/display/scanout.h"

/* Returns the surface of the given size that rows are converted to. */
static DisplaySurface *aerogpu_surface(AeroGPUState *s, uint32_t width,
                                       uint32_t height)
{
    DisplaySurface *surface = qemu_console_surface(s->con);

    if (surface != s->scanout.surface || surface_width(surface) != width ||
        surface_height(surface) != height) {
        surface = qemu_create_displaysurface(width, height);
        dpy_gfx_replace_surface(s->con, surface);
        s->scanout.surface = surface;
        s->scanout.full_update = true;
    }
    return surface;
}

/* Tells displays to draw a part of the surface again. */
static void aerogpu_tell(AeroGPUState *s, uint32_t x, uint32_t y,
                         uint32_t width, uint32_t height)
{
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        s->stats.pixels_told += (uint64_t)width * height;
    }
    dpy_gfx_update(s->con, x, y, width, height);
}

static void aerogpu_draw_blank(AeroGPUState *s)
{
    DisplaySurface *surface;

    surface = aerogpu_surface(s, s->scanout.config.width ?: 640,
                              s->scanout.config.height ?: 480);
    if (s->scanout.full_update) {
        memset(surface_data(surface), 0,
               (size_t)surface_stride(surface) * surface_height(surface));
        dpy_gfx_update_full(s->con);
        s->scanout.full_update = false;
    }
}

/* The source of the rows of one drawing. */
typedef struct AeroGPUSource {
    const uint8_t *data;
    uint64_t stride;        /* bytes */
    uint32_t width, height; /* pixels */
    uint32_t format;
    MemoryRegion *dirty_mr; /* BAR1: only dirty rows are converted */
    hwaddr dirty_offset;
    DirtyBitmapSnapshot *dirty;
    const AeroGPUDamage *damage; /* all that can differ; NULL: anything */
} AeroGPUSource;

/* Returns the bytes of a pixel of the source. */
static uint32_t aerogpu_source_bytes(const AeroGPUSource *src)
{
    return aerogpu_format_is_indexed(src->format)
               ? 1
               : aerogpu_format_bytes(src->format);
}

/* Converts the first pixels of a row, from pixel `left` on, to console.line. */
static void aerogpu_read_row(AeroGPUState *s, const AeroGPUSource *src,
                             uint32_t y, uint32_t left, uint32_t pixels)
{
    const uint8_t *from = src->data + y * src->stride +
                          (uint64_t)left * aerogpu_source_bytes(src);

    if (aerogpu_format_is_indexed(src->format)) {
        aerogpu_convert_indices(s->scanout.palette, from, s->console.line,
                                pixels);
    } else {
        aerogpu_convert_row(src->format, from, s->console.line, pixels);
    }
}

static bool aerogpu_row_dirty(const AeroGPUSource *src, uint32_t y)
{
    if (src->damage) {
        return false; /* aerogpu_draw_damage() has drawn it */
    }
    return !src->dirty ||
           memory_region_snapshot_get_dirty(
               src->dirty_mr, src->dirty, src->dirty_offset + y * src->stride,
               (hwaddr)src->width * aerogpu_source_bytes(src));
}

/* True if row `y` is one of the `rows` rows from `first` on. */
static bool aerogpu_row_is_in(uint32_t y, int32_t first, uint32_t rows)
{
    return rows && (int64_t)y >= first && (int64_t)y < (int64_t)first + rows;
}

/*
 * Updates the rectangles of src->damage, except in the rows of the old and the
 * new cursor: aerogpu_draw_rows() updates those rows as a whole.
 */
static void aerogpu_draw_damage(AeroGPUState *s, DisplaySurface *surface,
                                const AeroGPUSource *src, int32_t cursor_y,
                                uint32_t cursor_rows)
{
    uint32_t width = MIN((uint32_t)surface_width(surface), src->width);
    uint32_t height = MIN((uint32_t)surface_height(surface), src->height);
    uint32_t stride = surface_stride(surface);
    uint32_t i, y;

    for (i = 0; i < src->damage->count; i++) {
        const struct aerogpu_frame_rect *rect = &src->damage->rects[i];
        uint32_t right = MIN(rect->right, width);
        uint32_t bottom = MIN(rect->bottom, height);
        uint32_t n = right - MIN(rect->left, right);
        int64_t first = -1;

        for (y = rect->top; n && y <= bottom; y++) {
            bool changed = false;

            if (y < bottom && !aerogpu_row_is_in(y, cursor_y, cursor_rows) &&
                !aerogpu_row_is_in(y, s->cursor.drawn_y,
                                   s->cursor.drawn_rows)) {
                uint8_t *to = (uint8_t *)surface_data(surface) +
                              (size_t)y * stride + (size_t)rect->left * 4;

                aerogpu_read_row(s, src, y, rect->left, n);
                aerogpu_gamma_apply(s, s->console.line, n);
                changed = memcmp(to, s->console.line, (size_t)n * 4) != 0;
                if (changed) {
                    memcpy(to, s->console.line, (size_t)n * 4);
                }
            }
            if (changed && first < 0) {
                first = y;
            } else if (!changed && first >= 0) {
                aerogpu_tell(s, rect->left, first, n, y - first);
                first = -1;
            }
        }
    }
}

/* Tells displays to draw a row again, from its first to its last pixel that
 * differs. */
static void aerogpu_tell_row(AeroGPUState *s, const uint32_t *to, uint32_t y,
                             uint32_t width)
{
    uint32_t left = 0, right = width;

    while (left < right && to[left] == s->console.line[left]) {
        left++;
    }
    while (right > left && to[right - 1] == s->console.line[right - 1]) {
        right--;
    }
    aerogpu_tell(s, left, y, right - left, 1);
}

/*
 * Makes the surface show the source and the cursor. Converts each row to
 * console.line first and copies it only if it differs, so that displays are
 * told of real changes only.
 */
static void aerogpu_draw_rows(AeroGPUState *s, DisplaySurface *surface,
                              const AeroGPUSource *src)
{
    uint32_t width = surface_width(surface);
    uint32_t height = surface_height(surface);
    uint32_t stride = surface_stride(surface);
    uint8_t *to = surface_data(surface);
    uint32_t common = MIN(width, src->width);
    int32_t cursor_y = 0, old_y = s->cursor.drawn_y;
    uint32_t cursor_rows = 0, old_rows = s->cursor.drawn_rows;
    bool cursor = aerogpu_cursor_rows(s, &cursor_y, &cursor_rows);
    int64_t first = -1;
    uint32_t y;

    if (s->console.line_pixels < width) {
        s->console.line = g_renew(uint32_t, s->console.line, width);
        s->console.line_pixels = width;
    }
    if (src->damage && !s->scanout.full_update) {
        aerogpu_draw_damage(s, surface, src, cursor_y,
                            cursor ? cursor_rows : 0);
    }
    for (y = 0; y <= height; y++, to += stride) {
        bool changed = false;

        if (y < height) {
            bool under = cursor && aerogpu_row_is_in(y, cursor_y, cursor_rows);
            bool was_under = aerogpu_row_is_in(y, old_y, old_rows);

            if (s->scanout.full_update || under || was_under ||
                (y < src->height && aerogpu_row_dirty(src, y))) {
                uint32_t n = y < src->height ? common : 0;

                aerogpu_read_row(s, src, y, 0, n);
                memset(s->console.line + n, 0, (size_t)(width - n) * 4);
                if (under) {
                    aerogpu_cursor_overlay(s, s->console.line, width, y);
                }
                aerogpu_gamma_apply(s, s->console.line, width);
                if (s->scanout.full_update ||
                    memcmp(to, s->console.line, (size_t)width * 4)) {
                    if (src->damage && !s->scanout.full_update) {
                        aerogpu_tell_row(s, (uint32_t *)to, y, width);
                    } else {
                        changed = true;
                    }
                    memcpy(to, s->console.line, (size_t)width * 4);
                }
            }
        }
        if (changed && first < 0) {
            first = y;
        } else if (!changed && first >= 0) {
            aerogpu_tell(s, 0, first, width, y - first);
            first = -1;
        }
    }
    s->cursor.drawn_y = cursor_y;
    s->cursor.drawn_rows = cursor ? cursor_rows : 0;
    s->scanout.full_update = false;
}

static bool aerogpu_draw_memory(AeroGPUState *s, DisplaySurface *surface)
{
    const AeroGPUScanoutConfig *scanout = &s->scanout.config;
    AeroGPUSource src = {
        .stride = scanout->pitch,
        .width = scanout->width,
        .height = scanout->height,
        .format = scanout->format,
    };
    uint64_t size = (uint64_t)scanout->pitch * (scanout->height - 1) +
                    (uint64_t)scanout->width * aerogpu_source_bytes(&src);
    AeroGPUMap map;

    if (!aerogpu_guest_map(s, scanout->gpa, size, false, &map)) {
        return false;
    }
    src.data = map.host;
    if (map.size == size) {
        uint8_t *vram = s->vga.vram_ptr;

        if (src.data >= vram && src.data < vram + s->vga.vram_size) {
            src.dirty_mr = &s->vga.vram;
            src.dirty_offset = src.data - vram;
            src.dirty = memory_region_snapshot_and_clear_dirty(
                src.dirty_mr, src.dirty_offset, size, DIRTY_MEMORY_VGA);
        }
        if (s->console.drawn_texture) {
            s->scanout.full_update = true;
        }
        aerogpu_draw_rows(s, surface, &src);
        s->console.drawn_texture = false;
        g_free(src.dirty);
    }
    aerogpu_guest_unmap(s, &map, 0);
    return map.size == size;
}

static void aerogpu_draw_frame(AeroGPUState *s, DisplaySurface *surface,
                               const struct aerogpu_frame *frame,
                               const AeroGPUDamage *damage)
{
    AeroGPUSource src = {
        .data = frame->pixels,
        .stride = frame->stride_bytes,
        .width = frame->width,
        .height = frame->height,
        .format = frame->format,
    };

    if (s->console.drawn_texture && !damage->all) {
        src.damage = damage; /* empty if this frame was drawn before */
    }

    aerogpu_draw_rows(s, surface, &src);
    s->console.drawn_texture = true;
}

static void aerogpu_draw_scanout(AeroGPUState *s)
{
    struct aerogpu_frame *frame;
    DisplaySurface *surface;
    AeroGPUDamage damage;

    aerogpu_cursor_refresh(s);
    surface =
        aerogpu_surface(s, s->scanout.config.width, s->scanout.config.height);
    frame = aerogpu_scanout_begin_frame(s, &damage);
    if (frame) {
        aerogpu_draw_frame(s, surface, frame, &damage);
        aerogpu_scanout_end_frame(s);
    } else {
        aerogpu_draw_memory(s, surface);
    }
}

static void aerogpu_draw(AeroGPUState *s)
{
    if (s->scanout.config_stale) {
        aerogpu_scanout_evaluate(s);
    }
    switch (s->scanout.display) {
    case AEROGPU_DISPLAY_VGA:
        s->vga.hw_ops->gfx_update(&s->vga);
        break;
    case AEROGPU_DISPLAY_BLANK:
        aerogpu_draw_blank(s);
        break;
    case AEROGPU_DISPLAY_SCANOUT:
        aerogpu_draw_scanout(s);
        break;
    }
}

/* Draws an update that waited for the answer to a flip, which has come or is
 * not needed any more. */
static void aerogpu_display_bh(void *opaque)
{
    AeroGPUState *s = opaque;

    if (s->console.update_waiting) {
        s->console.update_waiting = false;
        aerogpu_draw(s);
        graphic_hw_update_done(s->con);
    }
}

/*
 * Draws an update that the console asks for, at once or when a flip is
 * answered. A caller that needs the result (a screendump) waits for
 * graphic_hw_update_done().
 */
static void aerogpu_gfx_update(void *opaque)
{
    AeroGPUState *s = opaque;

    aerogpu_scanout_catch_up(s);
    if (aerogpu_scanout_is_unsettled(s)) {
        s->console.update_waiting = true;
        /* The answer may have come after the check and before the flag was
         * set. */
        if (!aerogpu_scanout_is_unsettled(s)) {
            qemu_bh_schedule(s->scanout.settled_bh);
        }
        return;
    }
    aerogpu_draw(s);
    graphic_hw_update_done(s->con);
}

static void aerogpu_invalidate(void *opaque)
{
    AeroGPUState *s = opaque;

    s->scanout.full_update = true;
    if (s->scanout.display == AEROGPU_DISPLAY_VGA) {
        s->vga.hw_ops->invalidate(&s->vga);
    }
}

static void aerogpu_text_update(void *opaque, console_ch_t *text)
{
    AeroGPUState *s = opaque;

    if (s->scanout.display == AEROGPU_DISPLAY_VGA) {
        s->vga.hw_ops->text_update(&s->vga, text);
    }
}

const GraphicHwOps aerogpu_console_ops = {
    .invalidate = aerogpu_invalidate,
    .gfx_update = aerogpu_gfx_update,
    .gfx_update_async = true,
    .text_update = aerogpu_text_update,
};

void aerogpu_console_init(AeroGPUState *s)
{
    s->scanout.settled_bh = qemu_bh_new(aerogpu_display_bh, s);
}

void aerogpu_console_exit(AeroGPUState *s)
{
    if (s->scanout.settled_bh) {
        qemu_bh_delete(s->scanout.settled_bh);
        s->scanout.settled_bh = NULL;
    }
    g_free(s->console.line);
    s->console.line = NULL;
    s->console.line_pixels = 0;
}
