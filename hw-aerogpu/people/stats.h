/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters as QOM properties (stats.c). */
#ifndef HW_AEROGPU_STATS_H
#define HW_AEROGPU_STATS_H

#include "hw-aerogpu/types.h"

/* Counters that the renderer does not keep. Under `lock`, never reset. */
typedef struct AeroGPUStats {
    uint64_t submissions; /* fetched from the ring */
    uint64_t completions;
    uint64_t presents_done;  /* their submissions' work has ended */
    uint64_t errors;         /* latched */
    uint64_t vblanks;        /* delivered ticks */
    uint64_t latency_min_ns; /* fetch to completion */
    uint64_t latency_max_ns;
    uint64_t latency_sum_ns;
    uint64_t bytes_fetched;    /* command buffers and allocation tables */
    uint64_t pixels_told;      /* that displays had to redraw, without VGA's */
    uint64_t save_ns;          /* the last save: all of it */
    uint64_t save_rest_ns;     /* until all work was done */
    uint64_t save_bytes;       /* snapshot and frames */
    uint64_t save_ahead_bytes; /* that went before the machine stopped */
    uint64_t save_objects;     /* described */
    uint64_t save_held_bytes;  /* by the renderer */
    uint64_t save_raw_bytes;   /* went as they were, before the stop too */
    uint64_t save_unpacked_bytes; /* went compressed */
    uint64_t save_packed_bytes;   /* and were so many then */
    uint64_t load_ns;             /* the last load, likewise */
    uint64_t load_bytes;
    uint64_t gpu_moves; /* to another GPU; the last one: */
    uint64_t gpu_move_ns;
    uint64_t gpu_move_longest_ns; /* of all */
    uint64_t gpu_move_bytes;
    uint64_t gpu_move_objects;
    uint64_t moves; /* for tests */
    uint64_t moves_refused;
} AeroGPUStats;

void aerogpu_stats_class_init(ObjectClass *klass);

#endif /* HW_AEROGPU_STATS_H */
