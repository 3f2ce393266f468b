/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that the renderer holds for the guest, on its way out of it and
 * into it (handover.c). The renderer is the render thread's, so the side that
 * saves or loads waits for that thread, as long as it makes progress.
 */
#ifndef HW_AEROGPU_HANDOVER_H
#define HW_AEROGPU_HANDOVER_H

#include "hw-aerogpu/ring/spool.h"
#include "hw-aerogpu/types.h"
#include "aerogpu/renderer.h"

/* Those that wait with submissions, and the one that is shown. */
#define AEROGPU_MOST_FRAMES (AEROGPU_MAX_OUTSTANDING + 1)
/* A save or load that makes no progress for so long has failed. */
#define AEROGPU_NO_PROGRESS_MS 10000

/* A frame of a saved state. Its pixels follow each other in the spool. */
typedef struct AeroGPUSavedFrame {
    uint32_t place; /* 0: it is shown; else of the submission place - 1 */
    uint32_t width;
    uint32_t height;
    uint32_t format; /* enum aerogpu_format */
    uint64_t at;     /* in the spool */
    uint64_t bytes;
} AeroGPUSavedFrame;

/* A saved state's part that goes to the renderer. */
typedef struct AeroGPUCargo {
    AeroGPUSpool spool;
    uint64_t snapshot_at;    /* in the spool */
    uint64_t snapshot_bytes; /* 0: the renderer holds nothing */
    uint64_t dropped_bytes;
    bool dropped;  /* there was a snapshot, which is not to be taken */
    bool may_lose; /* what cannot be taken is lost, with the GPU */
    uint32_t frames;
    AeroGPUSavedFrame frame[AEROGPU_MOST_FRAMES];
} AeroGPUCargo;

typedef enum AeroGPUHandoverResult {
    AEROGPU_HANDED_OVER,
    AEROGPU_HANDOVER_LOST, /* the GPU is lost, with all that it held */
    AEROGPU_HANDOVER_FAILED,
} AeroGPUHandoverResult;

/* Steps of a migration while the machine runs. */
typedef enum AeroGPULiveStep {
    AEROGPU_LIVE_BEGIN,  /* a save */
    AEROGPU_LIVE_SEND,   /* contents ahead of it */
    AEROGPU_LIVE_CANCEL, /* drop it */
    AEROGPU_LIVE_TAKE,   /* the cargo's bytes, ahead of a load */
    AEROGPU_LIVE_DROP,   /* what came ahead */
} AeroGPULiveStep;

/* A step sends not much more at a time: the guest waits for it. */
#define AEROGPU_AHEAD_BYTES (256 * KiB)

typedef struct AeroGPUHandover {
    bool taken;        /* lock: by one side, with all members below */
    bool running;      /* lock: lent on to the render thread */
    bool abandoned;    /* atomic: nobody waits any more */
    uint32_t progress; /* atomic: grows while it goes on */
    AeroGPUCargo cargo;
    struct aerogpu_frame *made[AEROGPU_MOST_FRAMES]; /* of a load */
    AeroGPUHandoverResult result;
    uint64_t rest_ns; /* until all work was done */
    AeroGPULiveStep step;
    uint64_t rested; /* aerogpu_renderer_save_ahead() */
    uint64_t written;
    bool saving; /* render thread: a save has begun */
    char error[AEROGPU_ERROR_BYTES];
} AeroGPUHandover;

/* Returns the most bytes that a cargo can have. Constant. */
uint64_t aerogpu_handover_most(AeroGPUState *s);

/*
 * Brings the renderer to rest and takes a snapshot of it into `cargo`, which
 * holds no frames then. After a failure `error` says why, and nothing has
 * changed. BQL, the VM does not run.
 */
AeroGPUHandoverResult aerogpu_handover_save(AeroGPUState *s,
                                            AeroGPUCargo *cargo,
                                            uint64_t *rest_ns, char **error);
/*
 * Gives a cargo to the renderer, in place of all that it holds, and closes it.
 * `made` gets the frames, in their order. After a failure `error` says why,
 * and the renderer holds nothing; if the cargo may be lost it is: frames come,
 * but those without room, which are NULL. BQL, the VM does not run.
 */
AeroGPUHandoverResult aerogpu_handover_load(AeroGPUState *s,
                                            AeroGPUCargo *cargo,
                                            struct aerogpu_frame **made,
                                            char **error);

/*
 * Makes a step. `cargo` gets bytes or gives them; its spool stays open, unless
 * the step fails because the render thread does not end: then it is zeroed.
 * False with `error` if it fails. Any thread, one at a time.
 */
bool aerogpu_handover_live(AeroGPUState *s, AeroGPULiveStep step,
                           AeroGPUCargo *cargo, uint64_t *rested,
                           uint64_t *written, char **error);

/* Do the render thread's parts of the above. */
void aerogpu_handover_live_requested(AeroGPUState *s);
void aerogpu_handover_save_requested(AeroGPUState *s);
void aerogpu_handover_load_requested(AeroGPUState *s);

/*
 * Takes the handover, so that its members are the caller's until
 * aerogpu_handover_end(); waits for another side as long as that goes on, and as
 * long for the end of one that was given up, if `waits` says so. False if it does
 * not end: aerogpu_handover_stuck() says so. Any thread.
 */
bool aerogpu_handover_begin(AeroGPUState *s, bool waits);
void aerogpu_handover_end(AeroGPUState *s);
/*
 * Lends `cargo` to the render thread with a request, and waits as long as there
 * is progress. False if that has not ended: the handover is the thread's then,
 * to its end, and aerogpu_handover_stuck() says so, g_free() it. Any thread that
 * took the handover.
 */
bool aerogpu_handover_run(AeroGPUState *s, AeroGPUCargo *cargo,
                          uint32_t request);
char *aerogpu_handover_stuck(void);
/* Returns true if nobody waits any more. Render thread. */
bool aerogpu_handover_is_over(AeroGPUState *s);
/* Notes progress. Render thread. */
void aerogpu_handover_goes_on(AeroGPUState *s);
/* Gives the cargo back to the side that waits, or drops it. Render thread. */
void aerogpu_handover_ends(AeroGPUState *s);

#endif /* HW_AEROGPU_HANDOVER_H */
