/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the console shows: VGA until the scanout is first enabled with a valid
 * configuration, then memory at FB_GPA or the newest frame of the texture
 * that lies there, or a blank screen. ABI page, "BAR0 registers" and "Command
 * stream" (what a present shows).
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
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

/*
 * A present completes: its frame is shown, unless the guest flipped to another
 * address since.
 */
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
void aerogpu_scanout_snapshot_done(
    AeroGPUState *s, const struct aerogpu_submission_result *result)
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
    if (!out->width || out->width > AEROGPU_MAX_SCANOUT || !out->height ||
        out->height > AEROGPU_MAX_SCANOUT) {
        return "size";
    }
    if (out->pitch < out->width * bytes) {
        return "pitch";
    }
    size =
        (uint64_t)out->pitch * (out->height - 1) + (uint64_t)out->width * bytes;
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
            /* The guest's last picture goes, whenever VGA draws its first. */
            dpy_gfx_replace_surface(s->con,
                                    qemu_create_displaysurface(640, 480));
            s->vga.hw_ops->invalidate(&s->vga);
        }
    }
}

/* Takes the registers over. An invalid configuration changes nothing. */
void aerogpu_scanout_evaluate(AeroGPUState *s)
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
        aerogpu_guest_error(s,
                            "scanout rejected: %s (%ux%u format %u pitch "
                            "%u at 0x%" PRIx64 ")",
                            error, config.width, config.height, config.format,
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

/*
 * SCANOUT0_ENABLE was written (`enable`: it became 1), or size, format or
 * pitch; the latter are taken together when the screen is next drawn.
 */
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

/*
 * VGA has the display until SCANOUT0_ENABLE is written again; the register is
 * 0 already.
 */
void aerogpu_scanout_to_vga(AeroGPUState *s)
{
    qemu_mutex_lock(&s->lock);
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

/* Device reset, registers are zero already. */
void aerogpu_scanout_reset(AeroGPUState *s)
{
    qemu_mutex_lock(&s->lock);
    s->flip_gpa = 0;
    qemu_mutex_unlock(&s->lock);
    aerogpu_scanout_to_vga(s);
}
