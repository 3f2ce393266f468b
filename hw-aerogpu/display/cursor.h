/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hardware cursor (cursor.c). Everything here runs under the BQL. */
#ifndef HW_AEROGPU_CURSOR_H
#define HW_AEROGPU_CURSOR_H

#include "hw-aerogpu/types.h"

/* The shape in a saved state; its pixels are in AeroGPUCursor. */
typedef struct AeroGPUSavedCursor {
    bool stale;
    uint32_t width; /* 0 = no valid shape */
    uint32_t height;
    int32_t hot_x;
    int32_t hot_y;
    uint32_t pixels; /* width * height */
} AeroGPUSavedCursor;

typedef struct AeroGPUCursor {
    QEMUBH *bh;
    bool stale; /* shape registers changed since it was read */
    bool valid;
    uint32_t width;
    uint32_t height;
    int32_t hot_x;
    int32_t hot_y;
    uint32_t *pixels; /* 0xAARRGGBB, straight alpha */
    bool on_host;     /* the display shows it */
    bool defined;     /* the guest's shape was given to a display */
    int32_t drawn_y;  /* rows of the surface that it covers */
    uint32_t drawn_rows;
    AeroGPUSavedCursor saved;
} AeroGPUCursor;

/* A register that shapes the cursor was written. */
void aerogpu_cursor_shape_changed(AeroGPUState *s);
/* CURSOR_X or CURSOR_Y was written. */
void aerogpu_cursor_moved(AeroGPUState *s);
void aerogpu_cursor_reset(AeroGPUState *s);

/* Takes over what changed; before drawing. */
void aerogpu_cursor_refresh(AeroGPUState *s);
/* Rows that the drawn cursor covers, clipped by the caller. False: none. */
bool aerogpu_cursor_rows(AeroGPUState *s, int32_t *y, uint32_t *rows);
/* Draws the cursor's part of row y; aerogpu_cursor_rows() said it has one. */
void aerogpu_cursor_overlay(AeroGPUState *s, uint32_t *line, uint32_t width,
                            uint32_t y);

extern const VMStateDescription aerogpu_cursor_vmstate;
/* Takes the saved shape over. Returns < 0 if it cannot be one. */
int aerogpu_cursor_loaded(AeroGPUState *s);

void aerogpu_cursor_init(AeroGPUState *s);
void aerogpu_cursor_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_CURSOR_H */
