/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The object that is preloaded into the distribution's QEMU. It loads the
 * device (aerogpu-device.so, in the same folder) before main() runs; the
 * device's constructors register the type. It then removes itself from
 * LD_PRELOAD so that no child process ever sees it.
 *
 * Another version of QEMU has structures of another layout, and may lack
 * symbols; the dynamic linker would then end it before the device could say
 * why. So this object needs only one function of QEMU, looked up by name:
 * QMP's query-version, whose result has had the same layout in every QEMU
 * since 1.0.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config-host.h" /* QEMU_VERSION_MAJOR, _MINOR of the build */

#define AEROGPU_DEVICE "aerogpu-device.so"

/* qapi/control.json, VersionTriple and VersionInfo */
typedef struct QemuVersionTriple {
    int64_t major;
    int64_t minor;
    int64_t micro;
} QemuVersionTriple;

typedef struct QemuVersionInfo {
    QemuVersionTriple *qemu;
    char *package;
} QemuVersionInfo;

static void __attribute__((noreturn, format(printf, 1, 2)))
aerogpu_die(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: aerogpu: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    _exit(EXIT_FAILURE); /* nothing of QEMU has been set up */
}

/* Removes the entries that name this object; leaves the others as they are. */
static void aerogpu_leave_preload(const char *own)
{
    const char *value = getenv("LD_PRELOAD");
    char *entries, *rest, *entry, *position = NULL;

    if (!value) {
        return;
    }
    entries = strdup(value);
    rest = calloc(1, strlen(value) + 1);
    if (!entries || !rest) {
        aerogpu_die("out of memory");
    }
    for (entry = strtok_r(entries, ": ", &position); entry;
         entry = strtok_r(NULL, ": ", &position)) {
        if (strcmp(basename(entry), own)) {
            strcat(*rest ? strcat(rest, ":") : rest, entry);
        }
    }
    if (*rest) {
        setenv("LD_PRELOAD", rest, 1);
    } else {
        unsetenv("LD_PRELOAD");
    }
    free(entries);
    free(rest);
}

static void __attribute__((constructor)) aerogpu_load_device(void)
{
    QemuVersionInfo *(*query_version)(void **errp);
    const QemuVersionTriple *qemu;
    char *device;
    Dl_info info;

    *(void **)&query_version = dlsym(RTLD_DEFAULT, "qmp_query_version");
    if (!query_version || !dladdr(aerogpu_load_device, &info) ||
        !info.dli_fname) {
        return; /* no QEMU, perhaps the shell that will start it */
    }
    qemu = query_version(NULL)->qemu; /* a few bytes, once: never freed */
    if (qemu->major != QEMU_VERSION_MAJOR ||
        qemu->minor != QEMU_VERSION_MINOR) {
        aerogpu_die("built for QEMU %d.%d, this is QEMU %" PRId64 ".%" PRId64
                    ": install or build the device for this QEMU (%s)",
                    QEMU_VERSION_MAJOR, QEMU_VERSION_MINOR, qemu->major,
                    qemu->minor, info.dli_fname);
    }
    if (asprintf(&device, "%.*s" AEROGPU_DEVICE,
                 (int)(basename(info.dli_fname) - info.dli_fname),
                 info.dli_fname) < 0) {
        aerogpu_die("out of memory");
    }
    if (!dlopen(device, RTLD_NOW | RTLD_LOCAL)) {
        aerogpu_die("cannot load the device: %s", dlerror());
    }
    free(device);
    aerogpu_leave_preload(basename(info.dli_fname));
}
