/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picture that the console shows (scanout.c). */
#ifndef HW_AEROGPU_SCANOUT_H
#define HW_AEROGPU_SCANOUT_H

#include "hw-aerogpu/types.h"
#include "aerogpu/aerogpu_scanout_extension.h"
#include "aerogpu/renderer.h"

typedef enum AeroGPUDisplay {
    AEROGPU_DISPLAY_VGA,   /* scanout not enabled since reset, or given back */
    AEROGPU_DISPLAY_BLANK, /* a driver has disabled the scanout */
    AEROGPU_DISPLAY_SCANOUT,
} AeroGPUDisplay;

/* A scanout configuration that was checked. */
typedef struct AeroGPUScanoutConfig {
    uint32_t width;  /* pixels */
    uint32_t height; /* pixels */
    uint32_t format; /* enum aerogpu_format */
    uint32_t pitch;  /* bytes */
    uint64_t gpa;
} AeroGPUScanoutConfig;

/* The rectangles of a picture in which something may have changed. */
typedef struct AeroGPUDamage {
    bool all; /* outside of `rects` too */
    uint32_t count;
    struct aerogpu_frame_rect rects[AEROGPU_FRAME_DAMAGE_MAX];
} AeroGPUDamage;

/* The display in a saved state; the picture of the renderer is elsewhere
 * (snapshot/carry.c). */
typedef struct AeroGPUSavedScanout {
    uint32_t display; /* AeroGPUDisplay */
    AeroGPUScanoutConfig config;
    uint64_t flip_gpa;
    uint32_t flip_alloc;
    bool config_stale;
    bool maybe_texture;
    bool follow;
    bool changed;
    bool snapshot_pending;
    bool catching_up;
} AeroGPUSavedScanout;

/* BQL, unless said otherwise. */
typedef struct AeroGPUScanout {
    AeroGPUDisplay display;
    AeroGPUScanoutConfig config; /* shown when display is SCANOUT */
    uint64_t flip_gpa;           /* BQL, lock for writing: of the last flip */
    uint32_t flip_alloc;         /* like flip_gpa; shown with handle spaces */
    bool config_stale;           /* size, format or pitch were written */
    bool full_update;            /* the next drawing draws everything */
    bool follow;                 /* drawings show what no present has shown */
    uint32_t palette[AEROGPU_EXT_PALETTE_ENTRIES]; /* 0x00RRGGBB */
    DisplaySurface *surface; /* given to the console last */
    QEMUBH *settled_bh; /* scheduled when a snapshot is no longer pending */

    AeroGPUSavedScanout saved;

    uint64_t flip_serial;        /* lock: grows if earlier frames are void */
    bool maybe_texture;          /* lock: textures may exist */
    bool snapshot_pending;       /* lock */
    bool catching_up;            /* lock: ...for a drawing, not for a flip */
    bool changed;                /* lock: the texture may differ from `frame` */
    bool from_texture;           /* lock: show `frame`, not memory */
    struct aerogpu_frame *frame; /* lock: newest, owned */
    AeroGPUDamage damage;        /* lock: since a frame was drawn */
    bool stopping;               /* lock: the renderer goes away */
    struct aerogpu_frame *frame_busy; /* lock: being drawn */
    bool frame_zombie;                /* lock: release frame_busy when drawn */
} AeroGPUScanout;

/*
 * Shows what the scanout registers describe. If that is not valid, the old
 * picture stays. BQL.
 */
void aerogpu_scanout_evaluate(AeroGPUState *s);
/*
 * Handles a write to SCANOUT0_ENABLE (`enable`: it became 1), or to size,
 * format or pitch. BQL.
 */
void aerogpu_scanout_changed(AeroGPUState *s, bool enable_written, bool enable);
/* Handles a write to FB_GPA_HI: the scanout address takes effect. BQL. */
void aerogpu_scanout_flip(AeroGPUState *s);
/* Sets a colour of the palette, 0x00RRGGBB; it shows from the next drawing on.
 * BQL. */
void aerogpu_scanout_set_color(AeroGPUState *s, uint32_t entry, uint32_t rgb);
/*
 * Gives back the shown frame, before all textures are dropped. Returns the
 * requests for the render thread; until they are carried out, the screen keeps
 * its picture. BQL.
 */
uint32_t aerogpu_scanout_forget_frame(AeroGPUState *s);
/* Notes that textures from before the device's reset may exist. BQL. */
void aerogpu_scanout_textures_are_back(AeroGPUState *s);
/* Gives VGA the display; SCANOUT0_ENABLE is 0 already. BQL. */
void aerogpu_scanout_to_vga(AeroGPUState *s);
/* Device reset; registers are zero already. BQL. */
void aerogpu_scanout_reset(AeroGPUState *s);

/*
 * Shows what the saved display showed. Returns < 0 if no device can have shown
 * that. BQL, registers are loaded.
 */
int aerogpu_scanout_loaded(AeroGPUState *s);
/* Asks for the picture that was asked for when the state was saved. BQL, the
 * renderer has loaded everything. */
void aerogpu_scanout_load_ends(AeroGPUState *s);
/* Returns the number of renderer frames that are held. Any thread. */
uint32_t aerogpu_scanout_frames(AeroGPUState *s);
/* Returns the shown frame, or NULL. It stays as long as nothing runs. BQL. */
const struct aerogpu_frame *aerogpu_scanout_frame(AeroGPUState *s);
/* Replaces the shown frame by a copy that needs no GPU. Render thread. */
void aerogpu_scanout_copy_frame(AeroGPUState *s);
/* Shows a loaded frame. BQL. */
void aerogpu_scanout_give_frame(AeroGPUState *s, struct aerogpu_frame *frame);

/*
 * Completes a present whose submission was fetched at `flip_serial`; without
 * effect if the guest has flipped since. Shows `frame`, or memory if there is
 * neither a frame nor a live texture (`texture`) at the scanout's address. True
 * if it took the frame over. Any thread, lock held.
 */
bool aerogpu_scanout_present_locked(AeroGPUState *s, uint64_t flip_serial,
                                    struct aerogpu_frame *frame, bool texture);
/*
 * Notes whether the shown texture may have changed since its newest frame, by a
 * submission that completes and was fetched at `flip_serial`. Any thread, lock
 * held.
 */
void aerogpu_scanout_completed_locked(AeroGPUState *s, uint64_t flip_serial,
                                      bool changed);
/*
 * Asks for a frame of the shown texture if the driver wants the screen to
 * follow it and it may have changed. The screen is unsettled until the answer
 * comes. Called before each drawing. PRES-11, PRES-12; BQL.
 */
void aerogpu_scanout_catch_up(AeroGPUState *s);
/* Handles the renderer's answer to a flip or to aerogpu_scanout_catch_up(): a
 * frame of the texture at the address, or none. Any thread. */
void aerogpu_scanout_snapshot_done(
    AeroGPUState *s, const struct aerogpu_submission_result *result);

/*
 * Tells the renderer what the registers hold, and asks for the texture at the
 * new address. Render thread.
 */
void aerogpu_scanout_requested(AeroGPUState *s, bool snapshot);

/*
 * Returns the frame to draw, which is valid until aerogpu_scanout_end_frame();
 * NULL if memory is drawn. *damage gets the difference to the frame that the
 * previous call returned. BQL.
 */
struct aerogpu_frame *aerogpu_scanout_begin_frame(AeroGPUState *s,
                                                  AeroGPUDamage *damage);
void aerogpu_scanout_end_frame(AeroGPUState *s);
/* True if the picture has to wait for the renderer's answer. BQL. */
bool aerogpu_scanout_is_unsettled(AeroGPUState *s);
/* Gives back the shown frame; later ones are not shown. Before the renderer is
 * destroyed. */
void aerogpu_scanout_drop_frame(AeroGPUState *s);

#endif /* HW_AEROGPU_SCANOUT_H */
