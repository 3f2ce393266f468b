/* SPDX-License-Identifier: MIT */
/* C interface of the aerogpu renderer: it takes submissions of the AeroGPU ABI and replays them through a
 * back end. Users: the QEMU device, the trace replayer, tests, fuzzers, benchmarks. No function throws or
 * exits the process; every structure starts with its size so that it can grow. See
 * docs/develop/architecture.md. */
#ifndef AEROGPU_RENDERER_H
#define AEROGPU_RENDERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A renderer: one guest device's state. Created and destroyed by the embedder; see the thread rules below.
 */
typedef struct aerogpu_renderer aerogpu_renderer;

/*
 * Versions. Every structure begins with struct_size, which its maker sets to the sizeof that it was built
 * with; later versions only append members. A structure that is passed in may be of any version: members that
 * it lacks count as 0, members that the renderer does not know are ignored. One that is smaller than its
 * first version is an error: creation fails, a submission is finished with AEROGPU_ERROR_INTERNAL, other
 * calls do nothing; all of them say so in a message. A structure that is filled in (stats) is written up to
 * its struct_size. One that the renderer makes (results, frames) has the renderer's size: an embedder that
 * knows a later version checks struct_size before it reads further.
 */

/*
 * Threads. The "render thread" is the single thread that calls the functions marked [render]; the embedder
 * serialises them. Functions marked [any] may be called from every thread at any time between create and
 * destroy. Callbacks come from the render thread (inside a [render] function) or from one thread that the
 * renderer owns; each callback says so. A callback never calls a [render] function.
 */

/** Severity of a log line. The renderer limits the rate of lines that a guest can trigger. */
enum aerogpu_log_level {
  AEROGPU_LOG_ERROR = 0, /* the host is at fault: the GPU failed, out of memory */
  AEROGPU_LOG_GUEST = 1, /* the guest is at fault: malformed or out of bounds */
  AEROGPU_LOG_INFO = 2,
  AEROGPU_LOG_DEBUG = 3,
};

/** A piece of guest memory made addressable. The caller of guest_map owns it until guest_unmap. */
struct aerogpu_guest_mapping {
  void* host;    /* first byte */
  uint64_t size; /* bytes mapped, 1 up to the requested size */
  void* cookie;  /* the embedder's own */
};

/**
 * Starts the process that translates a guest's DXBC shaders, for all renderers of this process: a separate
 * program (aerogpu-translator) with next to no rights, so that no shader can crash or take over the embedder.
 * [any] Call it once, before the first renderer is created and before this process gives up the right to
 * start programs (seccomp) or its user; threads may run. Later calls do nothing. It ends when this process
 * and all its forks have ended. The renderer starts no process by itself: without this call, or if it fails,
 * everything works except DXBC shaders, whose creation is then a BACKEND error. `translator`: path of the
 * program; NULL = $AEROGPU_TRANSLATOR, or the one found beside the object that holds the renderer, or in
 * ../renderer or .. from there, or where `meson install` puts it. Returns false and a message in `error`
 * (NUL-terminated, cut to error_size; may be NULL) on failure.
 */
bool aerogpu_renderer_prepare_process(const char* translator, char* error, size_t error_size);

/**
 * Starts the program that starts renderers' processes (aerogpu_renderer_config::process), for all renderers
 * of this process; without this call the first of these renderers starts it. [any] Call it once, under the
 * same conditions and after aerogpu_renderer_prepare_process(), whose translator it shares. It reads nothing
 * of a guest, and ends when this process has ended. `program`: path of aerogpu-renderer; NULL = "" of
 * aerogpu_renderer_config::process. Returns false and a message in `error` on failure.
 */
bool aerogpu_renderer_prepare_start(const char* program, char* error, size_t error_size);

/** The result of a submission (or of a scanout snapshot). Pointers are valid during the callback only. */
struct aerogpu_submission_result {
  uint32_t struct_size;
  uint32_t error_count;     /* errors in this submission */
  uint32_t last_error_code; /* enum aerogpu_error_code of the last one; 0 = none */
  uint32_t present_count;   /* presents in this submission */
  uint64_t cookie;          /* as given */
  uint64_t signal_fence;    /* as given; 0 for a snapshot */
  bool present_vsync;       /* at least one present asked for vblank */
  bool dropped;             /* interrupted before it was executed completely */
  bool scanout_is_texture; /* a live texture's backing starts at the scanout address, as of this submission */
  /**
   * The image to show after this submission: its last present's, or the snapshot's; NULL if there is none, if
   * the memory at the scanout address must be shown, or if `frame_unchanged`. The callee owns one reference
   * from here on and gives it back with aerogpu_renderer_frame_release().
   */
  struct aerogpu_frame* frame;
  /**
   * The last present found the texture unchanged since the newest frame of an earlier result: keep showing
   * that frame. Never set for a snapshot, nor for the first present after resume and reset: an embedder that
   * drops a frame before showing it asks for a snapshot.
   */
  bool frame_unchanged;
  bool gpu_lost; /* the GPU is lost, and work of the submission may be missing */
  /**
   * Packets may have changed the texture at the scanout address since the newest frame of it was taken, as of
   * this submission; a snapshot brings a new one.
   */
  bool scanout_changed;
};

/** A rectangle of pixels of a frame; `right` and `bottom` are not part of it. */
struct aerogpu_frame_rect {
  uint32_t left;
  uint32_t top;
  uint32_t right;
  uint32_t bottom;
};

enum { AEROGPU_FRAME_DAMAGE_MAX = 16 };

/** A finished image in host memory, in the texture's own format and bytes. Immutable while referenced. */
struct aerogpu_frame {
  uint32_t struct_size;
  uint32_t width;        /* pixels */
  uint32_t height;       /* pixels */
  uint32_t stride_bytes; /* from row to row */
  uint32_t format;       /* enum aerogpu_format: one of the scanout formats, or D3D9_L8 for palette indices */
  uint32_t reserved0;
  const void* pixels;
  uint64_t sequence; /* counts frames of this renderer from 1; 0: aerogpu_renderer_frame_make() made it */
  /**
   * The sequence of the frame that this one equals outside of the first damage_count rectangles of `damage`,
   * which are not empty and lie inside. 0: it may differ anywhere.
   */
  uint64_t damage_since;
  uint32_t damage_count;
  struct aerogpu_frame_rect damage[AEROGPU_FRAME_DAMAGE_MAX];
};

/** The functions that the renderer needs from its embedder. All members are required unless they say
 * otherwise. */
struct aerogpu_renderer_callbacks {
  uint32_t struct_size;
  /**
   * Maps guest memory [gpa, gpa + size) (RAM or BAR1; never registers). May map fewer bytes if the range
   * crosses memory regions; the caller then maps the rest. The pointer stays valid until guest_unmap whatever
   * happens to the guest's memory map. Returns 0, or -1 if gpa is not such memory or `write` is asked on
   * read-only memory. A gpa that is a multiple of 8 is mapped at a multiple of 8. Both callbacks come from
   * the render thread and from the renderer's own thread, also at the same time.
   */
  int (*guest_map)(void* opaque, uint64_t gpa, uint64_t size, bool write, struct aerogpu_guest_mapping* out);
  /** Ends a mapping; the first `bytes_written` bytes of it were changed (0 = none). */
  void (*guest_unmap)(void* opaque, const struct aerogpu_guest_mapping* mapping, uint64_t bytes_written);
  /**
   * A submission or snapshot is finished: its GPU work is done, its write-backs are in guest memory. Comes
   * exactly once for each, in the order of submission, never two at a time; from the render thread inside
   * submit if no work is outstanding and the GPU has next to nothing to do, else from the renderer's own
   * thread.
   */
  void (*submission_done)(void* opaque, const struct aerogpu_submission_result* result);
  /** One line without a newline. Any thread. */
  void (*log)(void* opaque, enum aerogpu_log_level level, const char* message);
  /**
   * Returns the handle spaces of submissions that the embedder holds and has not submitted yet: writes at
   * most `room` of their numbers, in any order and some of them several times, and returns how many. Called
   * rarely, from the render thread or the renderer's own: once work of one owner, on the GPU or in making
   * pipelines, has taken max_batch_ms. May be NULL: then only submissions that were submitted count as
   * waiting.
   */
  size_t (*waiting_spaces)(void* opaque, uint32_t* spaces, size_t room);
  /**
   * Tells whether a mapping of [gpa, gpa + size) is the guest's memory itself, which
   * AEROGPU_RENDERER_LEND_GUEST_MEMORY needs, and no copy. From the render thread. May be NULL: all are.
   */
  bool (*guest_lends)(void* opaque, uint64_t gpa, uint64_t size);
};

/** Flags of aerogpu_renderer_config. */
enum aerogpu_renderer_flags {
  /** Present shows colour target 0 as bound at the present, not the scanout (trace files have no registers).
   */
  AEROGPU_RENDERER_PRESENT_COLOR_TARGET = 1u << 0,
  /** Enables VK_LAYER_KHRONOS_validation; creation fails if it is missing. Its messages are logged as errors.
   */
  AEROGPU_RENDERER_VALIDATION = 1u << 1,
  /**
   * Lets the GPU read and write guest memory itself, instead of copies. A mapping then lasts from the submit
   * that makes it until shortly before that submission's submission_done or, if the GPU hangs, until the GPU
   * is closed; any thread may end it. The GPU's driver gets the whole host pages that hold the mapping. Set
   * this only if nothing but the guest changes such memory before submission_done. The renderer still copies
   * if the driver cannot do this or if copying is cheaper.
   */
  AEROGPU_RENDERER_LEND_GUEST_MEMORY = 1u << 2,
};

/**
 * Returns the back ends, in the order in which "auto" tries them: the name of number `index`, counted from 0,
 * or NULL if there are no more. [any] `available` may be NULL; it is set to whether this build has the back
 * end (creation tells if the host has what it needs).
 */
const char* aerogpu_renderer_known_backend(size_t index, bool* available);

/** How to create a renderer. Strings are copied. */
struct aerogpu_renderer_config {
  uint32_t struct_size;
  uint32_t flags;      /* enum aerogpu_renderer_flags */
  const char* backend; /* a name of aerogpu_renderer_known_backend(); NULL or "auto": the first that works */
  const char* vulkan_device; /* index, or part of a device name; NULL or "" = the best one */
  const char* cache_dir;     /* of the pipeline cache; NULL = $XDG_CACHE_HOME/aerogpu/vm_uuid, "" = none */
  /** Bytes of host memory that the guest can make the renderer hold. Frames may take a quarter more, at least
   * 32 MiB, once that is used up. */
  uint64_t max_hostmem;
  const struct aerogpu_renderer_callbacks* callbacks; /* copied */
  void* opaque;                                       /* first argument of every callback */
  uint64_t max_space_hostmem; /* part of max_hostmem that one guest process may hold; 0 = half */
  const char* vm_name;        /* UTF-8, names the VM in trace files; NULL or "" = no name */
  const char* vm_uuid;
  /**
   * NULL: off. A file that gets the newest submissions whenever one fails or the GPU is lost, at most once a
   * minute: commands and allocation tables, without guest memory, so a trace to read (aerogpu-replay --dump)
   * more than to play. They are kept in memory, recent_bytes of them at most; 0 = 16 MiB.
   */
  const char* recent_trace;
  uint64_t recent_bytes;
  /**
   * Milliseconds that a batch executes before it is stopped while work of another handle space waits; a
   * submission then has three times as long. 0 = 2000. A batch that is alone has 10 s and more.
   */
  uint32_t max_batch_ms;
  /**
   * What the guest is told of the GPU, and may use of it: NULL, "" or "host" = all; "base-1" = no more than a
   * set that never changes, for machines that move between hosts; "base" = the newest such set.
   */
  const char* caps;
  /**
   * NULL: the renderer runs in this process. Else it runs in one of its own, which is started now: a path of
   * the program aerogpu-renderer, or "" = $AEROGPU_RENDERER, or the one found as the translator is. If that
   * process dies or is silent for 15 s, the GPU is lost, and aerogpu_renderer_reset() starts another one.
   * It asks for guest memory through the callbacks, but for what aerogpu_renderer_set_regions() tells of.
   */
  const char* process;
  /**
   * How often that process may end within a minute; after that aerogpu_renderer_reset() starts none, and
   * fails, until the minute is over. 0 = as often as it does.
   */
  uint32_t process_deaths;
};

/** Creates a renderer. [any] Returns NULL and a message in `error` (NUL-terminated, cut to error_size) on
 * failure. */
aerogpu_renderer* aerogpu_renderer_create(const struct aerogpu_renderer_config* config, char* error,
                                          size_t error_size);

/** Waits for outstanding work (its callbacks still come), then frees everything. [render] Frames must be
 * released. */
void aerogpu_renderer_destroy(aerogpu_renderer* renderer);

/** Returns the name of the back end in use and of the GPU ("" for null). [any] Valid until destroy. */
const char* aerogpu_renderer_backend_name(const aerogpu_renderer* renderer);
const char* aerogpu_renderer_device_name(const aerogpu_renderer* renderer);
/** Returns the name of the GPU's driver and its version, for people ("" for null). [any] Valid until
 * destroy. */
const char* aerogpu_renderer_driver_name(const aerogpu_renderer* renderer);

/**
 * Returns the features of this renderer's packets and of the memory that they may work on: bits of
 * FEATURES_LO in the low half, of FEATURES_HI in the high half. [any] Constant. It excludes features of
 * registers and of the console: the embedder adds those.
 */
uint64_t aerogpu_renderer_features(const aerogpu_renderer* renderer);

/**
 * Describes the GPU for the guest: a struct aerogpu_caps and the data after it. *size: bytes. [any] Constant
 * and valid until a move to another GPU begins, or destroy.
 */
const void* aerogpu_renderer_caps(const aerogpu_renderer* renderer, size_t* size);

/**
 * Tells whether this renderer has all that another one's capability block promises, so that a guest that has
 * read that block can go on here. [any] If not, `lacks` says what is missing, or why the block is none; it
 * may come from anyone.
 */
bool aerogpu_renderer_covers_caps(const aerogpu_renderer* renderer, const void* caps, size_t size,
                                  char* lacks, size_t lacks_size);

/**
 * From now on the guest may use what this block promises and no more: it has read it. [any, while nothing is
 * under way] NULL: as after creation. False if the block is none, or if aerogpu_renderer_covers_caps() does
 * not cover it, unless `partly`: then packets that need what this GPU lacks fail with BACKEND, and each such
 * thing is logged once. aerogpu_renderer_caps() stays.
 */
bool aerogpu_renderer_adopt_caps(aerogpu_renderer* renderer, const void* caps, size_t size, bool partly);

/** One submission. The byte ranges are private copies that do not change during the call; the callee copies
 * the parts that it keeps. docs/abi/ring.md, "Submissions". */
struct aerogpu_submission {
  uint32_t struct_size;
  uint32_t flags; /* enum aerogpu_submit_flags */
  uint32_t context_id;
  uint32_t engine_id;
  uint64_t cookie; /* given back in the result */
  uint64_t signal_fence;
  const void* cmd;         /* the command buffer that the descriptor names; NULL when absent */
  size_t cmd_size;         /* bytes */
  const void* alloc_table; /* NULL when absent */
  size_t alloc_table_size; /* bytes */
  /** A defect that the embedder found in the descriptor (enum aerogpu_error_code), 0 = none. Such a
   * submission is not executed but takes its turn and is finished with this error. */
  uint32_t descriptor_error;
  /** Not 0: handle spaces are enabled, and the two members after it count (docs/abi/spaces.md). 0: the
   * submission is the kernel driver's, in space 0. */
  uint32_t in_space;
  uint32_t space;
  uint32_t space_flags; /* AEROGPU_EXT_SPACE_FLAG_* */
};

/**
 * Decodes, validates and executes a submission. [render] Errors of the guest end up in the result. Returns
 * when the work is recorded and handed to the GPU; blocks while too many submissions (64) are unfinished.
 */
void aerogpu_renderer_submit(aerogpu_renderer* renderer, const struct aerogpu_submission* submission);

/** The scanout registers that presents need. */
struct aerogpu_scanout_config {
  uint32_t struct_size;
  uint32_t enable;
  uint32_t width;  /* pixels */
  uint32_t height; /* pixels */
  uint32_t format; /* enum aerogpu_format */
  uint32_t pitch_bytes;
  uint64_t fb_gpa;
  /** Not 0: shows the texture of the allocation alloc_id, not the one at fb_gpa. */
  uint32_t by_allocation;
  uint32_t alloc_id; /* 0 = none */
};

/** Tells the renderer the content of the scanout registers; valid for the submissions that follow. [render]
 */
void aerogpu_renderer_set_scanout(aerogpu_renderer* renderer, const struct aerogpu_scanout_config* config);

/**
 * Asks for an image of the texture whose backing starts at the scanout address, after all earlier
 * submissions, for a page flip without a present. [render] The result comes through submission_done with this
 * cookie; its frame is NULL if there is no such texture.
 */
void aerogpu_renderer_snapshot_scanout(aerogpu_renderer* renderer, uint64_t cookie);

/**
 * Makes a frame with the size, format and pixels of `from`, as one that was shown before a machine was saved.
 * [render] Without `pixels` its own are 0, and its maker may write them before anybody else gets the frame.
 * NULL if no frame can be like that, or if the memory for frames is used up.
 */
struct aerogpu_frame* aerogpu_renderer_frame_make(aerogpu_renderer* renderer,
                                                  const struct aerogpu_frame* from);

/** Gives a frame back. [any] */
void aerogpu_renderer_frame_release(aerogpu_renderer* renderer, struct aerogpu_frame* frame);

/**
 * Makes a running submit stop at the next packet and every later one finish without executing (`dropped`),
 * until aerogpu_renderer_resume() or _reset(). [any] For a ring or device reset that must not wait for a long
 * submission. The GPU's work is stopped where a shader loops; a GPU that has not come to rest 10 s later is
 * lost. After the return, no thread of the renderer writes guest memory any more for earlier submissions,
 * whatever becomes of them; the call waits for a write that is under way, of 1 MiB at most.
 * aerogpu_renderer_leftovers() tells about memory that a GPU was lent.
 */
void aerogpu_renderer_interrupt(aerogpu_renderer* renderer);

/**
 * Interrupts for good, before aerogpu_renderer_destroy(): a GPU that has not come to rest 2 s later is
 * abandoned. [any]
 */
void aerogpu_renderer_shutdown(aerogpu_renderer* renderer);

/** Possible accesses of work from before the last interruption to guest memory that was lent to a GPU. */
enum aerogpu_renderer_left {
  AEROGPU_RENDERER_LEFT_WRITES = 1u << 0, /* the GPU has not ended copies into it, or hangs in them */
  AEROGPU_RENDERER_LEFT_READS = 1u << 1,  /* the GPU has not ended work that reads it, or hangs after it */
};

/**
 * Returns bits of enum aerogpu_renderer_left; 0 at the latest when the GPU has ended its work and the render
 * thread has waited for that. [any]
 */
uint32_t aerogpu_renderer_leftovers(const aerogpu_renderer* renderer);

/** Waits until every submission is finished (its callback has returned). [render] Returns false after
 * timeout_ns. */
bool aerogpu_renderer_wait_idle(aerogpu_renderer* renderer, uint64_t timeout_ns);

/** Ends an interruption, and the stop after the failure of a submission that must not fail
 * (AEROGPU_SUBMIT_FLAG_EXT_HOLD: later submissions finish without executing, `dropped`). Resources and
 * bindings are kept. [render] */
void aerogpu_renderer_resume(aerogpu_renderer* renderer);

/** Device reset: stops the GPU as an interruption does, waits for it, then drops every resource, token and
 * binding. [render] Also ends what resume() ends, and brings back a lost device. Returns false if the back
 * end could not be brought back. */
bool aerogpu_renderer_reset(aerogpu_renderer* renderer);

/**
 * Sets whether values (EXT_WRITE_VALUE) stay unwritten while the GPU is lost: for an embedder that completes
 * no submission meanwhile. False at first. [any]
 */
void aerogpu_renderer_hold_values(aerogpu_renderer* renderer, bool hold);

/** True if the GPU is lost: work ends with errors until aerogpu_renderer_reset(). [render] */
bool aerogpu_renderer_gpu_lost(const aerogpu_renderer* renderer);

/** Faults that tests let the back end play. */
enum aerogpu_renderer_faults {
  AEROGPU_RENDERER_FAULT_LOSE = 1u << 0,   /* the GPU is lost at its next work; once */
  AEROGPU_RENDERER_FAULT_REFUSE = 1u << 1, /* as long as it is set, a lost GPU cannot be brought back */
  AEROGPU_RENDERER_FAULT_HANG = 1u << 3,   /* as long as it is set, the GPU ends none of its work */
};

/** Plays these faults and no others, for tests of the consequences. [any] */
void aerogpu_renderer_play_faults(aerogpu_renderer* renderer, uint32_t faults);

/** The uses of host memory. */
enum aerogpu_host_memory_kind {
  AEROGPU_HOST_MEMORY_OTHER = 0, /* tables, contexts, spaces, tokens, page lists */
  AEROGPU_HOST_MEMORY_BUFFERS,
  AEROGPU_HOST_MEMORY_TEXTURES,
  AEROGPU_HOST_MEMORY_SHADERS,
  AEROGPU_HOST_MEMORY_QUERIES,
  AEROGPU_HOST_MEMORY_FRAMES, /* copies for the display */
  AEROGPU_HOST_MEMORY_KINDS
};

/** Counters since creation; never reset. */
struct aerogpu_renderer_stats {
  uint32_t struct_size;
  uint32_t reserved0;
  uint64_t submissions;
  uint64_t packets;
  uint64_t draws;
  uint64_t dispatches;
  uint64_t presents;
  uint64_t errors;
  uint64_t command_bytes;     /* decoded */
  uint64_t upload_bytes;      /* from streams and guest memory to the GPU */
  uint64_t readback_bytes;    /* write-backs and frames */
  uint64_t host_memory_bytes; /* held now: of max_hostmem, and frames in their reserve */
  uint64_t host_memory_peak_bytes;
  uint64_t resources; /* alive now */
  uint64_t shaders_translated;
  uint64_t pipelines_created;
  uint64_t cpu_busy_ns;      /* spent in submit */
  uint64_t gpu_busy_ns;      /* from hand-over to completion, overlaps counted once */
  uint64_t in_flight;        /* submissions not finished now */
  uint64_t frames_unchanged; /* presents that needed no new frame */
  /**
   * The number of objects held for the guest now: objects with a handle, share tokens (used up or not),
   * handle spaces beside space 0, and contexts in which packets that may change their state ran since they
   * were reset. 0: a snapshot would have nothing. As of the last finished submission or reset; frames that
   * the embedder has not given back are not counted.
   */
  uint64_t held_objects;
  uint64_t host_memory_kind_bytes[AEROGPU_HOST_MEMORY_KINDS]; /* parts of host_memory_bytes */
};

/** Reads the counters. [any] The caller sets stats->struct_size. Each is exact; together they are no
 * snapshot. */
void aerogpu_renderer_get_stats(const aerogpu_renderer* renderer, struct aerogpu_renderer_stats* stats);

/** Which system calls a renderer's process may make (docs/develop/renderer-process.md, "Rights"). */
enum aerogpu_renderer_calls {
  AEROGPU_RENDERER_CALLS_ALL = 0,
  AEROGPU_RENDERER_CALLS_REFUSED = 1, /* all but those that no driver needs */
  AEROGPU_RENDERER_CALLS_LISTED = 2,  /* those alone that its driver is known to need */
};

/** How far the process is that was prepared to follow (aerogpu_renderer_prepare_move()). */
enum aerogpu_renderer_next {
  AEROGPU_RENDERER_NEXT_NONE = 0,
  AEROGPU_RENDERER_NEXT_STARTS = 1,
  AEROGPU_RENDERER_NEXT_READY = 2,
  AEROGPU_RENDERER_NEXT_FAILED = 3, /* or it has ended since: the next move starts another one */
};

/** The process of a renderer that has one of its own. */
struct aerogpu_renderer_process {
  uint32_t struct_size;
  uint32_t id;     /* its number; 0 = it has ended, and there is no other one yet */
  uint32_t deaths; /* how often it has ended */
  uint32_t reserved0;
  int64_t since_ms;        /* when the one that there is was started: milliseconds since 1970, UTC */
  char last_death[96];     /* why it ended last, NUL-terminated, for people; "" = it never did */
  uint32_t landlock;       /* version of Linux' Landlock that limits its files; 0 = nothing does */
  uint32_t calls;          /* enum aerogpu_renderer_calls */
  uint32_t next;           /* enum aerogpu_renderer_next */
  uint32_t next_pipelines; /* that it has made by the time it is ready */
  char next_failure[256];  /* why the next one failed, NUL-terminated, for people; "" = it did not */
};

/** Tells of the renderer's process. [any] The caller sets process->struct_size. False: it has none. Waits for
 * nothing. */
bool aerogpu_renderer_get_process(const aerogpu_renderer* renderer, struct aerogpu_renderer_process* process);

/** The limits of each handle space. Only the limits of all spaces together apply to space 0. */
struct aerogpu_renderer_space_limits {
  uint32_t struct_size;
  uint32_t spaces;            /* beside space 0 */
  uint32_t contexts;          /* of one of them */
  uint32_t objects;           /* of one of them */
  uint64_t host_memory_bytes; /* of one of them */
};

/** Reads the limits. [any] The caller sets limits->struct_size. They are constant. */
void aerogpu_renderer_get_space_limits(const aerogpu_renderer* renderer,
                                       struct aerogpu_renderer_space_limits* limits);

/** A handle space. The counters are as of its last submission. */
struct aerogpu_renderer_space {
  uint32_t struct_size;
  uint32_t space;
  uint32_t process_id; /* from the guest's kernel driver; 0 = unknown */
  uint32_t reserved0;
  char image_name[32];        /* likewise, NUL-terminated printable ASCII */
  uint64_t objects;           /* handles, now */
  uint64_t contexts;          /* now */
  uint64_t host_memory_bytes; /* held now, within the space's limit; of space 0 the bytes that no other has */
  uint64_t submissions;
  uint64_t packets;
  uint64_t draws;
  uint64_t errors;
  uint64_t process_host_memory_bytes; /* held by all spaces of its process, to which the limit applies */
};

/**
 * Finds the space of the lowest number from `from` on; false if there is none. [any] The caller sets
 * space->struct_size. Space 0 always exists.
 */
bool aerogpu_renderer_next_space(const aerogpu_renderer* renderer, uint32_t from,
                                 struct aerogpu_renderer_space* space);

/*
 * Snapshots (docs/develop/snapshots.md). A snapshot is a trace file that describes everything that the
 * renderer holds for its guest. Not in it: submissions under way, frames, the scanout registers' other
 * contents.
 */

/** Takes bytes, in their order. */
struct aerogpu_bytes_sink {
  uint32_t struct_size;
  bool (*write)(void* opaque, const void* bytes, size_t size); /* render thread; false ends the save */
  void* opaque;
};

/**
 * Waits for all work, then writes a snapshot. [render] Nothing that the guest sees changes. False with a
 * message if something cannot be described, the GPU is lost, or the sink refuses bytes; what it got is then
 * no snapshot.
 */
bool aerogpu_renderer_save(aerogpu_renderer* renderer, const struct aerogpu_bytes_sink* sink, char* error,
                           size_t error_size);

/**
 * Begins a save during which the guest goes on: contents go ahead of the snapshot, and what is written later
 * goes again. [render] The sink gets bytes in this call and in those below, until the save ends. False with a
 * message. A save that has begun before is dropped.
 */
bool aerogpu_renderer_save_begin(aerogpu_renderer* renderer, const struct aerogpu_bytes_sink* sink,
                                 char* error, size_t error_size);

/**
 * Sends contents, of which at least one piece (up to 4 MiB) and not much more than `budget_bytes` go.
 * [render] Waits for the GPU. `*rested`: bytes that are left for further calls; `*written`: bytes that the
 * guest writes too often for that, which the end of the save will send. A GPU that fails or is interrupted
 * sends nothing. False with a message if the sink refuses bytes, or no save has begun; none goes on then.
 */
bool aerogpu_renderer_save_ahead(aerogpu_renderer* renderer, uint64_t budget_bytes, uint64_t* rested,
                                 uint64_t* written, char* error, size_t error_size);

/** Ends the save with a snapshot, as aerogpu_renderer_save() writes one. [render] False with a message. */
bool aerogpu_renderer_save_end(aerogpu_renderer* renderer, char* error, size_t error_size);

/** Drops a save that has begun, if there is one. [render] */
void aerogpu_renderer_save_cancel(aerogpu_renderer* renderer);

/**
 * Takes the next bytes of a snapshot, which may come from anyone. [render] Where the snapshot itself begins,
 * everything is dropped, as a reset does; what came ahead of it is only kept. False with a message if the
 * bytes are refused. From the snapshot's beginning until aerogpu_renderer_load_finish() no other [render]
 * function may be called. Guest memory is neither read nor written.
 */
bool aerogpu_renderer_load_bytes(aerogpu_renderer* renderer, const void* bytes, size_t size, char* error,
                                 size_t error_size);

/**
 * Ends a load. [render] False with a message if it failed or bytes are missing: nothing is held then.
 * `scanout`: gets what the scanout showed when the snapshot was taken; its caller sets struct_size; may be
 * NULL. The renderer's own configuration stays.
 */
bool aerogpu_renderer_load_finish(aerogpu_renderer* renderer, struct aerogpu_scanout_config* scanout,
                                  char* error, size_t error_size);

/**
 * Waits for all work, then makes everything anew from a snapshot of it, as a save and a load would. [render]
 * False with a message if that is not possible; `*kept` then tells whether everything is as before, or
 * dropped. Frames stay valid, and interruptions meanwhile take effect afterwards.
 */
bool aerogpu_renderer_move(aerogpu_renderer* renderer, bool* kept, char* error, size_t error_size);

/**
 * Moves to another GPU, named as in aerogpu_renderer_config::vulkan_device: as aerogpu_renderer_move(), but
 * everything is made anew there. [render] The GPU must have all that the guest was told of; what it lacks is
 * in the message. If it cannot hold everything, or `goes_on` (NULL: always) returns false, which is called
 * now and then with the bytes that were saved and loaded so far, the old GPU has everything again and `*kept`
 * is true; only if that fails too, it is false: everything is dropped, and the GPU is lost, until
 * aerogpu_renderer_reset(). While the GPU is lost nothing
 * is moved, and a reset opens the other one. A GPU that was left stays open until its frames are back, and
 * the next function that has work finds that they are.
 */
bool aerogpu_renderer_move_to(aerogpu_renderer* renderer, const char* device,
                              bool (*goes_on)(void* opaque, uint64_t bytes), void* opaque, bool* kept,
                              char* error, size_t error_size);

/**
 * Has the process of the next aerogpu_renderer_move_to() to `device` ready before it, so that the guest waits
 * for less. [render] A process beside the renderer's opens the GPU, and makes the pipelines that the guest
 * has used lately; aerogpu_renderer_get_process() tells when it has. Returns at once, but for the end of one
 * that was prepared before and is dropped. `device` NULL: prepares none. False with a message if the renderer
 * has no process of its own, or a save or a load is under way.
 */
bool aerogpu_renderer_prepare_move(aerogpu_renderer* renderer, const char* device, char* error,
                                   size_t error_size);

/**
 * Loses the GPU, as if it had stopped working, until aerogpu_renderer_reset(). [render] For a guest whose
 * objects are gone.
 */
void aerogpu_renderer_lose(aerogpu_renderer* renderer);

/** Guest memory that lies in a file. */
struct aerogpu_guest_region {
  uint32_t struct_size;
  uint32_t writable; /* by the guest */
  uint64_t gpa;
  uint64_t size;   /* bytes, whole pages */
  uint64_t offset; /* of the first byte in the file; a multiple of the page size */
  int fd;          /* the caller's; kept as a copy */
};

/**
 * Tells which guest memory a renderer in a process of its own may map, and forgets what was told before;
 * without effect on one in this process. [render] Regions whose files could be cut (F_SEAL_SHRINK is missing)
 * are left out, since a cut file would end the process: they are asked for like all other memory. So are all
 * if there are more than 4096 regions or 128 files. The memory behind a region may go away at any time: what
 * the renderer still maps of it are the file's bytes. A write to it is announced by guest_map and guest_unmap
 * of its range, before the submission's callback; after the death of the process for all writes that were
 * under way.
 */
void aerogpu_renderer_set_regions(aerogpu_renderer* renderer, const struct aerogpu_guest_region* regions,
                                  size_t count);

/** Starts writing everything submitted to an .aerogputrace file (container version 2). [render] The file
 * begins with a snapshot if anything is held. False with a message if the file cannot be created or something
 * cannot be described. A running capture is finished first. */
bool aerogpu_renderer_capture_start(aerogpu_renderer* renderer, const char* path, char* error,
                                    size_t error_size);

/** Finishes the capture: table of contents and footer. [render] False with a message on a write error. */
bool aerogpu_renderer_capture_stop(aerogpu_renderer* renderer, char* error, size_t error_size);

#ifdef __cplusplus
}
#endif

#endif /* AEROGPU_RENDERER_H */
