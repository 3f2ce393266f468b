/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts: IRQ_STATUS, the INTx pin, MSI (irq.c). */
#ifndef HW_AEROGPU_IRQ_H
#define HW_AEROGPU_IRQ_H

#include "qemu/event_notifier.h"
#include "hw-aerogpu/types.h"

#define AEROGPU_IRQ_BITS \
    (AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR)

typedef struct AeroGPUIrq {
    uint32_t status;     /* atomic */
    uint64_t interrupts; /* atomic: times that an enabled bit came up */
    QEMUBH *bh;          /* scheduled by any thread */
    EventNotifier msi_notifier;
    int msi_virq;      /* BQL; -1 = no irqfd */
    bool irqfd_active; /* atomic */
    bool msi_kick;     /* atomic: a new reason to send a message */
} AeroGPUIrq;

/* Sets status bits and interrupts the guest. Any thread, no lock needed. */
void aerogpu_irq_raise(AeroGPUState *s, uint32_t bits);
/* Clears status bits, for IRQ_ACK and other causes. BQL. */
void aerogpu_irq_ack(AeroGPUState *s, uint32_t bits);
/* Handles a write to IRQ_ENABLE. BQL. */
void aerogpu_irq_enable_changed(AeroGPUState *s);
/* Handles a write to the MSI capability or the command register. BQL. */
void aerogpu_irq_config_changed(AeroGPUState *s);
void aerogpu_irq_reset(AeroGPUState *s); /* BQL */

extern const VMStateDescription aerogpu_irq_vmstate;
/*
 * Sends what the saved device had still to send. Call it when the parts and
 * PCI's configuration are loaded. BQL.
 */
void aerogpu_irq_loaded(AeroGPUState *s);

bool aerogpu_irq_init(AeroGPUState *s, Error **errp);
void aerogpu_irq_exit(AeroGPUState *s);

#endif /* HW_AEROGPU_IRQ_H */
