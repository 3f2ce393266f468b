/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last errors and log lines, with their time (history.c). */
#ifndef HW_AEROGPU_HISTORY_H
#define HW_AEROGPU_HISTORY_H

#include "qemu/thread.h"
#include "hw-aerogpu/types.h"

#define AEROGPU_HISTORY 16 /* of each */
#define AEROGPU_HISTORY_TEXT 200

typedef struct AeroGPUPastError {
    int64_t time_us; /* of the host's real-time clock, since 1970 */
    uint64_t fence;
    uint32_t code;
    uint32_t count;
} AeroGPUPastError;

typedef struct AeroGPUPastLine {
    int64_t time_us;
    bool guest; /* the guest's fault, not the host's */
    char text[AEROGPU_HISTORY_TEXT];
} AeroGPUPastLine;

typedef struct AeroGPUHistory {
    QemuMutex lock; /* a leaf */
    AeroGPUPastError errors[AEROGPU_HISTORY];
    uint64_t error_count; /* ever */
    AeroGPUPastLine lines[AEROGPU_HISTORY];
    uint64_t line_count; /* ever */
} AeroGPUHistory;

/* Notes latched errors. Any thread, any lock may be held. */
void aerogpu_history_error(AeroGPUState *s, uint32_t code, uint64_t fence,
                           uint32_t count);
/* Notes a line, cut to its maximum. Any thread, any lock may be held. */
void aerogpu_history_line(AeroGPUState *s, bool guest, const char *text);
/* Visits the members "errors" and "messages" of a structure, oldest first. */
bool aerogpu_history_visit(AeroGPUState *s, Visitor *v, Error **errp);

void aerogpu_history_init(AeroGPUState *s);
void aerogpu_history_finalize(AeroGPUState *s);

#endif /* HW_AEROGPU_HISTORY_H */
