/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hardware cursor. A display that shows a host cursor gets shape and hot
 * spot; else the cursor is drawn into the picture. So the user sees it exactly
 * once. X and Y are the position of the hot spot; alpha is straight. CUR-1 to
 * CUR-5.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/display/pixels.h"
#include "hw-aerogpu/report/trace_events.h"

static bool aerogpu_cursor_enabled(AeroGPUState *s)
{
    return s->cursor.valid &&
           aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_ENABLE);
}

static int32_t aerogpu_cursor_x(AeroGPUState *s)
{
    return (int32_t)aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_X);
}

static int32_t aerogpu_cursor_y(AeroGPUState *s)
{
    return (int32_t)aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_Y);
}

/* Reads the shape that the registers name. False if it is not valid. */
static bool aerogpu_cursor_load(AeroGPUState *s)
{
    uint32_t width = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_WIDTH);
    uint32_t height = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_HEIGHT);
    uint32_t format = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_FORMAT);
    uint32_t pitch = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES);
    uint64_t gpa = aerogpu_reg64(&s->regs, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO);
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
                                  s->cursor.pixels + (size_t)y * width, width);
    }
    s->cursor.width = width;
    s->cursor.height = height;
    s->cursor.hot_x =
        MIN(aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_HOT_X), width - 1);
    s->cursor.hot_y =
        MIN(aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_HOT_Y), height - 1);
    return true;
}

static void aerogpu_cursor_define(AeroGPUState *s, QEMUCursor *cursor)
{
    dpy_cursor_define(s->con, cursor);
    aerogpu_compat_cursor_unref(cursor);
}

/* Gives the display the shape, or an invisible one. */
static void aerogpu_cursor_to_host(AeroGPUState *s)
{
    if (aerogpu_cursor_enabled(s)) {
        QEMUCursor *cursor = cursor_alloc(s->cursor.width, s->cursor.height);

        if (!cursor) {
            return;
        }
        cursor->hot_x = s->cursor.hot_x;
        cursor->hot_y = s->cursor.hot_y;
        memcpy(cursor->data, s->cursor.pixels,
               (size_t)s->cursor.width * s->cursor.height * 4);
        aerogpu_cursor_define(s, cursor);
        dpy_mouse_set(s->con, aerogpu_cursor_x(s), aerogpu_cursor_y(s), 1);
        s->cursor.defined = true;
    } else if (s->cursor.defined) {
        aerogpu_cursor_define(s, cursor_builtin_hidden());
        dpy_mouse_set(s->con, aerogpu_cursor_x(s), aerogpu_cursor_y(s), 0);
    }
}

/* Takes over changed shape registers and a changed set of displays. */
void aerogpu_cursor_refresh(AeroGPUState *s)
{
    bool on_host = aerogpu_compat_host_cursor(s->con);
    bool changed = s->cursor.stale || on_host != s->cursor.on_host;

    s->cursor.on_host = on_host;
    if (s->cursor.stale) {
        s->cursor.stale = false;
        if (aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_CURSOR_ENABLE)) {
            s->cursor.valid = aerogpu_cursor_load(s);
            trace_aerogpu_cursor_shape(s->cursor.valid, s->cursor.width,
                                       s->cursor.height);
            if (!s->cursor.valid) {
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
 * Handles a write to a register that shapes the cursor. The drivers write them
 * in groups, so the memory is read once, before the next drawing.
 */
void aerogpu_cursor_shape_changed(AeroGPUState *s)
{
    s->cursor.stale = true;
    qemu_bh_schedule(s->cursor.bh);
}

/* Handles a write to CURSOR_X or CURSOR_Y. */
void aerogpu_cursor_moved(AeroGPUState *s)
{
    if (s->cursor.on_host && aerogpu_cursor_enabled(s)) {
        dpy_mouse_set(s->con, aerogpu_cursor_x(s), aerogpu_cursor_y(s), 1);
    }
}

/* Returns the rows that the drawn cursor covers, unclipped. False: none. */
bool aerogpu_cursor_rows(AeroGPUState *s, int32_t *y, uint32_t *rows)
{
    int64_t top = (int64_t)aerogpu_cursor_y(s) - s->cursor.hot_y;

    if (s->cursor.on_host || !aerogpu_cursor_enabled(s) ||
        top < -(int64_t)AEROGPU_MAX_CURSOR || top > AEROGPU_MAX_SCANOUT) {
        return false;
    }
    *y = top;
    *rows = s->cursor.height;
    return true;
}

/* Blends one channel: `over` with alpha `a` on `under`, rounded. */
static uint32_t blend(uint32_t over, uint32_t under, uint32_t a)
{
    return (over * a + under * (255 - a) + 127) / 255;
}

/* Draws the cursor's part of row y; aerogpu_cursor_rows() said it has one. */
void aerogpu_cursor_overlay(AeroGPUState *s, uint32_t *line, uint32_t width,
                            uint32_t y)
{
    int64_t top = (int64_t)aerogpu_cursor_y(s) - s->cursor.hot_y;
    int64_t left = (int64_t)aerogpu_cursor_x(s) - s->cursor.hot_x;
    const uint32_t *from =
        s->cursor.pixels + (size_t)(y - top) * s->cursor.width;
    uint32_t i;

    for (i = 0; i < s->cursor.width; i++) {
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
    s->cursor.stale = false;
    s->cursor.valid = false;
    if (s->cursor.defined) {
        s->cursor.defined = false;
        aerogpu_cursor_define(s, cursor_builtin_left_ptr());
    }
}

void aerogpu_cursor_init(AeroGPUState *s)
{
    s->cursor.pixels =
        g_new0(uint32_t, AEROGPU_MAX_CURSOR * AEROGPU_MAX_CURSOR);
    s->cursor.bh = qemu_bh_new(aerogpu_cursor_bh, s);
}

void aerogpu_cursor_exit(AeroGPUState *s)
{
    if (s->cursor.bh) {
        qemu_bh_delete(s->cursor.bh);
        s->cursor.bh = NULL;
    }
    g_free(s->cursor.pixels);
    s->cursor.pixels = NULL;
}

/* ---- saved state ---- */

static int aerogpu_cursor_pre_save(void *opaque)
{
    AeroGPUCursor *cursor = opaque;

    cursor->saved = (AeroGPUSavedCursor){ .stale = cursor->stale };
    if (cursor->valid) {
        cursor->saved.width = cursor->width;
        cursor->saved.height = cursor->height;
        cursor->saved.hot_x = cursor->hot_x;
        cursor->saved.hot_y = cursor->hot_y;
        cursor->saved.pixels = cursor->width * cursor->height;
    }
    return 0;
}

/* Runs before the pixels are loaded: their buffer has room for the largest
 * shape. */
static bool aerogpu_cursor_fits(void *opaque, int version_id)
{
    const AeroGPUSavedCursor *saved = &((AeroGPUCursor *)opaque)->saved;

    return saved->width <= AEROGPU_MAX_CURSOR &&
           saved->height <= AEROGPU_MAX_CURSOR &&
           saved->pixels == saved->width * saved->height;
}

int aerogpu_cursor_loaded(AeroGPUState *s)
{
    const AeroGPUSavedCursor *saved = &s->cursor.saved;

    if (saved->pixels && (saved->hot_x < 0 || saved->hot_x >= saved->width ||
                          saved->hot_y < 0 || saved->hot_y >= saved->height)) {
        return aerogpu_load_error("a cursor of %ux%u pixels, hot at %d, %d",
                                  saved->width, saved->height, saved->hot_x,
                                  saved->hot_y);
    }
    s->cursor.valid = saved->pixels != 0;
    s->cursor.width = saved->width;
    s->cursor.height = saved->height;
    s->cursor.hot_x = saved->hot_x;
    s->cursor.hot_y = saved->hot_y;
    s->cursor.stale = saved->stale;
    s->cursor.on_host = false; /* tells a display that shows it again */
    qemu_bh_schedule(s->cursor.bh);
    return 0;
}

/*
 * The pixels are saved because the guest may have changed the memory that they
 * were read from.
 */
const VMStateDescription aerogpu_cursor_vmstate = {
    .name = "aerogpu/cursor",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = aerogpu_cursor_pre_save,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_BOOL(saved.stale, AeroGPUCursor),
            VMSTATE_UINT32(saved.width, AeroGPUCursor),
            VMSTATE_UINT32(saved.height, AeroGPUCursor),
            VMSTATE_INT32(saved.hot_x, AeroGPUCursor),
            VMSTATE_INT32(saved.hot_y, AeroGPUCursor),
            VMSTATE_UINT32(saved.pixels, AeroGPUCursor),
            VMSTATE_VALIDATE("at most 256x256 pixels", aerogpu_cursor_fits),
            VMSTATE_VARRAY_UINT32(pixels, AeroGPUCursor, saved.pixels, 1,
                                  vmstate_info_uint32, uint32_t),
            VMSTATE_END_OF_LIST() },
};
