/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing to the console. */
#ifndef HW_AEROGPU_CONSOLE_H
#define HW_AEROGPU_CONSOLE_H

#include "hw-aerogpu/types.h"

/* State that no guest sees and no reset clears. BQL. */
typedef struct AeroGPUConsole {
    bool update_waiting; /* an update waits for the snapshot */
    bool drawn_texture;  /* the surface shows a frame */
    uint32_t *line;      /* one row, converted */
    uint32_t line_pixels;
} AeroGPUConsole;

extern const GraphicHwOps aerogpu_console_ops; /* opaque: AeroGPUState */
void aerogpu_console_init(AeroGPUState *s);
void aerogpu_console_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_CONSOLE_H */
