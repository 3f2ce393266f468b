/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handle spaces: the switch, and the list of them (spaces.c). */
#ifndef HW_AEROGPU_SPACES_H
#define HW_AEROGPU_SPACES_H

#include "hw-aerogpu/types.h"

typedef struct AeroGPUSpaces {
    bool enabled;           /* atomic; written under the BQL */
    uint32_t scanout_alloc; /* BQL: the register; a flip uses it */
} AeroGPUSpaces;

/* True if submissions are in spaces. Any thread. */
bool aerogpu_spaces_enabled(AeroGPUState *s);

/* Switches spaces on or off. The ring is disabled. BQL. */
void aerogpu_spaces_enable(AeroGPUState *s, bool enable);
/* Device reset. BQL. */
void aerogpu_spaces_reset(AeroGPUState *s);

/* Returns the AEROGPU_EXT_REG_SPACE_* register at `offset`. Any thread. */
uint32_t aerogpu_spaces_limit(AeroGPUState *s, uint32_t offset);

extern const VMStateDescription aerogpu_spaces_vmstate;

/* Adds the property that lists the spaces. */
void aerogpu_spaces_class_init(ObjectClass *klass);

/* Visits the list of handle spaces as `name`; false if the visitor failed. */
bool aerogpu_spaces_visit(AeroGPUState *s, Visitor *v, const char *name,
                          Error **errp);
/* Returns the totals of all spaces, as of the last submission of each. */
void aerogpu_spaces_held(AeroGPUState *s, uint64_t *objects,
                         uint64_t *contexts);

#endif /* HW_AEROGPU_SPACES_H */
