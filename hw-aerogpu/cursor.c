/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hardware cursor. Where a display shows a host cursor, it gets shape and
 * hot spot; else the cursor is drawn into the picture, so that it is seen
 * exactly once. X and Y are where the hot spot is; alpha is straight. ABI
 * page, "BAR0 registers".
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "aerogpu.h"
#include "aerogpu_trace.h"

static bool aerogpu_cursor_enabled(AeroGPUState *s)
{
    return s->cursor_valid && aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_ENABLE);
}

static int32_t aerogpu_cursor_x(AeroGPUState *s)
{
    return (int32_t)aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_X);
}

static int32_t aerogpu_cursor_y(AeroGPUState *s)
{
    return (int32_t)aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_Y);
}

/* Reads the shape that the registers name. False: it is not valid. */
static bool aerogpu_cursor_load(AeroGPUState *s)
{
    uint32_t width = aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_WIDTH);
    uint32_t height = aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_HEIGHT);
    uint32_t format = aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_FORMAT);
    uint32_t pitch = aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES);
    uint64_t gpa = aerogpu_reg64(s, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO);
    uint32_t bytes = aerogpu_format_bytes(format);
    uint8_t row[AEROGPU_MAX_CURSOR * 4];
    uint32_t y;

    if (!bytes || !width || width > AEROGPU_MAX_CURSOR || !height ||
        height > AEROGPU_MAX_CURSOR || pitch < width * bytes || !gpa) {
        return false;
    }
    for (y = 0; y < height; y++) {
        uint64_t at = gpa + (uint64_t)y * pitch;

        if (at < gpa ||
            !aerogpu_guest_read(s, at, row, (uint64_t)width * bytes)) {
            return false;
        }
        aerogpu_convert_alpha_row(format, row,
                                  s->cursor_pixels + (size_t)y * width, width);
    }
    s->cursor_width = width;
    s->cursor_height = height;
    s->cursor_hot_x =
        MIN(aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_HOT_X), width - 1);
    s->cursor_hot_y =
        MIN(aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_HOT_Y), height - 1);
    return true;
}

static void aerogpu_cursor_define(AeroGPUState *s, QEMUCursor *cursor)
{
    dpy_cursor_define(s->con, cursor);
    aerogpu_compat_cursor_unref(cursor);
}

/* Gives the display what it shows: the shape, or an invisible one. */
static void aerogpu_cursor_to_host(AeroGPUState *s)
{
    if (aerogpu_cursor_enabled(s)) {
        QEMUCursor *cursor = cursor_alloc(s->cursor_width, s->cursor_height);

        if (!cursor) {
            return;
        }
        cursor->hot_x = s->cursor_hot_x;
        cursor->hot_y = s->cursor_hot_y;
        memcpy(cursor->data, s->cursor_pixels,
               (size_t)s->cursor_width * s->cursor_height * 4);
        aerogpu_cursor_define(s, cursor);
        dpy_mouse_set(s->con, aerogpu_cursor_x(s), aerogpu_cursor_y(s), 1);
        s->cursor_defined = true;
    } else if (s->cursor_defined) {
        aerogpu_cursor_define(s, cursor_builtin_hidden());
        dpy_mouse_set(s->con, aerogpu_cursor_x(s), aerogpu_cursor_y(s), 0);
    }
}

/* Takes over changed shape registers and a changed set of displays. */
void aerogpu_cursor_refresh(AeroGPUState *s)
{
    bool on_host = aerogpu_compat_host_cursor(s->con);
    bool changed = s->cursor_stale || on_host != s->cursor_on_host;

    s->cursor_on_host = on_host;
    if (s->cursor_stale) {
        s->cursor_stale = false;
        if (aerogpu_reg(s, AEROGPU_MMIO_REG_CURSOR_ENABLE)) {
            s->cursor_valid = aerogpu_cursor_load(s);
            trace_aerogpu_cursor_shape(s->cursor_valid, s->cursor_width,
                                       s->cursor_height);
            if (!s->cursor_valid) {
                aerogpu_guest_error(s, "cursor rejected: size, format, pitch "
                                       "or address");
            }
        }
    }
    if (changed && on_host) {
        aerogpu_cursor_to_host(s);
    }
}

static void aerogpu_cursor_bh(void *opaque)
{
    aerogpu_cursor_refresh(opaque);
}

/*
 * A register that shapes the cursor was written. The drivers write them in
 * groups, so the memory is read once, before the next drawing.
 */
void aerogpu_cursor_shape_changed(AeroGPUState *s)
{
    s->cursor_stale = true;
    qemu_bh_schedule(s->cursor_bh);
}

/* CURSOR_X or CURSOR_Y was written. */
void aerogpu_cursor_moved(AeroGPUState *s)
{
    if (s->cursor_on_host && aerogpu_cursor_enabled(s)) {
        dpy_mouse_set(s->con, aerogpu_cursor_x(s), aerogpu_cursor_y(s), 1);
    }
}

/* Rows that the drawn cursor covers, clipped by the caller. False: none. */
bool aerogpu_cursor_rows(AeroGPUState *s, int32_t *y, uint32_t *rows)
{
    int64_t top = (int64_t)aerogpu_cursor_y(s) - s->cursor_hot_y;

    if (s->cursor_on_host || !aerogpu_cursor_enabled(s) ||
        top < -(int64_t)AEROGPU_MAX_CURSOR || top > AEROGPU_MAX_SCANOUT) {
        return false;
    }
    *y = top;
    *rows = s->cursor_height;
    return true;
}

/* One colour channel of `over` with coverage `a` upon `under`, rounded. */
static uint32_t blend(uint32_t over, uint32_t under, uint32_t a)
{
    return (over * a + under * (255 - a) + 127) / 255;
}

/* Draws the cursor's part of row y; aerogpu_cursor_rows() said it has one. */
void aerogpu_cursor_overlay(AeroGPUState *s, uint32_t *line, uint32_t width,
                            uint32_t y)
{
    int64_t top = (int64_t)aerogpu_cursor_y(s) - s->cursor_hot_y;
    int64_t left = (int64_t)aerogpu_cursor_x(s) - s->cursor_hot_x;
    const uint32_t *from =
        s->cursor_pixels + (size_t)(y - top) * s->cursor_width;
    uint32_t i;

    for (i = 0; i < s->cursor_width; i++) {
        int64_t x = left + i;
        uint32_t p = from[i], a = p >> 24, d;

        if (x < 0 || x >= width || !a) {
            continue;
        }
        d = line[x];
        line[x] = 0xff000000u | blend(p >> 16 & 0xff, d >> 16 & 0xff, a) << 16 |
                  blend(p >> 8 & 0xff, d >> 8 & 0xff, a) << 8 |
                  blend(p & 0xff, d & 0xff, a);
    }
}

void aerogpu_cursor_reset(AeroGPUState *s)
{
    s->cursor_stale = false;
    s->cursor_valid = false;
    if (s->cursor_defined) {
        s->cursor_defined = false;
        aerogpu_cursor_define(s, cursor_builtin_left_ptr());
    }
}

void aerogpu_cursor_init(AeroGPUState *s)
{
    s->cursor_pixels =
        g_new0(uint32_t, AEROGPU_MAX_CURSOR * AEROGPU_MAX_CURSOR);
    s->cursor_bh = qemu_bh_new(aerogpu_cursor_bh, s);
}

void aerogpu_cursor_exit(AeroGPUState *s)
{
    if (s->cursor_bh) {
        qemu_bh_delete(s->cursor_bh);
        s->cursor_bh = NULL;
    }
    g_free(s->cursor_pixels);
    s->cursor_pixels = NULL;
}
