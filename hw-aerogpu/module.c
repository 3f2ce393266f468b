/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the device gets into QEMU. Preloaded into a stock binary, the
 * constructors of this object register the type (type_init in pci.c) before
 * main() runs; the one below takes the object out of LD_PRELOAD so that no
 * child process ever sees it. In a QEMU tree it is an ordinary module.
 *
 * Types are registered before QEMU looks at its options, so that is when the
 * translator process of the renderer starts: -sandbox spawn=deny, -runas and
 * -chroot come later and do not keep it from working.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "aerogpu/renderer.h"
#include "module.h"

#include <dlfcn.h>

char *aerogpu_module_dir(void)
{
    Dl_info info;

    if (!dladdr(aerogpu_module_dir, &info) || !info.dli_fname) {
        return NULL;
    }
    return g_path_get_dirname(info.dli_fname);
}

#ifndef AEROGPU_PRELOAD
#include "qemu/error-report.h"
#include "qemu/config-file.h"
#include "qemu/option.h"

/* A module of a QEMU tree is loaded when -device names it. */
static bool aerogpu_behind_sandbox(void)
{
    QemuOptsList *list = qemu_find_opts_err("sandbox", NULL);
    QemuOpts *opts = list ? qemu_opts_find(list, NULL) : NULL;

    if (!opts || !qemu_opt_get_bool(opts, "enable", false)) {
        return false;
    }
    warn_report("aerogpu: the device was loaded after -sandbox took effect "
                "(scripts/build-qemu --builtin links it in)");
    return true;
}
#else
static bool aerogpu_behind_sandbox(void)
{
    return false;
}
#endif

static void aerogpu_start_translator(void)
{
    /* If it fails, the renderer says why when it is created. */
    if (!aerogpu_behind_sandbox()) {
        aerogpu_renderer_prepare_process(NULL, NULL, 0);
    }
}

type_init(aerogpu_start_translator)

#ifdef AEROGPU_PRELOAD

    /* Removes the entries that name this object; others stay as they are. */
    static void __attribute__((constructor)) aerogpu_leave_preload(void)
{
    const char *value = getenv("LD_PRELOAD");
    Dl_info info;
    g_autofree char *own = NULL;
    g_autoptr(GString) rest = g_string_new(NULL);
    g_auto(GStrv) entries = NULL;
    char **entry;

    if (!value || !dladdr(aerogpu_module_dir, &info) || !info.dli_fname) {
        return;
    }
    own = g_path_get_basename(info.dli_fname);
    entries = g_strsplit_set(value, ": ", -1);
    for (entry = entries; *entry; entry++) {
        g_autofree char *name = g_path_get_basename(*entry);

        if (**entry && strcmp(name, own)) {
            g_string_append_printf(rest, "%s%s", rest->len ? ":" : "", *entry);
        }
    }
    if (rest->len) {
        setenv("LD_PRELOAD", rest->str, 1);
    } else {
        unsetenv("LD_PRELOAD");
    }
}

#else

    module_obj("aerogpu");
module_kconfig(PCI);

#endif
