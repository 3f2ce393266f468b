/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the picture of the console: VGA until the scanout is first enabled
 * with a valid configuration, then memory at FB_GPA or the newest frame of the
 * texture that lies there, or a blank screen. PRES-2, PRES-4, PRES-11 to
 * PRES-13, SCAN-1 to SCAN-7, PAL-1 to PAL-4.
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/lockable.h"
#include "qemu/main-loop.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/display/pixels.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/report/trace_events.h"

/* ---- frames; lock held, any thread ---- */

static void aerogpu_frame_free_locked(AeroGPUState *s,
                                      struct aerogpu_frame *frame)
{
    if (!frame) {
        return;
    }
    if (frame == s->scanout.frame_busy) {
        s->scanout.frame_zombie =
            true; /* the console is drawing it, and frees it */
    } else {
        aerogpu_renderer_frame_release(s->renderer, frame);
    }
}

/* Adds the rectangles in which `frame` differs from the shown frame. */
static void aerogpu_add_damage_locked(AeroGPUState *s,
                                      const struct aerogpu_frame *frame)
{
    AeroGPUDamage *damage = &s->scanout.damage;
    const struct aerogpu_frame *shown = s->scanout.frame;
    uint32_t i;

    if (!frame || !shown || !frame->damage_since ||
        frame->damage_since != shown->sequence) {
        damage->all = true;
        return;
    }
    for (i = 0; i < frame->damage_count; i++) {
        if (damage->count == ARRAY_SIZE(damage->rects)) {
            damage->all = true; /* nobody has drawn for long */
            return;
        }
        damage->rects[damage->count++] = frame->damage[i];
    }
}

/* Shows `frame` (owned, NULL = memory) from now on. */
static void aerogpu_show_locked(AeroGPUState *s, struct aerogpu_frame *frame)
{
    aerogpu_add_damage_locked(s, frame);
    aerogpu_frame_free_locked(s, s->scanout.frame);
    s->scanout.frame = frame;
    s->scanout.from_texture = frame != NULL;
}

bool aerogpu_scanout_present_locked(AeroGPUState *s, uint64_t flip_serial,
                                    struct aerogpu_frame *frame, bool texture)
{
    if (flip_serial != s->scanout.flip_serial) {
        return false;
    }
    if (frame || !texture) {
        aerogpu_show_locked(s, frame);
    }
    return frame != NULL;
}

void aerogpu_scanout_snapshot_done(
    AeroGPUState *s, const struct aerogpu_submission_result *result)
{
    uint64_t serial = result->cookie & ~AEROGPU_COOKIE_SNAPSHOT;

    QEMU_LOCK_GUARD(&s->lock);
    if (serial != s->scanout.flip_serial || !s->scanout.snapshot_pending ||
        s->scanout.stopping) {
        aerogpu_frame_free_locked(s, result->frame);
        return;
    }
    if (result->dropped) {
        /* A reset came before the answer: ask again when it is over. */
        aerogpu_frame_free_locked(s, result->frame);
        aerogpu_request_locked(s, AEROGPU_REQ_SNAPSHOT);
        return;
    }
    s->scanout.snapshot_pending = false;
    /* A flip without a frame shows memory; else the last picture stays. */
    if (result->frame || !s->scanout.catching_up) {
        aerogpu_show_locked(s, result->frame);
    }
    qemu_bh_schedule(s->scanout.settled_bh);
}

void aerogpu_scanout_completed_locked(AeroGPUState *s, uint64_t flip_serial,
                                      bool changed)
{
    if (flip_serial == s->scanout.flip_serial) {
        s->scanout.changed = changed;
    }
}

void aerogpu_scanout_catch_up(AeroGPUState *s)
{
    if (!s->scanout.follow || s->scanout.display != AEROGPU_DISPLAY_SCANOUT) {
        return;
    }
    QEMU_LOCK_GUARD(&s->lock);
    if (!s->scanout.changed || s->scanout.snapshot_pending ||
        s->scanout.stopping) {
        return;
    }
    s->scanout.changed = false;
    s->scanout.snapshot_pending = true;
    s->scanout.catching_up = true;
    aerogpu_request_locked(s, AEROGPU_REQ_SNAPSHOT);
}

struct aerogpu_frame *aerogpu_scanout_begin_frame(AeroGPUState *s,
                                                  AeroGPUDamage *damage)
{
    QEMU_LOCK_GUARD(&s->lock);
    if (!s->scanout.from_texture) {
        return NULL;
    }
    *damage = s->scanout.damage;
    s->scanout.damage = (AeroGPUDamage){ 0 };
    return s->scanout.frame_busy = s->scanout.frame;
}

void aerogpu_scanout_end_frame(AeroGPUState *s)
{
    struct aerogpu_frame *frame = s->scanout.frame_busy;

    QEMU_LOCK_GUARD(&s->lock);
    s->scanout.frame_busy = NULL;
    if (s->scanout.frame_zombie) {
        s->scanout.frame_zombie = false;
        aerogpu_renderer_frame_release(s->renderer, frame);
    }
}

bool aerogpu_scanout_is_unsettled(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->scanout.snapshot_pending;
}

/* ---- render thread ---- */

void aerogpu_scanout_requested(AeroGPUState *s, bool snapshot)
{
    struct aerogpu_scanout_config config = {
        .struct_size = sizeof(config),
        .enable = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE),
        .width = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_WIDTH),
        .height = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT),
        .format = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_FORMAT),
        .pitch_bytes =
            aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES),
    };
    uint64_t serial;

    WITH_QEMU_LOCK_GUARD (&s->lock) {
        config.fb_gpa = s->scanout.flip_gpa;
        config.by_allocation = aerogpu_spaces_enabled(s);
        config.alloc_id = s->scanout.flip_alloc;
        serial = s->scanout.flip_serial;
    }
    aerogpu_renderer_set_scanout(s->renderer, &config);
    if (snapshot) {
        aerogpu_renderer_snapshot_scanout(s->renderer,
                                          AEROGPU_COOKIE_SNAPSHOT | serial);
    }
}

void aerogpu_scanout_drop_frame(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->scanout.stopping = true;
    s->scanout.snapshot_pending = false;
    aerogpu_show_locked(s, NULL);
}

/* ---- configuration; BQL ---- */

/* Returns the bytes of a pixel; 0 for a value that SCANOUT0_FORMAT cannot have.
 */
static uint32_t aerogpu_scanout_bytes(uint32_t format)
{
    return format == AEROGPU_EXT_SCANOUT_P8 ? 1 : aerogpu_format_bytes(format);
}

/*
 * Returns NULL, or what is wrong with a configuration, except where guest
 * memory is. The console's surface is host memory that no limit of the renderer
 * counts, so its pixels are bounded: by a constant that allows every ordinary
 * mode, or by the size of BAR1 if that allows more.
 */
static const char *
aerogpu_scanout_config_check(AeroGPUState *s,
                             const AeroGPUScanoutConfig *config)
{
    uint32_t bytes = aerogpu_scanout_bytes(config->format);
    uint64_t most = MAX(AEROGPU_MAX_SCANOUT_PIXELS, s->vga.vram_size / 4);

    if (!bytes) {
        return "format";
    }
    if (!config->width || config->width > AEROGPU_MAX_SCANOUT ||
        !config->height || config->height > AEROGPU_MAX_SCANOUT ||
        (uint64_t)config->width * config->height > most) {
        return "size";
    }
    if (config->pitch < config->width * bytes) {
        return "pitch";
    }
    return config->gpa ? NULL : "address";
}

/* Reads and checks the registers; returns NULL, or what is wrong with them. */
static const char *aerogpu_scanout_check(AeroGPUState *s,
                                         AeroGPUScanoutConfig *out)
{
    const char *error;
    uint64_t size;

    *out = (AeroGPUScanoutConfig){
        .width = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_WIDTH),
        .height = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT),
        .format = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_FORMAT),
        .pitch = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES),
        .gpa = s->scanout.flip_gpa,
    };
    error = aerogpu_scanout_config_check(s, out);
    if (error) {
        return error;
    }
    size = (uint64_t)out->pitch * (out->height - 1) +
           (uint64_t)out->width * aerogpu_scanout_bytes(out->format);
    return aerogpu_guest_covers(s, out->gpa, size) ? NULL : "address";
}

static void aerogpu_set_display(AeroGPUState *s, AeroGPUDisplay display)
{
    if (s->scanout.display != display) {
        trace_aerogpu_display(display);
        s->scanout.display = display;
        s->scanout.surface = NULL;
        s->scanout.full_update = true;
        if (display == AEROGPU_DISPLAY_VGA) {
            /* The guest's last picture disappears, even if VGA draws only
             * later. */
            dpy_gfx_replace_surface(s->con,
                                    qemu_create_displaysurface(640, 480));
            s->vga.hw_ops->invalidate(&s->vga);
        }
    }
}

void aerogpu_scanout_evaluate(AeroGPUState *s)
{
    AeroGPUScanoutConfig config;
    const char *error;

    s->scanout.config_stale = false;
    if (!aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE)) {
        if (s->scanout.display == AEROGPU_DISPLAY_SCANOUT) {
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
    if (memcmp(&config, &s->scanout.config, sizeof(config))) {
        trace_aerogpu_scanout(config.width, config.height, config.format,
                              config.pitch, config.gpa);
        s->scanout.config = config;
        s->scanout.full_update = true;
    }
    aerogpu_set_display(s, AEROGPU_DISPLAY_SCANOUT);
}

/*
 * If textures may exist, only the renderer knows whether one lies at the new
 * address: the old picture stays until the renderer answers.
 */
void aerogpu_scanout_flip(AeroGPUState *s)
{
    uint32_t request = AEROGPU_REQ_SCANOUT;

    if (!aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE)) {
        return; /* taken when the scanout is enabled */
    }
    qemu_mutex_lock(&s->lock);
    s->scanout.flip_gpa =
        aerogpu_reg64(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
    s->scanout.flip_alloc = s->spaces.scanout_alloc;
    s->scanout.flip_serial++;
    s->scanout.changed = false;
    s->scanout.catching_up = false;
    if (s->scanout.maybe_texture) {
        s->scanout.snapshot_pending = true;
        request |= AEROGPU_REQ_SNAPSHOT;
    } else {
        aerogpu_show_locked(s, NULL);
    }
    qemu_mutex_unlock(&s->lock);
    trace_aerogpu_flip(s->scanout.flip_gpa);
    aerogpu_request(s, request);
    aerogpu_scanout_evaluate(s);
}

/*
 * The next drawing of the screen takes size, format and pitch together.
 */
void aerogpu_scanout_changed(AeroGPUState *s, bool enable_written, bool enable)
{
    if (enable) {
        aerogpu_scanout_flip(s);
        return;
    }
    aerogpu_request(s, AEROGPU_REQ_SCANOUT);
    if (enable_written) {
        aerogpu_scanout_evaluate(s);
    } else {
        s->scanout.config_stale = true;
    }
}

uint32_t aerogpu_scanout_forget_frame(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    if (!s->scanout.from_texture && !s->scanout.snapshot_pending) {
        return 0;
    }
    /* An answer still to come would be about a texture that goes away. */
    s->scanout.flip_serial++;
    s->scanout.changed = false;
    s->scanout.catching_up = false;
    s->scanout.snapshot_pending = true;
    aerogpu_show_locked(s, NULL);
    return AEROGPU_REQ_SNAPSHOT;
}

void aerogpu_scanout_textures_are_back(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    s->scanout.maybe_texture = true;
}

void aerogpu_scanout_set_color(AeroGPUState *s, uint32_t entry, uint32_t rgb)
{
    s->scanout.palette[entry] = rgb & 0xffffff;
    if (s->scanout.config.format == AEROGPU_EXT_SCANOUT_P8) {
        s->scanout.full_update = true;
    }
}

void aerogpu_scanout_to_vga(AeroGPUState *s)
{
    qemu_mutex_lock(&s->lock);
    s->scanout.flip_serial++;
    s->scanout.changed = false;
    s->scanout.snapshot_pending = false;
    aerogpu_show_locked(s, NULL);
    qemu_mutex_unlock(&s->lock);
    memset(&s->scanout.config, 0, sizeof(s->scanout.config));
    s->scanout.config_stale = false;
    aerogpu_set_display(s, AEROGPU_DISPLAY_VGA);
    s->vga.hw_ops->invalidate(&s->vga);
    qemu_bh_schedule(s->scanout.settled_bh);
}

void aerogpu_scanout_reset(AeroGPUState *s)
{
    qemu_mutex_lock(&s->lock);
    s->scanout.flip_gpa = 0;
    s->scanout.flip_alloc = 0;
    s->scanout.maybe_texture = false;
    qemu_mutex_unlock(&s->lock);
    s->scanout.follow = false;
    memset(s->scanout.palette, 0, sizeof(s->scanout.palette));
    aerogpu_scanout_to_vga(s);
}

/* ---- saved state ---- */

uint32_t aerogpu_scanout_frames(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->scanout.frame != NULL;
}

const struct aerogpu_frame *aerogpu_scanout_frame(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    return s->scanout.frame;
}

void aerogpu_scanout_copy_frame(AeroGPUState *s)
{
    struct aerogpu_frame *copy;

    /* While the lock is held nobody gives the frame back. */
    QEMU_LOCK_GUARD(&s->lock);
    if (!s->scanout.frame || s->scanout.stopping) {
        return;
    }
    copy = aerogpu_renderer_frame_make(s->renderer, s->scanout.frame);
    if (copy) {
        aerogpu_show_locked(s, copy);
    }
}

void aerogpu_scanout_give_frame(AeroGPUState *s, struct aerogpu_frame *frame)
{
    QEMU_LOCK_GUARD(&s->lock);
    aerogpu_show_locked(s, frame);
}

int aerogpu_scanout_loaded(AeroGPUState *s)
{
    const AeroGPUSavedScanout *saved = &s->scanout.saved;
    bool taken = saved->display != AEROGPU_DISPLAY_VGA;
    const char *error =
        taken ? aerogpu_scanout_config_check(s, &saved->config) : NULL;

    if (saved->display > AEROGPU_DISPLAY_SCANOUT || error) {
        return aerogpu_load_error("display %u with %ux%u pixels of format %u, "
                                  "pitch %u, at 0x%" PRIx64 ": %s",
                                  saved->display, saved->config.width,
                                  saved->config.height, saved->config.format,
                                  saved->config.pitch, saved->config.gpa,
                                  error ?: "unknown");
    }
    if (saved->display == AEROGPU_DISPLAY_SCANOUT &&
        !aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE)) {
        return aerogpu_load_error("the scanout is shown and not enabled");
    }
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        s->scanout.flip_gpa = saved->flip_gpa;
        s->scanout.flip_alloc = saved->flip_alloc;
        s->scanout.flip_serial++;
        s->scanout.maybe_texture = saved->maybe_texture;
        s->scanout.snapshot_pending = saved->snapshot_pending;
        s->scanout.catching_up = saved->catching_up;
        s->scanout.changed = saved->changed;
        aerogpu_show_locked(s, NULL);
    }
    s->scanout.follow = saved->follow;
    if (taken) {
        s->scanout.config = saved->config;
    }
    s->scanout.config_stale = saved->config_stale;
    aerogpu_set_display(s, saved->display);
    s->scanout.full_update = true;
    qemu_bh_schedule(s->scanout.settled_bh);
    aerogpu_request(s, AEROGPU_REQ_SCANOUT);
    return 0;
}

void aerogpu_scanout_load_ends(AeroGPUState *s)
{
    QEMU_LOCK_GUARD(&s->lock);
    if (s->scanout.snapshot_pending) {
        aerogpu_request_locked(s, AEROGPU_REQ_SNAPSHOT);
    }
}
