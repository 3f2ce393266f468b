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
    uint64_t generation;    /* dropped when it is not the device's */
    uint64_t ring_serial;   /* head moves only in the ring it came from */
    uint64_t flip_serial;   /* scanout address that its frame belongs to */
    uint64_t fetched_ns;    /* host clock */
    uint64_t work_done_seq; /* vblank sequence when its work was done */
    int64_t due_ns;         /* completes no earlier, by the virtual clock */
    struct aerogpu_frame *frame;
    uint32_t next_head; /* ring index after it */
    uint32_t flags;     /* enum aerogpu_submit_flags */
    uint32_t error_count;
    uint32_t error_code;
    uint32_t space; /* 0 without handle spaces */
    uint32_t context_id;
    uint32_t present_count;
    bool done;          /* the renderer is finished with it */
    bool vsync;         /* completes at a vblank */
    bool texture;       /* the scanout was a live texture */
    bool lost;          /* the GPU was lost under it, or before */
    bool stuck;         /* never completes; a reset drops it */
    bool must_not_fail; /* it holds the ring if it does (MEM-10) */
    bool reported;      /* it does, and the driver knows */
} AeroGPUSubmission;

/*
 * A submission in a saved state: its work is done, it waits for its turn. Of
 * what the host keeps of it, frame and time of fetch are not saved.
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
    bool moves_head; /* it came from the ring that there is */
    bool shows;      /* no flip since it was fetched */
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
    bool held; /* one failed that must not: until the next generation */
    Notifier vblank;
    /* For tests: a GPU that takes so long for each submission, or for ever. */
    uint32_t delay_ms;
    bool stick; /* the next submission is stuck */
    int64_t last_due_ns;
    QEMUTimer *due;
    AeroGPUSavedCompletions saved; /* BQL */
} AeroGPUCompletions;

/*
 * Whether there is room for the record of one more submission; if not, the
 * render thread is asked to look again when there is. Lock held.
 */
static inline bool aerogpu_completions_room_locked(AeroGPUCompletions *c)
{
    c->full = c->submit_seq - c->retire_seq >= AEROGPU_MAX_OUTSTANDING;
    return !c->full;
}

/*
 * Whether a submission has failed that must not: nothing is fetched. Any
 * thread, lock held.
 */
static inline bool aerogpu_completions_held_locked(const AeroGPUCompletions *c)
{
    return c->held;
}

/*
 * Notes a submission that was fetched from the slot before `next_head`, and
 * gives it its cookie. Render thread.
 */
/*
 * For tests: the GPU takes `delay_ms` of virtual time for each submission from
 * now on. BQL.
 */
void aerogpu_completions_delay(AeroGPUState *s, uint32_t delay_ms);
/* For tests: the next submission never ends. Any thread. */
void aerogpu_completions_stick(AeroGPUState *s, bool stick);

void aerogpu_completions_add(AeroGPUState *s, struct aerogpu_submission *sub,
                             uint32_t next_head);
/* The renderer's submission_done. Render thread or the renderer's own. */
void aerogpu_submission_done(AeroGPUState *s,
                             const struct aerogpu_submission_result *result);

/*
 * Starts a new generation: what was fetched before has no effect any more.
 * BQL, lock held.
 */
void aerogpu_completions_drop_locked(AeroGPUState *s);
/* What is fetched from here on belongs to the newest generation. Render thread.
 */
/* What kept submissions from completing may be over. Any thread. */
void aerogpu_completions_go_on(AeroGPUState *s);
void aerogpu_completions_enter_generation(AeroGPUState *s);
/* Whether it belongs to what came after the last drop. Any thread. */
bool aerogpu_completions_entered(AeroGPUState *s);
/* Gives back the frames that wait for their completion. Any thread. */
void aerogpu_completions_drop_frames(AeroGPUState *s);
void aerogpu_completions_reset_locked(AeroGPUState *s);

/* Whether one that must not fail has failed. Any thread. */
bool aerogpu_completions_held(AeroGPUState *s);

extern const VMStateDescription aerogpu_completions_vmstate;
/*
 * Takes over what waits. Returns < 0 if no device can have saved that. BQL;
 * ring, vblank and scanout are loaded.
 */
int aerogpu_completions_loaded(AeroGPUState *s);
/* Whether the renderer is still at work on one. Any thread. */
bool aerogpu_completions_are_busy(AeroGPUState *s);
/* Frames that wait for their completion. Any thread. */
uint32_t aerogpu_completions_frames(AeroGPUState *s);

void aerogpu_completions_init(AeroGPUState *s);
void aerogpu_completions_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_COMPLETIONS_H */
