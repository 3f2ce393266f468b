/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters as QOM properties (stats.c). */
#ifndef HW_AEROGPU_STATS_H
#define HW_AEROGPU_STATS_H

#include "hw-aerogpu/types.h"

/* Counters that the renderer does not keep. Under `lock`, never reset. */
typedef struct AeroGPUStats {
    uint64_t submissions; /* fetched from the ring */
    uint64_t completions;
    uint64_t errors;         /* latched */
    uint64_t vblanks;        /* delivered ticks */
    uint64_t latency_min_ns; /* fetch to completion */
    uint64_t latency_max_ns;
    uint64_t latency_sum_ns;
    uint64_t bytes_fetched; /* command buffers and allocation tables */
    uint64_t pixels_told;   /* that displays had to redraw, without VGA's */
} AeroGPUStats;

void aerogpu_stats_class_init(ObjectClass *klass);

#endif /* HW_AEROGPU_STATS_H */
