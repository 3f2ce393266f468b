// SPDX-License-Identifier: MIT
#include "guest-drivers/dbgctl/reports.h"

#include <stdarg.h>

#include "aerogpu/aerogpu_escape_extension.h"
#include "guest-drivers/dbgctl/kernel.h"
#include "guest-drivers/dbgctl/names.h"

namespace dbgctl {

namespace {

using Text = char[512];

/// Printed instead of a value that the driver withholds from callers without the privilege.
constexpr char kNotAllowed[] =
    "not shown: it takes the right to debug programs (open the command prompt with \"Run as administrator\")";

const char* onOff(uint32_t value) {
  return value ? "on" : "off";
}

const char* switched(uint32_t flags, uint32_t bit, const char* value, Text& text) {
  snprintf(text, sizeof text, flags & bit ? "off, by the registry value %s" : "on", value);
  return text;
}

}  // namespace

void line(FILE* out, const char* name, const char* format, ...) {
  fprintf(out, "%-22s", name);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
  fputc('\n', out);
}

bool reportDevice(Kernel& kernel, FILE* out) {
  aerogpu_escape_query_device_v2_out device = {};
  if (!kernel.ask("device", AEROGPU_ESCAPE_OP_QUERY_DEVICE_V2, device)) return false;
  Text names;
  line(out, "display", "%s, %s", kernel.displayName(), kernel.adapterName());
  line(out, "ABI version", "%u.%u", device.abi_version_u32 >> 16, device.abi_version_u32 & 0xFFFF);
  line(out, "features", "0x%llx: %s", static_cast<unsigned long long>(device.features_lo),
       featureNames(device.features_lo, names, sizeof names));
  return true;
}

bool reportFences(Kernel& kernel, FILE* out) {
  aerogpu_escape_query_fence_out fence = {};
  if (!kernel.ask("fences", AEROGPU_ESCAPE_OP_QUERY_FENCE, fence)) return false;
  const uint64_t waiting = fence.last_submitted_fence - fence.last_completed_fence;
  line(out, "submitted", "%llu", static_cast<unsigned long long>(fence.last_submitted_fence));
  line(out, "completed", "%llu", static_cast<unsigned long long>(fence.last_completed_fence));
  line(out, "under way", "%llu", static_cast<unsigned long long>(waiting));
  if (fence.error_irq_count)
    line(out, "error interrupts", "%llu, the last at fence %llu",
         static_cast<unsigned long long>(fence.error_irq_count),
         static_cast<unsigned long long>(fence.last_error_fence));
  else
    line(out, "error interrupts", "none");
  return true;
}

bool reportRing(Kernel& kernel, FILE* out) {
  aerogpu_escape_dump_ring_v2_inout ring = {};
  if (!kernel.ask("ring", AEROGPU_ESCAPE_OP_DUMP_RING_V2, ring)) return false;
  line(out, "ring", "%u bytes; head %u, tail %u: %u waiting", ring.ring_size_bytes, ring.head, ring.tail,
       ring.tail - ring.head);
  if (!ring.desc_count) return true;
  fprintf(out, "%20s %18s %9s %18s %9s  %s\n", "fence", "commands at", "bytes", "table at", "bytes", "flags");
  for (uint32_t i = 0; i < ring.desc_count && i < AEROGPU_DBGCTL_MAX_RECENT_DESCRIPTORS; i++) {
    const aerogpu_dbgctl_ring_desc_v2& desc = ring.desc[i];
    Text flags;
    // The newest descriptor is the last one; those from the head on are waiting.
    const bool waits = ring.desc_count - i <= ring.tail - ring.head;
    fprintf(out, "%20llu %#18llx %9u %#18llx %9u  %s%s\n", static_cast<unsigned long long>(desc.fence),
            static_cast<unsigned long long>(desc.cmd_gpa), desc.cmd_size_bytes,
            static_cast<unsigned long long>(desc.alloc_table_gpa), desc.alloc_table_size_bytes,
            submitFlagNames(desc.flags, flags, sizeof flags), waits ? ", waits" : "");
  }
  return true;
}

bool reportErrors(Kernel& kernel, FILE* out) {
  aerogpu_escape_query_error_out error = {};
  if (!kernel.ask("errors", AEROGPU_ESCAPE_OP_QUERY_ERROR, error)) return false;
  if (!(error.flags & AEROGPU_DBGCTL_QUERY_ERROR_FLAG_ERROR_SUPPORTED)) {
    line(out, "errors", "this device tells of none (it lacks ERROR_INFO)");
    return true;
  }
  line(out, "errors", "%u since the machine started", error.error_count);
  if (error.flags & AEROGPU_DBGCTL_QUERY_ERROR_FLAG_ERROR_LATCHED)
    line(out, "last error", "%s; at fence %llu", errorName(error.error_code),
         static_cast<unsigned long long>(error.error_fence));
  return true;
}

bool reportCounters(Kernel& kernel, FILE* out) {
  aerogpu_escape_query_perf_out perf = {};
  if (!kernel.ask("counters", AEROGPU_ESCAPE_OP_QUERY_PERF, perf)) return false;
  const struct {
    const char* name;
    uint64_t value;
  } rows[] = {
      {"submissions", perf.total_submissions},
      {"  of programs", perf.total_render_submits},
      {"  with a present", perf.total_presents},
      {"  of the driver", perf.total_internal_submits},
      {"ring full", perf.ring_push_failures},
      {"fence interrupts", perf.irq_fence_delivered},
      {"vblank interrupts", perf.irq_vblank_delivered},
      {"error interrupts", perf.error_irq_count},
      {"others' interrupts", perf.irq_spurious},
      {"resets", perf.reset_from_timeout_count},
      {"self tests", perf.selftest_count},
      {"scan lines by clock", perf.get_scanline_cache_hits},
      {"scan lines by device", perf.get_scanline_mmio_polls},
      {"allocation tables", perf.alloc_table_count},
      {"  entries", perf.alloc_table_entries},
      {"  read-only entries", perf.alloc_table_readonly_entries},
  };
  for (const auto& row : rows) line(out, row.name, "%llu", static_cast<unsigned long long>(row.value));
  return true;
}

bool reportVblank(Kernel& kernel, FILE* out) {
  aerogpu_escape_query_vblank_out vblank = {};
  if (!kernel.ask("vblank", AEROGPU_ESCAPE_OP_QUERY_VBLANK, vblank)) return false;
  Text names;
  line(out, "vblanks", "%llu", static_cast<unsigned long long>(vblank.vblank_seq));
  line(out, "last one", "%llu ns of the machine's clock",
       static_cast<unsigned long long>(vblank.last_vblank_time_ns));
  if (vblank.vblank_period_ns)
    line(out, "period", "%u ns (%.2f Hz)", vblank.vblank_period_ns, 1e9 / vblank.vblank_period_ns);
  line(out, "interrupts enabled", "%s", interruptNames(vblank.irq_enable, names, sizeof names));
  line(out, "interrupts pending", "%s", interruptNames(vblank.irq_status, names, sizeof names));
  return true;
}

bool reportScanout(Kernel& kernel, FILE* out) {
  aerogpu_escape_query_scanout_out_v2 scanout = {};
  if (!kernel.ask("scanout", AEROGPU_ESCAPE_OP_QUERY_SCANOUT, scanout)) return false;
  const aerogpu_escape_query_scanout_out& s = scanout.base;
  // A driver without these flags withholds nothing from any caller.
  if ((s.reserved0 & AEROGPU_DBGCTL_QUERY_SCANOUT_FLAGS_VALID) &&
      !(s.reserved0 & AEROGPU_EXT_QUERY_FLAG_DEVICE)) {
    line(out, "the driver's", "%s, %ux%u %s, %u bytes a row", onOff(s.cached_enable), s.cached_width,
         s.cached_height, formatName(s.cached_format), s.cached_pitch_bytes);
    line(out, "the device's", "%s", kNotAllowed);
    return true;
  }
  line(out, "the driver's", "%s, %ux%u %s, %u bytes a row, at %#llx", onOff(s.cached_enable), s.cached_width,
       s.cached_height, formatName(s.cached_format), s.cached_pitch_bytes,
       static_cast<unsigned long long>(scanout.cached_fb_gpa));
  line(out, "the device's", "%s, %ux%u %s, %u bytes a row, at %#llx", onOff(s.mmio_enable), s.mmio_width,
       s.mmio_height, formatName(s.mmio_format), s.mmio_pitch_bytes,
       static_cast<unsigned long long>(s.mmio_fb_gpa));
  const bool same =
      s.cached_enable == s.mmio_enable &&
      (!s.cached_enable || (s.cached_width == s.mmio_width && s.cached_height == s.mmio_height &&
                            s.cached_format == s.mmio_format && s.cached_pitch_bytes == s.mmio_pitch_bytes));
  if (!same) line(out, "", "these differ: something else drives the device");
  return true;
}

bool reportCursor(Kernel& kernel, FILE* out) {
  aerogpu_escape_query_cursor_out cursor = {};
  if (!kernel.ask("cursor", AEROGPU_ESCAPE_OP_QUERY_CURSOR, cursor)) return false;
  if (!(cursor.flags & AEROGPU_DBGCTL_QUERY_CURSOR_FLAG_CURSOR_SUPPORTED)) {
    line(out, "cursor", "this device has none: Windows draws the pointer");
    return true;
  }
  line(out, "cursor", "%s, at %d, %d", onOff(cursor.enable), static_cast<int>(cursor.x),
       static_cast<int>(cursor.y));
  const bool allowed =
      cursor.flags & AEROGPU_EXT_QUERY_FLAG_DEVICE || cursor.fb_gpa;  // an older driver withholds nothing
  char address[32] = "";
  if (allowed)
    snprintf(address, sizeof address, ", at %#llx", static_cast<unsigned long long>(cursor.fb_gpa));
  line(out, "shape", "%ux%u %s, hot spot %u, %u, %u bytes a row%s", cursor.width, cursor.height,
       formatName(cursor.format), cursor.hot_x, cursor.hot_y, cursor.pitch_bytes, address);
  if (!allowed) line(out, "its registers", "%s", kNotAllowed);
  return true;
}

bool reportAllocations(Kernel& kernel, FILE* out) {
  aerogpu_escape_dump_createallocation_inout log = {};
  if (!kernel.ask("allocations", AEROGPU_ESCAPE_OP_DUMP_CREATEALLOCATION, log)) return false;
  line(out, "allocations made", "%u; the last %u:", log.write_index, log.entry_count);
  if (!log.entry_count) return true;
  fprintf(out, "%8s %8s %6s %10s %12s %8s %10s %10s  %s\n", "number", "call", "of", "id", "bytes", "pitch",
          "private", "flags", "token");
  for (uint32_t i = 0; i < log.entry_count && i < AEROGPU_DBGCTL_MAX_RECENT_ALLOCATIONS; i++) {
    const aerogpu_dbgctl_createallocation_desc& e = log.entries[i];
    char of[16];
    snprintf(of, sizeof of, "%u/%u", e.alloc_index + 1, e.num_allocations);
    fprintf(out, "%8u %8u %6s %#10x %12llu %8u %#10x %#10x  ", e.seq, e.call_seq, of, e.alloc_id,
            static_cast<unsigned long long>(e.size_bytes), e.pitch_bytes, e.priv_flags, e.flags_out);
    if (e.share_token)
      fprintf(out, "%#llx\n", static_cast<unsigned long long>(e.share_token));
    else
      fputs("not shared\n", out);
  }
  return true;
}

bool reportOperations(Kernel& kernel, FILE* out) {
  for (uint32_t operation = 1; operation <= AEROGPU_ESCAPE_OP_EXT_QUERY_SETTINGS; operation++) {
    aerogpu_escape_ext_query_operation_inout answer = {};
    answer.operation = operation;
    if (!kernel.ask("operations", AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION, answer)) return false;
    const uint32_t flags = answer.flags;
    char name[64], bytes[32] = "";
    snprintf(name, sizeof name, "%2u %s", operation, operationName(operation));
    if (flags & AEROGPU_EXT_OPERATION_KNOWN) snprintf(bytes, sizeof bytes, "%u bytes, ", answer.bytes_needed);
    fprintf(out, "%-28s%s%s\n", name, bytes,
            !(flags & AEROGPU_EXT_OPERATION_KNOWN)     ? "not in this driver"
            : flags & AEROGPU_EXT_OPERATION_REFUSED    ? "switched off by the host (escapes=off)"
            : !(flags & AEROGPU_EXT_OPERATION_ALLOWED) ? "for administrators"
            : flags & AEROGPU_EXT_OPERATION_PRIVILEGED ? "for administrators, as you are"
                                                       : "for everybody");
  }
  return true;
}

bool reportSettings(Kernel& kernel, FILE* out) {
  aerogpu_escape_ext_query_settings_out settings = {};
  if (!kernel.ask("settings", AEROGPU_ESCAPE_OP_EXT_QUERY_SETTINGS, settings)) return false;
  static const char* const kLevels[] = {"nothing", "errors", "errors and refusals", "all calls"};
  Text text;
  line(out, "Direct3D", "%s", switched(settings.flags, AEROGPU_EXT_SETTING_3D_DISABLED, "Disable3D", text));
  line(out, "GDI acceleration", "%s",
       switched(settings.flags, AEROGPU_EXT_SETTING_GDI_DISABLED, "DisableGdiAcceleration", text));
  line(out, "aperture", "%s",
       switched(settings.flags, AEROGPU_EXT_SETTING_APERTURE_DISABLED, "DisableAperture", text));
  line(out, "hardware buffers", "%s",
       switched(settings.flags, AEROGPU_EXT_SETTING_BUFFERS_DISABLED, "DisableHardwareBuffers", text));
  line(out, "user-mode log", "%s",
       settings.user_mode_log <= AEROGPU_EXT_USER_MODE_LOG_MAX ? kLevels[settings.user_mode_log] : "?");
  return true;
}

bool reportStatus(Kernel& kernel, FILE* out) {
  if (!reportDevice(kernel, out)) return false;
  aerogpu_escape_query_scanout_out_v2 scanout = {};
  aerogpu_escape_query_perf_out perf = {};
  aerogpu_escape_ext_query_operation_inout operation = {};
  operation.operation = AEROGPU_ESCAPE_OP_QUERY_PERF;
  const bool knows = kernel.tryToAsk(AEROGPU_ESCAPE_OP_EXT_QUERY_OPERATION, operation) >= 0;
  // With escapes=off the driver still answers this much.
  if (knows && (operation.flags & AEROGPU_EXT_OPERATION_REFUSED)) {
    line(out, "escapes", "switched off by the host (escapes=off): the rest is not told");
    return reportFences(kernel, out) && reportSettings(kernel, out);
  }
  if (!kernel.ask("status", AEROGPU_ESCAPE_OP_QUERY_SCANOUT, scanout) ||
      !kernel.ask("status", AEROGPU_ESCAPE_OP_QUERY_PERF, perf))
    return false;
  const aerogpu_escape_query_scanout_out& s = scanout.base;
  line(out, "screen", "%s, %ux%u %s", onOff(s.cached_enable), s.cached_width, s.cached_height,
       formatName(s.cached_format));
  if (!reportFences(kernel, out)) return false;
  line(out, "presents", "%llu", static_cast<unsigned long long>(perf.total_presents));
  line(out, "resets", "%llu", static_cast<unsigned long long>(perf.reset_from_timeout_count));
  if (!reportErrors(kernel, out)) return false;
  if (!perf.selftest_count)
    line(out, "self test", "not run yet (dbgctl selftest)");
  else
    line(out, "self test", "%s, the last of %llu", selfTestName(perf.selftest_last_error_code),
         static_cast<unsigned long long>(perf.selftest_count));
  return !knows || reportSettings(kernel, out);
}

bool reportSelfTest(Kernel& kernel, FILE* out, uint32_t milliseconds) {
  aerogpu_escape_selftest_inout test = {};
  test.timeout_ms = milliseconds;
  if (!kernel.ask("selftest", AEROGPU_ESCAPE_OP_SELFTEST, test)) return false;
  if (test.passed) {
    line(out, "self test", "passed");
    return true;
  }
  line(out, "self test", "FAILED: %s (%u)", selfTestName(test.error_code), test.error_code);
  return complain("selftest: %s", selfTestAdvice(test.error_code));
}

}  // namespace dbgctl
