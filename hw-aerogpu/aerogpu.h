/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AeroGPU PCI function. Its state is made of parts. Each part has a header
 * with its structure, lock rule and functions, and a file with its code. A
 * file includes the headers of the parts that it uses; these includes form no
 * cycle (test/layers_test.py). Follows docs/abi/. Private to hw-aerogpu.
 *
 * Threads. Registers are accessed under the big QEMU lock (BQL). The render
 * thread fetches the ring and drives the renderer; the renderer's own thread
 * finishes submissions. Neither thread ever takes the BQL. `lock` guards the
 * data that they share with the register side: no thread waits for anything
 * while it holds `lock`, and takes only leaf locks of QEMU and of the renderer
 * inside it (docs/develop/architecture.md, "Threads"). Each function that may
 * run without the BQL says so.
 */
#ifndef HW_AEROGPU_H
#define HW_AEROGPU_H

#include "hw-aerogpu/types.h"

#include "exec/memory.h"
#include "hw/display/vga_int.h"
#include "qemu/thread.h"
#include "qom/object.h"

#include "hw-aerogpu/ring/completions.h"
#include "hw-aerogpu/display/cursor.h"
#include "hw-aerogpu/display/console.h"
#include "hw-aerogpu/display/edid.h"
#include "hw-aerogpu/display/gamma.h"
#include "hw-aerogpu/ring/embedder.h"
#include "hw-aerogpu/report/errors.h"
#include "hw-aerogpu/ring/fence.h"
#include "hw-aerogpu/guest/guestmem.h"
#include "hw-aerogpu/guest/regions.h"
#include "hw-aerogpu/report/history.h"
#include "hw-aerogpu/report/irq.h"
#include "hw-aerogpu/ring/keep.h"
#include "hw-aerogpu/report/log.h"
#include "hw-aerogpu/ring/loss.h"
#include "hw-aerogpu/regfile.h"
#include "hw-aerogpu/ring/render.h"
#include "hw-aerogpu/guest/requests.h"
#include "hw-aerogpu/ring/ring_memory.h"
#include "hw-aerogpu/display/scanout.h"
#include "hw-aerogpu/snapshot/carry.h"
#include "hw-aerogpu/snapshot/failure.h"
#include "hw-aerogpu/snapshot/guard.h"
#include "hw-aerogpu/ring/handover.h"
#include "hw-aerogpu/ring/move.h"
#include "hw-aerogpu/snapshot/live.h"
#include "hw-aerogpu/snapshot/pack.h"
#include "hw-aerogpu/snapshot/promise.h"
#include "hw-aerogpu/guest/spaces.h"
#include "hw-aerogpu/people/stats.h"
#include "hw-aerogpu/display/vblank.h"
#include "hw-aerogpu/bus/vmstate.h"

#include "aerogpu/aerogpu_base.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "aerogpu/renderer.h"

OBJECT_DECLARE_SIMPLE_TYPE(AeroGPUState, AEROGPU)

struct AeroGPUState {
    PCIDevice pci;
    VGACommonState vga; /* vram is BAR1 */
    MemoryRegion mmio;  /* BAR0 */
    Object *self;       /* this device, for libvirt (pci.c); constant */
    QemuConsole *con;

    QemuMutex lock;             /* the parts say what it guards */
    aerogpu_renderer *renderer; /* from render_init to render_exit */
    bool vm_running;            /* atomic: guest memory may change */
    bool escapes;               /* property: allows escapes for debugging */
    bool handle_spaces;         /* property: announces the feature */

    AeroGPURegFile regs;
    AeroGPUGuestMem mem;
    AeroGPURegions regions;
    AeroGPUIrq irq;
    AeroGPUErrors errors;
    AeroGPULoss loss;
    AeroGPUKeep keep;
    AeroGPUVblank vblank;
    AeroGPURequests requests;
    AeroGPUFence fence;
    AeroGPURing ring;
    AeroGPUScanout scanout;
    AeroGPUCompletions completions;
    AeroGPURender render;
    AeroGPUConsole console;
    AeroGPUCursor cursor;
    AeroGPUGamma gamma;
    AeroGPUEdid edid;
    AeroGPURendererConfig config;
    AeroGPUStats stats;
    AeroGPULog log;
    AeroGPUHistory history;
    AeroGPUHandover handover;
    AeroGPUMove move;
    AeroGPUCarry carry;
    AeroGPUPromise promise;
    AeroGPUGuard guard;
    AeroGPULive live;
    AeroGPUFailure failure;
    AeroGPUPack pack;
    AeroGPUSpaces spaces;
};

#endif /* HW_AEROGPU_H */
