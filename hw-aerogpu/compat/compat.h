/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hides the differences between the QEMU versions that the device supports
 * (7.2 and 10.0). Every file of the device includes it after qemu/osdep.h.
 */
#ifndef HW_AEROGPU_COMPAT_H
#define HW_AEROGPU_COMPAT_H

#include "qemu/atomic.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "ui/console.h"

#if QEMU_VERSION_MAJOR >= 8
#include "hw/pci/pci_device.h"
#else
#include "hw/pci/pci.h"
#endif

#if QEMU_VERSION_MAJOR >= 10
#include "system/hostmem.h"
#include "system/kvm.h"
#include "system/runstate.h"
#include "system/system.h"
#else
#include "sysemu/hostmem.h"
#include "sysemu/kvm.h"
#include "sysemu/runstate.h"
#include "sysemu/sysemu.h"
#endif

/* Makes an atomic read-modify-write a full barrier; since 8.0. */
#ifndef smp_mb__after_rmw
#if defined(__i386__) || defined(__x86_64__)
#define smp_mb__after_rmw() barrier() /* it is one already */
#else
#define smp_mb__after_rmw() smp_mb()
#endif
#endif

/* Property arrays lost their terminator in 10.0 and became const. */
#if QEMU_VERSION_MAJOR >= 10
#define AEROGPU_PROPERTY const Property
#define AEROGPU_PROPERTY_END
#else
#define AEROGPU_PROPERTY Property
#define AEROGPU_PROPERTY_END DEFINE_PROP_END_OF_LIST(),
#endif

/* Field arrays of a VMStateDescription are const since 8.2. */
#if QEMU_VERSION_MAJOR >= 9
#define AEROGPU_VMSTATE_FIELDS (const VMStateField[])
#else
#define AEROGPU_VMSTATE_FIELDS (VMStateField[])
#endif

/* The types of interface lists and the argument of class_init(). */
#if QEMU_VERSION_MAJOR > 10 || \
    (QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR >= 1)
#define AEROGPU_CLASS_DATA const void
#define AEROGPU_INTERFACES const InterfaceInfo
#else
#define AEROGPU_CLASS_DATA void
#define AEROGPU_INTERFACES InterfaceInfo
#endif

/* Sets the reset function of a device class (a field until 9.0). */
static inline void aerogpu_compat_set_reset(DeviceClass *dc,
                                            void (*reset)(DeviceState *))
{
#if QEMU_VERSION_MAJOR >= 10
    device_class_set_legacy_reset(dc, reset);
#else
    dc->reset = reset;
#endif
}

/*
 * Says why the machine cannot be saved: to query-migrate, and QEMU logs it when
 * the migration ends; or, without a migration, in the log. Returns -EINVAL.
 */
int G_GNUC_PRINTF(1, 2) aerogpu_compat_saving_fails(const char *format, ...);

/* save_setup() has an Error since 9.0, which must be set. */
#if QEMU_VERSION_MAJOR >= 9
#define AEROGPU_SAVE_SETUP(name) \
    int name(QEMUFile *f, void *opaque, Error **errp)
#define AEROGPU_SAVE_SETUP_FAILS(...) (error_setg(errp, __VA_ARGS__), -EINVAL)
#else
#define AEROGPU_SAVE_SETUP(name) int name(QEMUFile *f, void *opaque)
#define AEROGPU_SAVE_SETUP_FAILS(...) aerogpu_compat_saving_fails(__VA_ARGS__)
#endif

/* True if the migration has sent what its bandwidth allows for now. */
bool aerogpu_compat_rate_exceeded(QEMUFile *f);
/*
 * Sends bytes without a copy of them. They must stay until
 * aerogpu_compat_flush().
 */
void aerogpu_compat_put_in_place(QEMUFile *f, const void *bytes, size_t size);
void aerogpu_compat_flush(QEMUFile *f);
/*
 * Returns how many bytes a second it may send now; 0: any number. Nothing
 * limits it once the machine has stopped.
 */
uint64_t aerogpu_compat_bandwidth(QEMUFile *f);

/* True if these capabilities of migration are on. Any thread. */
bool aerogpu_compat_postcopy(void);
bool aerogpu_compat_background_snapshot(void);
/* True if a background snapshot ends when save_setup() fails; otherwise it
 * goes on with its error, until the devices are saved (7.2). */
#define AEROGPU_SETUP_ENDS_BACKGROUND (QEMU_VERSION_MAJOR >= 9)

/*
 * True if a QOM type has the size that we were compiled with, or if QEMU does
 * not tell the size (10.0).
 */
static inline bool aerogpu_compat_size_fits(const char *type, size_t size)
{
#if QEMU_VERSION_MAJOR >= 10
    return true;
#else
    return object_type_get_instance_size(type) == size;
#endif
}

static inline void aerogpu_compat_cursor_unref(QEMUCursor *c)
{
#if QEMU_VERSION_MAJOR >= 8
    cursor_unref(c);
#else
    cursor_put(c);
#endif
}

/*
 * True if some display shows a cursor given to dpy_cursor_define(). 8.1
 * removed the query; from there on, any display except "none" counts, and so
 * do VNC and SPICE.
 */
bool aerogpu_compat_host_cursor(QemuConsole *con);

/* Longest wait for a processor that does nothing else meanwhile. */
#define AEROGPU_WATCH_MS 100

/*
 * Lets TCG see the guest's writes after QEMU has looked at dirty memory, and
 * before it sends the pages that it has seen. In 7.2 a page that the processor
 * has in its TLB stays writable there without notice after that look, so that
 * what it writes until the stop is lost, if the page was sent meanwhile (vm
 * migrate found it). Call it after each look; nothing with another accelerator.
 * The thread of the migration.
 */
void aerogpu_compat_watch_writes(void);

#endif /* HW_AEROGPU_COMPAT_H */
