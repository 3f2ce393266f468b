/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The saved state of the display (scanout.c shows what was loaded). */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/display/scanout_state.h"

static int aerogpu_scanout_pre_save(void *opaque)
{
    AeroGPUScanout *scanout = opaque;

    scanout->saved = (AeroGPUSavedScanout){
        .display = scanout->display,
        .config = scanout->config,
        .flip_gpa = scanout->flip_gpa,
        .flip_alloc = scanout->flip_alloc,
        .config_stale = scanout->config_stale,
        .maybe_texture = scanout->maybe_texture,
        .follow = scanout->follow,
        .changed = scanout->changed,
        .snapshot_pending = scanout->snapshot_pending,
        .catching_up = scanout->catching_up,
    };
    return 0;
}

static bool aerogpu_scanout_picture_needed(void *opaque)
{
    const AeroGPUScanout *scanout = opaque;

    return scanout->saved.changed || scanout->saved.snapshot_pending;
}

static const VMStateDescription aerogpu_scanout_picture_vmstate = {
    .name = "aerogpu/scanout/picture",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_scanout_picture_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_BOOL(saved.changed, AeroGPUScanout),
            VMSTATE_BOOL(saved.snapshot_pending, AeroGPUScanout),
            VMSTATE_BOOL(saved.catching_up, AeroGPUScanout),
            VMSTATE_END_OF_LIST() },
};

static bool aerogpu_scanout_alloc_needed(void *opaque)
{
    AeroGPUScanout *scanout = opaque;

    return scanout->flip_alloc != 0;
}

static int aerogpu_scanout_pre_load(void *opaque)
{
    AeroGPUScanout *scanout = opaque;

    scanout->saved.flip_alloc = 0;
    scanout->saved.follow = false;
    scanout->saved.changed = false;
    scanout->saved.snapshot_pending = false;
    scanout->saved.catching_up = false;
    return 0;
}

static const VMStateDescription aerogpu_scanout_alloc_vmstate = {
    .name = "aerogpu/scanout/allocation",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_scanout_alloc_needed,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32(saved.flip_alloc,
                                                     AeroGPUScanout),
                                      VMSTATE_END_OF_LIST() },
};

static bool aerogpu_scanout_follow_needed(void *opaque)
{
    AeroGPUScanout *scanout = opaque;

    return scanout->follow;
}

static const VMStateDescription aerogpu_scanout_follow_vmstate = {
    .name = "aerogpu/scanout/follow",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_scanout_follow_needed,
    .fields =
        AEROGPU_VMSTATE_FIELDS{ VMSTATE_BOOL(saved.follow, AeroGPUScanout),
                                VMSTATE_END_OF_LIST() },
};

static bool aerogpu_scanout_palette_needed(void *opaque)
{
    AeroGPUScanout *scanout = opaque;

    return !buffer_is_zero(scanout->palette, sizeof(scanout->palette));
}

/* Refuses colours that no write can have stored. */
static int aerogpu_scanout_palette_loaded(void *opaque, int version_id)
{
    AeroGPUScanout *scanout = opaque;
    uint32_t i;

    for (i = 0; i < AEROGPU_EXT_PALETTE_ENTRIES; i++) {
        if (scanout->palette[i] > 0xffffff) {
            return aerogpu_load_error("colour %u of the palette is 0x%x", i,
                                      scanout->palette[i]);
        }
    }
    return 0;
}

static const VMStateDescription aerogpu_scanout_palette_vmstate = {
    .name = "aerogpu/scanout/palette",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = aerogpu_scanout_palette_needed,
    .post_load = aerogpu_scanout_palette_loaded,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32_ARRAY(
                                          palette, AeroGPUScanout,
                                          AEROGPU_EXT_PALETTE_ENTRIES),
                                      VMSTATE_END_OF_LIST() },
};

const VMStateDescription aerogpu_scanout_vmstate = {
    .name = "aerogpu/scanout",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_load = aerogpu_scanout_pre_load,
    .pre_save = aerogpu_scanout_pre_save,
    .fields =
        AEROGPU_VMSTATE_FIELDS{
            VMSTATE_UINT32(saved.display, AeroGPUScanout),
            VMSTATE_UINT32(saved.config.width, AeroGPUScanout),
            VMSTATE_UINT32(saved.config.height, AeroGPUScanout),
            VMSTATE_UINT32(saved.config.format, AeroGPUScanout),
            VMSTATE_UINT32(saved.config.pitch, AeroGPUScanout),
            VMSTATE_UINT64(saved.config.gpa, AeroGPUScanout),
            VMSTATE_UINT64(saved.flip_gpa, AeroGPUScanout),
            VMSTATE_BOOL(saved.config_stale, AeroGPUScanout),
            VMSTATE_BOOL(saved.maybe_texture, AeroGPUScanout),
            VMSTATE_END_OF_LIST() },
    .subsections =
        (const VMStateDescription *[]){
            &aerogpu_scanout_alloc_vmstate, &aerogpu_scanout_follow_vmstate,
            &aerogpu_scanout_palette_vmstate, &aerogpu_scanout_picture_vmstate,
            NULL },
};
