// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/calls/escapes.h"

#include "aerogpu/aerogpu_escape.h"
#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {
namespace {

/** True if the caller has the privilege to debug, which operations need that change the device or show addresses,
 *  memory or other programs' work. */
bool mayDebug() {
  LUID privilege = {SE_DEBUG_PRIVILEGE, 0};
  return SeSinglePrivilegeCheck(privilege, UserMode);
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_device_out &out) {
  out.mmio_version = adapter.features.abiVersion;
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_device_v2_out &out) {
  out.detected_mmio_magic = AEROGPU_MMIO_MAGIC;
  out.abi_version_u32 = adapter.features.abiVersion;
  out.features_lo = uint64_t{adapter.features.high} << 32 | adapter.features.low;
  out.features_hi = 0;  // features 64 to 127: there are none
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_fence_out &out) {
  out.last_submitted_fence = adapter.scheduler.lastSubmitted();
  out.last_completed_fence = adapter.scheduler.completed();
  out.error_irq_count = adapter.counters.errorInterrupts;
  out.last_error_fence = adapter.counters.lastErrorFence;
  return STATUS_SUCCESS;
}

void tellCounters(AeroAdapter &adapter, const Display::Vblank &vblank, aerogpu_escape_query_perf_out &out) {
  const Counters &counters = adapter.counters;
  const Ring &ring = adapter.scheduler.ring();
  out.last_submitted_fence = adapter.scheduler.lastSubmitted();
  out.last_completed_fence = adapter.scheduler.completed();
  out.ring0_head = ring.head();
  out.ring0_tail = ring.tail();
  out.ring0_size_bytes = ring.bytes();
  out.ring0_entry_count = ring.entries();
  out.total_submissions = counters.submissions;
  out.total_presents = counters.presentSubmissions;
  out.total_render_submits = counters.renderSubmissions;
  out.total_internal_submits = counters.internalSubmissions;
  out.irq_fence_delivered = counters.fenceInterrupts;
  out.irq_vblank_delivered = counters.vblankInterrupts;
  out.irq_spurious = counters.spuriousInterrupts;
  out.reset_from_timeout_count = counters.timeoutResets;
  out.last_reset_time_100ns = counters.lastResetTime;
  out.vblank_seq = vblank.sequence;
  out.last_vblank_time_ns = vblank.timeNs;
  out.vblank_period_ns = adapter.display.vblankPeriodNs();
  out.error_irq_count = counters.errorInterrupts;
  out.last_error_fence = counters.lastErrorFence;
  out.ring_push_failures = counters.ringFull;
  out.selftest_count = counters.selfTests;
  out.selftest_last_error_code = counters.selfTestError;
  out.flags = AEROGPU_DBGCTL_QUERY_PERF_FLAGS_VALID | AEROGPU_DBGCTL_QUERY_PERF_FLAG_RING_VALID |
              AEROGPU_DBGCTL_QUERY_PERF_FLAG_VBLANK_VALID | AEROGPU_DBGCTL_QUERY_PERF_FLAG_GETSCANLINE_COUNTERS_VALID;
  out.get_scanline_cache_hits = counters.scanLineFromClock;
  out.get_scanline_mmio_polls = counters.scanLineFromDevice;
  out.alloc_table_count = counters.tables;
  out.alloc_table_entries = counters.tableEntries;
  out.alloc_table_readonly_entries = counters.readonlyEntries;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_perf_out &out) {
  tellCounters(adapter, adapter.display.recent().vblank, out);
  return STATUS_SUCCESS;
}

/** Calls `write(i, descriptor)` for the newest descriptors, at most `capacity`, oldest first; returns their number. */
template <class Write> uint32_t recentDescriptors(const Ring &ring, uint32_t capacity, Write write) {
  uint32_t count = ring.tail() < capacity ? ring.tail() : capacity;
  if (count > ring.entries()) count = ring.entries();
  for (uint32_t i = 0; i < count; i++) write(i, ring.slot(ring.tail() - count + i));
  return count;
}

uint32_t roomFor(uint32_t asked) {
  return asked && asked < AEROGPU_DBGCTL_MAX_RECENT_DESCRIPTORS ? asked : AEROGPU_DBGCTL_MAX_RECENT_DESCRIPTORS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_dump_ring_inout &out) {
  const Ring &ring = adapter.scheduler.ring();
  if (out.ring_id) return STATUS_INVALID_PARAMETER;
  out.ring_size_bytes = ring.bytes();
  out.head = ring.head();
  out.tail = ring.tail();
  out.desc_capacity = roomFor(out.desc_capacity);
  out.desc_count = recentDescriptors(ring, out.desc_capacity, [&](uint32_t i, const aerogpu_submit_desc &desc) {
    out.desc[i] = {desc.signal_fence, desc.cmd_gpa, desc.cmd_size_bytes, desc.flags};
  });
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_dump_ring_v2_inout &out) {
  const Ring &ring = adapter.scheduler.ring();
  if (out.ring_id) return STATUS_INVALID_PARAMETER;
  out.ring_format = AEROGPU_DBGCTL_RING_FORMAT_AGPU;
  out.ring_size_bytes = ring.bytes();
  out.head = ring.head();
  out.tail = ring.tail();
  out.desc_capacity = roomFor(out.desc_capacity);
  out.desc_count = recentDescriptors(ring, out.desc_capacity, [&](uint32_t i, const aerogpu_submit_desc &desc) {
    out.desc[i] = {desc.signal_fence,
                   desc.cmd_gpa,
                   desc.cmd_size_bytes,
                   desc.flags,
                   desc.alloc_table_gpa,
                   desc.alloc_table_size_bytes,
                   0};
  });
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_vblank_out &out) {
  if (out.vidpn_source_id != kSourceId) return STATUS_INVALID_PARAMETER;
  const Display::Recent recent = adapter.display.recent();
  out.irq_enable = adapter.powered ? adapter.display.interruptMask() : 0;
  out.irq_status = recent.irqStatus;
  out.flags = AEROGPU_DBGCTL_QUERY_VBLANK_FLAGS_VALID | AEROGPU_DBGCTL_QUERY_VBLANK_FLAG_VBLANK_SUPPORTED |
              AEROGPU_DBGCTL_QUERY_VBLANK_FLAG_INTERRUPT_TYPE_VALID;
  out.vblank_seq = recent.vblank.sequence;
  out.last_vblank_time_ns = recent.vblank.timeNs;
  out.vblank_period_ns = adapter.display.vblankPeriodNs();
  out.vblank_interrupt_type = DXGK_INTERRUPT_CRTC_VSYNC;
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_scanout_out &out) {
  if (out.vidpn_source_id != kSourceId) return STATUS_INVALID_PARAMETER;
  const Display::Scanout &scanout = adapter.display.scanout();
  const Registers &registers = adapter.registers;
  out.cached_enable = scanout.enabled;
  out.cached_width = scanout.width;
  out.cached_height = scanout.height;
  out.cached_format = scanout.format;
  out.cached_pitch_bytes = scanout.pitch;
  const bool privileged = mayDebug();
  out.reserved0 = AEROGPU_DBGCTL_QUERY_SCANOUT_FLAGS_VALID | (privileged ? AEROGPU_EXT_QUERY_FLAG_DEVICE : 0);
  out.mmio_enable = out.mmio_width = out.mmio_height = out.mmio_format = out.mmio_pitch_bytes = 0;
  out.mmio_fb_gpa = 0;
  if (!privileged) return STATUS_SUCCESS;  // ESC-11
  out.mmio_enable = registers.read(AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
  out.mmio_width = registers.read(AEROGPU_MMIO_REG_SCANOUT0_WIDTH);
  out.mmio_height = registers.read(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT);
  out.mmio_format = registers.read(AEROGPU_MMIO_REG_SCANOUT0_FORMAT);
  out.mmio_pitch_bytes = registers.read(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES);
  out.mmio_fb_gpa = uint64_t{registers.read(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI)} << 32 |
                    registers.read(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_scanout_out_v2 &out) {
  const NTSTATUS status = answer(adapter, out.base);
  const bool told = out.base.reserved0 & AEROGPU_EXT_QUERY_FLAG_DEVICE;
  out.cached_fb_gpa = told ? adapter.display.scanout().address : 0;
  if (told) out.base.reserved0 |= AEROGPU_DBGCTL_QUERY_SCANOUT_FLAG_CACHED_FB_GPA_VALID;
  return status;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_cursor_out &out) {
  const Registers &registers = adapter.registers;
  out.flags = AEROGPU_DBGCTL_QUERY_CURSOR_FLAGS_VALID |
              (adapter.features.low & AEROGPU_FEATURE_CURSOR ? AEROGPU_DBGCTL_QUERY_CURSOR_FLAG_CURSOR_SUPPORTED : 0);
  if (!mayDebug()) {  // ESC-11
    const CursorPlane::State state = adapter.cursor.state();
    out.enable = state.shown;
    out.x = state.x;
    out.y = state.y;
    out.hot_x = state.hotX;
    out.hot_y = state.hotY;
    out.width = state.width;
    out.height = state.height;
    out.format = state.format;
    out.fb_gpa = 0;
    out.pitch_bytes = state.pitch;
    return STATUS_SUCCESS;
  }
  out.flags |= AEROGPU_EXT_QUERY_FLAG_DEVICE;
  out.enable = registers.read(AEROGPU_MMIO_REG_CURSOR_ENABLE);
  out.x = static_cast<int32_t>(registers.read(AEROGPU_MMIO_REG_CURSOR_X));
  out.y = static_cast<int32_t>(registers.read(AEROGPU_MMIO_REG_CURSOR_Y));
  out.hot_x = registers.read(AEROGPU_MMIO_REG_CURSOR_HOT_X);
  out.hot_y = registers.read(AEROGPU_MMIO_REG_CURSOR_HOT_Y);
  out.width = registers.read(AEROGPU_MMIO_REG_CURSOR_WIDTH);
  out.height = registers.read(AEROGPU_MMIO_REG_CURSOR_HEIGHT);
  out.format = registers.read(AEROGPU_MMIO_REG_CURSOR_FORMAT);
  out.fb_gpa = uint64_t{registers.read(AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI)} << 32 |
               registers.read(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO);
  out.pitch_bytes = registers.read(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES);
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_query_error_out &out) {
  const Registers &registers = adapter.registers;
  const bool supported = adapter.features.low & AEROGPU_FEATURE_ERROR_INFO;
  out.flags = AEROGPU_DBGCTL_QUERY_ERROR_FLAGS_VALID;
  if (!supported) return STATUS_SUCCESS;
  out.error_code = registers.read(AEROGPU_MMIO_REG_ERROR_CODE);
  out.error_fence =
      uint64_t{registers.read(AEROGPU_MMIO_REG_ERROR_FENCE_HI)} << 32 | registers.read(AEROGPU_MMIO_REG_ERROR_FENCE_LO);
  out.error_count = registers.read(AEROGPU_MMIO_REG_ERROR_COUNT);
  out.flags |= AEROGPU_DBGCTL_QUERY_ERROR_FLAG_ERROR_SUPPORTED |
               (out.error_code ? AEROGPU_DBGCTL_QUERY_ERROR_FLAG_ERROR_LATCHED : 0);
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_selftest_inout &out) {
  uint32_t error;
  const NTSTATUS status = adapter.selfTest.run(out.timeout_ms, adapter.powered, error);
  if (!NT_SUCCESS(status)) return status;
  adapter.counters.selfTests++;
  adapter.counters.selfTestError = error;
  out.passed = error == AEROGPU_DBGCTL_SELFTEST_OK;
  out.error_code = error;
  return STATUS_SUCCESS;
}

/** Returns the registry values as the driver read them when it started. */
NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_ext_query_settings_out &out) {
  const Settings &settings = adapter.settings;
  out.flags = (settings.disable3d ? AEROGPU_EXT_SETTING_3D_DISABLED : 0) |
              (settings.disableGdi ? AEROGPU_EXT_SETTING_GDI_DISABLED : 0) |
              (settings.disableAperture ? AEROGPU_EXT_SETTING_APERTURE_DISABLED : 0) |
              (settings.disableBuffers ? AEROGPU_EXT_SETTING_BUFFERS_DISABLED : 0);
  out.user_mode_log = settings.userModeLog;
  out.reserved0 = out.reserved1 = 0;
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_dump_createallocation_inout &out) {
  adapter.creationLog.copyTo(out);
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_set_cursor_position_in &in) {
  adapter.cursor.move(in.x, in.y);
  return STATUS_SUCCESS;
}

NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_set_cursor_visibility_in &in) {
  adapter.cursor.show(in.visible != 0);
  return STATUS_SUCCESS;
}

NTSTATUS setCursorShape(AeroAdapter &adapter, AeroDevice *, void *data, UINT bytes) {
  constexpr UINT header = FIELD_OFFSET(aerogpu_escape_set_cursor_shape_in, pixels);
  aerogpu_escape_set_cursor_shape_in in;
  RtlCopyMemory(&in, data, sizeof in);
  if (uint64_t{in.pitch_bytes} * in.height > bytes - header || in.format != AEROGPU_FORMAT_B8G8R8A8_UNORM)
    return STATUS_INVALID_PARAMETER;
  return adapter.cursor.setShapeBgra(in.width, in.height, in.hot_x, in.hot_y, in.pitch_bytes,
                                     static_cast<const uint8_t *>(data) + header);
}

#if DBG
/** Reads VRAM; any other address is refused. */
NTSTATUS answer(AeroAdapter &adapter, aerogpu_escape_read_gpa_inout &out) {
  out.bytes_copied = 0;
  if (!out.size_bytes || out.size_bytes > AEROGPU_DBGCTL_READ_GPA_MAX_BYTES) return STATUS_INVALID_PARAMETER;
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(out.gpa);
  if (out.gpa + out.size_bytes < out.gpa || !adapter.memory.ownsPhysical(out.gpa, out.size_bytes)) {
    out.status = static_cast<uint32_t>(STATUS_ACCESS_DENIED);
    return STATUS_SUCCESS;
  }
  void *mapping = MmMapIoSpace(address, out.size_bytes, MmNonCached);
  if (!mapping) return STATUS_INSUFFICIENT_RESOURCES;
  RtlCopyMemory(out.data, mapping, out.size_bytes);
  MmUnmapIoSpace(mapping, out.size_bytes);
  out.bytes_copied = out.size_bytes;
  out.status = static_cast<uint32_t>(STATUS_SUCCESS);
  return STATUS_SUCCESS;
}
#endif

/** Answers in a copy of the caller's Blob, and writes the copy back. `data` has at least the bytes of a Blob. */
template <class Blob> NTSTATUS handle(AeroAdapter &adapter, AeroDevice *, void *data, UINT) {
  auto *blob = static_cast<Blob *>(poolAllocate(sizeof(Blob)));
  if (!blob) return STATUS_NO_MEMORY;
  RtlCopyMemory(blob, data, sizeof(Blob));
  const NTSTATUS status = answer(adapter, *blob);
  if (NT_SUCCESS(status)) RtlCopyMemory(data, blob, sizeof(Blob));
  poolFree(blob);
  return status;
}

/** Reserves a range of handles for the caller's device. */
NTSTATUS reserveHandles(AeroAdapter &adapter, AeroDevice *device, void *data, UINT) {
  aerogpu_escape_ext_reserve_handles_inout inout;
  RtlCopyMemory(&inout, data, sizeof inout);
  if (!device || device->adapter != &adapter || !inout.count || inout.count > AEROGPU_EXT_HANDLES_MAX)
    return STATUS_INVALID_PARAMETER;
  TableLock lock(adapter.allocations);
  AeroProcess &process = *device->account;
  const uint32_t wanted = (inout.count + HandleRanges::kUnit - 1) / HandleRanges::kUnit;
  if (wanted > HandleRanges::kMaxUnits - process.rangeUnits ||
      !adapter.allocations.ranges.take(device, adapter.scheduler.ring().head(), inout.count, inout.first))
    return STATUS_INSUFFICIENT_RESOURCES;
  device->rangeUnits += wanted;
  process.rangeUnits += wanted;
  RtlCopyMemory(data, &inout, sizeof inout);
  return STATUS_SUCCESS;
}

/** Carries out an operation. `device`: the caller's, or null. */
using Handler = NTSTATUS (*)(AeroAdapter &, AeroDevice *device, void *, UINT);

NTSTATUS handleScanout(AeroAdapter &adapter, AeroDevice *device, void *data, UINT bytes) {
  return bytes >= sizeof(aerogpu_escape_query_scanout_out_v2)
             ? handle<aerogpu_escape_query_scanout_out_v2>(adapter, device, data, bytes)
             : handle<aerogpu_escape_query_scanout_out>(adapter, device, data, bytes);
}

enum class Who { Everybody, Debuggers };
/** Whether the host's option escapes=off refuses an operation (POLICY-1). Always: user-mode drivers need it. */
enum class Policy { Always, UnlessOff };

struct Operation {
  uint32_t op;
  Who who;
  Policy policy;
  UINT bytes;  // the smallest structure
  Handler handler;
};

template <class Blob> constexpr Operation operation(uint32_t op, Who who, Policy policy, Handler handler) {
  return {op, who, policy, sizeof(Blob), handler};
}
template <class Blob>
constexpr Operation question(uint32_t op, Who who = Who::Everybody, Policy policy = Policy::UnlessOff) {
  return operation<Blob>(op, who, policy, handle<Blob>);
}

NTSTATUS queryOperation(AeroAdapter &adapter, AeroDevice *device, void *data, UINT bytes);

// MAP_SHARED_HANDLE of the ABI is not supported: it translated the handle of a process for drivers without a token in
// the private data of a shared allocation. This driver writes a token there (EX-40).
constexpr Operation kOperations[] = {
    question<aerogpu_escape_query_device_out>(AEROGPU_ESCAPE_OP_QUERY_DEVICE, Who::Everybody, Policy::Always),
    question<aerogpu_escape_query_fence_out>(AEROGPU_ESCAPE_OP_QUERY_FENCE, Who::Everybody, Policy::Always),
    question<aerogpu_escape_dump_ring_inout>(AEROGPU_ESCAPE_OP_DUMP_RING, Who::Debuggers),
    question<aerogpu_escape_selftest_inout>(AEROGPU_ESCAPE_OP_SELFTEST, Who::Debuggers),
    question<aerogpu_escape_query_vblank_out>(AEROGPU_ESCAPE_OP_QUERY_VBLANK),
    question<aerogpu_escape_dump_ring_v2_inout>(AEROGPU_ESCAPE_OP_DUMP_RING_V2, Who::Debuggers),
    question<aerogpu_escape_query_device_v2_out>(AEROGPU_ESCAPE_OP_QUERY_DEVICE_V2, Who::Everybody, Policy::Always),
    question<aerogpu_escape_dump_createallocation_inout>(AEROGPU_ESCAPE_OP_DUMP_CREATEALLOCATION, Who::Debuggers),
    operation<aerogpu_escape_query_scanout_out>(AEROGPU_ESCAPE_OP_QUERY_SCANOUT, Who::Everybody, Policy::UnlessOff,
                                                handleScanout),
    question<aerogpu_escape_query_cursor_out>(AEROGPU_ESCAPE_OP_QUERY_CURSOR),
    question<aerogpu_escape_query_perf_out>(AEROGPU_ESCAPE_OP_QUERY_PERF),
    question<aerogpu_escape_query_error_out>(AEROGPU_ESCAPE_OP_QUERY_ERROR),
    operation<aerogpu_escape_set_cursor_shape_in>(AEROGPU_ESCAPE_OP_SET_CURSOR_SHAPE, Who::Debuggers, Policy::UnlessOff,
                                                  setCursorShape),
    question<aerogpu_escape_set_cursor_position_in>(AEROGPU_ESCAPE_OP_SET_CURSOR_POSITION, Who::Debuggers),
    question<aerogpu_escape_set_cursor_visibility_in>(AEROGPU_ESCAPE_OP_SET_CURSOR_VISIBILITY, Who::Debuggers),
    operation<aerogpu_escape_ext_reserve_handles_inout>(AEROGPU_ESCAPE_OP_EXT_RESERVE_HANDLES, Who::Everybody,
                                                        Policy::Always, reserveHandles),
    operation<aerogpu_escape_ext_query_operation_inout>(AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION, Who::Everybody,
                                                        Policy::Always, queryOperation),
    question<aerogpu_escape_ext_query_settings_out>(AEROGPU_ESCAPE_OP_EXT_QUERY_SETTINGS, Who::Everybody,
                                                    Policy::Always),
#if DBG
    question<aerogpu_escape_read_gpa_inout>(AEROGPU_ESCAPE_OP_READ_GPA, Who::Debuggers),
#endif
};

const Operation *find(uint32_t op) {
  for (const Operation &operation : kOperations)
    if (operation.op == op) return &operation;
  return nullptr;
}

bool refused(const AeroAdapter &adapter, const Operation &operation) {
  return operation.policy == Policy::UnlessOff && (adapter.features.policy & AEROGPU_EXT_POLICY_ESCAPES_OFF);
}

/** Describes an operation's row of the table, and says whether the caller may use the operation. */
NTSTATUS queryOperation(AeroAdapter &adapter, AeroDevice *, void *data, UINT) {
  aerogpu_escape_ext_query_operation_inout inout;
  RtlCopyMemory(&inout, data, sizeof inout);
  inout.flags = inout.bytes_needed = inout.reserved0 = 0;
  if (const Operation *found = find(inout.operation)) {
    const bool privileged = found->who == Who::Debuggers, off = refused(adapter, *found);
    inout.flags = AEROGPU_EXT_OPERATION_KNOWN | (privileged ? AEROGPU_EXT_OPERATION_PRIVILEGED : 0) |
                  (off ? AEROGPU_EXT_OPERATION_REFUSED : 0) |
                  (!off && (!privileged || mayDebug()) ? AEROGPU_EXT_OPERATION_ALLOWED : 0);
    inout.bytes_needed = found->bytes;
  }
  RtlCopyMemory(data, &inout, sizeof inout);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS answerEscape(AeroAdapter &adapter, AeroDevice *device, void *data, UINT bytes) {
  aerogpu_escape_header header;
  if (bytes < sizeof header) return STATUS_BUFFER_TOO_SMALL;
  RtlCopyMemory(&header, data, sizeof header);
  if (header.version != AEROGPU_ESCAPE_VERSION || header.size > bytes || header.size < sizeof header)
    return STATUS_INVALID_PARAMETER;
  const Operation *operation = find(header.op);
  if (!operation) return STATUS_NOT_SUPPORTED;
  if (refused(adapter, *operation)) return STATUS_ACCESS_DISABLED_BY_POLICY_OTHER;
  if (operation->who == Who::Debuggers && !mayDebug()) return STATUS_ACCESS_DENIED;
  if (header.size < operation->bytes) {
    // No page says whether the OS copies the buffer of a refused escape back to the caller. QUERY_OPERATION returns the
    // size in any case.
    header.reserved0 = operation->bytes;
    RtlCopyMemory(data, &header, sizeof header);
    return STATUS_BUFFER_TOO_SMALL;
  }
  return operation->handler(adapter, device, data, header.size);
}

void reportForBugCheck(AeroAdapter &adapter, void *data, SIZE_T bytes) {
  struct Report {
    uint32_t magic;
    uint32_t version;
    aerogpu_escape_query_perf_out perf;
    aerogpu_escape_query_error_out error;
  };
  Report report = {};
  report.magic = AEROGPU_MMIO_MAGIC;
  report.version = 1;
  if (adapter.started) {
    tellCounters(adapter, adapter.display.lastVblank(), report.perf);
    answer(adapter, report.error);
  }
  RtlCopyMemory(data, &report, bytes < sizeof report ? bytes : sizeof report);
}

}  // namespace aero
