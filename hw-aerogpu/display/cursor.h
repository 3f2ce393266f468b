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
    bool stale; /* shape registers changed since the shape was read */
    bool valid;
    uint32_t width;
    uint32_t height;
    int32_t hot_x;
    int32_t hot_y;
    uint32_t *pixels; /* 0xAARRGGBB, straight alpha */
    bool on_host;     /* the display shows the cursor */
    bool defined;     /* the guest's shape was given to a display */
    int32_t drawn_y;  /* rows of the surface with the cursor */
    uint32_t drawn_rows;
    AeroGPUSavedCursor saved;
} AeroGPUCursor;

/* Handles a write to a register that shapes the cursor. */
void aerogpu_cursor_shape_changed(AeroGPUState *s);
/* Handles a write to CURSOR_X or CURSOR_Y. */
void aerogpu_cursor_moved(AeroGPUState *s);
void aerogpu_cursor_reset(AeroGPUState *s);

/* Takes over changed shape registers and displays; call before drawing. */
void aerogpu_cursor_refresh(AeroGPUState *s);
/* Returns the rows that the drawn cursor covers, unclipped. False: none. */
bool aerogpu_cursor_rows(AeroGPUState *s, int32_t *y, uint32_t *rows);
/* Draws the cursor's part of row y; aerogpu_cursor_rows() said it has one. */
void aerogpu_cursor_overlay(AeroGPUState *s, uint32_t *line, uint32_t width,
                            uint32_t y);

extern const VMStateDescription aerogpu_cursor_vmstate;
/* Takes the saved shape over. Returns < 0 if no device can have saved it. */
int aerogpu_cursor_loaded(AeroGPUState *s);

void aerogpu_cursor_init(AeroGPUState *s);
void aerogpu_cursor_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_CURSOR_H */
