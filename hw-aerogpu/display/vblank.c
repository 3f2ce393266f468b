/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vblank clock: free-running at the refresh rate on the virtual clock
 * while SCANOUT0_ENABLE is set. Sequence and time follow from the clock when
 * they are read; the timer runs only while some thread waits for a tick. VBL-1
 * to VBL-5.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/report/trace_events.h"
#include "hw-aerogpu/display/vblank.h"

/* Returns the ticks since vblank.start. BQL or lock. */
static uint64_t aerogpu_vblank_ticks(AeroGPUState *s)
{
    int64_t now;

    if (!s->vblank.running) {
        return 0;
    }
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    return now > s->vblank.start ? (now - s->vblank.start) / s->vblank.period
                                 : 0;
}

uint64_t aerogpu_vblank_seq(AeroGPUState *s)
{
    return s->vblank.base + aerogpu_vblank_ticks(s);
}

uint64_t aerogpu_vblank_time_ns(AeroGPUState *s)
{
    uint64_t ticks = aerogpu_vblank_ticks(s);

    return ticks ? s->vblank.start + ticks * s->vblank.period
                 : s->vblank.last_ns;
}

/* True if the device has to notice the next tick. BQL. */
static bool aerogpu_vblank_needed(AeroGPUState *s)
{
    return s->vblank.running &&
           ((aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_IRQ_ENABLE) &
             AEROGPU_IRQ_SCANOUT_VBLANK) ||
            qatomic_read(&s->vblank.wanted));
}

/* Returns the next tick in ns of the virtual clock. BQL or lock, any thread. */
static int64_t aerogpu_vblank_next(AeroGPUState *s)
{
    return s->vblank.start + (aerogpu_vblank_ticks(s) + 1) * s->vblank.period;
}

/* Runs at a tick. BQL, main loop. */
static void aerogpu_vblank_tick(void *opaque)
{
    AeroGPUState *s = opaque;
    uint64_t seq;

    if (!s->vblank.running) {
        return;
    }
    seq = aerogpu_vblank_seq(s);
    if (seq > s->vblank.irq_seq) {
        trace_aerogpu_vblank(seq, aerogpu_vblank_time_ns(s));
        s->vblank.irq_seq = seq;
        if (aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_IRQ_ENABLE) &
            AEROGPU_IRQ_SCANOUT_VBLANK) {
            aerogpu_irq_raise(s, AEROGPU_IRQ_SCANOUT_VBLANK);
        }
    }
    qemu_mutex_lock(&s->lock);
    s->stats.vblanks++;
    qatomic_set(&s->vblank.wanted, false);
    notifier_list_notify(&s->vblank.released, NULL);
    qemu_mutex_unlock(&s->lock);
    if (aerogpu_vblank_needed(s)) {
        timer_mod_ns(s->vblank.timer, aerogpu_vblank_next(s));
    }
}

void aerogpu_vblank_want_locked(AeroGPUState *s)
{
    if (s->vblank.running && !qatomic_xchg(&s->vblank.wanted, true)) {
        timer_mod_anticipate_ns(s->vblank.timer, aerogpu_vblank_next(s));
    }
}

void aerogpu_vblank_update(AeroGPUState *s)
{
    bool enable = aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) != 0;

    if (enable && !s->vblank.running) {
        qemu_mutex_lock(&s->lock);
        s->vblank.start = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        s->vblank.running = true;
        qemu_mutex_unlock(&s->lock);
        s->vblank.irq_seq = s->vblank.base;
    } else if (!enable && s->vblank.running) {
        uint64_t seq, time_ns;

        timer_del(s->vblank.timer);
        qemu_mutex_lock(&s->lock);
        seq = aerogpu_vblank_seq(s);
        time_ns = aerogpu_vblank_time_ns(s);
        s->vblank.base = seq;
        s->vblank.last_ns = time_ns;
        s->vblank.running = false;
        qatomic_set(&s->vblank.wanted, false);
        notifier_list_notify(&s->vblank.released, NULL);
        qemu_mutex_unlock(&s->lock);
        aerogpu_irq_ack(s, AEROGPU_IRQ_SCANOUT_VBLANK);
    }
    /* Under the lock, so that aerogpu_vblank_want_locked() cannot interfere. */
    QEMU_LOCK_GUARD(&s->lock);
    if (aerogpu_vblank_needed(s)) {
        /* Only later ticks raise a bit that was just enabled. */
        if (!timer_pending(s->vblank.timer)) {
            s->vblank.irq_seq = aerogpu_vblank_seq(s);
        }
        timer_mod_anticipate_ns(s->vblank.timer, aerogpu_vblank_next(s));
    } else {
        timer_del(s->vblank.timer);
    }
}

void aerogpu_vblank_reset(AeroGPUState *s)
{
    timer_del(s->vblank.timer);
    qemu_mutex_lock(&s->lock);
    s->vblank.running = false;
    s->vblank.base = 0;
    s->vblank.last_ns = 0;
    s->vblank.irq_seq = 0;
    qatomic_set(&s->vblank.wanted, false);
    qemu_mutex_unlock(&s->lock);
}

void aerogpu_vblank_init(AeroGPUState *s)
{
    notifier_list_init(&s->vblank.released);
    s->vblank.period =
        (NANOSECONDS_PER_SECOND * 1000 + s->edid.refresh_mhz / 2) /
        s->edid.refresh_mhz;
    s->vblank.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, aerogpu_vblank_tick, s);
}

void aerogpu_vblank_exit(AeroGPUState *s)
{
    if (s->vblank.timer) {
        timer_free(s->vblank.timer);
        s->vblank.timer = NULL;
    }
}

/* ---- saved state ---- */

static int aerogpu_vblank_pre_save(void *opaque)
{
    AeroGPUVblank *v = opaque;

    v->saved = (AeroGPUSavedVblank){
        .period = v->period,
        .start = v->running ? v->start : (int64_t)v->last_ns,
        .base = v->base,
        .last_ns = v->last_ns,
        .irq_seq = v->irq_seq,
    };
    return 0;
}

/* QEMU has loaded the virtual clock already. */
int aerogpu_vblank_loaded(AeroGPUState *s)
{
    const AeroGPUSavedVblank *saved = &s->vblank.saved;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (saved->period != s->vblank.period) {
        return aerogpu_load_error("its vblank period is %" PRId64 " ns, the "
                                  "device's refresh_rate makes %" PRId64,
                                  saved->period, s->vblank.period);
    }
    if (saved->start < 0 || saved->start > now ||
        saved->last_ns > saved->start) {
        return aerogpu_load_error("vblank ticked at %" PRIu64 " ns and counts "
                                  "from %" PRId64 " ns, now is %" PRId64 " ns",
                                  saved->last_ns, saved->start, now);
    }
    /* A tick takes a period, and the clock counts none before time 0. */
    if (saved->base > (uint64_t)(saved->start / saved->period)) {
        return aerogpu_load_error("%" PRIu64 " vblanks until %" PRId64 " ns",
                                  saved->base, saved->start);
    }
    WITH_QEMU_LOCK_GUARD (&s->lock) {
        s->vblank.start = saved->start;
        s->vblank.base = saved->base;
        s->vblank.last_ns = saved->last_ns;
        s->vblank.running =
            aerogpu_reg(&s->regs, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) != 0;
    }
    if (saved->irq_seq > aerogpu_vblank_seq(s)) {
        return aerogpu_load_error("vblank %" PRIu64 " was delivered",
                                  saved->irq_seq);
    }
    s->vblank.irq_seq = saved->irq_seq;
    if (aerogpu_vblank_needed(s)) {
        /* At once, if a tick was due and not delivered. */
        timer_mod_ns(s->vblank.timer, saved->irq_seq < aerogpu_vblank_seq(s)
                                          ? now
                                          : aerogpu_vblank_next(s));
    }
    return 0;
}

const VMStateDescription aerogpu_vblank_vmstate = {
    .name = "aerogpu/vblank",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = aerogpu_vblank_pre_save,
    .fields =
        AEROGPU_VMSTATE_FIELDS{ VMSTATE_INT64(saved.period, AeroGPUVblank),
                                VMSTATE_INT64(saved.start, AeroGPUVblank),
                                VMSTATE_UINT64(saved.base, AeroGPUVblank),
                                VMSTATE_UINT64(saved.last_ns, AeroGPUVblank),
                                VMSTATE_UINT64(saved.irq_seq, AeroGPUVblank),
                                VMSTATE_END_OF_LIST() },
};
