/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the console shows: VGA until the scanout is first enabled with a valid
 * configuration, then memory at FB_GPA or the newest frame of the texture
 * that lies there, or a blank screen. ABI page, "BAR0 registers" and "Command
 * stream" (what a present shows).
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "aerogpu.h"
#include "aerogpu_trace.h"

/* ---- frames; lock held, any thread ---- */

static void aerogpu_frame_free_locked(AeroGPUState *s,
                                      struct aerogpu_frame *frame)
{
    if (!frame) {
        return;
    }
    if (frame == s->frame_busy) {
        s->frame_zombie = true; /* the console is drawing it: it frees it */
    } else {
        aerogpu_renderer_frame_release(s->renderer, frame);
    }
}

/* Makes `frame` (owned, NULL = memory) what is shown from now on. */
static void aerogpu_show_locked(AeroGPUState *s, struct aerogpu_frame *frame)
{
    aerogpu_frame_free_locked(s, s->frame);
    s->frame = frame;
    s->from_texture = frame != NULL;
    s->frame_serial++;
}

/* A present completes: its frame is shown, unless the guest flipped to another
 * address since. */
void aerogpu_scanout_present_locked(AeroGPUState *s, AeroGPUSubmission *sub)
{
    if (sub->flip_serial != s->flip_serial) {
        return;
    }
    if (sub->frame) {
        aerogpu_show_locked(s, sub->frame);
        sub->frame = NULL;
    } else if (!sub->texture) {
        aerogpu_show_locked(s, NULL);
    }
}

/* The answer to a flip: the texture at the new address, or none. */
void aerogpu_scanout_snapshot_done(AeroGPUState *s, const struct
                                   aerogpu_submission_result *result)
{
    uint64_t serial = result->cookie & ~AEROGPU_COOKIE_SNAPSHOT;

    QEMU_LOCK_GUARD(&s->lock);
    if (serial != s->flip_serial || !s->snapshot_pending || s->stopping) {
        aerogpu_frame_free_locked(s, result->frame);
        return;
    }
    if (result->dropped) {
        /* A reset came in between: ask again when it is over. */
        aerogpu_frame_free_locked(s, result->frame);
        qatomic_set(&s->requests, s->requests | AEROGPU_REQ_SNAPSHOT);
        aerogpu_render_kick(s);
        return;
    }
    s->snapshot_pending = false;
    aerogpu_show_locked(s, result->frame);
    qemu_bh_schedule(s->display_bh);
}

/* Gives back every frame, for good: the renderer goes away. */
void aerogpu_scanout_drop_frames(AeroGPUState *s)
{
    size_t i;

    QEMU_LOCK_GUARD(&s->lock);
    s->stopping = true;
    s->snapshot_pending = false;
    aerogpu_show_locked(s, NULL);
    for (i = 0; i < ARRAY_SIZE(s->submissions); i++) {
        aerogpu_frame_free_locked(s, s->submissions[i].frame);
        s->submissions[i].frame = NULL;
    }
}

/* ---- configuration; BQL ---- */

/* Checks the registers; returns NULL, or what is wrong with them. */
static const char *aerogpu_scanout_check(AeroGPUState *s, AeroGPUScanout *out)
{
    uint32_t bytes;
    uint64_t size;

    out->width = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_WIDTH);
    out->height = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT);
    out->format = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_FORMAT);
    out->pitch = aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES);
    out->gpa = s->flip_gpa;

    bytes = aerogpu_format_bytes(out->format);
    if (!bytes) {
        return "format";
    }
    if (!out->width || out->width > AEROGPU_MAX_SCANOUT ||
        !out->height || out->height > AEROGPU_MAX_SCANOUT) {
        return "size";
    }
    if (out->pitch < out->width * bytes) {
        return "pitch";
    }
    size = (uint64_t)out->pitch * (out->height - 1) + out->width * bytes;
    if (!out->gpa || !aerogpu_guest_covers(s, out->gpa, size)) {
        return "address";
    }
    return NULL;
}

static void aerogpu_set_display(AeroGPUState *s, AeroGPUDisplay display)
{
    if (s->display != display) {
        trace_aerogpu_display(display);
        s->display = display;
        s->surface = NULL;
        s->full_update = true;
        if (display == AEROGPU_DISPLAY_VGA) {
            s->vga.hw_ops->invalidate(&s->vga);
        }
    }
}

/* Takes the registers over. An invalid configuration changes nothing. */
static void aerogpu_scanout_evaluate(AeroGPUState *s)
{
    AeroGPUScanout config;
    const char *error;

    s->config_stale = false;
    if (!aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_ENABLE)) {
        if (s->display == AEROGPU_DISPLAY_SCANOUT) {
            aerogpu_set_display(s, AEROGPU_DISPLAY_BLANK);
        }
        return;
    }
    error = aerogpu_scanout_check(s, &config);
    if (error) {
        trace_aerogpu_scanout_rejected(error);
        qemu_log_mask(LOG_GUEST_ERROR, "aerogpu: scanout rejected: %s (%ux%u "
                      "format %u pitch %u at 0x%" PRIx64 ")\n", error,
                      config.width, config.height, config.format,
                      config.pitch, config.gpa);
        return;
    }
    if (memcmp(&config, &s->scanout, sizeof(config))) {
        trace_aerogpu_scanout(config.width, config.height, config.format,
                              config.pitch, config.gpa);
        s->scanout = config;
        s->full_update = true;
    }
    aerogpu_set_display(s, AEROGPU_DISPLAY_SCANOUT);
}

/*
 * The scanout address takes effect. When something was submitted, only the
 * renderer knows whether a texture lies there: the old picture stays until it
 * answers.
 */
void aerogpu_scanout_flip(AeroGPUState *s)
{
    uint32_t request = AEROGPU_REQ_SCANOUT;

    if (!aerogpu_reg(s, AEROGPU_MMIO_REG_SCANOUT0_ENABLE)) {
        return; /* taken when the scanout is enabled */
    }
    qemu_mutex_lock(&s->lock);
    s->flip_gpa = aerogpu_reg64(s, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
    s->flip_serial++;
    if (s->used) {
        s->snapshot_pending = true;
        request |= AEROGPU_REQ_SNAPSHOT;
    } else {
        aerogpu_show_locked(s, NULL);
    }
    qemu_mutex_unlock(&s->lock);
    trace_aerogpu_flip(s->flip_gpa);
    aerogpu_render_request(s, request);
    aerogpu_scanout_evaluate(s);
}

/* SCANOUT0_ENABLE was written (`enable`: it became 1), or size, format or
 * pitch; the latter are taken together when the screen is next drawn. */
void aerogpu_scanout_changed(AeroGPUState *s, bool enable_written, bool enable)
{
    if (enable) {
        aerogpu_scanout_flip(s);
        return;
    }
    aerogpu_render_request(s, AEROGPU_REQ_SCANOUT);
    if (enable_written) {
        aerogpu_scanout_evaluate(s);
    } else {
        s->config_stale = true;
    }
}

/* The saved state had taken the display over from VGA. */
void aerogpu_scanout_loaded(AeroGPUState *s)
{
    aerogpu_set_display(s, AEROGPU_DISPLAY_BLANK);
    aerogpu_scanout_evaluate(s);
    aerogpu_render_request(s, AEROGPU_REQ_SCANOUT);
}

/* Device reset, registers are zero already. */
void aerogpu_scanout_reset(AeroGPUState *s)
{
    qemu_mutex_lock(&s->lock);
    s->flip_gpa = 0;
    s->flip_serial++;
    s->snapshot_pending = false;
    aerogpu_show_locked(s, NULL);
    qemu_mutex_unlock(&s->lock);
    memset(&s->scanout, 0, sizeof(s->scanout));
    s->config_stale = false;
    aerogpu_set_display(s, AEROGPU_DISPLAY_VGA);
    s->vga.hw_ops->invalidate(&s->vga);
    qemu_bh_schedule(s->display_bh);
}

/* ---- drawing; BQL ---- */

/* The surface that rows are converted to, of the given size. */
static DisplaySurface *aerogpu_surface(AeroGPUState *s, uint32_t width,
                                       uint32_t height)
{
    DisplaySurface *surface = qemu_console_surface(s->con);

    if (surface != s->surface || surface_width(surface) != width ||
        surface_height(surface) != height) {
        surface = qemu_create_displaysurface(width, height);
        dpy_gfx_replace_surface(s->con, surface);
        s->surface = surface;
        s->full_update = true;
    }
    return surface;
}

static void aerogpu_draw_blank(AeroGPUState *s)
{
    DisplaySurface *surface;

    surface = aerogpu_surface(s, s->scanout.width ?: 640,
                              s->scanout.height ?: 480);
    if (s->full_update) {
        memset(surface_data(surface), 0,
               (size_t)surface_stride(surface) * surface_height(surface));
        dpy_gfx_update_full(s->con);
        s->full_update = false;
    }
}

/* Where the rows of one drawing come from. */
typedef struct AeroGPUSource {
    const uint8_t *data;
    uint64_t stride;             /* bytes */
    uint32_t width, height;      /* pixels there are */
    uint32_t format;
    MemoryRegion *dirty_mr;      /* BAR1: only dirty rows are looked at */
    hwaddr dirty_offset;
    DirtyBitmapSnapshot *dirty;
    bool unchanged;              /* the surface has it already */
} AeroGPUSource;

static bool aerogpu_row_dirty(const AeroGPUSource *src, uint32_t y)
{
    if (src->unchanged) {
        return false;
    }
    return !src->dirty ||
           memory_region_snapshot_get_dirty(src->dirty_mr, src->dirty,
                                            src->dirty_offset +
                                            y * src->stride,
                                            (hwaddr)src->width *
                                            aerogpu_format_bytes(src->format));
}

/*
 * Brings the surface in line with the source and the cursor. A row is
 * converted aside and copied only if it differs, so displays are told of real
 * changes only.
 */
static void aerogpu_draw_rows(AeroGPUState *s, DisplaySurface *surface,
                              const AeroGPUSource *src)
{
    uint32_t width = surface_width(surface);
    uint32_t height = surface_height(surface);
    uint32_t stride = surface_stride(surface);
    uint8_t *to = surface_data(surface);
    uint32_t common = MIN(width, src->width);
    int32_t cursor_y = 0, old_y = s->cursor_drawn_y;
    uint32_t cursor_rows = 0, old_rows = s->cursor_drawn_rows;
    bool cursor = aerogpu_cursor_rows(s, &cursor_y, &cursor_rows);
    int64_t first = -1;
    uint32_t y;

    if (s->line_pixels < width) {
        s->line = g_renew(uint32_t, s->line, width);
        s->line_pixels = width;
    }
    for (y = 0; y <= height; y++, to += stride) {
        bool changed = false;

        if (y < height) {
            bool under = cursor && (int64_t)y >= cursor_y &&
                         (int64_t)y < (int64_t)cursor_y + cursor_rows;
            bool was_under = old_rows && (int64_t)y >= old_y &&
                             (int64_t)y < (int64_t)old_y + old_rows;

            if (s->full_update || under || was_under ||
                (y < src->height && aerogpu_row_dirty(src, y))) {
                uint32_t n = y < src->height ? common : 0;

                aerogpu_convert_row(src->format, src->data + y * src->stride,
                                    s->line, n);
                memset(s->line + n, 0, (size_t)(width - n) * 4);
                if (under) {
                    aerogpu_cursor_overlay(s, s->line, width, y);
                }
                if (s->full_update ||
                    memcmp(to, s->line, (size_t)width * 4)) {
                    memcpy(to, s->line, (size_t)width * 4);
                    changed = true;
                }
            }
        }
        if (changed && first < 0) {
            first = y;
        } else if (!changed && first >= 0) {
            dpy_gfx_update(s->con, 0, first, width, y - first);
            first = -1;
        }
    }
    s->cursor_drawn_y = cursor_y;
    s->cursor_drawn_rows = cursor ? cursor_rows : 0;
    s->full_update = false;
}

static bool aerogpu_draw_memory(AeroGPUState *s, DisplaySurface *surface)
{
    const AeroGPUScanout *scanout = &s->scanout;
    uint64_t size = (uint64_t)scanout->pitch * (scanout->height - 1) +
                    scanout->width * aerogpu_format_bytes(scanout->format);
    AeroGPUSource src = {
        .stride = scanout->pitch,
        .width = scanout->width,
        .height = scanout->height,
        .format = scanout->format,
    };
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
        if (s->drawn_texture) {
            s->full_update = true;
        }
        aerogpu_draw_rows(s, surface, &src);
        s->drawn_texture = false;
        g_free(src.dirty);
    }
    aerogpu_guest_unmap(s, &map, 0);
    return map.size == size;
}

static void aerogpu_draw_frame(AeroGPUState *s, DisplaySurface *surface,
                               const struct aerogpu_frame *frame,
                               uint64_t serial)
{
    AeroGPUSource src = {
        .data = frame->pixels,
        .stride = frame->stride_bytes,
        .width = frame->width,
        .height = frame->height,
        .format = frame->format,
        .unchanged = s->drawn_texture && s->drawn_serial == serial,
    };

    aerogpu_draw_rows(s, surface, &src);
    s->drawn_texture = true;
    s->drawn_serial = serial;
}

static void aerogpu_draw_scanout(AeroGPUState *s)
{
    struct aerogpu_frame *frame = NULL;
    DisplaySurface *surface;
    uint64_t serial = 0;

    aerogpu_cursor_refresh(s);
    surface = aerogpu_surface(s, s->scanout.width, s->scanout.height);
    qemu_mutex_lock(&s->lock);
    if (s->from_texture) {
        frame = s->frame_busy = s->frame;
        serial = s->frame_serial;
    }
    qemu_mutex_unlock(&s->lock);

    if (frame) {
        aerogpu_draw_frame(s, surface, frame, serial);
        qemu_mutex_lock(&s->lock);
        s->frame_busy = NULL;
        if (s->frame_zombie) {
            s->frame_zombie = false;
            aerogpu_renderer_frame_release(s->renderer, frame);
        }
        qemu_mutex_unlock(&s->lock);
    } else {
        aerogpu_draw_memory(s, surface);
    }
}

static void aerogpu_draw(AeroGPUState *s)
{
    if (s->config_stale) {
        aerogpu_scanout_evaluate(s);
    }
    switch (s->display) {
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

/* A flip was answered, or a reset made the question moot. */
static void aerogpu_display_bh(void *opaque)
{
    AeroGPUState *s = opaque;

    if (s->update_waiting) {
        s->update_waiting = false;
        aerogpu_draw(s);
        graphic_hw_update_done(s->con);
    }
}

/* The console wants to be brought up to date. Whoever needs the result (a
 * screendump) waits for graphic_hw_update_done(). */
static void aerogpu_gfx_update(void *opaque)
{
    AeroGPUState *s = opaque;
    bool pending;

    qemu_mutex_lock(&s->lock);
    pending = s->snapshot_pending;
    qemu_mutex_unlock(&s->lock);
    if (pending) {
        s->update_waiting = true;
        /* The answer may have come between the look and the note. */
        qemu_mutex_lock(&s->lock);
        if (!s->snapshot_pending) {
            qemu_bh_schedule(s->display_bh);
        }
        qemu_mutex_unlock(&s->lock);
        return;
    }
    aerogpu_draw(s);
    graphic_hw_update_done(s->con);
}

static void aerogpu_invalidate(void *opaque)
{
    AeroGPUState *s = opaque;

    s->full_update = true;
    if (s->display == AEROGPU_DISPLAY_VGA) {
        s->vga.hw_ops->invalidate(&s->vga);
    }
}

static void aerogpu_text_update(void *opaque, console_ch_t *text)
{
    AeroGPUState *s = opaque;

    if (s->display == AEROGPU_DISPLAY_VGA) {
        s->vga.hw_ops->text_update(&s->vga, text);
    }
}

const GraphicHwOps aerogpu_console_ops = {
    .invalidate = aerogpu_invalidate,
    .gfx_update = aerogpu_gfx_update,
    .gfx_update_async = true,
    .text_update = aerogpu_text_update,
};

void aerogpu_scanout_init(AeroGPUState *s)
{
    s->display_bh = qemu_bh_new(aerogpu_display_bh, s);
}

void aerogpu_scanout_exit(AeroGPUState *s)
{
    if (s->display_bh) {
        qemu_bh_delete(s->display_bh);
        s->display_bh = NULL;
    }
    g_free(s->line);
    s->line = NULL;
    s->line_pixels = 0;
}
