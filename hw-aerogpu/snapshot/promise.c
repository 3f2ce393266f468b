/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest was told of the GPU: see promise.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "hw-aerogpu/aerogpu.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/snapshot/failure.h"
#include "hw-aerogpu/snapshot/promise.h"

#include "aerogpu/aerogpu_caps.h"

bool aerogpu_promise_init(AeroGPUState *s, Error **errp)
{
    AeroGPUPromise *promise = &s->promise;

    promise->accepts_used = !g_strcmp0(promise->accept, "used");
    if (promise->accept && !promise->accepts_used &&
        strcmp(promise->accept, "announced")) {
        error_setg(errp, "aerogpu: accept is '%s': it is announced or used",
                   promise->accept);
        return false;
    }
    return true;
}

bool aerogpu_promise_matters(AeroGPUState *s)
{
    return *aerogpu_renderer_device_name(s->renderer) || s->promise.loaded;
}

/* Features, big-endian, then the block. */
uint8_t *aerogpu_promise_save(AeroGPUState *s, size_t *size)
{
    uint8_t *bytes = g_malloc(8 + s->regs.caps_size);

    QEMU_BUILD_BUG_ON(AEROGPU_MOST_PROMISE < 8 + AEROGPU_EXT_REG_CAPS_BYTES);
    stq_be_p(bytes, s->regs.features);
    memcpy(bytes + 8, s->regs.caps, s->regs.caps_size);
    *size = 8 + s->regs.caps_size;
    return bytes;
}

/* True if that is a block at all, so that something of it may be here. */
static bool aerogpu_promise_is_block(const uint8_t *bytes, size_t size)
{
    return size >= 12 && ldl_le_p(bytes + 8) == AEROGPU_CAPS_MAGIC;
}

/* Checks a promise; `lacks` gets what this host does not have of it. */
static int aerogpu_promise_look(AeroGPUState *s, const uint8_t *bytes,
                                size_t size, char *lacks, size_t lacks_size)
{
    const bool block = aerogpu_promise_is_block(bytes, size);
    uint64_t features;

    if (size < 8) {
        return aerogpu_load_error("what the guest was told has %zu bytes",
                                  size);
    }
    features = ldq_be_p(bytes);
    if (features & ~s->regs.own_features) {
        return aerogpu_load_error("the guest was told of features 0x%" PRIx64
                                  ", this device has 0x%" PRIx64,
                                  features, s->regs.own_features);
    }
    if (!aerogpu_renderer_covers_caps(s->renderer, bytes + 8, size - 8, lacks,
                                      lacks_size) &&
        !(block && s->promise.accepts_used)) {
        return aerogpu_failure_take(
            s, "this host lacks what the guest was told of: %s%s", lacks,
            block ? "; with accept=used it goes here if what it holds does"
                  : "");
    }
    return 0;
}

int aerogpu_promise_check(AeroGPUState *s, const uint8_t *bytes, size_t size)
{
    char unused[AEROGPU_ERROR_BYTES] = "";

    return aerogpu_promise_look(s, bytes, size, unused, sizeof(unused));
}

int aerogpu_promise_load(AeroGPUState *s, const uint8_t *bytes, size_t size)
{
    uint8_t *old = s->promise.loaded;
    char lacks[AEROGPU_ERROR_BYTES] = "";
    int ret = aerogpu_promise_look(s, bytes, size, lacks, sizeof(lacks));

    if (ret < 0) {
        return ret;
    }
    /* What this host lacks was accepted, or costs the GPU. */
    if (!aerogpu_renderer_adopt_caps(s->renderer, bytes + 8, size - 8, true)) {
        return aerogpu_load_error("what the guest was told is no description "
                                  "of a GPU");
    }
    if (*lacks && s->promise.accepts_used) {
        warn_report("aerogpu: accept=used: the guest was told of what this "
                    "host lacks, and fails where it uses that: %s",
                    lacks);
    }
    s->promise.loaded = g_memdup2(bytes + 8, size - 8);
    s->regs.caps = s->promise.loaded;
    s->regs.caps_size = size - 8;
    s->regs.features = ldq_be_p(bytes);
    g_free(old);
    return 0;
}

void aerogpu_promise_keep(AeroGPUState *s)
{
    if (!s->promise.loaded && aerogpu_promise_matters(s)) {
        s->promise.loaded = g_memdup2(s->regs.caps, s->regs.caps_size);
        s->regs.caps = s->promise.loaded;
    }
}

void aerogpu_promise_own(AeroGPUState *s)
{
    aerogpu_renderer_adopt_caps(s->renderer, NULL, 0, false);
    s->regs.features = s->regs.own_features;
    s->regs.caps = aerogpu_renderer_caps(s->renderer, &s->regs.caps_size);
    g_clear_pointer(&s->promise.loaded, g_free);
}

void aerogpu_promise_exit(AeroGPUState *s)
{
    g_clear_pointer(&s->promise.loaded, g_free);
}
