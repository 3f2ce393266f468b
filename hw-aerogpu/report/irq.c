/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IRQ_STATUS, IRQ_ENABLE, IRQ_ACK and the two ways an interrupt reaches the
 * guest: the INTx pin, which follows IRQ_STATUS & IRQ_ENABLE, and MSI. The
 * device sends a message for each bit that becomes set, and another after an
 * acknowledge that leaves bits set, so that none is lost. IRQ-1 to IRQ-5.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "hw/pci/msi.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/report/trace_events.h"

static uint32_t aerogpu_irq_pending(AeroGPUState *s)
{
    return qatomic_read(&s->irq.status) &
           aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_IRQ_ENABLE);
}

/* Makes pin and messages follow the status. BQL. */
static void aerogpu_irq_update(AeroGPUState *s)
{
    /* In this order: a raise sets the status, then the kick. */
    bool kick = qatomic_xchg(&s->irq.msi_kick, false);
    bool pending = aerogpu_irq_pending(s) != 0;

    if (msi_enabled(&s->pci)) {
        if (pending && kick) {
            trace_aerogpu_irq_msi(qatomic_read(&s->irq.status));
            msi_notify(&s->pci, 0);
        }
    } else {
        trace_aerogpu_irq_level(pending);
        pci_set_irq(&s->pci, pending);
    }
}

static void aerogpu_irq_bh(void *opaque)
{
    aerogpu_irq_update(opaque);
}

/* Sets status bits and interrupts the guest. Any thread, no lock needed. */
void aerogpu_irq_raise(AeroGPUState *s, uint32_t bits)
{
    uint32_t old = qatomic_fetch_or(&s->irq.status, bits);
    uint32_t enable;

    /* Pairs with the barrier in aerogpu_irq_enable_changed(). */
    smp_mb__after_rmw();
    enable = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_IRQ_ENABLE);
    trace_aerogpu_irq_raise(bits, old | bits, enable);
    if (!(bits & ~old & enable)) {
        return;
    }
    qatomic_inc(&s->irq.interrupts);
    if (qatomic_read(&s->irq.irqfd_active)) {
        event_notifier_set(&s->irq.msi_notifier);
        return;
    }
    qatomic_set(&s->irq.msi_kick, true);
    qemu_bh_schedule(s->irq.bh);
}

/* Clears status bits, for IRQ_ACK and other causes. BQL. */
void aerogpu_irq_ack(AeroGPUState *s, uint32_t bits)
{
    uint32_t old = qatomic_fetch_and(&s->irq.status, ~bits);

    if (old & bits) {
        if (aerogpu_irq_pending(s)) {
            qatomic_set(&s->irq.msi_kick, true);
        }
        aerogpu_irq_update(s);
    }
}

/* Handles a write to IRQ_ENABLE. BQL. */
void aerogpu_irq_enable_changed(AeroGPUState *s)
{
    /*
     * Stores the register before it reads the status: a raise sets the status,
     * then reads the register, so one of the two sees both.
     */
    smp_mb();
    if (aerogpu_irq_pending(s)) {
        qatomic_set(&s->irq.msi_kick, true);
    }
    aerogpu_irq_update(s);
}

static void aerogpu_irqfd_detach(AeroGPUState *s)
{
    if (s->irq.msi_virq < 0) {
        return;
    }
    qatomic_set(&s->irq.irqfd_active, false);
    kvm_irqchip_remove_irqfd_notifier_gsi(kvm_state, &s->irq.msi_notifier,
                                          s->irq.msi_virq);
    kvm_irqchip_release_virq(kvm_state, s->irq.msi_virq);
    s->irq.msi_virq = -1;
    /* The bottom half sends a message that KVM has not sent yet. */
    if (event_notifier_test_and_clear(&s->irq.msi_notifier)) {
        qatomic_set(&s->irq.msi_kick, true);
        qemu_bh_schedule(s->irq.bh);
    }
}

/* Makes KVM, if there is one, send a message when the notifier is signalled. */
static void aerogpu_irqfd_attach(AeroGPUState *s)
{
    KVMRouteChange change;

    if (!kvm_msi_via_irqfd_enabled()) {
        return;
    }
    if (s->irq.msi_virq >= 0) {
        kvm_irqchip_update_msi_route(kvm_state, s->irq.msi_virq,
                                     msi_get_message(&s->pci, 0), &s->pci);
        kvm_irqchip_commit_routes(kvm_state);
        return;
    }
    change = kvm_irqchip_begin_route_changes(kvm_state);
    s->irq.msi_virq = kvm_irqchip_add_msi_route(&change, 0, &s->pci);
    if (s->irq.msi_virq < 0) {
        return;
    }
    kvm_irqchip_commit_route_changes(&change);
    if (kvm_irqchip_add_irqfd_notifier_gsi(kvm_state, &s->irq.msi_notifier,
                                           NULL, s->irq.msi_virq) < 0) {
        kvm_irqchip_release_virq(kvm_state, s->irq.msi_virq);
        s->irq.msi_virq = -1;
        return;
    }
    qatomic_set(&s->irq.irqfd_active, true);
}

/*
 * Connects the notifier to KVM only if the device may send messages. A message
 * is a write by the device: without Bus Master Enable msi_notify() drops it,
 * but KVM would send it.
 */
static void aerogpu_irqfd_update(AeroGPUState *s)
{
    uint16_t command = pci_get_word(s->pci.config + PCI_COMMAND);

    if (msi_enabled(&s->pci) && (command & PCI_COMMAND_MASTER)) {
        aerogpu_irqfd_attach(s);
    } else {
        aerogpu_irqfd_detach(s);
    }
}

void aerogpu_irq_config_changed(AeroGPUState *s)
{
    aerogpu_irqfd_update(s);
    aerogpu_irq_enable_changed(s);
}

void aerogpu_irq_reset(AeroGPUState *s)
{
    qatomic_set(&s->irq.status, 0);
    aerogpu_irqfd_detach(s);
    event_notifier_test_and_clear(&s->irq.msi_notifier);
    qatomic_set(&s->irq.msi_kick, false);
    pci_set_irq(&s->pci, 0);
}

bool aerogpu_irq_init(AeroGPUState *s, Error **errp)
{
    s->irq.msi_virq = -1;
    if (event_notifier_init(&s->irq.msi_notifier, 0) < 0) {
        error_setg(errp, "aerogpu: cannot create an event descriptor");
        return false;
    }
    /* Guarded: QEMU refuses a message to our own registers, as it does all
     * other DMA to them. */
    s->irq.bh = qemu_bh_new_guarded(aerogpu_irq_bh, s,
                                    &DEVICE(s)->mem_reentrancy_guard);
    return true;
}

void aerogpu_irq_exit(AeroGPUState *s)
{
    if (!s->irq.bh) {
        return;
    }
    aerogpu_irqfd_detach(s);
    qemu_bh_delete(s->irq.bh);
    s->irq.bh = NULL;
    event_notifier_cleanup(&s->irq.msi_notifier);
}

/* ---- saved state ---- */

static int aerogpu_irq_post_load(void *opaque, int version_id)
{
    AeroGPUIrq *irq = opaque;
    uint32_t unknown = irq->status & ~AEROGPU_IRQ_BITS;

    if (unknown) {
        irq->status = 0;
        return aerogpu_load_error("IRQ_STATUS has the bits 0x%x", unknown);
    }
    return 0;
}

/* Sends the message that the saved device had still to send. */
void aerogpu_irq_loaded(AeroGPUState *s)
{
    aerogpu_irqfd_update(s);
    qemu_bh_schedule(s->irq.bh);
}

/* Leaves out the counter and the irqfd, which belong to the host. */
const VMStateDescription aerogpu_irq_vmstate = {
    .name = "aerogpu/irq",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = aerogpu_irq_post_load,
    .fields = AEROGPU_VMSTATE_FIELDS{ VMSTATE_UINT32(status, AeroGPUIrq),
                                      VMSTATE_BOOL(msi_kick, AeroGPUIrq),
                                      VMSTATE_END_OF_LIST() },
};
