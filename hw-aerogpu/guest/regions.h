/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest memory that a renderer in a process of its own may map
 * (regions.c): shared memory in files that nobody can cut. All else it asks
 * for.
 */
#ifndef HW_AEROGPU_REGIONS_H
#define HW_AEROGPU_REGIONS_H

#include "hw-aerogpu/types.h"

typedef struct AeroGPURegions {
    bool used;       /* constant: the renderer has a process */
    unsigned serial; /* render thread: of the memory map when it was told */
    GArray *told;    /* render thread: AeroGPURegion */
} AeroGPURegions;

/*
 * Returns why some of the machine's RAM cannot be mapped by another process,
 * or NULL if all of it can. g_free() it. BQL, or before the machine runs.
 */
char *aerogpu_regions_why_not(void);

/* Tells the renderer of the regions, if they have changed. Render thread. */
void aerogpu_regions_tell(AeroGPUState *s);

/* Frees what tell() has kept. The render thread has ended. */
void aerogpu_regions_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_REGIONS_H */
