/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submissions from fetch to completion (completions.c). */
#ifndef HW_AEROGPU_COMPLETIONS_H
#define HW_AEROGPU_COMPLETIONS_H

#include "qemu/notify.h"
#include "hw-aerogpu/types.h"
#include "aerogpu/renderer.h"

/* A fetched submission that is not completed. Cookie = its sequence number. */
typedef struct AeroGPUSubmission {
    uint64_t signal_fence;
    uint64_t generation;    /* dropped unless still the device's */
    uint64_t ring_serial;   /* moves the head of this ring only */
    uint64_t flip_serial;   /* of the scanout, at the fetch */
    uint64_t fetched_ns;    /* host clock */
    uint64_t work_done_seq; /* vblank sequence when its work was done */
    int64_t due_ns;         /* for tests: earliest completion */
    struct aerogpu_frame *frame;
    uint32_t next_head; /* ring index after its slot */
    uint32_t flags;     /* enum aerogpu_submit_flags */
    uint32_t error_count;
    uint32_t error_code;
    uint32_t space; /* 0 without handle spaces */
    uint32_t context_id;
    uint32_t present_count;
    bool done;          /* the renderer is finished with it */
    bool vsync;         /* completes at a vblank */
    bool texture;       /* the scanout was a live texture */
    bool changed;       /* ...that may differ from the newest frame of it */
    bool lost;          /* the GPU was lost before its end */
    bool stuck;         /* never completes; a reset drops it */
    bool must_not_fail; /* its failure holds the ring (MEM-10) */
    bool reported;      /* the driver was told of the failure */
} AeroGPUSubmission;

/*
 * A submission in a saved state: its work is done, it waits for its turn. Its
 * frame is saved elsewhere (snapshot/carry.c), its time of fetch is not.
 */
typedef struct AeroGPUSavedSubmission {
    uint64_t signal_fence;
    uint64_t work_done_seq;
    uint32_t next_head;
    uint32_t flags;
    uint32_t error_count;
    uint32_t error_code;
    uint32_t space;
    uint32_t context_id;
    uint32_t present_count;
    bool vsync;
    bool texture;
    bool moves_head; /* fetched from the present ring */
    bool shows;      /* no flip since the fetch */
    bool changed;
    bool lost;
    bool must_not_fail;
    bool reported;
} AeroGPUSavedSubmission;

typedef struct AeroGPUSavedCompletions {
    uint32_t count;
    AeroGPUSavedSubmission waiting[AEROGPU_MAX_OUTSTANDING];
} AeroGPUSavedCompletions;

/* Under `lock`. */
typedef struct AeroGPUCompletions {
    AeroGPUSubmission slots[AEROGPU_MAX_OUTSTANDING];
    uint64_t submit_seq;       /* sequence of the next submission */
    uint64_t retire_seq;       /* sequence of the next completion */
    uint64_t generation;       /* raised by ring and device reset */
    uint64_t fetch_generation; /* generation the render thread is in */
    uint64_t last_vsync_seq;   /* tick of the last vsync present */
    bool full;                 /* fetching waits for a completion */
    bool held; /* a submission failed that must not fail; ends with the
                  generation */
    Notifier vblank;
    /* For tests: virtual time that each submission takes. */
    uint32_t delay_ms;
    bool stick; /* the next submission is stuck */
    int64_t last_due_ns;
    QEMUTimer *due;
    AeroGPUSavedCompletions saved; /* BQL */
} AeroGPUCompletions;

/*
 * True if there is room for the record of one more submission. If not, the next
 * completion wakes the render thread. Lock held.
 */
static inline bool aerogpu_completions_room_locked(AeroGPUCompletions *c)
{
    c->full = c->submit_seq - c->retire_seq >= AEROGPU_MAX_OUTSTANDING;
    return !c->full;
}

/*
 * True if a submission failed that must not: the device fetches nothing. Any
 * thread, lock held.
 */
static inline bool aerogpu_completions_held_locked(const AeroGPUCompletions *c)
{
    return c->held;
}

/*
 * For tests: makes the GPU take `delay_ms` of virtual time for each submission
 * from now on. BQL.
 */
void aerogpu_completions_delay(AeroGPUState *s, uint32_t delay_ms);
/* For tests: makes the next submission endless. Any thread. */
void aerogpu_completions_stick(AeroGPUState *s, bool stick);

/*
 * Notes a submission that was fetched from the slot before `next_head`, and
 * gives it its cookie. Render thread.
 */
void aerogpu_completions_add(AeroGPUState *s, struct aerogpu_submission *sub,
                             uint32_t next_head);
/* The renderer's submission_done. Render thread or the renderer's own
 * thread. */
void aerogpu_submission_done(AeroGPUState *s,
                             const struct aerogpu_submission_result *result);

/*
 * Starts a new generation: submissions that were fetched before have no effect
 * any more. BQL, lock held.
 */
void aerogpu_completions_drop_locked(AeroGPUState *s);
/* Completes the submissions that nothing delays any more. Any thread. */
void aerogpu_completions_go_on(AeroGPUState *s);
/* Assigns later fetches to the newest generation. Render thread. */
void aerogpu_completions_enter_generation(AeroGPUState *s);
/* True if the render thread is in the newest generation. Any thread. */
bool aerogpu_completions_entered(AeroGPUState *s);
/* Gives back the frames of uncompleted submissions. Any thread. */
void aerogpu_completions_drop_frames(AeroGPUState *s);
void aerogpu_completions_reset_locked(AeroGPUState *s);

/* True if the renderer is still at work on a submission. Any thread. */
bool aerogpu_completions_are_busy(AeroGPUState *s);
/* Returns the number of frames that wait for completion. Any thread. */
uint32_t aerogpu_completions_frames(AeroGPUState *s);

void aerogpu_completions_init(AeroGPUState *s);
void aerogpu_completions_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_COMPLETIONS_H */
