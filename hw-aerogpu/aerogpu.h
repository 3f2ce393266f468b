/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AeroGPU PCI function: state and the interfaces between the files of
 * the device. Follows the ABI page (docs/abi.md). Private to hw-aerogpu.
 *
 * Threads. Registers are accessed under the big QEMU lock (BQL). The render
 * thread fetches the ring and drives the renderer; the renderer has a thread
 * of its own that finishes submissions. Neither of the two ever takes the
 * BQL. What they share with the register side is guarded by `lock`: nothing
 * is awaited under it, and what is locked inside are leaves of QEMU and of the
 * renderer (docs/architecture.md, "Threads"). Each function that may run
 * without the BQL says so.
 */
#ifndef HW_AEROGPU_H
#define HW_AEROGPU_H

#include "compat/compat.h"

#include "exec/memory.h"
#include "hw/display/edid.h"
#include "hw/display/vga_int.h"
#include "qemu/event_notifier.h"
#include "qemu/notify.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"

#include "aerogpu/aerogpu_base.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring.h"
#include "aerogpu/renderer.h"

#define TYPE_AEROGPU "aerogpu"
OBJECT_DECLARE_SIMPLE_TYPE(AeroGPUState, AEROGPU)

/* Limits. What a guest asks for beyond them is an error, never a hang. */
#define AEROGPU_MAX_CMD_BYTES (64u * 1024 * 1024)
#define AEROGPU_MAX_TABLE_BYTES (16u * 1024 * 1024)
#define AEROGPU_MAX_OUTSTANDING 128u /* fetched and not completed */
#define AEROGPU_MAX_SCANOUT 16384u   /* pixels, each way */
#define AEROGPU_MAX_CURSOR 256u      /* pixels, each way */
#define AEROGPU_HANDSHAKE_MS 2000    /* longest wait for the render thread */
#define AEROGPU_EXIT_MS 5000         /* the same when QEMU ends */

/* Words of BAR0 that have storage: everything up to CURSOR_PITCH_BYTES. */
#define AEROGPU_REG_WORDS (AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES / 4 + 1)

#define AEROGPU_EDID_BYTES 384

/* Cookie of a scanout snapshot; the low bits are its flip serial. */
#define AEROGPU_COOKIE_SNAPSHOT (1ull << 63)

/* Guest memory made addressable; RAM or BAR1, never registers. */
typedef struct AeroGPUMap {
    void *host;       /* first byte */
    uint64_t size;    /* bytes */
    MemoryRegion *mr; /* referenced until it is unmapped */
} AeroGPUMap;

/* Where plain RAM lies, as the memory map is now (guestmem.c). */
typedef struct AeroGPURamTable AeroGPURamTable;

/* Work for the render thread besides the ring (bits of `requests`). */
enum {
    AEROGPU_REQ_RING_RESET = 1 << 0,   /* drop, wait for idle, go on */
    AEROGPU_REQ_DEVICE_RESET = 1 << 1, /* and drop all resources */
    AEROGPU_REQ_QUIESCE = 1 << 2,      /* the VM stops: wait for idle */
    AEROGPU_REQ_SCANOUT = 1 << 3,      /* scanout registers changed */
    AEROGPU_REQ_SNAPSHOT = 1 << 4,     /* show what is at the new address */
    AEROGPU_REQ_PROBE = 1 << 5,        /* the ring was enabled: look quietly */
    AEROGPU_REQ_EXIT = 1 << 6,
};

/* A fetched submission that is not completed. Cookie = its sequence number. */
typedef struct AeroGPUSubmission {
    uint64_t signal_fence;
    uint64_t generation;    /* dropped when it is not the device's */
    uint64_t ring_serial;   /* head moves only in the ring it came from */
    uint64_t flip_serial;   /* scanout address that its frame belongs to */
    uint64_t fetched_ns;    /* host clock */
    uint64_t work_done_seq; /* vblank sequence when its work was done */
    struct aerogpu_frame *frame;
    uint32_t next_head; /* ring index after it */
    uint32_t flags;     /* enum aerogpu_submit_flags */
    uint32_t error_count;
    uint32_t error_code;
    uint32_t present_count;
    bool done;    /* the renderer is finished with it */
    bool vsync;   /* completes at a vblank */
    bool texture; /* the scanout was a live texture */
} AeroGPUSubmission;

/* The ring as the render thread has it mapped. */
typedef struct AeroGPURing {
    MemoryRegionCache cache; /* header and slots */
    bool mapped;
    uint64_t serial;     /* of the registers it was mapped from */
    unsigned map_serial; /* of the memory map it was mapped from */
    uint32_t size;       /* bytes mapped */
    uint32_t fetch;      /* index of the next slot to fetch */
    bool started;        /* fetch was taken from a header */
    bool blocked;        /* the last look left something: do not poll */
    bool valid;          /* the last look at the header was fine */
} AeroGPURing;

/* What the console shows. */
typedef enum AeroGPUDisplay {
    AEROGPU_DISPLAY_VGA,   /* not taken over since reset, or given back */
    AEROGPU_DISPLAY_BLANK, /* taken over, then disabled */
    AEROGPU_DISPLAY_SCANOUT,
} AeroGPUDisplay;

/* A scanout configuration that was checked. */
typedef struct AeroGPUScanout {
    uint32_t width;  /* pixels */
    uint32_t height; /* pixels */
    uint32_t format; /* enum aerogpu_format */
    uint32_t pitch;  /* bytes */
    uint64_t gpa;
} AeroGPUScanout;

/* Counters that the renderer does not keep; under `lock`. */
typedef struct AeroGPUStats {
    uint64_t submissions; /* fetched from the ring */
    uint64_t completions;
    uint64_t errors;         /* latched */
    uint64_t vblanks;        /* delivered ticks */
    uint64_t latency_min_ns; /* fetch to completion */
    uint64_t latency_max_ns;
    uint64_t latency_sum_ns;
    uint64_t bytes_fetched; /* command buffers and allocation tables */
} AeroGPUStats;

struct AeroGPUState {
    PCIDevice pci;
    VGACommonState vga; /* vram is BAR1 */
    MemoryRegion mmio;  /* BAR0 */
    QemuConsole *con;

    /* properties */
    char *renderer_name;
    char *vulkan_device;
    char *capture;
    uint64_t max_hostmem;
    uint32_t refresh_rate; /* as given, see edid.c */
    uint32_t refresh_mhz;  /* in mHz */
    qemu_edid_info edid_info;
    uint8_t edid[AEROGPU_EDID_BYTES];
    uint32_t edid_size; /* bytes of it that are used */

    /* registers; BQL, those read by other threads with qatomic_read */
    uint32_t regs[AEROGPU_REG_WORDS];
    uint32_t irq_status;  /* atomic */
    uint64_t interrupts;  /* atomic: times that an enabled bit came up */
    uint32_t latch_hi[3]; /* fence, vblank sequence, vblank time */

    /* interrupts */
    QEMUBH *irq_bh;
    EventNotifier msi_notifier;
    int msi_virq;      /* -1 = no irqfd */
    bool irqfd_active; /* atomic */
    bool msi_kick;     /* atomic: a new reason to send a message */

    /* vblank; BQL and lock for writing, either for reading */
    QEMUTimer *vblank_timer;
    int64_t vblank_period; /* ns */
    bool vblank_running;
    int64_t vblank_start;    /* virtual clock of tick 0 */
    uint64_t vblank_base;    /* sequence at vblank_start */
    uint64_t vblank_last_ns; /* time of the last tick before vblank_start */
    uint64_t vblank_irq_seq; /* newest tick that was delivered */
    bool vblank_wanted;      /* atomic: a completion waits for a tick */

    /* render thread */
    aerogpu_renderer *renderer;
    QemuThread thread;
    bool thread_started;
    bool thread_gone; /* lock: the thread is about to return */
    bool render_ready;
    EventNotifier doorbell; /* the guest's */
    EventNotifier kick;     /* requests */
    uint64_t doorbells;     /* atomic: seen by the render thread */
    bool running;           /* atomic: the VM runs */
    VMChangeStateEntry *vm_state;
    MemoryListener listener;
    unsigned map_serial;  /* atomic: counts changes of the memory map */
    AeroGPURamTable *ram; /* RCU; replaced under the BQL */
    GArray *ram_building; /* BQL: between begin and commit */
    Notifier exit_notifier;
    uint8_t *cmd_buffer; /* render thread's private copies */
    uint64_t cmd_capacity;
    uint8_t *table_buffer;
    uint64_t table_capacity;

    QemuMutex lock;
    QemuCond acked;
    uint32_t requests;         /* lock for writing, atomic */
    uint64_t request_ticket;   /* lock: last one given */
    uint64_t ack_ticket;       /* lock: last one that was carried out */
    uint64_t generation;       /* lock: raised by ring and device reset */
    uint64_t fetch_generation; /* lock: generation the render thread is in */
    uint64_t ring_serial;      /* lock: raised with the ring registers */
    uint64_t completed_fence;  /* atomic; written under lock */
    AeroGPURing ring;          /* render thread; cache read under lock */
    uint32_t head;             /* lock: where the ring header's should be */
    uint64_t head_gpa;         /* lock: of the field */
    bool head_stale;           /* lock: it could not be stored there */
    AeroGPUSubmission submissions[AEROGPU_MAX_OUTSTANDING]; /* lock */
    uint64_t submit_seq;     /* lock: sequence of the next submission */
    uint64_t retire_seq;     /* lock: sequence of the next completion */
    uint64_t last_vsync_seq; /* lock: tick of the last vsync present */
    bool ring_full;          /* lock: fetching waits for a completion */
    bool used;               /* lock: something was submitted since reset */
    uint32_t error_code;     /* lock */
    uint64_t error_fence;    /* lock */
    uint32_t error_count;    /* lock */
    MemoryRegionCache fence_cache; /* lock */
    bool fence_mapped;             /* lock */
    bool fence_failed;             /* lock: not mappable with this memory map */
    uint64_t fence_gpa;            /* lock */
    unsigned fence_map_serial;
    AeroGPUStats stats; /* lock */

    /* scanout */
    AeroGPUDisplay display;   /* BQL */
    AeroGPUScanout scanout;   /* BQL: shown when display is SCANOUT */
    uint64_t flip_gpa;        /* BQL, lock for writing: taken by the HI write */
    uint64_t flip_serial;     /* lock */
    bool snapshot_pending;    /* lock */
    uint64_t snapshot_serial; /* lock: flip that the pending snapshot is for */
    bool from_texture;        /* lock: show `frame`, not memory */
    struct aerogpu_frame *frame;      /* lock: newest, owned */
    uint64_t frame_serial;            /* lock: counts what `frame` was set to */
    bool stopping;                    /* lock: the renderer goes away */
    struct aerogpu_frame *frame_busy; /* lock: being drawn */
    bool frame_zombie;                /* lock: release frame_busy when drawn */
    QEMUBH *display_bh;
    bool update_waiting;     /* BQL: an update waits for the snapshot */
    bool full_update;        /* BQL */
    bool config_stale;       /* BQL: size, format or pitch were written */
    bool drawn_texture;      /* BQL: the surface shows a frame */
    uint64_t drawn_serial;   /* BQL: which one */
    DisplaySurface *surface; /* BQL: ours, if it is still the console's */
    uint32_t *line;          /* BQL: one row, converted */
    uint32_t line_pixels;

    /* cursor; BQL */
    QEMUBH *cursor_bh;
    bool cursor_stale; /* shape registers changed since it was read */
    bool cursor_valid;
    uint32_t cursor_width;
    uint32_t cursor_height;
    int32_t cursor_hot_x;
    int32_t cursor_hot_y;
    uint32_t *cursor_pixels; /* 0xAARRGGBB, straight alpha */
    bool cursor_on_host;     /* the display shows it */
    bool cursor_defined;     /* the guest's shape was given to a display */
    int32_t cursor_drawn_y;  /* rows of the surface that it covers */
    uint32_t cursor_drawn_rows;

    Error *migration_blocker;
    uint32_t log_second; /* atomic: log.c */
    uint32_t log_lines;  /* atomic: in that second */

    /* copies for the saved state */
    uint64_t saved_vblank_seq;
    uint64_t saved_vblank_time; /* ns */
    bool saved_taken_over;
};

/* regs.c */
extern const MemoryRegionOps aerogpu_mmio_ops;
void aerogpu_regs_reset(AeroGPUState *s);
void aerogpu_regs_check_loaded(AeroGPUState *s);
static inline uint32_t aerogpu_reg(AeroGPUState *s, uint32_t offset)
{
    return qatomic_read(&s->regs[offset / 4]);
}

static inline uint64_t aerogpu_reg64(AeroGPUState *s, uint32_t offset_lo)
{
    return aerogpu_reg(s, offset_lo) | (uint64_t)aerogpu_reg(s, offset_lo + 4)
                                           << 32;
}

/* log.c: any thread, any lock may be held; the newline is added */
void G_GNUC_PRINTF(2, 3)
    aerogpu_guest_error(AeroGPUState *s, const char *format, ...);

/* guestmem.c: any thread, no lock needed */
bool aerogpu_guest_map(AeroGPUState *s, uint64_t gpa, uint64_t size, bool write,
                       AeroGPUMap *map);
void aerogpu_guest_unmap(AeroGPUState *s, const AeroGPUMap *map,
                         uint64_t bytes_written);
bool aerogpu_guest_read(AeroGPUState *s, uint64_t gpa, void *to, uint64_t size);
bool aerogpu_guest_write(AeroGPUState *s, uint64_t gpa, const void *from,
                         uint64_t size);
bool aerogpu_guest_covers(AeroGPUState *s, uint64_t gpa, uint64_t size);
bool aerogpu_guest_cache(AeroGPUState *s, uint64_t gpa, uint64_t size,
                         MemoryRegionCache *cache);
void aerogpu_guestmem_init(AeroGPUState *s);
void aerogpu_guestmem_exit(AeroGPUState *s);

/* irq.c */
bool aerogpu_irq_init(AeroGPUState *s, Error **errp);
void aerogpu_irq_exit(AeroGPUState *s);
void aerogpu_irq_raise(AeroGPUState *s, uint32_t bits); /* any thread */
void aerogpu_irq_ack(AeroGPUState *s, uint32_t bits);
void aerogpu_irq_enable_changed(AeroGPUState *s);
void aerogpu_irq_config_changed(AeroGPUState *s);
void aerogpu_irq_reset(AeroGPUState *s);

/* vblank.c */
void aerogpu_vblank_init(AeroGPUState *s);
void aerogpu_vblank_exit(AeroGPUState *s);
void aerogpu_vblank_update(AeroGPUState *s); /* enable bits changed */
void aerogpu_vblank_reset(AeroGPUState *s);
uint64_t aerogpu_vblank_seq(AeroGPUState *s);     /* BQL or lock */
uint64_t aerogpu_vblank_time_ns(AeroGPUState *s); /* BQL or lock */
void aerogpu_vblank_want(AeroGPUState *s);        /* any thread, lock held */
void aerogpu_vblank_loaded(AeroGPUState *s, uint64_t seq, uint64_t time_ns);

/* complete.c */
void aerogpu_submission_done(AeroGPUState *s,
                             const struct aerogpu_submission_result *result);
void aerogpu_retire_locked(AeroGPUState *s); /* lock held, any thread */
void aerogpu_complete_map_changed(AeroGPUState *s);
void aerogpu_latch_error(AeroGPUState *s, uint32_t code, uint64_t fence);
void aerogpu_fence_page_changed(AeroGPUState *s);
void aerogpu_fence_page_unmap_locked(AeroGPUState *s);

/* ring.c: render thread */
bool aerogpu_ring_poll(AeroGPUState *s);
void aerogpu_ring_drain(AeroGPUState *s, bool quiet);
void aerogpu_ring_unmap(AeroGPUState *s);

/* render.c */
bool aerogpu_render_init(AeroGPUState *s, Error **errp);
void aerogpu_render_exit(AeroGPUState *s);
void aerogpu_render_kick(AeroGPUState *s); /* any thread */
void aerogpu_render_request(AeroGPUState *s, uint32_t requests);
bool aerogpu_render_request_wait(AeroGPUState *s, uint32_t requests);
void aerogpu_ring_reset(AeroGPUState *s);
void aerogpu_render_reset(AeroGPUState *s);

/* scanout.c */
void aerogpu_scanout_evaluate(AeroGPUState *s);
void aerogpu_scanout_reset(AeroGPUState *s);
void aerogpu_scanout_to_vga(AeroGPUState *s);
void aerogpu_scanout_loaded(AeroGPUState *s);
void aerogpu_scanout_drop_frames(AeroGPUState *s);
void aerogpu_scanout_changed(AeroGPUState *s, bool enable_written, bool enable);
void aerogpu_scanout_flip(AeroGPUState *s); /* FB_GPA_HI */
void aerogpu_scanout_present_locked(AeroGPUState *s, AeroGPUSubmission *sub);
void aerogpu_scanout_snapshot_done(
    AeroGPUState *s, const struct aerogpu_submission_result *result);

/* draw.c */
extern const GraphicHwOps aerogpu_console_ops;
void aerogpu_draw_init(AeroGPUState *s);
void aerogpu_draw_exit(AeroGPUState *s);

/* pixels.c */
uint32_t aerogpu_format_bytes(uint32_t format); /* 0 = not for scanout */
void aerogpu_convert_row(uint32_t format, const void *from, uint32_t *to,
                         uint32_t pixels); /* to: 0xFFRRGGBB or with alpha */
void aerogpu_convert_alpha_row(uint32_t format, const void *from, uint32_t *to,
                               uint32_t pixels);

/* cursor.c */
void aerogpu_cursor_init(AeroGPUState *s);
void aerogpu_cursor_exit(AeroGPUState *s);
void aerogpu_cursor_reset(AeroGPUState *s);
void aerogpu_cursor_shape_changed(AeroGPUState *s);
void aerogpu_cursor_moved(AeroGPUState *s);
void aerogpu_cursor_refresh(AeroGPUState *s); /* before drawing */
void aerogpu_cursor_overlay(AeroGPUState *s, uint32_t *line, uint32_t width,
                            uint32_t y);
bool aerogpu_cursor_rows(AeroGPUState *s, int32_t *y, uint32_t *rows);

/* edid.c */
bool aerogpu_edid_init(AeroGPUState *s, Error **errp);
uint32_t aerogpu_edid_read(AeroGPUState *s, uint32_t offset, unsigned size);

/* stats.c */
void aerogpu_stats_class_init(ObjectClass *klass);

/* vmstate.c */
extern const VMStateDescription aerogpu_vmstate;

#endif /* HW_AEROGPU_H */
