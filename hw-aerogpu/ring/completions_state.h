/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The saved state of submissions (completions_state.c). */
#ifndef HW_AEROGPU_COMPLETIONS_STATE_H
#define HW_AEROGPU_COMPLETIONS_STATE_H

#include "hw-aerogpu/types.h"
#include "aerogpu/renderer.h"

/* Of an AeroGPUCompletions. */
extern const VMStateDescription aerogpu_completions_vmstate;
/*
 * Takes over the saved submissions. Returns < 0 if no device can have saved
 * them. BQL; call it when ring, vblank and scanout are loaded.
 */
int aerogpu_completions_loaded(AeroGPUState *s);
/*
 * Returns why the submissions that are not completed cannot be saved, or NULL.
 * g_free() it. BQL.
 */
char *aerogpu_completions_unsavable(AeroGPUState *s);
/* Returns the frame of the saved submission number `index`, or NULL. BQL. */
const struct aerogpu_frame *aerogpu_completions_frame(AeroGPUState *s,
                                                      uint32_t index);
/* Replaces the frames that wait by copies that need no GPU. Render thread. */
void aerogpu_completions_copy_frames(AeroGPUState *s);
/* Gives a frame to the loaded submission number `index`. False if it has one,
 * or if there is none. BQL. */
bool aerogpu_completions_give_frame(AeroGPUState *s, uint32_t index,
                                    struct aerogpu_frame *frame);

#endif /* HW_AEROGPU_COMPLETIONS_STATE_H */
