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
#include "migration/blocker.h"
#include "ui/console.h"

#if QEMU_VERSION_MAJOR >= 8
#include "hw/pci/pci_device.h"
#else
#include "hw/pci/pci.h"
#endif

#if QEMU_VERSION_MAJOR >= 10
#include "system/kvm.h"
#include "system/runstate.h"
#include "system/system.h"
#else
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

/* Adds a migration blocker and takes *reason over. Returns < 0 on error. */
static inline int aerogpu_compat_add_blocker(Error **reason, Error **errp)
{
#if QEMU_VERSION_MAJOR >= 9
    return migrate_add_blocker(reason, errp);
#else
    int ret = migrate_add_blocker(*reason, errp);

    if (ret < 0) {
        error_free(*reason);
        *reason = NULL;
    }
    return ret;
#endif
}

static inline void aerogpu_compat_del_blocker(Error **reason)
{
#if QEMU_VERSION_MAJOR >= 9
    migrate_del_blocker(reason);
#else
    if (*reason) {
        migrate_del_blocker(*reason);
        error_free(*reason);
        *reason = NULL;
    }
#endif
}

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

#endif /* HW_AEROGPU_COMPAT_H */
